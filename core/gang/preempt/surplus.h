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
/* What is left of the first n of list[all], from skr_surplus_of(), is a multiple of that: the step by
 * which they came; their number if rules of the group count members (partitions, min, factor), so that
 * all go or none. 0: none may go, as the others would not keep the rules. O(leaves + all). */
int32_t skr_surplus_step(const struct group *g, const struct skr_tree *tree,
                         struct pod_entry *const *list, size_t n, size_t all);

#endif
