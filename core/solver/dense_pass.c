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
    struct skr_dense_span *dense = span->note->dense;
    for (int32_t row = 0; row < span->rows; row++) {
        const uint64_t *bits = skr_span_row(span, row);
        const struct skr_window *window = &dense->row[row];
        if (window->hi < window->lo) {
            continue;
        }
        int64_t *weight = dense->weight + window->first;
        for (int32_t x = skr_bits_next(bits, span->words, window->lo * step);
             x >= 0 && x / step <= window->hi; x = skr_bits_next(bits, span->words, x + 1)) {
            weight[x / step - window->lo] = by_count[x];
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
    const struct skr_dense_span *dense = span->note->dense;
    const struct skr_dense_span *x = span->left->note->dense;
    const struct skr_dense_span *y = span->right->note->dense;
    for (int32_t a = 0; a < span->left->rows; a++) {
        struct skr_line left = skr_line_of(&x->row[a], x->weight);
        if (!skr_run_poll(run)) {
            return false;
        }
        for (int32_t b = 0; b < span->right->rows && a + b < span->rows; b++) {
            struct skr_line right = skr_line_of(&y->row[b], y->weight);
            struct skr_line to = skr_line_of(&dense->row[a + b], dense->weight);
            bool needed = left.weight && right.weight && to.weight;
            if (needed && !weigh_rows(run, &to, &left, &right)) {
                return false;
            }
        }
    }
    /* NONE plus a negative weight is still not reachable. */
    for (int32_t c = 0; c < dense->cells; c++) {
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
        if (span->note->dense->cells == 0) {
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
static int64_t cell_of_port(const struct skr_run *run, int32_t step,
                            const struct skr_siblings *siblings, int32_t total)
{
    const struct skr_span *span = siblings->narrow;
    if (!span) {
        return -1;
    }
    int32_t row = skr_law_row(&run->law[span->level]);
    if (!skr_span_has(span, row, total)) {
        return -1;
    }
    const struct skr_window *window = &span->note->dense->row[row];
    return (int64_t)window->first + (total / step - window->lo);
}

/* Passes the weights of the ports up, and drops the ports that are not wanted. */
static bool settle_ports(struct skr_graph *graph, int32_t level)
{
    struct skr_graph_level *at = &graph->level[level];
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_siblings *siblings = skr_siblings_at(at, i);
        for (int32_t p = 0; p < siblings->ports.n; p++) {
            struct skr_port *port = &siblings->ports.port[p];
            int64_t cell = cell_of_port(graph->run, at->step, siblings, port->main);
            port->weight = cell < 0 ? SKR_WEIGHT_NONE : siblings->narrow->note->dense->weight[cell];
        }
    }
    skr_graph_weigh(graph, level - 1, NULL, NULL);
    skr_bug_on(skr_graph_root_weight(graph) >= SKR_WEIGHT_MAX);
    bool choice = skr_graph_tighten(graph, level - 1);
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_siblings *siblings = skr_siblings_at(at, i);
        for (int32_t p = 0; p < siblings->ports.n; p++) {
            if (siblings->ports.port[p].live) {
                int64_t cell =
                    cell_of_port(graph->run, at->step, siblings, siblings->ports.port[p].main);
                siblings->narrow->note->dense->marked[cell] = 1;
            }
        }
    }
    return choice;
}

/* Splits of total (in steps) into rows a and b that reach weight; marks their cells. */
static bool put_splits(struct skr_run *run, struct skr_edges *edges,
                       const struct skr_dense_span *left, int32_t a,
                       const struct skr_dense_span *right, int32_t b, int32_t total, int64_t weight)
{
    const struct skr_window *from = &left->row[a];
    const struct skr_window *to = &right->row[b];
    if (skr_window_width(from) == 0 || skr_window_width(to) == 0) {
        return true;
    }
    int32_t lo = skr_larger(from->lo, total - to->hi);
    int32_t hi = skr_smaller(from->hi, total - to->lo);
    for (int32_t i = lo; i <= hi; i++) {
        int32_t l = from->first + i - from->lo;
        int32_t r = to->first + total - i - to->lo;
        if (left->weight[l] + right->weight[r] == weight) {
            left->marked[l] = 1;
            right->marked[r] = 1;
            if (!skr_edges_put(run, edges, l, r)) {
                return false;
            }
        }
    }
    return true;
}

/* Edges of one state. They hold cells of the halves until resolve() turns these into states. */
static bool put_edges(struct skr_run *run, struct skr_edges *edges, const struct skr_span *span,
                      int32_t row, int32_t total, struct skr_state *state)
{
    const struct skr_dense_span *left = span->left->note->dense;
    const struct skr_dense_span *right = span->right->note->dense;
    state->first_edge = edges->n;
    for (int32_t a = 0; a < span->left->rows && a <= row; a++) {
        if (row - a < span->right->rows &&
            !put_splits(run, edges, left, a, right, row - a, total, state->weight)) {
            return false;
        }
    }
    state->n_edges = edges->n - state->first_edge;
    return true;
}

/* States of one row for its marked cells, and their edges. */
static bool make_row_states(struct skr_graph *graph, struct skr_span *span, int32_t row,
                            struct skr_edges *edges, bool *choice)
{
    struct skr_graph_node *node = &span->note->node;
    struct skr_dense_span *dense = span->note->dense;
    const struct skr_window *window = &dense->row[row];
    for (int32_t total = window->lo; total <= window->hi; total++) {
        int32_t c = window->first + total - window->lo;
        if (dense->marked[c] == 0) {
            continue;
        }
        dense->state[c] = node->n_states;
        struct skr_state *state = &node->state[node->n_states++];
        *state = (struct skr_state){.weight = dense->weight[c],
                                    .row = row,
                                    .main = total * graph->level[span->level].step,
                                    .port = -1,
                                    .live = true};
        if (span->left) {
            if (!put_edges(graph->run, edges, span, row, total, state)) {
                return false;
            }
            *choice = *choice || state->n_edges > 1;
        }
    }
    return true;
}

/* States of a span, by row, then total. */
static bool make_states(struct skr_graph *graph, struct skr_span *span, struct skr_edges *edges,
                        bool *choice)
{
    struct skr_run *run = graph->run;
    struct skr_graph_node *node = &span->note->node;
    const struct skr_dense_span *dense = span->note->dense;
    int32_t n = 0;
    for (int32_t c = 0; c < dense->cells; c++) {
        n += dense->marked[c];
    }
    node->state = skr_run_alloc(run, (size_t)n, sizeof *node->state);
    if (!node->state) {
        return false;
    }
    for (int32_t row = 0; row < span->rows && n > 0; row++) {
        if (!make_row_states(graph, span, row, edges, choice)) {
            return false;
        }
    }
    run->stats.states_kept += n;
    node->edge = skr_edges_take(run, edges);
    return node->edge && skr_run_poll(run);
}

/* Cells become states, once all states are made. */
static void resolve(struct skr_graph_level *at, const struct skr_run *run)
{
    for (int32_t i = 0; i < at->n_nodes; i++) {
        const struct skr_graph_node *node = at->node[i];
        const struct skr_span *span = skr_span_of(node);
        for (int32_t s = 0; s < node->n_states && span->left; s++) {
            struct skr_edge *edge = node->edge + node->state[s].first_edge;
            for (int32_t e = 0; e < node->state[s].n_edges; e++) {
                edge[e].left = span->left->note->dense->state[edge[e].left];
                edge[e].right = span->right->note->dense->state[edge[e].right];
            }
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_siblings *siblings = skr_siblings_at(at, i);
        for (int32_t p = 0; p < siblings->ports.n; p++) {
            if (siblings->ports.port[p].live) {
                int64_t cell = cell_of_port(run, at->step, siblings, siblings->ports.port[p].main);
                siblings->ports.port[p].state = siblings->narrow->note->dense->state[cell];
            }
        }
    }
}

static bool pass(struct skr_graph *graph, int32_t level, const int64_t *by_count, bool *ret_choice)
{
    struct skr_graph_level *at = &graph->level[level];
    if (!skr_dense_windows(graph, level) || !weigh_spans(graph, level, by_count)) {
        return false;
    }
    bool choice = settle_ports(graph, level);
    struct skr_edges edges = {0};
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        if (!make_states(graph, skr_span_of(at->node[i]), &edges, &choice)) {
            return false;
        }
    }
    resolve(at, graph->run);
    *ret_choice = choice;
    return true;
}

bool skr_dense_pass(struct skr_graph *graph, int32_t level, const int64_t *by_count,
                    bool *ret_choice)
{
    if (!skr_run_scratch_begin(graph->run)) {
        return false;
    }
    bool done = pass(graph, level, by_count, ret_choice);
    skr_run_scratch_end(graph->run);
    for (int32_t i = 0; i < graph->level[level].n_nodes; i++) {
        skr_span_of(graph->level[level].node[i])->note->dense = NULL;
    }
    return done;
}
