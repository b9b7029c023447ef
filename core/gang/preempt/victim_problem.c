/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/preempt/victim_problem.h"

#include "core/gang/cache/booked.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/yielding.h"
#include "core/gang/preempt/disruptions.h"
#include "core/gang/preempt/surplus.h"
#include "core/gang/preempt/victim_devices.h"
#include "core/gang/preempt/victim_gains.h"
#include "core/gang/preempt/victim_needs.h"
#include "core/gang/preempt/victims_allowed.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/problem/problem.h"
#include "core/gang/state/plan_entry.h"
#include "core/solver/victims_needs.h"

#include <string.h>
#include <utlist.h>

enum { SYSTEM_PRIORITY = 2000000000 }; /* of system-cluster-critical and above: never a victim */

/* ---- candidates ---- */

struct list {
    struct skr_gang *e;
    struct skr_solve_request *request;
    const struct skr_outranks *rank; /* of the preemptor */
    struct skr_victim *item;
    size_t n, cap;
    size_t n_givers;
    struct skr_victim_scope *scope;
    size_t n_scopes, cap_scopes;
    int64_t *order; /* [cap_order] of item: skr_outranks_order() */
    size_t cap_order;
    bool of_others; /* one is of another namespace, and outranked by class */
    int32_t *place; /* [leaf] index + 1 of the current victim's share */
    struct victim_givers givers;
    struct victim_gains gains;
    bool full; /* the arena has no room left */
};

static void *take(struct list *l, size_t n, size_t size)
{
    void *memory = skr_arena_array(l->request->arena, n, size);
    l->full = l->full || !memory;
    return memory;
}

static struct skr_victim *add(struct list *l, enum skr_victim_kind kind, const char *name,
                              int32_t priority)
{
    skr_grow(&l->item, &l->cap, l->n + 1, sizeof *l->item);
    skr_grow(&l->order, &l->cap_order, l->n + 1, sizeof *l->order);
    l->order[l->n] = priority;
    l->item[l->n] = (struct skr_victim){.name = skr_arena_strdup(l->request->arena, name),
                                        .kind = kind,
                                        .priority = priority,
                                        .shown = priority,
                                        .surplus_of = -1};
    l->full = l->full || !l->item[l->n].name;
    return &l->item[l->n++];
}

/* Adds the room of one pod of a victim with at most `most` pods. */
static void add_share(struct list *l, struct skr_victim *v, size_t most, const char *node,
                      const struct skr_amounts *amounts, int64_t end)
{
    const struct skr_problem *problem = &l->request->problem;
    int32_t leaf = skr_tree_find_leaf(problem->tree, node);
    struct skr_victim_share *share = (struct skr_victim_share *)(uintptr_t)v->share;
    if (!share) {
        share = take(l, most, sizeof *share);
        v->share = share;
    }
    if (leaf < 0 || !share) {
        return;
    }
    if (l->place[leaf] == 0) {
        int64_t *amount = take(l, problem->n_resources, sizeof *amount);
        if (!amount) {
            return;
        }
        share[v->n_shares] = (struct skr_victim_share){.leaf = leaf, .amount = amount};
        l->place[leaf] = (int32_t)++v->n_shares;
    }
    int64_t *amount = (int64_t *)(uintptr_t)share[l->place[leaf] - 1].amount;
    const int64_t *room = problem->free + (size_t)leaf * problem->n_resources;
    for (size_t r = 0; r < problem->n_resources; r++) {
        if (room[r] != SKR_ROOM_UNLIMITED) {
            const int64_t gain = skr_victim_gains_take(
                &l->gains, leaf, r, end, skr_amounts_get(amounts, l->request->resource[r]));
            amount[r] = skr_amount_sum(amount[r], gain);
        }
    }
}

static void finish_shares(struct list *l, const struct skr_victim *v)
{
    for (size_t i = 0; i < v->n_shares; i++) {
        l->place[v->share[i].leaf] = 0;
    }
}

/* False: two budgets cover the pod; the eviction API refuses such pods. */
static bool add_charge(struct list *l, struct skr_victim *v, size_t most, const struct skr_pod *pod)
{
    size_t n;
    const struct disruption_budget *b = skr_disruptions_of(l->e, &pod->meta, &n);
    struct skr_victim_charge *charge = (struct skr_victim_charge *)(uintptr_t)v->charge;
    if (n == 0) {
        return true;
    }
    if (n > 1) {
        return false;
    }
    if (!charge) {
        charge = take(l, most, sizeof *charge);
        v->charge = charge;
    }
    for (size_t i = 0; charge && i < v->n_charges; i++) {
        if (charge[i].budget == b->number) {
            charge[i].members++;
            return true;
        }
    }
    if (charge) {
        charge[v->n_charges++] = (struct skr_victim_charge){b->number, 1};
    }
    return true;
}

bool skr_victim_problem_runs(const struct pod_entry *p)
{
    return skr_pods_is_bound(p) && skr_pod_is_live(p->pod) && !p->work->evict.by;
}

/* The victim that was added last is of that group. */
static void note_order(struct list *l, size_t at, const struct group *h)
{
    l->order[at] = skr_outranks_order(l->rank, h);
    l->of_others = l->of_others || skr_outranks_by_class(l->rank, h);
}

static int by_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Groups of several namespaces have no common scale: their priorities become their places in the order.
 * Returns the priority of the preemptor. */
static int32_t settle_order(struct list *l)
{
    if (!l->of_others) {
        return l->rank->group->spec->priority;
    }
    SKR_AUTO_FREE int64_t *sorted = skr_alloc_array(l->n + 1, sizeof *sorted);
    size_t n = 0, places = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->item[i].kind != SKR_VICTIM_POD) {
            sorted[n++] = l->order[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, by_order);
    for (size_t i = 0; i < n; i++) {
        if (places == 0 || sorted[places - 1] != sorted[i]) {
            sorted[places++] = sorted[i];
        }
    }
    for (size_t i = 0; i < l->n; i++) {
        const int64_t *at = l->item[i].kind == SKR_VICTIM_POD
                                ? NULL
                                : bsearch(&l->order[i], sorted, places, sizeof *sorted, by_order);
        l->item[i].priority = at ? (int32_t)(at - sorted) + 1 : l->item[i].priority;
    }
    return (int32_t)places + 1;
}

static void add_pod(struct list *l, enum skr_victim_kind kind, struct pod_entry *p,
                    int32_t priority, int32_t surplus_of)
{
    struct skr_strbuf name;
    skr_strbuf_init(&name);
    skr_strbuf_addf(&name, "%s@%s", p->key, p->uid);
    struct skr_victim *v = add(l, kind, name.s, priority);
    skr_strbuf_fini(&name);
    v->members = 1;
    v->surplus_of = surplus_of;
    if (kind == SKR_VICTIM_SURPLUS) {
        note_order(l, l->n - 1, p->group);
    }
    bool may_go = skr_victims_leaves_in_time(l->e, p) && add_charge(l, v, 1, p->pod);
    add_share(l, v, 1, p->pod->node_name, &p->shape->amounts, skr_victim_gains_end(l->e, p->uid));
    finish_shares(l, v);
    l->n -= !may_go;
    if (may_go) {
        skr_victim_devices_add(&l->givers, p, l->n - 1);
    }
}

/* What must hold of the rest of the group that was listed last. False: no rule counts members. */
static bool add_scopes(struct list *l, const struct group *h, struct pod_entry *const *list,
                       size_t n)
{
    const size_t first = l->n_scopes;
    skr_grow(&l->scope, &l->cap_scopes, first + SKR_SURPLUS_SCOPES, sizeof *l->scope);
    l->n_scopes +=
        skr_surplus_scopes(h, l->request->tree, list, n, l->request->arena, l->scope + first);
    for (size_t i = first; i < l->n_scopes; i++) {
        l->scope[i].giver = (int32_t)l->n_givers;
        l->full = l->full || !l->scope[i].count;
    }
    return l->n_scopes > first;
}

/* Members beyond the size: the gang stays whole without any of them. Those of an open group go by the
 * steps by which they came. */
static void add_surplus(struct list *l, struct group *h, int32_t whole)
{
    size_t n = 0, first;
    if (h->plan || !skr_surplus_any(h)) {
        return;
    }
    struct pod_entry **list = skr_alloc_array(h->n_members + 1, sizeof *list), *p;
    DL_FOREACH(h->members, p)
    {
        if (skr_victim_problem_runs(p)) {
            list[n++] = p;
        }
    }
    const int32_t beyond = (int32_t)n - skr_membership_size(h);
    const bool ruled = add_scopes(l, h, list, n);
    n = skr_surplus_of(h, list, n);
    for (size_t i = 0; i < n; i++) {
        first = l->n;
        add_pod(l, SKR_VICTIM_SURPLUS, list[i], h->spec->priority, whole);
        for (; first < l->n; first++) {
            l->item[first].rank = skr_pods_rank_label(list[i]);
            l->item[first].giver = (int32_t)l->n_givers;
            l->item[first].beyond = beyond;
            l->item[first].step = h->spec->step;
            l->item[first].role = list[i]->role;
            l->item[first].ruled = ruled && l->item[first].n_shares > 0;
        }
    }
    l->n_givers++;
    free(list);
}

/* A member of the victim that was added last, which has a place in a plan. One that kube-scheduler keeps for its
 * claims keeps its room when the plan ends. */
static void add_planned(struct list *l, struct skr_victim *v, struct pod_entry *p)
{
    if (!skr_claims_assumed_on(p)) {
        add_share(l, v, p->group->n_members, p->place.node, &p->shape->amounts,
                  skr_victim_gains_end(l->e, p->uid));
    }
    skr_victim_devices_add(&l->givers, p, l->n - 1);
}

static void add_group(struct list *l, struct group *h)
{
    struct pod_entry *p;
    bool may_go = true;
    size_t at = l->n, n_givers = l->givers.n;
    struct skr_victim *v = add(l, SKR_VICTIM_GROUP, h->key, h->spec->priority);
    note_order(l, at, h);
    DL_FOREACH(h->members, p)
    {
        if (skr_victim_problem_runs(p)) {
            v->members++;
            may_go = may_go && skr_victims_leaves_in_time(l->e, p) &&
                     add_charge(l, v, h->n_members, p->pod);
            add_share(l, v, h->n_members, p->pod->node_name, &p->shape->amounts,
                      skr_victim_gains_end(l->e, p->uid));
            skr_victim_devices_add(&l->givers, p, at);
        } else if (p->plan && !p->plan->aborting && !skr_pods_is_bound(p)) {
            add_planned(l, v, p);
        }
    }
    finish_shares(l, v);
    if (!may_go || (v->members == 0 && v->n_shares == 0)) {
        l->n = at;
        l->givers.n = n_givers;
    }
    add_surplus(l, h, l->n > at ? (int32_t)at : -1);
}

bool skr_victim_problem_may_go(const struct skr_outranks *o, const struct group *h)
{
    bool forward_only = h->plan && (h->plan->binding || h->plan->aborting);
    return h != o->group && h->spec && !h->victim.leaving && !forward_only && skr_outranks(o, h);
}

static int32_t least_priority(struct pod_entry *const *newcomers, size_t n)
{
    int32_t least = INT32_MAX;
    for (size_t i = 0; i < n; i++) {
        least = newcomers[i]->pod->priority < least ? newcomers[i]->pod->priority : least;
    }
    return least;
}

static void add_ordinary(struct list *l, int32_t below)
{
    struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(l->e, &at));) {
        const char *agrees = skr_pods_label(p, SKR_LABEL_PREEMPTIBLE);
        if (!p->group && skr_victim_problem_runs(p) && strcmp(agrees, "true") == 0 &&
            p->pod->priority < below && p->pod->priority < SYSTEM_PRIORITY) {
            add_pod(l, SKR_VICTIM_POD, p, p->pod->priority, -1);
        }
    }
}

/* Marks victims of possible victims of g that its plan would not take over. */
static void note_who_stays(struct skr_gang *e, const struct group *g, const struct skr_outranks *o)
{
    const struct group *h;
    DL_FOREACH2(e->planned, h, pnext)
    {
        const bool waits = h->plan->preempting && !h->plan->aborting;
        skr_victims_reset_budgets(e);
        for (size_t i = 0; waits && skr_victim_problem_may_go(o, h) && i < h->plan->n_victims;
             i++) {
            const struct plan_victim *v = &h->plan->victim[i];
            struct group *of =
                v->gone || skr_victims_pod_uid(v) ? NULL : skr_groups_find(e, v->text);
            bool begun;
            if (of) {
                of->victim.stays = !skr_victims_may_take(e, g, v, &begun);
            }
        }
    }
}

/* Adds the room of pods that are leaving. */
static void add_leaving(struct list *l)
{
    struct skr_gang *e = l->e;
    const struct skr_solve_request *request = l->request;
    struct pod_entry *p;
    if (e->n_leaving == 0) {
        return;
    }
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        int32_t leaf = p->leaving && skr_victims_leaves_in_time(e, p) &&
                               !(p->group && p->group->victim.stays && !p->pod->meta.deleting)
                           ? skr_tree_find_leaf(request->tree, p->pod->node_name)
                           : -1;
        if (leaf >= 0) {
            skr_victim_devices_add(&l->givers, p, SIZE_MAX);
        }
        if (leaf >= 0) {
            skr_victim_gains_add_room(&l->gains, leaf, &p->shape->amounts,
                                      skr_victim_gains_end(e, p->uid));
        }
    }
}

/* In a search for seats and plans that yield, each seat is a group by itself. Priorities are below
 * YIELDS_BELOW, because a group of any priority may have that room. They keep the order of the groups'
 * priorities. What yields only to a PriorityClass goes last. */
enum { YIELDS_BELOW = 1 };

static int32_t yielding_priority(int32_t priority, const struct group *g)
{
    int64_t below = (int64_t)priority - g->spec->priority;
    return below < INT32_MIN ? INT32_MIN : below < YIELDS_BELOW ? (int32_t)below : YIELDS_BELOW - 1;
}

static void add_seats(struct list *l, const struct skr_claimant *c)
{
    const struct group *h;
    DL_FOREACH2(l->e->holders.list, h, holds.next)
    {
        const bool yields = skr_yielding_seats(h, c);
        for (size_t i = 0; yields && i < h->holds.n; i++) {
            const struct seat_hold *hold = &h->holds.item[i];
            struct skr_victim *v =
                add(l, SKR_VICTIM_GROUP, hold->uid, yielding_priority(h->holds.priority, c->group));
            add_share(l, v, 1, hold->node, &hold->shape->amounts, skr_instant_up(hold->until));
            finish_shares(l, v);
        }
    }
}

/* Plans that yield. */
static void add_idle(struct list *l, const struct skr_claimant *c)
{
    const struct plan *plan;
    struct pod_entry *p;
    DL_FOREACH2(l->e->idle_plans, plan, inext)
    {
        const struct group *h = plan->group;
        if (!skr_yielding_plan(plan, c)) {
            continue;
        }
        struct skr_victim *v =
            add(l, SKR_VICTIM_GROUP, h->key, yielding_priority(h->spec->priority, c->group));
        DL_FOREACH(h->members, p)
        {
            if (p->plan == plan && !skr_pods_is_bound(p)) {
                add_planned(l, v, p);
            }
        }
        finish_shares(l, v);
    }
}

static int32_t *number_budgets(struct list *l, size_t *ret_n)
{
    struct disruption_budget *b, *tmp;
    int32_t *allowed = take(l, HASH_COUNT(l->e->disruptions) + 1, sizeof *allowed);
    size_t n = 0;
    HASH_ITER(hh, l->e->disruptions, b, tmp)
    {
        b->number = (int32_t)n;
        if (allowed) {
            allowed[n] = b->budget->allowed;
        }
        n++;
    }
    *ret_n = n;
    return allowed;
}

/* ---- the problem ---- */

struct skr_solve_request *skr_victim_problem_build(struct skr_gang *e, struct group *g,
                                                   struct pod_entry *const *newcomers, size_t n,
                                                   bool yielding, struct skr_error *error)
{
    e->bookings.counting = BOOKED_NOT_BELOW;
    struct skr_solve_request *request = skr_problem_build(e, g, newcomers, n, false, error);
    e->bookings.counting = BOOKED_ALL;
    if (!request) {
        return NULL;
    }
    const struct skr_outranks o = skr_outranks_of(e, g);
    struct list l = {.e = e, .request = request, .rank = &o};
    struct skr_victims_problem *in = take(&l, 1, sizeof *in);
    size_t n_budgets;
    struct group *h, *tmp;
    const struct skr_claimant c = skr_claimant_of(g);
    l.place = skr_alloc_array((size_t)request->tree->n_leaves + 1, sizeof *l.place);
    skr_victim_gains_init(&l.gains, e, g, newcomers, n, request);
    if (yielding) {
        add_seats(&l, &c);
        add_idle(&l, &c);
    } else {
        skr_victim_gains_add_seats(&l.gains, &c);
        note_who_stays(e, g, &o);
        add_leaving(&l);
    }
    int32_t *allowed = number_budgets(&l, &n_budgets);
    HASH_ITER(hh, e->groups, h, tmp)
    {
        h->victim.stays = false;
        if (!yielding && skr_victim_problem_may_go(&o, h)) {
            add_group(&l, h);
        }
    }
    if (!yielding && e->settings.victims_labelled) {
        add_ordinary(&l, least_priority(newcomers, n));
    }
    const int32_t priority = yielding ? YIELDS_BELOW : settle_order(&l);
    struct skr_victim *victim = take(&l, l.n + 1, sizeof *victim);
    if (victim && l.n > 0) {
        memcpy(victim, l.item, l.n * sizeof *victim);
    }
    struct skr_victim_scope *scope = take(&l, l.n_scopes + 1, sizeof *scope);
    if (scope && l.n_scopes > 0) {
        memcpy(scope, l.scope, l.n_scopes * sizeof *scope);
    }
    free(l.scope);
    free(l.item);
    free(l.order);
    free(l.place);
    skr_victim_gains_fini(&l.gains);
    if (!l.full) {
        *in = (struct skr_victims_problem){.problem = &request->problem,
                                           .priority = priority,
                                           .n_victims = l.n,
                                           .victim = victim,
                                           .n_givers = l.n_givers,
                                           .n_scopes = l.n_scopes,
                                           .scope = scope,
                                           .n_budgets = n_budgets,
                                           .budget = allowed,
                                           .step_budget = -1};
        skr_victim_givers_sort(&l.givers);
        l.full = !skr_victim_devices_count(e, g, newcomers, n, &l.givers, request, in) ||
                 !skr_victim_needs_add(e, newcomers, n, &l.givers, request, in);
    }
    free(l.givers.item);
    if (l.full) {
        skr_solve_request_destroy(request);
        skr_error_set(error, SKR_LIMIT, "group %s: too many candidates for preemption", g->key);
        return NULL;
    }
    request->problem.explain = false;
    request->preemption = in;
    return request;
}

const struct skr_victim *skr_victim_problem_find(const struct skr_victims_problem *in,
                                                 const char *name)
{
    for (size_t i = 0; i < in->n_victims; i++) {
        if (strcmp(in->victim[i].name, name) == 0) {
            return &in->victim[i];
        }
    }
    return NULL;
}

bool skr_victim_problem_still_valid(struct skr_gang *e, struct group *g,
                                    struct pod_entry *const *newcomers, size_t n, bool yielding,
                                    const struct skr_solve_request *solved)
{
    struct skr_error error;
    struct skr_solve_request *now = skr_victim_problem_build(e, g, newcomers, n, yielding, &error);
    bool valid = now && now->tree == solved->tree;
    SKR_AUTO_FREE size_t *victim = skr_alloc_array(solved->victims->n + 1, sizeof *victim);
    for (size_t i = 0; valid && i < solved->victims->n; i++) {
        const struct skr_victim *v = skr_victim_problem_find(
            now->preemption, solved->preemption->victim[solved->victims->victim[i]].name);
        valid = v;
        victim[i] = v ? (size_t)(v - now->preemption->victim) : 0;
    }
    /* What leaves by now is enough: the next search evicts no pod. */
    valid = valid && (solved->victims->n == 0 ||
                      !skr_problem_accepts(&now->problem, solved->victims->solution));
    if (valid) {
        skr_victims_add_room(now->preemption, victim, solved->victims->n,
                             (int64_t *)(uintptr_t)now->problem.free);
    }
    valid = valid && skr_problem_accepts(&now->problem, solved->victims->solution) &&
            skr_victims_needs_hold(now->preemption, victim, solved->victims->n,
                                   solved->victims->solution, NULL, NULL);
    skr_solve_request_destroy(now);
    return valid;
}
