/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIM_GAINS_H
#define SKR_CORE_GANG_PREEMPT_VICTIM_GAINS_H
/*
 * How much room a group gains if pods go before their ends.
 *
 * In front of a reservation a group may use what is free in its whole window. That counts the room of
 * pods with a limit from their ends on. If such a pod goes now, its room must not count once more: it
 * is what the reservation begins with. So the gain of a pod that ends by the start of a reservation is
 * at most what the reservation leaves, and pods of one node share that. The room is never said to be
 * larger than it is, whichever of the pods go.
 */
#include "core/gang/cache/booked.h"
#include "core/gang/problem/problem.h"

struct victim_gains {
    struct skr_gang *e;
    const struct skr_solve_request *request;
    struct booked_for who;
    int64_t *taken; /* [leaf][n_resources] of what reservations leave; NULL: none counts */
};

/* For the members of g to be placed, and the room of the request. O(1), O(leaves) with reservations. */
void skr_victim_gains_init(struct victim_gains *gains, struct skr_gang *e, const struct group *g,
                           struct pod_entry *const *newcomers, size_t n,
                           const struct skr_solve_request *request);
void skr_victim_gains_fini(struct victim_gains *gains);
/* When the pod ends, as an instant; SKR_INSTANT_NEVER: that is not known. O(1) */
int64_t skr_victim_gains_end(const struct skr_gang *e, const char *uid);
/* What is gained of this amount of a resource (index in the problem) on the leaf. O(1), with a
 * reservation there as skr_booked_slack(). */
int64_t skr_victim_gains_take(struct victim_gains *gains, int32_t leaf, size_t resource,
                              int64_t end, int64_t amount);

/* Adds what is gained of these amounts on the leaf to the room of the request. O(resources) of these. */
void skr_victim_gains_add_room(struct victim_gains *gains, int32_t leaf,
                               const struct skr_amounts *amounts, int64_t end);
/* The same of all held seats that yield. O(held seats) of these. */
struct skr_claimant;
void skr_victim_gains_add_seats(struct victim_gains *gains, const struct skr_claimant *c);

#endif
