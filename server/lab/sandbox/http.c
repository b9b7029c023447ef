/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two threads of the sandbox and their shared state. A request is executed on the listener's
 * thread under the lock. The cluster's thread sees its changes, steps the models and then wakes
 * watches with new changes. Answers are written as text without the lock, since trees are
 * immutable. Reference counts change only under the lock.
 */
#include "server/lab/sandbox/http.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/lab/sandbox/discovery.h"
#include "server/lab/sandbox/http_request.h"
#include "server/lab/store/status.h"
#include "server/thread.h"
#include "topology/base/arena.h"

enum {
    WATCH_S = 1800, /* of a watch without a timeout */
};

#define JSON_TYPE "application/json"

/* A watch: the user of its request. */
struct watch {
    struct skr_http_request *request;
    struct skr_stream *stream;
    struct watch *prev, *next;
};

struct skr_sandbox_http {
    struct skr_sandbox_http_options options;
    struct skr_store *store;
    struct skr_listener *listener;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* for the cluster's thread; both wait on CLOCK_MONOTONIC */
    pthread_cond_t moved;   /* for skr_sandbox_http_wait() */
    /* Under the lock: */
    bool stopping;
    uint64_t stepped; /* the cluster's thread has seen all changes up to this revision */
    bool stirred;     /* there may be changes by any thread */
    struct watch *watches;
};

static skr_time now_of(const struct skr_sandbox_http *http)
{
    return skr_clock_now(http->options.clock);
}

void skr_sandbox_http_lock(struct skr_sandbox_http *http)
{
    pthread_mutex_lock(&http->lock);
}

void skr_sandbox_http_unlock(struct skr_sandbox_http *http)
{
    http->stirred = true;
    pthread_cond_signal(&http->changed);
    pthread_cond_broadcast(&http->moved);
    pthread_mutex_unlock(&http->lock);
}

static void wait_on(struct skr_sandbox_http *http, pthread_cond_t *condition, skr_time at)
{
    if (at == SKR_TIME_NEVER) {
        pthread_cond_wait(condition, &http->lock);
        return;
    }
    const struct timespec deadline = skr_clock_deadline(http->options.clock, at);
    pthread_cond_timedwait(condition, &http->lock, &deadline);
}

void skr_sandbox_http_wait(struct skr_sandbox_http *http, skr_time at)
{
    if (skr_store_revision(http->store) > http->stepped) {
        http->stirred = true;
        pthread_cond_signal(&http->changed);
    }
    wait_on(http, &http->moved, at);
}

uint16_t skr_sandbox_http_port(const struct skr_sandbox_http *http)
{
    return skr_listener_port(http->listener);
}

/* ---- the cluster's thread ---- */

/* Wakes watches that have something to send; returns the next time that one will have. */
static skr_time wake_watches(struct skr_sandbox_http *http, skr_time now)
{
    skr_time next = SKR_TIME_NEVER;
    struct watch *watch;
    DL_FOREACH(http->watches, watch)
    {
        const skr_time due = skr_stream_due(watch->stream);
        if (due <= now || skr_stream_is_behind(watch->stream)) {
            skr_http_wake_stream(watch->request);
        }
        /* Also for a watch that is behind: it may catch up before the next look. */
        if (due > now && due < next) {
            next = due;
        }
    }
    return next;
}

static void wait_until(struct skr_sandbox_http *http, skr_time at)
{
    if (http->stirred || http->stopping) {
        return;
    }
    wait_on(http, &http->changed, at);
}

static void *run(void *context)
{
    struct skr_sandbox_http *http = context;
    pthread_mutex_lock(&http->lock);
    while (!http->stopping) {
        http->stirred = false;
        const skr_time now = now_of(http);
        (void)skr_cluster_step(http->options.cluster, now);
        const uint64_t revision = skr_store_revision(http->store);
        if (revision != http->stepped) {
            http->stepped = revision;
            pthread_cond_broadcast(&http->moved);
        }
        const skr_time watch = wake_watches(http, now);
        const skr_time model = skr_cluster_next(http->options.cluster);
        wait_until(http, watch < model ? watch : model);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}

/* ---- answers ---- */

/* body: borrowed. */
static void reply_text(struct skr_http_request *request, int status, const json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);
    struct skr_strbuf out;
    size_t n;
    if (!text) {
        skr_http_reply_text(request, 500, "text/plain", "out of memory\n");
        return;
    }
    skr_strbuf_init(&out);
    skr_strbuf_add(&out, text);
    skr_strbuf_addc(&out, '\n');
    free(text);
    char *bytes = skr_strbuf_take(&out, &n);
    skr_http_reply(request, (unsigned)status, JSON_TYPE, bytes, n);
}

/* body: taken, unshared. */
static void reply_json(struct skr_http_request *request, int status, json_t *body)
{
    reply_text(request, status, body);
    json_decref(body);
}

static bool is_object(const json_t *body, const struct skr_store_resource *resource)
{
    const char *kind = json_string_value(json_object_get(body, "kind"));
    const size_t n = strlen(resource->kind);
    return kind && strncmp(kind, resource->kind, n) == 0 &&
           (kind[n] == '\0' || strcmp(kind + n, "List") == 0);
}

/* Converts to the requested shape; Statuses stay unchanged. */
static void shape(const struct skr_api_request *api, struct skr_store_reply *reply, skr_time now)
{
    json_t *shaped = NULL;
    if (reply->status >= 300 || !is_object(reply->body, api->route.resource)) {
        return;
    }
    if (api->shape == SKR_STREAM_TABLE) {
        shaped = skr_table_of(api->route.resource, reply->body, api->include, now);
    } else if (api->shape == SKR_STREAM_METADATA) {
        shaped = skr_table_metadata_of(reply->body);
    }
    if (shaped) {
        json_decref(reply->body);
        reply->body = shaped;
    }
}

/* ---- watches ---- */

static void begin_watch(struct skr_sandbox_http *http, struct skr_http_request *request,
                        const struct skr_api_request *api)
{
    struct skr_store_reply reply = {.status = 0};
    struct skr_error error = {.code = SKR_OK};
    struct skr_stream *stream = NULL;
    char by_name[SKR_ROUTE_NAME_MAX + 32];
    (void)snprintf(by_name, sizeof by_name, "metadata.name=%s", api->route.name);
    pthread_mutex_lock(&http->lock);
    const skr_time now = now_of(http);
    const struct skr_stream_options options = {
        .resource = api->route.resource,
        .namespace_ = api->route.namespace_,
        .label_selector = api->store.label_selector,
        .field_selector = *api->route.name != '\0' ? by_name : api->store.field_selector,
        .from_now = api->from_now,
        .revision = api->revision,
        .shape = api->shape,
        .include = api->include,
        .bookmarks = api->bookmarks,
        .end = now + (api->timeout_s > 0 && api->timeout_s < WATCH_S ? api->timeout_s : WATCH_S) *
                         SKR_SECOND,
    };
    if (skr_stream_create(http->store, &options, now, &stream, &error) == 0) {
        struct watch *watch = skr_alloc(sizeof *watch);
        watch->request = request;
        watch->stream = stream;
        request->user = watch;
        DL_APPEND(http->watches, watch);
    }
    http->stirred = true; /* its end is a due time */
    pthread_cond_signal(&http->changed);
    pthread_mutex_unlock(&http->lock);
    if (!stream) {
        skr_status_fail(&reply, 400, NULL, NULL, "%s", error.text);
        reply_json(request, reply.status, reply.body);
        return;
    }
    skr_http_reply_stream(request, 200, JSON_TYPE);
}

static bool on_more(void *context, struct skr_http_request *request, struct skr_strbuf *out)
{
    struct skr_sandbox_http *http = context;
    struct watch *watch = request->user;
    pthread_mutex_lock(&http->lock);
    const skr_time before = skr_stream_due(watch->stream);
    bool more = skr_stream_more(watch->stream, now_of(http), out);
    while (more && out->len == 0 && skr_stream_is_behind(watch->stream)) {
        /* it selects none of the changes so far */
        more = skr_stream_more(watch->stream, now_of(http), out);
    }
    if (skr_stream_due(watch->stream) != before) {
        http->stirred = true;
        pthread_cond_signal(&http->changed);
    }
    pthread_mutex_unlock(&http->lock);
    return more;
}

static void on_done(void *context, struct skr_http_request *request)
{
    struct skr_sandbox_http *http = context;
    struct watch *watch = request->user;
    if (!watch) {
        return;
    }
    pthread_mutex_lock(&http->lock);
    DL_DELETE(http->watches, watch);
    skr_stream_destroy(watch->stream);
    pthread_mutex_unlock(&http->lock);
    free(watch);
    request->user = NULL;
}

/* ---- requests ---- */

static void reply_resource(struct skr_sandbox_http *http, struct skr_http_request *request)
{
    struct skr_api_request api;
    struct skr_store_reply reply;
    request->handler = "api";
    if (!skr_api_request_parse(request, &api, &reply)) {
        reply_json(request, reply.status, reply.body);
    } else if (api.watch) {
        begin_watch(http, request, &api);
    } else {
        skr_sandbox_http_lock(http);
        const skr_time now = now_of(http);
        skr_store_handle(http->store, &api.store, now, &reply);
        shape(&api, &reply, now);
        skr_sandbox_http_unlock(http);
        reply_text(request, reply.status, reply.body);
        pthread_mutex_lock(&http->lock);
        json_decref(reply.body);
        skr_api_request_fini(&api);
        pthread_mutex_unlock(&http->lock);
        return;
    }
    skr_api_request_fini(&api);
}

static bool reply_health(struct skr_http_request *request)
{
    static const char *const paths[] = {"/healthz", "/livez", "/readyz"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(request->path, paths[i]) == 0) {
            request->handler = "health";
            skr_http_reply_text(request, 200, "text/plain; charset=utf-8", "ok");
            return true;
        }
    }
    return false;
}

/* OpenAPI 2 is requested as a protocol buffer. An empty body is a valid document without
 * definitions, with which clients validate nothing. */
static bool reply_openapi_v2(struct skr_http_request *request)
{
    const char *accept = skr_http_header(request, "Accept");
    if (strcmp(request->path, "/openapi/v2") != 0) {
        return false;
    }
    if (accept && strstr(accept, "proto-openapi")) {
        skr_http_reply_text(request, 200,
                            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "");
    } else {
        reply_json(request, 200,
                   json_pack("{s:s, s:{s:s, s:s}, s:{}, s:{}}", "swagger", "2.0", "info", "title",
                             "Kubernetes", "version", "v1", "paths", "definitions"));
    }
    return true;
}

/* Access reviews, of the caller and of others: every request is permitted. The answer has the
 * question, unless that is a protocol buffer. */
static bool reply_review(struct skr_http_request *request)
{
    static const char own[] = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    static const char others[] = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    if (strcmp(request->path, own) != 0 && strcmp(request->path, others) != 0) {
        return false;
    }
    request->handler = "api";
    if (strcmp(request->method, "POST") != 0) {
        skr_http_reply_not_allowed(request, "POST");
        return true;
    }
    json_t *review = json_loadb(request->body ? request->body : "", request->body_len, 0, NULL);
    if (!json_is_object(review)) {
        json_decref(review);
        review = json_pack("{s:s, s:s, s:{}}", "kind", "SelfSubjectAccessReview", "apiVersion",
                           "authorization.k8s.io/v1", "spec");
    }
    json_object_set_new(review, "status", json_pack("{s:b}", "allowed", 1));
    reply_json(request, 201, review);
    return true;
}

static bool is_read(const struct skr_http_request *request)
{
    return strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
}

static void on_handle(void *context, struct skr_http_request *request)
{
    struct skr_sandbox_http *http = context;
    if (http->options.other && http->options.other(http->options.other_context, request)) {
        return;
    }
    if (is_read(request)) {
        if (reply_health(request) || reply_openapi_v2(request)) {
            return;
        }
        json_t *document = skr_discovery_get(request->path);
        if (document) {
            request->handler = "discovery";
            reply_json(request, 200, document);
            return;
        }
    }
    if (!reply_review(request)) {
        reply_resource(http, request);
    }
}

/* ---- start and end ---- */

static int start_listener(struct skr_sandbox_http *http, struct skr_error *error)
{
    struct skr_listener_options options;
    skr_listener_options_default(&options);
    options.name = "sandbox";
    options.address = http->options.listen;
    options.log = http->options.log;
    options.metrics = http->options.metrics;
    options.connections_max = SKR_SANDBOX_CONNECTIONS_MAX;
    options.body_max = SKR_SANDBOX_BODY_MAX;
    options.stop_timeout_ms = 1000;
    options.handler = (struct skr_http_handler){
        .context = http, .handle = on_handle, .more = on_more, .done = on_done};
    return skr_listener_create(&options, &http->listener, error);
}

static int start_thread(struct skr_sandbox_http *http, struct skr_error *error)
{
    const int rc = skr_thread_start(&http->thread, "cluster", run, http, error);
    http->started = rc == 0;
    return rc;
}

int skr_sandbox_http_create(const struct skr_sandbox_http_options *options,
                            struct skr_sandbox_http **ret, struct skr_error *error)
{
    struct skr_sandbox_http *http = skr_alloc(sizeof *http);
    http->options = *options;
    http->store = skr_cluster_store(options->cluster);
    skr_store_limit_history(http->store, SKR_SANDBOX_HISTORY);
    skr_bug_on(pthread_mutex_init(&http->lock, NULL) != 0);
    skr_thread_init_wake(&http->changed);
    skr_thread_init_wake(&http->moved);
    int rc = start_listener(http, error);
    if (rc == 0) {
        rc = start_thread(http, error);
    }
    if (rc != 0) {
        skr_sandbox_http_destroy(http);
        return rc;
    }
    *ret = http;
    return 0;
}

void skr_sandbox_http_destroy(struct skr_sandbox_http *http)
{
    if (!http) {
        return;
    }
    if (http->started) {
        pthread_mutex_lock(&http->lock);
        http->stopping = true;
        pthread_cond_signal(&http->changed);
        pthread_mutex_unlock(&http->lock);
        skr_bug_on(pthread_join(http->thread, NULL) != 0);
    }
    skr_listener_destroy(http->listener);
    skr_bug_on(http->watches);
    pthread_cond_destroy(&http->changed);
    pthread_cond_destroy(&http->moved);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
