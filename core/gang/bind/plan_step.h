/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_BIND_PLAN_STEP_H
#define SKR_CORE_GANG_BIND_PLAN_STEP_H
/* Moves a plan forward, whenever something about its group changed. */
#include "core/gang/state/plan_entry.h"

void skr_plan_step(struct skr_gang *e, struct group *g); /* as far as possible now */

#endif
