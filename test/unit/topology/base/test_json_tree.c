/* SPDX-License-Identifier: Apache-2.0 */
/* Trees that the reader makes are those of libjansson, and trees become tapes and trees again. */
#include "test/test.h"
#include "topology/base/json_tree.h"
#include "topology/base/strbuf.h"

static void check_same(const json_t *tree, const json_t *known)
{
    /* Members in their order, too. */
    char *a = json_dumps(tree, JSON_ENCODE_ANY), *b = json_dumps(known, JSON_ENCODE_ANY);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void check_again(const json_t *tree)
{
    SKR_JSON_READER(reader);
    const struct skr_json *tape;
    assert_int_equal(skr_json_of_tree(&reader, tree, &tape, NULL), 0);
    json_auto_t *again = skr_json_tree(tape);
    check_same(again, tree);
}

/* The memory of the text ends where it ends. */
static void check(const char *text)
{
    const size_t n = strlen(text);
    struct skr_error error;
    json_error_t why;
    json_t *read = NULL;
    SKR_AUTO_FREE char *copy = malloc(n > 0 ? n : 1);
    memcpy(copy, text, n);
    const int rc = skr_json_tree_read(copy, n, &read, &error);
    json_auto_t *tree = read;
    json_auto_t *known = json_loadb(text, n, JSON_DECODE_ANY, &why);
    assert_memory_equal(copy, text, n);
    if (!known) {
        assert_int_equal(rc, -SKR_INVALID);
        assert_non_null(strstr(error.text, "byte "));
        return;
    }
    assert_int_equal(rc, 0);
    check_same(tree, known);
    check_again(tree);
}

TEST(a_text_is_read_as_jansson_reads_it)
{
    static const char *const text[] = {
        "",
        " ",
        "{}",
        "[]",
        " { } ",
        "[ ]x",
        "{}{}",
        "[1,2,3]",
        "[1,2,]",
        "[,1]",
        "{\"a\":1,}",
        "{,\"a\":1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":{\"b\":[1,{\"c\":null}],\"d\":[[],{}]},\"e\":[true,false]}",
        "{\"a\":1,\"a\":{\"b\":2}}",
        "[0,-0,-1,12345678901234567,123456789012345678,9223372036854775807,9223372036854775808]",
        "[01]",
        "[-]",
        "[1.5]",
        "[1e3]",
        "[1x]",
        "[truth]",
        "[nul]",
        "[null",
        "[\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\"]",
        "[\"\\u0041\\u00e9\"]",
        "[\"\\q\"]",
        "[\"\\",
        "[\"open",
        "[\"a\tb\"]",
        "[\"h\xc3\xa9\"]",
        "[\"\xff\"]",
        "{\"a\\\"b\":\"x\",\"\":[\"\"]}",
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "\"text\"",
        "\"\"",
        " null ",
        "truex",
        "[1.5e400]",
        "[-1.25,1E2,2e-1,-9223372036854775808,-9223372036854775809]",
        "{\"a\":1,\"b\":2,\"a\":3}",
        "7",
        "]",
        "}",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        check(text[i]);
    }
}

/* Every beginning of a text, and the text with every byte replaced. */
TEST(a_text_with_a_fault_is_read_as_jansson_reads_it)
{
    static const char text[] = "{\"a\": [1, -20, \"x\\\"y\"], \"b\": {\"c\": null, \"d\": true}}";
    static const char other[] = "{}[]\",:\\0-x ";
    char copy[sizeof text];
    for (size_t n = 0; n < sizeof text - 1; n++) {
        memcpy(copy, text, n);
        copy[n] = '\0';
        check(copy);
        for (const char *c = other; *c; c++) {
            memcpy(copy, text, sizeof text);
            copy[n] = *c;
            check(copy);
        }
    }
}

/* Strings are looked at eight bytes at a time. */
TEST(a_byte_that_needs_a_look_is_found_anywhere_in_a_string)
{
    static const char *const odd[] = {"\"",   "\\\"", "\\n", "\\",       "\x1f",         "\x01",
                                      "\x7f", " ",    "!",   "\xc3\xa9", "\xe2\x82\xac", "\x80"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        for (int before = 0; before <= 20; before++) {
            char text[80];
            (void)snprintf(text, sizeof text, "[\"%.*s%s%s%.9s\",1]", before, letters, odd[i],
                           before % 2 ? "" : odd[i], letters + before % 9);
            check(text);
        }
    }
}

/* SKR_JSON_DEPTH_MAX is the most that is read. */
static int read_nested(size_t depth, struct skr_error *error)
{
    SKR_STRBUF(text);
    json_t *tree = NULL;
    for (size_t i = 0; i < 2 * depth; i++) {
        skr_strbuf_add(&text, i < depth ? "[" : "]");
    }
    const int rc = skr_json_tree_read(text.s, text.len, &tree, error);
    json_decref(tree);
    return rc;
}

TEST(a_text_as_deep_as_allowed_is_read_and_a_deeper_one_is_not)
{
    struct skr_error error;
    assert_int_equal(read_nested(SKR_JSON_DEPTH_MAX, &error), 0);
    assert_int_equal(read_nested(SKR_JSON_DEPTH_MAX + 1, &error), -SKR_INVALID);
    assert_string_equal(error.text, "byte 512: more than 512 levels of arrays and objects");
}

TEST(a_tree_as_deep_as_allowed_becomes_a_tape_and_a_deeper_one_does_not)
{
    SKR_JSON_READER(reader);
    const struct skr_json *tape;
    struct skr_error error;
    json_t *tree = json_array();
    for (int i = 1; i <= SKR_JSON_DEPTH_MAX; i++) {
        assert_int_equal(skr_json_of_tree(&reader, tree, &tape, &error), 0);
        tree = json_pack("[o]", tree);
    }
    assert_int_equal(skr_json_of_tree(&reader, tree, &tape, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "more than 512 levels of arrays and objects");
    json_decref(tree);
}
