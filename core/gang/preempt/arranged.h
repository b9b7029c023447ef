/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_ARRANGED_H
#define SKR_CORE_GANG_PREEMPT_ARRANGED_H
/*
 * Members leave for places that were found before. Each gets a seat (seat_holds.h) on its new node. The
 * object of the group gets the annotation sakkara.seats with all of them:
 *
 *   {"v":1,"whole":false,"seats":{"<uid of the member>":"node-4"},"roles":{"<uid>":"worker"}}
 *
 * roles: with key roles alone.
 *
 * No member is evicted before the API server has the annotation. A restart reads it and goes on. The
 * members are evicted with their uid as a precondition and never deleted. A seat is then held for a
 * replacement, also if no member of the group is left. A restart keeps it if the group has a pod of
 * the role; the seat of a pod that is gone then has the shape of one that is there.
 *
 * With key replace, members on lost nodes leave, or all (whole). If the nodes are back before the first
 * eviction was granted, all stay. What is not evicted within planTimeout stays, too.
 *
 * A group that moves for another one is a victim of the plan of that one, which evicts it. Its text has
 * "by" with the key of that group. The seats stand while that plan waits for it, and SKR_MOVED_SEAT_S
 * after its pods are gone. They yield to no group.
 */
#include "core/gang/state/plan_entry.h"

#define SKR_ANNOTATION_SEATS "sakkara.seats"

enum { SKR_ARRANGED_MAX = 1000 }; /* seats of one group */

/* Whether the member runs on a lost node (skr_nodes_is_lost()). */
bool skr_arranged_is_lost(const struct skr_gang *e, const struct pod_entry *p);
/* Whether members of the group still run for which there are seats: nothing of it is planned. */
bool skr_arranged_waits(const struct group *g);
/* The group moves for the group by to these places, {"node-0":2}; NULL: it does not move. Without effect
 * if it has seats, or if these are not as many as its running members. */
void skr_arranged_move(struct skr_gang *e, struct group *g, const char *by, const char *places);
/* Whether the API server has the seats of the group. */
bool skr_arranged_is_persisted(const struct skr_gang *e, const struct group *g);
/* v is about to lose a pod: an Event says where it moves, the first time. */
void skr_arranged_note_moved(struct skr_gang *e, struct group *g, const struct plan_victim *v);
/* A member may leave for this node. */
void skr_arranged_add(struct skr_gang *e, struct group *g, struct pod_entry *p, const char *node);
/* Call at every evaluation: looks for lost members, evicts, ends. O(members) with key replace. */
void skr_arranged_settle(struct skr_gang *e, struct group *g);
/* Takes over what the object says. Trusted only about members of the group on lost nodes, and about
 * seats that the group lacks. */
void skr_arranged_restore(struct skr_gang *e, struct group *g);

#endif
