/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the group to plan next.
 *
 * The order is total: priority descending, begin time, namespace/name. Namespaces that have used
 * the solver for long come last (solve_share.h), and before them groups that only grow beyond their
 * minimum. A group without a placement is retried only after a change that can help it; until then it
 * costs no API write. Groups behind it wait at most for the round that may reserve room for it
 * (preempt/sooner.h).
 *
 * After such a change all waiting groups are examined once with cached data (fit.h; candidates.h).
 * Those that still do not fit have had their attempt; the first of the others is planned. The
 * reported reason of a group says why it did not fit then. If another reason may hold now, it is
 * updated as soon as no plan needs the solver, after a pause. If only numbers have changed, the pause is some
 * seconds at least. It grows with the number of waiting groups, so that these problems take a twentieth
 * of the engine's time.
 */
#include "core/gang/planning/queue.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/topology.h"
#include "core/gang/group/attempt.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/refusal.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/group/solve_share.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/arranged.h"
#include "core/gang/preempt/preemption.h"
#include "core/gang/preempt/sooner.h"
#include "core/gang/preempt/victim_search.h"
#include "core/gang/problem/candidates.h"
#include "core/gang/problem/device_turns.h"
#include "core/gang/report/pauses.h"
#include "core/gang/state/booking.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

enum {
    REPORT_PAUSE_S = 2,
    REPORT_PAUSE_MAX_S = 60,
    REPORT_PAUSE_NS = 6000, /* per group and leaf: twenty times the cost of a full problem */
};

static bool needs_rescue(struct skr_gang *e, const struct group *g)
{
    if (!g->plan || !g->plan->binding_persisted || g->plan->aborting) {
        return false;
    }
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && skr_plan_is_stranded(e, p)) {
            return true;
        }
    }
    return false;
}

static bool may_grow(struct skr_gang *e, struct group *g)
{
    const skr_time at = g->gave_at > 0 ? g->gave_at + SKR_GROW_AFTER_S * SKR_SECOND : 0;
    if (!skr_membership_only_grows(g) || at <= skr_frame_now(e->frame)) {
        return true;
    }
    skr_wakes_group(e, g, at);
    return false;
}

static bool is_due(struct skr_gang *e, struct group *g)
{
    if (!g->spec || g->victim.leaving || skr_claims_keep_from_planning(e, g) ||
        skr_run_limit_is_over(e, g) || skr_arranged_waits(g)) {
        return false;
    }
    if (!g->plan && skr_refusal_pause(e, g) > 0) {
        return false;
    }
    if (g->plan) {
        return skr_preemption_looks_elsewhere(e, g) ||
               (needs_rescue(e, g) && (!g->attempt.infeasible || skr_attempt_has_news(e, g)));
    }
    if (g->source.misplaced) {
        return false; /* a hard rule is not dropped because its level is missing */
    }
    if (g->attempt.infeasible && !skr_attempt_has_news(e, g)) {
        return false;
    }
    if (skr_plan_storage_is_refused(e, g)) {
        return false; /* no plan can be committed */
    }
    switch (g->state) {
    case GROUP_READY:
        return skr_frame_now(e->frame) >= g->attempt.plan_at;
    case GROUP_BOUND:
        return g->seats.n_ready > 0 && may_grow(e, g) &&
               skr_frame_now(e->frame) >= g->attempt.plan_at &&
               (skr_frame_now(e->frame) >= g->attempt.backoff_until || skr_attempt_has_news(e, g));
    case GROUP_BACKOFF:
        return g->attempt.infeasible || skr_frame_now(e->frame) >= g->attempt.backoff_until ||
               skr_attempt_has_news(e, g);
    case GROUP_PENDING:
    case GROUP_PREEMPTING:
    case GROUP_PLANNED:
    case GROUP_ADMITTING:
    case GROUP_HOLDING:
    case GROUP_BINDING:
    case GROUP_EVICTED:
    case GROUP_INVALID:
    case GROUP_STATE_COUNT:
    default:
        return false;
    }
}

bool skr_queue_goes_before(const struct group *a, const struct group *b)
{
    if (a->spec->priority != b->spec->priority) {
        return a->spec->priority > b->spec->priority;
    }
    if (a->times.begin != b->times.begin) {
        return a->times.begin < b->times.begin;
    }
    return strcmp(a->key, b->key) < 0;
}

/* Whether it was solved in full with its present input, and is known not to fit. */
static bool still_waits(const struct group *g, enum fit_answer fit)
{
    return fit == FIT_NO && g->attempt.infeasible && !g->plan && g->attempt.failed_at != 0 &&
           g->attempt.failed_input == g->input_epoch;
}

static void wake_at(struct skr_gang *e, skr_time at)
{
    if (e->report.wake_at > skr_frame_now(e->frame) && e->report.wake_at <= at) {
        return;
    }
    e->report.wake_at = at;
    skr_wakes_add(e, at, WAKE_REPORT, NULL);
}

/* Its report is old: sets the time of the next. */
static void note_news(struct skr_gang *e, struct group *g)
{
    const enum fit_news news = skr_fit_news(e, g);
    const skr_time now = skr_frame_now(e->frame),
                   until = news == NEWS_NUMBERS ? e->report.pause_until : e->report.reasons_until;
    const skr_time at = until > now ? until : now;
    if (news != NEWS_NONE && (g->fit.report_at == 0 || g->fit.report_at > at)) {
        skr_fit_report_at(g, at);
    }
}

/* Counts one more attempt without a placement. */
static void note_attempt(struct skr_gang *e, struct group *g)
{
    skr_attempt_failed_again(e, g);
    e->stats.attempts[SKR_ATTEMPT_INFEASIBLE]++;
    note_news(e, g);
}

/* Whether it is known not to fit and has a tree: its reason can be updated. */
static bool may_be_told(const struct skr_gang *e, const struct group *g)
{
    return g->attempt.infeasible && !g->plan && skr_topology_is_usable(e) &&
           (skr_fit_stands(e, g) || !skr_attempt_has_news(e, g));
}

static bool is_before(const struct skr_gang *e, const struct group *g, const struct group *best)
{
    if (!best) {
        return true;
    }
    bool back = skr_solve_share_stands_back(e, g), best_back = skr_solve_share_stands_back(e, best);
    bool grows = skr_membership_only_grows(g), best_grows = skr_membership_only_grows(best);
    return back != best_back     ? best_back
           : grows != best_grows ? best_grows
                                 : skr_queue_goes_before(g, best);
}

static bool wants_report(const struct skr_gang *e, const struct group *g)
{
    return g->fit.report_at != 0 && g->fit.report_at <= skr_frame_now(e->frame) &&
           may_be_told(e, g) && !skr_plan_storage_is_refused(e, g);
}

/* Whether only a change of its own, a change that candidates.c looks at, or WAKE_REPORT, can make it due; its report
 * may be due. */
static bool may_sleep(const struct skr_gang *e, const struct group *g)
{
    const bool reported = g->fit.report_at == 0 || g->fit.report_at > skr_frame_now(e->frame);
    return g->attempt.infeasible && !g->plan && !skr_attempt_has_news(e, g) &&
           (reported || wants_report(e, g)) && !skr_victim_search_has_news(e, g);
}

/* The first of those whose report is due and that are not examined for anything else. */
static struct group *next_report(struct skr_gang *e)
{
    struct group *g;
    while ((g = e->candidates.reports) && !wants_report(e, g)) {
        skr_candidates_get_up(e, g);
        skr_dirty_plan(e);
    }
    return g;
}

/* A pod of the group could be on a node of the reservation. */
static bool shares_a_node(const struct skr_gang *e, const struct group *g, const struct booking *b)
{
    bool shares = false;
    for (size_t i = 0; g->members && i < b->n && !shares; i++) {
        const struct node_entry *n = skr_nodes_find(e, b->node[i].name);
        shares = n && n->node &&
                 skr_pod_shape_check_node(g->members->shape->spec, n->node) == SKR_ELIGIBLE;
    }
    return shares;
}

/* Whether the next round is the first that looks at the group, and may reserve for it, as far as the places
 * of others say. */
static bool may_reserve(const struct skr_gang *e, const struct group *g)
{
    const struct booking *b;
    int64_t n = 0;
    if (!skr_victim_search_short_of_room(g) || !skr_sooner_is_open(e, g)) {
        return false;
    }
    DL_FOREACH(e->bookings.list, b)
    {
        n += b->group->spec && skr_queue_goes_before(b->group, g) && shares_a_node(e, g, b);
    }
    return n < e->settings.reservations;
}

struct choice skr_queue_next(struct skr_gang *e)
{
    struct choice best = {.fit = FIT_UNKNOWN};
    struct group *g, *tmp, *reserves = NULL;
    struct group *awake = skr_candidates_awake(e);
    bool fresh = false;
    best.n_waiting = e->candidates.n_asleep;
    DL_FOREACH_SAFE2(awake, g, tmp, cnext)
    {
        if (g->dirty) {
            continue;
        }
        e->stats.looks++;
        best.n_waiting += g->attempt.infeasible && !g->plan;
        if (g->fit.input != g->input_epoch) {
            skr_fit_leave(e, g); /* its fit was for another input; it may not wait any more */
        }
        bool due = is_due(e, g), less = !due && !skr_attempt_has_news(e, g) && may_be_told(e, g);
        if ((due || less) && !fresh) {
            skr_fit_cache_refresh(e);
            fresh = true;
        }
        if (less) {
            note_news(e, g);
        }
        if (due && skr_device_turns_ready(e, g)) {
            enum fit_answer fit = skr_fit_judge(e, g);
            if (still_waits(g, fit)) {
                note_attempt(e, g);
            } else if (is_before(e, g, best.plan)) {
                best.plan = g;
                best.fit = fit;
            }
        }
        if (skr_victim_search_is_due(e, g) && is_before(e, g, best.preempt)) {
            best.preempt = g;
        }
        if (wants_report(e, g) && is_before(e, g, best.report)) {
            best.report = g;
        }
        if (g->fit.report_at > skr_frame_now(e->frame)) {
            /* at every look, since an earlier wake may have replaced this one */
            wake_at(e, g->fit.report_at);
        }
        if (may_reserve(e, g)) {
            reserves = is_before(e, g, reserves) ? g : reserves;
        } else if (may_sleep(e, g)) {
            wake_at(e, skr_fit_meets(e, g));
            skr_candidates_sleep(e, g, wants_report(e, g));
        }
    }
    best.report = best.report ? best.report : next_report(e);
    if (reserves) {
        best.round = best.plan && !best.plan->plan && is_before(e, reserves, best.plan);
        best.preempt = best.preempt && is_before(e, reserves, best.preempt) ? NULL : best.preempt;
        wake_at(e, skr_sooner_until(reserves));
    }
    if (best.plan && best.preempt && is_before(e, best.plan, best.preempt)) {
        best.preempt = NULL; /* it may take room that victims would leave */
    }
    return best;
}

void skr_queue_see_less_room(struct skr_gang *e)
{
    skr_time at = skr_frame_now(e->frame) + REPORT_PAUSE_S * SKR_SECOND;
    skr_fit_cache_see_changes(e);
    if (e->candidates.n_asleep > 0 && skr_seen_changed(&e->seen, SEEN_ROOM, e->candidates.seen)) {
        wake_at(e, e->report.pause_until > at ? e->report.pause_until : at);
    }
}

static void pause_for(const struct skr_gang *e, skr_time *until, skr_time pause)
{
    if (skr_frame_now(e->frame) >= *until) {
        *until = skr_frame_now(e->frame) + pause;
    }
}

void skr_queue_report_begins(struct skr_gang *e, size_t n_waiting)
{
    const skr_time pause = REPORT_PAUSE_S * SKR_SECOND, most = REPORT_PAUSE_MAX_S * SKR_SECOND;
    const uint64_t work = (uint64_t)n_waiting * (uint64_t)e->topology.tree->n_leaves;
    const skr_time for_work =
        work < (uint64_t)most / REPORT_PAUSE_NS ? (skr_time)work * REPORT_PAUSE_NS : most;
    pause_for(e, &e->report.reasons_until, for_work);
    pause_for(e, &e->report.pause_until, for_work > pause ? for_work : pause);
}

int skr_queue_check(struct skr_gang *e, struct skr_error *error)
{
    struct group *g, *tmp;
    if (skr_dirty_any(e) || skr_candidates_are_stale(e) || !skr_frame_is_leader(e->frame)) {
        return 0;
    }
    HASH_ITER(hh, e->groups, g, tmp)
    {
        const bool due = is_due(e, g) || skr_victim_search_is_due(e, g);
        const bool examined =
            g->candidate == CANDIDATE_AWAKE || (!due && g->candidate == CANDIDATE_REPORT);
        if ((due || wants_report(e, g)) && !examined) {
            return skr_error_set(error, SKR_BUG, "group %s is due, and is not looked at", g->key);
        }
    }
    return 0;
}
