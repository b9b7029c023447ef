/* SPDX-License-Identifier: Apache-2.0 */
/* The words that users and scripts see: they never change. */
#include "core/gang/reason.h"
#include "test/test.h"

TEST(statuses_have_the_names_of_the_contract)
{
    static const char *const name[] = {"Waiting",    "Ready",     "Assigned", "Permitted", "Bound",
                                       "Preempting", "Preempted", "Failed",   "Finished"};
    assert_int_equal(sizeof name / sizeof name[0], SKR_STATUS_COUNT);
    for (int i = 0; i < SKR_STATUS_COUNT; i++) {
        assert_string_equal(skr_group_status_name((enum skr_group_status)i), name[i]);
    }
    assert_string_equal(skr_group_status_name(SKR_STATUS_COUNT), "");
}

TEST(reasons_have_the_names_and_the_order_of_the_contract)
{
    static const char *const name[] = {"",
                                       "GroupNotFound",
                                       "GroupInvalid",
                                       "DuplicateGroup",
                                       "PodsNotHomogeneous",
                                       "TopologyMissing",
                                       "MembersMissing",
                                       "ConstraintConflict",
                                       "NeverFits",
                                       "TopologyPlacementFailed",
                                       "WaitingForCapacity",
                                       "WaitingForPreemption",
                                       "FilteredByOthers",
                                       "PlanTimeout",
                                       "BindFailed"};
    assert_int_equal(sizeof name / sizeof name[0], SKR_REASON_COUNT);
    for (int i = 0; i < SKR_REASON_COUNT; i++) {
        assert_string_equal(skr_reason_name((enum skr_reason)i), name[i]);
    }
    assert_string_equal(skr_reason_name(SKR_REASON_COUNT), "");
}

TEST(rejections_have_the_texts_of_the_contract)
{
    /* A text that changes makes kube-scheduler requeue every pod that carries the old one. */
    static const struct {
        const char *is;
        const char *want;
    } row[] = {
        {SKR_TEXT_NOT_FOUND, "sakkara: group not found"},
        {SKR_TEXT_INVALID, "sakkara: group is invalid"},
        {SKR_TEXT_MEMBERS, "sakkara: group waits for members"},
        {SKR_TEXT_PLANNING, "sakkara: group is being planned"},
        {SKR_TEXT_CAPACITY, "sakkara: group waits for capacity"},
        {SKR_TEXT_TOPOLOGY, "sakkara: group does not fit its topology constraints"},
        {SKR_TEXT_VICTIMS, "sakkara: group waits for victims to leave"},
        {SKR_TEXT_BEYOND, "sakkara: pod is beyond the size of its group"},
        {SKR_TEXT_FOLLOWER, "sakkara: pod waits for room beside its group"},
        {SKR_TEXT_RESERVED, "sakkara: node is reserved for a group"},
        {SKR_TEXT_NOT_READY, "sakkara: not ready"},
        {SKR_TEXT_NOT_LEADER, "sakkara: not leader"},
        {SKR_TEXT_ALREADY_BOUND, "sakkara: pod is already bound"},
        {SKR_TEXT_MALFORMED, "sakkara: malformed request"},
        {SKR_TEXT_WRONG_NODE, "sakkara: node is not the planned one"},
        {SKR_TEXT_REPLACED, "sakkara: pod was replaced"},
        {SKR_TEXT_SUPERSEDED, "sakkara: superseded"},
        {SKR_TEXT_ABORTED, "sakkara: plan aborted"},
        {SKR_TEXT_EXPIRED, "sakkara: hold expired"},
        {SKR_TEXT_BIND_FAILED, "sakkara: binding failed"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_string_equal(row[i].is, row[i].want);
    }
}
