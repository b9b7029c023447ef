/* SPDX-License-Identifier: Apache-2.0 */
/* From inside a string to the file, for every way to write a string. */
#include "server/manifest/scalar_position.h"
#include "server/manifest/text.h"
#include "test/test.h"

#define HEAD "apiVersion: v1\nkind: X\n"

struct look {
    const char *mark; /* what is looked for in the value */
    char text[32];
};

static void find(void *context, json_t *object, const struct skr_manifest_place *place,
                 struct skr_yaml_mark mark)
{
    struct look *look = context;
    const char *value = json_string_value(json_object_get(json_object_get(object, "data"), "k.v"));
    assert_non_null(value);
    const char *at = *look->mark ? strstr(value, look->mark) : value + strlen(value);
    assert_non_null(at);
    (void)mark;
    struct skr_yaml_mark found =
        skr_manifest_find_inside(place, "data.k.v", value, (size_t)(at - value));
    snprintf(look->text, sizeof look->text, "%zu:%zu", found.line, found.column);
    json_decref(object);
}

static void complain(void *context, struct skr_yaml_mark mark, enum skr_manifest_fault fault,
                     enum skr_error_code code, const char *text)
{
    (void)context;
    (void)fault;
    (void)code;
    fail_msg("%zu:%zu: %s", mark.line, mark.column, text);
}

TEST(a_place_in_a_string_is_found_in_the_file)
{
    static const struct {
        const char *text, *mark, *position;
    } rows[] = {
        /* plain */
        {HEAD "data:\n  k.v: one two\n", "one", "4:8"},
        {HEAD "data:\n  k.v: one two\n", "two", "4:12"},
        {HEAD "data:\n  k.v: one two # no\n", "", "4:15"},
        {HEAD "data:\n  k.v: one\n    two\n\n    three\n", "two", "5:5"},
        {HEAD "data:\n  k.v: one\n    two\n\n    three\n", "three", "7:5"},
        {HEAD "data:\n  k.v: &a one two\n", "two", "4:15"},
        {HEAD "data:\n  k.v: !!str &a 12 34\n", "34", "4:20"},
        /* literal */
        {HEAD "data:\n  k.v: |\n    {\"a\":\n      1}\n", "\"a\"", "5:6"},
        {HEAD "data:\n  k.v: |\n    {\"a\":\n      1}\n", "1", "6:7"},
        {HEAD "data:\n  k.v: |\n    {\"a\":\n      1}\n", "", "6:9"},
        {HEAD "data:\n  k.v: |-  # words | here\n\n\n    x\n", "x", "7:5"},
        {HEAD "data:\n  k.v: |2\n      x y\n", "y", "5:9"},
        {HEAD "data:\n  k.v: |+\n    x\n\n\n", "", "5:6"},
        {HEAD "data:\n  k.v: &a !!str |\n    x # y\n", "y", "5:9"},
        {"apiVersion: v1\r\nkind: X\r\ndata:\r\n  k.v: |\r\n    x\r\n     y\r\n", "y", "6:6"},
        /* folded */
        {HEAD "data:\n  k.v: >\n    a b\n    c\n\n    d\n      e\n    f\n", "c", "6:5"},
        {HEAD "data:\n  k.v: >\n    a b\n    c\n\n    d\n      e\n    f\n", "d", "8:5"},
        {HEAD "data:\n  k.v: >\n    a b\n    c\n\n    d\n      e\n    f\n", "e", "9:7"},
        {HEAD "data:\n  k.v: >\n    a b\n    c\n\n    d\n      e\n    f\n", "f", "10:5"},
        /* quoted */
        {HEAD "data:\n  k.v: 'it''s {\"a\": 1}'\n", "{", "4:15"},
        {HEAD "data:\n  k.v: 'it''s {\"a\": 1}'\n", "1", "4:21"},
        {HEAD "data:\n  k.v: 'one\n    two'\n", "two", "5:5"},
        {HEAD "data:\n  k.v: \"{\\\"a\\\":\\n 1}\"\n", "a", "4:12"},
        {HEAD "data:\n  k.v: \"{\\\"a\\\":\\n 1}\"\n", "1", "4:19"},
        {HEAD "data:\n  k.v: \"\\x41\\u0042\\U00000043\\x20\\u000ad\"\n", "B", "4:13"},
        {HEAD "data:\n  k.v: \"\\x41\\u0042\\U00000043\\x20\\u000ad\"\n", "d", "4:39"},
        {HEAD "data:\n  k.v: \"one\\\n    two\\  three\"\n", "two", "5:5"},
        {HEAD "data:\n  k.v: \"one\\\n    two\\  three\"\n", "three", "5:11"},
        {HEAD "data:\n  k.v: \"one \n\n    two\"\n", "two", "6:5"},
        {HEAD "data:\n  k.v: \"one\"\n", "", "4:12"},
        {HEAD "data: {k.v: \"a: b\", z: 1}\n", "b", "3:17"},
        /* columns count characters in YAML */
        {HEAD "data:\n  k.v: \"\xC3\xA4\xE2\x82\xAC x\"\n", "x", "4:12"},
        {"\xEF\xBB\xBF" HEAD "data:\n  k.v: x y\n", "y", "4:10"},
        /* JSON: in bytes */
        {"{\"apiVersion\":\"v1\",\"kind\":\"X\",\n\"data\":{\"k.v\":\"{\\\"a\\\":\\n 1}\"}}", "a",
         "2:19"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"X\",\n\"data\":{\"k.v\":\"{\\\"a\\\":\\n 1}\"}}", "1",
         "2:26"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"X\",\n\"data\":{\"k.v\":\"\\ud83d\\ude00\\/x\"}}", "x",
         "2:30"},
        {"{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n "
         "{\"apiVersion\":\"v1\",\"kind\":\"X\",\n"
         " \"data\":{\"k\":{\"v\":1},\"k.v\":\"a b\"}}]}",
         "b", "3:31"},
        /* not written out there: where the alias, the mapping begins */
        {HEAD "x: &x one two\ndata:\n  k.v: *x\n", "two", "5:8"},
        {HEAD "x: &x {k.v: one two}\ndata:\n  <<: *x\n", "two", "5:3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct look look = {.mark = rows[i].mark};
        const struct skr_manifest_visitor visitor = {&look, find, complain};
        skr_manifest_text_read(rows[i].text, strlen(rows[i].text), &visitor);
        if (strcmp(look.text, rows[i].position) != 0) {
            fail_msg("row %zu: \"%s\" is at %s, not at %s, in:\n%s", i, rows[i].mark,
                     rows[i].position, look.text, rows[i].text);
        }
    }
}
