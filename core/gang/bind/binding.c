/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers bind calls and posts Bindings.
 *
 * A member's call is parked (bind_calls.c) and counts as its vote; plan_step.c decides when the
 * group may bind. A Binding is posted only while a bind call of its pod is open, at most
 * SKR_BINDINGS_PARALLEL at a time, earliest deadline first. After an unknown outcome the pod is
 * read first, so exactly one successful POST binds it.
 */
#include "core/gang/bind/binding.h"

#include "core/gang/cache/booked.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/ends.h"
#include "core/gang/cache/fit_cache.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/ordinary.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/residents.h"
#include "core/gang/cache/shapes.h"
#include "core/gang/cache/spare.h"
#include "core/gang/changes/pod_changes.h"
#include "core/gang/group/claims.h"
#include "core/gang/group/roles.h"
#include "core/gang/plan/bind_calls.h"
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/nomination.h"
#include "core/gang/plan/plan_storage.h"
#include "core/gang/plan/scheduler_progress.h"
#include "core/gang/state/output.h"
#include "core/gang/state/reason.h"
#include "core/gang/state/wakes.h"

#include <string.h>
#include <utlist.h>

enum { RETRY_FIRST_MS = 50, RETRY_LAST_S = 5 };

/* ---- bind ---- */

static void refuse(struct skr_gang *e, uint64_t request, const char *text)
{
    skr_out_answer(e, request, SKR_ANSWER_ERROR, text);
}

static void asked_member(struct skr_gang *e, struct pod_entry *p, uint64_t request,
                         const char *node)
{
    /* A plan charges the member, or the call is refused. */
    skr_claims_bind_asked(e, p, node);
    if (!p->plan || p->plan->aborting || !skr_plan_storage_is_persisted(e, p->plan)) {
        refuse(e, request, SKR_TEXT_ABORTED);
    } else if (strcmp(p->place.node, node) != 0) {
        refuse(e, request, SKR_TEXT_WRONG_NODE);
    } else if (!skr_nodes_find(e, p->place.node)) { /* planner.c finds another node */
        refuse(e, request, SKR_TEXT_BIND_FAILED);
    } else {
        skr_bind_calls_park(e, p, request, node);
        skr_bind_calls_vote(e, p);
    }
}

static void asked_ordinary(struct skr_gang *e, struct pod_entry *p, uint64_t request,
                           const char *node)
{
    if (!skr_nodes_find(e, node)) { /* the API server would bind it to a missing node */
        refuse(e, request, SKR_TEXT_BIND_FAILED);
        skr_ordinary_refused(e, p);
        return;
    }
    if (skr_ledger_is_kept(e->ledger, skr_ledger_get(e->ledger, node), &p->shape->amounts,
                           p->uid)) {
        refuse(e, request, SKR_TEXT_RESERVED);
        skr_ordinary_refused(e, p);
        return;
    }
    if (skr_spare_is_kept_off(e, p->pod) && skr_spare_is_at(e, node)) {
        refuse(e, request, SKR_TEXT_SPARE);
        skr_ordinary_refused(e, p);
        return;
    }
    skr_fit_cache_see_changes(e);
    const struct booked_pod single = skr_booked_pod(e, p->pod);
    if (skr_booked_keeps(e, &single, &p->shape->amounts, node, NULL)) {
        refuse(e, request, SKR_TEXT_BOOKED);
        skr_ordinary_refused(e, p);
        return;
    }
    if (p->work->bind.write ||
        p->work->bind.unknown) { /* to the node of the unknown Binding: its outcome decides */
        skr_bind_calls_park(e, p, request, node);
        return;
    }
    skr_ledger_charge(e->ledger, p->uid, skr_names_intern(e, node), &p->shape->amounts,
                      SKR_CHARGE_BINDING);
    skr_ends_put(e, p->pod, node, 0);
    skr_bind_calls_park(e, p, request, node);
    skr_bind_calls_queue(e, p);
}

void skr_binding_asked(struct skr_gang *e, uint64_t request, const struct skr_bind_request *asked)
{
    struct pod_entry *p = skr_pods_find(e, asked->uid);
    const char *on = !p                     ? skr_pods_resident_node(e, asked->uid)
                     : skr_pods_is_bound(p) ? p->pod->node_name
                                            : NULL;
    skr_scheduler_progress_heard(e);
    if (!skr_frame_is_synced(e->frame) || skr_frame_is_stopped(e->frame)) {
        refuse(e, request, SKR_TEXT_NOT_READY);
    } else if (!skr_frame_is_leader(e->frame)) {
        refuse(e, request, SKR_TEXT_NOT_LEADER);
    } else if (on) {
        bool same = strcmp(on, asked->node) == 0;
        skr_out_answer(e, request, same ? SKR_ANSWER_BOUND : SKR_ANSWER_ERROR,
                       same ? "" : SKR_TEXT_ALREADY_BOUND);
    } else if (!p) {
        bool other = skr_pods_find_name(e, asked->namespace_, asked->name) ||
                     skr_residents_find(e, asked->namespace_, asked->name);
        refuse(e, request, other ? SKR_TEXT_REPLACED : SKR_TEXT_NOT_READY);
    } else if (!skr_pod_is_live(p->pod)) {
        refuse(e, request, SKR_TEXT_REPLACED);
    } else if (p->group) {
        asked_member(e, p, request, asked->node);
    } else {
        asked_ordinary(e, p, request, asked->node);
    }
}

/* ---- the queue ---- */

static const char *target_of(const struct skr_gang *e, const struct pod_entry *p)
{
    return p->plan ? p->place.node : skr_ledger_find(e->ledger, p->uid, NULL);
}

/* What a Binding sets on its pod, applied to the cached pod after success. */
struct brought {
    const char *node; /* from names_intern */
    size_t n_labels;
    struct skr_label label[5];
    char rank[16], retries[16], plan[32];
    char end[48];                       /* that its Job gives it; "": none */
    char *role;                         /* NULL: none */
    char *annotation, *gang_annotation; /* NULL: none */
};

static void brought_release(void *more)
{
    struct brought *brought = more;
    free(brought->role);
    free(brought->annotation);
    free(brought->gang_annotation);
    free(brought);
}

static void bring_label(struct brought *brought, const char *key, const char *value)
{
    brought->label[brought->n_labels++] = (struct skr_label){key, value};
}

static struct brought *bring(struct skr_gang *e, struct pod_entry *p, const char *node,
                             bool carries)
{
    struct brought *brought = skr_alloc(sizeof *brought);
    brought->node = skr_names_intern(e, node);
    const int64_t end = skr_ends_by_job(e, p->pod);
    if (end < SKR_TIME_NEVER / SKR_SECOND) {
        skr_time_write(end * SKR_SECOND, 0, brought->end, sizeof brought->end);
    }
    if (!p->plan) {
        return brought;
    }
    snprintf(brought->rank, sizeof brought->rank, "%d", p->place.rank);
    bring_label(brought, SKR_LABEL_STATUS, skr_group_status_name(SKR_STATUS_BOUND));
    bring_label(brought, SKR_LABEL_RANK, brought->rank);
    brought->role = skr_strdup(skr_roles_label(p));
    if (brought->role) {
        bring_label(brought, SKR_LABEL_ROLE, brought->role);
    }
    if (!skr_nomination_stands(p)) {
        skr_nomination_count(p);
        snprintf(brought->retries, sizeof brought->retries, "%d", p->place.retries);
        snprintf(brought->plan, sizeof brought->plan, "%.8s.%u", p->plan->id,
                 p->work->activation.count);
        bring_label(brought, SKR_LABEL_RETRIES, brought->retries);
        bring_label(brought, SKR_LABEL_PLAN, brought->plan);
        brought->annotation = skr_nomination_annotation(p);
    }
    brought->gang_annotation = carries ? skr_strdup(p->plan->text) : NULL;
    return brought;
}

static void write_brought(struct skr_strbuf *b, const struct brought *brought)
{
    const char *end = *brought->end ? brought->end : NULL;
    const struct skr_label annotation[] = {{SKR_ANNOTATION_END, end},
                                           {SKR_ANNOTATION_PLAN, brought->annotation},
                                           {SKR_ANNOTATION_GANG_PLAN, brought->gang_annotation}};
    bool any = false;
    for (size_t i = 0; i < brought->n_labels; i++) {
        skr_strbuf_add(b, i > 0 ? "," : ",\"labels\":{");
        skr_strbuf_add_json(b, brought->label[i].key);
        skr_strbuf_addc(b, ':');
        skr_strbuf_add_json(b, brought->label[i].value);
    }
    skr_strbuf_add(b, brought->n_labels > 0 ? "}" : "");
    for (size_t i = 0; i < sizeof annotation / sizeof *annotation; i++) {
        if (annotation[i].value) {
            skr_strbuf_add(b, any ? "," : ",\"annotations\":{");
            skr_strbuf_add_json(b, annotation[i].key);
            skr_strbuf_addc(b, ':');
            skr_strbuf_add_json(b, annotation[i].value);
            any = true;
        }
    }
    skr_strbuf_add(b, any ? "}" : "");
}

static void post(struct skr_gang *e, struct pod_entry *p, const char *node, bool carries)
{
    struct brought *brought = bring(e, p, node, carries);
    SKR_STRBUF(b);
    skr_strbuf_add(&b, "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"namespace\":");
    skr_strbuf_add_json(&b, p->pod->meta.namespace_);
    skr_strbuf_add(&b, ",\"name\":");
    skr_strbuf_add_json(&b, p->pod->meta.name);
    skr_strbuf_add(&b, ",\"uid\":");
    skr_strbuf_add_json(&b, p->uid);
    write_brought(&b, brought);
    skr_strbuf_add(&b, "},\"target\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":");
    skr_strbuf_add_json(&b, node);
    skr_strbuf_add(&b, "}}");
    struct skr_pending_write *w = skr_out_write(e, SKR_WRITE_BINDING, SKR_WRITE_CLASS_COMMIT, 0,
                                                &p->pod->meta, &b, WRITE_FOR_BINDING, p->uid);
    skr_pods_work(p)->bind.write = w->id;
    w->more = brought;
    w->release = brought_release;
    e->bindings_in_flight++;
}

static void read_back(struct skr_gang *e, struct pod_entry *p)
{
    struct skr_pending_write *w =
        skr_out_write(e, SKR_WRITE_GET_POD, SKR_WRITE_CLASS_COMMIT, 0, &p->pod->meta, NULL,
                      WRITE_FOR_BINDING_READ, p->uid);
    skr_pods_work(p)->bind.write = w->id;
    e->bindings_in_flight++;
}

static void failed(struct skr_gang *e, struct pod_entry *p, const char *message)
{
    e->stats.binding_errors++;
    skr_out_decision(e, p->group ? p->group->key : "", p->key, "Binding failed", "BindFailed",
                     message, true);
    skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_BIND_FAILED);
    if (p->plan) {
        skr_bind_calls_drop_vote(e, p);
    } else {
        skr_bind_calls_release(e, p);
    }
}

void skr_binding_pump(struct skr_gang *e)
{
    struct pod_entry *p, *tmp;
    if (!skr_frame_is_synced(e->frame) || !skr_frame_is_leader(e->frame) ||
        skr_frame_is_stopped(e->frame)) {
        return;
    }
    DL_FOREACH_SAFE2(e->bindings, p, tmp, work->bnext)
    {
        if (e->bindings_in_flight >= SKR_BINDINGS_PARALLEL) {
            return;
        }
        if (skr_frame_now(e->frame) < p->work->bind.at) {
            continue;
        }
        const char *node = target_of(e, p);
        bool may_post = p->work->vote.request && node && skr_nodes_find(e, node) &&
                        (!p->plan || (p->plan->binding_persisted && !p->plan->aborting &&
                                      !p->plan->rollback && skr_member_record_is_provided(e, p)));
        bool other_node = p->work->vote.request && node && strcmp(p->work->vote.node, node) != 0;
        if (p->work->bind.unknown) {
            skr_bind_calls_unqueue(e, p);
            read_back(e, p);
        } else if (other_node) { /* an earlier Binding was not made and its call has ended */
            skr_bind_calls_unqueue(e, p);
            failed(e, p, "its bind call names another node");
        } else if (may_post) {
            enum bind_turn turn = p->plan ? skr_member_record_turn(e, p->plan) : BIND_TURN_POST;
            if (turn == BIND_TURN_WAIT) {
                continue;
            }
            skr_bind_calls_unqueue(e, p);
            post(e, p, node, turn == BIND_TURN_POST_PLAN);
        } else {
            skr_bind_calls_unqueue(e, p);
            if (!p->plan && p->work->vote.request) {
                failed(e, p, "its node does not exist any more");
            } else if (!p->plan) { /* its call has ended and no Binding is in flight */
                skr_bind_calls_release(e, p);
            }
            if (p->group) {
                skr_dirty_member(e, p->group);
            }
        }
    }
}

/* ---- outcomes ---- */

static void again(struct skr_gang *e, struct pod_entry *p, skr_time after)
{
    uint32_t shift = p->work->bind.failures > 7 ? 7 : p->work->bind.failures;
    skr_time d = RETRY_FIRST_MS * SKR_MILLISECOND << shift;
    if (d > RETRY_LAST_S * SKR_SECOND) {
        d = RETRY_LAST_S * SKR_SECOND;
    }
    skr_pods_work(p)->bind.failures++;
    skr_pods_work(p)->bind.at = skr_frame_now(e->frame) + (after > d ? after : d);
    skr_wakes_add(e, p->work->bind.at, WAKE_POD, p->uid);
    skr_bind_calls_queue(e, p);
}

static void bound_now(struct skr_gang *e, struct pod_entry *p, const struct brought *brought)
{
    const struct skr_pod_overlay overlay = {.node_name = brought->node,
                                            .n_labels = brought->annotation ? brought->n_labels : 0,
                                            .label = brought->label,
                                            .plan_annotation = brought->annotation,
                                            .gang_plan_annotation = brought->gang_annotation};
    e->stats.bindings++;
    skr_pods_work(p)->bind.failures = 0;
    p->await_labels = brought->annotation;
    skr_pod_changes_bound(e, p, &overlay);
    if (p->group) {
        skr_dirty_member(e, p->group);
    }
}

static void posted(struct skr_gang *e, struct pod_entry *p, const struct skr_pending_write *w,
                   const struct skr_event *ev)
{
    switch (ev->written.outcome) {
    case SKR_WRITE_OK:
        bound_now(e, p, w->more);
        break;
    case SKR_WRITE_NOT_FOUND:
        e->stats.binding_errors++;
        skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_REPLACED);
        skr_pod_changes_delete(e, p->pod->meta.namespace_, p->pod->meta.name, p->uid);
        break;
    case SKR_WRITE_BUSY:
    case SKR_WRITE_DROPPED:
        again(e, p, ev->written.retry_after);
        break;
    case SKR_WRITE_CONFLICT:
    case SKR_WRITE_UNKNOWN:
        skr_bind_calls_set_unknown(p, true);
        again(e, p, 0);
        break;
    case SKR_WRITE_INVALID:
    case SKR_WRITE_DENIED:
    case SKR_WRITE_OUTCOME_COUNT:
    default:
        failed(e, p, ev->written.message);
        break;
    }
}

static void was_read(struct skr_gang *e, struct pod_entry *p, struct skr_event *ev)
{
    if (ev->written.outcome == SKR_WRITE_NOT_FOUND) {
        skr_pod_changes_delete(e, p->pod->meta.namespace_, p->pod->meta.name, p->uid);
        return;
    }
    if (!ev->written.object) {
        again(e, p, 0);
        return;
    }
    char *uid = skr_strdup(p->uid);
    skr_pod_changes_upsert(e, skr_event_take_object(ev));
    p = skr_pods_find(e, uid);
    free(uid);
    if (!p) { /* another pod has its name now */
        return;
    }
    skr_bind_calls_set_unknown(p, false);
    if (skr_pods_is_bound(p)) {
        skr_bind_calls_is_seen(e, p);
    } else if (!skr_pod_is_live(p->pod)) {
        skr_bind_calls_answer(e, p, SKR_ANSWER_ERROR, SKR_TEXT_REPLACED);
        if (!p->plan) { /* it can never be bound, however long it stays */
            skr_bind_calls_release(e, p);
        }
    } else if (p->pod->gate || p->pod->foreign_gate) {
        failed(e, p, "the pod carries a scheduling gate");
    } else if (p->work->vote.request) {
        again(e, p, 0);
    } else if (!p->plan) {
        skr_bind_calls_release(e, p);
    }
    if (p->group) {
        skr_dirty_member(e, p->group);
    }
}

void skr_binding_write_done(struct skr_gang *e, const struct skr_pending_write *w,
                            struct skr_event *ev)
{
    skr_bug_on(e->bindings_in_flight == 0);
    e->bindings_in_flight--;
    struct pod_entry *p = skr_pods_find(e, w->key);
    if (!p || p->work->bind.write != w->id) {
        return;
    }
    skr_pods_work(p)->bind.write = 0;
    if (skr_pods_is_bound(p)) { /* the watch was faster */
        e->stats.bindings += ev->written.outcome == SKR_WRITE_OK && !ev->written.object;
        skr_bind_calls_is_seen(e, p);
        if (p->group) {
            skr_dirty_member(e, p->group);
        }
    } else if (w->purpose == WRITE_FOR_BINDING) {
        posted(e, p, w, ev);
    } else {
        was_read(e, p, ev);
    }
}
