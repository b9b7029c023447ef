/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_DRIVER_H
#define SKR_SERVER_LAB_DRIVER_DRIVER_H
/*
 * Runs any scheduler of core/schedulers.h over the store, under a clock that is passed in, in place
 * of the threads, sockets and watches of `sakkara serve`. Watched objects come from the store.
 * Writes become requests to the store, and their replies events. Work is done in place. The driver
 * has the scheduler's one timer.
 *
 * Fixed latencies replace the network, so that the same input gives the same run.
 */
#include "core/frame/engine.h"
#include "server/lab/scheduler/trace.h"
#include "server/lab/store/watcher.h"

struct skr_driver_options {
    const struct skr_scheduler *scheduler;
    const void *settings; /* the scheduler's; borrowed */
    const char *instance;
    skr_time write_time;  /* from the engine's action to the API server's answer */
    skr_time work_time;   /* of every piece of work, as the engine sees it */
    skr_time watch_delay; /* until it sees a change */
    struct skr_trace trace;
    /* The name of a write in the trace; NULL: its verb and resource. */
    const char *(*name)(const struct skr_write *write);
    /* A request is answered; body is borrowed. NULL: there are no requests. */
    void (*answer)(void *context, uint64_t request, const void *body);
    /* An Event (events.k8s.io/v1) that the engine wrote; borrowed. NULL: not wanted. */
    void (*event)(void *context, skr_time now, const json_t *event);
    void *context;
};

struct skr_driver;

struct skr_driver *skr_driver_create(const struct skr_driver_options *options,
                                     struct skr_store *store);
void skr_driver_destroy(struct skr_driver *driver); /* NULL allowed */
/* Lists the store and starts the engine, as leader; once, before the first step. */
void skr_driver_start(struct skr_driver *driver, skr_time now);

skr_time skr_driver_next(const struct skr_driver *driver, skr_time now);
/* It has read all changes up to this revision. */
uint64_t skr_driver_seen(const struct skr_driver *driver);
size_t skr_driver_step(struct skr_driver *driver, skr_time now);

/* A request of the scheduler's verbs; id is the caller's. body is borrowed for the call. */
void skr_driver_ask(struct skr_driver *driver, skr_time now, uint64_t id, int verb,
                    const void *body);
/* For a caller whose time does not advance before the answer. Neither changes the store:
 * _catch_up() shows the engine all changes at once, _hurry() ends a read or a piece of work that
 * runs aside; false: there is none. */
void skr_driver_catch_up(struct skr_driver *driver, skr_time now);
bool skr_driver_hurry(struct skr_driver *driver, skr_time now);

const struct skr_engine *skr_driver_engine(const struct skr_driver *driver);

#endif
