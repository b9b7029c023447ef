/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GROUP_PROVISIONING_H
#define SKR_CORE_GROUP_PROVISIONING_H
/*
 * ProvisioningRequests of cluster-autoscaler (autoscaling.x-k8s.io/v1): they ask for the room of all
 * pods of a group at once. A request refers to PodTemplates. A PodTemplate here has of a pod what a
 * scheduler reads: labels, requests, node selection, tolerations, rules about other pods and claims.
 * It has no environment, commands or other volumes.
 *
 * Source: cluster-autoscaler/apis/provisioningrequest/autoscaling.x-k8s.io/v1/types.go of Kubernetes'
 * autoscaler.
 */
#include "topology/object.h"

#define SKR_PROVISIONING_ASKED "sakkara.provisioning" /* annotation: what the request is for */
#define SKR_PROVISIONING_CONSUMED \
    "autoscaling.x-k8s.io/consume-provisioning-request" /* annotation of pods */

enum {
    SKR_PROVISIONING_CONDITIONS_MAX = 64,
    SKR_PROVISIONING_TEXT_MAX = 256, /* bytes of a condition's message that are shown */
};

enum skr_provisioning_state {
    SKR_PROVISIONING_NEW,      /* no autoscaler has looked at it */
    SKR_PROVISIONING_ACCEPTED, /* one has; condition Provisioned may be False meanwhile */
    SKR_PROVISIONING_DONE,     /* the room is there */
    SKR_PROVISIONING_FAILED,
    SKR_PROVISIONING_EXPIRED, /* the room was there, and is not kept any more */
};

struct skr_provisioning {
    struct skr_arena *arena;
    struct skr_meta meta;
    enum skr_provisioning_state state;
    const char *message; /* of the condition that decides; "" none */
};

struct skr_pod_template {
    struct skr_arena *arena;
    struct skr_meta meta; /* of the pod */
    const char *text;     /* JSON of a PodTemplateSpec */
};

/* "accepted", "provisioned", ... */
extern const char *const skr_provisioning_state_name[];
/* SKR_INVALID with the path of the field, SKR_LIMIT. */
int skr_provisioning_decode(const json_t *json, struct skr_provisioning **ret,
                            struct skr_error *error);
void skr_provisioning_destroy(struct skr_provisioning *request); /* NULL allowed */
/* json: a pod. */
int skr_pod_template_decode(const json_t *json, struct skr_pod_template **ret,
                            struct skr_error *error);
void skr_pod_template_destroy(struct skr_pod_template *template); /* NULL allowed */

#endif
