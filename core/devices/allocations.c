/* SPDX-License-Identifier: Apache-2.0 */
/* What allocations take: of each pool its devices, of each device the claims that have it. */
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/devices/stock.h"
#include "core/devices/stock_parts.h"
#include "topology/base/strbuf.h"

const struct skr_stock_taking *skr_devices_stock_takings(const struct skr_devices_stock *stock,
                                                         const struct skr_stock_pool *pool,
                                                         const char *device)
{
    struct skr_stock_taken *taken = NULL;
    if (pool->taken) {
        SKR_TABLE_FIND_STR(&stock->seed, pool->taken, device, taken);
    }
    return taken ? taken->takings : NULL;
}

void skr_stock_give_back(struct skr_devices_stock *stock, struct skr_stock_claim *claim)
{
    for (size_t i = 0; i < claim->n; i++) {
        struct skr_stock_taking *t = &claim->taking[i];
        DL_DELETE(t->of->takings, t);
        skr_stock_pool_changed(stock, t->pool);
        if (!t->of->takings) {
            HASH_DEL(t->pool->taken, t->of);
            free(t->of);
        }
        for (size_t k = 0; k < t->n_used; k++) {
            free(t->used[k].name);
        }
        free(t->used);
        skr_stock_pool_unref(stock, t->pool);
    }
    free(claim->taking);
    free(claim->pod_uid);
    HASH_DEL(stock->claims, claim);
    free(claim);
}

static void take(struct skr_devices_stock *stock, struct skr_stock_taking *t,
                 const struct skr_claim_device *device)
{
    t->pool = skr_stock_pool_ref(stock, device->driver, device->pool);
    SKR_STOCK_GET(stock, t->pool->taken, device->device, t->of);
    DL_APPEND(t->of->takings, t);
    t->shared = device->shared;
    t->n_used = device->shared ? device->n_consumed : 0;
    t->used = skr_alloc_array(t->n_used + 1, sizeof *t->used);
    for (size_t i = 0; i < t->n_used; i++) {
        t->used[i] =
            (struct skr_stock_amount){skr_strdup(device->capacity[i]), device->consumed[i]};
    }
    skr_stock_pool_changed(stock, t->pool);
}

/* Allocations do not change; a claim has another one after it was freed. */
static bool same_taking(const struct skr_stock_claim *claim, const struct skr_claim_device *device,
                        size_t n)
{
    bool same = claim->n == n;
    for (size_t i = 0; same && i < n; i++) {
        const struct skr_stock_taking *t = &claim->taking[i];
        const size_t driver = strlen(device[i].driver);
        same = t->shared == device[i].shared && strcmp(t->of->name, device[i].device) == 0 &&
               strncmp(t->pool->name, device[i].driver, driver) == 0 &&
               strcmp(t->pool->name + driver + 1, device[i].pool) == 0 &&
               t->n_used == (t->shared ? device[i].n_consumed : 0);
        for (size_t k = 0; same && k < t->n_used; k++) {
            same = t->used[k].value == device[i].consumed[k] &&
                   strcmp(t->used[k].name, device[i].capacity[k]) == 0;
        }
    }
    return same;
}

static struct skr_stock_claim *claim_find(const struct skr_devices_stock *stock, const char *key)
{
    struct skr_stock_claim *claim = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->claims, key, claim);
    return claim;
}

void skr_devices_stock_allocate(struct skr_devices_stock *stock, const char *key,
                                const struct skr_claim_device *device, size_t n)
{
    struct skr_stock_claim *claim = claim_find(stock, key);
    if (claim && same_taking(claim, device, n)) {
        return;
    }
    if (claim) {
        skr_stock_give_back(stock, claim);
    }
    if (n == 0) {
        return;
    }
    claim = NULL;
    SKR_STOCK_GET(stock, stock->claims, key, claim);
    claim->n = n;
    claim->taking = skr_alloc_array(n, sizeof *claim->taking);
    for (size_t i = 0; i < n; i++) {
        claim->taking[i].claim = claim;
        take(stock, &claim->taking[i], &device[i]);
    }
}

void skr_devices_stock_use(struct skr_devices_stock *stock, const char *key,
                           const char *const *pod_uid, size_t n)
{
    struct skr_stock_claim *claim = claim_find(stock, key);
    size_t size = n * sizeof *pod_uid + 1;
    if (!claim) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size += strlen(pod_uid[i]) + 1;
    }
    free(claim->pod_uid);
    claim->pod_uid = skr_alloc(size);
    claim->n_pods = n;
    char *text = (char *)&claim->pod_uid[n];
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(pod_uid[i]) + 1;
        claim->pod_uid[i] = memcpy(text, pod_uid[i], length);
        text += length;
    }
}

void skr_devices_stock_leave_out(struct skr_devices_stock *stock, const char *key, bool out)
{
    struct skr_stock_claim *claim = claim_find(stock, key);
    if (claim) {
        claim->out = out;
    }
}

bool skr_devices_stock_counts(const struct skr_stock_taking *taking)
{
    return !taking->claim->out;
}

const char *skr_devices_stock_next_used(const struct skr_devices_stock *stock,
                                        const struct skr_stock_claim **at,
                                        const char *const **ret_pod_uid, size_t *ret_n)
{
    const struct skr_stock_claim *claim = *at ? (*at)->hh.next : stock->claims;
    while (claim && claim->n_pods == 0) {
        claim = claim->hh.next;
    }
    *at = claim;
    *ret_pod_uid = claim ? claim->pod_uid : NULL;
    *ret_n = claim ? claim->n_pods : 0;
    return claim ? claim->name : NULL;
}

static bool has_device(const struct skr_device_slice *slice, const char *name)
{
    size_t i = 0;
    while (i < slice->n_devices && strcmp(slice->device[i].name, name) != 0) {
        i++;
    }
    return i < slice->n_devices;
}

const char *skr_devices_stock_elsewhere(const struct skr_devices_stock *stock, const char *key,
                                        const char *node)
{
    const struct skr_stock_claim *claim = claim_find(stock, key);
    const char *elsewhere = NULL;
    for (size_t i = 0; claim && !elsewhere && i < claim->n; i++) {
        const struct skr_stock_slice *s;
        bool here = false;
        DL_FOREACH2(claim->taking[i].pool->slices, s, pnext)
        {
            if (has_device(s->slice, claim->taking[i].of->name)) {
                here = here || !s->node || strcmp(s->node->name, node) == 0;
                elsewhere = s->node ? s->node->name : elsewhere;
            }
        }
        elsewhere = here ? NULL : elsewhere;
    }
    return elsewhere;
}
