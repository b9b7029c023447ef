/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tap is a scripted HTTP server (fake_api.h) whose responder asks the daemon, many at a time;
 * what it knows is under the lock of the cluster's proxy, where the guard asks for open calls.
 */
#include "test/integration/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

#include "server/lab/sandbox/scheduler_thread.h"
#include "server/object/path.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"

#define TIMEOUT_MS 330000L

/* A bind call that was passed on. */
struct call {
    char uid[64], node[256];
    bool lost; /* it ended without an answer: what the daemon sent before may still arrive */
    struct call *next;
};

struct scheduler {
    struct cluster *cluster;
    struct skr_scheduler_thread *thread;
    struct fake_api *tap;
    const struct web_tls *tls; /* borrowed; NULL: plain HTTP */
    /* Under the proxy's lock: */
    uint16_t port, bind_port;
    bool stopping;
    char hold[64];
    struct call *calls;
    size_t open;
    struct scheduler_counts counts;
};

/* ---- open bind calls ---- */

/* Forgets lost calls; uid NULL: of all pods. */
static void forget_lost(struct scheduler *s, const char *uid)
{
    struct call *call, *next;
    LL_FOREACH_SAFE(s->calls, call, next)
    {
        if (call->lost && (!uid || strcmp(call->uid, uid) == 0)) {
            LL_DELETE(s->calls, call);
            free(call);
        }
    }
}

static struct call *begin_call(struct scheduler *s, const json_t *question)
{
    struct call *call = skr_alloc(sizeof *call);
    snprintf(call->uid, sizeof call->uid, "%s", skr_path_text(question, "PodUID"));
    snprintf(call->node, sizeof call->node, "%s", skr_path_text(question, "Node"));
    forget_lost(s, call->uid);
    LL_PREPEND(s->calls, call);
    s->open++;
    s->counts.binds++;
    fake_api_changed(s->cluster->api);
    return call;
}

static void end_call(struct scheduler *s, struct call *call, bool answered)
{
    s->open--;
    call->lost = !answered;
    if (answered) {
        LL_DELETE(s->calls, call);
        free(call);
    }
}

static bool has_call(void *context, const char *uid, const char *node)
{
    const struct scheduler *s = context;
    const struct call *call;
    LL_FOREACH(s->calls, call)
    {
        if (strcmp(call->uid, uid) == 0 && strcmp(call->node, node) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- what answers have to be ---- */

static void note_text(struct scheduler *s, const char *text)
{
    struct scheduler_counts *n = &s->counts;
    for (size_t i = 0; i < n->n_texts; i++) {
        if (strcmp(n->text[i], text) == 0) {
            return;
        }
    }
    if (text[0] && n->n_texts < SCHEDULER_TEXTS_MAX) {
        snprintf(n->text[n->n_texts++], sizeof n->text[0], "%s", text);
    }
}

static bool is_among(const json_t *names, const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach(names, i, one)
    {
        if (strcmp(json_string_value(one), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Lists are there, every name that was asked about has its place, one constant text. */
static void judge_filter(struct scheduler *s, const json_t *asked, const json_t *answer)
{
    size_t i;
    json_t *name, *text;
    const char *key;
    json_t *passed = json_object_get(answer, "NodeNames");
    json_t *failed = json_object_get(answer, "FailedAndUnresolvableNodes");
    if (skr_path_text(answer, "Error")[0]) {
        return;
    }
    if (!json_is_array(passed) || !json_is_object(failed) ||
        !json_is_object(json_object_get(answer, "FailedNodes"))) {
        cluster_violate(s->cluster, "filter left lists out");
    }
    json_array_foreach(passed, i, name)
    {
        if (!is_among(asked, json_string_value(name))) {
            cluster_violate(s->cluster, "filter returned %s, which was not asked about",
                            json_string_value(name));
        }
    }
    if (json_array_size(passed) == 0 && json_object_size(failed) != json_array_size(asked)) {
        cluster_violate(s->cluster, "filter refused %zu of %zu nodes", json_object_size(failed),
                        json_array_size(asked));
    }
    json_object_foreach(failed, key, text)
    {
        note_text(s, json_string_value(text));
        if (strncmp(json_string_value(text), "sakkara: ", 9) != 0) {
            cluster_violate(s->cluster, "%s was refused with '%s'", key, json_string_value(text));
        }
    }
}

static void judge_bind(struct scheduler *s, const json_t *question, const json_t *answer)
{
    const char *name = skr_path_text(question, "PodName");
    const char *wanted = skr_path_text(question, "Node");
    const json_t *pod =
        cluster_get(s->cluster, "Pod", skr_path_text(question, "PodNamespace"), name);
    const char *node = skr_path_text(pod, "spec.nodeName");
    const bool same =
        strcmp(skr_path_text(pod, "metadata.uid"), skr_path_text(question, "PodUID")) == 0;
    const bool bound = answer && !skr_path_text(answer, "Error")[0];
    s->counts.answered += !!answer;
    s->counts.failed += !answer;
    s->counts.bound += bound;
    if (bound && same && strcmp(node, wanted) != 0) {
        cluster_violate(s->cluster, "bind of %s to %s succeeded, but it is on '%s'", name, wanted,
                        node);
    }
}

/* Both locks held. */
static void judge(struct scheduler *s, const char *verb, const json_t *question,
                  const struct web_answer *web)
{
    json_auto_t *answer = web->status ? json_loads(web->body, 0, NULL) : NULL;
    const bool is_bind = strcmp(verb, "bind") == 0;
    if (web->status != 0 &&
        (web->status != 200 || !answer || (is_bind && !json_is_object(answer)))) {
        cluster_violate(s->cluster, "%s was answered %d: %.100s", verb, web->status, web->body);
    }
    if (is_bind) {
        judge_bind(s, question, answer);
    } else if (web->status == 200 && strcmp(verb, "filter") == 0) {
        s->counts.filters++;
        s->counts.filter_max_ns =
            web->took_ns > s->counts.filter_max_ns ? web->took_ns : s->counts.filter_max_ns;
        judge_filter(s, json_object_get(question, "NodeNames"), answer);
    }
    note_text(s, skr_path_text(answer, "Error"));
}

/* ---- the tap ---- */

static bool is_held(const struct scheduler *s, const json_t *question)
{
    const char *name = skr_path_text(question, "PodName");
    return s->port == 0 || (name[0] && s->hold[0] && strncmp(name, s->hold, strlen(s->hold)) == 0);
}

/* Waits until it may pass. false: the end. Proxy's lock held. */
static bool wait_for_turn(struct scheduler *s, const json_t *question)
{
    while (!s->stopping && is_held(s, question)) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += CLUSTER_DEADLINE_S;
        (void)fake_api_wait(s->cluster->api, &until);
    }
    return !s->stopping;
}

static struct fake_reply pass_on(struct scheduler *s, const char *verb, const char *body)
{
    struct cluster *c = s->cluster;
    json_auto_t *question = json_loads(body, 0, NULL);
    const bool is_bind = strcmp(verb, "bind") == 0;
    struct call *call = NULL;
    char path[64];
    fake_api_lock(c->api);
    if (!wait_for_turn(s, question)) {
        fake_api_unlock(c->api);
        return (struct fake_reply){.status = 0};
    }
    const uint16_t port = is_bind ? s->bind_port : s->port;
    call = is_bind ? begin_call(s, question) : NULL;
    fake_api_unlock(c->api);
    snprintf(path, sizeof path, "/v1/%s", verb);
    const struct web_answer answer = web_ask("POST", port, path, body, s->tls, TIMEOUT_MS);
    cluster_lock(c);
    judge(s, verb, question, &answer);
    if (call) {
        end_call(s, call, answer.status != 0);
    }
    fake_api_changed(c->api);
    cluster_unlock(c);
    return (struct fake_reply){.status = answer.status, .body = answer.body};
}

/* The tap's lock is held at call and return, not in between. */
static struct fake_reply respond(void *context, const char *text)
{
    struct scheduler *s = context;
    char verb[16] = "";
    const char *body = strstr(text, "\n\n");
    skr_bug_on(!body || sscanf(text, "POST /v1/%15s", verb) != 1);
    fake_api_unlock(s->tap);
    const struct fake_reply reply = pass_on(s, verb, body + 2);
    fake_api_lock(s->tap);
    return reply;
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

/* As configs/scheduler.yaml, but for times. */
static void start_scheduler(struct scheduler *s)
{
    const struct skr_trace trace = {.line = NULL};
    struct skr_scheduler_config *config = NULL;
    struct skr_findings findings;
    struct skr_error error = {.code = SKR_OK};
    SKR_STRBUF(text);
    skr_findings_init(&findings);
    skr_strbuf_addf(&text,
                    "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,"
                    " profiles: [{schedulerName: sakkara}], extenders: [{urlPrefix: "
                    "\"http://127.0.0.1:%u/v1\", filterVerb: filter, prioritizeVerb: prioritize, "
                    "weight: 20, httpTimeout: 60s, nodeCacheCapable: true}, {urlPrefix: "
                    "\"http://127.0.0.1:%u/v1\", bindVerb: bind, httpTimeout: 330s, "
                    "nodeCacheCapable: true}]}",
                    fake_api_port(s->tap), fake_api_port(s->tap));
    skr_bug_on(skr_scheduler_config_parse(text.s, text.len, &config, &findings) != 0);
    config->initial_backoff = SKR_MILLISECOND;
    skr_bug_on(skr_scheduler_thread_create(s->cluster->sandbox, s->cluster->store,
                                           &s->cluster->clock, config, &trace, &s->thread,
                                           &error) != 0);
}

struct scheduler *scheduler_start(struct cluster *cluster, const struct web_tls *tls)
{
    struct scheduler *s = skr_alloc(sizeof *s);
    s->cluster = cluster;
    s->tls = tls;
    s->tap = fake_api_start(NULL, false);
    fake_api_respond(s->tap, respond, s);
    fake_api_lock(cluster->api);
    cluster->has_call = has_call;
    cluster->has_call_context = s;
    cluster->dump[0] = dump;
    cluster->dump_context[0] = s;
    fake_api_unlock(cluster->api);
    start_scheduler(s);
    return s;
}

void scheduler_point(struct scheduler *s, uint16_t port, uint16_t bind_port)
{
    fake_api_lock(s->cluster->api);
    s->port = port;
    s->bind_port = bind_port;
    forget_lost(s, NULL);
    fake_api_changed(s->cluster->api);
    fake_api_unlock(s->cluster->api);
}

void scheduler_cut_off(struct scheduler *s)
{
    s->port = 0;
    s->bind_port = 0;
}

void scheduler_hold(struct scheduler *s, const char *prefix)
{
    fake_api_lock(s->cluster->api);
    snprintf(s->hold, sizeof s->hold, "%s", prefix ? prefix : "");
    fake_api_changed(s->cluster->api);
    fake_api_unlock(s->cluster->api);
}

void scheduler_stop(struct scheduler *s)
{
    if (!s) {
        return;
    }
    fake_api_lock(s->cluster->api);
    s->stopping = true;
    s->cluster->dump[0] = NULL;
    fake_api_changed(s->cluster->api);
    fake_api_unlock(s->cluster->api);
    skr_scheduler_thread_destroy(s->thread);
    fake_api_stop(s->tap);
    fake_api_lock(s->cluster->api);
    s->cluster->has_call = NULL;
    fake_api_unlock(s->cluster->api);
    forget_lost(s, NULL);
    free(s);
}

/* ---- looking ---- */

struct scheduler_counts scheduler_counts(struct scheduler *s)
{
    fake_api_lock(s->cluster->api);
    const struct scheduler_counts counts = s->counts;
    fake_api_unlock(s->cluster->api);
    return counts;
}

bool scheduler_saw(struct scheduler *s, const char *text)
{
    const struct scheduler_counts counts = scheduler_counts(s);
    for (size_t i = 0; i < counts.n_texts; i++) {
        if (strcmp(counts.text[i], text) == 0) {
            return true;
        }
    }
    return false;
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
