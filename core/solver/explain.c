/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations, put together from their parts: bottleneck.c, relaxation.c, missing_slots.c,
 * best_key.c, and the feasible sizes, which are S(root) of the same problem with twice the members.
 * The parts never change the answer; one that meets a limit is not marked as complete.
 */
#include "core/solver/explain.h"

#include "core/solver/best_key.h"
#include "core/solver/bottleneck.h"
#include "core/solver/missing_slots.h"
#include "core/solver/relaxation.h"

/* Sizes as bits, most of them n_words. */
struct sizes {
    const uint64_t *bits;
    int32_t words;
    int32_t most;
};

static struct skr_size_range range_from(const struct sizes *s, int32_t first)
{
    struct skr_size_range range = {.first = first, .last = first};
    while (range.last < s->most && skr_bits_get(s->bits, range.last + 1)) {
        range.last++;
    }
    return range;
}

static struct skr_size_range range_to(const struct sizes *s, int32_t last)
{
    struct skr_size_range range = {.first = last, .last = last};
    while (range.first > 1 && skr_bits_get(s->bits, range.first - 1)) {
        range.first--;
    }
    return range;
}

/* The ranges nearest to n: from there outwards, in both directions, the nearer end first. */
static void list_ranges(const struct sizes *s, int32_t n, struct skr_explanation *ret)
{
    struct skr_size_range below[SKR_SIZE_RANGES_MAX];
    struct skr_size_range above[SKR_SIZE_RANGES_MAX];
    size_t n_below = 0;
    size_t n_above = 0;
    int32_t left = skr_bits_previous(s->bits, n);
    int32_t right = skr_bits_next(s->bits, s->words, n + 1);
    while ((left > 0 || right > 0) && n_below + n_above < SKR_SIZE_RANGES_MAX) {
        if (left > 0 && (right <= 0 || n - left <= right - n)) {
            below[n_below] = range_to(s, left);
            left = skr_bits_previous(s->bits, below[n_below++].first - 1);
        } else {
            above[n_above] = range_from(s, right);
            int32_t last = above[n_above++].last;
            right = last < s->most ? skr_bits_next(s->bits, s->words, last + 1) : -1;
        }
    }
    for (size_t i = n_below; i > 0; i--) {
        ret->size[ret->n_sizes++] = below[i - 1];
    }
    for (size_t i = 0; i < n_above; i++) {
        struct skr_size_range *before = ret->n_sizes > 0 ? &ret->size[ret->n_sizes - 1] : NULL;
        if (before && before->last + 1 == above[i].first) {
            before->last = above[i].last;
        } else {
            ret->size[ret->n_sizes++] = above[i];
        }
    }
    ret->sizes_first = left > 0 ? left + 1 : 1;
    ret->sizes_last = right > 0 ? right - 1 : s->most;
    if (left <= 0 && right <= 0) {
        ret->parts |= SKR_EXPLAIN_SIZES;
    }
}

static void find_sizes(struct skr_run *run, struct skr_explanation *ret)
{
    struct skr_problem problem = *run->problem;
    problem.n = run->n < SKR_SOLVER_MEMBERS_MAX / 2 ? 2 * run->n : SKR_SOLVER_MEMBERS_MAX;
    problem.tie_break = SKR_TIE_TREE;
    struct skr_run inner;
    struct skr_leaf_bounds leaf;
    struct skr_feasible feasible;
    if (skr_run_begin_inner(run, &problem, &inner)) {
        uint64_t *bits = skr_run_alloc(&inner, (size_t)inner.n / 64 + 1, sizeof *bits);
        if (bits && skr_leaf_bounds(&inner, &problem, &leaf) &&
            skr_feasible_build(&inner, &leaf, &feasible)) {
            skr_feasible_totals(&inner, &feasible, 0, bits);
            const struct sizes sizes = {
                .bits = bits, .words = skr_bits_words(inner.n), .most = inner.n};
            list_ranges(&sizes, run->n, ret);
        }
    }
    skr_run_end_inner(run, &inner);
}

bool skr_explain_infeasible(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret)
{
    uint32_t parts = run->problem->explain_parts;
    if (!skr_bottleneck_explain(run, feasible, ret)) {
        return false;
    }
    if ((parts & SKR_EXPLAIN_SIZES) != 0) {
        find_sizes(run, ret);
    }
    if ((parts & SKR_EXPLAIN_RELAXATIONS) != 0) {
        skr_relaxations_find(run, feasible, ret);
    }
    if ((parts & SKR_EXPLAIN_SLOTS) != 0 && !run->problem->bounds) {
        skr_missing_slots_find(run, &feasible->leaf, ret);
    }
    return true;
}

void skr_explain_placed(struct skr_run *run, const struct skr_feasible *feasible,
                        struct skr_solution *solution)
{
    uint32_t parts = run->problem->explain_parts;
    solution->explanation = (struct skr_explanation){.largest = run->n};
    for (int32_t leaf = 0; leaf < run->tree->n_leaves; leaf++) {
        solution->explanation.sum_fits += feasible->leaf.most[leaf];
    }
    if ((parts & SKR_EXPLAIN_SIZES) != 0) {
        find_sizes(run, &solution->explanation);
    }
    if ((parts & SKR_EXPLAIN_KEYS) != 0 && !run->problem->bounds) {
        skr_best_keys_find(run, solution);
    }
}
