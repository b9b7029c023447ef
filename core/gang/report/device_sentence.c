/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gang/report/device_sentence.h"

#include <stdlib.h>

#include "core/devices/pod_problem.h"
#include "core/gang/cache/device_pools.h"
#include "core/gang/group/membership.h"

/* How many members the devices of open leaves serve; -1: some leaf has no limit. */
static int64_t served(const struct skr_problem *p, const int64_t *room)
{
    int64_t sum = 0;
    for (size_t i = 0; i < (size_t)p->tree->n_leaves && sum >= 0; i++) {
        const int64_t one = p->eligible[i] ? room[i * p->n_resources + p->n_resources - 1] : 0;
        sum = one >= SKR_ROOM_UNLIMITED ? -1 : sum + one;
    }
    return sum;
}

/* Devices of the one request, on open leaves. */
static struct skr_sequence_stand stand_of(struct skr_gang *e, const struct group *g,
                                          const struct device_shape *shape,
                                          const struct skr_problem *p)
{
    struct skr_sequence_stand sum = {0};
    const struct device_needs needs = {.n = 1, .shape = {*shape}};
    struct device_regions regions;
    const bool regional = skr_device_pools_regions(e, &needs, &regions);
    for (size_t i = 0; regional && i < regions.n; i++) {
        struct device_room room;
        if (skr_devices_room(e, g, shape, regions.name[i], &room)) {
            sum.all += room.claim[0][0].all;
            sum.free += room.claim[0][0].free;
        }
    }
    if (regional) {
        free(regions.of_leaf);
        return sum;
    }
    for (int32_t i = 0; i < p->tree->n_leaves; i++) {
        struct device_room room;
        const char *node = p->tree->unit_name[p->tree->first_leaf + i];
        const bool again = sum.all > 0 && skr_claim_reach_of(e->devices.stock, shape->spec[0]) ==
                                              SKR_CLAIM_OF_ALL_NODES;
        if (p->eligible[i] && !again && skr_devices_room(e, g, shape, node, &room)) {
            sum.all += room.claim[0][0].all;
            sum.free += room.claim[0][0].free;
        }
    }
    return sum;
}

static void say(struct skr_gang *e, const struct group *g, const struct device_needs *needs,
                size_t n, bool ever, int64_t fit, const struct skr_problem *p, struct skr_strbuf *b)
{
    const struct device_shape *shape = &needs->shape[0];
    const bool simple = needs->n == 1 && shape->n == 1 && shape->spec[0]->n_requests == 1 &&
                        !shape->spec[0]->request[0].all;
    if (!simple) {
        skr_strbuf_addf(b, "is not placed: %lld of %zu pods fit by their claims%s", (long long)fit,
                        n, ever ? " if all devices are free" : "");
        return;
    }
    const struct skr_claim_request *request = &shape->spec[0]->request[0];
    const struct skr_sequence_stand stand = stand_of(e, g, shape, p);
    skr_strbuf_addf(b, "needs %lld devices of class %s (%zu %s x %lld), ",
                    (long long)n * (long long)request->count, request->class_, n,
                    n == 1 ? "pod" : "pods", (long long)request->count);
    if (ever) {
        skr_strbuf_addf(b, "the nodes open to it have %zu, for %lld %s", stand.all, (long long)fit,
                        fit == 1 ? "pod" : "pods");
    } else {
        skr_strbuf_addf(b, "%zu %s free, %lld %s", stand.free, stand.free == 1 ? "is" : "are",
                        (long long)fit, fit == 1 ? "pod fits" : "pods fit");
    }
}

bool skr_device_sentence(struct skr_gang *e, struct group *g, bool ever,
                         const struct skr_solve_request *request, struct skr_strbuf *b)
{
    const struct skr_problem *p = &request->problem;
    size_t n;
    if (request->n_learned != 1) {
        return false;
    }
    SKR_AUTO_FREE struct pod_entry **newcomers = skr_membership_plannable(e, g, &n);
    struct device_needs *needs = skr_devices_needs(e, newcomers, n);
    const int64_t fit = needs ? served(p, ever ? p->capacity : p->free) : -1;
    const bool lacks = fit >= 0 && fit < (int64_t)n;
    if (lacks) {
        say(e, g, needs, n, ever, fit, p, b);
    }
    skr_devices_needs_unref(e, needs);
    return lacks;
}
