/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_BOOKINGS_H
#define SKR_CORE_GANG_CACHE_BOOKINGS_H
/* Changes of reservations; booked.h says what they take. */
#include "core/gang/state/booking.h"

/* The group's reservation becomes this one, which is taken over; NULL: it has none any more. The
 * caches follow, and if room was given back, groups that wait look again. */
void skr_booked_set(struct skr_gang *e, struct group *g, struct booking *booking);
void skr_booking_destroy(struct booking *booking); /* NULL allowed */
void skr_booked_fini(struct skr_gang *e);

#endif
