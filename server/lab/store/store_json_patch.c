/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Applies JSON patches (RFC 6902), strictly: a missing path, an index beyond the end or a failed
 * test ends the whole patch. Works on a copy of the object; patches are rare and short.
 */
#include <stdlib.h>
#include <string.h>

#include "server/lab/store/store_parts.h"

enum {
    OPERATIONS_MAX = 10000,
    POINTER_MAX = 4096,
    COPIED_MAX = 100000, /* values that one patch may copy: copies of copies double */
};

/* The next token of a JSON pointer (RFC 6901), unescaped; at: after the slash. */
static bool take_token(const char **at, char token[POINTER_MAX])
{
    size_t n = 0;
    for (; **at != '\0' && **at != '/'; ++*at) {
        char c = **at;
        if (c == '~') {
            ++*at;
            if (**at != '0' && **at != '1') {
                return false;
            }
            c = **at == '0' ? '~' : '/';
        }
        if (n + 1 >= POINTER_MAX) {
            return false;
        }
        token[n++] = c;
    }
    token[n] = '\0';
    if (**at == '/') {
        ++*at;
    }
    return true;
}

/* Digits without a leading zero. end: "-" is allowed and means n. */
static bool index_of(const char *token, size_t n, bool end, size_t *ret)
{
    char *rest;
    if (end && strcmp(token, "-") == 0) {
        *ret = n;
        return true;
    }
    if (token[0] < '0' || token[0] > '9' || (token[0] == '0' && token[1] != '\0') ||
        strlen(token) > 9) {
        return false;
    }
    *ret = (size_t)strtoul(token, &rest, 10);
    return *rest == '\0' && *ret < n + (end ? 1 : 0);
}

static json_t *child(json_t *parent, const char *token)
{
    size_t i;
    if (json_is_object(parent)) {
        return json_object_get(parent, token);
    }
    return json_is_array(parent) && index_of(token, json_array_size(parent), false, &i)
               ? json_array_get(parent, i)
               : NULL;
}

/* The value's parent and the last token; false if the path ends before. Pointer "" has none. */
static bool find_parent(json_t *document, const char *pointer, json_t **ret,
                        char token[POINTER_MAX])
{
    const char *at = pointer + 1;
    if (pointer[0] != '/') {
        return false;
    }
    for (*ret = document;;) {
        const bool last = !strchr(at, '/');
        if (!take_token(&at, token)) {
            return false;
        }
        if (last) {
            return json_is_object(*ret) || json_is_array(*ret);
        }
        *ret = child(*ret, token);
        if (!*ret) {
            return false;
        }
    }
}

static json_t *find(json_t *document, const char *pointer)
{
    char token[POINTER_MAX];
    json_t *parent;
    if (*pointer == '\0') {
        return document;
    }
    return find_parent(document, pointer, &parent, token) ? child(parent, token) : NULL;
}

/* Takes value. */
static bool add(json_t **document, const char *pointer, json_t *value)
{
    char token[POINTER_MAX];
    json_t *parent;
    size_t i;
    if (*pointer == '\0') {
        json_decref(*document);
        *document = value;
        return true;
    }
    if (find_parent(*document, pointer, &parent, token)) {
        if (json_is_object(parent)) {
            return json_object_set_new(parent, token, value) == 0;
        }
        if (index_of(token, json_array_size(parent), true, &i)) {
            return json_array_insert_new(parent, i, value) == 0;
        }
    }
    json_decref(value);
    return false;
}

static bool take_out(json_t *document, const char *pointer)
{
    char token[POINTER_MAX];
    json_t *parent;
    size_t i;
    if (!find_parent(document, pointer, &parent, token) || !child(parent, token)) {
        return false;
    }
    if (json_is_object(parent)) {
        return json_object_del(parent, token) == 0;
    }
    return index_of(token, json_array_size(parent), false, &i) && json_array_remove(parent, i) == 0;
}

static bool replace(json_t **document, const char *pointer, json_t *value)
{
    char token[POINTER_MAX];
    json_t *parent;
    size_t i;
    if (*pointer == '\0') {
        return add(document, pointer, value);
    }
    if (find_parent(*document, pointer, &parent, token) && child(parent, token)) {
        if (json_is_object(parent)) {
            return json_object_set_new(parent, token, value) == 0;
        }
        return index_of(token, json_array_size(parent), false, &i) &&
               json_array_set_new(parent, i, value) == 0;
    }
    json_decref(value);
    return false;
}

/* from must not be above path. */
static bool move(json_t **document, const char *from, const char *path)
{
    const size_t n = strlen(from);
    json_t *value = find(*document, from);
    if (!value || (strncmp(from, path, n) == 0 && path[n] == '/')) {
        return false;
    }
    json_incref(value);
    if (strcmp(from, path) != 0 && !take_out(*document, from)) {
        json_decref(value);
        return false;
    }
    return strcmp(from, path) == 0 ? (json_decref(value), true) : add(document, path, value);
}

/* The number of values in it, at most left + 1. */
static size_t weigh(const json_t *value, size_t left)
{
    size_t n = 1, i;
    const char *key;
    json_t *part;
    json_object_foreach(skr_object_unconst(value), key, part)
    {
        n += n <= left ? weigh(part, left - n) : 0;
    }
    json_array_foreach(value, i, part)
    {
        n += n <= left ? weigh(part, left - n) : 0;
    }
    return n;
}

static bool copy(json_t **document, const char *from, const char *path, size_t *left)
{
    const json_t *source = find(*document, from);
    const size_t n = source ? weigh(source, *left) : 0;
    if (!source || n > *left) {
        return false;
    }
    *left -= n;
    return add(document, path, skr_path_copy(source)) && !skr_path_too_deep(*document);
}

static bool apply(json_t **document, const json_t *operation, size_t *left)
{
    const char *op = skr_path_text(operation, "op");
    const char *path = json_string_value(json_object_get(operation, "path"));
    const char *from = json_string_value(json_object_get(operation, "from"));
    const json_t *value = json_object_get(operation, "value");
    if (!path) {
        return false;
    }
    if (strcmp(op, "remove") == 0) {
        return take_out(*document, path);
    }
    if (strcmp(op, "move") == 0) {
        return from && move(document, from, path);
    }
    if (strcmp(op, "copy") == 0) {
        return from && copy(document, from, path, left);
    }
    if (!value) {
        return false;
    }
    if (strcmp(op, "add") == 0) {
        return add(document, path, skr_path_copy(value));
    }
    if (strcmp(op, "replace") == 0) {
        return replace(document, path, skr_path_copy(value));
    }
    if (strcmp(op, "test") == 0) {
        const json_t *there = find(*document, path);
        return there && json_equal(there, value) == 1;
    }
    return false;
}

json_t *skr_patch_json(const json_t *target, const json_t *patch, struct skr_error *error)
{
    if (!json_is_array(patch)) {
        (void)skr_error_set(error, SKR_INVALID, "a JSON patch is an array of operations");
        return NULL;
    }
    if (json_array_size(patch) > OPERATIONS_MAX) {
        (void)skr_error_set(error, SKR_LIMIT, "a JSON patch has at most %d operations",
                            OPERATIONS_MAX);
        return NULL;
    }
    json_t *document = skr_path_copy(target);
    size_t left = COPIED_MAX;
    for (size_t i = 0; i < json_array_size(patch); i++) {
        if (!apply(&document, json_array_get(patch, i), &left)) {
            (void)skr_error_set(error, SKR_CONFLICT,
                                "the server rejected our request due to an error in our request");
            json_decref(document);
            return NULL;
        }
    }
    return document;
}
