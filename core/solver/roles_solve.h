/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_SOLVE_H
#define SKR_CORE_SOLVER_ROLES_SOLVE_H
/* From a problem with roles to its solution. Internal to the solver. */
#include "core/solver/roles.h"
#include "core/solver/solution.h"

/* The answer of a search beside the method: these counts (NULL: there are none) and sizes. proven:
 * that they are optimal, or that no placement exists. */
int skr_roles_answer(const struct skr_problem *problem, const int32_t *count, const int32_t *size,
                     bool proven, struct skr_solution **ret, struct skr_error *error);
/* skr_solve() of a problem with roles, which were checked (skr_problem_check()), without
 * rules over domains. */
int skr_roles_solve(const struct skr_problem *problem, struct skr_solution **ret,
                    struct skr_error *error);

/* Whether the problem has a placement, without one being made. Error: SKR_NO_MEMORY. *decided: false:
 * a limit was met, or it was cancelled. */
int skr_roles_fit(const struct skr_problem *problem, bool *ret, bool *decided,
                  struct skr_error *error);

#endif
