/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal integers, and the form of label values. */
#include "core/group/label_value.h"
#include "test/test.h"
#include "topology/base/decimal.h"

TEST(integers_up_to_the_ends_of_int64_are_read)
{
    static const struct {
        const char *text;
        int64_t want;
    } row[] = {
        {"0", 0},
        {"-0", 0},
        {"+7", 7},
        {"-7", -7},
        {"0010", 10},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"00000000000000000000000000000000000001", 1},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int64_t got = 42;
        assert_true(skr_decimal_parse(row[i].text, strlen(row[i].text), &got));
        assert_true(got == row[i].want);
    }
}

TEST(anything_else_is_refused)
{
    static const char *const text[] = {
        "",
        "-",
        "+",
        " 1",
        "1 ",
        "1x",
        "x1",
        "--1",
        "+-1",
        "1.0",
        "1e3",
        "0x1",
        "1_000",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "\xD9\xA1",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        int64_t got = 42;
        assert_false(skr_decimal_parse(text[i], strlen(text[i]), &got));
        assert_true(got == 42);
    }
}

TEST(only_the_given_bytes_are_looked_at)
{
    int64_t got;
    assert_true(skr_decimal_parse("123x", 3, &got));
    assert_true(got == 123);
}

TEST(label_values_have_the_form_of_the_api)
{
    static const struct {
        const char *text;
        bool valid;
    } row[] = {
        {"", true},
        {"a", true},
        {"A-b_c.9", true},
        {"0", true},
        {"-a", false},
        {"a-", false},
        {".", false},
        {"a b", false},
        {"a/b", false},
        {"\xC3\xA4", false},
        {"012345678901234567890123456789012345678901234567890123456789012", true},
        {"0123456789012345678901234567890123456789012345678901234567890123", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(skr_label_value_is_valid(row[i].text), row[i].valid);
    }
}

TEST(label_keys_have_the_form_of_the_api)
{
    static const struct {
        const char *text;
        bool valid;
    } row[] = {
        {"a", true},         {"A_b.c-9", true}, {"k8s.io/a", true}, {"a-b.c/D", true},
        {"", false},         {"/a", false},     {"a/", false},      {"a/b/c", false},
        {"K8s.io/a", false}, {"a..b/c", false}, {"a-.b/c", false},  {"a.-b/c", false},
        {"-a/b", false},     {"a b", false},    {"a/b c", false},   {"a_b/c", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(skr_label_key_is_valid(row[i].text), row[i].valid);
    }
}
