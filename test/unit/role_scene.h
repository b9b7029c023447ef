/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ROLE_SCENE_H
#define SKR_TEST_UNIT_ROLE_SCENE_H
/* A group "g" whose members have roles. */
#include "test/unit/engine_rig.h"

/* A gated pod of g. role NULL: it names none. gpu 0: it requests none. */
void role_member(struct rig *rig, const char *name, const char *role, int cpu, int gpu);
/* Pods PREFIX-0 .. PREFIX-(n-1). */
void role_members(struct rig *rig, const char *prefix, int n, const char *role, int cpu, int gpu);
/* The map of g with keys roles and constraints; ' stands for ". */
void role_map(struct rig *rig, const char *roles, const char *constraints);
/* Sets of a leader and two workers, each in one rack. */
extern const char role_set_of_three[];
/* Leaders l-0 .. and workers w-0 .., which are bound. cpu: of a leader, and of a worker. */
void role_gang(struct rig *rig, int leaders, int workers, const int cpu[2],
               const char *constraints);
/* One leader and n workers of a CPU each. */
void role_leader_and(struct rig *rig, int n, const char *constraints);
/* Another key roles of that map, and three seconds. */
void role_edit_map(struct rig *rig, const char *roles);
void role_expect_rank(struct rig *rig, const char *pod, const char *rank);

#endif
