/* SPDX-License-Identifier: Apache-2.0 */
/* Rows sorted by place; every run of equal names is a group. Four levels at most. */
#include "server/lab/simulate/binding_tree.h"

#include <stdlib.h>
#include <string.h>

#include "server/render/page.h"

enum { LEVELS = SKR_SPREAD_CLUSTER + 1, NAME_COLUMN = 24 };

struct drawing {
    struct skr_strbuf *out;
    bool ascii;
    bool last[LEVELS];
};

static const char *part(const struct skr_binding_tree_row *row, size_t level)
{
    const struct skr_member_cluster *cluster = row->cluster;
    switch (level) {
    case SKR_SPREAD_PROVIDER:
        return cluster ? cluster->provider : "";
    case SKR_SPREAD_REGION:
        return cluster ? cluster->region : "";
    case SKR_SPREAD_ZONE:
        return cluster && cluster->n_zones > 0 ? cluster->zone[0] : "";
    default:
        return row->name;
    }
}

static int by_place(const void *a, const void *b)
{
    int order = 0;
    for (size_t level = 0; order == 0 && level < LEVELS; level++) {
        order = strcmp(part(a, level), part(b, level));
    }
    return order;
}

static void draw_row(const struct drawing *d, size_t depth, const char *name, int64_t replicas)
{
    char *word = skr_page_word(name);
    const size_t used = 2 * depth + skr_page_width(word);
    for (size_t i = 0; i + 1 < depth; i++) {
        skr_strbuf_add(d->out, d->last[i] ? "  " : d->ascii ? "| " : "\u2502 ");
    }
    if (depth > 0) {
        bool last = d->last[depth - 1];
        skr_strbuf_add(d->out,
                       d->ascii ? (last ? "\\-" : "|-") : (last ? "\u2514\u2500" : "\u251c\u2500"));
    }
    skr_strbuf_add(d->out, word);
    skr_page_pad(d->out, used < NAME_COLUMN ? NAME_COLUMN - used : 2);
    skr_strbuf_addf(d->out, "%lld\n", (long long)replicas);
    free(word);
}

static size_t run_of(const struct skr_binding_tree_row *row, size_t n, size_t level)
{
    size_t end = 1;
    while (end < n && level + 1 < LEVELS && strcmp(part(&row[end], level), part(row, level)) == 0) {
        end++;
    }
    return end;
}

static int64_t sum_of(const struct skr_binding_tree_row *row, size_t n)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += row[i].replicas;
    }
    return sum;
}

/* Depth is at most LEVELS. is_last: nothing follows these rows below the same row above. */
static void draw(struct drawing *d, const struct skr_binding_tree_row *row, size_t n, size_t level,
                 size_t depth, bool is_last)
{
    for (size_t i = 0; i < n;) {
        size_t count = run_of(row + i, n - i, level);
        const char *name = part(&row[i], level);
        bool last = is_last && i + count == n;
        if (name[0] == '\0') {
            draw(d, row + i, count, level + 1, depth, last);
        } else {
            d->last[depth] = last;
            draw_row(d, depth + 1, name, sum_of(row + i, count));
            if (level + 1 < LEVELS) {
                draw(d, row + i, count, level + 1, depth + 1, true);
            }
        }
        i += count;
    }
}

void skr_binding_tree_write(const char *title, struct skr_binding_tree_row *row, size_t n,
                            bool ascii, struct skr_strbuf *out)
{
    struct drawing d = {.out = out, .ascii = ascii};
    if (n > 1) {
        qsort(row, n, sizeof *row, by_place);
    }
    draw_row(&d, 0, title, sum_of(row, n));
    draw(&d, row, n, 0, 0, true);
}
