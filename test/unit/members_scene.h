/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_MEMBERS_SCENE_H
#define SKR_TEST_UNIT_MEMBERS_SCENE_H
/* A group "g" on two racks of three nodes of four cpus, whose members come and go. */
#include "test/unit/engine_rig.h"

struct rig *members_cluster(void);
/* A Bound group "g" of n pods p-0.. */
struct rig *members_bound(int n, const char *constraints);
/* The status of this condition of "g", "": it has none. Until the next call. */
const char *members_condition(struct rig *rig, const char *type);

#endif
