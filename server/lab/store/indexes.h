/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_STORE_INDEXES_H
#define SKR_SERVER_LAB_STORE_INDEXES_H
/* A set of completion indexes of a Job, written as status.completedIndexes: "0,2-5,9". */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SKR_INDEXES_MAX = 1000000
}; /* kube-apiserver allows 100,000 with parallelism above 10,000 */

/* All zero is the empty set. */
struct skr_indexes {
    unsigned char *bits;
    size_t n; /* bytes */
};

void skr_indexes_fini(struct skr_indexes *set);
/* Adds an index; true if it is new. Ignores one that is negative or beyond the limit. */
bool skr_indexes_add(struct skr_indexes *set, int64_t index);
bool skr_indexes_has(const struct skr_indexes *set, int64_t index);
/* Adds the indexes in the text, as far as it is readable. */
void skr_indexes_parse(struct skr_indexes *set, const char *text);
char *skr_indexes_text(const struct skr_indexes *set); /* free() it */

#endif
