/* SPDX-License-Identifier: Apache-2.0 */
/* Families in one table; a collector copies the figures of the kube client into them. */
#include "server/daemon/metrics.h"

#include <stdlib.h>

#include "server/daemon/series.h"
#include "server/version.h"
#include "topology/base/arena.h"

enum family {
    F_BUILD,
    F_WATCH_RESTARTS,
    F_WATCH_EVENTS,
    F_UNDECODABLE,
    F_CACHE_OBJECTS,
    F_CACHE_AGE,
    F_WRITES,
    F_WRITE_SECONDS,
    F_WRITE_DURATION,
    F_WRITES_QUEUED,
    F_WRITES_IN_FLIGHT,
    F_COUNT
};

static const struct skr_metric_spec specs[] = {
    [F_BUILD] = SKR_GAUGES("sakkara_build_info", "What was built.", "version", "revision"),
    [F_WATCH_RESTARTS] =
        SKR_COUNTS("sakkara_watch_restarts_total", "Lists and watches that failed.", "resource"),
    [F_WATCH_EVENTS] = SKR_COUNTS("sakkara_watch_events_total",
                                  "Objects delivered by lists and watches.", "resource"),
    [F_UNDECODABLE] = SKR_COUNTS("sakkara_undecodable_objects_total",
                                 "Versions of objects that could not be read.", "resource"),
    [F_CACHE_OBJECTS] = SKR_GAUGES("sakkara_cache_objects", "Objects known to exist.", "resource"),
    [F_CACHE_AGE] = {.name = "sakkara_cache_age_seconds",
                     .help = "Time since the watch last said anything.",
                     .type = SKR_GAUGE,
                     .unit = SKR_UNIT_NANOSECONDS,
                     .label = {"resource"}},
    [F_WRITES] = SKR_COUNTS("sakkara_api_writes_total", "Requests to the API server by outcome.",
                            "class", "outcome"),
    [F_WRITE_SECONDS] = {.name = "sakkara_api_write_seconds_total",
                         .help = "Goes with 0.3: sakkara_api_write_duration_seconds_sum is the "
                                 "same.",
                         .type = SKR_COUNTER,
                         .unit = SKR_UNIT_NANOSECONDS,
                         .label = {"class"}},
    [F_WRITE_DURATION] =
        SKR_TIMES("sakkara_api_write_duration_seconds", "Requests to the API server by length.",
                  SKR_WRITE_BUCKET_FIRST_MS *SKR_MILLISECOND, SKR_WRITE_BUCKETS,
                  SKR_WRITE_BUCKET_FACTOR, "class"),
    [F_WRITES_QUEUED] =
        SKR_GAUGES("sakkara_api_writes_queued", "Requests that wait for the rate limit.", "class"),
    [F_WRITES_IN_FLIGHT] =
        SKR_GAUGES("sakkara_api_writes_in_flight", "Requests sent and not answered.", NULL),
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct skr_daemon_metrics {
    const struct skr_kube *kube;
    struct skr_metric_family *family[F_COUNT];
};

static void collect_watches(const struct skr_daemon_metrics *m, const struct skr_kube_stats *stats)
{
    for (size_t i = 0; i < stats->n_resources; i++) {
        const struct skr_kube_resource_stats *r = &stats->resource[i];
        const char *name = r->name;
        const bool used = r->on_demand ? r->runs : r->events + r->failures + r->undecodable > 0;
        if ((r->on_demand || r->dispensable) && !used) {
            continue; /* many kinds that most clusters lack: they have series once they are used */
        }
        skr_series_advance_seen(m->family[F_WATCH_RESTARTS], name, NULL, r->failures);
        skr_series_advance(m->family[F_WATCH_EVENTS], name, NULL, r->events);
        skr_series_advance_seen(m->family[F_UNDECODABLE], name, NULL, r->undecodable);
        skr_series_set(m->family[F_CACHE_OBJECTS], name, NULL, r->objects);
        skr_series_set(m->family[F_CACHE_AGE], name, NULL, (uint64_t)r->age);
    }
}

static void collect_writes(const struct skr_daemon_metrics *m, const struct skr_kube_stats *stats)
{
    for (int c = 0; c < SKR_WRITE_CLASS_COUNT; c++) {
        const char *class = skr_write_class_name((enum skr_write_class)c);
        for (int o = 0; o < SKR_WRITE_OUTCOME_COUNT; o++) {
            const char *outcome = skr_kube_outcome_name[o];
            skr_series_advance_seen(m->family[F_WRITES], class, outcome, stats->writes[c][o]);
        }
        skr_series_advance_seen(m->family[F_WRITE_SECONDS], class, NULL, stats->write_ns[c]);
        if (stats->write_ns[c] > 0) {
            skr_metric_load(skr_series(m->family[F_WRITE_DURATION], class, NULL),
                            stats->write_bucket[c], (int64_t)stats->write_ns[c]);
        }
        skr_series_set(m->family[F_WRITES_QUEUED], class, NULL, stats->queued[c]);
    }
    skr_series_set(m->family[F_WRITES_IN_FLIGHT], NULL, NULL, stats->in_flight);
}

static void collect(void *context)
{
    const struct skr_daemon_metrics *m = context;
    if (m->kube) {
        struct skr_kube_stats stats;
        skr_kube_get_stats(m->kube, &stats);
        collect_watches(m, &stats);
        collect_writes(m, &stats);
    }
}

struct skr_daemon_metrics *skr_daemon_metrics_create(struct skr_metrics *registry)
{
    struct skr_daemon_metrics *m = skr_alloc(sizeof *m);
    skr_series_families(registry, specs, F_COUNT, m->family);
    skr_series_set(m->family[F_BUILD], skr_version, skr_revision, 1);
    skr_metrics_on_collect(registry, collect, m);
    return m;
}

void skr_daemon_metrics_set_kube(struct skr_daemon_metrics *metrics, const struct skr_kube *kube)
{
    metrics->kube = kube;
}

void skr_daemon_metrics_destroy(struct skr_daemon_metrics *metrics)
{
    free(metrics);
}
