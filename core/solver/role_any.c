/* SPDX-License-Identifier: Apache-2.0 */
/* Some valid placement, straight from the feasible sets: of the ways to split a vector the first
 * one, which gives the left half as much as it can take. */
#include <string.h>

#include "core/solver/role_cells.h"
#include "core/solver/role_exact.h"

/* Splits a vector of a pair over its halves; it is in the rows of the pair. */
static void split(const struct skr_span *span, uint64_t key, int32_t main, uint64_t *ret_key,
                  int32_t *ret_main)
{
    const struct skr_rows *x = &span->left->rows;
    const struct skr_rows *y = &span->right->rows;
    int32_t i = 0;
    for (int32_t j = y->n - 1; skr_rows_pair(x, y, key, &i, &j); i++) {
        const struct skr_row *a = &x->row[i];
        const struct skr_row *b = &y->row[j];
        for (int32_t m = a->hi < main - b->lo ? a->hi : main - b->lo; m >= a->lo; m--) {
            if (skr_row_has(a, m) && skr_row_has(b, main - m)) {
                *ret_key = a->key;
                *ret_main = m;
                return;
            }
        }
    }
    skr_bug_on(true);
}

/* The depth is the logarithm of the units. Returns where the next unit's members go. */
static int32_t *place(struct skr_role_run *rr, const struct skr_span *span, uint64_t key,
                      int32_t main, int32_t *ret)
{
    if (!span->left) {
        skr_axes_members(&rr->axes[span->level], rr->run.n_roles, key, main, ret);
        return ret + rr->run.n_roles;
    }
    uint64_t left_key = 0;
    int32_t left_main = 0;
    split(span, key, main, &left_key, &left_main);
    ret = place(rr, span->left, left_key, left_main, ret);
    return place(rr, span->right, key - left_key, main - left_main, ret);
}

bool skr_role_any(struct skr_role_run *rr, const struct skr_feasible *sets, const int32_t *target,
                  int32_t *members)
{
    const struct skr_tree *tree = rr->run.tree;
    size_t n_roles = (size_t)rr->run.n_roles;
    memset(members, 0, (size_t)tree->n_units * n_roles * sizeof *members);
    memcpy(members, target, n_roles * sizeof *members);
    for (int32_t unit = 0; unit < tree->first_leaf; unit++) {
        uint64_t key = 0;
        int32_t main = 0;
        int32_t level = skr_tree_level_of(tree, unit);
        int32_t *own = members + (size_t)unit * n_roles;
        if (!skr_axes_vector(&rr->run, level + 1, own, &key, &main) || (key == 0 && main == 0)) {
            continue;
        }
        /* Children that hold nothing have no span: their members are moved to their places from the
         * right. */
        int32_t first = tree->child_first[unit];
        int32_t *to = members + (size_t)first * n_roles;
        place(rr, sets->inside[unit], key, main, to);
        int32_t at = sets->inside[unit]->n_units;
        for (int32_t child = tree->child_count[unit] - 1; child >= 0; child--) {
            int32_t *into = to + (size_t)child * n_roles;
            if (!sets->unit[first + child]) {
                memset(into, 0, n_roles * sizeof *into);
            } else {
                at--;
                memmove(into, to + (size_t)at * n_roles, n_roles * sizeof *into);
            }
        }
        if (!skr_run_poll(&rr->run)) {
            return false;
        }
    }
    return true;
}
