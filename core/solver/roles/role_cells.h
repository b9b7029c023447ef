/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_ROLE_CELLS_H
#define SKR_CORE_SOLVER_ROLES_ROLE_CELLS_H
/* Cells of a level of roles. Internal to the opening of a level; scratch memory. */
#include "core/solver/dense_windows.h"
#include "core/solver/roles/role_graph.h"

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
