/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A question belongs to two threads until it is answered and its caller is served or gone. The lock
 * orders the two, and the second one frees the question.
 */
#include "server/http/api.h"

#include <microhttpd.h>
#include <pthread.h>

#include "server/http/json_reply.h"
#include "server/object/selector.h"
#include "topology/base/arena.h"

struct skr_api {
    struct skr_api_options options;
    pthread_mutex_t lock;
    size_t n_asked; /* under the lock */
    /* Of the engine thread: pages that wait for a later event, and the events at the last look. */
    struct question *awaited;
    uint64_t events;
};

struct question {
    struct skr_api *api;
    struct skr_http_request *request;
    char *path;
    char *argument[SKR_VIEW_ARGUMENT_COUNT];
    struct skr_selector *selector; /* NULL: none */
    struct skr_strbuf answer;
    int code;
    int tries;
    bool nudged;
    struct question *next;    /* in api->awaited */
    bool answered, abandoned; /* under the lock */
};

static void question_destroy(struct question *q)
{
    free(q->path);
    for (int i = 0; i < SKR_VIEW_ARGUMENT_COUNT; i++) {
        free(q->argument[i]);
    }
    skr_selector_destroy(q->selector);
    skr_strbuf_fini(&q->answer);
    free(q);
}

/* ---- on the engine thread ---- */

static bool selects(void *context, const struct skr_labels *labels)
{
    const struct question *q = context;
    return skr_selector_matches_list(q->selector, labels);
}

static bool interrupted(void *context)
{
    const struct question *q = context;
    return q->api->options.busy(q->api->options.context);
}

static void write_answer(struct question *q, struct skr_engine *engine, skr_time now)
{
    struct skr_view_query query = {.path = q->path, .context = q};
    if (!engine) {
        q->code = MHD_HTTP_SERVICE_UNAVAILABLE;
        skr_view_write_status(&q->answer, q->code, "sakkara: shutting down");
        return;
    }
    for (int i = 0; i < SKR_VIEW_ARGUMENT_COUNT; i++) {
        query.argument[i] = q->argument[i];
    }
    query.selects = q->selector ? selects : NULL;
    query.interrupted = q->api->options.busy ? interrupted : NULL;
    query.awaits = q->api->options.nudge;
    q->code = q->api->options.write(skr_engine_self(engine), &query, now, &q->answer);
}

/* Until a later event. */
static void await(struct question *q)
{
    struct skr_api *api = q->api;
    q->next = api->awaited;
    api->awaited = q;
    if (!q->nudged) {
        q->nudged = true;
        api->options.nudge(api->options.context);
    }
}

static void look(void *context, struct skr_engine *engine, skr_time now)
{
    struct question *q = context;
    struct skr_api *api = q->api;
    pthread_mutex_lock(&api->lock);
    bool abandoned = q->abandoned;
    pthread_mutex_unlock(&api->lock);
    if (!abandoned) {
        write_answer(q, engine, now);
        if (q->code == SKR_VIEW_AWAITED) {
            await(q);
            return;
        }
        if (q->code == SKR_VIEW_INTERRUPTED && ++q->tries < SKR_API_TRIES_MAX) {
            api->options.look(api->options.context, look, q);
            return;
        }
        if (q->code == SKR_VIEW_INTERRUPTED) {
            q->code = MHD_HTTP_SERVICE_UNAVAILABLE;
            skr_view_write_status(&q->answer, q->code, "sakkara: the scheduler is busy");
        }
    }
    pthread_mutex_lock(&api->lock);
    api->n_asked--;
    abandoned = q->abandoned;
    q->answered = true;
    if (!abandoned) {
        skr_http_wake(q->request);
    }
    pthread_mutex_unlock(&api->lock);
    if (abandoned) {
        question_destroy(q);
    }
}

void skr_api_handled(struct skr_api *api, uint64_t events)
{
    struct question *q = events != api->events ? api->awaited : NULL;
    api->awaited = q ? NULL : api->awaited;
    api->events = events;
    while (q) {
        struct question *next = q->next;
        api->options.look(api->options.context, look, q);
        q = next;
    }
}

/* ---- on the listener's thread ---- */

static bool may_ask(struct skr_api *api)
{
    pthread_mutex_lock(&api->lock);
    const bool may = api->n_asked < SKR_API_ASKED_MAX;
    api->n_asked += may;
    pthread_mutex_unlock(&api->lock);
    return may;
}

static void handle(void *context, struct skr_http_request *request)
{
    struct skr_api *api = context;
    struct skr_selector *selector = NULL;
    struct skr_error error = {0};
    const char *text = skr_http_argument(request, skr_view_argument_name(SKR_VIEW_SELECTOR));
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    if (text && text[0] != 0 && skr_selector_parse_labels(text, &selector, &error) < 0) {
        char message[SKR_ERROR_TEXT_MAX + 32];
        snprintf(message, sizeof message, "sakkara: labelSelector: %s", error.text);
        skr_http_refuse_json(request, MHD_HTTP_BAD_REQUEST, message);
        return;
    }
    if (!may_ask(api)) {
        skr_selector_destroy(selector);
        skr_http_refuse_json(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "sakkara: too many questions at once");
        return;
    }
    struct question *q = skr_alloc(sizeof *q);
    q->api = api;
    q->request = request;
    q->selector = selector;
    q->path = skr_strdup(request->path);
    for (int i = 0; i < SKR_VIEW_ARGUMENT_COUNT; i++) {
        q->argument[i] = skr_strdup(
            skr_http_argument(request, skr_view_argument_name((enum skr_view_argument)i)));
    }
    skr_strbuf_init(&q->answer);
    request->user = q;
    api->options.look(api->options.context, look, q);
}

static void resume(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;
    (void)context;
    skr_http_reply_json(request, q->code, &q->answer);
}

static bool hangup(void *context, struct skr_http_request *request)
{
    struct skr_api *api = context;
    struct question *q = request->user;
    pthread_mutex_lock(&api->lock);
    const bool answered = q->answered;
    q->abandoned = !answered;
    pthread_mutex_unlock(&api->lock);
    if (!answered) {
        request->user = NULL; /* the engine's now */
    }
    return !answered;
}

static void done(void *context, struct skr_http_request *request)
{
    struct skr_api *api = context;
    struct question *q = request->user;
    if (!q) {
        return;
    }
    request->user = NULL;
    pthread_mutex_lock(&api->lock);
    const bool answered = q->answered;
    q->abandoned = !answered;
    pthread_mutex_unlock(&api->lock);
    if (answered) {
        question_destroy(q);
    }
}

/* ---- life ---- */

struct skr_api *skr_api_create(const struct skr_api_options *options)
{
    struct skr_api *api = skr_alloc(sizeof *api);
    api->options = *options;
    pthread_mutex_init(&api->lock, NULL);
    return api;
}

struct skr_admin_route skr_api_route(struct skr_api *api)
{
    return (struct skr_admin_route){.prefix = api->options.prefix,
                                    .handle = handle,
                                    .context = api,
                                    .resume = resume,
                                    .hangup = hangup,
                                    .done = done};
}

void skr_api_destroy(struct skr_api *api)
{
    if (!api) {
        return;
    }
    while (api->awaited) {
        struct question *q = api->awaited;
        api->awaited = q->next;
        question_destroy(q);
    }
    pthread_mutex_destroy(&api->lock);
    free(api);
}
