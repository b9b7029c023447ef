/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first weighing of a level, which also makes its states and edges.
 *
 * A sibling set of m units has up to n totals per span and up to n splits per total, far too many
 * to write down as edges when most of them are bad. So the first word of the level's key is weighed
 * on plain arrays: least weight of every total, from the units up,
 *
 *     weight(t) = min over i of left(i) + right(t - i)
 *
 * Then the levels above decide which totals they want. From the top down, only splits that reach
 * the least weight become edges, and only the totals that they lead to become states.
 *
 * Arrays cover, for each number of used units where the level counts them, the window of totals
 * that can matter to a wanted total of the whole, and of these the multiples of what divides all
 * counts of the level (its step; factors make one). Cost: the sum over pairs of (window of left) *
 * (window of right), about 2 * n * (sum of the fits) / step^2 for n much smaller than that sum.
 */
#include "core/solver/dense_windows.h"
#include "core/solver/open_level.h"

static void weigh_unit(const struct skr_span *span, int32_t step, const int64_t *by_count)
{
    struct skr_cells *dense = span->node.cells;
    for (int32_t row = 0; row < span->rows.n; row++) {
        const uint64_t *bits = skr_span_row(span, row);
        const struct skr_window *window = &dense->row[row];
        if (window->hi < window->lo) {
            continue;
        }
        int64_t *weight = dense->weight + window->first;
        for (int32_t x = skr_bits_next(bits, span->words, window->lo * step);
             x >= 0 && x / step <= window->hi; x = skr_bits_next(bits, span->words, x + 1)) {
            weight[x / step - window->lo] = by_count ? by_count[x] : 0;
        }
    }
}

/* One row of each half into one row of the whole. The half with the narrower window goes outside. */
static bool weigh_rows(struct skr_run *run, const struct skr_line *to, const struct skr_line *left,
                       const struct skr_line *right)
{
    if (left->hi - left->lo > right->hi - right->lo) {
        const struct skr_line *line = left;
        left = right;
        right = line;
    }
    for (int32_t i = 0; i <= left->hi - left->lo; i++) {
        if (left->weight[i] < SKR_WEIGHT_MAX) {
            skr_line_add(to, left->weight[i], left->lo + i, right);
            if (i % 64 == 63 && !skr_run_poll(run)) {
                return false;
            }
        }
    }
    return true;
}

static bool weigh_pair(struct skr_run *run, const struct skr_span *span)
{
    const struct skr_cells *dense = span->node.cells;
    const struct skr_cells *x = span->left->node.cells;
    const struct skr_cells *y = span->right->node.cells;
    for (int32_t a = 0; a < span->left->rows.n; a++) {
        struct skr_line left = skr_line_of(&x->row[a], x->weight);
        if (!skr_run_poll(run)) {
            return false;
        }
        for (int32_t b = 0; b < span->right->rows.n && a + b < span->rows.n; b++) {
            struct skr_line right = skr_line_of(&y->row[b], y->weight);
            struct skr_line to = skr_line_of(&dense->row[a + b], dense->weight);
            bool needed = left.weight && right.weight && to.weight;
            if (needed && !weigh_rows(run, &to, &left, &right)) {
                return false;
            }
        }
    }
    /* NONE plus a negative weight is still not reachable. */
    for (int32_t c = 0; c < dense->n; c++) {
        if (dense->weight[c] >= SKR_WEIGHT_MAX) {
            dense->weight[c] = SKR_WEIGHT_NONE;
        }
    }
    return true;
}

static bool weigh_spans(struct skr_graph *graph, int32_t level, const int64_t *by_count)
{
    const struct skr_graph_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_nodes; i++) {
        struct skr_span *span = skr_span_of(at->node[i]);
        if (span->node.cells->n == 0) {
            continue;
        }
        if (!span->left) {
            weigh_unit(span, at->step, by_count);
        } else if (!weigh_pair(graph->run, span)) {
            return false;
        }
    }
    return true;
}

/* Cell of a total of a whole sibling set, or -1 when the set cannot hold it. */
static int32_t cell_of_port(const struct skr_run *run, int32_t step,
                            const struct skr_siblings *siblings, int32_t total)
{
    const struct skr_span *span = siblings->narrow;
    if (!span) {
        return -1;
    }
    int32_t row = skr_law_row(&run->law[span->level]);
    if (!skr_span_has(span, (uint64_t)row, total)) {
        return -1;
    }
    const struct skr_window *window = &span->node.cells->row[row];
    return window->first + (total / step - window->lo);
}

/* Passes the weights of the ports up, and drops the ports that are not wanted. */
static bool settle_ports(struct skr_graph *graph, int32_t level)
{
    struct skr_graph_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_siblings *siblings = skr_siblings_at(at, i);
        for (int32_t p = 0; p < siblings->ports.n; p++) {
            struct skr_port *port = &siblings->ports.port[p];
            port->cell = cell_of_port(graph->run, at->step, siblings, port->main);
            port->weight =
                port->cell < 0 ? SKR_WEIGHT_NONE : at->set[i]->node->cells->weight[port->cell];
        }
    }
    skr_graph_weigh(graph, level - 1, NULL, NULL);
    skr_bug_on(skr_graph_root_weight(graph) >= SKR_WEIGHT_MAX);
    return skr_graph_tighten(graph, level - 1);
}

static bool pass(struct skr_graph *graph, const struct skr_words *words, bool *ret_choice)
{
    int32_t level = words->level;
    if (!skr_dense_windows(graph, level) || !weigh_spans(graph, level, words->table[0])) {
        return false;
    }
    *ret_choice = settle_ports(graph, level);
    return skr_dense_states(graph, level, ret_choice);
}

bool skr_dense_pass(struct skr_graph *graph, const struct skr_words *words, bool *ret_choice)
{
    bool done = skr_run_scratch_begin(graph->run) && pass(graph, words, ret_choice);
    skr_run_scratch_end(graph->run);
    return done;
}
