/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_DEVICES_CENSUS_H
#define SKR_CORE_DEVICES_CENSUS_H
/* How many devices of each class there are, for metrics: those of all slices, also of slices that several
 * nodes reach. A device that several classes select counts for each. */
#include "core/devices/stock.h"

enum { SKR_CENSUS_CLASSES = 16, SKR_CENSUS_NAME = 256 };

enum skr_census_state {
    SKR_CENSUS_FREE,
    SKR_CENSUS_TAKEN,   /* an allocation has it, or a share of it */
    SKR_CENSUS_TAINTED, /* and not taken: a taint keeps off claims that do not tolerate it */
    SKR_CENSUS_COUNT
};

struct skr_census_class {
    char name[SKR_CENSUS_NAME]; /* cut */
    size_t n[SKR_CENSUS_COUNT];
};

struct skr_devices_census {
    size_t n;
    struct skr_census_class
        of[SKR_CENSUS_CLASSES + 1]; /* the first by name, then "other" for the rest */
};

/* O(classes * devices). Aborts without memory. */
void skr_devices_census_take(const struct skr_devices_stock *stock, struct skr_devices_census *ret);

/* Devices of the slices of one node; all zero without such a class or node. pod_uid: those that claims
 * reserve for this pod before others; NULL: all. O(devices of the node). */
void skr_devices_census_node(const struct skr_devices_stock *stock, const char *node,
                             const char *class_, const char *pod_uid, struct skr_census_class *ret);

#endif
