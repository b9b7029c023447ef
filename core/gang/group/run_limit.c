/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/run_limit.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/wakes.h"
#include "core/pod/pod.h"

#include <utlist.h>

static int32_t whole_seconds(skr_time t)
{
    const skr_time seconds = t / SKR_SECOND + (t % SKR_SECOND > 0);
    return seconds < 1 ? 1 : seconds > INT32_MAX ? INT32_MAX : (int32_t)seconds;
}

/* No member runs, and seats of the last ones are held, or will be when these have left. */
static bool has_seats(const struct group *g)
{
    const struct pod_entry *p;
    bool has = false;
    for (size_t i = 0; i < g->holds.n; i++) {
        has = has || !g->holds.item[i].arranged;
    }
    DL_FOREACH(has || g->victim.by ? NULL : g->members, p)
    {
        has =
            has || (skr_pods_is_bound(p) && p->pod->meta.deleting && !skr_pods_is_terminal(p->pod));
    }
    return has;
}

/* A member runs, or its seat counts: skr_run_limit_settle(). */
static bool runs(const struct group *g)
{
    return g->times.end != 0 && (g->seats.n_bound > 0 || g->times.limit != 0);
}

skr_time skr_run_limit_of(const struct group *g)
{
    const skr_time said = g->spec ? g->spec->run_limit : SKR_TIME_NEVER;
    return runs(g) && g->times.limit != 0 && g->times.limit < said ? g->times.limit : said;
}

/* A word is the limit of the generation that runs, or it ends without seats. */
static void settle_word(struct skr_gang *e, struct group *g)
{
    if (g->times.end != 0 && g->seats.n_bound > 0) {
        const skr_time rest = g->times.word - g->times.end;
        g->times.limit = rest > SKR_SECOND ? rest : SKR_SECOND;
        g->times.word = 0;
    } else if (g->seats.n_bound == 0 && !g->plan &&
               (skr_frame_now(e->frame) >= g->times.word || !has_seats(g))) {
        g->times.word = 0;
        skr_dirty_input(g);
        skr_dirty_plan(e);
    }
}

void skr_run_limit_settle(struct skr_gang *e, struct group *g)
{
    if (g->times.word != 0) {
        settle_word(e, g);
    }
    const skr_time limit = skr_run_limit_of(g);
    const bool seats = skr_frame_now(e->frame) < skr_run_limit_end(g) && has_seats(g);
    const bool counts = runs(g) && (g->seats.n_bound > 0 || seats);
    g->times.limit = counts && limit != SKR_TIME_NEVER ? limit : 0;
}

void skr_run_limit_start(struct skr_gang *e, struct group *g)
{
    const skr_time end = skr_run_limit_end(g);
    const bool has = end != SKR_TIME_NEVER && end > skr_frame_now(e->frame) && has_seats(g);
    g->times.word = has ? end : 0;
    if (has) {
        skr_wakes_group(e, g, end);
    }
}

skr_time skr_run_limit_end(const struct group *g)
{
    const skr_time limit = skr_run_limit_of(g);
    skr_time end;
    if (limit == SKR_TIME_NEVER || !runs(g) || __builtin_add_overflow(g->times.end, limit, &end)) {
        return g->times.word != 0 ? g->times.word : SKR_TIME_NEVER;
    }
    return end;
}

bool skr_run_limit_is_over(const struct skr_gang *e, const struct group *g)
{
    const skr_time end = skr_run_limit_end(g);
    const bool starts = g->times.word != 0 && g->seats.n_bound == 0;
    const skr_time least = starts ? SKR_RUN_LIMIT_SLACK_S * SKR_SECOND : 0;
    return end != SKR_TIME_NEVER && skr_frame_now(e->frame) + least >= end;
}

int32_t skr_run_limit_owed(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct group *g = p->group;
    const int32_t has = p->pod->deadline_s;
    const skr_time limit = skr_run_limit_of(g), end = skr_run_limit_end(g);
    if (limit == SKR_TIME_NEVER && end == SKR_TIME_NEVER) {
        return 0;
    }
    const bool is_bound = skr_pods_is_bound(p);
    const int32_t whole = whole_seconds(limit);
    int32_t want = whole, slack = 0;
    if (end != SKR_TIME_NEVER && (!is_bound || p->pod->started)) {
        const skr_time from = is_bound ? p->pod->started : skr_frame_now(e->frame);
        const skr_time part =
            is_bound ? 0 : SKR_SECOND - 1; /* no later than the end of the group */
        const int32_t rest = whole_seconds(end - from - part);
        want = rest < whole ? rest : whole;
        slack = is_bound && has <= whole ? SKR_RUN_LIMIT_SLACK_S : 0;
    }
    return has == 0 || has - slack > want ? want : 0;
}
