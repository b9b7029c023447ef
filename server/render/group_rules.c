/* SPDX-License-Identifier: Apache-2.0 */
#include "server/render/group_rules.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "server/render/group_roles.h"
#include "server/render/page.h"
#include "topology/base/json_field.h"

/* "partition 2", "pack", "spread, range 2..4, factor 2" */
static void say_rule(const json_t *c, struct skr_strbuf *b)
{
    const bool hard = skr_page_bool(c, "hard");
    const bool pack = strcmp(skr_object_text(c, "type"), "pack") == 0;
    const int64_t partitions = hard ? 0 : skr_page_int(c, "partitions");
    const int64_t min = hard ? 0 : skr_page_int(c, "min"), max = hard ? 0 : skr_page_int(c, "max");
    const int64_t factor = hard ? 0 : skr_page_int(c, "factor");
    if (!pack || partitions <= 0) {
        skr_page_add_clean(b, skr_object_text(c, "type"), true);
    }
    if (partitions > 0) {
        skr_strbuf_addf(b, "%spartition %" PRId64, pack ? "" : ", ", partitions);
    }
    if (min > 0 && max > 0) {
        skr_strbuf_addf(b, ", range %" PRId64 "..%" PRId64, min, max);
    } else if (min > 0 || max > 0) {
        skr_strbuf_addf(b, ", %s %" PRId64, min > 0 ? "min" : "max", min > 0 ? min : max);
    }
    if (factor > 1) {
        skr_strbuf_addf(b, ", factor %" PRId64, factor);
    }
}

/* Numbers bind where the type is a wish; "hard" makes the type bind, and sets them aside. */
static const char *force_of(const json_t *c)
{
    const bool numbers = skr_page_int(c, "partitions") > 0 || skr_page_int(c, "min") > 0 ||
                         skr_page_int(c, "max") > 0 || skr_page_int(c, "factor") > 1;
    return skr_page_bool(c, "hard") ? "(hard)" : numbers ? "(required)" : "(soft)";
}

static size_t widest_force(const json_t *list)
{
    size_t most = 0, i;
    const json_t *c;
    json_array_foreach(list, i, c)
    {
        const size_t width = strlen(force_of(c));
        most = width > most ? width : most;
    }
    return most;
}

static size_t widest(const json_t *list, bool rules)
{
    size_t most = 0, i;
    const json_t *c;
    json_array_foreach(list, i, c)
    {
        SKR_STRBUF(b);
        skr_strbuf_add(&b, "");
        if (rules) {
            say_rule(c, &b);
        } else {
            skr_page_add_clean(&b, skr_object_text(c, "level"), true);
        }
        const size_t width = skr_page_width(b.s);
        most = width > most ? width : most;
    }
    return most;
}

/* From a column on. */
static void say_whether_met(const json_t *c, size_t column, struct skr_strbuf *b)
{
    SKR_STRBUF(text);
    if (!skr_page_bool(c, "known")) {
        skr_strbuf_add(b, "   the tree has no such level");
    } else if (json_is_boolean(json_object_get(c, "met"))) {
        skr_strbuf_addf(&text, "%s: %s", skr_page_bool(c, "met") ? "satisfied" : "violated",
                        skr_object_text(c, "use"));
        skr_page_pad(b, 3);
        skr_page_add_words(b, column + 3, column + 3, text.s);
    }
}

/* Rules of the group, then those of roles under "ROLE.LEVEL". New reference. */
static json_t *all_constraints(const json_t *page)
{
    json_t *all = json_array();
    const json_t *c;
    size_t i;
    json_array_extend(all, (json_t *)(uintptr_t)skr_page_list(page, "constraints"));
    json_array_foreach(skr_page_list(page, "roleConstraints"), i, c)
    {
        SKR_STRBUF(name);
        json_t *copy = json_copy((json_t *)(uintptr_t)c);
        skr_strbuf_addf(&name, "%s.%s", skr_object_text(c, "role"), skr_object_text(c, "level"));
        json_object_set_new(copy, "level", json_string(name.s));
        json_array_append_new(all, copy);
    }
    return all;
}

void skr_render_group_rules(const json_t *page, size_t column, struct skr_strbuf *out)
{
    json_auto_t *list = all_constraints(page);
    const json_t *sets = skr_page_list(page, "sets"), *c;
    const size_t levels = widest(list, false), rules = widest(list, true);
    const size_t forces = widest_force(list);
    size_t i;
    if (json_array_size(list) + json_array_size(sets) == 0) {
        skr_strbuf_add(out, "<none>\n");
    }
    json_array_foreach(list, i, c)
    {
        SKR_STRBUF(cell);
        skr_page_pad(out, i ? column : 0);
        skr_page_add_clean(&cell, skr_object_text(c, "level"), true);
        skr_strbuf_add(out, cell.len ? cell.s : "?");
        skr_page_pad(out, levels + 2 - (cell.len ? skr_page_width(cell.s) : 1));
        skr_strbuf_reset(&cell);
        say_rule(c, &cell);
        skr_strbuf_add(out, cell.len ? cell.s : "");
        skr_page_pad(out, rules + 1 - (cell.len ? skr_page_width(cell.s) : 0));
        const char *force = force_of(c);
        skr_strbuf_add(out, force);
        skr_page_pad(out, forces - strlen(force));
        say_whether_met(c, column + levels + 2 + rules + 1 + forces, out);
        skr_page_end_line(out);
    }
    json_array_foreach(sets, i, c)
    {
        skr_page_pad(out, i + json_array_size(list) ? column : 0);
        skr_render_set_rule(c, out);
        skr_page_end_line(out);
    }
}
