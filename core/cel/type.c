/* SPDX-License-Identifier: Apache-2.0 */
/* Types as texts: how they fit, and rows of functions against arguments. */
#include "core/cel/type.h"

#include <string.h>

static const struct {
    const char *type; /* by its outermost kind */
    enum skr_cel_kind kind;
    const char *shown, *name;
} types[] = {
    {"n", SKR_CEL_NULL, "null", "null_type"},
    {"b", SKR_CEL_BOOL, "bool", "bool"},
    {"i", SKR_CEL_INT, "int", "int"},
    {"u", SKR_CEL_UINT, "uint", "uint"},
    {"d", SKR_CEL_DOUBLE, "double", "double"},
    {"s", SKR_CEL_STRING, "string", "string"},
    {"y", SKR_CEL_BYTES, "bytes", "bytes"},
    {"L?", SKR_CEL_LIST, "list", "list"},
    {"M??", SKR_CEL_MAP, "map", "map"},
    {"T", SKR_CEL_TYPE, "type", "type"},
    {"t", SKR_CEL_TIMESTAMP, "timestamp", "google.protobuf.Timestamp"},
    {"r", SKR_CEL_DURATION, "duration", "google.protobuf.Duration"},
    {"q", SKR_CEL_QUANTITY, "quantity", "kubernetes.Quantity"},
    {"v", SKR_CEL_SEMVER, "semver", "kubernetes.Semver"},
    {"p", SKR_CEL_IP, "ip", "net.IP"},
    {"c", SKR_CEL_CIDR, "cidr", "net.CIDR"},
    {"w", SKR_CEL_URL, "url", "kubernetes.URL"},
    {"?", SKR_CEL_ERROR, "dyn", "dyn"},
};
enum { N_TYPES = sizeof types / sizeof *types };

static size_t find(char code)
{
    size_t i = 0;
    while (i + 1 < N_TYPES && types[i].type[0] != code) {
        i++;
    }
    return i;
}

const char *skr_cel_type_name(char type)
{
    return types[find(type)].name;
}

const char *skr_cel_outer_type(enum skr_cel_kind kind)
{
    size_t i = 0;
    while (i + 1 < N_TYPES && types[i].kind != kind) {
        i++;
    }
    return types[i].type;
}

char skr_cel_type_of(enum skr_cel_kind kind)
{
    return skr_cel_outer_type(kind)[0];
}

const char *skr_cel_type_end(const char *type)
{
    for (size_t open = 1; open > 0; type++) {
        open = open - 1 + (*type == 'L' ? 1 : *type == 'M' ? 2 : 0);
    }
    return type;
}

const char *skr_cel_type_join(const char *a, const char *b)
{
    const size_t n = (size_t)(skr_cel_type_end(a) - a);
    return n == (size_t)(skr_cel_type_end(b) - b) && memcmp(a, b, n) == 0 ? a : "?";
}

/* Whether a is b, or b with "?" for parts of it. */
static bool is_general(const char *a, const char *b)
{
    for (const char *const end = skr_cel_type_end(a); a < end;) {
        if (*a == '?') {
            a++;
            b = skr_cel_type_end(b);
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return true;
}

const char *skr_cel_type_common(const char *a, const char *b)
{
    return !skr_cel_type_fits(a, b) ? "?" : is_general(a, b) ? a : is_general(b, a) ? b : "?";
}

void skr_cel_type_write(const char *type, struct skr_strbuf *out)
{
    /* What closes or separates at each level; a level is a bit pair, and deep types are cut. */
    size_t waiting[64];
    size_t depth = 0;
    for (const char *const end = skr_cel_type_end(type); type < end; type++) {
        skr_strbuf_add(out, types[find(*type)].shown);
        if ((*type == 'L' || *type == 'M') && depth < 64) {
            skr_strbuf_addc(out, '(');
            waiting[depth++] = *type == 'M' ? 2 : 1;
            continue;
        }
        while (depth > 0 && --waiting[depth - 1] == 0) {
            skr_strbuf_addc(out, ')');
            depth--;
        }
        if (depth > 0) {
            skr_strbuf_add(out, ", ");
        }
    }
}

/* ---- rows of functions ---- */

/* What A and B stand for; NULL: nothing yet. */
struct bound {
    const char *type[2];
    bool of_values; /* types of values and not of expressions */
};

/* As in cel-go, an expression that is null is taken for what is no plain value; its value is not. */
static bool fits_null(char a, char b)
{
    return (a == 'n' && strchr("trqvpcw", b)) || (b == 'n' && strchr("trqvpcw", a));
}

static bool is_parameter(char c)
{
    return c == 'A' || c == 'B';
}

/* Whether type fits the pattern at *row, which is consumed. bound: NULL without A and B. */
static bool take(const char **row, const char *type, struct bound *bound)
{
    const char *const end = skr_cel_type_end(*row);
    while (*row < end) {
        if (is_parameter(**row)) {
            const char **place = &bound->type[**row - 'A'];
            if (*place && !skr_cel_type_fits(*place, type)) {
                return false;
            }
            *place = *place ? skr_cel_type_common(type, *place) : type;
            type = skr_cel_type_end(type);
            ++*row;
        } else if (**row == '?' || *type == '?') {
            *row = skr_cel_type_end(*row);
            type = skr_cel_type_end(type);
        } else if (**row == *type || (!(bound && bound->of_values) && fits_null(**row, *type))) {
            ++*row;
            type++;
        } else {
            return false;
        }
    }
    return true;
}

bool skr_cel_type_fits(const char *a, const char *b)
{
    return take(&a, b, NULL);
}

static const char *result_of(const char *row, const struct bound *bound, struct skr_arena *arena)
{
    const char *const end = skr_cel_type_end(row);
    size_t n = 1;
    for (const char *at = row; at < end; at++) {
        const char *type = is_parameter(*at) ? bound->type[*at - 'A'] : NULL;
        n += type ? (size_t)(skr_cel_type_end(type) - type) : 1;
    }
    char *result = skr_arena_alloc(arena, n);
    size_t length = 0;
    for (const char *at = row; result && at < end; at++) {
        const char *type = is_parameter(*at) ? bound->type[*at - 'A'] : at;
        type = type ? type : "?";
        const size_t part = type == at ? 1 : (size_t)(skr_cel_type_end(type) - type);
        memcpy(result + length, type, part);
        length += part;
    }
    return result;
}

/* The result of the first alternative from *row on that takes these types; *row is behind it, NULL
 * behind the last one. NULL: none does. */
static const char *alternative(const char **row, const char *const *arg, size_t n,
                               struct bound *ret)
{
    const char *result = NULL;
    while (!result && *row) {
        const char *at = *row;
        size_t i = 0;
        *ret = (struct bound){.of_values = ret->of_values};
        while (i < n && *at != ':' && take(&at, arg[i], ret)) {
            i++;
        }
        result = i == n && *at == ':' ? at + 1 : NULL;
        at = strchr(*row, '|');
        *row = at ? at + 1 : NULL;
    }
    return result;
}

bool skr_cel_types_take(const char *row, const char *const *arg, size_t n, struct skr_arena *arena,
                        const char **ret)
{
    struct bound bound = {.of_values = false};
    const char *result, *joined = NULL;
    bool any = false;
    while ((result = alternative(&row, arg, n, &bound))) {
        result = result_of(result, &bound, arena);
        joined = any && joined && result ? skr_cel_type_join(joined, result) : result;
        any = true;
    }
    *ret = joined;
    return any;
}

bool skr_cel_types_take_values(const char *row, const struct skr_cel_value *arg, size_t n)
{
    const char *type[SKR_CEL_ARGUMENTS_MAX];
    struct bound bound = {.of_values = true};
    for (size_t i = 0; i < n; i++) {
        type[i] = skr_cel_outer_type(arg[i].kind);
    }
    return !!alternative(&row, type, n, &bound);
}
