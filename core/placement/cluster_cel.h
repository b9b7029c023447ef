/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_CLUSTER_CEL_H
#define SKR_CORE_PLACEMENT_CLUSTER_CEL_H
/*
 * CEL selectors of Placements. The dialect is that of OCM's own controller
 * (https://github.com/open-cluster-management-io/sdk-go, pkg/cel):
 *
 *   managedCluster           the ManagedCluster: metadata, spec, status
 *   CLUSTER.scores("NAME")   items {name, value} of the AddOnPlacementScore NAME in the cluster's
 *                            namespace, by name; an error if there is none
 *   TEXT.parseJSON()         any JSON; its numbers are doubles
 *
 * beside what core/cel serves to all. All expressions of a selector have to be true. An error, or a
 * result that is no bool, is not true: the cluster does not match.
 */
#include "core/placement/objects.h"

/* For all expressions, clusters and predicates of one cycle: about a second. One evaluation has
 * SKR_CEL_COST_MAX. */
enum { SKR_PLACEMENT_CEL_COST_MAX = 20000000 };

/* The object as typed Go writes it, as far as expressions see it: a map in the cluster's arena.
 * Without resourceVersion and managedFields, which change when nothing else does. */
void skr_cluster_object_read(struct skr_managed_cluster *cluster, const struct skr_fields *json);

/* Reads celSelector of predicate `number`. SKR_INVALID, SKR_LIMIT:
 * "predicates[0].celExpressions[1]: LINE:COLUMN: WHY". */
void skr_cel_selector_read(const struct skr_fields *selector, size_t number,
                           struct skr_cluster_selector *ret);
/* Whether an expression calls scores(). */
bool skr_cel_selector_reads_scores(const struct skr_cluster_selector *selector);

/* Evaluations of one cycle. */
struct skr_cluster_cel {
    /* As in struct skr_placement_hub. */
    const struct skr_addon_score *(*score)(void *context, const char *cluster, const char *name);
    void *context;
    struct skr_arena *texts; /* for `why`; NULL: it is not wanted */
    /* Set by the evaluation: */
    uint64_t cost;   /* of all so far */
    const char *why; /* of the last error; NULL: none so far */
};
/* Whether all expressions are true of the cluster. False when cost is beyond
 * SKR_PLACEMENT_CEL_COST_MAX: nothing more is evaluated. */
bool skr_cel_selector_holds(struct skr_cluster_cel *cel,
                            const struct skr_cluster_selector *selector,
                            const struct skr_managed_cluster *cluster);

#endif
