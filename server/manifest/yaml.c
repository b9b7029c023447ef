/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of open containers instead of recursion; its height is limited. Aliases copy what their
 * anchor stands for; the values made that way are counted, so that a small text cannot become a
 * large tree.
 */
#include "server/manifest/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <yaml.h>

#include "server/manifest/manifest.h"
#include "server/manifest/scalar.h"
#include "topology/base/arena.h"

struct anchor {
    char *name;
    json_t *value; /* NULL while it is open */
    size_t values; /* in it */
    size_t height;
    UT_hash_handle hh;
};

struct frame {
    json_t *container; /* owned until it is put into the one below */
    char *key;         /* of a mapping, waiting for its value */
    struct skr_yaml_mark key_mark;
    bool key_is_merge;
    char *anchor;  /* its name, or NULL */
    json_t *merge; /* array of what "<<" named */
};

struct skr_yaml {
    yaml_parser_t parser;
    struct frame stack[SKR_MANIFEST_DEPTH_MAX];
    size_t depth;
    json_t *root;
    struct anchor *anchors;
    size_t values;              /* copied for aliases, of all documents */
    struct skr_yaml_mark mark;  /* of the event at hand */
    struct skr_yaml_mark *item; /* of the document's "items" */
    size_t n_items, cap_items;
};

static struct skr_yaml_mark mark_of(const yaml_mark_t *mark)
{
    return (struct skr_yaml_mark){mark->line + 1, mark->column + 1};
}

/* NULL: not UTF-8, or a number that is none. */
static json_t *scalar_value(const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const char *tag = (const char *)event->data.scalar.tag;
    json_t *value = NULL;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && (!tag || strcmp(tag, YAML_STR_TAG) != 0)) {
        value = skr_yaml_resolve(text);
    }
    return value ? value : json_stringn(text, event->data.scalar.length);
}

/* ---- anchors ---- */

/* Recursion is as deep as values are, which is limited. */
static void measure(const json_t *value, size_t *values, size_t *height)
{
    size_t below = 0, inner;
    const char *key;
    json_t *member;
    (*values)++;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)(uintptr_t)value, key, member)
        {
            (void)key;
            inner = 0;
            measure(member, values, &inner);
            below = inner > below ? inner : below;
        }
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        inner = 0;
        measure(json_array_get(value, i), values, &inner);
        below = inner > below ? inner : below;
    }
    *height = below + 1;
}

static void set_anchor(struct skr_yaml *y, const char *name, json_t *value)
{
    struct anchor *anchor;
    HASH_FIND_STR(y->anchors, name, anchor);
    if (!anchor) {
        anchor = skr_alloc(sizeof *anchor);
        anchor->name = skr_strdup(name);
        HASH_ADD_KEYPTR(hh, y->anchors, anchor->name, strlen(anchor->name), anchor);
    }
    json_decref(anchor->value);
    anchor->value = json_incref(value);
    anchor->values = 0;
    measure(value, &anchor->values, &anchor->height);
}

static void drop_anchors(struct skr_yaml *y)
{
    struct anchor *anchor, *next;
    HASH_ITER(hh, y->anchors, anchor, next)
    {
        HASH_DEL(y->anchors, anchor);
        json_decref(anchor->value);
        free(anchor->name);
        free(anchor);
    }
}

/* ---- building ---- */

static int count_copied(struct skr_yaml *y, size_t n, struct skr_error *error)
{
    y->values += n;
    return y->values > SKR_MANIFEST_ALIAS_VALUES_MAX
               ? skr_error_set(error, SKR_LIMIT, "aliases of one file copy more than %d values",
                               (int)SKR_MANIFEST_ALIAS_VALUES_MAX)
               : 0;
}

/* "<<": members of a mapping, or of several, that are not there. */
static int note_merge(struct frame *top, json_t *value, struct skr_error *error)
{
    size_t n = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < n; i++) {
        json_t *from = json_is_array(value) ? json_array_get(value, i) : value;
        if (!json_is_object(from)) {
            json_decref(value);
            return skr_error_set(error, SKR_INVALID, "<<: a mapping is expected");
        }
        top->merge = top->merge ? top->merge : json_array();
        json_array_append(top->merge, from);
    }
    json_decref(value);
    return 0;
}

/* Puts a complete value where it belongs; takes it. */
static int put(struct skr_yaml *y, json_t *value, const char *anchor, struct skr_error *error)
{
    if (anchor) {
        set_anchor(y, anchor, value);
    }
    if (y->depth == 0) {
        y->root = value;
        return 0;
    }
    struct frame *top = &y->stack[y->depth - 1];
    if (json_is_array(top->container)) {
        json_array_append_new(top->container, value);
        return 0;
    }
    int rc = 0;
    if (top->key_is_merge) {
        rc = note_merge(top, value, error);
    } else if (json_object_get(top->container, top->key)) {
        y->mark = top->key_mark;
        json_decref(value);
        rc = skr_error_set(error, SKR_CONFLICT, "key \"%.128s\" twice", top->key);
    } else {
        json_object_set_new(top->container, top->key, value);
    }
    free(top->key);
    top->key = NULL;
    return rc;
}

static bool wants_key(const struct skr_yaml *y)
{
    return y->depth > 0 && json_is_object(y->stack[y->depth - 1].container) &&
           !y->stack[y->depth - 1].key;
}

static int take_scalar(struct skr_yaml *y, const yaml_event_t *event, struct skr_error *error)
{
    const char *text = (const char *)event->data.scalar.value;
    if (strlen(text) != event->data.scalar.length) {
        return skr_error_set(error, SKR_INVALID, "a text with a NUL byte");
    }
    if (wants_key(y)) {
        struct frame *top = &y->stack[y->depth - 1];
        top->key = skr_strdup(text);
        top->key_mark = y->mark;
        top->key_is_merge =
            strcmp(text, "<<") == 0 && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        return 0;
    }
    json_t *value = scalar_value(event);
    if (!value) {
        return skr_error_set(error, SKR_INVALID, "this is not UTF-8");
    }
    return put(y, value, (const char *)event->data.scalar.anchor, error);
}

static int take_alias(struct skr_yaml *y, const char *name, struct skr_error *error)
{
    struct anchor *anchor;
    HASH_FIND_STR(y->anchors, name, anchor);
    if (!anchor) {
        return skr_error_set(error, SKR_INVALID, "unknown anchor \"%.128s\"", name);
    }
    if (wants_key(y)) {
        return skr_error_set(error, SKR_INVALID, "an alias cannot be a key");
    }
    if (y->depth + anchor->height > SKR_MANIFEST_DEPTH_MAX) {
        return skr_error_set(error, SKR_LIMIT, "nested deeper than %d", SKR_MANIFEST_DEPTH_MAX);
    }
    int rc = count_copied(y, anchor->values, error);
    return rc < 0 ? rc : put(y, json_deep_copy(anchor->value), NULL, error);
}

static int open_container(struct skr_yaml *y, json_t *container, const yaml_char_t *anchor,
                          struct skr_error *error)
{
    if (wants_key(y)) {
        json_decref(container);
        return skr_error_set(error, SKR_INVALID, "a key must be a single value");
    }
    if (y->depth == SKR_MANIFEST_DEPTH_MAX) {
        json_decref(container);
        return skr_error_set(error, SKR_LIMIT, "nested deeper than %d", SKR_MANIFEST_DEPTH_MAX);
    }
    y->stack[y->depth++] = (struct frame){
        .container = container, .anchor = anchor ? skr_strdup((const char *)anchor) : NULL};
    return 0;
}

static int close_container(struct skr_yaml *y, struct skr_error *error)
{
    struct frame top = y->stack[--y->depth];
    for (size_t i = 0; i < json_array_size(top.merge); i++) {
        json_t *from = json_deep_copy(json_array_get(top.merge, i));
        json_object_update_missing(top.container, from);
        json_decref(from);
    }
    json_decref(top.merge);
    int rc = put(y, top.container, top.anchor, error);
    free(top.anchor);
    return rc;
}

/* Whether the event begins an element of the list "items" of the document. */
static bool begins_item(const struct skr_yaml *y, const yaml_event_t *event)
{
    return y->depth == 2 && json_is_array(y->stack[1].container) &&
           json_is_object(y->stack[0].container) && strcmp(y->stack[0].key, "items") == 0 &&
           (event->type == YAML_SCALAR_EVENT || event->type == YAML_ALIAS_EVENT ||
            event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT);
}

static void note_item(struct skr_yaml *y)
{
    skr_grow(&y->item, &y->cap_items, y->n_items + 1, sizeof *y->item);
    y->item[y->n_items++] = y->mark;
}

static int take_event(struct skr_yaml *y, const yaml_event_t *event, struct skr_error *error)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(y, event, error);
    case YAML_ALIAS_EVENT:
        return take_alias(y, (const char *)event->data.alias.anchor, error);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(y, json_array(), event->data.sequence_start.anchor, error);
    case YAML_MAPPING_START_EVENT:
        return open_container(y, json_object(), event->data.mapping_start.anchor, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(y, error);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return 0;
}

/* ---- documents ---- */

struct skr_yaml *skr_yaml_create(const char *text, size_t n)
{
    struct skr_yaml *y = skr_alloc(sizeof *y);
    skr_bug_on(!yaml_parser_initialize(&y->parser));
    yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&y->parser, (const unsigned char *)text, n);
    return y;
}

static void drop_document(struct skr_yaml *y)
{
    while (y->depth > 0) {
        struct frame *top = &y->stack[--y->depth];
        json_decref(top->container);
        json_decref(top->merge);
        free(top->key);
        free(top->anchor);
    }
    json_decref(y->root);
    y->root = NULL;
    drop_anchors(y);
}

void skr_yaml_destroy(struct skr_yaml *yaml)
{
    if (yaml) {
        drop_document(yaml);
        yaml_parser_delete(&yaml->parser);
        free(yaml->item);
        free(yaml);
    }
}

static int parser_error(struct skr_yaml *y, struct skr_error *error)
{
    const yaml_parser_t *p = &y->parser;
    y->mark = mark_of(&p->problem_mark);
    if (p->error == YAML_READER_ERROR) {
        y->mark = mark_of(&p->mark);
        return skr_error_set(error, SKR_INVALID, "%s", p->problem ? p->problem : "not UTF-8");
    }
    return skr_error_set(error, SKR_INVALID, "%s%s%s", p->context ? p->context : "",
                         p->context ? ": " : "", p->problem ? p->problem : "not YAML");
}

int skr_yaml_next(struct skr_yaml *yaml, json_t **ret, struct skr_yaml_mark *mark,
                  struct skr_error *error)
{
    struct skr_yaml *y = yaml;
    struct skr_yaml_mark begin = {0, 0};
    yaml_event_t event;
    *ret = NULL;
    y->n_items = 0;
    for (bool done = false; !done;) {
        if (!yaml_parser_parse(&y->parser, &event)) {
            int rc = parser_error(y, error);
            *mark = y->mark;
            drop_document(y);
            return rc;
        }
        y->mark = mark_of(&event.start_mark);
        bool is_content = event.type != YAML_STREAM_START_EVENT &&
                          event.type != YAML_STREAM_END_EVENT &&
                          event.type != YAML_DOCUMENT_START_EVENT;
        if (begin.line == 0 && is_content) {
            begin = y->mark;
        }
        if (begins_item(y, &event)) {
            note_item(y);
        }
        int rc = take_event(y, &event, error);
        done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT ||
               event.type == YAML_NO_EVENT;
        yaml_event_delete(&event);
        if (rc < 0) {
            *mark = y->mark;
            drop_document(y);
            return rc;
        }
    }
    *ret = y->root;
    *mark = begin;
    y->root = NULL;
    drop_anchors(y);
    return 0;
}

const struct skr_yaml_mark *skr_yaml_items(const struct skr_yaml *yaml, size_t *ret_n)
{
    *ret_n = yaml->n_items;
    return yaml->item;
}
