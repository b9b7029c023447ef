/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLES_CHANGE_H
#define SKR_CORE_GANG_GROUP_ROLES_CHANGE_H
/*
 * Changes of a map that cannot hold while members run: other names or another order of roles, and
 * other members in a set. Ranks and sets of the running members would mean something else. Such a map
 * holds for the next generation. Sizes, minima, rules and the number of sets change at once.
 *
 * If the process has seen the map before, the earlier one stays in force meanwhile. Otherwise every
 * member carries what it was placed under (plan_text.h), and newcomers wait until those have gone that
 * carry something else.
 */
#include "core/gang/state/groups.h"
#include "topology/base/strbuf.h"

/* Whether next, which the map of the group has now, has to wait. Then why has a sentence without a
 * subject group. O(members). */
bool skr_roles_change_waits(const struct group *g, const struct skr_group_spec *next,
                            struct skr_strbuf *why);
/* Finds the first running or planned member, by name, that was placed under other roles or sets than
 * the spec in force has: the map changed while the daemon was away, or was made anew. Seats are
 * marked. While there is such a member no newcomer gets a seat. O(members). */
void skr_roles_change_note_running(struct group *g);

#endif
