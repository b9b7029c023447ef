/* SPDX-License-Identifier: Apache-2.0 */
/* Evictions of victims: budgets, refusals, unknown outcomes, pods that are deleted in the end. */
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

TEST_RIG(scene_rack(2), d40_a_group_whose_budget_lets_nobody_go_stays)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 1);
    rig_budget(rig, "a", "a", 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_string_equal(rig_key(rig, "b", "status"), "Preempted");
}

TEST_RIG(scene_rack(1), where_all_budgets_say_no_the_group_waits_until_one_is_gone)
{
    scene_bound(rig, "a", 4, 0);
    rig_budget(rig, "a", "a", 0);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_delete(rig, RIG_BUDGET, "a");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(scene_rack(1), an_eviction_that_a_budget_refuses_is_asked_for_again)
{
    scene_bound(rig, "a", 4, 0);
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 3);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND / 2);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, "a-2"), 1);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, "a-2"), 2);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(scene_rack(1),
         an_eviction_that_was_forbidden_for_a_moment_is_asked_for_when_nothing_else_happens)
{
    scene_bound(rig, "a", 4, 0);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_403, 4);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_int_equal(rig_n_bound(rig, "a"), 4);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* The first n pods of b are to be gone so long from now. */
static void let_b_go(struct rig *rig, int n, skr_time after)
{
    char text[64];
    skr_time_write((rig->now + after) / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    for (int i = 0; i < n; i++) {
        rig_edit(rig, RIG_POD, test_text("b-%d", i), "{'metadata':{'deletionTimestamp':'%s'}}",
                 text);
    }
}

TEST_RIG(scene_rack(2), nobody_is_evicted_beside_room_that_comes_later_than_a_plan_waits)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    let_b_go(rig, 4, 3600 * SKR_SECOND);
    scene_gang(rig, "top", 8, 5);
    rig_run(rig, 700 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
    rig_delete_pods(rig, "b", 0, 4);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 8);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
}

/* a lost three members; two pods of b and those of low would make room, but b's never go. */
TEST_RIG(scene_rack(3), a_replacement_whose_plan_ended_says_why_until_it_is_planned_again)
{
    scene_bound(rig, "a", 4, 5);
    scene_bound(rig, "b", 4, 9);
    scene_bound(rig, "fill", 2, 9);
    scene_bound(rig, "low", 2, 0);
    rig->grace = 0;
    let_b_go(rig, 2, 20 * SKR_SECOND);
    rig_edit(rig, RIG_NODE, rig_node_of(rig, "a-0"), "{'spec':{'unschedulable':true}}");
    rig_delete_pods(rig, "a", 1, 4);
    rig_pods(rig, "again", 3, "a", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "reason"), "WaitingForPreemption");
    bool said = false;
    for (int i = 0; i < 4 * 400; i++) {
        const char *reason = rig_key(rig, "a", "reason");
        assert_string_not_equal(reason, "MembersMissing");
        said = said || strstr(rig_key(rig, "a", "message"), "do not leave their nodes in time");
        rig_run(rig, SKR_SECOND / 4);
    }
    assert_true(said);
    assert_string_equal(rig_key(rig, "a", "reason"), "WaitingForCapacity");
}

static struct rig *that_forces(skr_time after)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preempt_force_after = after;
    struct rig *rig = scene_rack_with(&settings, 1);
    rig->grace = SKR_SECOND;
    scene_bound(rig, "a", 4, 0);
    return rig;
}

TEST(what_a_budget_keeps_for_longer_than_preemptForceAfter_is_marked_and_deleted)
{
    SKR_AUTO(rig_destroy) struct rig *rig = that_forces(20 * SKR_SECOND);
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 1000);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 19 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_POD, NULL), 0);
    assert_int_equal(rig_n_bound(rig, "a"), 1);
    rig->hold_kind = SKR_WRITE_DELETE_POD;
    rig_run(rig, 3 * SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_DELETE_POD, "a-2");
    const struct rig_object *pod = rig_find(rig, RIG_POD, "a-2");
    assert_non_null(w);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(w->body, "preconditions"), "uid")),
        pod->pod->meta.uid);
    const json_t *condition =
        json_array_get(json_object_get(json_object_get(pod->json, "status"), "conditions"), 1);
    assert_string_equal(json_string_value(json_object_get(condition, "type")), "DisruptionTarget");
    assert_string_equal(json_string_value(json_object_get(condition, "reason")),
                        "PreemptionByScheduler");
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 1); /* the others were evicted */
    scene_let_go(rig, SKR_WRITE_DELETE_POD, RIG_OK);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(that_forces(SKR_TIME_NEVER), by_default_a_budget_is_waited_for_however_long_that_takes)
{
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 1000);
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 1800 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 0);
    assert_int_equal(rig_n_bound(rig, "a"), 1);
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST(a_forced_deletion_that_fails_is_tried_again_with_pauses)
{
    static const enum rig_outcome outcomes[] = {RIG_429, RIG_409, RIG_LOST, RIG_LOST_APPLIED};
    static const enum skr_write_kind kinds[] = {SKR_WRITE_MARK_POD, SKR_WRITE_DELETE_POD};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
            SKR_AUTO(rig_destroy) struct rig *rig = that_forces(5 * SKR_SECOND);
            rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000);
            rig_fault(rig, kinds[k], "a-1", outcomes[i], 3);
            scene_gang(rig, "top", 4, 9);
            rig_run(rig, 300 * SKR_SECOND);
            rig_assert_bound(rig, "top", 4);
            assert_in_range(rig_count(rig, SKR_WRITE_MARK_POD, NULL), 4, 8);
            assert_in_range(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 4, 8);
        }
    }
}

TEST_RIG(scene_rack(1), evictions_name_the_uid_and_an_unknown_outcome_is_tried_again)
{
    scene_bound(rig, "a", 4, 0);
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_EVICT, "a-0");
    const struct rig_object *pod = rig_find(rig, RIG_POD, "a-0");
    assert_non_null(w);
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(w->body, "deleteOptions"), "preconditions"), "uid")),
        pod->pod->meta.uid);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, "a-0"), RIG_LOST_APPLIED);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, "a-1"), RIG_LOST);
    scene_let_go(rig, SKR_WRITE_EVICT, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(scene_rack(1), a_group_whose_budget_shrinks_before_it_is_evicted_stays)
{
    scene_bound(rig, "low", 4, 0);
    rig_budget(rig, "budget", "low", 4);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':3}}");
    rig_run(rig, SKR_SECOND);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "low", 4);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':4}}");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}
