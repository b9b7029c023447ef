/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the sandbox's own paths. Schedulers are exchanged under a separate lock, which is never
 * acquired while the cluster's lock is held. */
#include "server/lab/sandbox/control.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/lab/store/status.h"
#include "server/object/view_url.h"
#include "topology/base/arena.h"

#define PREFIX    "/sandbox/"
#define SCHEDULER "/sandbox/v1/scheduler"
#define EXAMPLES  "/sandbox/v1/examples/"

struct skr_control {
    struct skr_store *store;
    const struct skr_clock *clock;
    struct skr_trace trace;
    const struct skr_control_example *examples;
    pthread_mutex_t lock; /* guards the following members */
    struct skr_sandbox_http *http;
    struct skr_scheduler_thread *scheduler;
    char daemon_url[80]; /* "": none */
    bool stopped;
};

struct skr_control *skr_control_create(struct skr_store *store, const struct skr_clock *clock,
                                       const struct skr_trace *trace,
                                       const struct skr_control_example *examples)
{
    struct skr_control *control = skr_alloc(sizeof *control);
    control->store = store;
    control->clock = clock;
    control->trace = *trace;
    control->examples = examples;
    skr_bug_on(pthread_mutex_init(&control->lock, NULL) != 0);
    return control;
}

void skr_control_set_http(struct skr_control *control, struct skr_sandbox_http *http)
{
    pthread_mutex_lock(&control->lock);
    control->http = http;
    pthread_mutex_unlock(&control->lock);
}

void skr_control_set_daemon(struct skr_control *control, const char *url)
{
    pthread_mutex_lock(&control->lock);
    snprintf(control->daemon_url, sizeof control->daemon_url, "%s", url);
    pthread_mutex_unlock(&control->lock);
}

void skr_control_stop(struct skr_control *control)
{
    pthread_mutex_lock(&control->lock);
    control->stopped = true;
    skr_scheduler_thread_destroy(control->scheduler);
    control->scheduler = NULL;
    pthread_mutex_unlock(&control->lock);
}

void skr_control_destroy(struct skr_control *control)
{
    if (!control) {
        return;
    }
    skr_bug_on(control->scheduler);
    pthread_mutex_destroy(&control->lock);
    free(control);
}

int skr_control_start_scheduler(struct skr_control *control, struct skr_scheduler_config *config,
                                struct skr_error *error)
{
    int rc = -SKR_RETRY;
    pthread_mutex_lock(&control->lock);
    if (!control->http || control->stopped) {
        skr_error_set(error, SKR_RETRY, "the sandbox is starting or stopping");
    } else {
        skr_scheduler_thread_destroy(control->scheduler);
        control->scheduler = NULL;
        rc = skr_scheduler_thread_create(control->http, control->store, control->clock, config,
                                         &control->trace, &control->scheduler, error);
    }
    pthread_mutex_unlock(&control->lock);
    return rc;
}

/* ---- requests ---- */

/* body: taken. */
static void reply_json(struct skr_http_request *request, unsigned status, json_t *body)
{
    char *text = json_dumps(body, JSON_COMPACT);
    skr_bug_on(!text);
    json_decref(body);
    skr_http_reply(request, status, "application/json", text, strlen(text));
}

static void reply_failure(struct skr_http_request *request, int status, const char *text)
{
    struct skr_store_reply reply = {.status = 0};
    skr_status_fail(&reply, status, NULL, NULL, "%s", text);
    reply_json(request, (unsigned)status, reply.body);
}

static void reply_findings(struct skr_http_request *request, struct skr_findings *findings)
{
    SKR_STRBUF(text);
    skr_findings_write(findings, "scheduler.yaml", &text);
    if (findings->n_errors > 0) {
        reply_failure(request, 400, text.s);
    } else {
        reply_json(request, 200, json_pack("{s:s}", "warnings", text.s ? text.s : ""));
    }
}

static void start(struct skr_control *control, struct skr_http_request *request)
{
    struct skr_scheduler_config *config = NULL;
    struct skr_findings findings;
    struct skr_error error;
    skr_findings_init(&findings);
    if (request->too_large) {
        reply_failure(request, 413, "the configuration is too large");
    } else if (skr_scheduler_config_parse(request->body ? request->body : "", request->body_len,
                                          &config, &findings) < 0) {
        reply_findings(request, &findings);
    } else if (skr_control_start_scheduler(control, config, &error) < 0) {
        skr_scheduler_config_destroy(config);
        reply_failure(request, 503, error.text);
    } else {
        reply_findings(request, &findings);
    }
}

static bool kill_scheduler(struct skr_control *control)
{
    pthread_mutex_lock(&control->lock);
    struct skr_scheduler_thread *scheduler = control->scheduler;
    control->scheduler = NULL;
    skr_scheduler_thread_destroy(scheduler);
    pthread_mutex_unlock(&control->lock);
    return scheduler;
}

static json_t *describe(struct skr_control *control)
{
    struct skr_scheduler_stats s;
    pthread_mutex_lock(&control->lock);
    const bool runs = control->scheduler;
    if (runs) {
        skr_scheduler_thread_get_stats(control->scheduler, &s);
    }
    pthread_mutex_unlock(&control->lock);
    if (!runs) {
        return NULL;
    }
    const struct {
        const char *name;
        uint64_t value;
    } figure[] = {{"active", s.active},
                  {"backoff", s.backoff},
                  {"unschedulable", s.unschedulable},
                  {"gated", s.gated},
                  {"assumed", s.assumed},
                  {"cycles", s.cycles},
                  {"evaluated", s.evaluated},
                  {"filterCalls", s.filter_calls},
                  {"filterNames", s.filter_names},
                  {"prioritizeCalls", s.prioritize_calls},
                  {"bindCalls", s.bind_calls},
                  {"patches", s.patches},
                  {"nominatedHits", s.nominated_hits}};
    json_t *json = json_object();
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) {
        json_object_set_new(json, figure[i].name, json_integer((json_int_t)figure[i].value));
    }
    return json;
}

static void handle_scheduler(struct skr_control *control, struct skr_http_request *request)
{
    json_t *figures = NULL;
    if (strcmp(request->method, "POST") == 0) {
        start(control, request);
    } else if (strcmp(request->method, "DELETE") == 0) {
        if (kill_scheduler(control)) {
            reply_json(request, 200, json_object());
        } else {
            reply_failure(request, 404, "no scheduler is running");
        }
    } else if (strcmp(request->method, "GET") != 0) {
        skr_http_reply_not_allowed(request, "GET, POST, DELETE");
    } else if ((figures = describe(control))) {
        reply_json(request, 200, figures);
    } else {
        reply_failure(request, 404, "no scheduler is running");
    }
}

static bool handle_example(const struct skr_control *control, struct skr_http_request *request)
{
    struct skr_strbuf text;
    size_t n;
    if (strncmp(request->path, EXAMPLES, sizeof EXAMPLES - 1) != 0) {
        return false;
    }
    for (const struct skr_control_example *example = control->examples; example->name; example++) {
        if (strcmp(request->path + sizeof EXAMPLES - 1, example->name) != 0) {
            continue;
        }
        if (strcmp(request->method, "GET") != 0) {
            skr_http_reply_not_allowed(request, "GET");
            return true;
        }
        skr_strbuf_init(&text);
        example->write(&text);
        char *bytes = skr_strbuf_take(&text, &n);
        skr_http_reply(request, 200, "application/yaml", bytes, n);
        return true;
    }
    return false;
}

/* kube-apiserver proxies a Service; here a redirect makes the caller ask the daemon. */
static bool handle_service(struct skr_control *control, struct skr_http_request *request)
{
    struct skr_view_query query = {.path = skr_view_url_of_service(request->path)};
    SKR_STRBUF(url);
    if (!query.path) {
        return false;
    }
    request->handler = "sandbox";
    pthread_mutex_lock(&control->lock);
    skr_strbuf_add(&url, control->daemon_url);
    pthread_mutex_unlock(&control->lock);
    for (int i = 0; i < SKR_VIEW_ARGUMENT_COUNT; i++) {
        query.argument[i] =
            skr_http_argument(request, skr_view_argument_name((enum skr_view_argument)i));
    }
    if (url.len == 0) {
        reply_failure(request, 404, "services \"sakkara\" not found");
    } else {
        skr_view_url_write(&query, &url);
        skr_http_reply_elsewhere(request, url.s);
    }
    return true;
}

/* Where `sakkara ui` finds the page. */
static void handle_daemon(struct skr_control *control, struct skr_http_request *request)
{
    pthread_mutex_lock(&control->lock);
    json_t *body = *control->daemon_url ? json_pack("{s:s}", "admin", control->daemon_url) : NULL;
    pthread_mutex_unlock(&control->lock);
    if (strcmp(request->method, "GET") != 0) {
        json_decref(body);
        skr_http_reply_not_allowed(request, "GET");
    } else if (body) {
        reply_json(request, 200, body);
    } else {
        reply_failure(request, 404, "no daemon is running");
    }
}

bool skr_control_handle(void *control, struct skr_http_request *request)
{
    if (handle_service(control, request)) {
        return true;
    }
    if (strncmp(request->path, PREFIX, sizeof PREFIX - 1) != 0) {
        return false;
    }
    request->handler = "sandbox";
    if (strcmp(request->path, SCHEDULER) == 0) {
        handle_scheduler(control, request);
    } else if (strcmp(request->path, SKR_VIEW_SANDBOX) == 0) {
        handle_daemon(control, request);
    } else if (!handle_example(control, request)) {
        reply_failure(request, 404,
                      "there are /sandbox/v1/scheduler, /sandbox/v1/daemon and "
                      "/sandbox/v1/examples/gang.yaml, second.yaml, cluster.yaml");
    }
    return true;
}
