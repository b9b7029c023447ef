/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that conflict, are refused, get lost or whose outcome nobody knows. */
#include "test/unit/engine_scene.h"
#include "test/unit/engine_test.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    return rig;
}

static const enum rig_outcome every[] = {RIG_409, RIG_422,          RIG_403,
                                         RIG_429, RIG_LOST_APPLIED, RIG_LOST};
enum { EVERY = sizeof every / sizeof *every };

static void assert_complete(struct rig *rig)
{
    rig_assert_bound(rig, "p", 4);
    rig_assert_clean(rig);
    static const char *const keys[] = {"placement", "rank", "schedBeginTime", "schedEndTime"};
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_true(*rig_key(rig, "g", keys[i]));
    }
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_int_equal(rig_find(rig, RIG_POD, name)->bindings, 1);
        assert_string_equal(rig_label(rig, name, "sakkara.member.status"), "Bound");
        assert_true(*rig_label(rig, name, "sakkara.member.rank"));
    }
    assert_int_equal(rig_open_calls(rig), 0);
}

TEST(d32_any_write_may_fail_in_any_way_and_nothing_is_lost)
{
    static const enum skr_write_kind kinds[] = {SKR_WRITE_PATCH_CONFIGMAP,
                                                SKR_WRITE_PATCH_POD_STATUS, SKR_WRITE_UNGATE_POD,
                                                SKR_WRITE_BINDING, SKR_WRITE_PATCH_POD};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t o = 0; o < EVERY; o++) {
            for (int skip = 0; skip < 5; skip++) {
                SKR_AUTO(rig_destroy) struct rig *rig = cluster();
                rig->bindings_carry_labels = false;
                rig_fault_after(rig, kinds[k], NULL, every[o], skip, 1);
                rig_pods(rig, "p", 4, "g", RIG_GATED);
                rig_run(rig, 200 * SKR_SECOND);
                assert_complete(rig);
            }
        }
    }
}

TEST(reads_after_an_unknown_outcome_may_fail_too)
{
    for (size_t o = 0; o < EVERY; o++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        rig_fault(rig, SKR_WRITE_BINDING, "p-2", RIG_LOST_APPLIED, 1);
        rig_fault(rig, SKR_WRITE_GET_POD, "p-2", every[o], 3);
        rig_fault_after(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", RIG_LOST, 1, 1);
        rig_fault(rig, SKR_WRITE_GET_CONFIGMAP, "g", every[o], 3);
        rig->hold_watch[RIG_POD] = true;
        rig_pods(rig, "p", 4, "g", 0);
        rig->hold_watch[RIG_POD] = false;
        rig_run(rig, 200 * SKR_SECOND);
        assert_complete(rig);
    }
}

/* ---- Bindings ---- */

/* A gang of 4 whose Bindings are about to be posted; the watch of pods is behind. */
static struct rig *about_to_bind(void)
{
    struct rig *rig = cluster();
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    assert_non_null(rig_find_write(rig, SKR_WRITE_BINDING, "p-3"));
    return rig;
}

static void release(struct rig *rig)
{
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_OK);
    }
}

TEST(r5_an_unknown_binding_is_read_before_anything_else)
{
    for (int applied = 0; applied < 2; applied++) {
        SKR_AUTO(rig_destroy) struct rig *rig = about_to_bind();
        rig->hold_watch[RIG_POD] = true;
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"),
                         applied ? RIG_LOST_APPLIED : RIG_LOST);
        release(rig);
        assert_int_equal(rig_call_of(rig, "p-1")->state, RIG_OPEN);
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(rig_call_of(rig, "p-1")->state, RIG_BOUND);
        assert_int_equal(rig_count(rig, SKR_WRITE_GET_POD, "p-1"), 1);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, "p-1"), applied ? 1 : 2);
        rig->hold_watch[RIG_POD] = false;
        rig_run(rig, 5 * SKR_SECOND);
        assert_complete(rig);
    }
}

TEST_RIG(about_to_bind(), r5_a_conflict_on_the_same_node_is_success)
{
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'nodeName':'node-0'}}");
    release(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_call_of(rig, "p-1")->state, RIG_BOUND);
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(about_to_bind(), r5_a_conflict_on_another_node_is_an_error_and_the_pod_stays_there)
{
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'nodeName':'node-3'}}");
    release(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_call_of(rig, "p-1")->state, RIG_ERROR);
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_non_null(strstr(rig_key(rig, "g", "placement"), "\"node-3\":{\"p-1\":{}}"));
}

TEST_RIG(about_to_bind(),
         a_binding_that_fails_answers_its_own_call_and_is_posted_when_the_pod_returns)
{
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), RIG_403);
    release(rig);
    assert_string_equal(rig_call_of(rig, "p-1")->text, "sakkara: binding failed");
    assert_int_equal(rig_call_of(rig, "p-0")->state, RIG_BOUND);
    rig_run(rig, 10 * SKR_SECOND);
    assert_complete(rig);
}

TEST_RIG(cluster(), a_caller_that_hangs_up_in_binding_is_not_posted_for)
{
    rig_fault(rig, SKR_WRITE_BINDING, "p-1", RIG_429, 1);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = true;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), RIG_429);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    release(rig);
    rig_hang_up(rig, rig_call_of(rig, "p-1"));
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, "p-1"), 1);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_complete(rig);
}

TEST(onpartialbind_rollback_deletes_the_bound_members)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.rollback_partial = true;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-0"), RIG_OK);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), RIG_OK);
    rig->hold_scheduler = true;
    rig_delete(rig, RIG_POD, "p-3");
    rig_settle(rig);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 0); /* two are on their way */
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-2"), RIG_OK);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-3"), RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 3);
    assert_null(rig_find(rig, RIG_POD, "p-0"));
    assert_null(rig_find(rig, RIG_POD, "p-2"));
    rig->hold_scheduler = false;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_complete(rig);
}

/* A group of four past the point of no return: two are bound, one was lost and two Bindings end. */
static struct rig *rolling_back(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.rollback_partial = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = true;
    rig_delete(rig, RIG_POD, "p-3");
    for (int i = 0; i < 4; i++) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, test_text("p-%d", i)), RIG_OK);
    }
    return rig;
}

TEST(rollback_is_tried_again_until_every_delete_is_confirmed)
{
    static const enum rig_outcome lost[] = {RIG_429, RIG_LOST, RIG_LOST_APPLIED};
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rolling_back();
        rig_fault(rig, SKR_WRITE_DELETE_POD, "p-1", lost[i], 3);
        rig_settle(rig);
        /* The plan stands until then: a process that dies now finds it. */
        assert_string_equal(rig_state(rig, "g"),
                            lost[i] == RIG_LOST_APPLIED ? "Pending" : "Binding");
        assert_non_null(strstr(rig->log.s, "Member not deleted yet"));
        rig_run(rig, 30 * SKR_SECOND);
        size_t again = lost[i] == RIG_LOST_APPLIED ? 0 : 3; /* the watch says that it is gone */
        assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 3 + again);
        for (int k = 0; k < 3; k++) {
            assert_null(rig_find(rig, RIG_POD, test_text("p-%d", k)));
        }
        rig->hold_scheduler = false;
        rig_pods(rig, "p", 4, "g", 0);
        rig_run(rig, 60 * SKR_SECOND);
        assert_complete(rig);
    }
}

TEST_RIG(rolling_back(), a_rollback_that_is_forbidden_is_given_up_and_the_seat_is_kept)
{
    rig_fault(rig, SKR_WRITE_DELETE_POD, NULL, RIG_403, 1000);
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(strstr(rig->log.s, "Roll-back given up"));
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    rig->hold_scheduler = false;
    rig_pod(rig, "p-9", "g", 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
}

TEST_RIG(rolling_back(), a_process_that_dies_in_a_rollback_leaves_a_plan_that_is_finished)
{
    rig_fault(rig, SKR_WRITE_DELETE_POD, NULL, RIG_429, 2);
    rig_settle(rig);
    rig_faults_end(rig);
    rig->hold_scheduler = false;
    rig_restart(rig);
    rig_pods(rig, "q", 2, "g", 0); /* one was deleted already */
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
}

/* ---- maps ---- */

TEST(a_plan_that_may_not_be_written_gives_its_room_back)
{
    static const enum rig_outcome refusals[] = {RIG_403, RIG_422};
    for (size_t i = 0; i < 2; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", refusals[i], 1000);
        rig_pods(rig, "p", 4, "g", 0);
        rig_run(rig, 2 * SKR_SECOND);
        rig_group(rig, "other", 8, 0, NULL);
        rig_pods(rig, "o", 8, "other", 0); /* the whole cluster */
        rig_run(rig, 120 * SKR_SECOND);
        rig_assert_bound(rig, "o", 8);
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        rig_faults_end(rig);
        rig_delete_pods(rig, "o", 0, 8);
        rig_run(rig, 120 * SKR_SECOND);
        assert_complete(rig);
    }
}

TEST_RIG(cluster(), a_users_edit_between_read_and_write_is_never_overwritten)
{
    rig->hold_watch[RIG_MAP] = true;
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'3','note':'mine'}}");
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "note"), "mine");
    assert_string_equal(rig_key(rig, "g", "size"), "3");
    rig->hold_watch[RIG_MAP] = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
}

TEST_RIG(cluster(), keys_that_a_user_deleted_are_written_again)
{
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'status':null,'rank':null,'placement':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_complete(rig);
}

TEST_RIG(cluster(), late_and_repeated_watch_events_change_nothing)
{
    for (int kind = 0; kind < RIG_KIND_COUNT; kind++) {
        rig->hold_watch[kind] = kind != RIG_POD;
    }
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_settle(rig);
    rig->hold_watch[RIG_POD] = true; /* from here the engine lives on its own answers */
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    size_t writes = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    for (int kind = 0; kind < RIG_KIND_COUNT; kind++) {
        rig->hold_watch[kind] = false;
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), writes);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
    assert_complete(rig);
}

TEST_RIG(cluster(), the_room_of_an_aborted_plan_is_given_back_only_when_its_end_is_known)
{
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig_group(rig, "other", 8, 0, NULL);
    rig_pods(rig, "o", 8, "other", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_MAP, "other", "sakkara.plan"), "");
    assert_string_equal(rig_state(rig, "other"), "Backoff");
    while (rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "other")) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "other"), RIG_OK);
    }
    rig->hold_kind = SKR_WRITE_GET_CONFIGMAP;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), RIG_LOST_APPLIED);
    rig->hold_watch[RIG_MAP] = true;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "other"), "Backoff"); /* it is being read */
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_GET_CONFIGMAP, "g"), RIG_OK);
    rig->hold_watch[RIG_MAP] = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "other"), "Admitting");
}

/* The end of the pause of its object comes just before that of its own. */
TEST(a_group_whose_plan_could_not_be_written_in_time_is_planned_again)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.plan_timeout = 29900 * SKR_MILLISECOND;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 1, 2);
    rig_sync(rig);
    rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", RIG_LOST, 1);
    rig_fault(rig, SKR_WRITE_GET_CONFIGMAP, "g", RIG_403, 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'metadata':{'labels':{'note':'x'}}}"); /* it is known again */
    rig_run(rig, 29 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Backoff");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(rig_create(), an_abort_ends_whose_plan_was_written_with_unknown_outcome)
{
    rig_racks(rig, 1, 1, 2);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 100 * SKR_MILLISECOND);
    struct rig_write *plan = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g");
    assert_non_null(plan);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'priority':'1'}}"); /* the plan is given up */
    rig_settle(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, plan, RIG_LOST);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST(a_pod_is_known_to_be_bound_although_a_patch_of_ours_was_answered_before_the_news)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", RIG_GATED);
    rig_settle(rig);
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-0",
             "{'spec':{'nodeName':'node-1','schedulingGates':null},'status':{'phase':'Running'}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, "p-0"), 1); /* "Waiting" */
    assert_string_equal(rig_state(rig, "g"), "Pending");
    rig->hold_watch[RIG_POD] = false;
    assert_true(rig_step_watch(rig, 0)); /* as it was bound, before the patch */
    assert_string_equal(rig_state(rig, "g"), "Bound");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Bound");
}

/* ---- what another client undoes ---- */

/* Every 100 ms, which part it is alternates. */
static void undo_for(struct rig *rig, enum rig_kind kind, const char *key,
                     const char *const part[2], int seconds)
{
    for (int i = 0; i < 10 * seconds; i++) {
        rig_edit(rig, kind, key, "%s", part[i % 2]);
        rig_run(rig, 100 * SKR_MILLISECOND);
    }
}

static size_t events_with(struct rig *rig, const char *text)
{
    size_t n = 0, i;
    const json_t *event;
    json_array_foreach(rig->events, i, event)
    {
        n += strstr(json_string_value(event), text) ? 1 : 0;
    }
    return n;
}

TEST_RIG(scene_planned(RIG_GATED),
         a_map_whose_status_and_plan_are_overwritten_is_written_at_growing_pauses)
{
    static const char *const part[] = {
        "{'data':{'status':'mine','rank':'x'}}",
        "{'metadata':{'annotations':{'sakkara.plan':null}}}",
    };
    const size_t before = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    undo_for(rig, RIG_MAP, "g", part, 120);
    const size_t n = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL) - before;
    if (n >= 60 || rig_count(rig, SKR_WRITE_GET_CONFIGMAP, NULL) >= 60) {
        fail_msg("%zu", n);
    }
    assert_int_equal(events_with(rig, "ConfigMap/g Warning ObjectOverwritten"), 1);
    /* The group goes on when that ends. */
    rig->hold_scheduler = false;
    rig_run(rig, 90 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST(a_member_whose_labels_are_overwritten_is_written_at_growing_pauses)
{
    static const char *const part[] = {
        "{'metadata':{'labels':{'sakkara.member.rank':'7'}}}",
        "{'metadata':{'labels':{'sakkara.member.status':'mine'}}}",
    };
    for (int bound = 0; bound < 2; bound++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_planned(0);
        if (bound) {
            rig->hold_scheduler = false;
            rig_run(rig, 5 * SKR_SECOND);
            rig_assert_bound(rig, "p", 8);
        }
        const size_t before = rig_count(rig, SKR_WRITE_PATCH_POD, "p-1") +
                              rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-1");
        undo_for(rig, RIG_POD, "p-1", part, 120);
        const size_t n = rig_count(rig, SKR_WRITE_PATCH_POD, "p-1") +
                         rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-1") - before;
        if (n >= 60) {
            fail_msg("bound %d: %zu", bound, n);
        }
        assert_int_equal(events_with(rig, "Pod/p-1 Warning ObjectOverwritten"), 1);
        assert_int_equal(events_with(rig, "ObjectOverwritten"), 1);
        rig->hold_scheduler = false;
        rig_run(rig, 90 * SKR_SECOND);
        rig_assert_bound(rig, "p", 8);
        assert_string_equal(rig_label(rig, "p-1", "sakkara.member.status"), "Bound");
    }
}
