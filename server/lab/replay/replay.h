/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPLAY_REPLAY_H
#define SKR_SERVER_LAB_REPLAY_REPLAY_H
/*
 * A trace under one policy: jobs arrive, wait, run and end, under a virtual clock. Whenever a job
 * arrives or ends, or a reservation begins, one round (core/time/round.h) decides which of the waiting
 * jobs start. It is the round of the daemon; a policy only says what it may reserve and what it
 * remembers. A run is cut at its limit. Nothing is preempted.
 *
 *   sakkara       reservations, patience and horizon of the configuration; promises are kept
 *   fifo          the first of the order starts, or all wait
 *   besteffort    whatever fits starts, in order
 *   easy          the first that waits gets a reservation, made anew in each round
 *   conservative  the first 64 get one, made anew in each round
 *
 * Jobs that do not fit into the empty cluster are not placed.
 */
#include "core/time/round.h"
#include "server/lab/replay/choose.h"
#include "server/lab/replay/cluster.h"
#include "server/lab/replay/jobs.h"

struct skr_replay_policy {
    const char *name;
    int32_t reservations; /* -1: those of the options, their patience and horizon */
    bool keeps;           /* promises; else reservations are made anew */
    bool alone;           /* the first of the order alone may start */
};
extern const struct skr_replay_policy skr_replay_policy[]; /* sakkara first; name NULL at the end */

struct skr_replay_options {
    const struct skr_replay_policy *policy;
    const struct skr_replay_place *place;
    int32_t reservations;
    int64_t patience; /* seconds; SKR_INSTANT_NEVER: off */
    int64_t horizon;  /* seconds; 0: none */
};

/* What became of a job; instants are those of the trace. */
struct skr_replay_fate {
    int64_t start, end; /* SKR_INSTANT_NEVER: it is not placed */
    int64_t promised;   /* its first one; SKR_INSTANT_NEVER: none */
    bool drained;       /* it has had a drain */
    bool backfilled;    /* it started while one before it waited */
    bool split;         /* over several racks, and one empty rack holds it */
};

struct skr_replay_outcome {
    struct skr_replay_fate *fate;        /* [jobs] */
    int64_t moves[SKR_MOVE_CAUSE_COUNT]; /* later starts by cause; [SKR_MOVED_NOT]: without one */
    int64_t slot_seconds;                /* that were used until the last arrival */
    int64_t free_rack_seconds;           /* of whole free racks, until then */
    size_t rounds;
};

/* Errors: those of skr_round_run(). */
int skr_replay_run(const struct skr_replay_jobs *jobs, const struct skr_replay_cluster *cluster,
                   const struct skr_replay_options *options, struct skr_replay_outcome *ret,
                   struct skr_error *error);
void skr_replay_outcome_fini(struct skr_replay_outcome *outcome);

/* The level of the racks: above the nodes, or 0 if there is none. */
static inline int32_t skr_replay_rack_level(const struct skr_tree *tree)
{
    return tree->n_levels - 1;
}
/* Slots of the largest unit of a level. */
int64_t skr_replay_largest(const struct skr_replay_cluster *cluster, int32_t level);

#endif
