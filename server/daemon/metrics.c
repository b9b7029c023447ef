/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Families in one table; a collector copies the figures of engine and kube client into them. A
 * counter whose truth is elsewhere is advanced by what it lacks, so it never goes back.
 */
#include "server/daemon/metrics.h"

#include <stdlib.h>

#include "core/gang/reason.h"
#include "server/version.h"
#include "topology/base/arena.h"

enum family {
    F_BUILD,
    F_LEADER,
    F_SYNCED,
    F_NODES,
    F_PODS,
    F_GROUPS,
    F_UNPLACED,
    F_ATTEMPTS,
    F_SCHEDULING,
    F_SLOTS,
    F_RELOADS,
    F_UNKNOWN_NODES,
    F_PLANS,
    F_BINDINGS,
    F_PARKED,
    F_SOLVER,
    F_WATCH_RESTARTS,
    F_WATCH_EVENTS,
    F_UNDECODABLE,
    F_CACHE_OBJECTS,
    F_CACHE_AGE,
    F_WRITES,
    F_WRITE_SECONDS,
    F_WRITES_QUEUED,
    F_WRITES_IN_FLIGHT,
    F_COUNT
};

#define SLOTS_PATIENCE (200 * SKR_MILLISECOND) /* of a scrape while the engine is busy */

#define COUNT(n, h, ...)                                                                           \
    {                                                                                              \
        .name = n, .help = h, .type = SKR_COUNTER, .unit = SKR_UNIT_NONE, .label = { __VA_ARGS__ } \
    }
#define GAUGE(n, h, ...)                                                                         \
    {                                                                                            \
        .name = n, .help = h, .type = SKR_GAUGE, .unit = SKR_UNIT_NONE, .label = { __VA_ARGS__ } \
    }

static const struct skr_metric_spec specs[] = {
    [F_BUILD] = GAUGE("sakkara_build_info", "What was built.", "version", "revision"),
    [F_LEADER] = GAUGE("sakkara_leader", "1 while this process decides.", NULL),
    [F_SYNCED] = GAUGE("sakkara_synced", "1 once the first lists are complete.", NULL),
    [F_NODES] = GAUGE("sakkara_nodes", "Nodes the engine knows.", NULL),
    [F_PODS] = GAUGE("sakkara_pods", "Pods the engine knows.", NULL),
    [F_GROUPS] = GAUGE("sakkara_groups", "Groups by status.", "status"),
    [F_UNPLACED] =
        GAUGE("sakkara_unplaced_groups", "Groups that wait, by reason.", "reason", "class"),
    [F_ATTEMPTS] = COUNT("sakkara_group_attempts_total", "Planning trials of groups.", "result"),
    [F_SCHEDULING] = {.name = "sakkara_group_scheduling_duration_seconds",
                      .help = "Time from the arrival of a group's last member to the outcome.",
                      .type = SKR_HISTOGRAM,
                      .unit = SKR_UNIT_NANOSECONDS,
                      .label = {"outcome"},
                      .first_bucket = SKR_SCHEDULING_FIRST,
                      .n_buckets = SKR_SCHEDULING_BUCKETS},
    [F_SLOTS] = GAUGE("sakkara_topology_free_slots",
                      "Most further pods of so many cores, GiB or devices in one unit of a level.",
                      "level", "resource", "size"),
    [F_RELOADS] = COUNT("sakkara_topology_reloads_total",
                        "Topologies that came into force, and maps that were refused.", "result"),
    [F_UNKNOWN_NODES] = GAUGE("sakkara_topology_unknown_nodes",
                              "Leaves of the topology that name no existing node.", NULL),
    [F_PLANS] = COUNT("sakkara_plans_total", "Plans made and plans given up.", "result"),
    [F_BINDINGS] = COUNT("sakkara_bindings_total", "Bindings by result.", "result"),
    [F_PARKED] = GAUGE("sakkara_parked_binds", "Bind calls that are held.", NULL),
    [F_SOLVER] = {.name = "sakkara_solver_duration_seconds",
                  .help = "Time of one solve.",
                  .type = SKR_HISTOGRAM,
                  .unit = SKR_UNIT_NANOSECONDS,
                  .label = {"result"},
                  .first_bucket = 100000,
                  .n_buckets = 8,
                  .doublings = 2},
    [F_WATCH_RESTARTS] =
        COUNT("sakkara_watch_restarts_total", "Lists and watches that failed.", "resource"),
    [F_WATCH_EVENTS] =
        COUNT("sakkara_watch_events_total", "Objects delivered by lists and watches.", "resource"),
    [F_UNDECODABLE] = COUNT("sakkara_undecodable_objects_total",
                            "Versions of objects that could not be read.", "resource"),
    [F_CACHE_OBJECTS] = GAUGE("sakkara_cache_objects", "Objects known to exist.", "resource"),
    [F_CACHE_AGE] = {.name = "sakkara_cache_age_seconds",
                     .help = "Time since the watch last said anything.",
                     .type = SKR_GAUGE,
                     .unit = SKR_UNIT_NANOSECONDS,
                     .label = {"resource"}},
    [F_WRITES] = COUNT("sakkara_api_writes_total", "Requests to the API server by outcome.",
                       "class", "outcome"),
    [F_WRITE_SECONDS] = {.name = "sakkara_api_write_seconds_total",
                         .help = "Time spent on requests to the API server.",
                         .type = SKR_COUNTER,
                         .unit = SKR_UNIT_NANOSECONDS,
                         .label = {"class"}},
    [F_WRITES_QUEUED] =
        GAUGE("sakkara_api_writes_queued", "Requests that wait for the rate limit.", "class"),
    [F_WRITES_IN_FLIGHT] =
        GAUGE("sakkara_api_writes_in_flight", "Requests sent and not answered.", NULL),
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct skr_daemon_metrics {
    struct skr_engine_thread *engine;
    const struct skr_kube *kube;
    struct skr_metric_family *family[F_COUNT];
};

const char *skr_daemon_metrics_name(size_t i)
{
    return i < F_COUNT ? specs[i].name : NULL;
}

static const char *const attempt_names[] = {"planned", "infeasible", "stale", "error"};
_Static_assert(sizeof attempt_names / sizeof attempt_names[0] == SKR_ATTEMPT_COUNT,
               "one name an attempt");
static const char *const outcome_names[] = {"bound", "failed"};
_Static_assert(sizeof outcome_names / sizeof outcome_names[0] == SKR_OUTCOME_COUNT,
               "one name an outcome");
static const char *const size_names[] = {"1", "2", "4", "8"};
_Static_assert(sizeof size_names / sizeof size_names[0] == SKR_SLOT_SIZES, "one name a size");

static struct skr_metric *series(const struct skr_daemon_metrics *m, enum family f, const char *a,
                                 const char *b)
{
    const char *values[SKR_METRIC_LABELS_MAX] = {a, b};
    return skr_metric_get(m->family[f], a ? values : NULL);
}

static void set(const struct skr_daemon_metrics *m, enum family f, const char *a, const char *b,
                uint64_t value)
{
    skr_metric_set(series(m, f, a, b), value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static void advance(const struct skr_daemon_metrics *m, enum family f, const char *a, const char *b,
                    uint64_t value)
{
    struct skr_metric *metric = series(m, f, a, b);
    int64_t lacks = (int64_t)value - skr_metric_value(metric);
    skr_metric_add(metric, lacks > 0 ? lacks : 0);
}

/* Numbers that are 0 in most clusters have no series before they are not. */
static bool is_boring(const struct skr_daemon_metrics *m, enum family f, const char *a,
                      const char *b, uint64_t value)
{
    const char *values[SKR_METRIC_LABELS_MAX] = {a, b};
    return value == 0 && !skr_metric_find(m->family[f], values);
}

static void set_seen(const struct skr_daemon_metrics *m, enum family f, const char *a,
                     const char *b, uint64_t value)
{
    if (!is_boring(m, f, a, b, value)) {
        set(m, f, a, b, value);
    }
}

static void advance_seen(const struct skr_daemon_metrics *m, enum family f, const char *a,
                         const char *b, uint64_t value)
{
    if (!is_boring(m, f, a, b, value)) {
        advance(m, f, a, b, value);
    }
}

static void collect_attempts(const struct skr_daemon_metrics *m, const struct skr_gang_stats *stats)
{
    for (size_t i = 0; i < SKR_ATTEMPT_COUNT; i++) {
        advance(m, F_ATTEMPTS, attempt_names[i], NULL, stats->attempts[i]);
    }
    for (size_t i = 0; i < SKR_OUTCOME_COUNT; i++) {
        const struct skr_scheduling_times *times = &stats->scheduling[i];
        uint64_t n = 0;
        for (size_t k = 0; k <= SKR_SCHEDULING_BUCKETS; k++) {
            n += times->n[k];
        }
        if (!is_boring(m, F_SCHEDULING, outcome_names[i], NULL, n)) {
            skr_metric_load(series(m, F_SCHEDULING, outcome_names[i], NULL), times->n, times->sum);
        }
    }
}

static void collect_slots(const struct skr_daemon_metrics *m)
{
    struct skr_slots slots;
    skr_engine_thread_get_slots(m->engine, SLOTS_PATIENCE, &slots);
    skr_metric_family_hide(m->family[F_SLOTS]);
    for (int32_t l = 0; slots.tree && l <= slots.tree->n_levels; l++) {
        for (size_t r = 0; r < slots.n_resources; r++) {
            for (size_t i = 0; i < SKR_SLOT_SIZES; i++) {
                const char *values[SKR_METRIC_LABELS_MAX] = {
                    slots.tree->level_name[l], slots.tree->resource_name[r], size_names[i]};
                skr_metric_set(skr_metric_get(m->family[F_SLOTS], values), slots.most[l][r][i]);
            }
        }
    }
    skr_slots_fini(&slots);
}

static void collect_engine(const struct skr_daemon_metrics *m)
{
    struct skr_gang_stats stats;
    skr_engine_thread_get_stats(m->engine, &stats);
    set(m, F_LEADER, NULL, NULL, stats.leader);
    set(m, F_SYNCED, NULL, NULL, stats.synced);
    set(m, F_NODES, NULL, NULL, stats.nodes);
    set(m, F_PODS, NULL, NULL, stats.pods);
    set(m, F_PARKED, NULL, NULL, stats.parked);
    for (int i = 0; i < SKR_STATUS_COUNT; i++) {
        set(m, F_GROUPS, skr_group_status_name((enum skr_group_status)i), NULL,
            stats.groups_by_status[i]);
    }
    for (int i = SKR_REASON_NONE + 1; i < SKR_REASON_COUNT; i++) {
        const char *name = skr_reason_name((enum skr_reason)i);
        const char *class = skr_reason_class((enum skr_reason)i);
        size_t n = stats.unplaced_by_reason[i];
        set_seen(m, F_UNPLACED, name, class, n);
    }
    collect_attempts(m, &stats);
    advance(m, F_RELOADS, "loaded", NULL, stats.topology_loads);
    advance(m, F_RELOADS, "refused", NULL, stats.topology_refusals);
    set(m, F_UNKNOWN_NODES, NULL, NULL, stats.unknown_nodes);
    advance(m, F_PLANS, "made", NULL, stats.plans);
    advance(m, F_PLANS, "aborted", NULL, stats.aborts);
    advance(m, F_BINDINGS, "bound", NULL, stats.bindings);
    advance(m, F_BINDINGS, "failed", NULL, stats.binding_errors);
}

static void collect_watches(const struct skr_daemon_metrics *m, const struct skr_kube_stats *stats)
{
    for (int i = 0; i < SKR_KUBE_RESOURCE_COUNT; i++) {
        const struct skr_kube_resource_stats *r = &stats->resource[i];
        const char *name = skr_kube_resource_name((enum skr_kube_resource)i);
        advance(m, F_WATCH_RESTARTS, name, NULL, r->failures);
        advance(m, F_WATCH_EVENTS, name, NULL, r->events);
        advance_seen(m, F_UNDECODABLE, name, NULL, r->undecodable);
        set(m, F_CACHE_OBJECTS, name, NULL, r->objects);
        set(m, F_CACHE_AGE, name, NULL, (uint64_t)r->age);
    }
}

static void collect_writes(const struct skr_daemon_metrics *m, const struct skr_kube_stats *stats)
{
    for (int c = 0; c < SKR_WRITE_CLASS_COUNT; c++) {
        const char *class = skr_write_class_name((enum skr_write_class)c);
        for (int o = 0; o < SKR_WRITE_OUTCOME_COUNT; o++) {
            const char *outcome = skr_kube_outcome_name((enum skr_write_outcome)o);
            advance_seen(m, F_WRITES, class, outcome, stats->writes[c][o]);
        }
        advance_seen(m, F_WRITE_SECONDS, class, NULL, stats->write_ns[c]);
        set(m, F_WRITES_QUEUED, class, NULL, stats->queued[c]);
    }
    set(m, F_WRITES_IN_FLIGHT, NULL, NULL, stats->in_flight);
}

static void collect(void *context)
{
    const struct skr_daemon_metrics *m = context;
    collect_engine(m);
    collect_slots(m);
    if (m->kube) {
        struct skr_kube_stats stats;
        skr_kube_get_stats(m->kube, &stats);
        collect_watches(m, &stats);
        collect_writes(m, &stats);
    }
}

struct skr_daemon_metrics *skr_daemon_metrics_create(struct skr_metrics *registry,
                                                     struct skr_engine_thread *engine)
{
    struct skr_daemon_metrics *m = skr_alloc(sizeof *m);
    m->engine = engine;
    for (int i = 0; i < F_COUNT; i++) {
        m->family[i] = skr_metrics_family(registry, &specs[i]);
    }
    set(m, F_BUILD, skr_version, skr_revision, 1);
    skr_metrics_on_collect(registry, collect, m);
    return m;
}

void skr_daemon_metrics_set_kube(struct skr_daemon_metrics *metrics, const struct skr_kube *kube)
{
    metrics->kube = kube;
}

static const char *result_of(const struct skr_solution *solution)
{
    if (!solution) {
        return "error";
    }
    switch (solution->status) {
    case SKR_SOLVE_PLACED:
        return solution->optimal ? "placed" : "partial";
    case SKR_SOLVE_INFEASIBLE:
        return "infeasible";
    case SKR_SOLVE_TIMEOUT:
    case SKR_SOLVE_STATUS_COUNT:
        break;
    }
    return "timeout";
}

void skr_daemon_metrics_solved(struct skr_daemon_metrics *metrics,
                               const struct skr_solution *solution, int64_t took_ns)
{
    skr_metric_observe(series(metrics, F_SOLVER, result_of(solution), NULL), took_ns);
}

void skr_daemon_metrics_destroy(struct skr_daemon_metrics *metrics)
{
    free(metrics);
}
