/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scanner of JSON tokens that knows where it is, and the searches built on it. Brackets are
 * counted, not stacked: to look at the members of one object it is enough to know how deep a token
 * lies below it.
 */
#include "topology/base/json_position.h"

#include <stdint.h>
#include <string.h>

enum token_kind { TOKEN_END, TOKEN_STRING, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_MARK, TOKEN_WORD };

struct token {
    enum token_kind kind;
    char first; /* its first byte */
    size_t start;
    size_t end; /* offset behind the last byte */
    struct skr_position position;
};

struct scan {
    const char *text;
    size_t at;
    size_t line;
    size_t line_start; /* offset */
};

static struct scan scan_begin(const char *text)
{
    return (struct scan){text, 0, 1, 0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void step(struct scan *s)
{
    if (s->text[s->at++] == '\n') {
        s->line++;
        s->line_start = s->at;
    }
}

static enum token_kind kind_of(char c)
{
    switch (c) {
    case '\0':
        return TOKEN_END;
    case '"':
        return TOKEN_STRING;
    case '{':
    case '[':
        return TOKEN_OPEN;
    case '}':
    case ']':
        return TOKEN_CLOSE;
    case ':':
    case ',':
        return TOKEN_MARK;
    default:
        return TOKEN_WORD;
    }
}

static void step_over_string(struct scan *s)
{
    step(s);
    while (s->text[s->at] != '\0' && s->text[s->at] != '"') {
        if (s->text[s->at] == '\\' && s->text[s->at + 1] != '\0') {
            step(s);
        }
        step(s);
    }
    if (s->text[s->at] == '"') {
        step(s);
    }
}

static struct token next_token(struct scan *s)
{
    while (is_blank(s->text[s->at])) {
        step(s);
    }
    char first = s->text[s->at];
    struct token t = {kind_of(first), first, s->at, s->at, {s->line, s->at - s->line_start + 1}};
    if (t.kind == TOKEN_STRING) {
        step_over_string(s);
    } else if (t.kind == TOKEN_WORD) {
        while (kind_of(s->text[s->at]) == TOKEN_WORD && !is_blank(s->text[s->at])) {
            step(s);
        }
    } else if (t.kind != TOKEN_END) {
        step(s);
    }
    t.end = s->at;
    return t;
}

/* Whether the scan, which has just passed a string, stands before a colon. */
static bool before_colon(struct scan s)
{
    struct token t = next_token(&s);
    return t.kind == TOKEN_MARK && t.first == ':';
}

/* ---- strings ---- */

static bool hex_value(const char *digits, size_t n, uint32_t *ret)
{
    uint32_t value = 0;
    if (n < 4) {
        return false;
    }
    for (size_t i = 0; i < 4; i++) {
        char c = digits[i];
        uint32_t digit;
        if (c >= '0' && c <= '9') {
            digit = (uint32_t)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (uint32_t)(c - 'a') + 10;
        } else if (c >= 'A' && c <= 'F') {
            digit = (uint32_t)(c - 'A') + 10;
        } else {
            return false;
        }
        value = value * 16 + digit;
    }
    *ret = value;
    return true;
}

static size_t write_utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0U | c >> 6);
        out[1] = (char)(0x80U | (c & 0x3FU));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0U | c >> 12);
        out[1] = (char)(0x80U | (c >> 6 & 0x3FU));
        out[2] = (char)(0x80U | (c & 0x3FU));
        return 3;
    }
    out[0] = (char)(0xF0U | c >> 18);
    out[1] = (char)(0x80U | (c >> 12 & 0x3FU));
    out[2] = (char)(0x80U | (c >> 6 & 0x3FU));
    out[3] = (char)(0x80U | (c & 0x3FU));
    return 4;
}

/* One escape at raw[0] == '\\' (n bytes are left); gives its bytes, returns how long it is. */
static size_t read_escape(const char *raw, size_t n, char out[4], size_t *ret_len)
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    uint32_t c = 0;
    uint32_t low = 0;
    if (n >= 6 && raw[1] == 'u' && hex_value(raw + 2, n - 2, &c)) {
        bool pair = c >= 0xD800 && c <= 0xDBFF && n >= 12 && raw[6] == '\\' && raw[7] == 'u' &&
                    hex_value(raw + 8, n - 8, &low) && low >= 0xDC00 && low <= 0xDFFF;
        *ret_len = write_utf8(pair ? 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00) : c, out);
        return pair ? 12 : 6;
    }
    const char *known = n > 1 ? memchr(from, raw[1], sizeof from - 1) : NULL;
    out[0] = raw[n > 1 ? 1 : 0];
    if (known) {
        out[0] = to[known - from];
    }
    *ret_len = 1;
    return n > 1 ? 2 : 1;
}

/* Next bytes of the contents [*at, end) of a string token, unescaped; 0 at the end. */
static size_t next_bytes(const char *text, size_t *at, size_t end, char out[4])
{
    size_t len = 1;
    if (*at >= end) {
        return 0;
    }
    if (text[*at] == '\\') {
        *at += read_escape(text + *at, end - *at, out, &len);
    } else {
        out[0] = text[(*at)++];
    }
    return len;
}

/* Offset behind the contents: the closing quote may be missing. */
static size_t contents_end(const char *text, const struct token *t)
{
    return t->end > t->start + 1 && text[t->end - 1] == '"' ? t->end - 1 : t->end;
}

static bool string_is(const char *text, const struct token *t, const char *s)
{
    size_t at = t->start + 1;
    size_t end = contents_end(text, t);
    char bytes[4];
    size_t n;
    while ((n = next_bytes(text, &at, end, bytes)) != 0) {
        for (size_t i = 0; i < n; i++) {
            if (*s == '\0' || *s++ != bytes[i]) {
                return false;
            }
        }
    }
    return *s == '\0';
}

/* Whether two string tokens have equal contents after unescaping. */
static bool strings_equal(const char *text, const struct token *a, const struct token *b)
{
    size_t at_a = a->start + 1;
    size_t at_b = b->start + 1;
    char x[4];
    char y[4];
    size_t i = 0;
    size_t j = 0;
    size_t n = 0;
    size_t m = 0;
    for (;;) {
        if (i == n) {
            n = next_bytes(text, &at_a, contents_end(text, a), x);
            i = 0;
        }
        if (j == m) {
            m = next_bytes(text, &at_b, contents_end(text, b), y);
            j = 0;
        }
        if (n == 0 || m == 0) {
            return n == m;
        }
        if (x[i++] != y[j++]) {
            return false;
        }
    }
}

/* ---- searches ---- */

bool skr_json_find_key(const char *text, size_t n, struct skr_position *ret_key,
                       struct skr_position *ret_value)
{
    struct scan scan = scan_begin(text);
    for (;;) {
        struct token t = next_token(&scan);
        if (t.kind == TOKEN_END) {
            return false;
        }
        if (t.kind == TOKEN_STRING && before_colon(scan) && n-- == 0) {
            (void)next_token(&scan);
            if (ret_key) {
                *ret_key = t.position;
            }
            if (ret_value) {
                *ret_value = next_token(&scan).position;
            }
            return true;
        }
    }
}

bool skr_json_deeper_than(const char *text, size_t max, struct skr_position *ret)
{
    struct scan scan = scan_begin(text);
    size_t depth = 0;
    for (;;) {
        struct token t = next_token(&scan);
        if (t.kind == TOKEN_END) {
            return false;
        }
        if (t.kind == TOKEN_OPEN && ++depth > max) {
            *ret = t.position;
            return true;
        }
        depth -= t.kind == TOKEN_CLOSE && depth > 0 ? 1 : 0;
    }
}

void skr_json_find_token(const char *text, size_t end, struct skr_position *ret)
{
    struct scan scan = scan_begin(text);
    struct token t;
    do {
        t = next_token(&scan);
    } while (t.kind != TOKEN_END && t.end < end);
    *ret = t.position;
}

/* The key with that end and the depth of the object it stands in. */
static bool find_key_at(const char *text, size_t end, struct token *ret, size_t *ret_depth)
{
    struct scan scan = scan_begin(text);
    size_t depth = 0;
    for (;;) {
        struct token t = next_token(&scan);
        if (t.kind == TOKEN_END || (t.kind != TOKEN_STRING && t.end >= end)) {
            return false;
        }
        depth += t.kind == TOKEN_OPEN ? 1 : 0;
        depth -= t.kind == TOKEN_CLOSE && depth > 0 ? 1 : 0;
        if (t.end >= end) {
            *ret = t;
            *ret_depth = depth;
            return true;
        }
    }
}

bool skr_json_find_duplicate(const char *text, size_t end, struct skr_position *ret_first,
                             struct skr_position *ret_second)
{
    struct token second;
    size_t wanted_depth = 0;
    if (!find_key_at(text, end, &second, &wanted_depth)) {
        return false;
    }
    struct scan scan = scan_begin(text);
    struct skr_position first = {0, 0}; /* line 0: not in the object that is open now */
    size_t depth = 0;
    for (struct token t = next_token(&scan); t.start < second.start; t = next_token(&scan)) {
        if (t.kind == TOKEN_OPEN && ++depth == wanted_depth) {
            first.line = 0;
        }
        depth -= t.kind == TOKEN_CLOSE && depth > 0 ? 1 : 0;
        if (t.kind == TOKEN_STRING && depth == wanted_depth && first.line == 0 &&
            before_colon(scan) && strings_equal(text, &t, &second)) {
            first = t.position;
        }
    }
    if (first.line == 0) {
        return false;
    }
    *ret_first = first;
    *ret_second = second.position;
    return true;
}

/* ---- paths ---- */

/* The next name of the object that the scan is in, at *depth 1; false at its end. */
static bool next_name(struct scan *s, size_t *depth, struct token *ret)
{
    do {
        struct token t = next_token(s);
        if (t.kind == TOKEN_END) {
            return false;
        }
        *depth += t.kind == TOKEN_OPEN ? 1 : 0;
        *depth -= t.kind == TOKEN_CLOSE && *depth > 0 ? 1 : 0;
        if (t.kind == TOKEN_STRING && *depth == 1 && before_colon(*s)) {
            *ret = t;
            return true;
        }
    } while (*depth > 0);
    return false;
}

/* value: before an object. Leaves ret before the value of its last member of that name. */
static bool find_member(struct scan value, const char *name, struct scan *ret)
{
    bool found = false;
    size_t depth = 0;
    struct token t;
    while (next_name(&value, &depth, &t)) {
        if (string_is(value.text, &t, name)) {
            (void)next_token(&value);
            *ret = value;
            found = true;
        }
    }
    return found;
}

static bool parse_index(const char *text, size_t *ret)
{
    size_t value = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9' || value > (SIZE_MAX - 9) / 10) {
            return false;
        }
        value = value * 10 + (size_t)(*text - '0');
    }
    *ret = value;
    return true;
}

/* value: before an array. Leaves ret before its element of that index. */
static bool find_element(struct scan value, size_t index, struct scan *ret)
{
    size_t depth = 0;
    (void)next_token(&value);
    for (;;) {
        struct scan before = value;
        struct token t = next_token(&value);
        if (t.kind == TOKEN_END || (t.kind == TOKEN_CLOSE && depth == 0)) {
            return false;
        }
        if (depth == 0 && t.kind == TOKEN_MARK) {
            index--;
            continue;
        }
        if (depth == 0 && index == 0) {
            *ret = before;
            return true;
        }
        depth += t.kind == TOKEN_OPEN ? 1 : 0;
        depth -= t.kind == TOKEN_CLOSE ? 1 : 0;
    }
}

/* Leaves ret before the value that the path leads to. */
static bool find_value(const char *text, const char *const *path, struct scan *ret)
{
    struct scan value = scan_begin(text);
    for (; *path; path++) {
        struct scan peek = value;
        size_t index = 0;
        bool found = false;
        switch (next_token(&peek).first) {
        case '{':
            found = find_member(value, *path, &value);
            break;
        case '[':
            found = parse_index(*path, &index) && find_element(value, index, &value);
            break;
        default:
            break;
        }
        if (!found) {
            return false;
        }
    }
    *ret = value;
    return true;
}

bool skr_json_find_path(const char *text, const char *const *path, struct skr_position *ret)
{
    struct scan value;
    if (!find_value(text, path, &value)) {
        return false;
    }
    struct token t = next_token(&value);
    *ret = t.position;
    return t.kind != TOKEN_END;
}

bool skr_json_find_twice(const char *text, const char *const *path, struct skr_position *ret_first,
                         struct skr_position *ret_second)
{
    struct scan object, later;
    struct token name, before;
    size_t depth = 0;
    if (!find_value(text, path, &object)) {
        return false;
    }
    later = object;
    if (next_token(&later).first != '{') {
        return false;
    }
    later = object;
    while (next_name(&later, &depth, &name)) {
        struct scan earlier = object;
        size_t earlier_depth = 0;
        while (next_name(&earlier, &earlier_depth, &before) && before.start < name.start) {
            if (strings_equal(text, &before, &name)) {
                *ret_first = before.position;
                *ret_second = name.position;
                return true;
            }
        }
    }
    return false;
}

/* value: before an array. */
static size_t list_elements(struct scan value, size_t n, struct skr_position *ret)
{
    size_t depth = 0, found = 0;
    if (next_token(&value).first != '[') {
        return 0;
    }
    while (found < n || depth > 0) {
        struct token t = next_token(&value);
        if (t.kind == TOKEN_END || (t.kind == TOKEN_CLOSE && depth == 0)) {
            break;
        }
        if (depth == 0 && t.kind != TOKEN_MARK) {
            ret[found++] = t.position;
        }
        depth += t.kind == TOKEN_OPEN ? 1 : 0;
        depth -= t.kind == TOKEN_CLOSE ? 1 : 0;
    }
    return found;
}

size_t skr_json_find_elements(const char *text, const char *member, size_t n,
                              struct skr_position *ret)
{
    struct scan scan = scan_begin(text);
    size_t depth = 0;
    do {
        struct token t = next_token(&scan);
        if (t.kind == TOKEN_END) {
            break;
        }
        depth += t.kind == TOKEN_OPEN ? 1 : 0;
        depth -= t.kind == TOKEN_CLOSE && depth > 0 ? 1 : 0;
        if (t.kind == TOKEN_STRING && depth == 1 && before_colon(scan)) {
            (void)next_token(&scan);
            if (string_is(text, &t, member)) {
                return list_elements(scan, n, ret);
            }
        }
    } while (depth > 0);
    return 0;
}
