/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls wait in the table of server/http/calls.h. An answer becomes text on the listener's thread,
 * after the wake-up.
 *
 * The call (names of the answer) and the engine (the event) share the decoded request, each with
 * one reference. The call of a bind needs nothing of it and drops its reference at once, which
 * keeps a parked bind small.
 */
#include "server/http/verbs.h"

#include <microhttpd.h>
#include <stdatomic.h>
#include <string.h>

#include "core/gang/state/reason.h"
#include "server/http/answer_json.h"
#include "server/http/calls.h"
#include "server/http/request_json.h"
#include "topology/base/arena.h"

enum { MALFORMED_LINES_PER_SECOND = 10 };

struct payload {
    struct skr_verb_args args;
    union {
        struct skr_filter_request filter;
        struct skr_preempt_request preempt;
        struct skr_bind_request bind;
    } asked; /* of the event; borrows from args */
    atomic_int refs;
};

struct call {
    struct skr_call call;
    struct payload *payload; /* NULL for BIND */
    enum skr_verb verb;
    bool answered;
    struct skr_answer answer; /* what it points to is in answer_data and text */
    const char *text;         /* literal, or copy */
    void *answer_data;        /* mask or scores, and the copy of the text */
};

struct skr_verbs {
    struct skr_verbs_options options;
    struct skr_listener *listener;
    struct skr_listener *bind_listener;
    struct skr_metric_family *durations;
    struct skr_metric_family *results;
    struct skr_pod_shapes *shapes; /* of the thread of listener */
    struct skr_calls calls;
    int64_t log_second; /* the two of malformed(); under the lock of calls */
    int log_lines;
};

/* ---- the pieces ---- */

static void payload_unref(void *pointer)
{
    struct payload *payload = pointer;
    if (!payload || atomic_fetch_sub(&payload->refs, 1) != 1) {
        return;
    }
    skr_verb_args_fini(&payload->args);
    free(payload);
}

static void call_destroy(struct call *call)
{
    if (!call) {
        return;
    }
    payload_unref(call->payload);
    free(call->answer_data);
    free(call);
}

static void count(struct skr_verbs *verbs, enum skr_verb verb, const char *result)
{
    if (verbs->results) {
        skr_metric_add(
            skr_metric_get(verbs->results, (const char *const[]){skr_verb_name(verb), result}), 1);
    }
}

/* ---- the engine's side ---- */

static void copy_answer(struct skr_call *waiting, const void *body)
{
    struct call *call = (struct call *)waiting;
    const struct skr_answer *answer = body;
    const char *text = answer->text ? answer->text : "";
    const size_t text_size = strlen(text) + 1;
    const size_t mask_size = answer->mask ? (answer->n + 7) / 8 : 0;
    const size_t scores_size = answer->scores ? answer->n : 0;
    char *data = skr_alloc(text_size + mask_size + scores_size);
    call->answered = true;
    call->answer = *answer;
    call->answer_data = data;
    call->answer.text = memcpy(data, text, text_size);
    call->answer.mask = mask_size == 0 ? NULL : memcpy(data + text_size, answer->mask, mask_size);
    call->answer.scores =
        scores_size == 0 ? NULL : memcpy(data + text_size + mask_size, answer->scores, scores_size);
}

bool skr_verbs_answer(struct skr_verbs *verbs, const struct skr_answer *answer)
{
    return skr_calls_answer(&verbs->calls, answer->request, copy_answer, answer);
}

/* ---- the listeners' side ---- */

static void observe(struct skr_verbs *verbs, enum skr_verb verb,
                    const struct skr_http_request *request)
{
    const char *const name[] = {skr_verb_name(verb)};
    skr_metric_observe(skr_metric_get(verbs->durations, name),
                       skr_http_now_ns() - request->began_ns);
}

static void reply_error(struct skr_verbs *verbs, struct skr_http_request *request,
                        enum skr_verb verb, const char *text, const char *result)
{
    SKR_STRBUF(out);
    skr_answer_write_error(&out, verb, text);
    skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_HTTP_JSON, &out);
    count(verbs, verb, result);
    observe(verbs, verb, request);
}

static void malformed(struct skr_verbs *verbs, struct skr_http_request *request, enum skr_verb verb,
                      const char *why)
{
    const int64_t second = skr_http_now_ns() / 1000000000;
    pthread_mutex_lock(&verbs->calls.lock);
    if (verbs->log_second != second) {
        verbs->log_second = second;
        verbs->log_lines = 0;
    }
    const int line = verbs->log_lines++;
    pthread_mutex_unlock(&verbs->calls.lock);
    if (line < MALFORMED_LINES_PER_SECOND) {
        skr_http_logf(&verbs->options.log, SKR_HTTP_LOG_WARNING, "Request was malformed: %s: %s%s",
                      skr_verb_name(verb), why,
                      line == MALFORMED_LINES_PER_SECOND - 1 ? " (further ones within this second "
                                                               "are not logged)"
                                                             : "");
    }
    reply_error(verbs, request, verb, SKR_TEXT_MALFORMED, "malformed");
}

static struct skr_event make_event(struct payload *payload, uint64_t id)
{
    const struct skr_verb_args *args = &payload->args;
    struct skr_event event = {.kind = SKR_EVENT_REQUEST,
                              .request = {.id = id, .body = &payload->asked}};
    switch (args->verb) {
    case SKR_VERB_FILTER:
    case SKR_VERB_PRIORITIZE:
        event.request.verb = args->verb == SKR_VERB_FILTER ? SKR_GANG_FILTER : SKR_GANG_PRIORITIZE;
        payload->asked.filter = (struct skr_filter_request){args->pod, args->n_nodes, args->node};
        break;
    case SKR_VERB_PREEMPT:
        event.request.verb = SKR_GANG_PREEMPT;
        payload->asked.preempt =
            (struct skr_preempt_request){args->pod, args->n_candidates, args->candidate};
        break;
    case SKR_VERB_BIND:
    case SKR_VERB_COUNT:
    default:
        event.request.verb = SKR_GANG_BIND;
        payload->asked.bind =
            (struct skr_bind_request){args->namespace_, args->name, args->uid, args->bind_node};
        break;
    }
    return event;
}

/* Registers the call and posts its event; false if the listeners are stopping. The engine may
 * answer before this returns. */
static bool submit(struct skr_verbs *verbs, struct skr_http_request *request,
                   struct payload *payload)
{
    struct call *call = skr_alloc(sizeof *call);
    call->verb = payload->args.verb;
    call->payload = call->verb != SKR_VERB_BIND ? payload : NULL;
    atomic_init(&payload->refs, call->payload ? 2 : 1);
    const uint64_t number = skr_calls_enter(&verbs->calls, &call->call, request);
    if (number == 0) {
        payload_unref(payload); /* the reference of the event that is not posted */
        return false;
    }
    const struct skr_event event = make_event(payload, number);
    verbs->options.post(verbs->options.post_context, &event, payload_unref, payload);
    return true;
}

static void handle_verb(struct skr_verbs *verbs, struct skr_http_request *request,
                        enum skr_verb verb)
{
    struct skr_error error = {0};
    size_t len = 0;
    if (request->too_large) {
        (void)skr_error_set(&error, SKR_LIMIT, "body of %zu bytes is beyond a limit of %d bytes",
                            request->body_len, (int)SKR_HTTP_BODY_MAX);
        malformed(verbs, request, verb, error.text);
        return;
    }
    struct payload *payload = skr_alloc(sizeof *payload);
    char *body = skr_http_take_body(request, &len);
    struct skr_pod_shapes *shapes = verb != SKR_VERB_BIND ? verbs->shapes : NULL;
    if (skr_verb_args_parse(verb, body, len, shapes, &payload->args, &error) != 0) {
        free(payload);
        malformed(verbs, request, verb, error.text);
        return;
    }
    if (!submit(verbs, request, payload)) {
        reply_error(verbs, request, verb, SKR_TEXT_NOT_READY, "error");
    }
}

/* n verbs beginning with first have their paths on this listener. */
static void route(struct skr_verbs *verbs, struct skr_http_request *request, enum skr_verb first,
                  enum skr_verb last)
{
    static const char prefix[] = "/v1/";
    const size_t n = sizeof prefix - 1;
    if (strncmp(request->path, prefix, n) == 0) {
        for (int v = (int)first; v <= (int)last; v++) {
            const char *name = skr_verb_name((enum skr_verb)v);
            if (strcmp(request->path + n, name) != 0) {
                continue;
            }
            request->handler = name;
            if (skr_http_allows(request, MHD_HTTP_METHOD_POST)) {
                handle_verb(verbs, request, (enum skr_verb)v);
            }
            return;
        }
    }
    skr_http_reply_not_found(request);
}

static void on_handle(void *context, struct skr_http_request *request)
{
    route(context, request, SKR_VERB_FILTER, SKR_VERB_PREEMPT);
}

static void on_handle_bind(void *context, struct skr_http_request *request)
{
    route(context, request, SKR_VERB_BIND, SKR_VERB_BIND);
}

static void on_resume(void *context, struct skr_http_request *request)
{
    struct skr_verbs *verbs = context;
    struct call *call = request->user;
    const struct skr_verb_args bind = {.verb = SKR_VERB_BIND};
    SKR_STRBUF(out);
    const bool fits =
        skr_answer_write(&out, &call->answer, call->payload ? &call->payload->args : &bind);
    if (!fits) {
        skr_http_logf(&verbs->options.log, SKR_HTTP_LOG_ERROR,
                      "Answer of kind %d did not fit request %llu of verb %s",
                      (int)call->answer.kind, (unsigned long long)call->call.number,
                      skr_verb_name(call->verb));
    }
    /* A standby closes the connection, so that the next request can reach the leader. */
    request->close = call->answer.kind == SKR_ANSWER_ERROR &&
                     strcmp(call->answer.text, SKR_TEXT_NOT_LEADER) == 0;
    skr_http_reply_buffer(request, MHD_HTTP_OK, SKR_HTTP_JSON, &out);
    count(verbs, call->verb, fits && call->answer.kind != SKR_ANSWER_ERROR ? "ok" : "error");
    observe(verbs, call->verb, request);
}

static bool on_hangup(void *context, struct skr_http_request *request)
{
    struct skr_verbs *verbs = context;
    struct call *call = request->user;
    if (!skr_calls_give_up(&verbs->calls, &call->call)) {
        return false;
    }
    count(verbs, call->verb, "hangup");
    if (call->verb == SKR_VERB_BIND) {
        const struct skr_event event = {.kind = SKR_EVENT_HANGUP,
                                        .request = {.id = call->call.number}};
        verbs->options.post(verbs->options.post_context, &event, NULL, NULL);
    }
    return true;
}

/* A kube-scheduler that lives keeps its connection between two calls. */
static void on_all_gone(void *context)
{
    struct skr_verbs *verbs = context;
    const struct skr_event event = {.kind = SKR_EVENT_HANGUP};
    verbs->options.post(verbs->options.post_context, &event, NULL, NULL);
}

static void on_done(void *context, struct skr_http_request *request)
{
    (void)context;
    call_destroy(request->user);
    request->user = NULL;
}

/* ---- start and stop ---- */

static void make_metrics(struct skr_verbs *verbs)
{
    static const struct skr_metric_spec requests = {
        .name = "sakkara_extender_requests_total",
        .help = "Requests of kube-scheduler by verb and result (ok, error, malformed, hangup).",
        .type = SKR_COUNTER,
        .label = {"verb", "result"},
    };
    static const struct skr_metric_spec duration = {
        .name = "sakkara_extender_request_duration_seconds",
        .help = "Time from the request line to the answer by verb; for bind it includes "
                "holds.",
        .type = SKR_HISTOGRAM,
        .unit = SKR_UNIT_NANOSECONDS,
        .label = {"verb"},
        .first_bucket = 100000,
        .n_buckets = 16,
    };
    verbs->durations = skr_metrics_family(verbs->options.metrics, &duration);
    verbs->results = skr_metrics_family(verbs->options.metrics, &requests);
}

static unsigned bind_connections(void)
{
    const uint64_t files = skr_http_raise_open_files();
    const uint64_t others = SKR_RESERVED_FILES + SKR_FILTER_CONNECTIONS_MAX;
    if (files <= others + 64) {
        return 64;
    }
    return files - others < SKR_BIND_CONNECTIONS_MAX ? (unsigned)(files - others)
                                                     : SKR_BIND_CONNECTIONS_MAX;
}

static int listen_on(struct skr_verbs *verbs, bool bind, struct skr_listener **ret,
                     struct skr_error *error)
{
    struct skr_listener_options options;
    skr_listener_options_default(&options);
    options.name = bind ? "bind" : "extender";
    options.address = bind ? verbs->options.bind_listen : verbs->options.listen;
    options.tls = verbs->options.tls;
    options.log = verbs->options.log;
    options.metrics = verbs->options.metrics;
    options.connection_memory = bind ? SKR_BIND_CONNECTION_MEMORY : 64 * 1024;
    options.stop_timeout_ms = SKR_VERBS_STOP_MS;
    options.connections_max = bind ? bind_connections() : SKR_FILTER_CONNECTIONS_MAX;
    options.handler = (struct skr_http_handler){.context = verbs,
                                                .handle = bind ? on_handle_bind : on_handle,
                                                .resume = on_resume,
                                                .hangup = on_hangup,
                                                .done = on_done,
                                                .all_gone = bind ? NULL : on_all_gone};
    if (verbs->options.request_timeout_ms > 0) {
        options.request_timeout_ms = verbs->options.request_timeout_ms;
    }
    if (verbs->options.idle_timeout_ms > 0) {
        options.idle_timeout_ms = verbs->options.idle_timeout_ms;
    }
    return skr_listener_create(&options, ret, error);
}

int skr_verbs_create(const struct skr_verbs_options *options, struct skr_verbs **ret,
                     struct skr_error *error)
{
    struct skr_verbs *verbs = skr_alloc(sizeof *verbs);
    verbs->options = *options;
    verbs->shapes = skr_pod_shapes_create();
    skr_calls_init(&verbs->calls, SIZE_MAX); /* the connections are limited */
    make_metrics(verbs);
    int rc = listen_on(verbs, false, &verbs->listener, error);
    if (rc == 0) {
        rc = listen_on(verbs, true, &verbs->bind_listener, error);
    }
    if (rc != 0) {
        skr_verbs_destroy(verbs);
        return rc;
    }
    *ret = verbs;
    return 0;
}

uint16_t skr_verbs_port(const struct skr_verbs *verbs)
{
    return skr_listener_port(verbs->listener);
}

uint16_t skr_verbs_bind_port(const struct skr_verbs *verbs)
{
    return skr_listener_port(verbs->bind_listener);
}

void skr_verbs_stop(struct skr_verbs *verbs)
{
    const struct skr_answer answer = {.kind = SKR_ANSWER_ERROR, .text = SKR_TEXT_NOT_READY};
    skr_listener_begin_stop(verbs->bind_listener);
    skr_listener_begin_stop(verbs->listener);
    skr_calls_stop(&verbs->calls, copy_answer, &answer);
    skr_listener_stop(verbs->bind_listener);
    skr_listener_stop(verbs->listener);
}

void skr_verbs_destroy(struct skr_verbs *verbs)
{
    if (!verbs) {
        return;
    }
    skr_verbs_stop(verbs);
    skr_listener_destroy(verbs->bind_listener);
    skr_listener_destroy(verbs->listener);
    skr_pod_shapes_destroy(verbs->shapes);
    skr_calls_fini(&verbs->calls);
    free(verbs);
}
