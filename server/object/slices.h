/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_OBJECT_SLICES_H
#define SKR_SERVER_OBJECT_SLICES_H
/* ResourceSlices among objects as JSON, for trees that have levels of devices. All zero: none. */
#include <jansson.h>

#include "topology/topology_map.h"

struct skr_slices {
    struct skr_device_slice **item;
    size_t n, cap;
};

/* Objects of other kinds, and slices that cannot be read, are left out. */
void skr_slices_add(struct skr_slices *slices, const json_t *object);
/* The source with these slices, which it borrows. */
struct skr_label_source skr_slices_source(const struct skr_slices *slices,
                                          const struct skr_label_source *source);
void skr_slices_fini(struct skr_slices *slices);

#endif
