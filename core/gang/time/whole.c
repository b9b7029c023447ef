/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/time/whole.h"

#include <stdlib.h>
#include <utlist.h>

#include "core/gang/cache/names.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/problem/problem.h"

static int by_use(const void *a, const void *b)
{
    const struct skr_place_use *x = a, *y = b;
    return x->leaf != y->leaf ? (x->leaf > y->leaf) - (x->leaf < y->leaf)
                              : (x->resource > y->resource) - (x->resource < y->resource);
}

bool skr_whole_place(const struct gathering *in, const struct group *g,
                     const struct node_names *lost, struct skr_place *ret)
{
    const struct pod_entry *p;
    size_t cap = 0, kept = 0;
    DL_FOREACH(g->members, p)
    {
        const bool counts = skr_pod_is_live(p->pod) &&
                            !(lost && skr_names_contain(lost->name, lost->n, p->pod->node_name));
        const int32_t leaf =
            counts ? skr_tree_find_leaf(in->e->topology.tree, p->pod->node_name) : 0;
        for (size_t k = 0; leaf >= 0 && counts && k < p->shape->amounts.n; k++) {
            const struct skr_amount *item = &p->shape->amounts.item[k];
            skr_grow(&ret->use, &cap, ret->n_uses + 1, sizeof *ret->use);
            ret->use[ret->n_uses++] = (struct skr_place_use){
                .amount = item->amount, .leaf = leaf, .resource = item->resource};
        }
        if (leaf < 0) {
            return false;
        }
    }
    if (ret->n_uses > 0) {
        qsort(ret->use, ret->n_uses, sizeof *ret->use, by_use);
    }
    for (size_t i = 0; i < ret->n_uses; i++) {
        if (kept > 0 && by_use(&ret->use[kept - 1], &ret->use[i]) == 0) {
            ret->use[kept - 1].amount += ret->use[i].amount;
        } else {
            ret->use[kept++] = ret->use[i];
        }
    }
    ret->n_uses = kept;
    return kept > 0;
}

struct skr_solve_request *skr_whole_problem(struct gathering *in, struct group *g,
                                            struct skr_start_question *q)
{
    struct skr_error error;
    SKR_AUTO_FREE struct pod_entry **member = skr_alloc_array(g->n_members + 1, sizeof *member);
    struct pod_entry *p;
    size_t n = 0;
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod)) {
            member[n++] = p;
        }
    }
    struct skr_solve_request *r = skr_problem_build(in->e, g, member, n, false, &error);
    if (!r || r->problem.roles || r->outside > 0 || !gathering_window(in, g, member, n, q)) {
        skr_solve_request_destroy(r);
        return NULL;
    }
    r->problem.n = (int32_t)n;
    r->problem.claimed = NULL;
    r->problem.explain = false;
    q->problem = &r->problem;
    q->resource = r->resource;
    return r;
}
