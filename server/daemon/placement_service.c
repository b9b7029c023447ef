/* SPDX-License-Identifier: Apache-2.0 */
/* The scheduler of OCM Placements in the daemon: its options and metrics. */
#include "core/placement/scheduler.h"
#include "server/daemon/fleet_service.h"
#include "server/daemon/series.h"
#include "server/kube/client.h"

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

static bool enabled(const struct skr_config *config)
{
    return config->ocm_enabled;
}

static size_t decides_by(const struct skr_config *config,
                         struct skr_module_setting setting[SKR_MODULE_SETTINGS_MAX])
{
    setting[0] = (struct skr_module_setting){"schedulerName", config->ocm_scheduler_name};
    setting[1] = (struct skr_module_setting){
        "spreadMode", config->ocm_lexicographic ? "lexicographic" : "weighted"};
    return 2;
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

static void collect_work(struct skr_metric_family *const family[],
                         const struct skr_placement_counts *counts)
{
    for (int o = 0; o < SKR_PLACEMENT_OBJECT_COUNT; o++) {
        for (int r = 0; r < SKR_WRITE_OUTCOME_COUNT; r++) {
            skr_series_advance_seen(family[F_WRITES], skr_placement_object_name[o],
                                    skr_kube_outcome_name[r], counts->writes[o][r]);
        }
    }
    for (int e = 0; e < SKR_PLACEMENT_END_COUNT; e++) {
        load(family[F_SCHEDULING], skr_placement_end_name[e], &counts->scheduling[e]);
    }
    load(family[F_BIND], NULL, &counts->bind);
    for (int p = 0; p < SKR_PLACEMENT_PLUGIN_COUNT; p++) {
        load(family[F_PLUGIN], skr_placement_plugin_name[p], &counts->plugin[p]);
    }
}

static void collect(struct skr_metric_family *const family[], const void *object)
{
    const struct skr_placement_counts *counts = object;
    skr_series_set(family[F_PLACEMENTS], "satisfied", NULL, counts->satisfied);
    skr_series_set(family[F_PLACEMENTS], "unsatisfied", NULL, counts->unsatisfied);
    skr_series_set(family[F_PLACEMENTS], "misconfigured", NULL, counts->misconfigured);
    skr_series_set(family[F_DEPTH], NULL, NULL, counts->queued);
    skr_series_advance(family[F_CYCLES], "ended", NULL, counts->cycles - counts->failed_cycles);
    skr_series_advance(family[F_CYCLES], "failed", NULL, counts->failed_cycles);
    collect_work(family, counts);
}

static void configure(const struct skr_service_host *host, const struct skr_stopwatch *stopwatch,
                      void *settings)
{
    const struct skr_config *config = host->config;
    *(struct skr_placement_settings *)settings = (struct skr_placement_settings){
        .hash_seed = host->hash_seed,
        .stopwatch = stopwatch,
        .scheduler_name = config->ocm_scheduler_name,
        .spread_mode = config->ocm_lexicographic ? SKR_SPREAD_LEXICOGRAPHIC : SKR_SPREAD_WEIGHTED};
}

static void count(const void *scheduler, void *counts)
{
    skr_placement_count(scheduler, counts);
}

static void *create(const struct skr_service_host *host)
{
    static const struct skr_fleet_kind kind = {
        .spec = specs,
        .n_specs = F_COUNT,
        .settings_size = sizeof(struct skr_placement_settings),
        .counts_size = sizeof(struct skr_placement_counts),
        .configure = configure,
        .count = count,
        .collect = collect,
    };
    return skr_fleet_service_create(host, &kind);
}

static int draw(void *self, const struct skr_view_query *query, skr_time now,
                struct skr_picture *picture, enum skr_picture_news *ret_news,
                struct skr_strbuf *out)
{
    (void)query;
    return skr_fleet_service_drawn(skr_placement_draw(self, now, picture, ret_news, out), out);
}

const struct skr_scheduler_row skr_placement_service = {
    .module = "ocm",
    .setting = "ocm.enabled",
    .enabled = enabled,
    .decides_by = decides_by,
    .rate = rate,
    .create = create,
    .settings = skr_fleet_service_settings,
    .view = "placements",
    .draw = draw,
    .handled = skr_fleet_service_handled,
    .destroy = skr_fleet_service_destroy,
};
