/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_BINDING_H
#define SKR_CORE_PROPAGATION_BINDING_H
/*
 * A ResourceBinding or ClusterResourceBinding of Karmada (work.karmada.io/v1alpha2): an object of a
 * user, how many replicas of what size it wants, its placement, and where it runs now.
 */
#include "core/propagation/component_sets.h"
#include "core/propagation/placement.h"

enum {
    SKR_BINDING_CLUSTERS_MAX = 100000,  /* spec.clusters */
    SKR_BINDING_TASKS_MAX = 100000,     /* gracefulEvictionTasks */
    SKR_TARGET_COMPONENTS_MAX = 100000, /* components of one entry of spec.clusters */
};

struct skr_target {
    const char *name;
    int32_t replicas;
    bool has_replicas; /* written as a number; without, the entry names the cluster only */
    bool has_components;
    bool has_all_components; /* those of spec.components, with their replicas */
};

struct skr_object_reference {
    const char *api_version;
    const char *kind;
    const char *namespace_;
    const char *name;
    const char *uid;
};

/* Bytes in the arena of a binding. */
struct skr_binding_bytes {
    const char *data;
    size_t n;
};

struct skr_binding {
    struct skr_arena *arena;
    struct skr_meta meta; /* namespace_ "": a ClusterResourceBinding */
    int64_t generation;
    bool is_managed; /* carries the label of a policy or of a manager */
    const char *scheduler_name;
    bool suspended;
    bool has_affinity_groups; /* spec.workloadAffinityGroups names one; not supported */
    bool asks_for_nodes;      /* a nodeClaim has a selector or an affinity: estimators alone know */
    int32_t priority;
    struct skr_object_reference resource;
    int32_t replicas;
    bool has_requirements;
    struct skr_quantities request; /* of one replica */
    size_t n_components;
    const struct skr_component *component;
    struct skr_component_set set; /* of the components */
    /* The rest of a request to an estimator (estimator_wire.h): for replicas, and for sets of
     * components. Not set where room decides nothing (skr_binding_uses_room()). */
    struct skr_binding_bytes replicas_asked, sets_asked;
    size_t n_targets; /* spec.clusters, in its order */
    struct skr_target *target;
    const struct skr_target **target_by_name; /* sorted */
    size_t n_evicting;                        /* clusters that evictions are going on from */
    const char **evicting;
    /* Why it cannot be served: its placement or requests are beyond a limit, and not read; else
     * NULL. */
    const char *refusal;
    bool has_placement;
    struct skr_binding_placement placement;
    const char *placement_text; /* the same as compact JSON; "" when absent */
    const char *applied_text;   /* annotation policy.karmada.io/applied-placement; "" when absent */
    skr_time reschedule_at;     /* spec.rescheduleTriggeredAt; 0 when absent */
    skr_time last_scheduled;    /* 0 when absent */
    int64_t observed_generation;
    const char *observed_affinity;
    const char *condition_status; /* of condition Scheduled; "" when absent */
    const char *condition_reason;
    const char *condition_message;
    skr_time condition_since;
    const char *other_conditions; /* "{...},{...}": those of other types as compact JSON */
};

/* *ret: struct skr_binding. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. Cost
 * O(size). */
int skr_binding_decode(const json_t *json, void **ret, struct skr_error *error);

/* Has replicas, or says what one would need. Components do not count. */
bool skr_binding_has_replicas(const struct skr_binding *binding);
/* Replicas are assigned to clusters; otherwise an object goes to them as a whole. */
bool skr_binding_assigns_replicas(const struct skr_binding *binding);
/* Whether the room of clusters can count for a decision: it has replicas or components, and no
 * static weights. */
bool skr_binding_uses_room(const struct skr_binding *binding);
/* A complete new distribution was asked for since the last one. */
bool skr_binding_is_fresh(const struct skr_binding *binding);
/* The first entry of spec.clusters with this name, or NULL. O(log targets). */
const struct skr_target *skr_binding_target(const struct skr_binding *binding, const char *cluster);
bool skr_binding_is_evicting(const struct skr_binding *binding, const char *cluster);

#endif
