/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_CORE_FRAME_PICTURE_PLACES_H
#define SKR_CORE_FRAME_PICTURE_PLACES_H
/* Trees of schedulers that have none: places under the values of a few levels. */
#include "topology/tree.h"

enum { SKR_PICTURE_LEVELS_MAX = 8 }; /* above the places */

struct skr_picture_row {
    const char *part[SKR_PICTURE_LEVELS_MAX]; /* value of each level; NULL or "": there is none */
    const char *name;                         /* of the place; no name twice */
};

/* A tree of these rows, which are sorted by their values, then their names. level: n_levels names,
 * then that of the places. *ret: a reference. Errors: those of the tree's builder. */
int skr_picture_tree_of(const char *name, const char *const *level, size_t n_levels,
                        struct skr_picture_row *row, size_t n, struct skr_tree **ret,
                        struct skr_error *error);

#endif
