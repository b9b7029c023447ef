/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_EVENT_H
#define SKR_CORE_GANG_EVENT_H
/*
 * What can happen to the engine. Object pointers of the _UPSERT events and the solution are taken
 * over by the engine, always, also when it ignores them. Everything else is borrowed for the
 * duration of skr_engine_handle().
 */
#include "core/group/podgroup.h"
#include "core/pod/pod.h"
#include "core/solver/solver.h"

enum skr_event_kind {
    SKR_EVENT_NODE_UPSERT,
    SKR_EVENT_NODE_DELETE, /* name */
    SKR_EVENT_POD_UPSERT,
    SKR_EVENT_POD_DELETE, /* namespace_, name, uid ("" if unknown) */
    SKR_EVENT_CONFIGMAP_UPSERT,
    SKR_EVENT_CONFIGMAP_DELETE, /* namespace_, name */
    SKR_EVENT_PODGROUP_UPSERT,
    SKR_EVENT_PODGROUP_DELETE,
    SKR_EVENT_SYNCED, /* all first lists have been delivered; before it the engine decides nothing
                       */
    SKR_EVENT_FILTER,
    SKR_EVENT_PRIORITIZE,
    SKR_EVENT_PREEMPT,
    SKR_EVENT_BIND,
    SKR_EVENT_HANGUP, /* request: the caller of a parked bind is gone */
    SKR_EVENT_SOLVED,
    SKR_EVENT_WRITE_DONE,
    SKR_EVENT_TIMER,
    SKR_EVENT_EXPLAIN,    /* namespace_, name of a group or of its map: why is it not placed?
                             Answered by SKR_ACTION_EXPLAIN, maybe after a solve */
    SKR_EVENT_LEADER_WON, /* an engine starts as leader; LOST makes it answer "not leader" */
    SKR_EVENT_LEADER_LOST,
    SKR_EVENT_SHUTDOWN, /* answers every parked bind; nothing is decided afterwards */
    SKR_EVENT_KIND_COUNT
};

enum skr_write_outcome {
    SKR_WRITE_OK,
    SKR_WRITE_CONFLICT,  /* 409 */
    SKR_WRITE_NOT_FOUND, /* 404, 410 */
    SKR_WRITE_INVALID,   /* 400, 413, 422: never going to work as it is */
    SKR_WRITE_DENIED,    /* 403 */
    SKR_WRITE_BUSY,      /* 429, 401 (credentials are read again): not applied */
    SKR_WRITE_UNKNOWN,   /* time-out, reset, 5xx: may or may not have been applied */
    SKR_WRITE_DROPPED,   /* never sent (droppable class, shutting down) */
    SKR_WRITE_OUTCOME_COUNT
};

/* Candidates of a preempt request: victims of a node by UID. */
struct skr_preempt_node {
    const char *node;
    size_t n_uids;
    const char **uid;
};

struct skr_event {
    enum skr_event_kind kind;
    const char *namespace_; /* deletes, BIND */
    const char *name;
    const char *uid;
    union {
        struct skr_node *node;           /* taken */
        struct skr_pod *pod;             /* taken */
        struct skr_configmap *configmap; /* taken */
        struct skr_podgroup *podgroup;   /* taken */
        struct {
            uint64_t request;
            const struct skr_pod *pod; /* as in the request; borrowed */
            size_t n_nodes;
            const char *const *node; /* names asked about, borrowed, no duplicates promised */
        } filter;                    /* FILTER, PRIORITIZE */
        struct {
            uint64_t request;
            const struct skr_pod *pod;
            size_t n_nodes;
            const struct skr_preempt_node *node;
        } preempt;
        struct {
            uint64_t request;
            const char *node;
        } bind; /* namespace_, name, uid above */
        struct {
            uint64_t request;
        } hangup;
        struct {
            uint64_t request;
        } explain; /* namespace_, name above */
        struct {
            uint64_t solve;
            struct skr_solution *solution; /* taken; NULL with error */
            struct skr_error error;
            int64_t took_ns; /* of the solve, measured by the shell; 0 under a virtual clock */
        } solved;
        struct {
            uint64_t write;
            enum skr_write_outcome outcome;
            int32_t http_status;       /* 0: no answer */
            uint64_t resource_version; /* of the answer; 0 unknown */
            const char *message;       /* of the answer's Status, or of the transport; "" */
            skr_time retry_after;      /* of a 429; 0 unknown */
            /* GET writes with OK: the object; taken */
            struct skr_pod *pod;
            struct skr_configmap *configmap;
            struct skr_podgroup *podgroup;
        } write_done;
    };
};

#endif
