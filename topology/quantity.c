/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantities, exact and without big numbers.
 *
 * The grammar is that of apimachinery (quantity.go, ParseQuantity): sign, digits with at most one
 * point, then a suffix. "5." and ".5" are numbers; "E" alone is exa, "E" with digits an exponent. A
 * text without any digit is refused, although ParseQuantity reads "." or "m" as 0.
 *
 * The digits are never turned into one number first. A decimal suffix only moves the point, so the
 * result is the digits left of it, plus one if anything else than zeros is right of it. A binary
 * suffix multiplies the integer part, and the fraction by schoolbook multiplication from the right:
 * with a factor of at most 2^60 a digit times the factor plus the carry stays below 10 * 2^60,
 * which fits into 64 bits. Both take time in proportion to the text.
 *
 * What does not fit is capped as in the source, which caps at 2^63 - 1 units; in thousandths, where
 * the source wraps, at 2^63 - 1 thousandths. Exponents beyond 32 bits, which it refuses, are capped too.
 */
#include "topology/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { EXPONENT_MAX = INT32_MAX, TEXT_SHOWN = 64 };

#define WIDE_MAX ((((skr_int128)1 << 126) - 1) * 2 + 1)

struct suffix {
    const char *text;
    int exponent10;
    int exponent2; /* not 0: binary */
};

static const struct suffix suffixes[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

struct number {
    bool negative;
    const char *integer; /* n_integer digits */
    size_t n_integer;
    const char *fraction; /* n_fraction digits */
    size_t n_fraction;
    int64_t exponent10;
    unsigned exponent2;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(const char *s)
{
    size_t n = 0;
    while (is_digit(s[n])) {
        n++;
    }
    return n;
}

static int refuse(const char *text, const char *at, const char *expected, struct skr_error *error)
{
    size_t position = (size_t)(at - text) + 1;
    if (*at == '\0') {
        return skr_error_set(error, SKR_INVALID, "quantity \"%.*s\": ends at %zu, expected %s",
                             TEXT_SHOWN, text, position, expected);
    }
    if (*at > ' ' && *at <= '~') {
        return skr_error_set(error, SKR_INVALID, "quantity \"%.*s\": '%c' at %zu, expected %s",
                             TEXT_SHOWN, text, *at, position, expected);
    }
    return skr_error_set(error, SKR_INVALID, "quantity \"%.*s\": byte 0x%02x at %zu, expected %s",
                         TEXT_SHOWN, text, (unsigned)(unsigned char)*at, position, expected);
}

/* at: behind the 'e' or 'E'. */
static int scan_exponent(const char *text, const char *at, struct number *n,
                         struct skr_error *error)
{
    bool negative = *at == '-';
    if (*at == '-' || *at == '+') {
        at++;
    }
    size_t digits = count_digits(at);
    if (digits == 0 || at[digits] != '\0') {
        return refuse(text, at + digits, digits == 0 ? "the digits of an exponent" : "the end",
                      error);
    }
    int64_t exponent = 0;
    for (size_t i = 0; i < digits; i++) {
        exponent = exponent * 10 + (at[i] - '0');
        exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent;
    }
    n->exponent10 = negative ? -exponent : exponent;
    return 0;
}

static int scan_suffix(const char *text, const char *at, struct number *n, struct skr_error *error)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(at, suffixes[i].text) == 0) {
            n->exponent10 = suffixes[i].exponent10;
            n->exponent2 = (unsigned)suffixes[i].exponent2;
            return 0;
        }
    }
    if (*at == 'e' || *at == 'E') {
        return scan_exponent(text, at + 1, n, error);
    }
    return refuse(text, at, "digits or a suffix n u m k M G T P E Ki Mi Gi Ti Pi Ei e3", error);
}

static int scan(const char *text, struct number *n, struct skr_error *error)
{
    const char *at = text;
    *n = (struct number){.negative = *at == '-'};
    if (*at == '-' || *at == '+') {
        at++;
    }
    n->integer = at;
    n->n_integer = count_digits(at);
    at += n->n_integer;
    if (*at == '.') {
        at++;
        n->fraction = at;
        n->n_fraction = count_digits(at);
        at += n->n_fraction;
    } else {
        n->fraction = at;
    }
    if (n->n_integer + n->n_fraction == 0) {
        return refuse(text, at, "a digit", error);
    }
    return scan_suffix(text, at, n, error);
}

/* The i-th digit of integer and fraction together. */
static unsigned digit_at(const struct number *n, size_t i)
{
    char c = i < n->n_integer ? n->integer[i] : n->fraction[i - n->n_integer];
    return (unsigned)(c - '0');
}

static bool append_digit(skr_int128 *value, unsigned digit)
{
    if (*value > (WIDE_MAX - digit) / 10) {
        return false;
    }
    *value = *value * 10 + digit;
    return true;
}

/* Magnitude of the digits with the point at index point (negative or behind the end: zeros are
 * implied), rounded up. */
static bool shift_decimal(const struct number *n, int64_t point, skr_int128 *ret)
{
    size_t digits = n->n_integer + n->n_fraction;
    skr_int128 value = 0;
    bool rest = false;

    for (size_t i = 0; i < digits; i++) {
        unsigned digit = digit_at(n, i);
        if (point < 0 || i >= (uint64_t)point) {
            rest = rest || digit != 0;
        } else if (!append_digit(&value, digit)) {
            return false;
        }
    }
    if (value != 0 && point > 0) {
        /* At most 39 rounds: a value that is not 0 grows beyond 128 bits by then. */
        for (uint64_t i = digits; i < (uint64_t)point; i++) {
            if (!append_digit(&value, 0)) {
                return false;
            }
        }
    }
    if (rest && value == WIDE_MAX) {
        return false;
    }
    *ret = value + (rest ? 1 : 0);
    return true;
}

/* Magnitude of digits * 2^exponent2 with the point at index point >= 0, rounded up. */
static bool scale_binary(const struct number *n, size_t point, skr_int128 *ret)
{
    size_t digits = n->n_integer + n->n_fraction;
    uint64_t factor = UINT64_C(1) << n->exponent2;
    skr_int128 value = 0;
    uint64_t carry = 0;
    bool rest = false;

    for (size_t i = 0; i < point; i++) {
        if (!append_digit(&value, i < digits ? digit_at(n, i) : 0)) {
            return false;
        }
    }
    for (size_t i = digits; i > point; i--) {
        uint64_t product = digit_at(n, i - 1) * factor + carry;
        rest = rest || product % 10 != 0;
        carry = product / 10;
    }
    carry += rest ? 1 : 0; /* at most factor */
    if (value > (WIDE_MAX - (skr_int128)carry) / (skr_int128)factor) {
        return false;
    }
    *ret = value * (skr_int128)factor + (skr_int128)carry;
    return true;
}

/* limit: the largest magnitude. */
static int parse_wide(const char *text, unsigned scale10, skr_int128 limit, skr_int128 *ret,
                      struct skr_error *error)
{
    struct number n;
    skr_int128 magnitude = 0;
    int rc = scan(text, &n, error);
    if (rc != 0) {
        return rc;
    }
    bool fits = n.exponent2 != 0
                    ? scale_binary(&n, n.n_integer + scale10, &magnitude)
                    : shift_decimal(&n, (int64_t)n.n_integer + n.exponent10 + scale10, &magnitude);
    if (!fits || magnitude > limit) {
        magnitude = limit;
    }
    *ret = n.negative ? -magnitude : magnitude;
    return 0;
}

static int parse(const char *text, unsigned scale10, int64_t *ret, struct skr_error *error)
{
    skr_int128 value;
    int rc = parse_wide(text, scale10, INT64_MAX, &value, error);
    if (rc == 0) {
        *ret = (int64_t)value;
    }
    return rc;
}

int skr_quantity_parse(const char *text, int64_t *ret, struct skr_error *error)
{
    return parse(text, 0, ret, error);
}

int skr_quantity_parse_milli(const char *text, int64_t *ret, struct skr_error *error)
{
    return parse(text, 3, ret, error);
}

int skr_quantity_parse_nano(const char *text, skr_int128 *ret, struct skr_error *error)
{
    return parse_wide(text, 9, (skr_int128)INT64_MAX * 1000000000, ret, error);
}
