/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_STATE_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_STATE_H
/*
 * What the files of the scheduler's model share: its view of nodes and pods (one entry a pod,
 * whether it waits or runs) and its options. Private to scheduler*.c and their tests.
 *
 * A pod is in exactly one place. Places that count against a node: ASSUMED and ASSIGNED (its
 * requests are in node->used), and the waiting ones with a nomination (they are in
 * node->nominated).
 */
#include <uthash.h>

#include "core/frame/heap.h"
#include "core/pod/shapes.h"
#include "server/lab/scheduler/scheduler_options.h"
#include "server/lab/store/watcher.h"
#include "topology/node_keep.h"
#include "topology/resources.h"

/* Who refused the pod: the plugins that decide what wakes it. */
enum {
    SKR_SCHED_BY_UNSCHEDULABLE = 1,
    SKR_SCHED_BY_TAINT = 2,
    SKR_SCHED_BY_AFFINITY = 4,
    SKR_SCHED_BY_FIT = 8,
    SKR_SCHED_BY_EXTENDER = 16,
    SKR_SCHED_BY_PORTS = 32,
};

enum skr_sched_place {
    SKR_SCHED_OUT, /* of no interest: another scheduler's and not on a node, or finished */
    SKR_SCHED_GATED,
    SKR_SCHED_ACTIVE,
    SKR_SCHED_BACKOFF,
    SKR_SCHED_ERROR_BACKOFF,
    SKR_SCHED_UNSCHEDULABLE,
    SKR_SCHED_IN_CYCLE,
    SKR_SCHED_ASSUMED,  /* on its way through bind */
    SKR_SCHED_ASSIGNED, /* the API server says so */
    SKR_SCHED_PLACE_COUNT
};

struct skr_sched_node;

struct skr_sched_pod {
    struct skr_heap_item waits; /* in the heap of its place */
    char *uid;
    struct skr_pod *pod; /* as last seen */
    struct skr_amounts amounts;
    enum skr_sched_place place;

    struct skr_sched_node *node; /* ASSUMED, ASSIGNED: charged there */
    bool has_ports;              /* of the node: listed there */
    struct skr_sched_pod *ports_prev, *ports_next;
    struct skr_sched_node *nominated; /* listed there */
    struct skr_sched_pod *nominated_prev, *nominated_next;

    /* queue */
    skr_time timestamp; /* of coming into the queue, or of the last failure */
    uint64_t order;     /* breaks ties: order of coming in */
    skr_time expiry;    /* end of the backoff's window; 0: no backoff */
    int32_t attempts, rejections, errors;
    unsigned rejected_by;              /* SKR_SCHED_BY_* of the last failure */
    struct skr_sched_pod *prev, *next; /* UNSCHEDULABLE, oldest first */
    uint64_t call;                     /* of its bind while ASSUMED; 0 once answered well */
    bool bind_waits;                   /* the call begins when the cycle ends */
    UT_hash_handle hh;                 /* by uid */
    UT_hash_handle hh_call;            /* by call */
};

struct skr_sched_node {
    char *name;
    struct skr_node *node;    /* NULL: pods are on it, or nominated, but it is not there */
    size_t order;             /* index in cache->present while there */
    struct skr_amounts offer; /* by the table of names; nothing: it has no room for them */
    int64_t *allocatable, *used;
    size_t n_allocatable, n_used;     /* by resource id; beyond: 0 */
    size_t n_pods;                    /* charged */
    struct skr_sched_pod *with_ports; /* these that have host ports */
    struct skr_sched_pod *nominated;
    UT_hash_handle hh;
};

struct skr_sched_cache {
    struct skr_resource_names *resources;
    uint64_t version;              /* of resources, that amounts of pods follow */
    struct skr_node_shared shared; /* what nodes have alike */
    struct skr_sched_node *by_name;
    struct skr_sched_node **present; /* order of arrival */
    size_t n_present, cap_present;
};

struct skr_sched_queue {
    skr_time initial_backoff, max_backoff;
    skr_time flushed_at; /* of the last flush of the unschedulable */
    struct skr_heap active, backoff, error_backoff;
    struct skr_sched_pod *unschedulable;
    size_t n_unschedulable, n_gated;
    uint64_t order;
};

struct skr_sched_answer {
    uint64_t call;
    bool failed;
    char text[256];
};

struct skr_scheduler_model {
    struct skr_scheduler_options options;
    struct skr_store *store;
    struct skr_watcher watcher;
    struct skr_sched_cache cache;
    struct skr_sched_queue queue;
    struct skr_pod_shapes *shapes;
    struct skr_sched_pod *pods;      /* by uid */
    struct skr_sched_pod *calls;     /* open bind calls */
    struct skr_sched_pod *bind_next; /* its cycle ends at busy_until */
    struct skr_sched_answer *answer; /* not yet taken in */
    size_t n_answers, cap_answers;
    skr_time now, busy_until;
    size_t start;  /* where the next search begins */
    uint64_t call; /* last number */
    uint64_t random;
    const char **names; /* room for a cycle: [n nodes] */
    uint8_t *passes;
    const char **why;
    int32_t *score;
    size_t cap_names;
    struct skr_scheduler_stats stats;
};

/* ---- scheduler_events.c: from the store to cache and queue ---- */
void skr_sched_take_change(struct skr_scheduler_model *s, const struct skr_store_change *change);
/* Wakes the pods that the freed room of this one may help; all but itself. */
void skr_sched_pod_left(struct skr_scheduler_model *s, const struct skr_sched_pod *gone);
/* Frees the entry with all it has. */
void skr_sched_pod_destroy(struct skr_scheduler_model *s, struct skr_sched_pod *p);

/* ---- scheduler_report.c: what is reported of pods ---- */
/* Patches the status when reason or message are new, or a nomination has to go; an Event. */
void skr_sched_report_failure(struct skr_scheduler_model *s, const struct skr_pod *pod,
                              const char *reason, const char *message, bool clear_nomination);
void skr_sched_report_bound(struct skr_scheduler_model *s, const struct skr_pod *pod,
                            const char *node);

/* ---- scheduler_cycle.c: one cycle, and its failures ---- */
/* Pops a pod and schedules it. */
void skr_sched_cycle(struct skr_scheduler_model *s);
void skr_sched_bind_failed(struct skr_scheduler_model *s, struct skr_sched_pod *p,
                           const char *text);

#endif
