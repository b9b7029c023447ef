/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_PLACEMENT_H
#define SKR_CORE_PLACEMENT_PLACEMENT_H
/*
 * A Placement as it is configured: what OCM's API documents (types_placement.go), with the
 * prioritizers of its enhancement 15 and the spread policy of its enhancement 70. Decoding keeps a
 * Placement that is written wrongly and says what is wrong with it; validity depends on the
 * Placement alone, never on clusters.
 */
#include "core/placement/objects.h"

#define SKR_PLACEMENT_DISABLE_KEY     SKR_OCM "experimental-scheduling-disable"
#define SKR_PLACEMENT_SCHEDULER_KEY   "sakkara.placement.scheduler"
#define SKR_PLACEMENT_SPREAD_MODE_KEY "sakkara.placement.spread-mode"

enum skr_spread_mode {
    SKR_SPREAD_UNSET,         /* the daemon's option decides */
    SKR_SPREAD_WEIGHTED,      /* one score: spread times its weight plus the other prioritizers */
    SKR_SPREAD_LEXICOGRAPHIC, /* spread first, the others among its equals */
    SKR_SPREAD_MODE_COUNT
};

enum skr_prioritizer_kind {
    SKR_PRIORITIZER_BALANCE,
    SKR_PRIORITIZER_SPREAD,
    SKR_PRIORITIZER_STEADY,
    SKR_PRIORITIZER_RATIO,
    SKR_PRIORITIZER_ALLOCATABLE,
    SKR_PRIORITIZER_ADDON,
    SKR_PRIORITIZER_KIND_COUNT
};
struct skr_prioritizer {
    const char *name; /* "Steady", "ResourceRatioCPU", "AddOn/RESOURCE/SCORE" */
    enum skr_prioritizer_kind kind;
    const char *resource; /* RATIO, ALLOCATABLE: of the cluster's status; ADDON: the score object */
    const char *score;    /* ADDON: its item */
    int32_t weight;
};

struct skr_spread_constraint {
    const char *key;
    bool of_claim;
    bool hard;
    int32_t max_skew;
};

struct skr_cluster_toleration {
    const char *key, *value, *effect; /* "": any effect, any key */
    enum { SKR_TOLERATE_EQUAL, SKR_TOLERATE_EXISTS, SKR_TOLERATE_NOTHING } operator;
    bool has_seconds;
    int64_t seconds;
};

struct skr_decision_group_rule {
    const char *name;
    struct skr_cluster_selector selector;
};

struct skr_placement_condition {
    bool is_set;
    const char *status, *reason, *message, *since; /* since: lastTransitionTime */
    int64_t generation;                            /* observedGeneration */
};

struct skr_placement {
    struct skr_arena *arena;
    struct skr_meta meta;
    int64_t generation;
    bool upstream_disabled;    /* its annotation is exactly "true" */
    const char *scheduler;     /* annotation; NULL: absent */
    const char *misconfigured; /* "PLUGIN:why"; "": good. Only then all below is complete. */
    bool has_number;
    int32_t number; /* of clusters */
    size_t n_sets;
    const char **set;
    size_t n_predicates;
    struct skr_cluster_selector *predicate;
    size_t n_tolerations;
    struct skr_cluster_toleration *toleration;
    size_t n_prioritizers; /* by name; Balance, Spread, Steady always */
    struct skr_prioritizer *prioritizer;
    enum skr_spread_mode spread_mode;
    size_t n_constraints;
    struct skr_spread_constraint constraint[SKR_SPREAD_LEVELS_MAX];
    size_t n_groups;
    struct skr_decision_group_rule *group;
    bool group_is_percent;
    int64_t group_size; /* clusters, or percent of all selected; INT64_MAX: all */
    /* status */
    int64_t n_selected; /* -1: absent */
    const char *groups; /* decisionGroups as compact JSON with sorted keys; "" absent */
    struct skr_placement_condition satisfied, misconfiguration;
    size_t n_foreign; /* conditions of other types, compact JSON in their order; they are kept */
    const char **foreign;
};
/* *ret: struct skr_placement. Errors: SKR_INVALID (metadata), SKR_LIMIT, SKR_NO_MEMORY. */
int skr_placement_decode(const json_t *json, void **ret, struct skr_error *error);

/* Whether this scheduler decides it. */
bool skr_placement_is_ours(const struct skr_placement *placement, const char *scheduler);
/* Whether clusterSets names the set, or no set at all. */
bool skr_placement_asks_for(const struct skr_placement *placement, const char *set);
const struct skr_prioritizer *skr_placement_prioritizer(const struct skr_placement *placement,
                                                        const char *name); /* NULL: none */

#endif
