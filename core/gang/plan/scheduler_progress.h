/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
#define SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
/*
 * Whether kube-scheduler is alive, by its calls, and how far it is in its queue. The queue is
 * sorted by priority, then by age (kubernetes pkg/scheduler/framework/plugins/queuesort), so a
 * member follows all that were activated before it. While kube-scheduler still tries those, this
 * member is not held back by a filter.
 */
#include "core/gang/state/gang.h"

enum {
    SKR_ACTIVATION_PATIENCE_S = 15, /* from activation to a filter call or parked bind call */
    SKR_PLAN_IDLE_S = 3,            /* the same, until the plan is idle */
};

void skr_scheduler_progress_heard(struct skr_gang *e); /* a call has arrived */
/* It has called within the patience. */
bool skr_scheduler_progress_is_alive(const struct skr_gang *e);
/* kube-scheduler may have restarted with a full queue: patience begins again. */
void skr_scheduler_progress_restarted(struct skr_gang *e);
/* The first call for this member since its activation. O(PROGRESS_ASKS), as the next. */
void skr_scheduler_progress_reached(struct skr_gang *e, const struct pod_entry *p);
/* The last call for a member that precedes this one; 0: none within the patience. Activations of
 * one second share a place. */
skr_time skr_scheduler_progress_reached_before(const struct skr_gang *e, const struct pod_entry *p);

#endif
