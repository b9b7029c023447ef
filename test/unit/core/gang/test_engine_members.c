/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds a seat: lost members and their replacements, sizes that change, pods beyond size. */
#include "test/unit/engine_test.h"
#include "test/unit/members_scene.h"

/* ---- replacements ---- */

TEST(d9_a_lost_member_is_replaced_beside_the_others)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = members_bound(8, NULL);
        char node[32];
        snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-5"));
        rig_delete(rig, RIG_POD, "p-5");
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
        assert_string_equal(members_condition(rig, "Complete"), "False");
        rig_pod(rig, "z", "g", flags);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "z"), node);
        assert_string_equal(rig_label(rig, "z", "sakkara.member.rank"), "5");
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        assert_string_equal(members_condition(rig, "Complete"), "True");
        assert_non_null(strstr(rig_key(rig, "g", "rank"), "(z,5)"));
        assert_non_null(strstr(rig_key(rig, "g", "placement"), "\"z\":{}"));
        assert_null(strstr(rig_key(rig, "g", "placement"), "p-5"));
        rig_assert_clean(rig);
    }
}

TEST_RIG(members_bound(4, "{'node':{'max':1},'rack':{'type':'spread'}}"),
         survivors_never_move_and_constraints_count_them)
{
    rig_delete(rig, RIG_POD, "p-3");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_not_equal(rig_node_of(rig, name), rig_node_of(rig, "q"));
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, name), 1);
    }
    assert_true(*rig_node_of(rig, "q"));
}

TEST_RIG(members_bound(6, NULL), newcomers_need_not_wait_for_further_missing_members)
{
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_label(rig, "q", "sakkara.member.rank"), "1");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(rig_create(), a_replacement_that_fits_nowhere_waits_with_the_exact_reason)
{
    rig_racks(rig, 1, 2, 2);
    rig_gang(rig, "g", 4, "p", 4, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'0'}}");
    rig_delete(rig, RIG_POD, "p-0");
    rig_pod(rig, "thief", NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "thief"));
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    rig_delete(rig, RIG_POD, "thief");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "node-0");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
}

TEST_RIG(members_bound(4, NULL), d10_a_failed_pod_frees_its_seat_for_the_retry)
{
    rig_phase(rig, "p-2", "Failed");
    rig_pod(rig, "retry", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "retry"));
    assert_string_equal(rig_label(rig, "retry", "sakkara.member.rank"), "2");
}

TEST_RIG(rig_create(), a_terminating_pod_holds_no_seat_but_its_room)
{
    rig_racks(rig, 1, 1, 2);
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_terminate(rig, "p-0");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), ""); /* its container still runs */
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "node-0");
}

TEST(a_succeeded_member_of_the_same_controller_is_replaced)
{
    struct rig *rig = members_bound(3, NULL); /* a work queue: its job goes on */
    rig_phase(rig, "p-0", "Succeeded");
    rig_pod(rig, "next", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "next"));
    rig_destroy(rig);
}

/* ---- size ---- */

TEST(d11_a_pod_beyond_size_is_woken_when_a_seat_frees)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = members_cluster();
        rig_gang(rig, "g", 4, "p", 5, flags);
        rig_run(rig, 10 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        assert_string_equal(rig_node_of(rig, "p-4"), "");
        assert_int_equal(rig_is_gated(rig, "p-4"), flags);
        rig_delete(rig, RIG_POD, "p-1");
        rig_run(rig, 3 * SKR_SECOND);
        assert_true(*rig_node_of(rig, "p-4"));
        assert_string_equal(rig_label(rig, "p-4", "sakkara.member.rank"), "1");
    }
}

TEST_RIG(members_cluster(), seats_go_to_the_oldest_by_creation_then_name)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_pod(rig, "c", "g", 0);
    rig_pod(rig, "b", "g", 0);
    rig->now += 5 * SKR_SECOND;
    rig_pod(rig, "a", "g", 0);
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "b"));
    assert_true(*rig_node_of(rig, "c"));
    assert_string_equal(rig_node_of(rig, "a"), "");
}

TEST_RIG(members_bound(3, NULL), a_larger_size_of_a_bound_group_is_filled_by_newcomers)
{
    rig_pods(rig, "q", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'5'}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    assert_string_equal(rig_label(rig, "q-0", "sakkara.member.rank"), "3");
    assert_string_equal(rig_label(rig, "q-1", "sakkara.member.rank"), "4");
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

TEST_RIG(members_bound(5, NULL), a_smaller_size_of_a_bound_group_evicts_nobody_and_refills_nothing)
{
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'3'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 5);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
    rig_delete(rig, RIG_POD, "p-0");
    rig_pod(rig, "q", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "q"), "");
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "q")); /* two of three were left */
}

TEST_RIG(members_bound(4, NULL), changed_constraints_of_a_bound_group_move_nothing)
{
    rig_forget_counts(rig);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{\\'node\\':{\\'max\\':1}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-3"), "node-0");
    assert_int_equal(rig->n_solves, 0);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}
