/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_RENDER_TEXT_TABLE_H
#define SKR_SERVER_RENDER_TEXT_TABLE_H
/*
 * A table as kubectl prints it: columns left-aligned, two blanks apart, no blanks inside values, no
 * trailing blanks. Rows are added cell by cell and written together or one by one; a column never
 * gets narrower. Sentences in the last column wrap at SKR_PAGE_WIDTH, below their first line.
 */
#include <stdbool.h>
#include <stddef.h>

#include "topology/base/strbuf.h"

enum { SKR_TEXT_TABLE_COLUMNS_MAX = 16 };

enum skr_hue { SKR_HUE_NONE, SKR_HUE_GOOD, SKR_HUE_BUSY, SKR_HUE_BAD, SKR_HUE_DIM, SKR_HUE_COUNT };

struct skr_text_cell {
    char *text;
    size_t width;
    enum skr_hue hue;
};

struct skr_text_table {
    size_t n_columns;
    bool coloured;
    bool sentences; /* in the last column; its cells have no hue */
    size_t indent;  /* columns in front of each row but the first one, whose line has as many */
    size_t width[SKR_TEXT_TABLE_COLUMNS_MAX];
    struct skr_text_cell *cell;
    size_t n, cap;
    size_t written; /* rows */
};

void skr_text_table_init(struct skr_text_table *table, size_t n_columns, bool coloured);
void skr_text_table_fini(struct skr_text_table *table);
/* The next cell; a row is full after n_columns of them. text is copied; control characters and
 * blanks are replaced, "" becomes "<none>". */
void skr_text_table_add(struct skr_text_table *table, const char *text, enum skr_hue hue);
/* The same as it is: text is known to be good, and may be drawn with blanks. */
void skr_text_table_add_drawn(struct skr_text_table *table, const char *text, enum skr_hue hue);
/* Rows that were not written yet. */
void skr_text_table_write(struct skr_text_table *table, struct skr_strbuf *out);

#endif
