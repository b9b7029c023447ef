/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_CLAIM_USERS_H
#define SKR_CORE_GANG_CACHE_CLAIM_USERS_H
/*
 * Which pods name which objects: pods that are not bound their claims and templates, all pods their PodGroup of
 * scheduling.k8s.io. An object that no such pod names costs nothing beyond its row in a cache: no group looks
 * again because of it. Memory: 24 bytes a name, and two places in indexes.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

/* A kind beside those of claims. */
enum { SKR_USERS_OF_PODGROUP = SKR_POD_CLAIM_KIND_COUNT };

/* A version of the pod. O(its claims). */
void skr_claim_users_note(struct skr_gang *e, struct pod_entry *p);
void skr_claim_users_forget(struct skr_gang *e, const struct pod_entry *p);
/* Iterates over pods that name the object: *at begins as 0; NULL at the end. No pod may come or go meanwhile.
 * kind: enum skr_pod_claim_kind, or SKR_USERS_OF_PODGROUP. */
struct pod_entry *skr_claim_users_next(const struct skr_gang *e, int kind, const char *namespace_,
                                       const char *name, size_t *at);
bool skr_claim_users_any(const struct skr_gang *e, int kind, const char *namespace_,
                         const char *name);
void skr_claim_users_fini(struct skr_gang *e);

#endif
