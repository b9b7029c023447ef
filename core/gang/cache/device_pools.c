/* SPDX-License-Identifier: Apache-2.0 */
/* Plays claims on a place that has no devices of its own: the name of a region, or "". */
#include "core/gang/cache/device_pools.h"

#include "core/devices/pod_problem.h"
#include "core/gang/cache/claimers.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/nodes.h"
#include "core/gang/cache/pods.h"
#include "core/gang/cache/topology.h"
#include "core/volume/objects.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool any(const struct skr_gang *e)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    return (stock->everywhere || stock->elsewhere) && !skr_devices_unmodelled(e);
}

/* The claims of the shape that only devices of the place may serve; own: those that the first member does not pay
 * for alone. Room for all of its claims in ret. */
static struct skr_pod_claims part_of(const struct skr_gang *e, const struct device_shape *shape,
                                     bool own, const char *place, const struct skr_claim_spec **ret)
{
    const enum skr_claim_reach reach = *place ? SKR_CLAIM_OF_REGIONS : SKR_CLAIM_OF_ALL_NODES;
    struct skr_pod_claims claims = {0, ret};
    for (size_t i = 0; i < shape->n; i++) {
        const bool shared = i < 64 && (shape->shared >> i & 1);
        if (skr_claim_reach_of(e->devices.stock, shape->spec[i]) == reach && !(own && shared)) {
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

/* ---- regions ---- */

/* The spec whose regions all claims of regions have; NULL: there is none, or they differ. */
static const struct skr_claim_spec *of_regions(const struct skr_gang *e,
                                               const struct device_needs *needs)
{
    const struct skr_claim_spec *found = NULL;
    for (size_t i = 0; needs && any(e) && i < needs->n; i++) {
        for (size_t k = 0; k < needs->shape[i].n; k++) {
            const struct skr_claim_spec *spec = needs->shape[i].spec[k];
            if (skr_claim_reach_of(e->devices.stock, spec) != SKR_CLAIM_OF_REGIONS) {
                continue;
            }
            if (found && (found->n_regions != spec->n_regions ||
                          memcmp((const void *)found->region, (const void *)spec->region,
                                 spec->n_regions * sizeof *spec->region) != 0)) {
                return NULL;
            }
            found = spec;
        }
    }
    return found;
}

bool skr_device_pools_regions(struct skr_gang *e, const struct device_needs *needs,
                              struct device_regions *ret)
{
    const struct skr_claim_spec *spec = of_regions(e, needs);
    const struct skr_tree *tree = e->topology.tree;
    bool overlap = false;
    if (!spec) {
        return false;
    }
    struct node_entry *const *node = skr_topology_leaf_nodes(e);
    *ret =
        (struct device_regions){spec->n_regions, spec->region,
                                skr_alloc_array((size_t)tree->n_leaves + 1, sizeof *ret->of_leaf)};
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        ret->of_leaf[leaf] = -1;
    }
    for (size_t i = 0; i < ret->n; i++) {
        const struct skr_stock_region *region =
            skr_devices_stock_region(e->devices.stock, ret->name[i]);
        for (int32_t leaf = 0; region && region->nodes && leaf < tree->n_leaves; leaf++) {
            if (node[leaf] && node[leaf]->node &&
                skr_volume_reaches(region->nodes, node[leaf]->node)) {
                overlap = overlap || ret->of_leaf[leaf] >= 0;
                ret->of_leaf[leaf] = (int32_t)i;
            }
        }
    }
    if (overlap) {
        free(ret->of_leaf);
    }
    return !overlap;
}

/* ---- pending claimers ---- */

struct queue {
    struct skr_pod_claims *claims;
    struct device_shape *shape; /* whose specs these are */
    size_t n, cap, cap_shapes;
    struct device_paid paid;
    bool known;
    bool members; /* some are of groups: ordinary pods are kube-scheduler's to choose from */
};

static void add(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                const char *place, struct queue *q)
{
    struct device_shape shape;
    q->known = !skr_device_shape_of(e, pod, p, &q->paid, &shape) && q->known;
    skr_device_paid_add(e, &q->paid, pod);
    const struct skr_claim_spec **spec = skr_alloc_array(shape.n + 1, sizeof *spec);
    const struct skr_pod_claims claims = part_of(e, &shape, false, place, spec);
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
                        const struct group *without, const char *place, struct queue *q)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_stock_region *region = *place ? skr_devices_stock_region(stock, place) : NULL;
    const struct claimers *claimers;
    const struct pod_entry *p;
    for (claimers = e->devices.claimers; claimers; claimers = claimers->hh.next) {
        if (*place && !(region && skr_stock_region_has(stock, region, claimers->node))) {
            continue;
        }
        DL_FOREACH2(claimers->list, p, work->claims_next)
        {
            if (p != itself && (!without || p->group != without) && !skr_pods_is_bound(p) &&
                !p->work->claims_left_out) {
                q->members = q->members || p->group;
                add(e, p->pod, p, place, q);
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
    skr_device_paid_fini(&q->paid);
}

/* ---- how many ---- */

/* q: NULL: no allocation took anything. */
static int32_t least_of(struct skr_gang *e, const struct device_needs *needs, const char *place,
                        const struct queue *q)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    int32_t most = INT32_MAX;
    for (size_t i = 0; i < needs->n; i++) {
        const struct device_shape *shape = &needs->shape[i];
        const struct skr_claim_spec **of_first = skr_alloc_array(shape->n + 1, sizeof *of_first);
        const struct skr_claim_spec **of_other = skr_alloc_array(shape->n + 1, sizeof *of_other);
        const struct skr_pod_claims first = part_of(e, shape, false, place, of_first);
        const struct skr_pod_claims other = part_of(e, shape, true, place, of_other);
        if (first.n > 0) {
            const struct skr_sequence sequence =
                q ? skr_sequence_count(stock, place, q->claims, q->n, &first, &other,
                                       SKR_NEEDS_PODS_MAX, e->devices.memo)
                  : skr_sequence_ever(stock, place, &first, &other, SKR_NEEDS_PODS_MAX,
                                      e->devices.memo);
            most = sequence.end != SKR_SEQUENCE_MOST && sequence.n < most ? sequence.n : most;
        }
        free(of_first);
        free(of_other);
    }
    return most;
}

static int32_t most_at(struct skr_gang *e, const struct group *without,
                       const struct device_needs *needs, const char *place)
{
    struct queue q = {.known = true};
    int32_t most = INT32_MAX;
    if (skr_device_pools_matter(e, needs)) {
        add_pending(e, NULL, without, place, &q);
        most = q.known ? least_of(e, needs, place, &q) : INT32_MAX;
        queue_fini(e, &q);
    }
    return most;
}

int32_t skr_device_pools_most(struct skr_gang *e, const struct group *without,
                              const struct device_needs *needs)
{
    return most_at(e, without, needs, "");
}

int32_t skr_device_pools_ever(struct skr_gang *e, const struct device_needs *needs)
{
    return skr_device_pools_matter(e, needs) ? least_of(e, needs, "", NULL) : INT32_MAX;
}

int32_t skr_device_pools_most_in(struct skr_gang *e, const struct group *without,
                                 const struct device_needs *needs, const char *region, bool ever)
{
    return ever ? least_of(e, needs, region, NULL) : most_at(e, without, needs, region);
}

/* Whether those behind the first one that are served without it are served behind it, too. */
static bool serves_behind(const struct skr_gang *e, const char *place, const struct queue *q)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_sequence with =
        skr_sequence_serve(stock, place, q->claims, q->n, e->devices.memo);
    if (with.end == SKR_SEQUENCE_MOST || with.end == SKR_SEQUENCE_UNMODELLED) {
        return true;
    }
    const struct skr_sequence without =
        skr_sequence_serve(stock, place, q->claims + 1, q->n - 1, e->devices.memo);
    return with.n > without.n;
}

bool skr_device_pools_spare(struct skr_gang *e, const struct skr_pod *pod,
                            const struct pod_entry *p, const struct device_shape *shape,
                            const char *region)
{
    struct queue q = {.known = true};
    const struct device_needs needs = {.n = 1, .shape = {*shape}};
    bool spare = true;
    if (!skr_device_pools_matter(e, &needs)) {
        return true;
    }
    add(e, pod, p, region, &q);
    const size_t own = q.n;
    add_pending(e, p, NULL, region, &q);
    if (own > 0 && q.members && q.known) {
        spare = serves_behind(e, region, &q);
    }
    queue_fini(e, &q);
    return spare;
}

/* ---- whole plans ---- */

bool skr_device_pools_need_play(struct skr_gang *e, const struct device_needs *needs)
{
    struct device_regions regions;
    bool bounded = true, of_regions = false;
    if (!skr_device_pools_matter(e, needs)) {
        return false;
    }
    for (size_t i = 0; i < needs->n; i++) {
        for (size_t k = 0; k < needs->shape[i].n; k++) {
            const enum skr_claim_reach reach =
                skr_claim_reach_of(e->devices.stock, needs->shape[i].spec[k]);
            bounded = bounded && reach != SKR_CLAIM_OF_SEVERAL;
            of_regions = of_regions || reach == SKR_CLAIM_OF_REGIONS;
        }
    }
    if (bounded && of_regions) {
        bounded = skr_device_pools_regions(e, needs, &regions);
        if (bounded) {
            free(regions.of_leaf);
        }
    }
    return !bounded || needs->n > 1;
}

/* Pods in order, with all of their claims, and their nodes. */
struct line {
    struct queue q;
    const char **node;
    size_t cap;
};

static void add_whole(struct skr_gang *e, const struct pod_entry *p, const char *node,
                      struct line *line)
{
    struct queue *q = &line->q;
    struct device_shape shape;
    q->known = !skr_device_shape_of(e, p->pod, p, &q->paid, &shape) && q->known;
    skr_device_paid_add(e, &q->paid, p->pod);
    const struct skr_pod_claims claims = {skr_device_claims_on(e, &shape, node), shape.spec};
    if (claims.n == 0) {
        skr_device_shape_fini(e, &shape);
        return;
    }
    skr_grow(&q->claims, &q->cap, q->n + 1, sizeof *q->claims);
    skr_grow(&q->shape, &q->cap_shapes, q->n + 1, sizeof *q->shape);
    skr_grow(&line->node, &line->cap, q->n + 1, sizeof *line->node);
    line->node[q->n] = node;
    q->shape[q->n] = shape;
    q->claims[q->n++] = claims;
}

/* Those of other plans, and ordinary pods. */
static void add_others(struct skr_gang *e, struct line *line)
{
    const struct claimers *claimers;
    const struct pod_entry *p;
    for (int accepted = 1; accepted >= 0; accepted--) {
        for (claimers = e->devices.claimers; claimers; claimers = claimers->hh.next) {
            DL_FOREACH2(claimers->list, p, work->claims_next)
            {
                if (skr_claimers_is_accepted(p) == accepted && !skr_pods_is_bound(p) &&
                    !p->work->claims_left_out) {
                    add_whole(e, p, claimers->node, line);
                }
            }
        }
    }
}

size_t skr_device_pools_serve(struct skr_gang *e, struct pod_entry *const *pod,
                              const char *const *node, size_t n)
{
    struct line line = {.q = {.known = true}};
    SKR_AUTO_FREE size_t *of = skr_alloc_array(n + 1, sizeof *of);
    size_t ret = n;
    add_others(e, &line);
    const size_t n_others = line.q.n;
    for (size_t i = 0; i < n; i++) {
        of[line.q.n - n_others] = i;
        add_whole(e, pod[i], node[i], &line);
    }
    if (line.q.known && line.q.n > n_others && line.q.n <= SKR_POOLS_PODS_MAX) {
        const struct skr_sequence sequence = skr_sequence_serve_apart(
            e->devices.stock, line.node, line.q.claims, n_others, line.q.n);
        ret = skr_sequence_fails(&sequence) ? of[sequence.n] : n;
    }
    for (size_t i = 0; i < line.q.n; i++) {
        line.q.claims[i].spec = NULL; /* of the shape */
    }
    queue_fini(e, &line.q);
    free(line.node);
    return ret;
}
