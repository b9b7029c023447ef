/* SPDX-License-Identifier: Apache-2.0 */
/* The words and numbers of YAML 1.1 (https://yaml.org/type/), by hand-written scanners. */
#include "server/manifest/scalar.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0) {
            return true;
        }
    }
    return false;
}

/* Digits of a base with underscores between them, without those; false for anything else. */
static bool copy_digits(const char *text, char *digits, size_t size)
{
    size_t n = 0;
    for (; *text; text++) {
        if (*text == '_') {
            continue;
        }
        if (n + 1 == size) {
            return false;
        }
        digits[n++] = *text;
    }
    digits[n] = '\0';
    return n > 0;
}

static json_t *integer(const char *text)
{
    char digits[72];
    bool negative = text[0] == '-';
    const char *rest = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    int base = 10;
    if (rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X')) {
        base = 16;
    } else if (rest[0] == '0' && (rest[1] == 'b' || rest[1] == 'B')) {
        base = 2;
    } else if (rest[0] == '0' && rest[1] != '\0') {
        base = 8;
    }
    rest += base == 16 || base == 2 ? 2 : 0;
    rest += base == 8 && (rest[1] == 'o' || rest[1] == 'O') ? 2 : 0;
    if (rest[0] == '_' || !copy_digits(rest, digits, sizeof digits)) {
        return NULL;
    }
    const char *allowed = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
    size_t n = base == 2   ? strspn(digits, "01")
               : base == 8 ? strspn(digits, "01234567")
                           : strspn(digits, allowed);
    char *end;
    errno = 0;
    unsigned long long value = strtoull(digits, &end, base);
    if (digits[n] != '\0' || *end != '\0' || errno == ERANGE ||
        value > (unsigned long long)INT64_MAX) {
        return NULL;
    }
    return json_integer(negative ? -(json_int_t)value : (json_int_t)value);
}

static bool looks_like_real(const char *text)
{
    const char *at = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    size_t before = strspn(at, "0123456789");
    at += before;
    size_t after = 0;
    if (*at == '.') {
        at++;
        after = strspn(at, "0123456789");
        at += after;
    }
    if (before + after == 0) {
        return false;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '-' || *at == '+' ? 1 : 0;
        size_t n = strspn(at, "0123456789");
        at += n;
        return n > 0 && *at == '\0';
    }
    return *at == '\0';
}

json_t *skr_yaml_resolve(const char *text)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", "y",  "Y",  "yes",
                                        "Yes",  "YES",  "on",   "On", "ON", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", "n",   "N",   "no",
                                         "No",    "NO",    "off",   "Off", "OFF", NULL};
    if (is_word(text, nulls)) {
        return json_null();
    }
    if (is_word(text, trues)) {
        return json_true();
    }
    if (is_word(text, falses)) {
        return json_false();
    }
    if (!strchr("+-.0123456789", text[0])) {
        return NULL;
    }
    json_t *number = integer(text);
    if (!number && looks_like_real(text)) {
        number = json_real(strtod(text, NULL));
    }
    return number;
}
