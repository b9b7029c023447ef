/* SPDX-License-Identifier: Apache-2.0 */
#include "core/devices/stock_limits.h"

#include "topology/base/arena.h"

static size_t bytes_of(const struct skr_device_slice *slice)
{
    return skr_arena_used(slice->arena) + sizeof(struct skr_stock_slice);
}

const char *skr_stock_beyond(const struct skr_devices_stock *stock,
                             const struct skr_device_slice *slice)
{
    return HASH_COUNT(stock->slices) >= SKR_STOCK_SLICES_MAX
               ? "there are more than 100,000 ResourceSlices"
           : stock->n_devices + slice->n_devices > SKR_STOCK_DEVICES_MAX
               ? "there are more than 2,000,000 devices"
           : stock->n_bytes + stock->kinds.n_bytes + bytes_of(slice) > SKR_STOCK_BYTES_MAX
               ? "the devices of all ResourceSlices take more than 512 MiB"
               : NULL;
}

const char *skr_stock_beyond_rules(const struct skr_devices_stock *stock)
{
    return HASH_COUNT(stock->rules) >= SKR_STOCK_RULES_MAX
               ? "there are more than 4,096 DeviceTaintRules"
               : NULL;
}

void skr_stock_account(struct skr_devices_stock *stock, const struct skr_device_slice *slice,
                       bool added)
{
    if (added) {
        stock->n_devices += slice->n_devices;
        stock->n_bytes += bytes_of(slice);
        stock->n_counters += slice->n_counters > 0;
    } else {
        stock->n_devices -= slice->n_devices;
        stock->n_bytes -= bytes_of(slice);
        stock->n_counters -= slice->n_counters > 0;
    }
}
