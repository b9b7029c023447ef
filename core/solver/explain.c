/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explanations, put together from bottleneck.c, relaxation.c, missing_slots.c, best_key.c and the
 * feasible sizes, which are S(root) of the same problem with twice the members. The parts never
 * change the answer. A part that meets a limit is not marked as complete.
 *
 * Class. The same problem with other leaves: all of them as large as the group; all eligible ones
 * empty but for the claims; or as they are, without any rule, set and cap.
 */
#include "core/solver/explain.h"

#include <stdlib.h>

#include "core/solver/each_role.h"
#include "core/solver/roles/role_refute.h"
#include "core/solver/roles/role_variant.h"
#include "core/solver/roles/roles_solve.h"
#include "topology/room.h"

/* ---- the class ---- */

struct trial {
    const struct skr_problem *problem;
    struct skr_run *run; /* of equal members; NULL: of roles, with */
    int64_t *steps;
    const int64_t *empty;   /* [leaf * n_resources + d] of an empty cluster, beside the claims */
    const int64_t *nothing; /* [n_resources] */
    bool full;              /* the sum of fits is below n; of equal members */
};

/* The sizes that fit into an inner run of equal members. */
static bool find_sets(struct skr_run *inner, struct skr_feasible *ret)
{
    struct skr_leaf_bounds leaf;
    return skr_leaf_bounds(inner, inner->problem, &leaf) && skr_feasible_build(inner, &leaf, ret);
}

static bool is_infeasible(const struct trial *t, struct skr_role_variant *v)
{
    struct skr_rule rule[SKR_LEVELS_MAX];
    struct skr_problem single;
    struct skr_run inner;
    struct skr_feasible feasible;
    if (!t->run) {
        return skr_role_decide(&v->problem, t->steps) == SKR_ROLE_INFEASIBLE;
    }
    v->problem.tie_break = SKR_TIE_TREE;
    skr_bug_on(!skr_role_single(&v->problem, rule, &single));
    const bool not = skr_run_begin_inner(t->run, &single, &inner) && find_sets(&inner, &feasible) &&
                     !skr_feasible_has(&inner, &feasible, inner.n);
    t->run->stop = inner.stop;
    skr_run_end_inner(t->run, &inner);
    return not;
}

enum change { ANY_SIZE, ELIGIBLE_EMPTY, ALL_EMPTY, NO_RULES };

static bool infeasible_with(const struct trial *t, enum change change)
{
    struct skr_role_variant v;
    bool differs = change != ALL_EMPTY;
    skr_role_variant_init(&v, t->problem);
    if (change == NO_RULES) {
        skr_role_variant_free_levels(&v, t->problem->tree->n_levels);
        return t->run ? t->full : is_infeasible(t, &v);
    }
    v.problem.free = t->empty;
    for (size_t r = 0; r < v.roles.n_roles; r++) {
        struct skr_role *role = &v.role[r];
        role->demand = change == ANY_SIZE ? t->nothing : role->demand;
        role->eligible = change == ANY_SIZE                     ? NULL
                         : change == ALL_EMPTY && role->emptied ? role->emptied
                                                                : role->eligible;
        differs = differs || role->emptied;
    }
    return !differs || is_infeasible(t, &v);
}

/* The room of an empty cluster beside the claims. */
static void put_empty(const struct skr_problem *problem, int64_t *ret)
{
    const size_t n = problem->n_resources;
    for (size_t i = 0; i < (size_t)problem->tree->n_leaves * n && problem->capacity; i++) {
        ret[i] = problem->capacity[i];
        for (size_t r = 0; r < skr_problem_n_roles(problem); r++) {
            const struct skr_role role = skr_problem_role(problem, r);
            const int64_t claimed = role.claimed ? role.claimed[i / n] : 0;
            ret[i] = skr_room_plus(ret[i], -skr_amount_times(role.demand[i % n], claimed));
        }
    }
}

bool skr_explain_class(struct skr_run *run, const struct skr_problem *problem, int64_t *steps,
                       struct skr_explanation *ret)
{
    const size_t n = problem->n_resources;
    SKR_AUTO_FREE int64_t *room =
        calloc(((size_t)problem->tree->n_leaves + 1) * n + 1, sizeof *room);
    const struct trial t = {problem, run, steps, room + n, room, ret->sum_fits < problem->n};
    if (!room) {
        return false;
    }
    put_empty(problem, room + n);
    if (infeasible_with(&t, ANY_SIZE)) {
        ret->class = SKR_CLASS_CONSTRAINT_CONFLICT;
    } else if (problem->capacity && infeasible_with(&t, ELIGIBLE_EMPTY)) {
        ret->class = SKR_CLASS_NEVER_FITS;
        ret->closed = !infeasible_with(&t, ALL_EMPTY);
    } else {
        ret->class = infeasible_with(&t, NO_RULES) ? SKR_CLASS_WAITING_FOR_CAPACITY
                                                   : SKR_CLASS_PLACEMENT_FAILED;
    }
    return !run || run->stop == SKR_RUN_GOES_ON;
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
