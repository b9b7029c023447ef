/* SPDX-License-Identifier: Apache-2.0 */
/* Needs of members as shapes. */
#include "core/gang/cache/device_needs.h"

#include "core/devices/stock_shares.h"
#include "core/gang/cache/claim_objects.h"
#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/device_shares.h"
#include "core/gang/cache/pods.h"

#include <stdlib.h>
#include <string.h>

static const char too_old[] = "Kubernetes is older than 1.36, or its version is not known yet";
static const char too_many[] = "pods ask for more than 4096 different claims";
static const char too_many_requests[] = "the claims of a pod have more than 256 requests";
static const char too_many_selectors[] = "the claims of a pod have more than 512 selectors";
static const char too_large[] =
    "a claim of a pod has more than 65536 bytes, or those of its namespace more than 8388608";
static const char too_many_ways[] = "members ask for devices in more than 16 ways";

enum skr_uncounted skr_devices_uncounted(const char *why)
{
    return !why             ? SKR_COUNTED
           : why == too_old ? SKR_UNCOUNTED_VERSION
           : why == too_many || why == too_many_ways || why == too_many_requests ||
                   why == too_many_selectors || why == too_large || skr_stock_share_limits(why)
               ? SKR_UNCOUNTED_BUDGET
               : SKR_UNCOUNTED_FEATURE;
}

const char *skr_devices_unmodelled(const struct skr_gang *e)
{
    return e->settings.devices_off ? "devices.mode is off"
           : e->devices.forbidden  ? "the account may not read slices, it needs list and watch on "
                                     "resourceslices.resource.k8s.io"
           : !e->devices.stock->slices && e->settings.server_minor < SKR_DEVICES_FROM
               ? "there are no ResourceSlices"
           : e->settings.server_minor < SKR_DEVICES_FROM &&
                   e->settings.devices_order == SKR_DEVICES_ORDER_OF_SERVER
               ? too_old
               : NULL;
}

void skr_device_shape_fini(struct skr_gang *e, struct device_shape *shape)
{
    for (size_t i = 0; i < shape->n; i++) {
        skr_devices_stock_forget_spec(e->devices.stock, shape->spec[i]);
    }
    free(shape->spec);
    free(shape->resource);
    *shape = (struct device_shape){0};
}

/* The limit that it is beyond; NULL: none. */
static const char *add_spec(struct skr_gang *e, const struct skr_pod *pod,
                            struct device_shape *shape, const char *text)
{
    const char *why;
    const struct skr_claim_spec *spec =
        skr_stock_share_spec(e->devices.stock, pod->meta.namespace_, text, &why);
    size_t cap = shape->n;
    if (!spec) {
        return why;
    }
    skr_grow_exactly(&shape->spec, &cap, shape->n + 1, sizeof *shape->spec);
    shape->spec[shape->n++] = spec;
    return NULL;
}

/* The one extended resource that a class serves. The reason why it is not modelled; NULL: it is. */
static const char *add_extended(struct skr_gang *e, const struct skr_pod *pod,
                                struct device_shape *shape)
{
    const struct skr_quantities *requests = &pod->shape->requests;
    for (size_t i = 0; i < requests->n; i++) {
        const struct skr_quantity_item *item = &requests->item[i];
        const char *class = NULL;
        if (item->amount <= 0 || !skr_resource_names_is_served(e->resources, item->name, &class)) {
            continue;
        }
        if (shape->resource || !class) {
            return !class ? "the class is not known"
                          : "a pod asks for two extended resources of classes";
        }
        const struct skr_claim_spec *any =
            skr_devices_stock_extended(e->devices.stock, class, item->amount);
        const char *why = any ? add_spec(e, pod, shape, any->text) : too_many;
        skr_devices_stock_forget_spec(e->devices.stock, any);
        if (why) {
            return why;
        }
        shape->resource = skr_strdup(item->name);
    }
    return NULL;
}

static uint32_t hash_of(const struct skr_gang *e, const struct skr_pod *pod,
                        const struct skr_pod_claim *claim)
{
    return (uint32_t)skr_hash_keyed_joined(&e->settings.hash_seed, pod->meta.namespace_, "/",
                                           claim->name);
}

static bool is_paid(const struct skr_gang *e, const struct device_paid *paid,
                    const struct skr_pod *pod, const struct skr_pod_claim *claim)
{
    bool is = false;
    const bool may = paid && !claim->made && paid->n > 0;
    const uint32_t hash = may ? hash_of(e, pod, claim) : 0;
    uint32_t i;
    for (size_t at = 0; may && !is && skr_hash_index_next(&paid->index, hash, &at, &i);) {
        is = strcmp(paid->item[i].name, claim->name) == 0 &&
             strcmp(paid->item[i].namespace_, pod->meta.namespace_) == 0;
    }
    return is;
}

void skr_device_paid_add(const struct skr_gang *e, struct device_paid *paid,
                         const struct skr_pod *pod)
{
    for (size_t i = 0; i < pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &pod->claim[i];
        if (claim->kind == SKR_POD_CLAIM_DEVICES && !claim->made && !is_paid(e, paid, pod, claim)) {
            skr_grow(&paid->item, &paid->cap, paid->n + 1, sizeof *paid->item);
            paid->item[paid->n] = (struct device_paid_claim){pod->meta.namespace_, claim->name};
            skr_hash_index_add(&paid->index, hash_of(e, pod, claim), (uint32_t)paid->n++);
        }
    }
}

void skr_device_paid_fini(struct device_paid *paid)
{
    free(paid->item);
    skr_hash_index_fini(&paid->index);
}

const char *skr_devices_beyond(const struct skr_gang *e, const struct skr_pod *pod)
{
    size_t requests = 0, selectors = 0;
    for (size_t i = 0; i < pod->n_claims; i++) {
        const struct claim_facts facts =
            skr_claim_objects_facts(e, pod->meta.namespace_, &pod->claim[i]);
        size_t of_requests = 0, of_selectors = 0;
        if (facts.spec && strcmp(facts.spec->text, SKR_CLAIM_NOT_KEPT) == 0) {
            return too_large;
        }
        if (facts.spec && facts.spec->sized) {
            of_requests = facts.spec->size_requests;
            of_selectors = facts.spec->size_selectors;
        } else if (facts.spec) {
            skr_devices_stock_size(e->devices.stock, facts.spec->text, &of_requests, &of_selectors);
        }
        requests += of_requests;
        selectors += of_selectors;
    }
    return requests > SKR_DEVICES_REQUESTS_MAX     ? too_many_requests
           : selectors > SKR_DEVICES_SELECTORS_MAX ? too_many_selectors
                                                   : NULL;
}

const char *skr_device_shape_of(struct skr_gang *e, const struct skr_pod *pod,
                                const struct pod_entry *p, const struct device_paid *paid,
                                struct device_shape *ret)
{
    const char *why = skr_devices_beyond(e, pod);
    *ret = (struct device_shape){0};
    for (size_t i = 0; !why && i < pod->n_claims; i++) {
        const struct skr_pod_claim *claim = &pod->claim[i];
        if (claim->kind == SKR_POD_CLAIM_VOLUME || is_paid(e, paid, pod, claim)) {
            continue;
        }
        const struct claim_facts facts = skr_claim_objects_facts(e, pod->meta.namespace_, claim);
        const bool has = facts.allocated && (paid || !claim->made);
        why = facts.spec || has ? NULL
              : facts.allocated ? "a claim has devices already"
                                : "what a claim asks for is not known";
        if (facts.spec) {
            why = add_spec(e, pod, ret, facts.spec->text);
        }
    }
    if (!why && !(p && p->work->extended_has_devices)) {
        why = add_extended(e, pod, ret);
    }
    if (why) {
        skr_device_shape_fini(e, ret);
    }
    return why;
}

size_t skr_device_claims_on(const struct skr_gang *e, const struct device_shape *shape,
                            const char *node)
{
    const int id = shape->resource ? skr_resource_names_find(e->resources, shape->resource) : -1;
    const bool listed = id >= 0 && skr_ledger_allocatable(e->ledger, node, (uint16_t)id) > 0;
    return shape->n - (listed ? 1 : 0);
}

bool skr_device_shapes_are_equal(const struct device_shape *a, const struct device_shape *b)
{
    return a->n == b->n && !a->resource == !b->resource &&
           (a->n == 0 || memcmp(a->spec, b->spec, a->n * sizeof *a->spec) == 0) &&
           (!a->resource || strcmp(a->resource, b->resource) == 0) && a->shared == b->shared;
}

void skr_device_fit_took(struct skr_gang *e, const struct skr_sequence *answer, int64_t began)
{
    static const struct skr_duration_scale scale = SKR_DEVICE_FIT_SCALE;
    const enum skr_device_fit_result result =
        answer->end == SKR_SEQUENCE_UNMODELLED ? SKR_DEVICE_FIT_UNMODELLED
        : answer->end == SKR_SEQUENCE_ERROR    ? SKR_DEVICE_FIT_ERROR
        : answer->n > 0                        ? SKR_DEVICE_FIT_SOME
                                               : SKR_DEVICE_FIT_NONE;
    skr_durations_add(&e->stats.device_fit[result], &scale,
                      skr_stopwatch_now(e->settings.stopwatch) - began);
}

/* ---- what members need ---- */

bool skr_devices_has_claims(const struct skr_pod *pod)
{
    size_t i = 0;
    while (i < pod->n_claims && pod->claim[i].kind == SKR_POD_CLAIM_VOLUME) {
        i++;
    }
    return i < pod->n_claims;
}

bool skr_devices_are_needed(const struct skr_gang *e, const struct pod_entry *p)
{
    return skr_devices_has_claims(p->pod) ||
           skr_quantities_are_served(e->resources, &p->pod->shape->requests);
}

/* Claims of the pod that others share, by their specs. */
static uint64_t shared_of(const struct skr_gang *e, const struct skr_pod *pod,
                          const struct device_shares *shares)
{
    uint64_t shared = 0;
    size_t at = 0;
    for (size_t i = 0; shares->n > 0 && i < pod->n_claims && at < 64; i++) {
        const struct skr_pod_claim *claim = &pod->claim[i];
        if (claim->kind != SKR_POD_CLAIM_VOLUME &&
            !skr_claim_objects_facts(e, pod->meta.namespace_, claim).allocated) {
            const bool is = !claim->made && claim->kind == SKR_POD_CLAIM_DEVICES &&
                            skr_device_shares_find(shares, claim->name);
            shared |= (uint64_t)is << at++;
        }
    }
    return shared;
}

/* Which member pays for these depends on the plan, which is played (commit.c). */
static void leave_out_shared(struct skr_gang *e, struct device_shape *shape)
{
    size_t n = 0;
    for (size_t i = 0; i < shape->n; i++) {
        if (shape->shared >> i & 1) {
            skr_devices_stock_forget_spec(e->devices.stock, shape->spec[i]);
        } else {
            shape->spec[n++] = shape->spec[i];
        }
    }
    shape->n = n;
    shape->shared = 0;
}

static const char *add_shape(struct skr_gang *e, const struct pod_entry *p,
                             const struct device_shares *shares, struct device_needs *needs)
{
    struct device_shape shape;
    const char *why = skr_device_shape_of(e, p->pod, p, NULL, &shape);
    if (why) {
        return why;
    }
    shape.shared = shared_of(e, p->pod, shares);
    if (shares->partial && shape.n <= 64) {
        leave_out_shared(e, &shape);
    }
    size_t i = 0;
    while (i < needs->n && !skr_device_shapes_are_equal(&needs->shape[i], &shape)) {
        i++;
    }
    needs->some_without = needs->some_without || shape.n == 0;
    if (shape.n == 0 || i < needs->n || i == SKR_NEEDS_SHAPES_MAX) {
        skr_device_shape_fini(e, &shape);
        return i < SKR_NEEDS_SHAPES_MAX ? NULL : too_many_ways;
    }
    needs->shape[needs->n++] = shape;
    return NULL;
}

static struct device_needs *make_needs(struct skr_gang *e, struct pod_entry *const *newcomers,
                                       size_t n, const char **ret_why)
{
    struct device_needs *needs = skr_alloc(sizeof *needs);
    needs->refs = 1;
    struct device_shares shares = skr_device_shares_of(e, newcomers, n);
    *ret_why = NULL;
    for (size_t i = 0; !*ret_why && i < n; i++) {
        *ret_why = add_shape(e, newcomers[i], &shares, needs);
    }
    free(shares.item);
    /* What one of them needs beside these claims is no bound of the others. */
    if (*ret_why || needs->n == 0 || (shares.partial && (needs->some_without || needs->n > 1))) {
        skr_devices_needs_unref(e, needs);
        return NULL;
    }
    return skr_device_counts_enter(e, needs);
}

static bool any_needs(const struct skr_gang *e, struct pod_entry *const *newcomers, size_t n)
{
    size_t i = 0;
    while (i < n && !skr_devices_are_needed(e, newcomers[i])) {
        i++;
    }
    return i < n;
}

struct device_needs *skr_devices_needs(struct skr_gang *e, struct pod_entry *const *newcomers,
                                       size_t n)
{
    const char *why;
    const bool any = !skr_devices_unmodelled(e) && any_needs(e, newcomers, n);
    return any ? make_needs(e, newcomers, n, &why) : NULL;
}

struct device_needs *skr_devices_explain(struct skr_gang *e, struct pod_entry *const *newcomers,
                                         size_t n, const char **ret_why)
{
    *ret_why = NULL;
    if (!any_needs(e, newcomers, n)) {
        return NULL;
    }
    *ret_why = skr_devices_unmodelled(e);
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
    if (needs && --needs->refs == 0) {
        skr_device_counts_rest(e, needs);
    }
}

bool skr_devices_needs_equal(const struct device_needs *a, const struct device_needs *b)
{
    if (!a || !b) {
        return a == b;
    }
    bool equal = a->n == b->n && a->some_without == b->some_without;
    for (size_t i = 0; equal && i < a->n; i++) {
        equal = skr_device_shapes_are_equal(&a->shape[i], &b->shape[i]);
    }
    return equal;
}
