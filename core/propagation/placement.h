/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_PLACEMENT_H
#define SKR_CORE_PROPAGATION_PLACEMENT_H
/*
 * The placement of a binding (policy.karmada.io/v1alpha1 Placement, embedded in the binding's
 * spec): which clusters, how spread, how divided. Decoded into the arena of its binding.
 *
 * Matching follows karmada pkg/util/selector.go (ClusterMatches), tolerations component-helpers
 * scheduling/corev1 with the operators Equal and Exists.
 */
#include "core/pod/pod.h"
#include "core/propagation/cluster.h"

enum {
    /* clusterAffinities; overflowAffinities of one likewise. Each may take a decision of its
     * own. */
    SKR_BINDING_PLACEMENT_TERMS_MAX = 32,
    SKR_BINDING_PLACEMENT_NAMES_MAX = 100000, /* clusterNames, exclude: each */
    /* Requirements of all affinities together. The limit also holds for the rules of the static
     * weight list that name no cluster, where each rule counts as one more. Every cluster is
     * compared with all. */
    SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX = 1024,
    SKR_BINDING_PLACEMENT_VALUES_MAX = 16384, /* of one requirement */
    SKR_BINDING_PLACEMENT_TOLERATIONS_MAX = 128,
    SKR_BINDING_PLACEMENT_CONSTRAINTS_MAX = 64,
    SKR_BINDING_PLACEMENT_WEIGHTS_MAX = 16384, /* rules of a static weight list */
};

struct skr_cluster_affinity {
    bool never; /* a selector that Kubernetes refuses: matches no cluster */
    size_t n_excluded;
    const char **excluded;
    size_t n_names; /* 0: any */
    const char **name;
    size_t n_labels;
    struct skr_selector_requirement *label;
    size_t n_fields; /* keys provider, region, zone; is_field */
    struct skr_selector_requirement *field;
};

struct skr_affinity_term {
    const char *name;
    struct skr_cluster_affinity affinity;
    size_t n_overflow;
    struct skr_cluster_affinity *overflow;
};

/* Levels from the top; clusters below all of them. */
enum skr_spread_field {
    SKR_SPREAD_PROVIDER,
    SKR_SPREAD_REGION,
    SKR_SPREAD_ZONE,
    SKR_SPREAD_CLUSTER,
    SKR_SPREAD_FIELD_COUNT
};
enum { SKR_SPREAD_LEVELS = SKR_SPREAD_CLUSTER };
extern const char *const skr_spread_field_name[]; /* "provider", ... */
/* The cluster's provider or region, or its zone of that number; "" if it has none. */
static inline const char *skr_spread_place_of(const struct skr_member_cluster *cluster,
                                              enum skr_spread_field field, size_t zone)
{
    return field == SKR_SPREAD_PROVIDER ? cluster->provider
           : field == SKR_SPREAD_REGION ? cluster->region
           : zone < cluster->n_zones    ? cluster->zone[zone]
                                        : "";
}

struct skr_group_constraint {
    enum skr_spread_field field; /* _COUNT: a label, or a field that does not exist */
    const char *other;           /* then: its name */
    int64_t min_groups;          /* 0 when absent */
    int64_t max_groups;
};

struct skr_static_weight {
    struct skr_cluster_affinity affinity;
    int64_t weight;
};

/* How replicas are divided. */
enum skr_division_kind {
    SKR_DIVISION_DUPLICATED,
    SKR_DIVISION_STATIC,
    SKR_DIVISION_DYNAMIC,
    SKR_DIVISION_AGGREGATED,
    SKR_DIVISION_UNSUPPORTED,
    SKR_DIVISION_KIND_COUNT
};

struct skr_binding_placement {
    bool has_affinity; /* then terms are not looked at */
    struct skr_cluster_affinity affinity;
    size_t n_terms;
    struct skr_affinity_term *term;
    size_t n_tolerations;
    struct skr_toleration *toleration;
    size_t n_constraints;
    struct skr_group_constraint *constraint;
    enum skr_division_kind kind;
    const char *strategy;  /* "Divided/Foo": for messages */
    bool empty_preference; /* Divided, Weighted, and weightPreference is {} */
    size_t n_weights;
    struct skr_static_weight *weight;
    bool has_workload_affinity; /* not supported */
};

/* placement: the JSON object. */
void skr_binding_placement_decode(const struct skr_fields *placement,
                                  struct skr_binding_placement *ret);
/* clusterAffinity and what has its fields, for placement.c. */
void skr_cluster_affinity_decode(const struct skr_fields *affinity,
                                 struct skr_cluster_affinity *ret);

/* O(requirements * log(values) + log(names)). */
bool skr_cluster_affinity_matches(const struct skr_cluster_affinity *affinity,
                                  const struct skr_member_cluster *cluster);
/* Whether every NoSchedule and NoExecute taint is tolerated. */
bool skr_binding_placement_tolerates(const struct skr_binding_placement *placement,
                                     const struct skr_member_cluster *cluster);
/* Index of the term called name; 0 when there is none of that name. */
size_t skr_binding_placement_find_term(const struct skr_binding_placement *placement,
                                       const char *name);

#endif
