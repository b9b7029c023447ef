/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_EXPLAIN_H
#define SKR_CORE_SOLVER_ROLE_EXPLAIN_H
/* Why a problem with roles has no placement. Internal to the solver. Every part is a number of
 * exact runs of variants; a part that meets a limit is left out. */
#include "core/solver/role_variant.h"

/* Fills the explanation of the solution and that of its roles. False without memory. */
bool skr_role_explain(const struct skr_problem *problem, struct skr_solution *solution);

/* Nothing is known about the largest roles and sets. */
static inline void skr_role_explain_nothing(struct skr_roles_explanation *ret)
{
    for (size_t r = 0; r < SKR_ROLES_MAX; r++) {
        ret->largest_of_role[r] = -1;
    }
    for (size_t k = 0; k < SKR_SET_KINDS_MAX; k++) {
        ret->largest_of_sets[k] = -1;
    }
}

/* ---- the parts ---- */

/* Leaves that hold one new member of each role, now and empty. */
void skr_role_explain_leaves(const struct skr_problem *problem, struct skr_roles_explanation *ret);

#endif
