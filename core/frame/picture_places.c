/* SPDX-License-Identifier: Apache-2.0 */
#include "core/frame/picture_places.h"

#include <stdlib.h>
#include <string.h>

#define NONE "<none>"

static const char *part_of(const struct skr_picture_row *row, size_t level)
{
    return row->part[level] && row->part[level][0] != '\0' ? row->part[level] : NONE;
}

static int by_place(const void *a, const void *b)
{
    const struct skr_picture_row *x = a, *y = b;
    int c = 0;
    for (size_t l = 0; c == 0 && l < SKR_PICTURE_LEVELS_MAX; l++) {
        c = strcmp(part_of(x, l), part_of(y, l));
    }
    return c ? c : strcmp(x->name, y->name);
}

/* The first level on which the row differs from the one before. */
static size_t first_new(const struct skr_picture_row *row, size_t i, size_t n_levels)
{
    size_t l = 0;
    while (i > 0 && l < n_levels && strcmp(part_of(&row[i], l), part_of(&row[i - 1], l)) == 0) {
        l++;
    }
    return l;
}

int skr_picture_tree_of(const char *name, const char *const *level, size_t n_levels,
                        struct skr_picture_row *row, size_t n, struct skr_tree **ret,
                        struct skr_error *error)
{
    SKR_AUTO(skr_tree_builder_destroy)
    struct skr_tree_builder *b = skr_tree_builder_create(name);
    int rc = 0;
    if (n > 0) {
        qsort(row, n, sizeof *row, by_place);
    }
    for (size_t i = 0; i < n && rc == 0; i++) {
        for (size_t l = first_new(row, i, n_levels); l < n_levels && rc == 0; l++) {
            rc = skr_tree_builder_add(b, (int32_t)l + 1, part_of(&row[i], l), error);
        }
        rc = rc < 0 ? rc : skr_tree_builder_add(b, (int32_t)n_levels + 1, row[i].name, error);
    }
    return rc < 0 ? rc : skr_tree_builder_finish(b, level, n_levels + 1, NULL, 0, ret, NULL, error);
}
