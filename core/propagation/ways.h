/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_WAYS_H
#define SKR_CORE_PROPAGATION_WAYS_H
/*
 * Ways out: single changes of a binding, or of one cluster, with which a binding that is not placed
 * would be. Each one was tried: the binding was decided again with the change, on the same
 * clusters.
 */
#include "core/propagation/decision.h"

enum {
    SKR_BINDING_WAYS_MAX = 32,
    SKR_BINDING_WAYS_TRIES = 140, /* decisions; with 50,000 clusters half of them */
};

enum skr_binding_way_kind {
    SKR_WAY_REPLICAS,    /* number of them, the most that were found to fit */
    SKR_WAY_MAX_GROUPS,  /* number, of the constraint on field: the nearest up to 8 away */
    SKR_WAY_MIN_GROUPS,  /* likewise */
    SKR_WAY_CONSTRAINT,  /* without the index-th constraint of the placement */
    SKR_WAY_CONSTRAINTS, /* without any */
    SKR_WAY_ROOM,        /* number of new replicas, or sets, that the cluster has room for */
    SKR_WAY_CLUSTER,     /* the cluster passes the filters that rejected it */
    SKR_WAY_AFFINITY,    /* without clusterAffinity and clusterAffinities */
    SKR_WAY_DIVISION,    /* replicas are divided so */
    SKR_WAY_KIND_COUNT
};

struct skr_binding_way {
    enum skr_binding_way_kind kind;
    enum skr_spread_field field;
    size_t index; /* of a constraint of the placement, or of a cluster of the decision */
    int64_t number;
    /* For SKR_WAY_CLUSTER, all filters that rejected it: it has no taints (TAINT_TOLERATION),
     * serves the kind (API_ENABLEMENT), is not evicting (CLUSTER_EVICTION), has each place that it
     * lacks and is alone there (SPREAD_CONSTRAINT), has room for all replicas
     * (CLUSTER_RESOURCE). */
    uint32_t filters;
    enum skr_division_kind division;
};

/* Writes the ways that were found; returns their number, 0 for a decision that is placed.
 * Deterministic. Cost: SKR_BINDING_WAYS_TRIES decisions, and at most eight times what the tables of
 * one may take. */
size_t skr_binding_find_ways(const struct skr_binding_decision *decision,
                             struct skr_binding_way way[SKR_BINDING_WAYS_MAX]);

#endif
