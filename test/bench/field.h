/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_TEST_BENCH_FIELD_H
#define SKR_TEST_BENCH_FIELD_H
/* Clusters to choose from under a spread policy, the same ones every time. */
#include "core/placement/spread.h"

enum { FIELD_CLUSTERS = 5000, FIELD_NAME_BYTES = 16 };

struct field {
    char name[FIELD_CLUSTERS][FIELD_NAME_BYTES];
    const char *names[FIELD_CLUSTERS];
    int64_t total[FIELD_CLUSTERS];
    char text[1000][FIELD_NAME_BYTES];
    const char *value[FIELD_CLUSTERS * SKR_SPREAD_LEVELS_MAX];
    struct skr_spread_constraint constraint[SKR_SPREAD_LEVELS_MAX];
    struct skr_spread_problem problem;
};

/* 1,000 of all are wanted; weight 2; a skew of 1 at every level, the first one hard when so said.
 * leaves tuples (levels to 1,000): the last level has them all, the levels above share them evenly. */
void field_make(struct field *field, size_t levels, size_t leaves, bool hard);

#endif
