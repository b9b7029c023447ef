/* SPDX-License-Identifier: Apache-2.0 */
/* One decoder for all kinds: the members are few, and absent members cost nothing. */
#include "core/spotmix/object.h"

#include <stdlib.h>
#include <string.h>

#include "core/spotmix/scheduler.h"
#include "topology/base/json_field.h"

/* Paths of the members that the mix reads. */
static const char *const wanted[] = {
    "metadata.namespace",
    "metadata.name",
    "metadata.uid",
    "metadata.resourceVersion",
    "metadata.creationTimestamp",
    "metadata.deletionTimestamp",
    "metadata.labels",
    "metadata.annotations",
    "metadata.ownerReferences",
    "spec.nodeName",
    "spec.nodeSelector",
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",
    "spec.replicas",
    "spec.ordinals",
    "spec.template.metadata.annotations",
    "status.phase",
    "status.conditions",
};

enum { KEY_MAX = 64 };

/* Copies the member at the path, if there is one, and makes its parents. */
static void copy(const json_t *from, json_t *to, const char *path)
{
    char key[KEY_MAX];
    for (;;) {
        const size_t n = strcspn(path, ".");
        skr_bug_on(n >= sizeof key);
        memcpy(key, path, n);
        key[n] = '\0';
        from = json_object_get(from, key);
        if (skr_object_is_absent(from)) {
            return;
        }
        if (path[n] == '\0') {
            json_object_set_new(to, key, json_deep_copy(from));
            return;
        }
        if (!json_is_object(json_object_get(to, key))) {
            json_object_set_new(to, key, json_object());
        }
        to = json_object_get(to, key);
        path += n + 1;
    }
}

static void destroy(void *context)
{
    struct skr_spotmix_object *object = context;
    if (object) {
        json_decref(object->json);
        skr_arena_destroy(object->arena);
    }
}

static int decode(const json_t *json, void **ret, struct skr_error *error)
{
    static const char *const none[] = {NULL}; /* labels are read from the JSON */
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_spotmix_object *object = arena ? skr_arena_alloc(arena, sizeof *object) : NULL;
    if (!object) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "out of memory");
    }
    object->arena = arena;
    const int rc = skr_meta_decode(arena, json, none, &object->meta, error);
    if (rc != 0) {
        skr_arena_destroy(arena);
        return rc;
    }
    object->json = json_object();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        copy(json, object->json, wanted[i]);
    }
    *ret = object;
    return 0;
}

static const struct skr_meta *meta(const void *object)
{
    return &((const struct skr_spotmix_object *)object)->meta;
}

const struct skr_resource skr_spotmix_pods = {"", "v1", "pods", "Pod", true};
const struct skr_resource skr_spotmix_nodes = {"", "v1", "nodes", "Node", false};
const struct skr_resource skr_spotmix_deployments = {"apps", "v1", "deployments", "Deployment",
                                                     true};
const struct skr_resource skr_spotmix_replica_sets = {"apps", "v1", "replicasets", "ReplicaSet",
                                                      true};
const struct skr_resource skr_spotmix_stateful_sets = {"apps", "v1", "statefulsets", "StatefulSet",
                                                       true};

const struct skr_object_type skr_spotmix_pod_type = {&skr_spotmix_pods, decode, destroy, meta,
                                                     NULL};
const struct skr_object_type skr_spotmix_node_type = {&skr_spotmix_nodes, decode, destroy, meta,
                                                      NULL};
const struct skr_object_type skr_spotmix_deployment_type = {&skr_spotmix_deployments, decode,
                                                            destroy, meta, NULL};
const struct skr_object_type skr_spotmix_replica_set_type = {&skr_spotmix_replica_sets, decode,
                                                             destroy, meta, NULL};
const struct skr_object_type skr_spotmix_stateful_set_type = {&skr_spotmix_stateful_sets, decode,
                                                              destroy, meta, NULL};

const struct skr_object_type *const skr_spotmix_types[SKR_SPOTMIX_KIND_COUNT] = {
    [SKR_SPOTMIX_DEPLOYMENT] = &skr_spotmix_deployment_type,
    [SKR_SPOTMIX_REPLICA_SET] = &skr_spotmix_replica_set_type,
    [SKR_SPOTMIX_STATEFUL_SET] = &skr_spotmix_stateful_set_type,
    [SKR_SPOTMIX_NODE] = &skr_spotmix_node_type,
    [SKR_SPOTMIX_POD] = &skr_spotmix_pod_type,
};
