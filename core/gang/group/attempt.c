/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for a placement of one group: when, how often, and what came of it. */
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
    g->trial.plan_at = skr_frame_now(e->frame) + e->settings.plan_delay;
    wakes_group_then(e, g, g->trial.plan_at);
}

void trial_begin(struct skr_gang *e, struct group *g)
{
    delay(e, g);
    trial_forget(g);
}

void trial_delay_replacement(struct skr_gang *e, struct group *g)
{
    if (g->trial.delayed_input != g->input_epoch) {
        g->trial.delayed_input = g->input_epoch;
        delay(e, g);
    }
}

/* 1 s doubling to 60 s, times 0.75 .. 1.25 by a hash of the group and the attempt. */
static skr_time backoff_of(const struct group *g)
{
    uint32_t shift = g->trial.attempts > 6 ? 6 : g->trial.attempts;
    skr_time base = SKR_SECOND << shift;
    if (base > BACKOFF_MAX_S * SKR_SECOND) {
        base = BACKOFF_MAX_S * SKR_SECOND;
    }
    uint64_t hash = skr_hash_bytes(SKR_HASH_BEGIN ^ g->trial.attempts, g->key, strlen(g->key));
    return base / 4 * 3 + (skr_time)(hash % (uint64_t)(base / 2 + 1));
}

void trial_backoff(struct skr_gang *e, struct group *g)
{
    dirty_see_freed(e); /* our own release helps others, not us */
    g->trial.backoff_until = skr_frame_now(e->frame) + backoff_of(g);
    g->trial.attempts++;
    g->trial.failed_epoch = e->epoch.capacity;
    g->trial.failed_input = g->input_epoch;
    wakes_group_then(e, g, g->trial.backoff_until);
    group_state_enter(e, g, GROUP_BACKOFF);
}

bool trial_is_paused(const struct skr_gang *e, const struct group *g)
{
    return !g->trial.infeasible && skr_frame_now(e->frame) < g->trial.backoff_until;
}

void trial_restart_backoff(struct group *g)
{
    g->trial.attempts = 0;
}

/* ---- what came of it ---- */

void trial_again(struct group *g)
{
    g->trial.failed_epoch = UINT64_MAX;
}

void trial_doubt(struct group *g)
{
    g->trial.infeasible = false;
}

void trial_forget(struct group *g)
{
    trial_doubt(g);
    trial_again(g);
}

bool trial_has_news(const struct skr_gang *e, const struct group *g)
{
    return g->trial.failed_epoch != e->epoch.capacity || g->trial.failed_input != g->input_epoch;
}

void trial_limit(struct group *g, size_t n)
{
    g->trial.limit = n;
    g->trial.limit_failed = false;
    dirty_input(g);
}

void trial_limit_failed(struct group *g)
{
    g->trial.limit_failed = g->trial.limit > 0;
}

bool trial_lift(struct group *g)
{
    bool limited = g->trial.limit > 0;
    g->trial.limit = 0;
    g->trial.limit_failed = false;
    if (limited) {
        dirty_input(g);
    }
    return limited;
}

void trial_count(struct group *g)
{
    g->trial.n++;
}

void trial_failed(struct group *g, uint64_t epoch, uint64_t input)
{
    g->trial.infeasible = true;
    g->trial.failed_epoch = epoch;
    g->trial.failed_input = input;
}

void trial_failed_again(struct skr_gang *e, struct group *g)
{
    g->trial.n++;
    g->trial.failed_epoch = e->epoch.capacity;
}

void trial_placed(struct group *g, bool optimal)
{
    g->trial.infeasible = false;
    g->trial.optimal = optimal;
}

void trial_fresh(struct group *g)
{
    g->trial.stale_answers = 0;
}

bool trial_stale(struct group *g)
{
    trial_again(g);
    return ++g->trial.stale_answers % STALE_MANY == 0;
}

void trial_took(struct group *g, int64_t ns)
{
    g->trial.solver_ns = ns;
    g->trial.solver_ms = ns / 1000000;
}

void trial_restore(struct group *g, int64_t solver_ms)
{
    g->trial.solver_ms = solver_ms;
}
