/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations, put together from bottleneck.c, relaxation.c, missing_slots.c, best_key.c and the
 * feasible sizes, which are S(root) of the same problem with twice the members. The parts never
 * change the answer. A part that meets a limit is not marked as complete.
 *
 * Class. The same problem with other leaves: all of them as large as the group; all eligible ones
 * empty but for the claims; or as they are, without any rule, set and cap.
 *
 * Deciding level. The deepest one whose rules, sets and caps make the problem infeasible together
 * with those below it.
 */
#include "core/solver/explain.h"

#include <stdlib.h>

#include "core/solver/each_role.h"
#include "core/solver/role_refute.h"
#include "topology/room.h"

/* ---- the class ---- */

static bool find_sets(struct skr_run *inner, struct skr_feasible *ret)
{
    struct skr_leaf_bounds leaf;
    return skr_leaf_bounds(inner, inner->problem, &leaf) && skr_feasible_build(inner, &leaf, ret);
}

enum skr_role_verdict skr_trial_decide(struct skr_trial *t, struct skr_role_variant *variant,
                                       int32_t deepest)
{
    struct skr_run inner;
    struct skr_feasible sets;
    if (!t->run) {
        return skr_role_decide(&variant->problem, &t->steps);
    }
    if (t->run->stop != SKR_RUN_GOES_ON || t->stop != SKR_RUN_GOES_ON || deepest == 0) {
        return deepest == 0 ? SKR_ROLE_INFEASIBLE : SKR_ROLE_CANCELLED;
    }
    variant->problem.tie_break = deepest > 0 ? variant->problem.tie_break : SKR_TIE_TREE;
    skr_bug_on(!skr_role_variant_single(variant));
    const bool done =
        skr_run_begin_inner(t->run, &variant->problem, &inner) &&
        (deepest > 0 ? skr_feasible_rebuild(&inner, t->run, t->feasible, deepest, &sets)
                     : find_sets(&inner, &sets));
    const bool fits = done && skr_feasible_has(&inner, &sets, inner.sizes);
    t->stop = inner.stop;
    skr_run_end_inner(t->run, &inner);
    return t->stop != SKR_RUN_GOES_ON ? SKR_ROLE_CANCELLED
           : fits                     ? SKR_ROLE_PLACED
                                      : SKR_ROLE_INFEASIBLE;
}

enum change { ANY_SIZE, ELIGIBLE_EMPTY, ALL_EMPTY, NO_RULES };

/* room: [n_resources] of 0, then [leaf * n_resources + d] of an empty cluster beside the claims. */
static bool infeasible_with(struct skr_trial *t, const int64_t *room, enum change change)
{
    struct skr_role_variant v;
    bool differs = change != ALL_EMPTY;
    skr_role_variant_init(&v, t->problem);
    if (change == NO_RULES) {
        skr_role_variant_free_levels(&v, t->problem->tree->n_levels);
        return skr_trial_decide(t, &v, -1) == SKR_ROLE_INFEASIBLE;
    }
    v.problem.free = room + t->problem->n_resources;
    for (size_t r = 0; r < v.roles.n_roles; r++) {
        struct skr_role *role = &v.role[r];
        role->demand = change == ANY_SIZE ? room : role->demand;
        role->eligible = change == ANY_SIZE                     ? NULL
                         : change == ALL_EMPTY && role->emptied ? role->emptied
                                                                : role->eligible;
        differs = differs || role->emptied;
    }
    return !differs || skr_trial_decide(t, &v, -1) == SKR_ROLE_INFEASIBLE;
}

/* The room of an empty cluster beside the claims. */
static void put_empty(const struct skr_problem *problem, int64_t *ret)
{
    const size_t n = problem->n_resources;
    for (size_t i = 0; i < (size_t)problem->tree->n_leaves * n && problem->capacity; i++) {
        ret[i] = problem->capacity[i];
        for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
            const struct skr_role role = skr_problem_role(problem, r);
            const int64_t claimed = skr_role_claimed(&role, (int32_t)(i / n));
            ret[i] = skr_room_plus(ret[i], -skr_amount_times(role.demand[i % n], claimed));
        }
    }
}

/* 0: the packing alone is infeasible, or a limit was met. */
static int32_t deciding_level(struct skr_trial *t)
{
    struct skr_role_variant v;
    enum skr_role_verdict verdict = SKR_ROLE_PLACED;
    int32_t level = t->problem->tree->n_levels + 1;
    while (level > 1 && verdict == SKR_ROLE_PLACED) {
        skr_role_variant_init(&v, t->problem);
        skr_role_variant_free_levels(&v, --level - 1);
        verdict = skr_trial_decide(t, &v, level - 1);
    }
    return verdict == SKR_ROLE_INFEASIBLE ? level : 0;
}

bool skr_explain_class(struct skr_trial *t, struct skr_explanation *ret)
{
    const struct skr_problem *problem = t->problem;
    const size_t n = problem->n_resources;
    const bool full = t->run && ret->sum_fits < problem->n;
    SKR_AUTO_FREE int64_t *room =
        calloc(((size_t)problem->tree->n_leaves + 1) * n + 1, sizeof *room);
    if (!room) {
        return false;
    }
    put_empty(problem, room + n);
    if (infeasible_with(t, room, ANY_SIZE)) {
        ret->class = SKR_CLASS_CONSTRAINT_CONFLICT;
    } else if (problem->capacity && infeasible_with(t, room, ELIGIBLE_EMPTY)) {
        ret->class = SKR_CLASS_NEVER_FITS;
        ret->closed = !infeasible_with(t, room, ALL_EMPTY);
    } else {
        const bool waits = full || (!t->run && infeasible_with(t, room, NO_RULES));
        ret->class = waits ? SKR_CLASS_WAITING_FOR_CAPACITY : SKR_CLASS_PLACEMENT_FAILED;
    }
    if (!full && ret->class != SKR_CLASS_WAITING_FOR_CAPACITY) {
        ret->level = deciding_level(t);
    }
    if (t->run && t->stop != SKR_RUN_GOES_ON) {
        t->run->stop = t->stop;
    }
    return t->stop == SKR_RUN_GOES_ON;
}

/* ---- sizes ---- */

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
    struct skr_feasible feasible;
    if (skr_run_begin_inner(run, &problem, &inner)) {
        uint64_t *bits = skr_run_alloc(&inner, (size_t)inner.n / 64 + 1, sizeof *bits);
        if (bits && find_sets(&inner, &feasible)) {
            skr_feasible_totals(&inner, &feasible, 0, bits);
            list_ranges(bits, inner.n, run->n, ret);
        }
    }
    skr_run_end_inner(run, &inner);
}

static void put_sum_of_fits(const struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret)
{
    for (int32_t leaf = 0; leaf < run->tree->n_leaves; leaf++) {
        ret->sum_fits += feasible->leaf.most[leaf];
    }
}

bool skr_explain_infeasible(struct skr_run *run, const struct skr_feasible *feasible,
                            struct skr_explanation *ret)
{
    struct skr_trial trial = {.problem = run->problem, .run = run, .feasible = feasible};
    uint32_t parts = run->problem->explain_parts;
    uint64_t *bits = skr_run_alloc(run, (size_t)skr_bits_words(run->n), sizeof *bits);
    *ret = (struct skr_explanation){0};
    if (!bits) {
        return false;
    }
    skr_feasible_totals(run, feasible, 0, bits);
    const int32_t largest = skr_bits_previous(bits, run->n);
    ret->largest = largest > 0 ? largest : 0;
    put_sum_of_fits(run, feasible, ret);
    if (!skr_explain_class(&trial, ret) ||
        (ret->level > 0 && !skr_bottlenecks_find(run, feasible, ret))) {
        return false;
    }
    if ((parts & SKR_EXPLAIN_SIZES) != 0) {
        find_sizes(run, ret);
    }
    if ((parts & SKR_EXPLAIN_RELAXATIONS) != 0) {
        skr_relaxations_find(&trial, ret);
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
    put_sum_of_fits(run, feasible, &solution->explanation);
    if ((parts & SKR_EXPLAIN_SIZES) != 0) {
        find_sizes(run, &solution->explanation);
    }
    if ((parts & SKR_EXPLAIN_KEYS) != 0 && !run->problem->bounds) {
        skr_best_keys_find(run, solution);
    }
}
