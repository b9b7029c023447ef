/* SPDX-License-Identifier: Apache-2.0 */
/* The tree as a table: a row a unit, indented by lines, with what is used of one resource. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/render/group_roles.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/amount_text.h"
#include "topology/base/json_field.h"
#include "topology/tree.h"

enum { CELLS = 8, COLUMNS = 7 /* at most */ };

struct drawing {
    const struct skr_render *how;
    const char *resource;
    bool namespaces; /* groups of several namespaces: names are NAMESPACE/NAME */
    bool classes;    /* a node is on-demand or spot */
    struct skr_text_table table;
};

/* A unit whose children are being drawn. */
struct frame {
    const json_t *children;
    size_t next;
};

/* ---- amounts ---- */

static const struct {
    const char *suffix;
    int64_t bytes;
} binary[] = {{"Ti", (int64_t)1 << 40}, {"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}};

static bool is_bytes(const char *resource)
{
    return strcmp(resource, "memory") == 0 || strcmp(resource, "ephemeral-storage") == 0 ||
           strncmp(resource, "hugepages-", 10) == 0;
}

/* amount / unit with one digit behind the point where it needs one; never 0 for something. */
static void add_tenths(struct skr_strbuf *b, int64_t amount, int64_t unit)
{
    int64_t tenths = amount / unit * 10 + (amount % unit * 10 + unit / 2) / unit;
    tenths = amount > 0 && tenths == 0 ? 1 : tenths;
    skr_strbuf_add_int(b, tenths / 10);
    if (tenths % 10) {
        skr_strbuf_addf(b, ".%" PRId64, tenths % 10);
    }
}

/* Millicores as cores, exactly. */
static void add_cores(struct skr_strbuf *b, int64_t milli)
{
    char fraction[32];
    skr_strbuf_add_int(b, milli / 1000);
    snprintf(fraction, sizeof fraction, ".%03" PRId64, milli % 1000);
    size_t n = strlen(fraction);
    while (n > 1 && fraction[n - 1] == '0') {
        n--;
    }
    skr_strbuf_addn(b, fraction, n > 1 ? n : 0);
}

/* "18/24", "12.5/64", "96/512Gi"; used NULL: "-/24". */
static void add_share(struct skr_strbuf *b, const char *resource, const int64_t *used, int64_t all)
{
    size_t unit = 0;
    const bool bytes = is_bytes(resource), cores = strcmp(resource, "cpu") == 0;
    while (bytes && unit < sizeof binary / sizeof *binary && all < binary[unit].bytes) {
        unit++;
    }
    const bool scaled = bytes && unit < sizeof binary / sizeof *binary;
    const int64_t amount[] = {used ? *used : 0, all};
    for (size_t i = 0; i < 2; i++) {
        skr_strbuf_add(b, i ? "/" : "");
        if (i == 0 && !used) {
            skr_strbuf_addc(b, '-');
        } else if (cores) {
            add_cores(b, amount[i]);
        } else if (scaled) {
            add_tenths(b, amount[i], binary[unit].bytes);
        } else {
            skr_strbuf_add_int(b, amount[i]);
        }
    }
    skr_strbuf_add(b, scaled ? binary[unit].suffix : "");
}

/* ---- the bar ---- */

/* To nearest, at least one when there is something. */
static int cells_of(int64_t part, int64_t all)
{
    if (part <= 0 || all <= 0) {
        return 0;
    }
    if (part >= all) {
        return CELLS;
    }
    while (all > INT64_MAX / (4 * CELLS)) { /* shares stay what they are */
        part /= 2;
        all /= 2;
    }
    const int n = (int)((2 * CELLS * part + all) / (2 * all));
    return n > 0 ? n : 1;
}

static void add_bar(struct skr_strbuf *b, bool ascii, int64_t used, int64_t unusable,
                    int64_t reserved, int64_t all)
{
    int u = cells_of(used, all), x = all > 0 ? cells_of(unusable, all) : CELLS;
    while (u + x > CELLS) {
        if (u > x) {
            u--;
        } else {
            x--;
        }
    }
    const int kept = u + cells_of(reserved, all); /* cells behind it, if there is room */
    for (int i = 0; i < CELLS; i++) {
        const char *cell = i < u            ? (ascii ? "#" : "█")
                           : i >= CELLS - x ? (ascii ? ":" : "·")
                           : i < kept       ? (ascii ? "%" : "▒")
                                            : (ascii ? "." : "░");
        skr_strbuf_add(b, cell);
    }
}

/* ---- cells ---- */

static void add_name(struct drawing *d, const struct frame *frame, size_t depth, const char *name)
{
    SKR_STRBUF(b);
    for (size_t i = 0; i < depth; i++) {
        const bool last = frame[i].next == json_array_size(frame[i].children);
        const bool own = i + 1 == depth;
        skr_strbuf_add(&b, d->how->ascii ? (own ? (last ? "\\-" : "|-") : (last ? "  " : "| "))
                           : own         ? (last ? "└─" : "├─")
                                         : (last ? "  " : "│ "));
    }
    skr_page_add_clean(&b, name, true);
    skr_text_table_add_drawn(&d->table, b.s, SKR_HUE_NONE);
}

static void add_ready(struct drawing *d, const json_t *unit, bool leaf)
{
    char text[64];
    const int64_t nodes = skr_page_int(unit, "nodes"), ready = skr_page_int(unit, "readyNodes");
    if (!leaf) {
        snprintf(text, sizeof text, "%" PRId64 "/%" PRId64, ready, nodes);
        skr_text_table_add(&d->table, text, ready < nodes ? SKR_HUE_BUSY : SKR_HUE_NONE);
    } else if (!skr_page_bool(unit, "exists")) {
        skr_text_table_add(&d->table, "<unknown>", SKR_HUE_BAD);
    } else if (!skr_page_bool(unit, "ready")) {
        skr_text_table_add(&d->table, "False", SKR_HUE_BAD);
    } else if (skr_page_bool(unit, "cordoned")) {
        skr_text_table_add(&d->table, "True,Cordoned", SKR_HUE_BUSY);
    } else if (skr_page_bool(unit, "spare")) {
        skr_text_table_add(&d->table, "True,Spare", SKR_HUE_NONE);
    } else {
        skr_text_table_add(&d->table, "True", SKR_HUE_NONE);
    }
}

static void add_use(struct drawing *d, const json_t *unit, bool leaf)
{
    const int64_t all = skr_page_int(json_object_get(unit, "allocatable"), d->resource);
    const int64_t used = skr_page_int(json_object_get(unit, "charged"), d->resource);
    const int64_t unusable = skr_page_int(json_object_get(unit, "unusable"), d->resource);
    const int64_t reserved = skr_page_int(json_object_get(unit, "reserved"), d->resource);
    const bool known = !leaf || skr_page_bool(unit, "ready");
    SKR_STRBUF(b);
    add_share(&b, d->resource, known ? &used : NULL, all);
    skr_text_table_add(&d->table, b.s, SKR_HUE_NONE);
    skr_strbuf_reset(&b);
    add_bar(&b, d->how->ascii, known ? used : 0, known ? unusable : all, reserved, all);
    skr_text_table_add(&d->table, b.s, SKR_HUE_NONE);
}

static void add_slots(struct drawing *d, const json_t *unit)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, skr_page_int(unit, "slots"));
    skr_text_table_add(&d->table, text, SKR_HUE_NONE);
}

/* "spot:3": mixed pods there. */
static void add_classes(struct drawing *d, const json_t *unit)
{
    static const char *const names[] = {"on-demand", "spot"};
    const json_t *classes = json_object_get(unit, "classes");
    SKR_STRBUF(b);
    skr_strbuf_add(&b, "");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const json_t *class_ = json_object_get(classes, names[i]);
        const int64_t pods = skr_page_int(class_, "pods");
        if (skr_page_int(class_, "nodes") > 0) {
            skr_strbuf_addf(&b, "%s%s", b.len ? "," : "", names[i]);
        }
        if (pods > 0) {
            skr_strbuf_addf(&b, ":%" PRId64, pods);
        }
    }
    skr_text_table_add(&d->table, b.s, b.len ? SKR_HUE_NONE : SKR_HUE_DIM);
}

static void add_groups(struct drawing *d, const json_t *unit, bool leaf)
{
    const json_t *list = skr_page_list(unit, "groups"), *group;
    SKR_STRBUF(b);
    size_t i;
    skr_strbuf_add(&b, "");
    json_array_foreach(list, i, group)
    {
        if (i == SKR_RENDER_GROUPS_SHOWN) {
            skr_strbuf_addf(&b, ",+%zu", json_array_size(list) - i);
            break;
        }
        skr_strbuf_addf(&b, "%s%s%s%s", i ? "," : "",
                        d->namespaces ? skr_object_text(group, "namespace") : "",
                        d->namespaces ? "/" : "", skr_object_text(group, "name"));
        if (leaf) {
            skr_strbuf_addc(&b, ':');
            if (json_array_size(json_object_get(group, "roles")) > 0) {
                skr_render_role_counts(group, "+", &b);
            } else {
                skr_strbuf_addf(&b, "%" PRId64, skr_page_int(group, "pods"));
            }
            if (skr_page_int(group, "held") > 0) {
                skr_strbuf_addf(&b, "+%" PRId64, skr_page_int(group, "held"));
            }
        }
    }
    skr_text_table_add(&d->table, b.s, b.len ? SKR_HUE_NONE : SKR_HUE_DIM);
}

/* ---- the whole ---- */

static void add_header(struct drawing *d)
{
    SKR_STRBUF(b);
    skr_amount_add_label(&b, d->resource);
    const char *const titles[COLUMNS] = {"NAME", "READY", b.s, "USE", "SLOTS", "CLASS", "GROUPS"};
    for (size_t i = 0; i < COLUMNS; i++) {
        if (d->classes || strcmp(titles[i], "CLASS") != 0) {
            skr_text_table_add(&d->table, titles[i], SKR_HUE_NONE);
        }
    }
}

static int add_unit(struct drawing *d, const struct frame *frame, size_t depth, const json_t *unit,
                    struct skr_error *error)
{
    const char *name = skr_object_text(unit, "name");
    const bool leaf = !skr_page_list(unit, "children");
    if (!*name || !json_is_integer(json_object_get(unit, "slots")) ||
        !json_is_object(json_object_get(unit, "allocatable"))) {
        return skr_error_set(error, SKR_INVALID,
                             "the answer has a unit without name, slots or allocatable");
    }
    add_name(d, frame, depth, name);
    add_ready(d, unit, leaf);
    add_use(d, unit, leaf);
    add_slots(d, unit);
    if (d->classes) {
        add_classes(d, unit);
    }
    add_groups(d, unit, leaf);
    return 0;
}

static int add_units(struct drawing *d, const json_t *root, struct skr_error *error)
{
    struct frame frame[SKR_LEVELS_MAX] = {{0}};
    size_t depth = 0;
    int rc = add_unit(d, frame, 0, root, error);
    const json_t *children = skr_page_list(root, "children");
    if (rc < 0 || !children) {
        return rc;
    }
    frame[depth++] = (struct frame){.children = children};
    while (rc == 0 && depth > 0) {
        struct frame *f = &frame[depth - 1];
        if (f->next == json_array_size(f->children)) {
            depth--;
            continue;
        }
        const json_t *unit = json_array_get(f->children, f->next++);
        rc = add_unit(d, frame, depth, unit, error);
        children = skr_page_list(unit, "children");
        if (rc == 0 && children && depth == SKR_LEVELS_MAX) {
            rc = skr_error_set(error, SKR_INVALID, "the answer's tree has more than %d levels",
                               SKR_LEVELS_MAX);
        } else if (children) {
            frame[depth++] = (struct frame){.children = children};
        }
    }
    return rc;
}

static bool has_namespaces(const json_t *root)
{
    const json_t *list = skr_page_list(root, "groups"), *group;
    size_t i;
    json_array_foreach(list, i, group)
    {
        if (strcmp(skr_object_text(group, "namespace"),
                   skr_object_text(json_array_get(list, 0), "namespace")) != 0) {
            return true;
        }
    }
    return false;
}

static void add_notes(const json_t *page, struct skr_strbuf *notes)
{
    const int64_t outside = skr_page_int(page, "nodesNotInTree");
    const json_t *warnings = skr_page_list(page, "warnings"), *one;
    size_t i;
    SKR_STRBUF(first);
    json_array_foreach(warnings, i, one)
    {
        SKR_STRBUF(text);
        skr_page_add_clean(&text, skr_object_text(one, "message"), false);
        skr_strbuf_addf(notes, "%s\n", text.s ? text.s : "");
    }
    if (outside <= 0 || *skr_object_text(page, "missingLabel")) {
        return;
    }
    skr_page_add_clean(&first, skr_object_text(page, "firstNotInTree"), false);
    skr_strbuf_addf(notes, "%" PRId64 " Ready node%s not in the tree, first: %s\n", outside,
                    outside == 1 ? " is" : "s are", first.s ? first.s : "");
}

int skr_render_tree(const json_t *page, const struct skr_render *how, struct skr_strbuf *out,
                    struct skr_strbuf *notes, struct skr_error *error)
{
    const json_t *root = json_object_get(page, "root");
    struct drawing d = {.how = how,
                        .resource = skr_object_text(page, "resource"),
                        .namespaces = has_namespaces(root),
                        .classes = json_object_get(root, "classes")};
    if (!json_is_object(root) || !*d.resource) {
        return skr_error_set(error, SKR_INVALID, "the answer has no root or no resource");
    }
    skr_text_table_init(&d.table, d.classes ? COLUMNS : COLUMNS - 1, how->coloured);
    if (!how->no_headers) {
        add_header(&d);
    }
    const int rc = add_units(&d, root, error);
    if (rc == 0) {
        skr_text_table_write(&d.table, out);
        add_notes(page, notes);
    }
    skr_text_table_fini(&d.table);
    return rc;
}
