/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_VERBS_H
#define SKR_SERVER_HTTP_VERBS_H
/*
 * The extender's verbs over HTTP: POST /v1/filter, /v1/prioritize and /v1/preempt on one listener,
 * POST /v1/bind on another, so parked binds never take the connections of filter. A body becomes an
 * event for the engine, and the engine's answer becomes the body of the response. Nothing is decided
 * here.
 *
 * Every well-formed request gets an id, never 0 and never used twice. It stays in the table of
 * requests in flight until it is answered or its caller hangs up. If the caller of a bind hangs up,
 * SKR_EVENT_HANGUP is posted once, and a later answer is dropped. It is posted without an id when the last
 * connection of the first listener is closed. A malformed request is answered
 * here: 200 with Error "sakkara: malformed request" and one line in the log (prioritize: [],
 * preempt: no candidate).
 */
#include "core/frame/event.h"
#include "core/gang/state/requests.h"
#include "server/http/listener.h"

enum {
    SKR_BIND_CONNECTION_MEMORY = 4096, /* bytes of libmicrohttpd's buffer a parked bind */
    SKR_BIND_CONNECTIONS_MAX = 32768,  /* fewer when the limit of open files is lower */
    SKR_FILTER_CONNECTIONS_MAX = 512,
    SKR_RESERVED_FILES = 512, /* open files left to the rest of the process */
    SKR_VERBS_STOP_MS = 2000, /* at the end, for callers that take their answers slowly */
};

struct skr_verbs_options {
    const char *listen;      /* filter, prioritize, preempt */
    const char *bind_listen; /* bind */
    struct skr_tls_files tls;
    /* Called on a listener's thread, must not block. The struct is copied by the receiver; what it
     * borrows stays until the receiver calls release(keep), once, on any thread, also when it
     * throws the event away. release is NULL for events that borrow nothing. */
    void (*post)(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep);
    void *post_context;
    struct skr_http_log log;
    struct skr_metrics *metrics; /* NULL allowed */
    /* 0: the defaults of listener.h. For tests. */
    int request_timeout_ms;
    int idle_timeout_ms;
};

struct skr_verbs;

/* Opens both listeners; requests are taken at once. Errors: those of skr_listener_create(). */
int skr_verbs_create(const struct skr_verbs_options *options, struct skr_verbs **ret,
                     struct skr_error *error);

/* Any thread, meant for the engine's. The answer is copied. A request that is not in flight (any
 * more) is ignored; false then. Cost: O(entries / 8) and a lock; the text is made elsewhere. */
bool skr_verbs_answer(struct skr_verbs *verbs, const struct skr_answer *answer);

uint16_t skr_verbs_port(const struct skr_verbs *verbs);
uint16_t skr_verbs_bind_port(const struct skr_verbs *verbs);

/* Answers every request in flight and all that still come with "sakkara: not ready", then stops
 * both listeners. Let the engine answer its parked binds first (SKR_EVENT_SHUTDOWN) where it can.
 * The receiver of posts must still take them until this returns. A second call does nothing. */
void skr_verbs_stop(struct skr_verbs *verbs);
/* Stops if need be. Every kept event must have been released before. NULL allowed. */
void skr_verbs_destroy(struct skr_verbs *verbs);

#endif
