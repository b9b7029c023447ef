/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLE_CELLS_H
#define SKR_CORE_SOLVER_ROLE_CELLS_H
/* What is known of the best placements of a level of roles before it is weighed, and the cells that
 * this leaves. Internal to the opening of a level; memory of the run. */
#include "core/solver/dense_windows.h"
#include "core/solver/role_sets.h"
#include "core/solver/weight_words.h"

/* Lower bounds of the first word of all ports of the level into their weights. */
bool skr_role_bound_ports(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The amounts of graph->narrow, which it chooses, that spans need for the wanted ports of the level. */
bool skr_role_narrow(struct skr_graph *graph, int32_t level, const struct skr_words *words);
/* The least weight that the dense pass found for the port: exact, or a better bound. */
void skr_role_port_found(struct skr_port *port, const struct skr_words *words, int64_t weight);

/* Sets can_rest and can_fill of the units of the level. *ret: whether at most one unit of a set is not
 * settled in best placements; else neither counts. Costs sorting the units of each set. False: the
 * run had to stop. */
bool skr_role_settle(struct skr_graph *graph, int32_t level, const struct skr_words *words,
                     bool *ret);

/* Cuts main counts lo .. hi to amounts least .. most, which are base + main * slope. */
static inline void skr_role_cut(int32_t *lo, int32_t *hi, int32_t base, int32_t slope,
                                int32_t least, int32_t most)
{
    if (most < base || (slope == 0 && least > base)) {
        *hi = *lo - 1;
    } else if (slope > 0) {
        int32_t from = least > base ? least - base : 0;
        *lo = skr_larger(*lo, from / slope + (from % slope != 0));
        *hi = skr_smaller(*hi, (most - base) / slope);
    }
}

#endif
