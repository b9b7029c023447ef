/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The totals that the dense pass has to consider, wholes before parts.
 *
 * The ports of a set want totals of the row that the law asks for (the number of used units). A row
 * of a pair that wants lo .. hi wants of each row of its left half what the matching row of the
 * right half can complete to that, and the other way round; never more than the row's own ends.
 * Totals are counted in steps: in multiples of what divides all counts of the level's units.
 */
#include "core/solver/dense_windows.h"

#include "core/solver/span.h"

bool skr_cells_begin(struct skr_run *run, int32_t n, struct skr_graph_node *node)
{
    struct skr_cells *cells = skr_run_scratch_alloc(run, 1, sizeof *cells);
    if (!cells) {
        return false;
    }
    cells->n_rows = n;
    cells->row = skr_run_scratch_alloc(run, (size_t)n, sizeof *cells->row);
    for (int32_t k = 0; k < n && cells->row; k++) {
        cells->row[k].hi = -1;
    }
    node->cells = cells;
    return cells->row;
}

bool skr_cells_weights(struct skr_run *run, struct skr_cells *cells)
{
    int64_t n = 0;
    for (int32_t k = 0; k < cells->n_rows; k++) {
        cells->row[k].first = (int32_t)n;
        n += skr_window_width(&cells->row[k]);
        if (n > INT32_MAX / 2) {
            run->stop = SKR_RUN_BYTE_LIMIT;
            return false;
        }
    }
    cells->n = (int32_t)n;
    cells->weight = skr_run_scratch_alloc(run, (size_t)n, sizeof *cells->weight);
    for (int32_t c = 0; c < cells->n && cells->weight; c++) {
        cells->weight[c] = SKR_WEIGHT_NONE;
    }
    return cells->weight;
}

/* A row's totals, in steps. */
static struct skr_window ends_of(const struct skr_span *span, int32_t row, int32_t step)
{
    const struct skr_row *ends = &span->rows.row[row];
    if (ends->hi < ends->lo) {
        return (struct skr_window){.lo = 0, .hi = -1};
    }
    return (struct skr_window){.lo = ends->lo / step, .hi = ends->hi / step};
}

/* The row's window has lo .. hi, as far as the row goes. */
static void widen(struct skr_span *span, int32_t row, const struct skr_window *ends, int32_t lo,
                  int32_t hi)
{
    skr_window_widen(&span->node.cells->row[row], skr_larger(lo, ends->lo),
                     skr_smaller(hi, ends->hi));
}

/* Widens the rows of the halves to what a row of the pair wants of them. */
static void widen_halves(struct skr_span *span, int32_t row, int32_t step)
{
    const struct skr_window *want = &span->node.cells->row[row];
    for (int32_t a = skr_larger(0, row - span->right->rows.n + 1);
         a < span->left->rows.n && a <= row && want->lo <= want->hi; a++) {
        struct skr_window left = ends_of(span->left, a, step);
        struct skr_window right = ends_of(span->right, row - a, step);
        if (left.lo <= left.hi && right.lo <= right.hi) {
            widen(span->left, a, &left, want->lo - right.hi, want->hi - right.lo);
            widen(span->right, row - a, &right, want->lo - left.hi, want->hi - left.lo);
        }
    }
}

/* The greatest number that divides all counts of the level's units, and so every total. */
static int32_t find_step(const struct skr_run *run, const struct skr_graph_level *at)
{
    int32_t step = 0;
    for (int32_t i = 0; i < at->n_nodes && step != 1 && !run->plain; i++) {
        const struct skr_span *unit = skr_span_of(at->node[i]);
        const uint64_t *bits = skr_span_row(unit, unit->rows.n - 1);
        for (int32_t x = unit->left ? -1 : skr_bits_next(bits, unit->words, 1); x > 0 && step != 1;
             x = skr_bits_next(bits, unit->words, x + 1)) {
            step = skr_common_divisor(x, step);
        }
    }
    return skr_larger(step, 1);
}

/* Empty windows of the level's spans, then those that the ports want. */
static bool begin_windows(struct skr_graph *graph, int32_t level)
{
    struct skr_run *run = graph->run;
    struct skr_graph_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!skr_cells_begin(run, skr_span_of(at->node[i])->rows.n, at->node[i])) {
            return false;
        }
    }
    int32_t row = skr_law_row(&run->law[level]);
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_siblings *siblings = skr_siblings_at(at, i);
        bool there = siblings->narrow && row < siblings->narrow->rows.n;
        for (int32_t p = 0; p < siblings->ports.n && there; p++) {
            int32_t total = siblings->ports.port[p].main;
            struct skr_window ends = ends_of(siblings->narrow, row, at->step);
            widen(siblings->narrow, row, &ends, (total - 1) / at->step + 1, total / at->step);
        }
    }
    return true;
}

bool skr_dense_windows(struct skr_graph *graph, int32_t level)
{
    struct skr_graph_level *at = &graph->level[level];
    at->step = find_step(graph->run, at);
    if (!begin_windows(graph, level)) {
        return false;
    }
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        struct skr_span *span = skr_span_of(at->node[i]);
        for (int32_t row = 0; row < span->rows.n && span->left; row++) {
            widen_halves(span, row, at->step);
        }
        if (!skr_cells_weights(graph->run, at->node[i]->cells)) {
            return false;
        }
    }
    return true;
}
