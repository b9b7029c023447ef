/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that would be evicted: a sentence, a table of victims, and the groups that stay in the way. */
#include "server/render/explain_parts.h"

#include "server/render/explain_text.h"
#include "server/render/page.h"
#include "server/render/text_table.h"
#include "topology/base/json_field.h"

enum { VICTIMS_SHOWN = 4 }; /* unless verbose */

static void add_number(struct skr_text_table *table, int64_t n)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)n);
    skr_text_table_add(table, text, SKR_HUE_NONE);
}

static void add_nodes(struct skr_text_table *table, const json_t *victim)
{
    const json_t *list = json_object_get(victim, "nodes");
    int64_t all = skr_page_int(victim, "nodesInAll");
    SKR_STRBUF(b);
    SKR_STRBUF(clean);
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n; i++) {
        const char *node = json_string_value(json_array_get(list, i));
        skr_strbuf_addf(&b, "%s%s", i > 0 ? ", " : "", node ? node : "?");
    }
    if (all > (int64_t)n) {
        skr_strbuf_addf(&b, " and %lld more", (long long)(all - (int64_t)n));
    }
    skr_page_add_clean(&clean, b.len > 0 ? b.s : "<none>", false);
    skr_text_table_add_drawn(table, clean.s, SKR_HUE_NONE);
}

static void add_victim(const json_t *x, const json_t *victim, bool leaving,
                       struct skr_text_table *table)
{
    const char *group = skr_object_text(victim, "group");
    const char *key = skr_explain_short_key(x, group[0] ? group : skr_object_text(victim, "pod"));
    SKR_STRBUF(name);
    skr_strbuf_addf(&name, "%s%s", group[0] ? "" : "pod/", key);
    skr_text_table_add(table, name.s, SKR_HUE_NONE);
    if (!leaving) {
        add_number(table, skr_page_int(victim, "priority"));
    }
    add_number(table, skr_page_int(victim, "pods"));
    if (leaving) {
        add_number(table, skr_page_int(victim, "left"));
    } else {
        add_nodes(table, victim);
    }
}

static void add_heads(bool leaving, struct skr_text_table *table)
{
    static const char *const before[] = {"VICTIM", "PRIORITY", "PODS", "NODES"};
    static const char *const during[] = {"VICTIM", "PODS", "LEFT"};
    for (size_t i = 0;
         i < (leaving ? sizeof during / sizeof *during : sizeof before / sizeof *before); i++) {
        skr_text_table_add(table, leaving ? during[i] : before[i], SKR_HUE_NONE);
    }
}

static void write_victims(const json_t *x, const json_t *preemption, bool verbose,
                          struct skr_strbuf *out)
{
    const json_t *list = json_object_get(preemption, "victims");
    size_t n = json_array_size(list), shown = verbose || n <= VICTIMS_SHOWN ? n : VICTIMS_SHOWN;
    const bool leaving = json_object_get(json_array_get(list, 0), "left");
    struct skr_text_table table;
    SKR_STRBUF(lines);
    if (n == 0) {
        return;
    }
    skr_text_table_init(&table, leaving ? 3 : 4, false);
    add_heads(leaving, &table);
    for (size_t i = 0; i < shown; i++) {
        add_victim(x, json_array_get(list, i), leaving, &table);
    }
    skr_text_table_write(&table, &lines);
    skr_explain_add_lines(&lines, verbose, out);
    if (shown < n) {
        skr_strbuf_addf(out, "  and %zu more, see -v\n", n - shown);
    }
    skr_text_table_fini(&table);
}

static void write_spared(const json_t *preemption, struct skr_strbuf *out)
{
    const json_t *list = json_object_get(preemption, "spared"), *row;
    SKR_STRBUF(b);
    size_t i;
    if (json_array_size(list) == 0) {
        return;
    }
    json_array_foreach(list, i, row)
    {
        skr_strbuf_addf(&b, "%s%s", i > 0 ? "; " : "", skr_object_text(row, "text"));
    }
    skr_strbuf_addc(&b, '.');
    skr_explain_add_wrapped(out, "  In the way and not evicted: ", SKR_EXPLAIN_INDENT + 2, b.s);
}

void skr_explain_write_preemption(const json_t *explanation, bool verbose, struct skr_strbuf *out)
{
    const json_t *preemption = json_object_get(explanation, "preemption");
    SKR_STRBUF(b);
    if (!json_is_object(preemption)) {
        return;
    }
    skr_strbuf_addf(&b, "%s.", skr_object_text(preemption, "text"));
    skr_strbuf_addc(out, '\n');
    skr_explain_add_wrapped(out, "  Preemption: ", SKR_EXPLAIN_INDENT + 2, b.s);
    write_victims(explanation, preemption, verbose, out);
    write_spared(preemption, out);
}
