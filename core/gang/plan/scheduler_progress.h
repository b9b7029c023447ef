/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
#define SKR_CORE_GANG_PLAN_SCHEDULER_PROGRESS_H
/*
 * Whether kube-scheduler is alive, by its calls, and how far it is in its queue.
 *
 * The queue is sorted by priority, then by the time at which a pod entered it. That time is the pod's
 * creation or the end of its last attempt; no update of the pod and no event changes it (kubernetes
 * pkg/scheduler/framework/plugins/queuesort, backend/queue: Timestamp). So a member that was woken
 * stands where it stood, behind every pod that waits for longer. Nothing lets it overtake these.
 *
 * Each call is evidence. A pod entered the queue no earlier than its last call, or, before its first
 * call, no earlier than it was seen here. If kube-scheduler asks about a pod that entered after a member
 * was woken, or about one of lower priority, it has passed the member. A pod that only its own filters
 * refuse causes no call. Its condition shows the first such attempt, and later ones that end with other
 * words or come after a nomination (SKR_TEXT_ASKED_AGAIN).
 *
 * A kube-scheduler that starts has all pods in a queue anew, in any order: what an earlier one was asked
 * to try proves nothing. It is known by its first call after a silence, and by callers that hang up. A
 * profile has its own kube-scheduler, as far as is known here: only pods of one schedulerName are
 * compared.
 */
#include "core/gang/state/gang.h"

enum {
    /* From activation on, kube-scheduler needs so long to see it and to end a back-off. */
    SKR_ACTIVATION_PATIENCE_S = 15,
    SKR_PLAN_IDLE_S = 3, /* without a call for an activated member: the plan is idle */
    SKR_QUEUE_LAG_S = 5, /* its view of the pods and this one differ by less */
};

void skr_scheduler_progress_heard(struct skr_gang *e); /* a call has arrived */
/* It has called within the patience. */
bool skr_scheduler_progress_is_alive(const struct skr_gang *e);
/* kube-scheduler may have restarted with a full queue: patience begins again. */
void skr_scheduler_progress_restarted(struct skr_gang *e);
/* Filter was called for p with n_nodes names. O(PROGRESS_ASKS), as the next. */
void skr_scheduler_progress_asked(struct skr_gang *e, struct pod_entry *p, size_t n_nodes);
/* Another version of the pod: it may show that kube-scheduler's own filters refuse it. */
void skr_scheduler_progress_saw(struct skr_gang *e, const struct pod_entry *p,
                                const struct skr_pod *old);
/* The last try of a pod that may precede this activated member, each of which does so once; 0: none within the
 * patience. Times of one second share a place. */
skr_time skr_scheduler_progress_reached_before(const struct skr_gang *e, const struct pod_entry *p);
/* kube-scheduler is known to have passed this activated member: after its patience it tried a pod behind
 * it. */
bool skr_scheduler_progress_has_passed(const struct skr_gang *e, const struct pod_entry *p);

#endif
