/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_API_H
#define SKR_SERVER_HTTP_API_H
/*
 * Pages of a scheduler below a prefix of the admin listener: GET and HEAD. A request is held while
 * the engine thread writes its page, so neither thread waits for the other. At most
 * SKR_API_ASKED_MAX pages are written at once; further requests get 503.
 */
#include "core/frame/engine.h"
#include "core/gang/state/pages.h"
#include "server/http/admin.h"

enum {
    SKR_API_ASKED_MAX = 16,
    SKR_API_TRIES_MAX = 100, /* to write a page without being interrupted; then 503 */
};

struct skr_api_options {
    const char *prefix; /* literal: "/v1" */
    /* Appends the page and returns its HTTP status, or SKR_VIEW_INTERRUPTED; self: of the engine. */
    int (*write)(void *self, const struct skr_view_query *query, skr_time now,
                 struct skr_strbuf *out);
    /* skr_engine_thread_look(). */
    void (*look)(void *context, void (*fn)(void *argument, struct skr_engine *engine, skr_time now),
                 void *argument);
    /* Whether a request of kube-scheduler waits for the engine: skr_engine_thread_has_requests(). The
     * page is then given up and written again after the request. NULL: pages are short. */
    bool (*busy)(void *context);
    /* Some pages lack what the engine makes on demand (SKR_VIEW_AWAITED): sends it an event, so that it
     * begins. NULL: such pages are written without. */
    void (*nudge)(void *context);
    void *context;
};

struct skr_api;
struct skr_api *skr_api_create(const struct skr_api_options *options);
/* For struct skr_admin_options. */
struct skr_admin_route skr_api_route(struct skr_api *api);
/* On the engine thread, after it has handled so many events: pages that were awaited are tried again if
 * there are new ones. */
void skr_api_handled(struct skr_api *api, uint64_t events);
/* After the admin listener and the engine thread have ended. NULL allowed. */
void skr_api_destroy(struct skr_api *api);

#endif
