/* SPDX-License-Identifier: Apache-2.0 */
/* Held seats, and reservations of other groups on their room. */
#include "core/gang/state/booking.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/limits_scene.h"

enum { SEAT_S = 60, LIMIT_S = 100, PATIENCE_S = 10, CPU_ALL = 4 };

/* Four nodes of one pod. drains: a group without a known start drains its place. */
static struct rig *four_nodes(bool drains)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    settings.reservations = 1;
    settings.patience = drains ? PATIENCE_S * SKR_SECOND : SKR_TIME_NEVER;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, CPU_ALL, 1);
    rig_sync(rig);
    rig_create_json(rig, RIG_JOB, "w", "{'spec':{'parallelism':2,'completions':2}}");
    rig_group(rig, "run", 2, 0, NULL);
    return rig;
}

/* Two pods of Job w, which makes others when they are gone. limit_s 0: none. */
static void generation(struct rig *rig, const char *prefix, int limit_s)
{
    const struct rig_object *job = rig_find(rig, RIG_JOB, "w");
    for (int i = 0; i < 2; i++) {
        char name[32], limit[64] = "";
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        if (limit_s > 0) {
            snprintf(limit, sizeof limit, "'activeDeadlineSeconds':%d,", limit_s);
        }
        rig_create_json(rig, RIG_POD, name,
                        "{'metadata':{'labels':{'sakkara.group.name':'run'},'ownerReferences':[{"
                        "'apiVersion':'batch/v1','kind':'Job','name':'w','uid':'%s','controller':"
                        "true}]},'spec':{'schedulerName':'sakkara',%s"
                        "'terminationGracePeriodSeconds':0,'containers':[{'name':'c','resources':"
                        "{'requests':{'cpu':'1'}}}]}}",
                        rig_text(job->json, "metadata.uid"), limit);
    }
    rig_run(rig, 2 * SKR_SECOND);
}

static void begin(struct rig *rig, int limit_s)
{
    generation(rig, "a", limit_s);
    rig_assert_bound(rig, "a", 2);
    limits_start(rig, "a", 2);
}

/* A third node is in use until a limit. */
static void begin_beside(struct rig *rig, int limit_s)
{
    begin(rig, 0);
    limits_gang(rig, "busy", 1, 0, limit_s);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "busy", 1);
}

static void end(struct rig *rig)
{
    rig_delete(rig, RIG_POD, "a-0");
    rig_delete(rig, RIG_POD, "a-1");
    rig_run(rig, SKR_SECOND);
}

static int64_t promised(const struct rig *rig, const char *name)
{
    const struct booking *b = limits_group(rig, name)->booking;
    assert_non_null(b);
    return b->start;
}

static void expect_causes(const struct rig *rig, uint64_t room_taken)
{
    for (int i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        assert_int_equal(rig->gang->stats.moves[i], i == SKR_MOVED_ROOM_TAKEN ? room_taken : 0);
    }
}

TEST_RIG(four_nodes(true), a_drain_keeps_no_generation_off_the_seats_that_the_last_one_left)
{
    begin(rig, 0);
    limits_gang(rig, "big", CPU_ALL, 0, 0);
    rig_run(rig, (PATIENCE_S + 5) * SKR_SECOND);
    assert_true(limits_group(rig, "big")->booking->guess);
    end(rig);
    generation(rig, "b", 0);
    rig_assert_bound(rig, "b", 2);
    assert_non_null(limits_group(rig, "big")->booking);
    expect_causes(rig, 0);
}

/* The Job makes no pods, and so no seat is expected until it does again. */
TEST_RIG(four_nodes(false), a_seat_of_a_pod_that_is_at_its_end_is_no_overrun)
{
    char at[48];
    begin(rig, LIMIT_S);
    limits_gang(rig, "big", CPU_ALL, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
    rig_edit(rig, RIG_JOB, "w", "{'spec':{'parallelism':0}}");
    skr_time_write((limits_now(rig) + 2) * SKR_SECOND, 0, at, sizeof at);
    for (int i = 0; i < 2; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "a-%d", i);
        rig_edit(rig, RIG_POD, pod, "{'metadata':{'deletionTimestamp':'%s'}}", at);
    }
    rig_run(rig, 2 * SKR_SECOND);
    assert_in_range(promised(rig, "big"), limits_now(rig), limits_now(rig) + 5);
    rig_edit(rig, RIG_JOB, "w", "{'spec':{'parallelism':2}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(promised(rig, "big") > limits_now(rig) + SEAT_S / 2);
    expect_causes(rig, 1);
}

TEST_RIG(four_nodes(false),
         a_promise_that_counts_on_the_end_of_held_seats_moves_when_they_are_taken)
{
    begin_beside(rig, SEAT_S / 2);
    end(rig);
    limits_gang(rig, "big", CPU_ALL, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
    assert_in_range(promised(rig, "big"), limits_now(rig), limits_now(rig) + SEAT_S);
    generation(rig, "b", 0);
    rig_assert_bound(rig, "b", 2);
    rig_run(rig, SKR_SECOND);
    assert_null(limits_group(rig, "big")->booking);
    expect_causes(rig, 1);
}

TEST_RIG(four_nodes(false), a_promise_that_counts_on_the_limit_of_the_last_generation_stands)
{
    begin(rig, LIMIT_S);
    limits_gang(rig, "big", CPU_ALL, 0, 50);
    rig_run(rig, SKR_SECOND);
    const int64_t start = promised(rig, "big");
    rig_run(rig, LIMIT_S / 2 * SKR_SECOND);
    end(rig);
    generation(rig, "b", LIMIT_S); /* it would run beyond the start */
    assert_true(promised(rig, "big") <= start);
    rig_run(rig, (start - limits_now(rig) + 2) * SKR_SECOND);
    rig_assert_bound(rig, "big", CPU_ALL);
    expect_causes(rig, 0);
}

TEST_RIG(four_nodes(false), a_generation_that_ends_before_a_promise_takes_its_seats)
{
    begin(rig, LIMIT_S);
    limits_gang(rig, "big", CPU_ALL, 0, 50);
    rig_run(rig, SKR_SECOND);
    const int64_t start = promised(rig, "big");
    end(rig);
    generation(rig, "b", LIMIT_S / 2);
    rig_assert_bound(rig, "b", 2);
    assert_true(promised(rig, "big") <= start);
    expect_causes(rig, 0);
}

TEST_RIG(four_nodes(false), seats_are_held_no_longer_than_the_limit_of_the_members_that_left)
{
    begin(rig, LIMIT_S);
    rig_run(rig, (LIMIT_S - SEAT_S / 2) * SKR_SECOND);
    end(rig);
    assert_int_equal(limits_group(rig, "run")->holds.n, 2);
    rig_run(rig, SEAT_S / 2 * SKR_SECOND);
    assert_int_equal(limits_group(rig, "run")->holds.n, 0);
}

/* Seats yield to it: so they do to what it was promised. */
TEST_RIG(four_nodes(false), a_promise_of_a_higher_priority_is_kept_beside_held_seats)
{
    begin_beside(rig, LIMIT_S);
    end(rig);
    limits_gang(rig, "big", CPU_ALL, 9, 50);
    rig_run(rig, SKR_SECOND);
    const int64_t start = promised(rig, "big");
    generation(rig, "b", 0);
    assert_string_equal(rig_node_of(rig, "b-0"), "");
    assert_int_equal(promised(rig, "big"), start);
    expect_causes(rig, 0);
}

/* They leave in so many seconds. */
static void terminate(struct rig *rig, int seconds)
{
    char leaves[48];
    rig->grace = seconds * SKR_SECOND;
    skr_time_write((rig->now / SKR_SECOND + seconds) * SKR_SECOND, 0, leaves, sizeof leaves);
    rig_edit(rig, RIG_POD, "a-0", "{'metadata':{'deletionTimestamp':'%s'}}", leaves);
    rig_edit(rig, RIG_POD, "a-1", "{'metadata':{'deletionTimestamp':'%s'}}", leaves);
}

TEST_RIG(four_nodes(false), a_promise_is_made_around_the_seats_of_pods_that_terminate)
{
    begin_beside(rig, SEAT_S / 2);
    terminate(rig, 5);
    limits_gang(rig, "big", CPU_ALL, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
    const int64_t start = promised(rig, "big");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(limits_group(rig, "run")->holds.n, 2);
    assert_int_equal(promised(rig, "big"), start);
    expect_causes(rig, 0);
}

/* The limit of the last generation ends within a minute, so the next one waits for that: run_limit.c. */
TEST_RIG(four_nodes(false), a_start_that_passes_while_the_group_waits_for_its_old_limit_is_no_move)
{
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'63s'}}");
    begin(rig, 0);
    limits_gang(rig, "busy", 2, 0, 0);
    rig_run(rig, SKR_SECOND);
    terminate(rig, 3);
    generation(rig, "b", 0);
    assert_true(promised(rig, "run") > limits_now(rig));
    rig_run(rig, 50 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "b-0"), "");
    assert_true(promised(rig, "run") <= limits_now(rig));
    expect_causes(rig, 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "b", 2);
    expect_causes(rig, 0);
}
