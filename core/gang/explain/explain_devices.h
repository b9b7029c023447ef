/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
/* Uncounted requests of a group's members: extended resources that a device class provides
 * (device_classes.h). */
#include "core/gang/state/gang.h"
#include "topology/base/strbuf.h"

/* The class of each, how many nodes count it, and the effect of a refusal; false: everything is
 * counted. O(members + nodes): for requests only, not for every evaluation. */
bool skr_devices_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);

#endif
