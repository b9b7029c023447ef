/* SPDX-License-Identifier: Apache-2.0 */
/* Preemption over restarts, crashes and changes of the leader. */
#include "test/unit/engine_rig_failover.h"
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

/* Before and after a restart. */
TEST(victims_of_a_group_that_gives_way_stay_where_their_room_is_not_needed)
{
    for (int restart = 0; restart < 2; restart++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(2);
        rig->grace = 0;
        scene_bound(rig, "a", 4, 1);
        scene_bound(rig, "b", 4, 1);
        rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 100);
        scene_gang(rig, "middle", 8, 5);
        rig_run(rig, 3 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "middle"), "Preempting");
        scene_gang(rig, "top", 4, 9);
        rig_run(rig, 3 * SKR_SECOND);
        if (restart) {
            rig_restart(rig);
        }
        rig_faults_end(rig);
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_bound(rig, "top", 4);
        assert_int_equal(rig_n_bound(rig, "a") + rig_n_bound(rig, "b"), 4);
        assert_int_equal(rig_n_bound(rig, "middle"), 0);
    }
}

/* The standby sees all that there is to see. */
static void follow(struct rig *rig)
{
    for (int i = 0; i < 100; i++) {
        rig_step_standby(rig);
    }
}

TEST_RIG(scene_rack(3), d49_preemption_survives_a_restart_with_the_same_victims_and_plan)
{
    scene_bound(rig, "a", 4, 2);
    scene_bound(rig, "b", 4, 1);
    scene_bound(rig, "c", 4, 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    char plan[600];
    snprintf(plan, sizeof plan, "%s", rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"));
    assert_non_null(strstr(plan, "\"state\":\"Preempting\""));
    assert_non_null(strstr(plan, "\"victims\":[\"default/c\"]"));
    rig_restart(rig);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_state(rig, "c"), "Evicted");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), plan);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    rig_assert_bound(rig, "b", 4);
    assert_string_equal(rig_key(rig, "c", "preemptor"), "");
}

/* Its object says nothing any more of a state, as a user may have replaced it. */
TEST_RIG(scene_rack(1), a_preemption_that_cannot_be_taken_up_at_the_start_is_given_up)
{
    scene_bound(rig, "low", 4, 0);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "top", "{'data':{'status':null,'reason':null,'message':null}}");
    rig_delete(rig, RIG_POD, "top-3");
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "reason"), "MembersMissing");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
}

/* Who takes over finds the record only after it has begun to decide, and is about to remove it when it makes the same
 * plan itself. */
TEST_RIG(scene_rack(1), nobody_is_evicted_while_the_record_is_on_its_way_out)
{
    scene_bound(rig, "low", 4, 0);
    rig_start_standby(rig);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    follow(rig);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top"), RIG_OK);
    assert_non_null(rig_find_write(rig, SKR_WRITE_EVICT, "low-0"));
    rig->hold_solves = true;
    rig_fail_over_behind(rig);
    rig_settle(rig);
    size_t asked = rig_count(rig, SKR_WRITE_EVICT, NULL);
    assert_non_null(rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top"));
    rig->hold_solves = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), asked);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* The record says Planned as the follower saw it last; by then its gang runs. Nobody is nominated into its room. */
TEST_RIG(scene_rack(1), who_takes_over_knows_who_was_bound_before_anybody_is_pushed_out)
{
    rig_start_standby(rig);
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    scene_gang(rig, "low", 4, 0);
    rig_run(rig, SKR_SECOND);
    follow(rig);
    assert_string_equal(rig_state(rig, "low"), "Planned");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_UNGATE_POD, RIG_OK);
    rig_run(rig, 12 * SKR_SECOND);
    rig_assert_bound(rig, "low", 4);
    rig_fail_over(rig);
    assert_string_equal(rig_state(rig, "low"), "Bound");
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

/* The follower sees members of a bound group go, and does not know why. */
TEST_RIG(scene_rack(1), who_takes_over_keeps_no_seats_of_victims_from_the_plan_they_left_for)
{
    scene_bound(rig, "low", 4, 0);
    rig_start_standby(rig);
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 12 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Planned");
    follow(rig);
    rig_fail_over(rig);
    assert_string_equal(rig_state(rig, "top"), "Planned");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_UNGATE_POD, RIG_OK);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* One of two victims' pods is gone, the other one's eviction was not sent: it goes, too, though there is room without.
 * Objects are listed in every order. */
TEST(a_group_of_which_a_part_was_evicted_goes_as_a_whole_after_a_restart)
{
    for (int order = 0; order < 2 * RIG_KIND_COUNT; order++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(2);
        rig->grace = 0;
        rig_group(rig, "low", 5, 0, "{'node':{'type':'pack'}}"); /* four and one */
        rig_pods(rig, "low", 5, "low", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "low", 5);
        rig->hold_kind = SKR_WRITE_EVICT;
        scene_gang(rig, "top", 6, 5);
        rig_run(rig, SKR_SECOND);
        for (int i = 0; i < 4; i++) {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, NULL), RIG_OK);
        }
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "low"), 1);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig->reverse_lists = order % 2;
        rig->list_rotation = order / 2;
        rig_restart(rig);
        rig_run(rig, 20 * SKR_SECOND);
        rig_assert_bound(rig, "top", 6);
        assert_int_equal(rig_n_bound(rig, "low"), 0);
    }
}

/* As many stay as its size asks for, and it was chosen as a whole: the record says how many ran. */
TEST_RIG(scene_rack(2),
         a_group_beyond_its_size_of_which_a_part_was_evicted_goes_as_a_whole_after_a_restart)
{
    rig->grace = 0;
    rig_group(rig, "low", 5, 0, "{'node':{'type':'pack'}}"); /* four and one */
    rig_pods(rig, "low", 5, "low", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "other", 1, NULL, 0); /* beside the one */
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'size':'1'}}");
    rig_run(rig, SKR_SECOND);
    rig_group(rig, "top", 4, 5, "{'node':{'type':'pack','hard':true}}"); /* all of a node */
    rig->hold_kind = SKR_WRITE_EVICT;
    rig_pods(rig, "top", 4, "top", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"),
                           "\"victims\":[\"default/low\"],\"victimPods\":[5]"));
    for (int i = 0; i < 4; i++) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, test_text("low-%d", i)), RIG_OK);
    }
    rig_settle(rig);
    assert_int_equal(rig_n_bound(rig, "low"), 1);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

TEST_RIG(scene_rack(1), room_that_victims_left_is_kept_over_a_restart_before_anybody_is_nominated)
{
    scene_bound(rig, "low", 4, 0);
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 15 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_non_null(
        strstr(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "\"state\":\"Planned\""));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
    rig_pods(rig, "other", 4, NULL, 0); /* in kube-scheduler's queue before anything is solved */
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
}

/* The process dies after every write in turn, with and without its answer. */
TEST(d49_preemption_survives_a_crash_after_every_write)
{
    for (int answered = 0; answered < 2; answered++) {
        for (size_t at = 1; at < 40; at++) {
            SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(2);
            rig->grace = 5 * SKR_SECOND;
            scene_bound(rig, "a", 4, 1);
            scene_bound(rig, "b", 4, 0);
            rig_forget_counts(rig);
            rig->n_applied = 0;
            rig->crash_at = at;
            rig->crash_before_answer = !answered;
            scene_gang(rig, "top", 4, 9);
            rig_run(rig, 20 * SKR_SECOND);
            if (rig->crashed) {
                rig->crash_at = 0;
                rig_restart(rig);
            }
            rig_run(rig, 60 * SKR_SECOND);
            rig_assert_bound(rig, "top", 4);
            rig_assert_bound(rig, "a", 4);
            assert_int_equal(rig_n_bound(rig, "b"), 0);
            assert_string_equal(rig_key(rig, "b", "preemptor"), "");
            rig_assert_clean(rig);
        }
    }
}

TEST_RIG(scene_rack(1), a_link_to_a_preemptor_that_is_gone_vanishes_after_a_restart)
{
    scene_bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'preemptor':'default/gone','status':'Preempted'}}");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
}
