/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers copies of the caches, hands them over, and makes reservations of the answer. */
#include "core/gang/time/rounds.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/gang/cache/bookings.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/group_table.h"
#include "core/gang/group/refusal.h"
#include "core/gang/planning/planner.h"
#include "core/gang/preempt/sooner.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/problem/candidates.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"
#include "core/gang/time/away.h"
#include "core/gang/time/held.h"
#include "core/gang/time/told.h"
#include "topology/base/strbuf.h"

enum {
    ROUND_PAUSE_MS = 100,
    ROUND_PAUSE_TIMES = 4,   /* of the time that the last one took */
    ROUND_OVERDUE_S = 10,    /* a reservation has begun, and its group does not start */
    UNKNOWN_PAUSE_MS = 1000, /* a group whose start is not known stands back */
};

/* ---- when ---- */

static void wake_at(struct skr_gang *e, skr_time at)
{
    if (e->rounds.wake_at > skr_frame_now(e->frame) && e->rounds.wake_at <= at) {
        return;
    }
    e->rounds.wake_at = at;
    skr_wakes_add(e, at, WAKE_ROUND, NULL);
}

/* Whether there is something new for a round since the last call. */
static bool see_changes(struct skr_gang *e)
{
    enum {
        NEWS = SEEN_CAPACITY | SEEN_ROOM | SEEN_ENDS | SEEN_JOBS | SEEN_NODES | SEEN_WAITING |
               SEEN_LIFTED
    };
    const bool changed = skr_seen_changed(&e->seen, NEWS, e->rounds.seen);
    e->rounds.seen = changed ? e->seen.now : e->rounds.seen;
    return changed;
}

/* Whether a start may be known. */
static bool any_end(const struct skr_gang *e)
{
    return e->settings.patience != SKR_TIME_NEVER || e->n_limits > 0 || e->owners.n_deadlines > 0;
}

/* The next reservation that begins, or has begun. */
static void wake_for_starts(struct skr_gang *e)
{
    const struct booking *b;
    const skr_time now = skr_frame_now(e->frame);
    DL_FOREACH(e->bookings.list, b)
    {
        const skr_time start = b->start * SKR_SECOND;
        wake_at(e, start > now ? start : now + ROUND_OVERDUE_S * SKR_SECOND);
    }
}

static bool has_begun(const struct skr_gang *e)
{
    const struct booking *b;
    bool any = false;
    DL_FOREACH(e->bookings.list, b)
    {
        any = any || b->start * SKR_SECOND <= skr_frame_now(e->frame);
    }
    return any;
}

/* ---- the round ---- */

static void report_error(struct skr_gang *e, const struct away *a)
{
    skr_out_decision(e, "", "", "Round of reservations failed", "", a->error.text, true);
}

/* Hands a round over. */
static void begin(struct skr_gang *e)
{
    struct away *a = skr_away_create(e, skr_round_run);
    const int rc = gathering_run(&a->in, &a->error);
    e->rounds.rests = a->in.rests;
    if (rc < 0 || a->in.n_complete == 0) {
        if (rc < 0) {
            report_error(e, a);
        }
        skr_away_destroy(a);
        e->rounds.first = false;
        return;
    }
    e->rounds.work = skr_away_send(e, a, false);
}

/* After a round, and when a word is due. */
static void review_words(struct skr_gang *e)
{
    if (skr_frame_now(e->frame) < e->rounds.held_at || !skr_frame_is_deciding(e->frame)) {
        return;
    }
    e->rounds.held_at = skr_held_review(e);
    if (e->rounds.held_at != SKR_TIME_NEVER) {
        skr_wakes_add(e, e->rounds.held_at, WAKE_ROUND, NULL);
    }
}

void skr_rounds_review(struct skr_gang *e)
{
    const skr_time now = skr_frame_now(e->frame);
    if ((e->settings.reservations == 0 && e->bookings.n == 0) || e->settings.on_paper) {
        return;
    }
    review_words(e);
    const bool rested = e->rounds.rests > 0 && e->rounds.rests <= now;
    e->rounds.due = see_changes(e) || e->rounds.due || rested || has_begun(e) || e->rounds.first;
    if (e->rounds.rests > now) {
        wake_at(e, e->rounds.rests); /* an earlier wake may have replaced this one */
    }
    if (!e->rounds.due || e->rounds.work != 0 || skr_planner_is_busy(e) ||
        !skr_frame_is_deciding(e->frame) || !skr_topology_is_usable(e)) {
        return;
    }
    if (now < e->rounds.next) {
        wake_at(e, e->rounds.next);
        return;
    }
    e->rounds.due = false;
    e->rounds.rests = 0;
    e->rounds.next = now + ROUND_PAUSE_MS * SKR_MILLISECOND;
    if (e->bookings.n > 0 || e->rounds.first || any_end(e)) {
        const bool first = e->rounds.first;
        begin(e);
        if (first && !e->rounds.first) {
            skr_dirty_plan(e); /* there was nothing to keep */
            wake_at(e, now);
        }
    }
    if (e->rounds.due || e->rounds.rests > 0) {
        const bool later = !e->rounds.due && e->rounds.rests > e->rounds.next;
        wake_at(e, later ? e->rounds.rests : e->rounds.next);
    }
    wake_for_starts(e);
}

/* ---- the answer ---- */

static uint32_t number_of_resource(struct booking *b, const char *name, size_t *cap)
{
    for (size_t i = 0; i < b->n_resources; i++) {
        if (strcmp(b->resource[i], name) == 0) {
            return (uint32_t)i;
        }
    }
    skr_grow(&b->resource, cap, b->n_resources + 1, sizeof *b->resource);
    b->resource[b->n_resources] = skr_strdup(name);
    return (uint32_t)b->n_resources++;
}

static void copy_uses(const struct skr_gang *e, const struct skr_place *place, struct booking *b)
{
    size_t cap = 0, at = 0;
    b->use = skr_alloc_array(place->n_uses + 1, sizeof *b->use);
    for (size_t i = 0; i < place->n_uses; i++) {
        const struct skr_place_use *use = &place->use[i];
        const char *name = skr_resource_names_get(e->resources, use->resource);
        while (at < place->n && place->at[at].leaf < use->leaf) {
            at++;
        }
        if (name && at < place->n && place->at[at].leaf == use->leaf) {
            b->use[b->n_uses++] =
                (struct booking_use){.node = (uint32_t)at,
                                     .resource = number_of_resource(b, name, &cap),
                                     .amount = use->amount};
        }
    }
}

static struct booking *make_booking(const struct skr_gang *e, const struct gathering *in,
                                    const struct skr_round_group *g)
{
    const struct skr_tree *tree = g->question.problem->tree;
    const bool starts = g->state == SKR_ROUND_STARTS;
    struct booking *b = skr_alloc(sizeof *b);
    b->start = g->start;
    b->until = g->until;
    b->promised = g->promised;
    b->since = starts && g->stored ? g->stored->since : g->since;
    b->guess = g->state == SKR_ROUND_DRAIN;
    b->because = g->because == UINT32_MAX ? NULL : skr_strdup(in->label[g->because]);
    b->node = skr_alloc_array(g->place.n + 1, sizeof *b->node);
    for (; b->n < g->place.n; b->n++) {
        const struct skr_place_leaf *at = &g->place.at[b->n];
        b->node[b->n] = (struct booking_node){
            .name = skr_strdup(tree->unit_name[tree->first_leaf + at->leaf]), .count = at->count};
    }
    copy_uses(e, &g->place, b);
    return b;
}

static void count_move(struct skr_gang *e, struct group *g, enum skr_move_cause cause)
{
    skr_debug_check(cause != SKR_MOVED_NOT);
    e->stats.moves[cause]++;
    g->moved = (int)cause;
}

/* A cause is counted once for each move, and for small ones that add up to a move. now: NULL if nothing
 * is reserved any more. What an earlier process promised may have been told to be over during the round. */
static void note_move(struct skr_gang *e, struct group *g, const struct skr_round_group *answer,
                      struct booking *now)
{
    const struct booking *old = g->booking;
    const bool promised = answer->stored && (old || g->told.unread);
    const int64_t anchor = old ? old->anchor : answer->stored ? answer->stored->start : 0;
    const enum skr_move_cause before = old ? (enum skr_move_cause)old->cause : SKR_MOVED_NOT;
    const enum skr_move_cause cause = answer->lost != SKR_MOVED_NOT ? answer->lost : before;
    if (!promised && !now) {
        if (old) { /* no question can be asked for it any more */
            count_move(e, g, SKR_MOVED_USER);
        }
    } else if (!promised) {
        now->anchor = now->start;
    } else if (!now) {
        count_move(e, g, cause);
    } else if (cause == SKR_MOVED_NOT &&
               (now->guess || !old || now->start <= skr_instant_up(skr_frame_now(e->frame)))) {
        /* A guess has passed; or the start has, and no room is missing, as when its namespace stands back. */
        now->anchor = now->start;
    } else if (now->start > anchor + SKR_MOVE_S) {
        count_move(e, g, cause);
        now->anchor = now->start;
    } else {
        now->anchor = now->start < anchor ? now->start : anchor;
        now->cause = now->start <= anchor ? SKR_MOVED_NOT : (int)cause;
    }
}

static bool same(const struct booking *a, const struct booking *b)
{
    bool same = a && b && a->start == b->start && a->until == b->until && a->guess == b->guess &&
                a->n == b->n && a->n_uses == b->n_uses;
    for (size_t i = 0; same && i < a->n; i++) {
        same =
            strcmp(a->node[i].name, b->node[i].name) == 0 && a->node[i].count == b->node[i].count;
    }
    return same && (!a->because || !b->because ? a->because == b->because
                                               : strcmp(a->because, b->because) == 0);
}

static void apply(struct skr_gang *e, const struct gathering *in, size_t i)
{
    const struct waiting_group *w = &in->waiting[i];
    const struct skr_round_group *answer = &in->group[i];
    struct group *g = skr_groups_find(e, w->key);
    struct booking *now = NULL;
    if (!g || g->input_epoch != w->input || !gathering_has_turn(e, g)) {
        e->rounds.due = true;
        return;
    }
    const bool starts = answer->state == SKR_ROUND_STARTS;
    if (g->rounded != w->input && skr_victim_search_may_preempt(g)) {
        skr_candidates_wake(e); /* it may evict others now */
    }
    g->rounded = w->input;
    if (answer->held || (starts && answer->stored)) {
        now = make_booking(e, in, answer);
    } else if (!starts) {
        g->unknown_until = skr_frame_now(e->frame) + UNKNOWN_PAUSE_MS * SKR_MILLISECOND;
        g->unknown_seen = in->seen;
        g->far_at =
            answer->far == SKR_INSTANT_NEVER ? 0 : answer->far * SKR_SECOND - e->settings.horizon;
    }
    note_move(e, g, answer, now);
    g->told.unread = false;
    if (same(g->booking, now)) {
        g->booking->anchor = now->anchor;
        g->booking->cause = now->cause;
        skr_booking_destroy(now);
        return;
    }
    skr_booked_set(e, g, now);
}

bool skr_rounds_done(struct skr_gang *e, const struct skr_solve_request *solved)
{
    if (!solved->other) {
        return false;
    }
    if (solved->work.id != e->rounds.work) {
        return true;
    }
    const struct away *a = solved->input;
    const skr_time pause = solved->work.took_ns * ROUND_PAUSE_TIMES;
    const skr_time least = ROUND_PAUSE_MS * SKR_MILLISECOND;
    static const struct skr_duration_scale scale = SKR_ROUND_SCALE;
    const skr_time next = skr_frame_now(e->frame) + (pause > least ? pause : least);
    skr_durations_add(&e->stats.rounds, &scale, solved->work.took_ns);
    e->rounds.work = 0;
    e->rounds.first = false;
    e->rounds.next = next > e->rounds.next ? next : e->rounds.next;
    for (size_t i = 0; a->rc == 0 && i < a->in.n_complete; i++) {
        apply(e, &a->in, i);
    }
    if (a->rc < 0) {
        report_error(e, a);
    }
    e->rounds.held_at = skr_frame_now(e->frame);
    wake_for_starts(e);
    skr_dirty_plan(e);
    return true;
}

/* ---- begin and end ---- */

void skr_rounds_begin(struct skr_gang *e)
{
    struct group *g, *tmp;
    e->rounds.first = e->settings.reservations > 0 && !e->settings.on_paper;
    e->rounds.due = true;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        skr_told_restore(e, g);
    }
}

void skr_rounds_end(struct skr_gang *e)
{
    e->rounds.work = 0; /* its answer is void */
    e->rounds.first = false;
    skr_booked_fini(e);
}

/* How far the start is from the first one that was promised. */
static void note_start(struct skr_gang *e, const struct booking *b)
{
    static const struct skr_duration_scale scale = SKR_PROMISE_SCALE;
    const skr_time late = skr_frame_now(e->frame) - b->promised * SKR_SECOND;
    const enum skr_promise_end end = late > 0 ? SKR_PROMISE_LATE : SKR_PROMISE_EARLY;
    if (!b->guess) {
        skr_durations_add(&e->stats.promise[end], &scale, late > 0 ? late : -late);
    }
}

/* Why a group with a reservation has no turn any more. */
static enum skr_move_cause why_gone(const struct skr_gang *e, const struct group *g)
{
    const struct booking *b = g->booking;
    const bool never =
        g->reason == SKR_REASON_NEVER_FITS || g->reason == SKR_REASON_CONSTRAINT_CONFLICT;
    for (size_t i = 0; i < b->n; i++) {
        const struct node_entry *n = skr_nodes_find(e, b->node[i].name);
        if (!n || !n->node || !n->node->ready || n->node->unschedulable) {
            return SKR_MOVED_NODE_LOST;
        }
    }
    return skr_refusal_pause(e, g) > 0 ? SKR_MOVED_VETOED
           : never                     ? SKR_MOVED_TOPOLOGY
                                       : SKR_MOVED_USER;
}

/* A round is due then, if the last one that looked at the group was before. */
static void watch_instant(struct skr_gang *e, struct group *g, skr_time at)
{
    const skr_time pause = UNKNOWN_PAUSE_MS * SKR_MILLISECOND;
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_group(e, g, at);
    } else if (g->unknown_until - pause < at) {
        e->rounds.due = true;
    }
}

/* Time alone lets a drain begin, and brings a start within the horizon. */
static void watch_time(struct skr_gang *e, struct group *g)
{
    const bool drains = e->settings.patience != SKR_TIME_NEVER;
    if (g->unknown_until == 0 || (!drains && g->far_at == 0) || !gathering_has_turn(e, g)) {
        return;
    }
    if (drains) {
        watch_instant(e, g, g->times.begin + e->settings.patience);
    }
    if (g->far_at > 0) {
        watch_instant(e, g, g->far_at);
    }
}

void skr_rounds_watch(struct skr_gang *e, struct group *g)
{
    const skr_time now = skr_frame_now(e->frame);
    struct booking *b = g->booking;
    if (!b) {
        if (skr_victim_search_may_preempt(g) && skr_sooner_is_open(e, g)) {
            skr_wakes_add(e, skr_sooner_until(g), WAKE_REPORT, NULL);
        }
        watch_time(e, g);
        return;
    }
    if (gathering_has_turn(e, g)) {
        e->rounds.due = e->rounds.due || b->lacks > 0; /* none has looked at it since */
        b->lacks = 0;
        return;
    }
    const bool lacks = !g->plan && g->spec && g->seats.n_live > 0 && g->state == GROUP_PENDING;
    b->lacks = b->lacks ? b->lacks : now;
    if (lacks && now - b->lacks < e->settings.seat_hold) {
        skr_wakes_group(e, g, b->lacks + e->settings.seat_hold);
        return;
    }
    if (!g->plan) {
        count_move(e, g, why_gone(e, g));
    } else {
        note_start(e, b);
    }
    skr_booked_set(e, g, NULL);
}
