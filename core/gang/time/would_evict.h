/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_WOULD_EVICT_H
#define SKR_CORE_GANG_TIME_WOULD_EVICT_H
/*
 * The victims of a waiting group, on paper, after a round: the search of the planner
 * (core/gang/preempt/victim_search.h) beside what groups before it start with and have reserved.
 * Reservations of groups behind it count nothing.
 *
 * There are none where the room becomes free anyway as soon as victims could be gone: at the latest
 * after the longest of their grace periods. Private to core/gang/time.
 */
#include "core/gang/time/gather.h"

/* Of the complete group i. *ret: in the arena of the gathering; NULL: none. Errors: SKR_LIMIT, those
 * of skr_victims_find(). */
int skr_would_evict(struct gathering *in, size_t i, const struct skr_timeline_victims **ret,
                    struct skr_error *error);

#endif
