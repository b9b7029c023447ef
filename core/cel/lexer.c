/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax */
#include "core/cel/lexer.h"

#include <string.h>

static int fail(struct skr_cel_lexer *lexer, size_t at, const char *what)
{
    return skr_cel_fail(lexer->error, SKR_INVALID, lexer->text, at, "%s", what);
}

static bool is_digit(char c)
{
    return skr_cel_digit(c) < 10;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool skr_cel_is(const struct skr_cel_lexer *lexer, const char *symbol)
{
    const struct skr_cel_token *token = &lexer->token;
    return (token->kind == SKR_CEL_TOKEN_SYMBOL || token->kind == SKR_CEL_TOKEN_NAME) &&
           strlen(symbol) == token->n && memcmp(token->text, symbol, token->n) == 0;
}

/* ---- numbers ---- */

static int take_whole(struct skr_cel_lexer *lexer, size_t begin, int base)
{
    const char *text = lexer->text;
    skr_int128 value;
    const size_t at = begin + skr_cel_digits(text + begin, SIZE_MAX, base, &value);
    if (value > UINT64_MAX) {
        return fail(lexer, lexer->token.at, "the number does not fit 64 bits");
    }
    const bool natural = text[at] == 'u' || text[at] == 'U';
    lexer->pos = at + (natural ? 1 : 0);
    if (!natural && value > (skr_int128)INT64_MAX + 1) {
        return fail(lexer, lexer->token.at, "the number does not fit a signed 64 bits integer");
    }
    lexer->token.value = natural ? skr_cel_uint((uint64_t)value) : skr_cel_int((int64_t)value);
    return is_letter(text[lexer->pos]) ? fail(lexer, lexer->pos, "a letter behind a number") : 0;
}

static int take_number(struct skr_cel_lexer *lexer)
{
    const char *text = lexer->text;
    const size_t begin = lexer->token.at;
    size_t at = begin;
    if (text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
        return skr_cel_digit(text[at + 2]) < 16
                   ? take_whole(lexer, begin + 2, 16)
                   : fail(lexer, begin, "hexadecimal digits are missing");
    }
    while (is_digit(text[at])) {
        at++;
    }
    const bool point = text[at] == '.' && is_digit(text[at + 1]);
    if (point) {
        for (at++; is_digit(text[at]); at++) {
        }
    }
    size_t exponent = at;
    if (text[at] == 'e' || text[at] == 'E') {
        exponent += text[at + 1] == '-' || text[at + 1] == '+' ? 2 : 1;
        while (is_digit(text[exponent])) {
            exponent++;
        }
        exponent = is_digit(text[exponent - 1]) ? exponent : at;
    }
    if (!point && exponent == at) {
        return take_whole(lexer, begin, 10);
    }
    lexer->token.value = skr_cel_double(0);
    lexer->pos = exponent;
    if (!skr_cel_double_read(text + begin, exponent - begin, &lexer->token.value.real)) {
        return fail(lexer, begin, "the number does not fit a double");
    }
    return is_letter(text[exponent]) ? fail(lexer, exponent, "a letter behind a number") : 0;
}

/* ---- strings ---- */

struct literal {
    bool raw, bytes;
    char *to;
    size_t n;
};

static int take_code(struct skr_cel_lexer *lexer, struct literal *literal, size_t digits, int base)
{
    skr_int128 value;
    const size_t at = lexer->pos;
    const bool unicode = digits == 4 || digits == 8;
    if (skr_cel_digits(lexer->text + at, digits, base, &value) < digits ||
        (unicode && literal->bytes)) {
        return fail(lexer, at, "this is no escape sequence");
    }
    const uint32_t point = (uint32_t)value;
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000) || (base == 8 && point > 255)) {
        return fail(lexer, at, "this is no Unicode character");
    }
    lexer->pos += digits;
    if (literal->bytes) {
        literal->to[literal->n++] = (char)point;
    } else {
        literal->n += skr_cel_point_write(point, literal->to + literal->n);
    }
    return 0;
}

/* Behind a backslash. */
static int take_escape(struct skr_cel_lexer *lexer, struct literal *literal)
{
    static const char from[] = "abfnrtv\\?\"'`", to[] = "\a\b\f\n\r\t\v\\?\"'`";
    const char c = lexer->text[lexer->pos];
    const char *found = c ? strchr(from, c) : NULL;
    if (found) {
        literal->to[literal->n++] = to[found - from];
        lexer->pos++;
        return 0;
    }
    if (c >= '0' && c <= '3') {
        return take_code(lexer, literal, 3, 8);
    }
    lexer->pos += c ? 1 : 0;
    switch (c) {
    case 'x':
    case 'X':
        return take_code(lexer, literal, 2, 16);
    case 'u':
        return take_code(lexer, literal, 4, 16);
    case 'U':
        return take_code(lexer, literal, 8, 16);
    default:
        return fail(lexer, lexer->pos, "this is no escape sequence");
    }
}

static bool ends(const char *text, char quote, bool triple)
{
    return text[0] == quote && (!triple || (text[1] == quote && text[2] == quote));
}

static int take_string(struct skr_cel_lexer *lexer, struct literal *literal)
{
    const char *text = lexer->text;
    const char quote = text[lexer->pos];
    const bool triple = text[lexer->pos + 1] == quote && text[lexer->pos + 2] == quote;
    lexer->pos += triple ? 3 : 1;
    if (!lexer->room && !(lexer->room = skr_arena_alloc(lexer->arena, strlen(text) + 1))) {
        return skr_error_set(lexer->error, SKR_NO_MEMORY, "out of memory");
    }
    literal->to = lexer->room;
    while (!ends(text + lexer->pos, quote, triple)) {
        const char c = text[lexer->pos];
        if (!c || (!triple && (c == '\n' || c == '\r'))) {
            return fail(lexer, lexer->token.at, "the string does not end");
        }
        lexer->pos++;
        if (c == '\\' && !literal->raw) {
            int rc = take_escape(lexer, literal);
            if (rc < 0) {
                return rc;
            }
        } else {
            literal->to[literal->n++] = c;
        }
    }
    lexer->pos += triple ? 3 : 1;
    lexer->room += literal->n + 1;
    lexer->token.value = skr_cel_string(literal->to, literal->n);
    lexer->token.value.kind = literal->bytes ? SKR_CEL_BYTES : SKR_CEL_STRING;
    return 0;
}

/* Whether a string begins here: quotes behind b, r or br. */
static bool begins_string(const char *text, struct literal *literal, size_t *ret_prefix)
{
    literal->bytes = text[0] == 'b' || text[0] == 'B';
    size_t i = literal->bytes ? 1 : 0;
    literal->raw = text[i] == 'r' || text[i] == 'R';
    i += literal->raw ? 1 : 0;
    *ret_prefix = i;
    return text[i] == '"' || text[i] == '\'';
}

/* ---- the rest ---- */

static void skip_blanks(struct skr_cel_lexer *lexer)
{
    const char *text = lexer->text;
    for (;;) {
        lexer->pos += strspn(text + lexer->pos, " \t\r\n\f");
        if (text[lexer->pos] != '/' || text[lexer->pos + 1] != '/') {
            return;
        }
        lexer->pos += strcspn(text + lexer->pos, "\n");
    }
}

static int take_symbol(struct skr_cel_lexer *lexer)
{
    static const char *const symbols[] = {"&&", "||", "==", "!=", "<=", ">=", "<", ">",
                                          "+",  "-",  "*",  "/",  "%",  "!",  "?", ":",
                                          ".",  ",",  "(",  ")",  "[",  "]",  "{", "}"};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const size_t n = strlen(symbols[i]);
        if (strncmp(lexer->text + lexer->pos, symbols[i], n) == 0) {
            lexer->token.kind = SKR_CEL_TOKEN_SYMBOL;
            lexer->token.n = n;
            lexer->pos += n;
            return 0;
        }
    }
    return skr_cel_fail(lexer->error, SKR_INVALID, lexer->text, lexer->pos,
                        "unexpected character '%.1s'", lexer->text + lexer->pos);
}

int skr_cel_next(struct skr_cel_lexer *lexer)
{
    struct literal literal = {0};
    size_t prefix;
    skip_blanks(lexer);
    const char *text = lexer->text + lexer->pos;
    lexer->token = (struct skr_cel_token){.at = lexer->pos, .text = text};
    if (!text[0]) {
        return 0;
    }
    lexer->token.kind = SKR_CEL_TOKEN_VALUE;
    if (begins_string(text, &literal, &prefix)) {
        lexer->pos += prefix;
        return take_string(lexer, &literal);
    }
    if (is_digit(text[0]) || (text[0] == '.' && is_digit(text[1]))) {
        return take_number(lexer);
    }
    if (!is_letter(text[0])) {
        return take_symbol(lexer);
    }
    lexer->token.kind = SKR_CEL_TOKEN_NAME;
    while (is_letter(text[lexer->token.n]) || is_digit(text[lexer->token.n])) {
        lexer->token.n++;
    }
    lexer->pos += lexer->token.n;
    return 0;
}
