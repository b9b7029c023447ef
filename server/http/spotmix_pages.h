/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_SPOTMIX_PAGES_H
#define SKR_SERVER_HTTP_SPOTMIX_PAGES_H
/*
 * GET and HEAD of /v1/spotmix, /v1/spotmix/nodes and /v1/spotmix/NAMESPACE/NAME on the admin listener
 * (core/spotmix/page.h). A request is held while the engine's thread writes its page; at most
 * SKR_SPOTMIX_PAGES_MAX at once.
 */
#include "core/frame/engine.h"
#include "server/http/admin.h"

enum { SKR_SPOTMIX_PAGES_MAX = 16 };

struct skr_spotmix_pages_options {
    /* skr_engine_thread_look(). */
    void (*look)(void *context, void (*fn)(void *argument, struct skr_engine *engine, skr_time now),
                 void *argument);
    void *context;
};

struct skr_spotmix_pages;
struct skr_spotmix_pages *skr_spotmix_pages_create(const struct skr_spotmix_pages_options *options);
struct skr_admin_route skr_spotmix_pages_route(struct skr_spotmix_pages *pages);
/* After the admin listener and the engine thread have ended. NULL allowed. */
void skr_spotmix_pages_destroy(struct skr_spotmix_pages *pages);

#endif
