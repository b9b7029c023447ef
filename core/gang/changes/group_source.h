/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_GROUP_SOURCE_H
#define SKR_CORE_GANG_CHANGES_GROUP_SOURCE_H
/* Which source defines a group: group ConfigMaps before PodGroups before pod labels. Of several
 * maps with one data.name the oldest defines the group. */
#include "core/gang/state/groups.h"

/* Determines the source and spec of the group; true if either changed. */
bool skr_group_source_resolve(struct skr_gang *e, struct group *g);
/* The source and spec that it would have now, for a group that is in no table and has none yet
 * (core/gang/admission). Errors as skr_group_spec_parse(). spec NULL: no source, or no size. */
int skr_group_source_try(struct skr_gang *e, struct group *g, struct skr_error *error);
/* Limits the priority that a map states to the administrator's bound for its namespace. The priority of
 * pods comes from a PriorityClass, about which the administrator decides. */
void skr_group_source_bound_priority(const struct skr_gang *e, const struct group *g,
                                     struct skr_group_spec *spec);
/* Whether the hard rules of the spec in force can hold on the tree in force. O(rules * levels). */
void skr_group_source_judge_levels(const struct skr_gang *e, struct group *g);
/* Call before the map is replaced by its next version: if that is unreadable, the present text
 * stays in force, even if it was never evaluated. */
void skr_group_source_map_changes(struct skr_gang *e, struct group *g, const struct map_entry *m);
/* Removes the map from the group's list. */
void skr_group_source_map_gone(struct group *g, const struct map_entry *m);
void skr_group_source_set_podgroup(struct group *g,
                                   struct podgroup_entry *podgroup); /* NULL: deleted */
/* Reads the source again at the next look, although it did not change. */
void skr_group_source_again(struct group *g);
void skr_group_source_fini(struct skr_gang *e, struct group *g);

#endif
