/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_STOCK_LIMITS_H
#define SKR_CORE_DEVICES_STOCK_LIMITS_H
/* How many slices, devices and rules of one cluster are counted. Beyond that no device is, until the next
 * start: kube-scheduler decides. */
#include "core/devices/stock_state.h"

/* The limit that one more slice is beyond, a sentence with its number; NULL: none. */
const char *skr_stock_beyond(const struct skr_devices_stock *stock,
                             const struct skr_device_slice *slice);
/* The same of one more DeviceTaintRule. */
const char *skr_stock_beyond_rules(const struct skr_devices_stock *stock);
/* The slice is counted, or is no more. */
void skr_stock_account(struct skr_devices_stock *stock, const struct skr_device_slice *slice,
                       bool added);

#endif
