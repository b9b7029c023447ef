/* SPDX-License-Identifier: Apache-2.0 */
/* What members are told while they wait: gates, labels, events and conditions, each once. */
#include "core/gang/cache/pods.h"
#include "core/gang/state/reason.h"
#include "test/unit/engine_test.h"
#include "test/unit/members_scene.h"

TEST_RIG(members_cluster(), a_foreign_gate_keeps_the_group_waiting_and_ours_on)
{
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-1",
             "{'spec':{'schedulingGates':[{'name':'sakkara.gang'},{'name':'quota'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g has 1 of 2 members ready, 1 held by other gates, such as quota on "
                        "pod p-1");
    assert_true(rig_is_gated(rig, "p-0"));
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'schedulingGates':[{'name':'sakkara.gang'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

TEST_RIG(members_cluster(), gated_members_are_told_their_state_once)
{
    rig_gang(rig, "g", 3, "p", 2, RIG_GATED);
    rig_pod(rig, "q", "g", 0);
    rig_delete(rig, RIG_POD, "q");
    rig_pod(rig, "open", "h", 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.status"), "Waiting");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, "p-0"), 1);
    assert_true(rig_has_event(rig,
                              "Pod/p-0 Normal GroupWaiting: group g has 2 of 3 members; kubectl "
                              "sakkara explain g"));
    assert_string_equal(rig_label(rig, "open", "sakkara.member.status"),
                        ""); /* a patch is a activation */
    size_t events = rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL), events);
}

/* In the order of its reasons: missing members, then no room. */
TEST(waiting_members_are_told_each_reason_once_with_the_next_command)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 2, 3, 1);
        rig_gang(rig, "g", 9, "p", 8, flags);
        rig_run(rig, 10 * SKR_SECOND);
        rig_pod(rig, "p-8", "g", flags);
        rig_run(rig, 60 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
        for (int i = 0; i < 9; i++) {
            char text[200];
            snprintf(text, sizeof text,
                     "Pod/p-%d Normal GroupWaiting: group g has 8 of 9 members; ", i);
            assert_true(rig_has_event(rig, text) == (i < 8));
            snprintf(text, sizeof text,
                     "Pod/p-%d Warning GroupWaiting: %s; kubectl sakkara explain g", i,
                     rig_key(rig, "g", "message"));
            assert_true(rig_has_event(rig, text));
        }
        size_t events = rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL);
        rig_run(rig, 600 * SKR_SECOND);
        assert_int_equal(rig_count(rig, SKR_WRITE_CREATE_EVENT, NULL), events);
    }
}

TEST_RIG(members_cluster(), of_a_large_ungated_group_the_first_member_is_told)
{
    rig_gang(rig, "g", 40, "p", 40, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_true(rig_has_event(rig, "Pod/p-0 Warning GroupWaiting: group g needs 40 slots"));
    assert_false(rig_has_event(rig, "Pod/p-1 "));
}

TEST_RIG(rig_create(), no_condition_says_being_planned_while_the_group_never_fits)
{
    rig_racks(rig, 2, 3, 1);
    rig_gang(rig, "g", 9, "p", 9, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    for (int i = 0; i < 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_equal(skr_pods_find_name(rig->gang, "default", name)->work->answered,
                            SKR_TEXT_CAPACITY);
        assert_in_range(rig_count(rig, SKR_WRITE_PATCH_POD, name), 0, 1);
    }
    size_t patches = rig_count(rig, SKR_WRITE_PATCH_POD, NULL);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), patches);
}
