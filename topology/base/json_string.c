/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings are run through (json_plain.h) until a byte that needs a look: the end, an escape, a control
 * character, or UTF-8.
 */
#include "topology/base/json_string.h"

#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_plain.h"

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
static bool hex4(struct skr_json_reader *reader, uint32_t *ret)
{
    uint32_t v = 0;
    if (reader->len - reader->pos < 4) {
        return skr_json_fail(reader, "escape of four hexadecimal digits cut off");
    }
    for (size_t i = 0; i < 4; i++) {
        const int digit = hex_digit(reader->text[reader->pos + i]);
        if (digit < 0) {
            return skr_json_fail(reader, "escape needs four hexadecimal digits");
        }
        v = v << 4 | (uint32_t)digit;
    }
    reader->pos += 4;
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

/* Length of the UTF-8 sequence that begins with c at the cursor; 0: there is none, what is set. */
static size_t utf8_or_fail(struct skr_json_reader *reader, unsigned char c)
{
    const char *at = reader->text + reader->pos;
    const size_t n =
        c < 0x20 ? 0 : utf8_length((const unsigned char *)at, reader->len - reader->pos);
    if (n == 0) {
        (void)skr_json_fail(reader, c < 0x20 ? "control character in a string" : "not UTF-8");
    }
    return n;
}

enum { REPLACEMENT = 0xFFFD }; /* for U+0000 */

/* The escape whose backslash was consumed. out has room: an escape is never shorter than what it
 * stands for. */
static bool escape(struct skr_json_reader *reader, char *out, size_t *ret_len)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    uint32_t v;
    uint32_t low;
    if (reader->pos >= reader->len) {
        return skr_json_fail(reader, "string not closed");
    }
    const char c = reader->text[reader->pos];
    if (c != 'u') {
        const char *hit = c == 0 ? NULL : strchr(from, c);
        if (!hit) {
            return skr_json_fail(reader, "unknown escape");
        }
        reader->pos++;
        out[0] = to[hit - from];
        *ret_len = 1;
        return true;
    }
    reader->pos++;
    if (!hex4(reader, &v)) {
        return false;
    }
    if (v == 0 && reader->refuse_nul) {
        return skr_json_fail(reader, "U+0000 is not allowed in a string");
    }
    if (v >= 0xDC00 && v <= 0xDFFF) {
        return skr_json_fail(reader, "second half of a surrogate pair without the first");
    }
    if (v >= 0xD800 && v <= 0xDBFF) {
        if (reader->len - reader->pos < 2 || reader->text[reader->pos] != '\\' ||
            reader->text[reader->pos + 1] != 'u') {
            return skr_json_fail(reader, "first half of a surrogate pair without the second");
        }
        reader->pos += 2;
        if (!hex4(reader, &low)) {
            return false;
        }
        if (low < 0xDC00 || low > 0xDFFF) {
            return skr_json_fail(reader, "first half of a surrogate pair without the second");
        }
        v = 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
    }
    *ret_len = utf8_put(out, v == 0 ? REPLACEMENT : v);
    return true;
}

/* Makes room for n more bytes of strings with escapes; those of the tape move with their memory. */
static void reserve_unescaped(struct skr_json_reader *reader, size_t n)
{
    const uintptr_t from = (uintptr_t)reader->unescaped;
    if (reader->max_unescaped - reader->n_unescaped >= n) {
        return;
    }
    skr_grow(&reader->unescaped, &reader->max_unescaped, reader->n_unescaped + n, 1);
    for (size_t i = 0; i < reader->n_values; i++) {
        struct skr_json *value = &reader->tape[i];
        const uintptr_t at = (uintptr_t)value->text - from;
        if (value->type == SKR_JSON_STRING && at < reader->n_unescaped) {
            value->text = reader->unescaped + at;
        }
    }
}

/* Moves n bytes at from behind those that were unescaped. */
static void keep(struct skr_json_reader *reader, const char *from, size_t n)
{
    if (n == 0) {
        return;
    }
    reserve_unescaped(reader, n);
    memcpy(reader->unescaped + reader->n_unescaped, from, n);
    reader->n_unescaped += n;
}

/* Consumes the first escape of a string and the rest. begin: the first byte behind the quote. */
static bool unescape(struct skr_json_reader *reader, const char *begin, struct skr_json *ret)
{
    const size_t at = reader->n_unescaped;
    keep(reader, begin, (size_t)(reader->text + reader->pos - begin));
    for (;;) {
        const char *from = reader->text + reader->pos;
        size_t n = skr_json_plain_length(from, reader->len - reader->pos);
        keep(reader, from, n);
        reader->pos += n;
        if (reader->pos >= reader->len) {
            return skr_json_fail(reader, "string not closed");
        }
        const unsigned char c = (unsigned char)reader->text[reader->pos];
        if (c == '"') {
            *ret = (struct skr_json){.text = reader->unescaped + at,
                                     .n = (uint32_t)(reader->n_unescaped - at),
                                     .type = SKR_JSON_STRING};
            reader->pos++;
            return true;
        }
        if (c == '\\') {
            char out[4];
            reader->pos++;
            if (!escape(reader, out, &n)) {
                return false;
            }
            keep(reader, out, n);
            continue;
        }
        n = utf8_or_fail(reader, c);
        if (n == 0) {
            return false;
        }
        keep(reader, reader->text + reader->pos, n);
        reader->pos += n;
    }
}

/* A string whose first bytes, up to the cursor, need no escape. begin: the first byte behind the quote. */
static bool rest_of_string(struct skr_json_reader *reader, const char *begin, struct skr_json *ret)
{
    for (;;) {
        const size_t left = reader->len - reader->pos;
        reader->pos += skr_json_plain_length(reader->text + reader->pos, left);
        if (reader->pos >= reader->len) {
            return skr_json_fail(reader, "string not closed");
        }
        const unsigned char c = (unsigned char)reader->text[reader->pos];
        if (c == '"') {
            break;
        }
        if (c == '\\') {
            return unescape(reader, begin, ret);
        }
        const size_t n = utf8_or_fail(reader, c);
        if (n == 0) {
            return false;
        }
        reader->pos += n;
    }
    *ret = (struct skr_json){.text = begin,
                             .n = (uint32_t)(reader->text + reader->pos - begin),
                             .type = SKR_JSON_STRING};
    reader->pos++;
    return true;
}

/* Most strings are plain up to the second quote. */
bool skr_json_read_string(struct skr_json_reader *reader, struct skr_json *ret)
{
    const char *const begin = reader->text + reader->pos + 1;
    const size_t left = reader->len - reader->pos - 1;
    const size_t n = skr_json_plain_length(begin, left);
    reader->pos += 1 + n;
    if (n == left || begin[n] != '"') {
        return rest_of_string(reader, begin, ret);
    }
    *ret = (struct skr_json){.text = begin, .n = (uint32_t)n, .type = SKR_JSON_STRING};
    reader->pos++;
    return true;
}
