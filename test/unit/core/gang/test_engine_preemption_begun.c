/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of which a part has gone for one group when a third one comes, or when their priority is raised. */
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

/* Who waits for victims gives way itself, before any of them was let go: they are those of the third group then. */
TEST_RIG(scene_rack(1), who_pushes_out_a_group_that_waits_for_victims_takes_them_over)
{
    scene_bound(rig, "low", 4, 1);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 100);
    scene_gang(rig, "middle", 4, 5);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "middle"), "Preempting");
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_int_equal(rig_n_bound(rig, "middle"), 0);
}

/* Nobody of low has gone for middle, and its budget lets nobody go any more: top would push out middle in vain. */
TEST_RIG(scene_rack(1), nobody_gives_way_for_room_that_a_budget_keeps_from_both)
{
    scene_bound(rig, "low", 4, 1);
    rig_budget(rig, "budget", "low", 4);
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "middle", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':0}}");
    scene_let_go(rig, SKR_WRITE_EVICT, RIG_429);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "middle"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
    rig_assert_bound(rig, "low", 4);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':4}}");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_int_equal(rig_n_bound(rig, "middle"), 0);
}

/* Nor when low is of no lower priority than top by now. */
TEST_RIG(scene_rack(1), nobody_gives_way_for_room_of_a_group_whose_priority_was_raised)
{
    scene_bound(rig, "low", 4, 1);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000);
    scene_gang(rig, "middle", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'9'}}");
    rig_run(rig, SKR_SECOND);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "middle"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
    rig_assert_bound(rig, "low", 4);
}

/* One of low has gone for middle, the others are kept by their budget. */
static void half_gone(struct rig *rig)
{
    rig->grace = 0;
    scene_bound(rig, "low", 4, 1);
    rig_budget(rig, "budget", "low", 4);
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "middle", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, "low-1"), RIG_OK);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':0}}");
    scene_let_go(rig, SKR_WRITE_EVICT, RIG_429);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "low"), 3);
    assert_string_equal(rig_state(rig, "middle"), "Preempting");
}

/* The budget that has become tighter is waited for, by the third group now. */
TEST_RIG(scene_rack(1), a_group_of_which_a_budget_kept_a_part_goes_whole_for_a_third_one)
{
    half_gone(rig);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "message"),
                        "group top waits for 3 pods of 1 group to leave: default/low");
    assert_string_equal(rig_key(rig, "low", "preemptor"), "default/top");
    assert_int_equal(rig_n_bound(rig, "low"), 3);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':3}}");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_int_equal(rig_n_bound(rig, "middle"), 0);
}

/* Also when it is raised before the record of the third group is on its way. */
TEST_RIG(scene_rack(1), a_priority_raised_when_a_part_has_gone_keeps_the_others_from_no_third_group)
{
    half_gone(rig);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000);
    rig_delete(rig, RIG_BUDGET, "budget");
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_group(rig, "top", 4, 9, NULL);
    rig_run(rig, SKR_SECOND); /* its state is being written */
    rig_pods(rig, "top", 4, "top", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'9'}}");
    rig_run(rig, SKR_SECOND);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

TEST_RIG(scene_rack(1), a_group_whose_priority_is_raised_before_it_is_evicted_stays)
{
    scene_bound(rig, "low", 4, 0);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'5'}}");
    rig_run(rig, SKR_SECOND);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "low", 4);
    assert_string_equal(rig_key(rig, "low", "status"), "Bound");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
}

TEST_RIG(scene_rack(1), a_group_that_went_by_itself_is_no_victim_in_the_record)
{
    scene_bound(rig, "low", 4, 0);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_delete_pods(rig, "low", 0, 4);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'5'}}");
    rig_run(rig, SKR_SECOND);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top"), RIG_LOST);
    rig_run(rig, SKR_SECOND);
    const struct rig_write *again = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top");
    const json_t *meta = json_object_get(again->body, "metadata");
    const char *record =
        json_string_value(json_object_get(json_object_get(meta, "annotations"), "sakkara.plan"));
    assert_non_null(record);
    assert_non_null(strstr(record, "\"Preempting\""));
    assert_null(strstr(record, "victims"));
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

/* The priority that a map had when it could be read last is in force, also when it came while members were being bound. */
TEST_RIG(scene_rack(1), a_priority_raised_before_the_map_is_malformed_counts)
{
    rig->hold_kind = SKR_WRITE_BINDING;
    scene_gang(rig, "low", 4, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "low"), "Binding");
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'1'}}");
    rig_settle(rig);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'constraints':'{'}}");
    rig_settle(rig);
    scene_let_go(rig, SKR_WRITE_BINDING, RIG_OK);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "low", 4);
    assert_string_equal(rig_key(rig, "low", "reason"), "GroupInvalid");
    scene_gang(rig, "high", 4, 1);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_edit(rig, RIG_MAP, "high", "{'data':{'priority':'2'}}");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "high", 4);
}

/* "low", which is malformed by now and of the same priority as "high". */
static void led_again_it_stays(struct rig *rig)
{
    rig_event(rig, SKR_EVENT_LEADER_WON);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "low", "reason"), "GroupInvalid");
    scene_gang(rig, "high", 4, 1);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "low", 4);
}

/* Both were heard of while somebody else led: nobody looked at the group in between. */
TEST_RIG(scene_rack(1), a_priority_raised_before_the_map_is_malformed_counts_when_led_again)
{
    scene_bound(rig, "low", 4, 0);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'1'}}");
    rig_edit(rig, RIG_MAP, "low", "{'data':{'constraints':'{'}}");
    rig_settle(rig);
    led_again_it_stays(rig);
}

TEST_RIG(scene_rack(1), a_priority_of_a_map_that_was_made_anew_counts_when_it_is_malformed_then)
{
    scene_bound(rig, "low", 4, 0);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    rig_delete(rig, RIG_MAP, "low");
    rig_settle(rig);
    rig_group(rig, "low", 4, 1, NULL);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'constraints':'{'}}");
    rig_settle(rig);
    led_again_it_stays(rig);
}
