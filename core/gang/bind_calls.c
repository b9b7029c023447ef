/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open bind calls. A member's call is parked and counts as its vote; it is answered by the outcome of
 * its Binding, or when its time is over. Pods whose Binding may be posted wait in a queue, earliest
 * deadline first.
 */
#include "core/gang/state.h"

#include <string.h>
#include <utlist.h>

void bind_calls_park(struct skr_engine *e, struct pod_entry *p, uint64_t request, const char *node)
{
    if (p->parked) { /* the scheduler gave up on the older call */
        binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_SUPERSEDED);
    }
    p->parked = request;
    p->parked_node = engine_name(e, node);
    p->parked_until = e->now + e->settings.bind_timeout - SKR_HOLD_MARGIN_S * SKR_SECOND;
    HASH_ADD(hh_parked, e->parked, parked, sizeof p->parked, p);
    out_hold(e, request, p->parked_until);
    engine_wake(e, p->parked_until, WAKE_POD, p->uid);
}

static void unpark(struct skr_engine *e, struct pod_entry *p)
{
    HASH_DELETE(hh_parked, e->parked, p);
    p->parked = 0;
}

void binding_answer(struct skr_engine *e, struct pod_entry *p, enum skr_answer_kind kind,
                    const char *text)
{
    if (!p->parked) {
        return;
    }
    uint64_t request = p->parked;
    unpark(e, p);
    out_answer(e, request, kind, text);
    engine_touch_pod(e, p);
}

void binding_is_seen(struct skr_engine *e, struct pod_entry *p)
{
    binding_unqueue(e, p);
    p->binding_unknown = false;
    if (!p->parked) {
        return;
    }
    bool good = strcmp(p->parked_node, p->pod->node_name) == 0;
    binding_answer(e, p, good ? SKR_ANSWER_BOUND : SKR_ANSWER_ERROR,
                   good ? "" : SKR_TEXT_ALREADY_BOUND);
}

void bind_calls_release(struct skr_engine *e, struct pod_entry *p)
{
    enum skr_charge_kind kind;
    if (skr_ledger_find(e->ledger, p->uid, &kind) && kind == SKR_CHARGE_BINDING) {
        skr_ledger_release(e->ledger, p->uid);
    }
}

/* The call is over without a Binding. A Binding in flight is still answered for by its own outcome.
 */
static void call_ended(struct skr_engine *e, struct pod_entry *p)
{
    if (p->binding || p->binding_unknown) {
        return;
    }
    binding_unqueue(e, p);
    if (!p->plan) {
        bind_calls_release(e, p);
    }
}

void binding_expire(struct skr_engine *e, struct pod_entry *p)
{
    if (!p->parked || e->now < p->parked_until) {
        return;
    }
    binding_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_EXPIRED); /* the vote stays */
    call_ended(e, p);
}

void binding_drop_vote(struct skr_engine *e, struct pod_entry *p)
{
    p->voted = false;
    p->asked = false;
    p->kicked_at = e->now;
    if (p->group) {
        engine_touch_group(e, p->group);
    }
}

void binding_hangup(struct skr_engine *e, uint64_t request)
{
    struct pod_entry *p;
    HASH_FIND(hh_parked, e->parked, &request, sizeof request, p);
    if (!p) {
        return;
    }
    e->verbs_since = e->now; /* the scheduler may have started anew, with everything to do */
    unpark(e, p);
    call_ended(e, p);
    if (p->plan) {
        binding_drop_vote(e, p);
    }
    engine_touch_pod(e, p);
}

/* ---- the queue ---- */

void binding_queue(struct skr_engine *e, struct pod_entry *p)
{
    if (p->binding_queued || p->binding) {
        return;
    }
    p->binding_queued = true;
    struct pod_entry *after = e->bindings ? e->bindings->bprev : NULL;
    while (after && after->parked_until > p->parked_until) {
        after = after == e->bindings ? NULL : after->bprev;
    }
    if (after) {
        DL_APPEND_ELEM2(e->bindings, after, p, bprev, bnext);
    } else {
        DL_PREPEND2(e->bindings, p, bprev, bnext);
    }
}

void binding_unqueue(struct skr_engine *e, struct pod_entry *p)
{
    if (!p->binding_queued) {
        return;
    }
    p->binding_queued = false;
    DL_DELETE2(e->bindings, p, bprev, bnext);
}
