/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_TABLE_COLUMNS_H
#define SKR_SERVER_LAB_SANDBOX_TABLE_COLUMNS_H
/* The columns of each kind, and the values of their cells. */
#include "server/lab/sandbox/table.h"

struct skr_table_cell {
    const struct skr_table_column *column;
    const json_t *object;
    skr_time now;
};

struct skr_table_column {
    const char *name; /* NULL ends a kind's columns */
    int priority;     /* 1: shown by -o wide */
    /* A new reference. */
    json_t *(*cell)(const struct skr_table_cell *cell);
    const char *path; /* in the object; several, separated by blanks: the first that exists */
    const char *other;
};

/* Never NULL. */
const struct skr_table_column *skr_table_columns_of(const char *kind);

#endif
