/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CACHE_H
#define SKR_SERVER_LAB_SCHEDULER_SCHEDULER_CACHE_H
/*
 * The nodes of kube-scheduler's cache: existing nodes, requests of the pods on them (including
 * assumed ones), pods nominated there. A deleted node stays as a name while pods are on it.
 */
#include "server/lab/scheduler/scheduler_state.h"

void skr_sched_cache_init(struct skr_sched_cache *cache);
void skr_sched_cache_fini(struct skr_sched_cache *cache); /* no pods may be left on nodes */

struct skr_sched_node *skr_sched_cache_find(const struct skr_sched_cache *cache, const char *name);
/* Takes node. Returns the entry; *ret_old: the previous version, NULL for none, which the caller
 * must forget (topology/node_keep.h). */
struct skr_sched_node *skr_sched_cache_upsert(struct skr_sched_cache *cache, struct skr_node *node,
                                              struct skr_node **ret_old);
void skr_sched_cache_remove(struct skr_sched_cache *cache, const char *name);

/* A DeviceClass was added, changed or deleted. */
void skr_sched_cache_class(struct skr_sched_cache *cache, const struct skr_store_change *change);
/* Whether resource names came or went, or changed their class, since the last call: then all
 * amounts must be resolved again. */
bool skr_sched_cache_names_changed(struct skr_sched_cache *cache);
/* The amounts of p->pod, charged to its node. */
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
/* Devices are not counted: a class provides them on nodes that do not list them. */
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
