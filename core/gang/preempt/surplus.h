/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_SURPLUS_H
#define SKR_CORE_GANG_PREEMPT_SURPLUS_H
/*
 * Running members that a group does not need: those beyond its size, of the highest ranks. They may
 * be evicted without the others. With key `roles` each role has its own size. A member of a set is
 * never one of them: half a set is of no use, and whole sets go with their group. Nor is any while a
 * member runs whose role the key does not have: the key is that of the next generation.
 */
#include "core/gang/state/groups.h"
#include "core/solver/victims.h"

/* What the member counts for: its role with key `roles`, else the group: 0. */
size_t skr_surplus_scope(const struct group *g, const struct pod_entry *p);
/* Members that the scope needs. */
int32_t skr_surplus_needed(const struct group *g, size_t scope);
/* Whether more members run than some scope needs. */
bool skr_surplus_any(const struct group *g);
/* Whether the member may go by itself. */
bool skr_surplus_may_go(const struct group *g, const struct pod_entry *p);
/* Those of list[n], which has all running members, that are beyond the size of their scope. They move
 * to the front, the highest ranks first. Returns their number. O(n log n). */
size_t skr_surplus_of(const struct group *g, struct pod_entry **list, size_t n);
enum { SKR_SURPLUS_SCOPES = 1 + SKR_ROLES_MAX };
/* Rules of the group, and of its roles, that fewer members may break (partitions, min, factor), into
 * ret[SKR_SURPLUS_SCOPES], with where list[n], the running members, are. In arena; a count is NULL without
 * memory. Returns their number. O(leaves + n). */
size_t skr_surplus_scopes(const struct group *g, const struct skr_tree *tree,
                          struct pod_entry *const *list, size_t n, struct skr_arena *arena,
                          struct skr_victim_scope *ret);

#endif
