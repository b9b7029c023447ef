/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_SCHEDULER_THREAD_H
#define SKR_SERVER_LAB_SANDBOX_SCHEDULER_THREAD_H
/*
 * kube-scheduler as a process of the sandbox: the model (scheduler.h) under the real clock, on a
 * thread of its own, with its extenders behind real HTTP (extender_http.h). It holds the cluster's
 * lock while it works on store and queue, and lets go of it while an extender thinks.
 */
#include "server/lab/sandbox/http.h"
#include "server/lab/scheduler/scheduler.h"
#include "server/manifest/scheduler_config.h"

struct skr_scheduler_thread;

/* Lists what is in the store and begins. http, clock: borrowed. config: taken on success. trace:
 * called under the lock. Without the lock. Errors: SKR_RETRY (no thread). */
int skr_scheduler_thread_create(struct skr_sandbox_http *http, struct skr_store *store,
                                const struct skr_clock *clock, struct skr_scheduler_config *config,
                                const struct skr_trace *trace, struct skr_scheduler_thread **ret,
                                struct skr_error *error);
/* Ends it as SIGKILL does: calls to extenders are cut off, what was assumed is forgotten, nothing
 * more is written. Without the lock; returns within milliseconds. NULL allowed. */
void skr_scheduler_thread_destroy(struct skr_scheduler_thread *thread);
/* Takes the lock. */
void skr_scheduler_thread_get_stats(struct skr_scheduler_thread *thread,
                                    struct skr_scheduler_stats *ret);

#endif
