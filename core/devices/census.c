/* SPDX-License-Identifier: Apache-2.0 */
/* Classes by name; for each slice the answers of their selectors, which the slice caches. */
#include "core/devices/census.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/devices/answers.h"
#include "core/devices/pod_problem.h"
#include "core/devices/stock_parts.h"
#include "topology/base/arena.h"

static int by_name(const void *a, const void *b)
{
    const struct skr_stock_class *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static enum skr_census_state state_of(const struct skr_devices_stock *stock,
                                      const struct skr_stock_slice *slice,
                                      const struct skr_device *device)
{
    static const struct skr_claim_request plain;
    return skr_devices_stock_takings(stock, slice->pool, device->name)  ? SKR_CENSUS_TAKEN
           : skr_device_is_tainted(stock, &plain, slice->slice, device) ? SKR_CENSUS_TAINTED
                                                                        : SKR_CENSUS_FREE;
}

/* Whether a claim of the device is for the pod, which is the first of its pods. */
static bool is_of(const struct skr_devices_stock *stock, const struct skr_stock_slice *slice,
                  const struct skr_device *device, const char *pod_uid)
{
    const struct skr_stock_taking *t = skr_devices_stock_takings(stock, slice->pool, device->name);
    while (t && (t->claim->n_pods == 0 || strcmp(t->claim->pod_uid[0], pod_uid) != 0)) {
        t = t->next;
    }
    return t;
}

/* match: room for one byte a device. pod_uid: as of skr_devices_census_node(). */
static void add_slice(const struct skr_devices_stock *stock, struct skr_stock_slice *slice,
                      const struct skr_stock_class *class, const char *pod_uid, uint8_t *match,
                      struct skr_census_class *to)
{
    const size_t n = slice->slice->n_devices;
    memset(match, SKR_SELECTOR_YES, n);
    for (size_t i = 0; i < class->n; i++) {
        const uint8_t *answer =
            class->selector[i] ? skr_devices_stock_answers(stock, slice, class->selector[i]) : NULL;
        for (size_t k = 0; k < n; k++) {
            match[k] = match[k] && answer ? answer[k] == SKR_SELECTOR_YES : 0;
        }
    }
    for (size_t k = 0; k < n; k++) {
        const struct skr_device *device = &slice->slice->device[k];
        if (match[k] && (!pod_uid || is_of(stock, slice, device, pod_uid))) {
            to->n[state_of(stock, slice, device)]++;
        }
    }
}

void skr_devices_census_take(const struct skr_devices_stock *stock, struct skr_devices_census *ret)
{
    const struct skr_stock_class **class =
        skr_alloc_array(HASH_COUNT(stock->classes) + 1, sizeof *class);
    SKR_AUTO_FREE uint8_t *match = skr_alloc(SKR_SLICE_DEVICES_MAX);
    size_t n = 0;
    *ret = (struct skr_devices_census){.n = 0};
    for (const struct skr_stock_class *c = stock->classes; c; c = c->hh.next) {
        class[n++] = c;
    }
    qsort(class, n, sizeof *class, by_name);
    for (size_t i = 0; i < n; i++) {
        const bool named = i < SKR_CENSUS_CLASSES;
        struct skr_census_class *to = &ret->of[named ? i : SKR_CENSUS_CLASSES];
        snprintf(to->name, sizeof to->name, "%s", named ? class[i] -> name : "other");
        ret->n = named ? i + 1 : SKR_CENSUS_CLASSES + 1;
        for (struct skr_stock_slice *s = stock->slices; s; s = s->hh.next) {
            add_slice(stock, s, class[i], NULL, match, to);
        }
    }
    free(class);
}

void skr_devices_census_node(const struct skr_devices_stock *stock, const char *node,
                             const char *class_, const char *pod_uid, struct skr_census_class *ret)
{
    const struct skr_stock_class *class = skr_devices_stock_class(stock, class_);
    const struct skr_stock_node *of = skr_devices_stock_node(stock, node);
    SKR_AUTO_FREE uint8_t *match = skr_alloc(SKR_SLICE_DEVICES_MAX);
    *ret = (struct skr_census_class){.name = ""};
    for (struct skr_stock_slice *s = class && of ? of->slices : NULL; s; s = s->nnext) {
        add_slice(stock, s, class, pod_uid, match, ret);
    }
}
