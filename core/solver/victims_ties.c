/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best of the sets that cost the same: by placement, then by names.
 *
 * Sets are tried in the order of their names, so the first of equally good ones is kept. More room
 * never makes a placement worse, so the one without any candidate is at least as good as any other.
 * When the best set reaches it, only an earlier name can win, and the search ends at the first set
 * with later names.
 */
#include "core/solver/victims_search.h"

#include "core/solver/roles.h"
#include "topology/base/arena.h"

/* ---- placements ---- */

/* < 0: a is the better placement. */
static int compare(const struct skr_victims_search *s, const struct skr_solution *a,
                   const struct skr_solution *b)
{
    const struct skr_problem *p = s->in->problem;
    return p->roles ? skr_roles_compare(p, a, b)
                    : skr_placement_compare(p->tree, p->rule, a->key, b->key);
}

/* The placement with the first n of s->set gone. */
static int solve_set(struct skr_victims_search *s, size_t n, struct skr_solution **ret)
{
    struct skr_solution *solution;
    int rc = skr_victims_room_solve(s->room, s->set, n, SKR_TIE_TREE, &solution, s->error);
    if (rc < 0) {
        return rc;
    }
    if (solution->status != SKR_SOLVE_PLACED) {
        skr_solution_destroy(solution);
        return skr_error_set(s->error, SKR_BUG, "victims that suffice do not");
    }
    *ret = solution;
    return 0;
}

/* Makes the placements of the best set and of all candidates, when they are first compared. */
static int have_placements(struct skr_victims_search *s)
{
    size_t n = 0;
    int rc = 0;
    if (!s->solution) {
        for (size_t i = 0; i < s->n_best; i++) {
            s->set[n++] = s->best[i].victim;
        }
        rc = solve_set(s, n, &s->solution);
    }
    if (rc == 0 && !s->ideal) {
        n = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (!skr_victims_is_inside(s, s->candidate[i])) {
                s->set[n++] = s->candidate[i];
            }
        }
        rc = solve_set(s, n, &s->ideal);
    }
    return rc;
}

static bool is_ideal(const struct skr_victims_search *s)
{
    return s->solution && s->ideal && compare(s, s->solution, s->ideal) == 0;
}

/* < 0: the names of pick come before those of the best. */
static int compare_names(const struct skr_victims_search *s,
                         const struct skr_victims_anchor *anchor)
{
    for (size_t i = 0; i < s->pick.n && i < s->n_best; i++) {
        size_t a = anchor->entry[s->pick.at[i]].name;
        size_t b = s->best[i].name;
        if (a != b) {
            return a < b ? -1 : 1;
        }
    }
    return (s->pick.n > s->n_best) - (s->pick.n < s->n_best);
}

/* Compares pick, which suffices and costs the same, with the best. */
static int compare_with_best(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    int names = compare_names(s, anchor);
    int rc = names == 0 ? 0 : have_placements(s);
    if (rc < 0 || names == 0 || (names > 0 && is_ideal(s))) {
        return rc;
    }
    struct skr_solution *solution = NULL;
    skr_victims_pick_list(s, anchor, s->pick.n);
    rc = solve_set(s, s->pick.n, &solution);
    if (rc < 0) {
        return rc;
    }
    int order = compare(s, solution, s->solution);
    if (order < 0 || (order == 0 && names < 0)) {
        skr_victims_pick_keep(s, anchor);
        s->solution = solution;
    } else {
        skr_solution_destroy(solution);
    }
    return 0;
}

/* ---- all sets of this cost ---- */

/* From each entry on: the gain of all, of the surplus among them, and the most of one. */
struct tail {
    int64_t *gain, *surplus, *most;
};

static struct tail tail_of(const struct skr_victims_anchor *anchor)
{
    struct tail t = {.gain = skr_alloc_array(anchor->n + 1, sizeof *t.gain),
                     .surplus = skr_alloc_array(anchor->n + 1, sizeof *t.surplus),
                     .most = skr_alloc_array(anchor->n + 1, sizeof *t.most)};
    for (size_t i = anchor->n; i-- > 0;) {
        const struct skr_victims_entry *entry = &anchor->entry[i];
        int64_t gain = entry->gain;
        t.gain[i] = t.gain[i + 1] + gain;
        t.surplus[i] = t.surplus[i + 1] + (entry->cost.groups == 0 ? gain : 0);
        t.most[i] = gain > t.most[i + 1] ? gain : t.most[i + 1];
    }
    return t;
}

static void tail_fini(struct tail *t)
{
    free(t->gain);
    free(t->surplus);
    free(t->most);
}

/* Whether pick with some of the entries from i on can have the gain and the cost. */
static bool is_open(const struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                    const struct tail *t, size_t i)
{
    int64_t missing = anchor->need - s->pick.gain;
    int64_t groups = s->cost.groups - s->pick.cost.groups;
    int64_t members = s->cost.members - s->pick.cost.members;
    if (i >= anchor->n || groups < 0 || members < 0 || (groups == 0 && members == 0) ||
        missing > t->gain[i]) {
        return false;
    }
    return (skr_int128)missing <= (skr_int128)groups * t->most[i] + t->surplus[i];
}

static int look_at_pick(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    bool fits = false;
    if (s->pick.gain < anchor->need || !skr_victims_pick_is_even(s) ||
        skr_victims_cost_compare(s->pick.cost, s->cost) != 0) {
        return 0;
    }
    int rc = skr_victims_pick_fits(s, anchor, &fits);
    return rc == 0 && fits && skr_victims_pick_is_whole(s) ? compare_with_best(s, anchor) : rc;
}

/* Entries are in the order of names, and so are the sets that are tried. */
static int search_anchor(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                         const struct tail *t)
{
    size_t i = 0;
    while (!skr_victims_room_is_spent(s->room)) {
        if (is_open(s, anchor, t, i)) {
            s->room->steps--;
            if (!skr_victims_pick_push(s, anchor, i++)) {
                continue;
            }
            /* All sets from here on have later names than the best. */
            if (is_ideal(s) && compare_names(s, anchor) > 0) {
                return 0;
            }
            int rc = look_at_pick(s, anchor);
            if (rc < 0) {
                return rc;
            }
        } else if (s->pick.n > 0) {
            i = s->pick.at[s->pick.n - 1] + 1;
            skr_victims_pick_pop(s, anchor);
        } else {
            return 0;
        }
    }
    s->optimal = false;
    return 0;
}

int skr_victims_ties_run(struct skr_victims_search *s)
{
    s->optimal = s->cheapest && s->capped;
    for (size_t a = 0; a < s->n_anchors; a++) {
        const struct skr_victims_anchor *anchor = &s->anchor[a];
        if (skr_victims_cost_compare(anchor->least, s->cost) > 0) {
            break;
        }
        qsort(anchor->entry, anchor->n, sizeof *anchor->entry, skr_victims_by_name);
        struct tail t = tail_of(anchor);
        int rc = search_anchor(s, anchor, &t);
        skr_victims_pick_clear(s, anchor);
        tail_fini(&t);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}
