/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_LIFECYCLE_H
#define SKR_CORE_GANG_LIFECYCLE_H
/*
 * Evaluates one group once, from what the API server says to what should be written. Every event
 * ends here, for every group that it touched. A second evaluation changes nothing.
 *
 *   1 restore_late            what an earlier process reported, once
 *   2 plan_storage_note_binding  has the point of no return been persisted?
 *   3 group_source_resolve    which map, PodGroup or label defines it; a change ends a plan
 *   4 membership_update       which pods are members, which hold a seat
 *   5 plan_step               a plan goes forward, or ends
 *   6 evaluate_*              without a plan: Pending, Ready, Bound, Invalid; planner_run does the
 *                             rest, in the order of queue_next
 *   7 measure, release        how long it waits; gates and requests for autoscalers
 *   8 status_update           status for users, and Events on change
 *   9 members                 look again if their view of the group changed (skr_members_settle)
 *  10 group_objects_settle    the object's keys and plan are written if they differ
 */
#include "core/gang/state/groups.h"

void skr_lifecycle_evaluate(struct skr_gang *e, struct group *g);

#endif
