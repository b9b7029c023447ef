/* SPDX-License-Identifier: Apache-2.0 */
/* Standard functions: size, conversions, types, times. */
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/type.h"
#include "topology/base/decimal.h"
#include "topology/duration.h"

static struct skr_cel_value cannot(struct skr_cel_run *run, const struct skr_cel_value *v,
                                   const char *type)
{
    return v->kind == SKR_CEL_STRING ? skr_cel_errorf(run, "\"%.*s\" is no %s",
                                                      (int)(v->n < 64 ? v->n : 64), v->text, type)
                                     : skr_cel_errorf(run, "the value does not fit %s", type);
}

static struct skr_cel_value size(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)n;
    if (arg[0].kind != SKR_CEL_STRING) {
        return skr_cel_int(arg[0].n);
    }
    return skr_cel_charge_text(run, arg[0].n)
               ? skr_cel_int((int64_t)skr_cel_points(arg[0].text, arg[0].n))
               : skr_cel_over(run);
}

static struct skr_cel_value type(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)run;
    (void)n;
    return (struct skr_cel_value){.kind = SKR_CEL_TYPE,
                                  .text = skr_cel_type_name(skr_cel_type_of(arg[0].kind))};
}

static struct skr_cel_value same(struct skr_cel_run *run, const struct skr_cel_value *arg, size_t n)
{
    (void)run;
    (void)n;
    return arg[0];
}

/* ---- numbers ---- */

/* Seconds since 1970, rounded down. */
static int64_t seconds(int64_t ns)
{
    const int64_t whole = ns / SKR_SECOND;
    return whole * SKR_SECOND > ns ? whole - 1 : whole;
}

static struct skr_cel_value to_int(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                   size_t n)
{
    const struct skr_cel_value *v = &arg[0];
    int64_t value = v->kind == SKR_CEL_INT ? v->integer : 0;
    bool good = true;
    (void)n;
    if (v->kind == SKR_CEL_UINT) {
        good = v->natural <= INT64_MAX;
        value = good ? (int64_t)v->natural : 0;
    } else if (v->kind == SKR_CEL_DOUBLE) {
        good = v->real > -9223372036854775808.0 && v->real < 9223372036854775808.0;
        value = good ? (int64_t)v->real : 0;
    } else if (v->kind == SKR_CEL_TIMESTAMP) {
        value = seconds(v->integer);
    } else if (v->kind == SKR_CEL_STRING) {
        good = skr_decimal_parse(v->text, v->n, &value);
    }
    return good ? skr_cel_int(value) : cannot(run, v, "int");
}

static bool parse_natural(const struct skr_cel_value *v, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < v->n; i++) {
        const unsigned digit = (unsigned)(v->text[i] - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret = value;
    return v->n > 0;
}

static struct skr_cel_value to_uint(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                    size_t n)
{
    const struct skr_cel_value *v = &arg[0];
    uint64_t value = v->kind == SKR_CEL_UINT ? v->natural : 0;
    bool good = true;
    (void)n;
    if (v->kind == SKR_CEL_INT) {
        good = v->integer >= 0;
        value = (uint64_t)v->integer;
    } else if (v->kind == SKR_CEL_DOUBLE) {
        good = v->real >= 0 && v->real < 18446744073709551616.0;
        value = good ? (uint64_t)v->real : 0;
    } else if (v->kind == SKR_CEL_STRING) {
        good = parse_natural(v, &value);
    }
    return good ? skr_cel_uint(value) : cannot(run, v, "uint");
}

static struct skr_cel_value to_double(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                      size_t n)
{
    const struct skr_cel_value *v = &arg[0];
    double value = 0;
    (void)n;
    if (v->kind == SKR_CEL_STRING && !skr_cel_double_read(v->text, v->n, &value)) {
        return cannot(run, v, "double");
    }
    return skr_cel_double(v->kind == SKR_CEL_INT      ? (double)v->integer
                          : v->kind == SKR_CEL_UINT   ? (double)v->natural
                          : v->kind == SKR_CEL_DOUBLE ? v->real
                                                      : value);
}

/* As Go's strconv.ParseBool. */
static struct skr_cel_value to_bool(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                    size_t n)
{
    static const char *const words[] = {"1", "t", "T", "true",  "TRUE",  "True",
                                        "0", "f", "F", "false", "FALSE", "False"};
    (void)n;
    if (arg[0].kind == SKR_CEL_BOOL) {
        return arg[0];
    }
    for (size_t i = 0; i < 12; i++) {
        if (strlen(words[i]) == arg[0].n && memcmp(words[i], arg[0].text, arg[0].n) == 0) {
            return skr_cel_bool(i < 6);
        }
    }
    return cannot(run, &arg[0], "bool");
}

/* ---- texts ---- */

static struct skr_cel_value to_string(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                      size_t n)
{
    const struct skr_cel_value *v = &arg[0];
    char text[SKR_CEL_DOUBLE_TEXT];
    size_t length;
    (void)n;
    if (v->kind == SKR_CEL_INT) {
        length = (size_t)snprintf(text, sizeof text, "%lld", (long long)v->integer);
    } else if (v->kind == SKR_CEL_UINT) {
        length = (size_t)snprintf(text, sizeof text, "%llu", (unsigned long long)v->natural);
    } else if (v->kind == SKR_CEL_DOUBLE) {
        length = skr_cel_double_write(v->real, text);
    } else if (v->kind == SKR_CEL_BOOL) {
        return skr_cel_text(v->boolean ? "true" : "false");
    } else {
        return v->kind == SKR_CEL_STRING || skr_cel_is_utf8(v->text, v->n)
                   ? skr_cel_string(v->text, v->n)
                   : skr_cel_error("the bytes are not UTF-8");
    }
    return skr_cel_copy(run, text, length);
}

static struct skr_cel_value to_bytes(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                     size_t n)
{
    struct skr_cel_value copy = arg[0];
    (void)run;
    (void)n;
    copy.kind = SKR_CEL_BYTES;
    return copy;
}

/* ---- times ---- */

static struct skr_cel_value to_timestamp(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                         size_t n)
{
    char text[64];
    skr_time time;
    (void)n;
    if (arg[0].kind == SKR_CEL_TIMESTAMP) {
        return arg[0];
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)(arg[0].n < 63 ? arg[0].n : 63), arg[0].text);
    if (arg[0].n > 63 || skr_time_parse(text, &time, NULL) < 0) {
        return cannot(run, &arg[0], "timestamp");
    }
    return (struct skr_cel_value){.kind = SKR_CEL_TIMESTAMP, .integer = time};
}

static struct skr_cel_value to_duration(struct skr_cel_run *run, const struct skr_cel_value *arg,
                                        size_t n)
{
    char text[64];
    skr_time time;
    (void)n;
    if (arg[0].kind == SKR_CEL_DURATION) {
        return arg[0];
    }
    (void)snprintf(text, sizeof text, "%.*s", (int)(arg[0].n < 63 ? arg[0].n : 63), arg[0].text);
    const bool negative = text[0] == '-';
    if (arg[0].n > 63 || skr_duration_parse(text + (negative ? 1 : 0), &time, NULL) < 0) {
        return cannot(run, &arg[0], "duration");
    }
    return (struct skr_cel_value){.kind = SKR_CEL_DURATION, .integer = negative ? -time : time};
}

const struct skr_cel_function skr_cel_core_functions[] = {
    {"size", SKR_CEL_GLOBAL, "s:i|y:i|LA:i|MAB:i", size},
    {"size", SKR_CEL_MEMBER, "s:i|y:i|LA:i|MAB:i", size},
    {"type", SKR_CEL_GLOBAL, "A:T", type},
    {"dyn", SKR_CEL_GLOBAL, "A:?", same},
    {"int", SKR_CEL_GLOBAL, "i:i|u:i|d:i|s:i|t:i", to_int},
    {"uint", SKR_CEL_GLOBAL, "u:u|i:u|d:u|s:u", to_uint},
    {"double", SKR_CEL_GLOBAL, "d:d|i:d|u:d|s:d", to_double},
    {"bool", SKR_CEL_GLOBAL, "b:b|s:b", to_bool},
    {"string", SKR_CEL_GLOBAL, "s:s|b:s|i:s|u:s|d:s|y:s", to_string},
    {"bytes", SKR_CEL_GLOBAL, "y:y|s:y", to_bytes},
    {"timestamp", SKR_CEL_GLOBAL, "t:t|s:t", to_timestamp},
    {"duration", SKR_CEL_GLOBAL, "r:r|s:r", to_duration},
    {0},
};
