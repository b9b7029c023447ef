/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lab/replay/report.h"

#include <stdlib.h>

#include "topology/base/arena.h"

enum { SHORT_RUN_S = 10, LATE_S = SKR_MOVE_S };

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the values. */
static struct skr_replay_spread spread_of(int64_t *value, size_t n)
{
    struct skr_replay_spread s = {0};
    int64_t sum = 0;
    if (n == 0) {
        return s;
    }
    qsort(value, n, sizeof *value, by_value);
    for (size_t i = 0; i < n; i++) {
        sum += value[i];
    }
    s.mean = (sum + (int64_t)n / 2) / (int64_t)n;
    s.p50 = value[(50 * n + 99) / 100 - 1];
    s.p95 = value[(95 * n + 99) / 100 - 1];
    s.p99 = value[(99 * n + 99) / 100 - 1];
    s.max = value[n - 1];
    return s;
}

static enum skr_replay_class class_of(const struct skr_replay_job *job, int64_t node, int64_t rack)
{
    const int64_t slots = job->size * job->demand;
    return slots <= node ? SKR_REPLAY_NODE : 2 * slots < rack ? SKR_REPLAY_SMALL : SKR_REPLAY_LARGE;
}

static void report_class(const struct skr_replay_jobs *jobs,
                         const struct skr_replay_cluster *cluster,
                         const struct skr_replay_outcome *outcome, enum skr_replay_class class,
                         struct skr_replay_class_report *ret)
{
    const int64_t node = skr_replay_largest(cluster, cluster->tree->n_levels);
    const int64_t rack = skr_replay_largest(cluster, skr_replay_rack_level(cluster->tree));
    SKR_AUTO_FREE int64_t *wait = skr_alloc_array(jobs->n + 1, sizeof *wait);
    SKR_AUTO_FREE int64_t *slowdown = skr_alloc_array(jobs->n + 1, sizeof *slowdown);
    size_t placed = 0;
    *ret = (struct skr_replay_class_report){0};
    for (size_t i = 0; i < jobs->n; i++) {
        const struct skr_replay_job *job = &jobs->job[i];
        const struct skr_replay_fate *fate = &outcome->fate[i];
        if (class != SKR_REPLAY_ALL && class_of(job, node, rack) != class) {
            continue;
        }
        ret->n++;
        if (fate->start == SKR_INSTANT_NEVER) {
            ret->unplaced++;
            continue;
        }
        const int64_t run = fate->end - fate->start;
        const int64_t least = run > SHORT_RUN_S ? run : SHORT_RUN_S;
        const int64_t times = 100 * (fate->end - job->arrival) / least;
        wait[placed] = fate->start - job->arrival;
        slowdown[placed++] = times > 100 ? times : 100;
    }
    ret->wait = spread_of(wait, placed);
    ret->slowdown = spread_of(slowdown, placed);
}

static void count_fates(const struct skr_replay_jobs *jobs,
                        const struct skr_replay_outcome *outcome, struct skr_replay_report *ret)
{
    const int64_t first = jobs->n > 0 ? jobs->job[0].arrival : 0;
    for (size_t i = 0; i < jobs->n; i++) {
        const struct skr_replay_fate *fate = &outcome->fate[i];
        const bool promised = fate->promised != SKR_INSTANT_NEVER;
        if (fate->start == SKR_INSTANT_NEVER) {
            continue;
        }
        ret->makespan = fate->end - first > ret->makespan ? fate->end - first : ret->makespan;
        ret->split += fate->split;
        ret->promises += promised;
        ret->late += promised && fate->start > fate->promised + LATE_S;
        ret->backfilled += fate->backfilled;
        ret->drains += fate->drained;
    }
}

/* a / b in tenths, rounded. */
static int64_t tenths(int64_t a, int64_t b)
{
    return b > 0 ? (a / b) * 10 + ((a % b) * 10 + b / 2) / b : 0;
}

void skr_replay_report_make(const struct skr_replay_jobs *jobs,
                            const struct skr_replay_cluster *cluster,
                            const struct skr_replay_options *options,
                            const struct skr_replay_outcome *outcome, struct skr_replay_report *ret)
{
    const int64_t time = jobs->n > 0 ? jobs->job[jobs->n - 1].arrival - jobs->job[0].arrival : 0;
    *ret =
        (struct skr_replay_report){.policy = options->policy->name, .place = options->place->name};
    for (size_t i = 0; i < SKR_REPLAY_CLASS_COUNT; i++) {
        report_class(jobs, cluster, outcome, (enum skr_replay_class)i, &ret->class[i]);
    }
    for (size_t i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        ret->moves[i] = outcome->moves[i];
    }
    count_fates(jobs, outcome, ret);
    if (time > 0) {
        ret->utilisation =
            tenths(outcome->slot_seconds / skr_replay_largest(cluster, 0) * 100, time);
        ret->free_racks = tenths(outcome->free_rack_seconds, time);
    }
}
