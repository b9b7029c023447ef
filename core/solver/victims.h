/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_VICTIMS_H
#define SKR_CORE_SOLVER_VICTIMS_H
/*
 * Victims: the running groups that are evicted so that a group of higher priority fits. Pure and
 * deterministic, as the solver below it (solver.h, docs/solver.md).
 *
 * A set of victims is sufficient if the problem is feasible with the room of all its members added.
 * Of all sufficient sets the answer is the least by, in this order,
 *   1. the highest priority of its whole groups. Without any: single members of groups that do not
 *      need them are above ordinary pods alone, and these go by their highest priority
 *   2. the groups that lose their gang; one that gives up members it does not need is not counted
 *   3. the running members that are evicted
 *   4. the highest priority of the single members; none is best
 *   5. the objective of the placement afterwards (without SKR_TIE_TIGHT)
 *   6. single members of the highest rank first, then the names in byte order, the first difference
 *      deciding, a shorter list first
 * So the set is minimal: without any one of its victims, and those that have to go with it, the group
 * does not fit. Victims are whole. A group may be listed together with single members that it does
 * not need (surplus_of). If these came by steps, they go by steps, and rules of their group hold on what it
 * keeps.
 *
 * Room is monotone: more of it never makes a feasible problem infeasible, whatever the rules. So
 * the priority is found by bisection, and proofs hold for every rule. The search for the rest is
 * exact within a budget of steps. Beyond it the answer is the best set found, with what is proven
 * of it. If a table (victims_tables.h) has less room for more victims, the answer is a sufficient set, but there may
 * be a better one. INSUFFICIENT is wrong at most if what one set leaves on a leaf and what another one leaves
 * on a second leaf are needed together.
 *
 * Rules about pods of victims (needs) are not monotone. An answer keeps all of them; if the best set
 * breaks one, the answer is the best that was found of those that do not (victims_needs.h).
 */
#include "core/solver/victims_problem.h"

/* *ret is owned by the caller. Errors are those of skr_solve(); -SKR_INVALID too when a victim
 * names a leaf, a group or a budget that does not exist. Cost: log(priorities) passes over all
 * leaves, then the changed leaves of each set that is tried. */
int skr_victims_find(const struct skr_victims_problem *problem, struct skr_victims **ret,
                     struct skr_error *error);
void skr_victims_destroy(struct skr_victims *victims); /* NULL allowed */

#endif
