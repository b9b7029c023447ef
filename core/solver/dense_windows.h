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

/* Makes span->note->dense of the spans listed for the level, every weight SKR_WEIGHT_NONE, and the
 * level's step. False when the run had to stop. */
bool skr_dense_windows(struct skr_graph *graph, int32_t level);

#endif
