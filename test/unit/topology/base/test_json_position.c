/* SPDX-License-Identifier: Apache-2.0 */
/* Where things stand in a JSON text. */
#include <jansson.h>

#include "test/test.h"
#include "topology/base/json_position.h"

#define assert_at(position, l, c)               \
    do {                                        \
        assert_int_equal((position).line, l);   \
        assert_int_equal((position).column, c); \
    } while (0)

static const char document[] = "{\n"
                               "  \"a\": {\"b\": [10, {\"c\": null}, \"x\"]},\n"
                               "  \"x\": \"a\", \"a\\u0062\": 1,\n"
                               "  \"\xC3\xA9\": true, \"z\": []\n"
                               "}";

TEST(escapes_are_undone_before_comparing)
{
    static const struct {
        const char *text, *s;
        bool found;
    } rows[] = {
        {"{\"a\\u0062\": 1}", "ab", true},
        {"{\"\\\"\\\\\\/\\b\\f\\n\\r\\t\": 1}", "\"\\/\b\f\n\r\t", true},
        {"{\"\\u00e9\": 1}", "\xC3\xA9", true},
        {"{\"\\u20AC\": 1}", "\xE2\x82\xAC", true},
        {"{\"\\ud83d\\ude00\": 1}", "\xF0\x9F\x98\x80", true},
        {"{\"\xF0\x9F\x98\x80\": 1}", "\xF0\x9F\x98\x80", true},
        {"{\"ab\": 1}", "a", false},
        {"{\"a\": 1}", "ab", false},
        {"{\"\": 1}", "", true},
        {"{\"\\ud83d\": 1}", "\xED\xA0\xBD", true}, /* no JSON; nothing is read past the end */
        {"{\"a\\", "a\\", false},
        {"{\"", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_position p;
        const char *path[] = {rows[i].s, NULL};
        if (skr_json_find_path(rows[i].text, path, &p) != rows[i].found) {
            fail_msg("row %zu: %s", i, rows[i].text);
        }
    }
}

TEST(keys_are_counted_in_document_order)
{
    static const struct {
        size_t key[2];
        size_t value[2];
    } rows[] = {{{2, 3}, {2, 8}},   {{2, 9}, {2, 14}}, {{2, 20}, {2, 25}}, {{3, 3}, {3, 8}},
                {{3, 13}, {3, 24}}, {{4, 3}, {4, 9}},  {{4, 15}, {4, 20}}};
    struct skr_position key;
    struct skr_position value;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(skr_json_find_key(document, i, &key, &value));
        assert_at(key, rows[i].key[0], rows[i].key[1]);
        assert_at(value, rows[i].value[0], rows[i].value[1]);
    }
    assert_false(skr_json_find_key(document, 7, &key, &value));
    assert_true(skr_json_find_key(document, 0, NULL, NULL));
}

TEST(paths_lead_to_values)
{
    static const struct {
        const char *path[5];
        size_t line; /* 0: not found */
        size_t column;
    } rows[] = {
        {{NULL}, 1, 1},
        {{"a", NULL}, 2, 8},
        {{"a", "b", NULL}, 2, 14},
        {{"a", "b", "0", NULL}, 2, 15},
        {{"a", "b", "1", NULL}, 2, 19},
        {{"a", "b", "1", "c", NULL}, 2, 25},
        {{"a", "b", "2", NULL}, 2, 32},
        {{"a", "b", "3", NULL}, 0, 0},
        {{"a", "b", "x", NULL}, 0, 0},
        {{"a", "b", "", NULL}, 0, 0},
        {{"a", "b", "99999999999999999999999", NULL}, 0, 0},
        {{"b", NULL}, 0, 0},
        {{"c", NULL}, 0, 0},
        {{"x", NULL}, 3, 8},
        {{"x", "y", NULL}, 0, 0},
        {{"ab", NULL}, 3, 24},
        {{"\xC3\xA9", NULL}, 4, 9},
        {{"z", NULL}, 4, 20},
        {{"z", "0", NULL}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_position p = {0, 0};
        bool found = skr_json_find_path(document, rows[i].path, &p);
        if (found != (rows[i].line != 0) || p.line != rows[i].line || p.column != rows[i].column) {
            fail_msg("row %zu: got %zu:%zu", i, p.line, p.column);
        }
    }
    struct skr_position p;
    assert_false(skr_json_find_path("", rows[0].path, &p));
}

TEST(elements_of_an_array_are_found_in_one_go)
{
    static const char text[] = "{\"b\": {\"a\": [0]},\n \"a\": [{\"x\": [1, 2]},\n  2, \"]\" ]}";
    struct skr_position at[4];
    assert_int_equal(skr_json_find_elements(text, "a", 4, at), 3);
    assert_int_equal(at[0].line * 100 + at[0].column, 208);
    assert_int_equal(at[1].line * 100 + at[1].column, 303);
    assert_int_equal(at[2].line * 100 + at[2].column, 306);
    assert_int_equal(skr_json_find_elements(text, "a", 1, at), 1);
    assert_int_equal(skr_json_find_elements(text, "b", 4, at), 0);
    assert_int_equal(skr_json_find_elements(text, "c", 4, at), 0);
    assert_int_equal(skr_json_find_elements("{\"a\": [1, [", "a", 4, at), 2);
}

TEST(of_duplicate_members_the_last_is_meant)
{
    static const char *const path[] = {"a", NULL};
    static const char *const below[] = {"a", "b", NULL};
    struct skr_position p;
    assert_true(skr_json_find_path("{\"a\":1,\"b\":{\"a\":9},\"a\":{\"b\":2}}", path, &p));
    assert_at(p, 1, 24);
    assert_true(skr_json_find_path("{\"a\":{\"b\":1},\"a\":{\"b\":2}}", below, &p));
    assert_at(p, 1, 23);
}

TEST(nesting_is_measured_with_a_position)
{
    struct skr_position p;
    assert_false(skr_json_deeper_than("{\"a\":{}}", 2, &p));
    assert_true(skr_json_deeper_than("{\"a\":{},\n \"b\":[]}", 1, &p));
    assert_at(p, 1, 6);
    assert_false(skr_json_deeper_than("{\"{[{[\":\"]}{\"}", 1, &p));
    assert_false(skr_json_deeper_than("]]]][", 1, &p));
    assert_true(skr_json_deeper_than("[[[[[[[[", 5, &p));
    assert_at(p, 1, 6);
}

TEST(the_place_of_a_parse_error_is_its_token)
{
    static const struct {
        const char *text;
        size_t line, column;
    } rows[] = {
        {"{\"a\":}", 1, 6},        {"{\"a\":1,\n  nul}", 2, 3}, {"[1 2]", 1, 4},
        {"{'a':1}", 1, 2},         {"{\"a\":1} x", 1, 9},       {"{\"a\":\n1e999}", 2, 1},
        {"{\"\xC3\xA9\":}", 1, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_error_t error;
        struct skr_position p;
        assert_null(json_loads(rows[i].text, 0, &error));
        skr_json_find_token(rows[i].text, (size_t)error.position, &p);
        assert_at(p, rows[i].line, rows[i].column);
    }
}

TEST(a_duplicate_is_found_with_the_one_before)
{
    static const struct {
        const char *text;
        size_t first[2];
        size_t second[2];
    } rows[] = {
        {"{\"a\":1,\"a\":2}", {1, 2}, {1, 8}},
        {"{\"b\":{\"a\":1},\n \"a\":1,\n\"a\":2}", {2, 2}, {3, 1}},
        {"{\"b\":{\"a\":1},\"c\":{\"x\":{\"a\":2},\"a\":[{\"a\":5}],\"a\":0}}", {1, 31}, {1, 45}},
        {"{\"a\":\"a\",\"\\u0061\":2}", {1, 2}, {1, 10}},
        {"{\"\\u00e9\":\"a\",\"\xC3\xA9\":2}", {1, 2}, {1, 15}},
        {"[{\"a\":1},{\"a\":2,\"a\":3}]", {1, 11}, {1, 17}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_error_t error;
        struct skr_position first;
        struct skr_position second;
        assert_null(json_loads(rows[i].text, JSON_REJECT_DUPLICATES, &error));
        assert_int_equal(json_error_code(&error), json_error_duplicate_key);
        assert_true(skr_json_find_duplicate(rows[i].text, (size_t)error.position, &first, &second));
        assert_at(first, rows[i].first[0], rows[i].first[1]);
        assert_at(second, rows[i].second[0], rows[i].second[1]);
    }
    struct skr_position p;
    assert_false(skr_json_find_duplicate("{\"a\":1}", 4, &p, &p));
    assert_false(skr_json_find_duplicate("{\"a\":1}", 400, &p, &p));
    assert_false(skr_json_find_duplicate("", 1, &p, &p));
}

TEST(a_name_that_an_object_has_twice_is_found_with_the_one_before)
{
    static const char *const inner[] = {"o", NULL}, *const outer[] = {NULL};
    static const struct {
        const char *text;
        const char *const *path;
        bool found;
        size_t first[2];
        size_t second[2];
    } rows[] = {
        {"{\"o\":{\"a\":1,\"b\":{\"a\":2}}}", inner, false, {0, 0}, {0, 0}},
        {"{\"o\":{\"a\":{\"a\":2},\n\"b\":1,\"a\":2}}", inner, true, {1, 7}, {2, 7}},
        {"{\"a\":1,\"o\":{},\"\\u0061\":2}", outer, true, {1, 2}, {1, 15}},
        {"{\"o\":[\"a\",\"a\"]}", inner, false, {0, 0}, {0, 0}},
        {"{\"a\":1}", inner, false, {0, 0}, {0, 0}},
        {"", outer, false, {0, 0}, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct skr_position first = {0, 0};
        struct skr_position second = {0, 0};
        assert_int_equal(skr_json_find_twice(rows[i].text, rows[i].path, &first, &second),
                         rows[i].found);
        assert_at(first, rows[i].first[0], rows[i].first[1]);
        assert_at(second, rows[i].second[0], rows[i].second[1]);
    }
}

/* No result is expected, only that every search ends inside the text. */
TEST(any_bytes_at_all_are_survived)
{
    static const char bytes[] = "{}[]:,\"\\u0ad8 \n1x\xC3";
    static const char *const path[] = {"a", "0", "", NULL};
    uint32_t seed = 11;
    for (int round = 0; round < 30000; round++) {
        char text[20];
        struct skr_position p;
        size_t n = 0;
        seed = seed * 1664525U + 1013904223U;
        for (size_t len = (seed >> 16) % (sizeof text - 1); n < len; n++) {
            seed = seed * 1664525U + 1013904223U;
            text[n] = bytes[(seed >> 16) % (sizeof bytes - 1)];
        }
        text[n] = '\0';
        (void)skr_json_find_key(text, 2, &p, &p);
        (void)skr_json_find_path(text, path, &p);
        (void)skr_json_find_path(text, path + 1, &p);
        (void)skr_json_find_path(text, path + 2, &p);
        (void)skr_json_find_twice(text, path, &p, &p);
        (void)skr_json_find_twice(text, path + 3, &p, &p);
        (void)skr_json_deeper_than(text, 2, &p);
        (void)skr_json_find_elements(text, "", 1, &p);
        skr_json_find_token(text, seed % 25, &p);
        (void)skr_json_find_duplicate(text, seed % 25, &p, &p);
    }
}
