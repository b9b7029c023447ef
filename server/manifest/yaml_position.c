/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a YAML text a value stands: a second pass over libyaml's events, made only when there is
 * something to say. A stack of the open containers; each knows what is left of the path inside it.
 */
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "server/manifest/manifest.h"
#include "server/manifest/yaml.h"
#include "topology/base/arena.h"

static struct skr_yaml_mark mark_of(const yaml_mark_t *mark)
{
    return (struct skr_yaml_mark){mark->line + 1, mark->column + 1};
}

/* Steps along a path: the rest behind key, or behind [index]; NULL when the path goes elsewhere. */
static const char *yaml_path_key(const char *path, const char *key)
{
    size_t n = strlen(key);
    if (!path || n == 0 || strncmp(path, key, n) != 0) {
        return NULL;
    }
    if (path[n] == '.') {
        return path + n + 1;
    }
    return path[n] == '[' || path[n] == '\0' ? path + n : NULL;
}

static const char *yaml_path_index(const char *path, size_t index)
{
    char text[32];
    int n = snprintf(text, sizeof text, "[%zu]", index);
    if (!path || strncmp(path, text, (size_t)n) != 0) {
        return NULL;
    }
    return path[n] == '.' ? path + n + 1 : path + n;
}

/* A container on the way: what is left of the path inside it; NULL: off the way. */
struct finder_frame {
    const char *path;
    bool is_mapping;
    bool has_key;
    const char *value_path; /* of the value behind the key */
    size_t index;
};

struct finder {
    struct finder_frame stack[SKR_MANIFEST_DEPTH_MAX];
    size_t depth;
    struct skr_yaml_mark found;
    const char *rest; /* of the path at the deepest value found */
    enum skr_scalar_style style;
};

/* The path below the value that begins now; NULL: the value is off the way. */
static const char *path_of_value(struct finder *f, const char *path)
{
    if (f->depth == 0) {
        return path;
    }
    struct finder_frame *top = &f->stack[f->depth - 1];
    if (!top->is_mapping) {
        return yaml_path_index(top->path, top->index++);
    }
    top->has_key = false;
    return top->value_path;
}

static bool take_key(struct finder *f, const yaml_event_t *event)
{
    struct finder_frame *top = f->depth > 0 ? &f->stack[f->depth - 1] : NULL;
    if (!top || !top->is_mapping || top->has_key || event->type != YAML_SCALAR_EVENT) {
        return false;
    }
    top->has_key = true;
    top->value_path = yaml_path_key(top->path, (const char *)event->data.scalar.value);
    return true;
}

static enum skr_scalar_style style_of(const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT) {
        return SKR_SCALAR_NONE;
    }
    switch (event->data.scalar.style) {
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

/* false: nothing deeper can be found, or the text is too deep. */
static bool find_step(struct finder *f, const yaml_event_t *event, const char *path)
{
    bool opens =
        event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    if (event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT) {
        f->depth--;
        return true;
    }
    if (!opens && event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT) {
        return true;
    }
    if (take_key(f, event)) {
        return true;
    }
    const char *below = path_of_value(f, path);
    if (below && (!f->rest || strlen(below) < strlen(f->rest))) {
        f->found = mark_of(&event->start_mark);
        f->rest = below;
        f->style = *below == '\0' ? style_of(event) : SKR_SCALAR_NONE;
    }
    if (!opens) {
        return true;
    }
    if (f->depth == SKR_MANIFEST_DEPTH_MAX) {
        return false;
    }
    f->stack[f->depth++] =
        (struct finder_frame){.path = below, .is_mapping = event->type == YAML_MAPPING_START_EVENT};
    return true;
}

struct skr_yaml_mark skr_yaml_find(const char *text, size_t n, size_t document, const char *path,
                                   enum skr_scalar_style *style)
{
    struct finder finder = {.depth = 0, .found = {1, 1}};
    yaml_parser_t parser;
    yaml_event_t event;
    size_t at = 0;
    bool go_on = true;
    skr_bug_on(!yaml_parser_initialize(&parser));
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    while (go_on && yaml_parser_parse(&parser, &event)) {
        go_on = event.type != YAML_STREAM_END_EVENT && event.type != YAML_NO_EVENT;
        bool ends = event.type == YAML_DOCUMENT_END_EVENT;
        if (at == document && go_on) {
            go_on = find_step(&finder, &event, path) && !ends;
        }
        at += ends ? 1 : 0;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (style) {
        *style = finder.style;
    }
    return finder.found;
}
