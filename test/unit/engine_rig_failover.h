/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_RIG_FAILOVER_H
#define SKR_TEST_UNIT_ENGINE_RIG_FAILOVER_H
/* Two daemons on the rig, of which one leads, and watches that break: engine_rig_failover.c, engine_rig_lists.c. */
#include "test/unit/engine_rig.h"

/* A second daemon, which follows. */
void rig_start_standby(struct rig *rig);
/* It hears of one change of the objects. */
void rig_step_standby(struct rig *rig);
/* Who leads is paused, and the other one leads when it has heard of all that was written before, as
 * server/daemon/leader.c waits for it. Not while one is paused. */
void rig_fail_over(struct rig *rig);
/* As it leads when the API server could not show that in time. */
void rig_fail_over_behind(struct rig *rig);
/* The nth request of the paused one that is still on its way arrives; false: none. */
bool rig_step_late(struct rig *rig, size_t nth);
/* It goes on, hears so many old news, and learns at first (knows) or at last that it does not lead. */
void rig_resume(struct rig *rig, size_t news, bool knows);

/* The watch of the kind breaks, and the kind is listed anew: only last versions are seen. */
void rig_relist(struct rig *rig, enum rig_kind kind);

#endif
