/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
#define SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
/*
 * Whether kube-scheduler is alive, by its asking, and how far it has come in its queue. The queue is
 * sorted by priority, then by age (kubernetes pkg/scheduler/framework/plugins/queuesort), so a member
 * stands behind all that were activated before it: while the scheduler still comes to those, nothing
 * keeps this one back.
 */
#include "core/gang/state/gang.h"

enum { SKR_ACTIVATION_PATIENCE_S = 15 }; /* activated and neither asked nor parked */

void skr_scheduler_progress_heard(struct skr_gang *e); /* it asks now */
/* It may have started anew, with everything to do: patience begins again. */
void skr_scheduler_progress_restarted(struct skr_gang *e);
/* It comes to this member for the first time since its activation. O(PROGRESS_ASKS), as the next. */
void skr_scheduler_progress_reached(struct skr_gang *e, const struct pod_entry *p);
/* When it came last to a member that stands before this one; 0: not within the patience. Kicks of
 * one second stand at one place. */
skr_time skr_scheduler_progress_reached_before(const struct skr_gang *e, const struct pod_entry *p);

#endif
