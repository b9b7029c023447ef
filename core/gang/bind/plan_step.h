/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_PLAN_STEP_H
#define SKR_CORE_GANG_BIND_PLAN_STEP_H
/* A plan's way forward, looked at whenever something about its group changed. */
#include "core/gang/state/plan_entry.h"

void skr_plan_step(struct skr_gang *e, struct group *g); /* as far as it can go now */

#endif
