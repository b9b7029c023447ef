/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PLACEMENT_HUB_H
#define SKR_CORE_PLACEMENT_HUB_H
/* The input of a Placement's cycle. */
#include "core/frame/durations.h"
#include "core/placement/objects.h"
#include "core/placement/placement.h"

/* A cluster that decisions name and that is not on the hub. */
struct skr_stray_cluster {
    const char *name;
    uint32_t load;
};

/* Everything is borrowed; lists are sorted by name in byte order. */
struct skr_placement_hub {
    size_t n_clusters;
    const struct skr_managed_cluster *const *cluster;
    /* [cluster] The number of Placements whose decisions name it, this one included. */
    const uint32_t *load;
    size_t n_strays;
    const struct skr_stray_cluster *stray; /* load as above */
    size_t n_sets;
    const struct skr_cluster_set *const *set;
    size_t n_bindings; /* of the Placement's namespace */
    const struct skr_cluster_set_binding *const *binding;
    size_t n_decisions; /* of the Placement */
    const struct skr_placement_decision *const *decision;
    /* The AddOnPlacementScore of this name in the cluster's namespace; NULL: none. */
    const struct skr_addon_score *(*score)(void *context, const char *cluster, const char *name);
    void *context;
    const struct skr_stopwatch *stopwatch; /* NULL: what plugins cost is not measured */
    bool every_cluster; /* neither sets nor bindings: each cluster is a candidate (simulations) */
    bool what_if;       /* totals of the clusters' annotations count */
    bool explain;       /* texts of why a cluster was filtered are wanted */
    bool no_news;       /* nothing is known to have changed since the Placement was decided */
    skr_time now;
    enum skr_spread_mode spread_mode; /* the option, for Placements that do not say */
};

#endif
