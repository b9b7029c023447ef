/* SPDX-License-Identifier: Apache-2.0 */
/* Past the point of no return: what happens to members that are not bound yet. */
#include "core/gang/state/plan_entry.h"
#include "test/unit/engine_scene.h"
#include "test/unit/engine_test.h"

/* ---- in Binding ---- */

/* The Binding of p-7 is held back, the others are bound. */
static struct rig *binding(const struct rig_call **calls)
{
    struct rig *rig = scene_holding(7, calls);
    rig->hold_kind = SKR_WRITE_BINDING;
    calls[7] = scene_park(rig, 7);
    rig_settle(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    for (int i = 0; i < 7; i++) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, test_text("p-%d", i)), RIG_OK);
    }
    rig_settle(rig);
    assert_int_equal(rig_n_bound(rig, "g"), 7);
    assert_string_equal(rig_key(rig, "g", "status"), "Permitted");
    return rig;
}

TEST(d8_a_member_lost_in_binding_leaves_its_seat_to_the_replacement)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
    char node[64];
    snprintf(node, sizeof node, "%s", rig_planned(rig, "p-7"));
    rig_delete(rig, RIG_POD, "p-7");
    rig_settle(rig);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-7"), RIG_OK); /* 404 */
    rig_run(rig, (SKR_VACANCY_S - 1) * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 7);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "vacancy:"));
    rig_pod(rig, "thief", NULL, 0);
    rig_settle(rig);
    assert_string_equal(rig_filter(rig, "thief", node).text,
                        "sakkara: node is reserved for a group");
    rig_delete(rig, RIG_POD, "thief");
    rig->hold_scheduler = false;
    rig_pod(rig, "q", "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), node);
    assert_string_equal(rig_label(rig, "q", "sakkara.member.rank"), "7");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_assert_clean(rig);
}

/* A restart keeps no seat whose loss was seen before it. */
TEST(d8_a_seat_that_no_pod_takes_is_given_up_within_seconds)
{
    for (int restart = 0; restart < 2; restart++) {
        const struct rig_call *calls[8];
        SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
        rig_delete(rig, RIG_POD, "p-7");
        rig_settle(rig);
        assert_string_equal(rig_state(rig, "g"), "Binding");
        if (restart) {
            rig_restart(rig);
            rig_run(rig, SKR_SECOND);
        } else {
            rig_run(rig, (SKR_VACANCY_S + 1) * SKR_SECOND);
        }
        assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "");
        assert_string_equal(rig_state(rig, "g"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), restart ? "MembersMissing" : "BindFailed");
    }
}

static void delete_pods(struct rig *rig, int from, int to)
{
    rig_delete_pods(rig, "p", from, to);
}

static void end_bindings(struct rig *rig)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    for (int i = 0; i < 8; i++) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, test_text("p-%d", i)), RIG_OK);
    }
    rig->hold_scheduler = false;
}

/* Eight members on 24 places; the point of no return is persisted, and no Binding has arrived. h needs
 * all places. */
static struct rig *before_bindings(void)
{
    const struct rig_call *calls[8];
    struct rig *rig = scene_holding(7, calls);
    rig->hold_kind = SKR_WRITE_BINDING;
    calls[7] = scene_park(rig, 7);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    rig_group(rig, "h", 24, 0, NULL);
    rig_pods(rig, "h", 24, "h", RIG_GATED);
    rig_settle(rig);
    assert_string_equal(rig_planned(rig, "h-0"), "");
    return rig;
}

TEST(a_plan_that_has_no_pod_left_past_the_point_of_no_return_ends_at_once)
{
    for (int restart = 0; restart < 2; restart++) {
        SKR_AUTO(rig_destroy) struct rig *rig = before_bindings();
        delete_pods(rig, 0, 8);
        if (restart) {
            rig_restart(rig);
        }
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig->hold_scheduler = false;
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Pending");
        assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
        assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "");
        rig_assert_bound(rig, "h", 24);
        rig_delete_pods(rig, "h", 0, 24);
        rig_pods(rig, "p", 8, "g", 0); /* it is a group as any other */
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 8);
    }
}

TEST_RIG(before_bindings(), seats_of_pods_that_were_deleted_while_binding_are_free_within_seconds)
{
    delete_pods(rig, 1, 8);
    end_bindings(rig);
    rig_edit(rig, RIG_MAP, "h", "{'data':{'size':'23'}}");
    rig_delete(rig, RIG_POD, "h-23");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 0);
    rig_run(rig, SKR_VACANCY_S * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 23);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
}

/* Pods that come and go without end keep no seat beyond planTimeout. */
TEST_RIG(before_bindings(), seats_that_pods_take_and_leave_again_are_free_after_plan_timeout)
{
    delete_pods(rig, 1, 8);
    end_bindings(rig);
    rig->hold_scheduler = true;
    for (skr_time t = 0; t < rig->settings.plan_timeout; t += 5 * SKR_SECOND) {
        for (int i = 1; i < 8; i++) {
            rig_pod(rig, test_text("p-%d", i), "g", 0);
        }
        rig_run(rig, 5 * SKR_SECOND);
        delete_pods(rig, 1, 8);
        rig_settle(rig);
    }
    assert_string_equal(rig_state(rig, "g"), "Bound");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "");
}

TEST(d8_a_member_that_comes_after_its_seat_was_given_up_is_planned_as_a_replacement)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
    rig_delete(rig, RIG_POD, "p-7");
    rig_run(rig, (SKR_VACANCY_S + 1) * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_non_null(
        strstr(rig_key(rig, "g", "conditions"), "\"type\":\"Complete\",\"status\":\"False\""));
    rig->hold_scheduler = false;
    rig_pod(rig, "q", "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
    rig_assert_clean(rig);
}

TEST(a_map_deleted_in_binding_is_rolled_forward)
{
    for (int restart = 0; restart < 2; restart++) {
        const struct rig_call *calls[8];
        SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
        rig_delete(rig, RIG_MAP, "g");
        rig_settle(rig);
        if (restart) {
            rig_restart(rig);
            rig_settle(rig);
            scene_park(rig, 7);
        } else {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-7"), RIG_LOST);
        }
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 8);
        rig_group(rig, "g", 8, 0, NULL); /* a map created again adopts them */
        rig_run(rig, 10 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_true(*rig_key(rig, "g", "rank"));
    }
}

TEST(a_map_made_again_while_members_are_rolled_forward_stops_nothing)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
    rig_delete(rig, RIG_MAP, "g");
    rig_restart(rig);
    rig_group(rig, "g", 8, 0, NULL);
    rig_run(rig, SKR_SECOND);
    scene_park(rig, 7);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST(an_annotation_wiped_by_a_user_is_rewritten_before_anything_else)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':null}}");
    rig->hold_writes = true;
    rig_settle(rig);
    calls[7] = scene_park(rig, 7);
    assert_int_equal(calls[7]->state, RIG_ERROR);
    assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), 0);
    rig->hold_writes = false;
    rig_settle(rig);
    assert_true(*rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"));
    scene_park(rig, 7);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
}

TEST(a_size_changed_in_binding_applies_afterwards)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = binding(calls);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'9'}}");
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-7"), RIG_OK);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 8);
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
}

TEST(a_node_lost_in_binding_moves_its_members_alone)
{
    const struct rig_call *calls[8];
    SKR_AUTO(rig_destroy) struct rig *rig = scene_holding(7, calls);
    calls[7] = scene_park(rig, 7);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_settle(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) { /* never arrive */
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_429);
    }
    rig_delete(rig, RIG_NODE, "node-1");
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-0");
    assert_string_not_equal(rig_node_of(rig, "p-7"), "node-1");
    assert_string_equal(rig_label(rig, "p-7", "sakkara.member.rank"), "7");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), a_group_that_goes_with_all_its_pods_in_binding_keeps_no_room)
{
    rig_racks(rig, 1, 1, 4);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_group(rig, "g", 4, 0, NULL);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    rig_delete(rig, RIG_MAP, "g");
    rig_delete_pods(rig, "p", 0, 4);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_OK);
    }
    rig_group(rig, "next", 4, 0, NULL);
    rig_pods(rig, "q", 4, "next", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 4);
}

/* Its Binding was lost, it was read back without a node, and it terminates before the next try. */
TEST(an_ordinary_pod_that_terminates_before_its_binding_is_tried_again_keeps_no_room)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 1, 2);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_fault(rig, SKR_WRITE_BINDING, "o", RIG_LOST, 1);
    rig->hold_kind = SKR_WRITE_GET_POD;
    rig_pod(rig, "o", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_GET_POD, "o"), RIG_OK);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_terminate(rig, "o");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_open_calls(rig), 0);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

/* A call for another node waits for the outcome of the Binding that is under way, and is told no when that
 * succeeds: kube-scheduler would else believe in the other node. */
TEST(a_call_for_another_node_than_the_binding_under_way_is_told_that_the_pod_is_bound)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "o", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_bind(rig, "o", "node-0");
    rig_settle(rig);
    const struct rig_call *other = rig_bind(rig, "o", "node-1");
    rig_settle(rig);
    assert_int_equal(other->state, RIG_OPEN);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "o"), RIG_OK);
    rig_settle(rig);
    assert_int_equal(other->state, RIG_ERROR);
}

/* One node of two cpu, and a pod on its way to it whose volumes may lead it elsewhere. */
static struct rig *accepted(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 1, 2);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "slow", NULL, 0);
    rig_edit(rig, RIG_POD, "slow",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_filter(rig, "slow", NULL).n_passed, 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"), ""); /* its room is kept */
    return rig;
}

TEST_RIG(accepted(), room_is_kept_for_a_pod_only_until_its_bind_call_was_refused)
{
    assert_int_equal(rig_bind(rig, "slow", "node-9")->state, RIG_ERROR);
    rig_settle(rig);
    assert_string_equal(rig_planned(rig, "p-0"), "node-0");
    assert_string_equal(rig_planned(rig, "p-1"), "node-0");
}

TEST_RIG(accepted(), room_is_kept_for_a_pod_only_until_its_call_ends_with_the_leadership)
{
    rig_fault(rig, SKR_WRITE_BINDING, "slow", RIG_LOST, 4);
    const struct rig_call *call = rig_bind(rig, "slow", "node-0");
    rig_run(rig, 7 * SKR_SECOND); /* the next try is seconds away */
    assert_int_equal(call->state, RIG_OPEN);
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    assert_string_equal(call->text, "sakkara: not leader");
    rig_event(rig, SKR_EVENT_LEADER_WON);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"), "node-0");
}

TEST_RIG(accepted(), room_is_kept_for_a_pod_only_until_its_binding_failed)
{
    rig_fault(rig, SKR_WRITE_BINDING, "slow", RIG_422, 1);
    const struct rig_call *call = rig_bind(rig, "slow", "node-0");
    rig_settle(rig);
    assert_int_equal(call->state, RIG_ERROR);
    assert_string_equal(rig_planned(rig, "p-0"), "node-0");
}

TEST_RIG(accepted(), room_is_kept_for_a_pod_only_until_its_node_has_gone)
{
    rig_fault(rig, SKR_WRITE_BINDING, "slow", RIG_409, 1);
    const struct rig_call *call = rig_bind(rig, "slow", "node-0");
    rig_settle(rig); /* it was read, and is tried again soon */
    assert_int_equal(call->state, RIG_OPEN);
    rig_delete(rig, RIG_NODE, "node-0");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(call->text, "sakkara: binding failed");
    rig_node(rig, "node-0", 2);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_planned(rig, "p-0"), "node-0");
}
