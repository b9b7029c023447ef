/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_ROLES_ROLE_CELLS_H
#define SKR_CORE_SOLVER_ROLES_ROLE_CELLS_H
/*
 * Cells: the vectors of a span that the dense pass of its level looks at. A row has the cells of one
 * window of main counts. Internal to the opening of a level; scratch memory.
 */
#include "core/solver/dense_windows.h"
#include "core/solver/roles/role_graph.h"

/* A main count and its least weight, if all units of the span are settled (role_settled.c). */
struct skr_role_settled {
    int64_t weight;
    int32_t main;
};

struct skr_role_cells {
    struct skr_window *row; /* [rows], in main counts */
    int32_t n;
    int64_t *weight; /* [n] the least of the first word */
    uint8_t *marked; /* [n] on a walk of least weight */
    int32_t *state;  /* [n] index of the state made for it */

    /* Of a unit that is no host (role_settled.c): in best placements it can be empty, or not
     * settled; it can be full without being the least of the used units. */
    bool can_rest, can_fill;
    /* settled[first_settled[k] .. first_settled[k + 1]) are those of row k, main counts ascending;
     * first_settled is [rows + 1]. NULL: any number of units is not settled. */
    int32_t *first_settled;
    struct skr_role_settled *settled;
};

/* Cells of the spans of the level, every weight SKR_WEIGHT_NONE. Costs pairs of rows, for every span.
 * False: the run had to stop. */
bool skr_role_windows(struct skr_graph *graph, int32_t level, const struct skr_role_words *words);
/* Sets can_rest and can_fill of the units of the level. *ret: whether at most one unit of a set is not
 * settled in best placements; else neither counts. Costs sorting the units of each set. False: the
 * run had to stop. */
bool skr_role_settle(struct skr_graph *graph, int32_t level, const struct skr_role_words *words,
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

/* The cell of a port, which its row's window has. */
static inline int32_t skr_role_cell_of(const struct skr_role_ports *set,
                                       const struct skr_port *port)
{
    int32_t k = skr_role_rows_find(&set->all->rows, port->key);
    const struct skr_window *window = &set->all->cells->row[k];
    return window->first + port->main - window->lo;
}

#endif
