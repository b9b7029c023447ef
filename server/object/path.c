/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and copying along a path. */
#include "server/object/path.h"

#include <stdio.h>
#include <string.h>

#include "server/object/pairs.h"
#include "topology/base/json_field.h"

enum { KEY_MAX = 128 };

json_t *skr_path_ref(const json_t *value)
{
    return json_incref(skr_object_unconst(value));
}

/* json_object_getn() is of jansson 2.14; Ubuntu 22.04 has 2.13. key: of n bytes. */
static const json_t *member(const json_t *object, const char *key, size_t n)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    return json_object_getn(object, key, n);
#else
    char copy[KEY_MAX];
    skr_bug_on(n >= KEY_MAX);
    memcpy(copy, key, n);
    copy[n] = '\0';
    return json_object_get(object, copy);
#endif
}

/* The first key of the path, *path is what follows; NULL: what is left is the last key. */
static const char *split(const char **path, char key[KEY_MAX])
{
    const char *dot = strchr(*path, '.');
    if (!dot) {
        return NULL;
    }
    const size_t n = (size_t)(dot - *path);
    skr_bug_on(n >= KEY_MAX);
    memcpy(key, *path, n);
    key[n] = '\0';
    *path = dot + 1;
    return key;
}

const json_t *skr_path_get(const json_t *object, const char *path)
{
    for (;;) {
        const char *end = strchrnul(path, '.');
        object = member(object, path, (size_t)(end - path));
        if (!object || *end == '\0') {
            return json_is_null(object) ? NULL : object;
        }
        path = end + 1;
    }
}

const char *skr_path_text(const json_t *object, const char *path)
{
    const char *text = json_string_value(skr_path_get(object, path));
    return text ? text : "";
}

int64_t skr_path_int(const json_t *object, const char *path, int64_t otherwise)
{
    const json_t *value = skr_path_get(object, path);
    return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

bool skr_path_true(const json_t *object, const char *path)
{
    return json_is_true(skr_path_get(object, path));
}

const char *skr_path_scalar(const json_t *object, const char *path, char number[24])
{
    const json_t *value = skr_path_get(object, path);
    if (json_is_string(value)) {
        return json_string_value(value);
    }
    if (json_is_integer(value)) {
        (void)snprintf(number, 24, "%lld", (long long)json_integer_value(value));
        return number;
    }
    if (json_is_boolean(value)) {
        return json_is_true(value) ? "true" : "false";
    }
    return "";
}

const char *skr_path_label(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(skr_path_get(object, "metadata.labels"), key));
}

const char *skr_path_annotation(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(skr_path_get(object, "metadata.annotations"), key));
}

const char *skr_path_go_type(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "bool";
    case JSON_NULL:
    default:
        return "null";
    }
}

const json_t *skr_path_find(const json_t *array, const char *field, const char *value)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const json_t *element = json_array_get(array, i);
        if (strcmp(skr_path_text(element, field), value) == 0) {
            return element;
        }
    }
    return NULL;
}

bool skr_path_holds(const json_t *array, const char *value)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *text = json_string_value(json_array_get(array, i));
        if (text && strcmp(text, value) == 0) {
            return true;
        }
    }
    return false;
}

static json_t *checked(json_t *value)
{
    skr_bug_on(!value); /* no memory */
    return value;
}

static json_t *own(json_t *object, const char *key, bool array)
{
    json_t *member = json_object_get(object, key);
    const bool usable = array ? json_is_array(member) : json_is_object(member);
    if (usable && member->refcount == 1) {
        return member;
    }
    json_t *copy = usable ? json_copy(member) : (array ? json_array() : json_object());

    json_object_set_new_nocheck(object, key, checked(copy));
    return copy;
}

json_t *skr_path_own(json_t *object, const char *key)
{
    return own(object, key, false);
}

json_t *skr_path_own_array(json_t *object, const char *key)
{
    return own(object, key, true);
}

static bool is_tree(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

json_t *skr_path_copy(const json_t *value)
{
    json_t *copy, *child;
    const char *key;
    size_t i;
    if (json_is_object(value)) {
        copy = checked(json_object());
        json_object_foreach(skr_object_unconst(value), key, child)
        {
            json_object_set_new_nocheck(copy, key, skr_path_copy(child));
        }
        return copy;
    }
    if (json_is_array(value)) {
        copy = checked(json_array());
        json_array_foreach(value, i, child)
        {
            json_array_append_new(copy, skr_path_copy(child));
        }
        return copy;
    }
    return value ? skr_path_ref(value) : NULL;
}

json_t *skr_path_copy_beside(const json_t *value, const json_t *known)
{
    json_t *copy, *child;
    size_t i;
    if (value == known || !value) {
        return value ? skr_path_ref(value) : NULL;
    }
    if (json_is_object(value)) {
        struct skr_pairs p = skr_pairs_of(value, known);
        copy = checked(json_object());
        while (skr_pairs_next(&p)) {
            json_object_set_new_nocheck(copy, p.key, skr_path_copy_beside(p.value, p.other));
        }
        return copy;
    }
    if (json_is_array(value)) {
        copy = checked(json_array());
        json_array_foreach(value, i, child)
        {
            json_array_append_new(copy, skr_path_copy_beside(child, json_array_get(known, i)));
        }
        return copy;
    }
    return skr_path_ref(value);
}

json_t *skr_path_with(const json_t *object, const char *path, json_t *value)
{
    json_t *copy =
        checked(json_is_object(object) ? json_copy(skr_object_unconst(object)) : json_object());
    json_t *at = copy;
    char key[KEY_MAX];
    while (split(&path, key)) {
        at = skr_path_own(at, key);
    }
    if (value) {
        json_object_set_new_nocheck(at, path, value);
    } else {
        json_object_del(at, path);
    }
    return copy;
}

/* Below, what is the value of known in the same place was looked at when that was. */
static bool is_deeper(const json_t *value, const json_t *known, int left)
{
    struct skr_pairs p = skr_pairs_of(value, known);
    json_t *child;
    size_t i;
    if (value == known || !is_tree(value)) {
        return false;
    }
    if (left == 0) {
        return true;
    }
    while (skr_pairs_next(&p)) {
        if (is_tree(p.value) && is_deeper(p.value, p.other, left - 1)) {
            return true;
        }
    }
    json_array_foreach(value, i, child)
    {
        if (is_tree(child) && is_deeper(child, json_array_get(known, i), left - 1)) {
            return true;
        }
    }
    return false;
}

bool skr_path_too_deep(const json_t *value)
{
    return is_deeper(value, NULL, SKR_PATH_DEPTH_MAX);
}

bool skr_path_too_deep_beside(const json_t *object, const json_t *known)
{
    return is_deeper(object, known, SKR_PATH_DEPTH_MAX);
}
