/* SPDX-License-Identifier: Apache-2.0 */
/* Code points of UTF-8, and numbers as texts. */
#include <stdlib.h>
#include <string.h>

#include "core/cel/value.h"

size_t skr_cel_point_read(const char *text, size_t n, uint32_t *ret)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length > n || s[0] < 0x80) {
        *ret = s[0];
        return 1;
    }
    uint32_t point = s[0] & (0xffU >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        point = point << 6 | (s[i] & 0x3fU);
    }
    *ret = point;
    return length;
}

size_t skr_cel_point_write(uint32_t point, char to[4])
{
    const size_t n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char head[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1;) {
        to[i] = (char)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    to[0] = (char)(head[n] | point);
    return n;
}

size_t skr_cel_points(const char *text, size_t n)
{
    size_t points = 0;
    for (size_t i = 0; i < n; i++) {
        points += ((unsigned char)text[i] & 0xc0U) != 0x80U ? 1 : 0;
    }
    return points;
}

size_t skr_cel_point_at(const char *text, size_t n, size_t i)
{
    size_t at = 0;
    uint32_t point;
    for (; i > 0 && at < n; i--) {
        at += skr_cel_point_read(text + at, n - at, &point);
    }
    return at;
}

bool skr_cel_is_utf8(const char *text, size_t n)
{
    for (size_t i = 0; i < n;) {
        uint32_t point;
        char again[4];
        const size_t length = skr_cel_point_read(text + i, n - i, &point);
        if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000) ||
            (length == 1 && point > 0x7f) || skr_cel_point_write(point, again) != length ||
            memcmp(again, text + i, length) != 0) {
            return false;
        }
        i += length;
    }
    return true;
}

/* ---- numbers ---- */

int skr_cel_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 16;
}

size_t skr_cel_digits(const char *text, size_t n, int base, skr_int128 *ret)
{
    const skr_int128 most = (skr_int128)UINT64_MAX + 1;
    size_t i = 0;
    for (*ret = 0; i < n && skr_cel_digit(text[i]) < base; i++) {
        const skr_int128 value = *ret * base + skr_cel_digit(text[i]);
        *ret = value < most ? value : most;
    }
    return i;
}

static size_t digits(const char *text, size_t n, size_t at)
{
    skr_int128 value;
    return at < n ? skr_cel_digits(text + at, n - at, 10, &value) : 0;
}

bool skr_cel_double_read(const char *text, size_t n, double *ret)
{
    char copy[512];
    size_t at = n > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    const size_t before = digits(text, n, at);
    at += before;
    size_t after = 0;
    if (at < n && text[at] == '.') {
        after = digits(text, n, at + 1);
        at += 1 + after;
    }
    if (before + after > 0 && at < n && (text[at] == 'e' || text[at] == 'E')) {
        const size_t sign = at + 1 < n && (text[at + 1] == '-' || text[at + 1] == '+') ? 1 : 0;
        const size_t exponent = digits(text, n, at + 1 + sign);
        at = exponent > 0 ? at + 1 + sign + exponent : 0;
    }
    if (before + after == 0 || at != n || n >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
    *ret = strtod(copy, NULL);
    return *ret - *ret == 0; /* neither infinite nor NaN */
}

static bool same(double a, double b)
{
    return a <= b && a >= b;
}

/* The fewest digits that read back as value. Returns their number; *ret_exponent: of the first one. */
static size_t shortest(double value, char digit[20], int *ret_exponent)
{
    char text[SKR_CEL_DOUBLE_TEXT];
    for (int precision = 0; precision <= 16; precision++) {
        (void)snprintf(text, sizeof text, "%.*e", precision, value);
        if (precision == 16 || same(strtod(text, NULL), value)) {
            break;
        }
    }
    size_t n = 0;
    const char *at = text;
    for (; *at != 'e'; at++) {
        if (skr_cel_digit(*at) < 10) {
            digit[n++] = *at;
        }
    }
    *ret_exponent = (int)strtol(at + 1, NULL, 10);
    while (n > 1 && digit[n - 1] == '0') {
        n--;
    }
    return n;
}

static size_t put(char *to, size_t at, const char *from, size_t n)
{
    memcpy(to + at, from, n);
    return at + n;
}

size_t skr_cel_double_write(double value, char to[SKR_CEL_DOUBLE_TEXT])
{
    char digit[20];
    int exponent;
    size_t at = 0;
    if (skr_cel_is_nan(value)) {
        return put(to, 0, "NaN", 3);
    }
    if (value - value != 0) {
        return value > 0 ? put(to, 0, "+Inf", 4) : put(to, 0, "-Inf", 4);
    }
    if (value < 0 || (same(value, 0) && 1 / value < 0)) {
        to[at++] = '-';
        value = -value;
    }
    const size_t n = shortest(value, digit, &exponent);
    if (exponent < -4 || exponent > 5) {
        at = put(to, at, digit, 1);
        if (n > 1) {
            to[at++] = '.';
            at = put(to, at, digit + 1, n - 1);
        }
        return at + (size_t)snprintf(to + at, SKR_CEL_DOUBLE_TEXT - at, "e%+03d", exponent);
    }
    for (int i = exponent < 0 ? exponent : 0; i <= exponent || i < (int)n; i++) {
        if (i == exponent + 1) {
            to[at++] = '.';
        }
        to[at++] = i >= 0 && i < (int)n ? digit[i] : '0';
    }
    return at;
}
