/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations in the engine: who goes in front of a group that waits, and which promises are kept. */
#include "core/gang/cache/booked.h"
#include "test/unit/limits_scene.h"

static const struct booking *booking(const struct rig *rig, const char *group)
{
    const struct group *g = limits_group(rig, group);
    return g ? g->booking : NULL;
}

/* Gangs of one arrive as others end, one every 20 s, each for at most 60 s: three run at any time. Returns
 * after how many seconds the gang of four is bound; -1: not within 10 minutes. */
static int starving(int64_t reservations, int64_t limit)
{
    SKR_AUTO(rig_destroy) struct rig *rig = limits_four_nodes(reservations);
    char name[32];
    int begun = -1, started = 0;
    int64_t ends[64] = {0};
    for (int t = 0; t < 600; t++) {
        if (t % 20 == 0 && t / 20 < 60) {
            snprintf(name, sizeof name, "s%d", t / 20);
            limits_gang(rig, name, 1, 0, limit);
        }
        if (t == 70) {
            begun = t;
            limits_gang(rig, "big", 4, 0, 100);
        }
        rig_run(rig, SKR_SECOND);
        for (int i = 0; i <= t / 20; i++) {
            snprintf(name, sizeof name, "s%d", i);
            if (ends[i] == 0 && limits_bound(rig, name) == 1) {
                limits_start(rig, name, 1);
                ends[i] = t + 60;
                started++;
            }
            if (ends[i] == t) {
                limits_end(rig, name, 1);
            }
        }
        rig_settle(rig);
        if (begun >= 0 && limits_bound(rig, "big") == 4) {
            return t - begun;
        }
    }
    return -1;
}

/* Kubelets are a little late. Limits are as short as that. */
TEST_RIG(limits_four_nodes(1), limits_of_seconds_keep_their_promise_too)
{
    int bound = -1;
    limits_gang(rig, "run", 4, 0, 6);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 4);
    limits_gang(rig, "big", 4, 0, 5);
    for (int t = 0; t < 30 && bound < 0; t++) {
        limits_gang(rig, test_text("s%d", t), 1, 0, 6);
        rig_run(rig, SKR_SECOND);
        if (t == 6) {
            rig_run(rig, 300 * SKR_MILLISECOND);
            limits_end(rig, "run", 2);
        }
        bound = limits_bound(rig, "big") == 4 ? t : -1;
        if (t == 7) {
            rig_phase(rig, "run-2", "Succeeded");
            rig_phase(rig, "run-3", "Succeeded");
        }
    }
    assert_in_range(bound, 7, 9);
}

/* Groups grow after all that wait, so growth holds no room for later. */
TEST_RIG(limits_four_nodes(1), a_group_that_only_grows_gets_no_reservation)
{
    limits_gang(rig, "busy", 3, 0, 50);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "busy", 3);
    limits_gang(rig, "grows", 2, 0, 100);
    rig_edit(rig, RIG_MAP, "grows", "{'data':{'minimum':'1'}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "grows"), 1);
    assert_null(booking(rig, "grows"));
    limits_gang(rig, "waits", 3, 0, 100);
    rig_run(rig, 3 * SKR_SECOND);
    assert_non_null(booking(rig, "waits"));
    limits_end(rig, "busy", 3);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "waits"), 3);
    assert_int_equal(limits_bound(rig, "grows"), 1);
}

TEST(a_large_gang_beside_a_stream_of_small_ones_starts_within_the_longest_limit)
{
    const int with = starving(1, 60);
    if (with < 0 || with > 62) {
        fail_msg("bound after %d s", with);
    }
    assert_int_equal(starving(0, 60), -1);
    assert_int_equal(starving(1, 0), -1); /* no start is known */
}

TEST_RIG(limits_waiting(1), what_ends_in_time_goes_first_and_nothing_else_does)
{
    const struct booking *b = booking(rig, "big");
    assert_non_null(b);
    const int64_t start = b->start;
    assert_int_equal(start, limits_now(rig) - 1 + 100);
    assert_non_null(b->because);
    assert_string_equal(b->because, "default/run");
    assert_int_equal(b->until, start + 50);
    limits_gang(rig, "late", 1, 0, start - limits_now(rig) + 2);
    limits_gang(rig, "endless", 1, 0, 0);
    rig_run(rig, SKR_SECOND);
    limits_gang(rig, "in-time", 1, 0, start - limits_now(rig) - 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "in-time"), 1);
    assert_int_equal(limits_bound(rig, "late"), 0);
    assert_int_equal(limits_bound(rig, "endless"), 0);
    assert_int_equal(booking(rig, "big")->start, start);
    assert_int_equal(rig->gang->stats.backfilled, 1);
    /* It ends early, and its place is free for big alone. */
    limits_end(rig, "run", 2);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 0);
    assert_int_equal(limits_bound(rig, "endless"), 0);
    limits_end(rig, "in-time", 1);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 4);
    assert_null(booking(rig, "big"));
    const struct skr_durations *early = &rig->gang->stats.promise[SKR_PROMISE_EARLY];
    assert_int_equal(early->n[4], 1); /* 64 to 256 s */
    assert_in_range(early->sum, 90 * SKR_SECOND, 100 * SKR_SECOND);
}

/* The one that waits has its reservation before the other one is planned. */
TEST_RIG(limits_four_nodes(1), what_comes_with_a_group_that_waits_takes_none_of_its_room)
{
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    rig->hold_watch[RIG_POD] = true;
    limits_gang(rig, "big", 4, 0, 50);
    limits_gang(rig, "endless", 2, 0, 0);
    limits_gang(rig, "in-time", 1, 0, 20);
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, SKR_SECOND);
    assert_non_null(booking(rig, "big"));
    assert_int_equal(limits_bound(rig, "endless"), 0);
    assert_int_equal(limits_bound(rig, "in-time"), 1);
}

/* Its start was not known a moment ago. The next round looks at it with its new rules. */
TEST_RIG(limits_four_nodes(1), a_group_whose_rules_change_is_looked_at_by_the_next_round)
{
    limits_gang(rig, "run", 2, 0, 100);
    limits_gang(rig, "endless", 1, 0, 0);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_start(rig, "endless", 1);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 200 * SKR_MILLISECOND);
    assert_true(limits_group(rig, "big")->unknown_until > rig->now);
    rig_edit(rig, RIG_MAP, "big", "{'data':{'priority':'1'}}");
    limits_gang(rig, "small", 1, 0, 0); /* waits for that round, and no longer */
    rig_run(rig, 300 * SKR_MILLISECOND);
    assert_int_equal(limits_bound(rig, "small"), 1);
    rig_edit(rig, RIG_MAP, "big", "{'data':{'size':'2'}}");
    rig_run(rig, 300 * SKR_MILLISECOND);
    assert_non_null(booking(rig, "big"));
}

TEST_RIG(limits_waiting(0), without_reservations_everything_that_fits_starts)
{
    assert_null(booking(rig, "big"));
    limits_gang(rig, "endless", 2, 0, 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "endless"), 2);
}

TEST_RIG(limits_waiting(1), a_higher_priority_takes_the_place_and_says_so)
{
    const int64_t start = booking(rig, "big")->start;
    limits_gang(rig, "urgent", 4, 5, 70);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(booking(rig, "urgent")->start, start);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_HIGHER_PRIORITY], 1);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_NOT], 0);
}

TEST_RIG(limits_waiting(1), what_stays_beyond_its_limit_is_an_overrun)
{
    rig_run(rig, 99 * SKR_SECOND);
    for (int i = 0; i < 120; i++) {
        rig_run(rig, SKR_SECOND);
    }
    assert_non_null(booking(rig, "big"));
    assert_true(booking(rig, "big")->start > limits_now(rig));
    assert_true(rig->gang->stats.moves[SKR_MOVED_OVERRUN] > 0);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_NOT], 0);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_ROOM_TAKEN], 0);
}

TEST_RIG(limits_waiting(1), a_node_of_the_place_that_is_closed_is_lost)
{
    rig_edit(rig, RIG_NODE, "node-3", "{'spec':{'unschedulable':true}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_NODE_LOST], 1);
}

/* It lacked a member when the node went, and no round looked at it. */
TEST_RIG(limits_waiting(1), a_group_that_is_complete_again_has_no_promise_of_a_node_that_went)
{
    rig_delete(rig, RIG_POD, "big-0");
    rig_delete(rig, RIG_NODE, "node-3");
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(booking(rig, "big"));
    limits_pod(rig, "big-4", "big", 50);
    rig_run(rig, 200 * SKR_MILLISECOND);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_NODE_LOST], 1);
}

TEST_RIG(limits_waiting(1), a_group_that_lacks_a_member_for_long_loses_its_promise)
{
    rig_delete(rig, RIG_POD, "big-0");
    rig_run(rig, rig->gang->settings.seat_hold - SKR_SECOND);
    assert_non_null(booking(rig, "big"));
    rig_run(rig, 2 * SKR_SECOND);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_USER], 1);
}

/* The place is free for limits alone, and the start is a guess that goes on. */
TEST(a_group_that_has_waited_for_long_drains_a_place)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.reservations = 1;
    settings.patience = 60 * SKR_SECOND;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    rig_sync(rig);
    limits_gang(rig, "run", 3, 0, 0);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 3);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 55 * SKR_SECOND);
    assert_null(booking(rig, "big"));
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(booking(rig, "big") && booking(rig, "big")->guess);
    assert_true(rig_has_event(rig, "GroupDraining"));
    assert_string_equal(rig_key(rig, "big", "plannedWhy"), "guess: default/run has no limit");
    assert_non_null(strstr(rig_key(rig, "big", "conditions"), "\"reason\":\"Draining\""));
    limits_gang(rig, "endless", 1, 0, 0);
    limits_gang(rig, "in-time", 1, 0, booking(rig, "big")->start - limits_now(rig) - 5);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "endless"), 0);
    assert_int_equal(limits_bound(rig, "in-time"), 1);
    limits_end(rig, "in-time", 1);
    rig_run(rig, 200 * SKR_SECOND);
    assert_true(booking(rig, "big")->start > limits_now(rig));
    assert_int_equal(limits_bound(rig, "endless"), 0);
    limits_end(rig, "run", 3);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 4);
}

TEST_RIG(limits_four_nodes(1), the_first_group_of_every_pool_holds_a_reservation)
{
    static const char *const pools[] = {"a", "b"};
    char name[32];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(rig, RIG_NODE, name, "{'metadata':{'labels':{'pool':'%s'}}}", pools[i / 2]);
    }
    limits_gang(rig, "run", 4, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 4);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%d", pools[i % 2], i / 2);
        limits_gang(rig, name, 2, 0, 50);
        for (int k = 0; k < 2; k++) {
            rig_edit(rig, RIG_POD, test_text("%s-%d", name, k),
                     "{'spec':{'nodeSelector':{'pool':'%s'}}}", pools[i % 2]);
        }
        rig_run(rig, SKR_SECOND);
    }
    assert_non_null(booking(rig, "a0"));
    assert_non_null(booking(rig, "b0"));
    assert_null(booking(rig, "a1"));
    assert_null(booking(rig, "b1"));
}

/* A group whose start is not known is looked at again if something has changed. */
TEST_RIG(limits_waiting(1), nothing_is_computed_while_nothing_changes)
{
    limits_gang(rig, "endless", 4, -1, 0);
    rig_run(rig, 10 * SKR_SECOND);
    const size_t solves = rig->n_solves;
    rig_run(rig, 60 * SKR_SECOND);
    assert_true(rig->n_solves <= solves + 2);
    limits_gang(rig, "more", 1, -2, 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(rig->n_solves > solves + 2);
}

/* ---- single pods ---- */

static void single(struct rig *rig, const char *name, const char *limit, int priority)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'spec':{'schedulerName':'sakkara','terminationGracePeriodSeconds':0,"
                    "'priority':%d%s,'containers':[{'name':'main','resources':{'requests':"
                    "{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
                    priority, limit);
    rig->hold_scheduler = true;
    rig_settle(rig);
}

TEST_RIG(limits_waiting(1), single_pods_go_in_front_of_a_reservation_only_if_they_end_in_time)
{
    char limit[64];
    const int64_t start = booking(rig, "big")->start;
    snprintf(limit, sizeof limit, ",'activeDeadlineSeconds':%lld",
             (long long)(start - limits_now(rig)));
    single(rig, "in-time", limit, 0);
    assert_int_equal(rig_filter(rig, "in-time", "node-2 node-3").n_passed, 2);
    snprintf(limit, sizeof limit, ",'activeDeadlineSeconds':%lld",
             (long long)(start - limits_now(rig) + 1));
    single(rig, "late", limit, 0);
    single(rig, "endless", "", 0);
    const char *refused[] = {"late", "endless"};
    for (int i = 0; i < 2; i++) {
        const struct rig_answer a = rig_filter(rig, refused[i], "node-2 node-3");
        assert_int_equal(a.n_passed, 0);
        assert_string_equal(a.text, "sakkara: room is reserved for a group");
    }
    const struct rig_call *call = rig_bind(rig, "endless", "node-2");
    assert_int_equal(call->state, RIG_ERROR);
    assert_string_equal(call->text, "sakkara: room is reserved for a group");
}

/* A class serves a resource; node-3 alone lists it. */
static struct rig *device_nodes(void)
{
    struct rig *rig = limits_four_nodes(1);
    rig_class(rig, "gpu", "example.com/gpu");
    rig_edit(rig, RIG_NODE, "node-3", "{'status':{'allocatable':{'example.com/gpu':'1'}}}");
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    rig_group(rig, "big", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "big-%d", i);
        limits_pod(rig, name, "big", 50);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'containers':[{'name':'main','resources':{'requests':{'cpu':'1',"
                 "'example.com/gpu':'1'}}}]}}");
    }
    rig_run(rig, SKR_SECOND);
    return rig;
}

/* A node without the resource has no room of it to reserve: kube-scheduler allocates devices there. */
TEST_RIG(device_nodes(), a_resource_that_a_node_does_not_list_is_reserved_on_other_nodes_alone)
{
    assert_non_null(booking(rig, "big"));
    rig_create_json(rig, RIG_POD, "one",
                    "{'spec':{'schedulerName':'sakkara','containers':[{'name':'main',"
                    "'resources':{'requests':{'example.com/gpu':'1'}}}]},"
                    "'status':{'phase':'Pending'}}");
    rig->hold_scheduler = true;
    rig_settle(rig);
    assert_string_equal(rig_filter(rig, "one", "node-2 node-3").passed, "node-2");
    const char *node = "node-2", *full = "node-3";
    const struct skr_gang *e = rig->gang;
    const struct booked_for who = {.window = {SKR_INSTANT_NEVER, SKR_INSTANT_NEVER, 0}};
    const uint16_t gpu = (uint16_t)skr_resource_names_find(e->resources, "example.com/gpu");
    int64_t room = 5;
    skr_booked_take_off(e, &who, node, &gpu, 1, &room);
    assert_int_equal(room, 5);
    assert_int_equal(skr_booked_slack(e, &who, node, gpu, 0), INT64_MAX);
    skr_booked_take_off(e, &who, full, &gpu, 1, &room);
    assert_int_equal(room, 4);
}

TEST_RIG(limits_waiting(1), what_is_remembered_of_nodes_is_what_is_counted_anew)
{
    const char *all = "node-3 node-0 node-2 node-1";
    struct skr_gang *e = rig->gang;
    size_t n_passed = 0, n_wrong = 0;
    single(rig, "one", "", 0);
    for (uint32_t step = 1; step <= 60; step++) {
        const uint32_t draw = step * UINT32_C(2654435761) >> 20;
        rig_edit(rig, RIG_NODE, "node-2", "{'status':{'allocatable':{'cpu':'%u'}}}",
                 1 + draw / 2 % 2);
        rig_run(rig, draw / 4 % 3 * SKR_SECOND);
        if (step % 8 == 0) { /* numbers in the ledger may stand for other nodes then */
            rig_filter(rig, "one", all);
            skr_ledger_set_node(e->ledger, "node-x", &(struct skr_amounts){.n = 0});
            skr_ledger_remove_node(e->ledger, "node-x");
            for (size_t i = 1; i < e->bookings.n_left; i++, n_wrong++) {
                e->bookings.left[i] = e->bookings.left[0];
            }
        }
        const struct rig_answer warm = rig_filter(rig, "one", all);
        for (size_t i = 0; i < e->bookings.n_left; i++) {
            e->bookings.left[i].until = 0;
        }
        assert_string_equal(rig_filter(rig, "one", all).passed, warm.passed);
        n_passed += warm.n_passed;
    }
    assert_true(n_wrong > 0 && n_passed > 60 * 2 && n_passed < 60 * 4);
}

static void foreign(struct rig *rig)
{
    rig_create_json(rig, RIG_POD, "foreign",
                    "{'spec':{'schedulerName':'other','nodeName':'node-2','containers':[{'name':"
                    "'main','resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Running'}}");
    rig_run(rig, 2 * SKR_SECOND);
}

/* Before the next round. */
TEST_RIG(limits_waiting(1), what_is_remembered_of_a_node_is_void_with_its_room_and_with_an_end)
{
    char text[48];
    rig_edit(rig, RIG_NODE, "node-2", "{'status':{'allocatable':{'cpu':'2'}}}");
    rig_run(rig, SKR_SECOND);
    single(rig, "one", "", 0);
    assert_int_equal(rig_filter(rig, "one", "node-2").n_passed, 1);
    rig->hold_solves = true;
    foreign(rig);
    assert_int_equal(rig_filter(rig, "one", "node-2").n_passed, 0);
    skr_time_write(rig->now, 0, text, sizeof text);
    rig_edit(rig, RIG_POD, "foreign",
             "{'spec':{'activeDeadlineSeconds':30},'status':{'startTime':'%s'}}", text);
    rig_settle(rig);
    assert_int_equal(rig_filter(rig, "one", "node-2").n_passed, 1);
    rig->hold_solves = false;
}

TEST_RIG(limits_waiting(1), a_single_pod_of_higher_priority_passes_and_the_move_says_so)
{
    single(rig, "urgent", "", 7);
    assert_int_equal(rig_filter(rig, "urgent", "node-2 node-3").n_passed, 2);
    (void)rig_bind(rig, "urgent", "node-2");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "urgent"), "node-2");
    assert_null(booking(rig, "big")); /* it never ends */
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_HIGHER_PRIORITY], 1);
}

TEST_RIG(limits_waiting(1), a_pod_that_was_let_pass_and_went_elsewhere_took_no_room)
{
    single(rig, "urgent", "", 7);
    assert_int_equal(rig_filter(rig, "urgent", "node-2 node-3").n_passed, 2);
    foreign(rig);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_ROOM_TAKEN], 1);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_HIGHER_PRIORITY], 0);
}

TEST_RIG(limits_waiting(1), a_pod_that_no_filter_saw_takes_the_room)
{
    foreign(rig);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_ROOM_TAKEN], 1);
    rig_delete(rig, RIG_POD, "foreign");
    rig_run(rig, 3 * SKR_SECOND);
    assert_non_null(booking(rig, "big"));
}

/* ---- what is written ---- */

static const char *stored(const struct rig *rig, const char *group)
{
    return rig_annotation(rig, RIG_MAP, group, "sakkara.reservation");
}

TEST_RIG(limits_waiting(1), a_promise_is_written_and_goes_when_the_group_is_bound)
{
    char start[48], text[400];
    rig_run(rig, SKR_SECOND);
    const struct booking *b = booking(rig, "big");
    skr_time_write(b->start * SKR_SECOND, 0, start, sizeof start);
    assert_string_equal(rig_key(rig, "big", "plannedStart"), start);
    assert_string_equal(rig_key(rig, "big", "plannedWhy"), "when default/run must end");
    assert_non_null(strstr(rig_key(rig, "big", "conditions"),
                           "{\"type\":\"Reserved\",\"status\":\"True\",\"reason\":\"Promised\""));
    snprintf(text, sizeof text, "{\"v\":1,\"start\":\"%s\",\"promised\":\"%s\"", start, start);
    assert_memory_equal(stored(rig, "big"), text, strlen(text));
    assert_non_null(strstr(stored(rig, "big"),
                           "\"guess\":false,\"nodes\":{\"node-0\":1,\"node-1\":1,\"node-2\":1,"
                           "\"node-3\":1}}"));
    assert_true(rig_has_event(rig, "GroupReserved"));
    snprintf(text, sizeof text, "%s", stored(rig, "big"));
    rig_forget_counts(rig);
    rig_run(rig, 60 * SKR_SECOND);
    assert_true(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, "big") <= 1); /* key ways */
    assert_string_equal(stored(rig, "big"), text);
    limits_end(rig, "run", 2);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "big"), 4);
    assert_string_equal(stored(rig, "big"), "");
    assert_string_equal(rig_key(rig, "big", "plannedStart"), "");
    assert_null(strstr(rig_key(rig, "big", "conditions"), "Reserved"));
}

TEST_RIG(limits_waiting(1), an_explanation_has_the_start)
{
    char time[48];
    const json_t *start = json_object_get(rig_explain(rig, "big"), "start");
    skr_time_write(booking(rig, "big")->start * SKR_SECOND, 0, time, sizeof time);
    assert_string_equal(json_string_value(json_object_get(start, "time")), time);
    assert_true(json_is_false(json_object_get(start, "guess")));
    assert_string_equal(json_string_value(json_object_get(start, "because")), "default/run");
    assert_null(json_object_get(rig_explain(rig, "run"), "start"));
}

TEST_RIG(limits_waiting(1), a_restart_keeps_the_promise_and_writes_nothing)
{
    rig_run(rig, 5 * SKR_SECOND);
    const int64_t start = booking(rig, "big")->start;
    limits_gang(rig, "endless", 2, -1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "endless"), 0);
    char text[1000];
    snprintf(text, sizeof text, "%s", stored(rig, "big"));
    rig_forget_counts(rig);
    rig_restart(rig);
    rig_run(rig, 15 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, "big"), 0);
    assert_string_equal(stored(rig, "big"), text);
    assert_int_equal(booking(rig, "big")->start, start);
    assert_int_equal(limits_bound(rig, "endless"), 0);
}

/* Users may write the annotation, too. */
TEST_RIG(limits_waiting(1), a_forged_reservation_gains_nothing)
{
    limits_gang(rig, "forger", 2, -1, 0);
    rig_edit(rig, RIG_MAP, "forger",
             "{'metadata':{'annotations':{'sakkara.reservation':'{\\'v\\':1,\\'start\\':\\'2023-11-"
             "14T22:13:21Z\\',\\'nodes\\':{\\'node-2\\':1,\\'node-3\\':1}}'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    const int64_t start = booking(rig, "big")->start;
    rig_restart(rig);
    rig_run(rig, 15 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "forger"), 0);
    assert_null(booking(rig, "forger"));
    assert_string_equal(stored(rig, "forger"), "");
    assert_int_equal(booking(rig, "big")->start, start);
}

/* ---- random histories ---- */

enum { HISTORY_GROUPS = 40, HISTORY_S = 400 };

struct history {
    struct rig *rig;
    uint64_t random;
    int n; /* groups so far */
    int size[HISTORY_GROUPS];
    int64_t limit[HISTORY_GROUPS], ends[HISTORY_GROUPS]; /* when it ends; 0: it does not run */
    int64_t start[HISTORY_GROUPS];                       /* as promised; 0: none */
};

static uint64_t pick(struct history *h, uint64_t n)
{
    h->random = h->random * 6364136223846793005u + 1442695040888963407u;
    return (h->random >> 33) % n;
}

/* As limits_four_nodes(), but groups evict. */
static struct rig *preempting_nodes(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.reservations = 1;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    rig_sync(rig);
    return rig;
}

/* Four running pods with 30 s of grace; group top may evict them. */
static struct rig *with_preemption(int64_t limit)
{
    struct rig *rig = preempting_nodes();
    rig_group(rig, "low", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        rig_create_json(rig, RIG_POD, test_text("low-%d", i),
                        "{'metadata':{'labels':{'sakkara.group.name':'low'}},'spec':{"
                        "'schedulerName':'sakkara','terminationGracePeriodSeconds':30,"
                        "'activeDeadlineSeconds':%lld,'schedulingGates':[{'name':'sakkara.gang'}],"
                        "'containers':[{'name':'main','resources':{'requests':{'cpu':'1'}}}]},"
                        "'status':{'phase':'Pending'}}",
                        (long long)limit);
    }
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "low"), 4);
    limits_start(rig, "low", 4);
    rig_run(rig, 3 * SKR_SECOND);
    limits_gang(rig, "top", 4, 9, 50);
    return rig;
}

/* Their deadline has passed, so they are gone as soon as evicted pods could be. */
TEST_RIG(with_preemption(1), a_group_evicts_nothing_if_its_start_is_as_near_as_the_grace_period)
{
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "low"), 4);
    assert_non_null(booking(rig, "top"));
    limits_end(rig, "low", 4);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "top"), 4);
}

TEST_RIG(with_preemption(500), a_group_evicts_if_its_start_is_far_away)
{
    rig_run(rig, 40 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "low"), 0);
    assert_int_equal(limits_bound(rig, "top"), 4);
}

/* Room that limits free in time for a group that waits is not there a second time for one that evicts. */
TEST_RIG(preempting_nodes(), a_group_does_not_evict_what_a_promise_begins_with)
{
    limits_gang(rig, "low", 3, 0, 200);
    limits_gang(rig, "same", 1, 9, 200);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "low", 3);
    limits_start(rig, "same", 1);
    limits_gang(rig, "big", 4, 9, 100);
    rig_run(rig, 3 * SKR_SECOND);
    const struct booking *promised = booking(rig, "big");
    assert_non_null(promised);
    const int64_t start = promised->start;
    limits_gang(rig, "long", 2, 9, 1000);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "low"), 3);
    assert_int_equal(limits_bound(rig, "long"), 0);
    limits_gang(rig, "short", 2, 9, 20); /* ends before big begins */
    rig_run(rig, 50 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "low"), 0);
    assert_int_equal(limits_bound(rig, "short"), 2);
    assert_int_equal(limits_bound(rig, "long"), 0);
    assert_int_equal(booking(rig, "big")->start, start);
}

static uint64_t causes(const struct rig *rig)
{
    uint64_t sum = 0;
    for (size_t i = 1; i < SKR_MOVE_CAUSE_COUNT; i++) {
        sum += rig->gang->stats.moves[i];
    }
    return sum;
}

/* Groups end at their limits or before, and sometimes later. */
static void live(struct history *h)
{
    char name[32];
    for (int i = 0; i < h->n; i++) {
        snprintf(name, sizeof name, "g%02d", i);
        if (h->ends[i] == 0 && limits_bound(h->rig, name) == h->size[i]) {
            const int64_t runs = h->limit[i] > 0 ? h->limit[i] : 200;
            limits_start(h->rig, name, h->size[i]);
            h->ends[i] = limits_now(h->rig) + 1 + (int64_t)pick(h, (uint64_t)runs);
            h->ends[i] += pick(h, 20) == 0 ? runs : 0;
        } else if (h->ends[i] > 0 && h->ends[i] <= limits_now(h->rig)) {
            limits_end(h->rig, name, h->size[i]);
            h->ends[i] = INT64_MAX;
        }
    }
}

/* A promise moves later only with a cause, which is counted. */
static void judge(struct history *h, uint64_t before)
{
    char name[32];
    uint64_t moved = 0;
    for (int i = 0; i < h->n; i++) {
        snprintf(name, sizeof name, "g%02d", i);
        const struct booking *b = booking(h->rig, name);
        const struct group *g = limits_group(h->rig, name);
        const bool later = h->start[i] > 0 && h->ends[i] == 0 && !(g && g->plan) &&
                           (!b || b->start > h->start[i] + SKR_MOVE_S) &&
                           limits_bound(h->rig, name) == 0;
        moved += later;
        h->start[i] = b ? b->anchor : 0;
    }
    if (moved > causes(h->rig) - before) {
        rig_fail(h->rig, "%d promises moved, %d causes", (int)moved,
                 (int)(causes(h->rig) - before));
    }
    assert_int_equal(h->rig->gang->stats.moves[SKR_MOVED_NOT], 0);
}

/* What was not written was not promised. */
static void see_what_is_written(struct history *h)
{
    char name[32], text[64];
    for (int i = 0; i < h->n; i++) {
        snprintf(name, sizeof name, "g%02d", i);
        const char *at = strstr(stored(h->rig, name), "\"start\":\"");
        skr_time start = 0;
        if (at) {
            snprintf(text, sizeof text, "%.20s", at + strlen("\"start\":\""));
            assert_int_equal(skr_time_parse(text, &start, NULL), 0);
        }
        h->start[i] = start > 0 ? skr_instant_up(start) + SKR_MOVE_S : 0;
    }
}

static void play(uint64_t seed, bool restarts)
{
    struct history h = {.random = seed};
    h.rig = limits_four_nodes(1 + (int64_t)pick(&h, 3));
    for (int t = 0; t < HISTORY_S; t++) {
        if (h.n < HISTORY_GROUPS && pick(&h, 8) == 0) {
            const int i = h.n++;
            h.size[i] = pick(&h, 3) == 0 ? 4 : 1 + (int)pick(&h, 2);
            h.limit[i] = pick(&h, 5) == 0 ? 0 : 20 + (int64_t)pick(&h, 60);
            limits_gang(h.rig, test_text("g%02d", i), h.size[i], pick(&h, 6) == 0 ? 1 : 0,
                        h.limit[i]);
        }
        uint64_t before = causes(h.rig);
        rig_run(h.rig, SKR_SECOND);
        judge(&h, before);
        before = causes(h.rig);
        live(&h);
        rig_settle(h.rig);
        judge(&h, before);
        if (restarts && pick(&h, 40) == 0) {
            rig_run(h.rig, 15 * SKR_SECOND);
            live(&h);
            rig_run(h.rig, SKR_SECOND);
            judge(&h, 0);
            see_what_is_written(&h);
            rig_restart(h.rig);
            rig_run(h.rig, SKR_SECOND);
            judge(&h, 0);
        }
    }
    rig_destroy(h.rig);
}

TEST(no_promise_moves_later_without_a_cause)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        play(seed, false);
    }
}

TEST(nor_does_a_restart_move_one)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        play(seed, true);
    }
}

/* Members exclude each other in a zone. Two nodes of the reserved place are of one zone now. A member that
 * tolerates more is a role of its own. */
TEST(a_place_that_breaks_a_rule_of_pods_is_given_up)
{
    for (int roles = 0; roles < 2; roles++) {
        SKR_AUTO(rig_destroy) struct rig *nodes = limits_four_nodes(1);
        limits_gang(nodes, "run", 4, 0, 100);
        rig_run(nodes, SKR_SECOND);
        limits_start(nodes, "run", 4);
        for (int i = 0; i < 4; i++) {
            rig_edit(nodes, RIG_NODE, test_text("node-%d", i),
                     "{'metadata':{'labels':{'zone':'z%d'}}}", i);
        }
        limits_gang(nodes, "big", 2, 0, 50);
        for (int i = 0; i < 2; i++) {
            rig_edit(nodes, RIG_POD, test_text("big-%d", i),
                     "{'spec':{'affinity':{'podAntiAffinity':{"
                     "'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey':'zone',"
                     "'labelSelector':{'matchLabels':{'sakkara.group.name':'big'}}}]}}%s}}",
                     roles && i ? ",'tolerations':[{'operator':'Exists'}]" : "");
        }
        rig_run(nodes, SKR_SECOND);
        assert_non_null(booking(nodes, "big"));
        rig_edit(nodes, RIG_NODE, "node-1", "{'metadata':{'labels':{'zone':'z0'}}}");
        rig_run(nodes, SKR_SECOND);
        assert_non_null(booking(nodes, "big"));
        rig_run(nodes, 99 * SKR_SECOND);
        limits_end(nodes, "run", 4);
        rig_run(nodes, SKR_SECOND);
        assert_int_equal(limits_bound(nodes, "big"), 2);
        rig_assert_clean(nodes);
    }
}
