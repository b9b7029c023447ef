/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_ROUNDS_H
#define SKR_CORE_GANG_TIME_ROUNDS_H
/*
 * Rounds of the daemon: which waiting groups have a reservation, and where (core/time/round.h). A
 * round is work for another thread. While it runs, nothing is planned, so its answer holds; there is
 * at most one in ROUND_PAUSE_MS, and rounds take at most a fifth of the time.
 *
 * A round reserves. It starts no group: the planner does, for which reserved room is not free
 * (core/gang/cache/booked.h). A round comes after anything that may change a start: room, nodes,
 * ends of pods, groups, and the begin of a reservation.
 *
 * Without a known end, and without option time.patience, no start is known and there are no rounds.
 */
#include "core/gang/state/groups.h"
#include "core/gang/state/solve_request.h"

/* This process decides from now on. The first round takes over what objects have reserved; nothing is
 * planned before. */
void skr_rounds_begin(struct skr_gang *e);
/* It does not any more: all reservations end here, and stay in the objects. */
void skr_rounds_end(struct skr_gang *e);
/* Call after every event: begins a round that is due. O(1) if nothing has changed. */
void skr_rounds_review(struct skr_gang *e);
/* False: the work was no round. */
bool skr_rounds_done(struct skr_gang *e, const struct skr_solve_request *solved);
/* Call at every evaluation: the reservation of a group ends with its start, and with what made it. */
void skr_rounds_watch(struct skr_gang *e, struct group *g);

#endif
