/* SPDX-License-Identifier: Apache-2.0 */
/* RFC 3339 times; expected values come from `date -u -d ... +%s`. */
#include "test/test.h"
#include "topology/object.h"

TEST(times_are_read)
{
    static const struct {
        const char *text;
        int64_t seconds, ns;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"2006-01-02T15:04:05Z", 1136214245, 0},
        {"2006-01-02T15:04:05+07:00", 1136189045, 0},
        {"2006-01-02T15:04:05-00:30", 1136216045, 0},
        {"2006-01-02T15:04:05.5Z", 1136214245, 500000000},
        {"2006-01-02T15:04:05.000000001Z", 1136214245, 1},
        {"2006-01-02T15:04:05.1234567899Z", 1136214245, 123456789},
        {"2000-02-29T23:59:59Z", 951868799, 0},
        {"2024-02-29T00:00:00Z", 1709164800, 0},
        {"1969-12-31T23:59:59.25Z", -1, 250000000},
        {"1900-03-01T00:00:00Z", -2203891200, 0},
        {"2262-04-11T23:47:15Z", 9223372035, 0},
        {"1678-01-01T00:00:00Z", -9214560000, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        skr_time t = 0;
        struct skr_error error = {.code = SKR_OK};
        assert_int_equal(skr_time_parse(rows[i].text, &t, &error), 0);
        if (t != rows[i].seconds * SKR_SECOND + rows[i].ns) {
            fail_msg("%s: got %lld", rows[i].text, (long long)t);
        }
    }
}

TEST(each_day_is_read_as_the_one_after_the_last)
{
    const int64_t day = 86400 * SKR_SECOND;
    skr_time t = -9214560000 * SKR_SECOND; /* 1678-01-01 */
    for (int year = 1678; year < 2262; year++) {
        for (int of_year = 0; of_year < 12 * 31; of_year++) {
            char text[32];
            skr_time got;
            snprintf(text, sizeof text, "%d-%02d-%02dT00:00:00Z", year, of_year / 31 + 1,
                     of_year % 31 + 1);
            if (skr_time_parse(text, &got, NULL) == 0) {
                assert_int_equal(got, t);
                t += day;
            }
        }
    }
    assert_int_equal(t, 9214646400 * SKR_SECOND); /* 2262-01-01 */
}

TEST(what_is_no_time_is_refused)
{
    static const char *const rows[] = {
        "",
        "2006",
        "2006-01-02",
        "2006-01-02T15:04Z",
        "2006-01-02 15:04:05Z",
        "2006-01-02T15:04:05",
        "2006-01-02T15:04:05z",
        "2006-01-02T15:04:05.Z",
        "2006-01-02T15:04:05+0700",
        "2006-01-02T15:04:05+24:00",
        "2006-01-02T15:04:05+07:60",
        "2006-01-02T15:04:05Zx",
        "2006-13-02T15:04:05Z",
        "2006-00-02T15:04:05Z",
        "2006-02-29T15:04:05Z",
        "1900-02-29T15:04:05Z",
        "2006-04-31T15:04:05Z",
        "2006-01-00T15:04:05Z",
        "2006-01-02T24:00:00Z",
        "2006-01-02T15:60:05Z",
        "2006-01-02T15:04:60Z",
        "20060-1-02T15:04:05Z",
        "-006-01-02T15:04:05Z",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        skr_time t = 7;
        struct skr_error error;
        if (skr_time_parse(rows[i], &t, &error) != -SKR_INVALID || t != 7) {
            fail_msg("%s was accepted", rows[i]);
        }
    }
    struct skr_error error;
    skr_time t;
    (void)skr_time_parse("2006-01-02 15:04:05Z", &t, &error);
    assert_string_equal(error.text,
                        "time \"2006-01-02 15:04:05Z\": not like 2006-01-02T15:04:05Z at 11");
}

TEST(a_year_that_nanoseconds_cannot_count_is_a_limit)
{
    static const char *const rows[] = {"0001-01-01T00:00:00Z", "1677-01-01T00:00:00Z",
                                       "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        skr_time t = 7;
        assert_int_equal(skr_time_parse(rows[i], &t, NULL), -SKR_LIMIT);
        assert_true(t == 7);
    }
}

TEST(times_are_written)
{
    static const struct {
        skr_time t;
        int32_t offset_s;
        const char *text;
    } rows[] = {
        {0, 0, "1970-01-01T00:00:00Z"},
        {1136214245 * SKR_SECOND, 0, "2006-01-02T15:04:05Z"},
        {1136214245 * SKR_SECOND, 7 * 3600, "2006-01-02T22:04:05+07:00"},
        {1136214245 * SKR_SECOND, -(3 * 3600 + 1800), "2006-01-02T11:34:05-03:30"},
        {1136214245 * SKR_SECOND + 120000000, 0, "2006-01-02T15:04:05.12Z"},
        {1136214245 * SKR_SECOND + 1, 0, "2006-01-02T15:04:05.000000001Z"},
        {-1, 0, "1969-12-31T23:59:59.999999999Z"},
        {951868800 * SKR_SECOND, 0, "2000-03-01T00:00:00Z"},
        {1704067199 * SKR_SECOND, 3600, "2024-01-01T00:59:59+01:00"},
        {INT64_MAX, 14 * 3600, "2262-04-12T13:47:16.854775807+14:00"},
        {INT64_MIN, -12 * 3600, "1677-09-20T12:12:43.145224192-12:00"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[36];
        skr_time_write(rows[i].t, rows[i].offset_s, text, sizeof text);
        assert_string_equal(text, rows[i].text);
    }
}

TEST(what_is_written_is_read_back)
{
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        skr_time t = (skr_time)(seed >> 2); /* 1970 to 2116 */
        int32_t offset_s = (int32_t)(seed >> 40) % 1400 * 60 - 700 * 60;
        char text[36];
        skr_time back = 0;
        skr_time_write(t, offset_s, text, sizeof text);
        assert_int_equal(skr_time_parse(text, &back, NULL), 0);
        assert_true(back == t);
    }
}
