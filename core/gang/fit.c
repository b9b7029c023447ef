/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a group fits, without a solve; the placement comes from the solver, in the shell's own
 * time, on a copy of the slots.
 *
 * Why a group may be left alone. It fits when sizes has its n. Rules speak about counts alone, so
 * more slots never take a size away and fewer never add one: a group without a place stays without
 * one until slots of some leaf of its kind have grown, and the set at the root is exact then. Where
 * the full problem is stricter than the slots (ordinary pods that go first, nodes no probe has
 * listed) it has fewer slots, so what does not fit here does not fit there; what fits here is
 * solved in full.
 *
 * Not answered for: groups that hold something already, plans past the point of no return, rules
 * beyond SKR_SIZES_MERGE_WORDS_MAX, kinds beyond the byte limit. They are solved at every change.
 */
#include "core/gang/fit_cache.h"

#include <string.h>
#include <utlist.h>

void outlook_leave(struct group *g)
{
    struct outlook *o = &g->outlook;
    if (o->kind) {
        watched_unref(o->kind, o->watched);
        kind_unref(o->kind);
    }
    memset(o, 0, sizeof *o);
}

static bool holds_something(const struct skr_engine *e, const struct group *g,
                            struct pod_entry *const *newcomers, size_t n)
{
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        const char *node = problem_claim_node(g, p, newcomers, n);
        if (node && skr_tree_find_leaf(e->tree, node) >= 0) {
            return true;
        }
    }
    return false;
}

static void join(struct skr_engine *e, struct group *g, const struct shapes *shapes, int32_t n)
{
    struct outlook *o = &g->outlook;
    struct kind *kind = kind_get(e, shapes);
    if (!kind) {
        return;
    }
    kind_ref(e, kind);
    o->kind = kind;
    o->n = n;
    o->watched = watched_get(e, kind, n);
    o->kept = kept_get(e, kind, g, n);
}

/* What of the group's input the answer depends on; kept while that stays the same. */
static void make_outlook(struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    if (o->made && o->input == g->input_epoch && !(o->kind && o->kind->dead)) {
        return;
    }
    outlook_leave(g);
    o->made = true;
    o->input = g->input_epoch;
    size_t n;
    struct pod_entry **newcomers = membership_plannable(e, g, &n);
    if (n > 0 && n <= SKR_SOLVER_MEMBERS_MAX && !holds_something(e, g, newcomers, n)) {
        struct shapes shapes = shapes_of(newcomers, n);
        join(e, g, &shapes, (int32_t)n);
    }
    free(newcomers);
}

static bool fits_by_solving(const struct skr_engine *e, struct outlook *o)
{
    if (o->solved_changes == o->kind->changes) {
        return o->fits;
    }
    struct skr_error error;
    struct skr_solution *solution = NULL;
    static const int64_t one = 1;
    int64_t *room = skr_alloc_array((size_t)e->tree->n_leaves, sizeof *room);
    outlook_copy_slots(o, e->tree, room);
    struct skr_problem problem = {.tree = e->tree,
                                  .n = o->n,
                                  .rule = o->kept->rule,
                                  .n_resources = 1,
                                  .demand = &one,
                                  .free = room,
                                  .step_budget = -1};
    o->solved_changes = o->kind->changes;
    o->fits = skr_solve(&problem, &solution, &error) == 0 && solution->status == SKR_SOLVE_PLACED;
    skr_solution_destroy(solution);
    free(room);
    return o->fits;
}

enum outlook_answer outlook_judge(struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    if (g->plan || !g->spec || !e->keeping->tree) {
        return OUTLOOK_UNKNOWN;
    }
    make_outlook(e, g);
    if (!o->kind) {
        return OUTLOOK_UNKNOWN;
    }
    if (o->watched->sum < o->n) {
        return OUTLOOK_NONE;
    }
    if (e->settings.plain_planning) {
        return !skr_sizes_can_keep(e->tree, o->kept->rule, o->n) ? OUTLOOK_UNKNOWN
               : fits_by_solving(e, o)                           ? OUTLOOK_FITS
                                                                 : OUTLOOK_NONE;
    }
    if (!o->kept->sizes || skr_sizes_most(o->kept->sizes) < o->n) {
        return OUTLOOK_UNKNOWN;
    }
    return skr_sizes_has(o->kept->sizes, o->n) ? OUTLOOK_FITS : OUTLOOK_NONE;
}

bool outlook_stands(const struct skr_engine *e, const struct group *g)
{
    const struct outlook *o = &g->outlook;
    return o->made && o->kind && !o->kind->dead && o->input == g->input_epoch && e->keeping &&
           e->keeping->tree == e->tree;
}

void outlook_copy_slots(const struct outlook *o, const struct skr_tree *tree, int64_t *ret)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        ret[leaf] = o->kind->slots[leaf];
    }
}

bool outlook_holds(const struct outlook *o, const struct skr_tree *tree, const int32_t *count)
{
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        if (count[leaf] > o->kind->slots[leaf]) {
            return false;
        }
    }
    return true;
}

/* ---- what was told ---- */

static bool is_short(const struct outlook *o)
{
    return o->watched->sum < o->n;
}

void outlook_told(const struct skr_engine *e, struct group *g)
{
    struct outlook *o = &g->outlook;
    o->tell_at = 0;
    if (!outlook_stands(e, g)) {
        return;
    }
    o->told_changes = o->kind->changes;
    o->told_nodes = e->nodes_epoch;
    o->told_short = is_short(o);
}

enum outlook_news outlook_news(const struct skr_engine *e, const struct group *g)
{
    const struct outlook *o = &g->outlook;
    if (o->told_nodes != e->nodes_epoch || o->told_short != is_short(o)) {
        return NEWS_REASON;
    }
    return o->told_changes != o->kind->changes ? NEWS_NUMBERS : NEWS_NONE;
}
