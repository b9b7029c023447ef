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

int32_t skr_ports_find(const struct skr_ports *ports, uint64_t key, int32_t main)
{
    int32_t lo = 0;
    int32_t hi = ports->n - 1;
    while (lo <= hi) {
        int32_t mid = lo + (hi - lo) / 2;
        const struct skr_port *port = &ports->port[mid];
        if (port->key == key && port->main == main) {
            return mid;
        }
        if (port->key < key || (port->key == key && port->main < main)) {
            lo = mid + 1;
        } else {
            hi = mid - 1;
        }
    }
    return -1;
}

/* The depth is the logarithm of the units. */
static void list_nodes(struct skr_graph *graph, struct skr_graph_node *node,
                       struct skr_graph_level *level)
{
    if (node->stamp == graph->stamp) {
        return;
    }
    node->stamp = graph->stamp;
    if (node->left) {
        list_nodes(graph, node->left, level);
        list_nodes(graph, node->right, level);
    }
    level->node[level->n_nodes++] = node;
}

bool skr_graph_list(struct skr_graph *graph, int32_t level, size_t most,
                    bool (*wanted)(const struct skr_ports *set))
{
    struct skr_graph_level *at = &graph->level[level];
    at->n_nodes = 0;
    if (!at->node) {
        at->node = skr_run_alloc(graph->run, 2 * most, sizeof(struct skr_graph_node *));
    }
    graph->stamp++;
    for (int32_t i = 0; i < at->n_sets && at->node; i++) {
        if (at->set[i]->node && (!wanted || wanted(at->set[i]))) {
            list_nodes(graph, at->set[i]->node, at);
        }
    }
    return at->node;
}

static void weigh_by_ports(struct skr_graph_node *unit)
{
    for (int32_t s = 0; s < unit->n_states; s++) {
        struct skr_state *state = &unit->state[s];
        if (state->live) {
            state->weight = state->port < 0 ? 0 : unit->ports->port[state->port].weight;
        }
    }
}

static void weigh_pair(struct skr_graph_node *pair)
{
    const struct skr_state *left = pair->left->state;
    const struct skr_state *right = pair->right->state;
    for (int32_t s = 0; s < pair->n_states; s++) {
        struct skr_state *state = &pair->state[s];
        const struct skr_edge *edge = pair->edge + state->first_edge;
        int64_t least = SKR_WEIGHT_NONE;
        for (int32_t i = 0; state->live && i < state->n_edges; i++) {
            int64_t weight = left[edge[i].left].weight + right[edge[i].right].weight;
            least = weight < least ? weight : least;
        }
        if (state->live) {
            state->weight = least < SKR_WEIGHT_MAX ? least : SKR_WEIGHT_NONE;
        }
    }
}

void skr_graph_weigh(struct skr_graph *graph, int32_t deepest, skr_weigh_unit_fn *weigh,
                     const void *context)
{
    for (int32_t level = deepest; level >= 1; level--) {
        const struct skr_graph_level *at = &graph->level[level];
        for (int32_t i = 0; i < at->n_nodes; i++) {
            if (at->node[i]->left) {
                weigh_pair(at->node[i]);
            } else if (weigh && level == deepest) {
                weigh(context, at->node[i]);
            } else {
                weigh_by_ports(at->node[i]);
            }
        }
        for (int32_t i = 0; i < at->n_sets; i++) {
            for (int32_t p = 0; p < at->set[i]->n; p++) {
                struct skr_port *port = &at->set[i]->port[p];
                if (port->live) {
                    port->weight = at->set[i]->node->state[port->state].weight;
                }
            }
        }
    }
}

int64_t skr_graph_root_weight(const struct skr_graph *graph)
{
    return graph->level[1].set[0]->port[0].weight;
}

/* Marks the states behind the marked ports. keep: marked ports are live, all others are not. */
static void enter_ports(const struct skr_graph_level *level, bool keep, bool opened)
{
    for (int32_t i = 0; i < level->n_sets; i++) {
        for (int32_t p = 0; p < level->set[i]->n; p++) {
            struct skr_port *port = &level->set[i]->port[p];
            if (port->marked && opened) {
                level->set[i]->node->state[port->state].marked = true;
            }
            port->live = keep ? port->marked : port->live;
            port->marked = false;
        }
    }
}

/* Marks where the edges of least weight lead, and drops the others, if they are not to be kept. */
static void mark_halves(struct skr_graph_node *pair, struct skr_state *state, bool keep)
{
    struct skr_edge *edge = pair->edge + state->first_edge;
    int32_t kept = 0;
    for (int32_t i = 0; i < state->n_edges; i++) {
        struct skr_state *left = &pair->left->state[edge[i].left];
        struct skr_state *right = &pair->right->state[edge[i].right];
        if (left->weight + right->weight == state->weight) {
            left->marked = true;
            right->marked = true;
            if (keep) {
                edge[kept++] = edge[i];
            }
        }
    }
    state->n_edges = keep ? kept : state->n_edges;
}

/* From the marked states of a level to what the walks of least weight through them meet. keep: the
 * rest is dropped. Returns whether a state has more than one edge. */
static bool walk_level(const struct skr_graph_level *level, bool keep)
{
    bool choice = false;
    for (int32_t i = level->n_nodes - 1; i >= 0; i--) {
        struct skr_graph_node *node = level->node[i];
        for (int32_t s = 0; s < node->n_states; s++) {
            struct skr_state *state = &node->state[s];
            bool met = state->marked;
            state->live = keep ? met : state->live;
            state->marked = false;
            if (!met) {
                continue;
            }
            if (node->left) {
                mark_halves(node, state, keep);
                choice = choice || state->n_edges > 1;
            } else if (state->port >= 0) {
                node->ports->port[state->port].marked = true;
            }
        }
    }
    return choice;
}

static bool walk(struct skr_graph *graph, int32_t deepest, bool keep)
{
    bool choice = false;
    graph->level[1].set[0]->port[0].marked = true;
    for (int32_t level = 1; level <= deepest; level++) {
        enter_ports(&graph->level[level], keep, true);
        choice = walk_level(&graph->level[level], keep) || choice;
    }
    return choice;
}

bool skr_graph_tighten(struct skr_graph *graph, int32_t deepest)
{
    bool choice = walk(graph, deepest, true);
    /* The states of the next level are not made yet, or get their turn later. */
    enter_ports(&graph->level[deepest + 1], true, false);
    return choice;
}

void skr_graph_mark(struct skr_graph *graph, int32_t deepest)
{
    walk(graph, deepest, false);
}
