/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_PLAN_BIND_CALLS_H
#define SKR_CORE_GANG_PLAN_BIND_CALLS_H
/*
 * Open bind calls. A member's call is parked and counts as its vote. The outcome of its Binding
 * answers it, or its time limit does. Pods whose Binding may be posted wait in a queue, earliest
 * deadline first.
 */
#include "core/gang/state/gang.h"
#include "core/gang/state/requests.h"

/* Answers an older open call of the pod: superseded. */
void skr_bind_calls_park(struct skr_gang *e, struct pod_entry *p, uint64_t request,
                         const char *node);
/* No effect without an open call. */
void skr_bind_calls_answer(struct skr_gang *e, struct pod_entry *p, enum skr_answer_kind kind,
                           const char *text);
void skr_bind_calls_answer_all(struct skr_gang *e, const char *text); /* voids the votes */
size_t skr_bind_calls_parked(const struct skr_gang *e);               /* how many */
void skr_bind_calls_hangup(struct skr_gang *e, uint64_t request);
void skr_bind_calls_expire(struct skr_gang *e,
                           struct pod_entry *p); /* answers a call whose time is over */
/* The cache shows the pod bound: answers its open call. */
void skr_bind_calls_is_seen(struct skr_gang *e, struct pod_entry *p);
/* Releases what an ordinary pod holds for a Binding that is not made: filter must be called again
 * before it is bound. */
void skr_bind_calls_release(struct skr_gang *e, struct pod_entry *p);

void skr_bind_calls_vote(struct skr_gang *e, struct pod_entry *p);
void skr_bind_calls_withdraw(struct pod_entry *p); /* the vote; the call stays open */
/* Voids the vote. kube-scheduler must come again: its patience begins anew. */
void skr_bind_calls_drop_vote(struct skr_gang *e, struct pod_entry *p);

void skr_bind_calls_queue(struct skr_gang *e, struct pod_entry *p);
void skr_bind_calls_unqueue(struct skr_gang *e, struct pod_entry *p);
/* A Binding of the pod may have been applied: it is read before any other decision. */
void skr_bind_calls_set_unknown(struct pod_entry *p, bool unknown);
/* The pod is deleted: forgets its call without an answer. */
void skr_bind_calls_forget(struct skr_gang *e, struct pod_entry *p);

#endif
