/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_VOLUMES_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_VOLUMES_H
/*
 * The plugins VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone of kube-scheduler 1.36
 * (pkg/scheduler/framework/plugins):
 *
 *   filter    ReadWriteOncePod; how many volumes the node attaches; whether it reaches the volumes of bound
 *             claims; for claims that are bound late a free volume, else a node where one can be made
 *   pre-bind  the chosen free volume gets the claim, and a claim without one gets its node; the bind call waits
 *             until all claims are bound, 600 s at most (lab/cluster binds them)
 *
 * Without PersistentVolumeClaims nothing of that happens: pods are placed without their volumes. Claims that
 * select volumes by labels find none. It reads the store.
 */
#include "server/lab/scheduler/scheduler_state.h"
#include "topology/base/strbuf.h"

struct skr_sched_volumes *skr_sched_volumes_create(struct skr_scheduler_model *s);
void skr_sched_volumes_destroy(struct skr_sched_volumes *volumes); /* NULL allowed */

/* Why the pod may not go there; NULL: it may. The text is borrowed until the next call. */
const char *skr_sched_volumes_refuse(struct skr_sched_volumes *volumes,
                                     const struct skr_sched_pod *p,
                                     const struct skr_sched_node *node);
/* Writes what is chosen for the pod on its node. False: not possible any more, with the reason in why. */
bool skr_sched_volumes_write(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                             struct skr_strbuf *why);
/* Whether all claims of the pod are bound. */
bool skr_sched_volumes_are_bound(const struct skr_scheduler_model *s, const struct skr_pod *pod);

#endif
