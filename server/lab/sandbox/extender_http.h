/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_EXTENDER_HTTP_H
#define SKR_SERVER_LAB_SANDBOX_EXTENDER_HTTP_H
/*
 * The extenders of a KubeSchedulerConfiguration as the one extender of the scheduler's model, like
 * pkg/scheduler/extender.go and schedule_one.go of kube-scheduler 1.36. filter calls all of them in
 * order, each with the survivors of the previous one; prioritize adds their weighted scores; bind
 * calls the one that binds, or the API server if there is none.
 *
 * The model runs on one thread under the cluster's lock. filter and prioritize release the lock
 * while they wait for an answer, because the extender may itself wait for the API server; bind
 * never waits.
 */
#include "server/lab/sandbox/poster.h"
#include "server/lab/scheduler/scheduler.h"
#include "server/manifest/scheduler_config.h"

struct skr_extender_http_options {
    const struct skr_scheduler_config *config; /* borrowed */
    struct skr_store *store;                   /* borrowed */
    /* The cluster's lock. The caller of the extender holds it. */
    void (*lock)(void *context);
    void (*unlock)(void *context);
    skr_time (*now)(void *context);
    /* The answer to a bind call, under the lock, on any thread; error NULL: bound. */
    void (*bind_done)(void *context, uint64_t call, const char *error);
    void *context;
};

struct skr_extender_http;

/* Errors: of skr_poster_create(). */
int skr_extender_http_create(const struct skr_extender_http_options *options,
                             struct skr_extender_http **ret, struct skr_error *error);
/* For struct skr_scheduler_options; valid as long as the extender. Its weight is 1: scores are
 * already weighted. */
struct skr_extender skr_extender_http_get(struct skr_extender_http *extender);
/* Ends every call as the death of a process does: closes connections, waiting calls return
 * -SKR_GONE, no bind is reported any more. Without the lock; any thread. */
void skr_extender_http_stop(struct skr_extender_http *extender);
/* Stops it first if needed. Without the lock. NULL allowed. */
void skr_extender_http_destroy(struct skr_extender_http *extender);

#endif
