/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube-scheduler as the engine meets it: one cycle at a time; in-tree filters (node eligibility and
 * cpu, counting bound, assumed and nominated pods); the nominated node alone first, then all;
 * assume; a held bind call; back-off of a second after an error, which also clears the nomination.
 *
 * A rejected pod comes back when its own object changes (the scheduler's own condition patch
 * included, once) and at node events; one that only in-tree filters rejected also when a pod goes.
 * It does not come back by itself: what must wake it is the engine. The queue is sorted by priority, then by the
 * time of arrival or of the last attempt, which no event changes. What happens while it has its cycle counts when
 * the cycle ends with a rejection, as kube-scheduler's queue keeps the events in flight.
 */
#include "test/unit/engine_rig_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool is_ours(const struct rig *rig, const struct skr_pod *pod)
{
    for (size_t i = 0; i < rig->settings.n_scheduler_names; i++) {
        if (strcmp(rig->settings.scheduler_name[i], pod->scheduler_name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_schedulable(const struct rig *rig, const struct skr_pod *pod)
{
    return is_ours(rig, pod) && !*pod->node_name && !pod->gate && !pod->foreign_gate &&
           skr_pod_is_live(pod);
}

static void queue(struct rig *rig, struct rig_object *pod)
{
    pod->place = RIG_QUEUED;
    pod->queued_at = rig->now;
}

/* A pod has its place from its arrival, gated or not, and a new one from each attempt. */
static void stamp(struct rig *rig, struct rig_object *pod)
{
    pod->queued_order = ++rig->queue_order;
    pod->tried_at = rig->now;
}

bool rig_scheduler_prefers(const struct rig_object *a, const struct rig_object *b)
{
    return a->pod->priority != b->pod->priority ? a->pod->priority > b->pod->priority
                                                : a->queued_order < b->queued_order;
}

void rig_scheduler_sees(struct rig *rig, struct rig_object *pod, bool own)
{
    if (!pod->queued_order && is_ours(rig, pod->pod)) {
        stamp(rig, pod);
    }
    if (!is_schedulable(rig, pod->pod)) {
        if (pod->place != RIG_ASSUMED) {
            pod->place = RIG_OUT;
        }
        return;
    }
    pod->missed = pod->missed || (pod->in_cycle && !own);
    if (pod->place == RIG_OUT || pod->place == RIG_REJECTED ||
        (pod->place == RIG_BACKOFF && !own)) {
        queue(rig, pod);
    }
}

void rig_scheduler_wake(struct rig *rig, bool in_tree_event)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && o->place == RIG_REJECTED && (o->in_tree_only || in_tree_event)) {
            queue(rig, o);
        }
        o->missed = o->missed || (o->in_cycle && in_tree_event);
    }
}

/* ---- in-tree filters ---- */

static int64_t amount(const struct skr_quantities *q, const char *name)
{
    for (size_t i = 0; i < q->n; i++) {
        if (strcmp(q->item[i].name, name) == 0) {
            return q->item[i].amount;
        }
    }
    return 0;
}

static void add_pending(struct rig *rig, const char *node, int64_t cpu)
{
    struct rig_object *at = *node ? rig_find(rig, RIG_NODE, node) : NULL;
    if (at) {
        at->cpu_pending += cpu;
    }
}

/* What assumed and nominated pods, all but one, take of every node besides bound ones. */
static void count_pending(struct rig *rig, const struct skr_pod *except)
{
    struct rig_object *o;
    DL_FOREACH(rig->list, o)
    {
        o->cpu_pending = 0;
    }
    DL_FOREACH(rig->list, o)
    {
        const bool waits =
            o->kind == RIG_POD && o->volumes_until; /* also while a finalizer keeps it */
        if (o->kind != RIG_POD || o->pod == except || *o->pod->node_name ||
            (!waits && !skr_pod_is_live(o->pod))) {
            continue;
        }
        const char *assumed = o->place == RIG_ASSUMED ? o->assumed_node : "";
        const char *nominated = is_ours(rig, o->pod) ? o->pod->nominated_node : "";
        int64_t cpu = amount(&o->pod->shape->requests, "cpu");
        add_pending(rig, assumed, cpu);
        if (strcmp(assumed, nominated) != 0) {
            add_pending(rig, nominated, cpu);
        }
    }
}

/* After count_pending(). */
static bool passes_in_tree(const struct rig *rig, const struct skr_pod *pod,
                           const struct rig_object *node)
{
    if (skr_pod_shape_check_node(pod->shape, node->node) != SKR_ELIGIBLE) {
        return false;
    }
    if (rig->in_tree && !rig->in_tree(rig->context, pod, node->key)) {
        return false;
    }
    int64_t left = amount(&node->node->allocatable, "cpu") - node->cpu_used;
    int64_t want = amount(&pod->shape->requests, "cpu");
    return want <= left && want + node->cpu_pending <= left;
}

/* ---- asking ---- */

static void take_answer(struct rig *rig, const struct skr_answer *a)
{
    struct rig_answer *r = rig->asking;
    r->kind = a->kind;
    snprintf(r->text, sizeof r->text, "%s", a->text);
    for (size_t i = 0; i < rig->asking_n; i++) {
        bool bit = (a->kind == SKR_ANSWER_FILTER_MASK || a->kind == SKR_ANSWER_PREEMPT_MASK) &&
                   (a->mask[i / 8] >> i % 8 & 1);
        if (a->kind == SKR_ANSWER_SCORES && i < sizeof r->scores) {
            r->scores[i] = a->scores[i];
        }
        if (!bit && a->kind != SKR_ANSWER_FILTER_ALL &&
            (a->kind != SKR_ANSWER_FILTER_ONE || a->index != i)) {
            if (a->kind == SKR_ANSWER_FILTER_MASK) {
                rig_filter_refuses(rig, i);
            }
            continue;
        }
        if (a->kind == SKR_ANSWER_FILTER_MASK || a->kind == SKR_ANSWER_FILTER_ALL) {
            rig_filter_passes(rig, i);
        }
        if (r->n_passed++ == 0) {
            snprintf(r->first, sizeof r->first, "%s", rig->asking_names[i]);
        }
        size_t n = strlen(r->passed);
        snprintf(r->passed + n, sizeof r->passed - n, "%s%s", n ? " " : "", rig->asking_names[i]);
    }
}

struct rig_answer rig_ask(struct rig *rig, enum skr_gang_verb verb, const struct skr_pod *pod,
                          const char *const *names, size_t n)
{
    struct rig_answer answer = {.kind = SKR_ANSWER_KIND_COUNT};
    const struct skr_filter_request request = {pod, n, names};
    rig->asking = &answer;
    rig->asking_request = rig->request + 1;
    rig->asking_names = names;
    rig->asking_n = n;
    if (verb == SKR_GANG_FILTER) {
        rig->n_filters++;
        rig_filter_begins(rig, pod, names, n);
    }
    char name[256];
    snprintf(name, sizeof name, "%s", pod->meta.name); /* the pod may change meanwhile */
    rig_request(rig, verb, &request);
    if (answer.kind == SKR_ANSWER_KIND_COUNT && rig->is_dead) {
        answer.kind = SKR_ANSWER_ERROR; /* nobody is there */
    }
    if (answer.kind == SKR_ANSWER_KIND_COUNT) {
        rig_fail(rig, "verb %d about %s was not answered", (int)verb, name);
    }
    rig->asking = NULL;
    rig_filter_ends(rig);
    rig_tell(rig, "%s %s (%zu nodes): %zu pass, %s%s", verb == SKR_GANG_FILTER ? "filter" : "ask",
             name, n, answer.n_passed, answer.first, answer.text);
    return answer;
}

/* ---- bind calls ---- */

void rig_call_free(struct rig *rig, struct rig_call *call)
{
    DL_DELETE(rig->calls, call);
    free(call->key);
    free(call->uid);
    free(call->node);
    free(call);
}

struct rig_call *rig_call_bind(struct rig *rig, struct rig_object *pod, const char *node,
                               bool by_hand)
{
    struct rig_call *call = skr_alloc(sizeof *call);
    call->request = rig->request + 1;
    call->key = skr_strdup(pod->key);
    call->uid = skr_strdup(pod->pod->meta.uid);
    call->node = skr_strdup(node);
    call->at = rig->now;
    call->by_hand = by_hand;
    DL_APPEND(rig->calls, call);
    rig->maybe_open = rig->maybe_open ? rig->maybe_open : call;
    pod->voted = true;
    snprintf(pod->voted_node, sizeof pod->voted_node, "%s", node);
    const struct skr_bind_request request = {pod->pod->meta.namespace_, pod->pod->meta.name,
                                             call->uid, call->node};
    rig_tell(rig, "bind %s to %s asked", pod->key, node);
    rig_request(rig, SKR_GANG_BIND, &request);
    return call;
}

static struct rig_object *called_pod(const struct rig *rig, const struct rig_call *call)
{
    struct rig_object *pod = rig_find(rig, RIG_POD, call->key);
    return pod && strcmp(pod->pod->meta.uid, call->uid) == 0 ? pod : NULL;
}

/* A failed bind: un-reserve, clear the nomination, back off. */
void rig_scheduler_bind_failed(struct rig *rig, struct rig_object *pod)
{
    if (pod->place != RIG_ASSUMED) {
        return;
    }
    pod->place = RIG_BACKOFF;
    pod->ready_at = rig->now + SKR_SECOND;
    stamp(rig, pod);
    if (*pod->pod->nominated_node) {
        rig_drop_nomination(pod);
        rig_changed(rig, pod);
    }
    rig_scheduler_sees(rig, pod, true);
    rig_scheduler_wake(rig, false);
}

static void answered_call(struct rig *rig, struct rig_call *call, const struct skr_answer *answer)
{
    bool bound = answer->kind == SKR_ANSWER_BOUND;
    if (call->lost) {
        return; /* nobody listens */
    }
    if (call->state != RIG_OPEN) {
        rig_fail(rig, "bind call of %s answered twice", call->key);
    }
    call->state = bound ? RIG_BOUND : RIG_ERROR;
    snprintf(call->text, sizeof call->text, "%s", answer->text);
    rig_tell(rig, "bind %s to %s answered: %s", call->key, call->node, bound ? "ok" : answer->text);
    struct rig_object *pod = called_pod(rig, call);
    if (bound && (!pod || strcmp(pod->pod->node_name, call->node) != 0) && pod) {
        rig_fail(rig, "%s: success was answered, it is bound to '%s'", call->key,
                 pod->pod->node_name);
    }
    if (!pod) {
        return;
    }
    if (!bound && strcmp(answer->text, "sakkara: hold expired") != 0 &&
        strcmp(answer->text, "sakkara: superseded") != 0) {
        pod->voted = false;
    }
    if (bound || *pod->pod->node_name) {
        pod->place = RIG_OUT;
    } else if (!call->by_hand && strcmp(answer->text, "sakkara: superseded") != 0) {
        rig_scheduler_bind_failed(rig, pod);
    }
}

void rig_scheduler_answer(struct rig *rig, const struct skr_answer *answer)
{
    if (rig->asking && rig->asking_request == answer->request) {
        take_answer(rig, answer);
        return;
    }
    struct rig_call *call;
    DL_FOREACH(rig->calls, call)
    {
        if (call->request == answer->request) {
            answered_call(rig, call, answer);
            return;
        }
    }
    rig_fail(rig, "an answer to a request that nobody made");
}

void rig_hang_up(struct rig *rig, const struct rig_call *which)
{
    struct rig_call *call;
    struct skr_event event = {.kind = SKR_EVENT_HANGUP};
    DL_FOREACH(rig->calls, call)
    {
        if (call != which || call->state != RIG_OPEN) {
            continue;
        }
        call->state = RIG_HUNG_UP;
        event.request.id = call->request;
        struct rig_object *pod = called_pod(rig, call);
        if (pod) {
            pod->voted = false;
        }
        rig_tell(rig, "bind %s hung up", call->key);
        rig_handle(rig, &event);
        if (pod && !call->by_hand) {
            rig_scheduler_bind_failed(rig, pod);
        }
        return;
    }
}

void rig_scheduler_forget(struct rig *rig, bool hang_up)
{
    struct skr_event gone = {.kind = SKR_EVENT_HANGUP};
    struct rig_call *call;
    struct rig_object *o;
    if (hang_up) {
        rig_handle(rig, &gone);
    }
    DL_FOREACH(rig->calls, call)
    {
        if (call->state != RIG_OPEN) {
            continue;
        }
        if (hang_up) {
            rig_hang_up(rig, call);
        }
        call->state = RIG_HUNG_UP;
        struct rig_object *pod = called_pod(rig, call);
        if (pod) {
            pod->voted = false;
        }
        if (pod && !hang_up && !call->by_hand) {
            rig_scheduler_bind_failed(rig, pod);
        }
    }
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && hang_up) {
            o->place = RIG_OUT;
            o->queued_order = 0;
            o->volumes_until = 0;
            rig_scheduler_sees(rig, o, false);
        }
    }
}

void rig_restart_scheduler(struct rig *rig)
{
    rig_scheduler_forget(rig, true);
}

/* ---- a cycle ---- */

static size_t feasible(struct rig *rig, const struct skr_pod *pod, const char **names)
{
    size_t n = 0;
    const struct rig_object *o;
    count_pending(rig, pod);
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_NODE && (rig->sample == 0 || n < rig->sample) &&
            passes_in_tree(rig, pod, o)) {
            names[n++] = o->key;
        }
    }
    return n;
}

static const char *best_of(struct rig *rig, const struct skr_pod *pod, const char *passed,
                           size_t n_passed, char *buffer, size_t size)
{
    snprintf(buffer, size, "%.*s", (int)strcspn(passed, " "), passed);
    if (n_passed > 1) {
        rig_ask(rig, SKR_GANG_PRIORITIZE, pod, (const char *const[]){buffer}, 1);
    }
    return buffer;
}

static void rejected(struct rig *rig, struct rig_object *pod, const char *text, bool in_tree_only)
{
    char message[160];
    snprintf(message, sizeof message, "0 nodes are available: %s.", text);
    pod->place = RIG_REJECTED;
    pod->in_tree_only = in_tree_only;
    stamp(rig, pod);
    if (pod->missed) {
        queue(rig, pod);
    }
    if (strcmp(pod->pod->scheduled_message, message) == 0) {
        return;
    }
    json_t *condition = json_pack("[{s:s,s:s,s:s,s:s}]", "type", "PodScheduled", "status", "False",
                                  "reason", "Unschedulable", "message", message);
    rig_set_conditions(pod, condition);
    rig_changed(rig, pod);
    if (!in_tree_only) {
        rig_scheduler_sees(rig, pod, true); /* its own patch brings it back once */
    }
}

static void filter_error(struct rig *rig, struct rig_object *pod)
{
    pod->place = RIG_BACKOFF;
    pod->ready_at = rig->now + SKR_SECOND;
    stamp(rig, pod);
    if (*pod->pod->nominated_node) {
        rig_drop_nomination(pod);
        rig_changed(rig, pod);
    }
}

static void cycle(struct rig *rig, struct rig_object *pod)
{
    size_t n_nodes = HASH_COUNT(rig->objects);
    const char **names = skr_alloc_array(n_nodes + 1, sizeof *names);
    char node[64];
    struct rig_answer answer = {.kind = SKR_ANSWER_FILTER_NONE};
    const struct rig_object *nominated =
        *pod->pod->nominated_node ? rig_find(rig, RIG_NODE, pod->pod->nominated_node) : NULL;
    pod->in_cycle = true;
    pod->tried_at = rig->now;
    pod->missed = false;
    count_pending(rig, pod->pod);
    if (nominated && passes_in_tree(rig, pod->pod, nominated)) {
        names[0] = nominated->key;
        pod->n_filters++;
        answer = rig_ask(rig, SKR_GANG_FILTER, pod->pod, names, 1);
    }
    size_t n = 1;
    if (answer.n_passed == 0 && answer.kind != SKR_ANSWER_ERROR) {
        n = feasible(rig, pod->pod, names);
        pod->n_filters += n > 0;
        if (n > 0) {
            answer = rig_ask(rig, SKR_GANG_FILTER, pod->pod, names, n);
        }
    }
    pod->in_cycle = false;
    if (answer.kind == SKR_ANSWER_ERROR) {
        filter_error(rig, pod);
    } else if (answer.n_passed == 0) {
        rejected(rig, pod, n ? answer.text : "9 node(s) did not pass in-tree filters", n == 0);
    } else {
        best_of(rig, pod->pod, answer.passed, answer.n_passed, node, sizeof node);
        pod->place = RIG_ASSUMED;
        const struct rig_object *at = rig_find(rig, RIG_NODE, node);
        snprintf(pod->assumed_node, sizeof pod->assumed_node, "%s", at->key);
        if (!rig_claims_keep(rig, pod)) {
            rig_claims_allocate(rig, pod);
            rig_call_bind(rig, pod, at->key, false);
        }
    }
    free(names);
}

bool rig_step_scheduler(struct rig *rig)
{
    struct rig_object *o, *best = NULL;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && o->place == RIG_QUEUED &&
            (!best || rig_scheduler_prefers(o, best))) {
            best = o;
        }
    }
    if (!best) {
        return false;
    }
    const char *refused = rig_claims_refuse(rig, best);
    if (is_schedulable(rig, best->pod) && refused) {
        best->missed = false;
        rejected(rig, best, refused, true);
    } else if (is_schedulable(rig, best->pod)) {
        cycle(rig, best);
    } else {
        best->place = RIG_OUT;
    }
    return true;
}

struct rig_call *rig_first_open(struct rig *rig)
{
    while (rig->maybe_open && rig->maybe_open->state != RIG_OPEN) {
        rig->maybe_open = rig->maybe_open->next;
    }
    return rig->maybe_open;
}

skr_time rig_scheduler_next(struct rig *rig)
{
    skr_time next = rig_claims_next(rig);
    const struct rig_object *o;
    const struct rig_call *call;
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && o->place == RIG_BACKOFF && o->ready_at < next &&
            !rig->hold_scheduler) {
            next = o->ready_at;
        }
    }
    DL_FOREACH(rig_first_open(rig), call)
    {
        skr_time at = call->at + rig->settings.bind_timeout;
        if (call->state == RIG_OPEN && at < next) {
            next = at;
        }
    }
    return next;
}

void rig_scheduler_due(struct rig *rig)
{
    struct rig_object *o;
    const struct rig_call *call;
    rig_claims_due(rig);
    DL_FOREACH(rig->list, o)
    {
        if (o->kind == RIG_POD && o->place == RIG_BACKOFF && o->ready_at <= rig->now) {
            queue(rig, o);
        }
    }
    DL_FOREACH(rig_first_open(rig), call)
    {
        if (call->state == RIG_OPEN && call->at + rig->settings.bind_timeout <= rig->now) {
            rig_fail(rig, "bind call of %s was not answered in time", call->key);
        }
    }
}
