/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of Karmada: resources, and their decoders. */
#include "core/propagation/types.h"

#include "core/propagation/binding.h"
#include "core/propagation/cluster.h"

const struct skr_resource skr_resource_bindings = {"work.karmada.io", "v1alpha2",
                                                   "resourcebindings", "ResourceBinding", true};
const struct skr_resource skr_resource_cluster_bindings = {
    "work.karmada.io", "v1alpha2", "clusterresourcebindings", "ClusterResourceBinding", false};
const struct skr_resource skr_resource_member_clusters = {"cluster.karmada.io", "v1alpha1",
                                                          "clusters", "Cluster", false};

const struct skr_object_type skr_binding_type = {&skr_resource_bindings, skr_binding_decode,
                                                 skr_object_destroy, skr_object_meta, NULL};
const struct skr_object_type skr_cluster_binding_type = {
    &skr_resource_cluster_bindings, skr_binding_decode, skr_object_destroy, skr_object_meta, NULL};
const struct skr_object_type skr_member_cluster_type = {&skr_resource_member_clusters,
                                                        skr_member_cluster_decode,
                                                        skr_object_destroy, skr_object_meta, NULL};
