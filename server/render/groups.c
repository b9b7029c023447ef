/* SPDX-License-Identifier: Apache-2.0 */
/* Groups as a table, one row each. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/render/group_roles.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/json_field.h"

const char *skr_render_status(const char *status, bool is_alive)
{
    if (strcmp(status, "Ready") == 0) {
        return "Unplaced";
    }
    return strcmp(status, "Bound") == 0 && !is_alive ? "Ended" : status;
}

const char *skr_render_status_of(const json_t *item)
{
    return skr_render_status(skr_object_text(item, "status"),
                             skr_page_int(json_object_get(item, "pods"), "present") > 0);
}

enum skr_hue skr_render_status_hue(const char *status)
{
    if (strcmp(status, "Bound") == 0 || strcmp(status, "Finished") == 0) {
        return SKR_HUE_GOOD;
    }
    return strcmp(status, "Failed") == 0 || strcmp(status, "Preempted") == 0 ? SKR_HUE_BAD
                                                                             : SKR_HUE_BUSY;
}

/* ---- cells ---- */

static void render_rule(const json_t *constraint, struct skr_strbuf *out)
{
    const int64_t min = skr_page_int(constraint, "min"), max = skr_page_int(constraint, "max");
    const int64_t factor = skr_page_int(constraint, "factor");
    const int64_t partitions = skr_page_int(constraint, "partitions");
    const bool hard = skr_page_bool(constraint, "hard");
    skr_page_add_clean(out, skr_object_text(constraint, "type"), true);
    if (!hard && (min > 0 || max > 0)) {
        skr_strbuf_addc(out, '[');
        if (min > 0) {
            skr_strbuf_add_int(out, min);
        }
        skr_strbuf_addc(out, ',');
        if (max > 0) {
            skr_strbuf_add_int(out, max);
        }
        skr_strbuf_addc(out, ']');
    }
    if (!hard && factor > 1) {
        skr_strbuf_addf(out, "*%" PRId64, factor);
    }
    if (!hard && partitions > 0) {
        skr_strbuf_addf(out, "/%" PRId64, partitions);
    }
    skr_strbuf_add(out, hard ? "!" : "");
}

static void add_constraints(struct skr_text_table *t, const json_t *item)
{
    SKR_STRBUF(b);
    size_t i;
    const json_t *constraint;
    skr_strbuf_add(&b, "");
    json_array_foreach(skr_page_list(item, "constraints"), i, constraint)
    {
        skr_strbuf_addf(&b, "%s%s=", i ? "," : "", skr_object_text(constraint, "level"));
        render_rule(constraint, &b);
    }
    skr_text_table_add(t, b.s, SKR_HUE_NONE);
}

static void add_domains(struct skr_text_table *t, const json_t *item)
{
    SKR_STRBUF(b);
    size_t i;
    const json_t *name;
    const json_t *list = skr_page_list(item, "domains");
    skr_strbuf_add(&b, "");
    json_array_foreach(list, i, name)
    {
        const char *text = json_string_value(name);
        if (i == SKR_RENDER_GROUPS_SHOWN) {
            skr_strbuf_addf(&b, ",+%zu", json_array_size(list) - i);
            break;
        }
        skr_strbuf_addf(&b, "%s%s", i ? "," : "", text ? text : "?");
    }
    skr_text_table_add(t, b.s, SKR_HUE_NONE);
}

const char *skr_render_pods_counted(const char *status)
{
    return strcmp(status, "Waiting") == 0    ? "present"
           : strcmp(status, "Finished") == 0 ? "succeeded"
                                             : "bound";
}

static void add_pods(struct skr_text_table *t, const json_t *item)
{
    const json_t *pods = json_object_get(item, "pods");
    const char *counted = skr_render_pods_counted(skr_object_text(item, "status"));
    const int64_t size = skr_page_int(item, "size");
    char text[64];
    if (size > 0) {
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, skr_page_int(pods, counted), size);
    } else {
        snprintf(text, sizeof text, "%" PRId64 "/<unset>", skr_page_int(pods, "present"));
    }
    skr_text_table_add(t, text, SKR_HUE_NONE);
}

static void add_roles(struct skr_text_table *t, const json_t *item)
{
    SKR_STRBUF(b);
    skr_render_roles_cell(item, &b);
    skr_text_table_add(t, b.s, SKR_HUE_NONE);
}

void skr_render_start(const json_t *start, struct skr_strbuf *out)
{
    const char *because = skr_object_text(start, "because");
    const char *unlimited = skr_object_text(start, "unlimited");
    const bool guess = skr_page_bool(start, "guess");
    const bool reserved = guess || skr_page_bool(start, "promised");
    if (*unlimited) {
        skr_strbuf_addf(out, "no start is known: %s has no limit; set run-limit", unlimited);
    }
    if (!*skr_object_text(start, "time")) {
        return;
    }
    skr_strbuf_add(out, guess ? "about " : reserved ? "by " : "probably by ");
    skr_render_clock(skr_object_text(start, "time"), skr_object_text(start, "day"), out);
    skr_strbuf_add(out, reserved ? " UTC" : " UTC, not promised");
    if (*because && reserved) {
        skr_strbuf_addf(out, guess ? " (guess: %s has no limit)" : ", when %s must end", because);
    }
}

void skr_render_kept(const json_t *start, struct skr_strbuf *out)
{
    const json_t *kept = json_object_get(start, "kept");
    const char *day = skr_object_text(start, "day"), *ends = skr_object_text(kept, "ends");
    if (!kept) {
        return;
    }
    if (*ends) {
        skr_strbuf_add(out, "ends ");
        skr_render_clock(ends, day, out);
        skr_strbuf_add(out, " UTC");
    } else {
        skr_strbuf_add(out, "has no limit");
    }
    skr_strbuf_addf(out, ", %s starts here ", skr_object_text(kept, "by"));
    skr_render_clock(skr_object_text(kept, "starts"), day, out);
    skr_strbuf_add(out, " UTC");
}

void skr_render_source(const json_t *item, struct skr_strbuf *out)
{
    const char *source = skr_object_text(item, "source"), *object = skr_object_text(item, "object");
    skr_strbuf_add(out, "");
    if (strcmp(source, "Workload") == 0) {
        skr_strbuf_add(out, skr_object_text(item, "owner"));
    } else if (strcmp(source, "None") != 0) {
        skr_strbuf_addf(out, "%s%s%s", source, *object ? "/" : "", object);
    }
}

static void add_source(struct skr_text_table *t, const json_t *item)
{
    SKR_STRBUF(b);
    skr_render_source(item, &b);
    skr_text_table_add(t, b.s, SKR_HUE_NONE);
}

static void add_number(struct skr_text_table *t, const json_t *item, const char *key)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, skr_page_int(item, key));
    skr_text_table_add(t, json_is_integer(json_object_get(item, key)) ? text : "", SKR_HUE_NONE);
}

/* Microseconds as milliseconds with one digit, at least 0.1 where there was a solve. */
static void add_solve(struct skr_text_table *t, const json_t *item)
{
    const int64_t us = skr_page_int(item, "solveMicroseconds");
    const int64_t tenths = us > 0 && us < 100 ? 1 : us / 100 + (us % 100 >= 50);
    char text[48];
    snprintf(text, sizeof text, "%" PRId64 ".%" PRId64, tenths / 10, tenths % 10);
    skr_text_table_add(t, us > 0 ? text : "", SKR_HUE_NONE);
}

/* Of a group that waits; one that runs or is over has none. */
static void add_start(struct skr_text_table *t, const json_t *item, const char *status)
{
    const bool waits = strcmp(status, "Waiting") == 0 || strcmp(status, "Unplaced") == 0 ||
                       strcmp(status, "Preempted") == 0;
    const json_t *start = json_object_get(item, "start");
    SKR_STRBUF(b);
    if (*skr_object_text(start, "time")) {
        const char *mark = skr_page_bool(start, "guess")      ? "~"
                           : skr_page_bool(start, "promised") ? ""
                                                              : "<";
        skr_strbuf_add(&b, mark);
        skr_render_clock(skr_object_text(start, "time"), skr_object_text(start, "day"), &b);
    } else {
        skr_strbuf_add(&b, waits ? "?" : "");
    }
    skr_text_table_add(t, b.s, SKR_HUE_NONE);
}

/* ---- rows ---- */

void skr_groups_table_init(struct skr_groups_table *groups, bool wide, bool namespaces,
                           bool coloured)
{
    groups->wide = wide;
    groups->namespaces = namespaces;
    skr_text_table_init(&groups->table, (size_t)(7 + 7 * wide + namespaces), coloured);
}

void skr_groups_table_fini(struct skr_groups_table *groups)
{
    skr_text_table_fini(&groups->table);
}

void skr_groups_table_add_header(struct skr_groups_table *groups)
{
    static const char *const always[] = {"NAME", "STATUS", "PODS", "PRIORITY", "START", "REASON"};
    static const char *const wide[] = {"SOURCE", "ROLES",    "CONSTRAINTS", "DOMAINS",
                                       "TRIES",  "SOLVE-MS", "TOTAL-MS"};
    struct skr_text_table *t = &groups->table;
    if (groups->namespaces) {
        skr_text_table_add(t, "NAMESPACE", SKR_HUE_NONE);
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        skr_text_table_add(t, always[i], SKR_HUE_NONE);
    }
    for (size_t i = 0; groups->wide && i < sizeof wide / sizeof *wide; i++) {
        skr_text_table_add(t, wide[i], SKR_HUE_NONE);
    }
    skr_text_table_add(t, "AGE", SKR_HUE_NONE);
}

static void add_cells(const struct skr_groups_table *groups, struct skr_text_table *t,
                      const json_t *item)
{
    const char *status = skr_render_status_of(item), *reason = skr_object_text(item, "reason");
    const enum skr_hue hue = skr_render_status_hue(status);
    if (groups->namespaces) {
        skr_text_table_add(t, skr_object_text(item, "namespace"), SKR_HUE_NONE);
    }
    skr_text_table_add(t, skr_object_text(item, "name"), SKR_HUE_NONE);
    skr_text_table_add(t, status, hue);
    add_pods(t, item);
    add_number(t, item, "priority");
    add_start(t, item, status);
    skr_text_table_add(t, reason, *reason ? hue : SKR_HUE_DIM);
    if (groups->wide) {
        add_source(t, item);
        add_roles(t, item);
        add_constraints(t, item);
        add_domains(t, item);
        add_number(t, item, "tries");
        add_solve(t, item);
        add_number(t, item, "totalMilliseconds");
    }
}

int skr_groups_table_add(struct skr_groups_table *groups, const json_t *item, skr_time now,
                         struct skr_error *error)
{
    char age[32];
    if (!*skr_object_text(item, "name") || !*skr_object_text(item, "status")) {
        return skr_error_set(error, SKR_INVALID, "the answer has a group without name or status");
    }
    add_cells(groups, &groups->table, item);
    skr_page_age(now, skr_page_time(item, "created"), age);
    skr_text_table_add(&groups->table, age, SKR_HUE_NONE);
    return 0;
}

void skr_groups_table_fingerprint(const struct skr_groups_table *groups, const json_t *item,
                                  struct skr_strbuf *out)
{
    struct skr_text_table t;
    skr_text_table_init(&t, groups->table.n_columns - 1, false);
    add_cells(groups, &t, item);
    skr_text_table_write(&t, out);
    skr_text_table_fini(&t);
}
