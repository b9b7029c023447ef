/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses bound the cost of searches. */
#include "core/gang/preempt/victim_search.h"

#include "core/gang/group/claims.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/vain.h"
#include "core/gang/group/yielding.h"
#include "core/gang/plan/plan.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/preempt/outranks.h"
#include "core/gang/preempt/sooner.h"
#include "core/gang/state/wakes.h"

enum {
    PAUSE_MIN_S = 1,       /* pause between two failed searches of a group: minimum, */
    PAUSE_MAX_S = 30,      /* maximum */
    PAUSE_TIMES = 20,      /* multiple of the search time */
    PAUSE_LEAF_NS = 20000, /* per leaf: that multiple of the time to build its problem */
};

bool skr_victim_search_may_preempt(const struct group *g)
{
    const bool moves = g->plan && skr_plan_moves(g->plan);
    return g->spec && (moves || (g->spec->priority > 0 && !skr_membership_only_grows(g) &&
                                 !skr_outranks_refuser(g)));
}

bool skr_victim_search_short_of_room(const struct group *g)
{
    return g->reason == SKR_REASON_WAITING_FOR_CAPACITY ||
           g->reason == SKR_REASON_TOPOLOGY_PLACEMENT_FAILED;
}

bool skr_victim_search_may_evict(const struct skr_gang *e, const struct group *g)
{
    return skr_victim_search_short_of_room(g) && e->settings.preemption &&
           skr_victim_search_may_preempt(g) && !skr_sooner_is_open(e, g) &&
           skr_vain_pause(e, g) == 0;
}

bool skr_victim_search_has_yielding(const struct skr_gang *e, const struct group *g)
{
    return g->spec && skr_yielding_any(e, g);
}

bool skr_victim_search_has_news(const struct skr_gang *e, const struct group *g)
{
    const bool news = skr_seen_changed(&e->seen, SEEN_VICTIMS, g->preempt.seen) ||
                      g->preempt.input != g->input_epoch;
    return news && !skr_claims_keep_from_evicting(g) && skr_frame_now(e->frame) >= g->preempt.at &&
           (skr_victim_search_has_yielding(e, g) || skr_victim_search_may_evict(e, g));
}

bool skr_victim_search_is_due(const struct skr_gang *e, struct group *g)
{
    bool waits = g->state == GROUP_READY || g->state == GROUP_BACKOFF ||
                 (g->state == GROUP_BOUND && g->seats.n_ready > 0);
    return waits && g->attempt.infeasible && !g->plan && !g->victim.leaving &&
           skr_victim_search_has_news(e, g) && !skr_plan_storage_is_refused(e, g);
}

/* The number of waiting groups for which no victims were found. */
static int64_t n_failed(const struct skr_gang *e)
{
    const struct group *g, *tmp;
    int64_t n = 0;
    HASH_ITER(hh, e->groups, g, tmp)
    {
        n += g->preempt.failed && g->attempt.infeasible && !g->plan;
    }
    return n;
}

/* Room and candidates change all the time, so most searches have news. Pauses limit all searches
 * together to a twentieth of the time: each searching group pauses for twenty times the time one
 * took. */
static skr_time pause_after(const struct skr_gang *e, skr_time took)
{
    const skr_time least = PAUSE_MIN_S * SKR_SECOND, most = PAUSE_MAX_S * SKR_SECOND;
    const skr_time leaves = e->topology.tree ? e->topology.tree->n_leaves : 0;
    skr_time one = took < most / PAUSE_TIMES ? took * PAUSE_TIMES : most;
    one += leaves * PAUSE_LEAF_NS;
    const int64_t n = n_failed(e);
    skr_time all = n > 0 && one > most / n ? most : one * n;
    return all < least ? least : all < most ? all : most;
}

void skr_victim_search_failed(struct skr_gang *e, struct group *g, uint64_t seen, uint64_t input,
                              skr_time took)
{
    g->preempt.failed = true;
    g->preempt.seen = seen;
    g->preempt.input = input;
    g->preempt.at = skr_frame_now(e->frame) + pause_after(e, took);
    skr_wakes_add(e, g->preempt.at, WAKE_REPORT, NULL);
}

void skr_victim_search_done(struct group *g)
{
    g->preempt.failed = false;
}
