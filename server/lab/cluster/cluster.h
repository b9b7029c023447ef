/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_CLUSTER_CLUSTER_H
#define SKR_SERVER_LAB_CLUSTER_CLUSTER_H
/*
 * A whole simulated cluster under a clock that is passed in: the store, the controllers, the
 * kubelets, and added models (such as kube-scheduler with an extender). Every model is a state
 * machine over the store's changes and a list of timed tasks. One loop steps all of them, so that
 * the same input gives the same run, byte for byte.
 *
 *   simulate   virtual clock: skr_cluster_next() gives the time of the next task, the caller jumps
 *              there
 *   sandbox    real clock: server/lab/sandbox/http.h sleeps until then, or until a request arrives
 */
#include "server/lab/store/store.h"

struct skr_cluster;

/*
 * Annotations of a pod that the kubelet follows:
 *
 *   sandbox.sakkara/run-for     from Running to the end, a duration ("30s", "1m30s"); "never"
 *   sandbox.sakkara/exit-code   of every container at the end; "0" Succeeded, else Failed
 *   sandbox.sakkara/stop-after  from the request to stop to the end; at most the grace period
 */
#define SKR_CLUSTER_RUN_FOR    "sandbox.sakkara/run-for"
#define SKR_CLUSTER_EXIT_CODE  "sandbox.sakkara/exit-code"
#define SKR_CLUSTER_STOP_AFTER "sandbox.sakkara/stop-after"

struct skr_cluster_options {
    uint64_t seed;
    skr_time pod_start; /* binding to Running; 100 ms */
    /* Running to Succeeded for pods of Jobs without the annotation; SKR_TIME_NEVER */
    skr_time pod_run;
    skr_time pod_stop; /* request to stop to the end, without the annotation; 100 ms */
    /* Names pods of Jobs, ReplicaSets and Deployments NAME-0, NAME-1, ... instead of with random
     * letters (StatefulSets always do). */
    bool ordinal_names;
    /* Nodes without a Ready condition get one, and a version, as if from a kubelet. */
    bool node_status;
    /* Called with the Event of a controller whose pods are refused: the first one, and the next
     * after a pod was created. event: events.k8s.io/v1, borrowed. NULL: it is written into the
     * store. */
    void (*refused)(void *context, skr_time now, const json_t *event);
    /* Called with what a controller does not do, once for each kind and field. NULL: it is not said. */
    void (*unmodelled)(void *context, const char *text);
    void *context;
};

void skr_cluster_options_default(struct skr_cluster_options *options);
struct skr_cluster *skr_cluster_create(const struct skr_cluster_options *options, skr_time now);
void skr_cluster_destroy(struct skr_cluster *cluster); /* NULL allowed */
struct skr_store *skr_cluster_store(struct skr_cluster *cluster);
/* Whether an object's pods, or what makes them, were refused and do not exist. O(owners). */
bool skr_cluster_is_refused(const struct skr_cluster *cluster);

/* When the next task is due; SKR_TIME_NEVER: none. Outside changes make it due at once (the time of
 * the last step, or 0). */
skr_time skr_cluster_next(const struct skr_cluster *cluster);
/* it has read all changes up to this revision */
uint64_t skr_cluster_seen(const struct skr_cluster *cluster);
/* Does all that is due at now: controllers, kubelets, added models, until none has work left.
 * Returns the number of things done. */
size_t skr_cluster_step(struct skr_cluster *cluster, skr_time now);

#endif
