/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_PODGROUP_H
#define SKR_CORE_GROUP_PODGROUP_H
/* The fields of PodGroups that are read: the minimum and our own annotations. PodGroups of
 * scheduling.x-k8s.io/v1alpha1 have spec.minMember. Native PodGroups are those of scheduling.k8s.io
 * (v1alpha2 in Kubernetes 1.36; v1alpha3 and v1beta1 in 1.37). They have spec.schedulingPolicy and a
 * topology key. */
#include "topology/object.h"

#define SKR_CONDITION_PREFIX "sakkara." /* of the types of our conditions */

/* A condition of ours in the status of a native PodGroup. */
struct skr_podgroup_condition {
    const char *type, *status, *reason, *message;
};
enum { SKR_PODGROUP_CONDITIONS_MAX = 8 }; /* of ours; further ones are not read */

/* A newer version is larger. From v1alpha3 on, kube-scheduler queues a PodGroup as one: while one of
 * its pods has a gate, it tries none of them (pkg/scheduler/backend/queue/scheduling_queue.go). */
enum skr_podgroup_version {
    SKR_PODGROUP_X, /* of scheduling.x-k8s.io */
    SKR_PODGROUP_V1ALPHA2,
    SKR_PODGROUP_V1ALPHA3,
    SKR_PODGROUP_V1BETA1,
};

struct skr_podgroup {
    struct skr_arena *arena;
    struct skr_meta meta;
    int32_t min_member;       /* 1 when absent */
    int32_t native;           /* enum skr_podgroup_version */
    bool basic;               /* native with policy basic: no group */
    const char *composite;    /* name of its CompositePodGroup (1.37); "" none */
    const char *topology_key; /* node label of which all members share one value; "" none */
    size_t n_conditions;      /* native: of ours */
    struct skr_podgroup_condition *condition;
};

int skr_podgroup_decode(const json_t *json, struct skr_podgroup **ret, struct skr_error *error);
/* By the version of scheduling.k8s.io. */
int skr_podgroup_v1alpha2_decode(const json_t *json, struct skr_podgroup **ret,
                                 struct skr_error *error);
int skr_podgroup_v1alpha3_decode(const json_t *json, struct skr_podgroup **ret,
                                 struct skr_error *error);
int skr_podgroup_v1beta1_decode(const json_t *json, struct skr_podgroup **ret,
                                struct skr_error *error);
void skr_podgroup_destroy(struct skr_podgroup *pg); /* NULL allowed */

#endif
