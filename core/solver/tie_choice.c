/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ties. Every walk through the finished graph is an optimal placement; of the count vectors of a
 * sibling set the lexicographically greatest is taken.
 *
 * choose(span, states) takes the walks that begin at one of these states and fixes the counts of
 * the left half first. Candidates are all left ends of edges of these states, whatever their total:
 * (4,0) beats (3,2) although its sum is less. After the left half has its state, the right half
 * chooses among the right ends of the edges that fit.
 *
 * Cost: edges of the set, once for every unit that has such a set.
 */
#include "core/solver/tie_choice.h"

#include <string.h>

struct chooser {
    int32_t *stack; /* room for the candidates of all spans between the set and one unit */
    int32_t *count; /* of the units met so far */
    int32_t n;
};

enum { DEPTH_MAX = 24 }; /* of a balanced pairing of SKR_LEAVES_MAX units */

/* Puts the states at the left (right) ends of edges of the given states into ret, each once; for
 * right ends, only edges whose left end is left. Returns how many. */
static int32_t gather(const struct skr_span *span, const int32_t *states, int32_t n, int32_t left,
                      int32_t *ret)
{
    struct skr_span *half = left < 0 ? span->left : span->right;
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct skr_state *state = &span->note->state[states[i]];
        const struct skr_edge *edge = span->note->edge + state->first_edge;
        for (int32_t e = 0; e < state->n_edges; e++) {
            int32_t end = left < 0 ? edge[e].left : edge[e].right;
            if ((left < 0 || edge[e].left == left) && !half->note->state[end].marked) {
                half->note->state[end].marked = true;
                ret[found++] = end;
            }
        }
    }
    for (int32_t i = 0; i < found; i++) {
        half->note->state[ret[i]].marked = false;
    }
    return found;
}

/* The state among the given ones that has this edge. */
static int32_t owner_of(const struct skr_span *span, const int32_t *states, int32_t n, int32_t left,
                        int32_t right)
{
    for (int32_t i = 0; i < n; i++) {
        const struct skr_state *state = &span->note->state[states[i]];
        const struct skr_edge *edge = span->note->edge + state->first_edge;
        for (int32_t e = 0; e < state->n_edges; e++) {
            if (edge[e].left == left && edge[e].right == right) {
                return states[i];
            }
        }
    }
    skr_bug_on(true);
}

static int32_t choose(struct chooser *chooser, const struct skr_span *span, const int32_t *states,
                      int32_t n, int32_t *stack)
{
    if (!span->left) {
        int32_t best = states[0];
        for (int32_t i = 1; i < n; i++) {
            best = span->note->state[states[i]].total > span->note->state[best].total ? states[i]
                                                                                      : best;
        }
        chooser->count[chooser->n++] = span->note->state[best].total;
        return best;
    }
    int32_t found = gather(span, states, n, -1, stack);
    int32_t left = choose(chooser, span->left, stack, found, stack + found);
    found = gather(span, states, n, left, stack);
    int32_t right = choose(chooser, span->right, stack, found, stack + found);
    return owner_of(span, states, n, left, right);
}

/* Distributes the total of a unit over its children. */
static void choose_children(struct chooser *chooser, const struct skr_run *run,
                            const struct skr_feasible *feasible, int32_t unit, int32_t *total)
{
    const struct skr_siblings *siblings = feasible->inside[unit]->note->siblings;
    const struct skr_port *port = &siblings->port[skr_siblings_port(siblings, total[unit])];
    chooser->n = 0;
    choose(chooser, siblings->narrow, &port->state, 1, chooser->stack);
    int32_t member = 0;
    int32_t chosen = 0;
    int32_t first = run->tree->child_first[unit];
    for (int32_t child = first; child < first + run->tree->child_count[unit]; child++) {
        if (feasible->unit[child]) {
            if (siblings->member[member++]) {
                total[child] = chooser->count[chosen++];
            }
        }
    }
}

bool skr_tie_choose(const struct skr_graph *graph, const struct skr_feasible *feasible,
                    int32_t *total)
{
    struct skr_run *run = graph->run;
    const struct skr_tree *tree = run->tree;
    size_t most = 1;
    for (int32_t level = 1; level <= graph->n_levels; level++) {
        for (int32_t i = 0; i < graph->level[level].n_spans; i++) {
            size_t n = (size_t)graph->level[level].span[i]->note->n_states;
            most = n > most ? n : most;
        }
    }
    struct chooser chooser = {
        .stack = skr_run_alloc(run, DEPTH_MAX * most, sizeof(int32_t)),
        .count = skr_run_alloc(run, (size_t)tree->n_units, sizeof(int32_t)),
    };
    if (!chooser.stack || !chooser.count) {
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
