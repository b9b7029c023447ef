/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_LIMITS_SCENE_H
#define SKR_TEST_UNIT_LIMITS_SCENE_H
/* Gangs of pods with activeDeadlineSeconds, on four nodes that hold one pod each. */
#include "core/gang/state/groups.h"
#include "test/unit/engine_test.h"

/* A gated pod of one cpu; deadline 0: none. */
void limits_pod(struct rig *rig, const char *name, const char *group, int64_t deadline);
/* A gang of size pods; limit 0: none. */
void limits_gang(struct rig *rig, const char *name, int size, int priority, int64_t limit);
/* One of a Job that has started now, and has this deadline; its pods have none. */
void limits_job_gang(struct rig *rig, const char *name, int size, int deadline);
int limits_bound(const struct rig *rig, const char *name);
/* The kubelet starts what is bound. */
void limits_start(struct rig *rig, const char *name, int size);
void limits_end(struct rig *rig, const char *name, int size);
const struct group *limits_group(const struct rig *rig, const char *name); /* NULL: none */
int64_t limits_now(const struct rig *rig);
/* Four nodes of one pod, without preemption. */
struct rig *limits_four_nodes(int64_t reservations);
/* Two of them are busy until 100 s from now; group big needs four, and runs for 50 s at most. */
struct rig *limits_waiting(int64_t reservations);

#endif
