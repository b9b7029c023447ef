/* SPDX-License-Identifier: Apache-2.0 */
/* Roles and sets of a group: see group_roles.h. */
#include "server/render/group_roles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "server/render/page.h"
#include "server/render/render.h"
#include "topology/base/json_field.h"

/* The key of a role that is shown beside its size; NULL: none. */
static const char *counted_of(const json_t *page)
{
    const char *counted = skr_render_pods_counted(skr_object_text(page, "status"));
    return strcmp(counted, "succeeded") == 0 ? NULL : counted;
}

void skr_render_roles_cell(const json_t *item, struct skr_strbuf *out)
{
    const char *counted = counted_of(item);
    const json_t *role;
    size_t i;
    skr_strbuf_add(out, "");
    if (!counted) {
        return;
    }
    json_array_foreach(skr_page_list(item, "roles"), i, role)
    {
        skr_strbuf_add(out, i ? "," : "");
        skr_page_add_clean(out, skr_object_text(role, "name"), true);
        skr_strbuf_addf(out, ":%" PRId64 "/%" PRId64, skr_page_int(role, counted),
                        skr_page_int(role, "size"));
    }
}

void skr_render_role_counts(const json_t *unit, const char *between, struct skr_strbuf *out)
{
    const json_t *role;
    size_t i;
    json_array_foreach(skr_page_list(unit, "roles"), i, role)
    {
        skr_strbuf_addf(out, "%s%" PRId64, i ? between : "", skr_page_int(role, "pods"));
        skr_page_add_clean(out, skr_object_text(role, "letter"), true);
    }
}

void skr_render_role_letters(const json_t *unit, struct skr_strbuf *out)
{
    const json_t *role;
    size_t i;
    json_array_foreach(skr_page_list(unit, "roles"), i, role)
    {
        skr_strbuf_add(out, i ? " " : "");
        skr_page_add_clean(out, skr_object_text(role, "letter"), true);
        skr_strbuf_addf(out, "%" PRId64, skr_page_int(role, "pods"));
    }
    skr_strbuf_add(out, i ? "  " : "");
}

void skr_render_set_rule(const json_t *kind, struct skr_strbuf *out)
{
    const char *level = skr_object_text(kind, "level"), *name;
    const json_t *each = json_object_get(kind, "each"), *n;
    size_t i = 0;
    skr_strbuf_add(out, "sets of ");
    json_object_foreach((json_t *)(uintptr_t)each, name, n)
    {
        skr_strbuf_addf(out, "%s%" PRId64 " ", i++ ? " + " : "", (int64_t)json_integer_value(n));
        skr_page_add_clean(out, name, true);
    }
    skr_strbuf_add(out, ", each in one ");
    skr_page_add_clean(out, level, true);
    if (skr_page_bool(kind, "exclusive")) {
        skr_strbuf_add(out, ", one a ");
        skr_page_add_clean(out, level, true);
    }
}

void skr_render_group_roles(const json_t *page, struct skr_text_table *table)
{
    const char *counted = counted_of(page);
    const json_t *role;
    size_t i;
    if (!counted) {
        return;
    }
    json_array_foreach(skr_page_list(page, "roles"), i, role)
    {
        char text[64];
        snprintf(text, sizeof text, "%" PRId64 " of %" PRId64 "%s", skr_page_int(role, counted),
                 skr_page_int(role, "size"), strcmp(counted, "present") == 0 ? " there" : "");
        skr_text_table_add(table, skr_object_text(role, "name"), SKR_HUE_NONE);
        skr_text_table_add_drawn(table, text, SKR_HUE_NONE);
    }
}

static void add_set(struct skr_text_table *table, size_t kinds, size_t kind, size_t set,
                    const json_t *unit)
{
    const char *text = json_string_value(unit);
    char name[64];
    if (kinds > 1) {
        snprintf(name, sizeof name, "set %zu/%zu", kind, set);
    } else {
        snprintf(name, sizeof name, "set %zu", set);
    }
    skr_text_table_add_drawn(table, name, SKR_HUE_NONE);
    skr_text_table_add(table, text ? text : "", SKR_HUE_NONE);
}

void skr_render_group_sets(const json_t *page, struct skr_text_table *table)
{
    const json_t *kinds = skr_page_list(page, "sets"), *kind, *unit;
    size_t k, s;
    json_array_foreach(kinds, k, kind)
    {
        json_array_foreach(skr_page_list(kind, "units"), s, unit)
        {
            add_set(table, json_array_size(kinds), k, s, unit);
        }
    }
}
