/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_CLASSES_H
#define SKR_CORE_GANG_CACHE_DEVICE_CLASSES_H
/*
 * Device classes, which serve extended resources on nodes that do not list them. What pods ask for
 * by a class is not counted: it limits no slots, and kube-scheduler decides (topology/ledger.h has the
 * rule). Where the account may not read the classes, and the API server is new enough to have such
 * resources, every extended resource that no node lists is taken for one.
 */
#include "core/gang/state/gang.h"
#include "topology/device_classes.h"

enum { SKR_CLASSES_FROM = 36 }; /* 1.36: DRAExtendedResource is on by default */

void skr_device_classes_upsert(struct skr_gang *e, struct skr_device_class *class); /* taken */
void skr_device_classes_delete(struct skr_gang *e, const char *name);
/* classes_forbidden or settings.server_minor is another than before. */
void skr_device_classes_judge(struct skr_gang *e);

#endif
