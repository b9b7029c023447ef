/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_NEEDS_H
#define SKR_CORE_GANG_CACHE_DEVICE_NEEDS_H
/* What one pod needs of devices. */
#include "core/gang/cache/devices.h"

/* Why no devices are counted; NULL: they are. */
const char *skr_devices_unmodelled(const struct skr_gang *e);
/* The pod has a claim of devices, or asks for a resource that a class serves. */
bool skr_devices_are_needed(const struct skr_gang *e, const struct pod_entry *p);
/* Claims of users that a pod before names: it has their devices, and others pay nothing for them. Begins as zeros. */
struct device_paid {
    struct device_paid_claim {
        const char *namespace_, *name; /* borrowed from pods */
    } * item;
    size_t n, cap;
    struct skr_hash_index index;
};
void skr_device_paid_add(const struct skr_gang *e, struct device_paid *paid,
                         const struct skr_pod *pod);
void skr_device_paid_fini(struct device_paid *paid);

/* The reason why it is not known; NULL: it is, and the caller ends ret. p: the pod in the cache; NULL: it is
 * not there. Claims of users that have devices are left out. paid: of a pod that is planned or accepted: these
 * claims, and all that have devices, are left out; NULL: of a newcomer. */
const char *skr_device_shape_of(struct skr_gang *e, const struct skr_pod *pod,
                                const struct pod_entry *p, const struct device_paid *paid,
                                struct device_shape *ret);
/* How many specs of it count on the node: all but that of a resource that the node lists, which is the last one. */
size_t skr_device_claims_on(const struct skr_gang *e, const struct device_shape *shape,
                            const char *node);
bool skr_device_shapes_are_equal(const struct device_shape *a, const struct device_shape *b);
/* Counts what it cost to count what a node serves; began: by settings.stopwatch. */
void skr_device_fit_took(struct skr_gang *e, const struct skr_sequence *answer, int64_t began);
void skr_device_shape_fini(struct skr_gang *e, struct device_shape *shape);

#endif
