/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_MODEL_SCHEDULER_H
#define SKR_SERVER_MODEL_SCHEDULER_H
/*
 * A model of kube-scheduler 1.36 with one extender, over the store, under a clock that is passed
 * in. As the real one:
 *
 *   cycle      one pod at a time: the nominated node first and alone, then the nodes from a
 *              rotating start until enough are feasible; in-tree filters, then the extender; scores
 *              when more than one node is left; the pod is assumed on the best
 *   bind       any number at once, each through the extender, which may hold it as long as it likes
 *   failure    condition PodScheduled=False in the pod's status when it says something new;
 *              nominations are cleared by errors and failed binds and survive rejections
 *   queue      active, backoff, error backoff, unschedulable; gated pods are in none. Who is
 *              woken by what: scheduler_events.c. Backoff 1 s doubling to 10 s in windows of 1 s,
 *              popped early while the active queue is empty; everything is retried after 5 min
 *
 * In-tree filters: NodeUnschedulable, TaintToleration, NodeAffinity with nodeSelector, NodePorts
 * and NodeResourcesFit with the nominated pods of equal and higher priority charged. Not modelled:
 * affinity between pods, topology spread, volumes, resource claims, preemption, zone-interleaved
 * node order (nodes stand in order of arrival); see skr_scheduler_unmodelled(). Sources: kubernetes
 * pkg/scheduler 1.36 (schedule_one.go, backend/queue, backend/cache, framework/plugins).
 *
 * Like every model of this folder: next() says when something is due, step() does all that is due.
 */
#include "core/pod/pod.h"
#include "server/model/store.h"
#include "server/model/trace.h"

/* What an extender answers. Calls name nodes and pods as the scheduler's cache has them. */
struct skr_extender {
    void *context;
    /* Sets passes[i] to 1 for the nodes that pass, why[i] for the others: the text lives until the
     * next call, NULL is no reason. 0, or negative with the answer's Error, or what kept it from
     * coming; -SKR_GONE: the scheduler ends in the middle of this, and writes nothing any more. */
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
    struct skr_extender extender;
    int percentage;           /* percentageOfNodesToScore; 0: 50 - nodes / 125, at least 5 */
    skr_time initial_backoff; /* 0: 1 s */
    skr_time max_backoff;     /* 0: 10 s */
    skr_time cycle_time;      /* a cycle takes so long, and at its end the bind call begins */
    skr_time watch_delay;     /* until it sees what was written */
    uint64_t seed;            /* 0: the first of several best nodes; else one of them by chance */
    bool events;              /* write Scheduled and FailedScheduling, as people see them */
    struct skr_trace trace;
};

struct skr_scheduler_model;

/* Lists what is in the store; sees all that comes later. store is borrowed. */
struct skr_scheduler_model *skr_scheduler_create(const struct skr_scheduler_options *options,
                                                 struct skr_store *store, skr_time now);
void skr_scheduler_destroy(struct skr_scheduler_model *scheduler); /* NULL allowed */

/* When something is due next, never before now; SKR_TIME_NEVER: nothing. */
skr_time skr_scheduler_next(const struct skr_scheduler_model *scheduler, skr_time now);
/* Does what is due at now, at most one cycle. Returns the number of things done. */
size_t skr_scheduler_step(struct skr_scheduler_model *scheduler, skr_time now);

/* The answer to a bind call. error: NULL for success, else the answer's Error; copied. Calls that
 * are unknown (answered before) are ignored. Taken in at the next step. */
void skr_scheduler_bind_done(struct skr_scheduler_model *scheduler, uint64_t call,
                             const char *error);

struct skr_scheduler_stats {
    size_t active, backoff, unschedulable, gated, assumed; /* pods now */
    uint64_t cycles, evaluated, /* nodes that went through the in-tree filters */
        filter_calls, filter_names, prioritize_calls, bind_calls, patches;
    uint64_t nominated_hits; /* cycles that ended on the nominated node */
};
void skr_scheduler_get_stats(const struct skr_scheduler_model *scheduler,
                             struct skr_scheduler_stats *ret);

/* What of this pod the model does not look at ("topologySpreadConstraints"), constant; NULL: all of
 * it is modelled. Looks at JSON as in the store. */
const char *skr_scheduler_unmodelled(const json_t *pod);

#endif
