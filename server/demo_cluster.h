/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DEMO_CLUSTER_H
#define SKR_SERVER_DEMO_CLUSTER_H
/*
 * A small cluster around the real engine, under a virtual clock: a table of objects, watches that
 * deliver every change, writes that are applied, a model of kube-scheduler (one cycle at a time;
 * the nominated node first, then all; held binds) and of a kubelet. Nothing sleeps, nothing is
 * random: the same objects give the same run.
 *
 * What it leaves out of kube-scheduler: in-tree filters (every ready node is offered), preemption,
 * sampling; a rejected pod returns when its object changes.
 */
#include "core/engine.h"
#include "server/demo_objects.h"

/* Latencies of the model. */
#define SKR_DEMO_WRITE_TIME SKR_MILLISECOND         /* a request to the API server */
#define SKR_DEMO_WATCH_TIME (SKR_MILLISECOND / 2)   /* a change to reach the watchers */
#define SKR_DEMO_CYCLE_TIME (2 * SKR_MILLISECOND)   /* a scheduling cycle */
#define SKR_DEMO_START_TIME (300 * SKR_MILLISECOND) /* Binding to Running */

enum skr_demo_trace {
    SKR_DEMO_TRACE_DECISION, /* of the engine: a group moved on */
    SKR_DEMO_TRACE_VERB,     /* a request of kube-scheduler and its answer */
    SKR_DEMO_TRACE_WRITE,    /* a request to the API server and its answer */
    SKR_DEMO_TRACE_COUNT
};

struct skr_demo_cluster_options {
    struct skr_settings settings;
    skr_time start;
    /* text: one line, borrowed. NULL: silence. */
    void (*trace)(void *context, enum skr_demo_trace kind, skr_time since_start, const char *text);
    void *trace_context;
};

struct skr_demo_cluster;

/* settings' strings and the context are borrowed. */
struct skr_demo_cluster *skr_demo_cluster_create(const struct skr_demo_cluster_options *options);
void skr_demo_cluster_destroy(struct skr_demo_cluster *cluster); /* NULL allowed */

/* Creates an object, as kubectl create does; takes it. Errors: of skr_demo_objects_add(). */
int skr_demo_cluster_add(struct skr_demo_cluster *cluster, json_t *object, struct skr_error *error);
int skr_demo_cluster_remove(struct skr_demo_cluster *cluster, enum skr_demo_kind kind,
                            const char *namespace_, const char *name);
/* Everything listed so far is what the daemon finds at its start. Call once, before running. */
void skr_demo_cluster_sync(struct skr_demo_cluster *cluster);
/* Lets everything happen that is due until `duration` from now; the clock stands there then. */
void skr_demo_cluster_run(struct skr_demo_cluster *cluster, skr_time duration);

const struct skr_demo_objects *skr_demo_cluster_objects(const struct skr_demo_cluster *cluster);
skr_time skr_demo_cluster_now(const struct skr_demo_cluster *cluster);
/* Writes of a kind so far. */
size_t skr_demo_cluster_writes(const struct skr_demo_cluster *cluster, enum skr_write_kind kind);

#endif
