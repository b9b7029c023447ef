/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of JSON against libjansson: it must take the same texts (but for depth) and read the same
 * values; what is said about positions must lie in the text; keys that libjansson reads are found.
 */
#include "test/fuzz/fuzz.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/json_tree.h"

enum { TEXT_LIMIT = 4096 };

/* ---- the reader ---- */

/* Value by value, the top level of a text that is read as a whole, too. */
static void walk(const char *text, size_t size, const struct skr_json *whole)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    struct skr_json key;
    bool first = true;
    size_t n = 0;
    skr_json_begin(&reader, text, size);
    if (whole->type == SKR_JSON_OBJECT) {
        fuzz_check(skr_json_enter(&reader, '{'));
        for (; skr_json_member(&reader, &first, &key); n++) {
            fuzz_check(fuzz_is_utf8(key.text, key.n) && skr_json_read(&reader, &value));
        }
        fuzz_check(n == skr_json_count(whole));
    } else if (whole->type == SKR_JSON_ARRAY) {
        fuzz_check(skr_json_enter(&reader, '['));
        for (; skr_json_element(&reader, &first); n++) {
            fuzz_check(skr_json_read(&reader, &value));
        }
        fuzz_check(n == skr_json_count(whole));
    } else {
        fuzz_check(skr_json_skip_broken(&reader) || whole->type != SKR_JSON_STRING);
        reader.pos = size;
        reader.what = NULL;
    }
    fuzz_check(skr_json_finish(&reader) && !reader.what);
}

static void check_tree(const struct skr_json *value, const json_t *json)
{
    SKR_JSON_READER(reader);
    const struct skr_json *tape;
    json_auto_t *tree = skr_json_tree(value);
    fuzz_check(json_equal(tree, json));
    fuzz_check(skr_json_of_tree(&reader, json, &tape, NULL) == 0);
    json_auto_t *again = skr_json_tree(tape);
    fuzz_check(again);
}

static bool has_managed_fields(const char *text, size_t size)
{
    return memmem(text, size, "managedFields", strlen("managedFields")) || memchr(text, '\\', size);
}

static void check_reader(const uint8_t *data, size_t size)
{
    SKR_JSON_READER(reader);
    const struct skr_json *value;
    struct skr_error error;
    json_error_t why;
    SKR_AUTO_FREE char *copy = fuzz_text(data, size);
    json_auto_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, &why);
    reader.refuse_nul = true;
    const int rc = skr_json_read_text(&reader, copy, size, &value, &error);
    fuzz_check(reader.pos <= size && memcmp(copy, data, size) == 0);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        fuzz_check(json);
        walk(copy, size, value);
        if (!has_managed_fields(copy, size)) {
            check_tree(value, json);
        }
    } else {
        struct skr_position at;
        /* libjansson overlooks a zero byte behind a word or a number. */
        fuzz_check(!json || strlen(copy) < size ||
                   skr_json_deeper_than(copy, SKR_JSON_DEPTH_MAX, &at));
    }
    skr_json_begin(&reader, copy, size);
    (void)skr_json_skip_broken(&reader);
    fuzz_check(reader.pos <= size + 1);
}

/* ---- positions ---- */

static void check_inside(const char *text, struct skr_position at)
{
    fuzz_check(at.line >= 1 && at.column >= 1);
    for (size_t line = 1; line < at.line; line++) {
        text = strchr(text, '\n');
        fuzz_check(text);
        text++;
    }
    fuzz_check(at.column - 1 <= strcspn(text, "\n"));
}

static void check_keys(const char *text, json_t *json)
{
    const char *key;
    json_t *value;
    size_t n = 0;
    struct skr_position at, value_at;
    json_object_foreach(json, key, value)
    {
        const char *path[] = {key, NULL};
        fuzz_check(skr_json_find_path(text, path, &at));
        check_inside(text, at);
        fuzz_check(skr_json_find_key(text, n++, &at, &value_at));
        check_inside(text, at);
        check_inside(text, value_at);
    }
}

static void check_positions(const char *text)
{
    struct skr_position at, second;
    struct skr_error error;
    json_t *json = NULL;
    size_t len = strlen(text);
    if (skr_json_deeper_than(text, 4, &at)) {
        check_inside(text, at);
    }
    for (size_t end = 0; end <= len + 1; end += 1 + len / 8) {
        skr_json_find_token(text, end, &at);
        check_inside(text, at);
        if (skr_json_find_duplicate(text, end, &at, &second)) {
            check_inside(text, at);
            check_inside(text, second);
        }
    }
    int rc = skr_json_text_parse("subject", text, TEXT_LIMIT, &json, &error);
    fuzz_check_rc(rc, &error);
    if (rc == 0) {
        fuzz_check(!skr_json_deeper_than(text, SKR_JSON_NESTING_MAX, &at) && len <= TEXT_LIMIT);
        check_keys(text, json);
        json_decref(json);
    } else {
        fuzz_check(strncmp(error.text, "subject: ", 9) == 0);
        fuzz_check(fuzz_has_position(error.text) || len > TEXT_LIMIT);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SKR_AUTO_FREE char *text = fuzz_text(data, size);
    check_reader(data, size);
    check_positions(text);
    return 0;
}
