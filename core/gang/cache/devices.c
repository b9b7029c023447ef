/* SPDX-License-Identifier: Apache-2.0 */
/* Needs of members as shapes, pending claimers by node, and what the stock says about both. */
#include "core/gang/cache/devices.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/pods.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Pending claimers of a node. */
struct claimers {
    UT_hash_handle hh; /* by node */
    struct pod_entry *list;
    char node[];
};

/* Why no devices are counted; NULL: they are. */
static const char *unmodelled(const struct skr_gang *e)
{
    return e->settings.devices_off ? "devices.mode is off"
           : e->devices.forbidden  ? "the account may not read slices, it needs list and watch on "
                                     "resourceslices.resource.k8s.io"
           : e->devices.stock->n_slices == 0 ? "there are no ResourceSlices"
           : e->settings.server_minor < SKR_DEVICES_FROM
               ? "Kubernetes is older than 1.36, or its version is not known yet"
               : NULL;
}

static bool is_modelled(const struct skr_gang *e)
{
    return !unmodelled(e);
}

static void touch(struct skr_gang *e, const char *node)
{
    skr_grow(&e->devices.touched, &e->devices.cap_touched, e->devices.n_touched + 1,
             sizeof(const char *));
    e->devices.touched[e->devices.n_touched++] = skr_names_intern(e, node);
}

bool skr_devices_take_touched(struct skr_gang *e, const char **ret)
{
    if (e->devices.touched_all) {
        e->devices.touched_all = false;
        e->devices.n_touched = 0;
        *ret = NULL;
        return true;
    }
    if (e->devices.n_touched == 0) {
        return false;
    }
    *ret = e->devices.touched[--e->devices.n_touched];
    return true;
}

/* Devices of the node are others, or others are free; NULL: of any node. */
static void changed(void *context, const char *node)
{
    struct skr_gang *e = context;
    if (node) {
        touch(e, node);
    } else {
        e->devices.touched_all = true;
    }
    skr_dirty_openings(e);
    skr_dirty_capacity(e);
}

void skr_devices_init(struct skr_gang *e)
{
    e->devices.stock = skr_devices_stock_create(&e->settings.hash_seed, changed, e);
    e->devices.memo = skr_sequence_memo_create();
    e->devices.stock->version =
        e->settings.server_minor >= SKR_DEVICES_1_37 ? SKR_DEVICES_1_37 : SKR_DEVICES_1_36;
}

void skr_devices_fini(struct skr_gang *e)
{
    struct claimers *claimers, *next;
    HASH_ITER(hh, e->devices.claimers, claimers, next)
    {
        HASH_DEL(e->devices.claimers, claimers);
        free(claimers);
    }
    skr_devices_stock_destroy(e->devices.stock);
    skr_sequence_memo_destroy(e->devices.memo);
    free(e->devices.touched);
}

void skr_devices_slice_upsert(struct skr_gang *e, struct skr_device_slice *slice)
{
    skr_devices_stock_put_slice(e->devices.stock, slice);
}

void skr_devices_slice_delete(struct skr_gang *e, const char *name)
{
    skr_devices_stock_remove_slice(e->devices.stock, name);
}

void skr_devices_judge(struct skr_gang *e)
{
    e->devices.stock->version =
        e->settings.server_minor >= SKR_DEVICES_1_37 ? SKR_DEVICES_1_37 : SKR_DEVICES_1_36;
    if (e->devices.stock->n_slices > 0) {
        changed(e, NULL);
        skr_claim_objects_judge(e);
    }
}

/* ---- what a pod needs ---- */

static void shape_fini(struct skr_gang *e, struct device_shape *shape)
{
    for (size_t i = 0; i < shape->n; i++) {
        skr_devices_stock_forget_spec(e->devices.stock, shape->spec[i]);
    }
    free(shape->spec);
    free(shape->resource);
    *shape = (struct device_shape){0};
}

static void add_spec(struct device_shape *shape, const struct skr_claim_spec *spec)
{
    size_t cap = shape->n;
    skr_grow_exactly(&shape->spec, &cap, shape->n + 1, sizeof *shape->spec);
    shape->spec[shape->n++] = spec;
}

/* The one extended resource that a class serves. The reason why it is not modelled; NULL: it is. */
static const char *add_extended(struct skr_gang *e, const struct pod_entry *p,
                                struct device_shape *shape)
{
    const struct skr_quantities *requests = &p->pod->shape->requests;
    for (size_t i = 0; i < requests->n && !p->work->extended_has_devices; i++) {
        const struct skr_quantity_item *item = &requests->item[i];
        const char *class = NULL;
        if (item->amount <= 0 || !skr_resource_names_is_served(e->resources, item->name, &class)) {
            continue;
        }
        if (shape->resource || !class) {
            return !class ? "the class is not known"
                          : "a pod asks for two extended resources of classes";
        }
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "{\"requests\":[{\"exactly\":{\"count\":%lld,\"deviceClassName\":",
                        (long long)item->amount);
        skr_strbuf_add_json(&text, class);
        skr_strbuf_add(&text, "},\"name\":\"request\"}]}");
        const struct skr_claim_spec *spec = skr_devices_stock_spec(e->devices.stock, text.s);
        if (!spec) {
            return "there are more than 4096 different claims";
        }
        add_spec(shape, spec);
        shape->resource = skr_strdup(item->name);
    }
    return NULL;
}

/* The reason why it is not known, or not modelled; NULL: it is. pending: claims that have devices are left
 * out. */
static const char *shape_of(struct skr_gang *e, const struct pod_entry *p, bool pending,
                            struct device_shape *ret)
{
    const char *why = unmodelled(e);
    *ret = (struct device_shape){0};
    for (size_t i = 0; !why && i < p->pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &p->pod->claim[i];
        bool allocated = false;
        if (claim->kind == SKR_POD_CLAIM_VOLUME) {
            continue;
        }
        const struct skr_claim_spec *spec =
            skr_claim_objects_spec(e, p->pod->meta.namespace_, claim, &allocated);
        why = spec || (allocated && pending) ? NULL
              : allocated                    ? "a claim has devices already"
                                             : "what a claim asks for is not known";
        if (spec) {
            add_spec(ret, skr_devices_stock_spec(e->devices.stock, spec->text));
        }
    }
    why = why ? why : add_extended(e, p, ret);
    if (why) {
        shape_fini(e, ret);
    }
    return why;
}

static bool same_shape(const struct device_shape *a, const struct device_shape *b)
{
    return a->n == b->n && !a->resource == !b->resource &&
           (a->n == 0 || memcmp(a->spec, b->spec, a->n * sizeof *a->spec) == 0) &&
           (!a->resource || strcmp(a->resource, b->resource) == 0);
}

/* ---- what members need ---- */

bool skr_devices_has_claims(const struct pod_entry *p)
{
    size_t i = 0;
    while (i < p->pod->n_claims && p->pod->claim[i].kind == SKR_POD_CLAIM_VOLUME) {
        i++;
    }
    return i < p->pod->n_claims;
}

static bool has_needs(const struct skr_gang *e, const struct pod_entry *p)
{
    const struct skr_quantities *requests = &p->pod->shape->requests;
    bool has = skr_devices_has_claims(p);
    for (size_t i = 0; !has && i < requests->n; i++) {
        has = skr_resource_names_is_served(e->resources, requests->item[i].name, NULL);
    }
    return has;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two members name one claim. */
static bool share_claims(struct pod_entry *const *newcomers, size_t n)
{
    size_t n_names = 0, cap = 0;
    const char **name = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct skr_pod *pod = newcomers[i]->pod;
        for (size_t k = 0; k < pod->n_claims; k++) {
            if (pod->claim[k].kind == SKR_POD_CLAIM_DEVICES && !pod->claim[k].made) {
                skr_grow(&name, &cap, n_names + 1, sizeof *name);
                name[n_names++] = pod->claim[k].name;
            }
        }
    }
    bool shared = false;
    if (n_names > 1) {
        qsort(name, n_names, sizeof *name, by_name);
    }
    for (size_t i = 1; !shared && i < n_names; i++) {
        shared = strcmp(name[i - 1], name[i]) == 0;
    }
    free(name);
    return shared;
}

static const char *add_shape(struct skr_gang *e, const struct pod_entry *p,
                             struct device_needs *needs)
{
    struct device_shape shape;
    const char *why = shape_of(e, p, false, &shape);
    if (why) {
        return why;
    }
    size_t i = 0;
    while (i < needs->n && !same_shape(&needs->shape[i], &shape)) {
        i++;
    }
    if (shape.n == 0 || i < needs->n || i == SKR_NEEDS_SHAPES_MAX) {
        shape_fini(e, &shape);
        return i < SKR_NEEDS_SHAPES_MAX ? NULL : "members ask for devices in more than 16 ways";
    }
    needs->shape[needs->n++] = shape;
    return NULL;
}

static struct device_needs *make_needs(struct skr_gang *e, struct pod_entry *const *newcomers,
                                       size_t n, const char **ret_why)
{
    struct device_needs *needs = skr_alloc(sizeof *needs);
    needs->refs = 1;
    *ret_why = share_claims(newcomers, n) ? "members share a claim" : NULL;
    for (size_t i = 0; !*ret_why && i < n; i++) {
        *ret_why = add_shape(e, newcomers[i], needs);
    }
    if (*ret_why || needs->n == 0) {
        skr_devices_needs_unref(e, needs);
        return NULL;
    }
    return needs;
}

static bool any_needs(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
{
    size_t i = 0;
    while (i < n && !has_needs(e, newcomers[i])) {
        i++;
    }
    return i < n;
}

struct device_needs *skr_devices_needs(struct skr_gang *e, struct pod_entry *const *newcomers,
                                       size_t n)
{
    const char *why;
    const bool any = is_modelled(e) && any_needs(e, newcomers, n);
    return any ? make_needs(e, newcomers, n, &why) : NULL;
}

struct device_needs *skr_devices_explain(struct skr_gang *e, struct pod_entry *const *newcomers,
                                         size_t n, const char **ret_why)
{
    *ret_why = NULL;
    if (!any_needs(e, newcomers, n)) {
        return NULL;
    }
    *ret_why = unmodelled(e);
    return *ret_why ? NULL : make_needs(e, newcomers, n, ret_why);
}

struct device_needs *skr_devices_needs_ref(struct device_needs *needs)
{
    if (needs) {
        needs->refs++;
    }
    return needs;
}

void skr_devices_needs_unref(struct skr_gang *e, struct device_needs *needs)
{
    if (!needs || --needs->refs > 0) {
        return;
    }
    for (size_t i = 0; i < needs->n; i++) {
        shape_fini(e, &needs->shape[i]);
    }
    free(needs);
}

bool skr_devices_needs_equal(const struct device_needs *a, const struct device_needs *b)
{
    if (!a || !b) {
        return a == b;
    }
    bool equal = a->n == b->n;
    for (size_t i = 0; equal && i < a->n; i++) {
        equal = same_shape(&a->shape[i], &b->shape[i]);
    }
    return equal;
}

/* ---- pending claimers ---- */

static struct claimers *claimers_of(const struct skr_gang *e, const char *node)
{
    struct claimers *claimers = NULL;
    HASH_FIND_STR(e->devices.claimers, node, claimers);
    return claimers;
}

void skr_devices_await(struct skr_gang *e, struct pod_entry *p, const char *node)
{
    if (!has_needs(e, p) || !is_modelled(e)) {
        return;
    }
    struct pod_work *work = skr_pods_work(p);
    skr_devices_let_go(e, p);
    struct claimers *claimers = claimers_of(e, node);
    if (!claimers) {
        const size_t size = strlen(node) + 1;
        claimers = skr_alloc(sizeof *claimers + size);
        memcpy(claimers->node, node, size);
        HASH_ADD_KEYPTR(hh, e->devices.claimers, claimers->node, size - 1, claimers);
    }
    work->claims_on = claimers;
    DL_APPEND2(claimers->list, p, own_work->claims_prev, own_work->claims_next);
    touch(e, node);
}

void skr_devices_let_go(struct skr_gang *e, struct pod_entry *p)
{
    struct claimers *claimers = p->work->claims_on;
    if (!claimers) {
        return;
    }
    touch(e, claimers->node);
    skr_dirty_capacity(e);
    DL_DELETE2(claimers->list, p, own_work->claims_prev, own_work->claims_next);
    skr_pods_work(p)->claims_on = NULL;
    if (!claimers->list) {
        HASH_DEL(e->devices.claimers, claimers);
        free(claimers);
    }
}

void skr_devices_pod_changed(struct skr_gang *e, struct pod_entry *p)
{
    if (p->work->claims_on) {
        touch(e, p->work->claims_on->node);
    }
    if (p->group && !p->plan && has_needs(e, p)) {
        skr_dirty_input(p->group);
        skr_dirty_group(e, p->group);
    }
}

/* kube-scheduler makes a claim for extended resources of a pod, which the pod does not name. */
static void note_extended(struct skr_gang *e, const struct skr_device_claim *claim)
{
    struct pod_entry *p = skr_pods_find(e, claim->pod_uid);
    bool named = !p || strcmp(p->pod->meta.namespace_, claim->meta.namespace_) != 0;
    for (size_t i = 0; !named && i < p->pod->n_claims; i++) {
        named = strcmp(p->pod->claim[i].name, claim->meta.name) == 0;
    }
    if (!named && !skr_pods_is_bound(p) && p->work->extended_has_devices != claim->allocated) {
        skr_pods_work(p)->extended_has_devices = claim->allocated;
        skr_devices_pod_changed(e, p);
    }
}

/* Pods that may name the claim or template. */
static void say_differs(struct skr_gang *e, const struct skr_device_claim *claim)
{
    struct pod_entry *p = *claim->pod_uid ? skr_pods_find(e, claim->pod_uid) : NULL;
    struct group *g, *next;
    if (p) {
        skr_devices_pod_changed(e, p);
        return;
    }
    HASH_ITER(hh, e->groups, g, next)
    {
        for (p = g->seats.n_claimers > 0 ? g->members : NULL; p; p = p->next) {
            if (p->pod->n_claims > 0 && !skr_pods_is_bound(p)) {
                skr_devices_pod_changed(e, p);
            }
        }
    }
}

void skr_devices_claim_upsert(struct skr_gang *e, const struct skr_device_claim *claim,
                              bool is_template, bool differs)
{
    if (!is_template) {
        SKR_AUTO_FREE char *key = skr_object_key(claim->meta.namespace_, claim->meta.name);
        skr_devices_stock_allocate(e->devices.stock, key, claim->taken, claim->n_taken);
        note_extended(e, claim);
    }
    if (differs) {
        say_differs(e, claim);
    }
}

void skr_devices_claim_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    skr_devices_stock_allocate(e->devices.stock, key, NULL, 0);
}

/* ---- how many ---- */

/* The specs that count on the node: without that of a resource that it lists. */
static size_t n_on(const struct skr_gang *e, const struct device_shape *shape, const char *node)
{
    const int id = shape->resource ? skr_resource_names_find(e->resources, shape->resource) : -1;
    const bool listed = id >= 0 && skr_ledger_allocatable(e->ledger, node, (uint16_t)id) > 0;
    return shape->n - (listed ? 1 : 0);
}

/* False: what a claimer needs is not known. */
static bool list_pending(struct skr_gang *e, const struct group *without, const char *node,
                         struct device_shape **ret_shape, struct skr_pod_claims **ret,
                         size_t *ret_n)
{
    const struct claimers *claimers = claimers_of(e, node);
    const struct pod_entry *p;
    size_t n = 0;
    bool known = true;
    DL_FOREACH2(claimers ? claimers->list : NULL, p, work->claims_next)
    {
        n++;
    }
    struct device_shape *shape = n > 0 ? skr_alloc_array(n, sizeof *shape) : NULL;
    struct skr_pod_claims *claims = n > 0 ? skr_alloc_array(n, sizeof *claims) : NULL;
    n = 0;
    DL_FOREACH2(claimers ? claimers->list : NULL, p, work->claims_next)
    {
        if ((without && p->group == without) || skr_pods_is_bound(p)) {
            continue;
        }
        shape[n] = (struct device_shape){0};
        known = known && !shape_of(e, p, true, &shape[n]);
        claims[n].n = n_on(e, &shape[n], node);
        claims[n].spec = shape[n].spec;
        if (claims[n].n == 0) {
            shape_fini(e, &shape[n]);
        } else {
            n++;
        }
    }
    *ret_shape = shape;
    *ret = claims;
    *ret_n = n;
    return known;
}

int32_t skr_devices_most(struct skr_gang *e, const struct group *without,
                         const struct device_needs *needs, const char *node)
{
    struct device_shape *shape = NULL;
    struct skr_pod_claims *pending = NULL;
    size_t n_pending = 0;
    int32_t most = INT32_MAX;
    if (!is_modelled(e)) {
        return INT32_MAX;
    }
    const bool known = list_pending(e, without, node, &shape, &pending, &n_pending);
    for (size_t i = 0; known && i < needs->n; i++) {
        const struct skr_pod_claims claims = {n_on(e, &needs->shape[i], node),
                                              needs->shape[i].spec};
        if (claims.n == 0) {
            continue;
        }
        const struct skr_sequence sequence =
            skr_sequence_count(e->devices.stock, node, pending, n_pending, &claims,
                               SKR_NEEDS_PODS_MAX, e->devices.memo);
        if (sequence.end != SKR_SEQUENCE_MOST && sequence.n < most) {
            most = sequence.n;
        }
    }
    for (size_t i = 0; i < n_pending; i++) {
        shape_fini(e, &shape[i]);
    }
    free(shape);
    free(pending);
    return most;
}

bool skr_devices_room(struct skr_gang *e, const struct group *without,
                      const struct device_shape *of, const char *node, struct device_room *ret)
{
    struct device_shape *shape = NULL;
    struct skr_pod_claims *pending = NULL;
    size_t n_pending = 0;
    const struct skr_pod_claims claims = {n_on(e, of, node), of->spec};
    *ret = (struct device_room){.most = INT32_MAX};
    if (claims.n == 0) {
        return false;
    }
    if (!list_pending(e, without, node, &shape, &pending, &n_pending)) {
        ret->why = "what a planned pod there needs is not known";
    } else {
        const struct skr_sequence sequence =
            skr_sequence_count(e->devices.stock, node, pending, n_pending, &claims,
                               SKR_NEEDS_PODS_MAX, e->devices.memo);
        ret->most = sequence.n;
        ret->why = sequence.end == SKR_SEQUENCE_UNMODELLED ? sequence.why : NULL;
        for (size_t i = 0; !ret->why && i < claims.n && i < SKR_ROOM_CLAIMS; i++) {
            skr_sequence_free(e->devices.stock, node, pending, n_pending, claims.spec[i],
                              ret->claim[i]);
        }
    }
    for (size_t i = 0; i < n_pending; i++) {
        shape_fini(e, &shape[i]);
    }
    free(shape);
    free(pending);
    return true;
}
