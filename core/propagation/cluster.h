/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_PROPAGATION_CLUSTER_H
#define SKR_CORE_PROPAGATION_CLUSTER_H
/*
 * A member cluster of Karmada (cluster.karmada.io/v1alpha1 Cluster) as the scheduler sees it:
 * labels, place, taints, the kinds it serves, and what is free in it. Immutable, one arena a
 * cluster. Fields that are not used (conditions, for example) are not read.
 */
#include "core/propagation/node_models.h"

enum {
    SKR_CLUSTER_ZONES_MAX = 1024,     /* zones one cluster lists */
    SKR_CLUSTER_TAINTS_MAX = 1024,    /* taints of one cluster */
    SKR_CLUSTER_APIS_MAX = 100000,    /* kinds one cluster serves, of all groups together */
    SKR_CLUSTER_RESOURCES_MAX = 1024, /* names in one list of its resource summary */
};

/* What-if annotations of a file: the score of the cluster, and its room for new replicas. */
#define SKR_ANNOTATION_SCORE "sakkara.simulate/score"
#define SKR_ANNOTATION_ROOM  "sakkara.simulate/room"

struct skr_served_kind {
    const char *group_version; /* "apps/v1", "v1" */
    const char *kind;
};

/* allocatable - allocated - allocating; cpu in millicores, others in whole units rounded up. May be
 * negative. */
struct skr_free_resource {
    const char *name;
    int64_t amount;
};

struct skr_member_cluster {
    struct skr_arena *arena;
    struct skr_meta meta;
    int64_t generation;
    const char *provider; /* "" when absent or blank */
    const char *region;
    bool pulls;     /* spec.syncMode is Pull: its own agent applies objects to it */
    size_t n_zones; /* without empty and blank ones */
    const char **zone;
    size_t n_taints;
    struct skr_taint *taint;
    size_t n_kinds; /* sorted */
    struct skr_served_kind *kind;
    bool has_summary;
    struct skr_node_models models;
    size_t n_free; /* resources of status.resourceSummary.allocatable, sorted by name */
    struct skr_free_resource *free;
    int64_t free_pods; /* 0 or less: no pod fits */
    bool has_score;    /* SKR_ANNOTATION_SCORE is there */
    bool has_room;
    int64_t score;
    int64_t room;
};

/* *ret: struct skr_member_cluster. Errors: SKR_INVALID with the path of the field, SKR_LIMIT. Cost
 * O(size log size). The name must be there. */
int skr_member_cluster_decode(const json_t *json, void **ret, struct skr_error *error);

/* Whether the kind is listed in status.apiEnablements. O(log kinds). */
bool skr_member_cluster_serves(const struct skr_member_cluster *cluster, const char *group_version,
                               const char *kind);
/* NULL when the resource is not among the allocatable ones. O(log resources). */
const struct skr_free_resource *skr_member_cluster_free(const struct skr_member_cluster *cluster,
                                                        const char *resource);

#endif
