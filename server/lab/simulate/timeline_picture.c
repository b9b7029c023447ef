/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of `sakkara timeline`: a row of cells for each unit, then the groups that hold room. */
#include <string.h>

#include "server/lab/simulate/timeline.h"
#include "server/render/text_table.h"
#include "topology/resources.h"

enum { LABEL_CELLS = 10, WIDTH = 80 };

static const char *const cell_drawn[] = {"█", "?", "▒", "░"};
static const char *const cell_ascii[] = {"#", "?", "%", "."};
static const char *const cell_means[] = {"limit", "no limit", "reserved", "free"};
_Static_assert(sizeof cell_drawn / sizeof *cell_drawn == SKR_CHART_HOLD_COUNT, "cells");
_Static_assert(sizeof cell_ascii / sizeof *cell_ascii == SKR_CHART_HOLD_COUNT, "cells");
_Static_assert(sizeof cell_means / sizeof *cell_means == SKR_CHART_HOLD_COUNT, "cells");

/* "14:05" of the day. */
static void add_minute(struct skr_strbuf *b, int64_t at)
{
    const int64_t minute = at / 60 % (24 * 60);
    skr_strbuf_addf(b, "%02d:%02d", (int)(minute / 60), (int)(minute % 60));
}

static void write_head(const struct skr_timeline_answer *answer,
                       const struct skr_timeline_picture *how, struct skr_strbuf *out)
{
    const char *const *cell = how->ascii ? cell_ascii : cell_drawn;
    SKR_STRBUF(scale);
    SKR_STRBUF(legend);
    skr_strbuf_addf(&scale, "%s, a cell = ", how->resource);
    if (how->cell_s % 60 == 0) {
        skr_strbuf_addf(&scale, "%lld min, ", (long long)how->cell_s / 60);
    } else {
        skr_strbuf_addf(&scale, "%lld s, ", (long long)how->cell_s);
    }
    add_minute(&scale, answer->now);
    skr_strbuf_add(&scale, " to ");
    add_minute(&scale, answer->now + SKR_CHART_CELLS * how->cell_s);
    for (size_t i = 0; i < SKR_CHART_HOLD_COUNT; i++) {
        skr_strbuf_addf(&legend, "%s%s %s", i > 0 ? "  " : "", cell[i], cell_means[i]);
    }
    skr_strbuf_addf(out, "%s%s%s\n", scale.s, scale.len + 42 > WIDTH ? "\n" : "   ", legend.s);
}

static void add_cell(struct skr_text_table *table, const char *text)
{
    skr_text_table_add(table, text, SKR_HUE_NONE);
}

static void add_used(struct skr_text_table *table, const struct skr_timeline_chart_row *row,
                     int64_t one)
{
    SKR_STRBUF(b);
    skr_strbuf_addf(&b, "%lld/%lld", (long long)((row->used + one - 1) / one),
                    (long long)(row->total / one));
    add_cell(table, b.s);
}

static void write_rows(const struct skr_timeline_answer *answer,
                       const struct skr_timeline_picture *how, struct skr_strbuf *out)
{
    const char *const *cell = how->ascii ? cell_ascii : cell_drawn;
    const int64_t one = skr_resource_one(how->resource);
    struct skr_text_table table;
    SKR_STRBUF(labels);
    for (int64_t i = 0; i < SKR_CHART_CELLS; i += LABEL_CELLS) {
        add_minute(&labels, answer->now + i * how->cell_s);
        skr_strbuf_add(&labels, i + LABEL_CELLS < SKR_CHART_CELLS ? "     " : "");
    }
    skr_text_table_init(&table, 3, false);
    add_cell(&table, "NAME");
    add_cell(&table, "USED");
    skr_text_table_add_drawn(&table, labels.s, SKR_HUE_NONE);
    for (size_t i = 0; i < answer->chart.n; i++) {
        const struct skr_timeline_chart_row *row = &answer->chart.row[i];
        SKR_STRBUF(cells);
        for (size_t k = 0; k < SKR_CHART_CELLS; k++) {
            skr_strbuf_add(&cells, cell[row->cell[k]]);
        }
        add_cell(&table, row->name);
        add_used(&table, row, one);
        skr_text_table_add_drawn(&table, cells.s, SKR_HUE_NONE);
    }
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

/* Those that hold room, by their start. */
static void write_groups(const struct skr_timeline_answer *answer, struct skr_strbuf *out)
{
    static const char *const title[] = {"START", "GROUP", "PLACE", "UNTIL", "BECAUSE"};
    struct skr_text_table table;
    int64_t last = INT64_MIN;
    size_t n = 0;
    skr_text_table_init(&table, 5, false);
    for (size_t i = 0; i < 5; i++) {
        add_cell(&table, title[i]);
    }
    for (;;) {
        int64_t next = SKR_INSTANT_NEVER;
        for (size_t i = 0; i < answer->n_groups; i++) {
            const struct skr_timeline_group *g = &answer->group[i];
            next = g->to.node && g->start > last && g->start < next ? g->start : next;
        }
        if (next == SKR_INSTANT_NEVER) {
            break;
        }
        for (size_t i = 0; i < answer->n_groups; i++) {
            const struct skr_timeline_group *g = &answer->group[i];
            if (g->to.node && g->start == next) {
                skr_timeline_add_row(&table, answer, g);
                n++;
            }
        }
        last = next;
    }
    if (n > 0) {
        skr_text_table_write(&table, out);
    }
    skr_text_table_fini(&table);
}

void skr_timeline_draw(const struct skr_timeline_answer *answer,
                       const struct skr_timeline_picture *how, struct skr_strbuf *out)
{
    write_head(answer, how, out);
    write_rows(answer, how, out);
    write_groups(answer, out);
}
