/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by name. A pool lives while a slice or an allocation names it. */
#include "core/devices/stock.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/base/table.h"

/* A device of an allocation. */
struct taking {
    struct skr_stock_pool *pool;
    struct skr_stock_taken *taken;
    bool shared;
    size_t n_used;
    struct skr_claim_amount *used;
};

struct skr_stock_claim {
    UT_hash_handle hh; /* by key */
    size_t n;
    struct taking *taking;
    char key[];
};

static void say_changed(struct skr_devices_stock *stock, const char *node)
{
    if (stock->changed) {
        stock->changed(stock->context, node);
    }
}

/* ---- selectors ---- */

static struct skr_device_selector *selector_get(struct skr_devices_stock *stock, const char *text)
{
    struct skr_stock_selector *found = NULL;
    SKR_TABLE_FIND(&stock->seed, hh, stock->selectors, text, strlen(text), found);
    if (!found && HASH_COUNT(stock->selectors) >= SKR_STOCK_SELECTORS_MAX) {
        return NULL;
    }
    if (!found) {
        found = skr_alloc(sizeof *found);
        found->selector = skr_device_selector_create(text);
        found->selector->id = ++stock->next_selector;
        SKR_TABLE_ADD(&stock->seed, hh, stock->selectors, found->selector->text,
                      strlen(found->selector->text), found);
    }
    found->refs++;
    return found->selector;
}

static void selector_forget(struct skr_devices_stock *stock,
                            const struct skr_device_selector *selector)
{
    struct skr_stock_selector *found = NULL;
    if (!selector) {
        return;
    }
    SKR_TABLE_FIND(&stock->seed, hh, stock->selectors, selector->text, strlen(selector->text),
                   found);
    if (found && --found->refs == 0) {
        HASH_DEL(stock->selectors, found);
        skr_device_selector_destroy(found->selector);
        free(found);
    }
}

const uint8_t *skr_devices_stock_answers(struct skr_stock_slice *slice,
                                         const struct skr_device_selector *selector)
{
    for (size_t i = 0; i < SKR_SLICE_ANSWERS; i++) {
        if (slice->selector[i] == selector->id) {
            return slice->answer[i];
        }
    }
    const size_t at = slice->next_answer++ % SKR_SLICE_ANSWERS;
    free(slice->answer[at]);
    slice->answer[at] = skr_alloc(slice->slice->n_devices + 1);
    slice->selector[at] = selector->id;
    skr_device_selector_evaluate(selector, slice->slice, slice->answer[at]);
    return slice->answer[at];
}

/* ---- classes ---- */

const struct skr_stock_class *skr_devices_stock_class(const struct skr_devices_stock *stock,
                                                      const char *name)
{
    struct skr_stock_class *class = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->classes, name, class);
    return class;
}

static void class_drop(struct skr_devices_stock *stock, struct skr_stock_class *class)
{
    HASH_DEL(stock->classes, class);
    for (size_t i = 0; i < class->n; i++) {
        selector_forget(stock, class->selector[i]);
    }
    free(class->selector);
    free(class);
}

static bool same_class(const struct skr_stock_class *a, const struct skr_device_class *b)
{
    bool same = a && a->n == b->n_selectors;
    for (size_t i = 0; same && i < a->n; i++) {
        same = a->selector[i] && strcmp(a->selector[i]->text, b->selector[i]) == 0;
    }
    return same;
}

void skr_devices_stock_put_class(struct skr_devices_stock *stock,
                                 const struct skr_device_class *class)
{
    struct skr_stock_class *was = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->classes, class->meta.name, was);
    if (same_class(was, class)) {
        return;
    }
    const size_t n = strlen(class->meta.name) + 1;
    struct skr_stock_class *made = skr_alloc(sizeof *made + n);
    memcpy(made->name, class->meta.name, n);
    made->n = class->n_selectors;
    made->selector = skr_alloc_array(made->n + 1, sizeof *made->selector);
    for (size_t i = 0; i < made->n; i++) {
        made->selector[i] = selector_get(stock, class->selector[i]);
    }
    if (was) {
        class_drop(stock, was);
    }
    SKR_TABLE_ADD(&stock->seed, hh, stock->classes, made->name, n - 1, made);
    stock->changes++;
    say_changed(stock, NULL);
}

void skr_devices_stock_remove_class(struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_class *class = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->classes, name, class);
    if (class) {
        class_drop(stock, class);
        stock->changes++;
        say_changed(stock, NULL);
    }
}

/* ---- specs ---- */

const struct skr_claim_spec *skr_devices_stock_spec(struct skr_devices_stock *stock,
                                                    const char *text)
{
    struct skr_stock_spec *found = NULL;
    SKR_TABLE_FIND(&stock->seed, hh, stock->specs, text, strlen(text), found);
    if (!*text || (!found && HASH_COUNT(stock->specs) >= SKR_STOCK_SPECS_MAX)) {
        return NULL;
    }
    if (!found) {
        found = skr_alloc(sizeof *found);
        found->spec = skr_claim_spec_create(text);
        for (size_t i = 0; i < found->spec->n_selectors; i++) {
            found->spec->selector[i] = selector_get(stock, found->spec->selector_text[i]);
        }
        SKR_TABLE_ADD(&stock->seed, hh, stock->specs, found->spec->text, strlen(found->spec->text),
                      found);
    }
    found->refs++;
    return found->spec;
}

void skr_devices_stock_forget_spec(struct skr_devices_stock *stock,
                                   const struct skr_claim_spec *spec)
{
    struct skr_stock_spec *found = NULL;
    if (!spec) {
        return;
    }
    SKR_TABLE_FIND(&stock->seed, hh, stock->specs, spec->text, strlen(spec->text), found);
    if (found && --found->refs == 0) {
        HASH_DEL(stock->specs, found);
        for (size_t i = 0; i < found->spec->n_selectors; i++) {
            selector_forget(stock, found->spec->selector[i]);
        }
        skr_claim_spec_destroy(found->spec);
        free(found);
    }
}

/* ---- pools and nodes ---- */

static struct skr_stock_pool *pool_ref(struct skr_devices_stock *stock, const char *driver,
                                       const char *name)
{
    struct skr_stock_pool *pool = NULL;
    SKR_STRBUF(key);
    skr_strbuf_addf(&key, "%s/%s", driver, name);
    SKR_TABLE_FIND(&stock->seed, hh, stock->pools, key.s, key.len, pool);
    if (!pool) {
        pool = skr_alloc(sizeof *pool + key.len + 1);
        memcpy(pool->key, key.s, key.len + 1);
        SKR_TABLE_ADD(&stock->seed, hh, stock->pools, pool->key, key.len, pool);
    }
    pool->refs++;
    return pool;
}

static void pool_unref(struct skr_devices_stock *stock, struct skr_stock_pool *pool)
{
    if (--pool->refs == 0) {
        HASH_DEL(stock->pools, pool);
        free(pool);
    }
}

const struct skr_stock_node *skr_devices_stock_node(const struct skr_devices_stock *stock,
                                                    const char *name)
{
    struct skr_stock_node *node = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->nodes, name, node);
    return node;
}

static struct skr_stock_node *node_get(struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_node *node = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->nodes, name, node);
    if (!node) {
        const size_t n = strlen(name) + 1;
        node = skr_alloc(sizeof *node + n);
        memcpy(node->name, name, n);
        SKR_TABLE_ADD(&stock->seed, hh, stock->nodes, node->name, n - 1, node);
    }
    return node;
}

/* Nodes whose devices may be others when the pool changes. */
static void say_pool_changed(struct skr_devices_stock *stock, const struct skr_stock_pool *pool)
{
    const struct skr_stock_slice *s;
    const char *last = "";
    DL_FOREACH2(pool->slices, s, pnext)
    {
        if (*s->slice->node && strcmp(s->slice->node, last) != 0) {
            last = s->slice->node;
            say_changed(stock, last);
        }
    }
}

/* ---- slices ---- */

static void unlink_slice(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    struct skr_stock_node *node = s->node;
    DL_DELETE2(s->pool->slices, s, pprev, pnext);
    if (!node) {
        DL_DELETE2(stock->elsewhere, s, nprev, nnext);
        stock->changes++;
        return;
    }
    DL_DELETE2(node->slices, s, nprev, nnext);
    if (!node->slices) {
        HASH_DEL(stock->nodes, node);
        free(node);
    }
}

static void link_slice(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    DL_APPEND2(s->pool->slices, s, pprev, pnext);
    if (*s->slice->node) {
        s->node = node_get(stock, s->slice->node);
        DL_APPEND2(s->node->slices, s, nprev, nnext);
    } else {
        DL_APPEND2(stock->elsewhere, s, nprev, nnext);
        stock->changes++;
    }
}

static void slice_drop(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    HASH_DEL(stock->slices, s);
    stock->n_slices--;
    stock->n_devices -= s->slice->n_devices;
    unlink_slice(stock, s);
    pool_unref(stock, s->pool);
    for (size_t i = 0; i < SKR_SLICE_ANSWERS; i++) {
        free(s->answer[i]);
    }
    skr_device_slice_destroy(s->slice);
    free(s);
}

static struct skr_stock_slice *slice_find(const struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_slice *s = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->slices, name, s);
    return s;
}

/* That is NULL if slices of several nodes change. */
static void say_slice_changed(struct skr_devices_stock *stock, const struct skr_stock_slice *s)
{
    if (*s->slice->node) {
        say_pool_changed(stock, s->pool);
    } else {
        say_changed(stock, NULL);
    }
}

void skr_devices_stock_put_slice(struct skr_devices_stock *stock, struct skr_device_slice *slice)
{
    struct skr_stock_slice *was = slice_find(stock, slice->meta.name);
    if (was && was->slice->meta.resource_version > slice->meta.resource_version) {
        skr_device_slice_destroy(slice);
        return;
    }
    if (was) {
        say_slice_changed(stock, was);
        slice_drop(stock, was);
    }
    if (stock->n_slices >= SKR_STOCK_SLICES_MAX ||
        stock->n_devices + slice->n_devices > SKR_STOCK_DEVICES_MAX) {
        skr_device_slice_destroy(slice);
        stock->full = true;
        say_changed(stock, NULL);
        return;
    }
    struct skr_stock_slice *s = skr_alloc(sizeof *s);
    s->slice = slice;
    s->pool = pool_ref(stock, slice->driver, slice->pool);
    link_slice(stock, s);
    SKR_TABLE_ADD(&stock->seed, hh, stock->slices, slice->meta.name, strlen(slice->meta.name), s);
    stock->n_slices++;
    stock->n_devices += slice->n_devices;
    say_slice_changed(stock, s);
}

void skr_devices_stock_remove_slice(struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_slice *s = slice_find(stock, name);
    if (s) {
        say_slice_changed(stock, s);
        slice_drop(stock, s);
    }
}

/* ---- what is taken ---- */

const struct skr_stock_taken *skr_devices_stock_taken(const struct skr_devices_stock *stock,
                                                      const struct skr_stock_pool *pool,
                                                      const char *device)
{
    struct skr_stock_taken *taken = NULL;
    if (pool->taken) {
        SKR_TABLE_FIND_STR(&stock->seed, pool->taken, device, taken);
    }
    return taken;
}

static struct skr_stock_taken *taken_get(struct skr_devices_stock *stock,
                                         struct skr_stock_pool *pool, const char *device)
{
    struct skr_stock_taken *taken = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, pool->taken, device, taken);
    if (!taken) {
        const size_t n = strlen(device) + 1;
        taken = skr_alloc(sizeof *taken + n);
        memcpy(taken->name, device, n);
        SKR_TABLE_ADD(&stock->seed, hh, pool->taken, taken->name, n - 1, taken);
    }
    return taken;
}

static void use(struct skr_stock_taken *taken, const struct skr_claim_amount *amount, int sign)
{
    size_t i = 0;
    while (i < taken->n_used && strcmp(taken->used[i].name, amount->name) != 0) {
        i++;
    }
    if (i == taken->n_used) {
        size_t cap = taken->n_used;
        skr_grow_exactly(&taken->used, &cap, i + 1, sizeof *taken->used);
        taken->used[i].name = skr_strdup(amount->name);
        taken->n_used++;
    }
    taken->used[i].value += sign * amount->value;
}

static void count(struct taking *t, int sign)
{
    struct skr_stock_taken *taken = t->taken;
    if (!t->shared) {
        taken->n_whole += (uint32_t)sign;
        return;
    }
    taken->n_shares += (uint32_t)sign;
    taken->n_counted += t->n_used > 0 ? (uint32_t)sign : 0;
    for (size_t i = 0; i < t->n_used; i++) {
        use(taken, &t->used[i], sign);
    }
}

static void free_used(struct skr_claim_amount *used, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *name = NULL;
        memcpy(&name, &used[i].name, sizeof name);
        free(name);
    }
    free(used);
}

static void give_back(struct skr_devices_stock *stock, struct skr_stock_claim *claim)
{
    for (size_t i = 0; i < claim->n; i++) {
        struct taking *t = &claim->taking[i];
        count(t, -1);
        say_pool_changed(stock, t->pool);
        if (t->taken->n_whole == 0 && t->taken->n_shares == 0) {
            HASH_DEL(t->pool->taken, t->taken);
            free_used(t->taken->used, t->taken->n_used);
            free(t->taken);
        }
        free_used(t->used, t->n_used);
        pool_unref(stock, t->pool);
    }
    free(claim->taking);
    HASH_DEL(stock->claims, claim);
    free(claim);
}

static void take(struct skr_devices_stock *stock, struct taking *t,
                 const struct skr_claim_device *device)
{
    t->pool = pool_ref(stock, device->driver, device->pool);
    t->taken = taken_get(stock, t->pool, device->device);
    t->shared = device->shared;
    t->n_used = device->shared ? device->n_consumed : 0;
    t->used = t->n_used > 0 ? skr_alloc_array(t->n_used, sizeof *t->used) : NULL;
    for (size_t i = 0; i < t->n_used; i++) {
        t->used[i] =
            (struct skr_claim_amount){skr_strdup(device->capacity[i]), device->consumed[i]};
    }
    count(t, 1);
    say_pool_changed(stock, t->pool);
}

/* Allocations do not change; a claim has another one after it was freed. */
static bool same_taking(const struct skr_stock_claim *claim, const struct skr_claim_device *device,
                        size_t n)
{
    bool same = claim->n == n;
    for (size_t i = 0; same && i < n; i++) {
        const struct taking *t = &claim->taking[i];
        const size_t driver = strlen(device[i].driver);
        same = t->shared == device[i].shared && strcmp(t->taken->name, device[i].device) == 0 &&
               strncmp(t->pool->key, device[i].driver, driver) == 0 &&
               strcmp(t->pool->key + driver + 1, device[i].pool) == 0 &&
               t->n_used == (t->shared ? device[i].n_consumed : 0);
        for (size_t k = 0; same && k < t->n_used; k++) {
            same = t->used[k].value == device[i].consumed[k] &&
                   strcmp(t->used[k].name, device[i].capacity[k]) == 0;
        }
    }
    return same;
}

void skr_devices_stock_allocate(struct skr_devices_stock *stock, const char *key,
                                const struct skr_claim_device *device, size_t n)
{
    struct skr_stock_claim *claim = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->claims, key, claim);
    if (claim && same_taking(claim, device, n)) {
        return;
    }
    if (claim) {
        give_back(stock, claim);
    }
    if (n == 0) {
        return;
    }
    const size_t size = strlen(key) + 1;
    claim = skr_alloc(sizeof *claim + size);
    memcpy(claim->key, key, size);
    claim->n = n;
    claim->taking = skr_alloc_array(n, sizeof *claim->taking);
    for (size_t i = 0; i < n; i++) {
        take(stock, &claim->taking[i], &device[i]);
    }
    SKR_TABLE_ADD(&stock->seed, hh, stock->claims, claim->key, size - 1, claim);
}

/* ---- life ---- */

struct skr_devices_stock *skr_devices_stock_create(const struct skr_hash_seed *seed,
                                                   void (*changed)(void *, const char *),
                                                   void *context)
{
    struct skr_devices_stock *stock = skr_alloc(sizeof *stock);
    stock->seed = *seed;
    stock->version = SKR_DEVICES_1_36;
    stock->changed = changed;
    stock->context = context;
    return stock;
}

void skr_devices_stock_destroy(struct skr_devices_stock *stock)
{
    if (!stock) {
        return;
    }
    stock->changed = NULL;
    while (stock->claims) {
        give_back(stock, stock->claims);
    }
    while (stock->slices) {
        slice_drop(stock, stock->slices);
    }
    while (stock->classes) {
        class_drop(stock, stock->classes);
    }
    while (stock->specs) {
        stock->specs->refs = 1;
        skr_devices_stock_forget_spec(stock, stock->specs->spec);
    }
    free(stock);
}
