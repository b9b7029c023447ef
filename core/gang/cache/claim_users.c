/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/cache/claim_users.h"

#include "core/gang/cache/pods.h"
#include "core/gang/cache/workload_owners.h"

#include <stdlib.h>

struct user {
    uint64_t claim; /* a hash of kind and name, with the secret of the process */
    struct pod_entry *pod;
    bool volume;
};

struct claim_users {
    struct skr_slab item;
    struct skr_hash_index by_pod, by_claim;
    size_t n_volumes;
};

uint64_t skr_claim_users_id(const struct skr_gang *e, int kind, const char *namespace_,
                            const char *name)
{
    const uint64_t id = skr_hash_pair(
        skr_hash_keyed_joined(&e->settings.hash_seed, namespace_, "/", name), (uint64_t)kind);
    return id ? id : 1;
}

/* Numbers of pods are small; an index wants all bits. */
static uint32_t hash_of(const struct pod_entry *p)
{
    return (uint32_t)skr_hash_pair(p->number, 0);
}

static struct user *user_at(const struct skr_gang *e, uint32_t number)
{
    return skr_slab_at(&e->claim_users->item, number);
}

static bool find(const struct skr_gang *e, const struct pod_entry *p, uint32_t *ret)
{
    for (size_t at = 0; skr_hash_index_next(&e->claim_users->by_pod, hash_of(p), &at, ret);) {
        if (user_at(e, *ret)->pod == p) {
            return true;
        }
    }
    return false;
}

void skr_claim_users_forget(struct skr_gang *e, const struct pod_entry *p)
{
    uint32_t number;
    while (e->claim_users && find(e, p, &number)) {
        e->claim_users->n_volumes -= user_at(e, number)->volume;
        skr_hash_index_remove(&e->claim_users->by_pod, hash_of(p), number);
        skr_hash_index_remove(&e->claim_users->by_claim, (uint32_t)user_at(e, number)->claim,
                              number);
        skr_slab_remove(&e->claim_users->item, number);
    }
}

static void add(struct skr_gang *e, struct pod_entry *p, uint64_t id, bool volume)
{
    if (!e->claim_users) {
        e->claim_users = skr_alloc(sizeof *e->claim_users);
        e->claim_users->item.size = sizeof(struct user);
    }
    const uint32_t number = skr_slab_add(&e->claim_users->item);
    *user_at(e, number) = (struct user){id, p, volume};
    e->claim_users->n_volumes += volume;
    skr_hash_index_add(&e->claim_users->by_pod, hash_of(p), number);
    skr_hash_index_add(&e->claim_users->by_claim, (uint32_t)id, number);
}

/* Whether the pod named exactly these before. To take it out costs a walk over the pods of its Job. */
static bool stands(const struct skr_gang *e, const struct pod_entry *p, const uint64_t *id,
                   size_t n)
{
    size_t found = 0;
    uint32_t number;
    for (size_t at = 0; e->claim_users &&
                        skr_hash_index_next(&e->claim_users->by_pod, hash_of(p), &at, &number);) {
        const struct user *user = user_at(e, number);
        bool is_named = user->pod != p;
        for (size_t i = 0; i < n && !is_named; i++) {
            is_named = user->claim == id[i];
        }
        if (!is_named) {
            return false;
        }
        found += user->pod == p;
    }
    return found == n;
}

void skr_claim_users_note(struct skr_gang *e, struct pod_entry *p)
{
    const size_t claims = skr_pods_is_bound(p) ? 0 : p->pod->n_claims;
    const char *space = p->pod->meta.namespace_, *job = skr_workload_owners_job_name(p->pod);
    SKR_AUTO_FREE uint64_t *id = skr_alloc_array(claims + 2, sizeof *id);
    size_t n = 0;
    for (; n < claims; n++) {
        id[n] = skr_claim_users_id(e, (int)p->pod->claim[n].kind, space, p->pod->claim[n].name);
    }
    if (*p->pod->scheduling_group) {
        id[n++] = skr_claim_users_id(e, SKR_USERS_OF_PODGROUP, space, p->pod->scheduling_group);
    }
    if (*job) {
        id[n++] = skr_claim_users_id(e, SKR_USERS_OF_JOB, space, job);
    }
    if (!stands(e, p, id, n)) {
        skr_claim_users_forget(e, p);
        for (size_t i = 0; i < n; i++) {
            add(e, p, id[i], i < claims && p->pod->claim[i].kind == SKR_POD_CLAIM_VOLUME);
        }
    }
}

/* Iterates: *at begins as 0; NULL at the end. */
static struct pod_entry *next(const struct skr_gang *e, uint64_t id, size_t *at)
{
    uint32_t number;
    while (e->claim_users &&
           skr_hash_index_next(&e->claim_users->by_claim, (uint32_t)id, at, &number)) {
        if (user_at(e, number)->claim == id) {
            return user_at(e, number)->pod;
        }
    }
    return NULL;
}

static int by_number(const void *a, const void *b)
{
    const struct pod_entry *p = *(struct pod_entry *const *)a, *q = *(struct pod_entry *const *)b;
    return (p->number > q->number) - (p->number < q->number);
}

struct pod_entry **skr_claim_users_list(const struct skr_gang *e, uint64_t id, size_t *ret_n)
{
    struct pod_entry **list = NULL, *p;
    size_t n = 0, cap = 0;
    for (size_t at = 0; (p = next(e, id, &at));) {
        skr_grow(&list, &cap, n + 1, sizeof(struct pod_entry *));
        list[n++] = p;
    }
    if (n > 0) { /* the order of an index decides nothing */
        qsort(list, n, sizeof(struct pod_entry *), by_number);
    }
    *ret_n = n;
    return list;
}

bool skr_claim_users_any_volume(const struct skr_gang *e)
{
    return e->claim_users && e->claim_users->n_volumes > 0;
}

void skr_claim_users_fini(struct skr_gang *e)
{
    if (e->claim_users) {
        skr_slab_fini(&e->claim_users->item);
        skr_hash_index_fini(&e->claim_users->by_pod);
        skr_hash_index_fini(&e->claim_users->by_claim);
        free(e->claim_users);
    }
}
