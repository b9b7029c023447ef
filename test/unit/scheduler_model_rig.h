/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_UNIT_SCHEDULER_MODEL_RIG_H
#define SKR_TEST_UNIT_SCHEDULER_MODEL_RIG_H
/*
 * The model of kube-scheduler on a store of its own, for TEST_WITH(rig, ...). The extender is a
 * script: what it answers stands in the rig, and so does what it was asked.
 */
#include <stdint.h>

#include "server/lab/scheduler/scheduler.h"

#define START ((skr_time)1735689600 * SKR_SECOND)
#define MS    SKR_MILLISECOND

enum { CALLS_MAX = 4096 };

struct filter_call {
    skr_time at;
    char pod[64];
    size_t n;
    char first[64];
};

/* Ends every sentence of a refusal. */
#define AFTER ". no new claims to deallocate"

struct rig {
    struct skr_store *store;
    struct skr_scheduler_model *scheduler;
    skr_time now;
    /* script */
    const char *only;  /* the one node that passes; NULL: all; "": none */
    const char *error; /* of filter; NULL: none */
    const char *best;  /* of prioritize */
    bool hold;         /* binds are not answered */
    const char *bind_error;
    bool bind_store; /* a bind writes the Binding */
    /* record */
    struct filter_call call[CALLS_MAX];
    size_t n_calls, n_prioritize, n_binds;
    uint64_t bind_call;
    char bound_to[64], bound_pod[64];
};

void rig_set_up(struct rig *r);
void rig_tear_down(struct rig *r);
/* The model, which must not be there yet; percentage of nodes to score, 0: as it sees fit. */
void sched_create(struct rig *r, int percentage);

/* The object is created or replaced; takes it. */
void sched_put(struct rig *r, json_t *object);
void sched_add_node(struct rig *r, const char *name, const char *cpu);
void sched_add_pod(struct rig *r, const char *name, const char *cpu);
/* More fields of its spec. */
void sched_add_pod_with(struct rig *r, const char *name, const char *cpu, const char *spec_json);
/* A merge patch; subresource "": the object itself. */
void sched_patch(struct rig *r, const char *kind, const char *name, const char *subresource,
                 const char *text);
void sched_write_binding(struct rig *r, const char *pod, const char *node, skr_time now);

/* All that the model does within this time. */
void sched_run(struct rig *r, skr_time duration);

/* A pod that is there. Borrowed, as is the text of its condition PodScheduled. */
const json_t *sched_get(struct rig *r, const char *pod);
const char *sched_condition(struct rig *r, const char *pod, const char *field);
/* node "": on none */
void sched_assert_on(struct rig *r, const char *pod, const char *node);

#endif
