/* SPDX-License-Identifier: Apache-2.0 */
/* Standard functions: size, conversions, types, times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cel/function.h"
#include "core/cel/type.h"
#include "topology/base/decimal.h"
#include "topology/duration.h"

enum { NANO_DIGITS = 9 };

/* The row of a conversion has the name of its type. */
static struct skr_cel_value cannot(struct skr_cel_run *run, const struct skr_cel_value *v)
{
    return v->kind == SKR_CEL_STRING
               ? skr_cel_is_no(run, v, run->row->name)
               : skr_cel_errorf(run, "the value does not fit %s", run->row->name);
}

static struct skr_cel_value size(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return skr_cel_int(
        arg[0].kind == SKR_CEL_STRING ? (int64_t)skr_cel_points(arg[0].text, arg[0].n) : arg[0].n);
}

static struct skr_cel_value type(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return (struct skr_cel_value){.kind = SKR_CEL_TYPE,
                                  .text = skr_cel_type_name(skr_cel_type_of(arg[0].kind))};
}

static struct skr_cel_value same(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    (void)run;
    return arg[0];
}

/* ---- numbers ---- */

/* Seconds since 1970, rounded down. */
static int64_t seconds(int64_t ns)
{
    const int64_t whole = ns / SKR_SECOND;
    return whole * SKR_SECOND > ns ? whole - 1 : whole;
}

static struct skr_cel_value to_int(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value *v = &arg[0];
    int64_t value = v->kind == SKR_CEL_INT ? v->integer : 0;
    bool good = true;
    if (v->kind == SKR_CEL_UINT) {
        good = v->natural <= INT64_MAX;
        value = good ? (int64_t)v->natural : 0;
    } else if (v->kind == SKR_CEL_DOUBLE) {
        good = v->real > -9223372036854775808.0 && v->real < 9223372036854775808.0;
        value = good ? (int64_t)v->real : 0;
    } else if (v->kind == SKR_CEL_TIMESTAMP) {
        value = seconds(v->integer);
    } else if (v->kind == SKR_CEL_DURATION) {
        value = v->integer;
    } else if (v->kind == SKR_CEL_STRING) {
        good = skr_decimal_parse(v->text, v->n, &value);
    }
    return good ? skr_cel_int(value) : cannot(run, v);
}

static struct skr_cel_value to_uint(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value *v = &arg[0];
    uint64_t value = v->kind == SKR_CEL_UINT ? v->natural : 0;
    bool good = true;
    if (v->kind == SKR_CEL_INT) {
        good = v->integer >= 0;
        value = (uint64_t)v->integer;
    } else if (v->kind == SKR_CEL_DOUBLE) {
        good = v->real >= 0 && v->real < 18446744073709551616.0;
        value = good ? (uint64_t)v->real : 0;
    } else if (v->kind == SKR_CEL_STRING) {
        skr_int128 whole;
        good = v->n > 0 && skr_cel_digits(v->text, v->n, 10, &whole) == v->n && whole <= UINT64_MAX;
        value = good ? (uint64_t)whole : 0;
    }
    return good ? skr_cel_uint(value) : cannot(run, v);
}

static struct skr_cel_value to_double(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const struct skr_cel_value *v = &arg[0];
    double value = 0;
    if (v->kind == SKR_CEL_STRING && !skr_cel_double_read(v->text, v->n, &value)) {
        return cannot(run, v);
    }
    return skr_cel_double(v->kind == SKR_CEL_INT      ? (double)v->integer
                          : v->kind == SKR_CEL_UINT   ? (double)v->natural
                          : v->kind == SKR_CEL_DOUBLE ? v->real
                                                      : value);
}

/* As Go's strconv.ParseBool. */
static struct skr_cel_value to_bool(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    static const char *const words[] = {"1", "t", "T", "true",  "TRUE",  "True",
                                        "0", "f", "F", "false", "FALSE", "False"};
    if (arg[0].kind == SKR_CEL_BOOL) {
        return arg[0];
    }
    for (size_t i = 0; i < 12; i++) {
        if (strlen(words[i]) == arg[0].n && memcmp(words[i], arg[0].text, arg[0].n) == 0) {
            return skr_cel_bool(i < 6);
        }
    }
    return cannot(run, &arg[0]);
}

/* ---- texts ---- */

/* "1.5s": seconds as Go writes a float64 of them, with as few digits as name it. */
static size_t write_duration(int64_t ns, char to[SKR_CEL_DOUBLE_TEXT])
{
    const double value = (double)(ns / SKR_SECOND) + (double)(ns % SKR_SECOND) / 1e9;
    int digits = 0;
    size_t n;
    do {
        n = (size_t)snprintf(to, SKR_CEL_DOUBLE_TEXT, "%.*f", digits, value);
    } while (strtod(to, NULL) != value && ++digits <= NANO_DIGITS);
    to[n] = 's';
    return n + 1;
}

struct skr_cel_value skr_cel_to_string(struct skr_cel_run *run, const struct skr_cel_value *v)
{
    char text[SKR_CEL_DOUBLE_TEXT];
    size_t length;
    if (v->kind == SKR_CEL_TIMESTAMP) {
        skr_time_write(v->integer, (int32_t)v->n * 60, text, sizeof text);
        length = strlen(text);
    } else if (v->kind == SKR_CEL_DURATION) {
        length = write_duration(v->integer, text);
    } else if (v->kind == SKR_CEL_INT) {
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

static struct skr_cel_value to_bytes(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    struct skr_cel_value copy = arg[0];
    (void)run;
    copy.kind = SKR_CEL_BYTES;
    return copy;
}

/* ---- times ---- */

/* Minutes ahead of UTC of a time that has been read, "...Z" or "...+02:00". */
static int32_t zone_of(const char *text)
{
    const char *zone = text + strlen(text) - strlen("+00:00");
    const int minutes =
        (zone[1] - '0') * 600 + (zone[2] - '0') * 60 + (zone[4] - '0') * 10 + (zone[5] - '0');
    return zone[0] == '+' ? minutes : zone[0] == '-' ? -minutes : 0;
}

/* An int is seconds since 1970; it is no duration, in cel-go neither. */
static struct skr_cel_value of_seconds(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const int64_t limit = INT64_MAX / SKR_SECOND;
    return run->row->way == SKR_CEL_TIMESTAMP && arg[0].integer <= limit && arg[0].integer >= -limit
               ? (struct skr_cel_value){.kind = SKR_CEL_TIMESTAMP,
                                        .integer = arg[0].integer * SKR_SECOND}
               : cannot(run, &arg[0]);
}

/* way: the kind that is made. */
static struct skr_cel_value to_time(struct skr_cel_run *run, const struct skr_cel_value *arg)
{
    const enum skr_cel_kind kind = (enum skr_cel_kind)run->row->way;
    char text[64];
    skr_time time;
    if (arg[0].kind == kind) {
        return arg[0];
    }
    if (arg[0].kind == SKR_CEL_INT) {
        return of_seconds(run, arg);
    }
    bool good = skr_cel_copy_plain(&arg[0], text, sizeof text);
    const bool is_signed = good && kind == SKR_CEL_DURATION && (text[0] == '-' || text[0] == '+');
    if (good) {
        good =
            (kind == SKR_CEL_DURATION ? skr_duration_parse(text + (is_signed ? 1 : 0), &time, NULL)
                                      : skr_time_parse(text, &time, NULL)) == 0;
    }
    return good ? (struct skr_cel_value){.kind = kind,
                                         .n = kind == SKR_CEL_TIMESTAMP ? (uint32_t)zone_of(text)
                                                                        : 0,
                                         .integer = is_signed && text[0] == '-' ? -time : time}
                : cannot(run, &arg[0]);
}

#define SIZE "s:i|y:i|LA:i|MAB:i"

const struct skr_cel_function skr_cel_core_functions[] = {
    {"size", SKR_CEL_GLOBAL, SIZE, size, SKR_CEL_TEXT, 0},
    {"size", SKR_CEL_MEMBER, SIZE, size, SKR_CEL_TEXT, 0},
    {"type", SKR_CEL_GLOBAL, "A:T", type, SKR_CEL_FREE, 0},
    {"dyn", SKR_CEL_GLOBAL, "A:?", same, SKR_CEL_FREE, 0},
    {"int", SKR_CEL_GLOBAL, "i:i|u:i|d:i|s:i|t:i|r:i", to_int, SKR_CEL_FREE, 0},
    {"uint", SKR_CEL_GLOBAL, "u:u|i:u|d:u|s:u", to_uint, SKR_CEL_FREE, 0},
    {"double", SKR_CEL_GLOBAL, "d:d|i:d|u:d|s:d", to_double, SKR_CEL_FREE, 0},
    {"bool", SKR_CEL_GLOBAL, "b:b|s:b", to_bool, SKR_CEL_FREE, 0},
    {"string", SKR_CEL_GLOBAL, "s:s|b:s|i:s|u:s|d:s|y:s|t:s|r:s", skr_cel_to_string, SKR_CEL_FREE,
     0},
    {"bytes", SKR_CEL_GLOBAL, "y:y|s:y", to_bytes, SKR_CEL_FREE, 0},
    {"timestamp", SKR_CEL_GLOBAL, "t:t|s:t|i:t", to_time, SKR_CEL_FREE, SKR_CEL_TIMESTAMP},
    {"duration", SKR_CEL_GLOBAL, "r:r|s:r|i:r", to_time, SKR_CEL_FREE, SKR_CEL_DURATION},
    {0},
};
