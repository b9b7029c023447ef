/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities, against values that apimachinery's Quantity.Value() and MilliValue() give. */
#include "test/test.h"
#include "topology/quantity.h"

#define MAX INT64_MAX
#define MIN INT64_MIN

struct row {
    const char *text;
    int64_t value, milli;
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t value = 0;
        int64_t milli = 0;
        struct skr_error error = {.code = SKR_OK};
        int rc = skr_quantity_parse(rows[i].text, &value, &error);
        int rc_milli = skr_quantity_parse_milli(rows[i].text, &milli, &error);
        if (rc != 0 || rc_milli != 0 || value != rows[i].value || milli != rows[i].milli) {
            fail_msg("%s: got %d %lld, %d milli %lld (%s)", rows[i].text, rc, (long long)value,
                     rc_milli, (long long)milli, error.text);
        }
    }
}
#define CHECK(rows) check(rows, sizeof rows / sizeof((rows)[0]))

TEST(every_suffix_scales)
{
    static const struct row rows[] = {
        {"3", 3, 3000},
        {"3n", 1, 1},
        {"3u", 1, 1},
        {"3m", 1, 3},
        {"3k", 3000, 3000000},
        {"3M", 3000000, 3000000000},
        {"3G", 3000000000, 3000000000000},
        {"3T", 3000000000000, 3000000000000000},
        {"3P", 3000000000000000, 3000000000000000000},
        {"3Ki", 3072, 3072000},
        {"3Mi", 3145728, 3145728000},
        {"3Gi", 3221225472, 3221225472000},
        {"3Ti", 3298534883328, 3298534883328000},
        {"3Pi", 3377699720527872, 3377699720527872000},
        {"3e2", 300, 300000},
        {"3E2", 300, 300000},
        {"3e+2", 300, 300000},
        {"3000e-2", 30, 30000},
        {"3E-1", 1, 300},
        {"3e0", 3, 3000},
    };
    int64_t v = 0;
    CHECK(rows);
    assert_int_equal(skr_quantity_parse("3E", &v, NULL), 0);
    assert_true(v == INT64_C(3000000000000000000));
    assert_int_equal(skr_quantity_parse("7Ei", &v, NULL), 0);
    assert_true(v == INT64_C(8070450532247928832));
    assert_int_equal(skr_quantity_parse_milli("0.002E", &v, NULL), 0);
    assert_true(v == INT64_C(2000000000000000000));
    assert_int_equal(skr_quantity_parse_milli("0.0000001Ei", &v, NULL), 0);
    assert_true(v == INT64_C(115292150460685)); /* 115292150460684.6976 */
}

TEST(zero_is_zero_in_every_spelling)
{
    static const struct row rows[] = {
        {"0", 0, 0},
        {"+0", 0, 0},
        {"-0", 0, 0},
        {"0.0", 0, 0},
        {".0", 0, 0},
        {"0.", 0, 0},
        {"00", 0, 0},
        {"0n", 0, 0},
        {"0Ei", 0, 0},
        {"0.000Ki", 0, 0},
        {"0e9", 0, 0},
        {"0E-9", 0, 0},
        {"0e2147483647", 0, 0},
        {"-0.0m", 0, 0},
        {"000000000000000000000000000000000000000000", 0, 0},
    };
    CHECK(rows);
}

TEST(signs_points_and_leading_zeros_are_read)
{
    static const struct row rows[] = {
        {"+5", 5, 5000},
        {"-5", -5, -5000},
        {"5.", 5, 5000},
        {".5", 1, 500},
        {"5.k", 5000, 5000000},
        {".5k", 500, 500000},
        {"1.5", 2, 1500},
        {"007", 7, 7000},
        {"1.50", 2, 1500},
        {"-.5", -1, -500},
        {"1.5Gi", 1610612736, 1610612736000},
        {"0.1Ki", 103, 102400},
        {"1.1M", 1100000, 1100000000},
        {"+.5Ki", 512, 512000},
        {"0.25e1", 3, 2500},
    };
    CHECK(rows);
}

TEST(fractions_round_away_from_zero)
{
    static const struct row rows[] = {
        {"1n", 1, 1},
        {"999n", 1, 1},
        {"1000001n", 1, 2},
        {"100m", 1, 100},
        {"1001m", 2, 1001},
        {"1000m", 1, 1000},
        {"0.0001", 1, 1},
        {"0.0000000000000000000000000000000000000000001", 1, 1},
        {"1.0000000000000000000000000000000000000000001", 2, 1001},
        {"1.0000000000000000000000000000000000000000000", 1, 1000},
        {"-1m", -1, -1},
        {"-1500m", -2, -1500},
        {"-0.0005", -1, -1},
        {"1e-2147483647", 1, 1},
        {"0.0009765625Ki", 1, 1000},
        {"0.00097656250000000000000000000000000000001Ki", 2, 1001},
        {"0.0009765624Ki", 1, 1000},
    };
    CHECK(rows);
    int64_t v = 0;
    assert_int_equal(skr_quantity_parse("1000000000000000000000000000n", &v, NULL), 0);
    assert_true(v == INT64_C(1000000000000000000));
}

TEST(what_does_not_fit_is_the_most_that_does)
{
    static const struct {
        const char *text;
        bool milli;
        int64_t value;
    } rows[] = {
        {"9223372036854775807", false, MAX},
        {"9223372036854775808", false, MAX},
        {"9223372036854775806", false, MAX - 1},
        {"9223372036854775806.1", false, MAX},
        {"9223372036854775807.1", false, MAX},
        {"-9223372036854775807", false, -MAX},
        {"-9223372036854775808", false, -MAX},
        {"18446744073709551615.5", false, MAX},
        {"18446744073709551616", false, MAX},
        {"9223372036854775807", true, MAX},
        {"9223372036854775.806", true, MAX - 1},
        {"9223372036854775.807", true, MAX},
        {"9223372036854775.8071", true, MAX},
        {"9223372036854775807m", true, MAX},
        {"-10E", true, -MAX},
        {"8Ei", false, MAX},
        {"-8Ei", false, -MAX},
        {"7.9999999999999999999999Ei", false, MAX}, /* rounds up to 2^63 */
        {"8191Pi", false, INT64_C(9222246136947933184)},
        {"8192Pi", false, MAX},
        {"9E", false, INT64_C(9000000000000000000)},
        {"10E", false, MAX},
        {"1e18", false, INT64_C(1000000000000000000)},
        {"1e19", false, MAX},
        {"1e2147483648", false, MAX},
        {"0e2147483648", false, 0},
        {"1e-2147483648", false, 1},
        {"-1e-99999999999999999999999999", false, -1},
        {"1e99999999999999999999999999", false, MAX},
        {"99999999999999999999999999999999999999Ei", false, MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int64_t v = 0;
        skr_int128 nano = 0;
        int rc = rows[i].milli ? skr_quantity_parse_milli(rows[i].text, &v, NULL)
                               : skr_quantity_parse(rows[i].text, &v, NULL);
        if (rc != 0 || v != rows[i].value) {
            fail_msg("%s: got %d, %lld", rows[i].text, rc, (long long)v);
        }
        assert_int_equal(skr_quantity_parse_nano(rows[i].text, &nano, NULL), 0);
        assert_true(nano <= (skr_int128)MAX * 1000000000 && nano >= -(skr_int128)MAX * 1000000000);
        assert_true(rows[i].milli || (v != MAX && v != -MAX) || nano / 1000000000 >= MAX - 1 ||
                    nano / 1000000000 <= 1 - MAX);
    }
}

TEST(nonsense_is_refused_with_its_position)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "quantity \"\": ends at 1, expected a digit"},
        {"-", "quantity \"-\": ends at 2, expected a digit"},
        {".", "quantity \".\": ends at 2, expected a digit"},
        {"+.", "quantity \"+.\": ends at 3, expected a digit"},
        {"m", "quantity \"m\": 'm' at 1, expected a digit"},
        {"Ki", "quantity \"Ki\": 'K' at 1, expected a digit"},
        {"e3", "quantity \"e3\": 'e' at 1, expected a digit"},
        {"--1", "quantity \"--1\": '-' at 2, expected a digit"},
        {"+-1", "quantity \"+-1\": '-' at 2, expected a digit"},
        {" 1", "quantity \" 1\": byte 0x20 at 1, expected a digit"},
        {"\xC3\xA9", "quantity \"\xC3\xA9\": byte 0xc3 at 1, expected a digit"},
        {"NaN", "quantity \"NaN\": 'N' at 1, expected a digit"},
        {"0x10", "quantity \"0x10\": 'x' at 2, "},
        {"1.2.3", "quantity \"1.2.3\": '.' at 4, "},
        {"1..", "quantity \"1..\": '.' at 3, "},
        {"1 ", "quantity \"1 \": byte 0x20 at 2, "},
        {"1,5", "quantity \"1,5\": ',' at 2, "},
        {"1K", "quantity \"1K\": 'K' at 2, "},
        {"1ki", "quantity \"1ki\": 'k' at 2, "},
        {"1mi", "quantity \"1mi\": 'm' at 2, "},
        {"1KB", "quantity \"1KB\": 'K' at 2, "},
        {"1Kib", "quantity \"1Kib\": 'K' at 2, "},
        {"1kk", "quantity \"1kk\": 'k' at 2, "},
        {"1i", "quantity \"1i\": 'i' at 2, "},
        {"1m5", "quantity \"1m5\": 'm' at 2, "},
        {"1-", "quantity \"1-\": '-' at 2, "},
        {"1+5", "quantity \"1+5\": '+' at 2, "},
        {"1e", "quantity \"1e\": ends at 3, expected the digits of an exponent"},
        {"1e+", "quantity \"1e+\": ends at 4, expected the digits of an exponent"},
        {"1e1.5", "quantity \"1e1.5\": '.' at 4, expected the end"},
        {"1e3m", "quantity \"1e3m\": 'm' at 4, expected the end"},
        {"1Ee3", "quantity \"1Ee3\": 'e' at 3, expected the digits of an exponent"},
        {"1e--3", "quantity \"1e--3\": '-' at 4, expected the digits of an exponent"},
        {"1Eim", "quantity \"1Eim\": 'i' at 3, expected the digits of an exponent"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_error error = {.code = SKR_OK};
        int64_t v = 77;
        int rc = skr_quantity_parse(rows[i].text, &v, &error);
        if (rc != -SKR_INVALID || error.code != SKR_INVALID || v != 77 ||
            strncmp(error.text, rows[i].message, strlen(rows[i].message)) != 0) {
            fail_msg("\"%s\": got %d, %s", rows[i].text, rc, error.text);
        }
        assert_int_equal(skr_quantity_parse_milli(rows[i].text, &v, NULL), -SKR_INVALID);
    }
}

/* Milli values are the ceiling of a finer look at the same number. */
TEST(decimal_and_milli_agree)
{
    uint32_t seed = 42;
    for (int round = 0; round < 20000; round++) {
        char text[64];
        char shifted[64];
        static const char *const suffixes[] = {"", "m", "u", "k", "M", "Ki", "Mi", "e2", "E-2"};
        seed = seed * 1664525U + 1013904223U;
        uint32_t integer = seed >> 20;
        seed = seed * 1664525U + 1013904223U;
        uint32_t fraction = (seed >> 12) % 1000000;
        seed = seed * 1664525U + 1013904223U;
        const char *suffix = suffixes[(seed >> 16) % 9];
        (void)snprintf(text, sizeof text, "%u.%06u%s", integer, fraction, suffix);
        (void)snprintf(shifted, sizeof shifted, "%u%03u.%03u%s", integer, fraction / 1000,
                       fraction % 1000, suffix);
        int64_t milli = 0;
        int64_t value = 0;
        int64_t thousandfold = 0;
        assert_int_equal(skr_quantity_parse_milli(text, &milli, NULL), 0);
        assert_int_equal(skr_quantity_parse(text, &value, NULL), 0);
        assert_int_equal(skr_quantity_parse(shifted, &thousandfold, NULL), 0);
        assert_true(milli == thousandfold);
        assert_true(value == (milli + 999) / 1000);
    }
}
