/* SPDX-License-Identifier: Apache-2.0 */
/* Caches device classes in the table of names (topology/resources.h). A changed class changes what
 * pods request: amounts are updated, waiting groups are evaluated again, and refusals for lack of a
 * class may be over. */
#include "core/gang/cache/device_classes.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/devices.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/shapes.h"

static void follow(struct skr_gang *e, uint64_t version)
{
    if (version != skr_resource_names_version(e->resources)) {
        skr_shapes_resolve(e);
        skr_dirty_openings(e);
        skr_dirty_lifted(e);
        skr_dirty_capacity(e);
        skr_dirty_facts(e);
        skr_claim_objects_judge(e);
        struct pod_entry *p;
        for (size_t at = 0; (p = skr_pods_next(e, &at));) {
            if (!skr_pods_is_bound(p)) {
                skr_devices_pod_changed(e, p);
            }
        }
    }
}

void skr_device_classes_upsert(struct skr_gang *e, struct skr_device_class *class)
{
    const uint64_t version = skr_resource_names_version(e->resources);
    skr_device_classes_put(skr_resource_names_classes(e->resources), class);
    skr_devices_stock_put_class(e->devices.stock, class);
    skr_device_class_destroy(class);
    follow(e, version);
}

void skr_device_classes_delete(struct skr_gang *e, const char *name)
{
    const uint64_t version = skr_resource_names_version(e->resources);
    skr_device_classes_remove(skr_resource_names_classes(e->resources), name);
    skr_devices_stock_remove_class(e->devices.stock, name);
    follow(e, version);
}

void skr_device_classes_judge(struct skr_gang *e)
{
    const uint64_t version = skr_resource_names_version(e->resources);
    skr_resource_names_assume_classes(e->resources,
                                      (e->classes_forbidden || e->settings.devices_off) &&
                                          e->settings.server_minor >= SKR_CLASSES_FROM);
    follow(e, version);
}
