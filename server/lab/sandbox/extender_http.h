/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_EXTENDER_HTTP_H
#define SKR_SERVER_LAB_SANDBOX_EXTENDER_HTTP_H
/*
 * The extenders of a KubeSchedulerConfiguration as the one extender of the scheduler's model: what
 * kube-scheduler 1.36 does in pkg/scheduler/extender.go and schedule_one.go. filter goes through
 * all of them in order, each asked about the survivors of the one before; prioritize adds their
 * weighted scores; bind goes to the one that binds, or to the API server where there is none.
 *
 * The model runs on one thread under the cluster's lock. filter and prioritize let go of the lock
 * while they wait for an answer, for who answers may itself be waiting for the API server; bind
 * does not wait at all.
 */
#include "server/lab/sandbox/poster.h"
#include "server/lab/scheduler/scheduler.h"
#include "server/manifest/scheduler_config.h"

struct skr_extender_http_options {
    const struct skr_scheduler_config *config; /* borrowed */
    struct skr_store *store;                   /* borrowed */
    /* The cluster's lock. Held by whoever calls the extender. */
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
/* For struct skr_scheduler_options; valid as long as the extender. Its weight is 1: scores come
 * weighted. */
struct skr_extender skr_extender_http_get(struct skr_extender_http *extender);
/* Ends every call as the death of a process does: connections are closed, who waits gets
 * -SKR_GONE, no bind is reported any more. Without the lock; any thread. */
void skr_extender_http_stop(struct skr_extender_http *extender);
/* Stops if need be. Without the lock. NULL allowed. */
void skr_extender_http_destroy(struct skr_extender_http *extender);

#endif
