/* SPDX-License-Identifier: Apache-2.0 */
/* Values: equality, order, look-up, JSON. */
#include "core/cel/value.h"

#include <string.h>

#include "core/cel/semver.h"

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

/* ---- order and equality ---- */

static bool is_number(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_INT || v->kind == SKR_CEL_UINT || v->kind == SKR_CEL_DOUBLE;
}

/* Of a double with an integer: beyond the range of the integers it is larger or smaller, otherwise
 * the integer is rounded to a double, as in cel-go. False for NaN. */
static bool order_double(double a, const struct skr_cel_value *b, int *ret)
{
    const bool natural = b->kind == SKR_CEL_UINT;
    const double low = natural ? 0 : (double)INT64_MIN;
    const double high = natural ? (double)UINT64_MAX : (double)INT64_MAX;
    const double other = natural ? (double)b->natural : (double)b->integer;
    *ret = a < low ? -1 : a > high ? 1 : SKR_CEL_ORDER(a, other);
    return !skr_cel_is_nan(a);
}

static skr_int128 whole(const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_UINT ? (skr_int128)v->natural : (skr_int128)v->integer;
}

static bool order_numbers(const struct skr_cel_value *a, const struct skr_cel_value *b, int *ret)
{
    const bool reals = a->kind == SKR_CEL_DOUBLE && b->kind == SKR_CEL_DOUBLE;
    if (reals) {
        *ret = SKR_CEL_ORDER(a->real, b->real);
        return !skr_cel_is_nan(a->real) && !skr_cel_is_nan(b->real);
    }
    if (a->kind == SKR_CEL_DOUBLE) {
        return order_double(a->real, b, ret);
    }
    if (b->kind == SKR_CEL_DOUBLE) {
        const bool ordered = order_numbers(b, a, ret);
        *ret = ordered ? -*ret : 0;
        return ordered;
    }
    *ret = SKR_CEL_ORDER(whole(a), whole(b));
    return true;
}

static int order_bytes(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;
    const int order = n > 0 ? memcmp(a->text, b->text, n) : 0;
    return order != 0 ? SKR_CEL_ORDER(order, 0) : SKR_CEL_ORDER(a->n, b->n);
}

bool skr_cel_compare(const struct skr_cel_value *a, const struct skr_cel_value *b, int *ret)
{
    *ret = 0;
    if (is_number(a) && is_number(b)) {
        return order_numbers(a, b, ret);
    }
    if (a->kind != b->kind) {
        return false;
    }
    if (a->kind == SKR_CEL_BOOL) {
        *ret = (int)a->boolean - (int)b->boolean;
    } else if (a->kind == SKR_CEL_STRING || a->kind == SKR_CEL_BYTES) {
        *ret = order_bytes(a, b);
    } else if (a->kind == SKR_CEL_TIMESTAMP || a->kind == SKR_CEL_DURATION) {
        *ret = SKR_CEL_ORDER(a->integer, b->integer);
    } else {
        return false;
    }
    return true;
}

static bool equal_lists(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    bool equal = a->n == b->n;
    for (size_t i = 0; equal && i < a->n; i++) {
        equal = skr_cel_equal(&a->item[i], &b->item[i]);
    }
    return equal;
}

static bool equal_maps(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    bool equal = a->n == b->n;
    for (size_t i = 0; equal && i < a->n; i++) {
        /* Maps of one source have one order. */
        const struct skr_cel_entry *same = &b->entry[i];
        const struct skr_cel_value *other = skr_cel_equal(&a->entry[i].key, &same->key)
                                                ? &same->value
                                                : skr_cel_get(b, &a->entry[i].key);
        equal = other && skr_cel_equal(&a->entry[i].value, other);
    }
    return equal;
}

bool skr_cel_equal(const struct skr_cel_value *a, const struct skr_cel_value *b)
{
    int order;
    if (is_number(a) && is_number(b)) {
        return order_numbers(a, b, &order) && order == 0;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case SKR_CEL_NULL:
        return true;
    case SKR_CEL_LIST:
        return equal_lists(a, b);
    case SKR_CEL_MAP:
        return equal_maps(a, b);
    case SKR_CEL_TYPE:
        return strcmp(a->text, b->text) == 0;
    case SKR_CEL_QUANTITY:
        return *a->nano == *b->nano;
    case SKR_CEL_SEMVER:
        return skr_cel_semver_compare(a->semver, b->semver) == 0;
    case SKR_CEL_BOOL:
    case SKR_CEL_STRING:
    case SKR_CEL_BYTES:
    case SKR_CEL_TIMESTAMP:
    case SKR_CEL_DURATION:
        return skr_cel_compare(a, b, &order) && order == 0;
    case SKR_CEL_ERROR:
    case SKR_CEL_INT:
    case SKR_CEL_UINT:
    case SKR_CEL_DOUBLE:
    case SKR_CEL_KIND_COUNT:
        break;
    }
    return false;
}

const struct skr_cel_value *skr_cel_get(const struct skr_cel_value *map,
                                        const struct skr_cel_value *key)
{
    for (size_t i = 0; map->kind == SKR_CEL_MAP && i < map->n; i++) {
        if (skr_cel_equal(&map->entry[i].key, key)) {
            return &map->entry[i].value;
        }
    }
    return NULL;
}

const struct skr_cel_value *skr_cel_get_text(const struct skr_cel_value *map, const char *key)
{
    const struct skr_cel_value wanted = skr_cel_text(key);
    return skr_cel_get(map, &wanted);
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
