/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_CLAIM_OBJECTS_H
#define SKR_CORE_GANG_CACHE_CLAIM_OBJECTS_H
/*
 * Which claims exist: PersistentVolumeClaims, ResourceClaims and ResourceClaimTemplates, by name alone.
 *
 * A kind is judged if the account may read it and the API server serves it: volumes once the version of
 * the API server is known, devices from SKR_CLAIMS_FROM on. What is not judged is never missing;
 * kube-scheduler decides about it (core/gang/group/claims.h).
 *
 * Of claims and templates of devices the classes of their requests are known as well. A class that does
 * not exist is missing like a claim, if the account may read classes. What they ask for is in the stock of
 * devices (devices.h), each distinct spec once.
 *
 * Memory: 40 bytes a name, some 53 with its place in an index. Equal lists of classes are stored once, up to
 * SKR_CLAIM_CLASSES_BYTES_MAX; beyond that the classes of a claim are not judged. Names are hashed to 64 bits
 * with the secret of the process: a million names collide with a chance of 1 in 30 million. With more than
 * SKR_CLAIM_OBJECTS_MAX names, no kind is judged until the next start; the log says so.
 */
#include "core/devices/claim_spec.h"
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"
#include "topology/device_claims.h"

enum {
    SKR_CLAIMS_FROM = 34, /* 1.34: resource.k8s.io/v1 is served */
    SKR_CLAIM_OBJECTS_MAX = 1000000,
    SKR_CLAIM_CLASSES_BYTES_MAX = 1024 * 1024, /* of lists of classes */
};

/* Groups that await the object are marked. claim: NULL for volumes. True: it asks for something else, or has
 * devices now, or none. O(1). */
bool skr_claim_objects_upsert(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const struct skr_meta *meta, const struct skr_device_claim *claim);
void skr_claim_objects_delete(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const char *namespace_, const char *name);
void skr_claim_objects_forbidden(struct skr_gang *e, enum skr_pod_claim_kind kind, bool is);
/* Call after settings.server_minor or a device class has changed: groups with claims are marked. O(groups). */
void skr_claim_objects_judge(struct skr_gang *e);
/* The first claim of the pod that does not exist, or asks for a class that does not: *ret_class is its
 * name, else NULL. NULL: none is missing. O(claims of the pod and their classes). */
const struct skr_pod_claim *skr_claim_objects_missing(const struct skr_gang *e,
                                                      const struct skr_pod *pod,
                                                      const char **ret_class);
/* Whether kube-scheduler's DynamicResources lets the pod pass PreFilter (pkg/scheduler/framework/plugins/
 * dynamicresources): its claims are all ResourceClaims, exist and stay, and so do their classes. False if one is
 * not judged. O(claims of the pod and their classes). */
bool skr_claim_objects_pass(const struct skr_gang *e, const struct skr_pod *pod);
/* What is known of a claim of a pod; pointers are borrowed until another event. */
struct claim_facts {
    const struct skr_claim_spec
        *spec; /* it may not be read; NULL: it is not known, or the claim has devices */
    bool allocated;
    const struct skr_volume *reach; /* of a claim of users that has devices; NULL: all nodes */
};
/* O(1). */
struct claim_facts skr_claim_objects_facts(const struct skr_gang *e, const char *namespace_,
                                           const struct skr_pod_claim *claim);
enum skr_claim_state {
    SKR_CLAIM_NOT_JUDGED, /* it is no ResourceClaim, or claims may not be read */
    SKR_CLAIM_GONE,
    SKR_CLAIM_FREE,
    SKR_CLAIM_ALLOCATED,
};
enum skr_claim_state skr_claim_objects_state(const struct skr_gang *e, const char *namespace_,
                                             const struct skr_pod_claim *claim);
/* The group is marked when that object appears or changes its classes. NULL: it awaits none. */
void skr_claim_objects_await(struct skr_gang *e, struct group *g,
                             const struct skr_pod_claim *claim);
void skr_claim_objects_fini(struct skr_gang *e);

#endif
