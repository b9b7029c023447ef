/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_GROUP_NAMESPACE_BOUND_H
#define SKR_CORE_GANG_GROUP_NAMESPACE_BOUND_H
/*
 * What the groups of a namespace may reserve. The bound is, for each resource, what their running
 * members request, plus one part of SKR_NAMESPACE_SHARE of what all nodes of the tree offer. Pods
 * outside of groups do not count.
 *
 * A workload that starts again runs nothing for a while. So what the groups ran with when a group lost
 * its first seat counts for option seatHold, in place of what they run with, if that is less: also when
 * that group has its seats back, since others may still wait for theirs. It counts only while the workload
 * of that group makes its members again.
 *
 * - Held seats beyond the bound are not held.
 * - Plans are never forbidden by it: a group that fits is planned. But while planned members and held
 *   seats of a namespace together are beyond its bound, an idle plan of it yields (yielding.h). A plan
 *   before the point of no return is idle while a living kube-scheduler passes one of its members by or
 *   keeps it for its claims, and while it cannot be stored: for how long each is in bind/plan_step.c.
 * - Reservations of a later start (core/time/round.h): the first one of a namespace is never forbidden. If
 *   other namespaces have groups, all others together have what planned members and held seats leave of
 *   the bound.
 */
#include "core/gang/state/plan_entry.h"

enum { SKR_NAMESPACE_SHARE = 20 };

/* p, which is no longer charged, left the first seat of g that is held. O(groups + members of the
 * namespace). */
void skr_namespace_bound_note_first(struct skr_gang *e, struct group *g, const struct pod_entry *p);
/* n members of g run. What was noted for g and counts no more is forgotten; over: all of it. */
void skr_namespace_bound_settle(struct skr_gang *e, struct group *g, size_t n, bool over);
/* How many held seats of g, the newest first, are beyond the bound. O(held seats + members of g), and
 * beyond that bound O(groups + members of the namespace + leaves). */
size_t skr_namespace_bound_seats_over(const struct skr_gang *e, const struct group *g);
/* Whether planned members and held seats together are beyond the bound. O(groups + members of the
 * namespace + leaves). */
bool skr_namespace_bound_is_beyond(const struct skr_gang *e, const char *namespace_);

/* The part of a namespace of what all nodes offer, [SKR_RESOURCES_MAX]. free() it. O(leaves). */
int64_t *skr_namespace_bound_share(const struct skr_gang *e);
/* What planned members and held seats leave of the bound, [SKR_RESOURCES_MAX]. O(groups + members of the
 * namespace). */
void skr_namespace_bound_left(const struct skr_gang *e, const char *namespace_,
                              const int64_t *share, int64_t *ret);

#endif
