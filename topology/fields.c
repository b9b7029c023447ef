/* SPDX-License-Identifier: Apache-2.0 */
/* Fields in the order in which a decoder reads them; behind an error each read returns the absent
 * value. */
#include "topology/fields.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/quantity.h"

/* Whether reads still count. */
static bool goes_on(const struct skr_fields *in)
{
    return in->decoding->rc == 0;
}

void skr_fields_note(const struct skr_fields *in, int rc)
{
    if (goes_on(in)) {
        in->decoding->rc = rc;
    }
}

static void note_no_room(const struct skr_fields *in)
{
    const struct skr_decoding *d = in->decoding;
    if (goes_on(in)) {
        skr_fields_note(in, skr_error_set(d->error, SKR_LIMIT, "%s: larger than %d bytes decoded",
                                          d->what, (int)SKR_OBJECT_BYTES_MAX));
    }
}

/* ---- errors ---- */

void skr_fields_fail(const struct skr_fields *in, const char *key, enum skr_error_code code,
                     const char *format, ...)
{
    char sentence[SKR_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (goes_on(in)) {
        skr_fields_note(
            in, skr_field_set_error(&in->path, key, in->decoding->error, code, "%s", sentence));
    }
}

void skr_fields_refuse(const struct skr_fields *in, enum skr_error_code code, const char *format,
                       ...)
{
    char sentence[SKR_ERROR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (goes_on(in)) {
        skr_fields_note(in, skr_error_set(in->decoding->error, code, "%s", sentence));
    }
}

void skr_fields_fail_type(const struct skr_fields *in, const char *key, const char *what,
                          const json_t *value)
{
    if (goes_on(in)) {
        skr_fields_note(in,
                        skr_field_set_type_error(&in->path, key, what, value, in->decoding->error));
    }
}

/* ---- objects and arrays ---- */

struct skr_fields skr_fields_of(struct skr_decoding *decoding, const json_t *json)
{
    return (struct skr_fields){.decoding = decoding,
                               .json = skr_object_unconst(json),
                               .path = {.index = SKR_FIELD_NO_INDEX}};
}

static struct skr_fields part_of(const struct skr_fields *in, const char *key, size_t index)
{
    return (struct skr_fields){.decoding = in->decoding,
                               .path = {.up = &in->path, .key = key, .index = index}};
}

struct skr_fields skr_fields_at(const struct skr_fields *in, const char *key, json_t *json)
{
    struct skr_fields ret = part_of(in, key, SKR_FIELD_NO_INDEX);
    ret.json = json;
    return ret;
}

struct skr_fields skr_fields_object(const struct skr_fields *in, const char *key)
{
    struct skr_fields ret = part_of(in, key, SKR_FIELD_NO_INDEX);
    if (goes_on(in)) {
        skr_fields_note(in,
                        skr_field_object(in->json, &in->path, key, &ret.json, in->decoding->error));
    }
    return ret;
}

struct skr_fields skr_fields_list(const struct skr_fields *in, const char *key, size_t limit)
{
    struct skr_fields ret = part_of(in, key, SKR_FIELD_NO_INDEX);
    if (goes_on(in)) {
        skr_fields_note(
            in, skr_field_array(in->json, &in->path, key, limit, &ret.json, in->decoding->error));
        ret.n = json_array_size(ret.json);
    }
    return ret;
}

struct skr_fields skr_fields_entry(const struct skr_fields *list, size_t i)
{
    struct skr_fields ret = part_of(list, NULL, i);
    if (goes_on(list)) {
        skr_fields_note(
            list, skr_field_entry(list->json, &list->path, i, &ret.json, list->decoding->error));
    }
    return ret;
}

bool skr_fields_more(const struct skr_fields *list, size_t i)
{
    return goes_on(list) && i < list->n;
}

void *skr_fields_room(const struct skr_fields *in, size_t n, size_t size)
{
    void *room = goes_on(in) ? skr_arena_array(in->decoding->arena, n, size) : NULL;
    if (!room) {
        note_no_room(in);
    }
    return room;
}

/* ---- values ---- */

bool skr_fields_has(const struct skr_fields *in, const char *key)
{
    return goes_on(in) && !skr_object_is_absent(json_object_get(in->json, key));
}

const char *skr_fields_copy(const struct skr_fields *in, const char *text)
{
    const char *copy = goes_on(in) && text[0] ? skr_arena_strdup(in->decoding->arena, text) : "";
    if (!copy) {
        note_no_room(in);
    }
    return copy ? copy : "";
}

const char *skr_fields_word(const struct skr_fields *in, const char *key)
{
    const char *text = "";
    if (goes_on(in)) {
        skr_fields_note(in, skr_field_string(in->json, &in->path, key, &text, in->decoding->error));
    }
    return text;
}

const char *skr_fields_text(const struct skr_fields *in, const char *key)
{
    return skr_fields_copy(in, skr_fields_word(in, key));
}

size_t skr_fields_texts(const struct skr_fields *in, const char *key, size_t limit,
                        const char ***ret)
{
    const struct skr_fields list = skr_fields_list(in, key, limit);
    size_t n = 0;
    *ret = skr_fields_room(&list, list.n, sizeof **ret);
    for (; skr_fields_more(&list, n); n++) {
        const json_t *value = json_array_get(list.json, n);
        const struct skr_fields entry = part_of(&list, NULL, n);
        if (json_is_string(value)) {
            (*ret)[n] = skr_fields_copy(&list, json_string_value(value));
        } else {
            skr_fields_fail_type(&entry, NULL, "a string", value);
        }
    }
    return goes_on(in) ? n : 0;
}

bool skr_fields_bool(const struct skr_fields *in, const char *key)
{
    bool value = false;
    if (goes_on(in)) {
        skr_fields_note(in, skr_field_bool(in->json, &in->path, key, &value, in->decoding->error));
    }
    return value;
}

int32_t skr_fields_int32(const struct skr_fields *in, const char *key, int32_t absent)
{
    int32_t value = absent;
    if (goes_on(in)) {
        skr_fields_note(
            in, skr_field_int32(in->json, &in->path, key, absent, &value, in->decoding->error));
    }
    return value;
}

int64_t skr_fields_int64(const struct skr_fields *in, const char *key, int64_t absent)
{
    const json_t *value = skr_fields_has(in, key) ? json_object_get(in->json, key) : NULL;
    if (value && !json_is_integer(value)) {
        skr_fields_fail_type(in, key, "an integer", value);
    }
    return json_is_integer(value) ? json_integer_value(value) : absent;
}

skr_time skr_fields_time(const struct skr_fields *in, const char *key, bool *ret_is_set)
{
    const char *text = skr_fields_word(in, key);
    skr_time time = 0;
    if (ret_is_set) {
        *ret_is_set = text[0];
    }
    if (text[0] && skr_time_parse(text, &time, in->decoding->error) < 0) {
        skr_fields_note(in, skr_field_prefix(&in->path, key, in->decoding->error));
    }
    return time;
}

skr_int128 skr_fields_nano(const struct skr_fields *in, const char *key)
{
    const json_t *value = skr_fields_has(in, key) ? json_object_get(in->json, key) : NULL;
    skr_int128 nano = 0;
    if (value && !json_is_string(value) && !json_is_number(value)) {
        skr_fields_fail_type(in, key, "a quantity", value);
    } else if (value) {
        /* A number as its shortest text: 17 digits would show 0.1 as 0.10000000000000001. */
        char *number = json_is_number(value)
                           ? json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
                           : NULL;
        const char *text = number ? number : json_string_value(value);
        if (!text) {
            skr_fields_fail(in, key, SKR_NO_MEMORY, "out of memory");
        } else if (skr_quantity_parse_nano(text, &nano, in->decoding->error) < 0) {
            skr_fields_note(in, skr_field_prefix(&in->path, key, in->decoding->error));
        }
        free(number);
    }
    return nano;
}

const char *skr_fields_json(const struct skr_fields *in, size_t flags)
{
    SKR_AUTO_FREE char *text = goes_on(in) ? json_dumps(in->json, flags | JSON_COMPACT) : NULL;
    const char *copy = text ? skr_fields_copy(in, text) : "";
    if (!text) {
        note_no_room(in);
    }
    return copy;
}

/* ---- the object ---- */

int skr_object_decode(const json_t *json, const char *what, size_t size, skr_object_fill *fill,
                      void **ret, struct skr_error *error)
{
    struct skr_error own = {.text = ""};
    if (!json_is_object(json)) {
        return skr_field_set_type_error(NULL, what, "an object", json, error);
    }
    struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_object *object = arena ? skr_arena_alloc(arena, size) : NULL;
    if (!object) {
        skr_arena_destroy(arena);
        return skr_error_set(error, SKR_NO_MEMORY, "%s: out of memory", what);
    }
    struct skr_decoding decoding = {what, arena, error ? error : &own, 0};
    const struct skr_fields root = skr_fields_of(&decoding, json);
    object->arena = arena;
    decoding.rc = skr_meta_decode(arena, json, NULL, &object->meta, decoding.error);
    if (decoding.rc == 0) {
        fill(object, &root);
    }
    if (decoding.rc < 0) {
        skr_arena_destroy(arena);
        return decoding.rc;
    }
    *ret = object;
    return 0;
}

void skr_object_destroy(void *object)
{
    skr_arena_destroy(object ? ((struct skr_object *)object)->arena : NULL);
}

const struct skr_meta *skr_object_meta(const void *object)
{
    return &((const struct skr_object *)object)->meta;
}

int skr_object_compare_names(const void *a, const void *b)
{
    return strcmp(skr_object_meta(*(void *const *)a)->name,
                  skr_object_meta(*(void *const *)b)->name);
}

int64_t skr_object_search(const void *object, size_t n, const char *name)
{
    const void *const *list = object;
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(skr_object_meta(list[middle])->name, name);
        if (order == 0) {
            return (int64_t)middle;
        }
        low = order < 0 ? middle + 1 : low;
        high = order > 0 ? middle : high;
    }
    return -1;
}
