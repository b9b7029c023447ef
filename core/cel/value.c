/* SPDX-License-Identifier: Apache-2.0 */
/* Values: how they are made, JSON. */
#include "core/cel/value.h"

#include <string.h>

struct skr_cel_value skr_cel_error(const char *text)
{
    return (struct skr_cel_value){.kind = SKR_CEL_ERROR, .text = text};
}

struct skr_cel_value skr_cel_null(void)
{
    return (struct skr_cel_value){.kind = SKR_CEL_NULL, .integer = 0};
}

struct skr_cel_value skr_cel_bool(bool value)
{
    return (struct skr_cel_value){.kind = SKR_CEL_BOOL, .boolean = value};
}

struct skr_cel_value skr_cel_int(int64_t value)
{
    return (struct skr_cel_value){.kind = SKR_CEL_INT, .integer = value};
}

struct skr_cel_value skr_cel_uint(uint64_t value)
{
    return (struct skr_cel_value){.kind = SKR_CEL_UINT, .natural = value};
}

struct skr_cel_value skr_cel_double(double value)
{
    return (struct skr_cel_value){.kind = SKR_CEL_DOUBLE, .real = value};
}

struct skr_cel_value skr_cel_string(const char *text, size_t n)
{
    return (struct skr_cel_value){.kind = SKR_CEL_STRING, .n = (uint32_t)n, .text = text};
}

struct skr_cel_value skr_cel_text(const char *text)
{
    return skr_cel_string(text, strlen(text));
}

void *skr_cel_grow(const void *array, size_t n, size_t size, struct skr_arena *arena)
{
    if ((n & (n - 1)) != 0) { /* room is a power of two */
        return (void *)(uintptr_t)array;
    }
    void *grown = skr_arena_array(arena, n == 0 ? 1 : 2 * n, size);
    if (grown && n > 0) {
        memcpy(grown, array, n * size);
    }
    return grown;
}

/* ---- JSON ---- */

static struct skr_cel_value no_room(void)
{
    return skr_cel_error("out of memory for values");
}

static struct skr_cel_value of_json(const json_t *json, bool reals, struct skr_arena *arena,
                                    size_t depth);

static struct skr_cel_value of_text(const char *text, size_t n, struct skr_arena *arena)
{
    const char *copy = skr_arena_strndup(arena, text, n);
    return copy ? skr_cel_string(copy, n) : no_room();
}

static struct skr_cel_value of_array(const json_t *json, bool reals, struct skr_arena *arena,
                                     size_t depth)
{
    const size_t n = json_array_size(json);
    struct skr_cel_value *item = skr_arena_array(arena, n + 1, sizeof *item);
    for (size_t i = 0; item && i < n; i++) {
        item[i] = of_json(json_array_get(json, i), reals, arena, depth + 1);
        if (item[i].kind == SKR_CEL_ERROR) {
            return item[i];
        }
    }
    return item ? (struct skr_cel_value){.kind = SKR_CEL_LIST, .n = (uint32_t)n, .item = item}
                : no_room();
}

static struct skr_cel_value of_object(const json_t *json, bool reals, struct skr_arena *arena,
                                      size_t depth)
{
    const size_t n = json_object_size(json);
    struct skr_cel_entry *entry = skr_arena_array(arena, n + 1, sizeof *entry);
    size_t i = 0;
    for (void *at = json_object_iter((json_t *)(uintptr_t)json); entry && at;
         at = json_object_iter_next((json_t *)(uintptr_t)json, at), i++) {
        const char *key = json_object_iter_key(at);
        entry[i].key = of_text(key, strlen(key), arena);
        entry[i].value = of_json(json_object_iter_value(at), reals, arena, depth + 1);
        if (entry[i].key.kind == SKR_CEL_ERROR || entry[i].value.kind == SKR_CEL_ERROR) {
            return entry[i].key.kind == SKR_CEL_ERROR ? entry[i].key : entry[i].value;
        }
    }
    return entry ? (struct skr_cel_value){.kind = SKR_CEL_MAP, .n = (uint32_t)n, .entry = entry}
                 : no_room();
}

static struct skr_cel_value of_json(const json_t *json, bool reals, struct skr_arena *arena,
                                    size_t depth)
{
    if (depth > SKR_CEL_JSON_DEPTH_MAX) {
        return skr_cel_error("the JSON is nested too deeply");
    }
    switch (json ? json_typeof(json) : JSON_NULL) {
    case JSON_OBJECT:
        return of_object(json, reals, arena, depth);
    case JSON_ARRAY:
        return of_array(json, reals, arena, depth);
    case JSON_STRING:
        return of_text(json_string_value(json), json_string_length(json), arena);
    case JSON_INTEGER:
        return reals ? skr_cel_double((double)json_integer_value(json))
                     : skr_cel_int(json_integer_value(json));
    case JSON_REAL:
        return skr_cel_double(json_real_value(json));
    case JSON_TRUE:
    case JSON_FALSE:
        return skr_cel_bool(json_is_true(json));
    case JSON_NULL:
        break;
    }
    return skr_cel_null();
}

struct skr_cel_value skr_cel_of_json(const json_t *json, bool reals, struct skr_arena *arena)
{
    return of_json(json, reals, arena, 0);
}
