/* SPDX-License-Identifier: Apache-2.0 */
/* Members of roles that are lost: what is said, where their seats are held, what a restart reads. */
#include "test/unit/engine_test.h"
#include "test/unit/role_scene.h"

#define PAIR "{'sets':[{'level':'rack','roles':{'leader':1,'worker':1}}]}"

/* rack-0 is full when the leader is lost; rack-1 has room that the rule does not allow. */
TEST_RIG(rig_create(), a_lost_leader_without_room_is_named)
{
    rig_racks(rig, 2, 2, 3);
    role_gang(rig, 1, 3, (const int[]){3, 1}, "{'rack':{'hard':true}}");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'0s'}}");
    rig_run(rig, 3 * SKR_SECOND);
    char node[32];
    snprintf(node, sizeof node, "%s", rig_node_of(rig, "l-0"));
    rig_remove(rig, "l-0");
    rig_edit(rig, RIG_NODE, node, "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "l-1", "leader", 3, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "message"),
                           "group g needs 1 more slot for role leader beside the 3 it holds, "));
    assert_non_null(
        strstr(rig_key(rig, "g", "message"), ": 3 members sit in rack-0, the rule is hard"));
    assert_null(strstr(rig_key(rig, "g", "message"), "a size of"));
    rig_edit(rig, RIG_NODE, node, "{'spec':{'unschedulable':null}}");
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-1"), node);
    rig_assert_clean(rig);
}

/* The node fails on which pod was, and the pod goes. */
static void lose(struct rig *rig, const char *pod)
{
    rig_edit(rig, RIG_NODE, rig_node_of(rig, pod),
             "{'spec':{'taints':[{'key':'gone','effect':'NoExecute'}]}}");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, pod);
    rig_run(rig, SKR_SECOND);
}

/* The other node of the set's rack is full: the seat is not held in the other rack, which has room. */
TEST(the_seat_of_a_set_is_held_in_the_rack_of_the_set)
{
    for (int full = 0; full < 2; full++) {
        SKR_AUTO(rig_destroy) struct rig *racks = rig_create();
        rig_racks(racks, 2, 3, 2);
        role_gang(racks, 2, 2, (const int[]){2, 2}, PAIR);
        assert_string_equal(rig_node_of(racks, "l-1"), "node-3");
        assert_string_equal(rig_node_of(racks, "w-1"), "node-4");
        if (full) {
            rig_edit(racks, RIG_NODE, "node-5", "{'status':{'allocatable':{'cpu':'1'}}}");
        }
        lose(racks, "w-1");
        if (full) {
            assert_string_equal(rig_also(racks, "g", "SeatHeld"), "");
        } else {
            assert_non_null(strstr(rig_also(racks, "g", "SeatHeld"), "for a replacement: node-5"));
        }
    }
}

/* The node of the leader closes. Of the other nodes one has a seat that is held for a worker, which may
 * be in this rack alone. */
TEST_RIG(rig_create(), a_leader_does_not_take_the_seat_that_is_held_for_a_worker)
{
    rig_racks(rig, 2, 2, 4);
    role_map(rig, "{'leader':{'size':1},'worker':{'size':3}}",
             "{'roles':{'worker':{'rack':{'hard':true}}}}");
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'7'}}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'3'}}}");
    rig_sync(rig);
    role_members(rig, "w", 3, "worker", 3, 0);
    role_member(rig, "l-0", "leader", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "w-2"), "node-1");
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':true}}");
    rig_delete(rig, RIG_POD, "l-0");
    rig_delete(rig, RIG_POD, "w-2");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "l-1", "leader", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-1"), "node-2");
    role_member(rig, "w-3", "worker", 3, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-3"), "node-1");
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), pods_that_wait_for_their_set_are_no_missing_pods)
{
    rig_racks(rig, 2, 2, 4);
    role_map(rig, "{'leader':{'size':1},'worker':{'size':2}}",
             "{'sets':[{'level':'rack','roles':{'leader':1,'worker':2}}]}");
    rig_sync(rig);
    role_member(rig, "l-0", "leader", 1, 0);
    role_member(rig, "w-0", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g: 1 of 1 leader pods, 1 of 2 worker pods");
}

/* A worker more than the role's own rule allows would fit on the leader's node. */
TEST_RIG(rig_create(), the_seat_of_a_role_is_held_under_its_own_rule)
{
    rig_racks(rig, 1, 3, 4);
    role_leader_and(rig, 2, "{'roles':{'worker':{'node':{'max':1}}}}");
    assert_string_equal(rig_node_of(rig, "w-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "w-1"), "node-1");
    lose(rig, "w-1"); /* node-0 has room, but a worker too */
    assert_non_null(
        strstr(rig_also(rig, "g", "SeatHeld"), "1 seat is held for a replacement: node-2"));
    role_member(rig, "w-2", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-2"), "node-2");
    rig_assert_clean(rig);
}

/* The nodes of the set are in two racks now: the plan ends, and the set goes to a rack that holds it. */
TEST_RIG(rig_create(), a_plan_whose_set_is_in_two_racks_of_a_new_tree_ends)
{
    rig_racks(rig, 2, 2, 2);
    role_map(rig, "{'leader':{'size':1},'worker':{'size':1}}", PAIR);
    rig_sync(rig);
    rig->hold_scheduler = true;
    role_member(rig, "l-0", "leader", 2, 0);
    role_member(rig, "w-0", "worker", 2, 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "node-1"));
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{}},\\'s\\':{\\'node-1\\':{},\\'node-2\\':{}}"
             ",\\'t\\':{\\'node-3\\':{}}}'}}");
    rig_run(rig, 3 * SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "w-0"), "node-2");
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"s\"}");
    rig_assert_clean(rig);
}

/* Each set has lost a member, and the other runs on a node that the tree no longer has: the newcomers
 * are one leader and one worker, but no set. */
TEST_RIG(rig_create(), halves_of_two_sets_outside_the_tree_are_no_set)
{
    rig_racks(rig, 3, 2, 2);
    role_map(rig, "{'leader':{'size':2},'worker':{'size':2}}", PAIR);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'0s'}}");
    rig_sync(rig);
    role_members(rig, "l", 2, "leader", 2, 0);
    role_members(rig, "w", 2, "worker", 2, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-2\\':{\\'node-4\\':{},\\'node-5\\':{}}}'}}");
    rig_remove(rig, "l-0");
    rig_remove(rig, "w-1");
    rig_run(rig, 3 * SKR_SECOND);
    role_member(rig, "l-2", "leader", 2, 0);
    role_member(rig, "w-2", "worker", 2, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-2"), "");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g: set 0 has 0 of 1 members of role worker to place, and no node of "
                        "the set is in the tree; add its nodes, or delete its pods");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}},"
             "\\'rack-1\\':{\\'node-2\\':{},\\'node-3\\':{}}}'}}");
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "l-2"), "node-0");
    assert_string_equal(rig_node_of(rig, "w-2"), "node-3");
    rig_assert_clean(rig);
}

/* A worker leaves its lost node. The daemon starts anew when the pod is gone: the leader is larger than the seat. */
TEST_RIG(rig_create(), a_restart_keeps_the_seat_of_a_worker_whose_pod_is_gone)
{
    rig_racks(rig, 1, 3, 4);
    rig_edit(rig, RIG_NODE, "node-2",
             "{'spec':{'unschedulable':true},'status':{'allocatable':{'cpu':'1'}}}");
    role_map(rig, "{'leader':{'size':1},'worker':{'size':2}}", "{}");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'replace':'early'}}");
    rig_sync(rig);
    role_member(rig, "l-0", "leader", 3, 0);
    role_members(rig, "w", 2, "worker", 1, 0);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "w", 2);
    const char *stays = strcmp(rig_node_of(rig, "w-0"), "node-0") == 0 ? "w-0" : "w-1";
    const char *leaves = strcmp(stays, "w-0") == 0 ? "w-1" : "w-0";
    assert_string_equal(rig_node_of(rig, leaves), "node-1");
    rig_edit(rig, RIG_NODE, "node-2", "{'spec':{'unschedulable':null}}");
    rig_edit(rig, RIG_NODE, "node-1",
             "{'spec':{'taints':[{'key':'node.kubernetes.io/out-of-service','effect':"
             "'NoExecute'}]}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_null(rig_find(rig, RIG_POD, leaves));
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.seats"), "\"worker\"}}"));
    rig_restart(rig);
    rig_pod(rig, "thief", NULL, 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "thief"), "");
    role_member(rig, "again", "worker", 1, 0);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "again"), "node-2");
}
