/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows: from the wanted vectors down, the main counts of each row that can be part of one.
 *
 * The ports of a set want main counts of the rows of their keys. A row of a pair that wants lo .. hi
 * wants of each row of its left half what the matching row of the right half can complete to that,
 * and the other way round; never more than the row's own ends. Main counts are counted in steps: in
 * multiples of what divides all those of the level's units.
 *
 * Solo ports. Assume that the first key of the level is that of the group and of type pack. If one
 * unit can hold all that a port wants, every best placement uses one unit. The windows of such a port
 * are 0 and all of it, in every span.
 *
 * Cost: pairs of rows, for every span of the level.
 */
#include "core/solver/role_cells.h"

/* Empty windows, which need no amounts. */
static bool begin_cells(struct skr_run *run, int32_t step, struct skr_span *span)
{
    struct skr_cells *cells = skr_run_scratch_alloc(run, 1, sizeof *cells);
    if (!cells) {
        return false;
    }
    span->note->least = INT32_MAX;
    span->note->most = -1;
    span->note->n_ranges = 0;
    cells->row = skr_run_scratch_alloc(run, (size_t)span->rows.n, sizeof *cells->row);
    for (int32_t k = 0; k < span->rows.n && cells->row; k++) {
        const struct skr_row *row = &span->rows.row[k];
        cells->row[k] = (struct skr_window){.hi = -1, .from = row->lo / step, .to = row->hi / step};
    }
    span->note->node.cells = cells;
    return cells->row;
}

/* For the windows that the rows have got, every weight SKR_WEIGHT_NONE. */
static bool begin_weights(struct skr_run *run, const struct skr_span *span)
{
    struct skr_cells *cells = span->note->node.cells;
    int64_t n = 0;
    for (int32_t k = 0; k < span->rows.n; k++) {
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

/* The greatest number that divides all main counts of the level's units, and so all sums. */
static int32_t find_step(const struct skr_run *run, const struct skr_graph_level *at)
{
    int32_t step = 0;
    for (int32_t i = 0; i < at->n_nodes && step != 1 && !run->plain; i++) {
        const struct skr_span *unit = skr_span_at(at, i);
        for (int32_t k = 0; k < unit->rows.n && !unit->left; k++) {
            const struct skr_row *row = &unit->rows.row[k];
            for (int32_t x = skr_row_next(row, 0); x <= row->hi && step != 1;
                 x = skr_row_next(row, x + 1)) {
                step = skr_common_divisor(x, step);
            }
        }
    }
    return skr_larger(step, 1);
}

/* Cuts the windows of a span to the amounts that it needs. */
static void cut_windows(const struct skr_graph_level *at, int32_t scope, struct skr_span *span)
{
    int32_t slope = skr_axes_slope(at->axes, scope) * at->step;
    for (int32_t k = 0; k < span->rows.n; k++) {
        struct skr_window *window = &span->note->node.cells->row[k];
        int32_t base = skr_axes_base(at->axes, span->rows.row[k].key, scope);
        skr_role_cut(&window->lo, &window->hi, base, slope, span->note->least, span->note->most);
    }
}

/* Widens a window to lo .. hi, as far as the row goes. */
static void widen(struct skr_window *window, int32_t lo, int32_t hi)
{
    skr_window_widen(window, skr_larger(lo, window->from), skr_smaller(hi, window->to));
}

/* What the halves of a pair must cover. */
static void pass_windows(struct skr_span *span)
{
    const struct skr_rows *x = &span->left->rows;
    const struct skr_rows *y = &span->right->rows;
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_window *want = &span->note->node.cells->row[k];
        int32_t j = y->n - 1;
        for (int32_t i = 0;
             want->lo <= want->hi && skr_rows_pair(x, y, span->rows.row[k].key, &i, &j); i++) {
            struct skr_window *a = &span->left->note->node.cells->row[i];
            struct skr_window *b = &span->right->note->node.cells->row[j];
            widen(a, want->lo - b->to, want->hi - b->from);
            widen(b, want->lo - a->to, want->hi - a->from);
        }
    }
}

static bool has_zero(const struct skr_span *span)
{
    return span->rows.n > 0 && span->rows.row[0].key == 0 && skr_row_has(&span->rows.row[0], 0);
}

static bool holds(const struct skr_span *span, const struct skr_port *port)
{
    return skr_span_has(span, port->key, port->main);
}

/* Whether ports of the level are solo as soon as one unit holds all. */
static bool can_be_solo(const struct skr_graph *graph, const struct skr_words *words)
{
    return !graph->run->plain && words->one_used > 0 &&
           words->scope[words->lead] == graph->run->n_roles && words->axes->n_counters == 0;
}

/* Whether one unit holds all of the port, and no other one must hold anything. */
static bool fits_alone(const struct skr_siblings *set, const struct skr_port *port)
{
    int32_t n_holding = 0;
    int32_t n_needed = 0;
    int32_t n_both = 0;
    for (int32_t u = 0; u < set->all->n_units; u++) {
        bool holding = holds(set->unit[u], port);
        bool needed = !has_zero(set->unit[u]);
        n_holding += holding ? 1 : 0;
        n_needed += needed ? 1 : 0;
        n_both += holding && needed ? 1 : 0;
    }
    return n_needed == 0 ? n_holding > 0 : n_needed == 1 && n_both == 1;
}

/* The windows of a solo port, in all spans of its set. */
static void widen_solo(struct skr_span *span, const struct skr_port *port, int32_t step)
{
    span->note->n_ranges = 0;
    if (has_zero(span)) {
        skr_window_widen(&span->note->node.cells->row[0], 0, 0);
    }
    if (holds(span, port)) {
        int32_t k = skr_rows_find(&span->rows, port->key);
        skr_window_widen(&span->note->node.cells->row[k], port->main / step, port->main / step);
    }
    if (span->left) {
        widen_solo(span->left, port, step);
        widen_solo(span->right, port, step);
    }
}

/* The windows of the wanted ports of a set, but for solo ones. */
static void want_ports(struct skr_siblings *set, int32_t step, bool can_be_solo)
{
    const struct skr_span *span = skr_span_of(set->ports.node);
    for (int32_t p = 0; p < set->ports.n; p++) {
        struct skr_port *port = &set->ports.port[p];
        port->solo = port->wanted && can_be_solo && fits_alone(set, port);
        int32_t k = port->wanted && !port->solo ? skr_rows_find(&span->rows, port->key) : -1;
        if (k < 0) {
            continue;
        }
        if (port->least_used == 1 && can_be_solo) {
            port->least_used = 2;
        }
        widen(&span->note->node.cells->row[k], (port->main + step - 1) / step, port->main / step);
    }
}

/* What the spans need for the windows of whole sets. */
static bool pass_down(struct skr_graph *graph, const struct skr_words *words)
{
    const struct skr_graph_level *at = &graph->level[words->level];
    bool cut = graph->run->rr && !graph->run->plain && words->one_used > 0;
    if (cut && !skr_role_narrow(graph, words->level, words)) {
        return false;
    }
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        struct skr_span *span = skr_span_at(at, i);
        if (cut) {
            cut_windows(at, graph->narrow, span);
        }
        if (span->left) {
            pass_windows(span);
            if (!skr_run_step(graph->run, span->rows.n)) {
                return false;
            }
        }
    }
    return true;
}

bool skr_dense_windows(struct skr_graph *graph, const struct skr_words *words)
{
    struct skr_graph_level *at = &graph->level[words->level];
    at->step = find_step(graph->run, at);
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!begin_cells(graph->run, at->step, skr_span_at(at, i))) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        if (at->set[i]->node) {
            want_ports(skr_siblings_at(at, i), at->step, can_be_solo(graph, words));
        }
    }
    if (!pass_down(graph, words)) {
        return false;
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            const struct skr_port *port = &at->set[i]->port[p];
            if (port->solo) {
                widen_solo(skr_span_of(at->set[i]->node), port, at->step);
            }
        }
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (!begin_weights(graph->run, skr_span_at(at, i))) {
            return false;
        }
    }
    return true;
}
