/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a placement of one group: when, how often, with which result. */
#include "core/gang/group/attempt.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/group/group_state.h"
#include "core/gang/state/wakes.h"

#include <string.h>

#include "topology/base/hash.h"

enum { BACKOFF_MAX_S = 60, STALE_MANY = 16 };

/* ---- when ---- */

static void delay(struct skr_gang *e, struct group *g)
{
    g->attempt.plan_at = skr_frame_now(e->frame) + e->settings.plan_delay;
    skr_wakes_group_then(e, g, g->attempt.plan_at);
}

void skr_attempt_begin(struct skr_gang *e, struct group *g)
{
    delay(e, g);
    skr_attempt_forget(g);
}

void skr_attempt_delay_replacement(struct skr_gang *e, struct group *g)
{
    if (g->attempt.delayed_input != g->input_epoch) {
        g->attempt.delayed_input = g->input_epoch;
        delay(e, g);
    }
}

/* 1 s doubling to 60 s, times 0.75 .. 1.25 by a hash of the group and the attempt. */
static skr_time backoff_of(const struct group *g)
{
    uint32_t shift = g->attempt.attempts > 6 ? 6 : g->attempt.attempts;
    skr_time base = SKR_SECOND << shift;
    if (base > BACKOFF_MAX_S * SKR_SECOND) {
        base = BACKOFF_MAX_S * SKR_SECOND;
    }
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN ^ g->attempt.attempts, g->key, strlen(g->key));
    return base / 4 * 3 + (skr_time)(hash % (uint64_t)(base / 2 + 1));
}

void skr_attempt_backoff(struct skr_gang *e, struct group *g)
{
    skr_dirty_see_freed(e); /* the group's own release helps only others */
    g->attempt.backoff_until = skr_frame_now(e->frame) + backoff_of(g);
    g->attempt.attempts++;
    g->attempt.failed_at = e->seen.now;
    g->attempt.failed_input = g->input_epoch;
    skr_wakes_group_then(e, g, g->attempt.backoff_until);
    skr_group_state_enter(e, g, GROUP_BACKOFF);
}

bool skr_attempt_is_paused(const struct skr_gang *e, const struct group *g)
{
    return !g->attempt.infeasible && skr_frame_now(e->frame) < g->attempt.backoff_until;
}

void skr_attempt_restart_backoff(struct group *g)
{
    g->attempt.attempts = 0;
}

/* ---- results ---- */

void skr_attempt_again(struct group *g)
{
    g->attempt.failed_at = 0;
}

void skr_attempt_doubt(struct group *g)
{
    g->attempt.infeasible = false;
}

void skr_attempt_forget(struct group *g)
{
    skr_attempt_doubt(g);
    skr_attempt_again(g);
}

bool skr_attempt_has_news(const struct skr_gang *e, const struct group *g)
{
    return skr_seen_changed(&e->seen, SEEN_CAPACITY, g->attempt.failed_at) ||
           g->attempt.failed_input != g->input_epoch;
}

void skr_attempt_limit(struct group *g, size_t n)
{
    g->attempt.limit = n;
    g->attempt.limit_failed = false;
    skr_dirty_input(g);
}

void skr_attempt_limit_failed(struct group *g)
{
    g->attempt.limit_failed = g->attempt.limit > 0;
}

bool skr_attempt_lift(struct group *g)
{
    bool limited = g->attempt.limit > 0;
    g->attempt.limit = 0;
    g->attempt.limit_failed = false;
    if (limited) {
        skr_dirty_input(g);
    }
    return limited;
}

void skr_attempt_count(struct group *g)
{
    g->attempt.n++;
}

void skr_attempt_failed(struct group *g, uint64_t seen, uint64_t input)
{
    g->attempt.infeasible = true;
    g->attempt.failed_at = seen;
    g->attempt.failed_input = input;
}

void skr_attempt_failed_again(struct skr_gang *e, struct group *g)
{
    g->attempt.n++;
    g->attempt.failed_at = e->seen.now;
}

void skr_attempt_placed(struct group *g, bool optimal)
{
    g->attempt.infeasible = false;
    g->attempt.optimal = optimal;
}

void skr_attempt_fresh(struct group *g)
{
    g->attempt.stale_answers = 0;
}

bool skr_attempt_stale(struct group *g)
{
    skr_attempt_again(g);
    return ++g->attempt.stale_answers % STALE_MANY == 0;
}

void skr_attempt_took(struct group *g, int64_t ns)
{
    g->attempt.solver_ns = ns;
    g->attempt.solver_ms = ns / 1000000;
}

void skr_attempt_restore(struct group *g, int64_t solver_ms)
{
    g->attempt.solver_ms = solver_ms;
}
