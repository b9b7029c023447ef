/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_REFUTE_H
#define SKR_CORE_SOLVER_ROLE_REFUTE_H
/*
 * Proofs that a problem with roles has no placement, for problems beyond the exact range. Each is a
 * relaxation, which drops rules, roles, resources or differences between roles, and adds nothing:
 *
 * - room: members of some roles need more of a resource than the leaves have that take one of these
 *   roles; or they are more than these leaves hold if each needs the least that one of them does
 * - equal members: all members need the least that one does, under the rules of the group
 * - each role by itself, and each pair of roles, with their rules
 *
 * Internal to the solver.
 */
#include "core/solver/role_exact.h"

/* The first proof alone. True: there is no placement. O(subsets of roles * leaves * resources), for
 * few leaves or few roles; otherwise the subsets are single roles and all. */
bool skr_role_lacks_room(const struct skr_problem *problem);
/* INFEASIBLE, CANCELLED, or BEYOND: no proof was found. Takes steps from *steps. */
enum skr_role_verdict skr_role_refute(const struct skr_problem *problem, int64_t *steps);
/* PLACED, INFEASIBLE, CANCELLED, NO_MEMORY or BEYOND: by the exact method, or by a proof. */
enum skr_role_verdict skr_role_decide(const struct skr_problem *problem, int64_t *steps);

#endif
