/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RFC 3339 times to nanoseconds and back. Without the C library, which is slow at it: each object has some,
 * and a status, which is made anew at every look, up to six. Range: what 64 bits of nanoseconds hold, 1677-09-21 to 2262-04-11. No
 * leap seconds, as in Go.
 */
#include <string.h>

#include "topology/object.h"

enum { TEXT_SHOWN = 64, DAY_S = 86400 };

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

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* 0: there is no such month. */
static int64_t days_of(int64_t year, int64_t month)
{
    static const int8_t days[] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month < 1 || month > 12 ? 0 : days[month] + (month == 2 && is_leap(year) ? 1 : 0);
}

/* Days of the date since 1970-01-01. Years begin in March here, so that a leap day is the last one; 146,097
 * are 400 of them. year >= 0. */
static int64_t day_number(int64_t year, int64_t month, int64_t day)
{
    const int64_t y = month > 2 ? year + 400 : year + 399; /* no year is negative then */
    const int64_t m = month > 2 ? month - 3 : month + 9;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 146097 - 719468;
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
    if (day < 1 || day > days_of(year, month) || hour > 23 || minute > 59 || second > 59) {
        return skr_error_set(error, SKR_INVALID, "time \"%.*s\": no such day or hour", TEXT_SHOWN,
                             text);
    }
    int64_t seconds = day_number(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second;
    seconds -= offset_s;
    if (seconds > INT64_MAX / SKR_SECOND - 1 || seconds < INT64_MIN / SKR_SECOND) {
        return skr_error_set(error, SKR_LIMIT, "time \"%.*s\": not between the years 1678 and 2262",
                             TEXT_SHOWN, text);
    }
    *ret = seconds * SKR_SECOND + ns;
    return 0;
}

/* n digits of v at s, with leading zeros; where they end. */
static char *put_digits(char *s, int64_t v, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        s[i] = (char)('0' + v % 10);
        v /= 10;
    }
    return s + n;
}

/* ".123" with trailing zeros dropped, nothing for 0. */
static char *put_fraction(char *s, int64_t ns)
{
    if (ns == 0) {
        return s;
    }
    *s++ = '.';
    s = put_digits(s, ns, 9);
    while (s[-1] == '0') {
        s--;
    }
    return s;
}

static char *put_zone(char *s, int64_t offset_min)
{
    int64_t absolute = offset_min < 0 ? -offset_min : offset_min;
    if (offset_min == 0) {
        *s++ = 'Z';
        return s;
    }
    *s++ = offset_min < 0 ? '-' : '+';
    s = put_digits(s, absolute / 60 % 100, 2);
    *s++ = ':';
    return put_digits(s, absolute % 60, 2);
}

/* The Gregorian date of a day since 1970-01-01. Years begin in March here, so that a leap day is the last one;
 * 400 of them have 146,097 days. Day 0 of the count is 0000-03-01, long before any time that is held. */
static char *put_date(char *s, int64_t days)
{
    int64_t day = days + 719468;
    int64_t of_era = day % 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153; /* 0: March */
    s = put_digits(s, day / 146097 * 400 + year + (month > 9), 4);
    *s++ = '-';
    s = put_digits(s, month < 10 ? month + 3 : month - 9, 2);
    *s++ = '-';
    return put_digits(s, of_year - (153 * month + 2) / 5 + 1, 2);
}

void skr_time_write(skr_time t, int32_t utc_offset_s, char *buffer, size_t size)
{
    char text[48];
    int64_t ns = t % SKR_SECOND;
    int64_t seconds = t / SKR_SECOND;
    if (ns < 0) {
        ns += SKR_SECOND;
        seconds--;
    }
    int64_t offset_min = utc_offset_s / 60;
    seconds += offset_min * 60;
    int64_t of_day = seconds % DAY_S + (seconds % DAY_S < 0 ? DAY_S : 0);
    char *s = put_date(text, (seconds - of_day) / DAY_S);
    *s++ = 'T';
    s = put_digits(s, of_day / 3600, 2);
    *s++ = ':';
    s = put_digits(s, of_day / 60 % 60, 2);
    *s++ = ':';
    s = put_digits(s, of_day % 60, 2);
    s = put_zone(put_fraction(s, ns), offset_min);
    size_t n = (size_t)(s - text);
    if (size > 0) {
        n = n < size ? n : size - 1;
        memcpy(buffer, text, n);
        buffer[n] = '\0';
    }
}
