/* SPDX-License-Identifier: Apache-2.0 */
/* What the roles of an infeasible problem lack: leaves that hold one member of them, the roles that are
 * infeasible alone, and the largest part of each role at the root. */
#include "core/solver/role_explain.h"

#include "core/solver/explain.h"
#include "topology/room.h"

void skr_role_explain_leaves(const struct skr_problem *problem, struct skr_roles_explanation *ret)
{
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        const struct skr_role *role = &problem->roles->role[r];
        const uint8_t *emptied = role->emptied ? role->emptied : role->eligible;
        ret->holds_now[r] = 0;
        ret->holds_empty[r] = 0;
        for (int32_t leaf = 0; leaf < problem->tree->n_leaves; leaf++) {
            size_t row = (size_t)leaf * problem->n_resources;
            if (skr_role_takes(role, leaf) && skr_room_holds_all(problem->free + row, role->demand,
                                                                 problem->n_resources, 1) == 1) {
                ret->holds_now[r]++;
            }
            if (problem->capacity && (!emptied || emptied[leaf] != 0) &&
                skr_room_holds_all(problem->capacity + row, role->demand, problem->n_resources,
                                   1) == 1) {
                ret->holds_empty[r]++;
            }
        }
    }
}

static uint32_t infeasible_alone(const struct skr_problem *problem, int64_t *steps)
{
    uint32_t ret = 0;
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        struct skr_role_variant v;
        skr_role_variant_init(&v, problem);
        skr_role_variant_keep_roles(&v, UINT32_C(1) << r);
        if (skr_role_feasible(&v.problem, steps) == SKR_ROLE_INFEASIBLE) {
            ret |= UINT32_C(1) << r;
        }
    }
    return ret;
}

static bool explain_root(struct skr_role_run *rr, const struct skr_feasible *sets,
                         struct skr_solution *solution)
{
    const struct skr_axes *axes = &rr->axes[1];
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    struct skr_rows rows;
    int32_t least[SKR_AXES_MAX];
    int32_t most[SKR_AXES_MAX];
    int32_t found[SKR_AXES_MAX];
    if (!skr_role_sets_root(rr, sets, &rows)) {
        return false;
    }
    for (int32_t a = 0; a < axes->n; a++) {
        int32_t role = axes->axis[a].role;
        most[a] = axes->axis[a].most;
        least[a] = role >= 0 ? rr->roles->role[role].minimum : most[a];
    }
    skr_rows_most_beside(axes, &rows, least, most, found);
    for (int32_t a = 0; a < axes->n; a++) {
        if (axes->axis[a].role >= 0) {
            roles->largest_of_role[axes->axis[a].role] = found[a];
        } else {
            roles->largest_of_sets[axes->axis[a].kind] = found[a];
        }
    }
    solution->explanation.largest = skr_rows_greatest(axes, &rows, rr->run.n_roles);
    return true;
}

/* The most members that fit without any rule, set and cap, at most all. */
static int64_t sum_of_fits(const struct skr_problem *problem)
{
    struct skr_role_variant v;
    struct skr_role_run rr;
    struct skr_feasible sets;
    struct skr_rows rows;
    int64_t sum = 0;
    skr_role_variant_init(&v, problem);
    skr_role_variant_free_levels(&v, problem->tree->n_levels);
    if (skr_role_run_init(&rr, &v.problem, NULL, 1) && skr_role_sets_build(&rr, &sets) &&
        skr_role_sets_root(&rr, &sets, &rows)) {
        sum = skr_rows_greatest(&rr.axes[1], &rows, rr.run.n_roles);
    }
    skr_role_run_fini(&rr);
    return sum;
}

/* What S(root) has, and the bottlenecks of the deciding level (0: none). */
static void explain_sets(const struct skr_problem *problem, struct skr_solution *solution)
{
    struct skr_role_run rr;
    struct skr_feasible sets;
    skr_role_explain_nothing(&solution->roles->explanation);
    solution->explanation.sum_fits = sum_of_fits(problem);
    if (skr_role_run_init(&rr, problem, NULL, 1) && skr_role_sets_build(&rr, &sets) &&
        explain_root(&rr, &sets, solution) && solution->explanation.level > 0) {
        skr_bottlenecks_find(&rr.run, &sets, &solution->explanation);
    }
    skr_role_run_fini(&rr);
}

bool skr_role_explain(const struct skr_problem *problem, struct skr_solution *solution)
{
    struct skr_explanation *ret = &solution->explanation;
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    struct skr_trial trial = {.problem = problem, .steps = SKR_ROLE_STEPS_MAX};
    *ret = (struct skr_explanation){0};
    skr_role_explain_leaves(problem, roles);
    roles->alone = infeasible_alone(problem, &trial.steps);
    if (!skr_explain_class(&trial, ret)) {
        return false;
    }
    explain_sets(problem, solution);
    if ((problem->explain_parts & SKR_EXPLAIN_RELAXATIONS) != 0 &&
        ret->class != SKR_CLASS_WAITING_FOR_CAPACITY) {
        skr_relaxations_find(&trial, ret);
    }
    return true;
}
