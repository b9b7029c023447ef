/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One cursor over the text that knows strings and the depth of brackets. It does not check what it
 * passes: what it cuts out is checked by the JSON parser, and where it stumbles the document as a
 * whole counts as unreadable.
 */
#include "server/kube/salvage.h"

#include <stdbool.h>
#include <string.h>

#include "server/kube/decode.h"

struct slice {
    const char *text;
    size_t n;
};

static void skip_blanks(struct slice *s)
{
    while (s->n > 0 &&
           (*s->text == ' ' || *s->text == '\t' || *s->text == '\r' || *s->text == '\n')) {
        s->text++;
        s->n--;
    }
}

static void skip(struct slice *s, size_t n)
{
    s->text += n;
    s->n -= n;
}

/* Bytes of the string that begins s, with its quotes; 0: it does not end. */
static size_t string_length(const struct slice *s)
{
    for (size_t i = 1; i < s->n; i++) {
        if (s->text[i] == '\\') {
            i++;
        } else if (s->text[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

/* Bytes of the value that begins s; 0: it does not end within. */
static size_t value_length(const struct slice *s)
{
    size_t depth = 0;
    size_t i = 0;
    while (i < s->n) {
        const char c = s->text[i];
        if (c == '"') {
            const struct slice rest = {s->text + i, s->n - i};
            const size_t length = string_length(&rest);
            if (length == 0) {
                return 0;
            }
            i += length;
        } else if (depth == 0 && strchr(",:]} \t\r\n", c) && c != '\0') {
            return i;
        } else {
            if (c == '{' || c == '[') {
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            }
            i++;
        }
        if (depth == 0 && (c == '"' || c == '}' || c == ']')) {
            return i;
        }
    }
    return 0;
}

/* Cuts the value that comes next out of s. */
static bool take_value(struct slice *s, struct slice *ret)
{
    skip_blanks(s);
    *ret = (struct slice){s->text, value_length(s)};
    skip(s, ret->n);
    skip_blanks(s);
    return ret->n > 0;
}

static bool take_byte(struct slice *s, char c)
{
    skip_blanks(s);
    if (s->n == 0 || *s->text != c) {
        return false;
    }
    skip(s, 1);
    return true;
}

/* The value of a member of the object; false: there is none, as far as it can be read. */
static bool find_member(struct slice object, const char *name, struct slice *ret)
{
    const size_t length = strlen(name);
    struct slice key;
    struct slice value;
    bool more = take_byte(&object, '{');
    while (more && take_value(&object, &key) && take_byte(&object, ':') &&
           take_value(&object, &value)) {
        if (key.n == length + 2 && memcmp(key.text + 1, name, length) == 0) {
            *ret = value;
            return true;
        }
        more = take_byte(&object, ',');
    }
    return false;
}

/* A string member, or "". */
static json_t *text_member(struct slice object, const char *name)
{
    struct slice value;
    json_t *json = NULL;
    if (find_member(object, name, &value)) {
        json = json_loadb(value.text, value.n, JSON_DECODE_ANY, NULL);
    }
    if (!json_is_string(json)) {
        json_decref(json);
        json = json_string("");
    }
    return json;
}

/* A message of the parser may end in the middle of a character. */
static json_t *reason_of(const struct skr_error *why)
{
    json_t *text = json_string(why->text);
    return text ? text : json_string("not JSON");
}

/* NULL: it has no name. */
static json_t *stub_of(struct slice object, const struct skr_error *why)
{
    struct slice metadata = {"", 0};
    (void)find_member(object, "metadata", &metadata);
    json_t *name = text_member(metadata, "name");
    if (json_string_length(name) == 0) {
        json_decref(name);
        return NULL;
    }
    return json_pack("{s:{s:o,s:o,s:o,s:o},s:o}", "metadata", "namespace",
                     text_member(metadata, "namespace"), "name", name, "uid",
                     text_member(metadata, "uid"), "resourceVersion",
                     text_member(metadata, "resourceVersion"), "error", reason_of(why));
}

/* Adds the item to one of the two arrays. */
static int take_item(struct slice item, json_t *readable, json_t *unreadable,
                     struct skr_error *error)
{
    struct skr_error why = {0};
    json_t *json = NULL;
    if (skr_kube_json_parse(item.text, item.n, &json, &why) == 0) {
        json_array_append_new(readable, json);
        return 0;
    }
    json = stub_of(item, &why);
    if (!json) {
        return skr_error_set(error, SKR_INVALID, "list with an item that has no name: %s",
                             why.text);
    }
    json_array_append_new(unreadable, json);
    return 0;
}

static int take_items(struct slice items, json_t *readable, json_t *unreadable,
                      struct skr_error *error)
{
    struct slice item;
    if (!take_byte(&items, '[')) {
        return skr_error_set(error, SKR_INVALID, "list whose items are no array");
    }
    if (take_byte(&items, ']')) {
        return 0;
    }
    do {
        if (!take_value(&items, &item)) {
            return skr_error_set(error, SKR_INVALID, "list whose items cannot be told apart");
        }
        int rc = take_item(item, readable, unreadable, error);
        if (rc < 0) {
            return rc;
        }
    } while (take_byte(&items, ','));
    return 0;
}

int skr_salvage_page(const char *text, size_t n, json_t **ret_page, json_t **ret_unreadable,
                     struct skr_error *error)
{
    const struct slice page = {text, n};
    struct slice part;
    json_t *metadata = NULL;
    if (value_length(&page) == 0) {
        return skr_error_set(error, SKR_INVALID, "list that does not end");
    }
    if (!find_member(page, "metadata", &part)) {
        return skr_error_set(error, SKR_INVALID, "list without metadata");
    }
    int rc = skr_kube_json_parse(part.text, part.n, &metadata, error);
    if (rc < 0) {
        return rc;
    }
    json_t *readable = json_array();
    json_t *unreadable = json_array();
    rc = find_member(page, "items", &part)
             ? take_items(part, readable, unreadable, error)
             : skr_error_set(error, SKR_INVALID, "list without items that can be read");
    if (rc < 0) {
        json_decref(metadata);
        json_decref(readable);
        json_decref(unreadable);
        return rc;
    }
    *ret_page = json_pack("{s:o,s:o}", "metadata", metadata, "items", readable);
    *ret_unreadable = unreadable;
    return 0;
}

int skr_salvage_line(const char *text, size_t n, json_t **ret, struct skr_error *error)
{
    const struct slice line = {text, n};
    struct slice object = {"", 0};
    struct skr_error why = {0};
    json_t *json = NULL;
    if (value_length(&line) == 0 || !find_member(line, "object", &object)) {
        return skr_error_set(error, SKR_INVALID, "a watch line without an object");
    }
    if (skr_kube_json_parse(object.text, object.n, &json, &why) == 0) {
        json_decref(json);
        return skr_error_set(error, SKR_INVALID, "a watch line that is broken around its object");
    }
    json_t *stub = stub_of(object, &why);
    if (!stub) {
        return skr_error_set(error, SKR_INVALID, "a watch line with an object without a name");
    }
    *ret = json_pack("{s:o,s:o}", "type", text_member(line, "type"), "object", stub);
    return 0;
}
