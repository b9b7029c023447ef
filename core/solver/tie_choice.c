/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ties. Every walk through the finished graph is an optimal placement; of the count vectors of a
 * sibling set the lexicographically greatest is taken.
 *
 * choose(node, states) takes the walks that begin at one of these states and fixes the counts of
 * the left half first. Candidates are all left ends of edges of these states, whatever their total:
 * (4,0) beats (3,2) although its sum is less. After the left half has its state, the right half
 * chooses among the right ends of the edges that fit.
 *
 * Cost: edges of the set, once for every unit that has such a set.
 */
#include "core/solver/tie_choice.h"

#include <string.h>

#include "core/solver/feasible_sets.h"

enum { DEPTH_MAX = 24 }; /* of a balanced pairing of SKR_LEAVES_MAX units */

/* Where a unit's children are decided. */
struct entry {
    const struct skr_ports *set;
    int32_t port; /* -1: they hold nothing */
};

/* A walk through the states of sibling sets, whose units it gives their members. */
struct chooser {
    const struct skr_graph *graph;
    int32_t level;
    int32_t *stack;   /* room for the candidates of all spans between a set and one unit */
    int32_t *child;   /* the units of the set, in tree order */
    int32_t n;        /* of them, met so far */
    struct entry *at; /* [inner unit] */
    int32_t *members; /* [unit][n_roles] */
};

/* Puts the states at the left (right) ends of edges of the given states into ret, each once; for
 * right ends, only edges whose left end is left. Returns how many. */
static int32_t gather(const struct skr_graph_node *node, const int32_t *states, int32_t n,
                      int32_t left, int32_t *ret)
{
    struct skr_state *half = left < 0 ? node->left->state : node->right->state;
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct skr_state *state = &node->state[states[i]];
        const struct skr_edge *edge = node->edge + state->first_edge;
        for (int32_t e = 0; e < state->n_edges; e++) {
            int32_t end = left < 0 ? edge[e].left : edge[e].right;
            if ((left < 0 || edge[e].left == left) && !half[end].marked) {
                half[end].marked = true;
                ret[found++] = end;
            }
        }
    }
    for (int32_t i = 0; i < found; i++) {
        half[ret[i]].marked = false;
    }
    return found;
}

/* The state among the given ones that has this edge. */
static int32_t owner_of(const struct skr_graph_node *node, const int32_t *states, int32_t n,
                        int32_t left, int32_t right)
{
    for (int32_t i = 0; i < n; i++) {
        const struct skr_state *state = &node->state[states[i]];
        const struct skr_edge *edge = node->edge + state->first_edge;
        for (int32_t e = 0; e < state->n_edges; e++) {
            if (edge[e].left == left && edge[e].right == right) {
                return states[i];
            }
        }
    }
    skr_bug_on(true);
}

/* > 0: a is the greater value. */
static int compare(const int32_t *a, const int32_t *b, int32_t n_roles)
{
    int32_t sum_a = 0;
    int32_t sum_b = 0;
    for (int32_t r = 0; r < n_roles; r++) {
        sum_a += a[r];
        sum_b += b[r];
    }
    if (sum_a != sum_b) {
        return sum_a > sum_b ? 1 : -1;
    }
    for (int32_t r = 0; r < n_roles; r++) {
        if (a[r] != b[r]) {
            return a[r] > b[r] ? 1 : -1;
        }
    }
    return 0;
}

static int32_t choose_unit(struct chooser *c, const struct skr_graph_node *node,
                           const int32_t *states, int32_t n)
{
    const struct skr_graph *graph = c->graph;
    const struct skr_axes *axes = graph->level[c->level].axes;
    const int32_t unit = c->child[c->n++];
    int32_t *best = c->members + (size_t)unit * (size_t)graph->run->n_roles;
    int32_t ret = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t members[SKR_ROLES_MAX];
        const struct skr_state *state = &node->state[states[i]];
        skr_axes_members(axes, graph->run->n_roles, skr_state_key(node, state), state->main,
                         members);
        if (ret < 0 || compare(members, best, graph->run->n_roles) > 0) {
            memcpy(best, members, (size_t)graph->run->n_roles * sizeof *best);
            ret = states[i];
        }
    }
    if (unit < graph->run->tree->first_leaf) {
        c->at[unit] = (struct entry){.set = node->ports, .port = node->state[ret].port};
    }
    return ret;
}

/* The depth is the logarithm of the units. */
static int32_t choose(struct chooser *c, const struct skr_graph_node *node, const int32_t *states,
                      int32_t n, int32_t *stack)
{
    if (!node->left) {
        return choose_unit(c, node, states, n);
    }
    int32_t found = gather(node, states, n, -1, stack);
    int32_t left = choose(c, node->left, stack, found, stack + found);
    found = gather(node, states, n, left, stack);
    int32_t right = choose(c, node->right, stack, found, stack + found);
    return owner_of(node, states, n, left, right);
}

static bool begin(const struct skr_graph *graph, struct chooser *ret)
{
    struct skr_run *run = graph->run;
    size_t most = 1;
    for (int32_t level = 1; level <= graph->n_levels; level++) {
        for (int32_t i = 0; i < graph->level[level].n_nodes; i++) {
            size_t n = (size_t)graph->level[level].node[i]->n_states;
            most = n > most ? n : most;
        }
    }
    ret->stack = skr_run_alloc(run, DEPTH_MAX * most, sizeof(int32_t));
    ret->child = skr_run_alloc(run, (size_t)run->tree->n_units, sizeof(int32_t));
    ret->at = skr_run_alloc(run, (size_t)run->tree->first_leaf, sizeof *ret->at);
    return ret->stack && ret->child && ret->at;
}

/* The children of a unit that are in its sibling set as it was opened, in tree order. */
static void list_children(const struct skr_graph *graph, int32_t unit, int32_t *ret)
{
    const struct skr_tree *tree = graph->run->tree;
    struct skr_span *const *opened = graph->sets->inside[unit]->note->siblings->unit;
    int32_t first = tree->child_first[unit];
    for (int32_t child = first; child < first + tree->child_count[unit]; child++) {
        if (graph->sets->unit[child] && *opened++) {
            *ret++ = child;
        }
    }
}

bool skr_tie_choose(const struct skr_graph *graph, int32_t *members)
{
    const struct skr_tree *tree = graph->run->tree;
    struct chooser c = {.graph = graph, .members = members};
    if (!begin(graph, &c)) {
        return false;
    }
    memset(members, 0, (size_t)tree->n_units * (size_t)graph->run->n_roles * sizeof *members);
    c.at[0] = (struct entry){.set = graph->level[1].set[0], .port = 0};
    for (c.level = 1; c.level <= graph->n_levels; c.level++) {
        for (int32_t unit = tree->level_first[c.level - 1]; unit < tree->level_first[c.level];
             unit++) {
            const struct entry *at = &c.at[unit];
            if (at->set && at->port >= 0) {
                c.n = 0;
                list_children(graph, unit, c.child);
                choose(&c, at->set->node, &at->set->port[at->port].state, 1, c.stack);
            }
            if (!skr_run_poll(graph->run)) {
                return false;
            }
        }
    }
    return true;
}
