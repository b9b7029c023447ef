/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_SLICES_H
#define SKR_CORE_PLACEMENT_SLICES_H
/*
 * Divides selected clusters into decision groups, groups into parts, and parts into
 * PlacementDecision objects ("slices") of at most SKR_SLICE_CLUSTERS_MAX clusters each.
 *
 * A cluster that stays selected stays in its part and its object if that is possible, so a reader
 * that polls all objects never misses it. New clusters fill free places.
 */
#include "core/placement/placement.h"

enum {
    SKR_SLICE_CLUSTERS_MAX = 100,
};

#define SKR_DECISION_PLACEMENT_LABEL   SKR_OCM "placement"
#define SKR_DECISION_GROUP_INDEX_LABEL SKR_OCM "decision-group-index"
#define SKR_DECISION_GROUP_NAME_LABEL  SKR_OCM "decision-group-name"

/* One object as it should be. */
struct skr_slice {
    const struct skr_placement_decision *existing; /* NULL: to be created */
    const char *name;
    uint64_t number; /* NAME-decision-NUMBER */
    int32_t group;   /* index of its part */
    const char *group_name;
    size_t n;
    const char **cluster; /* by name */
};

struct skr_slice_part {
    const char *group_name;
    size_t n_clusters;
    size_t first, n_slices; /* of the slices */
};

struct skr_slice_plan {
    size_t n_parts;
    struct skr_slice_part *part; /* by index */
    size_t n_slices;
    struct skr_slice *slice; /* by part, then number */
    size_t n_surplus;
    const struct skr_placement_decision **surplus; /* to be deleted */
};

/* clusters: those selected, by name; existing: objects with the Placement's label, in any order.
 * SKR_LIMIT: the arena is full. O(n log n). */
int skr_slices_plan(const struct skr_placement *placement,
                    const struct skr_managed_cluster *const *cluster, size_t n,
                    const struct skr_placement_decision *const *existing, size_t n_existing,
                    struct skr_arena *arena, struct skr_slice_plan *ret, struct skr_error *error);

#endif
