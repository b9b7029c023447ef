/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_LAB_SANDBOX_TABLE_COLUMNS_H
#define SKR_SERVER_LAB_SANDBOX_TABLE_COLUMNS_H
/* The columns of each kind, and how their cells are made. */
#include "server/lab/sandbox/table.h"

struct skr_table_column {
    const char *name;
    const char *type;   /* string, integer */
    const char *format; /* "name" for the first */
    int priority;       /* 1: shown by -o wide */
};

struct skr_table_printer {
    const char *kind; /* NULL: of every other one */
    const struct skr_table_column *column;
    size_t n;
    /* Appends n cells. */
    void (*print)(json_t *cells, const json_t *object, skr_time now);
};

/* Never NULL. */
const struct skr_table_printer *skr_table_printer_of(const char *kind);

#endif
