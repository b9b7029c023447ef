/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_POOLS_H
#define SKR_CORE_GANG_CACHE_DEVICE_POOLS_H
/*
 * Devices that several nodes reach. Those that a node has for a member are not its own, so they bound the members on
 * all of these nodes together: the sequence over such devices alone, of the claims that only they may serve. Pending
 * claimers of these nodes come first.
 *
 * Bounds are known of devices of all nodes, and of regions (core/devices/stock.h) no two of which have a node in
 * common. A claim that devices of different kinds may serve has no such bound. There the whole plan is simulated, pod
 * by pod, and so are plans whose members differ.
 */
#include "core/gang/cache/devices.h"

enum {
    SKR_POOLS_PODS_MAX = 2048
}; /* pods of a plan that is simulated, with those before; beyond it is not */

/* Whether a claim of these needs, or a resource, may be served by them. needs: NULL allowed. */
bool skr_device_pools_matter(const struct skr_gang *e, const struct device_needs *needs);
/* Whether these pods need devices, and there are such. O(n). */
bool skr_device_pools_may_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                 size_t n);
/* How many members those of all nodes serve, the least of the shapes; INT32_MAX: they do not bound the group. without:
 * as in skr_devices_most(). O(pending claimers + devices). */
int32_t skr_device_pools_most(struct skr_gang *e, const struct group *without,
                              const struct device_needs *needs);
/* The same if all of them were free. */
int32_t skr_device_pools_ever(struct skr_gang *e, const struct device_needs *needs);

/* Regions whose devices serve the same claims. */
struct device_regions {
    size_t n;
    const char *const *name; /* borrowed from a spec */
    int32_t *of_leaf;        /* [leaf] -1: none; free() it */
};
/* Of claims that devices of regions alone may serve. False: there are none, or their regions overlap or differ; then
 * ret has nothing to free. O(leaves * regions). */
bool skr_device_pools_regions(struct skr_gang *e, const struct device_needs *needs,
                              struct device_regions *ret);
/* How many members the devices of a region serve. ever: if all of them were free. */
int32_t skr_device_pools_most_in(struct skr_gang *e, const struct group *without,
                                 const struct device_needs *needs, const char *region, bool ever);

/* Whether bounds say too little about these needs: members differ, or the regions of a claim do. */
bool skr_device_pools_need_play(struct skr_gang *e, const struct device_needs *needs);
/* The first of these pods that its node does not serve, one after the other, after all pending claimers; n: all are
 * served, or they are not modelled. O(devices of a node for each of all these pods). */
size_t skr_device_pools_serve(struct skr_gang *e, struct pod_entry *const *pod,
                              const char *const *node, size_t n);

/* Whether pending claimers that have theirs without the pod have them if it comes first, too. shape: its own. p: the
 * pod in the cache; NULL: it is not there. region: of which it would have its devices; "": those of all nodes. */
bool skr_device_pools_spare(struct skr_gang *e, const struct skr_pod *pod,
                            const struct pod_entry *p, const struct device_shape *shape,
                            const char *region);

#endif
