/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_GROUP_TABLE_H
#define SKR_CORE_GANG_GROUP_GROUP_TABLE_H
/*
 * The groups there are, by namespace/name: one for each that a pod or a source names. A group goes
 * when nothing names it any more and it has no plan.
 */
#include "core/gang/state/groups.h"

/* It is counted by its status and reason as they are now, in e->n_by_status and n_by_reason. O(1). */
void skr_groups_count(struct skr_gang *e, struct group *g);
void skr_groups_uncount(struct skr_gang *e, struct group *g); /* it goes */

struct group *skr_groups_get(struct skr_gang *e, const char *namespace_,
                             const char *name);                           /* made when absent */
struct group *skr_groups_find(const struct skr_gang *e, const char *key); /* NULL: none */
/* As people name it: a group of that name, or the group that the map of that name defines.
 * *ret_map: such a map when there is no group of that name. */
struct group *skr_groups_find_named(const struct skr_gang *e, const char *key,
                                    struct map_entry **ret_map);

#endif
