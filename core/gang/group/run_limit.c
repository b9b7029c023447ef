/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/run_limit.h"

#include "core/gang/cache/pods.h"
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

static bool runs(const struct group *g)
{
    return g->times.end != 0 && (g->seats.n_bound > 0 || (g->times.limit != 0 && has_seats(g)));
}

skr_time skr_run_limit_of(const struct group *g)
{
    const skr_time said = g->spec ? g->spec->run_limit : SKR_TIME_NEVER;
    return runs(g) && g->times.limit != 0 && g->times.limit < said ? g->times.limit : said;
}

/* A word is the limit of the generation that runs, or it ends without seats. */
static void settle_word(const struct skr_gang *e, struct group *g)
{
    if (g->times.end != 0 && g->seats.n_bound > 0) {
        const skr_time rest = g->times.word - g->times.end;
        g->times.limit = rest > SKR_SECOND ? rest : SKR_SECOND;
        g->times.word = 0;
    } else if (g->seats.n_bound == 0 && !g->plan &&
               (skr_frame_now(e->frame) >= g->times.word || !has_seats(g))) {
        g->times.word = 0;
    }
}

void skr_run_limit_settle(const struct skr_gang *e, struct group *g)
{
    if (g->times.word != 0) {
        settle_word(e, g);
    }
    const skr_time limit = skr_run_limit_of(g);
    g->times.limit = runs(g) && limit != SKR_TIME_NEVER ? limit : 0;
}

void skr_run_limit_start(struct group *g)
{
    const skr_time end = skr_run_limit_end(g);
    g->times.word = end != SKR_TIME_NEVER && has_seats(g) ? end : 0;
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
    return skr_frame_now(e->frame) >= skr_run_limit_end(g);
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
        const int32_t rest = whole_seconds(end - from);
        want = rest < whole ? rest : whole;
        slack = is_bound && has <= whole ? SKR_RUN_LIMIT_SLACK_S : 0;
    }
    return has == 0 || has - slack > want ? want : 0;
}
