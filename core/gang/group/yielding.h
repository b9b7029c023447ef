/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_YIELDING_H
#define SKR_CORE_GANG_GROUP_YIELDING_H
/*
 * Which reserved room yields to which group. Two kinds of reservations yield, because they run nothing:
 * held seats (seat_holds.h) and idle plans (namespace_bound.h). One rule holds for both. The room yields
 * to a group that fits only with it if
 *
 * - the group has a higher priority than the owner, or
 * - all pods of the group have a higher PriorityClass than the owner's: for seats, than the lost members.
 *
 * An idle plan is beyond the bound of its namespace. So it yields to equal priority too, but only to
 * other namespaces: what keeps it from its nodes would keep other groups of its namespace, too. No pod
 * is evicted.
 */
#include "core/gang/state/plan_entry.h"

/* The group that needs room. */
struct skr_claimant {
    const struct group *group; /* with a spec */
    int32_t class_;            /* skr_membership_lowest_class() */
};
struct skr_claimant skr_claimant_of(const struct group *g); /* O(members) */

bool skr_yielding_seats(const struct group *h, const struct skr_claimant *c);  /* O(1) */
bool skr_yielding_plan(const struct plan *plan, const struct skr_claimant *c); /* O(1) */
/* Whether any seat or plan yields to g. O(idle plans), and O(members of g) if there are any or seats. */
bool skr_yielding_any(const struct skr_gang *e, const struct group *g);

#endif
