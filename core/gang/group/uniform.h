/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_UNIFORM_H
#define SKR_CORE_GANG_GROUP_UNIFORM_H
/* Whether members of a derived group agree about it. The oldest live member counts; the others have a
 * warning. Role, set and index of a member may differ. */
#include "core/gang/state/groups.h"

/* Whether the annotations say the same about the group, those of Kueue included. */
bool skr_uniform_same(const struct skr_labels *a, const struct skr_labels *b);
/* Compares all live members with the oldest, for g->seats.uneven. O(members). */
void skr_uniform_check(struct group *g);

#endif
