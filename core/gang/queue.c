/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is planned next.
 *
 * Order: priority descending, begin time, namespace/name: a total order. A group without a
 * placement is tried again only after something changed that can help it, and costs no API write
 * until then; it never blocks the groups behind it.
 *
 * After every change all groups that wait are judged by what is kept (outlook.c), a look each:
 * those that still do not fit have had their trial; the first of the others in the order is
 * planned. The reason that was told of a group says why it did not fit then. When another reason
 * may hold now it is told anew as soon as no plan wants the solver; when only numbers have changed,
 * after a pause that grows with the groups that wait, so that making these problems takes a
 * twentieth of the engine's time.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

enum {
    TELL_PAUSE_S = 2,
    TELL_PAUSE_MAX_S = 60,
    TELL_PAUSE_NS = 6000, /* per group and leaf: twenty times what a problem in full takes */
};

static bool needs_rescue(struct skr_engine *e, const struct group *g)
{
    if (!g->plan || !g->plan->binding_persisted || g->plan->aborting) {
        return false;
    }
    struct pod_entry *p;
    DL_FOREACH(g->members, p)
    {
        if (p->plan == g->plan && plan_is_stranded(e, p)) {
            return true;
        }
    }
    return false;
}

static bool news_since_failure(const struct skr_engine *e, const struct group *g)
{
    return g->failed_epoch != e->epoch || g->failed_input != g->input_epoch;
}

static bool is_due(struct skr_engine *e, const struct group *g)
{
    if (!g->spec) {
        return false;
    }
    if (g->plan) {
        return needs_rescue(e, g) && (!g->infeasible || news_since_failure(e, g));
    }
    if (g->infeasible && !news_since_failure(e, g)) {
        return false;
    }
    if (sink_is_refused(e, g)) {
        return false; /* no plan could be committed */
    }
    switch (g->state) {
    case GROUP_READY:
        return e->now >= g->plan_at;
    case GROUP_BOUND:
        return g->n_ready_new > 0 && e->now >= g->plan_at &&
               (e->now >= g->backoff_until || news_since_failure(e, g));
    case GROUP_BACKOFF:
        return g->infeasible || e->now >= g->backoff_until || news_since_failure(e, g);
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

bool planner_goes_before(const struct group *a, const struct group *b)
{
    if (a->spec->priority != b->spec->priority) {
        return a->spec->priority > b->spec->priority;
    }
    if (a->begin_at != b->begin_at) {
        return a->begin_at < b->begin_at;
    }
    return strcmp(a->key, b->key) < 0;
}

/* It has been looked at in full as it is, and is known not to fit now. */
static bool still_waits(const struct group *g, enum outlook_answer outlook)
{
    return outlook == OUTLOOK_NONE && g->infeasible && !g->plan && g->failed_epoch != UINT64_MAX &&
           g->failed_input == g->input_epoch;
}

static void wake_at(struct skr_engine *e, skr_time at)
{
    if (e->tell_wake_at > e->now && e->tell_wake_at <= at) {
        return;
    }
    e->tell_wake_at = at;
    engine_wake(e, at, WAKE_TELL, NULL);
}

/* One more trial without a placement. */
static void note_trial(struct skr_engine *e, struct group *g)
{
    g->trials++;
    e->n_attempts[SKR_ATTEMPT_INFEASIBLE]++;
    g->failed_epoch = e->epoch;
    enum outlook_news news = outlook_news(e, g);
    skr_time at =
        news == NEWS_NUMBERS && e->tell_pause_until > e->now ? e->tell_pause_until : e->now;
    if (news == NEWS_NONE || (g->outlook.tell_at != 0 && g->outlook.tell_at <= at)) {
        return;
    }
    g->outlook.tell_at = at;
    if (at > e->now) {
        wake_at(e, at);
    }
}

static bool is_before(const struct group *g, const struct group *best)
{
    return !best || planner_goes_before(g, best);
}

static bool wants_telling(const struct skr_engine *e, const struct group *g)
{
    return g->outlook.tell_at != 0 && g->outlook.tell_at <= e->now && g->infeasible && !g->plan &&
           outlook_stands(e, g) && !sink_is_refused(e, g);
}

struct choice queue_next(struct skr_engine *e)
{
    struct choice best = {.outlook = OUTLOOK_UNKNOWN};
    struct group *g, *tmp;
    bool fresh = false;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (g->dirty) {
            continue;
        }
        best.n_waiting += g->infeasible && !g->plan;
        if (g->outlook.input != g->input_epoch) {
            outlook_leave(g); /* of another input; it may not wait any more */
        }
        if (is_due(e, g)) {
            if (!fresh) {
                kept_refresh(e);
            }
            fresh = true;
            enum outlook_answer outlook = outlook_judge(e, g);
            if (still_waits(g, outlook)) {
                note_trial(e, g);
            } else if (is_before(g, best.plan)) {
                best.plan = g;
                best.outlook = outlook;
            }
        }
        if (wants_telling(e, g) && is_before(g, best.tell)) {
            best.tell = g;
        }
    }
    return best;
}

void queue_tell_begins(struct skr_engine *e, size_t n_waiting)
{
    if (e->now < e->tell_pause_until) {
        return;
    }
    skr_time pause = TELL_PAUSE_S * SKR_SECOND, most = TELL_PAUSE_MAX_S * SKR_SECOND;
    uint64_t work = (uint64_t)n_waiting * (uint64_t)e->tree->n_leaves;
    skr_time for_work =
        work < (uint64_t)most / TELL_PAUSE_NS ? (skr_time)work * TELL_PAUSE_NS : most;
    e->tell_pause_until = e->now + (for_work > pause ? for_work : pause);
}
