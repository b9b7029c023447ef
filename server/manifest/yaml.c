/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of document.h become JSON; what an alias stands for is copied, which document.h bounds.
 * Recursion is as deep as documents may be, SKR_MANIFEST_DEPTH_MAX.
 */
#include "server/manifest/yaml.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scalars ---- */

static bool is_word(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* Digits of a base with underscores between them, without those; false for anything else. */
static bool copy_digits(const char *text, char *digits, size_t size)
{
    size_t n = 0;
    for (; *text; text++) {
        if (*text == '_') {
            continue;
        }
        if (n + 1 == size) {
            return false;
        }
        digits[n++] = *text;
    }
    digits[n] = '\0';
    return n > 0;
}

static json_t *integer(const char *text)
{
    char digits[72];
    bool negative = text[0] == '-';
    const char *rest = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    int base = 10;
    if (rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X')) {
        base = 16;
    } else if (rest[0] == '0' && (rest[1] == 'b' || rest[1] == 'B')) {
        base = 2;
    } else if (rest[0] == '0' && rest[1] != '\0') {
        base = 8;
    }
    rest += base == 16 || base == 2 ? 2 : 0;
    rest += base == 8 && (rest[1] == 'o' || rest[1] == 'O') ? 2 : 0;
    if (rest[0] == '_' || !copy_digits(rest, digits, sizeof digits)) {
        return NULL;
    }
    const char *allowed = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
    size_t n = base == 2   ? strspn(digits, "01")
               : base == 8 ? strspn(digits, "01234567")
                           : strspn(digits, allowed);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, base);
    if (digits[n] != '\0' || *end != '\0' || errno == ERANGE ||
        value > (unsigned long long)INT64_MAX) {
        return NULL;
    }
    return json_integer(negative ? -(json_int_t)value : (json_int_t)value);
}

static bool looks_like_real(const char *text)
{
    const char *at = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    size_t before = strspn(at, "0123456789");
    at += before;
    size_t after = 0;
    if (*at == '.') {
        at++;
        after = strspn(at, "0123456789");
        at += after;
    }
    if (before + after == 0) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+' ? 1 : 0;
        size_t n = strspn(at, "0123456789");
        at += n;
        return n > 0 && *at == '\0';
    }
    return *at == '\0';
}

/* What an unquoted scalar is, as kubectl's YAML library resolves it (https://yaml.org/type/): null, a boolean,
 * or a number (new reference). NULL: it is a string. Infinities and NaN, which JSON lacks, stay strings;
 * integers beyond 64 bits become reals. */
static json_t *resolve(const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", "y",  "Y",  "yes",
                                        "Yes",  "YES",  "on",   "On", "ON", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", "n",   "N",   "no",
                                         "No",    "NO",    "off",   "Off", "OFF", NULL};
    if (is_word(text, nulls)) {
        return json_null();
    }
    if (is_word(text, trues)) {
        return json_true();
    }
    if (is_word(text, falses)) {
        return json_false();
    }
    if (!strchr("+-.0123456789", text[0])) {
        return NULL;
    }
    json_t *number = integer(text);
    if (!number && looks_like_real(text)) {
        number = json_real(strtod(text, NULL));
    }
    return number;
}

static json_t *fail(struct skr_document_error *error, enum skr_error_code code,
                    const struct skr_value *at, const char *text)
{
    *error = (struct skr_document_error){.code = code, .at = at->at};
    (void)snprintf(error->problem, sizeof error->problem, "%s", text);
    return NULL;
}

static json_t *to_json(const struct skr_value *value, struct skr_document_error *error);

static json_t *text_to_json(const struct skr_value *value, struct skr_document_error *error)
{
    if (strlen(value->text) != value->n) {
        return fail(error, SKR_INVALID, value, "a text with a NUL byte");
    }
    json_t *json = value->is_plain ? resolve(value->text) : NULL;
    json = json ? json : json_stringn(value->text, value->n);
    return json ? json : fail(error, SKR_INVALID, value, "this is not UTF-8");
}

static json_t *list_to_json(const struct skr_value *value, struct skr_document_error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < value->n; i++) {
        json_t *item = to_json(value->item[i], error);
        if (!item) {
            json_decref(list);
            return NULL;
        }
        json_array_append_new(list, item);
    }
    return list;
}

static bool is_merge(const struct skr_value *key)
{
    return key->is_plain && skr_value_is(key, "<<");
}

/* "<<": members of a mapping, or of several, that are not there. */
static bool merge(json_t *into, const struct skr_value *value, struct skr_document_error *error)
{
    const size_t n = value->kind == SKR_VALUE_LIST ? value->n : 1;
    for (size_t i = 0; i < n; i++) {
        const struct skr_value *from = value->kind == SKR_VALUE_LIST ? value->item[i] : value;
        if (from->kind != SKR_VALUE_MAPPING) {
            (void)fail(error, SKR_INVALID, value, "<<: a mapping is expected");
            return false;
        }
        json_t *members = to_json(from, error);
        if (!members) {
            return false;
        }
        json_object_update_missing(into, members);
        json_decref(members);
    }
    return true;
}

static bool add_pair(json_t *into, const struct skr_value *key, const struct skr_value *value,
                     struct skr_document_error *error)
{
    char twice[160];
    if (strlen(key->text) != key->n) {
        (void)fail(error, SKR_INVALID, key, "a text with a NUL byte");
        return false;
    }
    json_t *json = to_json(value, error);
    if (!json) {
        return false;
    }
    if (json_object_get(into, key->text)) {
        json_decref(json);
        (void)snprintf(twice, sizeof twice, "key \"%.128s\" twice", key->text);
        (void)fail(error, SKR_CONFLICT, key, twice);
        return false;
    }
    json_object_set_new(into, key->text, json);
    return true;
}

static json_t *mapping_to_json(const struct skr_value *value, struct skr_document_error *error)
{
    json_t *object = json_object();
    bool good = true;
    for (size_t i = 0; i < 2 * value->n && good; i += 2) {
        good =
            is_merge(value->item[i]) || add_pair(object, value->item[i], value->item[i + 1], error);
    }
    for (size_t i = 0; i < 2 * value->n && good; i += 2) {
        good = !is_merge(value->item[i]) || merge(object, value->item[i + 1], error);
    }
    if (!good) {
        json_decref(object);
    }
    return good ? object : NULL;
}

static json_t *to_json(const struct skr_value *value, struct skr_document_error *error)
{
    return value->kind == SKR_VALUE_TEXT   ? text_to_json(value, error)
           : value->kind == SKR_VALUE_LIST ? list_to_json(value, error)
                                           : mapping_to_json(value, error);
}

struct skr_document *skr_yaml_create(const char *text, size_t n)
{
    return skr_document_create(text, n, SKR_MANIFEST_DEPTH_MAX, SIZE_MAX);
}

int skr_yaml_next(struct skr_document *yaml, json_t **ret, const struct skr_value **root,
                  struct skr_document_error *error)
{
    *ret = NULL;
    int rc = skr_document_next(yaml, root, error);
    if (rc <= 0) {
        return rc;
    }
    *ret = to_json(*root, error);
    return *ret ? 0 : -(int)error->code;
}

/* ---- positions ---- */

/* Steps along a path: the rest behind key, or behind [index]; NULL when the path goes elsewhere. */
static const char *behind_key(const char *path, const struct skr_value *key)
{
    if (key->n == 0 || strncmp(path, key->text, key->n) != 0) {
        return NULL;
    }
    path += key->n;
    return *path == '.' ? path + 1 : *path == '[' || *path == '\0' ? path : NULL;
}

static const char *behind_index(const char *path, size_t index)
{
    char text[32];
    int n = snprintf(text, sizeof text, "[%zu]", index);
    if (strncmp(path, text, (size_t)n) != 0) {
        return NULL;
    }
    return path[n] == '.' ? path + n + 1 : path + n;
}

struct found {
    const struct skr_value *value;
    const char *rest; /* of the path at the deepest value found */
};

/* Keys may hold dots, so a path may be there in more than one way. */
static void look(const struct skr_value *value, const char *rest, struct found *found)
{
    if (!found->value || strlen(rest) < strlen(found->rest)) {
        *found = (struct found){value, rest};
    }
    for (size_t i = 0; i < value->n && value->kind != SKR_VALUE_TEXT && !value->is_alias; i++) {
        const bool is_list = value->kind == SKR_VALUE_LIST;
        const char *below = is_list ? behind_index(rest, i) : behind_key(rest, value->item[2 * i]);
        if (below) {
            look(value->item[is_list ? i : 2 * i + 1], below, found);
        }
    }
}

struct skr_yaml_mark skr_yaml_find(const char *text, size_t n, size_t document, const char *path,
                                   enum skr_scalar_style *style)
{
    SKR_AUTO(skr_document_destroy) struct skr_document *yaml = skr_yaml_create(text, n);
    const struct skr_value *root = NULL;
    struct skr_document_error error;
    struct found found = {NULL, path};
    int rc = 1;
    for (size_t i = 0; i <= document && rc > 0; i++) {
        rc = skr_document_next(yaml, &root, &error);
    }
    if (rc > 0 && root) {
        look(root, path, &found);
    }
    const struct skr_yaml_mark at = found.value ? found.value->at : (struct skr_yaml_mark){1, 1};
    if (style) {
        *style = found.value && *found.rest == '\0' ? found.value->style : SKR_SCALAR_NONE;
    }
    return at;
}
