/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/spotmix_service.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/spotmix/page.h"
#include "core/spotmix/scheduler.h"
#include "server/config/spotmix_settings.h"
#include "server/daemon/preflight.h"
#include "server/daemon/reach.h"
#include "server/daemon/series.h"
#include "server/daemon/tally.h"
#include "server/http/api.h"
#include "server/http/spotmix_webhook.h"
#include "server/version.h"
#include "topology/base/arena.h"

/* Counts are made over all pods, between reviews. With many pods they are made less often, so that
 * one review in a thousand waits for them and not one in a hundred. */
#define PAUSE       SKR_SECOND
#define PAUSE_A_POD (SKR_SECOND / 10000)

#define PAGES "/v1/spotmix"

enum family {
    F_ADMISSION,
    F_PODS,
    F_DRIFT,
    F_RESERVATIONS,
    F_EXPIRED,
    F_NODES,
    F_EVICTIONS,
    F_UNMUTATED,
    F_EXPIRY,
    F_COUNT
};

static const struct skr_metric_spec specs[] = {
    [F_ADMISSION] =
        SKR_COUNTS("sakkara_spotmix_admission_total", "Reviews of pods by their result.", "result"),
    [F_PODS] = SKR_GAUGES("sakkara_spotmix_pods",
                          "Pods of mixed workloads: as the rule wants them, and as they are.",
                          "class", "state"),
    [F_DRIFT] = SKR_GAUGES("sakkara_spotmix_drift_pods",
                           "Live pods that are not as the rule wants them.", NULL),
    [F_RESERVATIONS] = SKR_GAUGES("sakkara_spotmix_reservations",
                                  "Indices handed out to pods that have not been seen yet.", NULL),
    [F_EXPIRED] = SKR_COUNTS("sakkara_spotmix_reservations_expired_total",
                             "Reservations whose pod was never created.", NULL),
    [F_NODES] = SKR_GAUGES("sakkara_spotmix_nodes", "Ready nodes.", "class"),
    [F_EVICTIONS] = SKR_COUNTS("sakkara_spotmix_evictions_total",
                               "Evictions of pods of the wrong class.", "result"),
    [F_UNMUTATED] = SKR_COUNTS("sakkara_spotmix_unmutated_pods_total",
                               "Pods that no review had seen and that were adopted.", NULL),
    [F_EXPIRY] = SKR_GAUGES("sakkara_spotmix_certificate_expiry_timestamp_seconds",
                            "When the webhook's certificate ends, seconds since 1970.", NULL),
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct counts {
    struct skr_spotmix_totals totals;
    uint64_t evictions[SKR_SPOTMIX_EVICTION_RESULT_COUNT];
};

struct service {
    struct skr_service_host host;
    struct skr_spotmix_settings settings;
    char own_namespace[254];
    char user_agent[128];
    struct skr_engine_thread *engine;
    struct skr_spotmix_webhook *webhook;
    struct skr_reach *reach;
    atomic_bool leads;
    struct skr_api *pages;
    struct skr_metric_family *family[F_COUNT];
    struct skr_tally tally; /* struct counts */
};

static bool enabled(const struct skr_config *config)
{
    return config->spotmix.enabled;
}

/* ---- metrics ---- */

static void collect(void *context)
{
    struct service *s = context;
    struct counts counts;
    skr_tally_get(&s->tally, &counts);
    const struct skr_spotmix_totals *totals = &counts.totals;
    for (int i = 0; i < SKR_SPOTMIX_RESULT_COUNT; i++) {
        skr_series_advance(s->family[F_ADMISSION], skr_spotmix_result_name[i], NULL,
                           totals->results[i]);
    }
    for (int i = 0; i < SKR_SPOTMIX_EVICTION_RESULT_COUNT; i++) {
        skr_series_advance(s->family[F_EVICTIONS], skr_spotmix_eviction_result_name[i], NULL,
                           counts.evictions[i]);
    }
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        const char *class_ = skr_spotmix_class_name[i];
        skr_series_set(s->family[F_PODS], class_, "desired", (uint64_t)totals->desired[i]);
        skr_series_set(s->family[F_PODS], class_, "actual", totals->actual[i]);
        skr_series_set(s->family[F_NODES], class_, NULL, totals->nodes[i]);
    }
    skr_series_set(s->family[F_DRIFT], NULL, NULL, totals->drift);
    skr_series_set(s->family[F_RESERVATIONS], NULL, NULL, totals->reservations);
    skr_series_advance(s->family[F_EXPIRED], NULL, NULL, totals->expired);
    skr_series_advance(s->family[F_UNMUTATED], NULL, NULL, totals->unmutated);
}

/* ---- settings ---- */

static void *create(const struct skr_service_host *host)
{
    struct service *s = skr_alloc(sizeof *s);
    struct skr_spotmix_settings *settings = &s->settings;
    s->host = *host;
    skr_config_spotmix_settings(host->config, settings);
    settings->hash_seed = host->hash_seed;
    skr_lease_namespace(host->config, s->own_namespace, sizeof s->own_namespace);
    /* "default" is what it says outside of pods: no namespace of ours. */
    settings->own_namespace = strcmp(s->own_namespace, "default") != 0 ? s->own_namespace : "";
    skr_tally_init(&s->tally, host->clock, sizeof(struct counts));
    skr_series_families(host->registry, specs, F_COUNT, s->family);
    skr_metrics_on_collect(host->registry, collect, s);
    return s;
}

static const void *settings(const void *service)
{
    return &((const struct service *)service)->settings;
}

/* ---- requests ---- */

static int not_found(struct skr_strbuf *out, const char *message)
{
    skr_view_write_status(out, 404, message);
    return 404;
}

static int write_page(void *self, const struct skr_view_query *query, skr_time now,
                      struct skr_strbuf *out)
{
    const struct skr_spotmix *mix = skr_spotmix_scheduler_mix(self);
    const char *path = query->path + strlen(PAGES);
    (void)now;
    path += *path == '/';
    const char *slash = strchr(path, '/');
    if (!*path) {
        skr_spotmix_page_write(mix, out);
    } else if (strcmp(path, "nodes") == 0) {
        skr_spotmix_page_write_nodes(mix, out);
    } else if (!slash || slash == path || !slash[1] || strchr(slash + 1, '/')) {
        return not_found(out, "sakkara: no such path; it is " PAGES "/NAMESPACE/NAME or " PAGES
                              "/nodes");
    } else {
        SKR_AUTO_FREE char *namespace_ = skr_strdup(path);
        namespace_[slash - path] = '\0';
        if (!skr_spotmix_page_write_one(mix, namespace_, slash + 1, out)) {
            return not_found(out, "sakkara: no such workload, or its switch is off");
        }
    }
    return 200;
}

static int draw(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out)
{
    (void)query;
    if (!skr_spotmix_scheduler_leads(self)) {
        skr_view_write_status(out, 503, "sakkara: not ready, or not leader");
        return 503;
    }
    if (!skr_spotmix_draw(skr_spotmix_scheduler_mix(self), now, picture, ret_news, out)) {
        return not_found(out, "sakkara: no node is on-demand or spot");
    }
    return 200;
}

static void answer(void *service, uint64_t request, const void *body)
{
    struct service *s = service;
    skr_spotmix_webhook_answer(s->webhook, request, body);
}

static void handled(void *service, const struct skr_engine *engine)
{
    struct service *s = service;
    const void *self = skr_engine_self(engine);
    const bool leads = skr_spotmix_scheduler_leads(self);
    struct counts counts;
    if (leads != atomic_exchange(&s->leads, leads)) {
        skr_reach_kick(s->reach);
    }
    if (skr_tally_is_due(&s->tally)) {
        skr_spotmix_totals(skr_spotmix_scheduler_mix(self), &counts.totals);
        for (int i = 0; i < SKR_SPOTMIX_EVICTION_RESULT_COUNT; i++) {
            counts.evictions[i] =
                skr_spotmix_scheduler_evictions(self, (enum skr_spotmix_eviction_result)i);
        }
        const size_t *pods = counts.totals.actual;
        s->tally.pause =
            PAUSE + (skr_time)(pods[SKR_SPOTMIX_ON_DEMAND] + pods[SKR_SPOTMIX_SPOT]) * PAUSE_A_POD;
        skr_tally_put(&s->tally, &counts);
    }
}

/* ---- certificates and role ---- */

static bool does_lead(void *context)
{
    struct service *s = context;
    return atomic_load(&s->leads);
}

static int serve_pair(void *context, const struct skr_x509_pair *pair, struct skr_error *error)
{
    struct service *s = context;
    return skr_listener_set_pair(skr_spotmix_webhook_listener(s->webhook), pair->cert, pair->key,
                                 error);
}

static void accept_tokens(void *context, const struct skr_caller_tokens *tokens)
{
    struct service *s = context;
    skr_spotmix_webhook_set_tokens(s->webhook, tokens);
}

static void note_expiry(void *context, int64_t at_s)
{
    struct service *s = context;
    skr_series_set(s->family[F_EXPIRY], NULL, NULL, (uint64_t)at_s);
}

static struct skr_reach_options reach_options(struct service *s)
{
    const struct skr_config_spotmix *config = &s->host.config->spotmix;
    const char *pod = getenv("POD_NAME");
    return (struct skr_reach_options){
        .namespace_ = s->own_namespace,
        .name = config->name,
        .pod = pod && *pod != '\0' ? pod : s->host.instance,
        .path = SKR_SPOTMIX_PATH,
        .cert_file = config->files ? config->tls.cert_file : NULL,
        .leaf_s = config->certificate_lifetime / SKR_SECOND,
        .authority_s = config->authority_lifetime / SKR_SECOND,
        .user_agent = s->user_agent,
        .leads = does_lead,
        .serve = serve_pair,
        .accept = accept_tokens,
        .expires = note_expiry,
        .context = s,
    };
}

static int start_reach(struct service *s, struct skr_error *error)
{
    const struct skr_reach_options options = reach_options(s);
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    int rc = s->host.access(s->host.context, &access, error);
    rc = rc < 0 ? rc : skr_reach_create(&options, &access, &s->reach, error);
    skr_kube_access_fini(&access);
    return rc;
}

/* ---- life ---- */

static int start_webhook(struct service *s, struct skr_error *error)
{
    const struct skr_config_spotmix *config = &s->host.config->spotmix;
    const struct skr_reach_options reach = reach_options(s);
    struct skr_spotmix_webhook_options options = {
        .listen = config->listen,
        .tls = {.cert = config->tls.cert_file, .key = config->tls.key_file},
        .post = skr_engine_thread_post_kept,
        .context = s->engine,
        .log = s->host.log,
        .metrics = s->host.registry,
    };
    int rc = config->files ? 0 : skr_reach_first_pair(&reach, &options.pair, error);
    rc = rc < 0 ? rc : skr_spotmix_webhook_create(&options, &s->webhook, error);
    skr_x509_pair_fini(&options.pair);
    return rc;
}

static int start(void *service, struct skr_engine_thread *engine, struct skr_error *error)
{
    struct service *s = service;
    const struct skr_api_options pages = {
        .prefix = PAGES, .write = write_page, .look = skr_engine_thread_look, .context = engine};
    s->engine = engine;
    s->pages = skr_api_create(&pages);
    (void)snprintf(s->user_agent, sizeof s->user_agent, "sakkara/%s spotmix", skr_version);
    const int rc = start_webhook(s, error);
    return rc < 0 ? rc : start_reach(s, error);
}

static size_t routes(void *service, struct skr_admin_route *route)
{
    struct service *s = service;
    route[0] = skr_api_route(s->pages);
    return 1;
}

static size_t ports(const void *service, struct skr_service_port port[SKR_SERVICE_PORTS_MAX])
{
    const struct service *s = service;
    port[0] = (struct skr_service_port){
        "spotmix", skr_listener_port(skr_spotmix_webhook_listener(s->webhook))};
    return 1;
}

static void begin_stop(void *service)
{
    struct service *s = service;
    skr_listener_begin_stop(skr_spotmix_webhook_listener(s->webhook));
}

static void stop(void *service)
{
    struct service *s = service;
    skr_listener_stop(skr_spotmix_webhook_listener(s->webhook));
}

static void destroy(void *service)
{
    struct service *s = service;
    skr_reach_destroy(s->reach);
    skr_api_destroy(s->pages);
    skr_spotmix_webhook_destroy(s->webhook);
    skr_tally_fini(&s->tally);
    free(s);
}

const struct skr_scheduler_row skr_spotmix_service = {
    .module = "spotmix",
    .setting = "spotmix.enabled",
    .pages = "/v1/spotmix",
    .enabled = enabled,
    .create = create,
    .settings = settings,
    .start = start,
    .routes = routes,
    .ports = ports,
    .view = "spotmix",
    .draw = draw,
    .answer = answer,
    .handled = handled,
    .begin_stop = begin_stop,
    .stop = stop,
    .destroy = destroy,
};
