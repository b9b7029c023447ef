/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether kube-scheduler is alive, and how far it has come. Of all places it came to, those count
 * that it came to later than to any before them: the list is sorted by place and by time alike.
 */
#include "core/gang/plan/scheduler_progress.h"

#include <string.h>

#include "core/gang/cache/pods.h"

static skr_time patience(void)
{
    return SKR_KICK_PATIENCE_S * SKR_SECOND;
}

void pulse_heard(struct skr_gang *e)
{
    if (skr_frame_now(e->frame) > e->pulse.last + patience()) {
        e->pulse.since = skr_frame_now(e->frame);
    }
    e->pulse.last = skr_frame_now(e->frame);
}

void pulse_restarted(struct skr_gang *e)
{
    e->pulse.since = skr_frame_now(e->frame);
}

static struct pulse_ask place_of(const struct pod_entry *p)
{
    return (struct pulse_ask){.priority = p->pod->priority,
                              .kicked = p->work->kick.at - p->work->kick.at % SKR_SECOND};
}

static bool stands_before(const struct pulse_ask *a, const struct pulse_ask *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->kicked < b->kicked;
}

void pulse_reached(struct skr_gang *e, const struct pod_entry *p)
{
    struct pulse_ask now = place_of(p), *ask = e->pulse.ask;
    size_t n = 0;
    if (!p->work->kick.at) { /* it came by itself */
        return;
    }
    now.at = skr_frame_now(e->frame);
    for (size_t i = 0; i < e->pulse.n_asks; i++) {
        if (stands_before(&ask[i], &now) && ask[i].at + patience() > now.at) {
            ask[n++] = ask[i];
        }
    }
    if (n == PULSE_ASKS) {
        memmove(ask, ask + 1, --n * sizeof *ask);
    }
    ask[n++] = now;
    e->pulse.n_asks = n;
}

skr_time pulse_reached_before(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct pulse_ask place = place_of(p);
    skr_time at = 0;
    for (size_t i = 0; i < e->pulse.n_asks; i++) {
        if (!stands_before(&place, &e->pulse.ask[i])) {
            at = e->pulse.ask[i].at;
        }
    }
    return at;
}
