/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver: which method solves a problem, and its solution. Members without roles are one role
 * from here on. One role whose rules are those of a group is solved as equal members (answer.h);
 * rules over domains are a search (domains.h); all else is solved by role_exact.h.
 */
#include "core/solver/solver.h"

#include <inttypes.h>
#include <string.h>

#include "core/solver/answer.h"
#include "core/solver/domains.h"
#include "core/solver/role_beyond.h"
#include "core/solver/role_explain.h"
#include "core/solver/role_keys.h"
#include "core/solver/role_refute.h"

static int out_of_memory(struct skr_error *error)
{
    return skr_error_set(error, SKR_NO_MEMORY, "solver: out of memory");
}

/* Gives the solution away, or ends it after an error. */
static int finish(int rc, struct skr_solution *solution, struct skr_solution **ret)
{
    if (rc == 0) {
        *ret = solution;
    } else {
        skr_solution_destroy(solution);
    }
    return rc;
}

/* Sets of every kind in each unit of its level, from counts. */
static bool fill_sets(const struct skr_problem *problem, struct skr_solution *solution)
{
    const struct skr_tree *tree = problem->tree;
    for (size_t k = 0; k < problem->roles->n_kinds; k++) {
        const struct skr_set_kind *kind = &problem->roles->kind[k];
        size_t r = 0;
        while (kind->each[r] == 0) {
            r++;
        }
        int32_t *sets = skr_arena_array(solution->arena, (size_t)tree->n_units, sizeof *sets);
        if (!sets) {
            return false;
        }
        const int32_t *count = solution->roles->count + r * (size_t)tree->n_leaves;
        for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
            sets[skr_tree_unit_at(tree, leaf, kind->level)] += count[leaf];
        }
        for (int32_t unit = 0; unit < tree->n_units; unit++) {
            sets[unit] /= kind->each[r];
        }
        solution->roles->sets[k] = sets;
    }
    return true;
}

/* Everything of a placed solution that follows from roles->count and roles->size. */
static bool fill_placed(const struct skr_problem *problem, struct skr_solution *solution)
{
    struct skr_roles_outcome *out = solution->roles;
    struct skr_role_keys keys;
    if (!skr_role_keys_make(problem, out->count, solution->arena, &keys)) {
        return false;
    }
    solution->count = keys.sum;
    solution->key = keys.group;
    memcpy(out->own_key, keys.own, sizeof keys.own);
    if (!solution->optimal) {
        out->least_used = skr_arena_array(solution->arena, (size_t)problem->tree->n_levels,
                                          sizeof *out->least_used);
        if (!out->least_used || !skr_role_least_used(problem, out->size, out->least_used)) {
            return false;
        }
    }
    return fill_sets(problem, solution);
}

/* ---- one role, solved as equal members ---- */

/* The parts of the explanation of equal members that roles name, too; roles have no nearest values. */
static void explain_single(const struct skr_problem *problem, struct skr_solution *solution)
{
    struct skr_explanation *from = &solution->explanation;
    struct skr_roles_explanation *ret = &solution->roles->explanation;
    skr_role_explain_nothing(ret);
    ret->largest_of_role[0] = from->largest;
    ret->alone = 1;
    skr_role_explain_leaves(problem, ret);
    for (size_t i = 0; i < from->n_relaxations; i++) {
        for (size_t a = 0; a < from->relaxation[i].n_atoms; a++) {
            from->relaxation[i].atom[a].value = 0;
        }
    }
}

static void put_single(const struct skr_problem *problem, struct skr_solution *solution)
{
    const struct skr_role *role = &problem->roles->role[0];
    struct skr_roles_outcome *out = solution->roles;
    if (solution->status == SKR_SOLVE_PLACED) {
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
            out->size[0] += solution->count[leaf];
        }
        out->count = solution->count;
        bool own = false;
        for (int32_t l = 0; l < problem->tree->n_levels; l++) {
            own = own || (role->rule && role->has_rule && role->has_rule[l] != 0);
        }
        out->own_key[0] = own ? solution->key : NULL;
    }
    if (solution->status == SKR_SOLVE_INFEASIBLE && problem->explain) {
        explain_single(problem, solution);
    }
}

static int answer_single(const struct skr_problem *single, struct skr_solution **ret,
                         struct skr_error *error)
{
    return single->n_domain_rules > 0 ? skr_solve_domains(single, true, ret, error)
                                      : skr_answer(single, NULL, NULL, ret, error);
}

static int solve_single(const struct skr_problem *problem, struct skr_role_variant *single,
                        struct skr_solution **ret, struct skr_error *error)
{
    struct skr_problem *one = &single->problem;
    struct skr_role *role = &single->role[0];
    struct skr_solution *solution = NULL;
    const int32_t minimum = role->minimum;
    one->explain = problem->explain || minimum < one->n;
    one->explain_parts = problem->explain_parts;
    role->minimum = role->n;
    int rc = answer_single(one, &solution, error);
    if (rc == 0 && solution->status == SKR_SOLVE_INFEASIBLE && minimum < one->n &&
        solution->explanation.largest >= minimum) {
        one->n = role->n = role->minimum = solution->explanation.largest;
        one->explain = problem->explain;
        skr_solution_destroy(solution);
        solution = NULL;
        rc = answer_single(one, &solution, error);
    }
    if (rc == 0 && problem->roles) {
        solution->explanation =
            problem->explain ? solution->explanation : (struct skr_explanation){0};
        solution->roles = skr_arena_alloc(solution->arena, sizeof *solution->roles);
        rc = solution->roles ? 0 : out_of_memory(error);
    }
    if (rc == 0 && problem->roles) {
        put_single(problem, solution);
    }
    return finish(rc, solution, ret);
}

/* ---- several roles ---- */

/* An empty solution, and exact->count in its arena. NULL without memory. */
static struct skr_solution *begin(const struct skr_problem *problem, struct skr_role_exact *exact)
{
    const size_t n_roles = problem->roles->n_roles;
    struct skr_solution *solution = skr_solution_create(problem->tree, 2 * n_roles + 2);
    if (solution) {
        solution->roles = skr_arena_alloc(solution->arena, sizeof *solution->roles);
        exact->count = skr_arena_array(solution->arena, n_roles * (size_t)problem->tree->n_leaves,
                                       sizeof *exact->count);
        if (!solution->roles || !exact->count) {
            skr_solution_destroy(solution);
            return NULL;
        }
    }
    return solution;
}

/* The problem with the limits of bytes and, in *steps, of steps that hold. */
static struct skr_problem limit(const struct skr_problem *problem, int64_t *steps)
{
    struct skr_problem ret = *problem;
    ret.byte_limit = problem->byte_limit != 0 ? problem->byte_limit : SKR_ROLE_BYTES_MAX;
    *steps = problem->roles->steps > 0 ? problem->roles->steps : SKR_ROLE_STEPS_MAX;
    return ret;
}

static int put_answer(const struct skr_problem *problem, const struct skr_role_exact *exact,
                      struct skr_solution *solution, struct skr_error *error)
{
    solution->stats = exact->stats;
    solution->roles->rows = exact->rows;
    solution->roles->ports = exact->ports;
    switch (exact->verdict) {
    case SKR_ROLE_PLACED: {
        struct skr_error why = {0};
        skr_bug_on(skr_roles_check(problem, exact->size, exact->count, &why) != 0);
        solution->status = SKR_SOLVE_PLACED;
        solution->optimal = exact->optimal;
        memcpy(solution->roles->size, exact->size, sizeof exact->size);
        solution->roles->count = exact->count;
        return fill_placed(problem, solution) ? 0 : out_of_memory(error);
    }
    case SKR_ROLE_INFEASIBLE:
        solution->status = SKR_SOLVE_INFEASIBLE;
        return 0;
    case SKR_ROLE_BEYOND:
    case SKR_ROLE_CANCELLED:
        for (size_t r = 0; r < problem->roles->n_roles && exact->part; r++) {
            solution->roles->left_out[r] = problem->roles->role[r].n - exact->size[r];
        }
        solution->status = SKR_SOLVE_TIMEOUT;
        return 0;
    case SKR_ROLE_NO_MEMORY:
    default:
        return out_of_memory(error);
    }
}

static int solve_into(const struct skr_problem *problem, struct skr_role_exact *exact,
                      struct skr_solution *solution, struct skr_error *error)
{
    if (problem->step_budget == 0) {
        solution->status = SKR_SOLVE_TIMEOUT;
        return 0;
    }
    const struct skr_problem limited = limit(problem, &exact->steps);
    const int64_t steps = exact->steps;
    if (!problem->no_fast_paths && skr_role_lacks_room(problem)) {
        exact->verdict = SKR_ROLE_INFEASIBLE;
    } else {
        skr_role_exact_run(&limited, exact);
    }
    if (exact->verdict == SKR_ROLE_BEYOND ||
        (exact->verdict == SKR_ROLE_PLACED && !exact->optimal)) {
        skr_role_beyond(&limited, exact);
    }
    int rc = put_answer(problem, exact, solution, error);
    solution->roles->steps = steps - exact->steps;
    if (rc == 0 && solution->status == SKR_SOLVE_INFEASIBLE && problem->explain &&
        !skr_role_explain(&limited, solution)) {
        rc = out_of_memory(error);
    }
    if (rc == 0 && solution->status == SKR_SOLVE_PLACED && problem->explain) {
        solution->explanation.largest = limited.n;
    }
    return rc;
}

int skr_roles_answer(const struct skr_problem *problem, const int32_t *count, const int32_t *size,
                     bool proven, struct skr_solution **ret, struct skr_error *error)
{
    const size_t n = problem->roles->n_roles * (size_t)problem->tree->n_leaves;
    struct skr_role_exact exact = {
        .verdict = count    ? SKR_ROLE_PLACED
                   : proven ? SKR_ROLE_INFEASIBLE
                            : SKR_ROLE_BEYOND,
        .optimal = proven,
    };
    struct skr_solution *solution = begin(problem, &exact);
    if (solution && count) {
        memcpy(exact.count, count, n * sizeof *count);
        memcpy(exact.size, size, sizeof exact.size);
    }
    return !solution ? out_of_memory(error)
                     : finish(put_answer(problem, &exact, solution, error), solution, ret);
}

int skr_solve(const struct skr_problem *problem, struct skr_solution **ret, struct skr_error *error)
{
    struct skr_role_variant single;
    int rc = skr_problem_check(problem, error);
    if (rc != 0) {
        return rc;
    }
    skr_role_variant_init(&single, problem);
    if (skr_role_variant_single(&single)) {
        return solve_single(problem, &single, ret, error);
    }
    if (problem->n_domain_rules > 0) {
        return skr_solve_domains(problem, false, ret, error);
    }
    struct skr_role_exact exact = {0};
    struct skr_solution *solution = begin(problem, &exact);
    return !solution ? out_of_memory(error)
                     : finish(solve_into(problem, &exact, solution, error), solution, ret);
}

int skr_roles_fit(const struct skr_problem *problem, bool *ret, bool *decided,
                  struct skr_error *error)
{
    struct skr_role_variant single;
    enum skr_role_verdict verdict = SKR_ROLE_BEYOND;
    skr_role_variant_init(&single, problem);
    if (!skr_role_variant_single(&single) && problem->n_domain_rules == 0) {
        int64_t steps;
        const struct skr_problem limited = limit(problem, &steps);
        verdict = skr_role_feasible(&limited, &steps);
    }
    *decided = verdict == SKR_ROLE_PLACED || verdict == SKR_ROLE_INFEASIBLE;
    *ret = verdict == SKR_ROLE_PLACED;
    if (verdict != SKR_ROLE_BEYOND) {
        return verdict == SKR_ROLE_NO_MEMORY ? out_of_memory(error) : 0;
    }
    struct skr_solution *solution = NULL;
    int rc = skr_solve(problem, &solution, error);
    if (rc == 0 && solution) {
        *decided = solution->status != SKR_SOLVE_TIMEOUT;
        *ret = solution->status == SKR_SOLVE_PLACED;
        skr_solution_destroy(solution);
    }
    return rc;
}
