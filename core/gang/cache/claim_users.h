/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_GANG_CACHE_CLAIM_USERS_H
#define SKR_CORE_GANG_CACHE_CLAIM_USERS_H
/*
 * Which pods name which objects: pods that are not bound their claims and templates, all pods their PodGroup of
 * scheduling.k8s.io and the Job that controls them. An object that no such pod names costs nothing beyond its row
 * in a cache: no group looks again because of it. Memory: 24 bytes a name, and two places in indexes.
 */
#include "core/gang/state/gang.h"
#include "core/pod/pod.h"

/* Kinds beside those of claims. */
enum { SKR_USERS_OF_PODGROUP = SKR_POD_CLAIM_KIND_COUNT, SKR_USERS_OF_JOB };

/* A version of the pod. O(its claims). */
void skr_claim_users_note(struct skr_gang *e, struct pod_entry *p);
void skr_claim_users_forget(struct skr_gang *e, const struct pod_entry *p);
/* Of an object, for the functions below. kind: enum skr_pod_claim_kind, or one of those above. Never 0. */
uint64_t skr_claim_users_id(const struct skr_gang *e, int kind, const char *namespace_,
                            const char *name);
/* The pods that name the object, in the order in which they came; NULL: none does. free() it. */
struct pod_entry **skr_claim_users_list(const struct skr_gang *e, uint64_t id, size_t *ret_n);
/* Whether any pod that waits names a volume claim. O(1). */
bool skr_claim_users_any_volume(const struct skr_gang *e);
void skr_claim_users_fini(struct skr_gang *e);

#endif
