/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parks bind calls and queues Bindings: see bind_calls.h.
 */
#include "core/gang/plan/bind_calls.h"
#include "core/gang/cache/ends.h"

#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/vetoes.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

enum { HOLD_MARGIN_S = 10 }; /* parked calls are answered this long before bindTimeout */

struct parked_call {
    UT_hash_handle hh;
    uint64_t request;
    struct pod_entry *pod;
};

void skr_bind_calls_park(struct skr_gang *e, struct pod_entry *p, uint64_t request,
                         const char *node)
{
    if (p->work->vote.request) { /* kube-scheduler gave up on the older call */
        skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_SUPERSEDED);
    }
    struct pod_work *work = skr_pods_work(p);
    work->vote.request = request;
    work->vote.node = skr_names_intern(e, node);
    work->vote.until =
        skr_frame_now(e->frame) + e->settings.bind_timeout - HOLD_MARGIN_S * SKR_SECOND;
    struct parked_call *call = skr_alloc(sizeof *call);
    *call = (struct parked_call){.request = request, .pod = p};
    HASH_ADD(hh, e->parked, request, sizeof call->request, call);
    skr_wakes_add(e, p->work->vote.until, WAKE_POD, p->uid);
}

void skr_bind_calls_vote(struct skr_gang *e, struct pod_entry *p)
{
    skr_pods_work(p)->vote.given = true;
    skr_dirty_member(e, p->group);
    skr_devices_voted(e, p);
    if (p->plan && p->place.turn < p->plan->last_turn) {
        struct pod_entry *q;
        DL_FOREACH(p->group->members, q)
        {
            if (q->plan == p->plan && q->place.turn > p->place.turn) {
                skr_dirty_pod(e, q);
            }
        }
    }
}

void skr_bind_calls_withdraw(struct pod_entry *p)
{
    if (p->work->vote.given) {
        skr_pods_work(p)->vote.given = false;
    }
}

static struct parked_call *find_call(const struct skr_gang *e, uint64_t request)
{
    struct parked_call *call;
    HASH_FIND(hh, e->parked, &request, sizeof request, call);
    return call;
}

static void unpark(struct skr_gang *e, struct pod_entry *p)
{
    struct parked_call *call = find_call(e, p->work->vote.request);
    HASH_DEL(e->parked, call);
    free(call);
    skr_pods_work(p)->vote.request = 0;
}

size_t skr_bind_calls_parked(const struct skr_gang *e)
{
    return HASH_COUNT(e->parked);
}

void skr_bind_calls_answer(struct skr_gang *e, struct pod_entry *p, enum skr_answer_kind kind,
                           const char *text)
{
    if (!p->work->vote.request) {
        return;
    }
    uint64_t request = p->work->vote.request;
    unpark(e, p);
    if (kind != SKR_ANSWER_BOUND) {
        skr_nomination_tried(p);
    }
    skr_out_answer(e, request, kind, text);
    skr_dirty_pod(e, p);
}

void skr_bind_calls_is_seen(struct skr_gang *e, struct pod_entry *p)
{
    skr_bind_calls_unqueue(e, p);
    skr_bind_calls_set_unknown(p, false);
    if (!p->work->vote.request) {
        return;
    }
    bool good = strcmp(p->work->vote.node, p->pod->node_name) == 0;
    skr_bind_calls_answer(e, p, good ? SKR_ANSWER_BOUND : SKR_ANSWER_ERROR,
                          good ? "" : SKR_TEXT_ALREADY_BOUND);
}

void skr_bind_calls_release(struct skr_gang *e, struct pod_entry *p)
{
    enum skr_charge_kind kind;
    skr_ordinary_refused(e, p);
    const char *node = skr_ledger_find(e->ledger, p->uid, &kind);
    if (node && kind == SKR_CHARGE_BINDING) {
        skr_vetoes_end(e, node);
        skr_ledger_release(e->ledger, p->uid);
        skr_ends_forget(e, p->uid);
    }
}

/* The call ends without a Binding. If a Binding is in flight, its outcome still answers. */
static void call_ended(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work->bind.write || p->work->bind.unknown) {
        return;
    }
    skr_bind_calls_unqueue(e, p);
    if (!p->plan) {
        skr_bind_calls_release(e, p);
    }
}

void skr_bind_calls_expire(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->work->vote.request || skr_frame_now(e->frame) < p->work->vote.until) {
        return;
    }
    skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_EXPIRED); /* the vote stays */
    call_ended(e, p);
    if (p->plan) { /* kube-scheduler retries by itself, or its own filters keep the pod waiting */
        skr_nomination_awaited_again(e, p);
    }
}

void skr_bind_calls_drop_vote(struct skr_gang *e, struct pod_entry *p)
{
    skr_bind_calls_withdraw(p);
    skr_nomination_awaited_again(e, p);
    if (p->group) {
        skr_dirty_member(e, p->group);
    }
}

void skr_bind_calls_hangup(struct skr_gang *e, uint64_t request)
{
    const struct parked_call *call = find_call(e, request);
    struct pod_entry *p = call ? call->pod : NULL;
    if (!p) {
        return;
    }
    skr_scheduler_progress_restarted(e);
    unpark(e, p);
    skr_nomination_tried(p);
    call_ended(e, p);
    if (p->plan) {
        skr_bind_calls_drop_vote(e, p);
    }
    skr_dirty_pod(e, p);
}

/* ---- the queue ---- */

void skr_bind_calls_queue(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work->binding_queued || p->work->bind.write) {
        return;
    }
    skr_pods_work(p)->binding_queued = true;
    struct pod_entry *after = e->bindings ? e->bindings->work->bprev : NULL;
    while (after && after->work->vote.until > p->work->vote.until) {
        after = after == e->bindings ? NULL : after->work->bprev;
    }
    if (after) {
        DL_APPEND_ELEM2(e->bindings, after, p, own_work->bprev, own_work->bnext);
    } else {
        DL_PREPEND2(e->bindings, p, own_work->bprev, own_work->bnext);
    }
}

void skr_bind_calls_unqueue(struct skr_gang *e, struct pod_entry *p)
{
    if (!p->work->binding_queued) {
        return;
    }
    skr_pods_work(p)->binding_queued = false;
    DL_DELETE2(e->bindings, p, own_work->bprev, own_work->bnext);
}

/* ---- start and end ---- */

void skr_bind_calls_answer_all(struct skr_gang *e, const char *text)
{
    struct pod_entry *p;
    for (size_t at = 0; (p = skr_pods_next(e, &at));) {
        if (p->work->vote.request) {
            skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, text);
            call_ended(e, p);
        }
        skr_bind_calls_withdraw(p);
    }
}

void skr_bind_calls_set_unknown(struct pod_entry *p, bool unknown)
{
    if (p->work->bind.unknown != unknown) {
        skr_pods_work(p)->bind.unknown = unknown;
    }
}

void skr_bind_calls_forget(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work->vote.request) {
        unpark(e, p);
    }
}
