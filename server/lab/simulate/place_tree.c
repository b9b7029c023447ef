/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts rows by place; every run of equal names is a group. */
#include "server/lab/simulate/place_tree.h"

#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"

struct drawing {
    struct skr_strbuf *out;
    size_t name_column;
    bool ascii;
    bool last[SKR_PLACE_PARTS_MAX]; /* [depth] no row follows below the same name */
};

static int by_place(const void *a, const void *b)
{
    const struct skr_place_row *s = a, *t = b;
    int order = 0;
    for (size_t i = 0; order == 0 && i < s->n_parts; i++) {
        order = strcmp(s->part[i], t->part[i]);
    }
    return order != 0 || !s->text ? order : strcmp(s->text, t->text);
}

/* depth 0: the title. row: the text after the name; NULL: the number. */
static void draw_line(const struct drawing *d, size_t depth, const char *name,
                      const struct skr_place_row *row, int64_t number)
{
    SKR_AUTO_FREE char *word = skr_page_word(name);
    const size_t used = 2 * depth + skr_page_width(word);
    for (size_t i = 0; i + 1 < depth; i++) {
        skr_strbuf_add(d->out, d->last[i] ? "  " : d->ascii ? "| " : "\u2502 ");
    }
    if (depth > 0) {
        const bool last = d->last[depth - 1];
        skr_strbuf_add(d->out,
                       d->ascii ? (last ? "\\-" : "|-") : (last ? "\u2514\u2500" : "\u251c\u2500"));
    }
    skr_strbuf_add(d->out, word);
    skr_page_pad(d->out, used < d->name_column ? d->name_column - used : 2);
    if (row && row->text) {
        skr_page_add_clean(d->out, row->text, false);
        skr_strbuf_addf(d->out, "%s\n", row->note ? row->note : "");
    } else {
        skr_strbuf_addf(d->out, "%lld\n", (long long)number);
    }
}

static size_t run_of(const struct skr_place_row *row, size_t n, size_t level)
{
    size_t end = 1;
    while (end < n && level + 1 < row->n_parts &&
           strcmp(row[end].part[level], row->part[level]) == 0) {
        end++;
    }
    return end;
}

static int64_t sum_of(const struct skr_place_row *row, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += row[i].number;
    }
    return sum;
}

/* At most as deep as the parts. is_last: no row follows these below the same parent. */
static void draw(struct drawing *d, const struct skr_place_row *row, size_t n, size_t level,
                 size_t depth, bool is_last)
{
    for (size_t i = 0; i < n;) {
        const size_t count = run_of(row + i, n - i, level);
        const bool last = is_last && i + count == n, leaf = level + 1 == row->n_parts;
        if (row[i].part[level][0] == '\0') {
            draw(d, row + i, count, level + 1, depth, last);
        } else {
            d->last[depth] = last;
            draw_line(d, depth + 1, row[i].part[level], leaf ? &row[i] : NULL,
                      sum_of(row + i, count));
            if (!leaf) {
                draw(d, row + i, count, level + 1, depth + 1, true);
            }
        }
        i += count;
    }
}

void skr_place_tree_write(const char *title, struct skr_place_row *row, size_t n,
                          size_t name_column, bool ascii, struct skr_strbuf *out)
{
    struct drawing d = {.out = out, .name_column = name_column, .ascii = ascii};
    if (n > 1) {
        qsort(row, n, sizeof *row, by_place);
    }
    draw_line(&d, 0, title, NULL, sum_of(row, n));
    draw(&d, row, n, 0, 0, true);
}
