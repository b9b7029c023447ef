/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIMS_LEFT_H
#define SKR_CORE_GANG_PREEMPT_VICTIMS_LEFT_H
/*
 * Remaining victims of a plan, and victim groups that return before the others have left. After the
 * plan's text is seen without such a group, the group is planned like any other, beside the room of
 * the plan. The text is written first, so that no later process evicts the group again.
 */
#include "core/gang/state/plan_entry.h"

/* The uid of a single pod; NULL if the victim is a group. */
const char *skr_victims_pod_uid(const struct plan_victim *v);
/* Whether the pod is on a node and has not ended. */
bool skr_victims_is_there(const struct pod_entry *p);
/* Whether the room of a pod that leaves, or would if it were evicted, is free within planTimeout. False
 * for a longer grace period, and for a pod that is overdue, as one with a finalizer. */
bool skr_victims_leaves_in_time(const struct skr_gang *e, const struct pod_entry *p);
/* A pod of the victim that does not; NULL: none. *next is lowered to when one becomes overdue. */
const struct pod_entry *skr_victims_staying(const struct skr_gang *e, const struct plan_victim *v,
                                            skr_time *next);
size_t skr_victims_pods_there(const struct group *h);
/* The number of its pods on nodes; *ret_gone: it is out of the way. */
size_t skr_victims_left(const struct skr_gang *e, const struct plan_victim *v, bool *ret_gone);
/* Whether all that is left of it is terminating, however long that takes. */
bool skr_victims_only_terminate(const struct skr_gang *e, const struct plan_victim *v);
/* Whether the plan has its room once its victims and all leaving pods are gone. asked: of victims of other
 * plans, only those whose eviction was asked for. O(resources * (pods + leaves)) */
bool skr_victims_make_room(const struct skr_gang *e, const struct plan *plan, bool asked);

/* Reports a change of a victim group. Plans that wait for it look again when it has left and has
 * new pods; plans about to continue, when a pod of it appears on a node. O(plans and their
 * victims) */
void skr_victims_tell(struct skr_gang *e, const struct group *h);
/* Counts groups that have left and have new pods as gone; true: the plan's text names fewer
 * victims. */
bool skr_victims_note_return(const struct skr_gang *e, struct plan *plan);
/* The plan's text is written: releases victims that no other text names. */
void skr_victims_release(struct skr_gang *e, struct plan *plan);

#endif
