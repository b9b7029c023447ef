/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLES_CHANGE_H
#define SKR_CORE_GANG_GROUP_ROLES_CHANGE_H
/*
 * Changes of a map that cannot hold while members run: other names or another order of roles, and
 * other members in a set. Ranks and sets of the running members would mean something else. Such a map
 * holds for the next generation. Sizes, minima, rules and the number of sets change at once. So does a
 * map that follows a deleted one: the roles of that one are not known any more.
 */
#include "core/gang/state/groups.h"
#include "topology/base/strbuf.h"

/* Whether next, which the map of the group has now, has to wait. Then why has a sentence without a
 * subject group. O(members). */
bool skr_roles_change_waits(const struct group *g, const struct skr_group_spec *next,
                            struct skr_strbuf *why);

#endif
