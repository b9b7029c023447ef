/* SPDX-License-Identifier: Apache-2.0 */
/* Failures of lists and watches: what each means, how long to wait, what is logged; and their end. */
#include <stdio.h>
#include <stdlib.h>

#include "server/kube/options.h"
#include "server/kube/watch_state.h"
#include "server/log.h"

bool skr_kube_watch_is_dispensable(const struct skr_kube_watch *watch)
{
    return watch->seldom || (watch->optional && watch->may_be_forbidden);
}

bool skr_kube_watch_is_synced(const struct skr_kube_watch *watch)
{
    return atomic_load(&watch->feed.counters->synced);
}

/* The delay is doubled at every failure. A random part of its second half is left out, so clients
 * that lost the same server come back at different times. */
int64_t skr_watch_backoff(struct skr_kube_watch *w)
{
    const struct skr_kube_options *o = w->session->options;
    int64_t delay = o->backoff_min;
    for (uint64_t i = 1; i < w->failures && delay < o->backoff_max; i++) {
        delay *= 2;
    }
    if (delay > o->backoff_max) {
        delay = o->backoff_max;
    }
    return delay / 2 + (int64_t)skr_kube_random(w->session, (uint64_t)(delay / 2 + 1));
}

void skr_watch_fail(struct skr_kube_watch *w, int trouble, const char *text, skr_time at_least)
{
    bool serious = trouble >= 400 && trouble < 500 && trouble != 410 && trouble != 429;
    w->repeated = trouble == w->trouble ? w->repeated + 1 : 0;
    w->trouble = trouble;
    w->failures++;
    skr_count_add(&w->feed.counters->failures, 1);
    if (w->repeated % 10 == 0 && serious) {
        skr_log_error("Resource could not be watched", SKR_LOG_S("resource", w->name),
                      SKR_LOG_S("err", text), SKR_LOG_END);
    } else if (w->repeated % 10 == 0) {
        skr_log_warning("Watch was interrupted", SKR_LOG_S("resource", w->name),
                        SKR_LOG_S("err", text), SKR_LOG_END);
    }
    if (w->state == LISTING) {
        w->has_version = false;
    }
    w->state = IDLE;
    int64_t delay = skr_watch_backoff(w);
    w->due = skr_kube_now() + (delay > at_least ? delay : at_least);
}

void skr_watch_note_success(struct skr_kube_watch *w)
{
    atomic_store_explicit(&w->feed.counters->last_success, skr_kube_now(), memory_order_relaxed);
}

void skr_watch_recovered(struct skr_kube_watch *w)
{
    skr_watch_note_success(w);
    if (w->trouble != TROUBLE_NONE) {
        skr_log_info(2, "Resource was watched again", SKR_LOG_S("resource", w->name), SKR_LOG_END);
    }
    w->trouble = TROUBLE_NONE;
    w->repeated = 0;
}

void skr_watch_set_synced(struct skr_kube_watch *w)
{
    if (!skr_kube_watch_is_synced(w)) {
        skr_log_info(2, "Resource came in step with the API server", SKR_LOG_S("resource", w->name),
                     SKR_LOG_I("objects", skr_known_count(w->feed.known)), SKR_LOG_END);
    }
    atomic_store(&w->feed.counters->synced, true);
}

void skr_watch_set_forbidden(struct skr_kube_watch *w, bool forbidden)
{
    if (w->forbidden != forbidden) {
        w->forbidden = forbidden;
        skr_feed_forbidden(&w->feed, forbidden);
    }
}

/* The subscribers go on without the kind, or with its objects from before. It is retried after the
 * back-off. */
static void take_as_forbidden(struct skr_kube_watch *w)
{
    skr_watch_set_forbidden(w, true);
    skr_freshness_listed(&w->freshness);
    skr_watch_note_success(w);
    w->has_version = false;
    atomic_store(&w->feed.counters->synced, true);
}

void skr_watch_set_absent(struct skr_kube_watch *w, bool absent)
{
    if (absent && !w->absent) {
        skr_log_info(2, "Kind was not found and counted as empty", SKR_LOG_S("resource", w->name),
                     SKR_LOG_END);
    } else if (!absent && w->absent) {
        skr_log_info(2, "Kind was found", SKR_LOG_S("resource", w->name), SKR_LOG_END);
    }
    w->absent = absent;
}

/* The kind is not installed; it is retried after a back-off. The count of failures stays when the
 * kind is found, so API servers that disagree about the kind are not asked in a storm. */
static void take_as_absent(struct skr_kube_watch *w)
{
    skr_watch_set_absent(w, true);
    skr_watch_set_forbidden(w, false);
    skr_feed_begin_list(&w->feed);
    skr_feed_end_list(&w->feed);
    skr_freshness_listed(&w->freshness);
    skr_watch_set_synced(w);
    skr_watch_note_success(w);
    w->state = IDLE;
    w->has_version = false;
    w->trouble = TROUBLE_NONE;
    w->failures++;
    w->due = skr_kube_now() + skr_watch_backoff(w);
}

/* What failed, what the API server said about it, and what helps. */
static void describe(const struct skr_kube_watch *w, int status, const char *message, char *text,
                     size_t size)
{
    const char *verb = w->state == LISTING ? "list" : "watch";
    char version[SKR_API_VERSION_MAX];
    int n = snprintf(text, size, "%s %s: HTTP %d%s%s", verb, w->resource->plural, status,
                     message[0] ? ": " : "", message);
    if (n < 0 || (size_t)n >= size) {
        return;
    }
    if (status == 403) {
        (void)snprintf(
            text + n, size - (size_t)n,
            " (the account needs the verbs get, list and watch on %s of API group \"%s\" "
            "in all namespaces, by a ClusterRole)",
            w->resource->plural, w->resource->group);
    } else if (status == 404) {
        skr_resource_api_version(w->resource, version, sizeof version);
        (void)snprintf(text + n, size - (size_t)n, " (the API server does not serve kind %s of %s)",
                       w->resource->kind, version);
    }
}

void skr_watch_fail_by_status(struct skr_kube_watch *w, int status)
{
    struct skr_error error = {0};
    json_t *json = NULL;
    struct skr_kube_status said = {.message = ""};
    if (status == 404 && w->optional) {
        take_as_absent(w);
        return;
    }
    if (w->body.len > 0 && skr_kube_json_parse(w->body.s, w->body.len, &json, &error) == 0 &&
        !skr_kube_status_parse(json, &said)) {
        said.message = "";
    }
    char text[1024];
    describe(w, status, said.message, text, sizeof text);
    json_decref(json);
    if (status == 401) {
        skr_kube_session_refresh(w->session, skr_kube_now(), true);
    }
    bool keeps_version = status == 401 || status == 403 || status == 429 || status >= 500;
    if (!keeps_version) {
        w->has_version = false;
    }
    if (status == 403 && w->may_be_forbidden) {
        take_as_forbidden(w);
    }
    skr_watch_fail(w, status, text, skr_transfer_retry_after(&w->transfer));
}
