/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_ENGINE_DRIVER_H
#define SKR_SERVER_LAB_DRIVER_ENGINE_DRIVER_H
/*
 * The engine of the daemon, run over the store under a clock that is passed in: what threads,
 * sockets and watches do in `sakkara serve`. Changes of the store become events, writes become
 * requests to the store and their replies events, problems are solved in place, the one timer is
 * kept. It also is the extender of the scheduler's model.
 *
 * Fixed latencies instead of a network, so that the same input gives the same run.
 */
#include "core/frame/engine.h"
#include "core/gang/requests.h"
#include "core/gang/scheduler.h"
#include "core/gang/writes.h"
#include "server/lab/scheduler/scheduler.h"

struct skr_engine_driver_options {
    struct skr_settings settings;        /* strings borrowed */
    skr_time write_time;                 /* from the engine's wish to the API server's answer */
    skr_time solve_time;                 /* of every solve, as the engine is told */
    skr_time watch_delay;                /* until it sees what was written */
    struct skr_pod_templates *templates; /* borrowed */
    struct skr_trace trace;
    /* An Event (events.k8s.io/v1) the engine wrote; borrowed. NULL: nobody listens. */
    void (*event)(void *context, skr_time now, const json_t *event);
    /* The answer to a bind call; error NULL: bound. */
    void (*bind_done)(void *context, uint64_t call, const char *error);
    void *context;
};

struct skr_engine_driver;

struct skr_engine_driver *skr_engine_driver_create(const struct skr_engine_driver_options *options,
                                                   struct skr_store *store);
void skr_engine_driver_destroy(struct skr_engine_driver *driver); /* NULL allowed */
/* Lists what is in the store and lets the engine begin; once, before the first step. */
void skr_engine_driver_start(struct skr_engine_driver *driver, skr_time now);

skr_time skr_engine_driver_next(const struct skr_engine_driver *driver, skr_time now);
/* It has read all changes up to this revision. */
uint64_t skr_engine_driver_seen(const struct skr_engine_driver *driver);
size_t skr_engine_driver_step(struct skr_engine_driver *driver, skr_time now);

/* Appends why a group is not placed, as JSON (docs/reference.md, "Explanations"); or, unless FOUND,
 * a Status as core/gang/pages.h writes it. Takes no time. */
enum skr_explain_status skr_engine_driver_explain(struct skr_engine_driver *driver, skr_time now,
                                                  const char *namespace_, const char *name,
                                                  struct skr_strbuf *out);

/* For struct skr_scheduler_options; valid as long as the driver. */
struct skr_extender skr_engine_driver_extender(struct skr_engine_driver *driver, int32_t weight);

const struct skr_engine *skr_engine_driver_engine(const struct skr_engine_driver *driver);

#endif
