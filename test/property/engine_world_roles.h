/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_PROPERTY_ENGINE_WORLD_ROLES_H
#define SKR_TEST_PROPERTY_ENGINE_WORLD_ROLES_H
/*
 * Groups of a world whose members are not equal: one with key `roles`, one with sets as well, and one
 * whose pods name roles without a key.
 *
 * Laws, whatever happened:
 *
 *   - a bound member of a group with the key has a rank of its own role, and no other has that rank
 *   - no role has more bound members than its size, and a pod of an unknown role is never bound
 *   - members of one set run below one unit, as long as the tree has not changed
 *   - a group with the key begins with all members of each role
 */
#include "test/property/engine_world.h"

enum { ROLES_KEYED = 2, ROLES_SETS = 4, ROLES_NAMED = 0 }; /* groups of the world */

void world_roles_begin(struct world *w);
/* Whether the group has the key, in a world with roles. */
bool world_roles_are_keyed(const struct world *w, const char *group);
/* Text of key constraints that a map of this group always has; NULL: it has none. */
const char *world_roles_rules(const struct world *w, const char *group);
/* Makes the map of a group, as rig_group(); one with the key has it from its first moment. Roles that come
 * later would be for the next generation, if members of an earlier map run. */
void world_roles_make_map(struct world *w, const char *group, int size, int priority,
                          const char *constraints);
/* A map of this group was changed, or gets the name of the group: it has the group's roles again. */
void world_roles_of_map(struct world *w, const char *map, const char *group);
/* A pod of this group was made: gives it its role. */
void world_roles_of_pod(struct world *w, const char *pod, const char *group);
/* The laws; when the rig is at rest. */
void world_roles_check(struct world *w);
/* The law of a mended world: the group is bound as far as the pods of its roles exist. */
void world_roles_check_mended(struct world *w, const char *group);

#endif
