/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_SCENE_H
#define SKR_TEST_UNIT_ENGINE_SCENE_H
/* Situations on the engine's rig that several tests begin with: group "g" of 8, p-0 .. p-7, on two
 * racks of three nodes of 4 cpu. */
#include "test/unit/engine_rig.h"

/* Planned, and nobody has asked yet. flags: of rig_pods(). */
struct rig *scene_planned(int flags);
/* The bind call of p-i for the node it is nominated on. */
const struct rig_call *scene_park(struct rig *rig, int i);
/* The first n of them are parked. */
struct rig *scene_holding(int n, const struct rig_call **calls);

#endif
