/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "topology/base/error.h"

static void setting_an_error_formats_and_returns_the_negative_code(void **state)
{
    struct skr_error error;
    (void)state;
    assert_int_equal(skr_error_set(&error, SKR_LIMIT, "%s: %d", "size", 3), -SKR_LIMIT);
    assert_int_equal(error.code, SKR_LIMIT);
    assert_string_equal(error.text, "size: 3");
}

static void an_error_nobody_wants_still_has_its_code(void **state)
{
    (void)state;
    assert_int_equal(skr_error_set(NULL, SKR_GONE, "x"), -SKR_GONE);
    assert_int_equal(skr_error_prefix(NULL, "x"), -SKR_INVALID);
}

static void a_long_text_is_cut_and_terminated(void **state)
{
    struct skr_error error;
    char text[1000];
    (void)state;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)skr_error_set(&error, SKR_INVALID, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    (void)skr_error_prefix(&error, "key");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, "key: aaa", 8);
}

static void a_text_is_never_cut_inside_a_character(void **state)
{
    static const char *const characters[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct skr_error error;
    char text[1000];
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        size_t width = strlen(characters[c]);
        for (size_t lead = 0; lead < 5; lead++) {
            memset(text, 'a', lead);
            size_t n = lead;
            while (n + width < sizeof text) {
                memcpy(text + n, characters[c], width);
                n += width;
            }
            text[n] = '\0';
            (void)skr_error_set(&error, SKR_INVALID, "%s", text);
            size_t len = strlen(error.text);
            assert_in_range(len, sizeof error.text - width, sizeof error.text - 1);
            assert_int_equal((len - lead) % width, 0);
        }
    }
}

static void a_prefix_goes_in_front_and_keeps_the_code(void **state)
{
    struct skr_error error;
    (void)state;
    (void)skr_error_set(&error, SKR_CONFLICT, "who");
    assert_int_equal(skr_error_prefix(&error, "%s:%d", "file", 7), -SKR_CONFLICT);
    assert_string_equal(error.text, "file:7: who");
}

static void every_code_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < SKR_ERROR_CODE_COUNT; i++) {
        assert_true(skr_error_code_name((enum skr_error_code)i)[0] != '\0');
    }
    assert_string_equal(skr_error_code_name(SKR_INVALID), "invalid");
    assert_string_equal(skr_error_code_name(SKR_NO_MEMORY), "no memory");
    assert_string_equal(skr_error_code_name((enum skr_error_code)99), "unknown");
}

static void a_text_is_one_line_whatever_it_quotes(void **state)
{
    struct skr_error error;
    (void)state;
    (void)skr_error_set(&error, SKR_INVALID, "near '%s'", "a\n\tb\x7f");
    assert_string_equal(error.text, "near 'a??b?'");
    (void)skr_error_prefix(&error, "%s", "x\ny");
    assert_string_equal(error.text, "x?y: near 'a??b?'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_one_line_whatever_it_quotes),
        cmocka_unit_test(setting_an_error_formats_and_returns_the_negative_code),
        cmocka_unit_test(an_error_nobody_wants_still_has_its_code),
        cmocka_unit_test(a_long_text_is_cut_and_terminated),
        cmocka_unit_test(a_text_is_never_cut_inside_a_character),
        cmocka_unit_test(a_prefix_goes_in_front_and_keeps_the_code),
        cmocka_unit_test(every_code_has_a_name),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
