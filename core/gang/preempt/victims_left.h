/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PREEMPT_VICTIMS_LEFT_H
#define SKR_CORE_GANG_PREEMPT_VICTIMS_LEFT_H
/*
 * What is left of the victims of a plan, and groups that come again before all others have left: once the plan's text is
 * seen without such a group it is planned as any other, beside the room that the plan has earmarked. The text goes first,
 * so that no later life of the process evicts it a second time.
 */
#include "core/gang/state/plan_entry.h"

/* The uid of a single pod; NULL: the victim is a group. */
const char *skr_victims_pod_uid(const struct plan_victim *v);
/* The pod is on a node, and has not ended. */
bool skr_victims_is_there(const struct pod_entry *p);
size_t skr_victims_pods_there(const struct group *h);
/* Pods of it that are on nodes; *ret_gone: it is no more in the way. */
size_t skr_victims_left(const struct skr_gang *e, const struct plan_victim *v, bool *ret_gone);
/* Nothing of it stays: what is left terminates, however long that takes. */
bool skr_victims_only_terminate(const struct skr_gang *e, const struct plan_victim *v);
/* The plan has its room when its victims and all that leaves anyway are gone. O(resources * (pods + leaves)) */
bool skr_victims_make_room(const struct skr_gang *e, const struct plan *plan);

/* A group that gives way: plans that wait for it look again when it has left and has new pods, those that are about to
 * go on when some of it shows on a node. O(plans and their victims) */
void skr_victims_tell(struct skr_gang *e, const struct group *h);
/* Groups that have left and have new pods are counted as gone from here on; true: the plan's text names fewer victims. */
bool skr_victims_note_return(const struct skr_gang *e, struct plan *plan);
/* The plan's text is written: they are as free as any other group, unless another text still names them. */
void skr_victims_release(struct skr_gang *e, struct plan *plan);

#endif
