/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_HTTP_ADMIN_H
#define SKR_SERVER_HTTP_ADMIN_H
/*
 * The admin listener, and two listeners that serve only probes or only metrics. GET and HEAD of
 *
 *   /livez     200 while every part of the process makes progress (live checks), else 503
 *   /readyz    200 when every check passes, else 503; ?verbose lists the checks, ?exclude=NAME
 *              leaves one out, as Kubernetes' own components do
 *   /metrics   Prometheus text
 *   /ui/       the page (server/http/ui.h)
 *
 * and the routes below a prefix, such as the API. The listener has its own thread, so a slow check
 * or a large page delays no verb. kubelet kills the process if probes fail. They therefore have a
 * separate listener, which clients of the admin listener cannot exhaust. Metrics name no object of a
 * user, so their listener may be open to the cluster's Prometheus.
 */
#include "server/http/listener.h"

enum {
    SKR_ADMIN_CHECKS_MAX = 16,
    SKR_ADMIN_ROUTES_MAX = 24,
    SKR_ADMIN_BODY_MAX = 1024 * 1024, /* bytes of a request's body */
    SKR_ADMIN_STREAMS_MAX = 1000,     /* pages that follow a picture; the option ui.streams */
    /* Besides streams. Of one address: more than the questions that are held at once
     * (SKR_EXPLAIN_ASKERS_MAX, SKR_API_ASKED_MAX), because all users behind a port-forward or the
     * API server's proxy have one address. */
    SKR_ADMIN_CONNECTIONS_MAX = 256,
    SKR_ADMIN_PER_ADDRESS_MAX = 64,
    SKR_PROBES_CONNECTIONS_MAX = 128,
    SKR_PROBES_PER_ADDRESS_MAX = 16,
    SKR_PROBES_FIRST_REQUEST_MS = 1000,
};

enum skr_admin_pages {
    SKR_ADMIN_EVERYTHING,
    SKR_ADMIN_PROBES,  /* /livez and /readyz alone, no TLS */
    SKR_ADMIN_METRICS, /* /metrics alone, no TLS */
};

/* ok: whether the part works; if not, error->text says why. On the admin thread, quick. */
struct skr_admin_check {
    const char *name; /* literal: "synced" */
    bool (*ok)(void *context, struct skr_error *error);
    void *context;
};

/* Requests whose path is prefix, or prefix, "/" and more; the longest prefix that fits has them.
 * handle answers at once, or holds the request as struct skr_http_handler says; the others may be
 * NULL where it never does. */
struct skr_admin_route {
    const char *prefix; /* literal: "/v1" */
    void (*handle)(void *context, struct skr_http_request *request);
    void *context;
    void (*resume)(void *context, struct skr_http_request *request);
    bool (*hangup)(void *context, struct skr_http_request *request);
    bool (*more)(void *context, struct skr_http_request *request, struct skr_strbuf *out);
    void (*done)(void *context, struct skr_http_request *request);
};

struct skr_admin_options {
    const char *listen;
    enum skr_admin_pages pages;
    unsigned streams; /* connections more, of one address too */
    struct skr_tls_files tls;
    struct skr_http_log log;
    size_t n_lives;
    struct skr_admin_check live[SKR_ADMIN_CHECKS_MAX];
    struct skr_metrics *metrics; /* what /metrics writes; NULL: 404 */
    size_t n_checks;
    struct skr_admin_check check[SKR_ADMIN_CHECKS_MAX];
    size_t n_routes;
    struct skr_admin_route route[SKR_ADMIN_ROUTES_MAX];
};

struct skr_admin;

/* Errors: those of skr_listener_create(). */
int skr_admin_create(const struct skr_admin_options *options, struct skr_admin **ret,
                     struct skr_error *error);
uint16_t skr_admin_port(const struct skr_admin *admin);
/* Accepts no more connections; returns at once. NULL allowed. */
void skr_admin_begin_stop(struct skr_admin *admin);
/* Stops and frees; no check or route is called afterwards. NULL allowed. */
void skr_admin_destroy(struct skr_admin *admin);

#endif
