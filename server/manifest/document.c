/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyaml's events become values, bottom up: a stack of open containers instead of recursion, and one
 * of the values that wait for theirs to close. The memory of a document is an arena.
 */
#include "server/manifest/document.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <yaml.h>

#include "topology/base/arena.h"

struct anchor {
    const char *name;
    const struct skr_value *value;
    UT_hash_handle hh;
};

struct frame {
    struct skr_value *container;
    size_t first; /* of its values among those that wait */
    const char *anchor;
};

struct skr_document {
    yaml_parser_t parser;
    size_t depth_max, anchors_max;
    struct skr_arena *arena; /* of the document at hand */
    struct frame stack[SKR_MANIFEST_DEPTH_MAX];
    size_t depth;
    const struct skr_value **waiting;
    size_t n_waiting, cap_waiting;
    const struct skr_value *root;
    struct anchor *anchors; /* of the document at hand */
    size_t n_anchors;       /* of all documents */
    size_t n_copied;        /* values that aliases stand for, of all documents */
};

SKR_PRINTF(4, 5)
static int fail(struct skr_document_error *error, enum skr_error_code code, struct skr_yaml_mark at,
                const char *format, ...)
{
    va_list args;
    *error = (struct skr_document_error){.code = code, .at = at};
    va_start(args, format);
    (void)vsnprintf(error->problem, sizeof error->problem, format, args);
    va_end(args);
    return -(int)code;
}

static void *alloc(struct skr_document *d, size_t n, size_t size)
{
    void *memory = skr_arena_array(d->arena, n, size);
    skr_bug_on(!memory);
    return memory;
}

static char *copy_text(struct skr_document *d, const yaml_char_t *text, size_t n)
{
    char *copy = alloc(d, n + 1, 1);
    memcpy(copy, text, n);
    return copy;
}

/* ---- anchors ---- */

static struct anchor *find_anchor(const struct skr_document *d, const char *name)
{
    struct anchor *anchor;
    HASH_FIND_STR(d->anchors, name, anchor);
    return anchor;
}

/* The last one of a name counts. */
static void set_anchor(struct skr_document *d, const char *name, const struct skr_value *value)
{
    struct anchor *anchor = find_anchor(d, name);
    if (!anchor) {
        anchor = alloc(d, 1, sizeof *anchor);
        anchor->name = name;
        HASH_ADD_KEYPTR(hh, d->anchors, name, strlen(name), anchor);
    }
    anchor->value = value;
}

/* ---- building ---- */

static bool wants_key(const struct skr_document *d)
{
    const struct frame *top = d->depth > 0 ? &d->stack[d->depth - 1] : NULL;
    return top && top->container->kind == SKR_VALUE_MAPPING && (d->n_waiting - top->first) % 2 == 0;
}

/* A value that is complete. anchor: its name, or NULL. */
static void put(struct skr_document *d, const struct skr_value *value, const char *anchor)
{
    if (anchor) {
        set_anchor(d, anchor, value);
    }
    if (d->depth == 0) {
        d->root = value;
        return;
    }
    skr_grow(&d->waiting, &d->cap_waiting, d->n_waiting + 1, sizeof *d->waiting);
    d->waiting[d->n_waiting++] = value;
}

static enum skr_scalar_style style_of(yaml_scalar_style_t style)
{
    switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
        return SKR_SCALAR_SINGLE;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        return SKR_SCALAR_DOUBLE;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
        return SKR_SCALAR_BLOCK;
    case YAML_PLAIN_SCALAR_STYLE:
    case YAML_ANY_SCALAR_STYLE:
    default:
        return SKR_SCALAR_PLAIN;
    }
}

static void take_scalar(struct skr_document *d, const yaml_event_t *event, struct skr_yaml_mark at,
                        const char *anchor)
{
    const char *tag = (const char *)event->data.scalar.tag;
    struct skr_value *value = alloc(d, 1, sizeof *value);
    value->at = at;
    value->style = style_of(event->data.scalar.style);
    value->n = event->data.scalar.length;
    value->text = copy_text(d, event->data.scalar.value, value->n);
    value->is_plain = value->style == SKR_SCALAR_PLAIN && (!tag || strcmp(tag, YAML_STR_TAG) != 0);
    value->n_all = 1;
    value->height = 1;
    put(d, value, anchor);
}

static int take_alias(struct skr_document *d, const char *name, struct skr_yaml_mark at,
                      struct skr_document_error *error)
{
    const struct anchor *anchor = find_anchor(d, name);
    if (!anchor) {
        return fail(error, SKR_INVALID, at, "unknown anchor \"%.128s\"", name);
    }
    if (wants_key(d)) {
        return fail(error, SKR_INVALID, at, "an alias cannot be a key");
    }
    if (d->depth + anchor->value->height > d->depth_max) {
        return fail(error, SKR_LIMIT, at, "nested deeper than %zu levels", d->depth_max);
    }
    d->n_copied += anchor->value->n_all;
    if (d->n_copied > SKR_MANIFEST_ALIAS_VALUES_MAX) {
        return fail(error, SKR_LIMIT, at, "aliases of one file copy more than %d values",
                    (int)SKR_MANIFEST_ALIAS_VALUES_MAX);
    }
    struct skr_value *value = alloc(d, 1, sizeof *value);
    *value = *anchor->value;
    value->at = at;
    value->style = SKR_SCALAR_NONE;
    value->is_alias = true;
    put(d, value, NULL);
    return 0;
}

static int open_container(struct skr_document *d, enum skr_value_kind kind, struct skr_yaml_mark at,
                          const char *anchor, struct skr_document_error *error)
{
    if (wants_key(d)) {
        return fail(error, SKR_INVALID, at, "a key must be a single value");
    }
    if (d->depth == d->depth_max) {
        return fail(error, SKR_LIMIT, at, "nested deeper than %zu levels", d->depth_max);
    }
    struct skr_value *value = alloc(d, 1, sizeof *value);
    value->kind = kind;
    value->at = at;
    d->stack[d->depth++] =
        (struct frame){.container = value, .first = d->n_waiting, .anchor = anchor};
    return 0;
}

static void close_container(struct skr_document *d)
{
    const struct frame top = d->stack[--d->depth];
    struct skr_value *value = top.container;
    const size_t n = d->n_waiting - top.first, step = value->kind == SKR_VALUE_MAPPING ? 2 : 1;
    size_t below = 0;
    value->item = alloc(d, n, sizeof *value->item);
    value->n = n / step;
    value->n_all = 1;
    for (size_t i = 0; i < n; i++) {
        value->item[i] = d->waiting[top.first + i];
        if (i % step == step - 1) { /* no key */
            value->n_all += value->item[i]->n_all;
            below = value->item[i]->height > below ? value->item[i]->height : below;
        }
    }
    value->height = below + 1;
    d->n_waiting = top.first;
    put(d, value, top.anchor);
}

static int take_event(struct skr_document *d, const yaml_event_t *event,
                      struct skr_document_error *error)
{
    const struct skr_yaml_mark at = {event->start_mark.line + 1, event->start_mark.column + 1};
    const yaml_char_t *name =
        event->type == YAML_SCALAR_EVENT           ? event->data.scalar.anchor
        : event->type == YAML_SEQUENCE_START_EVENT ? event->data.sequence_start.anchor
        : event->type == YAML_MAPPING_START_EVENT  ? event->data.mapping_start.anchor
                                                   : NULL;
    if (name && ++d->n_anchors > d->anchors_max) {
        return fail(error, SKR_LIMIT, at, "more than %zu anchors", d->anchors_max);
    }
    const char *anchor = name ? copy_text(d, name, strlen((const char *)name)) : NULL;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        take_scalar(d, event, at, anchor);
        return 0;
    case YAML_ALIAS_EVENT:
        return take_alias(d, (const char *)event->data.alias.anchor, at, error);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(d, SKR_VALUE_LIST, at, anchor, error);
    case YAML_MAPPING_START_EVENT:
        return open_container(d, SKR_VALUE_MAPPING, at, anchor, error);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_container(d);
        return 0;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
    default:
        return 0;
    }
}

/* ---- documents ---- */

struct skr_document *skr_document_create(const char *text, size_t n, size_t depth, size_t anchors)
{
    struct skr_document *d = skr_alloc(sizeof *d);
    skr_bug_on(depth > SKR_MANIFEST_DEPTH_MAX || !yaml_parser_initialize(&d->parser));
    yaml_parser_set_input_string(&d->parser, (const unsigned char *)text, n);
    d->depth_max = depth;
    d->anchors_max = anchors;
    return d;
}

static void drop(struct skr_document *d)
{
    HASH_CLEAR(hh, d->anchors);
    d->root = NULL;
    d->depth = 0;
    d->n_waiting = 0;
    skr_arena_destroy(d->arena);
    d->arena = NULL;
}

void skr_document_destroy(struct skr_document *document)
{
    if (document) {
        drop(document);
        yaml_parser_delete(&document->parser);
        free(document->waiting);
        free(document);
    }
}

static int parser_error(const yaml_parser_t *p, struct skr_document_error *error)
{
    const yaml_mark_t *at = p->error == YAML_READER_ERROR ? &p->mark : &p->problem_mark;
    int rc = fail(error, SKR_INVALID, (struct skr_yaml_mark){at->line + 1, at->column + 1}, "%s",
                  p->problem ? p->problem : "cannot be read");
    error->context = p->error == YAML_READER_ERROR ? NULL : p->context;
    return rc;
}

int skr_document_next(struct skr_document *document, const struct skr_value **root,
                      struct skr_document_error *error)
{
    struct skr_document *d = document;
    *root = NULL;
    drop(d);
    d->arena = skr_arena_create(SIZE_MAX, 0);
    skr_bug_on(!d->arena);
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&d->parser, &event)) {
            return parser_error(&d->parser, error);
        }
        int rc = take_event(d, &event, error);
        done = event.type == YAML_DOCUMENT_END_EVENT || event.type == YAML_STREAM_END_EVENT ||
               event.type == YAML_NO_EVENT;
        yaml_event_delete(&event);
        if (rc < 0) {
            return rc;
        }
    }
    *root = d->root;
    return d->root ? 1 : 0;
}

/* ---- values ---- */

const struct skr_value *skr_value_member(const struct skr_value *map, const char *key)
{
    for (size_t i = 0; map && map->kind == SKR_VALUE_MAPPING && i < map->n; i++) {
        if (skr_value_is(map->item[2 * i], key)) {
            return map->item[2 * i + 1];
        }
    }
    return NULL;
}

bool skr_value_is(const struct skr_value *value, const char *text)
{
    return value && value->kind == SKR_VALUE_TEXT && value->n == strlen(text) &&
           memcmp(value->text, text, value->n) == 0;
}

bool skr_value_is_null(const struct skr_value *value)
{
    return value && value->kind == SKR_VALUE_TEXT && value->is_plain &&
           (value->n == 0 || skr_value_is(value, "null") || skr_value_is(value, "~"));
}

const char *skr_value_kind_name(const struct skr_value *value)
{
    static const char *const names[] = {[SKR_VALUE_TEXT] = "a single value",
                                        [SKR_VALUE_LIST] = "a list",
                                        [SKR_VALUE_MAPPING] = "a mapping"};
    return names[value->kind];
}
