/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DENSE_WINDOWS_H
#define SKR_CORE_SOLVER_DENSE_WINDOWS_H
/* The cells of a level that is opened: the vectors of each span that its dense pass looks at, their
 * weights, and the states made of them. A row has the cells of one window of main counts. Internal
 * to the solver; scratch memory. */
#include "core/solver/choice_graph.h"

/* The cells of one row of a span. */
struct skr_window {
    int32_t lo, hi;   /* of main counts, in steps; hi < lo: not needed */
    int32_t first;    /* cell of lo */
    int32_t from, to; /* ends of the row, in steps */
};

/* A main count and its least weight, if all units of the span are settled (role_settled.c). */
struct skr_role_settled {
    int64_t weight;
    int32_t main;
};

struct skr_cells {
    struct skr_window *row; /* [rows of the span] */
    int32_t n;              /* 0: not needed */
    int64_t *weight;        /* [n] the least of the first word */
    uint8_t *marked;        /* [n] on a walk of least weight */
    int32_t *state;         /* [n] index of the state made for it */

    /* Of a unit that is no host (role_settled.c): in best placements it can be empty, or not
     * settled; it can be full without being the least of the used units. */
    bool can_rest, can_fill;
    /* settled[first_settled[k] .. first_settled[k + 1]) are those of row k, main counts ascending;
     * first_settled is [n_rows + 1]. NULL: any number of units is not settled. */
    int32_t *first_settled;
    struct skr_role_settled *settled;
};

static inline int32_t skr_larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static inline int32_t skr_smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t skr_window_width(const struct skr_window *window)
{
    return window->hi < window->lo ? 0 : window->hi - window->lo + 1;
}

/* The weights of a row, or of a part of it. */
struct skr_line {
    int32_t lo, hi;  /* hi < lo: none */
    int64_t *weight; /* [hi - lo + 1]; NULL: none */
};

/* The line of a window, whose weights are in those of its span. */
static inline struct skr_line skr_line_of(const struct skr_window *window, int64_t *weight)
{
    bool empty = window->hi < window->lo;
    return (struct skr_line){
        .lo = window->lo, .hi = window->hi, .weight = empty ? NULL : weight + window->first};
}

/* to(i + j) = min(to(i + j), weight + from(j)) for all j of both lines; returns how many. */
static inline int32_t skr_line_add(const struct skr_line *to, int64_t weight, int32_t i,
                                   const struct skr_line *from)
{
    int32_t lo = skr_larger(from->lo, to->lo - i);
    int32_t hi = skr_smaller(from->hi, to->hi - i);
    if (lo > hi) {
        return 0;
    }
    int64_t *restrict into = to->weight + (i + lo - to->lo);
    const int64_t *restrict add = from->weight + (lo - from->lo);
    int32_t n = hi - lo + 1;
    for (int32_t j = 0; j < n; j++) {
        int64_t sum = weight + add[j];
        into[j] = sum < into[j] ? sum : into[j];
    }
    return n;
}

static inline void skr_window_widen(struct skr_window *window, int32_t lo, int32_t hi)
{
    if (lo <= hi) {
        bool empty = window->hi < window->lo;
        window->lo = empty ? lo : skr_smaller(lo, window->lo);
        window->hi = empty ? hi : skr_larger(hi, window->hi);
    }
}

/* Cells of the nodes listed for the level, as its wanted ports need them, every weight
 * SKR_WEIGHT_NONE, and the level's step. False: the run had to stop. */
bool skr_dense_windows(struct skr_graph *graph, const struct skr_words *words);

/* dense_pass.c: windows, and the first word for all cells. False: the run had to stop. */
bool skr_dense_weigh(struct skr_graph *graph, const struct skr_words *words);
/* The cell of a port; -1: it is in no window. */
int32_t skr_dense_cell(const struct skr_graph_level *at, const struct skr_ports *set,
                       const struct skr_port *port);

/* dense_states.c: makes the states of a level and their edges of least weight, below its live ports,
 * which have their cells. *choice becomes true if a state has more than one edge. False: the run had
 * to stop. */
bool skr_dense_states(struct skr_graph *graph, int32_t level, bool *choice);

#endif
