/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A text that begins with a brace or a bracket is a stream of JSON values; any other text is YAML.
 * Positions of values inside objects are looked up only for messages.
 */
#include "server/manifest/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/object/nulls.h"
#include "topology/base/arena.h"
#include "topology/base/json_position.h"

struct reader {
    const struct skr_manifest_visitor *visitor;
    const struct skr_value *root;    /* of the YAML document at hand; NULL: JSON */
    struct skr_manifest_place place; /* of the object at hand */
};

static void complain(struct reader *r, struct skr_yaml_mark mark, enum skr_manifest_fault fault,
                     enum skr_error_code code, const char *text)
{
    r->visitor->complain(r->visitor->context, mark, fault, code, text);
}

/* ---- positions ---- */

/* Lines of a text in front of which another text stands. */
static struct skr_yaml_mark shift(const struct skr_manifest_place *place, struct skr_position at)
{
    struct skr_yaml_mark mark = {at.line, at.column};
    size_t line_begin = 0;
    for (size_t i = 0; i < place->value_at; i++) {
        if (place->text[i] == '\n') {
            mark.line++;
            line_begin = i + 1;
        }
    }
    mark.column += at.line == 1 ? place->value_at - line_begin : 0;
    return mark;
}

enum { PATH_PARTS_MAX = 32, PATH_BYTES_MAX = 512 };

struct path {
    const char *part[PATH_PARTS_MAX + 1];
    size_t n;
    char store[2 * PATH_BYTES_MAX];
    size_t used;
};

/* Whether the value is there when this part is put behind the others; if not, it is taken away. */
static bool try_part(struct path *path, const char *text, const char *part, size_t n,
                     struct skr_position *found)
{
    if (path->n == PATH_PARTS_MAX || path->used + n + 1 > sizeof path->store) {
        return false;
    }
    char *copy = path->store + path->used;
    memcpy(copy, part, n);
    copy[n] = '\0';
    path->part[path->n] = copy;
    path->part[path->n + 1] = NULL;
    if (!skr_json_find_path(text, path->part, found)) {
        return false;
    }
    path->n++;
    path->used += n + 1;
    return true;
}

/* Bytes of the next part of the path and of the separator behind it. Keys may have dots, so the
 * longest key that exists counts. 0: there is none. */
static size_t next_part(struct path *path, const char *text, const char *rest,
                        struct skr_position *found)
{
    if (rest[0] == '[') {
        size_t n = strcspn(rest, "]");
        bool there = rest[n] == ']' && try_part(path, text, rest + 1, n - 1, found);
        return there ? n + (rest[n + 1] == '.' ? 2 : 1) : 0;
    }
    for (size_t n = strcspn(rest, "["); n > 0; n--) {
        bool ends = rest[n] == '\0' || rest[n] == '.' || rest[n] == '[';
        if (ends && try_part(path, text, rest, n, found)) {
            return n + (rest[n] == '.' ? 1 : 0);
        }
    }
    return 0;
}

/* style: as of skr_yaml_find(). */
static struct skr_yaml_mark find_json(const struct skr_manifest_place *place, const char *rest,
                                      enum skr_scalar_style *style)
{
    struct path path = {.n = 0};
    struct skr_position found = {1, 1};
    const char *text = place->text + place->value_at;
    size_t n;
    while (*rest != '\0' && (n = next_part(&path, text, rest, &found)) > 0) {
        rest += n;
    }
    *style = *rest == '\0' ? SKR_SCALAR_JSON : SKR_SCALAR_NONE;
    return shift(place, found);
}

static struct skr_yaml_mark find(const struct skr_manifest_place *place, const char *path,
                                 enum skr_scalar_style *style)
{
    char full[PATH_BYTES_MAX];
    (void)snprintf(full, sizeof full, "%s%s%s", place->prefix,
                   place->prefix[0] && path[0] ? "." : "", path);
    return place->is_json ? find_json(place, full, style)
                          : skr_yaml_find(place->text, place->n, place->document, full, style);
}

struct skr_yaml_mark skr_manifest_find(const struct skr_manifest_place *place, const char *path)
{
    enum skr_scalar_style style;
    return find(place, path, &style);
}

struct skr_yaml_mark skr_manifest_find_inside(const struct skr_manifest_place *place,
                                              const char *path, const char *value, size_t offset)
{
    enum skr_scalar_style style;
    struct skr_yaml_mark mark = find(place, path, &style);
    return style == SKR_SCALAR_NONE
               ? mark
               : skr_scalar_position(place->text, place->n, mark, style, value, offset);
}

/* ---- objects ---- */

static bool has_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text && text[0];
}

static void take_list(struct reader *r, json_t *list, struct skr_yaml_mark mark);

/* No object of an API server: null has a meaning, such as in the patches of a Scenario. */
static bool is_own(const json_t *object)
{
    return strncmp(json_string_value(json_object_get(object, "apiVersion")), "sakkara/", 8) == 0;
}

/* What the steps of a Scenario create are objects of an API server. */
static void resolve_created(json_t *scenario)
{
    json_t *step;
    size_t i;
    json_array_foreach(json_object_get(scenario, "steps"), i, step)
    {
        json_t *create = json_object_get(step, "create");
        json_t *list = json_is_array(create) ? create : json_object_get(create, "items");
        for (size_t k = 0; k < json_array_size(list); k++) {
            json_array_set_new(list, k, skr_nulls_resolved_alone(json_array_get(list, k)));
        }
        if (json_is_object(create) && !json_is_array(list)) {
            json_object_set_new(step, "create", skr_nulls_resolved_alone(create));
        }
    }
}

/* Takes object, whose place is the reader's. */
static void take_object(struct reader *r, json_t *object, struct skr_yaml_mark mark)
{
    const char *wrong = NULL;
    if (!json_is_object(object)) {
        wrong = "an API object is expected, with apiVersion and kind";
    } else if (!has_text(object, "kind")) {
        wrong = "kind is missing";
    } else if (!has_text(object, "apiVersion")) {
        wrong = "apiVersion is missing";
    } else if (json_is_array(json_object_get(object, "items"))) {
        take_list(r, object, mark);
        return;
    }
    if (wrong) {
        complain(r, skr_manifest_find(&r->place, ""), SKR_MANIFEST_FIELD, SKR_INVALID, wrong);
        json_decref(object);
        return;
    }
    if (is_own(object)) {
        resolve_created(object);
    } else {
        json_t *resolved = skr_nulls_resolved_alone(object);
        json_decref(object);
        object = resolved;
    }
    r->visitor->object(r->visitor->context, object, &r->place, mark);
}

/* Items of a typed list may leave out what the list says. */
static void inherit(json_t *item, const json_t *list, const char *item_kind)
{
    if (json_is_object(item) && !has_text(item, "kind")) {
        json_object_set_new(item, "kind", json_string(item_kind));
    }
    if (json_is_object(item) && !has_text(item, "apiVersion")) {
        json_object_set(item, "apiVersion", json_object_get(list, "apiVersion"));
    }
}

/* Where the first n items of the list at hand begin; how many are known. *ret: free(). */
static size_t find_items(const struct reader *r, size_t n, struct skr_yaml_mark **ret)
{
    size_t known = 0;
    struct skr_yaml_mark *mark = skr_alloc_array(n + 1, sizeof *mark);
    *ret = mark;
    if (r->root) {
        const struct skr_value *items = skr_value_member(r->root, "items");
        for (; items && !items->is_alias && known < n; known++) {
            mark[known] = items->item[known]->at;
        }
        return known;
    }
    SKR_AUTO_FREE struct skr_position *at = skr_alloc_array(n + 1, sizeof *at);
    const struct skr_yaml_mark begin = shift(&r->place, (struct skr_position){1, 1});
    known = skr_json_find_elements(r->place.text + r->place.value_at, "items", n, at);
    for (size_t i = 0; i < known; i++) {
        mark[i] = (struct skr_yaml_mark){begin.line + at[i].line - 1, at[i].column};
        mark[i].column += at[i].line == 1 ? begin.column - 1 : 0;
    }
    return known;
}

/* Takes list. */
static void take_list(struct reader *r, json_t *list, struct skr_yaml_mark mark)
{
    char item_kind[128];
    const char *kind = json_string_value(json_object_get(list, "kind"));
    size_t n = strlen(kind);
    json_t *items = json_object_get(list, "items");
    bool typed = n > 4 && strcmp(kind + n - 4, "List") == 0;
    if (r->place.prefix[0]) {
        complain(r, skr_manifest_find(&r->place, ""), SKR_MANIFEST_FIELD, SKR_INVALID,
                 "a list in a list");
        json_decref(list);
        return;
    }
    (void)snprintf(item_kind, sizeof item_kind, "%.*s", typed ? (int)(n - 4) : 0, kind);
    struct skr_yaml_mark *item;
    const size_t n_known = find_items(r, json_array_size(items), &item);
    for (size_t i = 0; i < json_array_size(items); i++) {
        json_t *object = json_array_get(items, i);
        if (typed) {
            inherit(object, list, item_kind);
        }
        (void)snprintf(r->place.prefix, sizeof r->place.prefix, "items[%zu]", i);
        take_object(r, json_incref(object), i < n_known ? item[i] : mark);
    }
    free(item);
    r->place.prefix[0] = '\0';
    json_decref(list);
}

/* ---- texts ---- */

static void complain_yaml(struct reader *r, const struct skr_document_error *error)
{
    struct skr_error text;
    const bool twice = error->code == SKR_CONFLICT;
    (void)skr_error_set(&text, error->code, "%s%s%s", error->context ? error->context : "",
                        error->context ? ": " : "", error->problem);
    complain(r, error->at,
             twice                      ? SKR_MANIFEST_TWICE
             : error->code == SKR_LIMIT ? SKR_MANIFEST_LIMIT
                                        : SKR_MANIFEST_SYNTAX,
             twice ? SKR_INVALID : error->code, text.text);
}

static void read_yaml(struct reader *r)
{
    struct skr_document *yaml = skr_yaml_create(r->place.text, r->place.n);
    struct skr_document_error error;
    json_t *object;
    int rc;
    for (; (rc = skr_yaml_next(yaml, &object, &r->root, &error)) == 0 && object;
         r->place.document++) {
        if (json_is_null(object)) {
            json_decref(object);
        } else {
            take_object(r, object, r->root->at);
        }
    }
    if (rc < 0) {
        complain_yaml(r, &error);
    }
    skr_document_destroy(yaml);
}

static void read_json(struct reader *r)
{
    json_error_t error;
    struct skr_position where;
    const char *text = r->place.text;
    size_t at = 0;
    if (skr_json_deeper_than(text, SKR_MANIFEST_DEPTH_MAX, &where)) {
        complain(r, (struct skr_yaml_mark){where.line, where.column}, SKR_MANIFEST_LIMIT, SKR_LIMIT,
                 "nested too deep");
        return;
    }
    while (at += strspn(text + at, " \t\r\n"), at < r->place.n) {
        r->place.value_at = at;
        json_t *object = json_loadb(text + at, r->place.n - at,
                                    JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
        if (!object) {
            /* Columns of libjansson count characters; ours count bytes. */
            skr_json_find_token(text + at, (size_t)error.position, &where);
            struct skr_error quoted;
            (void)skr_error_set(&quoted, SKR_INVALID, "%s", error.text);
            complain(r, shift(&r->place, where),
                     json_error_code(&error) == json_error_duplicate_key ? SKR_MANIFEST_TWICE
                                                                         : SKR_MANIFEST_SYNTAX,
                     SKR_INVALID, quoted.text);
            return;
        }
        at += (size_t)error.position;
        take_object(r, object, shift(&r->place, (struct skr_position){1, 1}));
    }
}

/* Of a byte order mark, which is no part of the text, nor of its columns. */
static size_t mark_bytes(const char *text)
{
    return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool skr_manifest_is_json(const char *text)
{
    text += mark_bytes(text);
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

void skr_manifest_text_read(const char *text, size_t n, const struct skr_manifest_visitor *visitor)
{
    const size_t mark = mark_bytes(text);
    struct reader r = {.visitor = visitor, .place = {.text = text + mark, .n = n - mark}};
    r.place.is_json = skr_manifest_is_json(text);
    if (strlen(text) != n) {
        complain(&r, (struct skr_yaml_mark){0, 0}, SKR_MANIFEST_SYNTAX, SKR_INVALID,
                 "contains a NUL byte");
    } else if (r.place.is_json) {
        read_json(&r);
    } else {
        read_yaml(&r);
    }
}
