/* SPDX-License-Identifier: Apache-2.0 */
#include "core/placement/types.h"

#include "core/placement/placement.h"

#define GROUP "cluster.open-cluster-management.io"
const struct skr_resource skr_resource_managed_clusters = {GROUP, "v1", "managedclusters",
                                                           "ManagedCluster", false};
const struct skr_resource skr_resource_cluster_sets = {GROUP, "v1beta2", "managedclustersets",
                                                       "ManagedClusterSet", false};
const struct skr_resource skr_resource_cluster_set_bindings = {
    GROUP, "v1beta2", "managedclustersetbindings", "ManagedClusterSetBinding", true};
const struct skr_resource skr_resource_placements = {GROUP, "v1beta1", "placements", "Placement",
                                                     true};
const struct skr_resource skr_resource_placement_decisions = {
    GROUP, "v1beta1", "placementdecisions", "PlacementDecision", true};
const struct skr_resource skr_resource_addon_scores = {GROUP, "v1alpha1", "addonplacementscores",
                                                       "AddOnPlacementScore", true};

/* Every decoded object begins with its arena and its meta. */
struct object {
    struct skr_arena *arena;
    struct skr_meta meta;
};

const struct skr_meta *skr_ocm_meta(const void *object)
{
    return &((const struct object *)object)->meta;
}

static void destroy_object(void *object)
{
    skr_arena_destroy(object ? ((struct object *)object)->arena : NULL);
}

static int decode_cluster(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_managed_cluster_decode(json, (struct skr_managed_cluster **)ret, error);
}

static int decode_set(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_cluster_set_decode(json, (struct skr_cluster_set **)ret, error);
}

static int decode_binding(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_cluster_set_binding_decode(json, (struct skr_cluster_set_binding **)ret, error);
}

static int decode_placement(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_placement_decode(json, (struct skr_placement **)ret, error);
}

static int decode_decision(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_placement_decision_decode(json, (struct skr_placement_decision **)ret, error);
}

static int decode_score(const json_t *json, void **ret, struct skr_error *error)
{
    return skr_addon_score_decode(json, (struct skr_addon_score **)ret, error);
}

const struct skr_object_type skr_ocm_types[] = {
    [SKR_OCM_CLUSTER] = {&skr_resource_managed_clusters, decode_cluster, destroy_object,
                         skr_ocm_meta, NULL},
    [SKR_OCM_SET] = {&skr_resource_cluster_sets, decode_set, destroy_object, skr_ocm_meta, NULL},
    [SKR_OCM_BINDING] = {&skr_resource_cluster_set_bindings, decode_binding, destroy_object,
                         skr_ocm_meta, NULL},
    [SKR_OCM_PLACEMENT] = {&skr_resource_placements, decode_placement, destroy_object, skr_ocm_meta,
                           NULL},
    [SKR_OCM_DECISION] = {&skr_resource_placement_decisions, decode_decision, destroy_object,
                          skr_ocm_meta, NULL},
    [SKR_OCM_SCORE] = {&skr_resource_addon_scores, decode_score, destroy_object, skr_ocm_meta,
                       NULL},
};
