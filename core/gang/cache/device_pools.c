/* SPDX-License-Identifier: Apache-2.0 */
/* Plays claims on a node that has no devices of its own. */
#include "core/gang/cache/device_pools.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/claimers.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/pods.h"

#include <stdlib.h>
#include <utlist.h>

static const char nowhere[] = ""; /* no node is called so */

static bool any(const struct skr_gang *e)
{
    return e->devices.stock->everywhere && !skr_devices_unmodelled(e);
}

static bool is_of_all(const struct skr_gang *e, const struct skr_claim_spec *spec)
{
    return skr_claim_reach_of(e->devices.stock, spec) == SKR_CLAIM_OF_ALL_NODES;
}

/* The claims of the shape that only devices of all nodes may serve; own: those that the first member does not pay
 * for alone. Room for all of its claims in ret. */
static struct skr_pod_claims part_of(const struct skr_gang *e, const struct device_shape *shape,
                                     bool own, const struct skr_claim_spec **ret)
{
    struct skr_pod_claims claims = {0, ret};
    for (size_t i = 0; i < shape->n; i++) {
        const bool shared = i < 64 && (shape->shared >> i & 1);
        if (is_of_all(e, shape->spec[i]) && !(own && shared)) {
            ret[claims.n++] = shape->spec[i];
        }
    }
    return claims;
}

bool skr_device_pools_matter(const struct skr_gang *e, const struct device_needs *needs)
{
    for (size_t i = 0; needs && any(e) && i < needs->n; i++) {
        for (size_t k = 0; k < needs->shape[i].n; k++) {
            if (skr_claim_reach_of(e->devices.stock, needs->shape[i].spec[k]) !=
                SKR_CLAIM_OF_ONE_NODE) {
                return true;
            }
        }
    }
    return false;
}

bool skr_device_pools_may_matter(const struct skr_gang *e, struct pod_entry *const *newcomers,
                                 size_t n)
{
    size_t i = any(e) ? 0 : n;
    while (i < n && !skr_devices_are_needed(e, newcomers[i])) {
        i++;
    }
    return i < n;
}

/* ---- pending claimers of all nodes ---- */

struct queue {
    struct skr_pod_claims *claims;
    struct device_shape *shape; /* whose specs these are */
    size_t n, cap, cap_shapes;
    struct device_paid paid;
    bool known;
};

static void add(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                struct queue *q)
{
    struct device_shape shape;
    q->known = !skr_device_shape_of(e, pod, p, &q->paid, &shape) && q->known;
    skr_device_paid_add(&q->paid, pod);
    const struct skr_claim_spec **spec = skr_alloc_array(shape.n + 1, sizeof *spec);
    const struct skr_pod_claims claims = part_of(e, &shape, false, spec);
    if (claims.n == 0) {
        free(spec);
        skr_device_shape_fini(e, &shape);
        return;
    }
    skr_grow(&q->claims, &q->cap, q->n + 1, sizeof *q->claims);
    skr_grow(&q->shape, &q->cap_shapes, q->n + 1, sizeof *q->shape);
    q->shape[q->n] = shape;
    q->claims[q->n++] = claims;
}

static void add_pending(struct skr_gang *e, const struct pod_entry *itself,
                        const struct group *without, struct queue *q)
{
    const struct claimers *claimers;
    const struct pod_entry *p;
    for (claimers = e->devices.claimers; claimers; claimers = claimers->hh.next) {
        DL_FOREACH2(claimers->list, p, work->claims_next)
        {
            if (p != itself && (!without || p->group != without) && !skr_pods_is_bound(p) &&
                !p->work->claims_left_out) {
                add(e, p->pod, p, q);
            }
        }
    }
}

static void queue_fini(struct skr_gang *e, struct queue *q)
{
    for (size_t i = 0; i < q->n; i++) {
        skr_device_shape_fini(e, &q->shape[i]);
        free((void *)(uintptr_t)q->claims[i].spec);
    }
    free(q->shape);
    free(q->claims);
    free(q->paid.item);
}

/* ---- how many ---- */

/* q: NULL: no allocation took anything. */
static int32_t least_of(struct skr_gang *e, const struct device_needs *needs, const struct queue *q)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    int32_t most = INT32_MAX;
    for (size_t i = 0; i < needs->n; i++) {
        const struct device_shape *shape = &needs->shape[i];
        const struct skr_claim_spec **of_first = skr_alloc_array(shape->n + 1, sizeof *of_first);
        const struct skr_claim_spec **of_other = skr_alloc_array(shape->n + 1, sizeof *of_other);
        const struct skr_pod_claims first = part_of(e, shape, false, of_first);
        const struct skr_pod_claims other = part_of(e, shape, true, of_other);
        struct skr_sequence sequence = {.end = SKR_SEQUENCE_MOST};
        if (first.n > 0) {
            sequence = q ? skr_sequence_count(stock, nowhere, q->claims, q->n, &first, &other,
                                              SKR_NEEDS_PODS_MAX, e->devices.memo)
                         : skr_sequence_ever(stock, nowhere, &first, &other, SKR_NEEDS_PODS_MAX,
                                             e->devices.memo);
        }
        most = sequence.end != SKR_SEQUENCE_MOST && sequence.n < most ? sequence.n : most;
        free(of_first);
        free(of_other);
    }
    return most;
}

int32_t skr_device_pools_most(struct skr_gang *e, const struct group *without,
                              const struct device_needs *needs)
{
    struct queue q = {.known = true};
    int32_t most = INT32_MAX;
    if (skr_device_pools_matter(e, needs)) {
        add_pending(e, NULL, without, &q);
        most = q.known ? least_of(e, needs, &q) : INT32_MAX;
        queue_fini(e, &q);
    }
    return most;
}

int32_t skr_device_pools_ever(struct skr_gang *e, const struct device_needs *needs)
{
    return skr_device_pools_matter(e, needs) ? least_of(e, needs, NULL) : INT32_MAX;
}

/* Whether those behind the first one that are served without it are served behind it, too. */
static bool serves_behind(const struct skr_gang *e, const struct queue *q)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_sequence with =
        skr_sequence_serve(stock, nowhere, q->claims, q->n, e->devices.memo);
    if (with.end == SKR_SEQUENCE_MOST || with.end == SKR_SEQUENCE_UNMODELLED) {
        return true;
    }
    const struct skr_sequence without =
        skr_sequence_serve(stock, nowhere, q->claims + 1, q->n - 1, e->devices.memo);
    return with.n > without.n;
}

bool skr_device_pools_spare(struct skr_gang *e, const struct skr_pod *pod,
                            const struct pod_entry *p, const struct device_shape *shape)
{
    struct queue q = {.known = true};
    const struct device_needs needs = {.n = 1, .shape = {*shape}};
    bool spare = true;
    if (!skr_device_pools_matter(e, &needs)) {
        return true;
    }
    add(e, pod, p, &q);
    const size_t own = q.n;
    add_pending(e, p, NULL, &q);
    if (own > 0 && q.n > own && q.known) {
        spare = serves_behind(e, &q);
    }
    queue_fini(e, &q);
    return spare;
}
