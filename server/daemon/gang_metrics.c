/* SPDX-License-Identifier: Apache-2.0 */
#include "server/daemon/gang_metrics.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/cache/devices.h"
#include "core/gang/group/reservation.h"
#include "core/gang/state/reason.h"
#include "server/daemon/series.h"
#include "server/daemon/tally.h"
#include "server/thread.h"
#include "topology/base/arena.h"

enum {
    SLOTS_SHARE = 100,  /* counting slots takes at most one part in so many of the thread's time */
    SLOTS_LEAVES = 500, /* counted before messages are looked at again */
};
#define SLOTS_PATIENCE (200 * SKR_MILLISECOND) /* of a scrape while the engine is busy */

enum family {
    F_LEADER,
    F_SYNCED,
    F_NODES,
    F_PODS,
    F_BYTES,
    F_GROUPS,
    F_UNPLACED,
    F_ATTEMPTS,
    F_SCHEDULING,
    F_SLOTS,
    F_RELOADS,
    F_UNKNOWN_NODES,
    F_OUTSIDE_NODES,
    F_REFUSED_NODES,
    F_PLANS,
    F_BINDINGS,
    F_POD_BINDINGS,
    F_RESERVED,
    F_PARKED,
    F_LABELS_TRAVEL,
    F_PREEMPTIONS,
    F_GROUP_MOVES,
    F_EVICTIONS,
    F_FOLLOWERS,
    F_SOLVER,
    F_SOLVER_ROLES,
    F_GANG_PLUGIN,
    F_DEVICES,
    F_SIGNATURES,
    F_DEVICE_FIT,
    F_MISPREDICTIONS,
    F_UNCOUNTED,
    F_LEFTOVERS,
    F_RELEASES,
    F_ADMISSIONS,
    F_RESERVATIONS,
    F_MOVES,
    F_PROMISES,
    F_BACKFILLED,
    F_ROUNDS,
    F_COUNT
};

static const struct skr_metric_spec specs[] = {
    [F_LEADER] = SKR_GAUGES("sakkara_leader", "1 while this process decides.", NULL),
    [F_SYNCED] = SKR_GAUGES("sakkara_synced", "1 once the first lists are complete.", NULL),
    [F_NODES] = SKR_GAUGES("sakkara_nodes", "Nodes the engine knows.", NULL),
    [F_PODS] = SKR_GAUGES("sakkara_pods", "Pods the engine knows.", NULL),
    [F_BYTES] =
        SKR_GAUGES("sakkara_pods_bytes", "Memory of the tables with a row for every pod that runs.",
                   "table", NULL),
    [F_GROUPS] = SKR_GAUGES("sakkara_groups", "Groups by status.", "status"),
    [F_UNPLACED] =
        SKR_GAUGES("sakkara_unplaced_groups", "Groups that wait, by reason.", "reason", "class"),
    [F_ATTEMPTS] =
        SKR_COUNTS("sakkara_group_attempts_total", "Planning attempts of groups.", "result"),
    [F_SCHEDULING] = SKR_TIMES("sakkara_group_scheduling_duration_seconds",
                               "Time from the arrival of a group's last member to the outcome.",
                               SKR_SCHEDULING_FIRST, SKR_SCHEDULING_BUCKETS, 2, "outcome"),
    [F_SLOTS] =
        SKR_GAUGES("sakkara_topology_free_slots",
                   "Most further pods of so many cores, GiB or devices in one unit of a level.",
                   "level", "resource", "size"),
    [F_RELOADS] =
        SKR_COUNTS("sakkara_topology_reloads_total",
                   "Topologies that came into force, and maps that were refused.", "result"),
    [F_UNKNOWN_NODES] = SKR_GAUGES("sakkara_topology_unknown_nodes",
                                   "Leaves of the topology that name no existing node.", NULL),
    [F_OUTSIDE_NODES] = SKR_GAUGES("sakkara_topology_outside_nodes",
                                   "Ready nodes that no leaf of the topology names.", NULL),
    [F_REFUSED_NODES] =
        SKR_GAUGES("sakkara_refused_nodes",
                   "Nodes that are not used: the names of their resources exceed a limit.", NULL),
    [F_PLANS] = SKR_COUNTS("sakkara_plans_total", "Plans made and plans given up.", "result"),
    [F_BINDINGS] = SKR_COUNTS("sakkara_bindings_total",
                              "Goes with 0.3: sakkara_pod_bindings_total is the same.", "result"),
    [F_POD_BINDINGS] =
        SKR_COUNTS("sakkara_pod_bindings_total", "Bindings of pods by result.", "result"),
    [F_RESERVED] =
        SKR_GAUGES("sakkara_reserved_pods",
                   "Pods whose room is reserved though no bound pod uses it, by reason.", "reason"),
    [F_PARKED] = SKR_GAUGES("sakkara_parked_binds", "Bind calls that are held.", NULL),
    [F_LABELS_TRAVEL] =
        SKR_GAUGES("sakkara_binding_labels",
                   "1: labels of Bindings reach pods, and members that need no waking are "
                   "not patched.",
                   NULL),
    [F_PREEMPTIONS] = SKR_COUNTS("sakkara_gang_preemptions_total",
                                 "Preemptions of groups that came to their end.", "result"),
    [F_GROUP_MOVES] =
        SKR_COUNTS("sakkara_moves_total",
                   "Waiting groups that others began to move for, by how that ended.", "result"),
    [F_EVICTIONS] =
        SKR_COUNTS("sakkara_gang_preempted_pods_total",
                   "Evictions of pods for groups, by what the API server said.", "result"),
    [F_FOLLOWERS] =
        SKR_COUNTS("sakkara_followers_evicted_total",
                   "Members beyond the minimum of their group, evicted for others.", NULL),
    [F_SOLVER] =
        SKR_TIMES("sakkara_solver_duration_seconds", "Time of one solve.", 100000, 8, 4, "result"),
    [F_GANG_PLUGIN] =
        SKR_COUNTS("sakkara_gang_plugin_groups_total",
                   "Groups that the plugin GangScheduling of kube-scheduler has held.", NULL),
    [F_DEVICES] =
        SKR_GAUGES("sakkara_devices", "Devices of slices by class, counted with the free slots.",
                   "class", "state"),
    [F_SIGNATURES] =
        SKR_GAUGES("sakkara_device_signatures",
                   "Distinct answers about the devices of a node that are kept.", NULL),
    [F_DEVICE_FIT] = SKR_TIMES("sakkara_device_fit_seconds",
                               "Time to count how many members the devices of one node serve.",
                               10000, 6, 10, "result"),
    [F_MISPREDICTIONS] =
        SKR_COUNTS("sakkara_device_mispredictions_total",
                   "Planned nodes that kube-scheduler refused for devices or volumes that the "
                   "daemon counts.",
                   "plugin"),
    [F_UNCOUNTED] =
        SKR_GAUGES("sakkara_unmodelled_groups",
                   "Groups that are not bound and whose devices are not counted.", "why"),
    [F_LEFTOVERS] = SKR_GAUGES("sakkara_leftover_claims",
                               "Allocated claims of pods without a plan, which no pod uses.", NULL),
    [F_RELEASES] = SKR_COUNTS("sakkara_leftovers_released_total",
                              "Patches that free devices of such claims.", "result"),
    [F_ADMISSIONS] = SKR_COUNTS("sakkara_admission_checks_total",
                                "Answers to AdmissionChecks of Kueue.", "result"),
    [F_RESERVATIONS] = SKR_GAUGES("sakkara_reservations",
                                  "Groups that wait and have a later start, by kind.", "kind"),
    [F_MOVES] = SKR_COUNTS("sakkara_reservation_moves_total",
                           "Starts that moved later, or ended without a start, by cause.", "cause"),
    [F_PROMISES] = SKR_TIMES("sakkara_promise_error_seconds",
                             "How far starts are from the first start that was promised.",
                             1000000000, 10, 4, "start"),
    [F_BACKFILLED] = SKR_COUNTS("sakkara_backfilled_groups_total",
                                "Groups that went in front of one that has a reservation.", NULL),
    [F_ROUNDS] = SKR_TIMES("sakkara_timeline_round_seconds",
                           "Time of one round of reservations, on a worker.", 100000, 9, 4, NULL),
    [F_SOLVER_ROLES] = SKR_COUNTS("sakkara_solver_roles_total",
                                  "Solves of groups of several roles, by how far the answer is "
                                  "proven.",
                                  "result"),
};
_Static_assert(sizeof specs / sizeof specs[0] == F_COUNT, "one row a family");

struct skr_gang_metrics {
    const struct skr_clock *clock;
    struct skr_metric_family *family[F_COUNT];
    struct skr_tally tally; /* struct skr_gang_stats */
    /* Of the engine's thread. */
    struct skr_slot_count count;
    skr_time count_took;

    pthread_mutex_t lock;             /* of everything below */
    pthread_cond_t made;              /* slots were counted, or stop */
    struct skr_engine_thread *engine; /* NULL: not started, or stopped */
    bool counting;                    /* a look is on its way */
    uint64_t slots_made;              /* times */
    skr_time slots_next;              /* not before */
    struct skr_slots slots;
    size_t reserved[SKR_RESERVED_COUNT]; /* counted with the slots */
    struct skr_devices_census devices;   /* the same */
};

static const char *const attempt_names[] = {"planned", "infeasible", "stale", "error"};
_Static_assert(sizeof attempt_names / sizeof attempt_names[0] == SKR_ATTEMPT_COUNT,
               "one name an attempt");
static const char *const outcome_names[] = {"bound", "failed"};
_Static_assert(sizeof outcome_names / sizeof outcome_names[0] == SKR_OUTCOME_COUNT,
               "one name an outcome");
static const char *const admission_names[] = {"ready", "retry", "rejected", "failed"};
_Static_assert(sizeof admission_names / sizeof admission_names[0] == SKR_ADMISSION_RESULT_COUNT,
               "one name a result");
static const char *const release_names[] = {"ok", "conflict", "denied", "failed"};
_Static_assert(sizeof release_names / sizeof release_names[0] == SKR_RELEASE_COUNT,
               "one name a result");
static const char *const fit_names[] = {"fit", "none", "unmodelled", "error"};
_Static_assert(sizeof fit_names / sizeof fit_names[0] == SKR_DEVICE_FIT_COUNT, "one name a result");
static const char *const uncounted_names[] = {NULL, "selector", "version", "feature", "budget"};
_Static_assert(sizeof uncounted_names / sizeof uncounted_names[0] == SKR_UNCOUNTED_COUNT,
               "one name a kind");
static const char *const size_names[] = {"1", "2", "4", "8"};
_Static_assert(sizeof size_names / sizeof size_names[0] == SKR_SLOT_SIZES, "one name a size");

/* buckets: of the family, and one beyond. */
static void load_times(struct skr_metric_family *family, const char *label, const uint64_t *n,
                       size_t buckets, int64_t sum)
{
    uint64_t all = 0;
    for (size_t k = 0; k < buckets; k++) {
        all += n[k];
    }
    if (!skr_series_is_boring(family, label, NULL, all)) {
        skr_metric_load(skr_series(family, label, NULL), n, sum);
    }
}

static void collect_attempts(const struct skr_gang_metrics *m, const struct skr_gang_stats *stats)
{
    for (size_t i = 0; i < SKR_ATTEMPT_COUNT; i++) {
        skr_series_advance(m->family[F_ATTEMPTS], attempt_names[i], NULL, stats->attempts[i]);
    }
    for (size_t i = 0; i < SKR_OUTCOME_COUNT; i++) {
        const struct skr_scheduling_times *times = &stats->scheduling[i];
        load_times(m->family[F_SCHEDULING], outcome_names[i], times->n, SKR_SCHEDULING_BUCKETS + 1,
                   times->sum);
    }
}

/* ---- free slots ---- */

static void store_slots(struct skr_gang_metrics *m, const struct skr_slots *slots,
                        const size_t *reserved, const struct skr_devices_census *devices,
                        skr_time now)
{
    pthread_mutex_lock(&m->lock);
    m->devices = *devices;
    memcpy(m->reserved, reserved, sizeof m->reserved);
    struct skr_slots old = m->slots;
    m->slots = *slots;
    m->slots_made++;
    m->slots_next = now + m->count_took * SLOTS_SHARE;
    pthread_cond_broadcast(&m->made);
    pthread_mutex_unlock(&m->lock);
    skr_slots_fini(&old);
    m->count_took = 0;
}

/* Whether there is more to count. */
static bool count(struct skr_gang_metrics *m, struct skr_engine *engine, skr_time begin)
{
    struct skr_slots slots;
    bool done = skr_gang_count_slots(skr_engine_self(engine), &m->count, SLOTS_LEAVES, &slots);
    skr_time now = skr_clock_now(m->clock);
    m->count_took += now - begin;
    begin = now;
    if (done) {
        size_t reserved[SKR_RESERVED_COUNT];
        struct skr_devices_census devices;
        skr_reservations_count(skr_engine_self(engine), reserved);
        skr_devices_count(skr_engine_self(engine), &devices);
        now = skr_clock_now(m->clock);
        m->count_took += now - begin;
        store_slots(m, &slots, reserved, &devices, now);
    }
    return !done;
}

/* One piece. The next piece waits behind the messages that have come meanwhile. */
static void look(void *context, struct skr_engine *engine, skr_time now)
{
    struct skr_gang_metrics *m = context;
    const bool goes_on = engine && count(m, engine, now);
    pthread_mutex_lock(&m->lock);
    struct skr_engine_thread *thread = goes_on ? m->engine : NULL;
    m->counting = thread;
    pthread_mutex_unlock(&m->lock);
    if (thread) {
        skr_engine_thread_look(thread, look, m);
    }
}

/* The last count, if it is too early to count again, or if the engine's thread does not count
 * within SLOTS_PATIENCE. End with skr_slots_fini(). */
static void get_slots(struct skr_gang_metrics *m, struct skr_slots *ret)
{
    skr_time now = skr_clock_now(m->clock);
    struct timespec deadline = skr_clock_deadline(m->clock, now + SLOTS_PATIENCE);
    int rc = 0;
    pthread_mutex_lock(&m->lock);
    if (m->engine && now >= m->slots_next) {
        uint64_t made = m->slots_made;
        struct skr_engine_thread *thread = m->counting ? NULL : m->engine;
        m->counting = true;
        pthread_mutex_unlock(&m->lock); /* a thread that has ended looks here and now */
        if (thread) {
            skr_engine_thread_look(thread, look, m);
        }
        pthread_mutex_lock(&m->lock);
        while (m->slots_made == made && m->engine && rc != ETIMEDOUT) {
            rc = pthread_cond_timedwait(&m->made, &m->lock, &deadline);
        }
    }
    *ret = m->slots;
    if (ret->tree) {
        skr_tree_ref(ret->tree);
    }
    pthread_mutex_unlock(&m->lock);
}

static void collect_slots(struct skr_gang_metrics *m)
{
    struct skr_slots slots;
    get_slots(m, &slots);
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

/* As of the last count of slots. */
static void collect_devices(struct skr_gang_metrics *m)
{
    static const char *const states[] = {"free", "taken", "tainted"};
    _Static_assert(sizeof states / sizeof *states == SKR_CENSUS_COUNT, "a word each");
    struct skr_devices_census devices;
    pthread_mutex_lock(&m->lock);
    devices = m->devices;
    pthread_mutex_unlock(&m->lock);
    skr_metric_family_hide(m->family[F_DEVICES]);
    for (size_t i = 0; i < devices.n; i++) {
        for (int k = 0; k < SKR_CENSUS_COUNT; k++) {
            skr_series_set(m->family[F_DEVICES], devices.of[i].name, states[k], devices.of[i].n[k]);
        }
    }
}

static void collect_reserved(struct skr_gang_metrics *m)
{
    size_t n[SKR_RESERVED_COUNT];
    pthread_mutex_lock(&m->lock);
    memcpy(n, m->reserved, sizeof n);
    pthread_mutex_unlock(&m->lock);
    for (int i = 0; i < SKR_RESERVED_COUNT; i++) {
        skr_series_set_seen(m->family[F_RESERVED],
                            skr_reservation_name((enum skr_reservation_reason)i), NULL, n[i]);
    }
}

/* ---- counts ---- */

static void collect_device_counts(const struct skr_gang_metrics *m,
                                  const struct skr_gang_stats *stats)
{
    static const struct skr_duration_scale scale = SKR_DEVICE_FIT_SCALE;
    for (int i = 0; i < SKR_DEVICE_FIT_COUNT; i++) {
        const struct skr_durations *times = &stats->device_fit[i];
        load_times(m->family[F_DEVICE_FIT], fit_names[i], times->n, scale.n + 1, times->sum);
    }
    for (int i = 0; i < SKR_MISPREDICTED_COUNT; i++) {
        skr_series_advance_seen(m->family[F_MISPREDICTIONS], skr_mispredicted_name[i], NULL,
                                stats->mispredictions[i]);
    }
    for (int i = SKR_COUNTED + 1; i < SKR_UNCOUNTED_COUNT; i++) {
        skr_series_set_seen(m->family[F_UNCOUNTED], uncounted_names[i], NULL, stats->uncounted[i]);
    }
    skr_series_set(m->family[F_SIGNATURES], NULL, NULL, stats->device_signatures);
    skr_series_set(m->family[F_LEFTOVERS], NULL, NULL, stats->leftover_claims);
    for (int i = 0; i < SKR_RELEASE_COUNT; i++) {
        skr_series_advance_seen(m->family[F_RELEASES], release_names[i], NULL, stats->releases[i]);
    }
}

static void collect_starts(const struct skr_gang_metrics *m, const struct skr_gang_stats *stats)
{
    static const struct skr_duration_scale promises = SKR_PROMISE_SCALE, rounds = SKR_ROUND_SCALE;
    static const char *const start[] = {"early", "late"};
    _Static_assert(sizeof start / sizeof *start == SKR_PROMISE_END_COUNT, "a word each");
    skr_series_set(m->family[F_RESERVATIONS], "promised", NULL, stats->promised);
    skr_series_set(m->family[F_RESERVATIONS], "draining", NULL, stats->draining);
    for (int i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        const char *cause = skr_move_cause_name((enum skr_move_cause)i);
        skr_series_advance_seen(m->family[F_MOVES], cause ? cause : "none", NULL, stats->moves[i]);
    }
    for (int i = 0; i < SKR_PROMISE_END_COUNT; i++) {
        load_times(m->family[F_PROMISES], start[i], stats->promise[i].n, promises.n + 1,
                   stats->promise[i].sum);
    }
    load_times(m->family[F_ROUNDS], NULL, stats->rounds.n, rounds.n + 1, stats->rounds.sum);
    skr_series_advance(m->family[F_BACKFILLED], NULL, NULL, stats->backfilled);
}

static void collect_counts(struct skr_gang_metrics *m)
{
    struct skr_gang_stats stats;
    skr_tally_get(&m->tally, &stats);
    skr_series_set(m->family[F_LEADER], NULL, NULL, stats.leader);
    skr_series_set(m->family[F_SYNCED], NULL, NULL, stats.synced);
    skr_series_set(m->family[F_NODES], NULL, NULL, stats.nodes);
    skr_series_set(m->family[F_PODS], NULL, NULL, stats.pods);
    skr_series_set(m->family[F_BYTES], "residents", NULL, stats.resident_bytes);
    skr_series_set(m->family[F_BYTES], "charges", NULL, stats.charge_bytes);
    skr_series_set(m->family[F_PARKED], NULL, NULL, stats.parked);
    skr_series_set(m->family[F_LABELS_TRAVEL], NULL, NULL, stats.labels_travel);
    for (int i = 0; i < SKR_STATUS_COUNT; i++) {
        skr_series_set(m->family[F_GROUPS], skr_group_status_name((enum skr_group_status)i), NULL,
                       stats.groups_by_status[i]);
    }
    for (int i = SKR_REASON_NONE + 1; i < SKR_REASON_COUNT; i++) {
        const char *name = skr_reason_name((enum skr_reason)i);
        const char *class = skr_reason_class((enum skr_reason)i);
        size_t n = stats.unplaced_by_reason[i];
        skr_series_set_seen(m->family[F_UNPLACED], name, class, n);
    }
    collect_attempts(m, &stats);
    skr_series_advance(m->family[F_RELOADS], "loaded", NULL, stats.topology_loads);
    skr_series_advance(m->family[F_RELOADS], "refused", NULL, stats.topology_refusals);
    skr_series_advance(m->family[F_GANG_PLUGIN], NULL, NULL, stats.gang_plugin);
    collect_device_counts(m, &stats);
    for (int i = 0; i < SKR_ADMISSION_RESULT_COUNT; i++) {
        skr_series_advance_seen(m->family[F_ADMISSIONS], admission_names[i], NULL,
                                stats.admissions[i]);
    }
    collect_starts(m, &stats);
    skr_series_set(m->family[F_UNKNOWN_NODES], NULL, NULL, stats.unknown_nodes);
    skr_series_set(m->family[F_OUTSIDE_NODES], NULL, NULL, stats.outside_nodes);
    skr_series_set(m->family[F_REFUSED_NODES], NULL, NULL, stats.refused_nodes);
    skr_series_advance(m->family[F_PLANS], "made", NULL, stats.plans);
    skr_series_advance(m->family[F_PLANS], "aborted", NULL, stats.aborts);
    skr_series_advance(m->family[F_BINDINGS], "bound", NULL, stats.bindings);
    skr_series_advance(m->family[F_BINDINGS], "failed", NULL, stats.binding_errors);
    skr_series_advance(m->family[F_POD_BINDINGS], "bound", NULL, stats.bindings);
    skr_series_advance(m->family[F_POD_BINDINGS], "failed", NULL, stats.binding_errors);
    static const char *const ends[] = {"done", "aborted"};
    static const char *const answers[] = {"evicted", "blocked", "failed"};
    _Static_assert(sizeof ends / sizeof *ends == SKR_PREEMPTION_COUNT, "a word each");
    _Static_assert(sizeof answers / sizeof *answers == SKR_EVICTION_COUNT, "a word each");
    for (int i = 0; i < SKR_PREEMPTION_COUNT; i++) {
        skr_series_advance(m->family[F_PREEMPTIONS], ends[i], NULL, stats.preemptions[i]);
        skr_series_advance_seen(m->family[F_GROUP_MOVES], ends[i], NULL, stats.group_moves[i]);
    }
    for (int i = 0; i < SKR_EVICTION_COUNT; i++) {
        skr_series_advance(m->family[F_EVICTIONS], answers[i], NULL, stats.evictions[i]);
    }
    skr_series_advance(m->family[F_FOLLOWERS], NULL, NULL, stats.followers_evicted);
}

static void collect(void *context)
{
    struct skr_gang_metrics *m = context;
    collect_counts(m);
    collect_slots(m);
    collect_reserved(m);
    collect_devices(m);
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

/* Placements that are not proven to be the best come from beyond the exact range. */
static const char *roles_result_of(const struct skr_solution *solution)
{
    if (!solution || solution->status == SKR_SOLVE_TIMEOUT) {
        return "undecided";
    }
    return solution->status == SKR_SOLVE_PLACED && !solution->optimal ? "fallback" : "exact";
}

const struct skr_stopwatch *skr_gang_metrics_stopwatch(const struct skr_gang_metrics *metrics)
{
    return &metrics->tally.stopwatch;
}

void skr_gang_metrics_solved(struct skr_gang_metrics *metrics, const struct skr_solution *solution,
                             bool roles, int64_t took_ns)
{
    skr_metric_observe(skr_series(metrics->family[F_SOLVER], result_of(solution), NULL), took_ns);
    if (roles) {
        skr_metric_add(skr_series(metrics->family[F_SOLVER_ROLES], roles_result_of(solution), NULL),
                       1);
    }
}

/* ---- life ---- */

struct skr_gang_metrics *skr_gang_metrics_create(struct skr_metrics *registry,
                                                 const struct skr_clock *clock)
{
    struct skr_gang_metrics *m = skr_alloc(sizeof *m);
    m->clock = clock;
    skr_tally_init(&m->tally, clock, sizeof(struct skr_gang_stats));
    pthread_mutex_init(&m->lock, NULL);
    skr_thread_init_wake(&m->made);
    skr_series_families(registry, specs, F_COUNT, m->family);
    skr_metrics_on_collect(registry, collect, m);
    return m;
}

void skr_gang_metrics_set_engine(struct skr_gang_metrics *metrics, struct skr_engine_thread *engine)
{
    pthread_mutex_lock(&metrics->lock);
    metrics->engine = engine;
    pthread_cond_broadcast(&metrics->made);
    pthread_mutex_unlock(&metrics->lock);
}

void skr_gang_metrics_publish(struct skr_gang_metrics *metrics, const struct skr_engine *engine)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(skr_engine_self(engine), &stats);
    skr_tally_put(&metrics->tally, &stats);
}

void skr_gang_metrics_destroy(struct skr_gang_metrics *metrics)
{
    if (!metrics) {
        return;
    }
    skr_slot_count_fini(&metrics->count);
    skr_slots_fini(&metrics->slots);
    pthread_cond_destroy(&metrics->made);
    pthread_mutex_destroy(&metrics->lock);
    skr_tally_fini(&metrics->tally);
    free(metrics);
}
