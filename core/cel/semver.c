/* SPDX-License-Identifier: Apache-2.0 */
#include "core/cel/semver.h"

#include <string.h>

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

/* The identifier at text: bytes up to a dot or the end. */
static size_t length(const char *text)
{
    return strcspn(text, ".");
}

static bool is_numeric(const char *text, size_t n)
{
    skr_int128 value;
    return skr_cel_digits(text, n, 10, &value) == n;
}

static int order_identifiers(const char *a, size_t na, const char *b, size_t nb)
{
    const bool x = is_numeric(a, na), y = is_numeric(b, nb);
    if (x != y) {
        return x ? -1 : 1; /* numbers come first */
    }
    if (x && na != nb) {
        return SKR_CEL_ORDER(na, nb);
    }
    const int order = memcmp(a, b, na < nb ? na : nb);
    return order != 0 ? SKR_CEL_ORDER(order, 0) : SKR_CEL_ORDER(na, nb);
}

static int order_pre(const char *a, const char *b)
{
    if (!a[0] || !b[0]) {
        return (a[0] == '\0') - (b[0] == '\0'); /* a pre-release comes first */
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
            return SKR_CEL_ORDER(a->part[i], b->part[i]);
        }
    }
    return order_pre(a->pre, b->pre);
}

/* ---- parsing ---- */

static bool parse_part(const char *text, size_t n, size_t *at, bool lenient, uint64_t *ret)
{
    skr_int128 value;
    const size_t digits = skr_cel_digits(text + *at, n - *at, 10, &value);
    const bool zero = text[*at] == '0';
    *at += digits;
    *ret = (uint64_t)value;
    return digits > 0 && value <= UINT64_MAX && (lenient || digits == 1 || !zero);
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
