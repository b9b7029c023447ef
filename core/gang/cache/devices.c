/* SPDX-License-Identifier: Apache-2.0 */
/* Pending claimers by node, and what the stock says about them and about needs of members. */
#include "core/gang/cache/devices.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/claimers.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool is_modelled(const struct skr_gang *e)
{
    return !skr_devices_unmodelled(e);
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

/* Devices of the node are others, or others are free; NULL: of any node; "": devices of all nodes. Groups that need
 * these are judged by full problems (fit.c), but they decide which claimers have devices. */
static void changed(void *context, const char *node)
{
    struct skr_gang *e = context;
    struct group *g;
    const struct claimers *c;
    for (c = node && !*node ? e->devices.claimers : NULL; c; c = c->hh.next) {
        touch(e, c->node);
    }
    DL_FOREACH2(e->planned, g, pnext)
    {
        if (g->plan->n_victims > 0) {
            skr_dirty_group(e, g); /* it may wait for devices of victims that are gone */
        }
    }
    if (node && *node) {
        touch(e, node);
    } else if (!node) {
        e->devices.touched_all = true;
    }
    skr_dirty_openings(e);
    skr_dirty_capacity(e);
}

static void follow_settings(struct skr_gang *e)
{
    const enum skr_devices_order order = e->settings.devices_order;
    const bool newest = order == SKR_DEVICES_ORDER_OF_SERVER
                            ? e->settings.server_minor >= SKR_DEVICES_1_37
                            : order == SKR_DEVICES_ORDER_1_37;
    e->devices.stock->version = newest ? SKR_DEVICES_1_37 : SKR_DEVICES_1_36;
    if (e->settings.devices_steps > 0) {
        e->devices.stock->steps = (uint64_t)e->settings.devices_steps;
    }
}

void skr_devices_init(struct skr_gang *e)
{
    e->devices.stock = skr_devices_stock_create(&e->settings.hash_seed, changed, e);
    e->devices.memo = skr_sequence_memo_create();
    follow_settings(e);
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
    follow_settings(e);
    if (e->devices.stock->slices) {
        changed(e, NULL);
        skr_claim_objects_judge(e);
    }
}

void skr_devices_count(const struct skr_gang *e, struct skr_devices_census *ret)
{
    skr_devices_census_take(e->devices.stock, ret);
}

/* ---- pending claimers ---- */

static struct claimers *claimers_of(const struct skr_gang *e, const char *node)
{
    struct claimers *claimers = NULL;
    HASH_FIND_STR(e->devices.claimers, node, claimers);
    return claimers;
}

/* kube-scheduler reserves its devices in this cycle, or has reserved them. */
static bool is_accepted(const struct pod_entry *p)
{
    return !p->group || p->work->assumed.node;
}

/* Whether two pods are known to need the same. */
static bool are_alike(struct skr_gang *e, const struct pod_entry *a, const struct pod_entry *b)
{
    struct device_shape of_a, of_b;
    const char *why_a = skr_device_shape_of(e, a->pod, a, NULL, &of_a);
    const char *why_b = skr_device_shape_of(e, b->pod, b, NULL, &of_b);
    const bool alike = !why_a && !why_b && skr_device_shapes_are_equal(&of_a, &of_b);
    skr_device_shape_fini(e, &of_a);
    skr_device_shape_fini(e, &of_b);
    return alike;
}

/* All that it needs. */
static bool has_devices(struct skr_gang *e, const struct pod_entry *p)
{
    const struct device_paid none = {0};
    struct device_shape shape;
    const bool has = !skr_device_shape_of(e, p->pod, p, &none, &shape) && shape.n == 0;
    skr_device_shape_fini(e, &shape);
    return has;
}

/* Those that may wait for others on the node look again. */
static void wake_waiting(struct skr_gang *e, const struct claimers *claimers)
{
    struct pod_entry *p;
    DL_FOREACH2(claimers->mixed ? claimers->list : NULL, p, work->claims_next)
    {
        if (p->plan && !is_accepted(p)) {
            skr_dirty_pod(e, p);
        }
    }
}

void skr_devices_await(struct skr_gang *e, struct pod_entry *p, const char *node)
{
    if (!skr_devices_are_needed(e, p) || e->settings.devices_off) {
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
    claimers->mixed = claimers->mixed || (claimers->list && !are_alike(e, claimers->list, p));
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
    wake_waiting(e, claimers);
    if (!claimers->list) {
        HASH_DEL(e->devices.claimers, claimers);
        free(claimers);
    }
}

void skr_devices_voted(struct skr_gang *e, const struct pod_entry *p)
{
    if (p->work->claims_on) {
        wake_waiting(e, p->work->claims_on);
    }
}

void skr_devices_pod_changed(struct skr_gang *e, struct pod_entry *p)
{
    if (p->plan && !p->work->claims_on && !skr_pods_is_bound(p)) {
        skr_devices_await(e, p,
                          p->place.node); /* a class serves its resource since it was planned */
    }
    if (p->work->claims_on) {
        touch(e, p->work->claims_on->node);
        p->work->claims_on->mixed = p->work->claims_on->mixed || !has_devices(e, p);
        wake_waiting(e, p->work->claims_on);
    }
    if (p->group && skr_devices_are_needed(e, p)) {
        if (!p->plan) {
            skr_dirty_input(p->group);
        }
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
        skr_devices_stock_use(e->devices.stock, key,
                              *claim->pod_uid ? &claim->pod_uid : claim->reserved_for,
                              *claim->pod_uid ? 1 : claim->n_reserved);
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

/* Pods whose devices are not allocated yet, in order. */
struct pending {
    struct device_shape *shape;
    struct skr_pod_claims *claims;
    size_t n;
    bool known; /* false: what one of them needs is not */
    struct device_paid paid;
};

static void add_pending(struct skr_gang *e, const struct pod_entry *p, const char *node,
                        struct pending *to)
{
    struct device_shape *shape = &to->shape[to->n];
    to->known = !skr_device_shape_of(e, p->pod, p, &to->paid, shape) && to->known;
    skr_device_paid_add(&to->paid, p->pod);
    to->claims[to->n].n = n_on(e, shape, node);
    to->claims[to->n].spec = shape->spec;
    if (to->claims[to->n].n == 0) {
        skr_device_shape_fini(e, shape);
    } else {
        to->n++;
    }
}

/* first: what of, a pod before all others, needs there; NULL: it is not known, or there is none. itself: it is no
 * pending claimer; NULL allowed. room: for more pods. */
static struct pending pending_on(struct skr_gang *e, const struct skr_pod_claims *first,
                                 const struct skr_pod *of, const struct pod_entry *itself,
                                 const struct group *without, size_t room, const char *node)
{
    const struct claimers *claimers = claimers_of(e, node);
    const struct pod_entry *p;
    struct pending pending = {.known = true};
    size_t n = 0;
    DL_COUNT2(claimers ? claimers->list : NULL, p, n, work->claims_next);
    pending.shape = skr_alloc_array(n + room + 1, sizeof *pending.shape);
    pending.claims = skr_alloc_array(n + room + 1, sizeof *pending.claims);
    if (first) {
        pending.claims[pending.n++] = *first;
        skr_device_paid_add(&pending.paid, of);
    }
    for (int accepted = 1; accepted >= 0; accepted--) {
        DL_FOREACH2(claimers ? claimers->list : NULL, p, work->claims_next)
        {
            if (p != itself && is_accepted(p) == accepted && (!without || p->group != without) &&
                !skr_pods_is_bound(p) && !p->work->claims_left_out) {
                add_pending(e, p, node, &pending);
            }
        }
    }
    return pending;
}

static void pending_fini(struct skr_gang *e, struct pending *pending)
{
    for (size_t i = 0; i < pending->n; i++) {
        skr_device_shape_fini(e, &pending->shape[i]);
    }
    free(pending->shape);
    free(pending->claims);
    free(pending->paid.item);
}

/* pending: NULL: if no allocation took anything. */
static struct skr_sequence sequence_of(struct skr_gang *e, const struct device_shape *shape,
                                       const char *node, const struct pending *pending)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_pod_claims all = {n_on(e, shape, node), shape->spec};
    const struct skr_claim_spec **own = skr_alloc_array(all.n + 1, sizeof *own);
    struct skr_pod_claims others = {0, own};
    for (size_t i = 0; i < all.n; i++) {
        if (i >= 64 || !(shape->shared >> i & 1)) {
            own[others.n++] = shape->spec[i];
        }
    }
    const struct skr_pod_claims *first = others.n < all.n ? &all : NULL;
    const int64_t began = skr_stopwatch_now(e->settings.stopwatch);
    const struct skr_sequence ret =
        pending
            ? skr_sequence_count(stock, node, pending->claims, pending->n, first, &others,
                                 SKR_NEEDS_PODS_MAX, e->devices.memo)
            : skr_sequence_ever(stock, node, first, &others, SKR_NEEDS_PODS_MAX, e->devices.memo);
    skr_device_fit_took(e, &ret, began);
    free(own);
    return ret;
}

/* pending: as in sequence_of(). ret_uncounted: set where that is so. */
static int32_t least_of(struct skr_gang *e, const struct device_needs *needs, const char *node,
                        const struct pending *pending, enum skr_uncounted *ret_uncounted)
{
    int32_t most = INT32_MAX;
    for (size_t i = 0; i < needs->n; i++) {
        if (n_on(e, &needs->shape[i], node) > 0) {
            const struct skr_sequence sequence = sequence_of(e, &needs->shape[i], node, pending);
            most = sequence.end != SKR_SEQUENCE_MOST && sequence.n < most ? sequence.n : most;
            *ret_uncounted = sequence.uncounted ? sequence.uncounted : *ret_uncounted;
        }
    }
    return most;
}

int32_t skr_devices_most(struct skr_gang *e, const struct group *without,
                         struct device_needs *needs, const char *node)
{
    if (!is_modelled(e)) {
        return INT32_MAX;
    }
    struct pending pending = pending_on(e, NULL, NULL, NULL, without, 0, node);
    const int32_t most =
        pending.known ? least_of(e, needs, node, &pending, &needs->uncounted) : INT32_MAX;
    pending_fini(e, &pending);
    return most;
}

int32_t skr_devices_most_ever(struct skr_gang *e, const struct device_needs *needs,
                              const char *node)
{
    enum skr_uncounted uncounted = SKR_COUNTED;
    return is_modelled(e) ? least_of(e, needs, node, NULL, &uncounted) : INT32_MAX;
}

bool skr_devices_room(struct skr_gang *e, const struct group *without,
                      const struct device_shape *of, const char *node, struct device_room *ret)
{
    const struct skr_pod_claims claims = {n_on(e, of, node), of->spec};
    *ret = (struct device_room){.most = INT32_MAX};
    if (claims.n == 0) {
        return false;
    }
    struct pending pending = pending_on(e, NULL, NULL, NULL, without, 0, node);
    if (!pending.known) {
        ret->why = "what a planned pod there needs is not known";
    } else {
        const struct skr_sequence sequence = sequence_of(e, of, node, &pending);
        ret->most = sequence.n;
        ret->why = sequence.end == SKR_SEQUENCE_UNMODELLED ? sequence.why : NULL;
        skr_sequence_free(e->devices.stock, node, pending.claims, pending.n, &claims, ret->claim);
    }
    pending_fini(e, &pending);
    return true;
}

/* ---- pods that differ ---- */

/* Whether q, which comes before the pod, decides which devices are left to it. */
static bool decides(struct skr_gang *e, const struct pod_entry *q, const char *node,
                    const struct skr_pod_claims *own)
{
    const struct device_paid none = {0};
    struct device_shape shape;
    const bool known = !skr_device_shape_of(e, q->pod, q, &none, &shape);
    const struct skr_pod_claims claims = {n_on(e, &shape, node), shape.spec};
    const bool decides = known && claims.n > 0 && !skr_pod_claims_are_equal(&claims, own) &&
                         skr_sequence_interferes(e->devices.stock, node, &claims, own);
    skr_device_shape_fini(e, &shape);
    return decides;
}

bool skr_devices_wait_for_turn(struct skr_gang *e, const struct pod_entry *p)
{
    const struct claimers *claimers = p->work->claims_on;
    const struct device_paid none = {0};
    struct device_shape shape;
    bool waits = false, before = true;
    if (!claimers || !claimers->mixed || !is_modelled(e) || is_accepted(p)) {
        return false;
    }
    const bool known = !skr_device_shape_of(e, p->pod, p, &none, &shape);
    const struct skr_pod_claims own = {n_on(e, &shape, claimers->node), shape.spec};
    const struct pod_entry *q;
    DL_FOREACH2(known && own.n > 0 ? claimers->list : NULL, q, work->claims_next)
    {
        before = before && q != p;
        waits = waits || (q != p && (before || is_accepted(q)) && !q->work->vote.given &&
                          !skr_pods_is_bound(q) && decides(e, q, claimers->node, &own));
    }
    skr_device_shape_fini(e, &shape);
    return waits;
}

/* The first of these pods that the node does not serve; SIZE_MAX: all are served, or it is not known. */
static size_t first_unserved(struct skr_gang *e, const char *node, const struct pending *pending)
{
    struct skr_sequence sequence = {.end = SKR_SEQUENCE_MOST};
    if (pending->known && pending->n > 0 && is_modelled(e)) {
        sequence = skr_sequence_serve(e->devices.stock, node, pending->claims, pending->n,
                                      e->devices.memo);
    }
    const bool fails = sequence.end == SKR_SEQUENCE_NONE || sequence.end == SKR_SEQUENCE_ERROR;
    return fails ? (size_t)sequence.n : SIZE_MAX;
}

size_t skr_devices_serve(struct skr_gang *e, struct pod_entry *const *pod, size_t n,
                         const char *node)
{
    struct pending pending = pending_on(e, NULL, NULL, NULL, NULL, n, node);
    const size_t n_before = pending.n;
    SKR_AUTO_FREE size_t *of = skr_alloc_array(n + 1, sizeof *of);
    for (size_t i = 0; i < n; i++) {
        of[pending.n - n_before] = i;
        add_pending(e, pod[i], node, &pending);
    }
    const size_t first = pending.n > n_before ? first_unserved(e, node, &pending) : SIZE_MAX;
    const size_t ret = first != SIZE_MAX && first >= n_before ? of[first - n_before] : n;
    pending_fini(e, &pending);
    return ret;
}

bool skr_devices_plan_is_served(struct skr_gang *e, const struct plan *plan)
{
    const struct pod_entry *p, *first;
    bool served = true;
    DL_FOREACH(is_modelled(e) ? plan->group->members : NULL, p)
    {
        const struct claimers *claimers = p->plan == plan ? p->work->claims_on : NULL;
        LL_SEARCH_SCALAR2(claimers ? claimers->list : NULL, first, plan, plan, work->claims_next);
        if (!served || !claimers || first != p) {
            continue; /* each node once */
        }
        struct pending pending = pending_on(e, NULL, NULL, NULL, NULL, 0, claimers->node);
        served = first_unserved(e, claimers->node, &pending) == SIZE_MAX;
        pending_fini(e, &pending);
    }
    return served;
}

/* ---- ordinary pods ---- */

static bool has_class(const struct skr_pod_claims *claims, const char *class)
{
    for (size_t i = 0; i < claims->n; i++) {
        for (size_t k = 0; k < claims->spec[i]->n_requests; k++) {
            if (strcmp(claims->spec[i]->request[k].class_, class) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool share_a_class(const struct skr_pod_claims *a, const struct skr_pod_claims *b)
{
    bool share = false;
    for (size_t i = 0; !share && i < a->n; i++) {
        for (size_t k = 0; !share && k < a->spec[i]->n_requests; k++) {
            share = has_class(b, a->spec[i]->request[k].class_);
        }
    }
    return share;
}

/* Whether the first one leaves their devices to the others; what is not known may be any device. */
static bool spares_others(struct skr_gang *e, const struct pending *pending, const char *node)
{
    bool shares = !pending->known;
    if (!shares && pending->n > 1 && is_modelled(e)) {
        const struct skr_sequence sequence = skr_sequence_serve(
            e->devices.stock, node, pending->claims, pending->n, e->devices.memo);
        if (sequence.end != SKR_SEQUENCE_UNMODELLED) {
            return sequence.end == SKR_SEQUENCE_MOST;
        }
    }
    for (size_t i = 1; !shares && i < pending->n; i++) {
        shares = share_a_class(&pending->claims[0], &pending->claims[i]);
    }
    return !shares;
}

bool skr_devices_filter(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                        const char *const *node, size_t n, uint8_t *mask)
{
    const struct device_paid none = {0};
    struct device_shape shape;
    bool cleared = false;
    const bool known = !skr_device_shape_of(e, pod, p, &none, &shape);
    if (known && n > 0 && !skr_device_pools_spare(e, pod, p, &shape)) {
        memset(mask, 0, (n + 7) / 8);
        skr_device_shape_fini(e, &shape);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const struct skr_pod_claims claims = {n_on(e, &shape, node[i]), shape.spec};
        if ((known && claims.n == 0) || !claimers_of(e, node[i])) {
            continue;
        }
        struct pending pending = pending_on(e, known ? &claims : NULL, pod, p, NULL, 1, node[i]);
        if (known ? !spares_others(e, &pending, node[i]) : pending.n > 0 || !pending.known) {
            mask[i / 8] &= (uint8_t) ~(1u << (i % 8));
            cleared = true;
        }
        pending_fini(e, &pending);
    }
    skr_device_shape_fini(e, &shape);
    return cleared;
}
