/* SPDX-License-Identifier: Apache-2.0 */
/* The reader that tests of the engine use says what Jansson says (test/unit/json_fast.h). */
#include "test/test.h"
#include "test/unit/json_fast.h"

static void check(const char *text)
{
    json_error_t error;
    json_auto_t *fast = json_fast_read(text, strlen(text), &error);
    json_auto_t *slow = json_loadb(text, strlen(text), 0, &error);
    assert_int_equal(!fast, !slow);
    if (slow) {
        assert_true(json_equal(fast, slow));
    }
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
