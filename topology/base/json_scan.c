/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON cursor. Skipping a value keeps its open brackets as bits of a small
 * stack, so depth is bounded and there is no recursion. Strings are run through (json_plain.h) until a
 * byte that needs a look: the end, an escape, a control character, or UTF-8.
 */
#include "topology/base/json_scan.h"

#include <stdint.h>
#include <string.h>

#include "topology/base/json_plain.h"

void skr_json_scan_init(struct skr_json_scan *scan, char *s, size_t len)
{
    *scan = (struct skr_json_scan){.s = s, .len = len};
}

static bool fail(struct skr_json_scan *scan, const char *what)
{
    if (!scan->what) {
        scan->what = what;
    }
    return false;
}

int skr_json_scan_error(const struct skr_json_scan *scan, struct skr_error *error)
{
    return skr_error_set(error, SKR_INVALID, "byte %zu: %s", scan->pos,
                         scan->what ? scan->what : "malformed JSON");
}

char skr_json_scan_peek(struct skr_json_scan *scan)
{
    while (scan->pos < scan->len) {
        const char c = scan->s[scan->pos];
        if (c != ' ' && c != '\n' && c != '\t' && c != '\r') {
            return c;
        }
        scan->pos++;
    }
    return 0;
}

/* Length of the UTF-8 sequence at s (n bytes are there), 0 when it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    static const struct {
        unsigned char from, to, second_from, second_to;
        size_t length;
    } row[] = {
        {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
        {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
        {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (s[0] < row[i].from || s[0] > row[i].to) {
            continue;
        }
        if (n < row[i].length || s[1] < row[i].second_from || s[1] > row[i].second_to) {
            return 0;
        }
        for (size_t k = 2; k < row[i].length; k++) {
            if ((s[k] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return row[i].length;
    }
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

/* Four hex digits at pos. */
static bool hex4(struct skr_json_scan *scan, uint32_t *ret)
{
    uint32_t v = 0;
    if (scan->len - scan->pos < 4) {
        return fail(scan, "escape of four hexadecimal digits cut off");
    }
    for (size_t i = 0; i < 4; i++) {
        const int digit = hex_digit(scan->s[scan->pos + i]);
        if (digit < 0) {
            return fail(scan, "escape needs four hexadecimal digits");
        }
        v = v << 4 | (uint32_t)digit;
    }
    scan->pos += 4;
    *ret = v;
    return true;
}

static size_t utf8_put(char *out, uint32_t v)
{
    if (v < 0x80) {
        out[0] = (char)v;
        return 1;
    }
    if (v < 0x800) {
        out[0] = (char)(0xC0 | v >> 6);
        out[1] = (char)(0x80 | (v & 0x3F));
        return 2;
    }
    if (v < 0x10000) {
        out[0] = (char)(0xE0 | v >> 12);
        out[1] = (char)(0x80 | (v >> 6 & 0x3F));
        out[2] = (char)(0x80 | (v & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | v >> 18);
    out[1] = (char)(0x80 | (v >> 12 & 0x3F));
    out[2] = (char)(0x80 | (v >> 6 & 0x3F));
    out[3] = (char)(0x80 | (v & 0x3F));
    return 4;
}

/* The escape whose backslash was consumed. out has room: an escape is never shorter than what it
 * stands for. */
static bool escape(struct skr_json_scan *scan, char *out, size_t *ret_len)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    uint32_t v;
    uint32_t low;
    if (scan->pos >= scan->len) {
        return fail(scan, "string not closed");
    }
    const char c = scan->s[scan->pos];
    if (c != 'u') {
        const char *hit = c == 0 ? NULL : strchr(from, c);
        if (!hit) {
            return fail(scan, "unknown escape");
        }
        scan->pos++;
        out[0] = to[hit - from];
        *ret_len = 1;
        return true;
    }
    scan->pos++;
    if (!hex4(scan, &v)) {
        return false;
    }
    if (v == 0) {
        return fail(scan, "U+0000 is not allowed in a string");
    }
    if (v >= 0xDC00 && v <= 0xDFFF) {
        return fail(scan, "second half of a surrogate pair without the first");
    }
    if (v >= 0xD800 && v <= 0xDBFF) {
        if (scan->len - scan->pos < 2 || scan->s[scan->pos] != '\\' ||
            scan->s[scan->pos + 1] != 'u') {
            return fail(scan, "first half of a surrogate pair without the second");
        }
        scan->pos += 2;
        if (!hex4(scan, &low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(scan, "first half of a surrogate pair without the second");
        }
        v = 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
    }
    *ret_len = utf8_put(out, v);
    return true;
}

/* Moves behind bytes of a string that stand for themselves. */
static void skip_plain(struct skr_json_scan *scan)
{
    scan->pos += skr_json_plain_length(scan->s + scan->pos, scan->len - scan->pos);
}

/* Consumes a string. keep: unescape to the front of the string and terminate it. */
static bool string(struct skr_json_scan *scan, bool keep, char **ret)
{
    if (skr_json_scan_peek(scan) != '"') {
        return fail(scan, "a string is expected");
    }
    scan->pos++;
    char *const begin = scan->s + scan->pos;
    char *end = begin; /* of what was unescaped */

    for (;;) {
        const size_t from = scan->pos;
        skip_plain(scan);
        size_t n = scan->pos - from;
        if (keep && end != scan->s + from) {
            memmove(end, scan->s + from, n);
        }
        end += n;
        if (scan->pos >= scan->len) {
            return fail(scan, "string not closed");
        }
        const unsigned char c = (unsigned char)scan->s[scan->pos];
        if (c == '"') {
            break;
        }
        if (c == '\\') {
            char out[4];
            scan->pos++;
            if (!escape(scan, out, &n)) {
                return false;
            }
            if (keep) {
                memcpy(end, out, n);
            }
        } else if (c < 0x20) {
            return fail(scan, "control character in a string");
        } else {
            n = utf8_length((const unsigned char *)scan->s + scan->pos, scan->len - scan->pos);
            if (n == 0) {
                return fail(scan, "not UTF-8");
            }
            if (keep) {
                memmove(end, scan->s + scan->pos, n);
            }
            scan->pos += n;
        }
        end += n;
    }
    scan->pos++;
    if (keep) {
        *end = 0;
        *ret = begin;
    }
    return true;
}

bool skr_json_scan_string(struct skr_json_scan *scan, char **ret)
{
    return string(scan, true, ret);
}

static size_t digits(struct skr_json_scan *scan)
{
    const size_t from = scan->pos;
    while (scan->pos < scan->len && scan->s[scan->pos] >= '0' && scan->s[scan->pos] <= '9') {
        scan->pos++;
    }
    return scan->pos - from;
}

static bool at(const struct skr_json_scan *scan, char c)
{
    return scan->pos < scan->len && scan->s[scan->pos] == c;
}

static bool number(struct skr_json_scan *scan)
{
    if (at(scan, '-')) {
        scan->pos++;
    }
    if (at(scan, '0')) {
        scan->pos++;
    } else if (digits(scan) == 0) {
        return fail(scan, "a value is expected");
    }
    if (at(scan, '.')) {
        scan->pos++;
        if (digits(scan) == 0) {
            return fail(scan, "digits are expected after the decimal point");
        }
    }
    if (at(scan, 'e') || at(scan, 'E')) {
        scan->pos++;
        if (at(scan, '+') || at(scan, '-')) {
            scan->pos++;
        }
        if (digits(scan) == 0) {
            return fail(scan, "digits are expected in the exponent");
        }
    }
    return true;
}

static bool literal(struct skr_json_scan *scan, const char *word)
{
    const size_t n = strlen(word);
    if (scan->len - scan->pos < n || memcmp(scan->s + scan->pos, word, n) != 0) {
        return fail(scan, "a value is expected");
    }
    scan->pos += n;
    /* "nullx" is one wrong word, not a value and something else. */
    if (scan->pos < scan->len) {
        const char c = scan->s[scan->pos];
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
            return fail(scan, "a value is expected");
        }
    }
    return true;
}

bool skr_json_scan_null(struct skr_json_scan *scan)
{
    return skr_json_scan_peek(scan) == 'n' && literal(scan, "null");
}

static bool scalar(struct skr_json_scan *scan)
{
    switch (skr_json_scan_peek(scan)) {
    case '"':
        return string(scan, false, NULL);
    case 't':
        return literal(scan, "true");
    case 'f':
        return literal(scan, "false");
    case 'n':
        return literal(scan, "null");
    default:
        return number(scan);
    }
}

bool skr_json_scan_enter(struct skr_json_scan *scan, char bracket)
{
    if (skr_json_scan_peek(scan) != bracket) {
        return fail(scan, bracket == '{' ? "an object is expected" : "an array is expected");
    }
    scan->pos++;
    return true;
}

/* The separator before the next entry; false at the closing bracket, which is consumed. */
static bool next(struct skr_json_scan *scan, bool *first, char close)
{
    const char c = skr_json_scan_peek(scan);
    if (scan->what) {
        return false;
    }
    if (c == close) {
        scan->pos++;
        return false;
    }
    if (!*first) {
        if (c != ',') {
            return fail(scan, close == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
        }
        scan->pos++;
    }
    *first = false;
    return true;
}

static bool colon(struct skr_json_scan *scan)
{
    if (skr_json_scan_peek(scan) != ':') {
        return fail(scan, "':' is expected");
    }
    scan->pos++;
    return true;
}

bool skr_json_scan_member(struct skr_json_scan *scan, bool *first, char **key)
{
    return next(scan, first, '}') && string(scan, true, key) && colon(scan);
}

bool skr_json_scan_raw_member(struct skr_json_scan *scan, bool *first, struct skr_json_span *key)
{
    if (!next(scan, first, '}')) {
        return false;
    }
    (void)skr_json_scan_peek(scan);
    key->s = scan->s + scan->pos;
    if (!string(scan, false, NULL)) {
        return false;
    }
    key->len = (size_t)(scan->s + scan->pos - key->s);
    return colon(scan);
}

bool skr_json_scan_element(struct skr_json_scan *scan, bool *first)
{
    return next(scan, first, ']');
}

/* Goes from one value to the next inside of open brackets: closes those that end, and for an object
 * takes the next key. depth 0 afterwards: the whole value is read. */
static bool advance(struct skr_json_scan *scan, const uint64_t *is_object, size_t *depth,
                    bool *first)
{
    while (*depth > 0) {
        const size_t top = *depth - 1;
        const bool object = (is_object[top / 64] >> (top % 64) & 1) != 0;
        if (next(scan, first, object ? '}' : ']')) {
            return !object || (string(scan, false, NULL) && colon(scan));
        }
        if (scan->what) {
            return false;
        }
        --*depth;
        *first = false;
    }
    return true;
}

bool skr_json_scan_value(struct skr_json_scan *scan, struct skr_json_span *ret)
{
    uint64_t is_object[SKR_JSON_DEPTH_MAX / 64] = {0};
    size_t depth = 0;
    (void)skr_json_scan_peek(scan);
    const size_t from = scan->pos;
    do {
        bool first = false;
        const char c = skr_json_scan_peek(scan);
        if (c == '{' || c == '[') {
            if (depth == SKR_JSON_DEPTH_MAX) {
                return fail(scan, "more than 512 levels of arrays and objects");
            }
            scan->pos++;
            const uint64_t bit = UINT64_C(1) << (depth % 64);
            if (c == '{') {
                is_object[depth / 64] |= bit;
            } else {
                is_object[depth / 64] &= ~bit;
            }
            depth++;
            first = true;
        } else if (!scalar(scan)) {
            return false;
        }
        if (!advance(scan, is_object, &depth, &first)) {
            return false;
        }
    } while (depth > 0);
    if (ret) {
        *ret = (struct skr_json_span){.s = scan->s + from, .len = scan->pos - from};
    }
    return true;
}

bool skr_json_scan_end(struct skr_json_scan *scan)
{
    (void)skr_json_scan_peek(scan);
    return !scan->what && (scan->pos == scan->len || fail(scan, "text after the value"));
}
