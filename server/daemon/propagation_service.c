/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of Karmada's bindings in the daemon: its options, metrics, and estimators. */
#include <stdlib.h>

#include "core/propagation/scheduler.h"
#include "server/daemon/estimator_client.h"
#include "server/daemon/fleet_service.h"
#include "server/daemon/series.h"

enum family { F_ATTEMPTS, F_BINDINGS, F_DEPTH, F_FALLBACK, F_ESTIMATORS, F_DURATION, F_COUNT };

static const struct skr_metric_spec specs[] = {
    [F_ATTEMPTS] = SKR_COUNTS("sakkara_binding_attempts_total",
                              "Decisions about bindings, by outcome.", "outcome"),
    [F_BINDINGS] = SKR_GAUGES("sakkara_bindings", "Bindings that are ours, by state.", "state"),
    [F_DEPTH] =
        SKR_GAUGES("sakkara_binding_queue_depth", "Bindings that wait for a decision.", NULL),
    [F_FALLBACK] = SKR_COUNTS("sakkara_binding_selection_fallback_total",
                              "Selections that a bounded search gave up.", NULL),
    [F_ESTIMATORS] = SKR_COUNTS("sakkara_binding_estimator_calls_total",
                                "Questions to estimators of clusters, by result.", "result"),
    [F_DURATION] = SKR_TIMES("sakkara_binding_scheduling_duration_seconds",
                             "Time of a binding's cycle, by step.", 10000, 12, 4,
                             "step"), /* bounds of skr_propagation_scale */
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct service {
    void *fleet;
    struct skr_service_host host;
    struct skr_engine_thread *engine;
    struct skr_estimator_client *estimators; /* NULL: off */
};

static bool enabled(const struct skr_config *config)
{
    return config->karmada_enabled;
}

static size_t decides_by(const struct skr_config *config,
                         struct skr_module_setting setting[SKR_MODULE_SETTINGS_MAX])
{
    setting[0] = (struct skr_module_setting){"profile",
                                             skr_propagation_profile_name[config->karmada_profile]};
    setting[1] = (struct skr_module_setting){"options", config->karmada_options};
    return 2;
}

static struct skr_service_rate rate(const struct skr_config *config)
{
    return (struct skr_service_rate){config->karmada_qps, config->karmada_burst};
}

static void collect(struct skr_metric_family *const family[], const void *object)
{
    const struct skr_propagation_counts *counts = object;
    for (int code = 0; code < SKR_PROPAGATION_CODE_COUNT; code++) {
        const char *name =
            code == SKR_PROPAGATION_PLACED
                ? "placed"
                : skr_propagation_outcome((enum skr_propagation_code)code, false).code;
        skr_series_advance(family[F_ATTEMPTS], name, NULL, counts->attempts[code]);
    }
    skr_series_set(family[F_BINDINGS], "placed", NULL, counts->placed);
    skr_series_set(family[F_BINDINGS], "unplaced", NULL, counts->unplaced);
    skr_series_set(family[F_BINDINGS], "waiting", NULL, counts->waiting);
    skr_series_set(family[F_DEPTH], NULL, NULL, counts->queued);
    skr_series_advance(family[F_FALLBACK], NULL, NULL, counts->fallbacks);
    for (int result = 0; result < SKR_ESTIMATOR_RESULT_COUNT; result++) {
        skr_series_advance(family[F_ESTIMATORS], skr_estimator_result_name[result], NULL,
                           counts->estimators[result]);
    }
    for (int step = 0; step < SKR_PROPAGATION_STEP_COUNT; step++) {
        skr_metric_load(skr_series(family[F_DURATION], skr_propagation_step_name[step], NULL),
                        counts->time[step].n, counts->time[step].sum);
    }
}

static void configure(const struct skr_service_host *host, const struct skr_stopwatch *stopwatch,
                      void *object)
{
    const struct skr_config *config = host->config;
    struct skr_propagation_settings *settings = object;
    settings->hash_seed = host->hash_seed;
    settings->stopwatch = stopwatch;
    settings->scheduler_name = config->karmada_scheduler_name;
    settings->estimator_timeout = config->estimators.enabled ? config->estimators.timeout : 0;
    settings->estimators_push_only = config->estimators.push_only;
    settings->workers = (size_t)config->karmada_workers;
    skr_propagation_options_init(&settings->options, config->karmada_profile);
    /* Valid: the configuration was refused otherwise. */
    (void)skr_propagation_options_set(&settings->options, config->karmada_options, NULL);
}

static void count(const void *scheduler, void *counts)
{
    skr_propagation_count(scheduler, counts);
}

static void *create(const struct skr_service_host *host)
{
    static const struct skr_fleet_kind kind = {
        .spec = specs,
        .n_specs = F_COUNT,
        .settings_size = sizeof(struct skr_propagation_settings),
        .counts_size = sizeof(struct skr_propagation_counts),
        .configure = configure,
        .count = count,
        .collect = collect,
    };
    struct service *s = skr_alloc(sizeof *s);
    s->host = *host;
    s->fleet = skr_fleet_service_create(host, &kind);
    return s;
}

static const void *settings(const void *service)
{
    return skr_fleet_service_settings(((const struct service *)service)->fleet);
}

static void handled(void *service, const struct skr_engine *engine)
{
    skr_fleet_service_handled(((struct service *)service)->fleet, engine);
}

/* ---- estimators ---- */

static void give_replies(void *context, const struct skr_replies *replies,
                         void (*release)(void *keep), void *keep)
{
    const struct service *s = context;
    const struct skr_event event = {.kind = SKR_EVENT_REPLIES, .replies = *replies};
    skr_engine_thread_post_kept(s->engine, &event, release, keep);
}

static int start(void *service, struct skr_engine_thread *engine, struct skr_error *error)
{
    struct service *s = service;
    struct skr_kube_access access;
    s->engine = engine;
    const struct skr_config_estimators *options = &s->host.config->estimators;
    if (!options->enabled) {
        return 0;
    }
    skr_kube_access_init(&access);
    int rc = s->host.access(s->host.context, &access, error);
    rc = rc < 0 ? rc
                : skr_estimator_client_create(options, &access, give_replies, s, &s->estimators,
                                              error);
    skr_kube_access_fini(&access);
    return rc;
}

static void query(void *service, const struct skr_query *query)
{
    skr_estimator_client_ask(((struct service *)service)->estimators, query);
}

/* The engine's thread runs on, and may still ask: its questions get no replies. */
static void stop(void *service)
{
    skr_estimator_client_stop(((struct service *)service)->estimators);
}

static void destroy(void *service)
{
    struct service *s = service;
    if (s) {
        skr_estimator_client_destroy(s->estimators);
        skr_fleet_service_destroy(s->fleet);
        free(s);
    }
}

static int draw(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out)
{
    (void)query;
    return skr_fleet_service_drawn(skr_propagation_draw(self, now, picture, ret_news, out), out);
}

const struct skr_scheduler_row skr_propagation_service = {
    .module = "karmada",
    .setting = "karmada.enabled",
    .enabled = enabled,
    .decides_by = decides_by,
    .rate = rate,
    .create = create,
    .settings = settings,
    .start = start,
    .view = "bindings",
    .draw = draw,
    .query = query,
    .handled = handled,
    .stop = stop,
    .destroy = destroy,
};
