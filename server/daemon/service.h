/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_SERVICE_H
#define SKR_SERVER_DAEMON_SERVICE_H
/*
 * The row of a scheduler in the daemon's table (server/daemon/schedulers.c). It says when the
 * scheduler is enabled, and makes its service: listeners, pages and metrics, and what the service
 * reads of its engine.
 *
 * The daemon runs one engine on one thread for each enabled row, with the watches of its scheduler
 * and, if it has work, two workers. A function that a row does not need is NULL.
 *
 *   create() -> the engine, with settings() -> start() -> requests, answers, … -> begin_stop() ->
 *   stop(): takes no more -> the engine's thread ends -> destroy()
 */
#include "server/config/config.h"
#include "server/daemon/engine_thread.h"
#include "server/http/admin.h"
#include "server/http/metrics.h"
#include "server/http/modules.h"
#include "server/http/pictures.h"
#include "server/kube/access.h"

/* What a service is made with; all outlives it. */
struct skr_service_host {
    const struct skr_config *config;
    const struct skr_clock *clock;
    const char *instance; /* host name */
    struct skr_hash_seed hash_seed;
    struct skr_metrics *registry;
    struct skr_http_log log;
    /* For the calls of a service's own thread; in start() only. ret owns nothing on errors. */
    int (*access)(void *context, struct skr_kube_access *ret, struct skr_error *error);
    void *context;
};

/* Where it listens: what port 0 became; 0: it does not. */
struct skr_service_port {
    const char *name; /* constant: "extender" */
    uint16_t port;
};
enum { SKR_SERVICE_PORTS_MAX = 4 };

/* Writes a second, and at once after a pause. */
struct skr_service_rate {
    int64_t qps, burst;
};

struct skr_scheduler_row {
    /* The option that enables it, for GET /v1/modules. NULL: it is always on. */
    const char *module;  /* "ocm": the section of the configuration */
    const char *setting; /* "ocm.enabled" */
    const char *pages;   /* prefix of its routes, which are refused while it is off; NULL: none */
    bool (*enabled)(const struct skr_config *config);
    /* What its decisions depend on, for the same page. Returns how many; values outlive it. */
    size_t (*decides_by)(const struct skr_config *config,
                         struct skr_module_setting setting[SKR_MODULE_SETTINGS_MAX]);
    /* Of the scheduler's watches the first ones that are asked for; NULL: all. */
    size_t (*watches)(const struct skr_config *config);
    /* A separate rate for its writes; NULL: only the rate of all. */
    struct skr_service_rate (*rate)(const struct skr_config *config);

    void *(*create)(const struct skr_service_host *host);
    /* For scheduler->create(); of the service. */
    const void *(*settings)(const void *service);
    /* Opens listeners. The engine's thread exists, and runs soon after. */
    int (*start)(void *service, struct skr_engine_thread *engine, struct skr_error *error);
    /* Appends routes of the admin listener, valid until the service is destroyed. */
    size_t (*routes)(void *service, struct skr_admin_route *route);
    size_t (*ports)(const void *service, struct skr_service_port port[SKR_SERVICE_PORTS_MAX]);

    /* The view of the page /ui: its name, and what draws it (struct skr_picture_view). NULL: there is
     * none. */
    const char *view;
    int (*draw)(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out);

    /* On the engine's thread, quick. */
    void (*answer)(void *service, uint64_t request, const void *body);
    void (*query)(void *service, const struct skr_query *query); /* of its scheduler */
    void (*handled)(void *service, const struct skr_engine *engine);
    /* On a worker's thread, quick: work is done and not yet reported. */
    void (*worked)(void *service, const struct skr_work *work);

    /* Once, on the thread of preflight: the version of the API server, 1.minor. */
    void (*server_is)(void *service, int minor);

    void (*begin_stop)(void *service);
    void (*stop)(void *service);
    void (*destroy)(void *service); /* NULL allowed */
};

enum { SKR_SERVICE_ROUTES_MAX = 4 };

#endif
