/* SPDX-License-Identifier: Apache-2.0 */
#include "server/http/spotmix_webhook.h"

#include <gnutls/crypto.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/calls.h"
#include "server/http/review_text.h"
#include "topology/base/arena.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

struct review {
    struct skr_call call;
    unsigned status;
    char *body;
    size_t len;
};

struct skr_spotmix_webhook {
    struct skr_spotmix_webhook_options options;
    struct skr_listener *listener;
    struct skr_calls calls;
    pthread_mutex_t lock;
    struct skr_caller_tokens tokens; /* under the lock */
    struct skr_metric *duration;     /* NULL: there is no registry */
};

static const struct skr_metric_spec duration = {
    .name = "sakkara_spotmix_admission_duration_seconds",
    .help = "From the request line of a review to its answer.",
    .type = SKR_HISTOGRAM,
    .unit = SKR_UNIT_NANOSECONDS,
    .first_bucket = 125000, /* to two seconds */
    .n_buckets = 15,
};

static void fill(struct skr_call *call, const void *answer)
{
    struct review *review = (struct review *)call;
    const struct skr_spotmix_reply *reply = answer;
    review->body = skr_alloc(reply->len + 1);
    memcpy(review->body, reply->body, reply->len);
    review->len = reply->len;
    review->status = reply->status;
}

void skr_spotmix_webhook_answer(struct skr_spotmix_webhook *webhook, uint64_t request,
                                const struct skr_spotmix_reply *reply)
{
    (void)skr_calls_answer(&webhook->calls, request, fill, reply);
}

/* ---- on the listener's thread ---- */

static void release(void *keep)
{
    struct skr_spotmix_request *posted = keep;
    skr_spotmix_body_unref(posted->body);
    free(posted);
}

static void refuse(struct skr_spotmix_webhook *webhook, struct skr_http_request *request,
                   unsigned status, const char *why)
{
    skr_http_logf(&webhook->options.log, SKR_HTTP_LOG_WARNING,
                  "Admission review was not heard: %.*s", (int)strcspn(why, "\n"), why);
    skr_http_reply_text(request, status, TEXT_TYPE, why);
}

/* Reads the body here, so that the engine's thread reads no text. Most of a pod is never looked at,
 * and no values are made of it. */
static struct skr_spotmix_body *read_body(struct skr_http_request *request)
{
    size_t len, n = 0;
    SKR_AUTO_FREE char *text = skr_http_take_body(request, &len);
    SKR_AUTO_FREE char *shorter = skr_review_text_shorten(text, len, &n);
    return skr_spotmix_body_read(shorter ? shorter : text, shorter ? n : len);
}

static void hear(struct skr_spotmix_webhook *webhook, struct skr_http_request *request)
{
    if (request->too_large) {
        refuse(webhook, request, MHD_HTTP_BAD_REQUEST, "AdmissionReview: body is too large\n");
        return;
    }
    struct skr_spotmix_request *posted = skr_alloc(sizeof *posted);
    if (gnutls_rnd(GNUTLS_RND_NONCE, posted->random, sizeof posted->random) != 0) {
        free(posted);
        refuse(webhook, request, MHD_HTTP_SERVICE_UNAVAILABLE, "no random numbers\n");
        return;
    }
    struct review *review = skr_alloc(sizeof *review);
    const uint64_t number = skr_calls_enter(&webhook->calls, &review->call, request);
    if (number == 0) {
        free(posted);
        refuse(webhook, request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many reviews at once\n");
        return;
    }
    posted->body = read_body(request);
    const struct skr_event event = {
        .kind = SKR_EVENT_REQUEST,
        .request = {.id = number, .verb = SKR_SPOTMIX_REVIEW, .body = posted}};
    webhook->options.post(webhook->options.context, &event, release, posted);
}

static bool is_authentic(struct skr_spotmix_webhook *webhook, const char *path)
{
    const size_t n = strlen(SKR_SPOTMIX_PATH);
    if (strncmp(path, SKR_SPOTMIX_PATH, n) != 0 || path[n] != '/') {
        return false;
    }
    pthread_mutex_lock(&webhook->lock);
    const bool accepted = skr_caller_tokens_accept(&webhook->tokens, path + n + 1);
    pthread_mutex_unlock(&webhook->lock);
    return accepted;
}

static void on_admit(void *context, struct skr_http_request *request)
{
    struct skr_spotmix_webhook *webhook = context;
    if (strcmp(request->path, "/readyz") == 0) {
        skr_http_reply_text(request, MHD_HTTP_OK, TEXT_TYPE, "ok\n");
        return;
    }
    request->handler = "spotmix";
    if (!is_authentic(webhook, request->path)) {
        refuse(webhook, request, MHD_HTTP_FORBIDDEN, "the path has no valid token\n");
    } else if (strcmp(request->method, MHD_HTTP_METHOD_POST) != 0) {
        skr_http_reply_not_allowed(request, MHD_HTTP_METHOD_POST);
    }
}

static void on_handle(void *context, struct skr_http_request *request)
{
    hear(context, request);
}

static void on_resume(void *context, struct skr_http_request *request)
{
    const struct skr_spotmix_webhook *webhook = context;
    struct review *review = request->user;
    skr_metric_observe(webhook->duration, skr_http_now_ns() - request->began_ns);
    skr_http_reply(request, review->status,
                   review->status == MHD_HTTP_OK ? "application/json" : TEXT_TYPE, review->body,
                   review->len);
    review->body = NULL;
}

static void on_done(void *context, struct skr_http_request *request)
{
    struct review *review = request->user;
    (void)context;
    if (review) {
        request->user = NULL;
        free(review->body);
        free(review);
    }
}

static bool on_hangup(void *context, struct skr_http_request *request)
{
    struct skr_spotmix_webhook *webhook = context;
    struct skr_call *call = request->user;
    const struct skr_event event = {.kind = SKR_EVENT_HANGUP, .request = {.id = call->number}};
    const bool waits = skr_calls_give_up(&webhook->calls, call);
    if (waits) {
        webhook->options.post(webhook->options.context, &event, NULL, NULL);
    }
    return waits;
}

/* ---- life ---- */

int skr_spotmix_webhook_create(const struct skr_spotmix_webhook_options *options,
                               struct skr_spotmix_webhook **ret, struct skr_error *error)
{
    struct skr_spotmix_webhook *webhook = skr_alloc(sizeof *webhook);
    struct skr_listener_options listener;
    webhook->options = *options;
    webhook->duration = skr_metric_get(skr_metrics_family(options->metrics, &duration),
                                       (const char *const[]){NULL, NULL, NULL, NULL});
    skr_calls_init(&webhook->calls, SKR_SPOTMIX_ASKED_MAX);
    pthread_mutex_init(&webhook->lock, NULL);
    skr_listener_options_default(&listener);
    listener.name = "spotmix";
    listener.address = options->listen;
    listener.tls = options->tls;
    listener.tls.key_is_secret = true;
    listener.cert = options->pair.cert;
    listener.key = options->pair.key;
    listener.log = options->log;
    listener.metrics = options->metrics;
    listener.connections_max = SKR_SPOTMIX_ASKED_MAX;
    listener.per_address_max = SKR_SPOTMIX_PER_ADDRESS_MAX;
    listener.body_max = SKR_SPOTMIX_BODY_MAX;
    listener.bodies_max = 256 * 1024 * 1024;
    listener.stop_timeout_ms = 1000;
    listener.handler = (struct skr_http_handler){.context = webhook,
                                                 .admit = on_admit,
                                                 .handle = on_handle,
                                                 .resume = on_resume,
                                                 .hangup = on_hangup,
                                                 .done = on_done};
    const int rc = skr_listener_create(&listener, &webhook->listener, error);
    if (rc != 0) {
        skr_calls_fini(&webhook->calls);
        pthread_mutex_destroy(&webhook->lock);
        free(webhook);
        return rc;
    }
    *ret = webhook;
    return 0;
}

struct skr_listener *skr_spotmix_webhook_listener(struct skr_spotmix_webhook *webhook)
{
    return webhook ? webhook->listener : NULL;
}

void skr_spotmix_webhook_set_tokens(struct skr_spotmix_webhook *webhook,
                                    const struct skr_caller_tokens *tokens)
{
    pthread_mutex_lock(&webhook->lock);
    webhook->tokens = *tokens;
    pthread_mutex_unlock(&webhook->lock);
}

void skr_spotmix_webhook_destroy(struct skr_spotmix_webhook *webhook)
{
    if (!webhook) {
        return;
    }
    skr_listener_destroy(webhook->listener);
    skr_calls_fini(&webhook->calls);
    pthread_mutex_destroy(&webhook->lock);
    explicit_bzero(&webhook->tokens, sizeof webhook->tokens);
    free(webhook);
}
