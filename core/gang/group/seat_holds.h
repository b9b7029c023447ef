/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_SEAT_HOLDS_H
#define SKR_CORE_GANG_GROUP_SEAT_HOLDS_H
/*
 * Holds the room of lost members of a running group until their controller has replaced them. The
 * ledger charges the room, so that no other pod is planned or bound there. It does so for seatHold
 * (the setting, or the group's key), at most for seatHoldMax. A seat is held only while the size includes
 * the seat, and another member runs or the workload makes the next generation (generation.h). No seat
 * is held for a member that Succeeded, or in a group that is a victim. If the node closes, the nearest
 * open node under the group's rules is held instead, if there is one. A restart loses all holds; seats
 * of pods that terminate then are held once they have left. A daemon that does not lead has none.
 * Arranged seats (core/gang/preempt/arranged.h) are held whether a member runs or not, and survive a
 * restart.
 *
 * The seats of all groups of a namespace together are bounded (namespace_bound.h); seats beyond the
 * bound are not held. Held seats yield to a group that fits only with their room: yielding.h.
 */
#include "core/gang/state/groups.h"

enum {
    SKR_MOVED_SEAT_S = 300, /* after the pods of a group that moves are gone */
    SKR_SEAT_TRIES = 64,    /* nodes tried for the seat of a closed one, nearest first */
};
#define SKR_SEAT_PREFIX "seat:" /* of the uid of the pod, in struct seat_hold */

/* p ran with a seat of g, is gone from its node, and its charge is released. Its row of ends still has its word. */
void skr_seat_holds_lost(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* Until when the room of p is used, which terminates and leaves its node then: its seat may be held. */
skr_time skr_seat_holds_until(const struct skr_gang *e, const struct pod_entry *p, skr_time leaves);
/* Holds a seat of the shape, role and set of p for a member that still runs and is to leave for it. hold
 * has its uid, its new node, and until; all are copied. */
void skr_seat_holds_arrange(struct skr_gang *e, struct group *g, const struct pod_entry *p,
                            const struct seat_hold *hold);
/* Its member has left: the seat is held for a replacement from now on, at least SKR_VACANCY_S. */
void skr_seat_holds_note_left(struct skr_gang *e, struct group *g, size_t at);
/* The seat of the member with this uid; NULL: none. O(held seats of g). */
const struct seat_hold *skr_seat_holds_of(const struct group *g, const char *uid);
/* Whether nodes of its members may be lost: gang->replacers. Ended by skr_seat_holds_end(). */
void skr_seat_holds_watch(struct skr_gang *e, struct group *g, bool watched);
void skr_seat_holds_drop(struct skr_gang *e, struct group *g, size_t at);
/* Ends expired holds, moves holds from closed nodes. */
void skr_seat_holds_settle(struct skr_gang *e, struct group *g);
/* g, whose newcomers are charged on their planned nodes, needs more room there than is free: as many of
 * those seats end as that takes, those of the lowest priority first. */
void skr_seat_holds_make_room(struct skr_gang *e, const struct group *g,
                              struct pod_entry *const *newcomer, size_t n);
/* Adds the group's own holds that its newcomers may use to the free amounts of leaves: free_[leaf * n + i]
 * of resource[i]. With key roles a seat is kept for its role. */
void skr_seat_holds_add_room(const struct skr_gang *e, const struct group *g,
                             struct pod_entry *const *newcomer, size_t n_newcomers,
                             const uint16_t *resource, size_t n, int64_t *free_);
/* Call before and after charging n planned replacements: releases all holds, then restores those
 * not used. */
void skr_seat_holds_open(struct skr_gang *e, struct group *g);
void skr_seat_holds_close(struct skr_gang *e, struct group *g, struct pod_entry *const *newcomer,
                          size_t n);
/* The seat on the node that holds most of the resource, and its group; NULL: none does. O(held seats). */
const struct seat_hold *skr_seat_holds_most(const struct skr_gang *e, const char *node,
                                            uint16_t resource, const struct group **ret);
/* "2 seats are held for replacements: node-1, node-4, for 48s at most"; false if there are none. */
bool skr_seat_holds_say(const struct skr_gang *e, const struct group *g, struct skr_strbuf *b);
void skr_seat_holds_end(struct skr_gang *e, struct group *g); /* all of them */

#endif
