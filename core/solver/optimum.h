/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPTIMUM_H
#define SKR_CORE_SOLVER_OPTIMUM_H
/* Second half of the method: the graph of all optimal placements of a feasible group. Internal to
 * the solver. */
#include "core/solver/choice_graph.h"
#include "core/solver/feasible_sets.h"

/* Opens levels 1 .. deepest: all for a placement, fewer if only the keys of these are needed.
 * run->n > 0 must be in S(root). False when the run had to stop. */
bool skr_optimum(struct skr_run *run, const struct skr_feasible *feasible, int32_t deepest,
                 struct skr_graph *ret);

#endif
