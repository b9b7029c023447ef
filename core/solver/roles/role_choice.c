/* SPDX-License-Identifier: Apache-2.0 */
/* Ties, as core/solver/tie_choice.h says: the members of all units. */
#include <string.h>

#include "core/solver/roles/role_graph.h"
#include "core/solver/tie_choice.h"

static void members_of(const void *context, const struct skr_graph_node *unit,
                       const struct skr_state *state, int32_t *ret)
{
    const struct skr_span *span = (const struct skr_span *)(const void *)unit;
    skr_axes_members(context, span->level, span->rows.row[state->row].key, state->main, ret);
}

/* Distributes the members of a unit over its children. */
static void choose_children(struct skr_chooser *chooser, const struct skr_role_run *rr,
                            const struct skr_role_sets *sets, int32_t unit, int32_t *members)
{
    const struct skr_tree *tree = rr->run.tree;
    const struct skr_ports *set = &sets->inside[unit]->ports->ports;
    size_t n_roles = (size_t)rr->n_roles;
    uint64_t key = 0;
    int32_t main = 0;
    skr_axes_vector(rr, skr_tree_level_of(tree, unit) + 1, members + (size_t)unit * n_roles, &key,
                    &main);
    skr_choose_set(chooser, set, skr_ports_find(set, key, main));
    int32_t chosen = 0;
    int32_t first = tree->child_first[unit];
    for (int32_t child = first; child < first + tree->child_count[unit]; child++) {
        if (sets->unit[child]) {
            memcpy(members + (size_t)child * n_roles, chooser->members + (size_t)chosen++ * n_roles,
                   n_roles * sizeof *members);
        }
    }
}

bool skr_role_choose(const struct skr_graph *graph, const struct skr_role_sets *sets,
                     const int32_t *target, int32_t *members)
{
    struct skr_role_run *rr = graph->rr;
    const struct skr_tree *tree = rr->run.tree;
    size_t n_roles = (size_t)rr->n_roles;
    struct skr_chooser chooser;
    if (!skr_chooser_init(graph, rr->n_roles, members_of, rr, &chooser)) {
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
            choose_children(&chooser, rr, sets, unit, members);
        }
        if (!skr_run_poll(&rr->run)) {
            return false;
        }
    }
    return true;
}
