/* SPDX-License-Identifier: Apache-2.0 */
/* Typed access to fields of decoded JSON; a field of the wrong type is an error with its path. */
#include "topology/object_field.h"

#include <stdint.h>

#include "topology/object.h"

bool skr_object_is_absent(const json_t *value)
{
    return !value || json_is_null(value);
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

int skr_object_type_error(struct skr_error *error, const char *path, const char *key,
                          const char *what, const json_t *value)
{
    return skr_error_set(error, SKR_INVALID, "%.100s%s%.100s: must be %s, got %s", path,
                         key && path[0] != '\0' ? "." : "", key ? key : "", what,
                         skr_object_type_name(value));
}

int skr_object_too_large(struct skr_error *error, const char *path)
{
    return skr_error_set(error, SKR_LIMIT, "%.100s: object larger than %d bytes, or out of memory",
                         path, SKR_OBJECT_BYTES_MAX);
}

int skr_object_string(const json_t *object, const char *path, const char *key, const char **ret,
                      struct skr_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_string(value)) {
        return skr_object_type_error(error, path, key, "a string", value);
    }
    *ret = json_is_string(value) ? json_string_value(value) : "";
    return 0;
}

int skr_object_copy_string(struct skr_arena *arena, const json_t *object, const char *path,
                           const char *key, const char **ret, struct skr_error *error)
{
    const char *text = "";
    int rc = skr_object_string(object, path, key, &text, error);
    if (rc != 0) {
        return rc;
    }
    /* Absent ones cost nothing: the literal is as good as a copy. */
    const char *copy = text[0] != '\0' ? skr_arena_strdup(arena, text) : "";
    if (!copy) {
        return skr_object_too_large(error, path);
    }
    *ret = copy;
    return 0;
}

int skr_object_bool(const json_t *object, const char *path, const char *key, bool *ret,
                    struct skr_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_boolean(value)) {
        return skr_object_type_error(error, path, key, "a boolean", value);
    }
    *ret = json_is_true(value);
    return 0;
}

int skr_object_object(const json_t *object, const char *path, const char *key, const json_t **ret,
                      struct skr_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_object(value)) {
        return skr_object_type_error(error, path, key, "an object", value);
    }
    *ret = json_is_object(value) ? value : NULL;
    return 0;
}

int skr_object_array(const json_t *object, const char *path, const char *key, const json_t **ret,
                     struct skr_error *error)
{
    const json_t *value = json_object_get(object, key);
    if (!skr_object_is_absent(value) && !json_is_array(value)) {
        return skr_object_type_error(error, path, key, "an array", value);
    }
    *ret = json_is_array(value) ? value : NULL;
    return 0;
}
