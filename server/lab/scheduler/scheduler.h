/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_H
/*
 * A model of kube-scheduler 1.36 with one extender, over the store, under a clock that is passed
 * in. As the real one:
 *
 *   cycle      one pod at a time: the nominated node first and alone, then the nodes from a
 *              rotating start until enough are feasible; in-tree filters, then the extender; scores
 *              if more than one node is left; the pod is assumed on the best
 *   bind       any number at once, each through the extender, which may delay it without limit
 *   failure    condition PodScheduled=False in the pod's status if it is new;
 *              nominations are cleared by errors and failed binds and survive rejections
 *   queue      active, backoff, error backoff, unschedulable; gated pods are in none.
 *              scheduler_events.c says which event wakes which pod. Backoff 1 s doubling to 10 s in
 *              windows of 1 s, popped early while the active queue is empty; all pods are retried
 *              after 5 min
 *
 * In-tree filters: NodeUnschedulable, TaintToleration, NodeAffinity with nodeSelector, NodePorts,
 * NodeResourcesFit with the nominated pods of equal and higher priority charged, those of volumes
 * (scheduler_volumes.h), and DynamicResources (scheduler_devices.h). Not modelled:
 * affinity between pods, topology spread, preemption, zone-interleaved node order (nodes are in order
 * of arrival); see skr_scheduler_unmodelled(). Sources: kubernetes
 * pkg/scheduler 1.36 (schedule_one.go, backend/queue, backend/cache, framework/plugins).
 *
 * Like every model of this folder, next() gives the next due time, and step() does all that is due.
 */
#include "server/lab/scheduler/scheduler_options.h"
#include "server/lab/store/store.h"

struct skr_scheduler_model;

/* Lists the store, and reads all later changes. store is borrowed. */
struct skr_scheduler_model *skr_scheduler_create(const struct skr_scheduler_options *options,
                                                 struct skr_store *store, skr_time now);
void skr_scheduler_destroy(struct skr_scheduler_model *scheduler); /* NULL allowed */

/* The next due time, never before now; SKR_TIME_NEVER: none. */
skr_time skr_scheduler_next(const struct skr_scheduler_model *scheduler, skr_time now);
/* It has read all changes up to this revision. */
uint64_t skr_scheduler_seen(const struct skr_scheduler_model *scheduler);
/* Does what is due at now, at most one cycle. Returns the number of things done. */
size_t skr_scheduler_step(struct skr_scheduler_model *scheduler, skr_time now);

/* The answer to a bind call. error: NULL for success, else the answer's Error; copied. Unknown
 * calls (answered before) are ignored. Takes effect at the next step. */
void skr_scheduler_bind_done(struct skr_scheduler_model *scheduler, uint64_t call,
                             const char *error);

void skr_scheduler_get_stats(const struct skr_scheduler_model *scheduler,
                             struct skr_scheduler_stats *ret);

/* A field of this pod that is not modelled ("topologySpreadConstraints"), constant; NULL: all are.
 * Reads JSON as in the store. */
const char *skr_scheduler_unmodelled(const json_t *pod);

#endif
