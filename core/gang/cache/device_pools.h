/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_POOLS_H
#define SKR_CORE_GANG_CACHE_DEVICE_POOLS_H
/*
 * Devices that all nodes reach. Those that a node has for a member are not its own, so they bound a group as a
 * whole: the sequence over such devices alone, of the claims that only they may serve. Pending claimers of any
 * node come first.
 *
 * A claim that devices of one node may serve as well has no such bound: kube-scheduler decides.
 */
#include "core/gang/cache/devices.h"

/* Whether a claim of these needs, or a resource, may be served by them. needs: NULL allowed. */
bool skr_device_pools_matter(const struct skr_gang *e, const struct device_needs *needs);
/* Whether these pods need devices, and there are such. O(n). */
bool skr_device_pools_may_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                 size_t n);
/* How many members they serve, the least of the shapes; INT32_MAX: they do not bound the group. without: as in
 * skr_devices_most(). O(pending claimers + devices). */
int32_t skr_device_pools_most(struct skr_gang *e, const struct group *without,
                              const struct device_needs *needs);
/* The same if all of them were free. */
int32_t skr_device_pools_ever(struct skr_gang *e, const struct device_needs *needs);
/* Whether pending claimers that have theirs without the pod have them if it comes first, too. shape: its own. p: the
 * pod in the cache; NULL: it is not there. */
bool skr_device_pools_spare(struct skr_gang *e, const struct skr_pod *pod,
                            const struct pod_entry *p, const struct device_shape *shape);

#endif
