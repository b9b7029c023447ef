/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/spare.h"

#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/topology.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/output.h"
#include "topology/base/decimal.h"

int skr_spare_parse(const char *text, size_t *ret_length, int32_t *ret_count,
                    struct skr_error *error)
{
    const char *is = strchr(text, '=');
    int64_t count = 0;
    *ret_length = is ? (size_t)(is - text) : 0;
    *ret_count = 0;
    if (!text[0]) {
        return 0;
    }
    if (!is || is == text || !is[1] || strspn(is + 1, "0123456789") != strlen(is + 1)) {
        return skr_error_set(error, SKR_INVALID, "\"%.64s\" is not level=count, such as rack=1",
                             text);
    }
    if (!skr_decimal_parse(is + 1, strlen(is + 1), &count) || count < 1 || count > SKR_SPARE_MAX) {
        return skr_error_set(error, SKR_INVALID, "%.64s is outside 1 .. %d", is + 1, SKR_SPARE_MAX);
    }
    *ret_count = (int32_t)count;
    return 0;
}

/* ---- one unit ---- */

typedef void see_change(struct skr_gang *e, const char *node);

static void set(struct skr_gang *e, struct node_entry *n, bool spare, see_change *changed)
{
    if (n->spare != spare) {
        n->spare = spare;
        changed(e, n->name);
        skr_dirty_openings(e);
        skr_dirty_capacity(e);
    }
}

struct choice {
    int32_t leaf;
    struct skr_part use;
};

/* Least used first, of equal ones the last of the tree. */
static int by_choice(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    const int use = skr_part_compare(&x->use, &y->use);
    return use != 0 ? use : (x->leaf < y->leaf) - (x->leaf > y->leaf);
}

static bool may_be_spare(const struct skr_gang *e, const struct node_entry *n)
{
    return n && n->node && n->node->ready && !n->node->unschedulable && !n->refused &&
           !skr_nodes_is_lost(e, n->name, skr_frame_now(e->frame));
}

static void choose(struct skr_gang *e, int32_t first, int32_t end, see_change *changed)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    SKR_AUTO_FREE struct choice *c = skr_alloc_array((size_t)(end - first) + 1, sizeof *c);
    SKR_AUTO_FREE uint8_t *is = skr_alloc((size_t)(end - first) + 1);
    int32_t n = 0;
    for (int32_t i = first; i < end; i++) {
        if (may_be_spare(e, leaf[i])) {
            c[n++] = (struct choice){
                .leaf = i, .use = skr_ledger_node_use(skr_ledger_get(e->ledger, leaf[i]->name))};
        }
    }
    qsort(c, (size_t)n, sizeof *c, by_choice);
    for (int32_t k = 0; k < n && k < e->spare.count; k++) {
        is[c[k].leaf - first] = 1;
    }
    for (int32_t i = first; i < end; i++) {
        if (leaf[i]) {
            set(e, leaf[i], is[i - first], changed);
        }
    }
}

/* ---- the tree ---- */

static void begin_tree(struct skr_gang *e, see_change *changed)
{
    const struct skr_tree *tree = e->topology.tree;
    struct node_entry *n;
    size_t length;
    SKR_STRBUF(level);
    for (size_t at = 0; (n = skr_nodes_next(e, &at));) {
        set(e, n, false, changed);
    }
    skr_spare_fini(e);
    e->spare.level = -1;
    if (!tree || skr_spare_parse(e->settings.spare, &length, &e->spare.count, NULL) < 0) {
        return;
    }
    e->spare.tree = skr_tree_ref(e->topology.tree);
    skr_strbuf_addf(&level, "%.*s", (int)length, e->settings.spare);
    e->spare.level = skr_tree_find_level(tree, level.s);
    if (e->spare.level < 0 || e->spare.level == tree->n_levels) {
        e->spare.level = -1;
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "time.spare: the tree has no level %s above its nodes", level.s);
        skr_out_decision(e, "", "", "No spare nodes", "", text.s, true);
        return;
    }
    e->spare.dirty = skr_alloc((size_t)tree->n_leaves + 1);
    memset(e->spare.dirty, 1, (size_t)tree->n_leaves);
    e->spare.any = true;
}

void skr_spare_touch(struct skr_gang *e, const char *node)
{
    const int32_t leaf = e->spare.dirty ? skr_tree_find_leaf(e->spare.tree, node) : -1;
    if (leaf >= 0) {
        e->spare.dirty[leaf] = 1;
        e->spare.any = true;
    }
}

void skr_spare_update(struct skr_gang *e, see_change *changed)
{
    if (!e->settings.spare[0]) {
        return;
    }
    if (e->spare.tree != e->topology.tree) {
        begin_tree(e, changed);
    }
    if (!e->spare.any || !e->spare.dirty) {
        return;
    }
    const struct skr_tree *tree = e->spare.tree;
    for (int32_t i = 0; i < tree->n_leaves;) {
        const int32_t unit = skr_tree_unit_at(tree, i, e->spare.level), first = i;
        bool dirty = false;
        for (; i < tree->n_leaves && skr_tree_unit_at(tree, i, e->spare.level) == unit; i++) {
            dirty = dirty || e->spare.dirty[i];
        }
        if (dirty) {
            choose(e, first, i, changed);
        }
    }
    memset(e->spare.dirty, 0, (size_t)tree->n_leaves); /* its own marks, too */
    e->spare.any = false;
}

bool skr_spare_is_reserved(const struct group *g, const struct node_entry *n)
{
    const struct booking *b = g ? g->booking : NULL;
    bool is = false;
    for (size_t i = 0; b && !is && i < b->n; i++) {
        is = strcmp(b->node[i].name, n->name) == 0;
    }
    return is;
}

bool skr_spare_is_kept_off(const struct skr_gang *e, const struct skr_pod *pod)
{
    return e->settings.spare[0] && !pod->rooted;
}

bool skr_spare_is_at(const struct skr_gang *e, const char *node)
{
    const struct node_entry *n = skr_nodes_find(e, node);
    return n && n->spare;
}

void skr_spare_fini(struct skr_gang *e)
{
    skr_tree_unref(e->spare.tree);
    free(e->spare.dirty);
    e->spare.tree = NULL;
    e->spare.dirty = NULL;
}
