/* SPDX-License-Identifier: Apache-2.0 */
/* Counts (tally.h) go into the registry when somebody asks. */
#include "server/daemon/propagation_service.h"

#include <stdlib.h>

#include "core/propagation/scheduler.h"
#include "server/daemon/series.h"
#include "server/daemon/tally.h"
#include "topology/base/arena.h"

enum family { F_ATTEMPTS, F_BINDINGS, F_DEPTH, F_FALLBACK, F_DURATION, F_COUNT };

static const struct skr_metric_spec specs[] = {
    [F_ATTEMPTS] = SKR_COUNTS("sakkara_binding_attempts_total",
                              "Decisions about bindings, by outcome.", "outcome"),
    [F_BINDINGS] = SKR_GAUGES("sakkara_bindings", "Bindings that are ours, by state.", "state"),
    [F_DEPTH] =
        SKR_GAUGES("sakkara_binding_queue_depth", "Bindings that wait for a decision.", NULL),
    [F_FALLBACK] = SKR_COUNTS("sakkara_binding_selection_fallback_total",
                              "Selections that a bounded search gave up.", NULL),
    [F_DURATION] = SKR_TIMES("sakkara_binding_scheduling_duration_seconds",
                             "Time of a binding's cycle, by step.", 10000, 12, 4,
                             "step"), /* bounds of skr_propagation_scale */
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct service {
    struct skr_propagation_settings settings;
    struct skr_metric_family *family[F_COUNT];
    struct skr_tally tally; /* struct skr_propagation_counts */
};

static bool enabled(const struct skr_config *config)
{
    return config->karmada_enabled;
}

static struct skr_service_rate rate(const struct skr_config *config)
{
    return (struct skr_service_rate){config->karmada_qps, config->karmada_burst};
}

static void collect(void *context)
{
    struct service *s = context;
    struct skr_propagation_counts counts;
    skr_tally_get(&s->tally, &counts);
    for (int code = 0; code < SKR_PROPAGATION_CODE_COUNT; code++) {
        const char *name =
            code == SKR_PROPAGATION_PLACED
                ? "placed"
                : skr_propagation_outcome((enum skr_propagation_code)code, false).code;
        skr_series_advance(s->family[F_ATTEMPTS], name, NULL, counts.attempts[code]);
    }
    skr_series_set(s->family[F_BINDINGS], "placed", NULL, counts.placed);
    skr_series_set(s->family[F_BINDINGS], "unplaced", NULL, counts.unplaced);
    skr_series_set(s->family[F_BINDINGS], "waiting", NULL, counts.waiting);
    skr_series_set(s->family[F_DEPTH], NULL, NULL, counts.queued);
    skr_series_advance(s->family[F_FALLBACK], NULL, NULL, counts.fallbacks);
    for (int step = 0; step < SKR_PROPAGATION_STEP_COUNT; step++) {
        skr_metric_load(skr_series(s->family[F_DURATION],
                                   skr_propagation_step_name((enum skr_propagation_step)step),
                                   NULL),
                        counts.time[step].n, counts.time[step].sum);
    }
}

static void *create(const struct skr_service_host *host)
{
    const struct skr_config *config = host->config;
    struct service *s = skr_alloc(sizeof *s);
    skr_tally_init(&s->tally, host->clock, sizeof(struct skr_propagation_counts));
    s->settings = (struct skr_propagation_settings){
        .hash_seed = host->hash_seed,
        .stopwatch = &s->tally.stopwatch,
        .scheduler_name = config->karmada_scheduler_name,
        .workers = (size_t)config->karmada_workers,
    };
    skr_propagation_options_init(&s->settings.options, config->karmada_profile);
    /* Valid: the configuration was refused otherwise. */
    (void)skr_propagation_options_set(&s->settings.options, config->karmada_options, NULL);
    for (int i = 0; i < F_COUNT; i++) {
        s->family[i] = skr_metrics_family(host->registry, &specs[i]);
    }
    skr_metrics_on_collect(host->registry, collect, s);
    return s;
}

static const void *settings(const void *service)
{
    return &((const struct service *)service)->settings;
}

static void handled(void *service, const struct skr_engine *engine)
{
    struct service *s = service;
    struct skr_propagation_counts counts;
    if (skr_tally_is_due(&s->tally)) {
        skr_propagation_count(skr_engine_self(engine), &counts);
        skr_tally_put(&s->tally, &counts);
    }
}

static void destroy(void *service)
{
    struct service *s = service;
    if (s) {
        skr_tally_fini(&s->tally);
        free(s);
    }
}

const struct skr_scheduler_row skr_propagation_service = {
    .module = "karmada",
    .setting = "karmada.enabled",
    .enabled = enabled,
    .rate = rate,
    .create = create,
    .settings = settings,
    .handled = handled,
    .destroy = destroy,
};
