/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_ANSWER_H
#define SKR_CORE_GANG_TIME_ANSWER_H
/* What is asked about the starts of waiting groups, and the answer (core/gang/time/timeline.h). */
#include "core/gang/state/gang.h"
#include "core/time/round.h"

/* A picture of time: for units, what holds most of a resource at each of some instants from now on. */
enum { SKR_CHART_CELLS = 40 };
enum skr_chart_hold {
    SKR_CHART_LIMIT, /* pods that end by a limit */
    SKR_CHART_UNLIMITED,
    SKR_CHART_RESERVED, /* groups that start now, or hold a reservation */
    SKR_CHART_FREE,
    SKR_CHART_HOLD_COUNT
};
struct skr_chart_request {
    int32_t unit;                    /* of the tree: its children are shown */
    uint16_t resource;               /* the engine's id */
    int64_t cell_s;                  /* seconds between two instants */
    bool (*must_end)(void *context); /* asked now and then; true: no rows are made. NULL: never */
    void *context;
};
struct skr_timeline_chart_row {
    const char *name;
    int64_t used, total; /* now */
    uint8_t cell[SKR_CHART_CELLS];
};
struct skr_timeline_chart {
    size_t n; /* in tree order */
    struct skr_timeline_chart_row *row;
};

struct skr_timeline_request {
    skr_time now;
    bool preempt;                          /* look for victims */
    int32_t moves_most;                    /* look for moves of so many groups; 0: do not */
    int64_t moves_after;                   /* seconds: not for a group that is promised within */
    const struct skr_chart_request *chart; /* NULL: no picture */
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
struct skr_timeline_nodes {
    size_t n;
    const struct skr_timeline_node *node; /* in byte order */
};

/* Where groups go that move, so that another one fits; names as above, in byte order. */
struct skr_timeline_move {
    const char *name;
    struct skr_timeline_nodes to;
};
struct skr_timeline_moves {
    struct skr_timeline_nodes to; /* of the waiting group */
    size_t n_moved;
    const struct skr_timeline_move *moved;
};

/* A member on a lost node, and the node that it would go to. */
struct skr_timeline_replaced {
    const char *pod, *node;
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
    struct skr_timeline_nodes to; /* node NULL: states UNKNOWN and FORECAST */
    /* The smallest unit with all of it; below the root several: "rack-0,rack-1"; UNKNOWN: "". */
    const char *place;
    const struct skr_timeline_victims *victims; /* NULL: none, or not asked for */
    const struct skr_timeline_moves *moves;     /* the same */
    int32_t
        grow; /* members beyond its minimum that a running group gets now; 0: it does not grow */
    size_t n_replaced; /* in byte order of pods; 0: none, or there is no place */
    const struct skr_timeline_replaced *replaced;
    bool moves_open; /* no moves were found within the budget, which is no proof */
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
    struct skr_timeline_chart chart;
};

#endif
