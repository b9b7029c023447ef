/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of the scheduler of bindings: clusters and bindings by name, and the sorted
 * clusters. */
#include <stdlib.h>
#include <string.h>

#include "core/propagation/state.h"
#include "topology/base/table.h"

/* uthash finds by length; keys are strings. */
struct skr_binding_entry *skr_propagation_find(struct skr_propagation *self, const char *key)
{
    struct skr_binding_entry *entry;
    SKR_TABLE_FIND(&self->settings->hash_seed, hh, self->binding, key, strlen(key), entry);
    return entry;
}

struct skr_cluster_entry *skr_propagation_find_cluster(struct skr_propagation *self,
                                                       const char *name)
{
    struct skr_cluster_entry *entry;
    HASH_FIND(hh, self->cluster, name, strlen(name), entry);
    return entry;
}

const struct skr_object_type *skr_binding_entry_type(const struct skr_binding_entry *entry)
{
    return entry->binding->meta.namespace_[0] != '\0' ? &skr_binding_type
                                                      : &skr_cluster_binding_type;
}

bool skr_propagation_is_ours(const struct skr_propagation *self, const struct skr_binding *binding)
{
    return binding->is_managed && !binding->suspended && !binding->meta.deleting &&
           strcmp(binding->scheduler_name, self->settings->scheduler_name) == 0;
}

void skr_propagation_queue(struct skr_propagation *self, const struct skr_binding_entry *entry,
                           skr_time at)
{
    if (skr_propagation_is_ours(self, entry->binding)) {
        skr_keys_add(self->keys, entry->key, entry->binding->priority, at);
    }
}

bool skr_propagation_take(struct skr_propagation *self, struct skr_binding_entry *entry,
                          struct skr_binding *binding)
{
    const struct skr_meta *had = &entry->binding->meta;
    bool same = strcmp(had->uid, binding->meta.uid) == 0;
    if (same && binding->meta.resource_version <= had->resource_version) {
        skr_object_destroy(binding);
        return false;
    }
    skr_object_destroy(entry->binding);
    entry->binding = binding;
    if (!skr_propagation_is_ours(self, binding)) {
        skr_keys_forget(self->keys, entry->key);
    }
    return true;
}

void skr_propagation_remove(struct skr_propagation *self, struct skr_binding_entry *entry)
{
    skr_keys_forget(self->keys, entry->key);
    HASH_DELETE(hh, self->binding, entry);
    skr_object_destroy(entry->binding);
    free(entry->affinity);
    free(entry->note);
    free(entry->warning);
    skr_estimators_destroy(entry->estimators);
    free(entry->key);
    free(entry);
}

void skr_propagation_put_binding(struct skr_propagation *self, struct skr_binding *binding)
{
    char *key = skr_object_key(binding->meta.namespace_, binding->meta.name);
    struct skr_binding_entry *entry = skr_propagation_find(self, key);
    if (!entry) {
        entry = skr_alloc(sizeof *entry);
        entry->key = key;
        entry->binding = binding;
        SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->binding, entry->key, strlen(entry->key),
                      entry);
        skr_propagation_queue(self, entry, 0);
        return;
    }
    free(key);
    int64_t generation = entry->binding->generation;
    bool was_ours = skr_propagation_is_ours(self, entry->binding);
    if (skr_propagation_take(self, entry, binding) &&
        (binding->generation != generation || !was_ours)) {
        skr_propagation_queue(self, entry, 0);
    }
}

void skr_propagation_drop_binding(struct skr_propagation *self, const char *namespace_,
                                  const char *name)
{
    char *key = skr_object_key(namespace_, name);
    struct skr_binding_entry *entry = skr_propagation_find(self, key);
    free(key);
    if (entry) {
        skr_propagation_remove(self, entry);
    }
}

bool skr_propagation_put_cluster(struct skr_propagation *self, struct skr_member_cluster *cluster,
                                 struct skr_member_cluster **ret_before)
{
    struct skr_cluster_entry *entry = skr_propagation_find_cluster(self, cluster->meta.name);
    *ret_before = entry ? entry->cluster : NULL;
    if (entry && strcmp(entry->cluster->meta.uid, cluster->meta.uid) == 0 &&
        cluster->meta.resource_version <= entry->cluster->meta.resource_version) {
        skr_object_destroy(cluster);
        return false;
    }
    free(self->list);
    self->list = NULL;
    if (entry) {
        HASH_DELETE(hh, self->cluster, entry);
    } else {
        entry = skr_alloc(sizeof *entry);
    }
    entry->cluster = cluster;
    HASH_ADD_KEYPTR(hh, self->cluster, cluster->meta.name, strlen(cluster->meta.name), entry);
    return true;
}

struct skr_member_cluster *skr_propagation_remove_cluster(struct skr_propagation *self,
                                                          const char *name)
{
    struct skr_cluster_entry *entry = skr_propagation_find_cluster(self, name);
    if (!entry) {
        return NULL;
    }
    struct skr_member_cluster *cluster = entry->cluster;
    free(self->list);
    self->list = NULL;
    HASH_DELETE(hh, self->cluster, entry);
    free(entry->failure);
    free(entry);
    return cluster;
}

/* ---- the list ---- */

const struct skr_member_cluster *const *skr_propagation_clusters(void *object, size_t *ret_n)
{
    struct skr_propagation *self = object;
    struct skr_cluster_entry *entry;
    struct skr_cluster_entry *next;
    if (!self->list) {
        self->n_list = 0;
        self->list = skr_alloc_array(HASH_COUNT(self->cluster) + 1, sizeof *self->list);
        HASH_ITER(hh, self->cluster, entry, next)
        {
            self->list[self->n_list++] = entry->cluster;
        }
        if (self->n_list > 1) {
            qsort(self->list, self->n_list, sizeof *self->list, skr_object_compare_names);
        }
    }
    *ret_n = self->n_list;
    return self->list;
}

void skr_propagation_clear(struct skr_propagation *self)
{
    struct skr_cluster_entry *cluster;
    struct skr_cluster_entry *next_cluster;
    struct skr_binding_entry *binding;
    struct skr_binding_entry *next_binding;
    HASH_ITER(hh, self->cluster, cluster, next_cluster)
    {
        HASH_DELETE(hh, self->cluster, cluster);
        skr_object_destroy(cluster->cluster);
        free(cluster->failure);
        free(cluster);
    }
    HASH_ITER(hh, self->binding, binding, next_binding)
    {
        skr_propagation_remove(self, binding);
    }
    free(self->list);
    self->list = NULL;
}
