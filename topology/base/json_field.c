/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed access to the fields of decoded JSON with the path in every error. Limits: paths deeper
 * than SKR_FIELD_DEPTH_MAX frames lose their beginning, texts longer than SKR_FIELD_PATH_MAX their
 * end.
 */
#include "topology/base/json_field.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topology/base/decimal.h"
#include "topology/base/json_position.h"

bool skr_object_is_absent(const json_t *value)
{
    return !value || json_is_null(value);
}

const char *skr_object_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

json_t *skr_object_unconst(const json_t *value)
{
    return (json_t *)(uintptr_t)value;
}

const char *skr_object_type_name(const json_t *value)
{
    if (!value) {
        return "nothing";
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    default:
        return "something else";
    }
}

static size_t add_text(char *buffer, size_t at, const char *format, const char *text, size_t number)
{
    if (at + 1 >= SKR_FIELD_PATH_MAX) {
        return at;
    }
    size_t room = SKR_FIELD_PATH_MAX - at;
    int n = format ? snprintf(buffer + at, room, "%s%s", format, text)
                   : snprintf(buffer + at, room, "[%zu]", number);
    if (n < 0) {
        return at;
    }
    return (size_t)n < room ? at + (size_t)n : SKR_FIELD_PATH_MAX - 1;
}

void skr_field_path_write(const struct skr_field_path *path, const char *key,
                          char buffer[SKR_FIELD_PATH_MAX])
{
    const struct skr_field_path *frame[SKR_FIELD_DEPTH_MAX];
    size_t n = 0;
    for (const struct skr_field_path *p = path; p && n < SKR_FIELD_DEPTH_MAX; p = p->up) {
        frame[n++] = p;
    }
    size_t at = 0;
    buffer[0] = '\0';
    while (n-- > 0) {
        if (frame[n]->key) {
            at = add_text(buffer, at, at > 0 ? "." : "", frame[n]->key, 0);
        }
        if (frame[n]->index != SKR_FIELD_NO_INDEX) {
            at = add_text(buffer, at, NULL, NULL, frame[n]->index);
        }
    }
    if (key) {
        add_text(buffer, at, at > 0 ? "." : "", key, 0);
    }
}

int skr_field_set_error(const struct skr_field_path *path, const char *key, struct skr_error *error,
                        enum skr_error_code code, const char *format, ...)
{
    char text[SKR_FIELD_PATH_MAX];
    char sentence[SKR_ERROR_TEXT_MAX];
    va_list args;
    if (!error) {
        return -(int)code;
    }
    skr_field_path_write(path, key, text);
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return skr_error_set_key(error, code, text, "%s", sentence);
}

int skr_field_prefix(const struct skr_field_path *path, const char *key, struct skr_error *error)
{
    char text[SKR_FIELD_PATH_MAX];
    skr_field_path_write(path, key, text);
    return skr_error_prefix(error, "%s", text);
}

int skr_field_set_type_error(const struct skr_field_path *path, const char *key, const char *what,
                             const json_t *value, struct skr_error *error)
{
    return skr_field_set_error(path, key, error, SKR_INVALID, "must be %s, got %s", what,
                               skr_object_type_name(value));
}

/* ---- values of a tape ---- */

static const char *type_name(enum skr_json_type type)
{
    static const char *const name[] = {
        [SKR_JSON_NULL] = "null",       [SKR_JSON_BOOLEAN] = "a boolean",
        [SKR_JSON_NUMBER] = "a number", [SKR_JSON_STRING] = "a string",
        [SKR_JSON_ARRAY] = "an array",  [SKR_JSON_OBJECT] = "an object",
    };
    return name[type];
}

int skr_json_type_error(const struct skr_field_path *path, const char *key, const char *what,
                        const struct skr_json *value, struct skr_error *error)
{
    return skr_field_set_error(path, key, error, SKR_INVALID, "must be %s, got %s", what,
                               value ? type_name(value->type) : "nothing");
}

int skr_json_expect(const struct skr_json *value, enum skr_json_type type,
                    const struct skr_field_path *path, const char *key, const struct skr_json **ret,
                    struct skr_error *error)
{
    const bool absent = !value || value->type == SKR_JSON_NULL;
    if (!absent && value->type != type) {
        return skr_json_type_error(path, key, type_name(type), value, error);
    }
    *ret = absent ? NULL : value;
    return 0;
}

int skr_json_copy_string(struct skr_arena *arena, const struct skr_json *value,
                         const struct skr_field_path *path, const char *key, const char **ret,
                         struct skr_error *error)
{
    const struct skr_json *text = NULL;
    const int rc = skr_json_expect(value, SKR_JSON_STRING, path, key, &text, error);
    if (rc < 0) {
        return rc;
    }
    const char *copy = text && text->n > 0 ? skr_arena_strndup(arena, text->text, text->n) : "";
    if (!copy) {
        return skr_field_set_error(path, key, error, SKR_LIMIT, "no room is left for the object");
    }
    *ret = copy;
    return 0;
}

int skr_json_expect_array(const struct skr_json *value, const struct skr_field_path *path,
                          const char *key, size_t limit, const struct skr_json **ret,
                          struct skr_error *error)
{
    const int rc = skr_json_expect(value, SKR_JSON_ARRAY, path, key, ret, error);
    const size_t n = rc == 0 && *ret ? skr_json_count(*ret) : 0;
    return n > limit ? skr_field_set_error(path, key, error, SKR_LIMIT,
                                           "%zu entries, at most %zu are supported", n, limit)
                     : rc;
}

int skr_json_int32(const struct skr_json *value, const struct skr_field_path *path, const char *key,
                   int32_t absent, int32_t *ret, struct skr_error *error)
{
    int64_t n = 0;
    if (!value || value->type == SKR_JSON_NULL) {
        *ret = absent;
        return 0;
    }
    if (value->type != SKR_JSON_NUMBER || !skr_decimal_parse(value->text, value->n, &n)) {
        return skr_json_type_error(path, key, "an integer", value, error);
    }
    if (n < INT32_MIN || n > INT32_MAX) {
        return skr_field_set_error(path, key, error, SKR_INVALID,
                                   "%" PRId64 " does not fit into 32 bits", n);
    }
    *ret = (int32_t)n;
    return 0;
}

/* ---- trees ---- */

static const char *at_offset(const char *text, struct skr_position at)
{
    for (size_t line = 1; line < at.line; line++) {
        text = strchr(text, '\n') + 1;
    }
    return text + at.column - 1;
}

static int parse_text(const char *what, const char *text, size_t limit, size_t flags, json_t **ret,
                      struct skr_error *error)
{
    struct skr_position at = {.line = 1, .column = 1};
    json_error_t found;
    size_t length = strlen(text);
    if (length > limit) {
        return skr_error_set_key(error, SKR_LIMIT, what, "%zu bytes, at most %zu are read", length,
                                 limit);
    }
    if (skr_json_deeper_than(text, SKR_JSON_NESTING_MAX, &at)) {
        return skr_error_set_at(error, SKR_LIMIT, &(struct skr_subject){.key = what, .at = at},
                                "nested deeper than %d levels", (int)SKR_JSON_NESTING_MAX);
    }
    *ret = json_loads(text, JSON_DECODE_ANY | flags, &found);
    if (*ret) {
        return 0;
    }
    const size_t end = found.position > 0 ? (size_t)found.position : 0;
    struct skr_subject twice = {.key = what};
    if (json_error_code(&found) == json_error_duplicate_key &&
        skr_json_find_duplicate(text, end, &twice.see, &twice.at)) {
        const char *name = at_offset(text, twice.at);
        const size_t bytes = (size_t)(text + end - name);
        return skr_error_set_at(error, SKR_INVALID, &twice, "%.*s twice in one object",
                                (int)(bytes < 100 ? bytes : 100), name);
    }
    if (json_error_code(&found) == json_error_out_of_memory) {
        return skr_error_set_key(error, SKR_NO_MEMORY, what, "out of memory");
    }
    /* At a premature end it is the end that is wrong, not the last token. */
    bool at_end = strstr(found.text, "near end of file");
    skr_json_find_token(text, at_end ? length + 1 : end, &at);
    return skr_error_set_at(error, SKR_INVALID, &(struct skr_subject){.key = what, .at = at},
                            "invalid JSON: %s", found.text);
}

int skr_json_text_parse(const char *what, const char *text, size_t limit, json_t **ret,
                        struct skr_error *error)
{
    return parse_text(what, text, limit, 0, ret, error);
}

int skr_json_text_parse_unique(const char *what, const char *text, size_t limit, json_t **ret,
                               struct skr_error *error)
{
    return parse_text(what, text, limit, JSON_REJECT_DUPLICATES, ret, error);
}

/* The value of a member, NULL when absent or null. */
static json_t *member(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

int skr_field_string(const json_t *object, const struct skr_field_path *path, const char *key,
                     const char **ret, struct skr_error *error)
{
    json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_string(value)) {
        return skr_field_set_type_error(path, key, "a string", value, error);
    }
    *ret = json_is_string(value) ? json_string_value(value) : "";
    return 0;
}

int skr_field_copy_string(struct skr_arena *arena, const json_t *object,
                          const struct skr_field_path *path, const char *key, const char **ret,
                          struct skr_error *error)
{
    const char *text = "";
    int rc = skr_field_string(object, path, key, &text, error);
    if (rc != 0) {
        return rc;
    }
    /* Absent ones cost nothing: the literal is as good as a copy. */
    const char *copy = text[0] != '\0' ? skr_arena_strdup(arena, text) : "";
    if (!copy) {
        return skr_field_set_error(path, key, error, SKR_LIMIT, "no room is left for the object");
    }
    *ret = copy;
    return 0;
}

int skr_field_bool(const json_t *object, const struct skr_field_path *path, const char *key,
                   bool *ret, struct skr_error *error)
{
    json_t *value = member(object, key);
    if (value && !json_is_boolean(value)) {
        return skr_field_set_type_error(path, key, "a boolean", value, error);
    }
    *ret = json_is_true(value);
    return 0;
}

int skr_field_int32(const json_t *object, const struct skr_field_path *path, const char *key,
                    int32_t absent, int32_t *ret, struct skr_error *error)
{
    json_t *value = json_object_get(object, key);
    if (skr_object_is_absent(value)) {
        *ret = absent;
        return 0;
    }
    if (!json_is_integer(value)) {
        return skr_field_set_type_error(path, key, "an integer", value, error);
    }
    json_int_t number = json_integer_value(value);
    if (number < INT32_MIN || number > INT32_MAX) {
        return skr_field_set_error(path, key, error, SKR_INVALID,
                                   "%" JSON_INTEGER_FORMAT " does not fit into 32 bits", number);
    }
    *ret = (int32_t)number;
    return 0;
}

int skr_field_object(const json_t *object, const struct skr_field_path *path, const char *key,
                     json_t **ret, struct skr_error *error)
{
    json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_object(value)) {
        return skr_field_set_type_error(path, key, "an object", value, error);
    }
    *ret = json_is_object(value) ? value : NULL;
    return 0;
}

int skr_field_array(const json_t *object, const struct skr_field_path *path, const char *key,
                    size_t limit, json_t **ret, struct skr_error *error)
{
    json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_array(value)) {
        return skr_field_set_type_error(path, key, "an array", value, error);
    }
    if (json_array_size(value) > limit) {
        return skr_field_set_error(path, key, error, SKR_LIMIT,
                                   "%zu entries, at most %zu are supported", json_array_size(value),
                                   limit);
    }
    *ret = json_is_array(value) ? value : NULL;
    return 0;
}

int skr_field_entry(const json_t *array, const struct skr_field_path *path, size_t index,
                    json_t **ret, struct skr_error *error)
{
    json_t *value = json_array_get(array, index);
    if (!json_is_object(value)) {
        struct skr_field_path entry = {.up = path, .key = NULL, .index = index};
        return skr_field_set_type_error(&entry, NULL, "an object", value, error);
    }
    *ret = value;
    return 0;
}
