/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of topology/, core/pod and core/group by the resource they read. */
#include "core/gang/state/types.h"

#include <string.h>

#include "core/group/podgroup.h"
#include "core/pod/budget.h"
#include "core/pod/pod.h"
#include "core/pod/reader.h"
#include "topology/device_classes.h"

static void *pod_reader_create(void)
{
    return skr_pod_reader_create();
}

static void pod_reader_destroy(void *reader)
{
    skr_pod_reader_destroy(reader);
}

static bool pod_reader_read(void *reader, struct skr_json_scan *scan, void **ret)
{
    struct skr_pod *pod = NULL;
    if (!skr_pod_reader_read(reader, scan, &pod)) {
        return false;
    }
    *ret = pod;
    return true;
}

static const struct skr_object_reader pod_reader = {
    .create = pod_reader_create, .destroy = pod_reader_destroy, .read = pod_reader_read};

#define TYPE(name, what, group_, version_, plural_, kind_, namespaced_, reader_)      \
    static int what##_decode(const json_t *json, void **ret, struct skr_error *error) \
    {                                                                                 \
        struct skr_##what *object = NULL;                                             \
        int rc = skr_##what##_decode(json, &object, error);                           \
        if (rc == 0) {                                                                \
            *ret = object;                                                            \
        }                                                                             \
        return rc;                                                                    \
    }                                                                                 \
    static void what##_destroy(void *object)                                          \
    {                                                                                 \
        skr_##what##_destroy(object);                                                 \
    }                                                                                 \
    static const struct skr_meta *what##_meta(const void *object)                     \
    {                                                                                 \
        return &((const struct skr_##what *)object)->meta;                            \
    }                                                                                 \
    static const struct skr_resource what##_resource = {.group = group_,              \
                                                        .version = version_,          \
                                                        .plural = plural_,            \
                                                        .kind = kind_,                \
                                                        .namespaced = namespaced_};   \
    const struct skr_object_type name = {.resource = &what##_resource,                \
                                         .decode = what##_decode,                     \
                                         .destroy = what##_destroy,                   \
                                         .meta = what##_meta,                         \
                                         .reader = reader_}

TYPE(skr_gang_node, node, "", "v1", "nodes", "Node", false, NULL);
TYPE(skr_gang_pod, pod, "", "v1", "pods", "Pod", true, &pod_reader);
TYPE(skr_gang_configmap, configmap, "", "v1", "configmaps", "ConfigMap", true, NULL);
TYPE(skr_gang_podgroup, podgroup, "scheduling.x-k8s.io", "v1alpha1", "podgroups", "PodGroup", true,
     NULL);
TYPE(skr_gang_budget, budget, "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", true,
     NULL);
TYPE(skr_gang_class, device_class, "resource.k8s.io", "v1", "deviceclasses", "DeviceClass", false,
     NULL);

const struct skr_object_type *skr_gang_type_of(const char *api_version, const char *kind)
{
    static const struct skr_object_type *const types[] = {&skr_gang_node,      &skr_gang_pod,
                                                          &skr_gang_configmap, &skr_gang_podgroup,
                                                          &skr_gang_budget,    &skr_gang_class};
    char text[SKR_API_VERSION_MAX];
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        skr_resource_api_version(types[i]->resource, text, sizeof text);
        if (strcmp(types[i]->resource->kind, kind) == 0 &&
            (!api_version || strcmp(text, api_version) == 0)) {
            return types[i];
        }
    }
    return NULL;
}

const struct skr_watch skr_gang_watch[SKR_GANG_WATCHES] = {
    {.type = &skr_gang_node},
    {.type = &skr_gang_pod},
    {.type = &skr_gang_configmap,
     .label_selector = "sakkara.group",
     .users_only = true,
     .name = "groups"},
    {.type = &skr_gang_configmap,
     .label_selector = "sakkara.topology",
     .topology_only = true,
     .name = "topologies"},
    {.type = &skr_gang_podgroup, .optional = true, .users_only = true},
    {.type = &skr_gang_budget, .optional = true},
    {.type = &skr_gang_class, .optional = true, .may_be_forbidden = true},
};
