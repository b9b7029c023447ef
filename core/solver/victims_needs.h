/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_NEEDS_H
#define SKR_CORE_SOLVER_VICTIMS_NEEDS_H
/*
 * Rules of the members about pods that victims have: required affinity, and spread. More room never
 * harms, but fewer pods may. So these rules are checked on the answer of a search, without the pods of
 * its victims. If one is broken, the search is repeated in turn without each of the victims whose pods
 * it needs, and without the domain.
 */
#include "core/solver/victims_problem.h"

/* Whether all needs hold for the placement without the pods of these victims. *ret_need, *ret_domain: the
 * first broken one, and the domain where; NULL allowed. O(needs * (leaves + domains + gifts * n)). */
bool skr_victims_needs_hold(const struct skr_victims_problem *problem, const size_t *victim,
                            size_t n, const struct skr_solution *solution, size_t *ret_need,
                            int32_t *ret_domain);

/* As find(), which ignores needs, for an answer that keeps them. find() searches the problem that it
 * gets, with skr_victims_problem.kept. */
int skr_victims_needs_search(const struct skr_victims_problem *problem,
                             int (*find)(const struct skr_victims_problem *, struct skr_victims **,
                                         struct skr_error *),
                             struct skr_victims **ret, struct skr_error *error);

#endif
