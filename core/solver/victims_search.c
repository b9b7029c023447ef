/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fewest groups, and among equals the fewest members: branch and bound over the sets of each
 * anchor's candidates, the greatest gain first.
 *
 * A node is left if even the best candidates to come cannot make up for the missing gain below the
 * cost of the best set so far. The first set is greedy: candidates are taken in order until they
 * suffice, and those that are not needed are given back. So there is an answer however early the
 * steps run out. No recursion: pick is the stack. Sets with a part of a step are gone through, but no
 * answer.
 */
#include "core/solver/victims_search.h"

#include <string.h>

#include "core/solver/solution.h"
#include "topology/base/arena.h"

/* With more candidates to come it is not tested whether all of them together suffice. */
enum { REST_MAX = 32 };

int skr_victims_cost_compare(struct skr_victims_cost a, struct skr_victims_cost b)
{
    if (a.groups != b.groups) {
        return a.groups < b.groups ? -1 : 1;
    }
    return (a.members > b.members) - (a.members < b.members);
}

bool skr_victims_is_inside(const struct skr_victims_search *s, size_t victim)
{
    const struct skr_victim *v = &s->in->victim[victim];
    return v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0 && s->listed[v->surplus_of];
}

/* ---- pick ---- */

static bool exceeds_budget(struct skr_victims_search *s, const struct skr_victim *v)
{
    bool exceeds = false;
    for (size_t i = 0; i < v->n_charges; i++) {
        s->used[v->charge[i].budget] += v->charge[i].members;
        exceeds = exceeds || s->used[v->charge[i].budget] > s->in->budget[v->charge[i].budget];
    }
    for (size_t i = 0; exceeds && i < v->n_charges; i++) {
        s->used[v->charge[i].budget] -= v->charge[i].members;
    }
    return exceeds;
}

/* Whether pick would hold a group and one of its own members. */
static bool is_twice(const struct skr_victims_search *s, size_t victim)
{
    const struct skr_victim *v = &s->in->victim[victim];
    if (v->kind == SKR_VICTIM_SURPLUS) {
        return v->surplus_of >= 0 && s->taken[v->surplus_of];
    }
    for (size_t i = 0; s->has_surplus[victim] && i < s->n; i++) {
        const struct skr_victim *o = &s->in->victim[s->candidate[i]];
        if (o->kind == SKR_VICTIM_SURPLUS && o->surplus_of == (int32_t)victim &&
            s->taken[s->candidate[i]]) {
            return true;
        }
    }
    return false;
}

bool skr_victims_has_mates(const struct skr_victim *v)
{
    return v->kind == SKR_VICTIM_SURPLUS && (v->step > 1 || v->ruled);
}

bool skr_victims_pick_is_even(const struct skr_victims_search *s)
{
    return s->n_uneven == 0;
}

bool skr_victims_pick_is_whole(const struct skr_victims_search *s)
{
    bool whole = skr_victims_pick_is_even(s);
    for (size_t i = 0; whole && i < s->in->n_scopes; i++) {
        const struct skr_victim_scope *scope = &s->scope[i];
        whole = s->given[scope->giver] == 0 || scope->problem.n == 0 ||
                skr_solution_check(&scope->problem, scope->count, NULL) == 0;
    }
    return whole;
}

static bool is_uneven(const struct skr_victims_search *s, const struct skr_victim *v)
{
    const int32_t given = s->given[v->giver];
    return v->step > 1 && given > 0 && (v->beyond - given) % v->step != 0;
}

/* by: 1: the member is in pick, -1: it is not any more. */
static void give(struct skr_victims_search *s, const struct skr_victim *v, int32_t by)
{
    if (!skr_victims_has_mates(v)) {
        return;
    }
    s->n_uneven -= (size_t)is_uneven(s, v);
    s->given[v->giver] += by;
    s->n_uneven += (size_t)is_uneven(s, v);
    for (size_t i = 0; v->ruled && i < s->in->n_scopes; i++) {
        struct skr_victim_scope *scope = &s->scope[i];
        if (scope->giver == v->giver && (scope->role < 0 || scope->role == v->role)) {
            scope->problem.n -= by;
            scope->count[v->share[0].leaf] -= by;
        }
    }
}

bool skr_victims_pick_push(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                           size_t at)
{
    const struct skr_victims_entry *entry = &anchor->entry[at];
    const struct skr_victim *v = &s->in->victim[entry->victim];
    if (is_twice(s, entry->victim) || (v->kind == SKR_VICTIM_SURPLUS && v->priority > s->cap) ||
        exceeds_budget(s, v)) {
        return false;
    }
    s->taken[entry->victim] = 1;
    give(s, v, 1);
    s->pick.at[s->pick.n++] = at;
    s->pick.gain += entry->gain;
    s->pick.cost.groups += entry->cost.groups;
    s->pick.cost.members += entry->cost.members;
    return true;
}

static void drop(struct skr_victims_search *s, const struct skr_victims_anchor *anchor, size_t i)
{
    const struct skr_victims_entry *entry = &anchor->entry[s->pick.at[i]];
    const struct skr_victim *v = &s->in->victim[entry->victim];
    for (size_t c = 0; c < v->n_charges; c++) {
        s->used[v->charge[c].budget] -= v->charge[c].members;
    }
    s->taken[entry->victim] = 0;
    give(s, v, -1);
    s->pick.gain -= entry->gain;
    s->pick.cost.groups -= entry->cost.groups;
    s->pick.cost.members -= entry->cost.members;
    s->pick.n--;
    memmove(s->pick.at + i, s->pick.at + i + 1, (s->pick.n - i) * sizeof *s->pick.at);
}

void skr_victims_pick_pop(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    drop(s, anchor, s->pick.n - 1);
}

void skr_victims_pick_clear(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    while (s->pick.n > 0) {
        skr_victims_pick_pop(s, anchor);
    }
}

void skr_victims_pick_list(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->set[i] = anchor->entry[s->pick.at[i]].victim;
    }
}

static int first_fit(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                     size_t n, bool *ret)
{
    skr_victims_pick_list(s, anchor, n);
    return skr_victims_room_fits(s->room, s->set, n, ret, s->error);
}

int skr_victims_pick_fits(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                          bool *ret)
{
    return first_fit(s, anchor, s->pick.n, ret);
}

int skr_victims_by_name(const void *a, const void *b)
{
    const struct skr_victims_entry *x = a;
    const struct skr_victims_entry *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

void skr_victims_pick_keep(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    for (size_t i = 0; i < s->pick.n; i++) {
        s->best[i] = anchor->entry[s->pick.at[i]];
    }
    s->n_best = s->pick.n;
    qsort(s->best, s->n_best, sizeof *s->best, skr_victims_by_name);
    s->cost = s->pick.cost;
    s->found = true;
    skr_solution_destroy(s->solution);
    s->solution = NULL;
}

/* ---- bounds ---- */

/* Sums and bests of the entries of an anchor, from each of them on. */
struct tail {
    int64_t *gain;    /* [n + 1] of all entries before */
    size_t *thrifty;  /* [n] the entry with the fewest members for its gain */
    size_t n_surplus; /* entries that cost no group come first */
};

static bool is_thriftier(const struct skr_victims_entry *a, const struct skr_victims_entry *b)
{
    return a->gain > 0 && (b->gain == 0 || (skr_int128)a->cost.members * b->gain <
                                               (skr_int128)b->cost.members * a->gain);
}

static struct tail tail_of(const struct skr_victims_anchor *anchor)
{
    struct tail t = {.gain = skr_alloc_array(anchor->n + 1, sizeof *t.gain),
                     .thrifty = skr_alloc_array(anchor->n + 1, sizeof *t.thrifty)};
    for (size_t i = 0; i < anchor->n; i++) {
        t.gain[i + 1] = t.gain[i] + anchor->entry[i].gain;
        t.n_surplus += anchor->entry[i].cost.groups == 0 ? 1 : 0;
    }
    for (size_t i = anchor->n; i-- > 0;) {
        bool last = i + 1 == anchor->n;
        bool better = last || is_thriftier(&anchor->entry[i], &anchor->entry[t.thrifty[i + 1]]);
        t.thrifty[i] = better ? i : t.thrifty[i + 1];
    }
    return t;
}

static void tail_fini(struct tail *t)
{
    free(t->gain);
    free(t->thrifty);
}

/* The fewest entries from `from` on with at least this gain, which all of them together have. */
static int32_t fewest(const struct tail *t, size_t from, size_t n, int64_t gain)
{
    size_t lo = from, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->gain[mid] - t->gain[from] >= gain) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    return (int32_t)(lo - from);
}

/* The least cost of pick with at least one of the entries from i on. False: no set of them has the
 * missing gain. */
static bool bound(const struct skr_victims_anchor *anchor, const struct tail *t, size_t i,
                  const struct skr_victims_pick *pick, struct skr_victims_cost *ret)
{
    int64_t missing = anchor->need - pick->gain;
    *ret = pick->cost;
    if (i >= anchor->n || t->gain[anchor->n] - t->gain[i] < missing) {
        return false;
    }
    if (missing <= 0) {
        ret->groups += i >= t->n_surplus ? 1 : 0;
        return true;
    }
    size_t from = i > t->n_surplus ? i : t->n_surplus;
    int64_t of_groups = missing - (t->gain[from] - t->gain[i]);
    if (of_groups > 0) {
        ret->groups += fewest(t, from, anchor->n, of_groups);
    }
    const struct skr_victims_entry *thrifty = &anchor->entry[t->thrifty[i]];
    skr_int128 members = (skr_int128)missing * thrifty->cost.members;
    ret->members += (int64_t)((members + thrifty->gain - 1) / thrifty->gain);
    return true;
}

/* ---- a first set ---- */

/* Gives back victims that are not needed, the costliest first. */
static int give_back(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    size_t kept = s->pick.n;
    while (kept > 0) {
        size_t worst = 0;
        for (size_t i = 1; i < kept; i++) {
            worst = skr_victims_cost_compare(anchor->entry[s->pick.at[i]].cost,
                                             anchor->entry[s->pick.at[worst]].cost) >= 0
                        ? i
                        : worst;
        }
        size_t at = s->pick.at[worst];
        bool fits = false;
        drop(s, anchor, worst);
        int rc = skr_victims_pick_fits(s, anchor, &fits);
        if (rc < 0) {
            return rc;
        }
        kept--;
        if (!fits) { /* it stays, behind the untried ones */
            skr_victims_pick_push(s, anchor, at);
        }
    }
    return 0;
}

/* Cuts pick to its shortest beginning that suffices, by a few tests. */
static int shorten(struct skr_victims_search *s, const struct skr_victims_anchor *anchor, bool *ret)
{
    size_t lo = 0, step = 1;
    int64_t gain = 0;
    while (lo < s->pick.n && gain < anchor->need) {
        gain += anchor->entry[s->pick.at[lo++]].gain;
    }
    size_t hi = lo > 0 ? lo : 1;
    bool fits = false;
    for (;;) {
        hi = hi < s->pick.n ? hi : s->pick.n;
        int rc = first_fit(s, anchor, hi, &fits);
        if (rc < 0) {
            return rc;
        }
        if (fits || hi == s->pick.n) {
            break;
        }
        lo = hi + 1;
        hi += step;
        step *= 2;
    }
    *ret = fits;
    while (fits && lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        bool enough = false;
        int rc = first_fit(s, anchor, mid, &enough);
        if (rc < 0) {
            return rc;
        }
        if (enough) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    while (fits && s->pick.n > hi) {
        skr_victims_pick_pop(s, anchor);
    }
    return 0;
}

/* Takes more members of groups that would give a part of a step, or break rules. */
static void complete(struct skr_victims_search *s, const struct skr_victims_anchor *anchor)
{
    for (size_t i = 0; i < anchor->n && !skr_victims_pick_is_whole(s); i++) {
        const struct skr_victim *v = &s->in->victim[anchor->entry[i].victim];
        if (skr_victims_has_mates(v) && s->given[v->giver] > 0 && (v->ruled || is_uneven(s, v)) &&
            !s->taken[anchor->entry[i].victim]) {
            skr_victims_pick_push(s, anchor, i);
        }
    }
}

/* ruled: with members of groups that have rules. */
static int greedy(struct skr_victims_search *s, const struct skr_victims_anchor *anchor, bool ruled)
{
    for (size_t i = 0; i < anchor->n; i++) {
        if (!skr_victims_is_inside(s, anchor->entry[i].victim) &&
            (ruled || !s->in->victim[anchor->entry[i].victim].ruled)) {
            skr_victims_pick_push(s, anchor, i);
        }
    }
    bool fits = false;
    int rc = s->pick.n > 0 ? shorten(s, anchor, &fits) : 0;
    if (rc == 0 && fits) {
        rc = give_back(s, anchor);
    }
    complete(s, anchor);
    if (rc == 0 && fits && skr_victims_pick_is_whole(s) &&
        (!s->found || skr_victims_cost_compare(s->pick.cost, s->cost) < 0)) {
        skr_victims_pick_keep(s, anchor);
    }
    skr_victims_pick_clear(s, anchor);
    return rc;
}

/* ---- all sets ---- */

static bool may_be_cheaper(const struct skr_victims_search *s, struct skr_victims_cost cost)
{
    return !s->found || skr_victims_cost_compare(cost, s->cost) < 0;
}

/* Whether pick with all the rest suffices. */
static int rest_fits(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                     size_t from, bool *ret)
{
    size_t n = s->pick.n;
    skr_victims_pick_list(s, anchor, n);
    for (size_t i = from; i < anchor->n; i++) {
        if (!is_twice(s, anchor->entry[i].victim)) {
            s->set[n++] = anchor->entry[i].victim;
        }
    }
    return skr_victims_room_fits(s->room, s->set, n, ret, s->error);
}

/* Tests pick, unless its gain is too small. *deeper: whether to try sets that contain it. */
static int look_at_pick(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                        bool *deeper)
{
    size_t next = s->pick.at[s->pick.n - 1] + 1;
    bool fits = false;
    *deeper = true;
    if (s->pick.gain < anchor->need) {
        return 0;
    }
    if (!may_be_cheaper(s, s->pick.cost)) {
        *deeper = false;
        return 0;
    }
    int rc = skr_victims_pick_is_even(s) ? skr_victims_pick_fits(s, anchor, &fits) : 0;
    if (rc == 0 && fits && skr_victims_pick_is_whole(s)) {
        skr_victims_pick_keep(s, anchor);
        *deeper = false;
    } else if (rc == 0 && next < anchor->n && anchor->n - next <= REST_MAX) {
        rc = rest_fits(s, anchor, next, deeper);
    }
    return rc;
}

static int search_anchor(struct skr_victims_search *s, const struct skr_victims_anchor *anchor,
                         const struct tail *t)
{
    size_t i = 0;
    while (!skr_victims_room_is_spent(s->room)) {
        struct skr_victims_cost least;
        bool open = bound(anchor, t, i, &s->pick, &least) && may_be_cheaper(s, least);
        if (open) {
            bool deeper = true;
            s->room->steps--;
            if (!skr_victims_pick_push(s, anchor, i++)) {
                continue;
            }
            int rc = look_at_pick(s, anchor, &deeper);
            if (rc < 0) {
                return rc;
            }
            if (!deeper) {
                skr_victims_pick_pop(s, anchor);
            }
        } else if (s->pick.n > 0) {
            i = s->pick.at[s->pick.n - 1] + 1;
            skr_victims_pick_pop(s, anchor);
        } else {
            return 0;
        }
    }
    return 0;
}

static int by_bound(const void *a, const void *b)
{
    const struct skr_victims_anchor *x = a;
    const struct skr_victims_anchor *y = b;
    int order = skr_victims_cost_compare(x->least, y->least);
    /* Entries lie in the order of the tree. */
    return order != 0 ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

/* The bound of each anchor; those that can never hold the group go. */
static void sort_anchors(struct skr_victims_search *s)
{
    const struct skr_victims_pick nothing = {0};
    size_t kept = 0;
    for (size_t a = 0; a < s->n_anchors; a++) {
        struct tail t = tail_of(&s->anchor[a]);
        if (bound(&s->anchor[a], &t, 0, &nothing, &s->anchor[a].least)) {
            s->anchor[kept++] = s->anchor[a];
        }
        tail_fini(&t);
    }
    s->n_anchors = kept;
    qsort(s->anchor, s->n_anchors, sizeof *s->anchor, by_bound);
}

int skr_victims_search_run(struct skr_victims_search *s)
{
    skr_victims_anchors_make(s);
    sort_anchors(s);
    s->cheapest = true;
    for (size_t a = 0; a < s->n_anchors; a++) {
        const struct skr_victims_anchor *anchor = &s->anchor[a];
        if (!may_be_cheaper(s, anchor->least)) {
            break; /* the anchors behind it are no cheaper */
        }
        int rc = skr_victims_room_is_spent(s->room) ? 0 : greedy(s, anchor, true);
        if (rc == 0 && !s->found && s->in->n_scopes > 0) {
            rc = greedy(s, anchor, false);
        }
        if (rc == 0 && may_be_cheaper(s, anchor->least)) {
            struct tail t = tail_of(anchor);
            rc = search_anchor(s, anchor, &t);
            skr_victims_pick_clear(s, anchor);
            tail_fini(&t);
        }
        if (rc < 0) {
            return rc;
        }
        if (skr_victims_room_is_spent(s->room) && may_be_cheaper(s, anchor->least)) {
            /* The anchors to come are no cheaper than this one could be. */
            s->groups_proven = anchor->least.groups;
            s->cheapest = false;
            return 0;
        }
    }
    s->groups_proven = s->cost.groups;
    return 0;
}
