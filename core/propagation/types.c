/* SPDX-License-Identifier: Apache-2.0 */
#include "core/propagation/types.h"

#include "core/propagation/binding.h"
#include "core/propagation/cluster.h"

const struct skr_resource skr_resource_bindings = {"work.karmada.io", "v1alpha2",
                                                   "resourcebindings", "ResourceBinding", true};
const struct skr_resource skr_resource_cluster_bindings = {
    "work.karmada.io", "v1alpha2", "clusterresourcebindings", "ClusterResourceBinding", false};
const struct skr_resource skr_resource_member_clusters = {"cluster.karmada.io", "v1alpha1",
                                                          "clusters", "Cluster", false};

static int decode_binding(const json_t *json, void **ret, struct skr_error *error)
{
    struct skr_binding *binding = NULL;
    int rc = skr_binding_decode(json, &binding, error);
    *ret = binding;
    return rc;
}

static void destroy_binding(void *object)
{
    skr_binding_destroy(object);
}

static const struct skr_meta *meta_of_binding(const void *object)
{
    const struct skr_binding *binding = object;
    return &binding->meta;
}

static int decode_cluster(const json_t *json, void **ret, struct skr_error *error)
{
    struct skr_member_cluster *cluster = NULL;
    int rc = skr_member_cluster_decode(json, &cluster, error);
    *ret = cluster;
    return rc;
}

static void destroy_cluster(void *object)
{
    skr_member_cluster_destroy(object);
}

static const struct skr_meta *meta_of_cluster(const void *object)
{
    const struct skr_member_cluster *cluster = object;
    return &cluster->meta;
}

const struct skr_object_type skr_binding_type = {&skr_resource_bindings, decode_binding,
                                                 destroy_binding, meta_of_binding, NULL};
const struct skr_object_type skr_cluster_binding_type = {
    &skr_resource_cluster_bindings, decode_binding, destroy_binding, meta_of_binding, NULL};
const struct skr_object_type skr_member_cluster_type = {
    &skr_resource_member_clusters, decode_cluster, destroy_cluster, meta_of_cluster, NULL};
