/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_ENGINE_RIG_OBJECTS_H
#define SKR_TEST_UNIT_ENGINE_RIG_OBJECTS_H
/*
 * What stands on the test bench of engine_rig.h: API objects, requests to the API server and what becomes of them,
 * watch events under way, calls of kube-scheduler, solves.
 */
#include <jansson.h>
#include <uthash.h>

#include "core/gang/state/requests.h"
#include "core/gang/state/solve_request.h"
#include "core/gang/state/types.h"
#include "core/gang/state/writes.h"

enum rig_kind {
    RIG_NODE,
    RIG_POD,
    RIG_MAP,
    RIG_PODGROUP,
    RIG_BUDGET,
    RIG_CLASS, /* DeviceClass */
    RIG_SLICE, /* ResourceSlice */
    RIG_JOB,
    RIG_JOBSET,
    RIG_STATEFUL_SET,
    RIG_NATIVE,    /* PodGroup of scheduling.k8s.io */
    RIG_NAMESPACE, /* with label sakkara.gang=auto */
    RIG_VOLUME_CLAIM,
    RIG_DEVICE_CLAIM,
    RIG_CLAIM_TEMPLATE,
    RIG_LWS,
    RIG_RAYCLUSTER,
    RIG_PYTORCHJOB,
    RIG_MPIJOB,
    RIG_DEPLOYMENT,
    RIG_KIND_COUNT
};
enum {
    RIG_HEARD_READABLE = RIG_KIND_COUNT, /* maps: the last version that could be read */
    RIG_HEARD_COUNT
};

/* What kube-scheduler finds of a PersistentVolumeClaim: engine_rig_claims.c. */
enum rig_claim { RIG_CLAIM_BOUND, RIG_CLAIM_MISSING, RIG_CLAIM_ELSEWHERE, RIG_CLAIM_LATE };

/* What becomes of a request to the API server. */
enum rig_outcome {
    RIG_OK, /* as the objects say: applied, or refused for a reason */
    RIG_409,
    RIG_404,
    RIG_422,
    RIG_403,
    RIG_429,
    RIG_LOST_APPLIED, /* applied; the answer is lost */
    RIG_LOST,         /* never arrived; a time-out */
    RIG_TWICE,        /* sent again by the transport: the answer is that of the second time */
};

enum rig_place { RIG_OUT, RIG_QUEUED, RIG_REJECTED, RIG_ASSUMED, RIG_BACKOFF };

struct rig_object {
    UT_hash_handle hh;
    struct rig_object *prev, *next; /* in order of creation */
    char *id;                       /* kind and key */
    enum rig_kind kind;
    const char *key; /* inside id */
    json_t *json;
    struct skr_node *node; /* decoded */
    struct skr_pod *pod;
    /* pods: the scheduler's side */
    enum rig_place place;
    bool in_tree_only;     /* rejected without the extender being asked */
    bool in_cycle;         /* it is being scheduled */
    bool missed;           /* and something happened meanwhile that brings a rejected one back */
    uint64_t queued_order; /* its place in the queue; 0: it was never there */
    skr_time queued_at;
    skr_time tried_at;      /* when it was last scheduled, asked about by hand, or edited */
    skr_time ready_at;      /* in BACKOFF */
    char assumed_node[64];  /* of its own: the node may go */
    skr_time volumes_until; /* assumed, and waits for its volumes at most until then; 0: does not */
    bool removed;           /* deleted through the API: goes at its deletionTimestamp */
    bool voted;             /* a bind call of its came in and was not hung up */
    char voted_node[64];
    size_t bindings;  /* successful POSTs */
    bool came_late;   /* the last of a process that was paused then: nobody was told before */
    size_t n_filters; /* filter calls for it */
    size_t n_patches[SKR_WRITE_KIND_COUNT];
    char accounted[64]; /* node whose sum it is in; "" none */
    int64_t accounted_cpu;
    /* nodes */
    int64_t cpu_used;    /* of bound live pods, millicores */
    int64_t cpu_pending; /* of assumed and nominated ones, while a pod is scheduled */
    bool reserved;       /* a group has room on it, while filter is asked */
};

struct rig_write {
    struct rig_write *prev, *next;
    uint64_t id;
    enum skr_write_kind kind;
    enum skr_write_class class;
    uint64_t order; /* within the class */
    char *key;      /* namespace/name */
    json_t *body;   /* NULL for reads */
    bool held;
    bool held_back; /* asked for by one that does not know that it does not lead: never sent */
    int late;       /* HTTP status: it arrived while its process was paused; 0 not */
    uint64_t late_version; /* of the objects then */
};

struct rig_watch {
    struct rig_watch *prev, *next;
    enum rig_kind kind;
    char *key, *uid;
    json_t *json;                       /* NULL: deleted */
    bool by_user;                       /* rig.users_act was set */
    const struct skr_object_type *list; /* of this kind all objects; NULL: it is about one */
};

enum rig_call_state { RIG_OPEN, RIG_BOUND, RIG_ERROR, RIG_HUNG_UP };
struct rig_call {
    struct rig_call *prev, *next;
    uint64_t request;
    char *key, *uid, *node;
    enum rig_call_state state;
    bool by_hand; /* asked by the test, not by the scheduler */
    bool lost;    /* broken by the pause of the process it was made to */
    skr_time at;
    char text[80];
};

struct rig_solve {
    struct rig_solve *prev, *next;
    struct skr_solve_request *request;
    bool
        in_vain; /* a search for victims, though its group has room when those that leave are gone */
};

struct rig_fault {
    struct rig_fault *prev, *next;
    enum skr_write_kind kind;
    char *key; /* NULL: any */
    enum rig_outcome outcome;
    int skip, times; /* after skip matching ones, this many */
};

struct rig_answer {
    enum skr_answer_kind kind;
    char text[80];
    size_t n_passed;
    char first[64];    /* first name that passed */
    char passed[1024]; /* all of them, blank separated */
    int8_t scores[64];
};

#endif
