/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes reach a slice, or a device of it. Equal node selectors are read once. */
#include <stdlib.h>
#include <string.h>

#include "core/devices/stock.h"
#include "core/devices/stock_parts.h"
#include "topology/base/strbuf.h"

static struct skr_stock_region *region_ref(struct skr_devices_stock *stock, const char *selector)
{
    struct skr_stock_region *region = NULL;
    if (!*selector) {
        return NULL;
    }
    SKR_STOCK_GET(stock, stock->regions, selector, region);
    if (region->refs++ == 0 && stock->selecting) {
        region->nodes = stock->selecting->parse(selector);
    }
    return region;
}

static void region_unref(struct skr_devices_stock *stock, struct skr_stock_region *region)
{
    if (region && --region->refs == 0) {
        HASH_DEL(stock->regions, region);
        if (region->nodes) {
            stock->selecting->destroy(region->nodes);
        }
        free(region);
    }
}

void skr_stock_regions_ref(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    s->region = region_ref(stock, s->slice->reach.selector);
    s->of_device =
        s->slice->reach_of ? skr_alloc_array(s->slice->n_devices + 1, sizeof *s->of_device) : NULL;
    for (size_t i = 0; s->of_device && i < s->slice->n_devices; i++) {
        s->of_device[i] = region_ref(stock, s->slice->reach_of[i].selector);
    }
}

void skr_stock_regions_unref(struct skr_devices_stock *stock, struct skr_stock_slice *s)
{
    region_unref(stock, s->region);
    for (size_t i = 0; s->of_device && i < s->slice->n_devices; i++) {
        region_unref(stock, s->of_device[i]);
    }
    free(s->of_device);
}

static bool reaches(const struct skr_devices_stock *stock, const struct skr_device_reach *reach,
                    const struct skr_stock_region *region, const char *node)
{
    return *reach->node ? strcmp(reach->node, node) == 0
                        : reach->all || (region && skr_stock_region_has(stock, region, node));
}

bool skr_stock_region_has(const struct skr_devices_stock *stock,
                          const struct skr_stock_region *region, const char *node)
{
    return strcmp(region->name, node) == 0 ||
           (region->nodes && stock->selecting->selects(stock->context, region->nodes, node));
}

const struct skr_stock_region *skr_devices_stock_region(const struct skr_devices_stock *stock,
                                                        const char *name)
{
    const struct skr_stock_region *found = NULL;
    SKR_TABLE_FIND_STR(&stock->seed, stock->regions, name, found);
    return found;
}

bool skr_stock_reaches_device(const struct skr_devices_stock *stock,
                              const struct skr_stock_slice *s, size_t device, const char *node)
{
    return s->of_device ? reaches(stock, &s->slice->reach_of[device], s->of_device[device], node)
                        : reaches(stock, &s->slice->reach, s->region, node);
}

bool skr_stock_reaches(const struct skr_devices_stock *stock, const struct skr_stock_slice *s,
                       const char *node)
{
    size_t i = 0;
    if (!s->of_device) {
        return reaches(stock, &s->slice->reach, s->region, node);
    }
    while (i < s->slice->n_devices && !skr_stock_reaches_device(stock, s, i, node)) {
        i++;
    }
    return i < s->slice->n_devices;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_region(const struct skr_stock_region *region, struct skr_stock_reach *to)
{
    size_t i = to->n;
    while (i > 0 && to->region[i - 1] != region->name) {
        i--;
    }
    if (!region->nodes || (i == 0 && to->n == SKR_STOCK_REGIONS_MAX)) {
        to->unlike = true;
    } else if (i == 0) {
        skr_grow(&to->region, &to->cap, to->n + 1, sizeof *to->region);
        to->region[to->n++] = region->name;
    }
}

void skr_stock_reach_add(struct skr_stock_reach *reach, const struct skr_stock_slice *s,
                         size_t device)
{
    const struct skr_device_reach *of =
        s->of_device ? &s->slice->reach_of[device] : &s->slice->reach;
    const struct skr_stock_region *region = s->of_device ? s->of_device[device] : s->region;
    reach->one = reach->one || *of->node;
    reach->all = reach->all || of->all;
    if (region) {
        add_region(region, reach);
    }
}

enum skr_claim_reach skr_stock_reach_end(struct skr_stock_reach *reach)
{
    if (reach->n > 1) {
        qsort(reach->region, reach->n, sizeof *reach->region, by_name);
    }
    return reach->unlike || reach->one + reach->all + (reach->n > 0) > 1 ? SKR_CLAIM_OF_SEVERAL
           : reach->all                                                  ? SKR_CLAIM_OF_ALL_NODES
           : reach->n > 0                                                ? SKR_CLAIM_OF_REGIONS
                                                                         : SKR_CLAIM_OF_ONE_NODE;
}
