/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks whether kube-scheduler is alive and how far it is in its queue. For each place in the queue
 * the time of the last call is kept. If the table is full, the place whose last call is oldest is
 * dropped: that hides evidence and never makes any.
 */
#include "core/gang/plan/scheduler_progress.h"

#include <string.h>

#include "core/gang/cache/entry.h"
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

static skr_time later(skr_time a, skr_time b)
{
    return a > b ? a : b;
}

/* ---- calls ---- */

static struct progress_ask *entry_for(struct skr_gang *e, const struct progress_ask *place)
{
    struct progress_ask *ask = e->progress.ask, *oldest = ask;
    for (size_t i = 0; i < PROGRESS_ASKS; i++) {
        if (ask[i].at && ask[i].profile == place->profile && ask[i].priority == place->priority &&
            ask[i].queued == place->queued && ask[i].again == place->again) {
            return &ask[i];
        }
        oldest = ask[i].at < oldest->at ? &ask[i] : oldest;
    }
    return oldest;
}

/* kube-scheduler tries the pod. Pods of a PodGroup that it takes as one have many calls a cycle and the
 * place of their group: they prove nothing. */
static void note_try(struct skr_gang *e, const struct pod_entry *p)
{
    const size_t profile = skr_pods_profile(e, p->pod);
    const skr_time queued = later(p->seen_at, p->asked_at);
    const struct progress_ask place = {.profile = profile,
                                       .priority = p->pod->priority,
                                       .queued = queued - queued % SKR_SECOND,
                                       .again = p->asked_at > p->seen_at,
                                       .at = skr_frame_now(e->frame)};
    if (profile < e->settings.n_scheduler_names && !skr_entry_is_queued_whole(e, p->pod)) {
        *entry_for(e, &place) = place;
    }
}

/* The cycle of a nominated pod may have two calls, the first with one name. The pod enters the queue after
 * the last one. */
void skr_scheduler_progress_asked(struct skr_gang *e, struct pod_entry *p, size_t n_nodes)
{
    note_try(e, p);
    if (n_nodes > 1 || !*p->pod->nominated_node) {
        p->asked_at = skr_frame_now(e->frame);
    }
}

void skr_scheduler_progress_saw(struct skr_gang *e, const struct pod_entry *p,
                                const struct skr_pod *old)
{
    const char *says = skr_pods_scheduler_says(p->pod);
    if (*says && !strstr(says, "sakkara:") && strcmp(says, skr_pods_scheduler_says(old)) != 0) {
        note_try(e, p);
    }
}

/* ---- members ---- */

/* It entered the queue at that time at the latest. A kube-scheduler that starts counts from its start. */
static skr_time queued_by(const struct skr_gang *e, const struct pod_entry *p)
{
    return later(later(p->work->activation.at, p->asked_at), e->progress.since);
}

/* A pod of a higher priority precedes the member whenever it comes, but once: between two tries of it
 * kube-scheduler came to others. */
static bool precedes(const struct progress_ask *ask, const struct pod_entry *p, skr_time queued)
{
    return ask->priority >= p->pod->priority &&
           (ask->queued <= queued || (ask->priority > p->pod->priority && !ask->again));
}

skr_time skr_scheduler_progress_reached_before(const struct skr_gang *e, const struct pod_entry *p)
{
    const size_t profile = skr_pods_profile(e, p->pod);
    const skr_time queued = queued_by(e, p), from = skr_frame_now(e->frame) - patience();
    skr_time at = 0;
    for (size_t i = 0; i < PROGRESS_ASKS; i++) {
        const struct progress_ask *ask = &e->progress.ask[i];
        if (ask->profile == profile && ask->at > from && precedes(ask, p, queued)) {
            at = later(at, ask->at);
        }
    }
    return at;
}

bool skr_scheduler_progress_has_passed(const struct skr_gang *e, const struct pod_entry *p)
{
    const size_t profile = skr_pods_profile(e, p->pod);
    const skr_time queued = queued_by(e, p), behind = queued + SKR_QUEUE_LAG_S * SKR_SECOND;
    for (size_t i = 0; i < PROGRESS_ASKS; i++) {
        const struct progress_ask *ask = &e->progress.ask[i];
        const bool follows = ask->priority < p->pod->priority ||
                             (ask->priority == p->pod->priority && ask->queued > behind);
        if (ask->at >= queued + patience() && ask->profile == profile && follows) {
            return true;
        }
    }
    return false;
}
