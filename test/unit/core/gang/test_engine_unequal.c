/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are not equal: their requests, and the nodes that they may use. */
#include "test/unit/engine_test.h"

/* Members of two shapes are two roles: each needs what it requests. */
TEST_RIG(rig_create(), members_that_request_different_amounts_are_placed_exactly)
{
    rig_racks(rig, 1, 1, 3);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", 0);
    rig_pod(rig, "p-1", "g", RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_null(strstr(rig_key(rig, "g", "conditions"), "PodsNotHomogeneous"));
}

/* Members of one role that rules name: the larger request counts for all of them. */
TEST_RIG(rig_create(), d44_the_larger_request_is_the_demand_of_every_member_of_a_named_role)
{
    rig_racks(rig, 1, 2, 3);
    rig_group(rig, "g", 2, 0, "{'roles':{'worker':{'node':{}}}}");
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", RIG_GATED);
    rig_pod(rig, "p-1", "g", RIG_GATED | RIG_BIG);
    rig_edit(rig, RIG_POD, "p-0", "{'metadata':{'annotations':{'sakkara.group.role':'worker'}}}");
    rig_edit(rig, RIG_POD, "p-1", "{'metadata':{'annotations':{'sakkara.group.role':'worker'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2); /* 2 + 1 would fit one node, 2 + 2 do not */
    assert_string_not_equal(rig_node_of(rig, "p-0"), rig_node_of(rig, "p-1"));
    const char *conditions = rig_key(rig, "g", "conditions");
    assert_non_null(strstr(conditions, "PodsNotHomogeneous"));
    assert_non_null(strstr(conditions, "p-1"));
    assert_non_null(strstr(conditions, "CPU"));
}

TEST(unequal_pods_are_refused_where_that_is_asked_for)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.heterogeneous_refuse = true;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 4);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", 0);
    rig_pod(rig, "p-1", "g", RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Failed");
    assert_string_equal(rig_key(rig, "g", "reason"), "PodsNotHomogeneous");
    rig_delete(rig, RIG_POD, "p-1");
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

/* A node outside the tree is named to the group if one of its roles could use it. */
TEST_RIG(rig_create(), a_node_without_a_label_is_named_if_some_role_could_use_it)
{
    rig_node(rig, "cpu", 1);
    rig_edit(rig, RIG_NODE, "cpu", "{'metadata':{'labels':{'sakkara.topology.rack':'r0'}}}");
    rig_node(rig, "gpu", 4);
    rig_edit(rig, RIG_NODE, "gpu", "{'metadata':{'labels':{'pool':'gpu'}}}");
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'nodeSelector':{'sakkara.topology.rack':'r0'}}}");
    rig_edit(rig, RIG_POD, "p-1", "{'spec':{'nodeSelector':{'pool':'gpu'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 0);
    assert_non_null(strstr(rig_also(rig, "g", "LabelMissing"), "first gpu"));
}

/* A member that tolerates more is a role of its own; the other one never goes to the closed node. */
TEST_RIG(rig_create(), d4_eligibility_is_that_of_each_member)
{
    rig_racks(rig, 1, 3, 4);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':[{'key':'gpu','effect':'NoSchedule'}]}}");
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'tolerations':[{'operator':'Exists'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-1"), "node-1");
}
