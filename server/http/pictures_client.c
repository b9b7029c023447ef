/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of pictures, on the listener's thread. A stream has a place in its feed, and the text
 * that it is sending: parts of it are copied as the connection takes them. */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "server/http/json_reply.h"
#include "server/http/pictures_feed.h"
#include "topology/base/arena.h"

enum {
    PART = 16 * 1024,       /* of a text, at a time */
    RESOURCE_MAX = 317,     /* bytes of a resource name */
    OLD_BYTES = 256 * 1024, /* of changes behind a document; then another one is written */
};

/* The view and resource of the query. NULL: refused. */
static const struct skr_picture_view *view_of(const struct skr_pictures *all,
                                              struct skr_http_request *request,
                                              const char **ret_resource)
{
    const char *name = skr_http_argument(request, "view");
    const char *resource = skr_http_argument(request, "resource");
    SKR_STRBUF(text);
    name = name && *name ? name : all->options.view[0].name;
    *ret_resource = resource ? resource : "";
    if (strlen(*ret_resource) > RESOURCE_MAX) {
        skr_strbuf_addf(&text, "sakkara: resource has more than %d bytes", RESOURCE_MAX);
        skr_http_refuse_json(request, MHD_HTTP_BAD_REQUEST, text.s);
        return NULL;
    }
    skr_strbuf_addf(&text, "sakkara: no view \"%.64s\"; there are:", name);
    for (size_t i = 0; i < all->options.n_views; i++) {
        if (strcmp(all->options.view[i].name, name) == 0) {
            return &all->options.view[i];
        }
        skr_strbuf_addf(&text, "%s %s", i > 0 ? "," : "", all->options.view[i].name);
    }
    skr_http_refuse_json(request, MHD_HTTP_NOT_FOUND, text.s);
    return NULL;
}

/* ---- documents ---- */

struct question {
    struct skr_call call;
    struct skr_strbuf answer;
    int code;
};

void skr_picture_fill(struct skr_call *call, const void *answer)
{
    struct question *q = (struct question *)call;
    const struct skr_picture_answer *a = answer;
    skr_strbuf_addn(&q->answer, a->s, a->len);
    q->code = a->code;
}

/* Whether the request waits for the next drawing. */
static bool ask(struct skr_pictures *all, const struct skr_picture_view *view, const char *resource,
                struct skr_http_request *request)
{
    struct question *q = skr_alloc(sizeof *q);
    skr_strbuf_init(&q->answer);
    pthread_mutex_lock(&all->lock);
    struct skr_feed *f = skr_feed_open(all, view, resource);
    const bool room = f && f->n_askers < SKR_PICTURES_ASKED_MAX;
    const uint64_t number = skr_calls_enter(&all->calls, &q->call, request);
    if (room && number != 0) {
        f->asker[f->n_askers++] = number;
        skr_feed_look(f);
    } else if (number != 0) {
        (void)skr_calls_give_up(&all->calls, &q->call);
    }
    pthread_mutex_unlock(&all->lock);
    return room && number != 0;
}

static void handle_picture(void *context, struct skr_http_request *request)
{
    struct skr_pictures *all = context;
    const char *resource;
    if (!skr_http_allows(request, "GET, HEAD")) {
        return;
    }
    const struct skr_picture_view *view = view_of(all, request, &resource);
    if (view && !ask(all, view, resource, request)) {
        skr_http_refuse_json(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "sakkara: too many questions at once");
    }
}

static void resume_picture(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;
    (void)context;
    skr_http_reply_json(request, q->code, &q->answer);
}

static bool hangup_picture(void *context, struct skr_http_request *request)
{
    struct skr_pictures *all = context;
    return skr_calls_give_up(&all->calls, request->user);
}

static void done_picture(void *context, struct skr_http_request *request)
{
    struct question *q = request->user;
    (void)context;
    if (q) {
        request->user = NULL;
        skr_strbuf_fini(&q->answer);
        free(q);
    }
}

/* ---- streams ---- */

/* The version behind the one that the client has, if it is of this feed and still in the log; else
 * 0. */
static uint64_t goes_on_at(const struct skr_feed *f, struct skr_http_request *request)
{
    const char *id = skr_http_header(request, "Last-Event-ID");
    unsigned long long boot, version;
    unsigned number;
    int end = 0;
    if (!id || sscanf(id, "%16llx-%10u-%19llu%n", &boot, &number, &version, &end) != 3 ||
        id[end] != '\0') {
        return 0;
    }
    const bool known = boot == f->all->options.boot && number == f->number &&
                       version + 1 >= f->first && version <= f->version && version > 0;
    return known ? version + 1 : 0;
}

static bool open_stream(struct skr_pictures *all, const struct skr_picture_view *view,
                        const char *resource, struct skr_http_request *request)
{
    pthread_mutex_lock(&all->lock);
    struct skr_feed *f =
        all->n_streams < all->options.streams_max ? skr_feed_open(all, view, resource) : NULL;
    if (f) {
        struct skr_stream_client *c = skr_alloc(sizeof *c);
        c->feed = f;
        c->request = request;
        c->beat = f->beat;
        c->next = goes_on_at(f, request);
        DL_APPEND2(f->clients, c, prev, next_client);
        request->user = c;
        all->n_streams++;
        skr_pictures_show_streams(all);
        skr_feed_look(f);
    }
    pthread_mutex_unlock(&all->lock);
    return f;
}

static void handle_stream(void *context, struct skr_http_request *request)
{
    struct skr_pictures *all = context;
    const char *resource;
    if (!skr_http_allows(request, "GET")) {
        return;
    }
    const struct skr_picture_view *view = view_of(all, request, &resource);
    if (view && !open_stream(all, view, resource, request)) {
        char text[96];
        (void)snprintf(text, sizeof text,
                       "sakkara: %zu pages follow pictures, ui.streams allows no more",
                       all->options.streams_max);
        skr_http_refuse_json(request, MHD_HTTP_SERVICE_UNAVAILABLE, text);
    } else if (view) {
        skr_http_reply_stream(request, MHD_HTTP_OK, "text/event-stream");
    }
}

/* What it gets next becomes c->sending, if there is something. Under the lock. false: it is too far
 * behind. */
static bool choose(struct skr_stream_client *c)
{
    struct skr_feed *f = c->feed;
    if (f->refused) {
        if (c->refused != f->refusal) {
            c->refused = f->refusal;
            c->next = 0;
            c->sending = skr_feed_text_ref(f->refused);
        }
        return true;
    }
    if (c->next != 0 && c->next <= f->version && c->next < f->first) {
        c->next = 0;
    }
    if (c->next == 0) {
        const bool usable =
            f->full && f->full_version + 1 >= f->first && f->bytes - f->full_bytes <= OLD_BYTES;
        if (usable) {
            c->sending = skr_feed_text_ref(f->full);
            c->next = f->full_version + 1;
        } else if (!f->want_full) {
            f->want_full = true;
            skr_feed_look(f);
        }
        return true;
    }
    if (c->next <= f->version) {
        const struct skr_feed_entry *e = &f->log[c->next % SKR_PICTURES_LOG_MAX];
        if (f->bytes - e->before > SKR_PICTURES_UNREAD_MAX) {
            return false;
        }
        c->sending = skr_feed_text_ref(e->text);
        c->next++;
    }
    return true;
}

static bool more(void *context, struct skr_http_request *request, struct skr_strbuf *out)
{
    struct skr_pictures *all = context;
    struct skr_stream_client *c = request->user;
    bool ok = true;
    if (!c->greeted) {
        c->greeted = true;
        skr_strbuf_add(out, "retry: 2000\n\n");
    }
    pthread_mutex_lock(&all->lock);
    while (ok && out->len < PART) {
        if (!c->sending) {
            c->at = 0;
            ok = choose(c);
        }
        if (!c->sending) {
            break;
        }
        const size_t left = c->sending->len - c->at, room = PART - out->len;
        const size_t n = left < room ? left : room;
        skr_strbuf_addn(out, c->sending->s + c->at, n);
        c->at += n;
        if (c->at == c->sending->len) {
            skr_feed_text_unref(c->sending);
            c->sending = NULL;
        }
    }
    if (out->len == 0 && c->beat != c->feed->beat) {
        skr_strbuf_add(out, ":\n\n");
    }
    if (out->len > 0) {
        c->beat = c->feed->beat;
    }
    pthread_mutex_unlock(&all->lock);
    return ok;
}

static void done_stream(void *context, struct skr_http_request *request)
{
    struct skr_pictures *all = context;
    struct skr_stream_client *c = request->user;
    if (!c) {
        return;
    }
    request->user = NULL;
    pthread_mutex_lock(&all->lock);
    DL_DELETE2(c->feed->clients, c, prev, next_client);
    skr_feed_text_unref(c->sending);
    all->n_streams--;
    skr_pictures_show_streams(all);
    pthread_mutex_unlock(&all->lock);
    free(c);
}

size_t skr_pictures_routes(struct skr_pictures *pictures, struct skr_admin_route *route)
{
    route[0] = (struct skr_admin_route){.prefix = "/v1/picture",
                                        .handle = handle_picture,
                                        .context = pictures,
                                        .resume = resume_picture,
                                        .hangup = hangup_picture,
                                        .done = done_picture};
    route[1] = (struct skr_admin_route){.prefix = "/v1/stream",
                                        .handle = handle_stream,
                                        .context = pictures,
                                        .more = more,
                                        .done = done_stream};
    return 2;
}
