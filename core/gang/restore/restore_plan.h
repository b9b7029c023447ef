/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_RESTORE_RESTORE_PLAN_H
#define SKR_CORE_GANG_RESTORE_RESTORE_PLAN_H
/*
 * Restores a plan from the record on the group's object or on its members.
 *
 * Users can write these records, so a record counts only for what it can prove:
 *
 * - A live member carries a record of the plan (its annotation names the plan). Without one no
 *   member was nominated, and a new plan costs nothing.
 * - A member without a record gets its seat only if there is room.
 * - Seats of missing members are kept only in state Binding, only as many as the group's size
 *   exceeds its live members, and only if there is room.
 *
 * An account that may write pods and maps of a namespace can still do this: at a restart, hold the
 * room that its own group requests, one member's shape per seat, until planTimeout.
 */
#include "core/gang/state/groups.h"

/* O(members + seats) plus sorting. */
void skr_restore_plan(struct skr_gang *e, struct group *g);

#endif
