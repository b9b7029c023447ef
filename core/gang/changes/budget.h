/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_BUDGET_H
#define SKR_CORE_GANG_CHANGES_BUDGET_H
/*
 * How many groups of one namespace count (setting groups_max). A group beyond is Invalid, with the
 * budget as its reason, is neither judged nor planned, and comes in, the longest waiting first, when
 * another one of its namespace goes. Groups with bound members always count: nothing that runs is
 * ever refused.
 */
#include "core/gang/state/groups.h"

/* The group is one that counts, from now on. -SKR_LIMIT: there are too many. O(1), beyond the
 * budget O(members). */
int skr_budget_take(struct skr_gang *e, struct group *g, struct skr_error *error);
/* It does not count any more, nor does it wait to: its source or itself is gone. */
void skr_budget_release(struct skr_gang *e, struct group *g);

#endif
