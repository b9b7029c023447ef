/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SIMULATE_PLACE_TREE_H
#define SKR_SERVER_LAB_SIMULATE_PLACE_TREE_H
/* Where things are: a line a name, below the names of what it is in, with how much there is. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topology/base/strbuf.h"

enum { SKR_PLACE_PARTS_MAX = 33 };

struct skr_place_row {
    size_t n_parts;                        /* the same in all rows */
    const char *part[SKR_PLACE_PARTS_MAX]; /* from the top; "": this level is left out */
    int64_t number;                        /* added up above */
    const char *text;                      /* behind the last part; NULL: the number */
    const char *note;                      /* behind the text */
};

/* Sorts rows. name_column: width of the names. ascii: no box drawing. */
void skr_place_tree_write(const char *title, struct skr_place_row *row, size_t n,
                          size_t name_column, bool ascii, struct skr_strbuf *out);

#endif
