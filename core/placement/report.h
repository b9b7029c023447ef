/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_REPORT_H
#define SKR_CORE_PLACEMENT_REPORT_H
/* A cycle as JSON: what `simulate placement` and `explain placement/NAME` print. Maps are in the
 * order of their names, lists as things happened; the same cycle gives the same bytes. */
#include "core/placement/evaluate.h"
#include "topology/base/json_writer.h"

enum {
    SKR_PLACEMENT_TRACE_CELLS_MAX = 1000000, /* clusters times steps; later steps are left out */
};

/* Decisions that stay as they are, because the Placement cannot be evaluated. */
struct skr_placement_kept {
    size_t n;
    const char **cluster; /* by name */
    size_t n_slices;
    const struct skr_placement_decision **slice; /* by group, then name */
    bool satisfied;
    const char *reason, *message; /* of PlacementSatisfied */
};
/* SKR_LIMIT: the arena is full. */
int skr_placement_keep(const struct skr_placement *placement, const struct skr_placement_hub *hub,
                       const struct skr_placement_result *result, struct skr_arena *arena,
                       struct skr_placement_kept *ret);

/* One object: valid, misconfigured, filtered, weights, scores, totals, selectionOrder, decisions,
 * unscheduled, satisfied, satisfiedReason, topologyCounts, skew, requeueAfterSeconds, trace,
 * placementDecisions, decisionGroups (docs/reference.md). Scratch memory comes from arena. Errors:
 * SKR_LIMIT; what was written until then is no JSON. */
int skr_placement_report_write(const struct skr_placement *placement,
                               const struct skr_placement_hub *hub,
                               const struct skr_placement_result *result, struct skr_arena *arena,
                               struct skr_json_writer *w);

#endif
