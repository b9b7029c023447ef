/* SPDX-License-Identifier: Apache-2.0 */
/* The page /v1/timeline as a picture: a row of cells for each unit, then the groups that hold room. */
#include <inttypes.h>
#include <string.h>

#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/json_field.h"
#include "topology/resources.h"

enum { CELLS = 40, LABEL_CELLS = 10, DAY_S = 86400 };

static const char mark[] = "#?%.";
static const char *const drawn[] = {"█", "?", "▒", "░"};
static const char *const means[] = {"limit", "no limit", "reserved", "free"};

/* "14:05"; of another day than from "02T14:05". */
static void add_minute(struct skr_strbuf *b, int64_t at, int64_t from)
{
    const bool same = at / DAY_S == from / DAY_S;
    char text[48];
    skr_time_write(at * SKR_SECOND, 0, text, sizeof text);
    skr_strbuf_addn(b, &text[same ? 11 : 8], same ? 5 : 8);
}

static void add_mark(struct skr_strbuf *b, size_t i, bool ascii)
{
    if (ascii) {
        skr_strbuf_addc(b, mark[i]);
    } else {
        skr_strbuf_add(b, drawn[i]);
    }
}

static void write_head(const json_t *page, int64_t from, int64_t cell_s, bool ascii,
                       struct skr_strbuf *out)
{
    SKR_STRBUF(scale);
    SKR_STRBUF(legend);
    skr_page_add_clean(&scale, skr_object_text(page, "resource"), true);
    skr_strbuf_addf(&scale, ", a cell = %" PRId64 " %s, ", cell_s % 60 == 0 ? cell_s / 60 : cell_s,
                    cell_s % 60 == 0 ? "min" : "s");
    add_minute(&scale, from, from);
    skr_strbuf_add(&scale, " to ");
    add_minute(&scale, from + CELLS * cell_s, from);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        skr_strbuf_add(&legend, i > 0 ? "  " : "");
        add_mark(&legend, i, ascii);
        skr_strbuf_addf(&legend, " %s", means[i]);
    }
    skr_strbuf_addf(out, "%s%s%s\n", scale.s, scale.len + 42 > SKR_PAGE_WIDTH ? "\n" : "   ",
                    legend.s);
}

static void write_rows(const json_t *page, int64_t from, int64_t cell_s, bool ascii,
                       struct skr_strbuf *out)
{
    const int64_t one = skr_resource_one(skr_object_text(page, "resource"));
    struct skr_text_table table;
    SKR_STRBUF(labels);
    const json_t *row;
    size_t k;
    for (size_t i = 0; i < CELLS; i += LABEL_CELLS) {
        while (labels.len < i) {
            skr_strbuf_addc(&labels, ' ');
        }
        add_minute(&labels, from + (int64_t)i * cell_s, from);
    }
    skr_text_table_init(&table, 3, false);
    skr_text_table_add(&table, "NAME", SKR_HUE_NONE);
    skr_text_table_add(&table, "USED", SKR_HUE_NONE);
    skr_text_table_add_drawn(&table, labels.s, SKR_HUE_NONE);
    json_array_foreach(skr_page_list(page, "rows"), k, row)
    {
        SKR_STRBUF(cells);
        SKR_STRBUF(used);
        for (const char *c = skr_object_text(row, "cells"); *c; c++) {
            const char *at = strchr(mark, *c);
            add_mark(&cells, at ? (size_t)(at - mark) : 1, ascii);
        }
        skr_strbuf_addf(&used, "%" PRId64 "/%" PRId64, (skr_page_int(row, "used") + one - 1) / one,
                        skr_page_int(row, "total") / one);
        skr_text_table_add(&table, skr_object_text(row, "name"), SKR_HUE_NONE);
        skr_text_table_add(&table, used.s, SKR_HUE_NONE);
        skr_text_table_add_drawn(&table, cells.s ? cells.s : "", SKR_HUE_NONE);
    }
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

/* ---- groups ---- */

void skr_render_clock(const char *at, const char *now, struct skr_strbuf *out)
{
    if (strlen(at) < sizeof "2026-01-01T14:32:00" - 1) {
        skr_strbuf_addc(out, '?');
        return;
    }
    const size_t from = strncmp(at, now, 10) == 0 ? 11 : strncmp(at, now, 5) == 0 ? 5 : 0;
    skr_strbuf_addn(out, at + from, (memcmp(at + 17, "00", 2) == 0 ? 16 : 19) - from);
}

static void add_time(struct skr_text_table *table, const char *before, const char *at,
                     const char *now)
{
    SKR_STRBUF(b);
    skr_strbuf_add(&b, before);
    skr_render_clock(at, now, &b);
    skr_text_table_add(table, b.s, SKR_HUE_NONE);
}

void skr_render_label(struct skr_text_table *table, const char *label)
{
    const bool usual = strncmp(label, "default/", 8) == 0;
    skr_text_table_add(table, usual ? label + 8 : label, SKR_HUE_NONE);
}

void skr_render_start_row(struct skr_text_table *table, const struct skr_start_row *row)
{
    add_time(table, row->mark, row->start, row->now);
    skr_render_label(table, row->group);
    skr_text_table_add(table, row->place, SKR_HUE_NONE);
    add_time(table, "", row->until, row->now);
    skr_render_label(table, row->because);
}

void skr_render_start_header(struct skr_text_table *table)
{
    static const char *const title[] = {"START", "GROUP", "PLACE", "UNTIL", "BECAUSE"};
    for (size_t i = 0; i < sizeof title / sizeof *title; i++) {
        skr_text_table_add(table, title[i], SKR_HUE_NONE);
    }
}

static void write_groups(const json_t *page, struct skr_strbuf *out)
{
    const json_t *list = skr_page_list(page, "groups"), *g;
    struct skr_text_table table;
    size_t i;
    if (json_array_size(list) == 0) {
        return;
    }
    skr_text_table_init(&table, 5, false);
    skr_render_start_header(&table);
    json_array_foreach(list, i, g)
    {
        SKR_STRBUF(name);
        skr_strbuf_addf(&name, "%s/%s", skr_object_text(g, "namespace"),
                        skr_object_text(g, "name"));
        const struct skr_start_row row = {.mark = skr_page_bool(g, "guess") ? "~" : "",
                                          .start = skr_object_text(g, "start"),
                                          .group = name.s,
                                          .place = skr_object_text(g, "place"),
                                          .until = skr_object_text(g, "until"),
                                          .because = skr_object_text(g, "because"),
                                          .now = skr_object_text(page, "from")};
        skr_render_start_row(&table, &row);
    }
    skr_text_table_write(&table, out);
    skr_text_table_fini(&table);
}

void skr_render_timeline(const json_t *page, bool ascii, struct skr_strbuf *out)
{
    const int64_t from = skr_page_time(page, "from") / SKR_SECOND;
    const int64_t cell_s = skr_page_int(page, "cellSeconds");
    write_head(page, from, cell_s, ascii, out);
    write_rows(page, from, cell_s, ascii, out);
    write_groups(page, out);
}
