/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ties, as core/solver/tie_choice.c decides them: of all optimal placements the one whose children
 * have the greatest values, from left to right. The value of a child is its members in sum, then
 * those of each role.
 */
#include <string.h>

#include "core/solver/roles/role_graph.h"

struct chooser {
    const struct skr_role_run *rr;
    int32_t *stack;
    int32_t *members; /* [met so far][n_roles] */
    int32_t n;
};

enum { DEPTH_MAX = 24 }; /* of a balanced pairing of SKR_LEAVES_MAX units */

/* As gather() of tie_choice.c. */
static int32_t gather(const struct skr_role_span *span, const int32_t *states, int32_t n,
                      int32_t left, int32_t *ret)
{
    struct skr_role_state *half = left < 0 ? span->left->state : span->right->state;
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct skr_role_state *state = &span->state[states[i]];
        const struct skr_edge *edge = span->edge + state->first_edge;
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

static int32_t owner_of(const struct skr_role_span *span, const int32_t *states, int32_t n,
                        int32_t left, int32_t right)
{
    for (int32_t i = 0; i < n; i++) {
        const struct skr_role_state *state = &span->state[states[i]];
        const struct skr_edge *edge = span->edge + state->first_edge;
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

static int32_t choose_unit(struct chooser *chooser, const struct skr_role_span *span,
                           const int32_t *states, int32_t n)
{
    const struct skr_role_run *rr = chooser->rr;
    int32_t *best = chooser->members + (size_t)chooser->n++ * (size_t)rr->n_roles;
    int32_t ret = -1;
    for (int32_t i = 0; i < n; i++) {
        const struct skr_role_state *state = &span->state[states[i]];
        int32_t members[SKR_ROLES_MAX];
        skr_axes_members(rr, span->level, span->rows.row[state->row].key, state->main, members);
        if (ret < 0 || compare(members, best, rr->n_roles) > 0) {
            memcpy(best, members, (size_t)rr->n_roles * sizeof *best);
            ret = states[i];
        }
    }
    return ret;
}

/* The depth is the logarithm of the units. */
static int32_t choose(struct chooser *chooser, const struct skr_role_span *span,
                      const int32_t *states, int32_t n, int32_t *stack)
{
    if (!span->left) {
        return choose_unit(chooser, span, states, n);
    }
    int32_t found = gather(span, states, n, -1, stack);
    int32_t left = choose(chooser, span->left, stack, found, stack + found);
    found = gather(span, states, n, left, stack);
    int32_t right = choose(chooser, span->right, stack, found, stack + found);
    return owner_of(span, states, n, left, right);
}

/* Distributes the members of a unit over its children. */
static void choose_children(struct chooser *chooser, const struct skr_role_sets *sets, int32_t unit,
                            int32_t *members)
{
    const struct skr_role_run *rr = chooser->rr;
    const struct skr_tree *tree = rr->run.tree;
    const struct skr_role_ports *set = sets->inside[unit]->ports;
    size_t n_roles = (size_t)rr->n_roles;
    uint64_t key = 0;
    int32_t main = 0;
    skr_axes_vector(rr, skr_tree_level_of(tree, unit) + 1, members + (size_t)unit * n_roles, &key,
                    &main);
    int32_t at = 0;
    while (set->port[at].key != key || set->port[at].main != main) {
        at++;
    }
    chooser->n = 0;
    choose(chooser, set->all, &set->port[at].state, 1, chooser->stack);
    int32_t chosen = 0;
    int32_t first = tree->child_first[unit];
    for (int32_t child = first; child < first + tree->child_count[unit]; child++) {
        if (sets->unit[child]) {
            memcpy(members + (size_t)child * n_roles, chooser->members + (size_t)chosen++ * n_roles,
                   n_roles * sizeof *members);
        }
    }
}

bool skr_role_choose(const struct skr_role_graph *graph, const struct skr_role_sets *sets,
                     const int32_t *target, int32_t *members)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_tree *tree = rr->run.tree;
    size_t n_roles = (size_t)rr->n_roles;
    size_t most = 1;
    for (int32_t level = 1; level <= graph->n_levels; level++) {
        for (int32_t i = 0; i < graph->level[level].n_spans; i++) {
            size_t n = (size_t)graph->level[level].span[i]->n_states;
            most = n > most ? n : most;
        }
    }
    struct chooser chooser = {
        .rr = rr,
        .stack = skr_run_alloc(&rr->run, DEPTH_MAX * most, sizeof(int32_t)),
        .members = skr_run_alloc(&rr->run, (size_t)tree->n_units * n_roles, sizeof(int32_t)),
    };
    if (!chooser.stack || !chooser.members) {
        return false;
    }
    memset(members, 0, (size_t)tree->n_units * n_roles * sizeof *members);
    memcpy(members, target, n_roles * sizeof *members);
    for (int32_t unit = 0; unit < tree->first_leaf; unit++) {
        bool any = false;
        for (size_t r = 0; r < n_roles; r++) {
            any = any || members[(size_t)unit * n_roles + r] > 0;
        }
        if (any) {
            choose_children(&chooser, sets, unit, members);
        }
        if (!skr_run_poll(&rr->run)) {
            return false;
        }
    }
    return true;
}
