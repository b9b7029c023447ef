/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_DRIVER_LAB_H
#define SKR_SERVER_LAB_DRIVER_LAB_H
/*
 * A cluster without a machine: store, controllers and kubelet, the model of kube-scheduler, the
 * gang scheduler as its extender, and any further scheduler that joins, under one virtual clock.
 * Nothing sleeps; the clock jumps to the next due time. The same calls give the same run, byte for
 * byte.
 *
 * Scheduler and engine start with the store's contents at _start(). Pods of DaemonSets have their
 * own scheduler, which takes no time: they get nodes before any other model sees them. Later
 * changes are made through skr_lab_store() at the time skr_lab_now().
 */
#include "core/gang/scheduler.h"
#include "core/gang/state/requests.h"
#include "server/lab/cluster/cluster.h"
#include "server/lab/driver/driver.h"
#include "server/lab/scheduler/scheduler.h"

/* Latencies of the model. */
#define SKR_LAB_WRITE_TIME SKR_MILLISECOND       /* a request to the API server */
#define SKR_LAB_WATCH_TIME (SKR_MILLISECOND / 2) /* a change to reach the watchers */
#define SKR_LAB_CYCLE_TIME (2 * SKR_MILLISECOND) /* a scheduling cycle */
#define SKR_LAB_SOLVE_TIME SKR_MILLISECOND

enum {
    SKR_LAB_WEIGHT = 20, /* of the extender's scores, as shipped */
    SKR_LAB_JOINED_MAX = 4,
};

struct skr_lab_options {
    struct skr_settings settings; /* of the gang scheduler; strings borrowed */
    struct skr_cluster_options cluster;
    int percentage; /* percentageOfNodesToScore; 0: the default */
    skr_time start; /* of the clock */
    bool daemons;   /* there are or will be DaemonSets */
    bool every_pod; /* pods of kube-scheduler's own profile are scheduled, too */
    struct skr_trace trace;
    /* Events that the gang scheduler writes, as in struct skr_driver_options. */
    void (*event)(void *context, skr_time now, const json_t *event);
    void *context;
};

struct skr_lab;

struct skr_lab *skr_lab_create(const struct skr_lab_options *options);
void skr_lab_destroy(struct skr_lab *lab); /* NULL allowed */
struct skr_store *skr_lab_store(struct skr_lab *lab);
/* Adds a started driver over the lab's store; borrowed. */
void skr_lab_join(struct skr_lab *lab, struct skr_driver *driver);
/* Starts kube-scheduler's model and the gang scheduler. Call once. */
void skr_lab_start(struct skr_lab *lab);

/* Whether it places pods with this schedulerName, once it is started. */
bool skr_lab_schedules(const struct skr_lab *lab, const char *scheduler);
skr_time skr_lab_now(const struct skr_lab *lab);
/* All models have read the changes up to this revision. */
uint64_t skr_lab_seen(const struct skr_lab *lab);
/* When something is due; SKR_TIME_NEVER: nothing. */
skr_time skr_lab_next(const struct skr_lab *lab);
/* Does what is due at skr_lab_next(), and sets the clock to it. */
void skr_lab_step(struct skr_lab *lab);
/* Moves the clock to at, which must not be after the next due time. */
void skr_lab_skip(struct skr_lab *lab, skr_time at);
/* Does all that is due until at, inclusive, and sets the clock to at. */
void skr_lab_run(struct skr_lab *lab, skr_time at);

/* Appends why a group is not placed, as JSON (docs/reference.md, "Explanations"); if not FOUND, a
 * Status as core/gang/state/pages.h writes it. Takes no time. */
enum skr_explain_status skr_lab_explain(struct skr_lab *lab, const char *namespace_,
                                        const char *name, struct skr_strbuf *out);

/* Whether a workload has no pods because they were refused. */
bool skr_lab_is_refused(const struct skr_lab *lab);
/* Whether controllers and kubelet will never have work again. */
bool skr_lab_cluster_is_idle(const struct skr_lab *lab);
/* Of the gang scheduler. */
const struct skr_engine *skr_lab_engine(const struct skr_lab *lab);
void skr_lab_get_scheduler_stats(const struct skr_lab *lab, struct skr_scheduler_stats *ret);

#endif
