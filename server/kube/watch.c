/* SPDX-License-Identifier: Apache-2.0 */
/* The list-and-watch loop of one resource, as client-go's reflector does it
 * (k8s.io/client-go/tools/cache/reflector.go), driven by transfers and ticks. */
#include "server/kube/watch_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server/kube/options.h"
#include "server/kube/target.h"
#include "topology/base/json_tree.h"

static void start(struct skr_kube_watch *w);

/* ---- life ---- */

static bool on_receive(struct skr_transfer *transfer, const char *data, size_t n);
static void on_done(struct skr_transfer *transfer, CURLcode result);

struct skr_kube_watch *skr_kube_watch_create(struct skr_kube_session *session,
                                             const struct skr_watch *what, size_t index)
{
    struct skr_kube_watch *w = skr_alloc(sizeof *w);
    w->session = session;
    w->resource = what->type->resource;
    w->selector = what->label_selector;
    w->topology_only = what->topology_only;
    w->namespace_ = what->topology_only && session->options->topology_namespace
                        ? session->options->topology_namespace
                        : "";
    w->optional = w->may_be_forbidden = true;
    w->seldom = what->seldom;
    w->name = what->name ? what->name : w->resource->plural;
    w->page = session->options->page;
    skr_feed_init(&w->feed, session, w->name, index);
    w->feed.no_system = what->users_only && !session->options->system_groups;
    skr_transfer_init(&w->transfer, session, w);
    w->transfer.receive = on_receive;
    w->transfer.done = on_done;
    skr_freshness_init(&w->freshness, session);
    skr_lines_init(&w->lines, SKR_KUBE_LINE_MAX);
    skr_strbuf_init(&w->body);
    skr_strbuf_init(&w->of_page.version);
    skr_strbuf_init(&w->of_page.next);
    return w;
}

void skr_kube_watch_destroy(struct skr_kube_watch *watch)
{
    if (!watch) {
        return;
    }
    skr_transfer_fini(&watch->transfer);
    skr_freshness_fini(&watch->freshness);
    skr_feed_fini(&watch->feed);
    skr_lines_fini(&watch->lines);
    skr_strbuf_fini(&watch->body);
    skr_strbuf_fini(&watch->of_page.version);
    skr_strbuf_fini(&watch->of_page.next);
    free(watch);
}

void skr_kube_watch_pair(struct skr_kube_watch *a, struct skr_kube_watch *b)
{
    a->feed.peer = b->feed.peer ? b->feed.peer : &b->feed;
    b->feed.peer = &a->feed;
}

void skr_kube_watch_add(struct skr_kube_watch *watch, const struct skr_kube_subscriber *to,
                        const struct skr_watch *what)
{
    watch->optional = watch->optional && what->optional;
    watch->may_be_forbidden = watch->may_be_forbidden && what->may_be_forbidden;
    if (!what->on_demand) {
        skr_kube_watch_begin(watch);
    }
    skr_feed_add(&watch->feed, to, what->type);
}

void skr_kube_watch_begin(struct skr_kube_watch *watch)
{
    if (!atomic_load(&watch->feed.counters->runs)) {
        skr_watch_note_success(watch);
        atomic_store(&watch->feed.counters->runs, true);
    }
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool skr_kube_watch_serves(const struct skr_kube_watch *watch, const struct skr_watch *what)
{
    return skr_resource_is(watch->resource, what->type->resource) &&
           watch->topology_only == what->topology_only &&
           same_text(watch->selector, what->label_selector);
}

bool skr_kube_watch_are_peers(const struct skr_kube_watch *a, const struct skr_kube_watch *b)
{
    return skr_resource_is(a->resource, b->resource) && skr_feed_shares(&a->feed, &b->feed);
}

/* ---- the list ---- */

/* Keeps the version of a list, a line or a bookmark. */
static bool set_version(struct skr_kube_watch *w, const char *version)
{
    size_t n = strlen(version);
    if (n == 0 || n > SKR_KUBE_VERSION_MAX) {
        return false;
    }
    memcpy(w->version, version, n + 1);
    return true;
}

static int read_page(struct skr_kube_watch *w, struct skr_error *error)
{
    struct skr_kube_page *page = &w->of_page;
    skr_strbuf_reset(&page->version);
    skr_strbuf_reset(&page->next);
    int rc = skr_kube_page_take(&w->feed, w->body.s ? w->body.s : "", w->body.len, page, error);
    if (rc < 0) {
        return rc;
    }
    if (!set_version(w, page->version.s)) {
        return skr_error_set(error, SKR_INVALID, "list without a resourceVersion");
    }
    if (page->next.len > SKR_KUBE_CONTINUE_MAX) {
        return skr_error_set(error, SKR_LIMIT, "continue token is longer than %d bytes",
                             SKR_KUBE_CONTINUE_MAX);
    }
    return 0;
}

static void finish_list(struct skr_kube_watch *w)
{
    skr_feed_end_list(&w->feed);
    skr_freshness_listed(&w->freshness);
    skr_strbuf_fini(&w->body);
    skr_strbuf_init(&w->body);
    skr_json_reader_fini(&w->feed.reader);
    skr_count_add(&w->feed.counters->lists, 1);
    w->has_version = true;
    skr_watch_set_absent(w, false);
    skr_watch_set_forbidden(w, false);
    skr_watch_set_synced(w);
    skr_watch_recovered(w);
}

static void list_done(struct skr_kube_watch *w, CURLcode result)
{
    int status = skr_transfer_status(&w->transfer);
    if (w->stream_trouble == TROUBLE_SIZE && w->page > 1) {
        w->page /= 2;
    }
    if (w->stream_trouble) {
        skr_watch_fail(w, w->stream_trouble, w->stream_error.text, 0);
        return;
    }
    if (result != CURLE_OK) {
        skr_watch_fail(w, TROUBLE_CURL + (int)result, skr_transfer_error(&w->transfer, result), 0);
        return;
    }
    if (status != 200) {
        skr_watch_fail_by_status(w, status);
        return;
    }
    struct skr_error error = {0};
    int rc = read_page(w, &error);
    if (rc < 0) {
        skr_watch_fail(w, TROUBLE_CONTENT, error.text, 0);
        return;
    }
    if (w->of_page.next.len == 0) {
        finish_list(w);
    }
    start(w);
}

/* ---- the watch ---- */

static bool stop_stream(struct skr_kube_watch *w, int trouble, bool relist)
{
    w->stream_trouble = trouble;
    if (relist) {
        w->has_version = false;
    }
    return false;
}

static bool take_error(struct skr_kube_watch *w, const struct skr_json *object)
{
    struct skr_kube_status status = {.reason = "", .message = ""};
    json_auto_t *tree = object ? skr_json_tree(object) : NULL;
    (void)skr_kube_status_parse(tree, &status);
    int code = status.code ? status.code : 500;
    (void)skr_error_set(&w->stream_error, SKR_RETRY, "watch ended by the API server: %d %s: %s",
                        code, status.reason, status.message);
    /* As client-go: busy or broken servers are watched again from where we were, all else means
     * that this version is of no use any more. */
    return stop_stream(w, code, code != 429 && (code < 500 || status.code == 0));
}

static bool on_line(void *context, const char *text, size_t n)
{
    struct skr_kube_watch *w = context;
    struct skr_kube_line line;
    if (skr_kube_line_take(&w->feed, text, n, &line, &w->stream_error) < 0) {
        return stop_stream(w, TROUBLE_CONTENT, true);
    }
    if (line.type == SKR_KUBE_LINE_ERROR) {
        return take_error(w, line.object);
    }
    (void)set_version(w, line.version);
    skr_watch_recovered(w);
    return true;
}

/* Watches that end at once, again and again, are delayed. */
static void watch_ended(struct skr_kube_watch *w, int64_t lived)
{
    w->state = IDLE;
    w->due = skr_kube_now();
    if (lived < SKR_SECOND) {
        w->failures++;
        w->due += skr_watch_backoff(w);
    }
}

static void watch_done(struct skr_kube_watch *w, CURLcode result)
{
    int64_t lived = skr_kube_now() - w->transfer.started;
    int status = skr_transfer_status(&w->transfer);
    if (status == 200 && lived >= w->session->options->healthy_after) {
        w->failures = 0;
        skr_watch_recovered(w);
    }
    if (w->stream_trouble) {
        skr_watch_fail(w, w->stream_trouble, w->stream_error.text, 0);
    } else if (result != CURLE_OK) {
        skr_watch_fail(w, TROUBLE_CURL + (int)result, skr_transfer_error(&w->transfer, result), 0);
    } else if (status != 200) {
        skr_watch_fail_by_status(w, status);
    } else {
        watch_ended(w, lived);
    }
}

/* ---- transfers ---- */

static bool on_receive(struct skr_transfer *transfer, const char *data, size_t n)
{
    struct skr_kube_watch *w = transfer->owner;
    if (skr_transfer_status(transfer) != 200) {
        if (w->body.len + n <= SKR_KUBE_ERROR_BODY_MAX) {
            skr_strbuf_addn(&w->body, data, n);
        }
        return true;
    }
    if (w->state == LISTING) {
        if (n > SKR_KUBE_LIST_PAGE_BYTES_MAX - w->body.len) {
            (void)skr_error_set(&w->stream_error, SKR_LIMIT,
                                "list page of %d objects is larger than %d bytes", w->page,
                                SKR_KUBE_LIST_PAGE_BYTES_MAX);
            return stop_stream(w, TROUBLE_SIZE, true);
        }
        skr_strbuf_addn(&w->body, data, n);
        return true;
    }
    int rc = skr_lines_feed(&w->lines, data, n, on_line, w);
    if (rc == -SKR_LIMIT) {
        (void)skr_error_set(&w->stream_error, SKR_LIMIT, "watch line is longer than %d bytes",
                            SKR_KUBE_LINE_MAX);
        return stop_stream(w, TROUBLE_SIZE, true);
    }
    return rc == 0;
}

static void on_done(struct skr_transfer *transfer, CURLcode result)
{
    struct skr_kube_watch *w = transfer->owner;
    if (w->state == LISTING) {
        list_done(w, result);
    } else {
        watch_done(w, result);
    }
}

static void write_target(struct skr_kube_watch *w, struct skr_strbuf *b)
{
    const struct skr_kube_options *o = w->session->options;
    skr_kube_collection(b, w->resource, w->namespace_);
    if (w->has_version) {
        uint64_t seconds = (uint64_t)(o->watch_for / SKR_SECOND);
        seconds += skr_kube_random(w->session, seconds + 1);
        skr_strbuf_addf(b, "?watch=true&allowWatchBookmarks=true&timeoutSeconds=%" PRIu64, seconds);
        skr_strbuf_add(b, "&resourceVersion=");
        skr_kube_escape(b, w->version);
    } else {
        skr_strbuf_addf(b, "?limit=%d", w->page);
        if (w->of_page.next.len > 0) {
            skr_strbuf_add(b, "&continue=");
        }
        skr_kube_escape(b, w->of_page.next.len > 0 ? w->of_page.next.s : "");
    }
    if (w->selector) {
        skr_strbuf_add(b, "&labelSelector=");
        skr_kube_escape(b, w->selector);
    }
}

/* Sends the next request: the watch, the next page, or the first page. */
static void start(struct skr_kube_watch *w)
{
    bool first_page = !w->has_version && w->state != LISTING;
    if (first_page) {
        skr_strbuf_reset(&w->of_page.next);
        skr_feed_begin_list(&w->feed);
    }
    w->state = w->has_version ? WATCHING : LISTING;
    if (w->has_version) {
        skr_count_add(&w->feed.counters->watches, 1);
    }
    w->stream_trouble = TROUBLE_NONE;
    skr_strbuf_reset(&w->body);
    skr_lines_reset(&w->lines);
    SKR_STRBUF(target);
    write_target(w, &target);
    struct skr_transfer_request request = {
        .method = "GET", .target = target.s, .accept = "application/json"};
    struct skr_error error = {0};
    if (skr_transfer_start(&w->transfer, &request, &error) < 0) {
        skr_watch_fail(w, TROUBLE_START, error.text, 0);
    }
}

void skr_kube_watch_freshen(struct skr_kube_watch *watch, int64_t now)
{
    if (skr_kube_watch_is_synced(watch)) {
        skr_freshness_begin(&watch->freshness, watch->resource, watch->namespace_, now);
    }
}

bool skr_kube_watch_is_fresh(const struct skr_kube_watch *watch)
{
    return watch->freshness.state == SKR_FRESH;
}

/* Also a list that is being read, because it began before. */
static void list_anew(struct skr_kube_watch *w, int64_t now)
{
    skr_transfer_cancel(&w->transfer);
    w->has_version = false;
    w->state = IDLE;
    w->due = now;
}

static int64_t tick(struct skr_kube_watch *watch, int64_t now)
{
    const struct skr_kube_options *o = watch->session->options;
    if (watch->state == IDLE && now >= watch->due) {
        start(watch);
    }
    if (watch->state == IDLE) {
        return watch->due;
    }
    if (watch->state == WATCHING && skr_transfer_status(&watch->transfer) == 200 &&
        atomic_load(&watch->feed.counters->last_success) < watch->transfer.started) {
        skr_watch_note_success(watch);
    }
    int64_t limit = watch->state == LISTING ? o->request_timeout : o->silence;
    int64_t end = watch->transfer.last_byte + limit;
    if (now < end) {
        return end;
    }
    skr_transfer_cancel(&watch->transfer);
    skr_watch_fail(watch, TROUBLE_SILENCE, "nothing was heard from the API server for too long", 0);
    return watch->due;
}

int64_t skr_kube_watch_tick(struct skr_kube_watch *watch, int64_t now)
{
    int64_t at = INT64_MAX;
    if (!atomic_load(&watch->feed.counters->runs)) {
        return at;
    }
    if (skr_freshness_tick(&watch->freshness, watch->version, now, &at)) {
        list_anew(watch, now);
    }
    int64_t due = tick(watch, now);
    return at < due ? at : due;
}
