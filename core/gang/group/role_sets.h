/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_SETS_H
#define SKR_CORE_GANG_GROUP_ROLE_SETS_H
/*
 * The set of each member, of the kind that its role is in. The first of these that a member has names
 * its set: annotation sakkara.group.set, a label of the controller, what it was placed as (plan_text.h),
 * its rank. The other members fill the sets in member order.
 */
#include "core/gang/group/rank_layout.h"
#include "core/gang/state/groups.h"

/* Call after the roles are found. Finds the sets, and the members that wait for others of their set. */
void skr_role_sets_update(struct group *g);
/* The rank order of the group. tree: in force; NULL: none. */
void skr_role_sets_layout(const struct group *g, const struct skr_tree *tree,
                          struct skr_rank_layout *ret);

#endif
