/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CACHE_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CACHE_H
/*
 * Nodes as kube-scheduler's cache has them: what is there, what the pods on them ask for (assumed
 * ones included), who is nominated there. A node that went stays as a name while pods are on it.
 */
#include "server/lab/scheduler/scheduler_state.h"

void skr_sched_cache_init(struct skr_sched_cache *cache);
void skr_sched_cache_fini(struct skr_sched_cache *cache); /* no pods may be left on nodes */

struct skr_sched_node *skr_sched_cache_find(const struct skr_sched_cache *cache, const char *name);
/* Takes node. Returns the entry; *ret_old: what was there before, NULL for none, the caller's to be
 * forgotten (topology/node_keep.h). */
struct skr_sched_node *skr_sched_cache_upsert(struct skr_sched_cache *cache, struct skr_node *node,
                                              struct skr_node **ret_old);
void skr_sched_cache_remove(struct skr_sched_cache *cache, const char *name);

/* A DeviceClass came, changed or went. */
void skr_sched_cache_class(struct skr_sched_cache *cache, const struct skr_store_change *change);
/* Whether a name of a resource came or went, or is served by another class, since the last call: then
 * all amounts are to be resolved again. */
bool skr_sched_cache_names_changed(struct skr_sched_cache *cache);
/* The amounts of p->pod, charged where it is. */
void skr_sched_cache_resolve(struct skr_sched_cache *cache, struct skr_sched_pod *p);
void skr_sched_cache_charge(struct skr_sched_cache *cache, struct skr_sched_pod *p,
                            const char *node);
void skr_sched_cache_release(struct skr_sched_cache *cache, struct skr_sched_pod *p);
/* node "": none. */
void skr_sched_cache_nominate(struct skr_sched_cache *cache, struct skr_sched_pod *p,
                              const char *node);

static inline int64_t skr_sched_allocatable(const struct skr_sched_node *node, uint16_t resource)
{
    return resource < node->n_allocatable ? node->allocatable[resource] : 0;
}
/* Devices are not counted: what a class serves is there on nodes that do not list it. */
static inline bool skr_sched_is_counted(const struct skr_sched_node *node,
                                        const struct skr_amount *request)
{
    return !request->by_class || skr_sched_allocatable(node, request->resource) > 0;
}
static inline int64_t skr_sched_used(const struct skr_sched_node *node, uint16_t resource)
{
    return resource < node->n_used ? node->used[resource] : 0;
}

#endif
