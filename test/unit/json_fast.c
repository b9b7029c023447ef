/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over the text with the open arrays and objects on a stack. */
#include "test/unit/json_fast.h"

#include <stdbool.h>
#include <string.h>

enum { DEPTH_MAX = 32, TEXT_MAX = 65536, DIGITS_MAX = 18 };

struct reader {
    const char *at, *end;
    json_t *open[DEPTH_MAX];
    int depth;
    bool odd;
    char text[TEXT_MAX], key[TEXT_MAX]; /* the last string and key, without escapes */
    size_t len, key_len;
};

static void skip_space(struct reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
}

/* The next byte that is no space; 0 at the end. */
static char peek(struct reader *r)
{
    skip_space(r);
    return r->at < r->end ? *r->at : '\0';
}

static bool take(struct reader *r, char c)
{
    bool is = peek(r) == c;
    r->at += is;
    return is;
}

static char unescaped(char c)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(from, c) : NULL;
    return found ? to[found - from] : '\0';
}

/* Into r->text; the quotation mark is at r->at. */
static void read_string(struct reader *r)
{
    r->len = 0;
    for (r->at++; r->at < r->end && *r->at != '"' && !r->odd; r->at++) {
        char c = *r->at;
        if (c == '\\') {
            c = ++r->at < r->end ? unescaped(*r->at) : '\0';
            r->odd = c == '\0';
        } else {
            r->odd = c < ' ' || c == 0x7f; /* also what is beyond ASCII where char has a sign */
        }
        r->odd = r->odd || (unsigned char)*r->at >= 0x7f || r->len + 1 >= TEXT_MAX;
        r->text[r->len++] = c;
    }
    r->odd = r->odd || r->at >= r->end;
    r->at++;
}

static json_t *read_integer(struct reader *r)
{
    json_int_t v = 0;
    bool negative = *r->at == '-';
    const char *first = r->at += negative;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && r->at - first < DIGITS_MAX) {
        v = v * 10 + (*r->at++ - '0');
    }
    bool ends = r->at < r->end && strchr(",]} \n\t\r", *r->at) && *r->at;
    r->odd = r->at == first || !ends || (*first == '0' && r->at - first > 1);
    return r->odd ? NULL : json_integer(negative ? -v : v);
}

static json_t *read_word(struct reader *r)
{
    static const char *const word[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
        size_t n = strlen(word[i]);
        if ((size_t)(r->end - r->at) > n && memcmp(r->at, word[i], n) == 0) {
            r->at += n;
            return i == 2 ? json_null() : json_boolean(i == 0);
        }
    }
    r->odd = true;
    return NULL;
}

/* An array or object is returned empty. */
static json_t *read_value(struct reader *r)
{
    char c = peek(r);
    if (c == '{' || c == '[') {
        r->at++;
        return c == '{' ? json_object() : json_array();
    }
    if (c == '"') {
        read_string(r);
        return r->odd ? NULL : json_stringn_nocheck(r->text, r->len);
    }
    return c == '-' || (c >= '0' && c <= '9') ? read_integer(r) : read_word(r);
}

static void read_key(struct reader *r)
{
    if (peek(r) != '"') {
        r->odd = true;
        return;
    }
    read_string(r);
    r->odd = r->odd || !take(r, ':');
    memcpy(r->key, r->text, r->len);
    r->key_len = r->len;
}

static void push(struct reader *r, json_t *value)
{
    r->odd = r->odd || r->depth == DEPTH_MAX;
    if (!r->odd) {
        r->open[r->depth++] = value;
    }
}

/* One more value of the innermost open array or object. */
static void read_item(struct reader *r)
{
    json_t *into = r->open[r->depth - 1];
    bool is_object = json_is_object(into);
    if (is_object) {
        read_key(r);
    }
    json_t *value = r->odd ? NULL : read_value(r);
    if (!value) {
        r->odd = true;
    } else if (is_object) {
        json_object_setn_new_nocheck(into, r->key, r->key_len, value);
    } else {
        json_array_append_new(into, value);
    }
    if (value && (json_is_object(value) || json_is_array(value))) {
        push(r, value);
    }
}

static bool closes(struct reader *r)
{
    return take(r, json_is_object(r->open[r->depth - 1]) ? '}' : ']');
}

json_t *json_fast_read(const char *text, size_t n, json_error_t *ret_error)
{
    static struct reader r; /* tests have one thread */
    r.at = text;
    r.end = text + n;
    r.depth = 0;
    r.odd = false;
    char c = peek(&r);
    json_t *value = c == '{' || c == '[' ? read_value(&r) : NULL;
    r.odd = !value;
    push(&r, value);
    bool fresh = true; /* the innermost one is empty so far */
    while (!r.odd && r.depth > 0) {
        int before = r.depth;
        if (closes(&r)) {
            r.depth--;
            fresh = false;
        } else if (fresh || take(&r, ',')) {
            read_item(&r);
            fresh = r.depth > before;
        } else {
            r.odd = true;
        }
    }
    if (!r.odd && peek(&r) == '\0' && r.at == r.end) {
        return value;
    }
    json_decref(value);
    return json_loadb(text, n, 0, ret_error);
}
