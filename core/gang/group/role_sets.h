/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_SETS_H
#define SKR_CORE_GANG_GROUP_ROLE_SETS_H
/*
 * The set of each member, of the kind that its role is in. A set is named by annotation
 * sakkara.group.set, else by a label of the controller, else by the rank of a member that has one;
 * the others fill the sets in member order.
 */
#include "core/gang/group/rank_layout.h"
#include "core/gang/state/groups.h"

/* Roles are found: finds the sets, and which members wait for the others of theirs. */
void skr_role_sets_update(struct group *g);
/* The rank order of the group. tree: in force; NULL: none. */
void skr_role_sets_layout(const struct group *g, const struct skr_tree *tree,
                          struct skr_rank_layout *ret);

#endif
