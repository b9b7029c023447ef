/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_USERS_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_USERS_H
/* What users and administrators do in a world: each call is one act, drawn from the world's numbers. */
#include "test/property/engine_world.h"

enum { WORLD_PODS_MAX = 60 };

void users_change_map(struct world *w);
/* Keys of the first groups for elastic worlds and worlds with moves. */
void users_begin_time(struct world *w);
/* From now on pods of gb run beside one of ga, and nowhere else; at the end those that wait go anywhere. */
void users_begin_partners(struct world *w);
void users_end_partners(struct world *w);
void users_change_double(struct world *w); /* another map of a group that has one */
void users_change_topology(struct world *w);
void users_change_podgroup(struct world *w);
void users_change_budget(struct world *w);
void users_change_pod(struct world *w);
void users_change_node(struct world *w);
void users_add_pod(struct world *w);
void users_add_gang(struct world *w); /* as many pods as the group of a map lacks */
void users_push(struct world *w);     /* two groups that outrank most others */
void users_add_members(struct world *w, const char *prefix, int n, const char *group, int flags);
void users_add_shy_gang(struct world *w, bool gated);
void users_begin_devices(struct world *w);

#endif
