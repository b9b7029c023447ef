/* SPDX-License-Identifier: Apache-2.0 */
/* `simulate timeline`: who starts when, who may go in front of a reservation, whose end counts. */
#include "core/time/round.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/timeline_scene.h"

#define POD(...)  scene_add_pod(s, &(struct scene_pod){__VA_ARGS__})
#define GANG(...) scene_add_group(s, &(struct scene_group){__VA_ARGS__})

static void scene_set_up(struct scene *s)
{
    scene_init(s);
}

static void scene_tear_down(struct scene *s)
{
    scene_fini(s);
}

static void expect(const struct scene *s, const char *group, const char *says)
{
    char text[512];
    assert_string_equal(scene_group_says(s, group, text), says);
}

static void expect_pod(const struct scene *s, const char *pod, const char *says)
{
    char text[512];
    assert_string_equal(scene_pod_says(s, pod, text), says);
}

static void run(struct scene *s)
{
    scene_run(s, false);
    assert_string_equal(s->messages.s ? s->messages.s : "", "");
    assert_int_equal(s->code, 0);
}

/* Two nodes of 4; r0 fills node-0 until 100, and big waits for both. */
static void big_waits(struct scene *s)
{
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160);
    GANG(.name = "big", .size = 2, .cpu = 4, .begin = -600, .limit = "1h");
}

TEST_WITH(scene, who_ends_in_time_goes_first)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "in-time", .begin = -500, .limit = "100s");
    GANG(.name = "late", .begin = -400, .limit = "101s");
    GANG(.name = "claims", .begin = -300, .estimate = "10s");
    GANG(.name = "by-pod", .begin = -200, .deadline = 90, .grace = 10);
    GANG(.name = "by-pod-late", .begin = -100, .deadline = 90, .grace = 11);
    run(s);
    expect(s, "big", "reserved 100 node-0=1,node-1=1 because default/r0");
    expect(s, "in-time", "starts 0 node-1=1 backfills");
    expect(s, "late", "forecast 3700 because default/big");
    expect(s, "claims", "forecast 3700 because default/big");
    expect(s, "by-pod", "starts 0 node-1=1 backfills");
    expect(s, "by-pod-late", "forecast 3700 because default/big");
}

TEST_WITH(scene, other_room_may_be_used)
{
    struct scene *s = scene;
    big_waits(s);
    scene_add_node(s, "node-2", 2, NULL);
    GANG(.name = "small", .size = 2, .begin = -500);
    run(s);
    expect(s, "big", "reserved 100 node-0=1,node-1=1 because default/r0");
    expect(s, "small", "starts 0 node-2=2 backfills");
}

TEST_WITH(scene, single_pods_stay_off_reserved_room)
{
    struct scene *s = scene;
    big_waits(s);
    POD(.name = "in-time", .deadline = 100);
    POD(.name = "late", .deadline = 101);
    POD(.name = "unknown");
    POD(.name = "above", .priority = 1, .cpu = 1, .deadline = 5000);
    run(s);
    expect_pod(s, "in-time", "node-1");
    expect_pod(s, "late", "");
    expect_pod(s, "unknown", "");
    expect_pod(s, "above", "node-1");
    expect(s, "big", "reserved 100 node-0=1,node-1=1 because default/r0");
}

TEST_WITH(scene, the_end_of_a_job_counts_if_it_is_smaller)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_job(s, "train", -100, 150);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160,
        .owner = "Job/train", .grace = 5);
    GANG(.name = "big", .cpu = 4, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 55 node-0=1 because default/r0");
}

TEST_WITH(scene, a_pod_that_terminates_ends_by_its_deletion)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160, .deleted = 20,
        .grace = 30);
    GANG(.name = "big", .cpu = 4, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 20 node-0=1 because default/r0");
}

TEST_WITH(scene, a_pod_beyond_its_end_gets_twice_the_time)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -200, .deadline = 100);
    GANG(.name = "big", .cpu = 4, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 100 node-0=1 because default/r0");
}

TEST_WITH(scene, no_end_and_one_far_away_are_unknown)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 2);
    POD(.name = "r1", .node = "node-0", .cpu = 2, .deadline = 31 * 24 * 3600);
    GANG(.name = "big", .cpu = 4, .limit = "1h");
    GANG(.name = "half", .cpu = 2, .limit = "1h");
    run(s);
    expect(s, "big", "unknown");
    expect(s, "half", "unknown");
}

TEST_WITH(scene, what_has_no_limit_is_named)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r1", .node = "node-0", .cpu = 2);
    POD(.name = "r0", .node = "node-0", .cpu = 1, .deadline = 50);
    POD(.name = "d", .node = "node-0", .cpu = 1, .owner = "DaemonSet/d");
    GANG(.name = "a", .cpu = 3, .limit = "1h");
    GANG(.name = "b", .cpu = 2, .limit = "1h");
    GANG(.name = "never", .cpu = 4);
    scene_run(s, true);
    assert_non_null(strstr(s->out.s, "\ndefault/a and 1 more: no start is known: default/r1 has no "
                                     "limit; set activeDeadlineSeconds on such pods\n"));
    assert_null(strstr(s->out.s, "never:"));
}

TEST_WITH(scene, an_estimate_gives_no_right)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r-0", .node = "node-0", .cpu = 4, .started = -60, .group = "r");
    GANG(.name = "r", .running = 1, .estimate = "100s",
         .more = ",'status':'Bound','schedEndTime':'2026-01-01T11:59:00Z'");
    GANG(.name = "big", .cpu = 4, .limit = "1h");
    run(s);
    expect(s, "big", "unknown");
    s->config = "time: {patience: 10m}\n";
    run(s);
    expect(s, "big", "unknown");
}

TEST_WITH(scene, each_pool_has_its_reservation)
{
    struct scene *s = scene;
    scene_add_node(s, "a-0", 4, "a");
    scene_add_node(s, "b-0", 4, "b");
    POD(.name = "r0", .node = "a-0", .cpu = 3, .deadline = 100);
    POD(.name = "r1", .node = "b-0", .cpu = 3, .deadline = 200);
    GANG(.name = "a1", .cpu = 4, .begin = -50, .limit = "1h", .pool = "a");
    GANG(.name = "a2", .cpu = 4, .begin = -40, .limit = "1h", .pool = "a");
    GANG(.name = "b1", .cpu = 4, .begin = -30, .limit = "1h", .pool = "b");
    GANG(.name = "any", .cpu = 1, .begin = -20);
    run(s);
    expect(s, "a1", "reserved 100 a-0=1 because default/r0");
    expect(s, "a2", "forecast 3700 because default/a1");
    expect(s, "b1", "reserved 200 b-0=1 because default/r1");
    expect(s, "any", "forecast 3800 because default/b1");
    s->config = "time: {reservations: 2}\n";
    run(s);
    expect(s, "a2", "reserved 3700 a-0=1 because default/a1");
}

TEST_WITH(scene, there_are_at_most_64_reservations_and_as_many_forecasts_as_are_asked_for)
{
    struct scene *s = scene;
    char pool[16], text[512];
    int n[SKR_ROUND_STATE_COUNT] = {0};
    for (int i = 0; i < SKR_RESERVATIONS_MAX + 6; i++) {
        snprintf(pool, sizeof pool, "p%02d", i);
        scene_add_node(s, pool, 4, pool);
        POD(.name = pool, .node = pool, .deadline = 100);
        GANG(.name = pool, .cpu = 4, .begin = i - 100, .limit = "1h", .pool = pool);
    }
    s->config = "time: {forecasts: 4}\n";
    run(s);
    for (int i = 0; i < SKR_RESERVATIONS_MAX + 6; i++) {
        snprintf(pool, sizeof pool, "p%02d", i);
        const char *says = scene_group_says(s, pool, text);
        for (int k = 0; k < SKR_ROUND_STATE_COUNT; k++) {
            const char *name = skr_round_state_name((enum skr_round_state)k);
            n[k] += strncmp(says, name, strlen(name)) == 0;
        }
    }
    assert_int_equal(n[SKR_ROUND_RESERVED], SKR_RESERVATIONS_MAX);
    assert_int_equal(n[SKR_ROUND_FORECAST], 4);
    assert_int_equal(n[SKR_ROUND_UNKNOWN], 2);
}

TEST_WITH(scene, without_reservations_nothing_is_kept)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "late", .begin = -400);
    s->config = "time: {reservations: 0}\n";
    run(s);
    expect(s, "big", "unknown");
    expect(s, "late", "starts 0 node-1=1 backfills");
    s->config = "time: {reservations: 0, forecasts: 0}\n";
    run(s);
    expect(s, "big", "unknown");
}

/* ---- drains ---- */

TEST_WITH(scene, who_waited_long_gets_a_drain)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "old", .node = "node-0", .cpu = 4, .started = -500);
    POD(.name = "young", .node = "node-1", .cpu = 2, .started = -90);
    GANG(.name = "big", .cpu = 4, .begin = -700, .limit = "1h");
    GANG(.name = "next", .cpu = 4, .begin = -650, .limit = "1h");
    GANG(.name = "short", .cpu = 2, .begin = -600, .limit = "90s");
    GANG(.name = "long", .cpu = 2, .begin = -500, .limit = "91s");
    s->config = "time: {patience: 10m}\n";
    run(s);
    expect(s, "big", "drain 90 node-1=1 because default/young");
    expect(s, "next", "unknown");
    expect(s, "short", "starts 0 node-1=1 backfills");
    expect(s, "long", "unknown");
    s->config = NULL;
    run(s);
    expect(s, "big", "unknown");
    expect(s, "short", "starts 0 node-1=1 backfills");
}

TEST_WITH(scene, an_estimate_ahead_is_the_guess)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r-0", .node = "node-0", .cpu = 4, .started = -60, .group = "r");
    GANG(.name = "r", .running = 1, .estimate = "100s",
         .more = ",'status':'Bound','schedEndTime':'2026-01-01T11:59:00Z'");
    GANG(.name = "big", .cpu = 4, .begin = -700, .limit = "1h");
    s->config = "time: {patience: 10m}\n";
    run(s);
    expect(s, "big", "drain 40 node-0=1 because default/r");
}

TEST_WITH(scene, a_daemon_set_never_makes_room)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 5, NULL);
    POD(.name = "d-0", .node = "node-0", .owner = "DaemonSet/d", .started = -10);
    POD(.name = "d-1", .node = "node-1", .owner = "DaemonSet/d", .started = -10);
    POD(.name = "r-0", .node = "node-0", .started = -100);
    POD(.name = "r-1", .node = "node-1", .started = -200);
    GANG(.name = "big", .cpu = 4, .begin = -700);
    s->config = "time: {patience: 10m}\n";
    run(s);
    expect(s, "big", "drain 200 node-1=1 because default/r-1");
}

/* A promise stands beside it, and a limit is the last to end on its place. */
TEST_WITH(scene, a_drain_names_what_has_no_limit)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 1, NULL);
    scene_add_node(s, "node-1", 1, NULL);
    scene_add_node(s, "node-2", 1, NULL);
    POD(.name = "endless", .node = "node-0", .started = -100);
    POD(.name = "limited", .node = "node-1", .deadline = 150);
    POD(.name = "soon", .node = "node-2", .deadline = 50);
    GANG(.name = "first", .begin = -800);
    GANG(.name = "big", .size = 2, .begin = -700, .limit = "1h");
    s->config = "time: {patience: 10m, reservations: 2}\n";
    run(s);
    expect(s, "first", "reserved 50 node-2=1 because default/soon");
    expect(s, "big", "drain 150 node-0=1,node-1=1 because default/endless");
}

/* ---- stored reservations ---- */

#define STORED(start, nodes)                                               \
    "{'v':1,'start':'2026-01-01T" start "Z','promised':'2026-01-01T" start \
    "Z','since':'2026-01-01T11:55:00Z','guess':false,'nodes':{" nodes "}}"

TEST_WITH(scene, a_promise_is_kept_and_may_get_earlier)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160);
    POD(.name = "r1", .node = "node-1", .cpu = 4, .started = -60, .deadline = 260);
    GANG(.name = "big", .cpu = 4, .begin = -600, .limit = "1h",
         .stored = STORED("12:03:20", "'node-1':1"));
    GANG(.name = "kept", .cpu = 4, .begin = -500, .limit = "1h",
         .stored = STORED("12:01:50", "'node-0':1"));
    s->config = "time: {reservations: 2}\n";
    run(s);
    /* the later one stands when big looks, and so it keeps its place */
    expect(s, "big", "reserved 200 node-1=1 because default/r1");
    expect(s, "kept", "reserved 100 node-0=1 because default/r0");
}

TEST_WITH(scene, higher_priority_moves_a_promise)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "urgent", .size = 2, .cpu = 4, .begin = -10, .limit = "60s", .priority = 5);
    scene_fini(s);
    scene_init(s);
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160);
    GANG(.name = "big", .cpu = 4, .begin = -600, .limit = "1h",
         .stored = STORED("12:01:40", "'node-0':1"));
    GANG(.name = "urgent", .cpu = 4, .begin = -10, .limit = "60s", .priority = 5);
    run(s);
    expect(s, "urgent", "reserved 100 node-0=1 because default/r0");
    expect(s, "big", "forecast 160 because default/urgent moved HigherPriority");
    s->config = "time: {reservations: 2}\n";
    run(s);
    expect(s, "urgent", "reserved 100 node-0=1 because default/r0");
    expect(s, "big", "reserved 160 node-0=1 because default/urgent moved HigherPriority");
}

TEST_WITH(scene, a_lost_place_has_a_cause)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "one", .cpu = 4, .begin = -700, .limit = "1h",
         .stored = STORED("11:59:50", "'node-9':1"));
    run(s);
    expect(s, "one", "starts 0 node-1=1");
    POD(.name = "r1", .node = "node-1", .cpu = 1, .started = -100, .deadline = 150);
    run(s);
    expect(s, "one", "reserved 50 node-1=1 because default/r1 moved NodeLost");
}

TEST_WITH(scene, a_foreign_pod_and_an_overrun_are_told_apart)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 4, .started = -60, .deadline = 160);
    POD(.name = "r1", .node = "node-1", .cpu = 4, .started = -200, .deadline = 160);
    GANG(.name = "a", .cpu = 4, .begin = -700, .limit = "1h",
         .stored = STORED("12:00:10", "'node-0':1"));
    GANG(.name = "b", .cpu = 4, .begin = -600, .limit = "1h",
         .stored = STORED("11:59:20", "'node-1':1"));
    s->config = "time: {reservations: 2}\n";
    run(s);
    expect(s, "a", "reserved 40 node-1=1 because default/r1");
    expect(s, "b", "reserved 100 node-0=1 because default/r0 moved Overrun");
}

TEST_WITH(scene, a_forged_reservation_gains_nothing)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "thief", .cpu = 4, .begin = -100, .limit = "1h",
         .stored = STORED("12:00:00", "'node-1':1"));
    GANG(.name = "odd", .cpu = 4, .begin = -90, .limit = "1h", .stored = "{'v':1,'start':7}");
    GANG(.name = "odder", .cpu = 4, .begin = -80, .limit = "1h", .stored = "[");
    run(s);
    expect(s, "big", "reserved 100 node-0=1,node-1=1 because default/r0");
    expect(s, "thief", "forecast 3700 because default/big moved RoomTaken");
}

TEST_WITH(scene, a_drain_keeps_its_place_and_gets_a_new_guess)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add_node(s, "node-1", 4, NULL);
    POD(.name = "old", .node = "node-0", .cpu = 4, .started = -500);
    POD(.name = "young", .node = "node-1", .cpu = 4, .started = -10);
    GANG(.name = "big", .cpu = 4, .begin = -900, .limit = "1h",
         .stored = "{'v':1,'start':'2026-01-01T11:59:00Z','since':'2026-01-01T11:55:00Z',"
                   "'guess':true,'nodes':{'node-0':1}}");
    s->config = "time: {patience: 10m}\n";
    run(s);
    expect(s, "big", "drain 300 node-0=1 because default/old");
    POD(.name = "gone", .node = "node-1", .cpu = 0, .deadline = 5);
    run(s);
    expect(s, "big", "drain 300 node-0=1 because default/old");
}

/* ---- others ---- */

TEST_WITH(scene, a_deadline_of_a_job_that_passes_first_is_told)
{
    struct scene *s = scene;
    big_waits(s);
    scene_add_job(s, "train", -100, 160);
    GANG(.name = "g", .cpu = 4, .begin = -900, .owner = "Job/train", .grace = 5);
    GANG(.name = "h", .cpu = 4, .begin = -800, .owner = "Job/train", .grace = 5);
    scene_run(s, true);
    assert_non_null(strstr(s->out.s, "default/h: DeadlineBeforeStart"));
    assert_null(strstr(s->out.s, "default/g: DeadlineBeforeStart"));
}

TEST_WITH(scene, annotations_of_podgroups_and_pods_are_keys)
{
    struct scene *s = scene;
    big_waits(s);
    scene_add(s, "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{"
                 "'name':'pg','annotations':{'sakkara.group.run-limit':'100s'}},'spec':{"
                 "'minMember':1}}");
    scene_add(s, "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pg-0','labels':{"
                 "'scheduling.x-k8s.io/pod-group':'pg'}},'spec':{'schedulerName':'sakkara',"
                 "'terminationGracePeriodSeconds':0,'containers':[{'name':'c','image':'i',"
                 "'resources':{'requests':{'cpu':'1'}}}]}}");
    run(s);
    expect(s, "pg", "starts 0 node-1=1 backfills");
}

TEST_WITH(scene, an_open_group_starts_with_more_than_its_minimum)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "r0", .node = "node-0", .cpu = 1, .started = -60, .deadline = 160);
    scene_add(s, "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{"
                 "'name':'pg'},'spec':{'minMember':2}}");
    for (int i = 0; i < 5; i++) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b,
                        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pg-%d','labels':{"
                        "'scheduling.x-k8s.io/pod-group':'pg'}},'spec':{'schedulerName':'sakkara',"
                        "'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':"
                        "'1'}}}]}}",
                        i);
        scene_add(s, b.s);
    }
    run(s);
    expect(s, "pg", "starts 0 node-0=3");
    POD(.name = "r1", .node = "node-0", .cpu = 2, .started = -60, .deadline = 360);
    run(s);
    expect(s, "pg", "reserved 100 node-0=2 because default/r0");
}

/* pg is first in the order, and node-0 is free again when its own limits end. */
TEST_WITH(scene, nothing_is_reserved_or_evicted_for_growth)
{
    struct scene *s = scene;
    s->preempt = true;
    scene_add_node(s, "node-0", 4, NULL);
    POD(.name = "pg-0", .node = "node-0", .cpu = 3, .started = -60, .deadline = 160, .group = "pg");
    POD(.name = "low-0", .node = "node-0", .started = -60, .deadline = 260, .group = "low");
    POD(.name = "pg-1", .cpu = 3, .deadline = 160, .group = "pg");
    GANG(.name = "pg", .running = 1, .size = 2, .priority = 5,
         .more = ",'minimum':'1','status':'Bound','schedEndTime':'2026-01-01T11:59:00Z'");
    GANG(.name = "low", .running = 1, .priority = 1, .more = ",'status':'Bound'");
    GANG(.name = "big", .cpu = 3, .limit = "1h");
    run(s);
    expect(s, "big", "reserved 100 node-0=1 because default/pg");
    expect(s, "pg", "forecast 3700 because default/big");
}

/* A node has an even number of members of pg: one more does not fit, two do. */
TEST_WITH(scene, a_group_grows_by_as_many_as_rules_on_counts_let_start_together)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 2, NULL);
    scene_add_node(s, "node-1", 3, NULL);
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "pg-%d", i);
        POD(.name = name, .node = i < 2 ? "node-0" : NULL, .started = i < 2 ? -60 : 0,
            .group = "pg");
    }
    GANG(.name = "pg", .running = 1, .size = 4,
         .more = ",'minimum':'2','constraints':'{\\'node\\':{\\'factor\\':2}}','status':'Bound',"
                 "'schedEndTime':'2026-01-01T11:59:00Z'");
    run(s);
    expect(s, "pg", "starts 0 node-1=2 grows 2");
}

/* One of two runs, so the first of four more is no growth; node-1 is kept for big from 100 on. */
TEST_WITH(scene, a_group_that_runs_grows_beside_reservations)
{
    struct scene *s = scene;
    big_waits(s);
    scene_add_node(s, "node-2", 3, NULL);
    scene_add(s, "{'apiVersion':'scheduling.x-k8s.io/v1alpha1','kind':'PodGroup','metadata':{"
                 "'name':'pg'},'spec':{'minMember':2}}");
    for (int i = 0; i < 5; i++) {
        SKR_STRBUF(b);
        skr_strbuf_addf(&b,
                        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'pg-%d','labels':{"
                        "'scheduling.x-k8s.io/pod-group':'pg'}},'spec':{'schedulerName':'sakkara',"
                        "%s'containers':[{'name':'c','image':'i','resources':{'requests':{'cpu':"
                        "'1'}}}]}%s}",
                        i, i == 0 ? "'nodeName':'node-2'," : "",
                        i == 0 ? ",'status':{'phase':'Running','startTime':"
                                 "'2026-01-01T11:00:00Z'}"
                               : "");
        scene_add(s, b.s);
    }
    run(s);
    expect(s, "big", "reserved 100 node-0=1,node-1=1 because default/r0");
    expect(s, "pg", "starts 0 node-2=2 backfills grows 1");
}

TEST_WITH(scene, the_answer_has_a_form)
{
    struct scene *s = scene;
    big_waits(s);
    GANG(.name = "small", .begin = -500, .limit = "100s");
    GANG(.name = "later", .begin = -400, .cpu = 4);
    GANG(.name = "never", .begin = -300, .cpu = 9);
    POD(.name = "plain", .deadline = 50);
    run(s);
    golden_check("test/unit/server/lab/simulate/timeline.json", s->out.s);
    scene_run(s, true);
    golden_check("test/unit/server/lab/simulate/timeline.txt", s->out.s);
}

TEST_WITH(scene, what_cannot_be_read_is_said)
{
    struct scene *s = scene;
    GANG(.name = "g");
    scene_run(s, false);
    assert_int_equal(s->code, 1);
    assert_non_null(strstr(s->messages.s, "there is no topology"));
}

TEST_WITH(scene, times_far_away_have_their_year_or_none)
{
    struct scene *s = scene;
    scene_add_node(s, "node-0", 4, NULL);
    scene_add(s, "{'apiVersion':'batch/v1','kind':'Job','metadata':{'name':'old'},'spec':"
                 "{'activeDeadlineSeconds':100000000000000000,'template':{'spec':{'restartPolicy':"
                 "'Never','containers':[{'name':'c','image':'i'}]}}},'status':{'startTime':"
                 "'2026-01-01T00:00:00Z'}}");
    GANG(.name = "of-job", .cpu = 9, .owner = "Job/old");
    GANG(.name = "next-year", .deadline = 366 * 24 * 3600);
    GANG(.name = "ages", .deadline = INT32_MAX);
    for (int i = 1; i < 8; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "node-%d", i);
        scene_add_node(s, name, 4, NULL);
    }
    POD(.name = "plain");
    scene_run(s, true);
    assert_int_equal(s->code, 0);
    assert_null(strstr(s->out.s, "DeadlineBeforeStart"));
    assert_non_null(strstr(s->out.s, "2027-01-02T12:00  "));
    assert_non_null(strstr(s->out.s, "2094-01-19"));
    assert_non_null(strstr(s->out.s, "node-0,node-1,node-2,+5\n"));
}
