/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_CYCLE_H
#define SKR_CORE_PLACEMENT_CYCLE_H
/* Steps of one cycle, between evaluate.c and the files that do them. */
#include "core/placement/cluster_cel.h"
#include "core/placement/evaluate.h"

struct skr_cycle {
    const struct skr_placement *placement;
    const struct skr_placement_hub *hub;
    struct skr_arena *arena;
    struct skr_placement_result *result;
    struct skr_error *error;
    bool *decided;    /* [cluster of the hub] it is in the Placement's current decisions */
    size_t n_decided; /* of the hub's clusters */
    bool lost;        /* the current decisions name a cluster that is not on the hub */
    struct skr_cluster_cel cel; /* evaluations of expressions */
};

/* Adds the time since began to the cost of a plugin. */
void skr_cycle_took(struct skr_cycle *cycle, enum skr_placement_plugin plugin, int64_t began);

/* Fills candidates and filtered. *ret_any is false, and result->reason set, if there are no
 * candidates for a reason of its own. Negative: an internal error. */
int skr_cycle_find_candidates(struct skr_cycle *cycle, bool *ret_any);
/* Fills scores and totals. */
int skr_cycle_score(struct skr_cycle *cycle);
/* The earliest end of a toleration among the selected clusters and of a score in use. */
void skr_cycle_find_requeue(struct skr_cycle *cycle);
/* Sets that are bound and asked for, found once. ret_bound: how many bindings are valid. */
int skr_cycle_find_sets(struct skr_cycle *cycle, const struct skr_cluster_set ***ret, size_t *ret_n,
                        size_t *ret_bound);

#endif
