/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where groups come from: group ConfigMaps before PodGroups before pod labels. Of several maps with
 * one data.name the oldest defines the group. Only the user's keys count as a change; what we write
 * ourselves never does.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

static char *join_key(const char *namespace_, const char *name)
{
    size_t n = strlen(namespace_) + strlen(name) + 2;
    char *key = skr_alloc(n);
    snprintf(key, n, "%s/%s", namespace_, name);
    return key;
}

/* ---- groups ---- */

struct group *groups_find(const struct skr_engine *e, const char *key)
{
    struct group *g = NULL;
    if (key) {
        HASH_FIND_STR(e->groups, key, g);
    }
    return g;
}

struct group *groups_find_named(const struct skr_engine *e, const char *key,
                                struct map_entry **ret_map)
{
    struct group *g = groups_find(e, key);
    struct map_entry *m;
    HASH_FIND_STR(e->maps, key, m);
    *ret_map = !g && m && m->is_group ? m : NULL;
    if (*ret_map) {
        g = groups_find(e, m->group_key);
        g = g && g->map == m ? g : NULL;
    }
    return g;
}

struct group *groups_get(struct skr_engine *e, const char *namespace_, const char *name)
{
    char *key = join_key(namespace_, name);
    struct group *g = groups_find(e, key);
    if (g) {
        free(key);
        return g;
    }
    g = skr_alloc(sizeof *g);
    g->key = key;
    g->namespace_ = skr_strdup(namespace_);
    g->name = skr_strdup(name);
    g->failed_epoch = UINT64_MAX;
    g->told_status = SKR_STATUS_COUNT;
    g->seats_dirty = true;
    HASH_FIND_STR(e->podgroups, key, g->podgroup);
    HASH_ADD_KEYPTR(hh, e->groups, g->key, strlen(g->key), g);
    engine_touch_group(e, g);
    return g;
}

static void group_destroy(struct skr_engine *e, struct group *g)
{
    measure_group_gone(e, g);
    if (g->plan) {
        plan_destroy(e, g->plan);
    }
    if (g->dirty) {
        DL_DELETE2(e->dirty_groups, g, dprev, dnext);
    }
    outlook_leave(g);
    HASH_DEL(e->groups, g);
    skr_group_spec_destroy(g->spec);
    for (size_t i = 0; i < g->n_gen_controllers; i++) {
        free(g->gen_controller[i]);
    }
    for (size_t i = 0; i < SKR_EVENTS_KEPT; i++) {
        free(g->event[i].note);
    }
    for (size_t i = 0; i < CONDITION_KIND_COUNT; i++) {
        free(g->condition[i].reason);
        free(g->condition[i].message);
    }
    free(g->gen_controller);
    free(g->defect);
    free(g->spec_text);
    free(g->homogeneity);
    free(g->message);
    explained_destroy(g->explained);
    free(g->placement);
    free(g->rank);
    free(g->key);
    free(g->namespace_);
    free(g->name);
    free(g);
}

void groups_release_if_empty(struct skr_engine *e, struct group *g)
{
    if (!g->members && !g->maps && !g->podgroup && !g->plan) {
        group_destroy(e, g);
    }
}

/* ---- ConfigMaps ---- */

static char *user_keys(const struct skr_labels *data)
{
    static const char *const key[] = {"name", "size", "priority", "constraints"};
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        const char *value = skr_labels_get(data, key[i]);
        if (value) {
            skr_strbuf_add_json(&b, value);
        }
        skr_strbuf_addc(&b, ';');
    }
    return skr_strbuf_take(&b, NULL);
}

static char *topology_keys(const struct skr_labels *data)
{
    static const char *const key[] = {"name", "resource-names", "level-names", "tree"};
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_addc(&b, 't');
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        const char *value = skr_labels_get(data, key[i]);
        if (value) {
            skr_strbuf_add_json(&b, value);
        }
        skr_strbuf_addc(&b, ';');
    }
    return skr_strbuf_take(&b, NULL);
}

static void leave(struct skr_engine *e, struct map_entry *m)
{
    struct group *g = groups_find(e, m->group_key);
    if (g) {
        DL_DELETE2(g->maps, m, gprev, gnext);
        if (g->map == m) {
            g->map = NULL;
        }
        struct map_entry *other;
        DL_FOREACH2(g->maps, other, gnext)
        {
            engine_touch_map(e, other);
        }
        engine_touch_group(e, g);
        groups_release_if_empty(e, g);
    }
    free(m->group_key);
    m->group_key = NULL;
}

static void join(struct skr_engine *e, struct map_entry *m, const char *key)
{
    m->group_key = skr_strdup(key);
    const char *name = strchr(key, '/') + 1;
    struct group *g = groups_get(e, m->map->meta.namespace_, name);
    DL_APPEND2(g->maps, m, gprev, gnext);
    engine_touch_group(e, g);
}

/* The map may have got or lost its markers, its name, or been replaced under the same name. */
static void classify(struct skr_engine *e, struct map_entry *m)
{
    const struct skr_configmap *map = m->map;
    bool was_topology = m->is_topology;
    m->is_group = skr_labels_get(&map->meta.labels, SKR_GROUP_LABEL);
    m->is_topology = skr_labels_get(&map->meta.labels, SKR_TOPOLOGY_LABEL);
    char *keys = m->is_topology ? topology_keys(&map->data) : user_keys(&map->data);
    bool changed = !m->user_keys || strcmp(keys, m->user_keys) != 0;
    free(m->user_keys);
    m->user_keys = keys;
    if ((m->is_topology && changed) || m->is_topology != was_topology) {
        topology_map_changed(e, m);
    }
    const char *name = m->is_group ? skr_group_map_name(&map->data) : NULL;
    char *key = name ? join_key(map->meta.namespace_, name) : NULL;
    if (m->group_key && (!key || strcmp(key, m->group_key) != 0)) {
        leave(e, m);
    }
    if (key && !m->group_key) {
        join(e, m, key);
    } else if (key) {
        engine_touch_group(e, groups_find(e, key));
    }
    engine_touch_map(e, m);
    free(key);
}

static void map_destroy(struct skr_engine *e, struct map_entry *m)
{
    if (m->dirty) {
        DL_DELETE2(e->dirty_maps, m, dprev, dnext);
    }
    HASH_DEL(e->maps, m);
    if (e->active == m) {
        e->active = NULL;
    }
    sink_fini(&m->sink);
    skr_configmap_destroy(m->map);
    skr_tree_unref(m->tree);
    free(m->problem);
    free(m->user_keys);
    free(m->group_key);
    free(m->key);
    free(m);
}

void sources_configmap_upsert(struct skr_engine *e, struct skr_configmap *map)
{
    char *key = join_key(map->meta.namespace_, map->meta.name);
    struct map_entry *m;
    HASH_FIND_STR(e->maps, key, m);
    if (m && strcmp(m->map->meta.uid, map->meta.uid) != 0) { /* deleted and made anew */
        sources_configmap_delete(e, map->meta.namespace_, map->meta.name);
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
        HASH_ADD_KEYPTR(hh, e->maps, m->key, strlen(m->key), m);
    } else {
        free(key);
    }
    struct skr_configmap *old = m->map;
    m->map = map;
    /* A write of ours names the version it is made for: with a later one its fate is known. */
    if (!old || map->meta.resource_version > old->meta.resource_version) {
        m->sink.must_read = false;
    }
    classify(e, m);
    skr_configmap_destroy(old);
}

void sources_configmap_delete(struct skr_engine *e, const char *namespace_, const char *name)
{
    char *key = join_key(namespace_, name);
    struct map_entry *m;
    HASH_FIND_STR(e->maps, key, m);
    free(key);
    if (!m) {
        return;
    }
    leave(e, m);
    if (m->is_topology) {
        e->tree_dirty = e->nodes_dirty = true;
    }
    map_destroy(e, m);
}

/* ---- PodGroups ---- */

void sources_podgroup_upsert(struct skr_engine *e, struct skr_podgroup *pg)
{
    char *key = join_key(pg->meta.namespace_, pg->meta.name);
    struct podgroup_entry *entry;
    HASH_FIND_STR(e->podgroups, key, entry);
    if (entry && strcmp(entry->pg->meta.uid, pg->meta.uid) == 0 && pg->meta.resource_version &&
        pg->meta.resource_version < entry->pg->meta.resource_version) {
        skr_podgroup_destroy(pg);
        free(key);
        return;
    }
    if (!entry) {
        entry = skr_alloc(sizeof *entry);
        entry->key = key;
        HASH_ADD_KEYPTR(hh, e->podgroups, entry->key, strlen(entry->key), entry);
    } else {
        free(key);
    }
    if (!entry->pg || pg->meta.resource_version > entry->pg->meta.resource_version ||
        strcmp(pg->meta.uid, entry->pg->meta.uid) != 0) {
        entry->sink.must_read = false;
    }
    skr_podgroup_destroy(entry->pg);
    entry->pg = pg;
    struct group *g = groups_find(e, entry->key);
    if (g) {
        g->podgroup = entry;
        engine_touch_group(e, g);
    }
}

static void podgroup_destroy(struct skr_engine *e, struct podgroup_entry *entry)
{
    HASH_DEL(e->podgroups, entry);
    sink_fini(&entry->sink);
    skr_podgroup_destroy(entry->pg);
    free(entry->key);
    free(entry);
}

void sources_podgroup_delete(struct skr_engine *e, const char *namespace_, const char *name)
{
    char *key = join_key(namespace_, name);
    struct podgroup_entry *entry;
    HASH_FIND_STR(e->podgroups, key, entry);
    struct group *g = groups_find(e, key);
    free(key);
    if (!entry) {
        return;
    }
    podgroup_destroy(e, entry);
    if (g) {
        g->podgroup = NULL;
        engine_touch_group(e, g);
    }
}

/* ---- which source is in force ---- */

static struct map_entry *winner(const struct group *g)
{
    struct map_entry *m, *best = NULL;
    DL_FOREACH2(g->maps, m, gnext)
    {
        if (!best || m->map->meta.created < best->map->meta.created ||
            (m->map->meta.created == best->map->meta.created &&
             strcmp(m->map->meta.name, best->map->meta.name) < 0)) {
            best = m;
        }
    }
    return best;
}

static enum group_source available(const struct skr_engine *e, const struct group *g)
{
    if (g->map) {
        return SOURCE_MAP;
    }
    if (g->podgroup) {
        return SOURCE_PODGROUP;
    }
    const struct pod_entry *oldest = e->settings.label_fallback ? membership_oldest(g) : NULL;
    if (oldest && skr_labels_get(&oldest->pod->meta.labels, SKR_LABEL_GROUP_SIZE)) {
        return SOURCE_LABELS;
    }
    return SOURCE_NONE;
}

static char *source_text(const struct group *g, enum group_source source)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    const struct pod_entry *oldest = membership_oldest(g);
    int32_t priority = oldest ? oldest->pod->priority : 0;
    if (source == SOURCE_MAP) {
        skr_strbuf_addf(&b, "map %s ", g->map->user_keys);
    } else if (source == SOURCE_PODGROUP) {
        skr_strbuf_addf(&b, "podgroup %d %d", g->podgroup->pg->min_member, priority);
    } else if (source == SOURCE_LABELS) {
        skr_strbuf_addf(&b, "labels %d ", priority);
        const struct skr_labels *l = &oldest->pod->meta.labels;
        for (size_t i = 0; i < l->n; i++) {
            if (strncmp(l->item[i].key, "sakkara.group.", 14) == 0) {
                skr_strbuf_addf(&b, "%s=%s ", l->item[i].key, l->item[i].value);
            }
        }
    } else {
        skr_strbuf_add(&b, "none");
    }
    return skr_strbuf_take(&b, NULL);
}

static int parse(const struct group *g, enum group_source source, struct skr_group_spec **ret,
                 struct skr_error *error)
{
    const struct pod_entry *oldest = membership_oldest(g);
    int32_t priority = oldest ? oldest->pod->priority : 0;
    *ret = NULL;
    if (source == SOURCE_MAP) {
        return skr_group_spec_parse(&g->map->map->data, ret, error);
    }
    if (source == SOURCE_PODGROUP) {
        return skr_group_spec_from_podgroup(g->podgroup->pg, priority, ret, error);
    }
    if (source == SOURCE_LABELS) {
        return skr_group_spec_from_labels(g->name, &oldest->pod->meta.labels, priority, ret, error);
    }
    return 0;
}

/* A running or binding gang keeps the source it started with while that source is there; losing it
 * costs a running gang nothing. */
static bool must_wait(const struct skr_engine *e, const struct group *g, enum group_source source)
{
    if (g->plan && g->plan->binding) { /* "Binding" that was refused is no reason */
        return g->plan->binding_persisted || !plan_home_is_quiet(e, g);
    }
    bool running = g->state == GROUP_BOUND && g->n_bound > 0;
    bool still_there = (g->source == SOURCE_PODGROUP && g->podgroup) || g->source == SOURCE_LABELS;
    return running && source != g->source && still_there && source != SOURCE_NONE;
}

bool sources_resolve(struct skr_engine *e, struct group *g)
{
    struct map_entry *best = winner(g);
    if (best != g->map) {
        if (g->map) {
            engine_touch_map(e, g->map);
        }
        g->map = best;
        if (best) {
            engine_touch_map(e, best);
        }
    }
    enum group_source source = available(e, g);
    if (must_wait(e, g, source)) {
        return false;
    }
    char *text = source_text(g, source);
    if (g->spec_text && strcmp(text, g->spec_text) == 0) {
        free(text);
        return false;
    }
    free(g->spec_text);
    g->spec_text = text;
    g->source = source;
    struct skr_error error;
    struct skr_group_spec *spec;
    free(g->defect);
    g->defect = NULL;
    if (parse(g, source, &spec, &error) < 0) {
        g->defect = skr_strdup(error.text);
        if (g->n_bound > 0) { /* last good values stay */
            return true;
        }
        spec = NULL;
    }
    if (!spec && source == SOURCE_NONE && g->n_bound > 0) {
        return true; /* running pods are not touched by the loss of their source */
    }
    bool same = g->spec && spec && skr_group_spec_equal(g->spec, spec);
    skr_group_spec_destroy(g->spec);
    g->spec = spec;
    g->seats_dirty = true;
    if (!same) {
        g->input_epoch++;
        g->infeasible = false;
        g->failed_epoch = UINT64_MAX;
        e->plan_wanted = true;
    }
    return !same;
}

void sources_fini(struct skr_engine *e)
{
    struct map_entry *m, *mtmp;
    struct group *g, *gtmp;
    struct podgroup_entry *pg, *pgtmp;
    HASH_ITER(hh, e->groups, g, gtmp)
    {
        group_destroy(e, g);
    }
    HASH_ITER(hh, e->maps, m, mtmp)
    {
        map_destroy(e, m);
    }
    HASH_ITER(hh, e->podgroups, pg, pgtmp)
    {
        podgroup_destroy(e, pg);
    }
}
