/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks whether kube-scheduler is alive and how far it is in its queue. A place is dropped once a
 * later call reaches it or a place before it, so the list is sorted by place and by time alike.
 */
#include "core/gang/plan/scheduler_progress.h"

#include <string.h>

#include "core/gang/cache/pods.h"

static skr_time patience(void)
{
    return SKR_ACTIVATION_PATIENCE_S * SKR_SECOND;
}

void skr_scheduler_progress_heard(struct skr_gang *e)
{
    if (skr_frame_now(e->frame) > e->progress.last + patience()) {
        e->progress.since = skr_frame_now(e->frame);
    }
    e->progress.last = skr_frame_now(e->frame);
}

bool skr_scheduler_progress_is_alive(const struct skr_gang *e)
{
    return skr_frame_now(e->frame) <= e->progress.last + patience();
}

void skr_scheduler_progress_restarted(struct skr_gang *e)
{
    e->progress.since = skr_frame_now(e->frame);
}

static struct progress_ask place_of(const struct pod_entry *p)
{
    return (struct progress_ask){.priority = p->pod->priority,
                                 .activated =
                                     p->work->activation.at - p->work->activation.at % SKR_SECOND};
}

static bool stands_before(const struct progress_ask *a, const struct progress_ask *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->activated < b->activated;
}

void skr_scheduler_progress_reached(struct skr_gang *e, const struct pod_entry *p)
{
    struct progress_ask now = place_of(p), *ask = e->progress.ask;
    size_t n = 0;
    if (!p->work->activation.at) { /* it was never activated */
        return;
    }
    now.at = skr_frame_now(e->frame);
    for (size_t i = 0; i < e->progress.n_asks; i++) {
        if (stands_before(&ask[i], &now) && ask[i].at + patience() > now.at) {
            ask[n++] = ask[i];
        }
    }
    if (n == PROGRESS_ASKS) {
        memmove(ask, ask + 1, --n * sizeof *ask);
    }
    ask[n++] = now;
    e->progress.n_asks = n;
}

skr_time skr_scheduler_progress_reached_before(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct progress_ask place = place_of(p);
    skr_time at = 0;
    for (size_t i = 0; i < e->progress.n_asks; i++) {
        if (!stands_before(&place, &e->progress.ask[i])) {
            at = e->progress.ask[i].at;
        }
    }
    return at;
}
