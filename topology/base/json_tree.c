/* SPDX-License-Identifier: Apache-2.0 */
/* One pass with the open arrays and objects on a stack; a value is in its parent before its own values
 * are read, so that letting go of the outermost one lets go of all. */
#include "topology/base/json_tree.h"

#include <stdlib.h>
#include <string.h>

enum { DIGITS_MAX = 18 }; /* always fit */

struct reader {
    struct skr_json_scan *scan;
    json_t *open[SKR_JSON_DEPTH_MAX]; /* borrowed of the outermost */
    size_t depth;
};

/* NULL: more than a number of DIGITS_MAX digits. */
static json_t *short_integer(const struct skr_json_span *text)
{
    const size_t sign = text->s[0] == '-' ? 1 : 0;
    json_int_t value = 0;
    if (text->len - sign > DIGITS_MAX) {
        return NULL;
    }
    for (size_t i = sign; i < text->len; i++) {
        if (text->s[i] < '0' || text->s[i] > '9') {
            return NULL;
        }
        value = value * 10 + (text->s[i] - '0');
    }
    return json_integer(sign ? -value : value);
}

static json_t *read_scalar(struct skr_json_scan *scan, char first)
{
    struct skr_json_span text;
    json_t *value = NULL;
    if (!skr_json_scan_value(scan, &text)) {
        return NULL;
    }
    if (first == 't' || first == 'f') {
        return json_boolean(first == 't');
    }
    if (first == 'n') {
        return json_null();
    }
    value = short_integer(&text);
    value = value ? value : json_loadb(text.s, text.len, JSON_DECODE_ANY, NULL);
    if (!value) {
        scan->what = "a number too large";
    }
    return value;
}

/* An array or object is returned empty and is the innermost one. NULL: the scan says why. */
static json_t *read_value(struct reader *r)
{
    struct skr_json_scan *scan = r->scan;
    const char c = skr_json_scan_peek(scan);
    char *text;
    if (c == '"') {
        return skr_json_scan_string(scan, &text) ? json_string_nocheck(text) : NULL;
    }
    if (c != '{' && c != '[') {
        return read_scalar(scan, c);
    }
    if (r->depth == SKR_JSON_DEPTH_MAX) {
        scan->what = "more than 512 levels of arrays and objects";
        return NULL;
    }
    (void)skr_json_scan_enter(scan, c);
    json_t *value = c == '{' ? json_object() : json_array();
    if (value) {
        r->open[r->depth++] = value;
    }
    return value;
}

/* The next value of the innermost one, or its end; false: malformed, or no memory. */
static bool read_next(struct reader *r, bool *first)
{
    json_t *into = r->open[r->depth - 1];
    const size_t depth = r->depth;
    char *key = NULL;
    const bool more = json_is_object(into) ? skr_json_scan_member(r->scan, first, &key)
                                           : skr_json_scan_element(r->scan, first);
    if (!more) {
        r->depth--;
        *first = false;
        return !r->scan->what;
    }
    json_t *value = read_value(r);
    *first = r->depth > depth;
    if (!value) {
        return false;
    }
    return (key ? json_object_set_new_nocheck(into, key, value)
                : json_array_append_new(into, value)) == 0;
}

json_t *skr_json_tree_read(struct skr_json_scan *scan)
{
    struct reader r = {.scan = scan};
    bool first = true;
    json_t *value = read_value(&r);
    bool good = value;
    while (good && r.depth > 0) {
        good = read_next(&r, &first);
    }
    if (good && skr_json_scan_end(scan)) {
        return value;
    }
    json_decref(value);
    return NULL;
}

json_t *skr_json_tree_of(const char *text, size_t n)
{
    struct skr_json_scan scan;
    char *copy = malloc(n + 1);
    if (!copy) {
        return NULL;
    }
    memcpy(copy, text, n);
    skr_json_scan_init(&scan, copy, n);
    json_t *value = skr_json_tree_read(&scan);
    free(copy);
    return value;
}
