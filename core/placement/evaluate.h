/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_EVALUATE_H
#define SKR_CORE_PLACEMENT_EVALUATE_H
/*
 * One scheduling cycle of one Placement: candidates, scores, selection, groups and slices, and what
 * the status is to say. A pure function of the Placement, what the hub holds, and the time; the
 * daemon, `simulate` and `explain` call the same one.
 */
#include "core/placement/hub.h"
#include "core/placement/slices.h"
#include "core/placement/spread.h"

enum {
    SKR_PLACEMENT_CYCLE_BYTES_MAX = 512 * 1024 * 1024, /* arena of one cycle */
};

enum skr_placement_reason {
    SKR_PLACEMENT_NO_BINDINGS,
    SKR_PLACEMENT_NO_INTERSECTION,
    SKR_PLACEMENT_SETS_EMPTY,
    SKR_PLACEMENT_FAILED, /* internal error */
    SKR_PLACEMENT_NONE_MATCHED,
    SKR_PLACEMENT_ALL_SCHEDULED,
    SKR_PLACEMENT_NOT_ALL_SCHEDULED,
    SKR_PLACEMENT_REASON_COUNT
};
/* The reason of condition PlacementSatisfied. */
extern const char *const skr_placement_reason_name[];
/* The constant message of a reason; "": its message varies. */
extern const char *const skr_placement_reason_message[];

/* Parts of a cycle whose cost is measured. */
enum skr_placement_plugin {
    SKR_PLACEMENT_PLUGIN_FILTER, /* sets, predicates, taints */
    SKR_PLACEMENT_PLUGIN_BALANCE,
    SKR_PLACEMENT_PLUGIN_STEADY,
    SKR_PLACEMENT_PLUGIN_RATIO,
    SKR_PLACEMENT_PLUGIN_ALLOCATABLE,
    SKR_PLACEMENT_PLUGIN_ADDON,
    SKR_PLACEMENT_PLUGIN_SPREAD, /* the selection as a whole */
    SKR_PLACEMENT_PLUGIN_GROUPS, /* groups and slices */
    SKR_PLACEMENT_PLUGIN_COUNT
};
extern const char *const skr_placement_plugin_name[];

struct skr_placement_filtered {
    uint32_t cluster;
    const char *why; /* "" unless explain */
};

/* Scores of one prioritizer. */
struct skr_placement_scores {
    const struct skr_prioritizer *prioritizer;
    bool *has; /* [candidate] */
    int32_t *value;
};

struct skr_placement_result {
    const char
        *misconfigured;  /* "PLUGIN:why"; "": none. Else nothing below but unscheduled is set */
    const char *failure; /* text of an internal error; "" none: likewise */
    const char *warning; /* of a plugin; "" */
    enum skr_placement_reason reason;
    bool satisfied;
    const char *message; /* of the condition */
    size_t n_filtered;
    struct skr_placement_filtered *filtered; /* by name */
    size_t n_candidates;
    uint32_t *candidate; /* clusters by name */
    size_t n_scores;
    struct skr_placement_scores *scores; /* by name; weight 0 and Spread are not among them */
    int64_t *total;                      /* [candidate] */
    struct skr_spread_problem problem;   /* over the candidates */
    struct skr_spread_result spread;
    int64_t unscheduled;
    skr_time requeue_at; /* SKR_TIME_NEVER: nothing comes to its end */
    uint64_t cel_cost;   /* of expressions; also of a failure */
    struct skr_slice_plan slices;
    struct {
        uint32_t runs;
        int64_t took; /* ns, all runs */
    } cost[SKR_PLACEMENT_PLUGIN_COUNT];
};

/* Results are in the arena (or borrow hub and placement) and are set in any case. */
void skr_placement_evaluate(const struct skr_placement *placement,
                            const struct skr_placement_hub *hub, struct skr_arena *arena,
                            struct skr_placement_result *ret);

#endif
