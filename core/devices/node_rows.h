/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_NODE_ROWS_H
#define SKR_CORE_DEVICES_NODE_ROWS_H
/*
 * The devices that one node reaches as numbers (search.h), in the order in which kube-scheduler looks at them:
 * pools by driver and name, those with binding conditions last; slices by name; devices as listed. Only
 * the newest generation of a pool counts, and only if it is complete (GatherPools of the allocator).
 */
#include "core/devices/stock.h"

/* Where a row is. */
struct skr_node_row {
    struct skr_stock_slice *slice;
    size_t device;
    bool
        apart; /* the node does not reach its slice, whose counters it shares: no selector is asked */
    bool away; /* the node does not reach it, though others of its slice */
};

struct skr_node_rows {
    struct skr_devices_node node;
    const struct skr_node_row *row; /* [node.n] */
    const char *why;                /* they cannot be modelled; NULL: they can */
    enum skr_uncounted uncounted;   /* the kind of that reason */
};

/* Numbers live in the arena. False: it is full. O(devices + counters). */
bool skr_node_rows_make(const struct skr_devices_stock *stock, const char *node,
                        struct skr_arena *arena, struct skr_node_rows *ret);
const struct skr_device *skr_node_rows_device(const struct skr_node_rows *rows, size_t row);
/* What allocations take of them; zero for a node without devices. False: the arena is full. */
bool skr_node_rows_taken(const struct skr_devices_stock *stock, const struct skr_node_rows *rows,
                         struct skr_arena *arena, struct skr_devices_taken *ret);

#endif
