/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_STATE_WRITES_H
#define SKR_CORE_GANG_STATE_WRITES_H
/* Every request that the gang scheduler makes to the API server, one row each in writes.c. */
#include "core/frame/write.h"

enum skr_write_kind {
    SKR_WRITE_BINDING,          /* POST pods/NAME/binding */
    SKR_WRITE_PATCH_POD,        /* merge patch */
    SKR_WRITE_UNGATE_POD,       /* strategic merge patch: lists are merged by name */
    SKR_WRITE_PATCH_POD_STATUS, /* merge patch of the status subresource */
    SKR_WRITE_MARK_POD,         /* strategic merge patch of its status: with a condition */
    SKR_WRITE_PATCH_CONFIGMAP,
    SKR_WRITE_CREATE_CONFIGMAP, /* that shows a derived group */
    SKR_WRITE_PATCH_PODGROUP,
    SKR_WRITE_MARK_PODGROUP, /* strategic merge patch of a native one's status: conditions */
    SKR_WRITE_CREATE_EVENT,  /* POST events.k8s.io/v1 into namespace */
    SKR_WRITE_EVICT,         /* POST pods/NAME/eviction */
    SKR_WRITE_DELETE_POD,
    SKR_WRITE_RELEASE_CLAIM,   /* merge patch of a ResourceClaim's status: its devices are free */
    SKR_WRITE_CREATE_TEMPLATE, /* podtemplates that a request of capacity names; provisioning.h */
    SKR_WRITE_DELETE_TEMPLATE,
    SKR_WRITE_CREATE_PROVISIONING, /* provisioningrequests */
    SKR_WRITE_DELETE_PROVISIONING,
    SKR_WRITE_ANSWER_WORKLOAD, /* merge patch of a Kueue Workload's status: an admission check */
    SKR_WRITE_ACTIVATE_CHECK,  /* merge patch of an AdmissionCheck's status */
    SKR_WRITE_GET_POD,         /* read-backs after an unknown outcome or a conflict */
    SKR_WRITE_GET_CONFIGMAP,
    SKR_WRITE_GET_PODGROUP,
    SKR_WRITE_READ_POD, /* as the template of its like */
    SKR_WRITE_GET_PROVISIONING,
    SKR_WRITE_GET_WORKLOAD,
    SKR_WRITE_KIND_COUNT
};

/* A write of that kind with verb, resource, subresource, answer; the rest is zero. */
struct skr_write skr_write_of_kind(enum skr_write_kind kind);
/* SKR_WRITE_KIND_COUNT: no such kind. O(kinds). */
enum skr_write_kind skr_write_kind_of(const struct skr_write *write);
/* "binding", "patch pod", ...; "" for SKR_WRITE_KIND_COUNT. */
const char *skr_write_kind_name(enum skr_write_kind kind);

#endif
