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
 * Memory: 8 bytes a name and its place in an index, some 21 bytes. Names are hashed with the secret of the
 * process, 64 bits: a million names collide with a chance of 1 in 30 million. With more than
 * SKR_CLAIM_OBJECTS_MAX names, no kind is judged until the next start; the log says so.
 */
#include "core/gang/state/groups.h"
#include "core/pod/pod.h"

enum {
    SKR_CLAIMS_FROM = 34, /* 1.34: resource.k8s.io/v1 is served */
    SKR_CLAIM_OBJECTS_MAX = 1000000,
};

/* Groups that await the object are marked. O(1). */
void skr_claim_objects_upsert(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const struct skr_meta *meta);
void skr_claim_objects_delete(struct skr_gang *e, enum skr_pod_claim_kind kind,
                              const char *namespace_, const char *name);
void skr_claim_objects_forbidden(struct skr_gang *e, enum skr_pod_claim_kind kind, bool is);
/* Call after settings.server_minor has changed: groups with claims are marked. O(groups). */
void skr_claim_objects_judge(struct skr_gang *e);
/* The first claim of the pod that does not exist; NULL: none is missing. O(claims of the pod). */
const struct skr_pod_claim *skr_claim_objects_missing(const struct skr_gang *e,
                                                      const struct skr_pod *pod);
/* The group is marked when that object appears; NULL: it awaits none. A group awaits one at a time. */
void skr_claim_objects_await(struct skr_gang *e, struct group *g,
                             const struct skr_pod_claim *claim);
void skr_claim_objects_fini(struct skr_gang *e);

#endif
