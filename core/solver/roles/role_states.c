/* SPDX-License-Identifier: Apache-2.0 */
/*
 * States: from the live ports down, the cells on walks of least weight, and their edges.
 *
 * Cost: the windows of a pair, or its settled ones, for every state. Memory of the step, but for
 * states and edges.
 */
#include "core/solver/roles/role_cells.h"

/* A cell whose edges are looked for, and a row of each half that may make it up. */
struct split {
    struct skr_run *run;
    struct skr_edges *edges; /* found so far */
    const struct skr_role_cells *left, *right;
    int32_t i, j;
    int32_t main;
    int64_t weight;
};

/* Puts the edge that gives m to the left half, if it is of least weight, and marks where it leads. */
static bool try_edge(const struct split *split, int32_t m)
{
    const struct skr_window *a = &split->left->row[split->i];
    const struct skr_window *b = &split->right->row[split->j];
    int32_t rest = split->main - m;
    if (m < a->lo || m > a->hi || rest < b->lo || rest > b->hi) {
        return true;
    }
    int32_t p = a->first + m - a->lo;
    int32_t q = b->first + rest - b->lo;
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
    int32_t to = skr_smaller(a->hi, split->main - b->lo);
    for (int32_t m = skr_larger(a->lo, split->main - b->hi); m <= to; m++) {
        if (!try_edge(split, m)) {
            return false;
        }
    }
    return true;
}

static bool is_settled(const struct skr_role_cells *cells, int32_t k, int32_t main)
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

/* Edges of least weight of the cell of row k and total x. */
static bool put_edges(struct skr_run *run, struct skr_edges *edges,
                      const struct skr_role_span *span, int32_t k, int32_t x, int64_t weight)
{
    const struct skr_role_rows *left = &span->left->rows;
    const struct skr_role_rows *right = &span->right->rows;
    struct split split = {.run = run,
                          .edges = edges,
                          .left = span->left->cells,
                          .right = span->right->cells,
                          .j = right->n - 1,
                          .main = x,
                          .weight = weight};
    for (; skr_role_rows_pair(left, right, span->rows.row[k].key, &split.i, &split.j); split.i++) {
        if (!(span->cells->first_settled ? try_settled(&split) : try_all(&split))) {
            return false;
        }
    }
    return true;
}

/* Makes the states of a span, whose cells are marked, and its edges. */
static bool make_states(struct skr_role_run *rr, struct skr_edges *edges,
                        struct skr_role_span *span)
{
    struct skr_role_cells *cells = span->cells;
    int32_t n = 0;
    for (int32_t c = 0; c < cells->n; c++) {
        n += cells->marked[c];
    }
    span->node.n_states = 0;
    span->node.state = skr_run_alloc(&rr->run, (size_t)n, sizeof *span->node.state);
    if (!span->node.state) {
        return false;
    }
    for (int32_t k = 0; k < span->rows.n; k++) {
        const struct skr_window *window = &cells->row[k];
        for (int32_t x = window->lo; x <= window->hi; x++) {
            int32_t c = window->first + x - window->lo;
            if (!cells->marked[c]) {
                continue;
            }
            cells->state[c] = span->node.n_states;
            struct skr_state *state = &span->node.state[span->node.n_states++];
            *state = (struct skr_state){.row = k, .main = x, .port = -1, .live = true};
            state->first_edge = edges->n;
            if (span->left && (!put_edges(&rr->run, edges, span, k, x, cells->weight[c]) ||
                               !skr_role_run_step(rr, 1 + window->hi - window->lo))) {
                return false;
            }
            state->n_edges = edges->n - state->first_edge;
        }
    }
    rr->run.stats.states_kept += n;
    span->node.edge = skr_edges_take(&rr->run, edges);
    return span->node.edge;
}

static void number_edges(struct skr_role_span *span)
{
    for (int32_t s = 0; s < span->node.n_states; s++) {
        struct skr_edge *edge = span->node.edge + span->node.state[s].first_edge;
        for (int32_t e = 0; e < span->node.state[s].n_edges; e++) {
            edge[e].left = span->left->cells->state[edge[e].left];
            edge[e].right = span->right->cells->state[edge[e].right];
        }
    }
}

bool skr_role_dense_states(struct skr_graph *graph, int32_t level)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_graph_level *at = &graph->level[level];
    struct skr_edges edges = {0};
    for (int32_t i = 0; i < at->n_nodes; i++) {
        struct skr_role_cells *cells = skr_role_span_at(at, i)->cells;
        cells->marked = skr_run_scratch_alloc(&rr->run, (size_t)cells->n, 1);
        cells->state = skr_run_scratch_alloc(&rr->run, (size_t)cells->n, sizeof *cells->state);
        if (!cells->marked || !cells->state) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        const struct skr_role_ports *set = skr_role_set(at, i);
        for (int32_t p = 0; p < set->ports.n; p++) {
            if (set->ports.port[p].live) {
                set->all->cells->marked[skr_role_cell_of(set, &set->ports.port[p])] = 1;
            }
        }
    }
    for (int32_t i = at->n_nodes - 1; i >= 0; i--) {
        if (!make_states(rr, &edges, skr_role_span_at(at, i))) {
            return false;
        }
    }
    for (int32_t i = 0; i < at->n_nodes; i++) {
        if (skr_role_span_at(at, i)->left) {
            number_edges(skr_role_span_at(at, i));
        }
    }
    for (int32_t i = 0; i < at->n_sets; i++) {
        struct skr_role_ports *set = skr_role_set(at, i);
        for (int32_t p = 0; p < set->ports.n; p++) {
            struct skr_port *port = &set->ports.port[p];
            port->state = port->live ? set->all->cells->state[skr_role_cell_of(set, port)] : -1;
        }
    }
    return true;
}
