/* SPDX-License-Identifier: Apache-2.0 */
/* Devices that all nodes reach: they serve a number of members, wherever these are. */
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

/* Two nodes without devices of their own, and three that both reach. */
static struct rig *fabric(void)
{
    struct rig *rig = device_cluster(2, 0);
    rig_create_json(rig, RIG_SLICE, "fabric",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','allNodes':true,'pool':"
                    "{'name':'fabric','generation':1,'resourceSliceCount':1},'devices':"
                    "[{'name':'f-0'},{'name':'f-1'},{'name':'f-2'}]}}");
    return rig;
}

/* Members g-0 .. with a claim of one device each; two fit on a node. */
static void gang_of(struct rig *rig, int n)
{
    char name[32];
    rig_group(rig, "g", n, 0, NULL);
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "g-%d", i);
        device_claim(rig, name, 1);
        device_pod_with(rig, name, name, 30);
    }
}

TEST_RIG(fabric(), devices_of_all_nodes_bound_a_gang_as_a_whole)
{
    gang_of(rig, 4);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_null(strstr(rig->log.s, "FilteredByOthers"));
    assert_string_equal(
        rig_key(rig, "g", "message"),
        "group g is not placed: devices that all nodes reach serve 3 of its 4 pods");
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 1 device of class gpu (3 of 3 are free): devices for 3 more "
                        "pods, at most 3 on a node");
    rig_delete(rig, RIG_POD, "g-3");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'3'}}");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
}

TEST_RIG(fabric(), devices_of_all_nodes_that_others_have_do_not_count)
{
    device_claim(rig, "other", 1);
    rig_edit(rig, RIG_DEVICE_CLAIM, "other",
             "{'status':{'allocation':{'devices':{'results':[{'request':'r','driver':"
             "'gpu.example.com','pool':'fabric','device':'f-1'}]}},'reservedFor':[{'resource':"
             "'pods','name':'p','uid':'u'}]}}");
    gang_of(rig, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g is not placed: devices that all nodes reach serve 2 of its 3 "
                        "pods, others have the rest");
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    rig_edit(rig, RIG_DEVICE_CLAIM, "other", "{'status':{'allocation':null,'reservedFor':null}}");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
}

TEST_RIG(fabric(), an_ordinary_pod_leaves_devices_of_all_nodes_to_a_plan)
{
    gang_of(rig, 3);
    rig_run(rig, 10 * SKR_MILLISECOND); /* it asks for each */
    rig->hold_scheduler = true;
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_create_json(rig, RIG_POD, "single",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1','example.com/gpu':'1'}}}]},'status':"
                    "{'phase':'Pending'}}");
    assert_int_equal(rig_filter(rig, "single", "node-0 node-1").n_passed, 0);
}

static void single_of(struct rig *rig, const char *name, int devices)
{
    device_claim(rig, name, devices);
    device_pod_with(rig, name, name, 1);
    rig_edit(rig, RIG_POD, name, "{'metadata':{'labels':null}}");
    rig_settle(rig);
}

/* kube-scheduler may have accepted one of them and found afterwards that it cannot be bound. */
TEST(ordinary_pods_are_not_kept_off_devices_for_one_another)
{
    for (int of_nodes = 0; of_nodes <= 1; of_nodes++) {
        SKR_AUTO(rig_destroy) struct rig *rig = of_nodes ? device_cluster(2, 3) : fabric();
        rig->hold_scheduler = true;
        single_of(rig, "one", 2);
        single_of(rig, "two", 2);
        assert_int_equal(rig_filter(rig, "one", "node-0").n_passed, 1);
        assert_int_equal(rig_filter(rig, "two", "node-0").n_passed, 1);
    }
}

/* All members reach the devices that the first one gets. */
TEST_RIG(fabric(), members_share_a_claim_of_all_nodes_wherever_they_are)
{
    device_claim(rig, "one", 3);
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        device_pod_with(rig, test_text("g-%d", i), "one", 30);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_int_equal(device_pods_on(rig, "g", 4, "node-0"), 2);
}

/* A node has such devices, too, which come last in its order: the plan is simulated, member by member. */
TEST_RIG(fabric(), devices_of_a_node_and_of_all_nodes_together_are_no_bound)
{
    rig_delete(rig, RIG_SLICE, "node-0");
    device_slice(rig, "node-0", 2);
    gang_of(rig, 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

/* ---- devices of some nodes ---- */

/* A pool of n devices that the nodes of a rack reach. */
static void rack(struct rig *rig, const char *name, int n)
{
    SKR_STRBUF(devices);
    for (int i = 0; i < n; i++) {
        skr_strbuf_addf(&devices, "%s{'name':'%s-%d'}", i > 0 ? "," : "", name, i);
    }
    rig_create_json(rig, RIG_SLICE, name,
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeSelector':"
                    "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'rack','operator':'In',"
                    "'values':['%s']}]}]},'pool':{'name':'%s','generation':1,"
                    "'resourceSliceCount':1},'devices':[%s]}}",
                    name, name, devices.s);
}

static void move_to_rack(struct rig *rig, const char *node, const char *name)
{
    rig_edit(rig, RIG_NODE, node, "{'metadata':{'labels':{'rack':'%s'}}}", name);
}

/* Nodes 0 and 1 reach two devices of rack a, nodes 2 and 3 three of rack b. */
static struct rig *racks(void)
{
    struct rig *rig = device_cluster(4, 0);
    move_to_rack(rig, "node-0", "a");
    move_to_rack(rig, "node-1", "a");
    move_to_rack(rig, "node-2", "b");
    move_to_rack(rig, "node-3", "b");
    rack(rig, "a", 2);
    rack(rig, "b", 3);
    return rig;
}

TEST_RIG(racks(), devices_of_a_rack_bound_the_members_on_its_nodes)
{
    gang_of(rig, 5);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 5);
    assert_int_equal(device_pods_on(rig, "g", 5, "node-0") + device_pods_on(rig, "g", 5, "node-1"),
                     2);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_RIG(racks(), devices_of_all_racks_are_too_few)
{
    gang_of(rig, 6);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(
        rig_key(rig, "g", "message"),
        "group g is not placed: devices that some nodes reach serve 5 of its 6 pods");
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 1 device of class gpu (5 of 5 are free): devices for 5 more "
                        "pods, at most 3 on a node");
    move_to_rack(rig, "node-3", "c");
    rack(rig, "c", 2);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 6);
    assert_int_equal(device_pods_on(rig, "g", 6, "node-3"), 2);
}

/* Rack a has too few devices for the claim. */
TEST_RIG(racks(), members_share_a_claim_of_one_rack)
{
    device_claim(rig, "one", 3);
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        device_pod_with(rig, test_text("g-%d", i), "one", 30);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_int_equal(device_pods_on(rig, "g", 4, "node-2"), 2);
    assert_int_equal(device_pods_on(rig, "g", 4, "node-3"), 2);
}

TEST_RIG(racks(), members_that_share_a_claim_of_a_rack_do_not_fit_into_one)
{
    device_claim(rig, "one", 1);
    rig_group(rig, "g", 5, 0, NULL);
    for (int i = 0; i < 5; i++) {
        device_pod_with(rig, test_text("g-%d", i), "one", 30);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "ResourceClaim one"));
}

TEST_RIG(racks(), an_ordinary_pod_leaves_devices_of_a_rack_to_a_plan)
{
    gang_of(rig, 5);
    rig_run(rig, 10 * SKR_MILLISECOND); /* it asks for each */
    rig->hold_scheduler = true;
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_create_json(rig, RIG_POD, "single",
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1','example.com/gpu':'1'}}}]},'status':"
                    "{'phase':'Pending'}}");
    assert_int_equal(rig_filter(rig, "single", "node-0 node-3").n_passed, 0);
    rig_delete(rig, RIG_SLICE, "b");
    rack(rig, "b", 4);
    rig_run(rig, 100 * SKR_MILLISECOND);
    assert_int_equal(rig_filter(rig, "single", "node-0 node-3").n_passed, 1);
}

/* Nodes 0 to 2 reach a, nodes 2 and 3 reach b: no bound is known, so the plan is played, member by member. */
TEST_RIG(device_cluster(4, 0), a_plan_over_regions_that_overlap_is_simulated)
{
    static const char *const of[] = {"0", "1", "2", "3"};
    for (int i = 0; i < 4; i++) {
        SKR_STRBUF(node);
        skr_strbuf_addf(&node, "node-%d", i);
        rig_edit(rig, RIG_NODE, node.s, "{'metadata':{'labels':{'at':'%s'}}}", of[i]);
    }
    static const char *const at[] = {"'0','1','2'", "'2','3'"};
    for (int k = 0; k < 2; k++) {
        rig_create_json(rig, RIG_SLICE, k == 0 ? "a" : "b",
                        "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeSelector':"
                        "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'at','operator':'In',"
                        "'values':[%s]}]}]},'pool':{'name':'%s','generation':1,"
                        "'resourceSliceCount':1},'devices':[{'name':'0'},{'name':'1'}]}}",
                        at[k], k == 0 ? "a" : "b");
    }
    gang_of(rig, 4);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    const int first = device_pods_on(rig, "g", 4, "node-0") + device_pods_on(rig, "g", 4, "node-1");
    assert_true(first <= 2 && device_pods_on(rig, "g", 4, "node-3") <= 2);
}
