/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own readers of JSON against libjansson: the cursor over request bodies must take the same
 * texts (but for the range of numbers, and for depth) and see the same strings; what is said about
 * positions must lie in the text; keys that libjansson reads are found.
 */
#include "test/fuzz/fuzz.h"
#include "topology/base/json_field.h"
#include "topology/base/json_position.h"
#include "topology/base/json_scan.h"

enum { TEXT_LIMIT = 4096 };

/* ---- the cursor ---- */

static void check_member(struct skr_json_scan *scan, const char *key, const json_t *object)
{
    char *text = NULL;
    const json_t *value = json_object_get(object, key);
    fuzz_check(value);
    if (skr_json_scan_peek(scan) == '"' && json_is_string(value)) {
        fuzz_check(skr_json_scan_string(scan, &text));
        fuzz_check(fuzz_is_utf8(text, strlen(text)));
        return;
    }
    fuzz_check(skr_json_scan_value(scan, NULL));
}

/* Top level of a text that both understand: the same keys, none forgotten. */
static void walk(const uint8_t *data, size_t size, const json_t *json)
{
    struct skr_json_scan scan;
    char *copy = fuzz_text(data, size), *key = NULL, *text = NULL;
    bool first = true;
    size_t n = 0;
    skr_json_scan_init(&scan, copy, size);
    if (json_is_object(json)) {
        fuzz_check(skr_json_scan_enter(&scan, '{'));
        for (; skr_json_scan_member(&scan, &first, &key); n++) {
            check_member(&scan, key, json);
        }
        fuzz_check(n >= json_object_size(json));
    } else if (json_is_array(json)) {
        fuzz_check(skr_json_scan_enter(&scan, '['));
        for (; skr_json_scan_element(&scan, &first); n++) {
            fuzz_check(skr_json_scan_value(&scan, NULL));
        }
        fuzz_check(n == json_array_size(json));
    } else if (json_is_string(json)) {
        fuzz_check(skr_json_scan_string(&scan, &text));
        fuzz_check(strcmp(text, json_string_value(json)) == 0);
    } else {
        fuzz_check(skr_json_scan_value(&scan, NULL));
    }
    fuzz_check(skr_json_scan_end(&scan) && !scan.what);
    free(copy);
}

static void check_cursor(const uint8_t *data, size_t size)
{
    struct skr_json_scan scan;
    struct skr_json_span span = {0};
    struct skr_error error;
    json_error_t why;
    SKR_AUTO_FREE char *copy = fuzz_text(data, size);
    json_auto_t *json = json_loadb((const char *)data, size, JSON_DECODE_ANY, &why);
    skr_json_scan_init(&scan, copy, size);
    bool taken = skr_json_scan_value(&scan, &span) && skr_json_scan_end(&scan);
    fuzz_check(scan.pos <= size);
    if (taken) {
        fuzz_check(memcmp(copy, data, size) == 0); /* values are not unescaped */
        fuzz_check(span.s >= copy && span.s + span.len <= copy + size && span.len > 0);
        fuzz_check(json || json_error_code(&why) == json_error_numeric_overflow);
    } else {
        struct skr_position at;
        fuzz_check(skr_json_scan_error(&scan, &error) == -SKR_INVALID && scan.what);
        /* libjansson overlooks a zero byte behind a word or a number. */
        fuzz_check(!json || strlen(copy) < size ||
                   skr_json_deeper_than(copy, SKR_JSON_DEPTH_MAX, &at));
    }
    if (json && taken) {
        walk(data, size, json);
    }
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
    check_cursor(data, size);
    check_positions(text);
    return 0;
}
