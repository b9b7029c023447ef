/* SPDX-License-Identifier: Apache-2.0 */
/* The queue of keys: one cycle a key, priorities, pauses. */
#include "core/frame/keys.h"

#include "test/test.h"

enum { WAKE = 7 };

struct queue {
    struct skr_frame *frame;
    struct skr_actions actions;
    struct skr_keys *keys;
};

static void queue_set_up(struct queue *q)
{
    q->frame = skr_frame_create("");
    skr_actions_init(&q->actions);
    skr_frame_enter(q->frame, 1000 * SKR_SECOND, &q->actions);
    q->keys = skr_keys_create(q->frame, &(struct skr_keys_options){.retry_min = 5 * SKR_MILLISECOND,
                                                                   .retry_max = 60 * SKR_SECOND,
                                                                   .wake_kind = WAKE});
}

static void queue_tear_down(struct queue *q)
{
    skr_keys_destroy(q->keys);
    skr_frame_destroy(q->frame);
    skr_actions_fini(&q->actions);
}

static void pass(struct queue *q, skr_time t)
{
    skr_frame_enter(q->frame, skr_frame_now(q->frame) + t, &q->actions);
}

static void starts(struct queue *q, const char *key)
{
    const char *got = skr_keys_start(q->keys);
    if (key) {
        assert_non_null(got);
        assert_string_equal(got, key);
    } else {
        assert_null(got);
    }
}

TEST_WITH(queue, a_key_that_is_added_often_has_one_cycle)
{
    for (int i = 0; i < 3; i++) {
        skr_keys_add(queue->keys, "ns/a", 0, 0);
    }
    assert_int_equal(skr_keys_depth(queue->keys), 1);
    starts(queue, "ns/a");
    starts(queue, NULL);
    skr_keys_succeed(queue->keys, "ns/a");
    starts(queue, NULL);
}

TEST_WITH(queue, what_is_added_while_its_cycle_runs_runs_again_behind_it)
{
    skr_keys_add(queue->keys, "ns/a", 0, 0);
    starts(queue, "ns/a");
    skr_keys_add(queue->keys, "ns/a", 0, 0);
    starts(queue, NULL);
    assert_true(skr_keys_is_running(queue->keys, "ns/a"));
    skr_keys_succeed(queue->keys, "ns/a");
    starts(queue, "ns/a");
    skr_keys_succeed(queue->keys, "ns/a");
    starts(queue, NULL);
    assert_false(skr_keys_is_running(queue->keys, "ns/a"));
}

TEST_WITH(queue, cycles_of_different_keys_run_beside_each_other)
{
    skr_keys_add(queue->keys, "a", 0, 0);
    skr_keys_add(queue->keys, "b", 0, 0);
    starts(queue, "a");
    starts(queue, "b");
    assert_int_equal(skr_keys_running(queue->keys), 2);
    skr_keys_succeed(queue->keys, "b");
    skr_keys_succeed(queue->keys, "a");
    assert_int_equal(skr_keys_running(queue->keys), 0);
}

TEST_WITH(queue, higher_priorities_go_first_and_equal_ones_as_they_came)
{
    skr_keys_add(queue->keys, "low", -1, 0);
    skr_keys_add(queue->keys, "first", 5, 0);
    skr_keys_add(queue->keys, "second", 5, 0);
    skr_keys_add(queue->keys, "raised", 0, 0);
    skr_keys_add(queue->keys, "raised", 9, 0);
    skr_keys_add(queue->keys, "first", 1, 0);
    starts(queue, "raised");
    starts(queue, "first");
    starts(queue, "second");
    starts(queue, "low");
}

TEST_WITH(queue, a_failed_cycle_comes_again_after_a_pause_that_doubles)
{
    skr_time pause = 5 * SKR_MILLISECOND;
    skr_keys_add(queue->keys, "a", 0, 0);
    for (int i = 0; i < 20; i++) {
        starts(queue, "a");
        assert_int_equal(skr_keys_fail(queue->keys, "a"), pause);
        assert_int_equal(skr_keys_failures(queue->keys, "a"), i + 1);
        pass(queue, pause - 1);
        starts(queue, NULL);
        pass(queue, 1);
        pause = 2 * pause > 60 * SKR_SECOND ? 60 * SKR_SECOND : 2 * pause;
    }
    assert_int_equal(pause, 60 * SKR_SECOND);
    starts(queue, "a");
    skr_keys_succeed(queue->keys, "a");
    skr_keys_add(queue->keys, "a", 0, 0);
    starts(queue, "a");
    assert_int_equal(skr_keys_fail(queue->keys, "a"), 5 * SKR_MILLISECOND);
}

TEST_WITH(queue, a_change_ends_the_pause_of_a_failed_key)
{
    skr_keys_add(queue->keys, "a", 0, 0);
    starts(queue, "a");
    skr_keys_add(queue->keys, "a", 0, 0);
    skr_keys_fail(queue->keys, "a");
    starts(queue, "a");
    skr_keys_fail(queue->keys, "a");
    starts(queue, NULL);
    skr_keys_add(queue->keys, "a", 0, 0);
    starts(queue, "a");
}

TEST_WITH(queue, a_key_for_a_time_to_come_waits_and_sets_a_wake)
{
    skr_time now = skr_frame_now(queue->frame);
    skr_keys_add(queue->keys, "late", 0, now + 9 * SKR_SECOND);
    skr_keys_add(queue->keys, "soon", 0, now + 3 * SKR_SECOND);
    starts(queue, NULL);
    skr_frame_ask_timer(queue->frame);
    const struct skr_action *last = &queue->actions.item[queue->actions.n - 1];
    assert_int_equal(last->kind, SKR_ACTION_TIMER);
    assert_int_equal(last->timer, now + 3 * SKR_SECOND);
    pass(queue, 3 * SKR_SECOND);
    int kind = 0;
    char *key = NULL;
    assert_true(skr_frame_next_wake(queue->frame, &kind, &key));
    assert_int_equal(kind, WAKE);
    free(key);
    starts(queue, "soon");
    skr_keys_add(queue->keys, "late", 0, now + 5 * SKR_SECOND);
    starts(queue, NULL);
    pass(queue, 2 * SKR_SECOND);
    starts(queue, "late");
}

TEST_WITH(queue, a_forgotten_key_is_not_started_and_a_running_one_ends_for_good)
{
    skr_keys_add(queue->keys, "a", 0, 0);
    skr_keys_forget(queue->keys, "a");
    skr_keys_forget(queue->keys, "nobody");
    starts(queue, NULL);
    skr_keys_add(queue->keys, "b", 0, 0);
    starts(queue, "b");
    skr_keys_add(queue->keys, "b", 0, 0);
    skr_keys_forget(queue->keys, "b");
    skr_keys_succeed(queue->keys, "b");
    starts(queue, NULL);
    assert_int_equal(skr_keys_depth(queue->keys), 0);
}

TEST_WITH(queue, a_thousand_keys_start_in_the_order_of_their_times)
{
    skr_time now = skr_frame_now(queue->frame);
    for (int i = 0; i < 1000; i++) {
        skr_keys_add(queue->keys, test_text("%03d", i * 7 % 1000), 0, now + 1 + i * 7 % 1000);
    }
    for (int i = 0; i < 1000; i++) {
        pass(queue, 1);
        starts(queue, test_text("%03d", i));
        starts(queue, NULL);
    }
}

/* ---- one event, many owners ---- */

static void begin_anew(struct queue *q, size_t running_max, size_t budget)
{
    skr_keys_destroy(q->keys);
    q->keys = skr_keys_create(q->frame, &(struct skr_keys_options){.retry_min = SKR_SECOND,
                                                                   .retry_max = 60 * SKR_SECOND,
                                                                   .wake_kind = WAKE,
                                                                   .running_max = running_max,
                                                                   .budget = budget});
}

TEST_WITH(queue, a_thousand_keys_of_one_namespace_do_not_delay_those_of_another)
{
    begin_anew(queue, 2, 0);
    for (int i = 0; i < 1000; i++) {
        skr_keys_add(queue->keys, test_text("his/%d", i), 0, 0);
    }
    skr_keys_add(queue->keys, "shop/a", 0, 0);
    skr_keys_add(queue->keys, "shop/b", 0, 0);
    starts(queue, "his/0");
    starts(queue, "shop/a");
    starts(queue, "his/1");
    starts(queue, "shop/b");
    starts(queue, NULL); /* two of his run */
    skr_keys_add(queue->keys, "other", 0, 0);
    starts(queue, "other");
    skr_keys_succeed(queue->keys, "his/0");
    starts(queue, "his/2");
    starts(queue, NULL);
    assert_int_equal(skr_keys_depth(queue->keys), 997);
}

TEST_WITH(queue, one_event_starts_cycles_until_the_budget_is_spent_and_another_one_comes_at_once)
{
    int kind;
    char *woken;
    begin_anew(queue, 0, 100);
    for (int i = 0; i < 5; i++) {
        skr_keys_add(queue->keys, test_text("ns/%d", i), 0, 0);
    }
    for (int event = 0; event < 2; event++) {
        for (int i = 0; i < 2; i++) {
            assert_non_null(skr_keys_start(queue->keys));
            skr_keys_spend(queue->keys, 60);
        }
        starts(queue, NULL);
        starts(queue, NULL);
        assert_false(skr_frame_next_wake(queue->frame, &kind, &woken) && kind != WAKE);
        free(woken);
        assert_false(skr_frame_next_wake(queue->frame, &kind, &woken)); /* one, not two */
        pass(queue, 0);
    }
    starts(queue, "ns/4");
    starts(queue, NULL);
}
