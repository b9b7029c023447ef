/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of the deciding level that are short, read off the feasible sets, axis by axis. Equal members
 * have one axis.
 *
 * A unit needs what it would have to hold if all others held their most: all, less what the other
 * parents can hold, less the most that the siblings used beside it can hold. Where a rule limits the
 * number of used siblings, these are the claimed ones first, then the best. If claims already use as
 * many as the rule admits, the others are no candidates. If they use more, the members on the surplus
 * ones are missing in every candidate.
 *
 * A unit fits what it can hold of that under the rules below it and the greatest counts of its own
 * level; a step between sizes (factor, min) is no shortage. So if only such a step is wrong, the list
 * may be empty.
 */
#include "core/solver/explain.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/role_sets.h"

/* A child of a parent, on one axis. */
struct child {
    int32_t at;      /* of the children */
    int64_t claimed; /* by the scope that limits how many are used */
    int32_t best;    /* most of the axis by all rules from its own level down */
};

struct level_view {
    struct skr_run *run;
    const struct skr_feasible *sets;
    int32_t level;
    const struct skr_axes *axes;
    const struct skr_law *law;            /* [scope] */
    const int64_t *claims[SKR_ROLES_MAX]; /* [unit]; NULL: none */
    struct child *child;                  /* working space */
    int32_t *needs;                       /* [child][axis] */
    int64_t pinned[SKR_AXES_MAX];         /* claims on siblings beyond what the rule admits */
    struct skr_explanation *ret;
};

static int least_claimed_first(const void *a, const void *b)
{
    const struct child *x = a;
    const struct child *y = b;
    return (x->claimed > y->claimed) - (x->claimed < y->claimed);
}

static int best_first(const void *a, const void *b)
{
    const struct child *x = a;
    const struct child *y = b;
    if ((x->claimed > 0) != (y->claimed > 0)) {
        return x->claimed > 0 ? -1 : 1;
    }
    return (x->best < y->best) - (x->best > y->best);
}

/* Claims below the unit of the members of a scope. */
static int64_t claims_of(const struct level_view *view, int32_t scope, int32_t unit)
{
    int64_t sum = 0;
    for (int32_t r = 0; r < view->run->n_roles; r++) {
        const bool counts = scope == r || scope == view->run->n_roles;
        sum += counts && view->claims[r] ? view->claims[r][unit] : 0;
    }
    return sum;
}

/* The same in counts of an axis. */
static int64_t claims_on(const struct level_view *view, int32_t a, int32_t unit)
{
    int64_t most = 0;
    for (int32_t r = 0; r < view->run->n_roles; r++) {
        const int64_t each = view->axes->axis[a].each[r];
        const int64_t counts = each > 0 ? (claims_of(view, r, unit) + each - 1) / each : 0;
        most = counts > most ? counts : most;
    }
    return most;
}

/* Whose rule limits the number of used siblings for an axis most; -1: none does. */
static int32_t limiting_scope(const struct level_view *view, int32_t a)
{
    int32_t ret = -1;
    for (int32_t s = view->run->n_scopes - 1; s >= 0; s--) {
        const int32_t used = view->axes->axis[a].weight[s] > 0 ? view->law[s].used : 0;
        ret = used > 0 && (ret < 0 || used < view->law[ret].used) ? s : ret;
    }
    return ret;
}

/* Whether a scope counts no other axis. */
static bool is_alone(const struct level_view *view, int32_t scope, int32_t a)
{
    bool alone = true;
    for (int32_t other = 0; other < view->axes->n; other++) {
        alone = alone && (other == a) == (view->axes->axis[other].weight[scope] > 0);
    }
    return alone;
}

/* The least of an axis in a unit that holds some, by the rules that concern it alone. */
static int64_t least_of(const struct level_view *view, int32_t a)
{
    int64_t most = 0;
    for (int32_t s = 0; s < view->run->n_scopes; s++) {
        const int64_t weight = view->axes->axis[a].weight[s];
        const int64_t least = is_alone(view, s, a) ? (view->law[s].lo + weight - 1) / weight : 0;
        most = least > most ? least : most;
    }
    return most;
}

/* The candidates for an axis among the children of a parent, and what is pinned. */
static int32_t list_children(struct level_view *view, int32_t parent, int32_t a, int32_t scope)
{
    const struct skr_tree *tree = view->run->tree;
    const int32_t n = tree->child_count[parent];
    int32_t n_claimed = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t unit = tree->child_first[parent] + i;
        const struct skr_span *span = view->sets->unit[unit];
        view->child[i] = (struct child){
            .at = i,
            .claimed = scope < 0 ? 0 : claims_of(view, scope, unit),
            .best = span ? skr_rows_greatest_of_axis(view->axes, &span->rows, a) : 0};
        n_claimed += view->child[i].claimed > 0 ? 1 : 0;
    }
    view->pinned[a] = 0;
    qsort(view->child, (size_t)n, sizeof *view->child, best_first);
    if (scope < 0 || n_claimed < view->law[scope].used) {
        return n;
    }
    qsort(view->child, (size_t)n_claimed, sizeof *view->child, least_claimed_first);
    for (int32_t i = 0; i < n_claimed - view->law[scope].used; i++) {
        view->pinned[a] += claims_on(view, a, tree->child_first[parent] + view->child[i].at);
    }
    qsort(view->child, (size_t)n_claimed, sizeof *view->child, best_first);
    return n_claimed;
}

/* What each child of a parent, which should hold target, needs of an axis. */
static void find_needs(struct level_view *view, int32_t parent, int32_t a, int64_t target)
{
    const struct skr_tree *tree = view->run->tree;
    const struct child *child = view->child;
    const size_t n_axes = (size_t)view->axes->n;
    const int32_t scope = limiting_scope(view, a);
    const int32_t n = list_children(view, parent, a, scope);
    const int32_t used = scope >= 0 && view->law[scope].used < n ? view->law[scope].used : n;
    const int64_t least = least_of(view, a);
    const bool forced = scope >= 0 && is_alone(view, scope, a); /* a used unit holds some */
    int64_t beside = 0; /* most that the first used - 1 children can hold */
    for (int32_t i = 0; i + 1 < used; i++) {
        beside += child[i].best;
    }
    for (int32_t i = 0; i < tree->child_count[parent]; i++) {
        int64_t needs = 0;
        if (i < n) {
            const int64_t claims = claims_on(view, a, tree->child_first[parent] + child[i].at);
            const int64_t instead = i + 1 < used ? child[used - 1].best - child[i].best : 0;
            const int64_t stays = claims > view->pinned[a] ? claims : view->pinned[a];
            needs = target - beside - instead;
            needs = needs > stays ? needs : stays;
            needs = needs < least && (needs > 0 || forced) ? least : needs;
            needs = needs < view->axes->axis[a].most ? needs : view->axes->axis[a].most;
        }
        view->needs[(size_t)child[i].at * n_axes + (size_t)a] = needs > 0 ? (int32_t)needs : 0;
    }
}

/* What a unit can hold by the rules below it, and by the greatest counts of its own level, which put
 * most[axis] down. Valid until rows are begun. */
static bool rows_below(struct level_view *view, int32_t unit, int32_t *most, struct skr_row *space,
                       struct skr_rows *ret)
{
    struct skr_run *run = view->run;
    const struct skr_feasible *sets = view->sets;
    const int32_t leaf = unit - run->tree->first_leaf;
    struct skr_span *inside = leaf < 0 ? sets->inside[unit] : NULL;
    if (run->rr) {
        return skr_role_unit_rows(run->rr, view->level, unit, inside, true, ret);
    }
    most[0] = most[0] < view->law[0].hi ? most[0] : view->law[0].hi;
    if (run->problem->bounds && run->problem->bounds[unit].most < most[0]) {
        most[0] = run->problem->bounds[unit].most;
    }
    *ret = (struct skr_rows){.n = 1, .row = space};
    *space = (struct skr_row){0};
    if (leaf >= 0) {
        *space = (struct skr_row){.lo = sets->leaf.least[leaf], .hi = sets->leaf.most[leaf]};
    } else if (inside) {
        const int32_t at =
            skr_rows_find(&inside->rows, (uint64_t)skr_law_row(&run->law[inside->level]));
        *space = at >= 0 ? inside->rows.row[at] : *space;
    }
    return true;
}

/* Puts a unit into the list, which is sorted by shortage, then tree order. */
static void put_unit(struct skr_explanation *ret, const struct skr_bottleneck *unit)
{
    struct skr_bottleneck *list = ret->bottleneck;
    size_t n = ret->n_bottlenecks;
    size_t at = n;
    while (at > 0 && list[at - 1].needs - list[at - 1].fits > unit->needs - unit->fits) {
        at--;
    }
    if (at == SKR_BOTTLENECKS_MAX) {
        return;
    }
    n -= n == SKR_BOTTLENECKS_MAX ? 1 : 0;
    memmove(&list[at + 1], &list[at], (n - at) * sizeof *list);
    list[at] = *unit;
    ret->n_bottlenecks = n + 1;
}

/* Puts the unit if it is short of what it needs. */
static bool judge_unit(struct level_view *view, int32_t unit, const int32_t *needs)
{
    const struct skr_axes *axes = view->axes;
    struct skr_bottleneck ret = {.unit = unit};
    struct skr_row space;
    struct skr_rows rows;
    int32_t most[SKR_AXES_MAX];
    int32_t fits[SKR_AXES_MAX];
    int32_t shortage = INT32_MAX; /* least over the axes */
    memcpy(most, needs, (size_t)axes->n * sizeof *most);
    if (!rows_below(view, unit, most, &space, &rows)) {
        return false;
    }
    skr_rows_most_beside(axes, &rows, needs, most, fits);
    for (int32_t a = 0; a < axes->n; a++) {
        const struct skr_axis *axis = &axes->axis[a];
        const int32_t members = axis->weight[view->run->n_scopes - 1];
        const int64_t left = needs[a] - view->pinned[a] > 0 ? needs[a] - view->pinned[a] : 0;
        fits[a] = fits[a] < left ? fits[a] : (int32_t)left;
        fits[a] = fits[a] < 0 && axes->n == 1 ? 0 : fits[a]; /* nothing is beside it */
        ret.needs += needs[a] * members;
        if (needs[a] > 0 && fits[a] >= 0 && (needs[a] - fits[a]) * members < shortage) {
            shortage = (needs[a] - fits[a]) * members;
        }
        for (int32_t r = 0; r < view->run->n_roles; r++) {
            if (axis->each[r] > 0) {
                ret.needs_of[r] = needs[a] * axis->each[r];
                ret.fits_of[r] = fits[a] < 0 ? -1 : fits[a] * axis->each[r];
            }
        }
    }
    /* No axis alone is what is short: all. */
    ret.fits = ret.needs - (shortage < ret.needs ? shortage : ret.needs);
    if (ret.fits < ret.needs) {
        put_unit(view->ret, &ret);
    }
    return true;
}

/* The most of each axis below a parent; false: claims break the rule there already. */
static bool most_below(const struct level_view *view, int32_t parent, int32_t *ret)
{
    const struct skr_span *inside = view->sets->inside[parent];
    bool any = !inside;
    for (int32_t a = 0; a < view->axes->n; a++) {
        ret[a] = 0;
    }
    for (int32_t i = 0; inside && i < inside->rows.n; i++) {
        const struct skr_row *row = &inside->rows.row[i];
        if (!skr_feasible_complete(view->run, view->level, row->key)) {
            continue;
        }
        const struct skr_rows one = {.n = 1, .row = row};
        for (int32_t a = 0; a < view->axes->n; a++) {
            const int32_t most = skr_rows_greatest_of_axis(view->axes, &one, a);
            ret[a] = most > ret[a] ? most : ret[a];
        }
        any = true;
    }
    return any;
}

/* Whether the claims of a unit break the rules of its own level. */
static bool is_broken(const struct level_view *view, int32_t unit)
{
    return view->sets->unit[unit] && view->sets->unit[unit]->rows.n == 0;
}

static bool judge_parent(struct level_view *view, int32_t parent, const int64_t *elsewhere)
{
    const struct skr_tree *tree = view->run->tree;
    const int32_t first = tree->child_first[parent];
    for (int32_t a = 0; a < view->axes->n; a++) {
        const int64_t target = view->axes->axis[a].most - elsewhere[a];
        const int64_t claims = claims_on(view, a, parent);
        find_needs(view, parent, a, target > claims ? target : claims);
    }
    bool broken = false;
    for (int32_t i = 0; i < tree->child_count[parent] && !broken; i++) {
        broken = is_broken(view, first + i);
    }
    for (int32_t i = 0; i < tree->child_count[parent]; i++) {
        const int32_t *needs = view->needs + (size_t)i * (size_t)view->axes->n;
        if ((!broken || is_broken(view, first + i)) && !judge_unit(view, first + i, needs)) {
            return false;
        }
    }
    return skr_run_step(view->run, tree->child_count[parent]);
}

static bool judge_level(struct level_view *view)
{
    const struct skr_tree *tree = view->run->tree;
    const int32_t end = tree->level_first[view->level];
    int64_t all[SKR_AXES_MAX] = {0};
    int32_t most[SKR_AXES_MAX];
    bool broken = false;
    for (int32_t p = tree->level_first[view->level - 1]; p < end; p++) {
        broken = !most_below(view, p, most) || broken;
        for (int32_t a = 0; a < view->axes->n; a++) {
            all[a] += most[a];
        }
    }
    for (int32_t p = tree->level_first[view->level - 1]; p < end; p++) {
        int64_t elsewhere[SKR_AXES_MAX];
        if (most_below(view, p, most) && broken) {
            continue;
        }
        for (int32_t a = 0; a < view->axes->n; a++) {
            elsewhere[a] = all[a] - most[a];
        }
        if (!judge_parent(view, p, elsewhere)) {
            return false;
        }
    }
    return true;
}

bool skr_bottlenecks_find(struct skr_run *run, const struct skr_feasible *sets,
                          struct skr_explanation *ret)
{
    const int32_t level = ret->level;
    struct level_view view = {.run = run,
                              .sets = sets,
                              .level = level,
                              .axes = &run->axes[level],
                              .law = run->laws[level],
                              .ret = ret};
    if (run->rr) {
        memcpy(view.claims, run->rr->claims, sizeof view.claims);
    } else if (run->problem->claimed) {
        view.claims[0] = skr_leaf_sums(run, sets->leaf.least);
    }
    int32_t widest = 1;
    for (int32_t p = run->tree->level_first[level - 1]; p < run->tree->level_first[level]; p++) {
        widest = run->tree->child_count[p] > widest ? run->tree->child_count[p] : widest;
    }
    view.child = skr_run_alloc(run, (size_t)widest, sizeof *view.child);
    view.needs = skr_run_alloc(run, (size_t)widest * (size_t)view.axes->n, sizeof *view.needs);
    const bool done = view.child && view.needs && judge_level(&view);
    ret->n_bottlenecks = done ? ret->n_bottlenecks : 0;
    return done;
}
