/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_REPLAY_JOBS_H
#define SKR_SERVER_LAB_REPLAY_JOBS_H
/*
 * The jobs of a trace, from CSV (RFC 4180, without line ends inside of fields). The first line is
 *
 *   arrival,name,size,slots,run,limit,priority,constraints
 *
 * arrival, run and limit are whole seconds. An empty limit is not known, an empty priority is 0, empty
 * constraints are none; otherwise constraints are JSON as in the key of that name.
 */
#include "core/solver/problem.h"
#include "server/findings.h"
#include "topology/base/arena.h"

enum {
    SKR_REPLAY_BYTES_MAX = 64 * 1024 * 1024, /* of a trace */
    SKR_REPLAY_JOBS_MAX = 100000,
    SKR_REPLAY_SECONDS_MAX = 1000000000, /* of a time: some 31 years */
    SKR_REPLAY_SLOTS_MAX = 100000,       /* of a member, and of a node */
    SKR_REPLAY_NAME_MAX = 253,           /* bytes */
    SKR_REPLAY_FIELD_MAX = 16 * 1024,    /* bytes */
};

struct skr_replay_job {
    const char *name;
    int64_t arrival, run;
    int64_t limit;  /* SKR_INSTANT_NEVER: unknown */
    int64_t demand; /* slots of one member */
    int32_t size;
    int32_t priority;
    const struct skr_rule *rule; /* [tree->n_levels] */
    size_t line;
};

struct skr_replay_jobs {
    struct skr_arena *arena;
    size_t n; /* by arrival, then as in the file */
    struct skr_replay_job *job;
};

/* text has a NUL behind its n bytes. Tells all defects, each with line and column; false: there are
 * some. Follow with skr_replay_jobs_fini() in either case. */
bool skr_replay_jobs_parse(const char *text, size_t n, const struct skr_tree *tree,
                           struct skr_findings *findings, struct skr_replay_jobs *ret);
void skr_replay_jobs_fini(struct skr_replay_jobs *jobs);

#endif
