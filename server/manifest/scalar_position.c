/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts characters that are no blanks: in the value up to the offset, then in the text from where
 * the scalar begins, with the escapes of its style.
 *
 * Limit: a value with line or paragraph separators (U+2028, U+2029) in a YAML file may be reported a
 * few characters off, as YAML keeps them in some scalars and folds them in others.
 */
#include "server/manifest/scalar_position.h"

#include <stdbool.h>
#include <string.h>

/* ---- characters ---- */

/* Bytes of the character at s, n are left (n > 0). */
static size_t char_bytes(const char *s, size_t n)
{
    unsigned char c = (unsigned char)s[0];
    size_t bytes = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    return bytes < n ? bytes : n;
}

/* Bytes of the line end at s: LF, CRLF, CR, and for YAML NEL, LS, PS; 0: none. */
static size_t break_bytes(const char *s, size_t n, bool is_json)
{
    if (n == 0) {
        return 0;
    }
    if (s[0] == '\n') {
        return 1;
    }
    if (is_json) {
        return 0;
    }
    if (s[0] == '\r') {
        return n > 1 && s[1] == '\n' ? 2 : 1;
    }
    if (n > 1 && memcmp(s, "\xC2\x85", 2) == 0) {
        return 2;
    }
    bool separator =
        n > 2 && (memcmp(s, "\xE2\x80\xA8", 3) == 0 || memcmp(s, "\xE2\x80\xA9", 3) == 0);
    return separator ? 3 : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether the character at s counts for nothing. */
static bool is_skipped(const char *s, size_t n)
{
    return is_blank(s[0]) || break_bytes(s, n, false) > 0;
}

/* ---- positions and offsets ---- */

static size_t offset_of(const char *text, size_t n, struct skr_yaml_mark at, bool is_json)
{
    size_t i = 0;
    for (size_t line = 1; line < at.line && i < n;) {
        size_t end = break_bytes(text + i, n - i, is_json);
        i += end > 0 ? end : char_bytes(text + i, n - i);
        line += end > 0 ? 1 : 0;
    }
    for (size_t column = 1; column < at.column && i < n; column++) {
        if (break_bytes(text + i, n - i, is_json) > 0) {
            break;
        }
        i += is_json ? 1 : char_bytes(text + i, n - i);
    }
    return i;
}

static struct skr_yaml_mark mark_of(const char *text, size_t n, size_t offset, bool is_json)
{
    struct skr_yaml_mark mark = {1, 1};
    size_t i = 0;
    while (i < n && i < offset) {
        size_t end = break_bytes(text + i, n - i, is_json);
        size_t bytes = end > 0 ? end : is_json ? 1 : char_bytes(text + i, n - i);
        i += bytes;
        mark.line += end > 0 ? 1 : 0;
        mark.column = end > 0 ? 1 : mark.column + 1;
    }
    return mark;
}

/* ---- the scalar in the text ---- */

struct walk {
    const char *text;
    size_t n;
    size_t at;
    enum skr_scalar_style style;
    size_t first, end; /* of the character passed last */
};

/* Anchor and tag stand before the scalar. */
static void skip_properties(struct walk *w)
{
    while (w->at < w->n && (w->text[w->at] == '&' || w->text[w->at] == '!')) {
        while (w->at < w->n && !is_blank(w->text[w->at])) {
            w->at++;
        }
        while (w->at < w->n && is_blank(w->text[w->at])) {
            w->at++;
        }
    }
}

static void skip_header(struct walk *w)
{
    size_t end = 0;
    while (w->at < w->n && (end = break_bytes(w->text + w->at, w->n - w->at, false)) == 0) {
        w->at++;
    }
    w->at += end; /* 0 at the end of the text */
}

static void begin(struct walk *w)
{
    if (w->style != SKR_SCALAR_JSON) {
        skip_properties(w);
    }
    if (w->style == SKR_SCALAR_BLOCK) {
        skip_header(w);
    } else if (w->style != SKR_SCALAR_PLAIN && w->at < w->n) {
        w->at++; /* the quote */
    }
    w->first = w->end = w->at;
}

static size_t hex_digits(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i] != '\0' && strchr("0123456789abcdefABCDEF", s[i])) {
        i++;
    }
    return i;
}

/* Bytes of the escape at s, which begins with a backslash; whether what it stands for counts. */
static size_t escape_bytes(const struct walk *w, bool *counts)
{
    const char *s = w->text + w->at;
    size_t left = w->n - w->at;
    *counts = true;
    if (left < 2) {
        return left;
    }
    if (break_bytes(s + 1, left - 1, false) > 0) {
        *counts = false;
        return 1 + break_bytes(s + 1, left - 1, false);
    }
    size_t digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0;
    if (digits > 0) {
        size_t bytes = 2 + hex_digits(s + 2, left - 2 < digits ? left - 2 : digits);
        const char *blanks[] = {"0009", "000A", "000a", "000D", "000d", "0020", "0085"};
        for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
            size_t n = strlen(blanks[i]);
            bool same = digits >= n ? strncmp(s + bytes - n, blanks[i], n) == 0 &&
                                          strspn(s + 2, "0") >= digits - n
                                    : strncmp(s + 2, blanks[i] + n - digits, digits) == 0;
            *counts = *counts && !same;
        }
        /* Two halves of one character. */
        bool high = digits == 4 && left >= 12 && (s[2] == 'd' || s[2] == 'D') &&
                    strchr("89abAB", s[3]) && s[6] == '\\' && s[7] == 'u';
        return high ? 12 : bytes;
    }
    *counts = !strchr("ntr \tNLP", s[1]);
    return 1 + char_bytes(s + 1, left - 1);
}

/* Passes one character of the value that counts; false at the end. */
static bool pass(struct walk *w)
{
    while (w->at < w->n) {
        const char *s = w->text + w->at;
        bool counts = !is_skipped(s, w->n - w->at);
        size_t bytes = char_bytes(s, w->n - w->at);
        if ((w->style == SKR_SCALAR_DOUBLE || w->style == SKR_SCALAR_JSON) && *s == '\\') {
            bytes = escape_bytes(w, &counts);
        } else if ((w->style == SKR_SCALAR_DOUBLE || w->style == SKR_SCALAR_JSON) && *s == '"') {
            return false;
        } else if (w->style == SKR_SCALAR_SINGLE && *s == '\'') {
            if (w->at + 1 >= w->n || s[1] != '\'') {
                return false;
            }
            bytes = 2;
        }
        w->first = w->at;
        w->at += bytes;
        if (counts) {
            w->end = w->at;
            return true;
        }
    }
    return false;
}

struct skr_yaml_mark skr_scalar_position(const char *text, size_t n, struct skr_yaml_mark from,
                                         enum skr_scalar_style style, const char *value,
                                         size_t offset)
{
    bool is_json = style == SKR_SCALAR_JSON;
    size_t length = strlen(value), before = 0;
    struct walk w = {.text = text, .n = n, .at = offset_of(text, n, from, is_json), .style = style};
    for (size_t i = 0; i < offset && i < length; i += char_bytes(value + i, length - i)) {
        before += is_skipped(value + i, length - i) ? 0 : 1;
    }
    bool between = offset >= length || is_skipped(value + offset, length - offset);
    begin(&w);
    size_t passed = 0;
    while (passed < before && pass(&w)) {
        passed++;
    }
    size_t at = w.end;
    if (!between && passed == before && pass(&w)) {
        at = w.first;
    }
    return mark_of(text, n, at, is_json);
}

size_t skr_text_offset(const char *text, size_t n, struct skr_yaml_mark at, bool in_bytes)
{
    return offset_of(text, n, at, in_bytes);
}
