/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations, put together from bottleneck.c, relaxation.c, missing_slots.c, best_key.c and the
 * feasible sizes, which are S(root) of the same problem with twice the members. The parts never
 * change the answer. A part that meets a limit is not marked as complete.
 */
#include "core/solver/explain.h"

/* The ranges of sizes (bits, at most `most`) nearest to n, ascending. first .. last grows from n
 * outwards by whole ranges, the nearer side first. */
static void list_ranges(const uint64_t *bits, int32_t most, int32_t n, struct skr_explanation *ret)
{
    int32_t words = skr_bits_words(most);
    int32_t first = n + 1;
    int32_t last = n;
    int32_t left = skr_bits_previous(bits, n);
    int32_t right = skr_bits_next(bits, words, n + 1);
    for (int i = 0; (left > 0 || right > 0) && i < SKR_SIZE_RANGES_MAX; i++) {
        if (left > 0 && (right <= 0 || n - left <= right - n)) {
            for (first = left; first > 1 && skr_bits_get(bits, first - 1);) {
                first--;
            }
            left = skr_bits_previous(bits, first - 1);
        } else {
            for (last = right; last < most && skr_bits_get(bits, last + 1);) {
                last++;
            }
            right = last < most ? skr_bits_next(bits, words, last + 1) : -1;
        }
    }
    for (int32_t size = first; size <= last; size++) {
        struct skr_size_range *range = ret->n_sizes > 0 ? &ret->size[ret->n_sizes - 1] : NULL;
        if (range && range->last == size - 1 && skr_bits_get(bits, size)) {
            range->last = size;
        } else if (skr_bits_get(bits, size)) {
            ret->size[ret->n_sizes++] = (struct skr_size_range){.first = size, .last = size};
        }
    }
    ret->sizes_first = left > 0 ? left + 1 : 1;
    ret->sizes_last = right > 0 ? right - 1 : most;
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
            list_ranges(bits, inner.n, run->n, ret);
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
