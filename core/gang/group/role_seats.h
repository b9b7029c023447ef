/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_ROLE_SEATS_H
#define SKR_CORE_GANG_GROUP_ROLE_SEATS_H
/*
 * Free seats by role and set, while the seats of a group with key `roles` are dealt. A member gets no
 * seat if its role is not in the key, or if its role or its set is full.
 */
#include "core/gang/state/groups.h"

struct skr_role_seats;
/* Sets the role of every live member; those that keep their seats have been marked. End it with
 * skr_role_seats_end(). */
struct skr_role_seats *skr_role_seats_deal(struct group *g);
/* Whether the role, and the set, of the member has a free seat, which it then takes. */
bool skr_role_seats_take(struct skr_role_seats *seats, const struct group *g,
                         const struct pod_entry *p);
/* seats may be NULL. */
void skr_role_seats_end(struct skr_role_seats *seats);

#endif
