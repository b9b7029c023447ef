/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States: from the live ports down, the cells on walks of least weight, and their edges.
 *
 * Cost: the windows of a pair, or its settled ones, for every state. Memory of the step, but for
 * states and edges.
 */
#include "core/solver/dense_windows.h"
#include "core/solver/span.h"

/* A cell whose edges are looked for, and a row of each half that may make it up. */
struct split {
    struct skr_run *run;
    struct skr_edges *edges; /* found so far; their halves are cells */
    const struct skr_cells *left, *right;
    int32_t i, j;
    int32_t main;
    int64_t weight;
};

/* Puts the edge that gives m, which is in the windows, to the left half, if it is of least weight,
 * and marks where it leads. */
static inline bool put_edge(const struct split *split, const struct skr_window *a,
                            const struct skr_window *b, int32_t m)
{
    int32_t p = a->first + m - a->lo;
    int32_t q = b->first + split->main - m - b->lo;
    if (split->left->weight[p] + split->right->weight[q] != split->weight) {
        return true;
    }
    split->left->marked[p] = 1;
    split->right->marked[q] = 1;
    return skr_edges_put(split->run, split->edges, p, q);
}

static bool try_all(const struct split *split)
{
    const struct skr_window *a = &split->left->row[split->i];
    const struct skr_window *b = &split->right->row[split->j];
    if (skr_window_width(a) == 0 || skr_window_width(b) == 0) {
        return true;
    }
    int32_t to = skr_smaller(a->hi, split->main - b->lo);
    for (int32_t m = skr_larger(a->lo, split->main - b->hi); m <= to; m++) {
        if (!put_edge(split, a, b, m)) {
            return false;
        }
    }
    return true;
}

static bool try_edge(const struct split *split, int32_t m)
{
    const struct skr_window *a = &split->left->row[split->i];
    const struct skr_window *b = &split->right->row[split->j];
    int32_t rest = split->main - m;
    return m < a->lo || m > a->hi || rest < b->lo || rest > b->hi || put_edge(split, a, b, m);
}

static bool is_settled(const struct skr_cells *cells, int32_t k, int32_t main)
{
    int32_t lo = cells->first_settled[k];
    int32_t hi = cells->first_settled[k + 1];
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (cells->settled[mid].main < main) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo < cells->first_settled[k + 1] && cells->settled[lo].main == main;
}

/* At most one unit is not settled, so one half is. */
static bool try_settled(const struct split *split)
{
    for (int32_t s = split->left->first_settled[split->i];
         s < split->left->first_settled[split->i + 1]; s++) {
        if (!try_edge(split, split->left->settled[s].main)) {
            return false;
        }
    }
    for (int32_t s = split->right->first_settled[split->j];
         s < split->right->first_settled[split->j + 1]; s++) {
        int32_t m = split->main - split->right->settled[s].main;
        if (!is_settled(split->left, split->i, m) && !try_edge(split, m)) {
            return false;
        }
    }
    return true;
}

/* Edges of least weight of the cell of row k and main count x. */
static bool put_edges(struct skr_run *run, struct skr_edges *edges, struct skr_graph_node *node,
                      int32_t k, int32_t x, int64_t weight)
{
    struct split split = {.run = run,
                          .edges = edges,
                          .left = node->left->cells,
                          .right = node->right->cells,
                          .main = x,
                          .weight = weight};
    const struct skr_span *span = skr_span_of(node);
    split.j = span->right->rows.n - 1;
    for (; skr_rows_pair(&span->left->rows, &span->right->rows, span->rows.row[k].key, &split.i,
                         &split.j);
         split.i++) {
        if (!(node->cells->first_settled ? try_settled(&split) : try_all(&split))) {
            return false;
        }
    }
    return true;
}

/* The state of a marked cell, and its edges. */
static bool make_state(struct skr_graph *graph, int32_t step, struct skr_edges *edges,
                       struct skr_graph_node *node, int32_t k, int32_t x)
{
    const struct skr_window *window = &node->cells->row[k];
    int32_t c = window->first + x - window->lo;
    node->cells->state[c] = node->n_states;
    struct skr_state *state = &node->state[node->n_states++];
    *state = (struct skr_state){.weight = node->cells->weight[c],
                                .row = k,
                                .main = x * step,
                                .port = -1,
                                .first_edge = edges->n,
                                .live = true};
    if (!node->left) {
        return true;
    }
    if (!put_edges(graph->run, edges, node, k, x, state->weight)) {
        return false;
    }
    state->n_edges = edges->n - state->first_edge;
    return skr_run_step(graph->run, 1 + window->hi - window->lo);
}

/* Makes the states of a node, whose cells are marked, and its edges. */
static bool make_states(struct skr_graph *graph, int32_t step, struct skr_edges *edges,
                        struct skr_graph_node *node, bool *choice)
{
    const struct skr_cells *cells = node->cells;
    int32_t n = 0;
    for (int32_t c = 0; c < cells->n; c++) {
        n += cells->marked[c];
    }
    node->n_states = 0;
    node->state = skr_run_alloc(graph->run, (size_t)n, sizeof *node->state);
    if (!node->state) {
        return false;
    }
    for (int32_t k = 0; k < skr_span_of(node)->rows.n && n > 0; k++) {
        const struct skr_window *window = &cells->row[k];
        for (int32_t x = window->lo; x <= window->hi; x++) {
            if (cells->marked[window->first + x - window->lo] == 0) {
                continue;
            }
            if (!make_state(graph, step, edges, node, k, x)) {
                return false;
            }
            *choice = *choice || node->state[node->n_states - 1].n_edges > 1;
        }
    }
    graph->run->stats.states_kept += n;
    node->edge = skr_edges_take(graph->run, edges);
    return node->edge && skr_run_poll(graph->run);
}

/* Cells become states, once all states are made. */
static void number_edges(struct skr_graph_node *node)
{
    for (int32_t s = 0; s < node->n_states; s++) {
        struct skr_edge *edge = node->edge + node->state[s].first_edge;
        for (int32_t e = 0; e < node->state[s].n_edges; e++) {
            edge[e].left = node->left->cells->state[edge[e].left];
            edge[e].right = node->right->cells->state[edge[e].right];
        }
    }
}

bool skr_dense_states(struct skr_graph *graph, int32_t level, bool *choice)
{
    const struct skr_graph_level *at = &graph->level[level];
    struct skr_edges edges = {0};
    for (int32_t i = 0; i < at->n_nodes; i++) {
        struct skr_cells *cells = at->node[i]->cells;
        cells->marked = skr_run_scratch_alloc(graph->run, (size_t)cells->n, 1);
        cells->state = skr_run_scratch_alloc(graph->run, (size_t)cells->n, sizeof *cells->state);
        if (!cells->marked || !cells->state) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            const struct skr_port *port = &at->set[i]->port[p];
            if (port->live) {
                at->set[i]->node->cells->marked[port->cell] = 1;
            }
        }
    }
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        if (!make_states(graph, at->step, &edges, at->node[i], choice)) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (at->node[i]->left) {
            number_edges(at->node[i]);
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        for (int32_t p = 0; p < at->set[i]->n; p++) {
            struct skr_port *port = &at->set[i]->port[p];
            port->state = port->live ? at->set[i]->node->cells->state[port->cell] : -1;
        }
    }
    return true;
}
