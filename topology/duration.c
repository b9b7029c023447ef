/* SPDX-License-Identifier: Apache-2.0 */
/* A fraction of a duration is added digit by digit (unit / 10, unit / 100, ...), so nothing is
 * rounded that a nanosecond can hold; sums are checked. */
#include "topology/duration.h"

#include <stdio.h>
#include <string.h>

#define DURATION_HINT "is not a duration such as 50ms, 330s or 5m"

static const struct {
    const char *name;
    int64_t ns;
} units[] = {
    {"h", 3600 * SKR_SECOND},
    {"ms", SKR_MILLISECOND},
    {"us", SKR_MILLISECOND / 1000},
    {"ns", 1},
    {"m", 60 * SKR_SECOND},
    {"s", SKR_SECOND},
    {"\u00b5s", SKR_MILLISECOND / 1000},
    {"\u03bcs", SKR_MILLISECOND / 1000}, /* as Go writes "us" */
};
enum { N_UNITS = sizeof units / sizeof units[0] };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Unit at text; two-letter names stand before "m" in the table. */
static int64_t take_unit(const char **text)
{
    for (size_t i = 0; i < N_UNITS; i++) {
        size_t n = strlen(units[i].name);
        if (strncmp(*text, units[i].name, n) == 0) {
            *text += n;
            return units[i].ns;
        }
    }
    return 0;
}

/* *sum += count * unit; all are >= 0, unit > 0. */
static int add_checked(int64_t *sum, int64_t count, int64_t unit)
{
    if (count > (INT64_MAX - *sum) / unit) {
        return -SKR_LIMIT;
    }
    *sum += count * unit;
    return 0;
}

/* *value = *value * 10 + digit, of a value >= 0. */
static int append_digit(int64_t *value, char digit)
{
    int64_t d = digit - '0';
    if (*value > (INT64_MAX - d) / 10) {
        return -SKR_LIMIT;
    }
    *value = *value * 10 + d;
    return 0;
}

/* One "<digits>[.<digits>]<unit>". */
static int take_part(const char **text, int64_t *sum)
{
    int64_t whole = 0;
    const char *s = *text;
    const char *fraction = "";
    size_t digits = 0;
    for (; is_digit(*s); s++, digits++) {
        if (append_digit(&whole, *s) < 0) {
            return -SKR_LIMIT;
        }
    }
    if (*s == '.') {
        fraction = ++s;
        for (; is_digit(*s); s++) {
            digits++;
        }
    }
    int64_t unit = take_unit(&s);
    if (digits == 0 || unit == 0) {
        return -SKR_INVALID;
    }
    *text = s;
    int rc = add_checked(sum, whole, unit);
    for (unit /= 10; rc == 0 && is_digit(*fraction) && unit > 0; fraction++, unit /= 10) {
        rc = add_checked(sum, *fraction - '0', unit);
    }
    return rc;
}

int skr_duration_parse(const char *text, skr_time *ret, struct skr_error *error)
{
    int64_t sum = 0;
    const char *s = text;
    if (strcmp(text, "0") == 0) {
        *ret = 0;
        return 0;
    }
    do {
        int rc = take_part(&s, &sum);
        if (rc == -SKR_LIMIT) {
            return skr_error_set(error, SKR_LIMIT, "\"%.64s\" is longer than 292 years", text);
        }
        if (rc < 0) {
            return skr_error_set(error, SKR_INVALID, "\"%.64s\" " DURATION_HINT, text);
        }
    } while (*s);
    *ret = sum;
    return 0;
}

void skr_duration_write(skr_time duration, char *buffer, size_t size)
{
    if (duration == SKR_TIME_NEVER) {
        snprintf(buffer, size, "off");
        return;
    }
    if (duration <= 0) {
        snprintf(buffer, size, "0");
        return;
    }
    static const struct {
        const char *name;
        int64_t ns;
    } descending[] = {{"h", 3600 * SKR_SECOND}, {"m", 60 * SKR_SECOND}, {"s", SKR_SECOND},
                      {"ms", SKR_MILLISECOND},  {"us", 1000},           {"ns", 1}};
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < sizeof descending / sizeof descending[0]; i++) {
        int64_t count = duration / descending[i].ns;
        duration %= descending[i].ns;
        if (count > 0 && used < size) {
            int n = snprintf(buffer + used, size - used, "%lld%s", (long long)count,
                             descending[i].name);
            used += n > 0 ? (size_t)n : 0;
        }
    }
}

void skr_duration_write_age(skr_time duration, char text[32])
{
    const long long s = duration / SKR_SECOND;
    const long long m = s / 60, h = m / 60, d = h / 24, y = d / 365;
    if (s < -1) {
        (void)snprintf(text, 32, "<invalid>");
    } else if (s < 0) {
        (void)snprintf(text, 32, "0s");
    } else if (s < 120) {
        (void)snprintf(text, 32, "%llds", s);
    } else if (m < 10) {
        (void)(s % 60 == 0 ? snprintf(text, 32, "%lldm", m)
                           : snprintf(text, 32, "%lldm%llds", m, s % 60));
    } else if (m < 180) {
        (void)snprintf(text, 32, "%lldm", m);
    } else if (h < 8) {
        (void)(m % 60 == 0 ? snprintf(text, 32, "%lldh", h)
                           : snprintf(text, 32, "%lldh%lldm", h, m % 60));
    } else if (h < 48) {
        (void)snprintf(text, 32, "%lldh", h);
    } else if (h < 192) {
        (void)(h % 24 == 0 ? snprintf(text, 32, "%lldd", d)
                           : snprintf(text, 32, "%lldd%lldh", d, h % 24));
    } else if (h < 24 * 365 * 2) {
        (void)snprintf(text, 32, "%lldd", d);
    } else if (h < 24 * 365 * 8) {
        (void)(d % 365 == 0 ? snprintf(text, 32, "%lldy", y)
                            : snprintf(text, 32, "%lldy%lldd", y, d % 365));
    } else {
        (void)snprintf(text, 32, "%lldy", y);
    }
}
