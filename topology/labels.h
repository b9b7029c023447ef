/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TOPOLOGY_LABELS_H
#define SKR_TOPOLOGY_LABELS_H
/* Key/value lists of API objects (labels, annotations, ConfigMap data), sorted by key, keys unique,
 * all memory in the object's arena. */
#include <stdbool.h>
#include <stddef.h>

struct skr_label {
    const char *key;
    const char *value;
};
struct skr_labels {
    size_t n;
    struct skr_label *item;
};

/* Value or NULL. O(log n). */
const char *skr_labels_get(const struct skr_labels *labels, const char *key);
bool skr_labels_equal(const struct skr_labels *a, const struct skr_labels *b);

/* Lists of strings that users write as long as they like (values of a selector, names of clusters) and that
 * every cluster is looked up in: sorted once, O(n log n), then O(log n) each. A string may be there twice. */
void skr_names_sort(const char **name, size_t n);
bool skr_names_contain(const char *const *name, size_t n, const char *wanted);
/* The same of a short list in any order. O(n). */
bool skr_names_include(const char *const *name, size_t n, const char *wanted);

#endif
