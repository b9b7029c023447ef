/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open arrays and objects are linked through their length on the tape, so there is no stack and no
 * recursion.
 */
#include "topology/base/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_string.h"

/* ---- values ---- */

size_t skr_json_count(const struct skr_json *container)
{
    size_t n = 0;
    if (container && container->type == SKR_JSON_OBJECT) {
        SKR_JSON_EACH_MEMBER(container, key)
        {
            n++;
        }
    } else if (container && container->type == SKR_JSON_ARRAY) {
        SKR_JSON_EACH(container, item)
        {
            n++;
        }
    }
    return n;
}

/* Where the name is in the list, n: nowhere. Members are mostly in the list's order. */
static size_t find_key(const char *const key[], size_t n, size_t from, const struct skr_json *name)
{
    for (size_t tried = 0, i = from; tried < n; tried++, i++) {
        i = i < n ? i : 0;
        if (name->n > 0 && key[i][0] == name->text[0] && skr_json_is(name, key[i])) {
            return i;
        }
    }
    return n;
}

void skr_json_members(const struct skr_json *object, const char *const key[], size_t n,
                      const struct skr_json *ret[])
{
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        ret[i] = NULL;
    }
    if (!object || object->type != SKR_JSON_OBJECT) {
        return;
    }
    SKR_JSON_EACH_MEMBER(object, name)
    {
        const size_t i = find_key(key, n, next, name);
        if (i < n) {
            ret[i] = name + 1;
            next = i + 1;
        }
    }
}

const struct skr_json *skr_json_get(const struct skr_json *object, const char *key)
{
    const struct skr_json *value;
    skr_json_members(object, &key, 1, &value);
    return value;
}

/* ---- the reader ---- */

void skr_json_reader_fini(struct skr_json_reader *reader)
{
    free(reader->tape);
    free(reader->unescaped);
    *reader = (struct skr_json_reader){.text = NULL};
}

void skr_json_begin(struct skr_json_reader *reader, const char *text, size_t len)
{
    if (reader->max_values * sizeof *reader->tape + reader->max_unescaped > SKR_JSON_KEEP_BYTES) {
        const bool refuse_nul = reader->refuse_nul;
        skr_json_reader_fini(reader);
        reader->refuse_nul = refuse_nul;
    }
    reader->text = text;
    reader->len = len;
    reader->pos = reader->n_values = reader->n_unescaped = 0;
    reader->what = len > UINT32_MAX ? "a text of more than 4 GiB" : NULL;
}

int skr_json_error(const struct skr_json_reader *reader, struct skr_error *error)
{
    return skr_error_set(error, SKR_INVALID, "byte %zu: %s", reader->pos,
                         reader->what ? reader->what : "malformed JSON");
}

char skr_json_peek(struct skr_json_reader *reader)
{
    while (reader->pos < reader->len) {
        const char c = reader->text[reader->pos];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return c;
        }
        reader->pos++;
    }
    return 0;
}

static size_t digits(struct skr_json_reader *reader)
{
    const size_t from = reader->pos;
    while (reader->pos < reader->len && reader->text[reader->pos] >= '0' &&
           reader->text[reader->pos] <= '9') {
        reader->pos++;
    }
    return reader->pos - from;
}

static bool at(const struct skr_json_reader *reader, char c)
{
    return reader->pos < reader->len && reader->text[reader->pos] == c;
}

static bool number_text(struct skr_json_reader *reader)
{
    if (at(reader, '-')) {
        reader->pos++;
    }
    if (at(reader, '0')) {
        reader->pos++;
    } else if (digits(reader) == 0) {
        return skr_json_fail(reader, "a value is expected");
    }
    if (at(reader, '.')) {
        reader->pos++;
        if (digits(reader) == 0) {
            return skr_json_fail(reader, "digits are expected after the decimal point");
        }
    }
    if (at(reader, 'e') || at(reader, 'E')) {
        reader->pos++;
        if (at(reader, '+') || at(reader, '-')) {
            reader->pos++;
        }
        if (digits(reader) == 0) {
            return skr_json_fail(reader, "digits are expected in the exponent");
        }
    }
    return true;
}

/* Whether libjansson can hold it. */
static bool is_in_range(const struct skr_json *number)
{
    enum { DIGITS_MAX = 18 }; /* always fit, with a sign or without */
    if (number->n <= DIGITS_MAX && !memchr(number->text, 'e', number->n) &&
        !memchr(number->text, 'E', number->n)) {
        return true;
    }
    json_t *value = json_loadb(number->text, number->n, JSON_DECODE_ANY, NULL);
    json_decref(value);
    return value;
}

static bool number(struct skr_json_reader *reader, struct skr_json *ret)
{
    const size_t from = reader->pos;
    if (!number_text(reader)) {
        return false;
    }
    *ret = (struct skr_json){
        .text = reader->text + from, .n = (uint32_t)(reader->pos - from), .type = SKR_JSON_NUMBER};
    return is_in_range(ret) || skr_json_fail(reader, "a number too large");
}

static bool literal(struct skr_json_reader *reader, const char *word)
{
    const size_t n = strlen(word);
    if (reader->len - reader->pos < n || memcmp(reader->text + reader->pos, word, n) != 0) {
        return skr_json_fail(reader, "a value is expected");
    }
    reader->pos += n;
    /* "nullx" is one wrong word, not a value and something else. */
    if (reader->pos < reader->len) {
        const char c = reader->text[reader->pos];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            return skr_json_fail(reader, "a value is expected");
        }
    }
    return true;
}

static bool word(struct skr_json_reader *reader, const char *text, enum skr_json_type type,
                 struct skr_json *ret)
{
    *ret = (struct skr_json){.n = text[0] == 't' ? 1 : 0, .type = (uint8_t)type};
    return literal(reader, text);
}

/* Of which c is the first byte. */
static bool scalar(struct skr_json_reader *reader, char c, struct skr_json *ret)
{
    switch (c) {
    case '"':
        return skr_json_read_string(reader, ret);
    case 't':
        return word(reader, "true", SKR_JSON_BOOLEAN, ret);
    case 'f':
        return word(reader, "false", SKR_JSON_BOOLEAN, ret);
    case 'n':
        return word(reader, "null", SKR_JSON_NULL, ret);
    default:
        return number(reader, ret);
    }
}

bool skr_json_enter(struct skr_json_reader *reader, char bracket)
{
    if (skr_json_peek(reader) != bracket) {
        return skr_json_fail(reader,
                             bracket == '{' ? "an object is expected" : "an array is expected");
    }
    reader->pos++;
    return true;
}

/* The separator before the next entry; false at the closing bracket, which is consumed. */
static bool next(struct skr_json_reader *reader, bool *first, char close)
{
    const char c = skr_json_peek(reader);
    if (reader->what) {
        return false;
    }
    if (c == close) {
        reader->pos++;
        return false;
    }
    if (!*first) {
        if (c != ',') {
            return skr_json_fail(reader, close == '}' ? "',' or '}' is expected"
                                                      : "',' or ']' is expected");
        }
        reader->pos++;
    }
    *first = false;
    return true;
}

static bool key(struct skr_json_reader *reader, struct skr_json *ret)
{
    if (skr_json_peek(reader) != '"') {
        return skr_json_fail(reader, "a string is expected");
    }
    if (!skr_json_read_string(reader, ret)) {
        return false;
    }
    if (skr_json_peek(reader) != ':') {
        return skr_json_fail(reader, "':' is expected");
    }
    reader->pos++;
    return true;
}

bool skr_json_member(struct skr_json_reader *reader, bool *first, struct skr_json *ret_key)
{
    reader->n_unescaped = 0;
    return next(reader, first, '}') && key(reader, ret_key);
}

bool skr_json_element(struct skr_json_reader *reader, bool *first)
{
    return next(reader, first, ']');
}

/* ---- the tape ---- */

#define NONE UINT32_MAX /* no array or object is open */

struct skr_json *skr_json_add(struct skr_json_reader *reader)
{
    if (reader->n_values == reader->max_values) {
        skr_grow(&reader->tape, &reader->max_values, reader->n_values + 1, sizeof *reader->tape);
    }
    return &reader->tape[reader->n_values++];
}

/* An array or object that begins, whose length is the place of the one around it until it ends. */
static bool open_one(struct skr_json_reader *reader, char bracket, uint32_t *innermost,
                     size_t *depth)
{
    if (*depth == SKR_JSON_DEPTH_MAX) {
        return skr_json_fail(reader, "more than 512 levels of arrays and objects");
    }
    const uint32_t at = (uint32_t)reader->n_values;
    *skr_json_add(reader) = (struct skr_json){
        .n = *innermost, .type = bracket == '{' ? SKR_JSON_OBJECT : SKR_JSON_ARRAY};
    reader->pos++;
    *innermost = at;
    ++*depth;
    return true;
}

/* The innermost one ends. */
static uint32_t close_one(struct skr_json_reader *reader, uint32_t innermost)
{
    struct skr_json *value = &reader->tape[innermost];
    const uint32_t around = value->n;
    value->n = (uint32_t)(reader->n_values - innermost - 1);
    if (value->type == SKR_JSON_ARRAY && around != NONE && value->n > 0 &&
        reader->tape[around].type == SKR_JSON_OBJECT && skr_json_is(value - 1, "managedFields")) {
        value->n = 0;
        reader->n_values = innermost + 1;
    }
    return around;
}

/* An array or object with all that is in it. */
static bool read_nested(struct skr_json_reader *reader)
{
    uint32_t innermost = NONE;
    size_t depth = 0;
    do {
        const char c = skr_json_peek(reader);
        bool first = c == '{' || c == '[';
        if (!(first ? open_one(reader, c, &innermost, &depth)
                    : scalar(reader, c, skr_json_add(reader)))) {
            return false;
        }
        while (innermost != NONE) {
            const bool object = reader->tape[innermost].type == SKR_JSON_OBJECT;
            if (next(reader, &first, object ? '}' : ']')) {
                if (object && !key(reader, skr_json_add(reader))) {
                    return false;
                }
                break;
            }
            if (reader->what) {
                return false;
            }
            innermost = close_one(reader, innermost);
            depth--;
            first = false;
        }
    } while (innermost != NONE);
    return true;
}

bool skr_json_read(struct skr_json_reader *reader, const struct skr_json **ret)
{
    const char c = skr_json_peek(reader);
    reader->n_values = reader->n_unescaped = 0;
    if (reader->what) {
        return false;
    }
    const bool read = c == '"'               ? skr_json_read_string(reader, skr_json_add(reader))
                      : c == '{' || c == '[' ? read_nested(reader)
                                             : scalar(reader, c, skr_json_add(reader));
    *ret = reader->tape;
    return read;
}

bool skr_json_finish(struct skr_json_reader *reader)
{
    (void)skr_json_peek(reader);
    return !reader->what &&
           (reader->pos == reader->len || skr_json_fail(reader, "text after the value"));
}

int skr_json_read_text(struct skr_json_reader *reader, const char *text, size_t len,
                       const struct skr_json **ret, struct skr_error *error)
{
    skr_json_begin(reader, text, len);
    return skr_json_read(reader, ret) && skr_json_finish(reader) ? 0
                                                                 : skr_json_error(reader, error);
}

/* ---- broken values ---- */

/* Moves behind the string at the cursor. */
static bool skip_string(struct skr_json_reader *reader)
{
    for (reader->pos++; reader->pos < reader->len; reader->pos++) {
        if (reader->text[reader->pos] == '\\') {
            reader->pos++;
        } else if (reader->text[reader->pos] == '"') {
            reader->pos++;
            return true;
        }
    }
    return false;
}

bool skr_json_skip_broken(struct skr_json_reader *reader)
{
    size_t depth = 0;
    reader->what = NULL;
    (void)skr_json_peek(reader);
    const size_t from = reader->pos;
    while (reader->pos < reader->len) {
        const char c = reader->text[reader->pos];
        if (depth == 0 && c != '\0' && strchr(",:]} \t\r\n", c)) {
            return reader->pos > from || skr_json_fail(reader, "a value is expected");
        }
        if (c == '"' && !skip_string(reader)) {
            break;
        }
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ']' ? 1 : 0;
        reader->pos += c != '"' ? 1 : 0;
        if (depth == 0 && (c == '"' || c == '}' || c == ']')) {
            return true;
        }
    }
    return skr_json_fail(reader, "a value that does not end");
}
