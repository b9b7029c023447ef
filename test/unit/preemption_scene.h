/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_PREEMPTION_SCENE_H
#define SKR_TEST_UNIT_PREEMPTION_SCENE_H
/* Gangs on one rack of nodes of four cpus, some of which have to go. */
#include "test/unit/engine_rig.h"

struct rig *scene_rack(int nodes); /* evicted pods take ten seconds to go */
struct rig *scene_rack_with(const struct skr_settings *settings, int nodes); /* they go at once */
/* A group of that many pods NAME-0 .. */
void scene_gang(struct rig *rig, const char *name, int size, int priority);
/* It has its nodes a second later. */
void scene_bound(struct rig *rig, const char *name, int size, int priority);
/* What was held back goes on, with this outcome. */
void scene_let_go(struct rig *rig, enum skr_write_kind kind, enum rig_outcome outcome);

#endif
