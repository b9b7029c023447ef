/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_BIND_CALLS_H
#define SKR_CORE_GANG_PLAN_BIND_CALLS_H
/*
 * Open bind calls. A member's call is parked and counts as its vote; it is answered by the outcome
 * of its Binding, or when its time is over. Pods whose Binding may be posted wait in a queue,
 * earliest deadline first.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/requests.h"

/* An older open call of the pod is answered: superseded. */
void skr_bind_calls_park(struct skr_gang *e, struct pod_entry *p, uint64_t request,
                         const char *node);
/* Nothing without an open call. */
void skr_bind_calls_answer(struct skr_gang *e, struct pod_entry *p, enum skr_answer_kind kind,
                           const char *text);
void skr_bind_calls_answer_all(struct skr_gang *e, const char *text); /* votes are void then */
size_t skr_bind_calls_parked(const struct skr_gang *e);               /* how many */
void skr_bind_calls_hangup(struct skr_gang *e, uint64_t request);
void skr_bind_calls_expire(struct skr_gang *e,
                           struct pod_entry *p); /* answers when its time is over */
/* The cache shows the pod bound: an open call of its is answered. */
void skr_bind_calls_is_seen(struct skr_gang *e, struct pod_entry *p);
/* Ends what an ordinary pod holds for a Binding that is not made. Filter is asked about it anew before
 * the pod is bound. */
void skr_bind_calls_release(struct skr_gang *e, struct pod_entry *p);

void skr_bind_calls_vote(struct skr_gang *e, struct pod_entry *p);
void skr_bind_calls_withdraw(struct pod_entry *p); /* the vote; the call stays open */
/* The vote is void and the scheduler has to come again: patience begins anew. */
void skr_bind_calls_drop_vote(struct skr_gang *e, struct pod_entry *p);

void skr_bind_calls_queue(struct skr_gang *e, struct pod_entry *p);
void skr_bind_calls_unqueue(struct skr_gang *e, struct pod_entry *p);
/* A Binding of the pod may have been applied: it is read before anything else is decided. */
void skr_bind_calls_set_unknown(struct pod_entry *p, bool unknown);
/* The pod goes: nobody can be answered any more. */
void skr_bind_calls_forget(struct skr_gang *e, struct pod_entry *p);

#endif
