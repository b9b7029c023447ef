/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_OPTIMUM_H
#define SKR_CORE_SOLVER_OPTIMUM_H
/* Second half of the method: the graph of all optimal placements of a feasible group. Internal to
 * the solver. */
#include "core/solver/choice_graph.h"

/* Opens levels 1 .. deepest of a graph that has its first port: all for a placement, fewer if only
 * the keys of these are needed. What the port wants must be in S(root). False when the run had to
 * stop. */
bool skr_optimum(struct skr_graph *graph, int32_t deepest);

#endif
