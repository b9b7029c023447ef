/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_PICTURES_H
#define SKR_SERVER_HTTP_PICTURES_H
/*
 * Pictures of the schedulers (core/frame/picture.h) on the admin listener:
 *
 *   GET /v1/picture?view=gangs&resource=gpu   the document of this moment
 *   GET /v1/stream?view=gangs&resource=gpu    text/event-stream: `full`, then `delta`s
 *
 * A feed is one view of one resource. It has a picture, which only the engine's thread touches, and
 * the texts that clients get: the last document and a log of changes. Each text is written once,
 * for all clients. Feeds exist while clients look, and SKR_PICTURES_LINGER_MS longer. Without
 * clients nothing is drawn.
 *
 * A stream is a suspended connection. Events have ids "BOOT-FEED-VERSION"; a client that comes back
 * with one of the last SKR_PICTURES_LOG_MAX versions goes on behind it, any other gets a document.
 * At most one change a SKR_PICTURES_PAUSE_MS is drawn. A comment every SKR_PICTURES_BEAT_MS shows
 * that the connection lives. If there is no picture (not leader, no tree), the event `refused` has
 * the Status, and the document follows when there is one.
 *
 * One thread of its own, which sleeps while no client looks.
 */
#include "core/frame/engine.h"
#include "core/frame/picture.h"
#include "core/gang/state/pages.h"
#include "server/http/admin.h"

enum {
    SKR_PICTURES_VIEWS_MAX = 4,
    SKR_PICTURES_FEEDS_MAX = 16,              /* more at once get 503 */
    SKR_PICTURES_LOG_MAX = 1000,              /* changes of a feed that are kept ... */
    SKR_PICTURES_LOG_BYTES = 8 * 1024 * 1024, /* ... and their bytes */
    SKR_PICTURES_UNREAD_MAX =
        4 * 1024 * 1024,         /* bytes that a client is behind; then it is cut off */
    SKR_PICTURES_ASKED_MAX = 16, /* requests for documents at once; then 503 */
    SKR_PICTURES_PAUSE_MS = 250,
    SKR_PICTURES_BEAT_MS = 15 * 1000,
    SKR_PICTURES_LINGER_MS = 30 * 1000,
};

struct skr_picture_view {
    const char *name; /* literal: "gangs" */
    /* As skr_gang_draw(); self: of the engine. */
    int (*draw)(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out);
    /* skr_engine_thread_look(), _has_requests(), _handled(). */
    void (*look)(void *engine, void (*fn)(void *context, struct skr_engine *engine, skr_time now),
                 void *context);
    bool (*busy)(void *engine);
    uint64_t (*handled)(void *engine);
    void *engine;
};

struct skr_pictures_options {
    size_t n_views;
    struct skr_picture_view view[SKR_PICTURES_VIEWS_MAX];
    struct skr_hash_seed hash_seed;
    uint64_t boot;               /* differs from those of earlier processes */
    size_t streams_max;          /* at once; more get 503 */
    struct skr_metrics *metrics; /* NULL allowed: sakkara_ui_streams, sakkara_ui_events_total */
};

struct skr_pictures;

/* Errors: SKR_RETRY (the thread). */
int skr_pictures_create(const struct skr_pictures_options *options, struct skr_pictures **ret,
                        struct skr_error *error);
/* Two routes: /v1/picture and /v1/stream. */
size_t skr_pictures_routes(struct skr_pictures *pictures, struct skr_admin_route *route);
/* After the admin listener and the engine threads have ended. NULL allowed. */
void skr_pictures_destroy(struct skr_pictures *pictures);

#endif
