/* SPDX-License-Identifier: Apache-2.0 */
/* Ends namespaces (kubernetes pkg/controller/namespace): deletes all objects of a namespace that is
 * being deleted, then removes its finalizer. */
#include <stdlib.h>
#include <string.h>

#include "server/lab/cluster/cluster_parts.h"

enum { BATCH_MS = 20 };

void skr_namespaces_change(struct skr_cluster *c, const struct skr_store_change *change)
{
    if (strcmp(change->resource->kind, "Namespace") == 0) {
        if (change->kind == SKR_STORE_MODIFIED &&
            skr_path_get(change->object, "metadata.deletionTimestamp")) {
            skr_cluster_plan(c, SKR_TASK_NAMESPACE, "",
                             skr_path_text(change->object, "metadata.name"), c->now);
        }
        return;
    }
    if (change->kind != SKR_STORE_DELETED || !change->resource->namespaced) {
        return;
    }
    const char *name = skr_path_text(change->object, "metadata.namespace");
    const json_t *namespace_ = skr_store_get(c->store, "Namespace", "", name);
    if (skr_path_get(namespace_, "metadata.deletionTimestamp")) {
        skr_cluster_plan(c, SKR_TASK_NAMESPACE, "", name, c->now + BATCH_MS * SKR_MILLISECOND);
    }
}

static size_t count(struct skr_cluster *c, const struct skr_store_resource *resource,
                    const char *namespace_, json_t **ret)
{
    (void)skr_cluster_request(c, SKR_STORE_LIST, skr_store_resource_key(resource), namespace_, "",
                              "", NULL, ret);
    return json_array_size(json_object_get(*ret, "items"));
}

/* Whether an object is left. */
static bool empty_one(struct skr_cluster *c, const struct skr_store_resource *resource,
                      const char *namespace_)
{
    json_t *list;
    const size_t n = count(c, resource, namespace_, &list);
    for (size_t i = 0; i < n; i++) {
        const json_t *object = json_array_get(json_object_get(list, "items"), i);
        if (!skr_path_get(object, "metadata.deletionTimestamp")) {
            skr_cluster_delete(c, skr_store_resource_key(resource), namespace_,
                               skr_path_text(object, "metadata.name"), NULL, -1);
        }
    }
    json_decref(list);
    if (n == 0) {
        return true;
    }
    const size_t left = count(c, resource, namespace_, &list);
    json_decref(list);
    return left == 0;
}

void skr_namespaces_run(struct skr_cluster *c, json_t *namespace_)
{
    const char *name = skr_path_text(namespace_, "metadata.name");
    bool empty = true;
    for (size_t i = 0; i < skr_store_resource_count(); i++) {
        const struct skr_store_resource *resource = skr_store_resource_get(i);
        if (resource->namespaced && !resource->kept_by) {
            empty = empty_one(c, resource, name) && empty;
        }
    }
    if (empty) {
        (void)skr_cluster_request(c, SKR_STORE_PATCH_MERGE, "Namespace", "", name, "finalize",
                                  json_pack("{s:{s:[]}}", "spec", "finalizers"), NULL);
    }
}
