/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SOLVER_DENSE_WINDOWS_H
#define SKR_CORE_SOLVER_DENSE_WINDOWS_H
/* The arrays of the dense pass, and the totals that they cover. Internal to the solver; scratch
 * memory. */
#include "core/solver/choice_graph.h"

/* The cells of one row of a span. */
struct skr_window {
    int32_t lo, hi; /* of totals, in steps; hi < lo: not needed */
    int32_t first;  /* cell of lo */
};

struct skr_dense_span {
    struct skr_window *row; /* [rows] */
    int32_t cells;          /* 0: not needed */
    int64_t *weight;        /* [cells] */
    uint8_t *marked;        /* [cells] on a best walk */
    int32_t *state;         /* [cells] index of the state made for it */
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

/* Makes span->note->dense of the spans listed for the level, every weight SKR_WEIGHT_NONE, and the
 * level's step. False when the run had to stop. */
bool skr_dense_windows(struct skr_graph *graph, int32_t level);

#endif
