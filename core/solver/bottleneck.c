/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of the deciding level that are short.
 *
 * A unit of the deciding level needs what it would have to hold if all others held
 * their most: n, less what the other parents can hold, less the most that the siblings used beside
 * it can hold (with hard pack none, with partitions p the p - 1 best). If claims already use as
 * many siblings as the rule admits, the others are no candidates. If they use more, the members on
 * the surplus ones are missing in every candidate. Units that are not short are not listed. If only
 * the step between sizes is wrong (factor, min), the list may be empty.
 */
#include "core/solver/explain.h"

#include <stdlib.h>
#include <string.h>

/* A child of the deciding level while bottlenecks are collected. */
struct child {
    int32_t unit;
    int32_t claims; /* members below it that stay */
    int32_t best;   /* most it can hold by all rules from its own level down */
};

static int by_best(const void *a, const void *b)
{
    const struct child *x = a;
    const struct child *y = b;
    if (x->best != y->best) {
        return x->best > y->best ? -1 : 1;
    }
    return x->unit < y->unit ? -1 : 1;
}

static int by_shortage(const void *a, const void *b)
{
    const struct skr_bottleneck *x = a;
    const struct skr_bottleneck *y = b;
    int32_t short_x = x->needs - x->fits;
    int32_t short_y = y->needs - y->fits;
    if (short_x != short_y) {
        return short_x < short_y ? -1 : 1;
    }
    return x->unit < y->unit ? -1 : 1;
}

static int32_t greatest_allowed(const struct skr_law *law, const uint64_t *bits, int32_t n)
{
    int32_t x = skr_bits_previous(bits, n);
    while (x > 0 && !skr_law_allows(law, x)) {
        x = skr_bits_previous(bits, x - 1);
    }
    return x > 0 ? x : 0;
}

/* One level under explanation. */
struct level_view {
    const struct skr_run *run;
    const struct skr_feasible *feasible;
    int32_t level;
    const int64_t *claims; /* [unit] members below it that stay */
    uint64_t *bits;
    struct child *child;
    int32_t n;      /* candidates */
    int32_t pinned; /* members on claimed siblings beyond what the rule admits */
};

static int by_claims(const void *a, const void *b)
{
    const struct child *x = a;
    const struct child *y = b;
    return (x->claims > y->claims) - (x->claims < y->claims);
}

/* Leaves the candidates among the children of parent in view, best first. */
static void list_children(struct level_view *view, int32_t parent)
{
    const struct skr_tree *tree = view->run->tree;
    const struct skr_law *law = &view->run->law[view->level];
    struct child *child = view->child;
    int32_t first = tree->child_first[parent];
    int32_t n = 0;
    int32_t claimed = 0;
    for (int32_t unit = first; unit < first + tree->child_count[parent]; unit++) {
        skr_feasible_totals(view->run, view->feasible, unit, view->bits);
        child[n++] = (struct child){.unit = unit,
                                    .claims = (int32_t)view->claims[unit],
                                    .best = greatest_allowed(law, view->bits, view->run->n)};
        claimed += view->claims[unit] > 0 ? 1 : 0;
    }
    view->pinned = 0;
    if (law->used > 0 && claimed >= law->used) {
        qsort(child, (size_t)n, sizeof *child, by_claims);
        memmove(child, child + (n - claimed), (size_t)claimed * sizeof *child);
        n = claimed;
        for (int32_t i = 0; i < claimed - law->used; i++) {
            view->pinned += child[i].claims;
        }
    }
    qsort(child, (size_t)n, sizeof *child, by_best);
    view->n = n;
}

/* Bottlenecks below parent, which should hold target. Returns how many were put. */
static int32_t put_bottlenecks(struct level_view *view, int32_t parent, int64_t target,
                               struct skr_bottleneck *ret)
{
    const struct skr_run *run = view->run;
    const struct skr_law *law = &run->law[view->level];
    const struct child *child = view->child;
    list_children(view, parent);
    int32_t used = law->used > 0 && law->used < view->n ? law->used : view->n;
    int64_t beside = 0; /* most that the best used - 1 children can hold */
    for (int32_t i = 0; i + 1 < used; i++) {
        beside += child[i].best;
    }
    int32_t put = 0;
    for (int32_t i = 0; i < view->n; i++) {
        int64_t others = beside;
        if (i + 1 < used) {
            others += child[used - 1].best - child[i].best;
        }
        int64_t needs = target - others;
        needs = needs > law->lo ? needs : law->lo;
        needs = needs < run->n ? needs : run->n;
        int32_t limit = needs < law->hi ? (int32_t)needs : law->hi;
        skr_feasible_totals(run, view->feasible, child[i].unit, view->bits);
        int32_t fits = skr_bits_previous(view->bits, limit);
        fits = fits < (int32_t)needs - view->pinned ? fits : (int32_t)needs - view->pinned;
        fits = fits > 0 ? fits : 0;
        if (fits < needs) {
            ret[put++] = (struct skr_bottleneck){
                .unit = child[i].unit, .fits = fits, .needs = (int32_t)needs};
        }
    }
    return put;
}

static bool explain_level(struct skr_run *run, const struct skr_feasible *feasible, uint64_t *bits,
                          struct skr_explanation *ret)
{
    const struct skr_tree *tree = run->tree;
    const int32_t level = ret->level;
    size_t n_units = (size_t)(tree->level_first[level + 1] - tree->level_first[level]);
    struct level_view view = {.run = run, .feasible = feasible, .level = level, .bits = bits};
    view.claims = skr_leaf_sums(run, feasible->leaf.least);
    view.child = skr_run_alloc(run, n_units, sizeof *view.child);
    struct skr_bottleneck *item = skr_run_alloc(run, n_units, sizeof *item);
    if (!view.claims || !view.child || !item) {
        return false;
    }
    int64_t total = 0;   /* most that the parents can hold */
    bool broken = false; /* some parent's claims already break the rule */
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        skr_feasible_totals(run, feasible, p, bits);
        int32_t most = skr_bits_previous(bits, run->n);
        total += most > 0 ? most : 0;
        broken = broken || most < 0;
    }
    int32_t n = 0;
    for (int32_t p = tree->level_first[level - 1]; p < tree->level_first[level]; p++) {
        skr_feasible_totals(run, feasible, p, bits);
        int32_t most = skr_bits_previous(bits, run->n);
        if (!broken || most < 0) {
            int64_t target = run->n - total + (most > 0 ? most : 0);
            target = target > view.claims[p] ? target : view.claims[p];
            n += put_bottlenecks(&view, p, target, item + n);
        }
        if (!skr_run_poll(run)) {
            return false;
        }
    }
    qsort(item, (size_t)n, sizeof *item, by_shortage);
    for (int32_t i = 0; i < n && ret->n_bottlenecks < SKR_BOTTLENECKS_MAX; i++) {
        ret->bottleneck[ret->n_bottlenecks++] = item[i];
    }
    return true;
}

bool skr_bottleneck_explain(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret)
{
    uint64_t *bits = skr_run_alloc(run, (size_t)skr_bits_words(run->n), sizeof *bits);
    *ret = (struct skr_explanation){0};
    if (!bits) {
        return false;
    }
    for (int32_t leaf = 0; leaf < run->tree->n_leaves; leaf++) {
        ret->sum_fits += feasible->leaf.most[leaf];
    }
    skr_feasible_totals(run, feasible, 0, bits);
    int32_t largest = skr_bits_previous(bits, run->n);
    ret->largest = largest > 0 ? largest : 0;
    return skr_explain_class(run->problem, run, feasible, NULL, ret) &&
           (ret->level == 0 || explain_level(run, feasible, bits, ret));
}
