/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/group/window.h"

#include <utlist.h>

#include "core/gang/cache/ends.h"
#include "core/gang/cache/pods.h"
#include "core/gang/group/membership.h"
#include "core/gang/group/run_limit.h"
#include "core/gang/state/booking.h"

bool skr_window_of(const struct skr_gang *e, const struct group *g,
                   struct pod_entry *const *newcomers, size_t n, int64_t now, struct window *ret)
{
    const skr_time limit = g->spec->run_limit, end = skr_run_limit_end(g);
    const int64_t rest = end == SKR_TIME_NEVER ? SKR_INSTANT_NEVER : skr_instant_up(end) - now;
    int64_t deadline = 0, grace = 0, cut = 0;
    size_t leave = 0;
    for (size_t i = 0; i < n; i++) {
        const bool leaves = skr_pods_is_bound(newcomers[i]);
        const struct skr_pod_times times = skr_ends_times_of(e, newcomers[i]->pod);
        const bool is_own = times.deadline_s > 0 && !(leaves && limit != SKR_TIME_NEVER);
        const int64_t own = is_own ? times.deadline_s : SKR_INSTANT_NEVER;
        const int64_t job = skr_job_end(&times, now);
        leave += leaves;
        deadline = own > deadline ? own : deadline;
        cut = job > cut ? job : cut;
        grace = times.grace_s > grace ? times.grace_s : grace;
    }
    const bool anew = leave == g->seats.n_bound && g->times.word == 0;
    const int64_t whole = limit == SKR_TIME_NEVER ? SKR_INSTANT_NEVER : skr_instant_up(limit);
    const int64_t most = anew ? whole : rest;
    deadline = most < deadline ? most : deadline;
    ret->holds = skr_instant_plus(deadline, grace);
    ret->cut = cut;
    ret->class_ = skr_membership_lowest_class(g);
    return rest > 0 && cut > now;
}

/* When the last Job of its members ends; SKR_INSTANT_NEVER: that is not known. */
static int64_t jobs_end(const struct skr_gang *e, const struct group *g, int64_t now)
{
    const struct pod_entry *p;
    int64_t last = SKR_INSTANT_NEVER;
    DL_FOREACH(g->members, p)
    {
        if (skr_pod_is_live(p->pod)) {
            const struct skr_pod_times times = skr_ends_times_of(e, p->pod);
            const int64_t end = times.job_started ? skr_job_end(&times, now) : SKR_INSTANT_NEVER;
            last = last == SKR_INSTANT_NEVER || end > last ? end : last;
        }
        if (last == SKR_INSTANT_NEVER) {
            break;
        }
    }
    return last;
}

bool skr_window_say_late(const struct skr_gang *e, const struct group *g, skr_time now,
                         struct skr_strbuf *b)
{
    const bool waits = g->state == GROUP_READY || g->state == GROUP_BACKOFF;
    const int64_t end = e->owners.n_deadlines > 0 && waits && g->spec && !g->plan
                            ? jobs_end(e, g, skr_instant_up(now))
                            : SKR_INSTANT_NEVER;
    const bool in_time = g->booking && !g->booking->guess && g->booking->start < end;
    char text[48];
    if (end > SKR_TIME_NEVER / SKR_SECOND || in_time || !g->attempt.infeasible) {
        return false;
    }
    skr_time_write(end * SKR_SECOND, 0, text, sizeof text);
    skr_strbuf_addf(b,
                    "the deadline of its Job passes at %s, and no start before it is promised; put "
                    "activeDeadlineSeconds on the pod template, not on the Job",
                    text);
    return true;
}

void skr_window_take_off(const struct skr_gang *e, const struct group *g,
                         struct pod_entry *const *newcomers, size_t n, const uint16_t *resource,
                         size_t n_resources, int64_t *room)
{
    struct booked_for who = {.group = g};
    const struct booked_node *node = NULL;
    if (!skr_booked_any(e, g) || !g->spec) {
        return;
    }
    (void)skr_window_of(e, g, newcomers, n, skr_instant_up(skr_frame_now(e->frame)), &who.window);
    while ((node = skr_booked_next(e, node))) {
        const int32_t leaf = skr_tree_find_leaf(e->topology.tree, node->name);
        if (leaf >= 0) {
            skr_booked_take_off(e, &who, node->name, resource, n_resources,
                                &room[(size_t)leaf * n_resources]);
        }
    }
}
