/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of OCM: resources, and decoders by kind. */
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

#define TYPE(resource, decode)                                       \
    {                                                                \
        &resource, decode, skr_object_destroy, skr_object_meta, NULL \
    }
const struct skr_object_type skr_ocm_types[] = {
    [SKR_OCM_CLUSTER] = TYPE(skr_resource_managed_clusters, skr_managed_cluster_decode),
    [SKR_OCM_SET] = TYPE(skr_resource_cluster_sets, skr_cluster_set_decode),
    [SKR_OCM_BINDING] = TYPE(skr_resource_cluster_set_bindings, skr_cluster_set_binding_decode),
    [SKR_OCM_PLACEMENT] = TYPE(skr_resource_placements, skr_placement_decode),
    [SKR_OCM_DECISION] = TYPE(skr_resource_placement_decisions, skr_placement_decision_decode),
    [SKR_OCM_SCORE] = TYPE(skr_resource_addon_scores, skr_addon_score_decode),
};
