/* SPDX-License-Identifier: Apache-2.0 */
/* How many lines users can provoke; the clock is a number. */
#include "server/log_limit.h"
#include "test/test.h"

static struct skr_log_limit limit;
static struct skr_log_held held;
static const skr_time start = 1000 * SKR_SECOND;

/* How many of n lines go. */
static int go(int n, bool is_error, const char *message, const char *namespace_, skr_time now)
{
    int gone = 0;
    for (int i = 0; i < n; i++) {
        gone += skr_log_limit_take(&limit, is_error, message, namespace_, now, &held) ? 1 : 0;
    }
    return gone;
}

static void reset(void)
{
    limit = (struct skr_log_limit){0};
}

TEST(a_burst_goes_and_then_so_many_lines_a_second)
{
    reset();
    assert_int_equal(go(2000, false, "Group status changed", "a", start), SKR_LOG_LIMIT_BURST);
    assert_int_equal(go(2000, false, "Group status changed", "a", start), 0);
    assert_int_equal(go(2000, false, "Group status changed", "a", start + SKR_SECOND),
                     SKR_LOG_LIMIT_RATE);
    reset();
    assert_int_equal(go(2000, true, "Object was left out", "a", start), SKR_LOG_LIMIT_ERROR_BURST);
    assert_int_equal(go(2000, true, "Object was left out", "a", start + 3 * SKR_SECOND),
                     3 * SKR_LOG_LIMIT_ERROR_RATE);
    assert_int_equal(go(2000, true, "Object was left out", "a", start + 86400 * SKR_SECOND),
                     SKR_LOG_LIMIT_ERROR_BURST);
}

TEST(a_steady_trickle_is_all_told)
{
    reset();
    for (int i = 0; i < 100000; i++) {
        assert_true(skr_log_limit_take(&limit, false, "Group status changed", "a",
                                       start + i * (SKR_SECOND / SKR_LOG_LIMIT_RATE), &held));
        assert_int_equal(held.n, 0);
    }
}

TEST(what_was_held_back_is_counted_and_told_with_the_next_line)
{
    reset();
    assert_int_equal(go(SKR_LOG_LIMIT_ERROR_BURST + 57, true, "Object was left out", "a", start),
                     SKR_LOG_LIMIT_ERROR_BURST);
    assert_true(
        skr_log_limit_take(&limit, true, "Object was left out", "a", start + SKR_SECOND, &held));
    assert_int_equal(held.n, 57);
    assert_string_equal(held.message, "Object was left out");
    assert_string_equal(held.namespace_, "a");
    assert_true(skr_log_limit_take(&limit, true, "Object was left out", "a", start + 3 * SKR_SECOND,
                                   &held));
    assert_int_equal(held.n, 0);
}

TEST(what_was_held_back_is_told_after_a_silence_and_at_the_end)
{
    reset();
    (void)go(SKR_LOG_LIMIT_ERROR_BURST + 3, true, "Object was left out", "a", start);
    assert_false(skr_log_limit_due(&limit, false, start + SKR_SECOND, &held));
    assert_true(skr_log_limit_due(&limit, false, start + SKR_LOG_LIMIT_SILENCE, &held));
    assert_int_equal(held.n, 3);
    assert_false(skr_log_limit_due(&limit, true, start + SKR_LOG_LIMIT_SILENCE, &held));
    (void)go(2 * SKR_LOG_LIMIT_ERROR_BURST, true, "Object was left out", "a",
             start + SKR_LOG_LIMIT_SILENCE);
    assert_true(skr_log_limit_due(&limit, true, start + SKR_LOG_LIMIT_SILENCE, &held));
}

TEST(one_namespace_does_not_silence_another_one_nor_another_message)
{
    reset();
    (void)go(5000, false, "Group status changed", "hostile", start);
    assert_int_equal(go(10, false, "Group status changed", "victim", start), 10);
    assert_int_equal(go(10, false, "Plan aborted", "hostile", start), 10);
    assert_int_equal(go(10, true, "Group status changed", "hostile", start), 10);
}

TEST(what_differs_behind_the_colon_is_one_message)
{
    reset();
    int gone = 0;
    for (int i = 0; i < 1000; i++) {
        gone += go(1, true, test_text("Admission review was malformed: %d", i), "", start);
    }
    assert_int_equal(gone, SKR_LOG_LIMIT_ERROR_BURST);
}

TEST(more_kinds_than_there_are_buckets_share_one_and_come_back)
{
    reset();
    int gone = 0;
    for (int i = 0; i < 10 * SKR_LOG_LIMIT_BUCKETS; i++) {
        char text[SKR_LOG_LIMIT_TEXT * 2];
        snprintf(text, sizeof text, "%04d%0100d", i, i);
        gone += go(2, true, "Object was left out", text, start);
    }
    assert_int_equal(gone, 2 * (SKR_LOG_LIMIT_BUCKETS - 1) + SKR_LOG_LIMIT_ERROR_BURST);
    assert_int_equal(go(100, true, "Object was left out", "late", start + 3600 * SKR_SECOND),
                     SKR_LOG_LIMIT_ERROR_BURST);
}
