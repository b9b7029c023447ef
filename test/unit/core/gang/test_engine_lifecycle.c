/* SPDX-License-Identifier: Apache-2.0 */
/* Every state of a group, how it is entered and left, and what people see of it. */
#include "test/unit/engine_test.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    return rig;
}

static void assert_state(struct rig *rig, const char *state, const char *status)
{
    assert_string_equal(rig_state(rig, "g"), state);
    rig_run(rig, 400 * SKR_MILLISECOND); /* what nobody waits for is collected for a moment */
    assert_string_equal(rig_key(rig, "g", "status"), status);
}

TEST_RIG(cluster(), a_gang_passes_through_every_state_on_its_way)
{
    rig->hold_scheduler = rig->hold_solves = true;
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p-0", "g", RIG_GATED);
    rig_settle(rig);
    assert_state(rig, "Pending", "Waiting");
    rig_pod(rig, "p-1", "g", RIG_GATED);
    rig_settle(rig);
    assert_state(rig, "Ready", "Ready");
    rig->hold_solves = false;
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    rig_settle(rig);
    assert_state(rig, "Planned", "Assigned");
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "\"Planned\""));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL), RIG_OK);
    }
    rig_settle(rig);
    assert_state(rig, "Admitting", "Assigned");
    rig_bind(rig, "p-0", "node-0");
    assert_state(rig, "Holding", "Assigned");
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_bind(rig, "p-1", "node-0");
    rig_settle(rig);
    assert_state(rig, "Binding", "Permitted");
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "\"Binding\""));
    assert_string_equal(rig_key(rig, "g", "rank"), "[(p-0,0) (p-1,1)]");
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_OK);
    }
    rig_settle(rig);
    assert_state(rig, "Bound", "Bound");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "");
}

TEST_RIG(cluster(), a_ready_group_falls_back_to_pending_when_a_member_goes)
{
    rig->hold_solves = true;
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, SKR_SECOND);
    assert_state(rig, "Ready", "Ready");
    rig_delete(rig, RIG_POD, "p-1");
    rig_settle(rig);
    assert_state(rig, "Pending", "Waiting");
    rig->hold_solves = false; /* the answer of the old solve is void */
    rig_run(rig, SKR_SECOND);
    assert_state(rig, "Pending", "Waiting");
    rig_pod(rig, "p-2", "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_state(rig, "Bound", "Bound");
}

TEST_RIG(cluster(), the_room_that_went_elsewhere_while_solving_is_noticed)
{
    rig->hold_solves = true;
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 2; i++) { /* node-0 is what it is about to be told */
        char name[32];
        snprintf(name, sizeof name, "quick-%d", i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-0'}}");
    }
    rig_settle(rig);
    rig->hold_solves = false;
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-1");
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.retries"), "1");
}

TEST_RIG(cluster(), backoff_ends_with_a_change_that_can_help)
{
    rig_gang(rig, "g", 9, "p", 9, RIG_GATED);
    rig_run(rig, 120 * SKR_SECOND);
    assert_state(rig, "Backoff", "Ready");
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "needs 9 slots"));
    rig_edit(rig, RIG_NODE, "node-3", "{'status':{'allocatable':{'cpu':'3'}}}");
    rig_run(rig, SKR_SECOND);
    assert_state(rig, "Bound", "Bound");
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.retries"), "2");
}

/* The sum of two such requests would wrap. */
TEST_RIG(cluster(), members_that_ask_for_more_than_64_bits_hold_are_members_that_fit_nowhere)
{
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, i == 0 ? "p-0" : "p-1",
                 "{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':"
                 "'9223372036854775807','memory':'8Ei'}}}]}}");
    }
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    rig_gang(rig, "h", 2, "q", 2, RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 2);
}

TEST_RIG(cluster(), backoff_with_a_missing_member_is_waiting)
{
    rig_gang(rig, "g", 9, "p", 9, RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-8");
    rig_run(rig, SKR_SECOND);
    assert_state(rig, "Pending", "Waiting");
    assert_string_equal(rig_key(rig, "g", "reason"), "MembersMissing");
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 8 of 9 members");
}

static bool never(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)pod;
    return strcmp(node, "node-0") != 0;
}

TEST_RIG(rig_create(), given_up_plans_are_tried_again_less_and_less_often)
{
    rig_racks(rig, 1, 1, 2);
    /* The first plan ends by what kube-scheduler says; it says nothing new of later ones, which time out. */
    rig->in_tree = never;
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_run(rig, 1000 * SKR_SECOND);
    for (int i = 0; i < 400 && strcmp(rig_key(rig, "g", "status"), "Ready") != 0; i++) {
        rig_run(rig, SKR_SECOND);
    }
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    assert_in_range(stats.plans, 3, 12);
    assert_string_equal(rig_key(rig, "g", "status"), "Ready");
    assert_int_equal(rig_n_bound(rig, "g"), 0);
}

TEST(each_reason_of_an_infeasible_group_has_its_numbers)
{
    static const struct {
        int size;
        const char *constraints, *reason, *message;
    } cases[] = {
        {2, "{'node':{'min':2,'max':2,'partitions':2}}", "ConstraintConflict", "2 members"},
        {9, NULL, "NeverFits", "9 slots"},
        {7, NULL, "WaitingForCapacity", "needs 7 slots, 6 are free on eligible nodes"},
        {5, "{'node':{'min':2}}", "NeverFits", ""},
        {6, "{'node':{'min':2}}", "TopologyPlacementFailed", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        for (int n = 0; n < 2; n++) { /* one cpu of each of two nodes is taken */
            char name[32];
            snprintf(name, sizeof name, "static-%d", n);
            rig_pod(rig, name, NULL, 0);
            rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-%d'}}", n);
        }
        rig_group(rig, "g", cases[i].size, 0, cases[i].constraints);
        rig_sync(rig);
        rig_pods(rig, "p", cases[i].size, "g", RIG_GATED);
        rig_run(rig, 3 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "reason"), cases[i].reason);
        assert_non_null(strstr(rig_key(rig, "g", "message"), cases[i].message));
        assert_string_equal(rig_key(rig, "g", "status"), "Ready"); /* never Failed */
        char event[96];
        snprintf(event, sizeof event, "ConfigMap/g %s GroupUnplaced",
                 i == 0 || i == 1 || i == 3 ? "Warning" : "Normal");
        assert_true(rig_has_event(rig, event));
    }
}

TEST_RIG(cluster(), an_event_tells_a_change_and_never_that_it_is_still_so)
{
    rig_gang(rig, "g", 4, "p", 4, 0);
    rig_run(rig, 600 * SKR_SECOND);
    static const char *const reasons[] = {"GroupComplete", "GroupPlaced", "GroupBound"};
    assert_int_equal(json_array_size(rig->events), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(rig_has_event(rig, reasons[i]));
    }
    assert_true(rig_has_event(rig, "GroupBound: 4 members are bound to 2 nodes"));
}

TEST_RIG(cluster(), times_count_from_the_first_member_to_the_last_binding)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 30 * SKR_SECOND);
    rig_pod(rig, "p-0", "g", 0);
    rig_run(rig, 7 * SKR_SECOND);
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 7 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "schedTotalTimeMilli"), "7050");
    assert_string_equal(rig_key(rig, "g", "schedBeginTime"), "2023-11-14T22:13:50Z");
    assert_string_equal(rig_key(rig, "g", "schedEndTime"), "2023-11-14T22:13:57.05Z");
}

TEST_RIG(cluster(), conditions_change_their_time_only_with_their_status)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 10 * SKR_SECOND);
    rig_pod(rig, "p-0", "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "conditions"),
                           "{\"type\":\"Complete\",\"status\":\"False\",\"reason\":\"MembersMissing"
                           "\",\"message\":\"1 of 2 members\",\"lastTransitionTime\":"
                           "\"2023-11-14T22:13:20Z\"}"));
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "conditions"),
                           "{\"type\":\"Complete\",\"status\":\"True\",\"reason\":\"MembersPresent"
                           "\",\"message\":\"2 of 2 members\",\"lastTransitionTime\":"
                           "\"2023-11-14T22:13:40Z\"}"));
}

TEST_RIG(rig_create(), ordinary_pods_above_every_member_are_served_first)
{
    rig_racks(rig, 1, 2, 2);
    rig->hold_scheduler = true;
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "urgent", NULL, 0);
    rig_edit(rig, RIG_POD, "urgent", "{'spec':{'priority':1000}}");
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Backoff");
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_true(*rig_node_of(rig, "urgent"));
    rig_edit(rig, RIG_POD, "urgent", "{'status':{'phase':'Succeeded'}}");
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
}

TEST_RIG(cluster(), a_member_bound_by_somebody_else_is_adopted)
{
    rig_group(rig, "g", 3, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 3, "g", 0);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_POD, "p-0",
             "{'spec':{'nodeName':'node-3'},'status':{'nominatedNodeName':null}}");
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_non_null(strstr(rig_key(rig, "g", "placement"), "\"node-3\":{\"p-0\":{}}"));
}

TEST_RIG(cluster(), a_label_that_changes_the_group_moves_the_pod)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_group(rig, "h", 1, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_edit(rig, RIG_POD, "p-1", "{'metadata':{'labels':{'sakkara.group.name':'h'}}}");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "h", "status"), "Bound");
    assert_true(*rig_node_of(rig, "p-1"));
    rig_assert_clean(rig);
}
