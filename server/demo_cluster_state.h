/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DEMO_CLUSTER_STATE_H
#define SKR_SERVER_DEMO_CLUSTER_STATE_H
/* State of the demo's cluster, shared by demo_cluster.c (time, watches, writes) and
 * demo_scheduler.c (kube-scheduler), and by nobody else. */
#include "server/demo_cluster.h"

enum task_kind {
    TASK_WATCH, /* object as it is at that time, or its deletion */
    TASK_WRITE, /* reaches the API server */
    TASK_SOLVED,
    TASK_CYCLE,
    TASK_BIND,
    TASK_START,
};

struct task {
    enum task_kind kind;
    skr_time at;
    uint64_t order;
    enum skr_demo_kind object_kind; /* WATCH */
    char *namespace_, *name, *uid;
    char *node;     /* BIND */
    uint64_t write; /* WRITE */
    enum skr_write_kind write_kind;
    char *body;
    struct skr_solve_request *solve;
    struct skr_solution *solution;
    struct skr_error error;
    struct task *prev, *next;
};

/* A pod as kube-scheduler's queue and cache see it. */
enum pod_place { POD_OUT, POD_QUEUED, POD_ASSUMED };

struct queued_pod {
    char *namespace_, *name;
    enum pod_place place;
    uint64_t request; /* of its bind call while assumed */
    struct queued_pod *prev, *next;
};

/* The filter or prioritize request that is being asked, and what came back. */
struct question {
    uint64_t request;
    size_t n;
    uint8_t *passes; /* [n] */
    size_t best;     /* prioritize: index of the highest score */
    char text[128];  /* why not */
};

struct skr_demo_cluster {
    struct skr_demo_cluster_options options;
    struct skr_engine *engine;
    struct skr_actions actions;
    struct skr_demo_objects *objects;
    skr_time now, timer;
    struct task *tasks;
    uint64_t order, request;
    struct queued_pod *pods;
    bool cycle_waits; /* a TASK_CYCLE is among the tasks */
    struct question *question;
    size_t writes[SKR_WRITE_KIND_COUNT];
};

/* ---- demo_cluster.c ---- */

void skr_demo_trace(struct skr_demo_cluster *c, enum skr_demo_trace kind, const char *format, ...)
    SKR_PRINTF(3, 4);
/* A task that runs after delay; its other fields are the caller's to fill. */
struct task *skr_demo_add_task(struct skr_demo_cluster *c, enum task_kind kind, skr_time delay,
                               const char *namespace_, const char *name);
/* The watchers hear of the object after delay. */
void skr_demo_announce(struct skr_demo_cluster *c, enum skr_demo_kind kind, const char *namespace_,
                       const char *name, skr_time delay);
/* Gives the event to the engine and carries its actions out. */
void skr_demo_handle(struct skr_demo_cluster *c, struct skr_event *event);
/* An upsert of the object as it is now. false when it does not decode; that is a bug of the story
 * or of the engine, and shows in the trace. */
bool skr_demo_decode(struct skr_demo_cluster *c, enum skr_demo_kind kind, const json_t *object,
                     struct skr_event *ret);

/* ---- demo_scheduler.c ---- */

/* The pod's object has changed. */
void skr_demo_scheduler_see(struct skr_demo_cluster *c, const char *namespace_, const char *name);
/* One scheduling cycle; one bind call that is due. */
void skr_demo_scheduler_cycle(struct skr_demo_cluster *c);
void skr_demo_scheduler_bind(struct skr_demo_cluster *c, const struct task *task);
/* The engine's answer to one of its requests. */
void skr_demo_scheduler_answer(struct skr_demo_cluster *c, const struct skr_answer *answer);
void skr_demo_scheduler_fini(struct skr_demo_cluster *c);

#endif
