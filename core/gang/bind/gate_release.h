/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_GATE_RELEASE_H
#define SKR_CORE_GANG_BIND_GATE_RELEASE_H
/* releaseGateAfter: removes gates without a plan, for cluster autoscalers. */
#include "core/gang/state/groups.h"

enum { SKR_RELEASED_MAX = 200 }; /* ungated pods without a plan, by releaseGateAfter */

void skr_gate_release_settle(struct skr_gang *e, struct group *g);
bool skr_gate_release_may_open(const struct skr_gang *e, const struct pod_entry *p);

#endif
