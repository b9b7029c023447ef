/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the tree in force: the valid topology map with the smallest (creationTimestamp, name).
 *
 * - If the map in force becomes malformed, its last good tree stays.
 * - If all maps are malformed and there is no last good tree, groups wait with TopologyMissing.
 * - Without a map, the tree is derived from node labels, GRACE_S after the last map was deleted.
 * - A tree of labels follows the nodes, at most every DEBOUNCE_MS: a wave of nodes is a few trees.
 *
 * Warnings about nodes are collected for a second, so that a starting cluster is reported once.
 */
#include "core/gang/cache/topology.h"

#include "core/devices/stock.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "topology/device_levels.h"

#include <string.h>

#define HOSTNAME "kubernetes.io/hostname"
#define RACK     "sakkara.topology.rack"

static bool in_namespace(const struct skr_gang *e, const struct map_entry *m)
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

void skr_topology_map_changed(struct skr_gang *e, struct map_entry *m)
{
    struct skr_error error;
    struct skr_tree *tree = NULL;
    free(m->problem);
    m->problem = NULL;
    memset(&m->warnings, 0, sizeof m->warnings);
    m->has_levels = false;
    if (m->is_topology && skr_topology_map_parse(&m->map->data, &tree, &m->warnings, &error) < 0) {
        m->problem = skr_strdup(error.text);
        e->stats.topology_refusals += in_namespace(e, m);
    } else if (m->is_topology) {
        m->has_levels = !tree;
    }
    skr_tree_unref(m->tree);
    m->tree = tree;
    skr_dirty_tree(e);
    skr_dirty_nodes(e);
}

static void put_in_force(struct skr_gang *e, struct skr_tree *tree)
{
    bool same = e->topology.tree && tree && skr_tree_equal(e->topology.tree, tree);
    if (same || (!e->topology.tree && !tree)) {
        skr_tree_unref(tree);
        return;
    }
    e->topology.replaced = e->topology.tree;
    skr_tree_unref(e->topology.tree);
    e->topology.tree = tree;
    e->stats.topology_loads++;
    e->topology.leaf_node_stale = true;
    skr_dirty_nodes(e);
    skr_dirty_openings(e);
    skr_dirty_capacity(e);
    struct group *g, *tmp;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        skr_dirty_input(g);
        if (g->plan) {
            skr_dirty_plan_nodes(g->plan);
        }
        skr_dirty_group(e, g);
    }
}

static void forget_findings(struct skr_gang *e)
{
    free(e->topology.findings);
    e->topology.findings = NULL;
}

/* The slices of the cache; heap. */
static const struct skr_device_slice **slices_of(const struct skr_gang *e, size_t *ret_n)
{
    struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_device_slice **list =
        skr_alloc_array(HASH_COUNT(stock->slices) + 1, sizeof(void *));
    size_t n = 0;
    for (struct skr_stock_slice *s = stock->slices; s; s = s->hh.next) {
        list[n++] = s->slice;
    }
    *ret_n = n;
    return list;
}

/* levels: of the map in force; NULL: there is none. */
static struct skr_tree *derive(struct skr_gang *e, const struct skr_map_levels *levels)
{
    const struct skr_label_source option = {.levels = e->settings.label_levels};
    struct skr_label_source source = levels ? levels->source : option;
    SKR_AUTO_FREE const struct skr_device_slice **slice = slices_of(e, &source.n_slices);
    const struct skr_node **list = skr_alloc_array(e->n_nodes ? e->n_nodes : 1, sizeof(void *));
    struct skr_label_findings *findings = skr_alloc(sizeof *findings);
    size_t n = 0;
    struct node_entry *entry;
    for (size_t at = 0; (entry = skr_nodes_next(e, &at));) {
        if (entry->node) {
            list[n++] = entry->node;
        }
    }
    struct skr_tree *tree = NULL;
    struct skr_error error;
    forget_findings(e);
    source.slice = slice;
    if (skr_topology_derive(list, n, &source, &tree, findings, &error) < 0) {
        skr_out_decision(e, "", "", "Topology not derived", "TopologyMissing", error.text, true);
        tree = NULL;
        free(findings);
    } else {
        e->topology.findings = findings;
    }
    free(list);
    e->topology.derived_at = skr_frame_now(e->frame);
    e->topology.labels_changed = false;
    return tree;
}

enum { GRACE_S = 60 }; /* the tree of a deleted map stays this long */

/* The last map is gone. A user may replace it by delete and create: no group may be placed in
 * between without the levels that its rules name. */
static bool keeps_grace(struct skr_gang *e)
{
    skr_time now = skr_frame_now(e->frame);
    if (!e->topology.active_key || !e->topology.tree) {
        return false;
    }
    if (!e->topology.grace_until) {
        e->topology.grace_until = now + GRACE_S * SKR_SECOND;
        skr_wakes_add(e, e->topology.grace_until, WAKE_NODES, NULL);
        skr_out_decision(e, e->topology.active_key, "", "Topology map is gone", "",
                         "its tree stays in force for a minute", true);
    }
    return now < e->topology.grace_until;
}

/* The valid map that is oldest, and the map in force; NULL: none. False: there is no map at all. */
static bool look_at_maps(struct skr_gang *e, struct map_entry **ret_best,
                         struct map_entry **ret_current)
{
    struct map_entry *m, *tmp;
    bool any = false;
    *ret_best = *ret_current = NULL;
    HASH_ITER(hh, e->maps, m, tmp)
    {
        if (!in_namespace(e, m)) {
            continue;
        }
        any = true;
        if (e->topology.active_key && strcmp(m->key, e->topology.active_key) == 0) {
            *ret_current = m;
        }
        if ((m->tree || m->has_levels) && (!*ret_best || older(m, *ret_best))) {
            *ret_best = m;
        }
        skr_dirty_map(e, m);
    }
    return any;
}

/* The tree of a valid map; NULL: of none. */
static void follow(struct skr_gang *e, const struct map_entry *m)
{
    forget_findings(e);
    skr_map_levels_destroy(e->topology.levels);
    e->topology.levels = NULL;
    if (m && m->has_levels) {
        (void)skr_map_levels_parse(&m->map->data, &e->topology.levels, NULL);
        skr_bug_on(!e->topology.levels); /* it was read before */
    }
}

static void choose(struct skr_gang *e)
{
    struct map_entry *best, *current;
    const bool any = look_at_maps(e, &best, &current);
    if (current && !current->tree && !current->has_levels && e->topology.tree) {
        e->topology.active = current; /* last good stays */
        if (e->topology.levels) {
            put_in_force(e, derive(e, e->topology.levels));
        }
        return;
    }
    if (!any && keeps_grace(e)) {
        e->topology.active = NULL;
        return;
    }
    e->topology.grace_until = 0;
    e->topology.active = best;
    free(e->topology.active_key);
    e->topology.active_key = best ? skr_strdup(best->key) : NULL;
    follow(e, best);
    if (best && best->tree) {
        put_in_force(e, skr_tree_ref(best->tree));
    } else {
        put_in_force(e, any && !best ? NULL : derive(e, e->topology.levels));
    }
}

const struct map_entry *skr_topology_malformed(const struct skr_gang *e)
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

bool skr_topology_is_usable(const struct skr_gang *e)
{
    return e->topology.tree && e->topology.tree->n_leaves > 0;
}

struct node_entry *const *skr_topology_leaf_nodes(struct skr_gang *e)
{
    if (!e->topology.leaf_node_stale && e->topology.leaf_node) {
        return e->topology.leaf_node;
    }
    size_t n = e->topology.tree ? (size_t)e->topology.tree->n_leaves : 0;
    free(e->topology.leaf_node);
    e->topology.leaf_node = skr_alloc_array(n ? n : 1, sizeof *e->topology.leaf_node);
    for (size_t i = 0; i < n; i++) {
        e->topology.leaf_node[i] = skr_nodes_find(
            e, e->topology.tree->unit_name[(size_t)e->topology.tree->first_leaf + i]);
    }
    e->topology.leaf_node_stale = false;
    return e->topology.leaf_node;
}

const struct skr_label_findings *skr_topology_findings(const struct skr_gang *e)
{
    const bool flat = e->topology.tree && e->topology.tree->n_levels == 1;
    return e->topology.tree && !(flat && !e->topology.levels && !e->settings.label_levels)
               ? e->topology.findings
               : NULL;
}

/* In a tree that a map lists, only the lowest level is made of a label. */
static const struct skr_label_levels *label_levels(const struct skr_gang *e)
{
    return e->topology.levels   ? e->topology.levels->source.levels
           : e->topology.active ? NULL
                                : e->settings.label_levels;
}

const char *skr_topology_level_of(const struct skr_gang *e, const char *label)
{
    const struct skr_tree *tree = e->topology.tree;
    const struct skr_label_levels *levels = label_levels(e);
    if (!tree || strcmp(label, HOSTNAME) == 0) {
        return tree ? tree->level_name[tree->n_levels] : NULL;
    }
    for (size_t i = 0; levels && i < levels->n; i++) {
        for (size_t j = 0; j < levels->level[i].n_labels; j++) {
            const int32_t at = strcmp(levels->level[i].label[j], label) == 0
                                   ? skr_tree_find_level(tree, levels->level[i].name)
                                   : 0;
            if (at > 0) {
                return tree->level_name[at];
            }
        }
    }
    const bool racks = !levels && !e->topology.active && strcmp(label, RACK) == 0;
    return racks && tree->n_levels == 2 ? tree->level_name[1] : NULL;
}

void skr_topology_add_labels(const struct skr_gang *e, struct skr_strbuf *b)
{
    const struct skr_label_levels *levels = label_levels(e);
    for (size_t i = 0; levels && i < levels->n; i++) {
        skr_strbuf_addf(b, "%s, ", levels->level[i].label[0]);
    }
    if (!levels && skr_topology_level_of(e, RACK)) {
        skr_strbuf_add(b, RACK ", ");
    }
    skr_strbuf_add(b, HOSTNAME);
}

bool skr_topology_is_outside(const struct skr_gang *e, const struct node_entry *n)
{
    return e->topology.tree && n->node && n->node->ready &&
           skr_tree_find_leaf(e->topology.tree, n->name) < 0;
}

struct log {
    struct skr_gang *e;
    bool more_left_out;         /* than was logged */
    struct skr_strbuf oddities; /* the other warnings */
};

static void log_left_out(void *context, const char *type, const char *text)
{
    struct log *log = context;
    if (strcmp(type, SKR_TOPOLOGY_LABEL_MISSING) != 0) {
        skr_strbuf_addf(&log->oddities, "%s%s", log->oddities.len > 0 ? "; " : "", text);
    } else if (log->more_left_out) {
        skr_out_decision(log->e, "", "", "Nodes are outside the derived tree", type, text, true);
    }
}

/* Logs: a tree without a map has no object for a condition. */
static void log_findings(struct skr_gang *e)
{
    const struct skr_label_findings *f = e->topology.active ? NULL : skr_topology_findings(e);
    struct log log = {.e = e, .more_left_out = f && f->n_left_out > e->topology.n_left_out};
    skr_strbuf_init(&log.oddities);
    if (f) {
        skr_label_findings_each(f, log_left_out, &log);
    }
    const char *was = e->topology.oddities;
    if (log.oddities.len > 0 && (!was || strcmp(was, log.oddities.s) != 0)) {
        skr_out_decision(e, "", "", "Labels of nodes make an odd tree", "", log.oddities.s, true);
    }
    free(e->topology.oddities);
    e->topology.oddities = log.oddities.len > 0 ? skr_strdup(log.oddities.s) : NULL;
    e->topology.n_left_out = f ? f->n_left_out : 0;
    skr_strbuf_fini(&log.oddities);
}

/* Counts leaves without a node and Ready nodes outside the tree. */
static void survey(struct skr_gang *e)
{
    size_t was_unknown = e->topology.n_unknown, was_outside = e->topology.n_outside;
    e->topology.n_unknown = e->topology.n_outside = 0;
    e->topology.first_unknown[0] = e->topology.first_outside[0] = '\0';
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    for (int32_t i = 0; e->topology.tree && i < e->topology.tree->n_leaves; i++) {
        if (leaf[i]) {
            continue;
        }
        if (e->topology.n_unknown++ == 0) {
            snprintf(e->topology.first_unknown, sizeof e->topology.first_unknown, "%s",
                     e->topology.tree->unit_name[e->topology.tree->first_leaf + i]);
        }
    }
    const struct node_entry *n;
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        if (!skr_topology_is_outside(e, n)) {
            continue;
        }
        if (e->topology.n_outside++ == 0 || strcmp(n->name, e->topology.first_outside) < 0) {
            snprintf(e->topology.first_outside, sizeof e->topology.first_outside, "%s", n->name);
        }
    }
    if (e->topology.active &&
        (was_unknown != e->topology.n_unknown || was_outside != e->topology.n_outside)) {
        skr_dirty_map(e, e->topology.active);
    }
    log_findings(e);
}

const char *skr_topology_map_reason(const struct skr_gang *e, const struct map_entry *m)
{
    if (!in_namespace(e, m)) {
        return "";
    }
    if (m->problem) {
        return "TopologyInvalid";
    }
    return m == e->topology.active ? "" : "DuplicateTopology";
}

static void report(struct skr_gang *e)
{
    struct map_entry *m, *tmp;
    HASH_ITER(hh, e->maps, m, tmp)
    {
        if (!m->is_topology || m->writer.reading) {
            continue;
        }
        if (!in_namespace(e, m)) {
            if (!m->reported.topology) {
                skr_out_decision(e, "", "", "Topology map ignored", "",
                                 "it is not in the topology namespace", false);
            }
            m->reported.topology = "Ignored";
            continue;
        }
        const char *reason = skr_topology_map_reason(e, m);
        bool news = m == e->topology.active && e->topology.replaced && !*reason;
        if (m->reported.topology && strcmp(m->reported.topology, reason) == 0 && !news) {
            continue;
        }
        bool had = m->reported.topology;
        m->reported.topology = reason;
        if (*reason) {
            const char *note = m->problem ? m->problem : "another topology map is in force";
            skr_out_event(e, "ConfigMap", &m->map->meta, true, reason, reason, note);
            skr_out_decision(e, m->key, "", "Topology map not used", reason, note, true);
        } else {
            if (had) { /* not at every start */
                skr_out_event(e, "ConfigMap", &m->map->meta, false, "TopologyChanged",
                              "TopologyChanged", "topology is in force");
            }
            skr_out_decision(e, m->key, "", "Topology came into force", "", "", false);
        }
    }
    e->topology.replaced = false;
}

enum { DEBOUNCE_MS = 200 }; /* between two trees of labels */

/* Nodes or their labels changed. */
static void follow_labels(struct skr_gang *e)
{
    const skr_time due = e->topology.derived_at + DEBOUNCE_MS * SKR_MILLISECOND;
    if (!e->topology.labels_changed) {
        return;
    }
    if (e->topology.derived_at && skr_frame_now(e->frame) < due) {
        skr_wakes_add(e, due, WAKE_NODES, NULL);
        return;
    }
    e->topology.labels_changed = false;
    skr_dirty_tree(e);
}

void skr_topology_settle(struct skr_gang *e)
{
    follow_labels(e);
    if (e->topology.grace_until && skr_frame_now(e->frame) >= e->topology.grace_until) {
        skr_dirty_tree(e);
    }
    if (skr_dirty_take_tree(e)) {
        choose(e);
        report(e);
    }
    if (!skr_dirty_take_nodes(e)) {
        return;
    }
    if (e->topology.nodes_at && skr_frame_now(e->frame) < e->topology.nodes_at) {
        skr_wakes_add(e, e->topology.nodes_at, WAKE_NODES, NULL);
        return;
    }
    e->topology.nodes_at = skr_frame_now(e->frame) + SKR_SECOND;
    survey(e);
}

void skr_topology_nodes_changed(struct skr_gang *e)
{
    e->topology.leaf_node_stale = true;
    skr_seen_note(&e->seen, SEEN_CENSUS);
    if (e->topology.derived_at) {
        e->topology.labels_changed = true;
        skr_dirty_nodes(e);
    } else {
        skr_dirty_tree(e);
    }
}

void skr_topology_labels_changed(struct skr_gang *e, const struct skr_labels *was,
                                 const struct skr_labels *are)
{
    const struct skr_label_levels *levels =
        e->topology.findings ? &e->topology.findings->levels : NULL;
    if (levels && !skr_label_levels_agree(levels, was, are)) {
        e->topology.labels_changed = true;
        skr_dirty_nodes(e);
    }
}

void skr_topology_devices_changed(struct skr_gang *e)
{
    if (e->topology.findings && skr_label_levels_name_devices(&e->topology.findings->levels)) {
        e->topology.labels_changed = true;
        skr_dirty_nodes(e);
    }
}

const struct skr_labels *skr_topology_labels(const struct skr_gang *e, const struct skr_node *node,
                                             struct skr_arena *arena)
{
    const struct skr_label_findings *f = e->topology.findings;
    if (!f || !skr_label_levels_name_devices(&f->levels)) {
        return &node->meta.labels;
    }
    size_t n = 0;
    SKR_AUTO_FREE const struct skr_device_slice **slice = slices_of(e, &n);
    const struct skr_labels *labels =
        skr_device_levels_apply(&f->levels, slice, n, &node, 1, arena);
    skr_bug_on(!labels); /* the arena has no limit */
    return labels;
}

void skr_topology_map_gone(struct skr_gang *e, struct map_entry *m)
{
    if (e->topology.active == m) {
        e->topology.active = NULL;
    }
    skr_tree_unref(m->tree);
    free(m->problem);
}

void skr_topology_fini(struct skr_gang *e)
{
    skr_tree_unref(e->topology.tree);
    free(e->topology.leaf_node);
    free(e->topology.active_key);
    free(e->topology.oddities);
    forget_findings(e);
    skr_map_levels_destroy(e->topology.levels);
}
