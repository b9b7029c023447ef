/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_SANDBOX_CLUSTER_H
#define SKR_SERVER_SANDBOX_CLUSTER_H
/*
 * A whole simulated cluster under a clock that is passed in: the store, the controllers, the
 * kubelet, and (when asked) the model of kube-scheduler with an extender behind it. Every model is
 * a state machine over the store's changes and a list of things due at a time; all of them are
 * stepped by one loop, so that the same input gives the same run, byte for byte.
 *
 *   simulate   virtual clock: skr_cluster_next() says when something happens next, the caller jumps
 * there sandbox    real clock: the caller sleeps until then, or until a request comes in
 */
#include "server/sandbox/store.h"

struct skr_cluster;

struct skr_cluster_options {
    uint64_t seed;
    skr_time pod_start; /* binding to Running; default 100 ms */
    skr_time pod_run;   /* Running to Succeeded for Job pods without an annotation that says
                           otherwise; SKR_TIME_NEVER */
};

struct skr_cluster *skr_cluster_create(const struct skr_cluster_options *options, skr_time now);
void skr_cluster_destroy(struct skr_cluster *cluster);
struct skr_store *skr_cluster_store(struct skr_cluster *cluster);
/* When something is due next; SKR_TIME_NEVER: nothing. Changes made from outside make it due at
 * once. */
skr_time skr_cluster_next(const struct skr_cluster *cluster);
/* Does all that is due at now: controllers and kubelet. Returns the number of things done. */
size_t skr_cluster_step(struct skr_cluster *cluster, skr_time now);

#endif
