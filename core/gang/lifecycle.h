/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_LIFECYCLE_H
#define SKR_CORE_GANG_LIFECYCLE_H
/*
 * The spine: one look at one group, from what the API server says to what should be written. Every
 * event ends here, for every group that it touched; evaluating twice changes nothing.
 *
 *   1 restore_late            what an earlier life reported, once
 *   2 plan_storage_note_binding  has the point of no return been persisted?
 *   3 group_source_resolve    which map, PodGroup or label defines it; a change ends a plan
 *   4 membership_update       who is a member, who holds a seat
 *   5 plan_step               a plan goes forward, or comes to its end
 *   6 evaluate_*              without a plan: Pending, Ready, Bound, Invalid; planner_run does the
 *                             rest, in the order of queue_next
 *   7 measure, release        how long it waits; gates for autoscalers
 *   8 status_update           what people read, and Events on change
 *   9 members                 look again when what concerns them changed (skr_members_settle)
 *  10 object_writer           the object's keys and plan are written when they differ
 */
#include "core/gang/state/groups.h"

void skr_lifecycle_evaluate(struct skr_gang *e, struct group *g);

#endif
