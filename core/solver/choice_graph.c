/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Weighing and tightening of the choice graph.
 *
 * Dropping is correct because weights are sums over units. The part of a placement of least weight
 * inside any span has the least weight among all ways to reach the same state. The edges kept at a
 * state do not depend on what surrounds it, so many parents may share an interned span.
 *
 * Cost of one weighing: the edges left.
 */
#include "core/solver/choice_graph.h"

#include <string.h>

bool skr_edges_grow(struct skr_run *run, struct skr_edges *edges)
{
    if (edges->cap > INT32_MAX / 2) {
        run->stop = SKR_RUN_BYTE_LIMIT;
        return false;
    }
    int32_t cap = edges->cap > 0 ? 2 * edges->cap : 256;
    struct skr_edge *edge = skr_run_scratch_alloc(run, (size_t)cap, sizeof *edge);
    if (!edge) {
        return false;
    }
    if (edges->n > 0) {
        memcpy(edge, edges->edge, (size_t)edges->n * sizeof *edge);
    }
    edges->edge = edge;
    edges->cap = cap;
    return true;
}

struct skr_edge *skr_edges_take(struct skr_run *run, struct skr_edges *edges)
{
    struct skr_edge *ret = skr_run_alloc(run, (size_t)edges->n, sizeof *ret);
    if (ret && edges->n > 0) {
        memcpy(ret, edges->edge, (size_t)edges->n * sizeof *ret);
    }
    edges->n = 0;
    return ret;
}

int32_t skr_siblings_port(const struct skr_siblings *siblings, int32_t total)
{
    int32_t lo = 0;
    int32_t hi = siblings->n_ports - 1;
    while (lo <= hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (siblings->port[mid].total == total) {
            return mid;
        }
        if (siblings->port[mid].total < total) {
            lo = mid + 1;
        } else {
            hi = mid - 1;
        }
    }
    return -1;
}

static int64_t weight_of_unit(const struct skr_span *span, const struct skr_state *state,
                              const struct skr_weights *weights)
{
    if (weights) {
        if (weights->by_room) {
            return state->total > 0 ? span->room : 0;
        }
        return weights->by_count[state->total];
    }
    return state->port < 0 ? 0 : span->inside->note->siblings->port[state->port].weight;
}

static int64_t weight_of_pair(const struct skr_span *span, const struct skr_state *state)
{
    const struct skr_edge *edge = span->note->edge + state->first_edge;
    int64_t least = SKR_WEIGHT_NONE;
    for (int32_t i = 0; i < state->n_edges; i++) {
        int64_t weight = span->left->note->state[edge[i].left].weight +
                         span->right->note->state[edge[i].right].weight;
        least = weight < least ? weight : least;
    }
    return least < SKR_WEIGHT_MAX ? least : SKR_WEIGHT_NONE;
}

static void weigh_level(struct skr_graph_level *level, const struct skr_weights *weights)
{
    for (int32_t i = 0; i < level->n_spans; i++) {
        struct skr_span *span = level->span[i];
        for (int32_t s = 0; s < span->note->n_states; s++) {
            struct skr_state *state = &span->note->state[s];
            if (state->live) {
                state->weight = !span->left ? weight_of_unit(span, state, weights)
                                            : weight_of_pair(span, state);
            }
        }
    }
    for (int32_t i = 0; i < level->n_siblings; i++) {
        struct skr_siblings *siblings = level->siblings[i];
        for (int32_t p = 0; p < siblings->n_ports; p++) {
            struct skr_port *port = &siblings->port[p];
            if (port->live) {
                port->weight = siblings->narrow->note->state[port->state].weight;
            }
        }
    }
}

void skr_graph_weigh(struct skr_graph *graph, int32_t deepest, const struct skr_weights *weights)
{
    for (int32_t level = deepest; level >= 1; level--) {
        weigh_level(&graph->level[level], level == deepest ? weights : NULL);
    }
}

int64_t skr_graph_root_weight(const struct skr_graph *graph)
{
    return graph->level[1].siblings[0]->port[0].weight;
}

/* Marked ports are live, all others are not; marks the states behind the live ones. */
static void enter_ports(struct skr_graph_level *level, bool opened)
{
    for (int32_t i = 0; i < level->n_siblings; i++) {
        struct skr_siblings *siblings = level->siblings[i];
        for (int32_t p = 0; p < siblings->n_ports; p++) {
            struct skr_port *port = &siblings->port[p];
            port->live = port->marked;
            port->marked = false;
            if (port->live && opened) {
                siblings->narrow->note->state[port->state].marked = true;
            }
        }
    }
}

static void keep_best_edges(struct skr_span *span, struct skr_state *state)
{
    struct skr_edge *edge = span->note->edge + state->first_edge;
    int32_t kept = 0;
    for (int32_t i = 0; i < state->n_edges; i++) {
        struct skr_state *left = &span->left->note->state[edge[i].left];
        struct skr_state *right = &span->right->note->state[edge[i].right];
        if (left->weight + right->weight == state->weight) {
            left->marked = true;
            right->marked = true;
            edge[kept++] = edge[i];
        }
    }
    state->n_edges = kept;
}

/* Returns whether a state has more than one edge. */
static bool tighten_level(struct skr_graph_level *level)
{
    bool choice = false;
    for (int32_t i = level->n_spans - 1; i >= 0; i--) {
        struct skr_span *span = level->span[i];
        for (int32_t s = 0; s < span->note->n_states; s++) {
            struct skr_state *state = &span->note->state[s];
            state->live = state->marked;
            state->marked = false;
            if (!state->live) {
                continue;
            }
            if (span->left) {
                keep_best_edges(span, state);
                choice = choice || state->n_edges > 1;
            } else if (state->port >= 0) {
                span->inside->note->siblings->port[state->port].marked = true;
            }
        }
    }
    return choice;
}

bool skr_graph_tighten(struct skr_graph *graph, int32_t deepest)
{
    bool choice = false;
    graph->level[1].siblings[0]->port[0].marked = true;
    for (int32_t level = 1; level <= deepest; level++) {
        enter_ports(&graph->level[level], true);
        choice = tighten_level(&graph->level[level]) || choice;
    }
    /* The states of the next level are not made yet, or get their turn later. */
    enter_ports(&graph->level[deepest + 1], false);
    return choice;
}
