/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that give way to groups of higher priority: who does, and what becomes of both. */
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

TEST_RIG(scene_rack(3), d36_of_three_equal_nodes_only_the_group_of_the_lowest_priority_goes)
{
    scene_bound(rig, "a", 4, 2);
    scene_bound(rig, "b", 4, 1);
    scene_bound(rig, "c", 4, 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "status"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForPreemption");
    assert_string_equal(rig_key(rig, "top", "message"),
                        "group top waits for 4 pods of 1 group to leave: default/c");
    assert_string_equal(rig_key(rig, "c", "status"), "Preempted");
    assert_string_equal(rig_key(rig, "c", "preemptor"), "default/top");
    assert_string_equal(rig_filter(rig, "top-0", NULL).text,
                        "sakkara: group waits for victims to leave");
    rig_run(rig, 15 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    rig_assert_bound(rig, "b", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
    assert_string_equal(rig_key(rig, "c", "preemptor"), "");
    assert_string_equal(rig_key(rig, "top", "status"), "Bound");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
    assert_true(rig_has_event(rig, "ConfigMap/top Normal GroupPreempting: group top waits"));
    assert_true(rig_has_event(
        rig, "ConfigMap/c Normal GroupPreempted: group c gives way to group default/top"));
}

/* The gang has its room before the last pod of the victim is gone, and before its eviction is answered. */
TEST_RIG(scene_rack(1), the_last_word_of_a_victim_counts_none_of_its_pods)
{
    scene_bound(rig, "low", 4, 0);
    rig_edit(rig, RIG_POD, "low-3", "{'metadata':{'finalizers':['example.com/stays']}}");
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "top", 3, 9);
    rig_run(rig, 2 * SKR_SECOND);
    rig_terminate(rig, "low-3");
    rig_delete(rig, RIG_POD, "low-0");
    rig_delete(rig, RIG_POD, "low-1");
    rig_delete(rig, RIG_POD, "low-2");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 3);
    scene_let_go(rig, SKR_WRITE_EVICT, RIG_OK);
    rig_edit(rig, RIG_POD, "low-3", "{'metadata':{'finalizers':null}}");
    rig_delete(rig, RIG_POD, "low-3");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "low", "status"), "Preempted");
    assert_string_equal(rig_key(rig, "low", "message"),
                        "group low gives way to group default/top, 0 of its pods are left");
    assert_false(rig_has_event(rig, "ConfigMap/low Normal GroupShrunk"));
}

TEST_RIG(scene_rack(2), d37_nobody_is_evicted_without_need)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "top", 4, 9);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_RIG(scene_rack(2), d37_nobody_is_evicted_without_use)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    rig_group(rig, "top", 8, 5, NULL); /* b does not give way, and a is not enough */
    rig_pods(rig, "top", 8, "top", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_RIG(scene_rack(2), an_equal_priority_and_priority_zero_preempt_nobody)
{
    scene_bound(rig, "a", 4, 3);
    scene_bound(rig, "b", 4, -3);
    scene_gang(rig, "same", 4, 3);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
    assert_string_equal(rig_key(rig, "b", "status"), "Preempted");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "same", 4);
    scene_gang(rig, "zero", 4, 0);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "zero", "status"), "Ready");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
}

TEST_RIG(scene_rack(3), d38_the_computed_nodes_are_kept_and_no_more_victims_are_chosen)
{
    rig->grace = 30 * SKR_SECOND;
    scene_bound(rig, "a", 4, 2);
    scene_bound(rig, "b", 4, 1);
    scene_bound(rig, "c", 4, 0);
    const char *node = rig_node_of(rig, "c-0");
    char want[64];
    snprintf(want, sizeof want, "%s", node);
    scene_gang(rig, "top", 4, 9);
    for (int i = 0; i < 29; i++) {
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "top"), "Preempting");
        assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "top-0"), want);
    assert_string_equal(rig_node_of(rig, "top-3"), want);
}

TEST_RIG(scene_rack(1), d39_a_victim_with_a_pending_member_empties_and_starts_anew)
{
    scene_bound(rig, "low", 3, 0);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'size':'4'}}");
    rig_pod(rig, "filler", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "low-3", "low", RIG_GATED); /* no room for it */
    rig_run(rig, SKR_SECOND);
    scene_gang(rig, "top", 3, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 3);
    assert_string_equal(rig_state(rig, "low"), "Pending");
    assert_string_equal(rig_key(rig, "low", "status"), "Waiting");
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

TEST_RIG(scene_rack(1), d41_groups_on_nodes_that_are_closed_to_the_gang_stay)
{
    scene_bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "a", 4);
}

TEST_RIG(scene_rack(2), d42_replacements_of_victims_do_not_take_the_room)
{
    rig_delete(rig, RIG_NODE, "node-1");
    scene_bound(rig, "a", 4, 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "again", 4, "a", RIG_GATED); /* at once */
    rig_pod(rig, "ordinary", NULL, 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "a"), 0);
    assert_string_equal(rig_node_of(rig, "ordinary"), "");
    assert_string_equal(rig_key(rig, "a", "status"), "Ready");
    rig_delete(rig, RIG_POD, "ordinary");
    rig_node(rig, "node-1", 4);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "again", 4);
}

/* Two groups give way to a third, and one of them is kept by its budget; the other has left and comes again. */
static void come_again(struct rig *rig)
{
    rig->grace = 0;
    rig_delete(rig, RIG_NODE, "node-2");
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 0);
    rig_fault(rig, SKR_WRITE_EVICT, "b-0", RIG_429, 1000);
    scene_gang(rig, "top", 8, 9);
    rig_run(rig, 2 * SKR_SECOND);
    rig_pods(rig, "again", 4, "a", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
}

TEST_RIG(scene_rack(3), a_victim_that_comes_again_has_room_beside_what_is_earmarked)
{
    come_again(rig);
    assert_int_equal(rig_n_bound(rig, "a"), 0);
    assert_string_equal(rig_key(rig, "a", "status"), "Ready");
    assert_string_equal(rig_key(rig, "a", "preemptor"), "default/top");
    assert_string_equal(rig_key(rig, "top", "message"),
                        "group top waits for 1 pod of 1 group to leave: default/b");
    rig_node(rig, "node-2", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "again", 4);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_run(rig, 60 * SKR_SECOND);
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 8);
    rig_assert_bound(rig, "again", 4); /* nobody goes twice */
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
}

TEST_RIG(scene_rack(3), a_victim_that_came_again_is_not_evicted_after_a_restart)
{
    come_again(rig);
    rig_node(rig, "node-2", 4);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "again", 4);
    rig_restart(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 8);
    rig_assert_bound(rig, "again", 4);
}

TEST_RIG(scene_rack(3), a_victim_comes_again_when_the_plan_is_seen_without_it)
{
    rig->grace = 0;
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 0);
    scene_bound(rig, "c", 2, 9);
    for (int i = 0; i < 4; i++) {
        rig_fault(rig, SKR_WRITE_EVICT, test_text("b-%d", i), RIG_429, 1000);
    }
    scene_gang(rig, "top", 8, 9);
    rig_run(rig, 2 * SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_edit(rig, RIG_MAP, "a", "{'data':{'size':'2'}}"); /* there is room for two */
    rig_pods(rig, "again", 2, "a", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_planned(rig, "again-0"), "");
    assert_string_equal(rig_state(rig, "a"), "Evicted");
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "again", 2);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
}

TEST_RIG(scene_rack(1), a_preemptor_that_goes_lets_its_victims_be)
{
    scene_bound(rig, "a", 4, 0);
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "preemptor"), "default/top");
    rig_delete(rig, RIG_MAP, "top");
    scene_let_go(rig, SKR_WRITE_EVICT, RIG_429);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "a", 4);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
}

TEST_RIG(scene_rack(2), room_that_comes_otherwise_spares_the_victims)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_settle(rig);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_RIG(scene_rack(1), nobody_goes_when_the_room_beside_the_victims_is_taken_meanwhile)
{
    scene_bound(rig, "a", 3, 0);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_pod(rig, "w", NULL, 0); /* bound by another scheduler */
    rig_edit(rig, RIG_POD, "w", "{'spec':{'nodeName':'node-0'},'status':{'phase':'Running'}}");
    rig_settle(rig);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "a", 3);
    rig_delete(rig, RIG_POD, "w");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* As one whose Binding an earlier leader had sent. */
TEST_RIG(scene_rack(1), a_member_of_a_victim_that_shows_late_goes_before_anybody_comes)
{
    scene_bound(rig, "low", 4, 0);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 5 * SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Planned");
    rig_pod(rig, "late", "low", 0);
    rig_edit(rig, RIG_POD, "late", "{'spec':{'nodeName':'node-0'},'status':{'phase':'Running'}}");
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    assert_null(rig_find(rig, RIG_POD, "late"));
    rig_assert_bound(rig, "top", 4);
}

/* The API server shows a deletion in 100,000 s: the grace period may be another one than the pod's. */
TEST_RIG(scene_rack(1), a_victim_that_does_not_leave_in_time_is_not_waited_for)
{
    rig->grace = 100000 * SKR_SECOND;
    scene_bound(rig, "a", 4, 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_non_null(strstr(rig->log.s, "does not leave its node within planTimeout"));
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(scene_rack(2), pods_that_go_by_themselves_are_waited_for_and_nobody_is_evicted)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    for (int i = 0; i < 4; i++) {
        char name[8], text[64];
        snprintf(name, sizeof name, "b-%d", i);
        skr_time_write((rig->now + 20 * SKR_SECOND) / SKR_SECOND * SKR_SECOND, 0, text,
                       sizeof text);
        rig_edit(rig, RIG_POD, name, "{'metadata':{'deletionTimestamp':'%s'}}", text);
    }
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_RIG(scene_rack(2), a_pod_that_should_be_gone_long_ago_is_not_counted_on)
{
    rig->grace = 0; /* nobody reaps */
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    for (int i = 0; i < 4; i++) {
        rig_edit(rig, RIG_POD, test_text("b-%d", i),
                 "{'metadata':{'deletionTimestamp':'1970-01-01T00:00:01Z'}}");
    }
    rig_run(rig, 120 * SKR_SECOND);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "a"), 0);
}

TEST_RIG(scene_rack(1), a_pod_that_never_preempts_keeps_its_group_from_it)
{
    scene_bound(rig, "a", 4, 0);
    rig_group(rig, "top", 4, 9, NULL);
    rig_pods(rig, "top", 3, "top", RIG_GATED);
    rig_create_json(rig, RIG_POD, "top-3",
                    "{'metadata':{'labels':{'sakkara.group.name':'top'}},'spec':{'schedulerName':"
                    "'sakkara','preemptionPolicy':'Never','containers':[{'name':'main','resources':"
                    "{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "a", 4);
}

TEST_RIG(scene_rack(1), members_beyond_the_size_of_a_group_go_alone)
{
    scene_bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'size':'2'}}");
    rig_run(rig, SKR_SECOND);
    scene_gang(rig, "top", 2, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 2);
    rig_assert_bound(rig, "a", 2);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, "a-2") +
                         rig_count(rig, SKR_WRITE_EVICT, "a-3"),
                     0); /* counted while there */
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 2);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
}

TEST_RIG(scene_rack(1), members_beyond_the_size_stay_when_another_one_has_gone_meanwhile)
{
    scene_bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'size':'2'}}");
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 2, 9);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_delete(rig, RIG_POD, "a-0");
    rig_settle(rig);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 2);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 1);
    assert_int_equal(rig_n_bound(rig, "a"), 2);
}

TEST_RIG(scene_rack(1), a_plan_that_is_not_binding_is_taken_back)
{
    rig->hold_scheduler = true;
    scene_gang(rig, "low", 4, 1);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "low", "status"), "Assigned");
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_string_equal(rig_key(rig, "low", "reason"), "WaitingForCapacity");
}

static void answer_all(struct rig *rig, const char *map)
{
    for (int i = 0; i < 8; i++) { /* each answer may bring another write */
        while (rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, map)) {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, map), RIG_OK);
        }
        rig_settle(rig);
    }
}

TEST_RIG(scene_rack(1), a_plan_that_is_taken_back_late_is_waited_for_and_no_longer)
{
    rig->hold_scheduler = true;
    scene_gang(rig, "low", 4, 1);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    answer_all(rig, "top"); /* its plan is written, and the other one is to go */
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_true(*rig_annotation(rig, RIG_MAP, "low", "sakkara.plan"));
    rig_run(rig, 40 * SKR_SECOND); /* all else has come to rest */
    answer_all(rig, "top");
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "low"), RIG_OK);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "top"), "Planned");
    rig->hold_scheduler = false;
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(scene_rack(1), a_search_that_failed_often_is_made_again_soon_after_news)
{
    scene_bound(rig, "a", 4, 5);
    scene_gang(rig, "top", 4, 3);
    rig_budget(rig, "b", "a", 4);
    rig_run(rig, 2 * SKR_SECOND);
    for (int i = 0; i < 8; i++) { /* news that does not help */
        rig_edit(rig, RIG_BUDGET, "b", "{'status':{'disruptionsAllowed':%d}}", 4 + i % 2);
        rig_run(rig, 40 * SKR_SECOND);
    }
    rig_edit(rig, RIG_BUDGET, "b", "{'status':{'disruptionsAllowed':4}}");
    rig_run(rig, 100 * SKR_MILLISECOND);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'priority':'1'}}"); /* right after a search */
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
}

/* No news, no search. */
TEST_RIG(scene_rack(1), a_search_that_failed_is_not_made_again_without_news)
{
    scene_bound(rig, "a", 4, 5);
    scene_gang(rig, "top", 4, 3);
    rig_run(rig, 90 * SKR_SECOND); /* with what would help */
    size_t solves = rig->n_solves;
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig->n_solves, solves);
}

TEST(preemption_can_be_switched_off)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    SKR_AUTO(rig_destroy) struct rig *rig = scene_rack_with(&settings, 1);
    scene_bound(rig, "a", 4, 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}
