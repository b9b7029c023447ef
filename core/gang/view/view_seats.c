/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts the members of a group along the tree. */
#include "core/gang/cache/pods.h"
#include "core/gang/report/outputs.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/view/view.h"

#include <string.h>
#include <utlist.h>

const char *skr_view_node_of(const struct pod_entry *p)
{
    if (!skr_pod_is_live(p->pod)) {
        return NULL;
    }
    if (skr_pods_is_bound(p)) {
        return p->pod->node_name;
    }
    return p->plan && !p->plan->aborting ? p->place.node : NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct seat *x = a, *y = b;
    if ((x->leaf < 0) != (y->leaf < 0)) {
        return x->leaf < 0 ? 1 : -1;
    }
    if (x->leaf != y->leaf) {
        return x->leaf < y->leaf ? -1 : 1;
    }
    if (x->leaf < 0 && strcmp(x->node, y->node) != 0) {
        return strcmp(x->node, y->node);
    }
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    return strcmp(x->pod->pod->meta.name, y->pod->pod->meta.name);
}

struct seats skr_view_seats(const struct skr_gang *e, const struct group *g, bool ranks)
{
    struct seats s = {.item = skr_alloc_array(g->n_members + 1, sizeof *s.item)};
    const struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_view_node_of(p);
        if (!node) {
            continue;
        }
        const int32_t leaf = e->topology.tree ? skr_tree_find_leaf(e->topology.tree, node) : -1;
        s.item[s.n++] = (struct seat){
            .pod = p, .node = node, .leaf = leaf, .rank = ranks ? skr_outputs_rank_of(p) : -1};
        s.n_inside += leaf >= 0;
    }
    if (s.n > 0) {
        qsort(s.item, s.n, sizeof *s.item, by_place);
    }
    return s;
}

struct run *skr_view_runs(const struct skr_tree *t, const struct seats *s, int32_t level,
                          size_t *ret_n)
{
    struct run *run = skr_alloc_array(s->n_inside + 1, sizeof *run);
    size_t n = 0;
    for (size_t i = 0; i < s->n_inside; i++) {
        const int32_t unit = skr_tree_unit_at(t, s->item[i].leaf, level);
        if (n == 0 || run[n - 1].unit != unit) {
            run[n++] = (struct run){.unit = unit};
        }
        run[n - 1].count++;
    }
    *ret_n = n;
    return run;
}

void skr_view_path(const struct skr_tree *t, int32_t unit, struct skr_strbuf *b)
{
    int32_t above[SKR_LEVELS_MAX + 1], n = 0;
    for (; unit > 0; unit = t->parent[unit]) {
        above[n++] = unit;
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        skr_strbuf_addf(b, "%s%s", i == n - 1 ? "" : "/", t->unit_name[above[i]]);
    }
}
