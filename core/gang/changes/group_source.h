/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_GROUP_SOURCE_H
#define SKR_CORE_GANG_CHANGES_GROUP_SOURCE_H
/* Which source defines a group: group ConfigMaps before PodGroups before pod labels. Of several
 * maps with one data.name the oldest defines the group. */
#include "core/gang/state/groups.h"

/* Decides which source defines the group now and what its spec is; true when what is in force
 * changed. */
bool skr_group_source_resolve(struct skr_gang *e, struct group *g);
/* Whether the hard rules of the spec in force can hold on the tree in force. O(rules * levels). */
void skr_group_source_judge_levels(const struct skr_gang *e, struct group *g);
/* The map is about to be replaced by its next version: what it says now counts if that cannot be read, also when
 * nobody has looked at it yet. */
void skr_group_source_map_changes(struct group *g, const struct map_entry *m);
/* The map leaves the group's list. */
void skr_group_source_map_gone(struct group *g, const struct map_entry *m);
void skr_group_source_set_podgroup(struct group *g,
                                   struct podgroup_entry *podgroup); /* NULL: gone */
/* Read anew at the next look, although it did not change. */
void skr_group_source_again(struct group *g);
void skr_group_source_fini(struct group *g);

#endif
