/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_SOLVER_H
#define SKR_CORE_SOLVER_SOLVER_H
/*
 * The solver: how many members of one group go to which leaf. Pure, exact, deterministic; callable
 * from any thread. Meaning of rules, objective and ties: docs/solver.md.
 *
 * Validity: x(root) = n; claimed <= x(leaf) <= claimed + new(leaf), new(leaf) = 0 if not eligible,
 * else min over resources with demand > 0 of floor(max(0, free) / demand); every unit is within its
 * bounds; on every sibling set of a used parent the rule of the children's level holds.
 *
 * Objective: keys per level from the top. Pack: fewest used units, then the lexicographically
 * greatest sorted counts. Spread: the lexicographically smallest sorted counts.
 *
 * Ties: the lexicographically greatest vector of child counts in tree order, root first, then
 * children from left to right. With SKR_TIE_TIGHT the room of used units of pack levels decides
 * before that.
 */
#include "core/solver/solution.h"
#include "topology/base/error.h"

/* *ret is owned by the caller. Errors: SKR_INVALID (a negative demand, n < claims, n beyond
 * limits), SKR_NO_MEMORY, SKR_LIMIT (byte limit of the run). INFEASIBLE is an answer, not an
 * error. */
int skr_solve(const struct skr_problem *problem, struct skr_solution **ret,
              struct skr_error *error);
#endif
