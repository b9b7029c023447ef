/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feasible sets of roles.
 *
 * The vectors of a unit are those of its sibling set of children whose counters are complete: each
 * is as large as its rule says, or 0 where the scope has nothing below the unit. At the level of a
 * set kind the vectors *collapse*: those that are whole sets are kept, and their roles become one
 * axis. Then the rules of the unit's own level filter them.
 */
#include "core/solver/role_sets.h"

static bool collapses(const struct skr_role_run *rr, int32_t level)
{
    for (size_t k = 0; k < rr->roles->n_kinds; k++) {
        if (rr->roles->kind[k].level == level) {
            return true;
        }
    }
    return false;
}

/* The only main count >= 0 that makes whole sets with the side counts; -1: several may. */
static int32_t only_main(const struct skr_role_run *rr, int32_t level, const int32_t *counts)
{
    const struct skr_axes *axes = &rr->axes[level + 1];
    const struct skr_axis *main = &axes->axis[axes->n - 1];
    if (main->role < 0 || rr->kind_of[main->role] < 0) {
        return -1;
    }
    const struct skr_set_kind *kind = &rr->roles->kind[rr->kind_of[main->role]];
    for (int32_t a = 0; a + 1 < axes->n && kind->level == level; a++) {
        int32_t role = axes->axis[a].role;
        if (role >= 0 && kind->each[role] > 0 && axes->axis[a].part == SKR_AXIS_WHOLE) {
            return counts[a] / kind->each[role] * kind->each[main->role];
        }
    }
    return -1;
}

/* One row of the children of a unit of the level at which kinds collapse. */
static bool collapse_row(const struct skr_role_filter *filter, const struct skr_row *row)
{
    struct skr_role_run *rr = filter->rr;
    int32_t level = filter->level;
    const struct skr_axes *below = &rr->axes[level + 1];
    const struct skr_axes *axes = &rr->axes[level];
    int32_t counts[SKR_AXES_MAX];
    int32_t members[SKR_ROLES_MAX];
    uint64_t key = 0;
    int32_t main = 0;
    skr_axes_counts(below, row->key, 0, counts);
    int32_t only = only_main(rr, level, counts);
    const struct skr_axis *a = &below->axis[below->n - 1];
    const struct skr_axis *b = &axes->axis[axes->n - 1];
    if (a->role == b->role && a->kind == b->kind) {
        skr_axes_members(below, rr->run.n_roles, row->key, 0, members);
        return !skr_axes_vector(&rr->run, level, members, &key, &main) ||
               skr_role_filter_put(filter, key & axes->side, row, row->lo, row->hi);
    }
    int32_t from = only > row->lo ? only : row->lo;
    int32_t to = only >= 0 && only < row->hi ? only : row->hi;
    for (int32_t x = skr_row_next(row, from); x <= to; x = skr_row_next(row, x + 1)) {
        skr_axes_members(below, rr->run.n_roles, row->key, x, members);
        if (skr_axes_vector(&rr->run, level, members, &key, &main)) {
            const struct skr_row one = {.lo = main, .hi = main};
            if (!skr_role_filter_put(filter, key & axes->side, &one, main, main)) {
                return false;
            }
        }
    }
    return true;
}

/* Puts the vectors of an inner unit of the filter. */
static bool put_inner(const struct skr_role_filter *filter, const struct skr_span *inside)
{
    struct skr_role_run *rr = filter->rr;
    const struct skr_axes *below = &rr->axes[filter->level + 1];
    const struct skr_row zero = {0};
    const struct skr_rows none = {.n = 1, .row = &zero};
    const struct skr_rows *rows = inside ? &inside->rows : &none;
    bool whole = collapses(rr, filter->level);
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_row *row = &rows->row[i];
        if (!skr_feasible_complete(&rr->run, filter->level + 1, row->key)) {
            continue;
        }
        if (whole ? !collapse_row(filter, row)
                  : !skr_role_filter_put(filter, row->key & below->side, row, row->lo, row->hi)) {
            return false;
        }
    }
    return skr_role_run_step(rr, rows->n);
}

bool skr_role_unit_rows(struct skr_role_run *rr, int32_t level, int32_t unit,
                        const struct skr_span *inside, bool most_only, struct skr_rows *ret)
{
    const int32_t leaf = unit - rr->run.tree->first_leaf;
    struct skr_role_filter filter;
    skr_role_filter_init(&filter, rr, level, unit, most_only);
    return skr_rows_begin(&rr->run, skr_axes_main_most(&rr->axes[level]), 1) &&
           (leaf >= 0 ? skr_role_leaf_put(&filter, leaf) : put_inner(&filter, inside)) &&
           skr_rows_finish(&rr->run, false, ret);
}

/* The role whose room SKR_TIE_TIGHT compares: the one with most members. */
static const struct skr_role *tight_role(const struct skr_role_run *rr)
{
    int32_t best = 0;
    for (int32_t r = 1; r < rr->run.n_roles; r++) {
        best = rr->n[r] > rr->n[best] ? r : best;
    }
    return &rr->roles->role[best];
}

bool skr_role_sets_build(struct skr_role_run *rr, struct skr_feasible *ret)
{
    const struct skr_problem *problem = rr->run.problem;
    struct skr_leaf_bounds leaf = {.least = NULL};
    if (problem->tie_break == SKR_TIE_TIGHT) {
        leaf.room = skr_run_alloc(&rr->run, (size_t)rr->run.tree->n_leaves, sizeof *leaf.room);
        for (int32_t i = 0; i < rr->run.tree->n_leaves && leaf.room; i++) {
            leaf.room[i] = skr_role_room(problem, tight_role(rr), i, INT32_MAX);
        }
    }
    return rr->run.stop == SKR_RUN_GOES_ON && skr_feasible_build(&rr->run, &leaf, ret);
}

bool skr_role_sets_root(struct skr_role_run *rr, const struct skr_feasible *sets,
                        struct skr_rows *ret)
{
    const struct skr_axes *axes = &rr->axes[1];
    const struct skr_row zero = {0};
    const struct skr_rows none = {.n = 1, .row = &zero};
    const struct skr_rows *rows = sets->inside[0] ? &sets->inside[0]->rows : &none;
    if (!skr_rows_begin(&rr->run, skr_axes_main_most(axes), 1)) {
        return false;
    }
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_row *row = &rows->row[i];
        if (skr_feasible_complete(&rr->run, 1, row->key) &&
            !skr_rows_add_row(&rr->run, row->key & axes->side, row, row->lo, row->hi)) {
            return false;
        }
    }
    return skr_rows_finish(&rr->run, true, ret);
}
