/* SPDX-License-Identifier: Apache-2.0 */
/* One group in full: fields with their names in a column, then where its members are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/render/group_roles.h"
#include "server/render/group_rules.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

enum { FIELD = 14, ROUGH_RANGE = 2 }; /* column of values */

struct drawing {
    const struct skr_render *how;
    const json_t *page;
    struct skr_strbuf *out;
    skr_time now;
};

/* ---- fields ---- */

/* name "": the one before goes on. */
static void begin_field(struct drawing *d, const char *name)
{
    skr_strbuf_addf(d->out, "%s%s", name, *name ? ":" : " ");
    skr_page_pad(d->out, FIELD - strlen(name) - 1);
}

static void add_field(struct drawing *d, const char *name, const char *value)
{
    begin_field(d, name);
    skr_page_add_clean(d->out, *value ? value : "<none>", false);
    skr_page_end_line(d->out);
}

/* The rows of a table; nothing without any. */
static void add_rows(struct drawing *d, const char *name, struct skr_text_table *table)
{
    if (table->n > 0) {
        begin_field(d, name);
        table->indent = FIELD;
        skr_text_table_write(table, d->out);
    }
}

static void add_wrapped(struct drawing *d, const char *name, const char *text)
{
    begin_field(d, name);
    skr_page_add_words(d->out, FIELD, FIELD, text);
    skr_page_end_line(d->out);
}

static void add_status(struct drawing *d)
{
    static const char *const on[] = {[SKR_HUE_NONE] = "",
                                     [SKR_HUE_GOOD] = "\033[32m",
                                     [SKR_HUE_BUSY] = "\033[33m",
                                     [SKR_HUE_BAD] = "\033[31m"};
    const json_t *pods = json_object_get(d->page, "pods");
    const char *status = skr_render_status_of(d->page);
    const char *counted = skr_render_pods_counted(status);
    const int64_t size = skr_page_int(d->page, "size");
    begin_field(d, "Status");
    skr_strbuf_add(d->out, d->how->coloured ? on[skr_render_status_hue(status)] : "");
    skr_page_add_clean(d->out, status, true);
    skr_strbuf_add(d->out, d->how->coloured ? "\033[0m" : "");
    if (size > 0) {
        skr_strbuf_addf(d->out, " (%" PRId64 " of %" PRId64 " pods %s)\n",
                        skr_page_int(pods, counted), size,
                        strcmp(counted, "present") == 0 ? "there" : counted);
    } else {
        skr_strbuf_addf(d->out, " (%" PRId64 " pods there, size unknown)\n",
                        skr_page_int(pods, "present"));
    }
    if (*skr_object_text(d->page, "reason")) {
        add_field(d, "Reason", skr_object_text(d->page, "reason"));
    }
    if (*skr_object_text(d->page, "message")) {
        add_wrapped(d, "Message", skr_object_text(d->page, "message"));
    }
}

static void add_start(struct drawing *d)
{
    const json_t *start = json_object_get(d->page, "start");
    SKR_STRBUF(when);
    SKR_STRBUF(kept);
    skr_render_start(start, &when);
    skr_render_kept(start, &kept);
    if (when.len > 0) {
        add_wrapped(d, "Starts", when.s);
    }
    if (kept.len > 0) {
        add_wrapped(d, "Not now", kept.s);
    }
}

/* "Preempted by: default/top, 12s ago" and "Evicts: 4 pods of default/c, 2 left" */
static void add_preemption(struct drawing *d)
{
    const json_t *victims = skr_page_list(d->page, "victims"), *victim;
    const char *preemptor = skr_object_text(d->page, "preemptor");
    const skr_time at = skr_page_time(d->page, "preempted");
    SKR_STRBUF(b);
    char age[32];
    size_t i;
    if (*preemptor) {
        skr_strbuf_add(&b, preemptor);
        if (at > 0) {
            skr_page_age(d->now, at, age);
            skr_strbuf_addf(&b, ", %s ago", age);
        }
        add_field(d, "Preempted by", b.s);
    }
    json_array_foreach(victims, i, victim)
    {
        const char *group = skr_object_text(victim, "group");
        const int64_t pods = skr_page_int(victim, "pods");
        skr_strbuf_reset(&b);
        if (*group) {
            skr_strbuf_addf(&b, "%" PRId64 " pod%s of %s", pods, pods == 1 ? "" : "s", group);
        } else {
            skr_strbuf_addf(&b, "pod %s", skr_object_text(victim, "pod"));
        }
        skr_strbuf_addf(&b, ", %" PRId64 " left", skr_page_int(victim, "left"));
        add_field(d, i > 0 ? "" : "Evicts", b.s);
    }
}

static void add_warnings(struct drawing *d)
{
    const json_t *text;
    size_t i;
    json_array_foreach(skr_page_list(d->page, "warnings"), i, text)
    {
        add_wrapped(d, "Warning", json_is_string(text) ? json_string_value(text) : "?");
    }
}

/* ---- roles ---- */

static void add_roles(struct drawing *d)
{
    struct skr_text_table table;
    skr_text_table_init(&table, 2, false);
    skr_render_group_roles(d->page, &table);
    add_rows(d, "Roles", &table);
    skr_text_table_fini(&table);
    skr_text_table_init(&table, 2, false);
    skr_render_group_sets(d->page, &table);
    add_rows(d, "Sets", &table);
    skr_text_table_fini(&table);
}

/* ---- times ---- */

/* "10:53:58.101", with the date in front unless it is today's. */
static void say_clock(const struct drawing *d, skr_time t, struct skr_strbuf *b)
{
    char text[48], today[48];
    skr_time_write(t - t % SKR_MILLISECOND, d->how->utc_offset_s, text, sizeof text);
    skr_time_write(d->now, d->how->utc_offset_s, today, sizeof today);
    if (strncmp(text, today, 10) != 0) {
        skr_strbuf_addf(b, "%.10s ", text);
    }
    skr_strbuf_addf(b, "%.8s.%03d", text + 11, (int)(t % SKR_SECOND / SKR_MILLISECOND));
}

/* "+0.4s", "+1m30s" */
static void say_offset(skr_time from, skr_time t, struct skr_strbuf *b)
{
    const int64_t tenths = t > from ? (t - from + SKR_SECOND / 20) / (SKR_SECOND / 10) : 0;
    if (tenths < 600) {
        skr_strbuf_addf(b, "+%" PRId64 ".%" PRId64 "s", tenths / 10, tenths % 10);
    } else {
        skr_strbuf_addf(b, "+%" PRId64 "m%" PRId64 "s", tenths / 600, tenths % 600 / 10);
    }
}

static void say_solve_time(const json_t *page, struct skr_strbuf *b)
{
    const int64_t us = skr_page_int(page, "solveMicroseconds");
    const int64_t tenths = us < 100 ? 1 : us / 100 + (us % 100 >= 50);
    if (us > 0) {
        skr_strbuf_addf(b, " (%" PRId64 ".%" PRId64 " ms)", tenths / 10, tenths % 10);
    }
}

/* One more of a list with commas, on a new line where this one is full. */
static void add_part(struct drawing *d, size_t *column, const struct skr_strbuf *part)
{
    if (*column > FIELD) {
        const bool fits = *column + 2 + part->len + 1 <= SKR_PAGE_WIDTH;
        skr_strbuf_add(d->out, fits ? ", " : ",\n");
        skr_page_pad(d->out, fits ? 0 : FIELD);
        *column = fits ? *column + 2 : FIELD;
    }
    skr_strbuf_add(d->out, part->s);
    *column += part->len;
}

/* from 0: the moment itself, else how long after it. */
static void add_moment(struct drawing *d, size_t *column, const char *name, skr_time from,
                       skr_time t)
{
    SKR_STRBUF(b);
    if (t <= 0) {
        return;
    }
    skr_strbuf_addf(&b, "%s ", name);
    if (from == 0) {
        say_clock(d, t, &b);
    } else {
        say_offset(from, t, &b);
    }
    if (strcmp(name, "solved") == 0) {
        say_solve_time(d->page, &b);
    }
    add_part(d, column, &b);
}

static void add_timing(struct drawing *d)
{
    const json_t *timing = json_object_get(d->page, "timing");
    const skr_time first = skr_page_time(timing, "firstPod");
    SKR_STRBUF(tries);
    size_t column = FIELD;
    begin_field(d, "Timing");
    if (first > 0) {
        add_moment(d, &column, "first pod", 0, first);
        add_moment(d, &column, "complete", first, skr_page_time(timing, "complete"));
        add_moment(d, &column, "solved", first, skr_page_time(timing, "placed"));
        add_moment(d, &column, "bound", first, skr_page_time(timing, "bound"));
    }
    skr_strbuf_addf(&tries, "tries %" PRId64, skr_page_int(d->page, "tries"));
    add_part(d, &column, &tries);
    skr_page_end_line(d->out);
}

/* ---- placement ---- */

struct ranks {
    int64_t *item;
    size_t n;
};

static struct ranks ranks_of(const json_t *unit)
{
    const json_t *list = skr_page_list(unit, "ranks"), *rank;
    struct ranks r = {.item = skr_alloc_array(json_array_size(list) + 1, sizeof *r.item)};
    size_t i;
    json_array_foreach(list, i, rank)
    {
        r.item[r.n++] = json_integer_value(rank);
    }
    return r;
}

/* "0 1 2 3", or "0-3 8-11" as far as there is room. */
static void say_ranks(const struct ranks *r, bool ranges, size_t room, struct skr_strbuf *b)
{
    char word[64];
    for (size_t i = 0, end; i < r->n; i = end) {
        for (end = i + 1; ranges && end < r->n && r->item[end] == r->item[end - 1] + 1;) {
            end++;
        }
        if (end - i > ROUGH_RANGE - 1) {
            snprintf(word, sizeof word, " %" PRId64 "-%" PRId64, r->item[i], r->item[end - 1]);
        } else {
            snprintf(word, sizeof word, " %" PRId64, r->item[i]);
        }
        if (ranges && b->len + strlen(word) + 4 > room && end < r->n) {
            skr_strbuf_add(b, " ...");
            return;
        }
        skr_strbuf_add(b, word);
    }
}

static void add_ranks(struct drawing *d, const json_t *unit, size_t column)
{
    struct ranks r = ranks_of(unit);
    const size_t room = column + 20 < SKR_PAGE_WIDTH ? SKR_PAGE_WIDTH - column : 20;
    SKR_STRBUF(b);
    if (r.n > 0) {
        const char *title = r.n == 1 ? "rank" : "ranks";
        skr_strbuf_add(&b, title);
        say_ranks(&r, false, room, &b);
        if (b.len > room) {
            skr_strbuf_reset(&b);
            skr_strbuf_add(&b, title);
            say_ranks(&r, true, room, &b);
        }
        skr_strbuf_add(d->out, b.s);
    }
    free(r.item);
}

struct columns {
    size_t count, bar, width; /* where counts begin, where bars do, cells of the widest bar */
    int64_t most;             /* pods of that */
    size_t roles;             /* width of the members by role, with the blanks behind */
};

static size_t indent_of(const json_t *unit)
{
    const int64_t depth = skr_page_int(unit, "depth");
    return depth < 1 ? 2 : depth > 16 ? 32 : 2 * (size_t)depth;
}

static size_t cells_of(const struct columns *c, int64_t pods)
{
    if (pods <= 0 || c->most <= SKR_RENDER_CELLS_MAX) {
        return pods > 0 ? (size_t)pods : 0;
    }
    const int64_t cells = (pods * 2 * SKR_RENDER_CELLS_MAX + c->most) / (2 * c->most);
    return cells > 0 ? (size_t)cells : 1;
}

static struct columns columns_of(const json_t *units)
{
    struct columns c = {.count = FIELD};
    size_t i, digits = 1;
    const json_t *unit;
    json_array_foreach(units, i, unit)
    {
        const size_t end = indent_of(unit) + skr_page_width(skr_object_text(unit, "name")) + 2;
        const int64_t pods = skr_page_int(unit, "pods");
        const int64_t sane = pods < 0 ? 0 : pods > 1000000000 ? 1000000000 : pods;
        char text[32];
        const int n = snprintf(text, sizeof text, "%" PRId64, sane);
        SKR_STRBUF(roles);
        skr_render_role_letters(unit, &roles);
        c.roles = roles.len > c.roles ? roles.len : c.roles;
        c.count = end > c.count ? end : c.count;
        c.most = sane > c.most ? sane : c.most;
        digits = (size_t)n > digits ? (size_t)n : digits;
    }
    c.bar = c.count + digits + 2;
    c.width = cells_of(&c, c.most);
    return c;
}

static int add_unit(struct drawing *d, const struct columns *c, const json_t *unit,
                    struct skr_error *error)
{
    const char *name = skr_object_text(unit, "name");
    const int64_t pods = skr_page_int(unit, "pods");
    if (!*name || pods < 1 || pods > 1000000000) {
        return skr_error_set(error, SKR_INVALID,
                             "the answer has a unit of the placement without name or pods");
    }
    const size_t cells = cells_of(c, pods);
    char count[32];
    const int digits = snprintf(count, sizeof count, "%" PRId64, pods);
    skr_page_pad(d->out, indent_of(unit));
    skr_page_add_clean(d->out, name, true);
    skr_page_pad(d->out, c->count - indent_of(unit) - skr_page_width(name));
    skr_strbuf_add(d->out, count);
    skr_page_pad(d->out, c->bar - c->count - (size_t)digits);
    for (size_t i = 0; i < cells; i++) {
        skr_strbuf_add(d->out, d->how->ascii ? "%" : "▒");
    }
    skr_page_pad(d->out, c->width - cells + 2);
    const size_t before = d->out->len;
    skr_render_role_letters(unit, d->out);
    skr_page_pad(d->out, c->roles - (d->out->len - before));
    add_ranks(d, unit, c->bar + c->width + 2 + c->roles);
    skr_page_end_line(d->out);
    return 0;
}

static int add_placement(struct drawing *d, struct skr_error *error)
{
    const json_t *units = skr_page_list(d->page, "units"), *unit;
    const struct columns c = columns_of(units);
    size_t i;
    if (json_array_size(units) == 0) {
        add_field(d, "Placement", "");
        return 0;
    }
    skr_strbuf_add(d->out, "Placement:\n");
    json_array_foreach(units, i, unit)
    {
        const int rc = add_unit(d, &c, unit, error);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

static void add_distance(struct drawing *d)
{
    const json_t *distance = json_object_get(d->page, "distance");
    begin_field(d, "Distance");
    if (json_is_object(distance)) {
        const double mean = json_number_value(json_object_get(distance, "mean"));
        skr_strbuf_addf(d->out, "mean %.1f, max %" PRId64 " (edges between nodes, from rank 0)\n",
                        mean, skr_page_int(distance, "max"));
    } else {
        skr_strbuf_add(d->out, "<none>\n");
    }
}

/* ---- Events ---- */

static void add_events(struct drawing *d)
{
    const json_t *list = skr_page_list(d->page, "events"), *event;
    struct skr_text_table table;
    size_t i;
    if (json_array_size(list) == 0) {
        add_field(d, "Events", "");
        return;
    }
    skr_text_table_init(&table, 4, false);
    table.sentences = true;
    json_array_foreach(list, i, event)
    {
        char age[32];
        skr_page_age(d->now, skr_page_time(event, "time"), age);
        skr_text_table_add(&table, age, SKR_HUE_NONE);
        skr_text_table_add(&table, skr_object_text(event, "type"), SKR_HUE_NONE);
        skr_text_table_add(&table, skr_object_text(event, "reason"), SKR_HUE_NONE);
        skr_text_table_add_drawn(&table, skr_object_text(event, "message"), SKR_HUE_NONE);
    }
    add_rows(d, "Events", &table);
    skr_text_table_fini(&table);
}

int skr_render_group(const json_t *page, const struct skr_render *how, struct skr_strbuf *out,
                     struct skr_error *error)
{
    struct drawing d = {.how = how, .page = page, .out = out, .now = skr_page_time(page, "time")};
    char priority[32];
    SKR_STRBUF(source);
    if (!*skr_object_text(page, "name") || !*skr_object_text(page, "status")) {
        return skr_error_set(error, SKR_INVALID, "the answer is a group without name or status");
    }
    snprintf(priority, sizeof priority, "%" PRId64, skr_page_int(page, "priority"));
    add_field(&d, "Name", skr_object_text(page, "name"));
    add_field(&d, "Namespace", skr_object_text(page, "namespace"));
    skr_render_source(page, &source);
    add_field(&d, "Source", source.s);
    add_status(&d);
    add_start(&d);
    add_preemption(&d);
    add_warnings(&d);
    add_field(&d, "Priority", priority);
    begin_field(&d, "Constraints");
    skr_render_group_rules(d.page, FIELD, d.out);
    add_roles(&d);
    add_timing(&d);
    const int rc = add_placement(&d, error);
    if (rc < 0) {
        return rc;
    }
    add_distance(&d);
    add_events(&d);
    return 0;
}
