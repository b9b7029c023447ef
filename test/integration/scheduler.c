/* SPDX-License-Identifier: Apache-2.0 */
/* The queue and the thread of its cycles, its own writes, and its life. */
#include "test/integration/scheduler.h"
#include "server/object/path.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

#include "test/integration/scheduler_parts.h"
#include "topology/base/arena.h"

int64_t scheduler_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

void scheduler_note_text(struct scheduler *s, const char *text)
{
    struct scheduler_counts *n = &s->counts;
    for (size_t i = 0; i < n->n_texts; i++) {
        if (strcmp(n->text[i], text) == 0) {
            return;
        }
    }
    if (n->n_texts < SCHEDULER_TEXTS_MAX) {
        snprintf(n->text[n->n_texts++], sizeof n->text[0], "%s", text);
    }
}

/* ---- the queue ---- */

static struct entry *entry_of(struct scheduler *s, const char *uid)
{
    struct entry *e;
    LL_FOREACH(s->entries, e)
    {
        if (strcmp(e->uid, uid) == 0) {
            return e;
        }
    }
    e = skr_alloc(sizeof *e);
    e->uid = skr_strdup(uid);
    LL_APPEND(s->entries, e);
    return e;
}

static bool is_schedulable(const json_t *pod)
{
    const json_t *gates = json_object_get(json_object_get(pod, "spec"), "schedulingGates");
    return strncmp(skr_path_text(pod, "spec.schedulerName"), "sakkara", 7) == 0 &&
           !skr_path_text(pod, "spec.nodeName")[0] && json_array_size(gates) == 0 &&
           !skr_path_text(pod, "metadata.deletionTimestamp")[0];
}

/* The next pod whose turn it is; *ret_until: when to look again at the latest. Lock held. */
static const json_t *next_pod(struct scheduler *s, struct entry **ret, int64_t *ret_until)
{
    const json_t *pod;
    int64_t now = scheduler_now_ns();
    *ret_until = now + 1000000000;
    for (size_t i = 0; (pod = cluster_at(s->cluster, "Pod", i)); i++) {
        if (!is_schedulable(pod)) {
            continue;
        }
        const char *name = skr_path_text(pod, "metadata.name");
        if (s->hold[0] && strncmp(name, s->hold, strlen(s->hold)) == 0) {
            continue;
        }
        struct entry *e = entry_of(s, skr_path_text(pod, "metadata.uid"));
        const char *version = skr_path_text(pod, "metadata.resourceVersion");
        if (e->assumed || (!e->again && e->tried && strcmp(e->tried, version) == 0)) {
            continue;
        }
        if (e->not_before > now) {
            *ret_until = e->not_before < *ret_until ? e->not_before : *ret_until;
            continue;
        }
        free(e->tried);
        e->tried = skr_strdup(version);
        e->again = false;
        *ret = e;
        return pod;
    }
    return NULL;
}

/* ---- its own writes ---- */

void scheduler_clear_nomination(struct scheduler *s, const char *namespace_, const char *name,
                                const char *uid)
{
    const json_t *pod = cluster_get(s->cluster, "Pod", namespace_, name);
    if (!pod || strcmp(skr_path_text(pod, "metadata.uid"), uid) != 0 ||
        !skr_path_text(pod, "status.nominatedNodeName")[0]) {
        return;
    }
    json_auto_t *patch = json_pack("{s:{s:n}}", "status", "nominatedNodeName");
    cluster_patch_locked(s->cluster, "Pod", namespace_, name, patch);
}

/* PodScheduled=False, written when it changes. */
static void tell_condition(struct scheduler *s, const json_t *pod, const char *reason,
                           const char *message)
{
    const json_t *old =
        json_array_get(json_object_get(json_object_get(pod, "status"), "conditions"), 0);
    if (strcmp(skr_path_text(old, "message"), message) == 0 &&
        strcmp(skr_path_text(old, "reason"), reason) == 0) {
        return;
    }
    SKR_AUTO_FREE char *namespace_ = skr_strdup(skr_path_text(pod, "metadata.namespace"));
    SKR_AUTO_FREE char *name = skr_strdup(skr_path_text(pod, "metadata.name"));
    json_auto_t *patch =
        json_pack("{s:{s:[{s:s,s:s,s:s,s:s}]}}", "status", "conditions", "type", "PodScheduled",
                  "status", "False", "reason", reason, "message", message);
    cluster_patch_locked(s->cluster, "Pod", namespace_, name, patch);
}

/* ---- a cycle ---- */

static json_t *all_nodes(const struct scheduler *s)
{
    const json_t *node;
    json_t *names = json_array();
    for (size_t i = 0; (node = cluster_at(s->cluster, "Node", i)); i++) {
        if (!json_is_true(json_object_get(json_object_get(node, "spec"), "unschedulable"))) {
            json_array_append(names, json_object_get(json_object_get(node, "metadata"), "name"));
        }
    }
    return names;
}

/* Lock held at call and return, not in between. */
static void run_cycle(struct scheduler *s, struct entry *e, const json_t *object)
{
    struct verdict v = {.node = ""};
    json_auto_t *pod = json_deep_copy(object);
    json_auto_t *names = all_nodes(s);
    const char *nominated = skr_path_text(pod, "status.nominatedNodeName");
    uint16_t port = s->port;
    cluster_unlock(s->cluster);
    if (nominated[0] && scheduler_is_among(names, nominated)) {
        json_auto_t *one = json_pack("[s]", nominated);
        scheduler_choose(s, pod, one, port, &v);
    }
    if (!v.node[0] && !v.error && json_array_size(names) > 0) {
        scheduler_choose(s, pod, names, port, &v);
    }
    cluster_lock(s->cluster);
    const char *namespace_ = skr_path_text(pod, "metadata.namespace");
    const char *name = skr_path_text(pod, "metadata.name");
    const json_t *now = cluster_get(s->cluster, "Pod", namespace_, name);
    bool same = strcmp(skr_path_text(now, "metadata.uid"), e->uid) == 0;
    if (v.node[0] && same && !s->stopping) {
        scheduler_start_call(s, e, pod, v.node);
    } else if (v.error) {
        e->again = true;
        e->not_before = scheduler_now_ns() + SCHEDULER_BACKOFF_MS * 1000000LL;
        scheduler_clear_nomination(s, namespace_, name, e->uid);
    } else if (same) {
        tell_condition(s, now, "Unschedulable", v.text);
    }
}

static void wait_until(struct scheduler *s, int64_t until_ns)
{
    struct timespec until;
    int64_t left = until_ns - scheduler_now_ns();
    (void)clock_gettime(CLOCK_REALTIME, &until);
    left = (left > 0 ? left : 0) + until.tv_nsec;
    until.tv_sec += left / 1000000000;
    until.tv_nsec = left % 1000000000;
    cluster_sleep_locked(s->cluster, &until);
}

static void *run(void *context)
{
    struct scheduler *s = context;
    cluster_lock(s->cluster);
    while (!s->stopping) {
        struct entry *e = NULL;
        int64_t until = scheduler_now_ns() + 1000000000;
        const json_t *pod = s->port ? next_pod(s, &e, &until) : NULL;
        if (pod) {
            run_cycle(s, e, pod);
        } else {
            wait_until(s, until);
        }
    }
    cluster_unlock(s->cluster);
    return NULL;
}

/* ---- life ---- */

static void dump(void *context)
{
    const struct scheduler *s = context;
    fprintf(stderr, "scheduler: %zu filters, %zu binds, %zu answered, %zu bound, %zu open\n",
            s->counts.filters, s->counts.binds, s->counts.answered, s->counts.bound, s->open);
    for (size_t i = 0; i < s->counts.n_texts; i++) {
        fprintf(stderr, "  it heard: %s\n", s->counts.text[i]);
    }
}

struct scheduler *scheduler_start(struct cluster *cluster, const struct scheduler_tls *tls)
{
    struct scheduler *s = skr_alloc(sizeof *s);
    s->cluster = cluster;
    s->has_tls = tls;
    if (tls) {
        s->tls = (struct web_tls){tls->ca, tls->cert, tls->key};
    }
    cluster_lock(cluster);
    cluster->has_call = scheduler_has_call;
    cluster->has_call_context = s;
    cluster->dump[0] = dump;
    cluster->dump_context[0] = s;
    cluster_unlock(cluster);
    skr_bug_on(pthread_create(&s->thread, NULL, run, s) != 0);
    return s;
}

void scheduler_point(struct scheduler *s, uint16_t port, uint16_t bind_port)
{
    struct entry *e;
    cluster_lock(s->cluster);
    s->port = port;
    s->bind_port = bind_port;
    LL_FOREACH(s->entries, e)
    {
        if (e->lost) {
            free(e->node);
            e->node = NULL;
        }
        e->lost = false;
    }
    fake_api_changed(s->cluster->api);
    cluster_unlock(s->cluster);
}

void scheduler_cut_off(struct scheduler *s)
{
    s->port = 0;
    s->bind_port = 0;
}

void scheduler_hold(struct scheduler *s, const char *prefix)
{
    cluster_lock(s->cluster);
    snprintf(s->hold, sizeof s->hold, "%s", prefix ? prefix : "");
    fake_api_changed(s->cluster->api);
    cluster_unlock(s->cluster);
}

void scheduler_stop(struct scheduler *s)
{
    if (!s) {
        return;
    }
    cluster_lock(s->cluster);
    s->stopping = true;
    s->cluster->dump[0] = NULL;
    fake_api_changed(s->cluster->api);
    cluster_unlock(s->cluster);
    (void)pthread_join(s->thread, NULL);
    struct call *call, *next_call;
    LL_FOREACH_SAFE(s->calls, call, next_call)
    {
        scheduler_free_call(call);
    }
    cluster_lock(s->cluster);
    s->cluster->has_call = NULL;
    cluster_unlock(s->cluster);
    struct entry *e, *next;
    LL_FOREACH_SAFE(s->entries, e, next)
    {
        free(e->uid);
        free(e->tried);
        free(e->node);
        free(e);
    }
    free(s);
}

/* ---- looking ---- */

struct scheduler_counts scheduler_counts(struct scheduler *s)
{
    cluster_lock(s->cluster);
    struct scheduler_counts counts = s->counts;
    cluster_unlock(s->cluster);
    return counts;
}

bool scheduler_saw(struct scheduler *s, const char *text)
{
    struct scheduler_counts counts = scheduler_counts(s);
    for (size_t i = 0; i < counts.n_texts; i++) {
        if (strcmp(counts.text[i], text) == 0) {
            return true;
        }
    }
    return false;
}

size_t scheduler_open_calls(struct scheduler *s)
{
    cluster_lock(s->cluster);
    size_t n = s->open;
    cluster_unlock(s->cluster);
    return n;
}

struct question {
    const struct scheduler *s;
    size_t n;
};

static bool has_open(void *context)
{
    const struct question *q = context;
    return q->s->open >= q->n;
}

static bool has_filters(void *context)
{
    const struct question *q = context;
    return q->s->counts.filters >= q->n;
}

static bool is_idle(void *context)
{
    const struct question *q = context;
    return q->s->open == 0;
}

void scheduler_wait_open_calls(struct scheduler *s, size_t n)
{
    struct question q = {s, n};
    cluster_wait(s->cluster, has_open, &q, "open bind calls");
}

void scheduler_wait_filters(struct scheduler *s, size_t n)
{
    struct question q = {s, n};
    cluster_wait(s->cluster, has_filters, &q, "filter calls");
}

void scheduler_wait_idle(struct scheduler *s)
{
    struct question q = {s, 0};
    cluster_wait(s->cluster, is_idle, &q, "no open bind call");
}
