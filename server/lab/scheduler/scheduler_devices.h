/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_DEVICES_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_DEVICES_H
/*
 * The plugin DynamicResources of kube-scheduler 1.36 (pkg/scheduler/framework/plugins/dynamicresources):
 *
 *   filter      whether the node has devices for all claims of the pod that have none (core/devices), and
 *               whether it is the node of those that have some
 *   reserve     devices are chosen on the node, and taken in memory
 *   pre-bind    allocation and reservedFor are written to the claims; a claim is made for an extended
 *               resource that a class serves
 *   unreserve   the pod leaves reservedFor; the allocation stays. The claim for the extended resource is
 *               deleted
 *   post-filter a claim that no other pod uses, and that keeps a refused pod on one node, is deallocated
 *
 * Without ResourceSlices nothing of that happens, unless skr_scheduler_options.devices is set: pods are placed
 * without their devices. What core/devices does not model, such as devices that several nodes reach, is refused
 * with the reason.
 */
#include "core/devices/sequence.h"
#include "server/lab/scheduler/scheduler_state.h"
#include "topology/base/strbuf.h"

/* cache: it knows the nodes; borrowed. */
struct skr_sched_devices *skr_sched_devices_create(struct skr_sched_cache *cache);
void skr_sched_devices_destroy(struct skr_sched_devices *devices); /* NULL allowed */

/* A ResourceClaim or a ResourceSlice came, changed or went. Classes: skr_sched_cache_class(). */
void skr_sched_devices_change(struct skr_sched_devices *devices,
                              const struct skr_store_change *change);
struct skr_devices_stock *skr_sched_devices_stock(struct skr_sched_devices *devices);

/* Why the pod may not go there; NULL: it may. The text is borrowed until the next call. */
const char *skr_sched_devices_refuse(const struct skr_sched_cache *cache,
                                     const struct skr_sched_pod *p,
                                     const struct skr_sched_node *node);
/* The pod may go to the node, and has its devices there now. */
void skr_sched_devices_reserve(struct skr_scheduler_model *s, struct skr_sched_pod *p);
/* False: a claim cannot be written, with the reason in why. */
bool skr_sched_devices_write(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                             struct skr_strbuf *why);
/* The pod is not bound after all, or is gone. */
void skr_sched_devices_unreserve(struct skr_scheduler_model *s, struct skr_sched_pod *p);
/* No effect after unreserve. */
void skr_sched_devices_keep(struct skr_sched_pod *p);
/* The pod fits nowhere. Whether a claim was deallocated. */
bool skr_sched_devices_deallocate(struct skr_scheduler_model *s, const struct skr_sched_pod *p);

#endif
