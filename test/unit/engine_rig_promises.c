/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of reservations, after every event of the daemon that leads:
 *
 *   every_move_has_one_cause   a promise that moves later, or ends without a start, is counted once under a cause
 *   nothing_starts_into_one    a plan that is new leaves the room of every reservation that it does not outrank; a
 *                              replacement may take the seat that was held for it
 *   spares_are_for_losses      a plan that is new takes no node that is kept as a spare, unless its group runs and
 *                              lacks members, or has a seat or a reservation there
 *
 * and whenever the engine rests, for reservations whose start is not guessed and whose group has its members:
 *
 *   every_promise_has_room     room and ends until then are as much as is reserved then
 *
 * What objects promise when a process begins to lead are promises of that process.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/booked.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/membership.h"
#include "core/gang/preempt/victims_left.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/plan_entry.h"
#include "core/gang/time/told.h"
#include "test/unit/json_fast.h"

/* It has reached the end that it was let in with, its grace period before that aside, where room is reserved. */
bool rig_promises_break(const struct rig *rig, const struct rig_object *pod)
{
    const struct end_row *row = skr_ends_find(rig->gang, pod->pod->meta.uid);
    return row && row->times.word != 0 && skr_booked_find(rig->gang, pod->pod->node_name) &&
           row->times.word - row->times.grace_s <= skr_instant_up(rig->now);
}

/* ---- room over time ---- */

static int64_t charged(const struct rig *rig, const char *resource, const char *uid,
                       const char *node)
{
    const int id = skr_resource_names_find(rig->gang->resources, resource);
    const char *on = "";
    const struct skr_amounts *a = skr_ledger_amounts(rig->gang->ledger, uid, &on);
    return a && id >= 0 && strcmp(on, node) == 0 ? skr_amounts_get(a, (uint16_t)id) : 0;
}

/* What pods and held seats on the node give back to the group until then; its own seats are its own. Another one
 * is about to take those of it, user, so that they do not lapse. NULL: no such group. */
static int64_t freed_until(const struct rig *rig, const char *resource, const char *node,
                           int64_t at, const struct group *self, const struct group *user)
{
    const struct end_row *row;
    const struct group *g;
    int64_t sum = 0;
    for (row = skr_ends_on(rig->gang, node); row; row = row->next) {
        const struct skr_pod_times times = skr_ends_times(rig->gang, row);
        const int64_t now = skr_instant_up(rig->now);
        const bool ends = skr_end_soon(&times, SKR_INSTANT_NEVER, now).at <= at;
        sum += ends ? charged(rig, resource, row->uid, node) : 0;
    }
    DL_FOREACH2(rig->gang->holders.list, g, holds.next)
    {
        for (size_t i = 0; g != user && i < g->holds.n; i++) {
            const struct seat_hold *hold = &g->holds.item[i];
            const bool gives = g == self || skr_instant_up(hold->until) <= at;
            sum += gives && strcmp(hold->node, node) == 0 ? charged(rig, resource, hold->uid, node)
                                                          : 0;
        }
    }
    return sum;
}

/* What others than the group have reserved of the node then. */
static int64_t reserved_at(const struct rig *rig, const char *resource, const char *node,
                           int64_t at, const struct group *self)
{
    const struct booking *b;
    int64_t sum = 0;
    DL_FOREACH(rig->gang->bookings.list, b)
    {
        const bool then = b->group != self && b->start <= at && at < b->until;
        for (size_t i = 0; then && i < b->n_uses; i++) {
            const struct booking_use *use = &b->use[i];
            sum += strcmp(b->resource[use->resource], resource) == 0 &&
                           strcmp(b->node[use->node].name, node) == 0
                       ? use->amount
                       : 0;
        }
    }
    return sum;
}

int64_t rig_promised(const struct rig *rig, const char *resource, const char *node,
                     const struct group *self, int64_t end)
{
    const int64_t now = skr_instant_up(rig->now);
    const struct booking *b;
    int64_t most = 0;
    DL_FOREACH(rig->gang->bookings.list, b)
    {
        const int64_t at = b->start > now ? b->start : now;
        const int64_t reserved = at < end ? reserved_at(rig, resource, node, at, self) : 0;
        const int64_t lacks =
            reserved > 0 ? reserved - freed_until(rig, resource, node, at, NULL, self) : 0;
        most = lacks > most ? lacks : most;
    }
    return most;
}

/* Of the node, when the reservation begins; < 0: it lacks room. */
static int64_t left_for(const struct rig *rig, const struct booking *b, const char *node)
{
    const int64_t now = skr_instant_up(rig->now), at = b->start > now ? b->start : now;
    const int cpu = skr_resource_names_find(rig->gang->resources, "cpu");
    return skr_ledger_free(rig->gang->ledger, node, (uint16_t)cpu) +
           freed_until(rig, "cpu", node, at, b->group, NULL) -
           reserved_at(rig, "cpu", node, at, NULL);
}

/* ---- nothing starts into one ---- */

/* What the plan takes of the node at that instant. */
static int64_t takes(const struct rig *rig, const struct group *g, const char *node, int64_t at)
{
    const int64_t now = skr_instant_up(rig->now);
    const struct pod_entry *p;
    int64_t sum = 0;
    DL_FOREACH(g->members, p)
    {
        const struct end_row *row = skr_ends_find(rig->gang, p->uid);
        const bool there = p->plan && !skr_pods_is_bound(p) && strcmp(p->place.node, node) == 0;
        const bool ends =
            row && skr_end_soon(&row->times, SKR_INSTANT_NEVER, now).at <= (at > now ? at : now);
        sum += there && !ends ? charged(rig, "cpu", p->uid, node) : 0;
    }
    return sum;
}

static int64_t leaves(const struct rig *rig, const struct pod_entry *p, const char *node,
                      int64_t at)
{
    const struct end_row *row = p ? skr_ends_find(rig->gang, p->uid) : NULL;
    const bool ends =
        row && skr_end_soon(&row->times, SKR_INSTANT_NEVER, skr_instant_up(rig->now)).at <= at;
    return p && !ends ? charged(rig, "cpu", p->uid, node) : 0;
}

/* What victims of the plan give back of the node that is not back by then anyway. */
static int64_t gains(const struct rig *rig, const struct plan *plan, const char *node, int64_t at)
{
    int64_t sum = 0;
    for (size_t i = 0; i < plan->n_victims; i++) {
        const char *uid = skr_victims_pod_uid(&plan->victim[i]);
        const struct group *h = uid ? NULL : skr_groups_find(rig->gang, plan->victim[i].text);
        const struct pod_entry *p;
        sum += uid ? leaves(rig, skr_pods_find(rig->gang, uid), node, at) : 0;
        DL_FOREACH(h ? h->members : NULL, p)
        {
            sum += leaves(rig, p, node, at);
        }
    }
    return sum;
}

/* A seat that was held for the group before this event: its right to the room is older. */
static bool held_seat(const struct rig *rig, const struct group *g, const char *node)
{
    char seat[160];
    snprintf(seat, sizeof seat, "%s %s", g->key, node);
    return json_object_get(rig->promises.seats, seat);
}

static void note_seats(struct rig *rig)
{
    const struct group *g;
    json_object_clear(rig->promises.seats);
    DL_FOREACH2(rig->gang->holders.list, g, holds.next)
    {
        for (size_t i = 0; i < g->holds.n; i++) {
            char seat[160];
            snprintf(seat, sizeof seat, "%s %s", g->key, g->holds.item[i].node);
            json_object_set_new(rig->promises.seats, seat, json_true());
        }
    }
}

static void judge_plan(struct rig *rig, const struct group *g)
{
    const struct booking *b;
    DL_FOREACH(rig->gang->bookings.list, b)
    {
        /* A search for victims leaves out reservations of lower groups; it may need no victim then. */
        const bool outranks = g->spec && b->group->spec &&
                              (b->group->spec->priority < g->spec->priority ||
                               skr_ordinary_class_of(b->group) < skr_membership_lowest_class(g));
        for (size_t i = 0; b->group != g && !outranks && i < b->n; i++) {
            const char *node = b->node[i].name;
            const int64_t left = left_for(rig, b, node) + gains(rig, g->plan, node, b->start);
            const int64_t more = takes(rig, g, node, b->start);
            if (left < 0 && left + more >= 0 && !held_seat(rig, g, node)) {
                rig_fail(rig, "%s starts on %s, which is reserved for %s", g->key, node,
                         b->group->key);
            }
        }
    }
}

/* Before this event: a reservation goes when its group is planned. */
static bool had_reserved(const struct rig *rig, const struct group *g, const char *node)
{
    char text[160];
    snprintf(text, sizeof text, "reserved %s %s", g->key, node);
    return json_object_get(rig->promises.seats, text);
}

static void judge_spares(struct rig *rig, const struct group *g)
{
    const struct pod_entry *p;
    const bool lacks = g->spec && g->seats.n_bound > 0 && g->seats.n_bound < (size_t)g->spec->size;
    DL_FOREACH(rig->settings.spare[0] && !lacks ? g->members : NULL, p)
    {
        const struct node_entry *n =
            p->plan && !skr_pods_is_bound(p) ? skr_nodes_find(rig->gang, p->place.node) : NULL;
        if (n && n->spare && json_object_get(rig->promises.seats, n->name) &&
            !held_seat(rig, g, n->name) && !had_reserved(rig, g, n->name)) {
            rig_fail(rig, "%s is planned on %s, which is kept as a spare", g->key, n->name);
        }
    }
}

/* Their names, and reserved nodes, stand beside those of seats. */
static void note_spares(struct rig *rig)
{
    size_t at = 0;
    const struct node_entry *n;
    const struct booking *b;
    DL_FOREACH(rig->settings.spare[0] ? rig->gang->bookings.list : NULL, b)
    {
        for (size_t i = 0; i < b->n; i++) {
            char text[160];
            snprintf(text, sizeof text, "reserved %s %s", b->group->key, b->node[i].name);
            json_object_set_new(rig->promises.seats, text, json_true());
        }
    }
    while (rig->settings.spare[0] && (n = skr_nodes_next(rig->gang, &at))) {
        if (n->spare) {
            json_object_set_new(rig->promises.seats, n->name, json_true());
        }
    }
}

static void judge_plans(struct rig *rig)
{
    const struct group *g;
    DL_FOREACH2(rig->gang->planned, g, pnext)
    {
        if (g->plan->order > rig->promises.plans) {
            judge_plan(rig, g);
            judge_spares(rig, g);
        }
    }
    rig->promises.plans = rig->gang->stats.plans;
    note_seats(rig);
    note_spares(rig);
}

/* ---- every move has one cause ---- */

static uint64_t causes_of(const struct rig *rig)
{
    uint64_t sum = 0;
    for (size_t i = 1; i < SKR_MOVE_CAUSE_COUNT; i++) {
        sum += rig->gang->stats.moves[i];
    }
    return sum;
}

static void note_promise(struct rig *rig, const char *key, int64_t start)
{
    const json_t *old = json_object_get(rig->promises.start, key);
    if (!old || json_integer_value(old) > start) {
        json_object_set_new(rig->promises.start, key, json_integer(start));
    }
}

void rig_promises_take_over(struct rig *rig)
{
    const struct group *g, *tmp;
    rig_promises_fini(rig);
    rig->promises.start = json_object();
    rig->promises.seats = json_object();
    rig->promises.causes = causes_of(rig);
    rig->promises.plans = rig->gang->stats.plans;
    HASH_ITER(hh, rig->gang->groups, g, tmp)
    {
        const char *text = skr_told_stored(rig->gang, g);
        json_auto_t *stored = text ? json_fast_read(text, strlen(text), NULL) : NULL;
        skr_time start;
        if (stored && skr_time_parse(rig_text(stored, "start"), &start, NULL) == 0) {
            note_promise(rig, g->key, skr_instant_up(start));
        }
    }
}

struct moves {
    size_t n, maybe;
    bool overran;  /* that of a group of namespace default moved later, with cause Overrun */
    char last[64]; /* key */
};

/* What became of one promise; false: it is none any more. */
static bool judge_promise(const struct rig *rig, const char *key, json_t *promise,
                          struct moves *moves)
{
    const struct group *g = skr_groups_find(rig->gang, key);
    const struct booking *b = g ? g->booking : NULL;
    const bool unread = g && g->told.unread;
    if (b && b->start > json_integer_value(promise) + SKR_MOVE_S) {
        /* a guess that has passed is made anew; so may be a start, before this process began */
        const bool may = b->guess || b->start <= skr_instant_up(rig->now);
        moves->n += !may;
        moves->maybe += may;
        snprintf(moves->last, sizeof moves->last, "%s", key);
        moves->overran = moves->overran ||
                         (g->moved == SKR_MOVED_OVERRUN && strcmp(g->namespace_, "default") == 0);
        rig_tell(rig, "promise of %s: %lld s later", key,
                 (long long)(b->start - json_integer_value(promise)));
        json_integer_set(promise, b->start);
    }
    if (b || unread) {
        return true;
    }
    const bool starts = !g || g->plan || g->state == GROUP_BOUND;
    rig_tell(rig, "promise of %s is over, state %s", key,
             g ? rig_state(rig, key + strlen("default/")) : "gone");
    if (!starts) {
        moves->n++;
        snprintf(moves->last, sizeof moves->last, "%s", key);
    }
    moves->maybe += starts;
    return false;
}

static void judge_moves(struct rig *rig)
{
    const struct booking *b;
    const uint64_t causes = causes_of(rig) - rig->promises.causes;
    struct moves moves = {0};
    const char *key;
    json_t *promise;
    void *next;
    json_object_foreach_safe(rig->promises.start, next, key, promise)
    {
        if (!judge_promise(rig, key, promise, &moves)) {
            json_object_del(rig->promises.start, key);
        }
    }
    DL_FOREACH(rig->gang->bookings.list, b)
    {
        if (!json_object_get(rig->promises.start, b->group->key)) {
            rig_tell(rig, "promise of %s%s, in %lld s", b->group->key, b->guess ? ", guessed" : "",
                     (long long)(b->start - skr_instant_up(rig->now)));
        }
        note_promise(rig, b->group->key, b->start);
    }
    rig->promises.causes += causes;
    rig->promises.overruns += moves.overran;
    if (causes < moves.n || causes > moves.n + moves.maybe ||
        rig->gang->stats.moves[SKR_MOVED_NOT] > 0) {
        rig_fail(rig, "%zu promises moved or ended, the last one of %s, and %d causes were counted",
                 moves.n, moves.last, (int)causes);
    }
}

/* ---- every promise has room ---- */

/* The end of a pod that is over its limit, or has not started, moves with the clock. */
static bool has_moving_ends(const struct rig *rig, const char *node)
{
    const struct end_row *row = skr_ends_on(rig->gang, node);
    bool moves = false;
    for (; row && !moves; row = row->next) {
        const struct skr_pod_times times = skr_ends_times(rig->gang, row);
        moves = (!times.started && !times.deleted) ||
                skr_end_of(&times, SKR_INSTANT_NEVER, skr_instant_up(rig->now)).overrun;
    }
    return moves;
}

void rig_promises_rest(struct rig *rig)
{
    const struct booking *b;
    if (rig->gang->rounds.due || rig->gang->rounds.work) {
        return;
    }
    DL_FOREACH(rig->gang->bookings.list, b)
    {
        const bool ahead = !b->guess && !b->lacks && b->start > skr_instant_up(rig->now);
        for (size_t i = 0; ahead && i < b->n; i++) {
            const char *node = b->node[i].name;
            if (!has_moving_ends(rig, node) && left_for(rig, b, node) < 0) {
                rig_fail(rig,
                         "%s is promised room on %s in %lld s that is not there: %lld m are left",
                         b->group->key, node, (long long)(b->start - skr_instant_up(rig->now)),
                         (long long)left_for(rig, b, node));
            }
        }
    }
}

void rig_promises_judge(struct rig *rig)
{
    if (!rig->promises.start || !skr_frame_is_deciding(rig->gang->frame)) {
        return;
    }
    judge_plans(rig);
    judge_moves(rig);
}

void rig_promises_fini(struct rig *rig)
{
    json_decref(rig->promises.start);
    json_decref(rig->promises.seats);
    rig->promises.start = rig->promises.seats = NULL;
}
