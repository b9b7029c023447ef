/* SPDX-License-Identifier: Apache-2.0 */
/* Room over time. The definition is in test/property/test_earliest_start.c. */
#include "core/time/place.h"
#include "test/test.h"

static const uint16_t resource[] = {3, 4};

static void add_end(struct skr_timeline *t, int32_t leaf, int64_t at, int64_t amount)
{
    struct skr_amount item = {.resource = 3, .amount = amount};
    const struct skr_amounts amounts = {1, &item};
    assert_true(skr_timeline_add_end(t, leaf, at, &amounts, 1, false));
}

static int64_t least(struct skr_timeline *t, int64_t start, int64_t end, uint32_t kinds)
{
    int64_t room[2];
    skr_timeline_least(t, 0, start, end, kinds, resource, 2, room, NULL, NULL);
    assert_int_equal(room[1], 0);
    return room[0];
}

TEST(a_window_has_the_least_room_of_its_instants)
{
    struct skr_timeline *t = skr_timeline_create(1, 100);
    add_end(t, 0, 110, 4);
    assert_true(skr_timeline_hold(t, 0, 120, 130, 3, 3, 7));
    assert_int_equal(least(t, 100, 110, SKR_CHANGES_KNOWN), 0);
    assert_int_equal(least(t, 110, 120, SKR_CHANGES_KNOWN), 4);
    assert_int_equal(least(t, 110, 121, SKR_CHANGES_KNOWN), 1);
    assert_int_equal(least(t, 130, SKR_INSTANT_NEVER, SKR_CHANGES_KNOWN), 4);
    assert_int_equal(least(t, 110, SKR_INSTANT_NEVER, SKR_CHANGE_END), 4);
    skr_timeline_let_go(t, 0, 8);
    assert_int_equal(least(t, 110, 121, SKR_CHANGES_KNOWN), 1);
    skr_timeline_let_go(t, 0, 7);
    assert_int_equal(least(t, 110, 121, SKR_CHANGES_KNOWN), 4);
    skr_timeline_destroy(t);
    skr_timeline_destroy(NULL);
}

TEST(room_grows_at_ends_of_pods_and_of_what_is_held)
{
    struct skr_timeline *t = skr_timeline_create(2, 100);
    size_t n;
    add_end(t, 0, 150, 1);
    add_end(t, 1, 110, 1);
    add_end(t, 0, 110, 1);
    assert_true(skr_timeline_hold(t, 1, 100, 130, 3, 3, 7));
    assert_true(skr_timeline_hold(t, 1, 120, SKR_INSTANT_NEVER, 3, 3, 8));
    const int64_t *at = skr_timeline_growth(t, false, &n);
    assert_int_equal(n, 3);
    assert_int_equal(at[0], 110);
    assert_int_equal(at[1], 130);
    assert_int_equal(at[2], 150);
    skr_timeline_let_go(t, 1, 7);
    at = skr_timeline_growth(t, false, &n);
    assert_int_equal(n, 2);
    assert_int_equal(at[1], 150);
    skr_timeline_destroy(t);
}

TEST(very_many_instants_become_later_ones)
{
    struct skr_timeline *t = skr_timeline_create(1000, 0);
    size_t n;
    for (int32_t i = 0; i < SKR_INSTANTS_MAX + 1000; i++) {
        add_end(t, i % 1000, 1 + i, 1);
    }
    const int64_t *at = skr_timeline_growth(t, false, &n);
    assert_int_equal(n, (SKR_INSTANTS_MAX + 1000) / 60 + 1);
    assert_int_equal(at[0], 60);
    assert_int_equal(least(t, 59, 60, SKR_CHANGES_KNOWN), 0);
    assert_int_equal(least(t, 60, 61, SKR_CHANGES_KNOWN), 1);
    skr_timeline_destroy(t);
}

TEST(the_number_of_changes_has_a_limit)
{
    struct skr_timeline *t = skr_timeline_create(SKR_ENDS_MAX / 100 + 1, 0);
    struct skr_amount item = {.resource = 3, .amount = 1};
    const struct skr_amounts amounts = {1, &item};
    for (int32_t i = 0; i < SKR_ENDS_MAX; i++) {
        assert_true(skr_timeline_add_end(t, i / 100, 1, &amounts, 1, false));
    }
    assert_false(skr_timeline_add_end(t, 0, 2, &amounts, 1, false));
    struct skr_error error;
    struct skr_place_use use = {.amount = 1, .resource = 3};
    const struct skr_place place = {.n_uses = 1, .use = &use};
    assert_int_equal(skr_place_hold(&place, t, 1, 2, 1, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "the timeline has more than 1000000 changes of room");
    assert_true(skr_timeline_add_end(t, 0, SKR_INSTANT_NEVER, &amounts, 1, false));
    skr_timeline_destroy(t);
}
