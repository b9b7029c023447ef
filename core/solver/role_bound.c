/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bound of a placement that is not proven to be the best: the least number of used units. The
 * roomiest units of that number must have enough of each resource for all new members, and enough
 * slots for the new members of each role.
 */
#include <stdlib.h>

#include "core/solver/role_beyond.h"
#include "topology/room.h"

/* sum[unit] of what the leaves have; need > 0. Tightens ret[n_levels]. */
static void tighten(const struct skr_tree *tree, int64_t *sum, int64_t need, int64_t *sorted,
                    int32_t *ret)
{
    for (int32_t unit = tree->n_units - 1; unit > 0; unit--) {
        sum[tree->parent[unit]] = skr_amount_sum(sum[tree->parent[unit]], sum[unit]);
    }
    for (int32_t level = 1; level <= tree->n_levels; level++) {
        int32_t first = tree->level_first[level];
        int32_t n = tree->level_first[level + 1] - first;
        for (int32_t i = 0; i < n; i++) {
            sorted[i] = sum[first + i];
        }
        qsort(sorted, (size_t)n, sizeof *sorted, skr_greatest_first_64);
        int64_t got = 0;
        int32_t used = 0;
        while (used < n && got < need) {
            got = skr_amount_sum(got, sorted[used++]);
        }
        ret[level - 1] = used > ret[level - 1] ? used : ret[level - 1];
    }
}

static void by_resource(const struct skr_problem *problem, const int32_t *size, size_t d,
                        int64_t *sum, int64_t *sorted, int32_t *ret)
{
    const struct skr_tree *tree = problem->tree;
    int64_t need = 0;
    for (size_t r = 0; r < problem->roles->n_roles; r++) {
        const struct skr_role *role = &problem->roles->role[r];
        int64_t added = size[r] - skr_role_claims(role, 0, tree->n_leaves);
        for (; added > 0 && role->demand[d] > 0; added--) {
            need = skr_amount_sum(need, role->demand[d]);
        }
    }
    for (int32_t unit = 0; unit < tree->n_units; unit++) {
        sum[unit] = 0;
        if (unit >= tree->first_leaf) {
            int64_t free =
                problem->free[(size_t)(unit - tree->first_leaf) * problem->n_resources + d];
            sum[unit] = free > 0 ? free : 0;
        }
    }
    if (need > 0) {
        tighten(tree, sum, need, sorted, ret);
    }
}

static void by_role(const struct skr_problem *problem, const int32_t *size, size_t r, int64_t *sum,
                    int64_t *sorted, int32_t *ret)
{
    const struct skr_tree *tree = problem->tree;
    const struct skr_role *role = &problem->roles->role[r];
    for (int32_t unit = 0; unit < tree->n_units; unit++) {
        sum[unit] = unit < tree->first_leaf
                        ? 0
                        : skr_role_room(problem, role, unit - tree->first_leaf, INT32_MAX);
    }
    int64_t need = size[r] - skr_role_claims(role, 0, tree->n_leaves);
    if (need > 0) {
        tighten(tree, sum, need, sorted, ret);
    }
}

bool skr_role_least_used(const struct skr_problem *problem, const int32_t *size, int32_t *ret)
{
    const struct skr_tree *tree = problem->tree;
    SKR_AUTO_FREE int64_t *sum = calloc((size_t)tree->n_units + 1, sizeof *sum);
    SKR_AUTO_FREE int64_t *sorted = calloc((size_t)tree->n_units + 1, sizeof *sorted);
    bool done = sum && sorted;
    for (int32_t l = 0; l < tree->n_levels; l++) {
        ret[l] = 1;
    }
    for (size_t d = 0; done && d < problem->n_resources; d++) {
        by_resource(problem, size, d, sum, sorted, ret);
    }
    for (size_t r = 0; done && r < problem->roles->n_roles; r++) {
        by_role(problem, size, r, sum, sorted, ret);
    }
    return done;
}
