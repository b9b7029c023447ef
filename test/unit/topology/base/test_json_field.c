/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of JSON: absent and null, wrong types, paths in messages. */
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/json_field.h"
#include "topology/base/json_tree.h"

TEST(absent_and_null_are_the_same)
{
    json_auto_t *object = json_text_load("{'s':null,'b':null,'i':null,'o':null,'a':null}");
    static const char *const key[][5] = {{"s", "b", "i", "o", "a"}, {"S", "B", "I", "O", "A"}};
    for (size_t i = 0; i < 2; i++) {
        const char *s = NULL;
        bool b = true;
        int32_t n = 0;
        json_t *o = object;
        json_t *a = object;
        assert_int_equal(skr_field_string(object, NULL, key[i][0], &s, NULL), 0);
        assert_int_equal(skr_field_bool(object, NULL, key[i][1], &b, NULL), 0);
        assert_int_equal(skr_field_int32(object, NULL, key[i][2], 9, &n, NULL), 0);
        assert_int_equal(skr_field_object(object, NULL, key[i][3], &o, NULL), 0);
        assert_int_equal(skr_field_array(object, NULL, key[i][4], 1, &a, NULL), 0);
        assert_string_equal(s, "");
        assert_false(b);
        assert_int_equal(n, 9);
        assert_null(o);
        assert_null(a);
    }
}

TEST(what_is_no_string_is_an_empty_text)
{
    json_auto_t *object = json_text_load("{'s':'text','n':7,'z':null}");
    assert_string_equal(skr_object_text(object, "s"), "text");
    assert_string_equal(skr_object_text(object, "n"), "");
    assert_string_equal(skr_object_text(object, "z"), "");
    assert_string_equal(skr_object_text(object, "absent"), "");
    assert_string_equal(skr_object_text(NULL, "s"), "");
}

TEST(paths_are_written_from_the_top)
{
    const struct skr_field_path spec = {NULL, "spec", SKR_FIELD_NO_INDEX};
    const struct skr_field_path container = {&spec, "containers", 3};
    const struct skr_field_path inner = {&container, NULL, 7};
    char text[SKR_FIELD_PATH_MAX];
    skr_field_path_write(NULL, NULL, text);
    assert_string_equal(text, "");
    skr_field_path_write(NULL, "kind", text);
    assert_string_equal(text, "kind");
    skr_field_path_write(&spec, NULL, text);
    assert_string_equal(text, "spec");
    skr_field_path_write(&container, "name", text);
    assert_string_equal(text, "spec.containers[3].name");
    skr_field_path_write(&inner, "name", text);
    assert_string_equal(text, "spec.containers[3][7].name");
}

TEST(long_paths_are_cut)
{
    char name[300];
    char text[SKR_FIELD_PATH_MAX];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    const struct skr_field_path spec = {NULL, name, 5};
    const struct skr_field_path inner = {&spec, name, 5};
    skr_field_path_write(&inner, name, text);
    assert_int_equal(strlen(text), SKR_FIELD_PATH_MAX - 1);
    name[SKR_FIELD_PATH_MAX - 2] = '\0';
    skr_field_path_write(&inner, "key", text);
    assert_int_equal(strlen(text), SKR_FIELD_PATH_MAX - 1);
}

TEST(every_type_has_a_name)
{
    static const struct {
        const char *json, *name;
    } row[] = {
        {"{}", "an object"}, {"[]", "an array"},    {"'x'", "a string"},    {"1", "a number"},
        {"1.5", "a number"}, {"true", "a boolean"}, {"false", "a boolean"}, {"null", "null"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        json_auto_t *value = json_text_load(row[i].json);
        assert_string_equal(skr_object_type_name(value), row[i].name);
    }
    assert_string_equal(skr_object_type_name(NULL), "nothing");
}

TEST(numbers_keep_to_32_bits)
{
    static const struct {
        const char *json;
        int rc;
        int32_t want;
    } row[] = {
        {"{'n':2147483647}", 0, INT32_MAX},    {"{'n':-2147483648}", 0, INT32_MIN},
        {"{'n':2147483648}", -SKR_INVALID, 0}, {"{'n':-2147483649}", -SKR_INVALID, 0},
        {"{'n':1.0}", -SKR_INVALID, 0},        {"{'n':true}", -SKR_INVALID, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int32_t got = 0;
        json_auto_t *object = json_text_load(row[i].json);
        assert_int_equal(skr_field_int32(object, NULL, "n", 1, &got, NULL), row[i].rc);
        assert_int_equal(got, row[i].want);
    }
}

TEST(texts_are_parsed_with_positions_and_limits)
{
    struct skr_error error;
    json_t *root = NULL;
    assert_int_equal(skr_json_text_parse("key", "[1]", 3, &root, &error), 0);
    assert_true(json_is_array(root));
    json_decref(root);
    assert_int_equal(skr_json_text_parse("key", "[1] ", 3, &root, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "key: 4 bytes, at most 3 are read");
    assert_int_equal(skr_json_text_parse("key", "[\n  x]", 99, &root, &error), -SKR_INVALID);
    assert_ptr_equal(strstr(error.text, "key: 2:3: invalid JSON: "), error.text);
    assert_int_equal(skr_json_text_parse("key", "[\n", 99, &root, &error), -SKR_INVALID);
    assert_ptr_equal(strstr(error.text, "key: 2:1: invalid JSON: "), error.text);
}

TEST(members_are_picked_as_look_ups_find_them)
{
    /* some begin alike, and one is a single letter */
    static const char *const key[] = {"kind", "name", "nodes", "z", "!b", "ab"};
    enum { N = sizeof key / sizeof key[0] };
    static const char *const text[] = {
        "{}",
        "{'kind':1}",
        "{'ab':1,'!b':2,'z':3,'nodes':4,'name':5,'kind':6}",
        "{'kin':1,'kinds':2,'nod':3,'a':4,'!':5,'b':6,'':7}",
        "{'x':1,'nodes':null,'y':{'name':2},'name':[3],'Z':4,'z':{}}",
        "7",
    };
    const struct skr_json *got[N];
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        SKR_JSON_READER(reader);
        const struct skr_json *tape;
        json_auto_t *object = json_text_load(text[i]);
        assert_int_equal(skr_json_of_tree(&reader, object, &tape, NULL), 0);
        skr_json_members(tape, key, N, got);
        for (size_t k = 0; k < N; k++) {
            json_auto_t *value = got[k] ? skr_json_tree(got[k]) : NULL;
            assert_true(value == json_object_get(object, key[k]) ||
                        json_equal(value, json_object_get(object, key[k])));
        }
    }
    skr_json_members(NULL, key, N, got);
    assert_null(got[0]);
    assert_null(got[N - 1]);
}

/* ---- values of a tape ---- */

static int read_member(const char *object, const char *key, struct skr_error *error)
{
    SKR_JSON_READER(reader);
    SKR_AUTO_FREE char *text = json_text_quote(object);
    const struct skr_field_path path = {NULL, "spec", SKR_FIELD_NO_INDEX};
    const struct skr_json *json, *ret;
    int32_t number;
    assert_int_equal(skr_json_read_text(&reader, text, strlen(text), &json, error), 0);
    const struct skr_json *value = skr_json_get(json, key);
    return strcmp(key, "object") == 0
               ? skr_json_expect(value, SKR_JSON_OBJECT, &path, key, &ret, error)
           : strcmp(key, "list") == 0 ? skr_json_expect_array(value, &path, key, 2, &ret, error)
                                      : skr_json_int32(value, &path, key, 7, &number, error);
}

TEST(a_value_of_a_tape_of_another_type_is_named)
{
    static const struct {
        const char *text, *key, *error; /* NULL: none */
    } row[] = {
        {"{}", "object", NULL},
        {"{'object':null}", "object", NULL},
        {"{'object':{}}", "object", NULL},
        {"{'object':[]}", "object", "spec.object: must be an object, got an array"},
        {"{'list':[1,{'a':[2,3]}]}", "list", NULL},
        {"{'list':'x'}", "list", "spec.list: must be an array, got a string"},
        {"{'list':[1,2,3]}", "list", "spec.list: 3 entries, at most 2 are supported"},
        {"{'n':null}", "n", NULL},
        {"{'n':-2147483648}", "n", NULL},
        {"{'n':2147483648}", "n", "spec.n: 2147483648 does not fit into 32 bits"},
        {"{'n':1.0}", "n", "spec.n: must be an integer, got a number"},
        {"{'n':true}", "n", "spec.n: must be an integer, got a boolean"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_error error = {.code = SKR_OK};
        const int rc = read_member(row[i].text, row[i].key, &error);
        assert_int_equal(rc == 0, !row[i].error);
        assert_string_equal(error.text, row[i].error ? row[i].error : "");
    }
}
