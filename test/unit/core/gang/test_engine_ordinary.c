/* SPDX-License-Identifier: Apache-2.0 */
/* Room that single pods hold against groups: which pods, on which node, until when. */
#include "core/gang/cache/ordinary.h"
#include "test/unit/engine_test.h"

static const char full[] = "group g needs 1 slots, 0 are free on eligible nodes";

static void add_single(struct rig *rig, const char *name, int priority)
{
    rig_pod(rig, name, NULL, 0);
    rig_edit(rig, RIG_POD, name, "{'spec':{'priority':%d}}", priority);
}

static void add_late(struct rig *rig)
{
    rig_pod(rig, "late", NULL, 0);
    rig_edit(rig, RIG_POD, "late",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
    rig_settle(rig);
}

static void judge(struct rig *rig, const char *pod, const char *message)
{
    rig_edit(rig, RIG_POD, pod,
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False',"
             "'reason':'Unschedulable','message':'%s'}]}}",
             message);
    rig_settle(rig);
}

/* Nodes of one slot, and the group g of one member, whose pods come later. kube-scheduler is slow. */
static struct rig *cluster(int nodes, int priority)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, nodes, 1);
    rig_group(rig, "g", 1, priority, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    return rig;
}

static void let_g_come(struct rig *rig)
{
    rig_pods(rig, "g", 1, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
}

/* Filter accepted the pod on a node, which is the only one. */
static struct rig *late_volume(void)
{
    struct rig *rig = cluster(1, 1000);
    add_late(rig);
    assert_int_equal(rig_filter(rig, "late", "node-0").n_passed, 1);
    let_g_come(rig);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    return rig;
}

/* ---- claims ---- */

TEST_RIG(cluster(2, 0), a_pod_with_a_claim_holds_room_on_the_only_node_that_accepted_it)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-1");
}

TEST_RIG(cluster(2, 0), a_pod_with_a_claim_holds_room_on_its_nominated_node_alone)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0 node-1");
    rig_edit(rig, RIG_POD, "late", "{'status':{'nominatedNodeName':'node-0'}}");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-1");
}

TEST_RIG(cluster(8, 1000), a_claim_that_nothing_provisions_keeps_no_group_waiting)
{
    add_late(rig);
    rig_filter(rig, "late", NULL);
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"),
                    "node-0"); /* several accept it, and none is nominated */
}

TEST_RIG(late_volume(), the_node_that_a_late_volume_did_not_take_is_free_again)
{
    rig_node(rig, "node-1", 1);
    rig_edit(rig, RIG_POD, "late", "{'spec':{'nodeName':'node-1'}}");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}}}'}}");
    rig_run(rig, SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

TEST(the_room_of_a_late_volume_is_free_as_soon_as_it_needs_none)
{
    enum { DELETED, TERMINATES, ANOTHER_SCHEDULER, GATED, JUDGED, REFUSED, WAYS };
    for (int way = 0; way < WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = late_volume();
        if (way == DELETED) {
            rig_delete(rig, RIG_POD, "late");
        } else if (way == TERMINATES) {
            rig_terminate(rig, "late");
        } else if (way == ANOTHER_SCHEDULER) {
            rig_edit(rig, RIG_POD, "late", "{'spec':{'schedulerName':'other'}}");
        } else if (way == GATED) {
            rig_edit(rig, RIG_POD, "late", "{'spec':{'schedulingGates':[{'name':'quota'}]}}");
        } else if (way == JUDGED) {
            judge(rig, "late", "0/1 nodes are available: timed out waiting for the condition.");
        } else {
            rig_node(rig, "node-9", 1); /* outside the tree */
            rig_filter(rig, "late", "node-9");
        }
        rig_run(rig, SKR_SECOND);
        if (strcmp(rig_planned(rig, "g-0"), "node-0") != 0) {
            rig_fail(rig, "way %d: the room is kept", way);
        }
    }
}

TEST_RIG(late_volume(), the_room_of_a_late_volume_has_a_deadline)
{
    rig_run(rig, (SKR_POD_LATE_S - 5) * SKR_SECOND);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

/* Its condition is that of an earlier attempt, and the nomination comes with a version that has it. */
TEST_RIG(cluster(1, 0), an_older_judgement_does_not_end_the_room_of_a_late_volume)
{
    add_late(rig);
    judge(rig, "late", "0/1 nodes are available: 1 Insufficient cpu.");
    rig_filter(rig, "late", "node-0");
    rig_edit(rig, RIG_POD, "late", "{'status':{'nominatedNodeName':'node-0'}}");
    let_g_come(rig);
    rig_assert_text(rig_key(rig, "g", "message"), full);
}

#define NO_CLAIM "persistentvolumeclaim c not found"

/* kube-scheduler writes conditions later than it decides. */
TEST_RIG(cluster(2, 0), a_judgement_that_comes_after_the_next_try_does_not_end_its_room)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0 node-1");
    judge(rig, "late", NO_CLAIM); /* of the try before */
    rig_edit(rig, RIG_POD, "late", "{'status':{'nominatedNodeName':'node-0'}}");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-1");
}

TEST_RIG(cluster(2, 0), a_judgement_that_comes_with_the_nomination_does_not_end_its_room)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0 node-1");
    rig_edit(rig, RIG_POD, "late",
             "{'status':{'nominatedNodeName':'node-0','conditions':[{'type':'PodScheduled',"
             "'status':'False','reason':'Unschedulable','message':'" NO_CLAIM "'}]}}");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-1");
}

TEST_RIG(cluster(1, 0), a_pod_that_is_judged_after_its_nomination_holds_no_room)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0");
    rig_edit(rig, RIG_POD, "late", "{'status':{'nominatedNodeName':'node-0'}}");
    judge(rig, "late", "binding volumes: timed out waiting for the condition");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

TEST_RIG(cluster(1, 0), a_call_that_overtakes_the_watch_of_its_pod_still_holds_room)
{
    rig->hold_watch[RIG_POD] = true;
    add_late(rig);
    assert_int_equal(rig_filter(rig, "late", "node-0").n_passed, 1);
    rig->hold_watch[RIG_POD] = false;
    let_g_come(rig);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    rig_delete(rig, RIG_POD, "late");
    rig_run(rig, SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

TEST_RIG(cluster(1, 0), of_calls_that_overtake_the_watch_the_last_ones_are_remembered)
{
    char name[32];
    rig->hold_watch[RIG_POD] = true;
    add_late(rig);
    rig_filter(rig, "late", "node-0");
    for (int i = 0; i < SKR_EARLY_MAX; i++) {
        snprintf(name, sizeof name, "never-%d", i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
        rig_filter(rig, name, "node-0");
        rig_delete(rig, RIG_POD, name);
    }
    rig->hold_watch[RIG_POD] = false;
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

/* Which nodes filter accepted is forgotten; kube-scheduler's own word stands on the pod. */
TEST_RIG(cluster(2, 0), after_a_restart_a_nominated_pod_with_a_claim_holds_its_node)
{
    add_late(rig);
    rig_filter(rig, "late", "node-0 node-1");
    rig_edit(rig, RIG_POD, "late", "{'status':{'nominatedNodeName':'node-0'}}");
    rig_restart(rig);
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-1");
}

/* kube-scheduler comes again with the one node that is kept for a group. */
TEST_RIG(rig_create(), a_pod_with_a_late_volume_that_no_node_takes_leaves_nothing_behind)
{
    rig_racks(rig, 1, 2, 1);
    rig->hold_scheduler = true;
    rig_gang(rig, "h", 1, "h", 1, 0);
    rig_run(rig, SKR_SECOND);
    rig_assert_text(rig_planned(rig, "h-0"), "node-0");
    add_late(rig);
    assert_string_equal(rig_filter(rig, "late", "node-0 node-1").passed, "node-1");
    assert_int_equal(rig_filter(rig, "late", "node-0").n_passed, 0);
    rig->hold_scheduler = false;
    rig_delete(rig, RIG_POD, "late");
    rig_group(rig, "g", 1, 0, NULL);
    rig_pods(rig, "g", 1, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_text(rig_node_of(rig, "g-0"), "node-1");
}

/* ---- pods that go first ---- */

TEST_RIG(cluster(1, 0), room_is_left_to_a_pod_of_higher_priority_for_a_while)
{
    add_single(rig, "first", 1);
    let_g_come(rig);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    rig_run(rig, (SKR_POD_FIRST_S - 2) * SKR_SECOND);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

/* The map says 1000. */
TEST(the_priority_of_the_members_counts_and_not_that_of_the_group)
{
    for (int members = 0; members <= 999; members += 999) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(1, 1000);
        add_single(rig, "first", 999);
        rig_pods(rig, "g", 1, "g", RIG_GATED);
        rig_edit(rig, RIG_POD, "g-0", "{'spec':{'priority':%d}}", members);
        rig_run(rig, SKR_SECOND);
        rig_assert_text(rig_planned(rig, "g-0"), members == 0 ? "" : "node-0");
    }
}

TEST_RIG(cluster(1, 0), a_pod_that_kube_scheduler_calls_unschedulable_holds_no_room)
{
    add_single(rig, "first", 1);
    judge(rig, "first", "0/1 nodes are available: persistentvolumeclaim c not found.");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

/* Its label names a group, and then none again. */
TEST_RIG(cluster(1, 0), a_pod_that_joins_a_group_and_leaves_it_goes_first_no_longer)
{
    add_single(rig, "first", 1);
    let_g_come(rig);
    rig_assert_text(rig_key(rig, "g", "message"), full);
    for (int i = 0; i < SKR_POD_FIRST_S / 2; i++) {
        rig_run(rig, 2 * SKR_SECOND);
        rig_edit(rig, RIG_POD, "first", "{'metadata':{'labels':{'sakkara.group.name':'x'}}}");
        rig_settle(rig);
        rig_edit(rig, RIG_POD, "first", "{'metadata':{'labels':{'sakkara.group.name':null}}}");
        rig_settle(rig);
    }
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}

TEST(the_room_of_a_pod_that_goes_first_is_free_as_soon_as_it_needs_none)
{
    enum { DELETED, JUDGED, ELSEWHERE, JOINS, WAYS };
    for (int way = 0; way < WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(1, 0);
        add_single(rig, "first", 1);
        let_g_come(rig);
        rig_assert_text(rig_key(rig, "g", "message"), full);
        if (way == DELETED) {
            rig_delete(rig, RIG_POD, "first");
        } else if (way == JUDGED) {
            judge(rig, "first", "0/1 nodes are available: 1 Insufficient cpu.");
        } else if (way == ELSEWHERE) {
            rig_node(rig, "node-9", 1);
            rig_edit(rig, RIG_POD, "first", "{'spec':{'nodeName':'node-9'}}");
        } else {
            rig_edit(rig, RIG_POD, "first", "{'metadata':{'labels':{'sakkara.group.name':'h'}}}");
        }
        rig_run(rig, SKR_SECOND);
        if (strcmp(rig_planned(rig, "g-0"), "node-0") != 0) {
            rig_fail(rig, "way %d: the room is kept", way);
        }
    }
}

/* kube-scheduler may never come to it: a claim that is missing keeps the pod out of its queue. */
TEST_RIG(cluster(1, 0), a_pod_with_a_claim_goes_before_no_group)
{
    add_late(rig);
    rig_edit(rig, RIG_POD, "late", "{'spec':{'priority':1}}");
    let_g_come(rig);
    rig_assert_text(rig_planned(rig, "g-0"), "node-0");
}
