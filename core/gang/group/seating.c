/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/seating.h"

#include "core/gang/group/role_sets.h"

static bool any_pinned(const struct skr_seat *seat, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (seat[i].pinned) {
            return true;
        }
    }
    return false;
}

int skr_seating_deal(const struct group *g, const struct skr_tree *tree,
                     const struct skr_role_counts *counts, struct skr_seat *seat, size_t n,
                     struct skr_error *error)
{
    if (g->roles.n <= 1 && !any_pinned(seat, n)) {
        return skr_assign(tree, counts->total, seat, n, error);
    }
    struct skr_rank_layout layout;
    skr_role_sets_layout(g, tree, &layout);
    return skr_assign_roles(tree, &layout, counts, seat, n, error);
}

int skr_seating_deal_known(const struct group *g, const struct skr_tree *tree, const int32_t *count,
                           const int32_t *node_leaf, struct skr_seat *seat, size_t n,
                           struct skr_error *error)
{
    struct skr_role_counts counts = {.total = count};
    if (g->roles.n <= 1) {
        return skr_assign(tree, count, seat, n, error);
    }
    size_t leaves = (size_t)tree->n_leaves;
    SKR_AUTO_FREE int32_t *of_role = skr_alloc_array(g->roles.n * leaves + 1, sizeof *of_role);
    for (size_t r = 0; r < g->roles.n; r++) {
        counts.of_role[r] = &of_role[r * leaves];
    }
    for (size_t i = 0; i < n; i++) {
        if (node_leaf[i] >= 0 && seat[i].role < g->roles.n) {
            of_role[seat[i].role * leaves + (size_t)node_leaf[i]]++;
        }
    }
    return skr_seating_deal(g, tree, &counts, seat, n, error);
}
