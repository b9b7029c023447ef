/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_SPOTMIX_VIEW_H
#define SKR_CORE_SPOTMIX_VIEW_H
/*
 * The mix as tables, for pages, metrics and the rebuild: a row for each workload, pod and node.
 * Borrowed texts are valid until the mix changes.
 */
#include "core/spotmix/drift.h"
#include "core/spotmix/mix.h"

struct skr_spotmix_row {
    enum skr_spotmix_kind kind; /* DEPLOYMENT, STATEFUL_SET or REPLICA_SET */
    const char *namespace_, *name, *uid;
    const char *key; /* names the workload to the functions below */
    struct skr_spotmix_rule rule;
    int64_t replicas;
    int64_t desired[SKR_SPOTMIX_CLASS_COUNT]; /* of replicas pods */
    size_t actual[SKR_SPOTMIX_CLASS_COUNT];   /* live pods, of all revisions, unadopted ones too */
    size_t drift;                             /* live pods that are not as the rule wants them */
    size_t standing[SKR_SPOTMIX_STANDING_COUNT]; /* live pods by standing */
    const char *reason; /* NULL: none; InvalidMaxOnDemandCount, WebhookNotCalled, NoNodesInClass,
                            ClassPinnedByPodSpec: the first that holds */
    bool lacks_nodes;   /* a class that pods belong to has no Ready node */
    bool uncalled;      /* the last pods came without a review */
    uint8_t unreviewed; /* how many in a row */
    bool stalled;       /* skr_spotmix_set_stalled() */
    /* What a rebuild goes by: the newest ReplicaSet, or the StatefulSet. */
    const struct skr_spotmix_owner *space; /* the workload: there is none with pods */
    size_t wrong;                          /* pods that a rebuild evicts */
    bool missing;                          /* pods are still to be created */
    const char *victim; /* uid of the pod that is evicted next; NULL: none, or not yet */
    const char *victim_name;
};

/* The workload of this key; false: it is not known, or its switch is off. O(its pods). */
bool skr_spotmix_row_of(const struct skr_spotmix *mix, const char *workload_key,
                        struct skr_spotmix_row *ret);
/* All that are on, by namespace, name, kind; free() it. O(n log n + pods). */
size_t skr_spotmix_rows(const struct skr_spotmix *mix, struct skr_spotmix_row **ret);

struct skr_spotmix_pod_row {
    const char *name, *uid, *node; /* node "": none */
    const char *owner;             /* the ReplicaSet's or StatefulSet's name */
    int64_t index;                 /* negative: none */
    enum skr_spotmix_class class_; /* of its node until it is adopted */
    enum skr_spotmix_standing standing;
    bool wrong;         /* a rebuild evicts it */
    const char *cost;   /* NULL: none */
    const char *reason; /* NULL: the pod is right; "ClassPinnedByPodSpec", "Drift", "Unmutated" */
};
/* Pods of a workload by owner and index; free() it. */
size_t skr_spotmix_pod_rows(const struct skr_spotmix *mix, const char *workload_key,
                            struct skr_spotmix_pod_row **ret);

/* A node of a class, and how many live pods with any class run there. */
struct skr_spotmix_node_row {
    const char *name;
    enum skr_spotmix_class class_;
    size_t pods;
};
/* Nodes of neither class are left out. By name; free() it. O(n log n + pods). */
size_t skr_spotmix_node_rows(const struct skr_spotmix *mix, struct skr_spotmix_node_row **ret);

struct skr_spotmix_totals {
    uint64_t results[SKR_SPOTMIX_RESULT_COUNT];
    uint64_t expired, unmutated;
    size_t reservations, nodes[SKR_SPOTMIX_CLASS_COUNT];
    int64_t desired[SKR_SPOTMIX_CLASS_COUNT];
    size_t actual[SKR_SPOTMIX_CLASS_COUNT], drift;
};
/* O(pods). */
void skr_spotmix_totals(const struct skr_spotmix *mix, struct skr_spotmix_totals *ret);

#endif
