/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_RESTORE_RESTORE_PLAN_H
#define SKR_CORE_GANG_RESTORE_RESTORE_PLAN_H
/*
 * A plan of an earlier life, taken up from the record on the group's object or from its members.
 *
 * Users can write what we read here, so a record counts for no more than it can prove:
 *
 * - some live member carries a record of it (its annotation names the plan); without one nobody was
 *   nominated, and planning anew costs nothing
 * - a member without a record gets its seat only where there is room
 * - seats of members that are gone are kept only in state Binding, only as many as the group's size
 *   is above its live members, and only where there is room
 *
 * What is left to whoever may write pods and maps of a namespace: at a restart, to hold the room
 * that his own group asks for, of one member's shape a seat, until planTimeout.
 */
#include "core/gang/state/groups.h"

/* O(members + seats) but for sorting. */
void skr_restore_plan(struct skr_gang *e, struct group *g);

#endif
