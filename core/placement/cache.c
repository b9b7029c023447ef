/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of the scheduler of Placements: objects by kind and name, and decisions by their
 * Placement. It counts how many Placements name each cluster. While a cycle writes its decisions,
 * the clusters of its target are counted instead of the written ones, so that other cycles see
 * them. */
#include <stdlib.h>
#include <string.h>

#include "core/placement/state.h"
#include "topology/base/table.h"

/* ---- Placements ---- */

struct skr_placement_entry *skr_placements_entry(const struct skr_placements *self, const char *key)
{
    struct skr_placement_entry *entry;
    SKR_TABLE_FIND(&self->settings->hash_seed, hh, self->entry, key, strlen(key), entry);
    return entry;
}

bool skr_placements_is_ours(const struct skr_placements *self,
                            const struct skr_placement_entry *entry)
{
    return entry && entry->placement && !entry->placement->meta.deleting &&
           skr_placement_is_ours(entry->placement, self->settings->scheduler_name);
}

static struct skr_placement_entry *open_entry(struct skr_placements *self, const char *namespace_,
                                              const char *name)
{
    char *key = skr_object_key(namespace_, name);
    struct skr_placement_entry *entry = skr_placements_entry(self, key);
    if (entry) {
        free(key);
        return entry;
    }
    entry = skr_alloc(sizeof *entry);
    entry->key = key;
    entry->again_at = SKR_TIME_NEVER;
    SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->entry, entry->key, strlen(entry->key),
                  entry);
    entry->home = skr_placements_open_namespace(self, namespace_);
    DL_APPEND(entry->home->entry, entry);
    return entry;
}

static void target_destroy(struct skr_target *target)
{
    skr_arena_destroy(target ? target->arena : NULL);
}

static void free_entry(struct skr_placements *self, struct skr_placement_entry *entry)
{
    struct skr_cluster_count *count, *next;
    HASH_DELETE(hh, self->entry, entry);
    DL_DELETE(entry->home->entry, entry);
    skr_placements_close_namespace(self, entry->home);
    HASH_ITER(hh, entry->named, count, next)
    {
        HASH_DELETE(hh, entry->named, count);
        free(count->name);
        free(count);
    }
    target_destroy(entry->target);
    skr_ocm_types[SKR_OCM_PLACEMENT].destroy(entry->placement);
    free(entry->decision);
    free(entry->key);
    free(entry);
}

void skr_placements_close(struct skr_placements *self, struct skr_placement_entry *entry)
{
    if (!entry->placement && entry->n_decisions == 0 &&
        !skr_keys_is_running(self->keys, entry->key)) {
        skr_keys_forget(self->keys, entry->key);
        free_entry(self, entry);
    }
}

/* ---- counts ---- */

static size_t add_count(struct skr_cluster_count **counts, const char *name, int change)
{
    struct skr_cluster_count *count;
    HASH_FIND(hh, *counts, name, strlen(name), count);
    if (!count) {
        count = skr_alloc(sizeof *count);
        count->name = skr_strdup(name);
        HASH_ADD_KEYPTR(hh, *counts, count->name, strlen(count->name), count);
    }
    count->n = change > 0 ? count->n + 1 : count->n - 1;
    const size_t n = count->n;
    if (n == 0) {
        HASH_DELETE(hh, *counts, count);
        free(count->name);
        free(count);
    }
    return n;
}

static void add_load(struct skr_placements *self, const char *name, int change)
{
    const size_t n = add_count(&self->load, name, change);
    const int64_t at =
        self->unsorted ? -1 : skr_object_search(self->cluster, self->n_clusters, name);
    if (at >= 0) {
        self->loads[at] = (uint32_t)n;
    }
}

static bool is_aiming(const struct skr_placement_entry *entry)
{
    return entry->target && !entry->target->keeps;
}

static void count_decision(struct skr_placements *self, struct skr_placement_entry *entry,
                           const struct skr_placement_decision *decision, int change)
{
    for (size_t i = 0; i < decision->n; i++) {
        const size_t n = add_count(&entry->named, decision->cluster[i], change);
        if (n == (change > 0 ? 1 : 0) && !is_aiming(entry)) {
            add_load(self, decision->cluster[i], change);
        }
    }
}

/* Adds change to the count of every cluster that the Placement has. */
static void count_entry(struct skr_placements *self, const struct skr_placement_entry *entry,
                        int change)
{
    const struct skr_target *target = entry->target;
    const struct skr_cluster_count *count, *next;
    if (!is_aiming(entry)) {
        HASH_ITER(hh, entry->named, count, next)
        {
            add_load(self, count->name, change);
        }
        return;
    }
    for (size_t i = 0; i < target->n_slices; i++) {
        for (size_t c = 0; c < target->slice[i].n; c++) {
            add_load(self, target->slice[i].cluster[c], change);
        }
    }
}

void skr_placements_aim(struct skr_placements *self, struct skr_placement_entry *entry,
                        struct skr_target *target)
{
    count_entry(self, entry, -1);
    target_destroy(entry->target);
    entry->target = target;
    count_entry(self, entry, 1);
}

static void link_decision(struct skr_placements *self, struct skr_placement_decision *decision)
{
    if (decision->placement) {
        struct skr_placement_entry *entry =
            open_entry(self, decision->meta.namespace_, decision->placement);
        skr_grow(&entry->decision, &entry->cap_decisions, entry->n_decisions + 1,
                 sizeof *entry->decision);
        entry->decision[entry->n_decisions++] = decision;
        count_decision(self, entry, decision, 1);
    }
}

static void unlink_decision(struct skr_placements *self, const struct skr_placement_decision *d)
{
    SKR_AUTO_FREE char *key =
        d->placement ? skr_object_key(d->meta.namespace_, d->placement) : NULL;
    struct skr_placement_entry *entry = key ? skr_placements_entry(self, key) : NULL;
    for (size_t i = 0; entry && i < entry->n_decisions; i++) {
        if (entry->decision[i] == d) {
            entry->decision[i] = entry->decision[--entry->n_decisions];
            count_decision(self, entry, d, -1);
            break;
        }
    }
}

/* ---- objects ---- */

/* The caller owns the object. */
static void free_cached(struct skr_placements *self, enum skr_ocm_kind kind,
                        struct skr_ocm_entry *cached)
{
    HASH_DELETE(hh, self->cache[kind], cached);
    if (cached->home) {
        DL_DELETE(cached->home->binding, cached);
        skr_placements_close_namespace(self, cached->home);
    }
    free(cached->key);
    free(cached);
}

static struct skr_ocm_entry *find_cached(const struct skr_placements *self, enum skr_ocm_kind kind,
                                         const char *key)
{
    struct skr_ocm_entry *cached;
    SKR_TABLE_FIND(&self->settings->hash_seed, hh, self->cache[kind], key, strlen(key), cached);
    return cached;
}

void *skr_placements_find(const struct skr_placements *self, enum skr_ocm_kind kind,
                          const char *namespace_, const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    const struct skr_ocm_entry *cached = find_cached(self, kind, key);
    return cached && !cached->gone ? cached->object : NULL;
}

static bool is_newer(const void *before, const void *after)
{
    return !before ||
           skr_object_meta(after)->resource_version > skr_object_meta(before)->resource_version;
}

static bool put_placement(struct skr_placements *self, struct skr_placement *placement,
                          void **ret_before)
{
    struct skr_placement_entry *entry =
        open_entry(self, placement->meta.namespace_, placement->meta.name);
    if (!is_newer(entry->placement, placement)) {
        return false;
    }
    *ret_before = entry->placement;
    entry->placement = placement;
    return true;
}

static bool put_other(struct skr_placements *self, enum skr_ocm_kind kind, void *object,
                      void **ret_before)
{
    const struct skr_meta *meta = skr_object_meta(object);
    char *key = skr_object_key(meta->namespace_, meta->name);
    struct skr_ocm_entry *cached = find_cached(self, kind, key);
    void *before = cached ? cached->object : NULL;
    if (!is_newer(before, object)) {
        free(key);
        return false;
    }
    if (!cached) {
        cached = skr_alloc(sizeof *cached);
        cached->key = key;
        SKR_TABLE_ADD(&self->settings->hash_seed, hh, self->cache[kind], cached->key,
                      strlen(cached->key), cached);
        if (kind == SKR_OCM_BINDING) {
            cached->home = skr_placements_open_namespace(self, meta->namespace_);
            DL_APPEND(cached->home->binding, cached);
        }
    } else {
        free(key);
    }
    cached->object = object;
    self->unsorted |= kind == SKR_OCM_CLUSTER || kind == SKR_OCM_SET;
    if (kind == SKR_OCM_DECISION) {
        link_decision(self, object);
        if (before) {
            unlink_decision(self, before);
        }
    }
    if (cached->gone) {
        skr_ocm_types[kind].destroy(before);
        before = NULL;
        cached->gone = false;
    }
    *ret_before = before;
    return true;
}

bool skr_placements_put(struct skr_placements *self, enum skr_ocm_kind kind, void *object,
                        void **ret_before)
{
    const bool newer = kind == SKR_OCM_PLACEMENT ? put_placement(self, object, ret_before)
                                                 : put_other(self, kind, object, ret_before);
    if (!newer) {
        skr_ocm_types[kind].destroy(object);
    }
    return newer;
}

static bool has_uid(const void *object, const char *uid)
{
    return object && (!uid[0] || strcmp(skr_object_meta(object)->uid, uid) == 0);
}

static void *remove_placement(struct skr_placements *self, const char *key, const char *uid)
{
    struct skr_placement_entry *entry = skr_placements_entry(self, key);
    void *object = entry ? entry->placement : NULL;
    if (!has_uid(object, uid)) {
        return NULL;
    }
    entry->placement = NULL;
    skr_placements_close(self, entry);
    return object;
}

static void *remove_other(struct skr_placements *self, enum skr_ocm_kind kind, const char *key,
                          const char *uid)
{
    struct skr_ocm_entry *cached = find_cached(self, kind, key);
    void *object = cached ? cached->object : NULL;
    if (!has_uid(object, uid)) {
        return NULL;
    }
    self->unsorted |= kind == SKR_OCM_CLUSTER || kind == SKR_OCM_SET;
    if (kind == SKR_OCM_DECISION) {
        unlink_decision(self, object);
    }
    if (cached->gone) {
        skr_ocm_types[kind].destroy(object);
        object = NULL;
    }
    free_cached(self, kind, cached);
    return object;
}

void *skr_placements_remove(struct skr_placements *self, enum skr_ocm_kind kind,
                            const char *namespace_, const char *name, const char *uid)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    void *object = kind == SKR_OCM_PLACEMENT ? remove_placement(self, key, uid)
                                             : remove_other(self, kind, key, uid);
    return object;
}

void skr_placements_bury(struct skr_placements *self, const char *namespace_, const char *name)
{
    char *key = skr_object_key(namespace_, name);
    struct skr_ocm_entry *cached = find_cached(self, SKR_OCM_DECISION, key);
    free(key);
    if (cached && !cached->gone) {
        unlink_decision(self, cached->object);
        cached->gone = true;
    }
}

/* ---- sorted lists ---- */

static void sort_kind(struct skr_placements *self, enum skr_ocm_kind kind, const void ***list,
                      size_t *ret_n)
{
    struct skr_ocm_entry *cached, *next;
    size_t n = 0;
    free(*list);
    *list = skr_alloc_array(HASH_COUNT(self->cache[kind]) + 1, sizeof **list);
    HASH_ITER(hh, self->cache[kind], cached, next)
    {
        (*list)[n++] = cached->object;
    }
    qsort(*list, n, sizeof **list, skr_object_compare_names);
    *ret_n = n;
}

void skr_placements_sort(struct skr_placements *self)
{
    if (!self->unsorted) {
        return;
    }
    sort_kind(self, SKR_OCM_CLUSTER, (const void ***)&self->cluster, &self->n_clusters);
    sort_kind(self, SKR_OCM_SET, (const void ***)&self->set, &self->n_sets);
    free(self->loads);
    self->loads = skr_alloc_array(self->n_clusters + 1, sizeof *self->loads);
    for (size_t i = 0; i < self->n_clusters; i++) {
        const char *name = self->cluster[i]->meta.name;
        struct skr_cluster_count *count;
        HASH_FIND(hh, self->load, name, strlen(name), count);
        self->loads[i] = count ? (uint32_t)count->n : 0;
    }
    self->unsorted = false;
}

void skr_placements_clear(struct skr_placements *self)
{
    struct skr_placement_entry *entry, *next_entry;
    struct skr_cluster_count *count, *next_count;
    HASH_ITER(hh, self->entry, entry, next_entry)
    {
        free_entry(self, entry);
    }
    HASH_ITER(hh, self->load, count, next_count)
    {
        HASH_DELETE(hh, self->load, count);
        free(count->name);
        free(count);
    }
    for (int k = 0; k < SKR_OCM_KIND_COUNT; k++) {
        struct skr_ocm_entry *cached, *next;
        HASH_ITER(hh, self->cache[k], cached, next)
        {
            skr_ocm_types[k].destroy(cached->object);
            free_cached(self, (enum skr_ocm_kind)k, cached);
        }
    }
    free(self->cluster);
    free(self->set);
    free(self->loads);
}
