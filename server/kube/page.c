/* SPDX-License-Identifier: Apache-2.0 */
/* A page is read item by item, so that the tape holds one object; a line is read as one value. */
#include "server/kube/page.h"

#include <string.h>

/* ---- broken objects ---- */

/* The cursor goes to the value of a member of the broken object before it. false: there is none, as far as
 * can be seen. */
static bool find_broken(struct skr_json_reader *reader, const char *quoted)
{
    if (skr_json_peek(reader) != '{') {
        return false;
    }
    reader->pos++;
    for (;;) {
        (void)skr_json_peek(reader);
        const size_t from = reader->pos;
        if (!skr_json_skip_broken(reader)) {
            return false;
        }
        const size_t n = reader->pos - from;
        const bool found = n == strlen(quoted) && memcmp(reader->text + from, quoted, n) == 0;
        if (skr_json_peek(reader) != ':') {
            return false;
        }
        reader->pos++;
        if (found) {
            return true;
        }
        if (!skr_json_skip_broken(reader) || skr_json_peek(reader) != ',') {
            return false;
        }
        reader->pos++;
    }
}

/* Which object it is: SKR_INVALID if it has no name. */
static int identify_broken(struct skr_feed *feed, const char *text, size_t n,
                           struct skr_kube_identity *ret, struct skr_error *error)
{
    static const char *const key[SKR_KUBE_NAMES] = {"\"namespace\"", "\"name\"", "\"uid\"",
                                                    "\"resourceVersion\""};
    SKR_JSON_READER(reader);
    skr_json_begin(&reader, text, n);
    const bool found = find_broken(&reader, "\"metadata\"");
    const size_t metadata = reader.pos;
    skr_strbuf_reset(&feed->names);
    for (size_t i = 0; i < SKR_KUBE_NAMES; i++) {
        const struct skr_json *value = NULL;
        reader.pos = metadata;
        reader.what = NULL;
        if (!found || !find_broken(&reader, key[i]) || !skr_json_read(&reader, &value)) {
            value = NULL;
        }
        skr_kube_name_add(&feed->names, value);
    }
    return skr_kube_names_take(&feed->names, ret, error);
}

/* ---- pages ---- */

/* Passes over the item at the cursor, which is no JSON. */
static int take_broken(struct skr_feed *feed, size_t from, struct skr_error *error)
{
    struct skr_json_reader *reader = &feed->reader;
    struct skr_kube_identity id;
    struct skr_error why, none;
    (void)skr_kube_not_json(reader, from, &why);
    reader->pos = from;
    if (!skr_json_skip_broken(reader)) {
        return skr_error_set(error, SKR_INVALID, "list whose items cannot be told apart");
    }
    if (identify_broken(feed, reader->text + from, reader->pos - from, &id, &none) < 0) {
        return skr_error_set(error, SKR_INVALID, "list with an item that has no name: %s",
                             why.text);
    }
    skr_feed_unreadable(feed, &id, why.text);
    return 0;
}

static int take_items(struct skr_feed *feed, struct skr_error *error)
{
    struct skr_json_reader *reader = &feed->reader;
    const struct skr_json *item;
    bool first = true;
    if (skr_json_peek(reader) == 'n') {
        return skr_json_read(reader, &item) ? 0 : skr_kube_not_json(reader, 0, error);
    }
    if (!skr_json_enter(reader, '[')) {
        return skr_error_set(error, SKR_INVALID, "list whose items are no array");
    }
    while (skr_json_element(reader, &first)) {
        (void)skr_json_peek(reader);
        const size_t from = reader->pos;
        if (skr_json_read(reader, &item)) {
            skr_feed_upsert(feed, item);
            continue;
        }
        const int rc = take_broken(feed, from, error);
        if (rc < 0) {
            return rc;
        }
    }
    return reader->what ? skr_kube_not_json(reader, 0, error) : 0;
}

static void set_text(struct skr_strbuf *to, const struct skr_json *value)
{
    skr_strbuf_reset(to);
    if (value && value->type == SKR_JSON_STRING) {
        skr_strbuf_addn(to, value->text, value->n);
    }
}

static int take_metadata(struct skr_json_reader *reader, struct skr_kube_page *page,
                         struct skr_error *error)
{
    const struct skr_json *metadata;
    if (!skr_json_read(reader, &metadata)) {
        return skr_kube_not_json(reader, 0, error);
    }
    if (metadata->type != SKR_JSON_OBJECT) {
        return skr_error_set(error, SKR_INVALID, "list without metadata and items");
    }
    set_text(&page->version, skr_json_get(metadata, "resourceVersion"));
    set_text(&page->next, skr_json_get(metadata, "continue"));
    return 0;
}

int skr_kube_page_take(struct skr_feed *feed, const char *text, size_t n, struct skr_kube_page *ret,
                       struct skr_error *error)
{
    struct skr_json_reader *reader = &feed->reader;
    struct skr_json key;
    bool first = true, has_metadata = false, has_items = false;
    int rc = 0;
    skr_json_begin(reader, text, n);
    if (!skr_json_enter(reader, '{')) {
        return skr_kube_not_json(reader, 0, error);
    }
    while (rc == 0 && skr_json_member(reader, &first, &key)) {
        if (skr_json_is(&key, "metadata")) {
            has_metadata = true;
            rc = take_metadata(reader, ret, error);
        } else if (skr_json_is(&key, "items")) {
            has_items = true;
            rc = take_items(feed, error);
        } else if (!skr_json_skip_broken(reader)) {
            break;
        }
    }
    if (rc < 0) {
        return rc;
    }
    if (!skr_json_finish(reader)) {
        return skr_kube_not_json(reader, 0, error);
    }
    return has_metadata && has_items
               ? 0
               : skr_error_set(error, SKR_INVALID, "list without metadata and items");
}

/* ---- lines ---- */

static enum skr_kube_line_type type_of(const struct skr_json *type)
{
    static const char *const name[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
    _Static_assert(sizeof name / sizeof name[0] == SKR_KUBE_LINE_UNKNOWN, "a name for each type");
    size_t i = 0;
    while (i < SKR_KUBE_LINE_UNKNOWN && !skr_json_is(type, name[i])) {
        i++;
    }
    return (enum skr_kube_line_type)i;
}

/* A line that is no JSON; why: says the reader. */
static int take_broken_line(struct skr_feed *feed, struct skr_kube_line *ret,
                            struct skr_error *error)
{
    struct skr_json_reader *reader = &feed->reader;
    const struct skr_json *value = NULL;
    struct skr_kube_identity id;
    struct skr_error why;
    (void)skr_kube_not_json(reader, 0, &why);
    reader->pos = 0;
    bool found = skr_json_skip_broken(reader);
    reader->pos = 0;
    found = found && find_broken(reader, "\"object\"");
    (void)skr_json_peek(reader);
    const size_t from = reader->pos;
    if (!found || !skr_json_skip_broken(reader)) {
        return skr_error_set(error, SKR_INVALID, "a watch line without an object");
    }
    const size_t n = reader->pos - from;
    reader->pos = from;
    if (skr_json_read(reader, &value)) {
        return skr_error_set(error, SKR_INVALID, "a watch line that is broken around its object");
    }
    if (identify_broken(feed, reader->text + from, n, &id, error) < 0) {
        return skr_error_set(error, SKR_INVALID, "a watch line with an object without a name");
    }
    reader->pos = 0;
    reader->what = NULL;
    if (!find_broken(reader, "\"type\"") || !skr_json_read(reader, &value)) {
        return skr_error_set(error, SKR_INVALID, "a watch line without type and object");
    }
    *ret = (struct skr_kube_line){.type = type_of(value), .version = id.version_text};
    if (ret->type == SKR_KUBE_LINE_DELETED) {
        skr_feed_delete(feed, &id);
    } else if (ret->type == SKR_KUBE_LINE_ADDED || ret->type == SKR_KUBE_LINE_MODIFIED) {
        skr_feed_unreadable(feed, &id, why.text);
    }
    return 0;
}

int skr_kube_line_take(struct skr_feed *feed, const char *text, size_t n, struct skr_kube_line *ret,
                       struct skr_error *error)
{
    static const char *const key[] = {"type", "object"};
    const struct skr_json *line, *member[2];
    struct skr_kube_identity id;
    struct skr_error none;
    if (skr_json_read_text(&feed->reader, text, n, &line, error) < 0) {
        return take_broken_line(feed, ret, error);
    }
    skr_json_members(line, key, 2, member);
    if (!member[0] || member[0]->type != SKR_JSON_STRING || member[0]->n == 0 || !member[1] ||
        member[1]->type != SKR_JSON_OBJECT) {
        return skr_error_set(error, SKR_INVALID, "a watch line without type and object");
    }
    *ret = (struct skr_kube_line){.type = type_of(member[0]), .object = member[1]};
    if (ret->type == SKR_KUBE_LINE_ADDED || ret->type == SKR_KUBE_LINE_MODIFIED) {
        skr_feed_upsert(feed, ret->object);
    }
    const int rc = skr_kube_identity_read(ret->object, &feed->names, &id, &none);
    if (ret->type == SKR_KUBE_LINE_DELETED && rc == 0) {
        skr_feed_delete(feed, &id);
    } else if (ret->type == SKR_KUBE_LINE_DELETED) {
        skr_feed_upsert(feed, ret->object); /* reports that it has no name */
    }
    ret->version = id.version_text;
    return 0;
}
