/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The read side: a dump, then path, resource, slot and domain of a question about it. What is
 * answered is JSON of a known kind and can be drawn; what is refused says why; asking twice gives
 * the same bytes. What is no dump is taken for an answer, which is drawn or refused.
 */
#include "server/client/source.h"
#include "server/render/page.h"
#include "server/render/render.h"
#include "test/fuzz/fuzz.h"
#include "test/unit/text_file.h"
#include "topology/base/json_field.h"

enum { DUMP, PATH, RESOURCE, SLOT, DOMAIN, PARTS };

static void check_drawn(const struct skr_strbuf *out)
{
    for (size_t i = 0; i < out->len; i++) {
        const unsigned char c = (unsigned char)out->s[i];
        fuzz_check(c == '\n' || (c >= 0x20 && c != 0x7f));
    }
    fuzz_check(fuzz_is_utf8(out->s ? out->s : "", out->len));
}

/* Refused or drawn; an answer of ours must be drawn. */
static void draw(const json_t *page, bool ours)
{
    const struct skr_render how = {.ascii = false};
    const char *kind = skr_object_text(page, "kind");
    SKR_STRBUF(out);
    SKR_STRBUF(notes);
    struct skr_error error = {0};
    struct skr_groups_table table;
    const json_t *item;
    size_t i;
    int rc = skr_render_tree(page, &how, &out, &notes, &error);
    fuzz_check(!ours || strcmp(kind, "Tree") != 0 || rc == 0);
    rc = skr_render_group(page, &how, &out, &error);
    fuzz_check(!ours || strcmp(kind, "Group") != 0 || rc == 0);
    skr_groups_table_init(&table, true, true, false);
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        rc = skr_groups_table_add(&table, item, skr_page_time(page, "time"), &error);
        fuzz_check(!ours || strcmp(kind, "GroupList") != 0 || rc == 0);
    }
    skr_text_table_write(&table.table, &out);
    check_drawn(&out);
    check_drawn(&notes);
    skr_strbuf_reset(&out);
    skr_page_write_yaml(page, &out);
    skr_page_write_json(page, &out);
    skr_groups_table_fini(&table);
}

static void ask(struct skr_dump *dump, const struct skr_view_query *query)
{
    SKR_STRBUF(out);
    SKR_STRBUF(again);
    struct skr_error error = {0};
    const int rc = skr_source_dump(dump, query, &out, &error);
    fuzz_check(skr_source_dump(dump, query, &again, NULL) == rc);
    if (rc == 0) {
        fuzz_check(out.len == again.len && memcmp(out.s, again.s, out.len) == 0);
        json_auto_t *page = fuzz_json(out.s, out.len);
        draw(page, true);
    } else {
        fuzz_check(error.text[0] != '\0');
    }
}

static void ask_all(struct skr_dump *dump, char **part, size_t n)
{
    const struct skr_view_query query = {
        .path = n > PATH ? part[PATH] : "/v1/tree",
        .argument = {[SKR_VIEW_RESOURCE] = n > RESOURCE ? part[RESOURCE] : NULL,
                     [SKR_VIEW_SLOT] = n > SLOT ? part[SLOT] : NULL,
                     [SKR_VIEW_DOMAIN] = n > DOMAIN ? part[DOMAIN] : NULL}};
    const struct skr_view_query tree = {.path = "/v1/tree"}, groups = {.path = "/v1/groups"};
    ask(dump, &query);
    ask(dump, &tree);
    ask(dump, &groups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *part[PARTS];
    SKR_STRBUF(messages);
    struct skr_error error = {0};
    struct skr_dump *dump = NULL;
    const size_t n = fuzz_split(text, part, PARTS);
    struct text_file file = text_file_make(part[DUMP], strlen(part[DUMP]));
    if (skr_dump_read(&(const struct skr_client_options){.file = file.path}, &dump, &messages,
                      &error) == 0) {
        ask_all(dump, part, n);
    } else {
        fuzz_check(error.text[0] != '\0' && messages.len > 0);
    }
    text_file_close(&file);
    json_auto_t *page = json_loads(part[DUMP], 0, NULL);
    if (page) {
        draw(page, false);
    }
    skr_dump_destroy(dump);
    free(text);
    return 0;
}
