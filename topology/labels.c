/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in sorted lists: binary search. */
#include "topology/labels.h"

#include <stdlib.h>
#include <string.h>

const char *skr_labels_get(const struct skr_labels *labels, const char *key)
{
    size_t low = 0;
    size_t high = labels->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = strcmp(labels->item[mid].key, key);
        if (order == 0) {
            return labels->item[mid].value;
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return NULL;
}

bool skr_labels_equal(const struct skr_labels *a, const struct skr_labels *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = strcmp(a->item[i].key, b->item[i].key) == 0 &&
               strcmp(a->item[i].value, b->item[i].value) == 0;
    }
    return same;
}

static int by_text(const void *a, const void *b)
{
    const char *const *left = a;
    const char *const *right = b;
    return strcmp(*left, *right);
}

void skr_names_sort(const char **name, size_t n)
{
    if (n > 1) {
        qsort(name, n, sizeof *name, by_text);
    }
}

bool skr_names_include(const char *const *name, size_t n, const char *wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name[i], wanted) == 0) {
            return true;
        }
    }
    return false;
}

bool skr_names_contain(const char *const *name, size_t n, const char *wanted)
{
    return n > 0 && bsearch(&wanted, name, n, sizeof *name, by_text);
}
