/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_DERIVED_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_DERIVED_H
/*
 * Workloads without an object of their group, beside the groups of a world: Jobs da and db, JobSets dc and
 * dd, LeaderWorkerSets de and df, a PodGroup of Kubernetes dg. Their controllers make pods NAME-ATTEMPT-K. A
 * restart begins the next attempt, while pods of the attempt before still go. Pods of dd and df are a gang
 * only while their namespace has its label. Users edit annotations of pods, and that label.
 */
#include "test/property/engine_world.h"

/* One act of a controller or of its user. */
void derived_happens(struct world *w);
/* A workload of so many pods comes, without them. */
void derived_begin(struct world *w, int which, int size);
void derived_make_pods(struct world *w, int which);
/* Its attempt has ended, and the next one begins, of the same owner. No pod of it is there yet. */
void derived_begin_again(struct world *w, int which);
/* Of any world, at any time: no two attempts of a workload run side by side, unless some of its pods have been
 * ordinary ones. */
void derived_check(struct world *w);
/* Old and finished pods go, and each workload has all its pods. */
void derived_mend(struct world *w);
/* Of a mended world: they are bound. */
void derived_check_mended(struct world *w);
/* The workload of the pod; "" none. */
const char *derived_of(const struct rig_object *pod);
bool derived_is_of(const struct rig_object *o, int which);

#endif
