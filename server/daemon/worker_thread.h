/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_WORKER_THREAD_H
#define SKR_SERVER_DAEMON_WORKER_THREAD_H
/*
 * A worker runs the work of a scheduler (core/frame/work.h), one piece after the other, in the order
 * of the posts. Work is an immutable copy, so the engine shares only the cancel flag. Every piece is
 * reported exactly once, cancelled or not, until the thread is stopped.
 */
#include "core/frame/work.h"
#include "topology/base/error.h"

struct skr_worker;

/* Takes over the work, whose result is in it. Runs on the worker's thread. */
typedef void skr_work_done(void *context, struct skr_work *work);

/* type: of all its work. NULL with error when no thread can be had. */
struct skr_worker *skr_worker_create(const struct skr_work_type *type, skr_work_done *done,
                                     void *context, struct skr_error *error);
/* Takes the work. Any thread; never blocks. */
void skr_worker_post(struct skr_worker *worker, struct skr_work *work);
/* Sets the cancel flag of work that waits or runs; others: nothing happens. Any thread. */
void skr_worker_cancel(struct skr_worker *worker, uint64_t id);
/* Cancels what runs, waits for its result, drops what waits, joins, frees. NULL allowed. */
void skr_worker_destroy(struct skr_worker *worker);

#endif
