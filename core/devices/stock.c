/* SPDX-License-Identifier: Apache-2.0 */
/* Tables by name. A pool lives while a slice or an allocation names it. */
#include "core/devices/stock.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "core/devices/answers.h"
#include "core/devices/stock_limits.h"
#include "core/devices/stock_parts.h"
#include "core/devices/stock_shares.h"
#include "topology/base/arena.h"
#include "topology/base/strbuf.h"
#include "topology/base/table.h"
#include "topology/device_claims.h"

static void say_changed(struct skr_devices_stock *stock, const char *node)
{
    if (stock->changed) {
        stock->changed(stock->context, node);
    }
}

/* ---- selectors ---- */

static bool unread_oldest(struct skr_devices_stock *stock);

static struct skr_device_selector *selector_get(struct skr_devices_stock *stock, const char *text)
{
    struct skr_device_selector *found = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->selectors, text, found);
    while (!found && HASH_COUNT(stock->selectors) >= SKR_STOCK_SELECTORS_MAX) {
        if (!unread_oldest(stock)) {
            return NULL;
        }
    }
    if (!found) {
        found = skr_device_selector_create(text);
        found->id = ++stock->next_selector;
        SKR_TABLE_ADD(&stock->seed, hh, stock->selectors, found->text, strlen(found->text), found);
    }
    found->refs++;
    return found;
}

static void selectors_forget(struct skr_devices_stock *stock,
                             struct skr_device_selector *const *selector, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (selector[i] && --selector[i]->refs == 0) {
            HASH_DEL(stock->selectors, selector[i]);
            skr_device_answers_forget(stock, selector[i]);
            skr_device_selector_destroy(selector[i]);
        }
    }
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
    selectors_forget(stock, class->selector, class->n);
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

static uint64_t steps_of(const char *selector)
{
    return SKR_SELECTOR_RUN_STEPS + skr_cel_cost_bound(selector);
}

void skr_devices_stock_put_class(struct skr_devices_stock *stock,
                                 const struct skr_device_class *class)
{
    if (same_class(skr_devices_stock_class(stock, class->meta.name), class)) {
        return;
    }
    struct skr_stock_class *made = NULL;
    SKR_STOCK_GET(stock, stock->classes, class->meta.name, made);
    struct skr_device_selector **was = made->selector;
    const size_t n_was = made->n;
    made->n = class->n_selectors;
    made->steps = 0;
    made->selector = skr_alloc_array(made->n + 1, sizeof *made->selector);
    for (size_t i = 0; i < made->n; i++) {
        made->selector[i] = selector_get(stock, class->selector[i]);
        made->steps += steps_of(class->selector[i]);
    }
    selectors_forget(stock, was, n_was);
    free(was);
    stock->epoch++;
    stock->class_epoch++;
    say_changed(stock, NULL);
}

void skr_devices_stock_remove_class(struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_class *class = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->classes, name, class);
    if (class) {
        class_drop(stock, class);
        stock->epoch++;
        stock->class_epoch++;
        say_changed(stock, NULL);
    }
}

/* ---- specs ---- */

enum { STEPS_A_BYTE = 8 }; /* so many bytes of JSON are read in a step */

static void unread(struct skr_devices_stock *stock, struct skr_claim_spec *spec)
{
    for (size_t i = 0; i < spec->n_requests; i++) {
        selectors_forget(stock, spec->request[i].selector, spec->request[i].n_selectors);
    }
    if (spec->arena) {
        DL_DELETE(stock->read, spec);
        stock->n_read--;
    }
    skr_claim_spec_unread(spec);
}

/* Of those that no pod needs. False: there is none. */
static bool unread_oldest(struct skr_devices_stock *stock)
{
    struct skr_claim_spec *spec;
    LL_SEARCH_SCALAR(stock->read, spec, refs, 0);
    if (spec) {
        unread(stock, spec);
    }
    return spec;
}

/* Without its selectors, which are expensive to compile. */
static void size_spec(struct skr_devices_stock *stock, struct skr_claim_spec *spec)
{
    stock->work->steps += strlen(spec->text) / STEPS_A_BYTE;
    skr_claim_spec_read(spec);
    for (size_t i = 0; i < spec->n_requests && !spec->sized; i++) {
        const struct skr_claim_request *request = &spec->request[i];
        spec->size_selectors += request->n_selectors;
        for (size_t k = 0; k < request->n_selectors; k++) {
            spec->size_steps += steps_of(request->selector_text[k]);
        }
    }
    spec->size_requests = spec->n_requests;
    spec->sized = true;
}

static void read_spec(struct skr_devices_stock *stock, struct skr_claim_spec *spec)
{
    size_spec(stock, spec);
    stock->work->steps += strlen(spec->text);
    DL_APPEND(stock->read, spec);
    stock->n_read++;
    spec->refs++; /* it stays while room is made */
    for (size_t i = 0; i < spec->n_requests; i++) {
        struct skr_claim_request *request = &spec->request[i];
        for (size_t k = 0; k < request->n_selectors; k++) {
            request->selector[k] = selector_get(stock, request->selector_text[k]);
        }
    }
    spec->refs--;
}

static struct skr_claim_spec *spec_get(struct skr_devices_stock *stock, const char *text)
{
    struct skr_claim_spec *found = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->specs, text, found);
    if (!found) {
        found = skr_claim_spec_create(text);
        SKR_TABLE_ADD(&stock->seed, hh, stock->specs, found->text, strlen(found->text), found);
    }
    return found;
}

static bool is_kept(const char *text)
{
    return *text && strcmp(text, SKR_CLAIM_NOT_KEPT) != 0;
}

void skr_devices_stock_size(struct skr_devices_stock *stock, const char *text, size_t *ret_requests,
                            size_t *ret_selectors)
{
    if (*text && !is_kept(text)) {
        *ret_requests = *ret_selectors = UINT32_MAX;
        return;
    }
    struct skr_claim_spec *spec = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->specs, text, spec);
    struct skr_claim_spec *made = spec ? NULL : skr_claim_spec_create(text);
    struct skr_claim_spec *of = spec ? spec : made;
    if (!of->sized) {
        size_spec(stock, of);
        skr_claim_spec_unread(of);
    }
    *ret_requests = of->size_requests;
    *ret_selectors = of->size_selectors;
    skr_claim_spec_destroy(made);
}

uint64_t skr_devices_stock_steps(struct skr_devices_stock *stock, const struct skr_claim_spec *spec)
{
    enum { STEPS_OF_A_CLASS = 48 }; /* that is not known: one plain selector */
    size_t requests, selectors;
    skr_devices_stock_size(stock, spec->text, &requests, &selectors);
    uint64_t steps = spec->size_steps + (spec->arena ? 0 : spec->size_requests * STEPS_OF_A_CLASS);
    for (size_t i = 0; spec->arena && i < spec->n_requests; i++) {
        const struct skr_stock_class *class =
            skr_devices_stock_class(stock, spec->request[i].class_);
        steps += class ? class->steps : 0;
    }
    return steps;
}

static void drop_unneeded(struct skr_devices_stock *stock, struct skr_claim_spec *spec)
{
    if (spec->refs == 0 && spec->payer) {
        spec->payer->n_specs--;
        spec->payer->n_selectors -= spec->size_selectors;
        spec->payer = NULL;
    }
    if (spec->refs == 0 && spec->kept == 0) {
        if (spec->writer) {
            spec->writer->text_bytes -= strlen(spec->text);
        }
        unread(stock, spec);
        HASH_DEL(stock->specs, spec);
        skr_claim_spec_destroy(spec);
    }
}

const struct skr_claim_spec *skr_devices_stock_spec(struct skr_devices_stock *stock,
                                                    const char *text)
{
    struct skr_claim_spec *spec = is_kept(text) ? spec_get(stock, text) : NULL;
    bool room = true;
    while (spec && !spec->arena && room && stock->n_read >= SKR_STOCK_SPECS_MAX) {
        room = unread_oldest(stock);
    }
    if (!spec || !room) {
        if (spec) {
            drop_unneeded(stock, spec);
        }
        return NULL;
    }
    if (!spec->arena) {
        read_spec(stock, spec);
    } else if (spec->next) {
        DL_DELETE(stock->read, spec);
        DL_APPEND(stock->read, spec);
    }
    spec->refs++;
    return spec;
}

const struct skr_claim_spec *skr_devices_stock_keep(struct skr_devices_stock *stock,
                                                    const char *namespace_, const char *text)
{
    struct skr_claim_spec *spec = *text ? spec_get(stock, text) : NULL;
    if (spec && !spec->writer && is_kept(text)) {
        struct skr_stock_share *share = skr_stock_share_get(stock, namespace_);
        if (share->text_bytes + strlen(text) <= SKR_SHARE_TEXT_BYTES_MAX) {
            share->text_bytes += strlen(text);
            spec->writer = share;
        } else {
            drop_unneeded(stock, spec);
            spec = spec_get(stock, SKR_CLAIM_NOT_KEPT);
        }
    }
    if (spec) {
        spec->kept++;
    }
    return spec;
}

static struct skr_claim_spec *spec_of(const struct skr_devices_stock *stock,
                                      const struct skr_claim_spec *spec)
{
    struct skr_claim_spec *found = NULL;
    if (spec) {
        SKR_TABLE_FIND_STR(&stock->seed, stock->specs, spec->text, found);
    }
    return found;
}

void skr_devices_stock_unkeep(struct skr_devices_stock *stock, const struct skr_claim_spec *spec)
{
    struct skr_claim_spec *found = spec_of(stock, spec);
    if (found) {
        found->kept--;
        drop_unneeded(stock, found);
    }
}

const struct skr_claim_spec *skr_devices_stock_extended(struct skr_devices_stock *stock,
                                                        const char *class_, int64_t count)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text, "{\"requests\":[{\"exactly\":{\"count\":%lld,\"deviceClassName\":",
                    (long long)count);
    skr_strbuf_add_json(&text, class_);
    skr_strbuf_add(&text, "},\"name\":\"request\"}]}");
    return skr_devices_stock_spec(stock, text.s);
}

void skr_devices_stock_forget_spec(struct skr_devices_stock *stock,
                                   const struct skr_claim_spec *spec)
{
    struct skr_claim_spec *found = spec_of(stock, spec);
    if (found) {
        found->refs--;
        drop_unneeded(stock, found);
    }
}

/* ---- pools and nodes ---- */

struct skr_stock_pool *skr_stock_pool_ref(struct skr_devices_stock *stock, const char *driver,
                                          const char *name)
{
    struct skr_stock_pool *pool = NULL;
    SKR_STRBUF(key);
    skr_strbuf_addf(&key, "%s/%s", driver, name);
    SKR_STOCK_GET(stock, stock->pools, key.s, pool);
    pool->refs++;
    return pool;
}

void skr_stock_pool_unref(struct skr_devices_stock *stock, struct skr_stock_pool *pool)
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

void skr_stock_pool_changed(struct skr_devices_stock *stock, struct skr_stock_pool *pool)
{
    const struct skr_stock_slice *s;
    const struct skr_stock_node *last = NULL;
    bool of_several = false;
    if (!stock->changed || pool->said == stock->heard) {
        return;
    }
    DL_FOREACH2(pool->slices, s, pnext)
    {
        of_several = of_several || !s->node;
        if (s->node && s->node != last) {
            last = s->node;
            say_changed(stock, last->name);
        }
    }
    if (of_several) {
        say_changed(stock, "");
    }
    pool->said = stock->heard;
}

/* ---- slices ---- */

static void unlink_slice(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    struct skr_stock_node *node = s->node;
    DL_DELETE2(s->pool->slices, s, pprev, pnext);
    skr_stock_regions_unref(stock, s);
    if (!node) {
        DL_DELETE2(*(s->slice->reach.all ? &stock->everywhere : &stock->elsewhere), s, nprev,
                   nnext);
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
    skr_stock_regions_ref(stock, s);
    if (*s->slice->reach.node) {
        SKR_STOCK_GET(stock, stock->nodes, s->slice->reach.node, s->node);
        DL_APPEND2(s->node->slices, s, nprev, nnext);
    } else {
        DL_APPEND2(*(s->slice->reach.all ? &stock->everywhere : &stock->elsewhere), s, nprev,
                   nnext);
    }
}

static void slice_drop(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    HASH_DEL(stock->slices, s);
    stock->epoch++;
    skr_stock_account(stock, s->slice, false);
    unlink_slice(stock, s);
    skr_stock_pool_unref(stock, s->pool);
    skr_slice_answers_forget(&s->answers);
    skr_device_kinds_unpack(&stock->kinds, s->slice, s->counters);
    free(s);
}

static struct skr_stock_slice *slice_find(const struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_slice *s = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->slices, name, s);
    return s;
}

/* The nodes of the pool; any node, if several reach the slice. */
static void say_slice_changed(struct skr_devices_stock *stock, const struct skr_stock_slice *s)
{
    if (!s->node) {
        say_changed(stock, NULL);
        return;
    }
    skr_stock_pool_changed(stock, s->pool);
    say_changed(stock, s->node->name); /* it may be new in a pool that was reported */
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
    struct skr_stock_slice *s = skr_alloc(sizeof *s);
    s->slice = skr_device_kinds_pack(&stock->kinds, slice, &s->counters);
    skr_device_slice_destroy(slice);
    slice = s->slice;
    const char *beyond = skr_stock_beyond(stock, slice);
    if (beyond) {
        skr_device_kinds_unpack(&stock->kinds, slice, s->counters);
        free(s);
        stock->full = beyond;
        say_changed(stock, NULL);
        return;
    }
    s->pool = skr_stock_pool_ref(stock, slice->driver, slice->pool);
    link_slice(stock, s);
    SKR_TABLE_ADD(&stock->seed, hh, stock->slices, slice->meta.name, strlen(slice->meta.name), s);
    skr_stock_account(stock, slice, true);
    stock->epoch++;
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

/* ---- life ---- */

struct skr_devices_stock *skr_devices_stock_create(const struct skr_hash_seed *seed,
                                                   void (*changed)(void *, const char *),
                                                   void *context)
{
    struct skr_devices_stock *stock = skr_alloc(sizeof *stock);
    stock->seed = stock->kinds.seed = *seed;
    stock->version = SKR_DEVICES_1_36;
    stock->steps = SKR_DEVICES_STEPS;
    stock->work = skr_alloc(sizeof *stock->work);
    stock->work->most = UINT64_MAX;
    stock->heard = 1;
    stock->changed = changed;
    stock->context = context;
    return stock;
}

/* ---- taint rules ---- */

static struct skr_stock_rule *rule_find(const struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_rule *r = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->rules, name, r);
    return r;
}

static void rule_drop(struct skr_devices_stock *stock, struct skr_stock_rule *r)
{
    HASH_DEL(stock->rules, r);
    skr_device_taint_rule_destroy(r->rule);
    free(r);
}

void skr_devices_stock_put_rule(struct skr_devices_stock *stock, struct skr_device_taint_rule *rule)
{
    struct skr_stock_rule *r = rule_find(stock, rule->meta.name);
    const bool late = r && r->rule->meta.resource_version > rule->meta.resource_version;
    const char *beyond = r ? NULL : skr_stock_beyond_rules(stock);
    if (late || beyond) {
        stock->full = beyond ? beyond : stock->full;
        skr_device_taint_rule_destroy(rule);
    } else {
        if (r) {
            rule_drop(stock, r);
        }
        r = skr_alloc(sizeof *r);
        r->rule = rule;
        SKR_TABLE_ADD(&stock->seed, hh, stock->rules, rule->meta.name, strlen(rule->meta.name), r);
    }
    if (!late) {
        say_changed(stock, NULL);
    }
}

void skr_devices_stock_remove_rule(struct skr_devices_stock *stock, const char *name)
{
    struct skr_stock_rule *r = rule_find(stock, name);
    if (r) {
        rule_drop(stock, r);
        say_changed(stock, NULL);
    }
}

void skr_devices_stock_destroy(struct skr_devices_stock *stock)
{
    if (!stock) {
        return;
    }
    stock->changed = NULL;
    while (stock->claims) {
        skr_stock_give_back(stock, stock->claims);
    }
    while (stock->slices) {
        slice_drop(stock, stock->slices);
    }
    while (stock->classes) {
        class_drop(stock, stock->classes);
    }
    while (stock->specs) {
        stock->specs->refs = stock->specs->kept = 0;
        drop_unneeded(stock, stock->specs);
    }
    while (stock->rules) {
        rule_drop(stock, stock->rules);
    }
    skr_stock_shares_fini(stock);
    free(stock->work);
    free(stock);
}
