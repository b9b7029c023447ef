/* SPDX-License-Identifier: Apache-2.0 */
/* A tree that is read from a text that is consumed is the one that libjansson reads. */
#include "test/test.h"
#include "topology/base/json_tree.h"
#include "topology/base/strbuf.h"

static void check(const char *text)
{
    struct skr_strbuf copy = {0};
    struct skr_json_scan scan;
    json_error_t error;
    skr_strbuf_add(&copy, text);
    skr_json_scan_init(&scan, copy.s, copy.len);
    json_auto_t *tree = skr_json_tree_read(&scan);
    json_auto_t *known = json_loadb(text, strlen(text), JSON_DECODE_ANY, &error);
    skr_strbuf_fini(&copy);
    if (!known) {
        assert_null(tree);
        assert_non_null(scan.what);
        return;
    }
    assert_non_null(tree);
    /* Members in their order, too. */
    char *a = json_dumps(tree, JSON_ENCODE_ANY), *b = json_dumps(known, JSON_ENCODE_ANY);
    assert_string_equal(a, b);
    free(a);
    free(b);
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

static json_t *nested(size_t depth, const char **what)
{
    struct skr_strbuf text = {0};
    struct skr_json_scan scan;
    for (size_t i = 0; i < depth; i++) {
        skr_strbuf_add(&text, "[");
    }
    for (size_t i = 0; i < depth; i++) {
        skr_strbuf_add(&text, "]");
    }
    skr_json_scan_init(&scan, text.s, text.len);
    json_t *tree = skr_json_tree_read(&scan);
    *what = scan.what;
    skr_strbuf_fini(&text);
    return tree;
}

TEST(a_text_as_deep_as_allowed_is_read_and_a_deeper_one_is_not)
{
    const char *what;
    json_auto_t *tree = nested(SKR_JSON_DEPTH_MAX, &what);
    assert_non_null(tree);
    assert_null(nested(SKR_JSON_DEPTH_MAX + 1, &what));
    assert_string_equal(what, "more than 512 levels of arrays and objects");
}
