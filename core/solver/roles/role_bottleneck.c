/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fits of an infeasible problem with roles: the largest part of each role at the root, and the
 * units of the deciding level that are short.
 *
 * Every number is read off the feasible sets. The need of a unit is what is left of each role if all
 * other units of the level held their most. If the number of used siblings is limited, only the best
 * siblings count. A unit that can hold its need of all roles together is not short and not listed.
 */
#include <stdlib.h>

#include "core/solver/roles/role_explain.h"

/* The most of each axis among the vectors that have at least `least` of every other axis, at most
 * `most` of it; -1: there is none. */
static void most_of_axes(const struct skr_axes *axes, const struct skr_rows *rows,
                         const int32_t *least, const int32_t *most, int32_t *ret)
{
    for (int32_t a = 0; a < axes->n; a++) {
        ret[a] = -1;
    }
    for (int32_t i = 0; i < rows->n; i++) {
        const struct skr_row *row = &rows->row[i];
        for (int32_t x = skr_row_next(row, 0); x <= row->hi; x = skr_row_next(row, x + 1)) {
            int32_t counts[SKR_AXES_MAX];
            int32_t missing = 0;
            int32_t which = 0;
            skr_axes_counts(axes, row->key, x, counts);
            for (int32_t a = 0; a < axes->n; a++) {
                if (counts[a] < least[a]) {
                    missing++;
                    which = a;
                }
            }
            for (int32_t a = 0; a < axes->n && missing <= 1; a++) {
                int32_t count = counts[a] < most[a] ? counts[a] : most[a];
                if ((missing == 0 || which == a) && count > ret[a]) {
                    ret[a] = count;
                }
            }
        }
    }
}

static bool explain_root(struct skr_role_run *rr, const struct skr_feasible *sets,
                         struct skr_solution *solution)
{
    const struct skr_axes *axes = &rr->axes[1];
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    struct skr_rows rows;
    int32_t least[SKR_AXES_MAX];
    int32_t most[SKR_AXES_MAX];
    int32_t found[SKR_AXES_MAX];
    if (!skr_role_sets_root(rr, sets, &rows)) {
        return false;
    }
    for (int32_t a = 0; a < axes->n; a++) {
        int32_t role = axes->axis[a].role;
        most[a] = axes->axis[a].most;
        least[a] = role >= 0 ? rr->roles->role[role].minimum : most[a];
    }
    most_of_axes(axes, &rows, least, most, found);
    for (int32_t a = 0; a < axes->n; a++) {
        if (axes->axis[a].role >= 0) {
            roles->largest_of_role[axes->axis[a].role] = found[a];
        } else {
            roles->largest_of_sets[axes->axis[a].kind] = found[a];
        }
    }
    solution->explanation.largest = skr_rows_greatest(axes, &rows, rr->n_roles);
    return true;
}

/* ---- units of the deciding level ---- */

struct short_unit {
    struct skr_role_short unit;
    int32_t sum;      /* of the needs */
    int32_t shortage; /* least over the roles */
};

static int by_shortage(const void *a, const void *b)
{
    const struct short_unit *x = a;
    const struct short_unit *y = b;
    if (x->shortage != y->shortage) {
        return x->shortage < y->shortage ? -1 : 1;
    }
    return (x->unit.unit > y->unit.unit) - (x->unit.unit < y->unit.unit);
}

struct level_view {
    struct skr_role_run *rr;
    const struct skr_feasible *sets;
    int32_t level;
    int32_t *best;   /* [unit of the level][axis] most of the axis, whatever the others */
    int32_t *sorted; /* working space */
};

static const struct skr_rows *rows_of(const struct level_view *view, int32_t unit)
{
    static const struct skr_row zero = {0};
    static const struct skr_rows none = {.n = 1, .row = &zero};
    return view->sets->unit[unit] ? &view->sets->unit[unit]->rows : &none;
}

static void find_best(const struct level_view *view, int32_t unit, int32_t *ret)
{
    const struct skr_axes *axes = &view->rr->axes[view->level];
    int32_t least[SKR_AXES_MAX] = {0};
    int32_t most[SKR_AXES_MAX];
    for (int32_t a = 0; a < axes->n; a++) {
        most[a] = axes->axis[a].most;
    }
    most_of_axes(axes, rows_of(view, unit), least, most, ret);
    for (int32_t a = 0; a < axes->n; a++) {
        ret[a] = ret[a] > 0 ? ret[a] : 0;
    }
}

/* The most of an axis that siblings of the unit, used at the same time, hold. */
static int64_t beside(const struct level_view *view, int32_t unit, int32_t axis)
{
    const struct skr_role_run *rr = view->rr;
    const struct skr_tree *tree = rr->run.tree;
    size_t n_axes = (size_t)rr->axes[view->level].n;
    int32_t parent = tree->parent[unit];
    int32_t first = tree->child_first[parent];
    int32_t n = 0;
    for (int32_t u = first; u < first + tree->child_count[parent]; u++) {
        if (u != unit) {
            view->sorted[n++] =
                view->best[(size_t)(u - tree->level_first[view->level]) * n_axes + (size_t)axis];
        }
    }
    int32_t role = rr->axes[view->level].axis[axis].role;
    int32_t used = rr->law[view->level][rr->n_roles].used;
    if (role >= 0 && rr->law[view->level][role].used > 0 &&
        (used == 0 || rr->law[view->level][role].used < used)) {
        used = rr->law[view->level][role].used;
    }
    qsort(view->sorted, (size_t)n, sizeof *view->sorted, skr_greatest_first_32);
    int64_t sum = 0;
    for (int32_t i = 0; i < n && (used == 0 || i + 1 < used); i++) {
        sum += view->sorted[i];
    }
    return sum;
}

/* What is in the unit's way; false when it is not short. */
static bool find_short(const struct level_view *view, int32_t unit, const int64_t *elsewhere,
                       struct short_unit *ret)
{
    const struct skr_role_run *rr = view->rr;
    const struct skr_axes *axes = &rr->axes[view->level];
    int32_t needs[SKR_AXES_MAX];
    int32_t fits[SKR_AXES_MAX];
    *ret = (struct short_unit){.shortage = INT32_MAX};
    ret->unit.unit = unit;
    for (int32_t a = 0; a < axes->n; a++) {
        int64_t need = axes->axis[a].most - beside(view, unit, a) - elsewhere[a];
        needs[a] = need > 0 ? (int32_t)need : 0;
    }
    most_of_axes(axes, rows_of(view, unit), needs, needs, fits);
    for (int32_t a = 0; a < axes->n; a++) {
        const struct skr_axis *axis = &axes->axis[a];
        int32_t members = axis->weight[rr->n_roles];
        ret->sum += needs[a] * members;
        if (needs[a] > 0 && fits[a] >= 0 && (needs[a] - fits[a]) * members < ret->shortage) {
            ret->shortage = (needs[a] - fits[a]) * members;
        }
        for (int32_t r = 0; r < rr->n_roles; r++) {
            if (axis->each[r] > 0) {
                ret->unit.needs[r] = needs[a] * axis->each[r];
                ret->unit.fits[r] = fits[a] < 0 ? -1 : fits[a] * axis->each[r];
            }
        }
    }
    if (ret->shortage == INT32_MAX) { /* no role alone is what is short */
        ret->shortage = ret->sum;
    }
    return ret->shortage > 0;
}

static bool explain_level(struct level_view *view, struct skr_solution *solution)
{
    struct skr_role_run *rr = view->rr;
    const struct skr_tree *tree = rr->run.tree;
    const struct skr_axes *axes = &rr->axes[view->level];
    int32_t first = tree->level_first[view->level];
    int32_t n = tree->level_first[view->level + 1] - first;
    size_t n_axes = (size_t)axes->n;
    view->best = skr_run_alloc(&rr->run, (size_t)n * n_axes, sizeof *view->best);
    view->sorted = skr_run_alloc(&rr->run, (size_t)n, sizeof *view->sorted);
    struct short_unit *found = skr_run_alloc(&rr->run, (size_t)n, sizeof *found);
    int64_t(*of_parent)[SKR_AXES_MAX] =
        skr_run_alloc(&rr->run, (size_t)tree->n_units, sizeof *of_parent);
    if (!view->best || !view->sorted || !found || !of_parent) {
        return false;
    }
    int64_t all[SKR_AXES_MAX] = {0};
    for (int32_t i = 0; i < n; i++) {
        int32_t *best = view->best + (size_t)i * n_axes;
        find_best(view, first + i, best);
        for (int32_t a = 0; a < axes->n; a++) {
            of_parent[tree->parent[first + i]][a] += best[a];
            all[a] += best[a];
        }
    }
    int32_t n_found = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t elsewhere[SKR_AXES_MAX];
        for (int32_t a = 0; a < axes->n; a++) {
            elsewhere[a] = all[a] - of_parent[tree->parent[first + i]][a];
        }
        n_found += find_short(view, first + i, elsewhere, &found[n_found]) ? 1 : 0;
        if (!skr_role_run_step(rr, tree->child_count[tree->parent[first + i]] + 1)) {
            return false;
        }
    }
    qsort(found, (size_t)n_found, sizeof *found, by_shortage);
    struct skr_explanation *ret = &solution->explanation;
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    for (int32_t i = 0; i < n_found && i < SKR_BOTTLENECKS_MAX; i++) {
        roles->bottleneck[i] = found[i].unit;
        ret->bottleneck[i] = (struct skr_bottleneck){.unit = found[i].unit.unit,
                                                     .fits = found[i].sum - found[i].shortage,
                                                     .needs = found[i].sum};
        ret->n_bottlenecks++;
        roles->n_bottlenecks++;
    }
    return true;
}

/* The most members that fit without any rule, set and cap, at most all. */
static int64_t sum_of_fits(const struct skr_problem *problem)
{
    struct skr_role_variant v;
    struct skr_role_run rr;
    struct skr_feasible sets;
    struct skr_rows rows;
    int64_t sum = 0;
    skr_role_variant_init(&v, problem);
    skr_role_variant_free_levels(&v, problem->tree->n_levels);
    if (skr_role_run_init(&rr, &v.problem, NULL, 1) && skr_role_sets_build(&rr, &sets) &&
        skr_role_sets_root(&rr, &sets, &rows)) {
        sum = skr_rows_greatest(&rr.axes[1], &rows, rr.n_roles);
    }
    skr_role_run_fini(&rr);
    return sum;
}

bool skr_role_explain_sets(const struct skr_problem *problem, int32_t level,
                           struct skr_solution *solution)
{
    struct skr_roles_explanation *roles = &solution->roles->explanation;
    struct skr_role_run rr;
    struct skr_feasible sets;
    skr_role_explain_nothing(roles);
    roles->bottleneck =
        skr_arena_array(solution->arena, SKR_BOTTLENECKS_MAX, sizeof *roles->bottleneck);
    if (!roles->bottleneck) {
        return false;
    }
    solution->explanation.sum_fits = sum_of_fits(problem);
    struct level_view view = {.rr = &rr, .sets = &sets, .level = level};
    if (skr_role_run_init(&rr, problem, NULL, 1) && skr_role_sets_build(&rr, &sets) &&
        explain_root(&rr, &sets, solution) && level > 0) {
        explain_level(&view, solution);
    }
    skr_role_run_fini(&rr);
    return true;
}
