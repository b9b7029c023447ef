/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLES_RESTORE_H
#define SKR_CORE_GANG_GROUP_ROLES_RESTORE_H
/*
 * Roles of a running group without key `roles` (roles.h), after a restart. Members may have been lost
 * while the daemon was away. Their roles are read from the group's keys placement and rank, or from
 * the plan that was being bound: otherwise a worker could get the rank of a lost leader.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/plan_text.h"

/* Call after the seats are dealt. placement, rank: keys of the object, NULL allowed; parts that cannot
 * be read are ignored. O(text + members). */
void skr_roles_restore(struct skr_gang *e, struct group *g, const char *placement,
                       const char *rank);
/* The same from a plan in state Binding, whose members are restored. */
void skr_roles_restore_plan(struct skr_gang *e, struct group *g, const struct skr_plan_record *r);

#endif
