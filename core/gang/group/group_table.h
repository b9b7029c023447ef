/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_GROUP_TABLE_H
#define SKR_CORE_GANG_GROUP_GROUP_TABLE_H
/*
 * The groups, by namespace/name: one for each that a pod or a source names. A group is removed when
 * nothing names it and it has no plan.
 */
#include "core/gang/state/groups.h"

/* Counts it by its present status and reason, in e->n_by_status and n_by_reason. O(1). */
void skr_groups_count(struct skr_gang *e, struct group *g);
void skr_groups_uncount(struct skr_gang *e, struct group *g); /* before it is removed */

struct group *skr_groups_get(struct skr_gang *e, const char *namespace_,
                             const char *name);                           /* created if absent */
struct group *skr_groups_find(const struct skr_gang *e, const char *key); /* NULL: none */
/* By the name that users see: a group of that name, or the group that the map of that name defines.
 * *ret_map: a map of that name if there is no such group. */
struct group *skr_groups_find_named(const struct skr_gang *e, const char *key,
                                    struct map_entry **ret_map);

#endif
