/* SPDX-License-Identifier: Apache-2.0 */
/* The growing string and the JSON strings it writes. */
#include <jansson.h>

#include "test/test.h"
#include "topology/base/strbuf.h"

TEST(pieces_are_appended_and_terminated)
{
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    assert_string_equal(b.s, "");
    skr_strbuf_add(&b, "a");
    skr_strbuf_addn(&b, "bcd", 2);
    skr_strbuf_addc(&b, 'd');
    skr_strbuf_addf(&b, "-%d-%s", 7, "x");
    assert_string_equal(b.s, "abcd-7-x");
    assert_int_equal(b.len, 8);
    skr_strbuf_reset(&b);
    assert_string_equal(b.s, "");
    assert_int_equal(b.len, 0);
    skr_strbuf_fini(&b);
    skr_strbuf_reset(&b);
    assert_string_equal(b.s, "");
}

TEST(a_formatted_text_longer_than_the_room_is_whole)
{
    SKR_STRBUF(b);
    char text[5000];
    memset(text, 'y', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    skr_strbuf_addf(&b, "<%s>", text);
    assert_int_equal(b.len, sizeof text + 1);
    assert_int_equal(b.s[b.len - 1], '>');
    assert_int_equal(strlen(b.s), b.len);
}

TEST(integers_of_every_size_are_written)
{
    static const struct {
        int64_t v;
        const char *text;
    } rows[] = {
        {0, "0"},       {7, "7"},
        {-1, "-1"},     {INT64_MAX, "9223372036854775807"},
        {1000, "1000"}, {INT64_MIN, "-9223372036854775808"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SKR_STRBUF(b);
        skr_strbuf_add_int(&b, rows[i].v);
        assert_string_equal(b.s, rows[i].text);
    }
}

TEST(taking_hands_the_memory_over)
{
    SKR_STRBUF(b);
    size_t len = 99;
    char *s = skr_strbuf_take(&b, &len);
    assert_string_equal(s, "");
    assert_int_equal(len, 0);
    free(s);
    skr_strbuf_add(&b, "mine");
    s = skr_strbuf_take(&b, NULL);
    assert_string_equal(s, "mine");
    assert_string_equal(b.s, "");
    free(s);
}

TEST(json_strings_are_escaped_and_repaired)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        {"", "\"\""},
        {"node-1", "\"node-1\""},
        {"a\"b\\c/", "\"a\\\"b\\\\c/\""},
        {"\b\f\n\r\t\x01\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\""},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""},
        {"\xF4\x8F\xBF\xBF", "\"\xF4\x8F\xBF\xBF\""},
        /* not UTF-8: a lone byte, a cut sequence, overlong, surrogate, beyond U+10FFFF */
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"x\xC3", "\"x\xEF\xBF\xBD\""},
        {"\xE2\x82", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xC0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        SKR_STRBUF(b);
        skr_strbuf_add_json(&b, rows[i].in);
        assert_string_equal(b.s, rows[i].out);
    }
}

TEST(whatever_goes_in_a_json_parser_reads_it)
{
    uint32_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        char text[24];
        SKR_STRBUF(b);
        for (size_t i = 0; i < sizeof text - 1; i++) {
            seed = seed * 1664525U + 1013904223U;
            text[i] = (char)(1 + (seed >> 16) % 255);
        }
        text[sizeof text - 1] = '\0';
        skr_strbuf_add_json(&b, text);
        json_auto_t *json = json_loadb(b.s, b.len, JSON_DECODE_ANY, NULL);
        assert_non_null(json);
    }
}
