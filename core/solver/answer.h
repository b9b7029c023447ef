/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ANSWER_H
#define SKR_CORE_SOLVER_ANSWER_H
/* From a problem to its solution. Internal to the solver. */
#include "core/solver/feasible_sets.h"

/* An empty solution with room for counts and keys of so many rows of leaves. NULL without memory. */
struct skr_solution *skr_solution_create(const struct skr_tree *tree, size_t rows);
/* 0, or the error of a problem that contradicts itself. */
int skr_problem_check(const struct skr_problem *problem, struct skr_error *error);
/* The answer to a problem of equal members that was checked, without rules over domains, as
 * skr_role_variant_single() makes it. base and feasible: NULL, or a run with the problem's
 * rules, n and tie break, and its sets for the problem's leaves. The search writes notes to their
 * spans and removes them again. */
int skr_answer(const struct skr_problem *problem, const struct skr_run *base,
               const struct skr_feasible *feasible, struct skr_solution **ret,
               struct skr_error *error);
/* The error of a run that stopped, unless it was cancelled. */
int skr_answer_error(const struct skr_run *run, struct skr_error *error);

/* The answer of a search beside the method: these counts (NULL: there are none) and sizes. proven:
 * that they are optimal, or that no placement exists. */
int skr_roles_answer(const struct skr_problem *problem, const int32_t *count, const int32_t *size,
                     bool proven, struct skr_solution **ret, struct skr_error *error);
/* Whether the problem has a placement, without one being made where several roles allow that. Errors
 * as skr_solve(). *decided: false: a limit was met, or it was cancelled. */
int skr_roles_fit(const struct skr_problem *problem, bool *ret, bool *decided,
                  struct skr_error *error);

#endif
