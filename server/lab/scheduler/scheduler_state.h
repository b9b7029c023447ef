/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_STATE_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_STATE_H
/*
 * Shared by the files of the scheduler's model: its view of nodes and pods (one entry per pod,
 * waiting or running) and its options. Private to scheduler*.c and their tests.
 *
 * A pod is in exactly one place. Places that count against a node: ASSUMED and ASSIGNED (requests
 * are in node->used), and waiting ones with a nomination (in node->nominated).
 */
#include <uthash.h>

#include "core/frame/heap.h"
#include "core/pod/shapes.h"
#include "server/lab/scheduler/scheduler_options.h"
#include "server/lab/store/watcher.h"
#include "topology/node_keep.h"
#include "topology/resources.h"

/* The plugins that refused the pod: they decide what wakes it. */
enum {
    SKR_SCHED_BY_UNSCHEDULABLE = 1,
    SKR_SCHED_BY_TAINT = 2,
    SKR_SCHED_BY_AFFINITY = 4,
    SKR_SCHED_BY_FIT = 8,
    SKR_SCHED_BY_EXTENDER = 16,
    SKR_SCHED_BY_PORTS = 32,
    SKR_SCHED_BY_DEVICES = 64,
    SKR_SCHED_BY_VOLUMES = 128,
};

enum skr_sched_place {
    SKR_SCHED_OUT, /* ignored: another scheduler's and without a node, or finished */
    SKR_SCHED_GATED,
    SKR_SCHED_ACTIVE,
    SKR_SCHED_BACKOFF,
    SKR_SCHED_ERROR_BACKOFF,
    SKR_SCHED_UNSCHEDULABLE,
    SKR_SCHED_IN_CYCLE,
    SKR_SCHED_ASSUMED,  /* in bind */
    SKR_SCHED_ASSIGNED, /* bound in the API server */
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
    skr_time timestamp; /* of its arrival in the queue, or of the last failure */
    uint64_t order;     /* breaks ties: order of arrival */
    skr_time expiry;    /* end of the backoff's window; 0: no backoff */
    int32_t attempts, rejections, errors;
    unsigned rejected_by;              /* SKR_SCHED_BY_* of the last failure */
    struct skr_sched_pod *prev, *next; /* UNSCHEDULABLE, oldest first */
    uint64_t call;                     /* of its bind while ASSUMED; 0 after success */
    json_t *devices;        /* ASSUMED: claims with the devices that it takes; NULL: not reserved */
    bool devices_written;   /* in the API server, too */
    skr_time volumes_until; /* its bind call waits for its claims until then; 0: it does not */
    UT_hash_handle hh;      /* by uid */
    UT_hash_handle hh_call; /* by call */
};

struct skr_sched_node {
    char *name;
    struct skr_node *node;    /* NULL: it does not exist, but pods are on it or nominated */
    size_t order;             /* index in cache->present while it exists */
    struct skr_amounts offer; /* by the table of names; 0 without room there */
    int64_t *allocatable, *used;
    size_t n_allocatable, n_used;     /* by resource id; beyond: 0 */
    size_t n_pods;                    /* charged */
    struct skr_sched_pod *with_ports; /* pods with host ports */
    struct skr_sched_pod *nominated;
    UT_hash_handle hh;
};

struct skr_sched_devices;
struct skr_sched_volumes;

struct skr_sched_cache {
    struct skr_resource_names *resources;
    struct skr_sched_devices *devices; /* scheduler_devices.h */
    bool devices_needed;               /* skr_scheduler_options.devices */
    struct skr_sched_volumes *volumes; /* scheduler_volumes.h */
    uint64_t version;                  /* of resources, for which amounts of pods are resolved */
    struct skr_node_shared shared;     /* what nodes have in common */
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
    struct skr_sched_answer *answer; /* not yet handled */
    size_t n_answers, cap_answers;
    skr_time now, busy_until;
    size_t n_volume_waits; /* bind calls that wait for claims */
    size_t start;          /* where the next search begins */
    uint64_t call;         /* last number */
    uint64_t n_shares,
        n_extended; /* numbers of shares of devices, of claims for extended resources */
    uint64_t random;
    const char **names; /* working space for a cycle: [n nodes] */
    uint8_t *passes;
    const char **why;
    int32_t *score;
    size_t cap_names;
    struct skr_scheduler_stats stats;
};

/* ---- scheduler_events.c: from the store to cache and queue ---- */
void skr_sched_take_change(struct skr_scheduler_model *s, const struct skr_store_change *change);
/* Wakes other pods that the freed room of this one may help. */
void skr_sched_pod_left(struct skr_scheduler_model *s, const struct skr_sched_pod *gone);
/* Frees the entry with all it owns. */
void skr_sched_pod_destroy(struct skr_scheduler_model *s, struct skr_sched_pod *p);

/* ---- scheduler_report.c: reports about pods ---- */
/* Patches the status if reason or message are new, or a nomination must be cleared; writes an
 * Event. */
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
