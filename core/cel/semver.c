/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cel/semver.h"

#include <string.h>

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* The identifier at text: bytes up to a dot or the end. */
static size_t length(const char *text)
{
    return strcspn(text, ".");
}

static bool is_numeric(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && is_digit(text[i])) {
        i++;
    }
    return i == n;
}

static int order_identifiers(const char *a, size_t na, const char *b, size_t nb)
{
    const bool x = is_numeric(a, na), y = is_numeric(b, nb);
    if (x != y) {
        return x ? -1 : 1; /* numbers come first */
    }
    if (x && na != nb) {
        return ORDER(na, nb);
    }
    const int order = memcmp(a, b, na < nb ? na : nb);
    return order != 0 ? ORDER(order, 0) : ORDER(na, nb);
}

static int order_pre(const char *a, const char *b)
{
    if (!a[0] || !b[0]) {
        return (b[0] != '\0') - (a[0] != '\0') == 0 ? 0 : a[0] ? -1 : 1;
    }
    for (;;) {
        const size_t na = length(a), nb = length(b);
        const int order = order_identifiers(a, na, b, nb);
        if (order != 0) {
            return order;
        }
        a += na;
        b += nb;
        if (!*a || !*b) {
            return (*a != '\0') - (*b != '\0');
        }
        a++;
        b++;
    }
}

int skr_cel_semver_compare(const struct skr_cel_semver *a, const struct skr_cel_semver *b)
{
    for (int i = 0; i < 3; i++) {
        if (a->part[i] != b->part[i]) {
            return ORDER(a->part[i], b->part[i]);
        }
    }
    return order_pre(a->pre, b->pre);
}

/* ---- parsing ---- */

static bool parse_part(const char *text, size_t n, size_t *at, bool lenient, uint64_t *ret)
{
    const size_t begin = *at;
    uint64_t value = 0;
    for (; *at < n && is_digit(text[*at]); ++*at) {
        const uint64_t digit = (uint64_t)(text[*at] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret = value;
    return *at > begin && (lenient || *at == begin + 1 || text[begin] != '0');
}

/* Identifiers between dots; none is empty, and no number of a pre-release begins with 0. */
static bool check_identifiers(const char *text, size_t n, bool zeros)
{
    size_t begin = 0;
    for (size_t i = 0; i <= n; i++) {
        if (i < n && text[i] != '.') {
            if (!is_word(text[i])) {
                return false;
            }
            continue;
        }
        if (i == begin || (!zeros && i - begin > 1 && text[begin] == '0' &&
                           is_numeric(text + begin, i - begin))) {
            return false;
        }
        begin = i + 1;
    }
    return true;
}

bool skr_cel_semver_parse(const char *text, size_t n, bool lenient, struct skr_arena *arena,
                          struct skr_cel_semver *ret)
{
    const char *plus = memchr(text, '+', n);
    const size_t end = plus ? (size_t)(plus - text) : n;
    size_t at = lenient && n > 0 && text[0] == 'v' ? 1 : 0;
    *ret = (struct skr_cel_semver){.pre = ""};
    if (n > SKR_CEL_SEMVER_MAX) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (i > 0 && at < end && text[at] == '.') {
            at++;
        } else if (i > 0) {
            if (!lenient) {
                return false;
            }
            break;
        }
        if (!parse_part(text, end, &at, lenient, &ret->part[i])) {
            return false;
        }
    }
    if (plus && !check_identifiers(plus + 1, n - end - 1, true)) {
        return false;
    }
    if (at < end && text[at] == '-') {
        ret->pre = skr_arena_strndup(arena, text + at + 1, end - at - 1);
        return ret->pre && check_identifiers(text + at + 1, end - at - 1, false);
    }
    return at == end;
}
