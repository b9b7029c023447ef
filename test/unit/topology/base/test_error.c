/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes and texts. */
#include "test/test.h"
#include "topology/base/error.h"

TEST(setting_an_error_formats_and_returns_the_negative_code)
{
    struct skr_error error;
    assert_int_equal(skr_error_set(&error, SKR_LIMIT, "%s: %d", "size", 3), -SKR_LIMIT);
    assert_int_equal(error.code, SKR_LIMIT);
    assert_string_equal(error.text, "size: 3");
}

TEST(an_error_nobody_wants_still_has_its_code)
{
    assert_int_equal(skr_error_set(NULL, SKR_GONE, "x"), -SKR_GONE);
    assert_int_equal(skr_error_prefix(NULL, "x"), -SKR_INVALID);
}

TEST(a_long_text_is_cut_and_terminated)
{
    struct skr_error error;
    char text[1000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    (void)skr_error_set(&error, SKR_INVALID, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    (void)skr_error_prefix(&error, "key");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, "key: aaa", 8);
}

TEST(a_text_is_never_cut_inside_a_character)
{
    static const char *const characters[] = {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    struct skr_error error;
    char text[1000];
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

TEST(a_prefix_goes_in_front_and_keeps_the_code)
{
    struct skr_error error;
    (void)skr_error_set(&error, SKR_CONFLICT, "who");
    assert_int_equal(skr_error_prefix(&error, "%s:%d", "file", 7), -SKR_CONFLICT);
    assert_string_equal(error.text, "file:7: who");
}

TEST(a_text_is_one_line_whatever_it_quotes)
{
    struct skr_error error;
    (void)skr_error_set(&error, SKR_INVALID, "near '%s'", "a\n\tb\x7f");
    assert_string_equal(error.text, "near 'a??b?'");
    (void)skr_error_prefix(&error, "%s", "x\ny");
    assert_string_equal(error.text, "x?y: near 'a??b?'");
}

TEST(a_text_holds_nothing_that_a_terminal_obeys_or_that_turns_it_around)
{
    struct skr_error error;
    (void)skr_error_set(&error, SKR_INVALID, "got '%s'",
                        "\xC2\x9B"
                        "31mred, \xE2\x80\xAE"
                        "evil\xE2\x81\xA9, a\xE2\x80\x8B"
                        "b, "
                        "\xEF\xBB\xBFz\xE2\x80\xA8, \xD8\x9C.");
    assert_string_equal(error.text, "got '?31mred, ?evil?, a?b, ?z?, ?.'");
    (void)skr_error_set(&error, SKR_INVALID, "%s",
                        "gr\xC3\xB6\xC3\x9F"
                        "er \xE2\x80\x94 \xE6\x97\xA5");
    assert_string_equal(error.text, "gr\xC3\xB6\xC3\x9F"
                                    "er \xE2\x80\x94 \xE6\x97\xA5"); /* text stays text */
    (void)skr_error_set(&error, SKR_INVALID, "%s", "cut \xE2\x80");
    assert_string_equal(error.text, "cut \xE2\x80"); /* no UTF-8: not ours to judge */
}

static const char *key_of(const struct skr_error *error)
{
    static char key[SKR_ERROR_KEY_MAX];
    skr_error_key(error, key);
    return key;
}

TEST(a_prefix_is_what_the_error_is_about)
{
    struct skr_error error;
    (void)skr_error_set_key(&error, SKR_INVALID, "cpu", "%d", 7);
    assert_string_equal(key_of(&error), "cpu");
    (void)skr_error_prefix(&error, "requests");
    assert_string_equal(error.text, "requests: cpu: 7");
    assert_string_equal(key_of(&error), "requests");
    const struct skr_subject map = {.key = "tree", .at = {2, 3}};
    (void)skr_error_prefix_at(&error, &map);
    assert_string_equal(error.text, "tree: 2:3: requests: cpu: 7");
    assert_int_equal(error.at.column, 3);
}

TEST(an_error_of_a_part_is_one_of_the_whole)
{
    struct skr_error error;
    (void)skr_error_set_at(&error, SKR_LIMIT, &(struct skr_subject){.key = "name", .at = {1, 2}},
                           "too long");
    assert_int_equal(skr_error_under(&error, ""), -SKR_LIMIT);
    assert_int_equal(skr_error_under(&error, "spec.template"), -SKR_LIMIT);
    assert_string_equal(error.text, "spec.template.name: 1:2: too long");
    assert_string_equal(key_of(&error), "spec.template.name");
    (void)skr_error_set(&error, SKR_LIMIT, "out of memory");
    (void)skr_error_under(&error, "items[3]");
    assert_string_equal(error.text, "items[3]: out of memory");
}
