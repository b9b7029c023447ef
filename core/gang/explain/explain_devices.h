/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
#define SKR_CORE_GANG_EXPLAIN_EXPLAIN_DEVICES_H
/* What members of a group ask for that is not counted: extended resources that a device class serves
 * (device_classes.h). */
#include "core/gang/state/gang.h"
#include "topology/base/strbuf.h"

/* Which class serves each of them, how many nodes count it, and what follows from a refusal; false:
 * everything is counted. O(members + nodes): for a question, not for every turn. */
bool skr_devices_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);

#endif
