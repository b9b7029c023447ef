/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Victims of a preemption.
 *
 * More room never makes a feasible problem infeasible. So the least possible highest priority is
 * found by bisection: all candidates up to a priority are evicted, and the problem is feasible or
 * not. The sets up to that priority are then searched for the cheapest (victims_search.c) and the
 * best of these (victims_ties.c). The bisection ignores disruption budgets. If all sets of a
 * priority exceed one, the next priority is tried.
 */
#include "core/solver/victims.h"

#include <stdlib.h>
#include <string.h>

#include "core/solver/answer.h"
#include "core/solver/victims_needs.h"
#include "core/solver/victims_search.h"
#include "topology/base/arena.h"

/* ---- input ---- */

static int check_victim(const struct skr_victims_problem *in, size_t i, struct skr_error *error)
{
    const struct skr_victim *v = &in->victim[i];
    int32_t leaves = in->problem->tree->n_leaves;
    for (size_t s = 0; s < v->n_shares; s++) {
        if (v->share[s].leaf < 0 || v->share[s].leaf >= leaves) {
            return skr_error_set(error, SKR_INVALID, "victim %s: leaf %d of %d", v->name,
                                 (int)v->share[s].leaf, (int)leaves);
        }
    }
    for (size_t c = 0; c < v->n_charges; c++) {
        if (v->charge[c].budget < 0 || (size_t)v->charge[c].budget >= in->n_budgets) {
            return skr_error_set(error, SKR_INVALID, "victim %s: budget %d of %zu", v->name,
                                 (int)v->charge[c].budget, in->n_budgets);
        }
    }
    if (v->members < 0 || (v->kind == SKR_VICTIM_SURPLUS && v->members < 1)) {
        return skr_error_set(error, SKR_INVALID, "victim %s: %d members", v->name, (int)v->members);
    }
    if (v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0 &&
        ((size_t)v->surplus_of >= in->n_victims ||
         in->victim[v->surplus_of].kind != SKR_VICTIM_GROUP)) {
        return skr_error_set(error, SKR_INVALID, "victim %s: surplus of no group", v->name);
    }
    if (v->kind == SKR_VICTIM_SURPLUS && (v->giver < 0 || (size_t)v->giver >= in->n_givers)) {
        return skr_error_set(error, SKR_INVALID, "victim %s: giver %d of %zu", v->name,
                             (int)v->giver, in->n_givers);
    }
    if (v->ruled && (v->kind != SKR_VICTIM_SURPLUS || v->n_shares != 1)) {
        return skr_error_set(error, SKR_INVALID, "victim %s: rules of no member", v->name);
    }
    return 0;
}

static bool exceeds_a_budget(const struct skr_victims_problem *in, const struct skr_victim *v)
{
    for (size_t c = 0; c < v->n_charges; c++) {
        int64_t sum = 0;
        for (size_t d = 0; d < v->n_charges; d++) {
            sum += v->charge[d].budget == v->charge[c].budget ? v->charge[d].members : 0;
        }
        if (sum > in->budget[v->charge[c].budget]) {
            return true;
        }
    }
    return false;
}

static bool is_candidate(const struct skr_victims_problem *in, const struct skr_victim *v)
{
    if (in->priority <= 0 || (in->kept && in->kept[v - in->victim]) ||
        (v->kind != SKR_VICTIM_POD && v->priority >= in->priority)) {
        return false;
    }
    return !exceeds_a_budget(in, v);
}

/* ---- the order of priorities ---- */

/* Ordinary pods below members that are not needed, these below every group. */
static int compare_rank(const struct skr_victim *a, const struct skr_victim *b)
{
    static const int place[SKR_VICTIM_KIND_COUNT] = {
        [SKR_VICTIM_POD] = 0, [SKR_VICTIM_SURPLUS] = 1, [SKR_VICTIM_GROUP] = 2};
    if (a->kind != b->kind) {
        return place[a->kind] - place[b->kind];
    }
    return a->kind == SKR_VICTIM_SURPLUS
               ? 0
               : (a->priority > b->priority) - (a->priority < b->priority);
}

struct ranked {
    const struct skr_victim *v;
    size_t victim;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    int order = compare_rank(x->v, y->v);
    return order != 0 ? order : strcmp(x->v->name, y->v->name);
}

static int by_name(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    return x->v->rank != y->v->rank ? (x->v->rank < y->v->rank) - (x->v->rank > y->v->rank)
                                    : strcmp(x->v->name, y->v->name);
}

/* Candidates by rank, then name; ends[i]: how many there are up to the i-th rank. */
struct ranks {
    struct ranked *item;
    size_t n;
    size_t *end;
    size_t n_ranks;
    size_t *set; /* working space for all of them */
};

static void ranks_init(struct ranks *r, const struct skr_victims_problem *in)
{
    *r = (struct ranks){.item = skr_alloc_array(in->n_victims + 1, sizeof *r->item),
                        .end = skr_alloc_array(in->n_victims + 1, sizeof *r->end),
                        .set = skr_alloc_array(in->n_victims + 1, sizeof *r->set)};
    for (size_t i = 0; i < in->n_victims; i++) {
        if (is_candidate(in, &in->victim[i])) {
            r->item[r->n++] = (struct ranked){&in->victim[i], i};
        }
    }
    qsort(r->item, r->n, sizeof *r->item, by_rank);
    for (size_t i = 0; i < r->n; i++) {
        if (i == 0 || compare_rank(r->item[i - 1].v, r->item[i].v) != 0) {
            r->n_ranks++;
        }
        r->end[r->n_ranks - 1] = i + 1;
    }
}

static void ranks_fini(struct ranks *r)
{
    free(r->item);
    free(r->end);
    free(r->set);
}

/* All of the first n candidates, which end with a rank, into r->set, without members of groups among
 * them. */
static size_t list_all(const struct skr_victims_problem *in, const struct ranks *r, size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        const struct skr_victim *v = r->item[i].v;
        const struct skr_victim *of =
            v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0 ? &in->victim[v->surplus_of] : NULL;
        const bool inside = of && is_candidate(in, of) && compare_rank(of, r->item[n - 1].v) <= 0;
        if (!inside) {
            r->set[k++] = r->item[i].victim;
        }
    }
    return k;
}

/* The first rank up to which all candidates together suffice; n_ranks: none. */
static int least_rank(struct skr_victims_room *room, const struct ranks *r, size_t *ret,
                      struct skr_error *error)
{
    size_t lo = 0, hi = r->n_ranks;
    /* All ranks first: if no set helps, that is the proof. */
    size_t mid = r->n_ranks > 0 ? r->n_ranks - 1 : 0;
    while (lo < hi) {
        bool fits = false;
        int rc =
            skr_victims_room_fits(room, r->set, list_all(room->in, r, r->end[mid]), &fits, error);
        if (rc < 0) {
            return rc;
        }
        if (fits) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
        mid = lo + (hi - lo) / 2;
    }
    *ret = lo;
    return 0;
}

/* ---- one priority ---- */

static void search_init(struct skr_victims_search *s, struct skr_victims_room *room,
                        struct ranks *r, size_t rank, int64_t cap, struct skr_error *error)
{
    const struct skr_victims_problem *in = room->in;
    size_t n = r->end[rank];
    size_t *candidate = skr_alloc_array(n + 1, sizeof *candidate);
    struct ranked *sorted = skr_alloc_array(n + 1, sizeof *sorted);
    memcpy(sorted, r->item, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    for (size_t i = 0; i < n; i++) {
        candidate[i] = sorted[i].victim;
    }
    free(sorted);
    *s = (struct skr_victims_search){
        .room = room, .in = in, .error = error, .candidate = candidate, .n = n, .cap = cap};
    s->taken = skr_alloc_array(in->n_victims + 1, sizeof *s->taken);
    s->listed = skr_alloc_array(in->n_victims + 1, sizeof *s->listed);
    s->has_surplus = skr_alloc_array(in->n_victims + 1, sizeof *s->has_surplus);
    s->used = skr_alloc_array(in->n_budgets + 1, sizeof *s->used);
    s->given = skr_alloc_array(in->n_givers + 1, sizeof *s->given);
    s->scope = skr_alloc_array(in->n_scopes + 1, sizeof *s->scope);
    for (size_t i = 0; i < in->n_scopes; i++) {
        const size_t leaves = (size_t)in->scope[i].problem.tree->n_leaves;
        s->scope[i] = in->scope[i];
        s->scope[i].count = skr_alloc_array(leaves, sizeof *s->scope[i].count);
        memcpy(s->scope[i].count, in->scope[i].count, leaves * sizeof *s->scope[i].count);
    }
    s->set = skr_alloc_array(n + 1, sizeof *s->set);
    s->best = skr_alloc_array(n + 1, sizeof *s->best);
    s->pick.at = skr_alloc_array(n + 1, sizeof *s->pick.at);
    for (size_t i = 0; i < n; i++) {
        const struct skr_victim *v = &in->victim[candidate[i]];
        s->listed[candidate[i]] = 1;
        if (v->kind == SKR_VICTIM_SURPLUS && v->surplus_of >= 0) {
            s->has_surplus[v->surplus_of] = 1;
        }
    }
    skr_victims_room_set(room, r->set, list_all(in, r, n));
}

static void search_fini(struct skr_victims_search *s)
{
    skr_victims_anchors_free(s);
    skr_solution_destroy(s->solution);
    skr_solution_destroy(s->ideal);
    free((void *)(uintptr_t)s->candidate);
    free(s->taken);
    free(s->listed);
    free(s->has_surplus);
    free(s->used);
    free(s->given);
    for (size_t i = 0; i < s->in->n_scopes; i++) {
        free(s->scope[i].count);
    }
    free(s->scope);
    free(s->set);
    free(s->best);
    free(s->pick.at);
}

/* Makes the best set the answer, with its placement by the ties of the problem. */
static int take_best(struct skr_victims_search *s, struct skr_victims *ret)
{
    ret->victim = skr_alloc_array(s->n_best + 1, sizeof *ret->victim);
    for (size_t i = 0; i < s->n_best; i++) {
        ret->victim[i] = s->best[i].victim;
    }
    ret->n = s->n_best;
    ret->groups = s->cost.groups;
    ret->members = (int32_t)s->cost.members;
    ret->cheapest = s->cheapest;
    ret->optimal = s->optimal;
    ret->groups_proven = s->groups_proven;
    if (s->solution && s->in->problem->tie_break == SKR_TIE_TREE) {
        ret->solution = s->solution;
        s->solution = NULL;
    } else {
        int rc = skr_victims_room_solve(s->room, ret->victim, ret->n, s->in->problem->tie_break,
                                        &ret->solution, s->error);
        if (rc < 0) {
            return rc;
        }
    }
    if (ret->solution->status != SKR_SOLVE_PLACED) {
        return skr_error_set(s->error, SKR_BUG, "victims that suffice do not");
    }
    ret->optimal = ret->optimal && ret->solution->optimal;
    ret->status = SKR_VICTIMS_FOUND;
    return 0;
}

/* The highest priority of single members in the best set; INT64_MIN: there are none. */
static int64_t cap_of(const struct skr_victims_search *s)
{
    int64_t cap = INT64_MIN;
    for (size_t i = 0; i < s->n_best; i++) {
        const struct skr_victim *v = &s->in->victim[s->best[i].victim];
        cap = v->kind == SKR_VICTIM_SURPLUS && v->priority > cap ? v->priority : cap;
    }
    return cap;
}

/* The highest priority of single members below the cap; INT64_MIN: there are none. */
static int64_t next_cap(const struct skr_victims_search *s, int64_t cap)
{
    int64_t next = INT64_MIN;
    for (size_t i = 0; i < s->n; i++) {
        const struct skr_victim *v = &s->in->victim[s->candidate[i]];
        const bool below = v->kind == SKR_VICTIM_SURPLUS && v->priority < cap;
        next = below && v->priority > next ? v->priority : next;
    }
    return next;
}

/* Among the sets that cost the same, those with the least highest priority of single members: the
 * search again below it, while it finds one of the same cost. */
static int lower_cap(struct skr_victims_search *s, struct ranks *r, size_t rank)
{
    int64_t cap = cap_of(s);
    bool same = true, proven = s->cheapest;
    int rc = 0;
    while (rc == 0 && same && cap != INT64_MIN) {
        struct skr_victims_search less;
        search_init(&less, s->room, r, rank, next_cap(s, cap), s->error);
        rc = skr_victims_search_run(&less);
        same = rc == 0 && less.found && skr_victims_cost_compare(less.cost, s->cost) <= 0;
        proven = proven && (same || less.cheapest);
        if (same) {
            const struct skr_victims_search other = *s;
            *s = less;
            less = other;
            s->cheapest = less.cheapest;
            s->groups_proven = less.groups_proven;
            cap = cap_of(s);
        }
        search_fini(&less);
    }
    s->cap = cap;
    s->capped = proven;
    return rc;
}

/* *tried: the search of this priority is complete. */
static int search_rank(struct skr_victims_room *room, struct ranks *r, size_t rank,
                       struct skr_victims *ret, bool *tried, struct skr_error *error)
{
    struct skr_victims_search s;
    search_init(&s, room, r, rank, INT64_MAX, error);
    int rc = skr_victims_search_run(&s);
    if (rc == 0 && s.found) {
        rc = lower_cap(&s, r, rank);
    }
    if (rc == 0 && s.found) {
        rc = skr_victims_ties_run(&s);
    }
    if (rc == 0 && s.found) {
        rc = take_best(&s, ret);
    }
    *tried = s.found || s.cheapest;
    search_fini(&s);
    return rc;
}

static int find(struct skr_victims_room *room, struct skr_victims *ret, struct skr_error *error)
{
    struct ranks r;
    bool fits = false;
    if (skr_victims_room_is_spent(room)) {
        ret->status = SKR_VICTIMS_TIMEOUT;
        return 0;
    }
    int rc = skr_victims_room_fits(room, NULL, 0, &fits, error);
    if (rc < 0) {
        return rc;
    }
    if (fits) {
        ret->status = SKR_VICTIMS_NOT_NEEDED;
        return skr_victims_room_solve(room, NULL, 0, room->problem.tie_break, &ret->solution,
                                      error);
    }
    ranks_init(&r, room->in);
    size_t rank = 0;
    rc = least_rank(room, &r, &rank, error);
    ret->status = SKR_VICTIMS_INSUFFICIENT;
    for (bool tried = true; rc == 0 && rank < r.n_ranks; rank++) {
        rc = search_rank(room, &r, rank, ret, &tried, error);
        if (rc == 0 && !tried) {
            ret->status = SKR_VICTIMS_TIMEOUT;
        }
        if (ret->status != SKR_VICTIMS_INSUFFICIENT) {
            break;
        }
    }
    ranks_fini(&r);
    return rc;
}

/* The victims of ret suffice: what is known of them, and the placement. */
static int accept(struct skr_victims_room *room, struct skr_victims *ret, struct skr_error *error)
{
    ret->status = SKR_VICTIMS_FOUND;
    ret->cheapest = ret->optimal = false;
    ret->groups = ret->members = ret->groups_proven = 0;
    for (size_t i = 0; i < ret->n; i++) {
        const struct skr_victim *v = &room->in->victim[ret->victim[i]];
        ret->groups += v->kind == SKR_VICTIM_GROUP;
        ret->members += v->members;
    }
    return skr_victims_room_solve(room, ret->victim, ret->n, room->problem.tie_break,
                                  &ret->solution, error);
}

/* Takes out victims that leave less room. False: one of them may only go or stay with others. */
static bool lower(const struct skr_victims_problem *in, const struct skr_victim_table *raised,
                  struct skr_victims *found)
{
    SKR_AUTO_FREE uint8_t *gone = skr_alloc_array(in->n_victims + 1, sizeof *gone);
    size_t kept = 0;
    bool whole = true;
    for (size_t i = 0; i < found->n; i++) {
        gone[found->victim[i]] = 1;
    }
    skr_victim_tables_lower(in->table, raised, in->n_tables, gone);
    for (size_t i = 0; i < found->n; i++) {
        const size_t victim = found->victim[i];
        whole = whole && (gone[victim] || !skr_victims_has_mates(&in->victim[victim]));
        found->victim[kept] = victim;
        kept += gone[victim] != 0;
    }
    found->n = kept;
    return whole;
}

/* All candidates do not suffice, but some of them may: searches as if more victims never left less room, then takes
 * out those that do. */
static int find_fewer(struct skr_victims_room *room, struct skr_victims *ret,
                      struct skr_error *error)
{
    struct skr_victims_problem in = *room->in;
    struct skr_victim_table *raised = skr_victim_tables_raise(in.table, in.n_tables);
    struct skr_victims_room more;
    struct skr_victims found = {.n = 0};
    bool whole = false, fits = false;
    if (!raised) {
        return 0;
    }
    in.table = raised;
    in.step_budget = room->steps > 0 ? room->steps : 0;
    skr_victims_room_init(&more, &in);
    int rc = find(&more, &found, error);
    room->steps = more.steps;
    if (rc == 0 && found.status == SKR_VICTIMS_FOUND) {
        whole = lower(room->in, raised, &found);
        rc = skr_victims_room_fits(room, found.victim, found.n, &fits, error);
    }
    if (rc == 0 && whole && fits) {
        ret->victim = found.victim;
        ret->n = found.n;
        found.victim = NULL;
        rc = accept(room, ret, error);
    }
    skr_solution_destroy(found.solution);
    free(found.victim);
    skr_victims_room_fini(&more);
    skr_victim_tables_free(raised, in.n_tables);
    return rc;
}

/* Without needs. */
static int find_any(const struct skr_victims_problem *in, struct skr_victims **ret,
                    struct skr_error *error)
{
    struct skr_victims *victims = skr_alloc(sizeof *victims);
    struct skr_victims_room room;
    skr_victims_room_init(&room, in);
    int64_t steps = room.steps;
    int rc = find(&room, victims, error);
    if (rc == 0 && victims->status == SKR_VICTIMS_INSUFFICIENT && in->n_tables > 0) {
        rc = find_fewer(&room, victims, error);
    }
    if (rc == -SKR_RETRY) {
        victims->status = SKR_VICTIMS_TIMEOUT;
        rc = 0;
    }
    victims->stats.steps = steps - room.steps;
    victims->stats.tests = room.tests;
    victims->stats.leaves = room.leaves;
    victims->stats.solves = room.solves;
    skr_victims_room_fini(&room);
    if (rc < 0) {
        skr_victims_destroy(victims);
        return rc;
    }
    *ret = victims;
    return 0;
}

int skr_victims_find(const struct skr_victims_problem *in, struct skr_victims **ret,
                     struct skr_error *error)
{
    for (size_t i = 0; i < in->n_victims; i++) {
        int rc = check_victim(in, i, error);
        if (rc < 0) {
            return rc;
        }
    }
    int wrong = skr_problem_check(in->problem, error);
    if (wrong != 0) {
        return wrong;
    }
    return in->n_needs > 0 ? skr_victims_needs_search(in, find_any, ret, error)
                           : find_any(in, ret, error);
}

void skr_victims_destroy(struct skr_victims *victims)
{
    if (victims) {
        skr_solution_destroy(victims->solution);
        free(victims->victim);
        free(victims);
    }
}
