/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds: drawn on the engine's thread, handed to clients. The thread of the pictures lets engines
 * draw again when they have handled something, sends comments, and drops feeds without clients.
 *
 * The lock is never held while a picture is drawn. A feed that is drawn is never freed.
 */
#include "server/http/pictures.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/http/pictures_feed.h"
#include "server/thread.h"
#include "topology/base/arena.h"

enum { TRIES_MAX = 100 }; /* to draw without being interrupted */

static int64_t now_ms(void)
{
    return skr_http_now_ns() / 1000000;
}

/* ---- texts ---- */

struct skr_feed_text *skr_feed_text_ref(struct skr_feed_text *text)
{
    text->refs++;
    return text;
}

void skr_feed_text_unref(struct skr_feed_text *text)
{
    if (text && --text->refs == 0) {
        free(text);
    }
}

/* "id: BOOT-FEED-VERSION\nevent: NAME\ndata: BODY\n\n"; *ret_skip (NULL allowed): bytes before
 * BODY. */
static struct skr_feed_text *make_event(const struct skr_feed *f, const char *name,
                                        uint64_t version, const char *body, size_t n,
                                        size_t *ret_skip)
{
    char head[128];
    int len = 0;
    if (version > 0) {
        len = snprintf(head, sizeof head, "id: %llx-%u-%llu\n",
                       (unsigned long long)f->all->options.boot, f->number,
                       (unsigned long long)version);
    }
    len += snprintf(head + len, sizeof head - (size_t)len, "event: %s\ndata: ", name);
    struct skr_feed_text *text = skr_alloc(sizeof *text + (size_t)len + n + 2);
    memcpy(text->s, head, (size_t)len);
    memcpy(text->s + len, body, n);
    memcpy(text->s + (size_t)len + n, "\n\n", 2);
    text->len = (size_t)len + n + 2;
    text->refs = 1;
    if (ret_skip) {
        *ret_skip = (size_t)len;
    }
    return text;
}

/* ---- the log ---- */

static struct skr_feed_entry *entry_of(struct skr_feed *f, uint64_t version)
{
    return &f->log[version % SKR_PICTURES_LOG_MAX];
}

static void drop_first(struct skr_feed *f)
{
    struct skr_feed_entry *e = entry_of(f, f->first++);
    skr_feed_text_unref(e->text);
    e->text = NULL;
}

static void empty_log(struct skr_feed *f, uint64_t version)
{
    while (f->first <= f->version) {
        drop_first(f);
    }
    f->version = version;
    f->first = version + 1;
    skr_feed_text_unref(f->full);
    f->full = NULL;
}

static void append(struct skr_feed *f, uint64_t version, struct skr_feed_text *text)
{
    if (f->version - f->first + 1 == SKR_PICTURES_LOG_MAX) {
        drop_first(f);
    }
    f->version = version;
    *entry_of(f, version) = (struct skr_feed_entry){version, f->bytes, text};
    f->bytes += text->len;
    while (f->first < version &&
           f->bytes - entry_of(f, f->first)->before > SKR_PICTURES_LOG_BYTES) {
        drop_first(f);
    }
}

/* ---- on the engine's thread ---- */

struct drawing {
    struct skr_feed *feed;
    int code;
    enum skr_picture_news news;
    struct skr_strbuf change, full;
    bool has_full;
};

static bool interrupted(void *context)
{
    const struct skr_feed *f = context;
    return f->view->busy(f->view->engine);
}

static void draw(struct drawing *d, struct skr_engine *engine, skr_time now, bool want_full)
{
    struct skr_feed *f = d->feed;
    struct skr_view_query query = {.path = "/v1/picture", .context = f};
    if (!engine) {
        d->code = MHD_HTTP_SERVICE_UNAVAILABLE;
        skr_view_write_status(&d->change, d->code, "sakkara: shutting down");
        return;
    }
    query.argument[SKR_VIEW_RESOURCE] = f->resource;
    query.interrupted = f->view->busy ? interrupted : NULL;
    if (!f->picture) {
        f->picture = skr_picture_create(f->view->name, &f->all->options.hash_seed);
    }
    d->code = f->view->draw(skr_engine_self(engine), &query, now, f->picture, &d->news, &d->change);
    if (d->code == MHD_HTTP_OK && (want_full || d->news == SKR_PICTURE_ANEW)) {
        skr_picture_write(f->picture, &d->full);
        d->has_full = true;
    }
}

/* Under the lock. */
static void take_refusal(struct skr_feed *f, const struct drawing *d)
{
    if (f->refused && f->refused->len == f->refused_skip + d->change.len + 2 &&
        memcmp(f->refused->s + f->refused_skip, d->change.s, d->change.len) == 0) {
        return;
    }
    skr_feed_text_unref(f->refused);
    f->refused = make_event(f, "refused", 0, d->change.s, d->change.len, &f->refused_skip);
    f->refusal++;
    empty_log(f, f->version);
}

/* Under the lock. */
static void take_picture(struct skr_feed *f, const struct drawing *d)
{
    const uint64_t version = skr_picture_version(f->picture);
    skr_feed_text_unref(f->refused);
    f->refused = NULL;
    if (d->news == SKR_PICTURE_ANEW) {
        empty_log(f, version);
    } else if (d->news == SKR_PICTURE_CHANGED) {
        append(f, version, make_event(f, "delta", version, d->change.s, d->change.len, NULL));
        skr_pictures_count(f->all, "delta");
    }
    if (d->has_full) {
        skr_feed_text_unref(f->full);
        f->full = make_event(f, "full", version, d->full.s, d->full.len, &f->full_skip);
        f->full_version = version;
        f->full_bytes = f->bytes;
        skr_pictures_count(f->all, "full");
    }
}

/* Under the lock. */
static void answer_askers(struct skr_feed *f, const struct drawing *d)
{
    const struct skr_picture_answer answer = {.code = d->code,
                                              .s = d->has_full ? d->full.s : d->change.s,
                                              .len = d->has_full ? d->full.len : d->change.len};
    for (size_t i = 0; i < f->n_askers; i++) {
        (void)skr_calls_answer(&f->all->calls, f->asker[i], skr_picture_fill, &answer);
    }
    f->n_askers = 0;
}

static void look(void *context, struct skr_engine *engine, skr_time now)
{
    struct skr_feed *f = context;
    struct skr_pictures *all = f->all;
    struct drawing d = {.feed = f};
    skr_strbuf_init(&d.change);
    skr_strbuf_init(&d.full);
    pthread_mutex_lock(&all->lock);
    const bool want_full = f->want_full || f->n_askers > 0;
    f->handled = f->view->handled(f->view->engine);
    pthread_mutex_unlock(&all->lock);
    draw(&d, engine, now, want_full);
    if (d.code == SKR_VIEW_INTERRUPTED && ++f->tries < TRIES_MAX) {
        f->view->look(f->view->engine, look, f);
    } else {
        if (d.code == SKR_VIEW_INTERRUPTED) {
            d.code = MHD_HTTP_SERVICE_UNAVAILABLE;
            skr_view_write_status(&d.change, d.code, "sakkara: the scheduler is busy");
        }
        pthread_mutex_lock(&all->lock);
        f->tries = 0;
        f->looking = false;
        f->want_full = false;
        f->code = d.code;
        if (d.code == MHD_HTTP_OK) {
            take_picture(f, &d);
        } else {
            take_refusal(f, &d);
        }
        if (d.has_full || d.code != MHD_HTTP_OK) {
            answer_askers(f, &d);
        }
        struct skr_stream_client *c;
        DL_FOREACH2(f->clients, c, next_client)
        {
            skr_http_wake_stream(c->request);
        }
        if (f->n_askers > 0) { /* they came while it was drawn */
            skr_feed_look(f);
        }
        pthread_mutex_unlock(&all->lock);
    }
    skr_strbuf_fini(&d.change);
    skr_strbuf_fini(&d.full);
}

void skr_feed_look(struct skr_feed *feed)
{
    feed->due = true;
    pthread_cond_signal(&feed->all->wake);
}

/* ---- feeds ---- */

struct skr_feed *skr_feed_open(struct skr_pictures *all, const struct skr_picture_view *view,
                               const char *resource)
{
    for (size_t i = 0; i < all->n_feeds; i++) {
        struct skr_feed *f = all->feed[i];
        if (f->view == view && strcmp(f->resource, resource) == 0) {
            f->used_ms = now_ms();
            return f;
        }
    }
    if (all->n_feeds == SKR_PICTURES_FEEDS_MAX) {
        return NULL;
    }
    struct skr_feed *f = skr_alloc(sizeof *f);
    f->all = all;
    f->view = view;
    f->resource = skr_strdup(resource);
    f->number = ++all->numbers;
    f->first = 1;
    f->used_ms = now_ms();
    all->feed[all->n_feeds++] = f;
    pthread_cond_signal(&all->wake);
    return f;
}

static void destroy_feed(struct skr_feed *f)
{
    empty_log(f, f->version);
    skr_feed_text_unref(f->refused);
    skr_picture_destroy(f->picture);
    free(f->resource);
    free(f);
}

/* ---- the thread ---- */

static void tend(struct skr_feed *f, int64_t now, bool beat)
{
    struct skr_stream_client *c;
    if (!f->clients) {
        return;
    }
    f->used_ms = now;
    f->beat += beat;
    if (beat) {
        DL_FOREACH2(f->clients, c, next_client)
        {
            skr_http_wake_stream(c->request);
        }
    }
    if (now - f->looked_ms >= SKR_PICTURES_PAUSE_MS &&
        f->handled != f->view->handled(f->view->engine)) {
        skr_feed_look(f);
    }
}

static void drop_unused(struct skr_pictures *all, int64_t now)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n_feeds; i++) {
        struct skr_feed *f = all->feed[i];
        if (!f->clients && f->n_askers == 0 && !f->looking && !f->due &&
            now - f->used_ms >= SKR_PICTURES_LINGER_MS) {
            destroy_feed(f);
        } else {
            all->feed[n++] = f;
        }
    }
    all->n_feeds = n;
}

/* An engine that has ended looks at once, on this thread: the lock is not held then. */
static void look_at_due(struct skr_pictures *all)
{
    for (size_t i = 0; i < all->n_feeds; i++) {
        struct skr_feed *f = all->feed[i];
        if (f->due && !f->looking) {
            f->due = false;
            f->looking = true;
            f->looked_ms = now_ms();
            pthread_mutex_unlock(&all->lock);
            f->view->look(f->view->engine, look, f);
            pthread_mutex_lock(&all->lock);
        }
    }
}

static bool any_due(const struct skr_pictures *all)
{
    bool any = false;
    for (size_t i = 0; i < all->n_feeds; i++) {
        any = any || (all->feed[i]->due && !all->feed[i]->looking);
    }
    return any;
}

static void wait_for_work(struct skr_pictures *all)
{
    const int64_t pause = all->n_streams > 0 ? SKR_PICTURES_PAUSE_MS : 1000;
    const int64_t until = skr_http_now_ns() + pause * 1000000;
    const struct timespec deadline = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    if (all->n_feeds == 0) {
        pthread_cond_wait(&all->wake, &all->lock);
    } else if (!any_due(all)) {
        (void)pthread_cond_timedwait(&all->wake, &all->lock, &deadline);
    }
}

static void *run(void *context)
{
    struct skr_pictures *all = context;
    pthread_mutex_lock(&all->lock);
    while (!all->stop) {
        wait_for_work(all);
        const int64_t now = now_ms();
        const bool beat = now - all->beat_ms >= SKR_PICTURES_BEAT_MS;
        if (beat) {
            all->beat_ms = now;
        }
        for (size_t i = 0; i < all->n_feeds; i++) {
            tend(all->feed[i], now, beat);
        }
        look_at_due(all);
        drop_unused(all, now);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* ---- metrics ---- */

void skr_pictures_count(struct skr_pictures *all, const char *event)
{
    if (all->events) {
        skr_metric_add(skr_metric_get(all->events, (const char *const[]){event}), 1);
    }
}

void skr_pictures_show_streams(struct skr_pictures *all)
{
    if (all->streams) {
        skr_metric_set(skr_metric_get(all->streams, NULL), (int64_t)all->n_streams);
    }
}

/* ---- life ---- */

int skr_pictures_create(const struct skr_pictures_options *options, struct skr_pictures **ret,
                        struct skr_error *error)
{
    static const struct skr_metric_spec streams = {
        .name = "sakkara_ui_streams",
        .help = "Pages that follow a picture now.",
        .type = SKR_GAUGE,
    };
    static const struct skr_metric_spec events = {
        .name = "sakkara_ui_events_total",
        .help = "Events of pictures that were written, whatever the number of their readers.",
        .type = SKR_COUNTER,
        .label = {"event"},
    };
    struct skr_pictures *all = skr_alloc(sizeof *all);
    all->options = *options;
    skr_bug_on(pthread_mutex_init(&all->lock, NULL) != 0);
    skr_thread_init_wake(&all->wake);
    skr_calls_init(&all->calls, SKR_PICTURES_ASKED_MAX);
    all->streams = skr_metrics_family(options->metrics, &streams);
    all->events = skr_metrics_family(options->metrics, &events);
    skr_pictures_show_streams(all);
    const int rc = skr_thread_start(&all->thread, "pictures", run, all, error);
    all->running = rc == 0;
    if (rc < 0) {
        skr_pictures_destroy(all);
        return rc;
    }
    *ret = all;
    return 0;
}

void skr_pictures_destroy(struct skr_pictures *pictures)
{
    struct skr_pictures *all = pictures;
    if (!all) {
        return;
    }
    if (all->running) {
        pthread_mutex_lock(&all->lock);
        all->stop = true;
        pthread_cond_signal(&all->wake);
        pthread_mutex_unlock(&all->lock);
        pthread_join(all->thread, NULL);
    }
    for (size_t i = 0; i < all->n_feeds; i++) {
        destroy_feed(all->feed[i]);
    }
    skr_calls_fini(&all->calls);
    pthread_cond_destroy(&all->wake);
    pthread_mutex_destroy(&all->lock);
    free(all);
}
