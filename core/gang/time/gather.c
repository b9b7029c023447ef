/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of owners in the timeline are places in one sorted list of names, so that the smallest
 * number is the smallest name.
 */
#include "core/gang/time/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/namespace_bound.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/reservation.h"
#include "core/gang/group/window.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/problem/paper.h"
#include "core/gang/problem/problem.h"
#include "core/gang/restore/restore.h"
#include "core/gang/state/map_entry.h"
#include "core/gang/time/stored.h"
#include "core/gang/time/told.h"

/* ---- times of pods ---- */

void gathering_set_round(const struct gathering *in, struct skr_round *ret)
{
    const struct skr_settings *s = &in->e->settings;
    ret->timeline = in->timeline;
    ret->group = in->group;
    ret->n = in->n_complete;
    ret->overrun = in->overrun;
    ret->reservations = (int32_t)s->reservations;
    ret->patience = s->patience == SKR_TIME_NEVER ? SKR_INSTANT_NEVER : skr_instant_up(s->patience);
    ret->horizon = skr_instant_up(s->horizon);
}

/* ---- labels ---- */

char *gathering_add_label(struct gathering *in, const char *text)
{
    char *label = skr_strdup(text);
    skr_grow(&in->label, &in->cap_labels, in->n_labels + 1, sizeof *in->label);
    in->label[in->n_labels++] = label;
    return label;
}

/* The list is sorted. Of equal texts the first. */
uint32_t gathering_number(const struct gathering *in, const char *label)
{
    size_t low = 0, high = in->n_labels;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(in->label[middle], label) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

/* ---- groups ---- */

static skr_time begin_of(const struct skr_gang *e, const struct group *g)
{
    const char *text = skr_restore_object_key(e, g, "schedBeginTime");
    const struct pod_entry *p;
    skr_time begin = 0;
    if (text && skr_time_parse(text, &begin, NULL) == 0) {
        return begin;
    }
    DL_FOREACH(g->members, p)
    {
        begin =
            skr_pod_is_live(p->pod) && p->pod->meta.created > begin ? p->pod->meta.created : begin;
    }
    return begin;
}

int64_t gathering_begin(const struct gathering *in, const struct group *g)
{
    return skr_instant_up(begin_of(in->e, g));
}

static bool is_complete(const struct skr_gang *e, const struct group *g)
{
    const bool may = !g->victim.leaving && !skr_claims_keep_from_planning(e, g);
    return may && (g->state == GROUP_READY || g->state == GROUP_BACKOFF || g->state == GROUP_BOUND);
}

static bool waits(const struct group *g)
{
    const bool waits = g->state == GROUP_READY || g->state == GROUP_BACKOFF ||
                       g->state == GROUP_EVICTED || g->state == GROUP_PENDING;
    return g->spec && !g->plan && g->seats.n_live > 0 &&
           (waits || (g->state == GROUP_BOUND && g->seats.n_ready > 0));
}

bool gathering_has_turn(const struct skr_gang *e, const struct group *g)
{
    const bool never =
        g->reason == SKR_REASON_NEVER_FITS || g->reason == SKR_REASON_CONSTRAINT_CONFLICT;
    return waits(g) && !skr_membership_only_grows(g) && is_complete(e, g) && !never &&
           !g->source.misplaced && skr_refusal_pause(e, g) == 0 &&
           !skr_plan_storage_is_refused(e, g);
}

static int by_order(const void *a, const void *b)
{
    const struct waiting_group *x = a, *y = b;
    const bool x_grows = skr_membership_only_grows(x->group),
               y_grows = skr_membership_only_grows(y->group);
    if (x->complete != y->complete) {
        return x->complete ? -1 : 1;
    }
    if (x_grows != y_grows) {
        return x_grows ? 1 : -1;
    }
    if (x->group->spec->priority != y->group->spec->priority) {
        return x->group->spec->priority > y->group->spec->priority ? -1 : 1;
    }
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    return strcmp(x->group->key, y->group->key);
}

/* One namespace does not have all reservations, whatever pools its groups name. n: those before it. */
static bool has_its_share(const struct gathering *in, size_t n, const struct group *g)
{
    size_t all = in->e->bookings.n, own = 0;
    const struct booking *b;
    DL_FOREACH(in->e->bookings.list, b)
    {
        own += strcmp(b->group->namespace_, g->namespace_) == 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct group *before = in->waiting[i].group;
        all += !before->booking;
        own += !before->booking && strcmp(before->namespace_, g->namespace_) == 0;
    }
    return all >= SKR_RESERVATIONS_MAX / 2 && own >= GATHERED_NAMESPACE_MAX;
}

/* Those that get forecasts: the reservations of others stand as they are. */
static void keep_open(struct gathering *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n && n < in->forecasts; i++) {
        if (!in->waiting[i].group->booking) {
            in->waiting[n++] = in->waiting[i];
        }
    }
    in->n = in->n_complete = n;
}

/* A round of the daemon has those with a reservation, and the first of the others. Those whose start
 * was not known a moment ago, or of which nothing has changed since, stand back, unless their own
 * members or rules have changed. */
static void keep_first(struct gathering *in)
{
    const size_t most = GATHERED_LEAVES / ((size_t)in->e->topology.tree->n_leaves + 1);
    size_t left = most < GATHERED_LIVE_MIN ? GATHERED_LIVE_MIN : most, n = 0;
    size_t unread = SKR_RESERVATIONS_MAX;
    const bool drains = in->e->settings.patience != SKR_TIME_NEVER; /* time alone lets one begin */
    left = left > GATHERED_LIVE_MAX ? GATHERED_LIVE_MAX : left;
    for (size_t i = 0; i < in->n; i++) {
        const struct group *g = in->waiting[i].group;
        const bool unknown = g->unknown_until > 0 && g->rounded == g->input_epoch;
        const bool far = g->far_at > 0 && in->now * SKR_SECOND >= g->far_at;
        const bool same = unknown && g->unknown_seen == in->seen && !drains && !far;
        const bool rests = same || (unknown && in->now * SKR_SECOND < g->unknown_until);
        size_t *of = g->told.unread ? &unread : &left;
        const bool may = *of > 0 && !rests && !has_its_share(in, n, g);
        *of -= may && !g->booking;
        const skr_time later = same ? 0 : rests ? g->unknown_until : *of == 0 && !may ? 1 : 0;
        if (later > 0 && !g->booking && (in->rests == 0 || later < in->rests)) {
            in->rests = later;
        }
        if (may || g->booking) {
            in->waiting[n++] = in->waiting[i];
        }
    }
    in->n = in->n_complete = n;
}

static void keep_for_moves(struct gathering *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->n; i++) {
        if (in->waiting[i].group == in->moves_for || in->waiting[i].group->booking) {
            in->waiting[n++] = in->waiting[i];
        }
    }
    in->n = in->n_complete = n;
}

static skr_time order_begin(const struct gathering *in, const struct group *g)
{
    return in->live ? g->times.begin : begin_of(in->e, g);
}

static bool is_wanted(const struct gathering *in, const struct group *g)
{
    const bool real = in->paper && strcmp(in->paper->key, g->key) == 0;
    return waits(g) && !real && (!in->live || gathering_has_turn(in->e, g));
}

static void add_waiting(struct gathering *in, struct group *g, skr_time begin, bool complete)
{
    skr_grow(&in->waiting, &in->cap, in->n + 1, sizeof *in->waiting);
    in->waiting[in->n++] = (struct waiting_group){.group = g,
                                                  .input = g->input_epoch,
                                                  .begin = begin,
                                                  .complete = complete,
                                                  .paper = g == in->paper,
                                                  .cut = SKR_INSTANT_NEVER};
    in->n_complete += complete;
}

static int find_groups(struct gathering *in, struct skr_error *error)
{
    struct group *g, *tmp;
    HASH_ITER(hh, in->e->groups, g, tmp)
    {
        if (in->moves_for && g->spec && g->spec->movable) {
            gathering_add_label(in, g->key);
        }
        if (!is_wanted(in, g)) {
            continue;
        }
        if (in->n == SKR_TIMELINE_GROUPS_MAX && !in->live) {
            return skr_error_set(error, SKR_LIMIT,
                                 "more than %d groups wait: leave some of them out of the files",
                                 SKR_TIMELINE_GROUPS_MAX);
        }
        add_waiting(in, g, order_begin(in, g), is_complete(in->e, g));
    }
    if (in->paper) {
        add_waiting(in, in->paper, skr_frame_now(in->e->frame), true);
    }
    if (in->n > 0) {
        qsort(in->waiting, in->n, sizeof *in->waiting, by_order);
    }
    if (in->moves_for) {
        keep_for_moves(in);
    } else if (in->forecasts > 0) {
        keep_open(in);
    } else if (in->live) {
        keep_first(in);
    }
    for (size_t i = 0; i < in->n; i++) {
        in->waiting[i].key = skr_strdup(in->waiting[i].group->key);
        gathering_add_label(in, in->waiting[i].key);
    }
    return 0;
}

/* ---- how long a group holds its room ---- */

bool gathering_window(const struct gathering *in, const struct group *g,
                      struct pod_entry *const *pod, size_t n, struct skr_start_question *ret)
{
    struct window window;
    const bool may = skr_window_of(in->e, g, pod, n, in->now, &window);
    ret->holds = window.holds;
    ret->cut = window.cut;
    return may;
}

/* ---- problems ---- */

int32_t *gathering_running(const struct gathering *in, const struct group *g,
                           struct pod_entry *const *newcomers, size_t n)
{
    const struct skr_tree *tree = in->e->topology.tree;
    const struct pod_entry *p;
    int32_t *running = skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *running);
    DL_FOREACH(g->members, p)
    {
        const char *node = skr_membership_claim_node(g, p, newcomers, n);
        const int32_t leaf = node ? skr_tree_find_leaf(tree, node) : -1;
        if (leaf >= 0) {
            running[leaf]++;
        }
    }
    return running;
}

/* Reserved is the minimum; an open group may start with more. */
static void set_least(struct waiting_group *w, size_t n, struct skr_round_group *ret)
{
    struct skr_problem *problem = &w->request->problem;
    const size_t least = skr_membership_least(w->group);
    ret->all_n = problem->n;
    ret->step = w->group->spec->step;
    if (w->group->spec->open && !problem->roles && n > least) {
        problem->n -= (int32_t)(n - least);
    }
}

/* Where the first problem has more room than the other one of the same members. */
static struct skr_place difference(const struct skr_solve_request *more,
                                   const struct skr_solve_request *less)
{
    const struct skr_problem *p = &more->problem;
    struct skr_place place = {0};
    size_t cap = 0;
    for (size_t i = 0; i < (size_t)p->tree->n_leaves * p->n_resources; i++) {
        const int64_t amount = p->free[i] - less->problem.free[i];
        if (amount > 0) {
            skr_grow(&place.use, &cap, place.n_uses + 1, sizeof *place.use);
            place.use[place.n_uses++] =
                (struct skr_place_use){.amount = amount,
                                       .leaf = (int32_t)(i / p->n_resources),
                                       .resource = more->resource[i % p->n_resources]};
        }
    }
    return place;
}

/* Single pods of higher priority take room first, until that lapses. */
static void set_first(struct gathering *in, const struct waiting_group *w,
                      const struct skr_solve_request *with, struct skr_round_group *ret)
{
    const struct pod_entry *pod, *first = NULL;
    ret->first = difference(w->request, with);
    const int32_t class_ = skr_ordinary_class_of(w->group);
    skr_time until = 0;
    DL_FOREACH(in->e->ordinary, pod)
    {
        const bool goes = skr_ordinary_goes_first(in->e, pod, class_);
        const skr_time lapses = skr_ordinary_late_node(in->e, pod)
                                    ? skr_ordinary_late_until(in->e, pod)
                                : goes ? skr_ordinary_first_until(in->e, pod)
                                       : 0;
        until = lapses > until ? lapses : until;
        first = lapses > 0 && (!first || strcmp(pod->key, first->key) < 0) ? pod : first;
    }
    ret->first_owner = first ? gathering_number(in, first->key) : 0;
    ret->first_until = skr_instant_up(until);
}

/* Seats that are held for the group are free for it now, and are so when they lapse. */
static void set_seats(struct gathering *in, struct waiting_group *w,
                      struct pod_entry *const *newcomers, size_t n, struct skr_round_group *ret)
{
    struct group *g = w->group;
    const size_t seats = g->holds.n;
    struct skr_error error;
    if (seats == 0) {
        return;
    }
    g->holds.n = 0;
    struct skr_solve_request *less = skr_problem_build(in->e, g, newcomers, n, false, &error);
    g->holds.n = seats;
    if (less) {
        ret->seats = difference(w->request, less);
    }
    ret->seats_until = SKR_INSTANT_NEVER;
    for (size_t i = 0; i < seats; i++) {
        const int64_t until = skr_instant_up(g->holds.item[i].until);
        ret->seats_until = until < ret->seats_until ? until : ret->seats_until;
    }
    skr_solve_request_destroy(less);
}

/* The problem without what single pods may take first. */
static void build(struct gathering *in, struct waiting_group *w, struct pod_entry *const *newcomers,
                  size_t n, struct skr_round_group *ret)
{
    struct skr_error error;
    struct pod_entry *ordinary = in->e->ordinary;
    struct skr_solve_request *with = NULL;
    if (skr_paper_charges(in->e, w->group)) {
        with = skr_problem_build(in->e, w->group, newcomers, n, false, &error);
        in->e->ordinary = NULL;
    }
    w->request = skr_problem_build(in->e, w->group, newcomers, n, false, &error);
    if (w->request) {
        set_seats(in, w, newcomers, n, ret);
    }
    in->e->ordinary = ordinary;
    if (w->request && with) {
        set_first(in, w, with, ret);
    }
    skr_solve_request_destroy(with);
}

/* The reservation as it stands. */
static struct skr_stored_reservation *stored_of(const struct gathering *in, const struct booking *b)
{
    struct skr_stored_reservation *s = skr_arena_alloc(in->arena, sizeof *s);
    struct skr_place_leaf *at = skr_arena_array(in->arena, b->n + 1, sizeof *at);
    if (!s || !at) {
        return NULL;
    }
    *s = (struct skr_stored_reservation){.start = b->start,
                                         .promised = b->promised,
                                         .since = b->since,
                                         .guess = b->guess,
                                         .outranked = skr_booked_outranked(in->e, b),
                                         .at = at};
    for (size_t i = 0; i < b->n; i++) {
        const int32_t leaf = skr_tree_find_leaf(in->e->topology.tree, b->node[i].name);
        s->node_gone = s->node_gone || leaf < 0;
        if (leaf >= 0) {
            at[s->n++] = (struct skr_place_leaf){.leaf = leaf, .count = b->node[i].count};
        }
    }
    skr_stored_reservation_sort(s);
    return s;
}

/* Nodes of a stored reservation are no spares for its group. Returns whether they are for others, [n]. */
static uint8_t *lift_spares(struct gathering *in, const struct skr_stored_reservation *s)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(in->e);
    uint8_t *were = skr_alloc((s ? s->n : 0) + 1);
    for (size_t i = 0; s && i < s->n; i++) {
        struct node_entry *n = leaf[s->at[i].leaf];
        were[i] = n && n->spare;
        if (n) {
            n->spare = false;
        }
    }
    return were;
}

static void drop_spares(struct gathering *in, const struct skr_stored_reservation *s,
                        const uint8_t *were)
{
    struct node_entry *const *leaf = skr_topology_leaf_nodes(in->e);
    for (size_t i = 0; s && i < s->n; i++) {
        if (were[i]) {
            leaf[s->at[i].leaf]->spare = true;
        }
    }
}

/* The number of its namespace: that of the first group of it. *ret_n: groups of it. */
static uint32_t space_of(const struct gathering *in, size_t i, size_t *ret_n)
{
    const char *namespace_ = in->waiting[i].group->namespace_;
    size_t first = i;
    *ret_n = 0;
    for (size_t k = in->n_complete; k-- > 0;) {
        if (strcmp(in->waiting[k].group->namespace_, namespace_) == 0) {
            first = k;
            ++*ret_n;
        }
    }
    return (uint32_t)first;
}

/* Whether other namespaces have groups. */
static bool has_neighbours(const struct skr_gang *e, const struct group *g)
{
    const struct group *h, *tmp;
    HASH_ITER(hh, e->groups, h, tmp)
    {
        if (h->n_members > 0 && strcmp(h->namespace_, g->namespace_) != 0) {
            return true;
        }
    }
    return false;
}

/* Who it is, beside the other groups of the round. */
static void set_rank(struct gathering *in, size_t i, struct skr_round_group *ret)
{
    const struct group *g = in->waiting[i].group;
    size_t n;
    ret->priority = g->spec->priority;
    ret->class_low = skr_membership_lowest_class(g);
    ret->class_high = skr_ordinary_class_of(g);
    ret->space = space_of(in, i, &n);
    if (ret->space < i) {
        ret->bound = in->group[ret->space].bound;
        return;
    }
    if (n == 1 || !has_neighbours(in->e, g)) {
        return;
    }
    in->share = in->share ? in->share : skr_namespace_bound_share(in->e);
    int64_t *bound = skr_arena_array(in->arena, SKR_RESOURCES_MAX, sizeof *bound);
    if (bound) {
        skr_namespace_bound_left(in->e, g->namespace_, in->share, bound);
    }
    ret->bound = bound;
}

static void make_group(struct gathering *in, size_t i)
{
    struct waiting_group *w = &in->waiting[i];
    struct skr_round_group *ret = &in->group[i];
    size_t n;
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(in->e, w->group, &n);
    const char *text = !in->live || w->group->told.unread ? skr_told_stored(in->e, w->group) : NULL;
    struct skr_stored_reservation *stored =
        w->group->booking ? stored_of(in, w->group->booking)
        : text            ? skr_stored_reservation_read(text, in->e->topology.tree, in->arena)
                          : NULL;
    *ret = (struct skr_round_group){.owner = gathering_number(in, w->group->key),
                                    .begin = skr_instant_up(w->begin),
                                    .grows = skr_membership_only_grows(w->group)};
    set_rank(in, i, ret);
    const bool may = gathering_window(in, w->group, newcomers, n, &ret->question);
    w->cut = ret->question.cut;
    if (!may || n == 0 || w->group->source.misplaced) {
        return;
    }
    SKR_AUTO_FREE uint8_t *were = lift_spares(in, stored);
    build(in, w, newcomers, n, ret);
    drop_spares(in, stored, were);
    if (!w->request) {
        return;
    }
    set_least(w, n, ret);
    w->running = gathering_running(in, w->group, newcomers, n);
    ret->question.problem = &w->request->problem;
    ret->question.resource = w->request->resource;
    ret->running = w->running;
    ret->stored = stored;
}

int gathering_run(struct gathering *in, struct skr_error *error)
{
    int rc = find_groups(in, error);
    if (rc < 0 || (in->live && in->n_complete == 0)) {
        return rc;
    }
    const int32_t leaves = in->e->topology.tree->n_leaves;
    in->timeline = skr_timeline_create(leaves, in->now);
    in->overrun = skr_alloc((size_t)leaves + 1);
    rc = gathering_put_room(in, error);
    in->group = skr_alloc_array(in->n_complete + 1, sizeof *in->group);
    in->e->bookings.counting = BOOKED_NONE; /* the timeline has them */
    for (size_t i = 0; i < in->n_complete; i++) {
        make_group(in, i);
    }
    in->e->bookings.counting = BOOKED_ALL;
    return rc;
}

void gathering_fini(struct gathering *in)
{
    for (size_t i = 0; i < in->n_complete && in->group; i++) {
        skr_round_group_fini(&in->group[i]);
    }
    for (size_t i = 0; i < in->n; i++) {
        skr_solve_request_destroy(in->waiting[i].request);
        free(in->waiting[i].running);
        free(in->waiting[i].key);
    }
    free(in->group);
    free(in->waiting);
    free(in->overrun);
    free(in->share);
    skr_timeline_destroy(in->timeline);
}
