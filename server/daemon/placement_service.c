/* SPDX-License-Identifier: Apache-2.0 */
/* Figures are copied out on the engine's thread, at most once in a while, and into the registry when
 * somebody asks. */
#include "server/daemon/placement_service.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/placement/scheduler.h"
#include "server/daemon/series.h"
#include "topology/base/arena.h"

#define COUNT_EVERY (500 * SKR_MILLISECOND)

enum family { F_PLACEMENTS, F_DEPTH, F_CYCLES, F_COUNT };

static const struct skr_metric_spec specs[] = {
    [F_PLACEMENTS] = {.name = "sakkara_placements",
                      .help = "Placements that are ours, by state.",
                      .type = SKR_GAUGE,
                      .label = {"state"}},
    [F_DEPTH] = {.name = "sakkara_placement_queue_depth",
                 .help = "Placements that wait for a cycle.",
                 .type = SKR_GAUGE},
    [F_CYCLES] = {.name = "sakkara_placement_cycles_total",
                  .help = "Scheduling cycles of Placements, by result.",
                  .type = SKR_COUNTER,
                  .label = {"result"}},
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct service {
    struct skr_placement_settings settings;
    const struct skr_clock *clock;
    struct skr_metric_family *family[F_COUNT];
    skr_time counted_at; /* engine's thread alone */
    pthread_mutex_t lock;
    struct skr_placement_counts counts;
};

static bool enabled(const struct skr_config *config)
{
    return config->ocm_enabled;
}

static struct skr_service_rate rate(const struct skr_config *config)
{
    return (struct skr_service_rate){config->ocm_qps, config->ocm_burst};
}

static void collect(void *context)
{
    struct service *s = context;
    pthread_mutex_lock(&s->lock);
    const struct skr_placement_counts counts = s->counts;
    pthread_mutex_unlock(&s->lock);
    skr_series_set(s->family[F_PLACEMENTS], "satisfied", NULL, counts.satisfied);
    skr_series_set(s->family[F_PLACEMENTS], "unsatisfied", NULL, counts.unsatisfied);
    skr_series_set(s->family[F_PLACEMENTS], "misconfigured", NULL, counts.misconfigured);
    skr_series_set(s->family[F_DEPTH], NULL, NULL, counts.queued);
    skr_series_advance(s->family[F_CYCLES], "ended", NULL, counts.cycles - counts.failed_cycles);
    skr_series_advance(s->family[F_CYCLES], "failed", NULL, counts.failed_cycles);
}

static void *create(const struct skr_service_host *host)
{
    const struct skr_config *config = host->config;
    struct service *s = skr_alloc(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->clock = host->clock;
    s->settings = (struct skr_placement_settings){
        .scheduler_name = config->ocm_scheduler_name,
        .spread_mode = config->ocm_lexicographic ? SKR_SPREAD_LEXICOGRAPHIC : SKR_SPREAD_WEIGHTED};
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
    struct skr_placement_counts counts;
    skr_time now = skr_clock_now(s->clock);
    if (now - s->counted_at < COUNT_EVERY) {
        return;
    }
    s->counted_at = now;
    skr_placement_count(skr_engine_self(engine), &counts);
    pthread_mutex_lock(&s->lock);
    s->counts = counts;
    pthread_mutex_unlock(&s->lock);
}

static void destroy(void *service)
{
    struct service *s = service;
    if (s) {
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

const struct skr_scheduler_row skr_placement_service = {
    .enabled = enabled,
    .rate = rate,
    .create = create,
    .settings = settings,
    .handled = handled,
    .destroy = destroy,
};
