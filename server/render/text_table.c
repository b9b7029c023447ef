/* SPDX-License-Identifier: Apache-2.0 */
/* Cells, and rows padded to the widest of each column so far. */
#include "server/render/text_table.h"

#include <stdlib.h>

#include "server/render/page.h"
#include "topology/base/arena.h"

static const char *const codes[] = {[SKR_HUE_NONE] = "",
                                    [SKR_HUE_GOOD] = "\033[32m",
                                    [SKR_HUE_BUSY] = "\033[33m",
                                    [SKR_HUE_BAD] = "\033[31m",
                                    [SKR_HUE_DIM] = "\033[2m"};
_Static_assert(sizeof codes / sizeof *codes == SKR_HUE_COUNT, "one code a hue");

void skr_text_table_init(struct skr_text_table *table, size_t n_columns, bool coloured)
{
    skr_bug_on(n_columns == 0 || n_columns > SKR_TEXT_TABLE_COLUMNS_MAX);
    *table = (struct skr_text_table){.n_columns = n_columns, .coloured = coloured};
}

void skr_text_table_fini(struct skr_text_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        free(table->cell[i].text);
    }
    free(table->cell);
}

static void add(struct skr_text_table *table, char *text, enum skr_hue hue)
{
    const size_t column = table->n % table->n_columns, width = skr_page_width(text);
    skr_grow(&table->cell, &table->cap, table->n + 1, sizeof *table->cell);
    table->cell[table->n++] = (struct skr_text_cell){.text = text, .width = width, .hue = hue};
    if (width > table->width[column]) {
        table->width[column] = width;
    }
}

void skr_text_table_add(struct skr_text_table *table, const char *text, enum skr_hue hue)
{
    add(table, skr_page_word(text), hue);
}

void skr_text_table_add_drawn(struct skr_text_table *table, const char *text, enum skr_hue hue)
{
    add(table, skr_strdup(text), hue);
}

static void write_cell(const struct skr_text_table *table, const struct skr_text_cell *cell,
                       struct skr_strbuf *out)
{
    const bool coloured = table->coloured && cell->hue != SKR_HUE_NONE;
    skr_strbuf_add(out, coloured ? codes[cell->hue] : "");
    skr_strbuf_add(out, cell->text);
    skr_strbuf_add(out, coloured ? "\033[0m" : "");
}

void skr_text_table_write(struct skr_text_table *table, struct skr_strbuf *out)
{
    for (; (table->written + 1) * table->n_columns <= table->n; table->written++) {
        const struct skr_text_cell *row = &table->cell[table->written * table->n_columns];
        size_t i = 0, column = table->indent;
        skr_page_pad(out, table->written > 0 ? table->indent : 0);
        for (; i + 1 < table->n_columns; i++) {
            write_cell(table, &row[i], out);
            skr_page_pad(out, table->width[i] - row[i].width + 2);
            column += table->width[i] + 2;
        }
        if (table->sentences) {
            skr_page_add_words(out, column, column, row[i].text);
        } else {
            write_cell(table, &row[i], out);
        }
        skr_strbuf_addc(out, '\n');
    }
}
