/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of JSON makes of texts, beyond what libjansson does (test_json_tree.c). */
#include "test/test.h"
#include "topology/base/json_tree.h"

/* The text as it is read, compact; "" if it is refused. */
static char *read_again(const char *text)
{
    json_t *tree = NULL;
    if (skr_json_tree_read(text, strlen(text), &tree, NULL) != 0) {
        return calloc(1, 1);
    }
    char *again = json_dumps(tree, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(tree);
    return again;
}

static void check(const char *const cases[][2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SKR_AUTO_FREE char *again = read_again(cases[i][0]);
        assert_string_equal(again, cases[i][1]);
    }
}

TEST(managed_fields_are_left_out_and_nothing_else_is)
{
    static const char *const cases[][2] = {
        {"{\"managedFields\":[]}", "{\"managedFields\":[]}"},
        {"{\"managedFields\":[{\"a\":[1,\"]\"],\"f:\\\"]\":{}}],\"b\":1}",
         "{\"managedFields\":[],\"b\":1}"},
        {"[{\"managedFields\": \n[1]},{\"managedFields\":[2,[3]]},4]",
         "[{\"managedFields\":[]},{\"managedFields\":[]},4]"},
        {"{\"managedFields\":\"[text]\"}", "{\"managedFields\":\"[text]\"}"},
        {"{\"managedFields\":{\"a\":[1]}}", "{\"managedFields\":{\"a\":[1]}}"},
        {"[\"managedFields\",[1]]", "[\"managedFields\",[1]]"},
        {"{\"a\":\"managedFields\",\"b\":[1]}", "{\"a\":\"managedFields\",\"b\":[1]}"},
        {"{\"x\\\"managedFields\":[1]}", "{\"x\\\"managedFields\":[1]}"},
        {"{\"a\":\"\\\"managedFields\\\":[1]\"}", "{\"a\":\"\\\"managedFields\\\":[1]\"}"},
        {"{\"managedFields\":[1", ""},
        {"{\"managedFields\":[01]}", ""},
        {"{\"managedFields\":", ""},
        {"{\"managedFields\":[\"\\", ""},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

TEST(every_nul_becomes_the_replacement_character_and_no_text_about_one)
{
    static const char *const cases[][2] = {
        {"\"\\u0000\"", "\"\\uFFFD\""},
        {"\"a\\u0000b\\u0000\"", "\"a\\uFFFDb\\uFFFD\""},
        {"\"\\\\u0000\"", "\"\\\\u0000\""},
        {"\"\\\\\\u0000\"", "\"\\\\\\uFFFD\""},
        {"\"\\u0001\\u00000\"", "\"\\u0001\\uFFFD0\""},
        {"{\"managedFields\":[\"\\u0000\"],\"\\u0000\":[1]}",
         "{\"managedFields\":[],\"\\uFFFD\":[1]}"},
        {"{\"\\u0000\":1,\"b\":\"\\u0000", ""},
        {"\"\\u000", ""},
    };
    check(cases, sizeof cases / sizeof cases[0]);
}

TEST(a_nul_is_refused_where_no_api_server_has_admitted_it)
{
    static const char text[] = "[\"a\", \"b\\u0000\"]";
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    struct skr_error error;
    reader.refuse_nul = true;
    assert_int_equal(skr_json_read_text(&reader, text, sizeof text - 1, &value, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text, "byte 14: U+0000 is not allowed in a string");
}

TEST(of_members_with_one_key_the_last_counts)
{
    static const char text[] = "{\"b\":1,\"a\":[{\"b\":5}],\"\\u0062\":\"x\\ty\",\"c\":{}}";
    static const char *const key[] = {"a", "b", "missing"};
    const struct skr_json *value, *member[3];
    SKR_JSON_READER(reader);
    assert_int_equal(skr_json_read_text(&reader, text, sizeof text - 1, &value, NULL), 0);
    skr_json_members(value, key, 3, member);
    assert_int_equal(skr_json_count(value), 4);
    assert_int_equal(skr_json_count(member[0]), 1);
    assert_true(skr_json_is(member[1], "x\ty"));
    assert_false(skr_json_is(member[1], "x\ty "));
    assert_false(skr_json_is(member[1], "x\t"));
    assert_null(member[2]);
    assert_null(skr_json_get(member[1], "a"));
    assert_null(skr_json_get(NULL, "a"));
}

/* A value is read where it stands, and the text is not changed. */
TEST(a_text_is_read_value_by_value)
{
    static const char text[] = " { \"a\" : [1, \"\\u00e9\\n\", {}] , \"b\\\"\":null } ";
    SKR_JSON_READER(reader);
    const struct skr_json *value = NULL;
    struct skr_json key;
    bool first = true, inner = true;
    skr_json_begin(&reader, text, sizeof text - 1);
    assert_true(skr_json_enter(&reader, '{'));
    assert_true(skr_json_member(&reader, &first, &key) && skr_json_is(&key, "a"));
    assert_true(skr_json_enter(&reader, '['));
    assert_true(skr_json_element(&reader, &inner) && skr_json_read(&reader, &value));
    assert_true(value->type == SKR_JSON_NUMBER && value->n == 1 && value->text[0] == '1');
    assert_true(skr_json_element(&reader, &inner) && skr_json_read(&reader, &value));
    assert_true(skr_json_is(value, "\xc3\xa9\n"));
    assert_true(skr_json_element(&reader, &inner) && skr_json_read(&reader, &value));
    assert_true(value->type == SKR_JSON_OBJECT && value->n == 0);
    assert_false(skr_json_element(&reader, &inner));
    assert_true(skr_json_member(&reader, &first, &key) && skr_json_is(&key, "b\""));
    assert_true(skr_json_read(&reader, &value) && value->type == SKR_JSON_NULL);
    assert_false(skr_json_member(&reader, &first, &key));
    assert_true(skr_json_finish(&reader));
}

TEST(a_broken_value_is_passed_over_by_its_quotes_and_brackets)
{
    static const struct {
        const char *text;
        size_t behind; /* 0: it does not end */
    } row[] = {
        {"{\"x\":1e,\"y\":\"]}\"} ,", 17},
        {"[[{]}],", 6},
        {"\"a\\\"\",", 5},
        {"1e,", 2},
        {"1e", 0},
        {"\"a\\\"", 0},
        {"[{}", 0},
        {",", 0},
        {"", 0},
        {" truth]", 6},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_JSON_READER(reader);
        skr_json_begin(&reader, row[i].text, strlen(row[i].text));
        assert_true(skr_json_skip_broken(&reader) == (row[i].behind > 0));
        assert_true(row[i].behind == 0 || reader.pos == row[i].behind);
    }
}

/* A reader that has read a large text gives the memory back with the next one. */
TEST(a_reader_keeps_a_bounded_amount_of_memory)
{
    enum { ITEMS = SKR_JSON_KEEP_BYTES / 16 + 1 };
    SKR_AUTO_FREE char *text = calloc(2 * ITEMS + 1, 1);
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    for (size_t i = 0; i < ITEMS; i++) {
        memcpy(text + 2 * i, i == 0 ? "[0" : ",0", 2);
    }
    text[2 * ITEMS] = ']';
    assert_int_equal(skr_json_read_text(&reader, text, 2 * ITEMS + 1, &value, NULL), 0);
    assert_int_equal(skr_json_count(value), ITEMS);
    reader.refuse_nul = true;
    assert_int_equal(skr_json_read_text(&reader, "[]", 2, &value, NULL), 0);
    assert_true(reader.max_values * sizeof *reader.tape <= SKR_JSON_KEEP_BYTES);
    assert_true(reader.refuse_nul);
}
