/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RFC 3339 times to nanoseconds and back; the C library knows the calendar (timegm, gmtime_r, which
 * depend on no time zone). Range: what 64 bits of nanoseconds hold, 1677-09-21 to 2262-04-11. No
 * leap seconds, as in Go.
 */
#include <string.h>
#include <time.h>

#include "topology/object.h"

enum { TEXT_SHOWN = 64 };

struct scanner {
    const char *at;
    bool ok;
};

static int64_t take_digits(struct scanner *s, int n)
{
    int64_t value = 0;
    for (int i = 0; i < n && s->ok; i++) {
        s->ok = *s->at >= '0' && *s->at <= '9';
        if (s->ok) {
            value = value * 10 + (*s->at++ - '0');
        }
    }
    return value;
}

static void take_char(struct scanner *s, char c)
{
    s->ok = s->ok && *s->at == c;
    s->at += s->ok ? 1 : 0;
}

/* Digits beyond the ninth are cut off. */
static int64_t take_fraction(struct scanner *s)
{
    int64_t ns = 0;
    int64_t weight = SKR_SECOND / 10;
    if (!s->ok || *s->at != '.') {
        return 0;
    }
    s->at++;
    s->ok = *s->at >= '0' && *s->at <= '9';
    for (; *s->at >= '0' && *s->at <= '9'; s->at++) {
        ns += (*s->at - '0') * weight;
        weight /= 10;
    }
    return ns;
}

static int64_t take_offset_s(struct scanner *s)
{
    if (!s->ok || (*s->at != '+' && *s->at != '-')) {
        take_char(s, 'Z');
        return 0;
    }
    int64_t sign = *s->at++ == '-' ? -1 : 1;
    int64_t hours = take_digits(s, 2);
    take_char(s, ':');
    int64_t minutes = take_digits(s, 2);
    s->ok = s->ok && hours <= 23 && minutes <= 59;
    return sign * (hours * 3600 + minutes * 60);
}

int skr_time_parse(const char *text, skr_time *ret, struct skr_error *error)
{
    struct scanner s = {text, true};
    int64_t year = take_digits(&s, 4);
    take_char(&s, '-');
    int64_t month = take_digits(&s, 2);
    take_char(&s, '-');
    int64_t day = take_digits(&s, 2);
    take_char(&s, 'T');
    int64_t hour = take_digits(&s, 2);
    take_char(&s, ':');
    int64_t minute = take_digits(&s, 2);
    take_char(&s, ':');
    int64_t second = take_digits(&s, 2);
    int64_t ns = take_fraction(&s);
    int64_t offset_s = take_offset_s(&s);

    if (!s.ok || *s.at != '\0') {
        return skr_error_set(error, SKR_INVALID,
                             "time \"%.*s\": not like 2006-01-02T15:04:05Z at %zu", TEXT_SHOWN,
                             text, (size_t)(s.at - text) + 1);
    }
    struct tm date = {.tm_year = (int)year - 1900,
                      .tm_mon = (int)month - 1,
                      .tm_mday = (int)day,
                      .tm_hour = (int)hour,
                      .tm_min = (int)minute,
                      .tm_sec = (int)second};
    int64_t seconds = timegm(&date) - offset_s;
    /* A day that the month lacks has become one of the next. */
    if (date.tm_mon != month - 1 || date.tm_mday != day || hour > 23 || minute > 59 ||
        second > 59) {
        return skr_error_set(error, SKR_INVALID, "time \"%.*s\": no such day or hour", TEXT_SHOWN,
                             text);
    }
    if (seconds > INT64_MAX / SKR_SECOND - 1 || seconds < INT64_MIN / SKR_SECOND) {
        return skr_error_set(error, SKR_LIMIT, "time \"%.*s\": not between the years 1678 and 2262",
                             TEXT_SHOWN, text);
    }
    *ret = seconds * SKR_SECOND + ns;
    return 0;
}

/* Writes ".123" with trailing zeros dropped, nothing for 0. */
static void write_fraction(int64_t ns, char *buffer, size_t size)
{
    buffer[0] = '\0';
    if (ns == 0) {
        return;
    }
    (void)snprintf(buffer, size, ".%09lld", (long long)ns);
    for (size_t n = strlen(buffer); buffer[n - 1] == '0'; n--) {
        buffer[n - 1] = '\0';
    }
}

void skr_time_write(skr_time t, int32_t utc_offset_s, char *buffer, size_t size)
{
    int64_t ns = t % SKR_SECOND;
    int64_t seconds = t / SKR_SECOND;
    if (ns < 0) {
        ns += SKR_SECOND;
        seconds--;
    }
    int64_t offset_min = utc_offset_s / 60;
    seconds += offset_min * 60;
    char fraction[16];
    char zone[16] = "Z";
    struct tm date;
    const time_t clock = (time_t)seconds;
    skr_bug_on(!gmtime_r(&clock, &date));
    write_fraction(ns, fraction, sizeof fraction);
    if (offset_min != 0) {
        int64_t absolute = offset_min < 0 ? -offset_min : offset_min;
        (void)snprintf(zone, sizeof zone, "%c%02d:%02d", offset_min < 0 ? '-' : '+',
                       (int)(absolute / 60 % 100), (int)(absolute % 60));
    }
    (void)snprintf(buffer, size, "%04d-%02d-%02dT%02d:%02d:%02d%s%s", date.tm_year + 1900,
                   date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec, fraction,
                   zone);
}
