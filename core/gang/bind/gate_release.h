/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_GATE_RELEASE_H
#define SKR_CORE_GANG_BIND_GATE_RELEASE_H
/* releaseGateAfter: removes gates without a plan, for cluster autoscalers. */
#include "core/gang/state/groups.h"

enum {
    SKR_RELEASED_MAX = 200, /* pods whose turn it is, unless one group has more */
    SKR_RELEASED_ALL_MAX =
        1000, /* pods that are ungated without a plan, except those of the first group */
    SKR_RELEASED_GROUP_MAX = 5000, /* pods of that group; a larger one keeps its gates */
    SKR_RELEASED_TURN_S = 600,     /* of a group; then those behind it have theirs */
};

void skr_gate_release_settle(struct skr_gang *e, struct group *g);
/* What cluster autoscalers see of a group that waits for capacity, appended; false: nothing is to be
 * said. */
bool skr_gate_release_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
/* Whether the gate of the member is to be removed. */
bool skr_gate_release_may_open(const struct skr_gang *e, const struct pod_entry *p);

#endif
