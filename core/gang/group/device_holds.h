/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_DEVICE_HOLDS_H
#define SKR_CORE_GANG_GROUP_DEVICE_HOLDS_H
/*
 * Devices that unbound members hold: allocated ResourceClaims that were made for these pods.
 *
 * kube-scheduler allocates the claims of a pod before it asks for the bind, so a parked member holds its
 * devices. If the plan ends, kube-scheduler takes the pod out of status.reservedFor and leaves the
 * allocation. Such a leftover keeps the pod on its node and the devices from other pods. kube-scheduler
 * frees it seconds later at best, and never if the claim has no node selector. So
 *
 * - the leftover of a member without a plan and without an open bind call is freed: one patch of its
 *   status, with the resourceVersion. A conflict ends the try; another version of the claim begins one.
 * - a group without a plan is not planned while its members hold devices, at most SKR_HOLDS_S. A plan
 *   made before that would be refused.
 *
 * Setting devices.release: fabric leaves claims of one node to kube-scheduler, none leaves all of them.
 * What is left to kube-scheduler keeps no group from a plan.
 *
 * Only claims whose controller is a member are touched. Without the permission none is freed for
 * SKR_DENIED_S, after which it is tried again. The log says it once. Memory: an entry for each allocated
 * claim of an unbound pod of a group.
 */
#include "core/gang/state/groups.h"
#include "topology/device_claims.h"

enum { SKR_HOLDS_S = 10, SKR_DENIED_S = 300 };

void skr_device_holds_upsert(struct skr_gang *e, const struct skr_device_claim *claim);
void skr_device_holds_delete(struct skr_gang *e, const char *namespace_, const char *name);
/* All lists have been read: claims that were listed before their pods find these. O(entries). */
void skr_device_holds_begin(struct skr_gang *e);
/* The pod is bound, or goes. O(its claims). */
void skr_device_holds_forget(struct skr_gang *e, struct pod_entry *p);
/* At every evaluation of the group: frees what may be freed. O(members) while any entry exists. */
void skr_device_holds_settle(struct skr_gang *e, struct group *g);
/* A member holds devices that are not of its plan, and these can be freed. O(members) while any entry
 * exists. */
bool skr_device_holds_leftover(const struct skr_gang *e, const struct group *g);
/* The first member by name whose leftover may not be freed for lack of a permission; *ret_claim its name,
 * borrowed. NULL: none. O(members) while any entry exists. */
const struct pod_entry *skr_device_holds_kept(const struct skr_gang *e, const struct group *g,
                                              const char **ret_claim);
/* Allocated claims without a consumer, of members without a plan. O(entries). */
size_t skr_device_holds_count(const struct skr_gang *e);
void skr_device_holds_written(struct skr_gang *e, const struct skr_pending_write *w,
                              struct skr_event *ev);
void skr_device_holds_fini(struct skr_gang *e);

#endif
