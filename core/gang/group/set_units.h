/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_SET_UNITS_H
#define SKR_CORE_GANG_GROUP_SET_UNITS_H
/* Where the sets of a group are: the unit of their level with their bound or planned members. */
#include "core/gang/state/groups.h"

/* By set of the kind: its unit, -1 if no member of it has a node in the tree. planned: nodes of
 * plans that may still end count as well. free() it. */
int32_t *skr_set_units(const struct skr_tree *tree, const struct group *g, size_t kind,
                       bool planned, size_t *ret_n);
/* Whether each set has all its bound and planned members in one unit of its level. error: which set
 * has not, and two of its units. O(members + sets). */
bool skr_set_units_hold(const struct skr_tree *tree, const struct group *g,
                        struct skr_error *error);
/* {"0":"rack-1"} by set; with several kinds {"0/0":"rack-1"}, kind before set. free() it. NULL: the
 * group has no sets, or none has a unit. */
char *skr_set_units_text(const struct skr_tree *tree, const struct group *g);

#endif
