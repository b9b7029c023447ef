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
#include "server/http/api.h"
#include "server/http/spotmix_webhook.h"
#include "server/version.h"
#include "topology/base/arena.h"

/* Figures are counted over all pods, in between reviews: not more often than this, and with many pods
 * more seldom, so that one review in a thousand waits for it and not one in a hundred. */
#define FIGURES_TIME       SKR_SECOND
#define FIGURES_TIME_A_POD (SKR_SECOND / 10000)

#define PAGES "/v1/spotmix"

enum family {
    ADMISSION,
    PODS,
    DRIFT,
    RESERVATIONS,
    EXPIRED,
    NODES,
    EVICTIONS,
    UNMUTATED,
    EXPIRY,
    FAMILY_COUNT
};

static const struct skr_metric_spec specs[] = {
    [ADMISSION] = {.name = "sakkara_spotmix_admission_total",
                   .help = "Reviews of pods by their result.",
                   .type = SKR_COUNTER,
                   .label = {"result"}},
    [PODS] = {.name = "sakkara_spotmix_pods",
              .help = "Pods of mixed workloads: as the rule wants them, and as they are.",
              .type = SKR_GAUGE,
              .label = {"class", "state"}},
    [DRIFT] = {.name = "sakkara_spotmix_drift_pods",
               .help = "Live pods that are not as the rule wants them.",
               .type = SKR_GAUGE},
    [RESERVATIONS] = {.name = "sakkara_spotmix_reservations",
                      .help = "Indices handed out to pods that have not been seen yet.",
                      .type = SKR_GAUGE},
    [EXPIRED] = {.name = "sakkara_spotmix_reservations_expired_total",
                 .help = "Reservations whose pod was never created.",
                 .type = SKR_COUNTER},
    [NODES] = {.name = "sakkara_spotmix_nodes",
               .help = "Ready nodes.",
               .type = SKR_GAUGE,
               .label = {"class"}},
    [EVICTIONS] = {.name = "sakkara_spotmix_evictions_total",
                   .help = "Evictions of pods of the wrong class.",
                   .type = SKR_COUNTER,
                   .label = {"result"}},
    [UNMUTATED] = {.name = "sakkara_spotmix_unmutated_pods_total",
                   .help = "Pods that no review had seen and that were adopted.",
                   .type = SKR_COUNTER},
    [EXPIRY] = {.name = "sakkara_spotmix_certificate_expiry_timestamp_seconds",
                .help = "When the webhook's certificate ends, seconds since 1970.",
                .type = SKR_GAUGE},
};
_Static_assert(sizeof specs / sizeof specs[0] == FAMILY_COUNT, "a spec each");

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
    struct skr_metric_family *family[FAMILY_COUNT];
    skr_time counted;
    struct skr_spotmix_totals last;
    uint64_t evictions[SKR_SPOTMIX_EVICTION_RESULT_COUNT];
};

static bool enabled(const struct skr_config *config)
{
    return config->spotmix.enabled;
}

/* ---- settings ---- */

static void *create(const struct skr_service_host *host)
{
    struct service *s = skr_alloc(sizeof *s);
    struct skr_spotmix_settings *settings = &s->settings;
    s->host = *host;
    skr_config_spotmix_settings(host->config, settings);
    skr_lease_namespace(host->config, s->own_namespace, sizeof s->own_namespace);
    /* "default" is what it says outside of pods: no namespace of ours. */
    settings->own_namespace = strcmp(s->own_namespace, "default") != 0 ? s->own_namespace : "";
    for (int i = 0; i < FAMILY_COUNT; i++) {
        s->family[i] = skr_metrics_family(host->registry, &specs[i]);
    }
    return s;
}

static const void *settings(const void *service)
{
    return &((const struct service *)service)->settings;
}

/* ---- to the engine and back ---- */

static void post(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep)
{
    struct service *s = context;
    skr_engine_thread_post_kept(s->engine, event, release, keep);
}

static void look(void *context, void (*fn)(void *argument, struct skr_engine *engine, skr_time now),
                 void *argument)
{
    struct service *s = context;
    skr_engine_thread_look(s->engine, fn, argument);
}

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

static void answer(void *service, uint64_t request, const void *body)
{
    struct service *s = service;
    skr_spotmix_webhook_answer(s->webhook, request, body);
}

/* ---- figures ---- */

static struct skr_metric *series(struct service *s, enum family family, const char *first,
                                 const char *second)
{
    return skr_metric_get(s->family[family], (const char *const[]){first, second, NULL, NULL});
}

static void publish_classes(struct service *s, const struct skr_spotmix_totals *totals)
{
    for (int i = 0; i < SKR_SPOTMIX_CLASS_COUNT; i++) {
        const char *class_ = skr_spotmix_class_name((enum skr_spotmix_class)i);
        skr_metric_set(series(s, PODS, class_, "desired"), totals->desired[i]);
        skr_metric_set(series(s, PODS, class_, "actual"), (int64_t)totals->actual[i]);
        skr_metric_set(series(s, NODES, class_, NULL), (int64_t)totals->nodes[i]);
    }
}

static void publish(struct service *s, const void *self)
{
    struct skr_spotmix_totals totals;
    skr_spotmix_totals(skr_spotmix_scheduler_mix(self), &totals);
    publish_classes(s, &totals);
    for (int i = 0; i < SKR_SPOTMIX_RESULT_COUNT; i++) {
        skr_metric_add(
            series(s, ADMISSION, skr_spotmix_result_name((enum skr_spotmix_result)i), NULL),
            (int64_t)(totals.results[i] - s->last.results[i]));
    }
    for (int i = 0; i < SKR_SPOTMIX_EVICTION_RESULT_COUNT; i++) {
        const enum skr_spotmix_eviction_result result = (enum skr_spotmix_eviction_result)i;
        const uint64_t n = skr_spotmix_scheduler_evictions(self, result);
        skr_metric_add(series(s, EVICTIONS, skr_spotmix_eviction_result_name(result), NULL),
                       (int64_t)(n - s->evictions[i]));
        s->evictions[i] = n;
    }
    skr_metric_set(series(s, DRIFT, NULL, NULL), (int64_t)totals.drift);
    skr_metric_set(series(s, RESERVATIONS, NULL, NULL), (int64_t)totals.reservations);
    skr_metric_add(series(s, EXPIRED, NULL, NULL), (int64_t)(totals.expired - s->last.expired));
    skr_metric_add(series(s, UNMUTATED, NULL, NULL),
                   (int64_t)(totals.unmutated - s->last.unmutated));
    s->last = totals;
}

static void handled(void *service, const struct skr_engine *engine)
{
    struct service *s = service;
    const skr_time now = skr_clock_now(s->host.clock);
    const bool leads = skr_spotmix_scheduler_leads(skr_engine_self(engine));
    if (leads != atomic_exchange(&s->leads, leads)) {
        skr_reach_kick(s->reach);
    }
    const size_t pods = s->last.actual[SKR_SPOTMIX_ON_DEMAND] + s->last.actual[SKR_SPOTMIX_SPOT];
    if (s->counted == 0 || now - s->counted >= FIGURES_TIME + (skr_time)pods * FIGURES_TIME_A_POD) {
        s->counted = now;
        publish(s, skr_engine_self(engine));
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
    return skr_spotmix_webhook_set_pair(s->webhook, pair, error);
}

static void accept_tokens(void *context, const struct skr_caller_tokens *tokens)
{
    struct service *s = context;
    skr_spotmix_webhook_set_tokens(s->webhook, tokens);
}

static void note_expiry(void *context, int64_t at_s)
{
    struct service *s = context;
    skr_metric_set(series(s, EXPIRY, NULL, NULL), at_s);
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
        .post = post,
        .context = s,
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
        .prefix = PAGES, .write = write_page, .look = look, .context = s};
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
    port[0] =
        (struct skr_service_port){"spotmix", s->webhook ? skr_spotmix_webhook_port(s->webhook) : 0};
    return 1;
}

static void begin_stop(void *service)
{
    struct service *s = service;
    skr_spotmix_webhook_begin_stop(s->webhook);
}

static void stop(void *service)
{
    struct service *s = service;
    skr_spotmix_webhook_stop(s->webhook);
}

static void destroy(void *service)
{
    struct service *s = service;
    skr_reach_destroy(s->reach);
    skr_api_destroy(s->pages);
    skr_spotmix_webhook_destroy(s->webhook);
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
    .answer = answer,
    .handled = handled,
    .begin_stop = begin_stop,
    .stop = stop,
    .destroy = destroy,
};
