/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as a token of a webhook's caller. */
#include "test/test.h"

#include "server/http/caller_token.h"

TEST(no_two_tokens_are_equal_and_each_is_hexadecimal)
{
    char one[SKR_CALLER_TOKEN_LEN + 1], other[SKR_CALLER_TOKEN_LEN + 1];
    assert_int_equal(skr_caller_token_make(one, NULL), 0);
    assert_int_equal(skr_caller_token_make(other, NULL), 0);
    assert_true(skr_caller_token_is_one(one) && skr_caller_token_is_one(other));
    assert_string_not_equal(one, other);
}

static struct skr_caller_tokens two_tokens(void)
{
    struct skr_caller_tokens tokens = {.n = 2};
    memset(tokens.text[0], 'a', SKR_CALLER_TOKEN_LEN);
    memset(tokens.text[1], 'b', SKR_CALLER_TOKEN_LEN);
    return tokens;
}

TEST(each_of_several_tokens_is_accepted)
{
    const struct skr_caller_tokens tokens = two_tokens();
    assert_true(skr_caller_tokens_accept(&tokens, tokens.text[0]));
    assert_true(skr_caller_tokens_accept(&tokens, tokens.text[1]));
}

TEST(a_token_that_differs_at_any_place_is_not_accepted)
{
    const struct skr_caller_tokens tokens = two_tokens();
    for (size_t i = 0; i < SKR_CALLER_TOKEN_LEN; i++) {
        char wrong[SKR_CALLER_TOKEN_LEN + 1];
        memcpy(wrong, tokens.text[0], sizeof wrong);
        wrong[i] = 'b';
        assert_false(skr_caller_tokens_accept(&tokens, wrong));
    }
}

static const struct wrong {
    const char *title, *text;
} wrongs[] = {
    {"nothing", ""},
    {"the first part of one", "aaaaaaaa"},
    {"one and more", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    {"one and a slash", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"},
};

TEST_EACH(wrong, wrongs, what_is_longer_or_shorter_is_not_accepted)
{
    const struct skr_caller_tokens tokens = two_tokens();
    assert_false(skr_caller_tokens_accept(&tokens, wrong->text));
}

TEST(without_tokens_nothing_is_accepted)
{
    const struct skr_caller_tokens none = {0};
    assert_false(skr_caller_tokens_accept(&none, ""));
    assert_false(skr_caller_tokens_accept(&none, two_tokens().text[0]));
}
