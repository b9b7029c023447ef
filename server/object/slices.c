/* SPDX-License-Identifier: Apache-2.0 */
#include "server/object/slices.h"

#include <stdlib.h>
#include <string.h>

#include "server/object/path.h"

void skr_slices_add(struct skr_slices *slices, const json_t *object)
{
    struct skr_device_slice *slice;
    if (strcmp(skr_path_text(object, "kind"), "ResourceSlice") == 0 &&
        skr_device_slice_decode(object, &slice, NULL) == 0) {
        skr_grow(&slices->item, &slices->cap, slices->n + 1, sizeof(void *));
        slices->item[slices->n++] = slice;
    }
}

struct skr_label_source skr_slices_source(const struct skr_slices *slices,
                                          const struct skr_label_source *source)
{
    struct skr_label_source with = *source;
    with.slice = (const struct skr_device_slice *const *)slices->item;
    with.n_slices = slices->n;
    return with;
}

void skr_slices_fini(struct skr_slices *slices)
{
    while (slices->n > 0) {
        skr_device_slice_destroy(slices->item[--slices->n]);
    }
    free(slices->item);
}
