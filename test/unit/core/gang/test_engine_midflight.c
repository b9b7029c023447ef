/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to a plan when the world changes between its commit and the last Binding. */
#include "test/unit/engine_scene.h"
#include "test/unit/engine_test.h"

static void assert_aborted(struct rig *rig, const struct rig_call *const *calls, int n)
{
    for (int i = 0; i < n; i++) {
        assert_int_equal(calls[i]->state, RIG_ERROR);
        assert_string_equal(calls[i]->text, "sakkara: plan aborted");
    }
    rig_settle(rig);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
}

/* ---- before Binding ---- */

TEST(d6_deleting_the_map_while_holding_binds_nobody)
{
    const struct rig_call *calls[5];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(5, calls);
    rig_delete(rig, RIG_MAP, "g");
    rig_settle(rig);
    assert_aborted(rig, calls, 5);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Pending");
    assert_string_equal(rig_filter(rig, "p-7", NULL).text, "sakkara: group not found");
    rig_assert_clean(rig);
}

TEST(d7_a_lower_size_while_holding_releases_no_partial_gang)
{
    const struct rig_call *calls[4];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(4, calls);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'4'}}");
    rig_settle(rig);
    assert_aborted(rig, calls, 4);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    rig_assert_bound(rig, "p", 4);
    rig_assert_clean(rig);
}

TEST(changed_constraints_abort_and_solve_again)
{
    const struct rig_call *calls[3];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(3, calls);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{\\'node\\':{\\'max\\':2}}'}}");
    rig_settle(rig);
    assert_aborted(rig, calls, 3);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    assert_string_equal(rig_node_of(rig, "p-7"), "node-3");
}

TEST(a_lost_member_aborts_and_the_group_waits_for_members)
{
    for (int how = 0; how < 3; how++) {
        const struct rig_call *calls[7];
        SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
        if (how == 0) {
            rig_delete(rig, RIG_POD, "p-7");
        } else if (how == 1) {
            rig_terminate(rig, "p-7");
        } else {
            rig_phase(rig, "p-7", "Failed");
        }
        rig_settle(rig);
        assert_aborted(rig, calls, 7);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Pending");
        assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
        assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
        assert_false(rig_is_gated(rig, "p-0")); /* removed gates stay removed */
        assert_string_equal(rig_filter(rig, "p-0", NULL).text, "sakkara: group waits for members");
        rig_assert_clean(rig);
        rig->hold_scheduler = false;
        rig_pod(rig, "p-8", "g", RIG_GATED);
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 8);
        assert_int_equal(atoi(rig_label(rig, "p-0", "sakkara.member.retries")), 2);
    }
}

TEST(d5_a_node_that_becomes_unusable_makes_a_new_plan_elsewhere)
{
    static const char *const change[] = {
        "{'spec':{'taints':[{'key':'bad','effect':'NoSchedule'}]}}",
        "{'spec':{'taints':[{'key':'bad','effect':'NoExecute'}]}}",
        "{'spec':{'unschedulable':true}}", NULL /* deleted */};
    for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
        const struct rig_call *calls[3];
        SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(3, calls);
        if (change[i]) {
            rig_edit(rig, RIG_NODE, "node-1", "%s", change[i]);
        } else {
            rig_delete(rig, RIG_NODE, "node-1");
        }
        rig_settle(rig);
        assert_aborted(rig, calls, 3);
        rig->hold_scheduler = false;
        rig_run(rig, 20 * SKR_SECOND);
        rig_assert_bound(rig, "p", 8);
        for (int p = 0; p < 8; p++) {
            assert_string_not_equal(rig_node_of(rig, test_text("p-%d", p)), "node-1");
        }
        rig_assert_clean(rig);
    }
}

TEST(a_node_of_no_plan_may_change_as_it_likes)
{
    const struct rig_call *calls[3];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(3, calls);
    rig_edit(rig, RIG_NODE, "node-5", "{'spec':{'unschedulable':true}}");
    rig_delete(rig, RIG_NODE, "node-4");
    rig_edit(rig, RIG_NODE, "node-1", "{'metadata':{'labels':{'colour':'red'}}}");
    rig_settle(rig);
    assert_int_equal(calls[0]->state, RIG_OPEN);
    assert_string_equal(rig_state(rig, "g"), "Holding");
}

TEST(a_plan_is_given_up_after_plan_timeout_and_tried_again)
{
    const struct rig_call *calls[7];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig_filter(rig, "p-7", rig_planned(rig, "p-7")); /* accepted, and never bound */
    rig_run(rig, 290 * SKR_SECOND);
    assert_int_equal(calls[0]->state, RIG_OPEN);
    rig_run(rig, 11 * SKR_SECOND);
    assert_aborted(rig, calls, 7);
    assert_true(rig_has_event(rig, "ConfigMap/g Normal GroupUnplaced: not all members reached"));
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.retries"), "2");
}

TEST(d50_a_plan_that_was_given_up_holds_no_capacity)
{
    const struct rig_call *calls[7];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig_delete(rig, RIG_POD, "p-7");
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    rig_group(rig, "other", 24, 0, NULL);
    rig_pods(rig, "o", 24, "other", RIG_GATED); /* every cpu of the cluster */
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "o", 24);
}

TEST_RIG(rig_create(), d50_an_infeasible_gang_holds_no_capacity)
{
    rig_racks(rig, 1, 7, 1);
    rig_group(rig, "g", 8, 9, NULL);
    rig_group(rig, "other", 7, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 8, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_pods(rig, "o", 7, "other", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "o", 7);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
}

TEST_RIG(rig_create(), a_topology_edit_keeps_a_plan_that_still_holds_and_aborts_one_that_does_not)
{
    rig_racks(rig, 2, 2, 4);
    rig_group(rig, "g", 6, 0, "{'rack':{'type':'pack','hard':true}}");
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 6, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-5"), "node-1");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-1\\':{},\\'node-0\\':{}},\\'s\\':{\\'node-2\\':{}}"
             "}'}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{}},\\'s\\':{\\'node-1\\':{},\\'node-2\\':{}}"
             "}'}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"), "node-1");
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 6);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-5"), "node-2");
}

/* ---- the commit of Binding ---- */

TEST(binding_is_committed_before_the_first_binding_is_posted)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    calls[7] = scene_park(rig, 7);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), 0);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), RIG_OK);
    rig_settle(rig);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(calls[i]->state, RIG_BOUND);
    }
}

TEST(a_conflict_of_the_binding_commit_is_read_and_tried_again)
{
    static const enum rig_outcome bad[] = {RIG_409, RIG_LOST, RIG_LOST_APPLIED, RIG_429};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct rig_call *calls[8];
        SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
        rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", bad[i], 1);
        calls[7] = scene_park(rig, 7);
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 8);
        bool is_read = bad[i] == RIG_409 || bad[i] == RIG_LOST; /* else the watch tells */
        assert_int_equal(rig_count(rig, SKR_WRITE_GET_CONFIGMAP, NULL), is_read);
    }
}

TEST(user_keys_that_changed_under_the_binding_commit_abort)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig->hold_watch[RIG_MAP] = true;
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'4'}}");
    calls[7] = scene_park(rig, 7); /* 409, then read */
    rig_settle(rig);
    assert_aborted(rig, calls, 8);
    rig->hold_watch[RIG_MAP] = false;
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
}

TEST(d6_a_map_deleted_under_the_binding_commit_binds_nobody)
{
    for (int seen_first = 0; seen_first < 2; seen_first++) {
        const struct rig_call *calls[8];
        SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
        rig->hold_watch[RIG_MAP] = !seen_first;
        rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
        calls[7] = scene_park(rig, 7);
        rig_settle(rig);
        rig_delete(rig, RIG_MAP, "g");
        rig_settle(rig);
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), RIG_OK);
        rig->hold_watch[RIG_MAP] = false;
        rig_run(rig, SKR_SECOND);
        assert_aborted(rig, calls, 8);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), 0);
        rig_assert_clean(rig);
    }
}

TEST(a_caller_that_hangs_up_under_the_binding_commit_is_waited_for_again)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    calls[7] = scene_park(rig, 7);
    rig_settle(rig);
    rig_hang_up(rig, calls[3]);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), RIG_409);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Holding");
    scene_park(rig, 3);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
}
