/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/problem/paper.h"

#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"

#include <utlist.h>

/* The resources of the problem. */
struct want {
    const uint16_t *resource;
    size_t n;
};

static void subtract(int64_t *free_, const struct want *d, size_t leaf, const struct skr_amounts *a)
{
    for (size_t r = 0; r < d->n; r++) {
        int64_t *room = &free_[leaf * d->n + r];
        *room = skr_room_plus(*room, -skr_amounts_get(a, d->resource[r]));
    }
}

static bool covers(const int64_t *free_, const struct want *d, size_t leaf,
                   const struct skr_amounts *a)
{
    for (size_t r = 0; r < d->n; r++) {
        int64_t want = skr_amounts_get(a, d->resource[r]);
        if (want > 0 && free_[leaf * d->n + r] < want) {
            return false;
        }
    }
    return true;
}

bool skr_paper_charges(const struct skr_gang *e, const struct group *g)
{
    const int32_t class_ = skr_ordinary_class_of(g);
    const struct pod_entry *p;
    DL_FOREACH(e->ordinary, p)
    {
        if (skr_ordinary_late_node(e, p) || skr_ordinary_goes_first(e, p, class_)) {
            return true;
        }
    }
    return false;
}

/* On the first node of the tree that has room. */
static void charge_first_fit(struct skr_gang *e, const struct pod_entry *p, const struct want *d,
                             int64_t *free_)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(e);
    size_t leaves = (size_t)e->topology.tree->n_leaves, i = 0;
    while (i < leaves &&
           !(leaf[i] && !leaf[i]->spare && covers(free_, d, i, &p->shape->amounts) &&
             skr_pod_shape_check_node(p->shape->spec, leaf[i]->node) == SKR_ELIGIBLE)) {
        i++;
    }
    if (i < leaves) {
        subtract(free_, d, i, &p->shape->amounts);
    }
}

void skr_paper_charge(struct skr_gang *e, const struct group *g, const uint16_t *resource, size_t n,
                      int64_t *free_)
{
    const struct want want = {.resource = resource, .n = n}, *d = &want;
    const int32_t class_ = skr_ordinary_class_of(g);
    struct pod_entry *p;
    DL_FOREACH(e->ordinary, p)
    {
        const char *late = skr_ordinary_late_node(e, p);
        int32_t at = late ? skr_tree_find_leaf(e->topology.tree, late) : -1;
        if (at >= 0) {
            subtract(free_, d, (size_t)at, &p->shape->amounts);
        } else if (skr_ordinary_goes_first(e, p, class_) &&
                   !skr_ledger_find(e->ledger, p->uid, NULL)) {
            charge_first_fit(e, p, d, free_);
            skr_ordinary_note_first(e, p);
        }
    }
}
