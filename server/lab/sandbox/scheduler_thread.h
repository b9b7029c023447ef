/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_SCHEDULER_THREAD_H
#define SKR_SERVER_LAB_SANDBOX_SCHEDULER_THREAD_H
/*
 * kube-scheduler as a process of the sandbox: the model (scheduler.h) under the real clock, on its
 * own thread, with its extenders over real HTTP (extender_http.h). It holds the cluster's lock
 * while it uses store and queue, and releases it while it waits for an extender.
 */
#include "server/lab/sandbox/http.h"
#include "server/lab/scheduler/scheduler.h"
#include "server/manifest/scheduler_config.h"

struct skr_scheduler_thread;

/* Lists the store and starts. http, clock: borrowed. config: taken on success. trace: called under
 * the lock. Without the lock. Errors: SKR_RETRY (no thread). */
int skr_scheduler_thread_create(struct skr_sandbox_http *http, struct skr_store *store,
                                const struct skr_clock *clock, struct skr_scheduler_config *config,
                                const struct skr_trace *trace, struct skr_scheduler_thread **ret,
                                struct skr_error *error);
/* Ends it as SIGKILL does: cuts off calls to extenders, forgets assumed pods, writes nothing more.
 * Without the lock; returns within milliseconds. NULL allowed. */
void skr_scheduler_thread_destroy(struct skr_scheduler_thread *thread);
/* Takes the lock. */
void skr_scheduler_thread_get_stats(struct skr_scheduler_thread *thread,
                                    struct skr_scheduler_stats *ret);

#endif
