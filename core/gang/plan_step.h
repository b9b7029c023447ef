/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_STEP_H
#define SKR_CORE_GANG_PLAN_STEP_H
/* A plan's way forward, looked at whenever something about its group changed. */
#include "core/gang/plan_entry.h"

void plan_step(struct skr_gang *e, struct group *g); /* as far as it can go now */
/* A member past the point of no return that cannot be bound to its node: the node is gone, or
 * closed to it and no bind call is open. */
bool plan_step_is_stranded(struct skr_gang *e, struct pod_entry *p);

#endif
