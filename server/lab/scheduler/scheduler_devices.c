/* SPDX-License-Identifier: Apache-2.0 */
/* The claims of the cluster, and devices for one pod on one node. */
#include "server/lab/scheduler/scheduler_devices.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/volume/objects.h"
#include "server/lab/scheduler/scheduler_cache.h"
#include "server/lab/scheduler/scheduler_claims.h"
#include "server/object/path.h"
#include "topology/base/arena.h"

enum { REASON_BYTES = 512 };

struct skr_sched_devices {
    struct skr_devices_stock *stock;
    struct skr_sequence_memo *memo;
    struct skr_sched_claim *claims; /* by namespace and name */
    char reason[REASON_BYTES];      /* of the last refusal */
};

static void *parse(const char *selector)
{
    return skr_volume_of_selector(selector);
}

static void destroy(void *nodes)
{
    skr_volume_destroy(nodes);
}

static bool selects(void *context, const void *nodes, const char *name)
{
    const struct skr_sched_node *node = skr_sched_cache_find(context, name);
    return node && node->node && skr_volume_reaches(nodes, node->node);
}

struct skr_sched_devices *skr_sched_devices_create(struct skr_sched_cache *cache)
{
    static const struct skr_hash_seed seed;
    static const struct skr_stock_selecting selecting = {parse, destroy, selects};
    struct skr_sched_devices *d = skr_alloc(sizeof *d);
    d->stock = skr_devices_stock_create(&seed, NULL, cache);
    d->stock->selecting = &selecting;
    d->stock->version = SKR_DEVICES_1_36;
    d->memo = skr_sequence_memo_create();
    return d;
}

static void drop(struct skr_sched_devices *d, struct skr_sched_claim *claim)
{
    HASH_DEL(d->claims, claim);
    skr_devices_stock_forget_spec(d->stock, claim->spec);
    skr_volume_destroy(claim->reach);
    skr_device_claim_destroy(claim->is);
    free(claim);
}

void skr_sched_devices_destroy(struct skr_sched_devices *devices)
{
    struct skr_sched_claim *claim, *next;
    if (!devices) {
        return;
    }
    HASH_ITER(hh, devices->claims, claim, next)
    {
        drop(devices, claim);
    }
    skr_sequence_memo_destroy(devices->memo);
    skr_devices_stock_destroy(devices->stock);
    free(devices);
}

struct skr_devices_stock *skr_sched_devices_stock(struct skr_sched_devices *devices)
{
    return devices->stock;
}

/* ---- claims ---- */

static struct skr_sched_claim *find(const struct skr_sched_devices *d, const char *key)
{
    struct skr_sched_claim *claim;
    HASH_FIND_STR(d->claims, key, claim);
    return claim;
}

struct skr_sched_claim *skr_sched_claim_find(const struct skr_sched_devices *devices,
                                             const char *namespace_, const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    return find(devices, key);
}

/* The nodes that reach an allocation. */
static struct skr_volume *reach_of(const json_t *object)
{
    const json_t *selector = skr_path_get(object, "status.allocation.nodeSelector");
    SKR_AUTO_FREE char *text = selector ? json_dumps(selector, 0) : NULL;
    return text ? skr_volume_of_selector(text) : NULL;
}

static void claim_changed(struct skr_sched_devices *d, const json_t *object)
{
    struct skr_device_claim *decoded = NULL;
    if (skr_device_claim_decode(object, &decoded, NULL) < 0) {
        return;
    }
    SKR_AUTO_FREE char *key = skr_object_key(decoded->meta.namespace_, decoded->meta.name);
    struct skr_sched_claim *claim = find(d, key);
    if (!claim) {
        const size_t size = strlen(key) + 1;
        claim = skr_alloc(sizeof *claim + size);
        memcpy(claim->key, key, size);
        HASH_ADD_STR(d->claims, key, claim);
    }
    if (claim->assumed && !decoded->allocated) {
        skr_device_claim_destroy(decoded);
        return; /* from before the allocation that is being written */
    }
    const struct skr_claim_spec *was = claim->spec;
    claim->assumed = false;
    skr_device_claim_destroy(claim->is);
    claim->is = decoded;
    claim->spec = skr_devices_stock_spec(d->stock, decoded->devices);
    skr_devices_stock_forget_spec(d->stock, was);
    skr_volume_destroy(claim->reach);
    claim->reach = reach_of(object);
    skr_devices_stock_allocate(d->stock, claim->key, decoded->taken, decoded->n_taken);
}

void skr_sched_devices_assume(struct skr_sched_devices *devices, const json_t *claim)
{
    claim_changed(devices, claim);
    skr_sched_claim_find(devices, skr_path_text(claim, "metadata.namespace"),
                         skr_path_text(claim, "metadata.name"))
        ->assumed = true;
}

static void claim_gone(struct skr_sched_devices *d, const json_t *object)
{
    struct skr_sched_claim *claim = skr_sched_claim_find(
        d, skr_path_text(object, "metadata.namespace"), skr_path_text(object, "metadata.name"));
    if (claim) {
        skr_devices_stock_allocate(d->stock, claim->key, NULL, 0);
        drop(d, claim);
    }
}

void skr_sched_devices_forget(struct skr_sched_devices *devices, const json_t *claim,
                              const json_t *current)
{
    claim_gone(devices, claim);
    if (current) {
        claim_changed(devices, current);
    }
}

static void slice_changed(struct skr_sched_devices *d, const json_t *object)
{
    struct skr_device_slice *slice = NULL;
    if (skr_device_slice_decode(object, &slice, NULL) == 0) {
        skr_devices_stock_put_slice(d->stock, slice);
    }
}

void skr_sched_devices_change(struct skr_sched_devices *devices,
                              const struct skr_store_change *change)
{
    const bool is_slice = strcmp(change->resource->kind, "ResourceSlice") == 0;
    if (change->kind != SKR_STORE_DELETED) {
        (is_slice ? slice_changed : claim_changed)(devices, change->object);
    } else if (is_slice) {
        skr_devices_stock_remove_slice(devices->stock,
                                       skr_path_text(change->object, "metadata.name"));
    } else {
        claim_gone(devices, change->object);
    }
}

/* ---- what a pod asks for ---- */

static const char *refuse(struct skr_sched_devices *d, const char *format, ...) SKR_PRINTF(2, 3);

static const char *refuse(struct skr_sched_devices *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(d->reason, sizeof d->reason, format, args);
    va_end(args);
    return d->reason;
}

/* No further pod may reserve it: CanBeReserved() of k8s.io/dynamic-resource-allocation. */
static bool is_full_for(const struct skr_device_claim *claim, const struct skr_pod *pod)
{
    size_t i = 0;
    while (i < claim->n_reserved && strcmp(claim->reserved_for[i], pod->meta.uid) != 0) {
        i++;
    }
    return claim->n_reserved >= SKR_CLAIM_CONSUMERS_MAX && i == claim->n_reserved;
}

/* The reason why the node is not for a claim; NULL: it is, or the claim needs devices, which is added. */
static const char *add_claim(struct skr_sched_devices *d, const struct skr_pod *pod,
                             const struct skr_pod_claim *of, const struct skr_sched_node *node,
                             struct skr_sched_asked *asked)
{
    if (of->kind == SKR_POD_CLAIM_TEMPLATE) {
        return refuse(d, "no resourceclaim is made of template \"%s\" yet", of->name);
    }
    struct skr_sched_claim *claim = skr_sched_claim_find(d, pod->meta.namespace_, of->name);
    if (!claim) {
        return refuse(d, "resourceclaim \"%s\" not found", of->name);
    }
    if (claim->assumed) {
        return refuse(d, "resource claim %s is in the process of being allocated", of->name);
    }
    if (claim->is->allocated) {
        return is_full_for(claim->is, pod) ? "resourceclaim in use"
               : claim->reach && !skr_volume_reaches(claim->reach, node->node)
                   ? "resourceclaim not available on the node"
                   : NULL;
    }
    if (!claim->spec) {
        return refuse(d, "resourceclaim %s asks for no devices, or for too many", of->name);
    }
    asked->claim[asked->n] = claim;
    asked->spec[asked->n++] = claim->spec;
    return NULL;
}

/* An extended resource that a class serves and the node does not list. */
static const char *add_extended(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                                const struct skr_sched_node *node, struct skr_sched_asked *asked)
{
    const struct skr_quantities *requests = &p->pod->shape->requests;
    for (size_t i = 0; i < requests->n; i++) {
        const struct skr_quantity_item *item = &requests->item[i];
        const int id = skr_resource_names_find(cache->resources, item->name);
        const char *class = NULL;
        if (item->amount <= 0 || (id >= 0 && skr_sched_allocatable(node, (uint16_t)id) > 0) ||
            !skr_resource_names_is_served(cache->resources, item->name, &class) || !class) {
            continue;
        }
        if (asked->extended) {
            return "a pod with two extended resources of classes is not simulated";
        }
        asked->extended = skr_devices_stock_extended(cache->devices->stock, class, item->amount);
        if (!asked->extended) {
            return "there are more than 4096 different claims";
        }
        asked->claim[asked->n] = NULL;
        asked->spec[asked->n++] = asked->extended;
    }
    return NULL;
}

const char *skr_sched_asked_make(const struct skr_sched_cache *cache, const struct skr_sched_pod *p,
                                 const struct skr_sched_node *node, struct skr_sched_asked *ret)
{
    const char *why = NULL;
    ret->n = 0;
    ret->extended = NULL;
    if (!cache->devices->stock->slices && !cache->devices_needed) {
        return NULL;
    }
    for (size_t i = 0; !why && i < p->pod->n_claims; i++) {
        if (p->pod->claim[i].kind != SKR_POD_CLAIM_VOLUME) {
            why = add_claim(cache->devices, p->pod, &p->pod->claim[i], node, ret);
        }
    }
    return why ? why : add_extended(cache, p, node, ret);
}

void skr_sched_asked_fini(struct skr_sched_devices *devices, struct skr_sched_asked *asked)
{
    skr_devices_stock_forget_spec(devices->stock, asked->extended);
}

const char *skr_sched_devices_refuse(const struct skr_sched_cache *cache,
                                     const struct skr_sched_pod *p,
                                     const struct skr_sched_node *node)
{
    struct skr_sched_devices *d = cache->devices;
    struct skr_sched_asked asked;
    const char *why = skr_sched_asked_make(cache, p, node, &asked);
    const struct skr_pod_claims claims = {asked.n, asked.spec};
    if (!why && asked.n > 0) {
        const struct skr_sequence can =
            skr_sequence_count(d->stock, node->name, NULL, 0, NULL, &claims, 1, d->memo);
        why = can.end == SKR_SEQUENCE_UNMODELLED
                  ? refuse(d, "devices are not simulated here: %s", can.why)
              : can.n == 0 ? "cannot allocate all claims"
                           : NULL;
    }
    skr_sched_asked_fini(d, &asked);
    return why;
}
