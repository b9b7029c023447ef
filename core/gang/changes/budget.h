/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CHANGES_BUDGET_H
#define SKR_CORE_GANG_CHANGES_BUDGET_H
/*
 * Limits the groups that count in one namespace (setting groups_max). A group beyond the limit is
 * Invalid, with the budget as its reason, and is not planned. When another group of its namespace
 * ends, the one that waits longest is counted. Groups with bound members always count: running
 * groups are never refused.
 */
#include "core/gang/state/groups.h"

/* Counts the group from now on. -SKR_LIMIT: too many. O(1), beyond the budget O(members). */
int skr_budget_take(struct skr_gang *e, struct group *g, struct skr_error *error);
/* Stops counting it, or its wait: its source or the group is gone. */
void skr_budget_release(struct skr_gang *e, struct group *g);

#endif
