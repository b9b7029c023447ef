/* SPDX-License-Identifier: Apache-2.0 */
/* Decoders of topology/, core/pod and core/group by the resource they read. */
#include "core/gang/state/types.h"

#include <string.h>

#include "core/group/podgroup.h"
#include "core/pod/budget.h"
#include "core/pod/pod.h"
#include "core/pod/shapes.h"
#include "topology/device_classes.h"

static int pod_read(void *memory, const struct skr_json *json, void **ret, struct skr_error *error)
{
    struct skr_pod *pod = NULL;
    const int rc = skr_pod_read(memory, json, &pod, error);
    if (rc == 0) {
        *ret = pod;
    }
    return rc;
}

static void *shapes_create(void)
{
    return skr_pod_shapes_create();
}

static void shapes_destroy(void *memory)
{
    skr_pod_shapes_destroy(memory);
}

static int node_read(void *memory, const struct skr_json *json, void **ret, struct skr_error *error)
{
    struct skr_node *node = NULL;
    const int rc = skr_node_read(json, &node, error);
    (void)memory;
    if (rc == 0) {
        *ret = node;
    }
    return rc;
}

static int configmap_read(void *memory, const struct skr_json *json, void **ret,
                          struct skr_error *error)
{
    struct skr_configmap *map = NULL;
    const int rc = skr_configmap_read(json, &map, error);
    (void)memory;
    if (rc == 0) {
        *ret = map;
    }
    return rc;
}

static const struct skr_object_reader pod_reader = {
    .read = pod_read, .create_memory = shapes_create, .destroy_memory = shapes_destroy};
static const struct skr_object_reader node_reader = {.read = node_read};
static const struct skr_object_reader configmap_reader = {.read = configmap_read};

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

TYPE(skr_gang_node, node, "", "v1", "nodes", "Node", false, &node_reader);
TYPE(skr_gang_pod, pod, "", "v1", "pods", "Pod", true, &pod_reader);
TYPE(skr_gang_configmap, configmap, "", "v1", "configmaps", "ConfigMap", true, &configmap_reader);
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
