/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by name in a hash and, while they exist, in an array in order of arrival. */
#include "server/lab/scheduler/scheduler_cache.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/pod/rules.h"
#include "server/lab/scheduler/scheduler_devices.h"
#include "server/object/path.h"
#include "topology/device_classes.h"

void skr_sched_cache_init(struct skr_sched_cache *cache)
{
    *cache = (struct skr_sched_cache){.resources = skr_resource_names_create(),
                                      .devices = skr_sched_devices_create(cache)};
}

static void free_node(struct skr_sched_cache *cache, struct skr_sched_node *node)
{
    skr_node_forget(&cache->shared, node->node);
    skr_amounts_fini(&node->offer);
    free(node->allocatable);
    free(node->used);
    free(node->name);
    free(node);
}

void skr_sched_cache_fini(struct skr_sched_cache *cache)
{
    struct skr_sched_node *node, *next;
    HASH_ITER(hh, cache->by_name, node, next)
    {
        HASH_DEL(cache->by_name, node);
        free_node(cache, node);
    }
    skr_node_shared_fini(&cache->shared);
    free(cache->present);
    skr_sched_devices_destroy(cache->devices);
    skr_resource_names_destroy(cache->resources);
}

struct skr_sched_node *skr_sched_cache_find(const struct skr_sched_cache *cache, const char *name)
{
    struct skr_sched_node *node;
    HASH_FIND_STR(cache->by_name, name, node);
    return node;
}

static struct skr_sched_node *get(struct skr_sched_cache *cache, const char *name)
{
    struct skr_sched_node *node = skr_sched_cache_find(cache, name);
    if (!node) {
        node = skr_alloc(sizeof *node);
        node->name = skr_strdup(name);
        HASH_ADD_KEYPTR(hh, cache->by_name, node->name, strlen(node->name), node);
    }
    return node;
}

/* No pod refers to the name any more. */
static void drop_if_unused(struct skr_sched_cache *cache, struct skr_sched_node *node)
{
    if (!node->node && node->n_pods == 0 && !node->nominated) {
        HASH_DEL(cache->by_name, node);
        free_node(cache, node);
    }
}

static void set_amounts(int64_t **array, size_t *n, const struct skr_amounts *amounts, int64_t sign)
{
    for (size_t i = 0; i < amounts->n; i++) {
        size_t id = amounts->item[i].resource;
        if (id >= *n) {
            int64_t *grown = skr_alloc_array(id + 1, sizeof *grown);
            if (*n > 0) {
                memcpy(grown, *array, *n * sizeof *grown);
            }
            free(*array);
            *array = grown;
            *n = id + 1;
        }
        (*array)[id] += sign * amounts->item[i].amount;
    }
}

static void set_allocatable(struct skr_sched_cache *cache, struct skr_sched_node *node)
{
    free(node->allocatable);
    node->allocatable = NULL;
    node->n_allocatable = 0;
    /* Beyond the limit its room is 0 for all pods; server/lab/simulate/input.c warns about such a
     * file. */
    (void)skr_resource_names_offer(cache->resources, &node->node->allocatable, &node->offer, NULL);
    set_amounts(&node->allocatable, &node->n_allocatable, &node->offer, 1);
}

void skr_sched_cache_class(struct skr_sched_cache *cache, const struct skr_store_change *change)
{
    struct skr_device_classes *classes = skr_resource_names_classes(cache->resources);
    struct skr_devices_stock *stock = skr_sched_devices_stock(cache->devices);
    struct skr_device_class *class = NULL;
    if (change->kind == SKR_STORE_DELETED) {
        skr_device_classes_remove(classes, skr_path_text(change->object, "metadata.name"));
        skr_devices_stock_remove_class(stock, skr_path_text(change->object, "metadata.name"));
    } else if (skr_device_class_decode(change->object, &class, NULL) == 0) {
        skr_device_classes_put(classes, class);
        skr_devices_stock_put_class(stock, class);
        skr_device_class_destroy(class);
    }
}

bool skr_sched_cache_names_changed(struct skr_sched_cache *cache)
{
    uint64_t version = cache->version;
    cache->version = skr_resource_names_version(cache->resources);
    return version != cache->version;
}

struct skr_sched_node *skr_sched_cache_upsert(struct skr_sched_cache *cache, struct skr_node *node,
                                              struct skr_node **ret_old)
{
    struct skr_sched_node *entry = get(cache, node->meta.name);
    *ret_old = entry->node;
    entry->node = skr_node_keep(&cache->shared, node, entry->name);
    skr_node_destroy(node);
    set_allocatable(cache, entry);
    if (!*ret_old) {
        skr_grow(&cache->present, &cache->cap_present, cache->n_present + 1,
                 sizeof(struct skr_sched_node *));
        entry->order = cache->n_present;
        cache->present[cache->n_present++] = entry;
    }
    return entry;
}

void skr_sched_cache_remove(struct skr_sched_cache *cache, const char *name)
{
    struct skr_sched_node *node = skr_sched_cache_find(cache, name);
    if (!node || !node->node) {
        return;
    }
    skr_node_forget(&cache->shared, node->node);
    node->node = NULL;
    skr_resource_names_withdraw(cache->resources, &node->offer);
    cache->n_present--;
    for (size_t i = node->order; i < cache->n_present; i++) {
        cache->present[i] = cache->present[i + 1];
        cache->present[i]->order = i;
    }
    drop_if_unused(cache, node);
}

void skr_sched_cache_charge(struct skr_sched_cache *cache, struct skr_sched_pod *p,
                            const char *node)
{
    skr_bug_on(p->node);
    p->node = get(cache, node);
    p->node->n_pods++;
    set_amounts(&p->node->used, &p->node->n_used, &p->amounts, 1);
    p->has_ports = skr_pod_port_clash(p->pod->shape, p->pod->shape); /* with itself */
    if (p->has_ports) {
        DL_APPEND2(p->node->with_ports, p, ports_prev, ports_next);
    }
}

void skr_sched_cache_release(struct skr_sched_cache *cache, struct skr_sched_pod *p)
{
    struct skr_sched_node *node = p->node;
    if (!node) {
        return;
    }
    p->node = NULL;
    node->n_pods--;
    set_amounts(&node->used, &node->n_used, &p->amounts, -1);
    if (p->has_ports) {
        DL_DELETE2(node->with_ports, p, ports_prev, ports_next);
    }
    drop_if_unused(cache, node);
}

void skr_sched_cache_resolve(struct skr_sched_cache *cache, struct skr_sched_pod *p)
{
    struct skr_amounts amounts;
    SKR_AUTO_FREE char *node = p->node ? skr_strdup(p->node->name) : NULL;
    skr_amounts_resolve(cache->resources, &p->pod->shape->requests, &amounts);
    skr_sched_cache_release(cache, p);
    skr_amounts_fini(&p->amounts);
    p->amounts = amounts;
    if (node) {
        skr_sched_cache_charge(cache, p, node);
    }
}

void skr_sched_cache_nominate(struct skr_sched_cache *cache, struct skr_sched_pod *p,
                              const char *node)
{
    struct skr_sched_node *old = p->nominated;
    if (old && strcmp(old->name, node) == 0) {
        return;
    }
    p->nominated = NULL;
    if (old) {
        DL_DELETE2(old->nominated, p, nominated_prev, nominated_next);
        drop_if_unused(cache, old);
    }
    if (node[0]) {
        p->nominated = get(cache, node);
        DL_APPEND2(p->nominated->nominated, p, nominated_prev, nominated_next);
    }
}
