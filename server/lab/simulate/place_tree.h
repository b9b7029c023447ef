/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACE_TREE_H
#define SKR_SERVER_LAB_SIMULATE_PLACE_TREE_H
/* A tree of places: one line per name, below the names that contain it, with a number. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/strbuf.h"

enum { SKR_PLACE_PARTS_MAX = 33 };

struct skr_place_row {
    size_t n_parts;                        /* the same in all rows */
    const char *part[SKR_PLACE_PARTS_MAX]; /* from the top; "": the level is left out */
    int64_t number;                        /* summed over the levels above */
    const char *text;                      /* after the last part; NULL: the number */
    const char *note;                      /* after the text */
};

/* Sorts rows. name_column: width of the names. ascii: no box drawing. */
void skr_place_tree_write(const char *title, struct skr_place_row *row, size_t n,
                          size_t name_column, bool ascii, struct skr_strbuf *out);

#endif
