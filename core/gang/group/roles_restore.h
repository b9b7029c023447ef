/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLES_RESTORE_H
#define SKR_CORE_GANG_GROUP_ROLES_RESTORE_H
/*
 * Roles of a running group whose members make them (roles.h), after a restart: those of members that
 * were lost while the daemon was away are in the group's keys placement and rank. Without them a
 * worker could get the rank of a lost leader.
 */
#include "core/gang/state/groups.h"

/* Seats are dealt. placement, rank: keys of the object, NULL allowed; what cannot be read is
 * ignored. O(text + members). */
void skr_roles_restore(struct skr_gang *e, struct group *g, const char *placement,
                       const char *rank);

#endif
