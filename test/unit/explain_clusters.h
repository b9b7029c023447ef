/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_EXPLAIN_CLUSTERS_H
#define SKR_TEST_UNIT_EXPLAIN_CLUSTERS_H
/* Clusters whose group "g" is explained: three racks of three nodes, two slots a node, without preemption. */
#include "test/unit/engine_rig.h"

struct rig *explain_cluster(void);
/* Synced. rack-0 has four slots free, rack-1 five, rack-2 two and a cordoned node. */
struct rig *explain_crowded(void);
/* The group "g" of pods p-0, p-1, ..., 124 seconds later. constraints NULL: none. */
void explain_gang(struct rig *rig, int size, const char *constraints);
/* explain_crowded(), with a group that needs six slots in one rack. */
struct rig *explain_unplaced(void);
/* Two pods run for an earlier PodGroup of the name, and two wait for the present one. */
struct rig *explain_other_generation(void);

#endif
