/* SPDX-License-Identifier: Apache-2.0 */
/* How many members the devices of a node serve, after its pending claimers, and which pods have to wait for others. */
#include "core/gang/cache/devices.h"

#include "core/devices/answers.h"
#include "core/gang/cache/claimers.h"
#include "core/gang/cache/device_counts.h"
#include "core/gang/cache/device_needs.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/cache/pods.h"
#include "core/gang/state/plan_entry.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

static bool is_modelled(const struct skr_gang *e)
{
    return !skr_devices_unmodelled(e);
}

/* ---- how many ---- */

/* Pods whose devices are not allocated yet, in order. */
struct pending {
    struct device_shape *shape;
    struct skr_pod_claims *claims;
    size_t n;
    bool known;   /* false: what one of them needs is not */
    bool members; /* some are of groups: ordinary pods are kube-scheduler's to choose from */
    struct device_paid paid;
};

static void add_pending(struct skr_gang *e, const struct pod_entry *p, const char *node,
                        struct pending *to)
{
    struct device_shape *shape = &to->shape[to->n];
    to->known = !skr_device_shape_of(e, p->pod, p, &to->paid, shape) && to->known;
    to->members = to->members || p->group;
    skr_device_paid_add(e, &to->paid, p->pod);
    to->claims[to->n] = (struct skr_pod_claims){skr_device_claims_on(e, shape, node), shape->spec};
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
    const struct claimers *claimers = skr_claimers_of(e, node);
    const struct pod_entry *p;
    struct pending pending = {.known = true};
    size_t n = 0;
    DL_COUNT2(claimers ? claimers->list : NULL, p, n, work->claims_next);
    pending.shape = skr_alloc_array(n + room + 1, sizeof *pending.shape);
    pending.claims = skr_alloc_array(n + room + 1, sizeof *pending.claims);
    if (first) {
        pending.claims[pending.n++] = *first;
        skr_device_paid_add(e, &pending.paid, of);
    }
    for (int accepted = 1; accepted >= 0; accepted--) {
        DL_FOREACH2(claimers ? claimers->list : NULL, p, work->claims_next)
        {
            if (p != itself && skr_claimers_is_accepted(p) == accepted &&
                (!without || p->group != without) && !skr_pods_is_bound(p) &&
                !p->work->claims_left_out) {
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
    skr_device_paid_fini(&pending->paid);
}

/* pending: NULL: if no allocation took anything. */
static struct skr_sequence sequence_of(struct skr_gang *e, const struct device_shape *shape,
                                       const char *node, const struct pending *pending)
{
    const struct skr_devices_stock *stock = e->devices.stock;
    const struct skr_pod_claims all = {skr_device_claims_on(e, shape, node), shape->spec};
    SKR_AUTO_FREE const struct skr_claim_spec **own = skr_alloc_array(all.n + 1, sizeof *own);
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
    return ret;
}

/* What a count of one node says. */
struct tally {
    int32_t most;
    enum skr_uncounted uncounted;
    bool later;
    bool own, long_; /* as of struct device_needs */
};

/* pending: as in sequence_of(). */
static struct tally least_of(struct skr_gang *e, const struct device_needs *needs, const char *node,
                             const struct pending *pending)
{
    struct tally ret = {.most = INT32_MAX};
    for (size_t i = 0; i < needs->n; i++) {
        if (skr_device_claims_on(e, &needs->shape[i], node) > 0) {
            const struct skr_sequence sequence = sequence_of(e, &needs->shape[i], node, pending);
            ret.most =
                sequence.end != SKR_SEQUENCE_MOST && sequence.n < ret.most ? sequence.n : ret.most;
            ret.uncounted = sequence.uncounted ? sequence.uncounted : ret.uncounted;
            const bool own =
                sequence.uncounted && !sequence.of_others && sequence.why != skr_devices_later;
            ret.own = ret.own || own;
            ret.long_ = ret.long_ || (own && sequence.why == skr_sequence_too_long);
            ret.later = ret.later || sequence.why == skr_devices_later;
        }
    }
    return ret;
}

static struct tally count_now(struct skr_gang *e, const struct group *without,
                              const struct device_needs *needs, const char *node)
{
    struct pending pending = pending_on(e, NULL, NULL, NULL, without, 0, node);
    const struct tally ret =
        pending.known ? least_of(e, needs, node, &pending) : (struct tally){.most = INT32_MAX};
    pending_fini(e, &pending);
    return ret;
}

/* Where the count of the node is kept; NULL: pending claimers of the group are left out, or it is not kept. */
static struct device_count *kept(struct skr_gang *e, const struct group *without,
                                 struct device_needs *needs, const char *node)
{
    const struct claimers *claimers = without ? skr_claimers_of(e, node) : NULL;
    const struct pod_entry *p;
    DL_FOREACH2(claimers ? claimers->list : NULL, p, work->claims_next)
    {
        if (p->group == without) {
            return NULL;
        }
    }
    return skr_device_counts_at(e, needs, node);
}

static bool is_known(const struct device_count *count, enum skr_device_count of)
{
    return count && (count->known >> of & 1);
}

static void note_own(struct device_needs *needs, const struct tally *tally)
{
    needs->own = needs->own || tally->own;
    needs->long_ = needs->long_ || tally->long_;
}

static void keep(struct skr_gang *e, struct device_count *count, enum skr_device_count of,
                 const struct tally *tally)
{
    if (count && !tally->later) {
        e->devices.stock->heard++; /* what changes next is reported, whatever was before */
        count->of[of] = tally->most;
        count->own = tally->own || (count->known && count->own);
        count->long_ = tally->long_ || (count->known && count->long_);
        count->known |= (uint8_t)(1 << of);
        count->uncounted = of == SKR_COUNT_NOW ? (uint8_t)tally->uncounted : count->uncounted;
    }
}

int32_t skr_devices_most(struct skr_gang *e, const struct group *without,
                         struct device_needs *needs, const char *node)
{
    if (!is_modelled(e)) {
        return INT32_MAX;
    }
    struct device_count *count = kept(e, without, needs, node);
    struct tally tally;
    if (is_known(count, SKR_COUNT_NOW)) {
        tally = (struct tally){.most = count->of[SKR_COUNT_NOW],
                               .uncounted = (enum skr_uncounted)count->uncounted};
    } else {
        tally = count_now(e, without, needs, node);
        keep(e, count, SKR_COUNT_NOW, &tally);
    }
    needs->uncounted = tally.uncounted ? tally.uncounted : needs->uncounted;
    note_own(needs, &tally);
    return tally.most;
}

bool skr_devices_knows_most(struct skr_gang *e, struct device_needs *needs, const char *node,
                            int32_t *ret)
{
    const struct device_count *count = is_modelled(e) ? kept(e, NULL, needs, node) : NULL;
    const bool known = !is_modelled(e) || is_known(count, SKR_COUNT_NOW);
    *ret = is_known(count, SKR_COUNT_NOW) ? count->of[SKR_COUNT_NOW] : INT32_MAX;
    return known;
}

int32_t skr_devices_most_ever(struct skr_gang *e, struct device_needs *needs, const char *node)
{
    if (!is_modelled(e)) {
        return INT32_MAX;
    }
    struct device_count *count = kept(e, NULL, needs, node);
    if (is_known(count, SKR_COUNT_EVER)) {
        return count->of[SKR_COUNT_EVER];
    }
    const struct tally tally = least_of(e, needs, node, NULL);
    keep(e, count, SKR_COUNT_EVER, &tally);
    note_own(needs, &tally);
    return tally.most;
}

/* ---- devices of members that differ ---- */

/* Of the alternative that takes fewest. */
static int64_t least_of_ask(const struct skr_claim_spec *spec, const struct skr_claim_ask *ask)
{
    int64_t least = INT64_MAX;
    for (size_t i = ask->first; i < ask->first + ask->n; i++) {
        const struct skr_claim_request *request = &spec->request[i];
        const int64_t n = request->admin ? 0 : request->all ? 1 : request->count;
        least = n < least ? n : least;
    }
    return ask->n > 0 ? least : 0;
}

int64_t skr_devices_least(const struct device_needs *needs)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < needs->n; i++) {
        const struct device_shape *shape = &needs->shape[i];
        int64_t sum = 0;
        for (size_t k = 0; k < shape->n; k++) {
            const bool shared = k >= 64 || shape->shared >> k & 1;
            for (size_t a = 0; a < shape->spec[k]->n_asks && !shared; a++) {
                sum += least_of_ask(shape->spec[k], &shape->spec[k]->ask[a]);
            }
        }
        least = sum < least ? sum : least;
    }
    return needs->some_without ? 0 : least;
}

/* All claims of the members, joined. */
static struct tally count_free(struct skr_gang *e, const struct group *without,
                               const struct device_needs *needs, const char *node, bool ever)
{
    struct tally ret = {.most = INT32_MAX};
    size_t n = 0;
    for (size_t i = 0; i < needs->n; i++) {
        if (skr_device_claims_on(e, &needs->shape[i], node) < needs->shape[i].n) {
            return ret; /* it lists what this one asks for */
        }
        n += needs->shape[i].n;
    }
    SKR_AUTO_FREE const struct skr_claim_spec **spec = skr_alloc_array(n + 1, sizeof *spec);
    struct skr_pod_claims all = {0, spec};
    for (size_t i = 0; i < needs->n; i++) {
        for (size_t k = 0; k < needs->shape[i].n; k++) {
            spec[all.n++] = needs->shape[i].spec[k];
        }
    }
    struct pending pending = {.known = true};
    if (!ever) {
        pending = pending_on(e, NULL, NULL, NULL, without, 0, node);
    }
    if (pending.known && is_modelled(e)) {
        ret.most = skr_sequence_devices(e->devices.stock, node, pending.claims, pending.n, &all,
                                        ever, &ret.later);
    }
    pending_fini(e, &pending);
    return ret;
}

int32_t skr_devices_free(struct skr_gang *e, const struct group *without,
                         struct device_needs *needs, const char *node, bool ever)
{
    const enum skr_device_count of = ever ? SKR_COUNT_FREE_EVER : SKR_COUNT_FREE;
    struct device_count *count = kept(e, without, needs, node);
    if (is_known(count, of)) {
        return count->of[of];
    }
    const struct tally tally = count_free(e, without, needs, node, ever);
    keep(e, count, of, &tally);
    return tally.most;
}

bool skr_devices_are_counted(struct skr_gang *e, struct device_needs *needs, bool differ,
                             const char *node)
{
    const struct device_count *count = kept(e, NULL, needs, node);
    return !is_modelled(e) || !count ||
           (is_known(count, differ ? SKR_COUNT_FREE : SKR_COUNT_NOW) &&
            is_known(count, differ ? SKR_COUNT_FREE_EVER : SKR_COUNT_EVER));
}

bool skr_devices_count_ahead(struct skr_gang *e, struct device_needs *needs, bool differ,
                             const char *node)
{
    if (differ) {
        (void)skr_devices_free(e, NULL, needs, node, false);
        (void)skr_devices_free(e, NULL, needs, node, true);
    } else {
        (void)skr_devices_most(e, NULL, needs, node);
        (void)skr_devices_most_ever(e, needs, node);
    }
    return skr_devices_are_counted(e, needs, differ, node);
}

/* Several requests, which may want the same devices, or devices that exclude each other by counters. */
static bool may_waste(const struct skr_devices_stock *stock, const struct skr_pod_claims *claims)
{
    size_t n = stock->n_counters;
    for (size_t i = 0; i < claims->n; i++) {
        n += claims->spec[i]->n_asks;
    }
    return n > 1;
}

bool skr_devices_room(struct skr_gang *e, const struct group *without,
                      const struct device_shape *of, const char *node, struct device_room *ret)
{
    const struct skr_pod_claims claims = {skr_device_claims_on(e, of, node), of->spec};
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
        if (may_waste(e->devices.stock, &claims) && of->shared == 0 && !ret->why) {
            ret->other = skr_sequence_scarce_last(e->devices.stock, node, pending.claims, pending.n,
                                                  &claims, SKR_NEEDS_PODS_MAX);
        }
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
    const struct skr_pod_claims claims = {skr_device_claims_on(e, &shape, node), shape.spec};
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
    if (!claimers || !claimers->mixed || !is_modelled(e) || skr_claimers_is_accepted(p)) {
        return false;
    }
    const bool known = !skr_device_shape_of(e, p->pod, p, &none, &shape);
    const struct skr_pod_claims own = {skr_device_claims_on(e, &shape, claimers->node), shape.spec};
    const struct pod_entry *q;
    DL_FOREACH2(known && own.n > 0 ? claimers->list : NULL, q, work->claims_next)
    {
        before = before && q != p;
        waits =
            waits || (q != p && (before || skr_claimers_is_accepted(q)) && !q->work->vote.given &&
                      !skr_pods_is_bound(q) && decides(e, q, claimers->node, &own));
    }
    skr_device_shape_fini(e, &shape);
    return waits;
}

/* The first of these pods that the node does not serve; SIZE_MAX: all are served, or it is not known. */
static size_t first_unserved(struct skr_gang *e, const char *node, const struct pending *pending)
{
    if (!pending->known || pending->n == 0 || !is_modelled(e)) {
        return SIZE_MAX;
    }
    const struct skr_sequence sequence =
        skr_sequence_serve(e->devices.stock, node, pending->claims, pending->n, e->devices.memo);
    return skr_sequence_fails(&sequence) ? (size_t)sequence.n : SIZE_MAX;
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

/* Clears the bits of nodes of regions whose devices the pod would take from pending claimers. */
static bool spare_regions(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                          const struct device_shape *shape, const char *const *node, size_t n,
                          uint8_t *mask)
{
    const struct device_needs needs = {.n = 1, .shape = {*shape}};
    struct device_regions regions;
    bool cleared = false;
    if (!skr_device_pools_regions(e, &needs, &regions)) {
        return false;
    }
    for (size_t r = 0; r < regions.n; r++) {
        const bool spares = skr_device_pools_spare(e, pod, p, shape, regions.name[r]);
        for (size_t i = 0; i < n && !spares; i++) {
            const int32_t leaf = skr_tree_find_leaf(e->topology.tree, node[i]);
            if (leaf >= 0 && regions.of_leaf[leaf] == (int32_t)r) {
                mask[i / 8] &= (uint8_t) ~(1u << (i % 8));
                cleared = true;
            }
        }
    }
    free(regions.of_leaf);
    return cleared;
}

bool skr_devices_filter(struct skr_gang *e, const struct skr_pod *pod, const struct pod_entry *p,
                        const char *const *node, size_t n, uint8_t *mask)
{
    const struct device_paid none = {0};
    struct device_shape shape;
    bool cleared = false;
    const bool known = !skr_device_shape_of(e, pod, p, &none, &shape);
    if (known && n > 0 && !skr_device_pools_spare(e, pod, p, &shape, "")) {
        memset(mask, 0, (n + 7) / 8);
        skr_device_shape_fini(e, &shape);
        return true;
    }
    cleared = known && n > 0 && spare_regions(e, pod, p, &shape, node, n, mask);
    for (size_t i = 0; i < n; i++) {
        const struct skr_pod_claims claims = {skr_device_claims_on(e, &shape, node[i]), shape.spec};
        if ((known && claims.n == 0) || !skr_claimers_of(e, node[i])) {
            continue;
        }
        struct pending pending = pending_on(e, known ? &claims : NULL, pod, p, NULL, 1, node[i]);
        if (pending.members &&
            (known ? !spares_others(e, &pending, node[i]) : pending.n > 0 || !pending.known)) {
            mask[i / 8] &= (uint8_t) ~(1u << (i % 8));
            cleared = true;
        }
        pending_fini(e, &pending);
    }
    skr_device_shape_fini(e, &shape);
    return cleared;
}
