/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are shared. */
#include "test/test.h"
#include "topology/base/texts.h"

TEST(equal_texts_are_one_until_the_last_is_released)
{
    struct skr_texts texts = {.item = {0}};
    char mine[] = "zone";
    const char *a = skr_texts_share(&texts, mine);
    const char *b = skr_texts_share(&texts, "zone");
    assert_ptr_equal(a, b);
    assert_ptr_not_equal(a, mine);
    assert_string_equal(skr_texts_share(&texts, ""), "");
    assert_int_equal(skr_texts_count(&texts), 2);
    skr_texts_release(&texts, a);
    assert_string_equal(b, "zone");
    assert_int_equal(skr_texts_count(&texts), 2);
    skr_texts_release(&texts, b);
    assert_int_equal(skr_texts_count(&texts), 1);
    skr_texts_fini(&texts);
    assert_int_equal(skr_texts_count(&texts), 0);
}

TEST(many_texts_come_and_go_in_any_order)
{
    enum { N = 1000 };
    struct skr_texts texts = {.item = {0}};
    const char *text[N];
    char expected[16];
    for (int i = 0; i < N; i++) {
        (void)snprintf(expected, sizeof expected, "t%d", i);
        text[i] = skr_texts_share(&texts, expected);
    }
    for (int i = 0; i < N; i += 2) {
        skr_texts_release(&texts, text[i * 7 % N]);
    }
    assert_int_equal(skr_texts_count(&texts), N / 2);
    for (int i = 1; i < N; i += 2) {
        (void)snprintf(expected, sizeof expected, "t%d", i);
        assert_ptr_equal(skr_texts_share(&texts, expected), text[i]);
        skr_texts_release(&texts, text[i]);
        skr_texts_release(&texts, text[i]);
    }
    assert_int_equal(skr_texts_count(&texts), 0);
    skr_texts_fini(&texts);
}

TEST(a_number_stands_for_its_text_whatever_others_come_and_go)
{
    struct skr_texts texts = {.item = {0}};
    const char *gone = skr_texts_share(&texts, "gone");
    const char *text = skr_texts_share(&texts, "stays");
    const uint32_t number = skr_texts_number(text);
    skr_texts_release(&texts, gone);
    assert_ptr_equal(skr_texts_at(&texts, number), text);
    (void)skr_texts_share(&texts, "comes");
    assert_ptr_equal(skr_texts_at(&texts, number), text);
    assert_int_equal(skr_texts_number(skr_texts_share(&texts, "stays")), number);
    skr_texts_fini(&texts);
}
