/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_DEVICE_CLASSES_H
#define SKR_CORE_GANG_CACHE_DEVICE_CLASSES_H
/*
 * Device classes provide extended resources on nodes that do not list them. The ledger does not limit
 * requests for such a resource (topology/ledger.h has the rule); devices do (devices.h). If the API server has
 * such resources and the account may not read the classes, every extended resource that no node lists is one.
 */
#include "core/gang/state/gang.h"
#include "topology/device_classes.h"

enum { SKR_CLASSES_FROM = 36 }; /* 1.36: DRAExtendedResource is on by default */

void skr_device_classes_upsert(struct skr_gang *e, struct skr_device_class *class); /* taken */
void skr_device_classes_delete(struct skr_gang *e, const char *name);
/* Call after classes_forbidden or settings.server_minor has changed. */
void skr_device_classes_judge(struct skr_gang *e);

#endif
