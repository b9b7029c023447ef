/* SPDX-License-Identifier: Apache-2.0 */
/* Pods that were let in before a reservation on the word of a limit are held to it. */
#include "core/gang/cache/ends.h"
#include "core/gang/state/booking.h"
#include "test/unit/limits_scene.h"

enum { LIMIT_S = 60, DAYS_20 = 20 * 24 * 3600 };

static const struct booking *booking(const struct rig *rig, const char *name)
{
    return limits_group(rig, name)->booking;
}

static bool is_gone(const struct rig *rig, const char *pod)
{
    const struct rig_object *o = rig_find(rig, RIG_POD, pod);
    return !o || !o->json;
}

/* Two of four nodes run a Job that ends after a minute; big waits for all of them. */
static struct rig *beside_a_job(bool evicts)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    settings.reservations = 1;
    settings.evict_overrun = evicts;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    rig_sync(rig);
    limits_job_gang(rig, "run", 2, LIMIT_S);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 2);
    limits_start(rig, "run", 2);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
    return rig;
}

/* Big starts at most a moment after what it was promised, since run is evicted. */
static void expect_the_word_holds(struct rig *rig, int64_t start)
{
    assert_int_equal(booking(rig, "big")->start, start);
    rig_run(rig, (start - limits_now(rig) + 5) * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 0);
    assert_int_equal(limits_bound(rig, "big"), 4);
    assert_true(rig_has_event(rig, "PodBeyondLimit"));
    for (size_t i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        assert_int_equal(rig->gang->stats.moves[i], 0);
    }
}

TEST_RIG(beside_a_job(true), a_job_whose_deadline_is_raised_is_evicted_at_its_word)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", DAYS_20);
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

/* It has a place in a plan alone: what ends is the plan. */
TEST_RIG(beside_a_job(true), a_pod_that_is_not_bound_yet_is_not_evicted_at_its_word)
{
    rig->hold_scheduler = true;
    limits_job_gang(rig, "late", 2, LIMIT_S / 2);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "late-0"), "");
    rig_edit(rig, RIG_JOB, "late", "{'spec':{'activeDeadlineSeconds':%d}}", DAYS_20);
    rig_run(rig, 2 * LIMIT_S * SKR_SECOND);
    assert_false(is_gone(rig, "late-0"));
    assert_false(is_gone(rig, "late-1"));
}

TEST_RIG(beside_a_job(true), nor_does_a_restart_forget_the_word)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", DAYS_20);
    rig_run(rig, 15 * SKR_SECOND);
    assert_true(*rig_annotation(rig, RIG_POD, "run-0", SKR_ANNOTATION_END));
    rig_restart(rig);
    rig_run(rig, 2 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

TEST_RIG(beside_a_job(true), a_pod_that_its_job_does_not_own_any_more_is_held_to_its_word)
{
    const int64_t start = booking(rig, "big")->start;
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, test_text("run-%d", i), "{'metadata':{'ownerReferences':null}}");
    }
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

TEST_RIG(beside_a_job(true), a_job_that_is_deleted_and_leaves_its_pods_gave_its_word)
{
    const int64_t start = booking(rig, "big")->start;
    rig_delete(rig, RIG_JOB, "run");
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

/* The first pod ends or is removed at the deadline, after a user took what names the word from it. */
static void expect_no_seat_beyond_the_word(struct rig *rig, const char *edit, bool fails)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_POD, "run-0", "%s", edit);
    rig_run(rig, (start - 1 - limits_now(rig)) * SKR_SECOND);
    rig_delete(rig, RIG_JOB, "run");
    if (fails) {
        rig_phase(rig, "run-0", "Failed");
        rig_run(rig, SKR_SECOND / 4);
    }
    rig_delete(rig, RIG_POD, "run-0");
    rig_run(rig, SKR_SECOND / 4);
    assert_int_equal(limits_group(rig, "run")->holds.n, 1);
    expect_the_word_holds(rig, start);
}

TEST_RIG(beside_a_job(true), a_seat_ends_with_the_word_of_a_pod_that_lost_its_annotation)
{
    expect_no_seat_beyond_the_word(rig, "{'metadata':{'annotations':{'sakkara.end':null}}}", false);
}

TEST_RIG(beside_a_job(true), nor_does_a_pod_that_lost_its_owner_leave_its_seat_beyond_its_word)
{
    expect_no_seat_beyond_the_word(rig, "{'metadata':{'ownerReferences':null}}", true);
}

/* A deletion ends the pod, and its group has the seat until the word. */
TEST_RIG(beside_a_job(true), a_deletion_makes_the_word_no_earlier)
{
    const int64_t start = booking(rig, "big")->start;
    char text[48];
    skr_time_write(rig->now - rig->now % SKR_SECOND + 2 * SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_POD, "run-0", "{'metadata':{'deletionTimestamp':'%s'}}", text);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "run-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_group(rig, "run")->holds.n, 1);
    assert_int_equal(limits_group(rig, "run")->holds.item[0].word, start);
}

TEST_RIG(beside_a_job(false), without_evictions_the_promise_moves_and_says_so)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", LIMIT_S + 600);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(booking(rig, "big")->start, start + 600);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_OVERRUN], 1);
    assert_int_equal(limits_bound(rig, "run"), 2);
    assert_false(rig_has_event(rig, "PodBeyondLimit"));
}

TEST_RIG(beside_a_job(true), a_job_that_is_over_gave_its_word)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_JOB, "run",
             "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

TEST_RIG(beside_a_job(true), a_job_whose_clock_starts_again_gave_its_word)
{
    const int64_t start = booking(rig, "big")->start;
    char text[48];
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'suspend':true},'status':{'startTime':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    skr_time_write(rig->now - rig->now % SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'suspend':false},'status':{'startTime':'%s'}}", text);
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

/* The promise moves meanwhile. */
TEST_RIG(beside_a_job(true), a_budget_delays_the_eviction_and_does_not_void_the_word)
{
    const int64_t start = booking(rig, "big")->start;
    rig_budget(rig, "keep", "run", 0);
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", DAYS_20);
    rig_run(rig, (start - limits_now(rig) + 2 * LIMIT_S) * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 2);
    assert_true(rig->gang->stats.moves[SKR_MOVED_OVERRUN] > 0);
    rig_delete(rig, RIG_BUDGET, "keep");
    rig_run(rig, LIMIT_S * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 0);
    assert_int_equal(limits_bound(rig, "big"), 4);
}

/* Its Job ends the pod when it always did. */
TEST_RIG(beside_a_job(true), a_word_of_the_past_that_a_user_writes_takes_no_promise)
{
    const int64_t start = booking(rig, "big")->start;
    rig_edit(rig, RIG_POD, "run-0", "{'metadata':{'annotations':{'%s':'2001-01-01T00:00:00Z'}}}",
             SKR_ANNOTATION_END);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    expect_the_word_holds(rig, start);
}

/* Nobody else needs the room, so the Job may run on, by its new deadline. */
TEST_RIG(beside_a_job(true), where_nothing_is_reserved_a_longer_deadline_is_no_breach)
{
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", LIMIT_S + 600);
    rig_delete_pods(rig, "big", 0, 4);
    rig_run(rig, (LIMIT_S + 60) * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 2);
}

/* Big comes long after the first end. */
TEST_RIG(limits_four_nodes(1), nor_does_a_later_reservation_evict_for_it)
{
    limits_job_gang(rig, "run", 2, LIMIT_S);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    rig_edit(rig, RIG_JOB, "run", "{'spec':{'activeDeadlineSeconds':%d}}", 60 * LIMIT_S);
    const int64_t end = limits_now(rig) + (int64_t)60 * LIMIT_S;
    rig_run(rig, 10 * LIMIT_S * SKR_SECOND);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, LIMIT_S * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "run"), 2);
    assert_false(rig_has_event(rig, "PodBeyondLimit"));
    assert_in_range(booking(rig, "big")->start, end - 5, end);
}

/* ---- whose deadline counts ---- */

static void wait_for_job(struct rig *rig, const char *spec)
{
    limits_job_gang(rig, "run", 2, LIMIT_S);
    rig_edit(rig, RIG_JOB, "run", "{'spec':%s}", spec);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 3 * SKR_SECOND);
}

TEST_RIG(limits_four_nodes(1), the_deadline_of_a_job_of_another_controller_is_no_end)
{
    wait_for_job(rig, "{'managedBy':'example.com/nobody'}");
    assert_null(booking(rig, "big"));
}

TEST_RIG(limits_four_nodes(1), that_of_the_controller_of_kubernetes_is_one_by_its_name_too)
{
    wait_for_job(rig, "{'managedBy':'kubernetes.io/job-controller'}");
    assert_non_null(booking(rig, "big"));
}

TEST_RIG(limits_four_nodes(1), nor_is_that_of_a_job_whose_selector_does_not_take_in_the_pod)
{
    wait_for_job(rig, "{'selector':{'matchLabels':{'job':'other'}}}");
    assert_null(booking(rig, "big"));
}

TEST_RIG(limits_four_nodes(1), nor_is_that_of_a_job_that_is_over)
{
    limits_job_gang(rig, "run", 2, LIMIT_S);
    rig_edit(rig, RIG_JOB, "run",
             "{'status':{'conditions':[{'type':'Complete','status':'True'}]}}");
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 3 * SKR_SECOND);
    assert_null(booking(rig, "big"));
}

/* As when its controller is slow: pods that come now have no end that is known. */
TEST_RIG(limits_waiting(1), a_deadline_that_has_passed_gives_no_right_to_reserved_room)
{
    const int64_t start = booking(rig, "big")->start;
    char text[48];
    limits_job_gang(rig, "late", 2, LIMIT_S);
    skr_time_write(rig->now - rig->now % SKR_SECOND - 60 * LIMIT_S * SKR_SECOND, 0, text,
                   sizeof text);
    rig_edit(rig, RIG_JOB, "late", "{'status':{'startTime':'%s'}}", text);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "late"), 0);
    assert_int_equal(booking(rig, "big")->start, start);
}

TEST_RIG(limits_four_nodes(1), nor_is_that_of_a_job_of_the_same_name_with_another_uid)
{
    wait_for_job(rig, "{'suspend':false}");
    assert_non_null(booking(rig, "big"));
    rig_delete(rig, RIG_POD, "run-0");
    rig_delete(rig, RIG_POD, "run-1");
    rig_create_json(rig, RIG_POD, "liar",
                    "{'metadata':{'ownerReferences':[{'apiVersion':'batch/v1','kind':'Job','name':"
                    "'run','uid':'uid-of-another','controller':true}]},'spec':{'schedulerName':"
                    "'other','nodeName':'node-0','containers':[{'name':'c','resources':{"
                    "'requests':{'cpu':'1'}}}]},'status':{'phase':'Running'}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_null(booking(rig, "big"));
}

/* ---- grace ---- */

static void delete_slowly(struct rig *rig, const char *pod)
{
    char text[48];
    skr_time_write(rig->now - rig->now % SKR_SECOND + 7 * 24 * 3600 * SKR_SECOND, 0, text,
                   sizeof text);
    rig_edit(rig, RIG_POD, pod,
             "{'metadata':{'deletionTimestamp':'%s','deletionGracePeriodSeconds':604800}}", text);
}

TEST_RIG(limits_waiting(1), a_grace_period_of_a_week_moves_no_promise)
{
    const int64_t start = booking(rig, "big")->start;
    rig_run(rig, 5 * SKR_SECOND);
    delete_slowly(rig, "run-0");
    delete_slowly(rig, "run-1");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(booking(rig, "big")->start, start);
    rig_run(rig, (start - limits_now(rig) + 5) * SKR_SECOND);
    assert_true(rig_has_event(rig, "PodBeyondLimit"));
    assert_int_equal(limits_bound(rig, "big"), 4);
    assert_true(is_gone(rig, "run-0"));
}

/* ---- run-limit ---- */

static int deadline(const struct rig *rig, const char *pod)
{
    const json_t *spec = json_object_get(rig_find(rig, RIG_POD, pod)->json, "spec");
    return (int)json_integer_value(json_object_get(spec, "activeDeadlineSeconds"));
}

/* Its seat is held until the limit, not until the next whole second. */
TEST_RIG(limits_four_nodes(1), a_member_that_goes_slowly_leaves_its_seat_at_the_limit)
{
    rig_run(rig, SKR_SECOND / 20);
    limits_gang(rig, "run", 2, 0, 0);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'60s'}}");
    rig_run(rig, SKR_SECOND / 2);
    limits_start(rig, "run", 2);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 5 * SKR_SECOND);
    const int64_t start = booking(rig, "big")->start;
    delete_slowly(rig, "run-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(booking(rig, "big")->start, start);
    for (size_t i = 0; i < SKR_MOVE_CAUSE_COUNT; i++) {
        assert_int_equal(rig->gang->stats.moves[i], 0);
    }
}

static void run_with_limit(struct rig *rig)
{
    limits_gang(rig, "run", 2, 0, 0);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'22s'}}");
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    assert_int_equal(deadline(rig, "run-0"), 22);
}

/* A member fails, and its replacement comes after the edit. */
static void expect_the_rest(struct rig *rig)
{
    rig_run(rig, 5 * SKR_SECOND);
    rig_phase(rig, "run-0", "Failed");
    limits_pod(rig, "again", "run", 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "again"));
    assert_in_range(deadline(rig, "again"), 1, 22);
}

TEST_RIG(limits_four_nodes(1), a_run_limit_that_is_raised_gives_replacements_no_more)
{
    run_with_limit(rig);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'720h'}}");
    expect_the_rest(rig);
}

TEST_RIG(limits_four_nodes(1), nor_does_one_that_is_taken_away)
{
    run_with_limit(rig);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':null}}");
    expect_the_rest(rig);
}

TEST_RIG(limits_four_nodes(1), nor_after_a_restart)
{
    run_with_limit(rig);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'720h'}}");
    rig_run(rig, 2 * SKR_SECOND);
    rig_restart(rig);
    expect_the_rest(rig);
}

TEST_RIG(limits_four_nodes(1), a_new_start_has_the_limit_of_now)
{
    run_with_limit(rig);
    rig_edit(rig, RIG_MAP, "run", "{'data':{'run-limit':'720h'}}");
    rig_phase(rig, "run-0", "Failed");
    rig_phase(rig, "run-1", "Failed");
    rig_run(rig, 70 * SKR_SECOND);
    limits_pod(rig, "run-2", "run", 0);
    limits_pod(rig, "run-3", "run", 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(deadline(rig, "run-2"), 720 * 3600);
}
