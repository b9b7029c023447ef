/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_TWINS_H
#define SKR_CORE_SOLVER_ROLE_TWINS_H
/*
 * Twins share an axis. Neighbours in role order are twins if they have the same demand and leaves, and
 * no rules, sets, claims or smaller minimum of their own, and every cap counts both or none. Only
 * their sum matters for rules and keys. The rule for ties gives a child as many members of the first
 * twin as it can take, then of the second. So the optimum of the merged problem, with the members of
 * the twins laid over the leaves from left to right, is that of the problem.
 *
 * Internal to the solver.
 */
#include "core/solver/role_variant.h"

struct skr_role_twins {
    struct skr_role_variant merged; /* must not move */
    size_t into[SKR_ROLES_MAX];     /* the role of the merged problem */
};

/* Whether two roles have the same demand and leaves, and none has rules, sets, claims or a smaller
 * minimum of its own. Caps are not looked at. O(leaves). */
bool skr_role_twins_alike(const struct skr_problem *problem, size_t r, size_t other);
/* False: no two roles are twins. O(roles * leaves). */
bool skr_role_twins_merge(const struct skr_problem *problem, struct skr_role_twins *ret);
/* Sizes of the problem's roles from those of the merged one, in place. The same for counts, NULL
 * allowed: [role * n_leaves + leaf] for all roles of the problem. */
void skr_role_twins_split(const struct skr_role_twins *twins, const struct skr_problem *problem,
                          int32_t *size, int32_t *count);

#endif
