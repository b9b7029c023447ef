/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_TIME_HELD_H
#define SKR_CORE_GANG_TIME_HELD_H
/*
 * Pods are held to the word by which they were let in: the end that their limits gave (cache/ends.h). A pod
 * that still runs at that end, in room that a reservation needs, is evicted, with an Event that says which
 * word it breaks. PodDisruptionBudgets count. The pod gets the grace period of its spec, also if a deletion
 * granted more.
 *
 *   its limits are later now   its eviction is asked for a grace period before its end
 *   its Job does not end it    at its end
 *   its own deadline           the kubelet ends it, which no eviction can do better
 *
 * If no reservation needs the room at that end, the word is spent: the limits of now count from then on.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/writes.h"

/* Asks for evictions that are due. Returns when it is to be called next, unless a round comes before;
 * SKR_TIME_NEVER: not at all. O(nodes with reservations and pods with an end there). */
skr_time skr_held_review(struct skr_gang *e);
void skr_held_done(struct skr_gang *e, const struct skr_pending_write *w, struct skr_event *ev);

#endif
