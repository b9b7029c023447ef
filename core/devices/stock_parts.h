/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_PARTS_H
#define SKR_CORE_DEVICES_STOCK_PARTS_H
/* What stock.c and allocations.c share. */
#include "core/devices/stock_state.h"
#include "topology/base/table.h"

struct skr_stock_claim {
    UT_hash_handle hh; /* by name */
    size_t n;
    struct skr_stock_taking *taking;
    const char **pod_uid; /* its pods; one piece of memory */
    size_t n_pods;
    bool out;
    char name[]; /* its key */
};

/* Finds the item of a table by name, or adds one. */
#define SKR_STOCK_GET(stock, head, text, item)                               \
    do {                                                                     \
        SKR_TABLE_FIND_STR(&(stock)->seed, head, text, item);                \
        if (!(item)) {                                                       \
            const size_t n_ = strlen(text);                                  \
            (item) = skr_alloc(sizeof *(item) + n_ + 1);                     \
            memcpy((item)->name, text, n_ + 1);                              \
            SKR_TABLE_ADD(&(stock)->seed, hh, head, (item)->name, n_, item); \
        }                                                                    \
    } while (0)

struct skr_stock_pool *skr_stock_pool_ref(struct skr_devices_stock *stock, const char *driver,
                                          const char *name);
void skr_stock_pool_unref(struct skr_devices_stock *stock, struct skr_stock_pool *pool);
/* Reports nodes whose devices may be others when the pool changes. O(slices of the pool), once until stock.heard
 * changes. */
void skr_stock_pool_changed(struct skr_devices_stock *stock, struct skr_stock_pool *pool);
/* The claim takes nothing any more, and is freed. */
void skr_stock_give_back(struct skr_devices_stock *stock, struct skr_stock_claim *claim);

/* Sets, or lets go, what selects the nodes of a slice. */
void skr_stock_regions_ref(struct skr_devices_stock *stock, struct skr_stock_slice *s);
void skr_stock_regions_unref(struct skr_devices_stock *stock, struct skr_stock_slice *s);

/* Which nodes reach some devices together. Begins as zeros. */
struct skr_stock_reach {
    bool one, all, unlike;
    size_t n, cap;
    const char **region; /* names of regions; free() it */
};
void skr_stock_reach_add(struct skr_stock_reach *reach, const struct skr_stock_slice *s,
                         size_t device);
/* Sorts the regions. */
enum skr_claim_reach skr_stock_reach_end(struct skr_stock_reach *reach);

#endif
