/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
/*
 * Devices that members of a group ask for: by claims, or by extended resources that a device class provides
 * (device_classes.h). What plans count, and what they leave to kube-scheduler: cache/devices.h.
 */
#include "core/gang/state/gang.h"
#include "topology/base/strbuf.h"

/* Members that wait ask for claims, or for extended resources of classes, which some node does not list.
 * O(members + nodes). */
bool skr_devices_are_wanted(const struct skr_gang *e, const struct group *g);
/* counted: what a pod wants, what is free of it, and how many pods that serves. uncounted: why devices are
 * not counted, and the effect. Nothing is added where there is nothing to say. O(members + nodes * devices):
 * for requests only, not for every evaluation. */
void skr_devices_say(struct skr_gang *e, const struct group *g, struct skr_strbuf *counted,
                     struct skr_strbuf *uncounted);

#endif
