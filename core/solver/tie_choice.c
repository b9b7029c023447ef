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

#include "core/solver/roles.h"

enum { DEPTH_MAX = 24 }; /* of a balanced pairing of SKR_LEAVES_MAX units */

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

static int32_t choose_unit(struct skr_chooser *chooser, const struct skr_graph_node *unit,
                           const int32_t *states, int32_t n)
{
    size_t n_roles = (size_t)chooser->n_roles;
    int32_t *best = chooser->members + (size_t)chooser->n++ * n_roles;
    int32_t ret = -1;
    for (int32_t i = 0; i < n; i++) {
        int32_t members[SKR_ROLES_MAX];
        chooser->members_of(chooser->context, unit, &unit->state[states[i]], members);
        if (ret < 0 || compare(members, best, chooser->n_roles) > 0) {
            memcpy(best, members, n_roles * sizeof *best);
            ret = states[i];
        }
    }
    return ret;
}

/* The depth is the logarithm of the units. */
static int32_t choose(struct skr_chooser *chooser, const struct skr_graph_node *node,
                      const int32_t *states, int32_t n, int32_t *stack)
{
    if (!node->left) {
        return choose_unit(chooser, node, states, n);
    }
    int32_t found = gather(node, states, n, -1, stack);
    int32_t left = choose(chooser, node->left, stack, found, stack + found);
    found = gather(node, states, n, left, stack);
    int32_t right = choose(chooser, node->right, stack, found, stack + found);
    return owner_of(node, states, n, left, right);
}

void skr_choose_set(struct skr_chooser *chooser, const struct skr_ports *set, int32_t port)
{
    chooser->n = 0;
    choose(chooser, set->node, &set->port[port].state, 1, chooser->stack);
}

bool skr_chooser_init(const struct skr_graph *graph, int32_t n_roles, skr_members_fn *members_of,
                      const void *context, struct skr_chooser *ret)
{
    struct skr_run *run = graph->run;
    size_t most = 1;
    for (int32_t level = 1; level <= graph->n_levels; level++) {
        for (int32_t i = 0; i < graph->level[level].n_nodes; i++) {
            size_t n = (size_t)graph->level[level].node[i]->n_states;
            most = n > most ? n : most;
        }
    }
    size_t n_units = (size_t)run->tree->n_units;
    *ret = (struct skr_chooser){.n_roles = n_roles, .members_of = members_of, .context = context};
    ret->stack = skr_run_alloc(run, DEPTH_MAX * most, sizeof(int32_t));
    ret->members = skr_run_alloc(run, n_units * (size_t)n_roles, sizeof(int32_t));
    return ret->stack && ret->members;
}

/* ---- equal members ---- */

static void total_of(const void *context, const struct skr_graph_node *unit,
                     const struct skr_state *state, int32_t *ret)
{
    (void)context;
    (void)unit;
    *ret = state->main;
}

/* Distributes the total of a unit over its children. */
static void choose_children(struct skr_chooser *chooser, const struct skr_run *run,
                            const struct skr_feasible *feasible, int32_t unit, int32_t *total)
{
    const struct skr_siblings *siblings = feasible->inside[unit]->siblings;
    skr_choose_set(chooser, &siblings->ports, skr_ports_find(&siblings->ports, 0, total[unit]));
    int32_t member = 0;
    int32_t chosen = 0;
    int32_t first = run->tree->child_first[unit];
    for (int32_t child = first; child < first + run->tree->child_count[unit]; child++) {
        if (feasible->unit[child] && siblings->member[member++]) {
            total[child] = chooser->members[chosen++];
        }
    }
}

bool skr_tie_choose(const struct skr_graph *graph, const struct skr_feasible *feasible,
                    int32_t *total)
{
    struct skr_run *run = graph->run;
    const struct skr_tree *tree = run->tree;
    struct skr_chooser chooser;
    if (!skr_chooser_init(graph, 1, total_of, NULL, &chooser)) {
        return false;
    }
    memset(total, 0, (size_t)tree->n_units * sizeof *total);
    total[0] = run->n;
    for (int32_t unit = 0; unit < tree->level_first[graph->n_levels]; unit++) {
        if (total[unit] > 0) {
            choose_children(&chooser, run, feasible, unit, total);
        }
        if (!skr_run_poll(run)) {
            return false;
        }
    }
    return true;
}
