/* SPDX-License-Identifier: Apache-2.0 */
/* Counts (tally.h) go into the registry when somebody asks. */
#include "server/daemon/placement_service.h"

#include <stdlib.h>

#include "core/placement/scheduler.h"
#include "server/daemon/series.h"
#include "server/daemon/tally.h"
#include "server/kube/client.h"
#include "topology/base/arena.h"

enum family { F_PLACEMENTS, F_DEPTH, F_CYCLES, F_WRITES, F_SCHEDULING, F_BIND, F_PLUGIN, F_COUNT };

/* Bounds of skr_placement_scale. */
#define TIMES(name, help, label) SKR_TIMES(name, help, 1000, 10, 10, label)

static const struct skr_metric_spec specs[] = {
    [F_PLACEMENTS] =
        SKR_GAUGES("sakkara_placements", "Placements that are ours, by state.", "state"),
    [F_DEPTH] =
        SKR_GAUGES("sakkara_placement_queue_depth", "Placements that wait for a cycle.", NULL),
    [F_CYCLES] = SKR_COUNTS("sakkara_placement_cycles_total",
                            "Scheduling cycles of Placements, by result.", "result"),
    [F_WRITES] =
        SKR_COUNTS("sakkara_placement_writes_total",
                   "Writes about Placements, by what is written and outcome.", "object", "result"),
    [F_SCHEDULING] = TIMES("sakkara_placement_scheduling_duration_seconds",
                           "Time of one evaluation of a Placement, by result.", "result"),
    [F_BIND] = TIMES("sakkara_placement_bind_duration_seconds",
                     "Time from the first write of a cycle to its last answer.", NULL),
    [F_PLUGIN] = TIMES("sakkara_placement_plugin_duration_seconds",
                       "Time of one part of an evaluation.", "plugin"),
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct service {
    struct skr_placement_settings settings;
    struct skr_metric_family *family[F_COUNT];
    struct skr_tally tally; /* struct skr_placement_counts */
};

static bool enabled(const struct skr_config *config)
{
    return config->ocm_enabled;
}

static struct skr_service_rate rate(const struct skr_config *config)
{
    return (struct skr_service_rate){config->ocm_qps, config->ocm_burst};
}

static void load(struct skr_metric_family *family, const char *label,
                 const struct skr_durations *durations)
{
    skr_metric_load(skr_series(family, label, NULL), durations->n, durations->sum);
}

static void collect_work(const struct service *s, const struct skr_placement_counts *counts)
{
    for (int o = 0; o < SKR_PLACEMENT_OBJECT_COUNT; o++) {
        for (int r = 0; r < SKR_WRITE_OUTCOME_COUNT; r++) {
            skr_series_advance_seen(
                s->family[F_WRITES], skr_placement_object_name((enum skr_placement_object)o),
                skr_kube_outcome_name((enum skr_write_outcome)r), counts->writes[o][r]);
        }
    }
    for (int e = 0; e < SKR_PLACEMENT_END_COUNT; e++) {
        load(s->family[F_SCHEDULING], skr_placement_end_name((enum skr_placement_end)e),
             &counts->scheduling[e]);
    }
    load(s->family[F_BIND], NULL, &counts->bind);
    for (int p = 0; p < SKR_PLACEMENT_PLUGIN_COUNT; p++) {
        load(s->family[F_PLUGIN], skr_placement_plugin_name((enum skr_placement_plugin)p),
             &counts->plugin[p]);
    }
}

static void collect(void *context)
{
    struct service *s = context;
    struct skr_placement_counts counts;
    skr_tally_get(&s->tally, &counts);
    skr_series_set(s->family[F_PLACEMENTS], "satisfied", NULL, counts.satisfied);
    skr_series_set(s->family[F_PLACEMENTS], "unsatisfied", NULL, counts.unsatisfied);
    skr_series_set(s->family[F_PLACEMENTS], "misconfigured", NULL, counts.misconfigured);
    skr_series_set(s->family[F_DEPTH], NULL, NULL, counts.queued);
    skr_series_advance(s->family[F_CYCLES], "ended", NULL, counts.cycles - counts.failed_cycles);
    skr_series_advance(s->family[F_CYCLES], "failed", NULL, counts.failed_cycles);
    collect_work(s, &counts);
}

static void *create(const struct skr_service_host *host)
{
    const struct skr_config *config = host->config;
    struct service *s = skr_alloc(sizeof *s);
    skr_tally_init(&s->tally, host->clock, sizeof(struct skr_placement_counts));
    s->settings = (struct skr_placement_settings){
        .hash_seed = host->hash_seed,
        .stopwatch = &s->tally.stopwatch,
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
    if (skr_tally_is_due(&s->tally)) {
        skr_placement_count(skr_engine_self(engine), &counts);
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

const struct skr_scheduler_row skr_placement_service = {
    .module = "ocm",
    .setting = "ocm.enabled",
    .enabled = enabled,
    .rate = rate,
    .create = create,
    .settings = settings,
    .handled = handled,
    .destroy = destroy,
};
