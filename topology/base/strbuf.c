/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing byte string, and JSON strings after RFC 8259 section 7: quotation mark, reverse
 * solidus and control characters are escaped, everything else goes out as it is. Bytes that are not
 * well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) become
 * U+FFFD one by one, so that what we write can always be read.
 */
#include "topology/base/strbuf.h"

#include <stdarg.h>
#include <string.h>

#include "topology/base/arena.h"
#include "topology/base/json_plain.h"

/* The text of every buffer without memory; never written to. */
static char empty[1];

/* Room for n more bytes and the NUL. */
static void reserve(struct skr_strbuf *b, size_t n)
{
    skr_bug_on(n > SIZE_MAX - b->len - 1);
    size_t need = b->len + n + 1;
    if (need <= b->cap) {
        return;
    }
    char *s = b->cap != 0 ? b->s : NULL;
    skr_grow(&s, &b->cap, need < 64 ? 64 : need, 1);
    b->s = s;
}

void skr_strbuf_init(struct skr_strbuf *b)
{
    b->s = empty;
    b->len = 0;
    b->cap = 0;
}

void skr_strbuf_fini(struct skr_strbuf *b)
{
    if (b->cap != 0) {
        free(b->s);
    }
    skr_strbuf_init(b);
}

void skr_strbuf_reset(struct skr_strbuf *b)
{
    b->len = 0;
    if (b->cap != 0) {
        b->s[0] = '\0';
    }
}

char *skr_strbuf_take(struct skr_strbuf *b, size_t *ret_len)
{
    reserve(b, 0);
    b->s[b->len] = '\0';
    char *s = realloc(b->s, b->len + 1);
    if (!s) {
        s = b->s;
    }
    if (ret_len) {
        *ret_len = b->len;
    }
    skr_strbuf_init(b);
    return s;
}

void skr_strbuf_add(struct skr_strbuf *b, const char *s)
{
    skr_strbuf_addn(b, s, strlen(s));
}

void skr_strbuf_addn(struct skr_strbuf *b, const char *s, size_t n)
{
    reserve(b, n);
    if (n != 0) {
        memcpy(b->s + b->len, s, n);
    }
    b->len += n;
    b->s[b->len] = '\0';
}

void skr_strbuf_addc(struct skr_strbuf *b, char c)
{
    skr_strbuf_addn(b, &c, 1);
}

void skr_strbuf_addf(struct skr_strbuf *b, const char *format, ...)
{
    va_list args;
    va_list again;
    va_start(args, format);
    va_copy(again, args);
    reserve(b, 0);
    int n = vsnprintf(b->s + b->len, b->cap - b->len, format, args);
    skr_bug_on(n < 0);
    if ((size_t)n >= b->cap - b->len) {
        reserve(b, (size_t)n);
        n = vsnprintf(b->s + b->len, b->cap - b->len, format, again);
        skr_bug_on(n < 0);
    }
    b->len += (size_t)n;
    va_end(again);
    va_end(args);
}

void skr_strbuf_add_int(struct skr_strbuf *b, int64_t v)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        digits[--at] = (char)('0' + (int)(u % 10));
        u /= 10;
    } while (u != 0);
    if (v < 0) {
        digits[--at] = '-';
    }
    skr_strbuf_addn(b, digits + at, sizeof digits - at);
}

/* Length of the well-formed UTF-8 sequence at s, 0 when there is none (RFC 3629 section 4). */
static size_t utf8_length(const unsigned char *s)
{
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    size_t n;
    if (s[0] < 0x80) {
        return 1;
    }
    if (s[0] >= 0xC2 && s[0] <= 0xDF) {
        n = 2;
    } else if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        n = 3;
        low = s[0] == 0xE0 ? 0xA0 : 0x80;
        high = s[0] == 0xED ? 0x9F : 0xBF;
    } else if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        n = 4;
        low = s[0] == 0xF0 ? 0x90 : 0x80;
        high = s[0] == 0xF4 ? 0x8F : 0xBF;
    } else {
        return 0;
    }
    if (s[1] < low || s[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if (s[i] < 0x80 || s[i] > 0xBF) {
            return 0;
        }
    }
    return n;
}

static void add_escape(struct skr_strbuf *b, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15U]};
    switch (c) {
    case '"':
        skr_strbuf_addn(b, "\\\"", 2);
        break;
    case '\\':
        skr_strbuf_addn(b, "\\\\", 2);
        break;
    case '\b':
        skr_strbuf_addn(b, "\\b", 2);
        break;
    case '\f':
        skr_strbuf_addn(b, "\\f", 2);
        break;
    case '\n':
        skr_strbuf_addn(b, "\\n", 2);
        break;
    case '\r':
        skr_strbuf_addn(b, "\\r", 2);
        break;
    case '\t':
        skr_strbuf_addn(b, "\\t", 2);
        break;
    default:
        skr_strbuf_addn(b, text, sizeof text);
        break;
    }
}

void skr_strbuf_add_json(struct skr_strbuf *b, const char *s)
{
    const char *at = s;
    size_t left = strlen(s);
    size_t plain = skr_json_plain_length(at, left); /* bytes of it that go out unchanged */
    reserve(b, left + 2);
    skr_strbuf_addc(b, '"');
    while (plain < left) {
        unsigned char c = (unsigned char)at[plain];
        size_t n = utf8_length((const unsigned char *)at + plain);
        if (c >= 0x80 && n != 0) {
            plain += n;
        } else {
            skr_strbuf_addn(b, at, plain);
            if (n == 0) {
                skr_strbuf_add(b, "\xEF\xBF\xBD");
            } else {
                add_escape(b, c);
            }
            at += plain + 1;
            left -= plain + 1;
            plain = 0;
        }
        plain += skr_json_plain_length(at + plain, left - plain);
    }
    skr_strbuf_addn(b, at, plain);
    skr_strbuf_addc(b, '"');
}
