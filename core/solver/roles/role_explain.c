/* SPDX-License-Identifier: Apache-2.0 */
/* What the roles of an infeasible problem lack: leaves that hold one member of them, and the roles that
 * are infeasible alone. */
#include "core/solver/roles/role_explain.h"

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

bool skr_role_explain(const struct skr_problem *problem, struct skr_solution *solution)
{
    struct skr_explanation *ret = &solution->explanation;
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    int64_t steps = SKR_ROLE_STEPS_MAX;
    *ret = (struct skr_explanation){0};
    skr_role_explain_leaves(problem, roles);
    roles->alone = infeasible_alone(problem, &steps);
    if (!skr_explain_class(problem, NULL, NULL, &steps, ret) ||
        !skr_role_explain_sets(problem, ret->level, solution)) {
        return false;
    }
    if ((problem->explain_parts & SKR_EXPLAIN_RELAXATIONS) != 0 &&
        ret->class != SKR_CLASS_WAITING_FOR_CAPACITY) {
        skr_role_relaxations_find(problem, &steps, ret);
    }
    return true;
}
