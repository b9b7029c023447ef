/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_TIE_CHOICE_H
#define SKR_CORE_SOLVER_TIE_CHOICE_H
/* The last step: one of the optimal placements, by the rule for ties. Internal to the solver. */
#include "core/solver/choice_graph.h"
#include "core/solver/feasible_sets.h"

/* Counts of all units (of the levels that were opened) into total[tree->n_units]: at every sibling
 * set the lexicographically greatest vector of child counts, the root's set first. False when the
 * run had to stop. */
bool skr_tie_choose(const struct skr_graph *graph, const struct skr_feasible *feasible,
                    int32_t *total);

#endif
