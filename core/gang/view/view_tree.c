/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the tree with total, used and free amounts: one pass over the leaves, sums from the bottom
 * up, one pass from the top for the text. Members are (leaf, group) pairs, sorted, so that the
 * groups of a unit are those of a range of leaves.
 *
 * Unusable amounts of a leaf: all of a node that is not Ready, the free part of a cordoned one.
 */
#include "core/gang/view/view_tree.h"

#include "core/devices/stock.h"
#include "core/gang/cache/booked.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/roles.h"
#include "core/gang/problem/node_open.h"
#include "core/gang/state/groups.h"
#include "topology/topology_map.h"

#include <string.h>
#include <utlist.h>

/* ---- members ---- */

static int by_key(const void *a, const void *b)
{
    const struct group *g = *(const struct group *const *)a, *h = *(const struct group *const *)b;
    const int c = strcmp(g->namespace_, h->namespace_);
    return c ? c : strcmp(g->name, h->name);
}

static int by_leaf(const void *a, const void *b)
{
    const struct presence *x = a, *y = b;
    if (x->leaf != y->leaf) {
        return x->leaf < y->leaf ? -1 : 1;
    }
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    return x->role - y->role;
}

static void gather_members(struct tree_page *p)
{
    const struct skr_gang *e = p->v->e;
    const struct group *g, *tmp;
    const struct pod_entry *m;
    size_t cap = 0;
    p->group = skr_alloc_array(HASH_COUNT(e->groups) + 1, sizeof *p->group);
    HASH_ITER(hh, e->groups, g, tmp)
    {
        p->group[p->n_groups++] = g;
    }
    qsort(p->group, p->n_groups, sizeof *p->group, by_key);
    for (size_t i = 0; i < p->n_groups; i++) {
        DL_FOREACH(p->group[i]->members, m)
        {
            const char *node = skr_view_node_of(m);
            const int32_t leaf = node ? skr_tree_find_leaf(p->tree, node) : -1;
            if (leaf < 0) {
                continue;
            }
            skr_grow(&p->presence, &cap, p->n_presences + 1, sizeof *p->presence);
            p->presence[p->n_presences++] =
                (struct presence){.leaf = leaf,
                                  .group = (uint32_t)i,
                                  .pods = 1,
                                  .role = m->role < p->group[i]->roles.n ? m->role : 0};
        }
        for (size_t k = 0; k < p->group[i]->holds.n; k++) {
            const int32_t leaf = skr_tree_find_leaf(p->tree, p->group[i]->holds.item[k].node);
            if (leaf < 0) {
                continue;
            }
            skr_grow(&p->presence, &cap, p->n_presences + 1, sizeof *p->presence);
            p->presence[p->n_presences++] =
                (struct presence){.leaf = leaf, .group = (uint32_t)i, .held = 1};
        }
    }
    if (p->n_presences == 0) {
        return;
    }
    qsort(p->presence, p->n_presences, sizeof *p->presence, by_leaf);
    size_t n = 0;
    for (size_t i = 1; i < p->n_presences; i++) {
        if (by_leaf(&p->presence[n], &p->presence[i]) == 0) {
            p->presence[n].pods += p->presence[i].pods;
            p->presence[n].held += p->presence[i].held;
        } else {
            p->presence[++n] = p->presence[i];
        }
    }
    p->n_presences = n + 1;
}

/* The first presence on this leaf or after it. */
static size_t presence_from(const struct tree_page *p, int32_t leaf)
{
    size_t lo = 0, hi = p->n_presences;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (p->presence[mid].leaf < leaf) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* ---- sums ---- */

static void sum_leaf(struct tree_page *p, int32_t leaf)
{
    const struct skr_gang *e = p->v->e;
    const struct node_entry *n = p->leaf[leaf];
    const int32_t unit = p->tree->first_leaf + leaf;
    struct unit_sums *s = &p->sum[unit];
    *s = (struct unit_sums){.leaves = 1, .first_leaf = leaf, .end_leaf = leaf + 1};
    if (!n) {
        return;
    }
    s->ready = n->node->ready;
    const bool open = !p->of_group || skr_node_open(e, p->of_group, &p->of_role, n, false);
    s->slots =
        open ? skr_view_class_slots(p->v->e, p->slot_spec, n, skr_slots_of_node(e, n, &p->size))
             : 0;
    uint16_t id[SHOWN_MAX];
    int64_t left[SHOWN_MAX];
    size_t known[SHOWN_MAX], n_known = 0;
    for (size_t r = 0; r < p->n_resources; r++) {
        if (p->resource[r].class_) {
            const size_t at = (size_t)unit * p->n_resources + r;
            const struct node_devices of = skr_view_class_node(e, n, p->resource[r].class_);
            p->allocatable[at] = of.all;
            p->charged[at] = of.taken;
            p->unusable[at] = of.unusable;
        }
        if (p->resource[r].id < 0) {
            continue;
        }
        known[n_known] = r;
        id[n_known++] = (uint16_t)p->resource[r].id;
    }
    skr_ledger_free_each(e->ledger, n->name, id, n_known, left);
    for (size_t i = 0; i < n_known; i++) {
        const size_t at = (size_t)unit * p->n_resources + known[i];
        const int64_t all = skr_ledger_allocatable(e->ledger, n->name, id[i]);
        int64_t charged;
        if (__builtin_sub_overflow(all, left[i], &charged)) {
            charged = INT64_MAX;
        }
        charged = all > 0 ? charged : 0; /* only nodes that list the resource count */
        p->allocatable[at] = all;
        p->charged[at] = n->node->ready ? charged : 0;
        if (!n->node->ready) {
            p->unusable[at] = all;
        } else if (n->node->unschedulable) {
            p->unusable[at] = left[i] > 0 ? left[i] : 0;
        }
    }
}

/* What is reserved there for later, of the room that is free now. */
static void sum_reserved(struct tree_page *p, const struct node_entry *n, size_t at)
{
    const struct booked_node *b = n ? skr_booked_find(p->v->e, n->name) : NULL;
    for (size_t i = 0; b && i < b->n; i++) {
        for (size_t r = 0; r < p->n_resources; r++) {
            if (strcmp(p->resource[r].name, b->use[i].resource) == 0) {
                p->reserved[at + r] = skr_amount_sum(p->reserved[at + r], b->use[i].amount);
            }
        }
    }
    for (size_t r = 0; b && r < p->n_resources; r++) {
        const int64_t gone = skr_amount_sum(p->charged[at + r], p->unusable[at + r]);
        const int64_t left = p->allocatable[at + r] - gone;
        p->reserved[at + r] = p->reserved[at + r] < left ? p->reserved[at + r] : left;
        p->reserved[at + r] = p->reserved[at + r] > 0 ? p->reserved[at + r] : 0;
    }
}

static void sum_up(struct tree_page *p)
{
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        sum_leaf(p, i);
        sum_reserved(p, p->leaf[i], ((size_t)p->tree->first_leaf + (size_t)i) * p->n_resources);
        if (i % LOOK_EVERY == LOOK_EVERY - 1 && skr_view_must_end(p->v)) {
            return;
        }
    }
    for (int32_t u = p->tree->n_units - 1; u > 0; u--) { /* children have larger numbers */
        struct unit_sums *s = &p->sum[p->tree->parent[u]];
        const struct unit_sums *c = &p->sum[u];
        if (s->leaves == 0) {
            s->first_leaf = c->first_leaf;
            s->end_leaf = c->end_leaf;
        }
        s->first_leaf = c->first_leaf < s->first_leaf ? c->first_leaf : s->first_leaf;
        s->end_leaf = c->end_leaf > s->end_leaf ? c->end_leaf : s->end_leaf;
        s->leaves += c->leaves;
        s->ready += c->ready;
        s->slots = skr_amount_sum(s->slots, c->slots);
        const size_t to = (size_t)p->tree->parent[u] * p->n_resources;
        const size_t from = (size_t)u * p->n_resources;
        for (size_t r = 0; r < p->n_resources; r++) {
            p->allocatable[to + r] =
                skr_amount_sum(p->allocatable[to + r], p->allocatable[from + r]);
            p->charged[to + r] = skr_amount_sum(p->charged[to + r], p->charged[from + r]);
            p->unusable[to + r] = skr_amount_sum(p->unusable[to + r], p->unusable[from + r]);
            p->reserved[to + r] = skr_amount_sum(p->reserved[to + r], p->reserved[from + r]);
        }
    }
}

/* ---- text ---- */

/* amount: [unit * n_resources + r]. Units without devices of a class leave it out. */
static void write_amounts(struct tree_page *p, const char *key, const int64_t *amount, int32_t unit)
{
    const size_t at = (size_t)unit * p->n_resources;
    skr_json_open(&p->v->w, key, '{');
    for (size_t r = 0; r < p->n_resources; r++) {
        if (!p->resource[r].class_ || p->allocatable[at + r] > 0) {
            skr_json_int(&p->v->w, p->resource[r].name, amount[at + r]);
        }
    }
    skr_json_close(&p->v->w, '}');
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Members by role below the unit; nothing if the group has not several roles. */
static void write_roles(struct tree_page *p, int32_t unit, uint32_t group)
{
    int32_t count[SKR_ROLES_MAX] = {0};
    if (skr_roles_are_several(p->group[group])) {
        for (size_t i = presence_from(p, p->sum[unit].first_leaf);
             i < p->n_presences && p->presence[i].leaf < p->sum[unit].end_leaf; i++) {
            count[p->presence[i].role] += p->presence[i].group == group ? p->presence[i].pods : 0;
        }
        skr_view_role_counts(p->v, p->group[group], count);
    }
}

static void write_groups(struct tree_page *p, int32_t unit)
{
    struct skr_json_writer *w = &p->v->w;
    size_t n = 0;
    for (size_t i = presence_from(p, p->sum[unit].first_leaf);
         i < p->n_presences && p->presence[i].leaf < p->sum[unit].end_leaf; i++) {
        const struct presence *x = &p->presence[i];
        if (p->pods_of[x->group] == 0 && p->held_of[x->group] == 0) {
            p->touched[n++] = x->group;
        }
        p->pods_of[x->group] += x->pods;
        p->held_of[x->group] += x->held;
    }
    qsort(p->touched, n, sizeof *p->touched, by_number);
    skr_json_open(w, "groups", '[');
    for (size_t i = 0; i < n; i++) {
        const struct group *g = p->group[p->touched[i]];
        skr_json_open(w, NULL, '{');
        skr_json_string(w, "namespace", g->namespace_);
        skr_json_string(w, "name", g->name);
        skr_json_int(w, "pods", p->pods_of[p->touched[i]]);
        if (p->held_of[p->touched[i]] > 0) {
            skr_json_int(w, "held", p->held_of[p->touched[i]]);
        }
        if (unit >= p->tree->first_leaf) {
            write_roles(p, unit, p->touched[i]);
        }
        skr_json_close(w, '}');
        p->pods_of[p->touched[i]] = 0;
        p->held_of[p->touched[i]] = 0;
    }
    skr_json_close(w, ']');
}

static int count_taints(const struct skr_node *node)
{
    int n = 0;
    for (size_t i = 0; i < node->n_taints; i++) {
        n += node->taints[i].effect == SKR_TAINT_NO_SCHEDULE ||
             node->taints[i].effect == SKR_TAINT_NO_EXECUTE;
    }
    return n;
}

/* All but the closing bracket; "children" stays open if there are some. */
static void open_unit(struct tree_page *p, int32_t unit)
{
    struct skr_json_writer *w = &p->v->w;
    const struct unit_sums *s = &p->sum[unit];
    const int32_t leaf = unit - p->tree->first_leaf;
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "name", p->tree->unit_name[unit]);
    skr_json_string(w, "level", p->tree->level_name[skr_tree_level_of(p->tree, unit)]);
    if (leaf >= 0) {
        const struct skr_node *node = p->leaf[leaf] ? p->leaf[leaf]->node : NULL;
        skr_json_bool(w, "exists", node);
        skr_json_bool(w, "ready", node && node->ready);
        skr_json_bool(w, "cordoned", node && node->unschedulable);
        if (node && p->leaf[leaf]->spare) {
            skr_json_bool(w, "spare", true);
        }
        skr_json_int(w, "taints", node ? count_taints(node) : 0);
    } else {
        skr_json_int(w, "nodes", s->leaves);
        skr_json_int(w, "readyNodes", s->ready);
    }
    skr_json_int(w, "slots", s->slots);
    write_amounts(p, "allocatable", p->allocatable, unit);
    write_amounts(p, "charged", p->charged, unit);
    write_amounts(p, "unusable", p->unusable, unit);
    if (p->v->e->bookings.n > 0) {
        write_amounts(p, "reserved", p->reserved, unit);
    }
    write_groups(p, unit);
    if (leaf < 0) {
        skr_json_open(w, "children", '[');
    }
}

static void close_unit(struct tree_page *p, int32_t unit)
{
    if (unit < p->tree->first_leaf) {
        skr_json_close(&p->v->w, ']');
    }
    skr_json_close(&p->v->w, '}');
}

/* The domain and all below it, depth first. */
static void write_units(struct tree_page *p)
{
    int32_t open[SKR_LEVELS_MAX + 1], next[SKR_LEVELS_MAX + 1], depth = 0;
    open[0] = p->domain;
    next[0] = 0;
    open_unit(p, p->domain);
    while (depth >= 0 && !skr_view_must_end(p->v)) {
        const int32_t unit = open[depth];
        if (next[depth] == p->tree->child_count[unit]) {
            close_unit(p, unit);
            depth--;
            continue;
        }
        const int32_t child = p->tree->child_first[unit] + next[depth]++;
        depth++;
        open[depth] = child;
        next[depth] = 0;
        open_unit(p, child);
    }
}

static void write_warning(void *context, const char *type, const char *text)
{
    struct skr_json_writer *w = context;
    skr_json_open(w, NULL, '{');
    skr_json_string(w, "type", type);
    skr_json_string(w, "message", text);
    skr_json_close(w, '}');
}

/* Of a tree of labels: which label is missing first, what else is odd, which levels are dropped. */
static void write_warnings(struct skr_json_writer *w, const struct skr_label_findings *f)
{
    size_t l = 0;
    while (f && l < f->levels.n && f->n_missing[l] == 0) {
        l++;
    }
    skr_json_string(w, "missingLabel", f && l < f->levels.n ? f->levels.level[l].label[0] : NULL);
    skr_json_int(w, "nodesLeftOut", f ? (int64_t)f->n_left_out : 0);
    skr_json_open(w, "warnings", '[');
    if (f) {
        skr_label_findings_each(f, write_warning, w);
    }
    skr_json_close(w, ']');
}

static void write_page(struct tree_page *p)
{
    struct skr_json_writer *w = &p->v->w;
    const struct skr_gang *e = p->v->e;
    skr_json_open(w, NULL, '{');
    skr_view_head(p->v, "Tree");
    skr_json_string(w, "name", p->tree->name);
    skr_json_string(w, "source", e->topology.active_key);
    skr_json_open(w, "levels", '[');
    for (int32_t l = 0; l <= p->tree->n_levels; l++) {
        skr_json_string(w, NULL, p->tree->level_name[l]);
    }
    skr_json_close(w, ']');
    skr_json_string(w, "resource", p->resource[p->looked_at].name);
    skr_json_open(w, "resources", '[');
    for (size_t r = 0; r < p->n_resources; r++) {
        skr_json_string(w, NULL, p->resource[r].name);
    }
    skr_json_close(w, ']');
    skr_json_open(w, "slot", '{');
    for (size_t i = 0; i < p->size.n; i++) {
        skr_json_int(w, p->size_name[i], p->size.item[i].amount);
    }
    if (p->slot_devices > 0) {
        skr_json_int(w, p->class_name, p->slot_devices);
    }
    skr_json_close(w, '}');
    skr_json_int(w, "nodesNotInTree", (int64_t)e->topology.n_outside);
    skr_json_string(w, "firstNotInTree", e->topology.n_outside ? e->topology.first_outside : NULL);
    write_warnings(w, skr_topology_findings(e));
    skr_strbuf_add(w->out, ",\"root\":");
    w->comma = false;
    write_units(p);
    skr_json_close(w, '}');
}

static void page_fini(struct tree_page *p)
{
    free(p->sum);
    free(p->allocatable);
    free(p->charged);
    free(p->unusable);
    free(p->reserved);
    free(p->group);
    free(p->presence);
    free(p->pods_of);
    free(p->held_of);
    free(p->touched);
}

static void add_warning(void *context, const char *type, const char *text)
{
    struct skr_strbuf *b = context;
    (void)type;
    skr_strbuf_addf(b, "%s%s", b->len > 0 ? "; " : "", text);
}

int skr_view_refuse_no_tree(struct view *v)
{
    const struct skr_label_findings *f = skr_topology_findings(v->e);
    SKR_STRBUF(why);
    if (f) {
        skr_label_findings_each(f, add_warning, &why);
    }
    if (why.len > 0) {
        return skr_view_refuse(v, 404, "there is no tree: %s", why.s);
    }
    return skr_view_refuse(v, 404, "there is no tree: no valid topology ConfigMap, or no node");
}

int skr_view_tree(struct view *v, const char *rest)
{
    struct tree_page p = {.v = v, .tree = v->e->topology.tree};
    if (*rest) {
        return skr_view_refuse(v, 404,
                               "there is nothing below /v1/tree; domains are asked for by "
                               "?domain=");
    }
    if (!p.tree || p.tree->n_leaves == 0) {
        return skr_view_refuse_no_tree(v);
    }
    p.leaf = skr_topology_leaf_nodes(v->e);
    const int code = skr_view_tree_asked(&p);
    if (code != 200) {
        return code;
    }
    const size_t cells = (size_t)p.tree->n_units * p.n_resources;
    p.sum = skr_alloc_array((size_t)p.tree->n_units, sizeof *p.sum);
    p.allocatable = skr_alloc_array(cells, sizeof *p.allocatable);
    p.charged = skr_alloc_array(cells, sizeof *p.charged);
    p.unusable = skr_alloc_array(cells, sizeof *p.unusable);
    p.reserved = skr_alloc_array(cells, sizeof *p.reserved);
    gather_members(&p);
    p.pods_of = skr_alloc_array(p.n_groups + 1, sizeof *p.pods_of);
    p.held_of = skr_alloc_array(p.n_groups + 1, sizeof *p.held_of);
    p.touched = skr_alloc_array(p.n_groups + 1, sizeof *p.touched);
    if (p.slot_devices > 0) {
        p.slot_spec = skr_view_class_spec(v->e, skr_view_class_of(p.class_name), p.slot_devices);
    }
    sum_up(&p);
    skr_devices_stock_forget_spec(v->e->devices.stock, p.slot_spec);
    write_page(&p);
    page_fini(&p);
    return 200;
}
