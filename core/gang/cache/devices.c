/* SPDX-License-Identifier: Apache-2.0 */
/* What changes the stock, and pending claimers by node. How many members a node serves: device_fit.c. */
#include "core/gang/cache/devices.h"

#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/claim_users.h"
#include "core/gang/cache/claimers.h"
#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/dirty.h"
#include "core/gang/cache/names.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/gang/state/plan_entry.h"
#include "core/volume/objects.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static void touch(struct skr_gang *e, const char *node)
{
    skr_device_counts_void(e, node);
    skr_grow(&e->devices.touched, &e->devices.cap_touched, e->devices.n_touched + 1,
             sizeof(const char *));
    e->devices.touched[e->devices.n_touched++] = skr_names_intern(e, node);
}

bool skr_devices_take_touched(struct skr_gang *e, const char **ret)
{
    e->devices.stock->heard++;
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
        skr_device_counts_void(e, NULL);
    }
    e->devices.turns_at = 0;
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

/* ---- regions: nodes of volumes and of devices are selected alike ---- */

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
    const struct node_entry *node = skr_nodes_find(context, name);
    return node && node->node && skr_volume_reaches(nodes, node->node);
}

void skr_devices_init(struct skr_gang *e)
{
    static const struct skr_stock_selecting selecting = {parse, destroy, selects};
    e->devices.stock = skr_devices_stock_create(&e->settings.hash_seed, changed, e);
    e->devices.stock->selecting = &selecting;
    e->devices.memo = skr_sequence_memo_create();
    skr_device_counts_init(e);
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
    skr_device_counts_fini(e);
    skr_devices_stock_destroy(e->devices.stock);
    skr_sequence_memo_destroy(e->devices.memo);
    free(e->devices.touched);
}

void skr_devices_slice_upsert(struct skr_gang *e, struct skr_device_slice *slice)
{
    skr_devices_stock_put_slice(e->devices.stock, slice);
    skr_topology_devices_changed(e);
}

void skr_devices_slice_delete(struct skr_gang *e, const char *name)
{
    skr_devices_stock_remove_slice(e->devices.stock, name);
    skr_topology_devices_changed(e);
}

void skr_devices_judge(struct skr_gang *e)
{
    follow_settings(e);
    changed(e, NULL);
    skr_claim_objects_judge(e);
}

void skr_devices_count(const struct skr_gang *e, struct skr_devices_census *ret)
{
    skr_devices_census_take(e->devices.stock, ret);
}

/* ---- pending claimers ---- */

struct claimers *skr_claimers_of(const struct skr_gang *e, const char *node)
{
    struct claimers *claimers = NULL;
    HASH_FIND_STR(e->devices.claimers, node, claimers);
    return claimers;
}

bool skr_claimers_is_accepted(const struct pod_entry *p)
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
        if (p->plan && !skr_claimers_is_accepted(p)) {
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
    struct claimers *claimers = skr_claimers_of(e, node);
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

/* Pods that name the claim or template, or for which it was made. */
static void say_differs(struct skr_gang *e, const struct skr_device_claim *claim, bool is_template)
{
    const enum skr_pod_claim_kind kind =
        is_template ? SKR_POD_CLAIM_TEMPLATE : SKR_POD_CLAIM_DEVICES;
    struct pod_entry *p = *claim->pod_uid ? skr_pods_find(e, claim->pod_uid) : NULL;
    if (p) {
        skr_devices_pod_changed(e, p);
        return;
    }
    size_t n;
    SKR_AUTO_FREE struct pod_entry **user = skr_claim_users_list(
        e, skr_claim_users_id(e, (int)kind, claim->meta.namespace_, claim->meta.name), &n);
    for (size_t i = 0; i < n; i++) {
        skr_devices_pod_changed(e, user[i]);
    }
}

/* Pictures show the devices of these pods. */
static void stamp_groups(struct skr_gang *e, const char *const *uid, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct pod_entry *p = skr_pods_find(e, uid[i]);
        if (p && p->group) {
            skr_dirty_stamp(e, p->group);
        }
    }
}

void skr_devices_claim_upsert(struct skr_gang *e, const struct skr_device_claim *claim,
                              bool is_template, bool differs)
{
    if (!is_template) {
        SKR_AUTO_FREE char *key = skr_object_key(claim->meta.namespace_, claim->meta.name);
        const char *const *uid = *claim->pod_uid ? &claim->pod_uid : claim->reserved_for;
        const size_t n = *claim->pod_uid ? 1 : claim->n_reserved;
        skr_devices_stock_allocate(e->devices.stock, key, claim->taken, claim->n_taken);
        skr_devices_stock_use(e->devices.stock, key, uid, n);
        stamp_groups(e, uid, n);
        note_extended(e, claim);
    }
    if (differs) {
        say_differs(e, claim, is_template);
    }
}

void skr_devices_claim_delete(struct skr_gang *e, const char *namespace_, const char *name)
{
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    skr_devices_stock_allocate(e->devices.stock, key, NULL, 0);
}
