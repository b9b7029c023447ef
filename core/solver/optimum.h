/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPTIMUM_H
#define SKR_CORE_SOLVER_OPTIMUM_H
/* Second half of the method: the graph of all optimal placements of a feasible group. Internal. */
#include "core/solver/choice_graph.h"
#include "core/solver/feasible_sets.h"

/* Levels 1 .. deepest are opened: all for a placement; fewer when only their keys are asked for.
 * run->n > 0 must be in S(root). False when the run had to stop. */
bool skr_optimum(struct skr_run *run, const struct skr_feasible *feasible, int32_t deepest,
                 struct skr_graph *ret);

#endif
