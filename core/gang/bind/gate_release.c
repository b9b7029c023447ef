/* SPDX-License-Identifier: Apache-2.0 */
/*
 * releaseGateAfter: cluster autoscalers ignore gated pods. After the first group in order has
 * waited that long for capacity alone (autoscalers cannot provide topology or members), the gates
 * of its members are removed without a plan. Then kube-scheduler calls them unschedulable and an
 * autoscaler sees them. At most SKR_RELEASED_MAX such pods exist at once; a removed gate stays
 * removed.
 */
#include "core/gang/bind/gate_release.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/planning/queue.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"

#include <utlist.h>

enum { LOOK_AGAIN_S = 5 }; /* for a group that is not yet the first */

static bool waits_for_capacity(const struct group *g)
{
    return g->attempt.infeasible && !g->plan && g->seats.n_bound == 0 &&
           (g->reason == SKR_REASON_WAITING_FOR_CAPACITY || g->reason == SKR_REASON_NEVER_FITS);
}

static bool is_first(const struct skr_gang *e, const struct group *g)
{
    const struct group *other, *tmp;
    HASH_ITER(hh, e->groups, other, tmp)
    {
        if (other != g && waits_for_capacity(other) && skr_queue_goes_before(other, g)) {
            return false;
        }
    }
    return true;
}

void skr_gate_release_settle(struct skr_gang *e, struct group *g)
{
    struct pod_entry *p;
    if (!waits_for_capacity(g)) {
        g->release.since = 0;
        g->release.open = g->release.open && g->seats.n_bound == 0 && g->seats.n_live > 0;
        return;
    }
    if (!g->release.since) {
        g->release.since = skr_frame_now(e->frame);
    }
    if (e->settings.release_gate_after == SKR_TIME_NEVER || g->release.open) {
        return;
    }
    skr_time at = g->release.since + e->settings.release_gate_after;
    if (skr_frame_now(e->frame) < at) {
        skr_wakes_group(e, g, at);
    } else if (!is_first(e, g)) {
        skr_wakes_group(e, g, skr_frame_now(e->frame) + LOOK_AGAIN_S * SKR_SECOND);
    } else {
        g->release.open = true;
        skr_out_decision(e, g->key, "", "Gates released", skr_reason_name(g->reason),
                         "the group has waited for capacity; autoscalers may see its members",
                         false);
        DL_FOREACH(g->members, p)
        {
            skr_dirty_pod(e, p);
        }
    }
}

/* Released and neither planned nor bound; includes pods whose gate is being removed. */
static bool is_out(const struct pod_entry *p)
{
    return skr_pod_is_live(p->pod) && !skr_pods_is_bound(p) && !p->plan &&
           (!p->pod->gate || p->work->patch.write);
}

bool skr_gate_release_may_open(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct group *g, *tmp;
    const struct pod_entry *q;
    size_t out = 0;
    if (!p->group->release.open || !p->seated || p->pod->foreign_gate) {
        return false;
    }
    HASH_ITER(hh, e->groups, g, tmp)
    {
        if (!g->release.open) {
            continue;
        }
        DL_FOREACH(g->members, q)
        {
            out += is_out(q);
        }
    }
    return out < SKR_RELEASED_MAX;
}
