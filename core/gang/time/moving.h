/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_MOVING_H
#define SKR_CORE_GANG_TIME_MOVING_H
/*
 * Which groups would have to move so that one that waits fits (would_move.h). With time.moves: show the
 * explanation of the waiting group says so. With auto they move, one set at a time in the cluster:
 *
 * - The waiting group gets a plan whose victims are these groups. Its text has their places. Seats are
 *   held there (core/gang/preempt/arranged.h).
 * - When the API server has the plan, and the seats of a group, that group is evicted as a victim is.
 * - Its pods that come again are placed at its seats, or better.
 *
 * An answer counts only if no room and no group has changed since the search began.
 *
 * It is sought for a group that has waited for time.moveAfter, lacks room, is not promised within as
 * long, and cannot evict others; for one group at a time, in the order of the queue. A search is work
 * for another thread that delays no plan. Searches take at most a twentieth of its time. One for the
 * same group follows when room or groups have changed.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* Call after every event: begins a search that is due. O(1) unless one may be; then O(groups). */
void skr_moving_review(struct skr_gang *e);
/* False: the work was no such search. */
bool skr_moving_done(struct skr_gang *e, const struct skr_solve_request *solved);
/* This process does not decide any more: the answer of the search is void, and so is what was found. */
void skr_moving_end(struct skr_gang *e);

#endif
