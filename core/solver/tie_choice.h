/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_TIE_CHOICE_H
#define SKR_CORE_SOLVER_TIE_CHOICE_H
/* The last step: one of the optimal placements, by the rule for ties. Internal to the solver. */
#include "core/solver/choice_graph.h"

/* The members of all units below the root (of the levels that were opened) into
 * members[tree->n_units * n_roles]. Of all optimal placements it is the one whose units have the
 * greatest values, at every sibling set from left to right, the root's set first. The value of a unit
 * is its members in sum, then those of each role. False when the run had to stop. */
bool skr_tie_choose(const struct skr_graph *graph, int32_t *members);

#endif
