/* SPDX-License-Identifier: Apache-2.0 */
/* Deletes the bound members of a plan that cannot be completed, and handles the answers. */
#include "core/gang/changes/rollback.h"

#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/changes/plan_loss.h"
#include "core/gang/state/groups.h"
#include "core/gang/state/output.h"
#include "core/gang/state/wakes.h"

#include <utlist.h>

enum { RETRY_FIRST_MS = 100, RETRY_LAST_S = 10, DOUBLINGS_MAX = 7 };

static bool is_pending(const struct plan *plan, const struct pod_entry *p)
{
    return p->plan == plan && skr_pods_is_bound(p) && skr_pod_is_live(p->pod) &&
           !p->work->removal.confirmed;
}

static void delete_pod(struct skr_gang *e, struct pod_entry *p)
{
    SKR_STRBUF(b);
    skr_strbuf_add(&b, "{\"apiVersion\":\"v1\",\"kind\":\"DeleteOptions\",\"preconditions\":{"
                       "\"uid\":");
    skr_strbuf_add_json(&b, p->uid);
    skr_strbuf_add(&b, "}}");
    skr_pods_work(p)->removal.write =
        skr_out_write(e, SKR_WRITE_DELETE_POD, SKR_WRITE_CLASS_EVICT, 0, &p->pod->meta, &b,
                      WRITE_FOR_ROLLBACK, p->uid)
            ->id;
}

void skr_rollback_step(struct skr_gang *e, struct plan *plan)
{
    struct pod_entry *p;
    bool pending = false;
    DL_FOREACH(plan->group->members, p)
    {
        if (p->plan == plan && (p->work->bind.write || p->work->bind.unknown)) {
            return;
        }
    }
    DL_FOREACH(plan->group->members, p)
    {
        if (!is_pending(plan, p)) {
            continue;
        }
        pending = true;
        if (!p->work->removal.write && skr_frame_now(e->frame) >= p->work->removal.at) {
            delete_pod(e, p);
        }
    }
    if (!pending) {
        skr_plan_loss_end_rollback(e, plan);
    }
}

static void confirmed(struct skr_gang *e, struct pod_entry *p)
{
    skr_pods_work(p)->removal.confirmed = true;
    skr_out_decision(e, p->group ? p->group->key : "", p->key, "Member deleted", "BindFailed",
                     "a Binding of its group failed", false);
}

static void again(struct skr_gang *e, struct pod_entry *p, const struct skr_event *ev)
{
    uint32_t shift =
        p->work->removal.failures < DOUBLINGS_MAX ? p->work->removal.failures : DOUBLINGS_MAX;
    skr_time wait = RETRY_FIRST_MS * SKR_MILLISECOND << shift;
    wait = wait > RETRY_LAST_S * SKR_SECOND ? RETRY_LAST_S * SKR_SECOND : wait;
    wait = ev->written.retry_after > wait ? ev->written.retry_after : wait;
    if (skr_pods_work(p)->removal.failures++ == 0) {
        skr_out_decision(e, p->group ? p->group->key : "", p->key, "Member not deleted yet",
                         "BindFailed", ev->written.message, true);
    }
    skr_pods_work(p)->removal.at = skr_frame_now(e->frame) + wait;
    if (p->group) {
        skr_wakes_group(e, p->group, p->work->removal.at);
    }
}

static void refused(struct skr_gang *e, struct pod_entry *p, const char *message)
{
    skr_out_decision(e, p->group ? p->group->key : "", p->key, "Roll-back given up", "BindFailed",
                     message, true);
    if (p->plan) {
        p->plan->rollback = false;
    }
}

void skr_rollback_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                             struct skr_event *ev)
{
    struct pod_entry *p = skr_pods_find(e, w->key);
    if (!p || p->work->removal.write != w->id) {
        return;
    }
    skr_pods_work(p)->removal.write = 0;
    switch (ev->written.outcome) {
    case SKR_WRITE_OK:
    case SKR_WRITE_NOT_FOUND:
    case SKR_WRITE_CONFLICT: /* another pod has its name now */
        confirmed(e, p);
        break;
    case SKR_WRITE_BUSY:
    case SKR_WRITE_DROPPED:
    case SKR_WRITE_UNKNOWN:
        again(e, p, ev);
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_DENIED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        refused(e, p, ev->written.message);
        break;
    }
    if (p->group) {
        skr_dirty_group(e, p->group);
    }
}
