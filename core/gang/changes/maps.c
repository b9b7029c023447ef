/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Caches ConfigMaps and PodGroups, and assigns each to its group or tree. Only the user's keys
 * count as a change, not the daemon's own writes.
 */
#include "core/gang/changes/maps.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/entry.h"
#include "core/gang/cache/topology.h"
#include "core/gang/changes/entries.h"
#include "core/gang/changes/group_end.h"
#include "core/gang/changes/group_objects.h"
#include "core/gang/changes/group_source.h"
#include "core/gang/changes/status_map.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/state/group_keys.h"
#include "core/gang/state/types.h"
#include "topology/base/table.h"

#include <string.h>
#include <utlist.h>

struct map_entry *skr_maps_find(const struct skr_gang *e, const char *key)
{
    struct map_entry *m;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->maps, key, m);
    return m;
}

struct podgroup_entry *skr_maps_find_podgroup(const struct skr_gang *e, const char *key)
{
    struct podgroup_entry *entry;
    SKR_TABLE_FIND_STR(&e->settings.hash_seed, e->podgroups, key, entry);
    return entry;
}

/* The values of these keys. */
static void add_keys(const struct skr_gang *e, struct skr_strbuf *b, const struct skr_labels *data,
                     const char *const *key)
{
    for (size_t i = 0; key[i]; i++) {
        const char *value = skr_labels_get(data, key[i]);
        if (value) {
            skr_group_keys_add_value(&e->settings.hash_seed, value, b);
        }
        skr_strbuf_addc(b, ';');
    }
}

static char *user_keys(const struct skr_gang *e, const struct skr_labels *data)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    add_keys(e, &b, data, skr_group_keys);
    return skr_strbuf_take(&b, NULL);
}

static char *topology_keys(const struct skr_gang *e, const struct skr_labels *data)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_addc(&b, 't');
    add_keys(e, &b, data, skr_topology_map_keys);
    return skr_strbuf_take(&b, NULL);
}

static void leave(struct skr_gang *e, struct map_entry *m)
{
    struct group *g = skr_groups_find(e, m->group_key);
    if (g) {
        DL_DELETE2(g->source.maps, m, gprev, gnext);
        skr_group_source_map_gone(g, m);
        struct map_entry *other;
        DL_FOREACH2(g->source.maps, other, gnext)
        {
            skr_dirty_map(e, other);
        }
        skr_dirty_group(e, g);
        skr_group_end_if_empty(e, g);
    }
    free(m->group_key);
    m->group_key = NULL;
}

static void join(struct skr_gang *e, struct map_entry *m, const char *key)
{
    m->group_key = skr_strdup(key);
    const char *slash = strchr(key, '/');
    struct group *g = skr_groups_get(e, m->map->meta.namespace_, slash ? slash + 1 : key);
    DL_APPEND2(g->source.maps, m, gprev, gnext);
    skr_dirty_group(e, g);
}

/* The group that a map of a derived group shows. */
static void shows(struct skr_gang *e, struct map_entry *m)
{
    const char *name = skr_labels_get(&m->map->data, "name");
    free(m->shows);
    m->shows = skr_object_key(m->map->meta.namespace_, name ? name : "");
    skr_status_map_seen(e, m);
}

/* The map may have got or lost its markers or its name, or was replaced under the same name. */
static void classify(struct skr_gang *e, struct map_entry *m)
{
    const struct skr_configmap *map = m->map;
    bool was_topology = m->is_topology;
    m->is_group = skr_labels_get(&map->meta.labels, SKR_GROUP_LABEL);
    m->is_topology = skr_labels_get(&map->meta.labels, SKR_TOPOLOGY_LABEL);
    if (skr_labels_get(&map->meta.labels, SKR_LABEL_DERIVED)) {
        m->is_group = m->is_topology = false;
        shows(e, m);
    }
    char *keys = m->is_topology ? topology_keys(e, &map->data) : user_keys(e, &map->data);
    bool changed = !m->user_keys || strcmp(keys, m->user_keys) != 0;
    free(m->user_keys);
    m->user_keys = keys;
    if ((m->is_topology && changed) || m->is_topology != was_topology) {
        skr_topology_map_changed(e, m);
    }
    const char *name = m->is_group ? skr_group_map_name(&map->data, map->meta.name, NULL) : NULL;
    SKR_AUTO_FREE char *key = name ? skr_object_key(map->meta.namespace_, name) : NULL;
    if (m->group_key && (!key || strcmp(key, m->group_key) != 0)) {
        leave(e, m);
    }
    if (key && !m->group_key) {
        join(e, m, key);
    } else if (key) {
        skr_dirty_group(e, skr_groups_find(e, key));
    }
    skr_dirty_map(e, m);
}

static void map_destroy(struct skr_gang *e, struct map_entry *m)
{
    skr_dirty_forget_map(e, m);
    HASH_DEL(e->maps, m);
    e->status_maps.n -= m->counted;
    free(m->shows);
    skr_topology_map_gone(e, m);
    skr_group_objects_forget(&m->sent);
    skr_configmap_destroy(m->map);
    free(m->user_keys);
    free(m->group_key);
    free(m->key);
    free(m);
}

void skr_maps_upsert(struct skr_gang *e, struct skr_configmap *map)
{
    char *key = skr_object_key(map->meta.namespace_, map->meta.name);
    struct map_entry *m = skr_maps_find(e, key);
    if (m && strcmp(m->map->meta.uid, map->meta.uid) != 0) { /* deleted and recreated */
        skr_maps_delete(e, map->meta.namespace_, map->meta.name);
        m = NULL;
    }
    if (m && map->meta.resource_version &&
        map->meta.resource_version < m->map->meta.resource_version) {
        skr_configmap_destroy(map);
        free(key);
        return;
    }
    if (!m) {
        m = skr_alloc(sizeof *m);
        m->key = key;
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->maps, m->key, strlen(m->key), m);
    } else {
        free(key);
        struct group *g = m->group_key ? skr_groups_find(e, m->group_key) : NULL;
        if (g) {
            skr_group_source_map_changes(e, g, m);
        }
    }
    struct skr_configmap *old = m->map;
    m->map = map;
    /* Our writes name the version they are for: a later version shows their outcome. */
    if (!old || map->meta.resource_version > old->meta.resource_version) {
        m->writer.must_read = false;
    }
    classify(e, m);
    skr_configmap_destroy(old);
}

void skr_maps_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    char *key = skr_object_key(namespace_, name);
    struct map_entry *m = skr_maps_find(e, key);
    free(key);
    if (!m) {
        return;
    }
    leave(e, m);
    skr_status_map_seen(e, m);
    if (m->is_topology) {
        skr_dirty_tree(e);
        skr_dirty_nodes(e);
    }
    map_destroy(e, m);
}

/* ---- PodGroups ---- */

struct group *skr_maps_podgroup_group(const struct skr_gang *e, const struct podgroup_entry *pg)
{
    struct group *g = skr_groups_find(e, pg->key);
    return g || !pg->shows ? g : skr_groups_find(e, pg->shows);
}

/* Native ones have a name of their own among groups: "NAMESPACE/podgroup/NAME". */
static char *podgroup_key(bool native, const char *namespace_, const char *name)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(&b, "%s/%s%s", namespace_, native ? SKR_NATIVE_PREFIX : "", name);
    return skr_strbuf_take(&b, NULL);
}

/* Another version of the same object: the watch of the newest API version that is served counts. */
static bool is_superseded(const struct podgroup_entry *entry, const struct skr_podgroup *pg)
{
    return entry->pg->native > pg->native && strcmp(entry->pg->meta.uid, pg->meta.uid) == 0;
}

void skr_maps_podgroup_upsert(struct skr_gang *e, struct skr_podgroup *pg)
{
    char *key = podgroup_key(pg->native, pg->meta.namespace_, pg->meta.name);
    struct podgroup_entry *entry = skr_maps_find_podgroup(e, key);
    const bool is_same = entry && strcmp(entry->pg->meta.uid, pg->meta.uid) == 0;
    if (is_same && (is_superseded(entry, pg) ||
                    (pg->meta.resource_version &&
                     pg->meta.resource_version < entry->pg->meta.resource_version))) {
        skr_podgroup_destroy(pg);
        free(key);
        return;
    }
    if (!entry) {
        entry = skr_alloc(sizeof *entry);
        entry->key = key;
        SKR_TABLE_ADD(&e->settings.hash_seed, hh, e->podgroups, entry->key, strlen(entry->key),
                      entry);
    } else {
        free(key);
    }
    if (!entry->pg || pg->meta.resource_version > entry->pg->meta.resource_version || !is_same) {
        entry->writer.must_read = false;
    }
    if (entry->pg && !is_same) {
        entry->read_at = 0;
    }
    skr_podgroup_destroy(entry->pg);
    entry->pg = pg;
    if (pg->native && !is_same) {
        skr_entries_native_changed(e, pg->meta.namespace_, pg->meta.name);
    }
    struct group *g = pg->basic ? NULL : skr_maps_podgroup_group(e, entry);
    if (g && strcmp(g->key, entry->key) == 0) {
        skr_group_source_set_podgroup(g, entry);
        if (!is_same) {
            skr_membership_changed(g);
        }
    }
    if (g) {
        skr_dirty_group(e, g);
    }
}

static void podgroup_destroy(struct skr_gang *e, struct podgroup_entry *entry)
{
    HASH_DEL(e->podgroups, entry);
    skr_group_objects_forget(&entry->sent);
    skr_podgroup_destroy(entry->pg);
    free(entry->shows);
    free(entry->key);
    free(entry);
}

void skr_maps_podgroup_gone(struct skr_gang *e, struct podgroup_entry *entry)
{
    struct group *g = skr_groups_find(e, entry->key);
    SKR_AUTO_FREE char *namespace_ = skr_strdup(entry->pg->meta.namespace_);
    SKR_AUTO_FREE char *name = skr_strdup(entry->pg->meta.name);
    const bool native = entry->pg->native;
    podgroup_destroy(e, entry);
    if (g) {
        skr_group_source_set_podgroup(g, NULL);
        skr_dirty_group(e, g);
    }
    if (native) {
        skr_entries_native_changed(e, namespace_, name);
    }
}

void skr_maps_podgroup_delete(struct skr_gang *e, const struct skr_object_type *type,
                              const char *namespace_, const char *name)
{
    const bool native = skr_gang_is_native(type);
    SKR_AUTO_FREE char *key = podgroup_key(native, namespace_, name);
    struct podgroup_entry *entry = skr_maps_find_podgroup(e, key);
    /* the end of an older API version deletes nothing */
    if (entry && (!native || skr_gang_podgroup_type(entry->pg->native) == type)) {
        skr_maps_podgroup_gone(e, entry);
    }
}

void skr_maps_fini(struct skr_gang *e)
{
    struct map_entry *m, *mtmp;
    struct podgroup_entry *pg, *pgtmp;
    skr_group_end_all(e);
    HASH_ITER(hh, e->maps, m, mtmp)
    {
        map_destroy(e, m);
    }
    HASH_ITER(hh, e->podgroups, pg, pgtmp)
    {
        podgroup_destroy(e, pg);
    }
}
