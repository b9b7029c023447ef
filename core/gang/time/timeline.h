/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_TIMELINE_H
#define SKR_CORE_GANG_TIME_TIMELINE_H
/*
 * When the waiting groups of a gang scheduler will start: one round (core/time/round.h) over its
 * caches, on paper. Nothing is written, planned or marked.
 */
#include "core/gang/state/gang.h"
#include "core/time/round.h"

#define SKR_ANNOTATION_RESERVATION "sakkara.reservation"

/* What the caches of the engine do not have. */
struct skr_timeline_request {
    skr_time now;
    int32_t reservations, forecasts;
    int64_t patience; /* seconds; SKR_INSTANT_NEVER: off */
    /* What the API says about the end of a pod; NULL: nothing. */
    const struct skr_pod_times *(*times)(void *context, const char *namespace_, const char *name);
    void *context;
    bool preempt; /* look for victims */
};

/* Names are namespace/name, without the namespace of the group; in byte order. */
struct skr_timeline_victims {
    size_t n_groups, n_followers;
    const char *const *group;
    const char *const *follower; /* pods that go alone: their group does not need them */
};

struct skr_timeline_node {
    const char *name;
    int32_t count;
};

struct skr_timeline_group {
    const char *namespace_, *name;
    enum skr_round_state state;
    int64_t start, until; /* SKR_INSTANT_NEVER: not known */
    bool exact, backfills;
    int64_t job_end; /* a Job's deadline that passes before the start; SKR_INSTANT_NEVER: none */
    const char *because;   /* namespace/name of a group or pod; NULL: none */
    const char *unlimited; /* UNKNOWN: one without a limit that is in its way; NULL: none */
    enum skr_move_cause moved;
    size_t n_nodes;
    const struct skr_timeline_node *node; /* in byte order; NULL: states UNKNOWN and FORECAST */
    /* The smallest unit with all of it; below the root several: "rack-0,rack-1"; UNKNOWN: "". */
    const char *place;
    const struct skr_timeline_victims *victims; /* NULL: none, or not asked for */
};

/* A single pod that waits, and the nodes that have room for it and are not kept for groups. */
struct skr_timeline_pod {
    const char *namespace_, *name;
    size_t n_nodes; /* in byte order */
    const char *const *node;
};

/* Lists are sorted by namespace and name. Names are the gang's: valid until its next change. */
struct skr_timeline_answer {
    struct skr_arena *arena;
    size_t n_labels;
    char **label; /* names of causes */
    int64_t now;
    size_t n_groups;
    struct skr_timeline_group *group;
    size_t n_pods;
    struct skr_timeline_pod *pod;
};

/* Errors: SKR_RETRY (no topology that can be used), SKR_LIMIT, SKR_NO_MEMORY. */
int skr_gang_timeline(struct skr_gang *gang, const struct skr_timeline_request *request,
                      struct skr_timeline_answer *ret, struct skr_error *error);
void skr_timeline_answer_fini(struct skr_timeline_answer *answer);

#endif
