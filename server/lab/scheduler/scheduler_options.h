/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_OPTIONS_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_OPTIONS_H
/* The options of a model of kube-scheduler (its extender, its settings), and its counters. */
#include <stdint.h>

#include "core/pod/pod.h"
#include "server/lab/scheduler/trace.h"

/* An extender. Calls have nodes and pods as in the scheduler's cache. */
struct skr_extender {
    void *context;
    /* Sets passes[i] to 1 for the accepted nodes, why[i] for the others: the text lives until the
     * next call, NULL is no reason. Returns 0, or a negative code with the answer's Error or the
     * failure of the call. -SKR_GONE: the scheduler ends in the middle of this call and writes
     * nothing any more. */
    int (*filter)(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                  skr_time now, uint8_t *passes, const char **why, struct skr_error *error);
    /* score[i] 0..10, set to 0 before the call; errors are ignored. */
    void (*prioritize)(void *context, const struct skr_pod *pod, const char *const *node, size_t n,
                       skr_time now, int32_t *score);
    /* The answer comes through skr_scheduler_bind_done(), during this call or any time later. */
    void (*bind)(void *context, uint64_t call, const struct skr_pod *pod, const char *node,
                 skr_time now);
    int32_t weight; /* of its scores */
};

/* As shipped: sampling at its default, backoff 1 to 10 s. */
struct skr_scheduler_options {
    size_t n_names;
    const char *const *name; /* schedulerNames it serves; borrowed */
    bool daemons;            /* it serves only pods of DaemonSets, whatever their schedulerName */
    struct skr_extender extender;
    int percentage;           /* percentageOfNodesToScore; 0: 50 - nodes / 125, at least 5 */
    skr_time initial_backoff; /* 0: 1 s */
    skr_time max_backoff;     /* 0: 10 s */
    skr_time cycle_time;      /* duration of a cycle; the bind call begins at its end */
    skr_time watch_delay;     /* until it sees a change */
    uint64_t seed;            /* 0: the first of several best nodes; else a random one of them */
    bool devices;             /* pods need them where there are no ResourceSlices, too */
    bool events;              /* write Scheduled and FailedScheduling, as users see them */
    struct skr_trace trace;
};

struct skr_scheduler_stats {
    size_t active, backoff, unschedulable, gated, assumed; /* pods now */
    uint64_t cycles, evaluated, /* nodes checked by the in-tree filters */
        filter_calls, filter_names, prioritize_calls, bind_calls, patches;
    uint64_t nominated_hits; /* cycles that ended on the nominated node */
};

#endif
