/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ANSWER_H
#define SKR_CORE_SOLVER_ANSWER_H
/* From a problem to its solution, with feasible sets made here or kept elsewhere. Internal. */
#include "core/solver/feasible_sets.h"

/* 0, or what is wrong with the problem. */
int skr_answer_check(const struct skr_problem *problem, struct skr_error *error);
/* skr_solve() of a problem that was checked. base and feasible: NULL, or a run that keeps the
 * problem's rules, n and tie break, and its sets for the problem's leaves; their spans get the
 * notes of the search and lose them again. */
int skr_answer(const struct skr_problem *problem, const struct skr_run *base,
               const struct skr_feasible *feasible, struct skr_solution **ret,
               struct skr_error *error);
/* What a run that stopped means; not for cancelled ones. */
int skr_answer_error(const struct skr_run *run, struct skr_error *error);

#endif
