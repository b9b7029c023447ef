/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_STEPS_H
#define SKR_CORE_PROPAGATION_STEPS_H
/*
 * The steps of a decision, in order. Each reads what the ones before wrote; false: the decision has
 * ended with a code.
 */
#include "core/propagation/decision.h"

/* Room for new replicas, or sets, by the general estimator: Cluster alone. An annotation of a file
 * wins. *work: of component_sets.h. */
int64_t skr_binding_estimate(const struct skr_binding *binding,
                             const struct skr_member_cluster *cluster,
                             const struct skr_propagation_options *options, uint64_t *work);

/* Fills rejected[] and estimate[]. */
void skr_binding_filter_clusters(struct skr_binding_decision *decision);
/* Makes candidates of the clusters that no filter refused: scored, estimated, in order. */
bool skr_binding_make_candidates(struct skr_binding_decision *decision);
/* Completes ranges and lists the declared levels; fails with invalid_policy. */
bool skr_binding_read_constraints(struct skr_binding_decision *decision);
/* Builds the tree of declared levels and the groups on it. */
bool skr_binding_make_groups(struct skr_binding_decision *decision);
/* Picks clusters: selected[]. Fails with unsupported_constraint, invalid_policy, or a shortage. */
bool skr_binding_select_clusters(struct skr_binding_decision *decision);
/* Gives replicas: target[]. */
bool skr_binding_assign_replicas(struct skr_binding_decision *decision);

/* ---- the searches behind skr_binding_select_clusters() ---- */

/* How a search ended; code PLACED: picks are there. */
struct skr_selection {
    enum skr_propagation_code code;
    char message[200];
    size_t n;
    int32_t *pick; /* candidate indices */
};
/* By regions as karmada-scheduler does it. gave_up: too large for its bounds; then n is 0. */
void skr_select_by_region(struct skr_binding_decision *decision, struct skr_selection *ret,
                          bool *gave_up);
/* Exactly, over all declared levels. */
void skr_select_exactly(struct skr_binding_decision *decision, struct skr_selection *ret);
void skr_selection_fail(struct skr_selection *selection, enum skr_propagation_code code,
                        const char *format, ...) SKR_PRINTF(3, 4);

/* For qsort() over int32_t, ascending. */
int skr_compare_index(const void *a, const void *b);

/* ---- below the deepest level ---- */

/* Members (candidate indices, ascending) of the chosen deepest groups, and the group of each,
 * numbered 0..n_groups - 1. */
struct skr_pool {
    size_t n;
    const int32_t *member;
    const int32_t *group;
    size_t n_groups;
};
/* The largest room that size members can have which leave no group out; -1 when there are none. */
int64_t skr_pool_best_room(struct skr_binding_decision *decision, const struct skr_pool *pool,
                           size_t size);
/* The picks of that size, ascending: by order, then by exchanges until they have the room. pick has
 * size places. skr_pool_best_room() >= need must hold. O(pool * picks). */
void skr_pool_pick(struct skr_binding_decision *decision, const struct skr_pool *pool, size_t size,
                   int64_t need, int32_t *pick);

#endif
