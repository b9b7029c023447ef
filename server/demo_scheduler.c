/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kube-scheduler as the demo needs it: one cycle at a time in the order in which pods became
 * schedulable, the nominated node first and alone, then all nodes; bind calls stay open until the
 * engine answers; a failed one comes back after a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/demo_cluster_state.h"
#include "topology/arena.h"

static void take_answer_to_question(struct question *q, const struct skr_answer *answer)
{
    for (size_t i = 0; i < q->n; i++) {
        bool in_mask = answer->kind == SKR_ANSWER_FILTER_MASK && (answer->mask[i / 8] >> i % 8 & 1);
        q->passes[i] = in_mask || answer->kind == SKR_ANSWER_FILTER_ALL ||
                       (answer->kind == SKR_ANSWER_FILTER_ONE && answer->index == i);
        bool higher =
            answer->kind == SKR_ANSWER_SCORES && answer->scores[i] > answer->scores[q->best];
        q->best = higher ? i : q->best;
    }
    snprintf(q->text, sizeof q->text, "%s", answer->text);
}

void skr_demo_scheduler_answer(struct skr_demo_cluster *c, const struct skr_answer *answer)
{
    if (c->question && c->question->request == answer->request) {
        take_answer_to_question(c->question, answer);
        return;
    }
    struct queued_pod *pod;
    DL_FOREACH(c->pods, pod)
    {
        if (pod->place != POD_ASSUMED || pod->request != answer->request) {
            continue;
        }
        bool bound = answer->kind == SKR_ANSWER_BOUND;
        pod->place = POD_OUT;
        skr_demo_trace(c, SKR_DEMO_TRACE_VERB, "bind %s/%s answered: %s", pod->namespace_,
                       pod->name, bound ? "bound" : answer->text);
        if (!bound) {
            /* It comes back from the error queue after its backoff. */
            skr_demo_announce(c, SKR_DEMO_POD, pod->namespace_, pod->name, SKR_SECOND);
        }
        return;
    }
}

/* ---- the queue ---- */

static struct queued_pod *queued_pod(struct skr_demo_cluster *c, const char *namespace_,
                                     const char *name)
{
    struct queued_pod *pod;
    DL_FOREACH(c->pods, pod)
    {
        if (strcmp(pod->namespace_, namespace_) == 0 && strcmp(pod->name, name) == 0) {
            return pod;
        }
    }
    pod = skr_alloc(sizeof *pod);
    pod->namespace_ = skr_strdup(namespace_);
    pod->name = skr_strdup(name);
    DL_APPEND(c->pods, pod);
    return pod;
}

static bool is_ours(const struct skr_demo_cluster *c, const json_t *pod)
{
    const char *scheduler = skr_demo_text(pod, "spec.schedulerName");
    for (size_t i = 0; i < c->options.settings.n_scheduler_names; i++) {
        if (strcmp(scheduler, c->options.settings.scheduler_name[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_schedulable(const struct skr_demo_cluster *c, const json_t *pod)
{
    const json_t *gates = json_object_get(json_object_get(pod, "spec"), "schedulingGates");
    return pod && is_ours(c, pod) && !skr_demo_text(pod, "spec.nodeName")[0] &&
           json_array_size(gates) == 0;
}

static void wake_scheduler(struct skr_demo_cluster *c)
{
    if (!c->cycle_waits) {
        c->cycle_waits = true;
        skr_demo_add_task(c, TASK_CYCLE, SKR_DEMO_CYCLE_TIME, "", "");
    }
}

/* Any change of a pod brings it back to the queue. */
void skr_demo_scheduler_see(struct skr_demo_cluster *c, const char *namespace_, const char *name)
{
    const json_t *object = skr_demo_objects_get(c->objects, SKR_DEMO_POD, namespace_, name);
    struct queued_pod *pod = queued_pod(c, namespace_, name);
    if (!is_schedulable(c, object)) {
        pod->place = pod->place == POD_ASSUMED ? POD_ASSUMED : POD_OUT;
    } else if (pod->place == POD_OUT) {
        pod->place = POD_QUEUED;
        /* First come, first served. */
        DL_DELETE(c->pods, pod);
        DL_APPEND(c->pods, pod);
        wake_scheduler(c);
    }
}

/* Asks filter or prioritize about names; the answer is in q. */
static void ask(struct skr_demo_cluster *c, enum skr_event_kind verb, const struct skr_pod *pod,
                const char *const *names, size_t n, struct question *q)
{
    struct skr_event event = {.kind = verb};
    q->request = ++c->request;
    q->n = n;
    q->best = 0;
    event.filter.request = q->request;
    event.filter.pod = pod;
    event.filter.n_nodes = n;
    event.filter.node = names;
    c->question = q;
    skr_demo_handle(c, &event);
    c->question = NULL;
}

/* Node the pod goes to, borrowed from names; NULL: refused. */
static const char *choose(struct skr_demo_cluster *c, const struct skr_pod *pod, const char **names,
                          size_t n, struct question *q)
{
    ask(c, SKR_EVENT_FILTER, pod, names, n, q);
    size_t left = 0;
    for (size_t i = 0; i < n; i++) {
        if (q->passes[i]) {
            names[left++] = names[i];
        }
    }
    skr_demo_trace(c, SKR_DEMO_TRACE_VERB, "filter %s, %zu node%s: %s%s", pod->meta.name, n,
                   n == 1 ? "" : "s", left ? names[0] : q->text, left > 1 ? ", ..." : "");
    if (left > 1) {
        ask(c, SKR_EVENT_PRIORITIZE, pod, names, left, q);
        return names[q->best];
    }
    return left == 1 ? names[0] : NULL;
}

static const char **list_nodes(const struct skr_demo_cluster *c, size_t *ret_n)
{
    const char **names = NULL;
    size_t n = 0, cap = 0;
    for (const json_t *node; (node = skr_demo_objects_at(c->objects, SKR_DEMO_NODE, n)); n++) {
        skr_grow(&names, &cap, n + 1, sizeof *names);
        names[n] = skr_demo_text(node, "metadata.name");
    }
    *ret_n = n;
    return names;
}

/* One scheduling cycle of the pod. */
static void schedule(struct skr_demo_cluster *c, struct queued_pod *queued,
                     const struct skr_pod *pod)
{
    size_t n;
    const char **names = list_nodes(c, &n);
    struct question q = {.passes = skr_alloc(n + 1)};
    const char *nominated = pod->nominated_node;
    const char *node = nominated[0] ? choose(c, pod, &nominated, 1, &q) : NULL;
    if (!node && n > 0) {
        node = choose(c, pod, names, n, &q);
    }
    queued->place = node ? POD_ASSUMED : POD_OUT;
    if (node) {
        struct task *task =
            skr_demo_add_task(c, TASK_BIND, SKR_DEMO_CYCLE_TIME, queued->namespace_, queued->name);
        task->node = skr_strdup(node);
        task->uid = skr_strdup(pod->meta.uid);
        queued->request = ++c->request;
    }
    free(q.passes);
    free(names);
}

void skr_demo_scheduler_cycle(struct skr_demo_cluster *c)
{
    struct queued_pod *queued;
    c->cycle_waits = false;
    DL_FOREACH(c->pods, queued)
    {
        if (queued->place == POD_QUEUED) {
            break;
        }
    }
    if (!queued) {
        return;
    }
    const json_t *object =
        skr_demo_objects_get(c->objects, SKR_DEMO_POD, queued->namespace_, queued->name);
    struct skr_event decoded;
    queued->place = POD_OUT;
    if (is_schedulable(c, object) && skr_demo_decode(c, SKR_DEMO_POD, object, &decoded)) {
        schedule(c, queued, decoded.pod);
        skr_pod_destroy(decoded.pod);
    }
    wake_scheduler(c);
}

void skr_demo_scheduler_bind(struct skr_demo_cluster *c, const struct task *task)
{
    struct queued_pod *pod = queued_pod(c, task->namespace_, task->name);
    struct skr_event event = {.kind = SKR_EVENT_BIND,
                              .namespace_ = task->namespace_,
                              .name = task->name,
                              .uid = task->uid};
    event.bind.request = pod->request;
    event.bind.node = task->node;
    skr_demo_trace(c, SKR_DEMO_TRACE_VERB, "bind %s/%s to %s, call %llu", task->namespace_,
                   task->name, task->node, (unsigned long long)pod->request);
    skr_demo_handle(c, &event);
}

void skr_demo_scheduler_fini(struct skr_demo_cluster *c)
{
    struct queued_pod *pod, *next;
    DL_FOREACH_SAFE(c->pods, pod, next)
    {
        free(pod->namespace_);
        free(pod->name);
        free(pod);
    }
    c->pods = NULL;
}
