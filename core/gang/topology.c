/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tree is in force. The valid topology map with the smallest (creationTimestamp, name) is; a
 * map that becomes malformed while it is in force leaves its last good tree in force; with only
 * malformed maps and no last good one there is no tree (groups wait with TopologyMissing); without
 * any map the tree is derived from node labels. Warnings about nodes are collected for a second, so
 * that a cluster that comes up is told about once.
 */
#include "core/gang/state.h"

#include <string.h>

static bool in_namespace(const struct skr_engine *e, const struct map_entry *m)
{
    return m->is_topology && strcmp(m->map->meta.namespace_, e->settings.topology_namespace) == 0;
}

static bool older(const struct map_entry *a, const struct map_entry *b)
{
    if (a->map->meta.created != b->map->meta.created) {
        return a->map->meta.created < b->map->meta.created;
    }
    return strcmp(a->map->meta.name, b->map->meta.name) < 0;
}

void topology_map_changed(struct skr_engine *e, struct map_entry *m)
{
    struct skr_error error;
    struct skr_tree *tree = NULL;
    free(m->problem);
    m->problem = NULL;
    memset(&m->warnings, 0, sizeof m->warnings);
    if (m->is_topology && skr_topology_map_parse(&m->map->data, &tree, &m->warnings, &error) < 0) {
        m->problem = skr_strdup(error.text);
        e->n_topology_refusals += in_namespace(e, m);
    }
    skr_tree_unref(m->tree);
    m->tree = tree;
    e->tree_dirty = true;
    e->nodes_dirty = true;
}

static void put_in_force(struct skr_engine *e, struct skr_tree *tree)
{
    bool same = e->tree && tree && skr_tree_equal(e->tree, tree);
    if (same || (!e->tree && !tree)) {
        skr_tree_unref(tree);
        return;
    }
    e->tree_replaced = e->tree;
    skr_tree_unref(e->tree);
    e->tree = tree;
    e->n_topology_loads++;
    e->leaf_node_stale = true;
    e->nodes_dirty = true;
    e->nodes_epoch++;
    engine_changed(e);
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        g->input_epoch++;
        if (g->plan) {
            g->plan->check_nodes = true;
        }
        engine_touch_group(e, g);
    }
}

static struct skr_tree *derive(struct skr_engine *e)
{
    const struct skr_node **list = skr_alloc_array(e->n_nodes ? e->n_nodes : 1, sizeof(void *));
    size_t n = 0;
    struct node_entry *entry, *tmp;
    HASH_ITER(hh, e->nodes, entry, tmp)
    {
        if (entry->node) {
            list[n++] = entry->node;
        }
    }
    struct skr_tree *tree = NULL;
    struct skr_error error;
    if (skr_topology_derive(list, n, &tree, &error) < 0) {
        out_decision(e, "", "", "Topology not derived", "TopologyMissing", error.text, true);
        tree = NULL;
    }
    free(list);
    return tree;
}

static void choose(struct skr_engine *e)
{
    struct map_entry *m, *tmp, *best = NULL, *current = NULL;
    bool any = false;
    HASH_ITER(hh, e->maps, m, tmp)
    {
        if (!in_namespace(e, m)) {
            continue;
        }
        any = true;
        if (e->active_key && strcmp(m->key, e->active_key) == 0) {
            current = m;
        }
        if (m->tree && (!best || older(m, best))) {
            best = m;
        }
        engine_touch_map(e, m);
    }
    if (current && !current->tree && e->tree) {
        e->active = current; /* last good stays */
        return;
    }
    e->active = best;
    free(e->active_key);
    e->active_key = best ? skr_strdup(best->key) : NULL;
    if (best) {
        put_in_force(e, skr_tree_ref(best->tree));
    } else {
        put_in_force(e, any ? NULL : derive(e));
    }
}

const struct map_entry *topology_malformed(const struct skr_engine *e)
{
    const struct map_entry *m, *tmp, *bad = NULL;
    HASH_ITER(hh, e->maps, m, tmp)
    {
        if (in_namespace(e, m) && m->problem && (!bad || older(m, bad))) {
            bad = m;
        }
    }
    return bad;
}

bool topology_is_usable(const struct skr_engine *e)
{
    return e->tree && e->tree->n_leaves > 0;
}

struct node_entry *const *topology_leaf_nodes(struct skr_engine *e)
{
    if (!e->leaf_node_stale && e->leaf_node) {
        return e->leaf_node;
    }
    size_t n = e->tree ? (size_t)e->tree->n_leaves : 0;
    free(e->leaf_node);
    e->leaf_node = skr_alloc_array(n ? n : 1, sizeof *e->leaf_node);
    for (size_t i = 0; i < n; i++) {
        e->leaf_node[i] = nodes_find(e, e->tree->unit_name[(size_t)e->tree->first_leaf + i]);
    }
    e->leaf_node_stale = false;
    return e->leaf_node;
}

/* Counts leaves without a node and Ready nodes outside the tree. */
static void survey(struct skr_engine *e)
{
    size_t was_unknown = e->n_unknown, was_outside = e->n_outside;
    e->n_unknown = e->n_outside = 0;
    e->first_unknown[0] = e->first_outside[0] = '\0';
    struct node_entry *const *leaf = topology_leaf_nodes(e);
    for (int32_t i = 0; e->tree && i < e->tree->n_leaves; i++) {
        if (leaf[i]) {
            continue;
        }
        if (e->n_unknown++ == 0) {
            snprintf(e->first_unknown, sizeof e->first_unknown, "%s",
                     e->tree->unit_name[e->tree->first_leaf + i]);
        }
    }
    struct node_entry *n, *tmp;
    HASH_ITER(hh, e->nodes, n, tmp)
    {
        if (!n->node || !n->node->ready || !e->tree || skr_tree_find_leaf(e->tree, n->name) >= 0) {
            continue;
        }
        if (e->n_outside++ == 0 || strcmp(n->name, e->first_outside) < 0) {
            snprintf(e->first_outside, sizeof e->first_outside, "%s", n->name);
        }
    }
    if (e->active && (was_unknown != e->n_unknown || was_outside != e->n_outside)) {
        engine_touch_map(e, e->active);
    }
}

const char *topology_map_reason(const struct skr_engine *e, const struct map_entry *m)
{
    if (!in_namespace(e, m)) {
        return "";
    }
    if (m->problem) {
        return "TopologyInvalid";
    }
    return m == e->active ? "" : "DuplicateTopology";
}

static void tell(struct skr_engine *e)
{
    struct map_entry *m, *tmp;
    HASH_ITER(hh, e->maps, m, tmp)
    {
        if (!m->is_topology || m->sink.reading) {
            continue;
        }
        if (!in_namespace(e, m)) {
            if (!m->told_reason) {
                out_decision(e, "", "", "Topology map ignored", "",
                             "it is not in the topology namespace", false);
            }
            m->told_reason = "Ignored";
            continue;
        }
        const char *reason = topology_map_reason(e, m);
        bool news = m == e->active && e->tree_replaced && !*reason;
        if (m->told_reason && strcmp(m->told_reason, reason) == 0 && !news) {
            continue;
        }
        bool had = m->told_reason;
        m->told_reason = reason;
        if (*reason) {
            const char *note = m->problem ? m->problem : "another topology map is in force";
            out_event(e, "ConfigMap", &m->map->meta, true, reason, reason, note);
            out_decision(e, m->key, "", "Topology map not used", reason, note, true);
        } else {
            if (had) { /* not at every start */
                out_event(e, "ConfigMap", &m->map->meta, false, "TopologyChanged",
                          "TopologyChanged", "topology is in force");
            }
            out_decision(e, m->key, "", "Topology came into force", "", "", false);
        }
    }
    e->tree_replaced = false;
}

void topology_settle(struct skr_engine *e)
{
    if (e->tree_dirty) {
        e->tree_dirty = false;
        choose(e);
        tell(e);
    }
    if (!e->nodes_dirty) {
        return;
    }
    if (e->nodes_told_at && e->now < e->nodes_told_at) {
        e->nodes_dirty = false;
        engine_wake(e, e->nodes_told_at, WAKE_NODES, NULL);
        return;
    }
    e->nodes_dirty = false;
    e->nodes_told_at = e->now + SKR_SECOND;
    survey(e);
}
