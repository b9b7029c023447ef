/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_QUEUE_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_QUEUE_H
/*
 * kube-scheduler's queue (pkg/scheduler/backend/queue of 1.36): the next pod, and the pods that
 * wait, with their times. The caller owns the pods; a pod's place says which part it is in.
 * scheduler_events.c decides what wakes a pod.
 *
 * Backoff: initial * 2^(n - 1), at most max, for the n-th rejection or the n-th error in a row. It
 * ends with the second (the "ordering window") that contains timestamp + duration.
 */
#include "server/lab/scheduler/scheduler_state.h"

#define SKR_SCHED_UNSCHEDULABLE_MAX (300 * SKR_SECOND) /* then it is retried anyway */
#define SKR_SCHED_FLUSH_EVERY       (30 * SKR_SECOND)  /* period of that check */

void skr_sched_queue_init(struct skr_sched_queue *queue, skr_time initial_backoff,
                          skr_time max_backoff, skr_time now);
void skr_sched_queue_fini(struct skr_sched_queue *queue);

/* A new pod, or one without its last gate. place must be OUT or GATED. */
void skr_sched_queue_add(struct skr_sched_queue *queue, struct skr_sched_pod *p, skr_time now);
void skr_sched_queue_add_gated(struct skr_sched_queue *queue, struct skr_sched_pod *p);
/* Removes it from its part; place is OUT then. */
void skr_sched_queue_remove(struct skr_sched_queue *queue, struct skr_sched_pod *p);
/* Highest priority, then longest wait; from the backoff queue if none is active. NULL: none. Its
 * place is IN_CYCLE. */
struct skr_sched_pod *skr_sched_queue_pop(struct skr_sched_queue *queue);
/* Whether pop would return NULL. */
bool skr_sched_queue_is_empty(const struct skr_sched_queue *queue);
/* Returns a pod from a cycle or a bind without a node. rejected_by 0: an error. */
void skr_sched_queue_put_back(struct skr_sched_queue *queue, struct skr_sched_pod *p,
                              unsigned rejected_by, skr_time now);
/* An event may have made this UNSCHEDULABLE pod schedulable: active, or backoff while that
 * lasts. */
void skr_sched_queue_wake(struct skr_sched_queue *queue, struct skr_sched_pod *p, skr_time now);
/* Ends expired backoffs and wakes pods that waited too long. Returns the number of pods moved. */
size_t skr_sched_queue_flush(struct skr_sched_queue *queue, skr_time now);
/* When flush has something to do. */
skr_time skr_sched_queue_next_flush(const struct skr_sched_queue *queue);

#endif
