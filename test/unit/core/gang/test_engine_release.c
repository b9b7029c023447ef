/* SPDX-License-Identifier: Apache-2.0 */
/* releaseGateAfter: gates that are removed without a plan, so that autoscalers see the pods. */
#include "core/gang/bind/gate_release.h"
#include "test/test.h"
#include "test/unit/engine_test.h"

static struct rig *begin(skr_time after)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.release_gate_after = after;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 3, 4);
    rig->users_meddle = true; /* gates go without a plan: that is the point */
    return rig;
}

static size_t gated(struct rig *rig, const char *prefix, int n)
{
    size_t count = 0;
    for (int i = 0; i < n; i++) {
        count += rig_is_gated(rig, test_text("%s-%d", prefix, i));
    }
    return count;
}

TEST_RIG(begin(60 * SKR_SECOND),
         the_first_group_that_waited_long_enough_for_capacity_loses_its_gates)
{
    rig_group(rig, "large", 30, 0, NULL);
    rig_group(rig, "other", 40, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "job", 30, "large", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    rig_pods(rig, "more", 40, "other", RIG_GATED);
    rig_run(rig, 50 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 30), 30);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 30), 0);
    assert_int_equal(rig_n_bound(rig, "large"), 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(gated(rig, "more", 40), 0); /* both together have fewer than 200 pods */
    for (int i = 6; i < 8; i++) {                /* an autoscaler adds nodes */
        rig_node(rig, test_text("node-%d", i), 4);
    }
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\\"r\\\":{\\\"node-0\\\":{},\\\"node-1\\\":{},\\\"node-2\\\":{},"
             "\\\"node-3\\\":{},\\\"node-4\\\":{},\\\"node-5\\\":{},\\\"node-6\\\":{},"
             "\\\"node-7\\\":{}}}'}}");
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "job", 30);
}

/* One count serves all that look at the same time. */
TEST_RIG(begin(60 * SKR_SECOND), of_many_groups_that_look_at_once_as_many_go_as_one_by_one)
{
    enum { GROUPS = 300 };
    char name[32];
    rig->check_every = 100;
    rig_sync(rig);
    for (int i = 0; i < GROUPS; i++) {
        snprintf(name, sizeof name, "g-%d", i);
        rig_group(rig, name, 1, 0, NULL);
        rig_pod(rig, name, name, RIG_GATED);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'99'}}}]}}");
    }
    rig_run(rig, 100 * SKR_SECOND);
    assert_int_equal(gated(rig, "g", GROUPS), GROUPS - SKR_RELEASED_MAX);
}

/* Kubernetes 1.37 puts the pods of every Job into a PodGroup. */
TEST_RIG(begin(60 * SKR_SECOND), pods_in_a_podgroup_lose_their_gates_unless_it_is_their_group)
{
    static const struct {
        const char *prefix, *policy;
    } row[] = {{"a", "'basic':{}"}, {"b", "'gang':{'minCount':30}"}};
    rig_group(rig, "large", 30, 0, NULL);
    rig_sync(rig);
    for (size_t r = 0; r < 2; r++) {
        rig_create_json(rig, RIG_NATIVE, row[r].prefix,
                        "{'metadata':{},'spec':{'schedulingPolicy':{%s}}}", row[r].policy);
        for (int i = 0; i < 30; i++) {
            rig_create_json(rig, RIG_POD, test_text("%s-%d", row[r].prefix, i),
                            "{'metadata':{%s},'spec':{'schedulerName':'sakkara',"
                            "'schedulingGroup':{'podGroupName':'%s'},"
                            "'schedulingGates':[{'name':'sakkara.gang'}],"
                            "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                            r == 0 ? "'labels':{'sakkara.group.name':'large'}" : "", row[r].prefix);
        }
    }
    rig_run(rig, 90 * SKR_SECOND);
    assert_int_equal(gated(rig, "a", 30), 0);
    assert_int_equal(gated(rig, "b", 30), 30);
}

TEST_RIG(begin(SKR_TIME_NEVER), off_means_never)
{
    rig_gang(rig, "large", 30, "job", 30, RIG_GATED);
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 30), 30);
}

TEST_RIG(begin(60 * SKR_SECOND), a_group_that_waits_for_its_rules_keeps_its_gates)
{
    rig_sync(rig);
    rig_group(rig, "odd", 8, 0, "{'node':{'partitions':5,'max':1}}");
    rig_pods(rig, "job", 8, "odd", RIG_GATED);
    rig_run(rig, 600 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "odd", "reason"), "ConstraintConflict");
    assert_int_equal(gated(rig, "job", 8), 8);
}

/* An autoscaler makes room for the pods that it sees: half of a group would be too little. */
TEST_RIG(begin(60 * SKR_SECOND), a_group_goes_as_a_whole_and_the_turn_passes_on)
{
    rig_gang(rig, "huge", 250, "job", 250, RIG_GATED);
    rig_group(rig, "later", 40, 0, NULL);
    rig_pods(rig, "more", 40, "later", RIG_GATED);
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 250), 0);
    assert_int_equal(gated(rig, "more", 40), 40);
    rig_run(rig, SKR_RELEASED_TURN_S * SKR_SECOND);
    assert_int_equal(gated(rig, "more", 40), 0);
}

TEST_RIG(begin(60 * SKR_SECOND), beyond_a_thousand_such_pods_only_the_first_group_goes)
{
    rig_gang(rig, "huge", 800, "job", 800, RIG_GATED);
    rig_group(rig, "later", 250, 0, NULL);
    rig_pods(rig, "more", 250, "later", RIG_GATED);
    rig_run(rig, 120 * SKR_SECOND + 2 * SKR_RELEASED_TURN_S * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 800), 0);
    assert_int_equal(gated(rig, "more", 250), 250);
}

/* Its node is gone: without the autoscaler the replacement would wait for ever. */
TEST_RIG(begin(60 * SKR_SECOND), a_replacement_without_room_loses_its_gate)
{
    rig_gang(rig, "full", 24, "job", 24, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "job", 24);
    rig_delete(rig, RIG_NODE, "node-5");
    for (int i = 0; i < 24; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        if (strcmp(rig_node_of(rig, name), "node-5") == 0) {
            rig_delete(rig, RIG_POD, name);
        }
    }
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "new", 4, "full", RIG_GATED);
    rig_run(rig, 50 * SKR_SECOND);
    assert_int_equal(gated(rig, "new", 4), 4);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(gated(rig, "new", 4), 0);
    rig_node(rig, "node-5", 4);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "new", 4);
    assert_string_equal(rig_key(rig, "full", "status"), "Bound");
}

TEST_RIG(begin(60 * SKR_SECOND), a_follower_without_room_loses_its_gate)
{
    rig_podgroup(rig, "grows", 20);
    rig_sync(rig);
    rig_pods(rig, "job", 26, "grows", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 50 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 26), 2);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(gated(rig, "job", 26), 0);
    rig_node(rig, "node-6", 4);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{},\\'node-1\\':{},\\'node-2\\':{},"
             "\\'node-3\\':{},\\'node-4\\':{},\\'node-5\\':{},\\'node-6\\':{}}}'}}");
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "job", 26);
}
