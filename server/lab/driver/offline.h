/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_OFFLINE_H
#define SKR_SERVER_LAB_DRIVER_OFFLINE_H
/*
 * A cluster without a machine: store, controllers and kubelet, the model of kube-scheduler, and the
 * daemon's engine as its extender, under one virtual clock. Nothing sleeps; the clock jumps to
 * whatever is due next. The same calls give the same run, byte for byte.
 *
 * What is in the store when _start() is called is what scheduler and engine find at their start. Pods
 * of DaemonSets have a scheduler of their own, for which no time passes: they get their nodes before
 * anybody else sees them.
 * Later changes are made through skr_offline_store() at the time skr_offline_now().
 */
#include "server/lab/cluster/cluster.h"
#include "server/lab/driver/engine_driver.h"

/* Latencies of the model. */
#define SKR_OFFLINE_WRITE_TIME SKR_MILLISECOND       /* a request to the API server */
#define SKR_OFFLINE_WATCH_TIME (SKR_MILLISECOND / 2) /* a change to reach the watchers */
#define SKR_OFFLINE_CYCLE_TIME (2 * SKR_MILLISECOND) /* a scheduling cycle */
#define SKR_OFFLINE_SOLVE_TIME SKR_MILLISECOND

enum { SKR_OFFLINE_WEIGHT = 20 }; /* of the extender's scores, as shipped */

struct skr_offline_options {
    struct skr_settings settings; /* strings borrowed */
    struct skr_cluster_options cluster;
    int percentage; /* percentageOfNodesToScore; 0: the default */
    skr_time start; /* of the clock */
    bool daemons;   /* there are DaemonSets, now or later */
    bool every_pod; /* pods of kube-scheduler's own profile are scheduled, too */
    struct skr_trace trace;
    /* Events the engine writes, as in struct skr_engine_driver_options. */
    void (*event)(void *context, skr_time now, const json_t *event);
    void *context;
};

struct skr_offline;

struct skr_offline *skr_offline_create(const struct skr_offline_options *options);
void skr_offline_destroy(struct skr_offline *offline); /* NULL allowed */
struct skr_store *skr_offline_store(struct skr_offline *offline);
/* Lets scheduler and engine begin. Call once. */
void skr_offline_start(struct skr_offline *offline);

skr_time skr_offline_now(const struct skr_offline *offline);
/* All models have read the changes up to this revision. */
uint64_t skr_offline_seen(const struct skr_offline *offline);
/* When something is due; SKR_TIME_NEVER: nothing. */
skr_time skr_offline_next(const struct skr_offline *offline);
/* Does what is due at skr_offline_next(); the clock stands there then. */
void skr_offline_step(struct skr_offline *offline);
/* Moves the clock on to at, which must not be after what is due next. */
void skr_offline_skip(struct skr_offline *offline, skr_time at);
/* Everything due until at, at included; the clock stands there then. */
void skr_offline_run(struct skr_offline *offline, skr_time at);

/* skr_engine_driver_explain() at the time of the clock. */
enum skr_explain_status skr_offline_explain(struct skr_offline *offline, const char *namespace_,
                                            const char *name, struct skr_strbuf *out);

/* Whether the controllers or the kubelet have anything to do, ever. */
bool skr_offline_cluster_is_idle(const struct skr_offline *offline);
const struct skr_engine_driver *skr_offline_driver(const struct skr_offline *offline);
void skr_offline_get_scheduler_stats(const struct skr_offline *offline,
                                     struct skr_scheduler_stats *ret);

#endif
