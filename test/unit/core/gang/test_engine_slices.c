/* SPDX-License-Identifier: Apache-2.0 */
/* Plans count the devices of slices: for claims, and for extended resources of a class. */
#include "core/devices/stock.h"
#include "core/gang/cache/device_classes.h"
#include "core/gang/state/pages.h"
#include "core/gang/state/types.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/json_text.h"

#define GPU "example.com/gpu"

static void member_by_class(struct rig *rig, const char *group, int i, int each)
{
    rig_create_json(rig, RIG_POD, test_text("%s-%d", group, i),
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{"
                    "'schedulerName':'sakkara','containers':[{'name':'c','resources':{"
                    "'requests':{'cpu':'1','" GPU "':'%d'}}}]},'status':{'phase':'Pending'}}",
                    group, each);
}

static void gang_by_class(struct rig *rig, const char *group, int n, int each)
{
    rig_group(rig, group, n, 0, NULL);
    for (int i = 0; i < n; i++) {
        member_by_class(rig, group, i, each);
    }
}

TEST_RIG(device_cluster(4, 8), an_extended_resource_is_limited_by_the_devices_of_a_node)
{
    gang_by_class(rig, "g", 8, 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 8);
    assert_int_equal(device_pods_on(rig, "g", 8, "node-0"), 2);
    assert_int_equal(device_pods_on(rig, "g", 8, "node-3"), 2);
}

TEST_RIG(device_cluster(2, 4), a_gang_that_wants_more_devices_than_there_are_waits)
{
    gang_by_class(rig, "g", 3, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g needs 9 devices of class gpu (3 pods x 3), the nodes open to it "
                        "have 8, for 2 pods");
    device_slice(rig, "node-9", 4);
    rig_delete(rig, RIG_SLICE, "node-0");
    device_slice(rig, "node-0", 6);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
    assert_int_equal(device_pods_on(rig, "g", 3, "node-0"), 2);
}

TEST_RIG(device_cluster(2, 4), without_slices_there_are_no_devices)
{
    rig_delete(rig, RIG_SLICE, "node-0");
    rig_delete(rig, RIG_SLICE, "node-1");
    gang_by_class(rig, "g", 2, 2);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g needs 4 devices of class gpu (2 pods x 2), the nodes open to it "
                        "have 0, for 0 pods");
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
    device_slice(rig, "node-1", 4);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(device_pods_on(rig, "g", 2, "node-1"), 2);
}

/* The page of the tree with these arguments, NULL allowed, has the code and the part. */
static void assert_tree(struct rig *rig, const char *resource, const char *slot, int code,
                        const char *part)
{
    const struct skr_view_query query = {
        .path = "/v1/tree", .argument = {[SKR_VIEW_RESOURCE] = resource, [SKR_VIEW_SLOT] = slot}};
    SKR_STRBUF(page);
    assert_int_equal(skr_gang_view(rig->gang, &query, rig->now, &page), code);
    if (!strstr(page.s, part)) {
        fail_msg("no %s in %s", part, page.s);
    }
}

TEST_RIG(device_cluster(2, 4), the_tree_shows_devices_of_a_class_and_counts_slots_of_them)
{
    gang_by_class(rig, "g", 1, 3);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 1);
    assert_tree(rig, "class/gpu", NULL, 200, "\"class/gpu\":8");
    assert_tree(rig, "class/gpu", NULL, 200, "\"slots\":8");
    assert_tree(rig, NULL, "class/gpu=3", 200, "\"slot\":{\"pods\":1,\"class/gpu\":3}");
    assert_tree(rig, NULL, "class/gpu=3", 200, "\"slots\":2");
    assert_tree(rig, NULL, "class/gpu=3,cpu=40", 200, "\"slots\":2");
    assert_tree(rig, NULL, "class/gpu=5", 200, "\"slots\":0");
    assert_tree(rig, "class/none", NULL, 404, "there is no DeviceClass \\\"none\\\"");
    assert_tree(rig, NULL, "class/gpu=1,class/gpu=1", 400, "names a resource again");
    assert_tree(rig, NULL, "class/gpu=0", 400, "asks for nothing");
    assert_tree(rig, NULL, "class/gpu=x", 400, "slot: ");
}

TEST_RIG(device_cluster(2, 4), the_tree_lists_classes_and_takes_the_resource_that_one_serves_for_it)
{
    static const char unused[] = "{'metadata':{},'spec':{'selectors':[{'cel':{'expression':"
                                 "'device.driver == \\'none\\''}}]}}";
    rig_create_json(rig, RIG_CLASS, "a", unused);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'example.com/nic':'3'}}}");
    rig_run(rig, SKR_SECOND);
    assert_tree(rig, "cpu", NULL, 200,
                "\"resources\":[\"cpu\",\"memory\",\"pods\",\"example.com/nic\",\"class/a\","
                "\"class/gpu\"]");
    assert_tree(rig, "class/gpu", NULL, 200, "\"resources\":[\"cpu\",");
    assert_tree(rig, "cpu", NULL, 200, "\"example.com/nic\":3,\"class/gpu\":8}");
    assert_tree(rig, GPU, NULL, 200, "\"resource\":\"class/gpu\"");
    assert_tree(rig, NULL, GPU "=3", 200, "\"slot\":{\"pods\":1,\"class/gpu\":3}");
    assert_tree(rig, "class/a", NULL, 200, "\"slots\":0");
    rig_delete(rig, RIG_CLASS, "gpu");
    rig_run(rig, SKR_SECOND);
    assert_tree(rig, GPU, NULL, 404, "no node has a resource");
}

TEST(the_version_of_kube_scheduler_and_the_steps_of_a_search_are_set)
{
    static const struct {
        enum skr_devices_order order;
        int32_t minor;
        int64_t steps;
        const char *why; /* devices are not counted; "": they are */
    } rows[] = {
        {SKR_DEVICES_ORDER_OF_SERVER, 35, 0,
         "Devices are not counted: Kubernetes is older than 1.36, or its version is not known yet. "
         "kube-scheduler decides; a node that it refuses is not planned for 60 s"},
        {SKR_DEVICES_ORDER_1_36, 35, 0, ""},
        {SKR_DEVICES_ORDER_1_37, 36, 0, ""},
        {SKR_DEVICES_ORDER_OF_SERVER, 36, 2,
         "Devices are not counted on 2 of 2 nodes (node-0: the search for devices of one pod takes "
         "more steps than devices.steps permits). kube-scheduler decides; a node that it refuses "
         "is "
         "not planned for 60 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.server_minor = rows[i].minor;
        settings.devices_order = rows[i].order;
        settings.devices_steps = rows[i].steps;
        SKR_AUTO(rig_destroy) struct rig *rig = device_cluster_with(2, 4, &settings);
        rig->hold_scheduler = true;
        device_claim(rig, "one", 2);
        rig_group(rig, "g", 1, 0, NULL);
        device_pod_with(rig, "p-0", "one", 60);
        rig_run(rig, 10 * SKR_SECOND);
        rig_assert_text(rig_also(rig, "g", "DevicesNotCounted"), rows[i].why);
        assert_int_equal(rig->gang->devices.stock->version,
                         rows[i].order == SKR_DEVICES_ORDER_1_37 ? 37 : 36);
    }
}

/* ---- taint rules ---- */

static void taint_rule(struct rig *rig, const struct skr_object_type *type, const char *version,
                       const char *selector)
{
    SKR_STRBUF(text);
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'rule','resourceVersion':'%s'},'spec':{%s'taint':{'key':"
                    "'example.com/broken','effect':'NoExecute'}}}",
                    version, selector);
    struct skr_error error;
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert.type = type};
    json_auto_t *json = json_text_load(text.s);
    assert_int_equal(type->decode(json, &event.upsert.object, &error), 0);
    rig_handle(rig, &event);
    rig_run(rig, 120 * SKR_SECOND);
}

static void end_rule(struct rig *rig, const struct skr_object_type *type)
{
    struct skr_event event = {
        .kind = SKR_EVENT_DELETE,
        .deleted = {.type = type, .namespace_ = "", .name = "rule", .uid = ""}};
    rig_handle(rig, &event);
    rig_run(rig, 120 * SKR_SECOND);
}

/* The older of two versions of the rule changes nothing. */
TEST_RIG(device_cluster(2, 4), devices_that_a_rule_taints_are_not_planned_until_it_selects_others)
{
    static const char node_0[] = "'deviceSelector':{'driver':'gpu.example.com','pool':'node-0'},";
    taint_rule(rig, &skr_gang_taint_rule_v1beta2, "5", node_0);
    gang_by_class(rig, "g", 2, 4);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    taint_rule(rig, &skr_gang_taint_rule_v1, "4", "'deviceSelector':{'pool':'other'},");
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    taint_rule(rig, &skr_gang_taint_rule_v1, "6", "'deviceSelector':{'pool':'other'},");
    rig_assert_bound(rig, "g", 2);
}

TEST_RIG(device_cluster(2, 4), a_rule_without_a_selector_taints_all_devices_before_1_37)
{
    taint_rule(rig, &skr_gang_taint_rule_v1beta2, "5", "");
    gang_by_class(rig, "g", 1, 1);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    end_rule(rig, &skr_gang_taint_rule_v1beta2);
    rig_assert_bound(rig, "g", 1);
    taint_rule(rig, &skr_gang_taint_rule_v1beta2, "7", "");
    gang_by_class(rig, "h", 1, 1);
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 0);
    const int32_t newer = 37;
    rig_request(rig, SKR_GANG_SERVER_IS, &newer);
    rig_run(rig, 120 * SKR_SECOND);
    rig_assert_bound(rig, "h", 1);
}

/* ---- ordinary pods ---- */

static void ordinary_pod(struct rig *rig, const char *name, const char *resource, int each)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1','%s':'%d'}}}]},'status':{'phase':"
                    "'Pending'}}",
                    resource, each);
}

/* A plan of one member with three devices on each of the nodes, of which no devices are allocated. */
static void two_claimers(struct rig *rig)
{
    rig->hold_scheduler = true;
    gang_by_class(rig, "g", 2, 3);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
}

TEST_RIG(device_cluster(3, 4), an_ordinary_pod_takes_no_devices_that_a_plan_needs)
{
    two_claimers(rig);
    ordinary_pod(rig, "one", GPU, 1);
    ordinary_pod(rig, "two", GPU, 2);
    ordinary_pod(rig, "plain", "memory", 2);
    assert_int_equal(rig_filter(rig, "one", "node-0 node-1 node-2").n_passed, 3);
    assert_string_equal(rig_filter(rig, "two", "node-0 node-1 node-2").passed, "node-2");
    assert_int_equal(rig_filter(rig, "plain", "node-0 node-1").n_passed, 2);
    rig->hold_scheduler = false;
    rig_delete(rig, RIG_POD, "g-0");
    rig_delete(rig, RIG_POD, "g-1");
    rig_run(rig, SKR_SECOND);
    ordinary_pod(rig, "late", GPU, 2);
    assert_int_equal(rig_filter(rig, "late", "node-0 node-1 node-2").n_passed, 3);
}

/* The nodes listed the resource when g was planned. */
TEST_RIG(device_cluster(2, 4), a_member_planned_before_its_class_came_is_a_claimer_as_well)
{
    rig_edit(rig, RIG_CLASS, "gpu", "{'spec':{'extendedResourceName':'example.com/other'}}");
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_NODE, i == 0 ? "node-0" : "node-1",
                 "{'status':{'allocatable':{'" GPU "':'3'}}}");
    }
    two_claimers(rig);
    assert_null(rig->gang->devices.claimers);
    rig_edit(rig, RIG_CLASS, "gpu", "{'spec':{'extendedResourceName':'" GPU "'}}");
    rig_settle(rig);
    assert_non_null(rig->gang->devices.claimers);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'" GPU "':'0'}}}");
    rig_settle(rig);
    ordinary_pod(rig, "one", GPU, 1);
    ordinary_pod(rig, "two", GPU, 2);
    assert_int_equal(rig_filter(rig, "one", "node-0").n_passed, 1);
    assert_int_equal(rig_filter(rig, "two", "node-0").n_passed, 0);
}

/* What is not modelled may need any device of its class. */
TEST_RIG(device_cluster(3, 4),
         without_a_model_an_ordinary_pod_goes_where_no_plan_waits_for_its_class)
{
    const int32_t older = 35;
    rig_create_json(rig, RIG_CLASS, "nic",
                    "{'metadata':{},'spec':{'extendedResourceName':'example.com/nic'}}");
    rig_request(rig, SKR_GANG_SERVER_IS, &older);
    two_claimers(rig);
    ordinary_pod(rig, "one", GPU, 1);
    ordinary_pod(rig, "nic", "example.com/nic", 1);
    assert_int_equal(rig_filter(rig, "one", "node-0 node-1 node-2").n_passed, 2);
    assert_int_equal(rig_filter(rig, "nic", "node-0 node-1 node-2").n_passed, 3);
}

TEST_RIG(device_cluster(2, 4), an_ordinary_pod_that_filter_accepted_has_its_devices_before_a_group)
{
    rig->hold_scheduler = true;
    ordinary_pod(rig, "one", GPU, 2);
    assert_int_equal(rig_filter(rig, "one", "node-0").n_passed, 1);
    gang_by_class(rig, "g", 3, 2);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    gang_by_class(rig, "h", 1, 1);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "h"), "Backoff");
    rig_delete(rig, RIG_POD, "one");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "h"),
                        "Planned"); /* after g, which needs others of the devices */
}

/* ---- members that differ ---- */

#define BIG "example.com/big"

/* Nodes with devices big-0, big-1, small-0, small-1 each, and a class that serves BIG with the first two. */
static struct rig *big_and_small(int nodes)
{
    struct rig *rig = device_cluster(nodes, 0);
    char name[32];
    for (int i = 0; i < nodes; i++) {
        SKR_STRBUF(devices);
        snprintf(name, sizeof name, "node-%d", i);
        for (int k = 0; k < 4; k++) {
            skr_strbuf_addf(&devices, "%s{'name':'%s-%d','attributes':{'size':{'string':'%s'}}}",
                            k > 0 ? "," : "", k < 2 ? "big" : "small", k % 2,
                            k < 2 ? "big" : "small");
        }
        rig_delete(rig, RIG_SLICE, name);
        rig_create_json(rig, RIG_SLICE, name,
                        "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'%s','pool':"
                        "{'name':'%s','generation':1,'resourceSliceCount':1},'devices':[%s]}}",
                        name, name, devices.s);
    }
    rig_create_json(rig, RIG_CLASS, "big",
                    "{'metadata':{},'spec':{'extendedResourceName':'" BIG "','selectors':"
                    "[{'cel':{'expression':"
                    "'device.attributes[\\'gpu.example.com\\'].size == \\'big\\''}}]}}");
    return rig;
}

static void member(struct rig *rig, const char *name, int cpu, const char *resource)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','containers':[{'name':'c','resources':{'requests':{'cpu':'%d',"
                    "'%s':'1'}}}]},'status':{'phase':'Pending'}}",
                    cpu, resource);
}

TEST_RIG(device_cluster(2, 4), members_that_want_other_numbers_of_devices_are_parted)
{
    rig_group(rig, "g", 3, 0, NULL);
    member_by_class(rig, "g", 0, 1);
    member_by_class(rig, "g", 1, 4);
    member_by_class(rig, "g", 2, 3);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
    const char *most = rig_node_of(rig, "g-1");
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
    assert_string_not_equal(rig_node_of(rig, "g-0"), most);
}

TEST_RIG(device_cluster(2, 4), devices_are_no_places_of_each_role_alone)
{
    rig_group(rig, "g", 4, 0, NULL);
    member_by_class(rig, "g", 0, 4);
    for (int i = 1; i < 4; i++) {
        member_by_class(rig, "g", i, 2);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    rig_delete(rig, RIG_SLICE, "node-0");
    device_slice(rig, "node-0", 6);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

TEST_RIG(device_cluster(2, 4), members_of_other_claim_templates_are_parted)
{
    static const int wants[] = {1, 4, 3};
    rig_group(rig, "g", 3, 0, NULL);
    for (int i = 0; i < 3; i++) {
        const char name[] = {'g', '-', (char)('0' + i), '\0'};
        rig_create_json(rig, RIG_CLAIM_TEMPLATE, name,
                        "{'spec':{'spec':{'devices':{'requests':[{'name':'r','exactly':{"
                        "'deviceClassName':'gpu','count':%d}}]}}}}",
                        wants[i]);
        rig_create_json(rig, RIG_POD, name,
                        "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                        "'sakkara','containers':[{'name':'c'}],'resourceClaims':[{'name':'c',"
                        "'resourceClaimTemplateName':'%s'}]},'status':{'phase':'Pending'}}",
                        name);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
    assert_string_not_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-1"));
}

static bool passes(struct rig *rig, const char *pod, const char *node)
{
    return rig_filter(rig, pod, node).n_passed == 1;
}

/* The extended resource of a pod has this device. */
static void give_device(struct rig *rig, const char *pod, const char *device)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, pod,
                    "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'%s',"
                    "'uid':'%s','controller':true}]},'status':{'allocation':{'devices':{"
                    "'results':[{'request':'r','driver':'gpu.example.com','pool':'node-0',"
                    "'device':'%s'}]}},'reservedFor':[{'resource':'pods','name':'%s','uid':"
                    "'u'}]}}",
                    pod, rig_find(rig, RIG_POD, pod)->pod->meta.uid, device, pod);
    rig_run(rig, SKR_SECOND);
}

/* Those for any device would take the large ones: they come last, and filter keeps that order. */
TEST_RIG(big_and_small(1), members_that_differ_come_in_an_order_that_serves_them)
{
    rig_group(rig, "g", 4, 0, NULL);
    rig->hold_scheduler = true;
    member(rig, "g-0", 2, GPU);
    member(rig, "g-1", 2, GPU);
    member(rig, "g-2", 1, BIG);
    member(rig, "g-3", 1, BIG);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig->n_solves, 1);
    assert_false(passes(rig, "g-0", "node-0"));
    assert_true(passes(rig, "g-2", "node-0"));
    assert_false(passes(rig, "g-0", "node-0"));
    give_device(rig, "g-2", "big-0");
    assert_false(passes(rig, "g-1", "node-0"));
    assert_true(passes(rig, "g-3", "node-0"));
    give_device(rig, "g-3", "big-1");
    assert_true(passes(rig, "g-0", "node-0"));
    assert_true(passes(rig, "g-1", "node-0"));
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

/* A node serves four of one kind or two of the other, and each kind has slots for all of its members. */
/* Two of them want both big devices of a node, or one each; the number of devices alone does not say that. */
TEST_RIG(big_and_small(2), nodes_that_do_not_serve_members_together_take_fewer)
{
    rig_group(rig, "g", 4, 0, NULL);
    rig->hold_scheduler = true;
    member(rig, "g-0", 2, BIG);
    member(rig, "g-1", 2, BIG);
    member(rig, "g-2", 1, BIG);
    rig_edit(rig, RIG_POD, "g-2",
             "{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1','" BIG
             "':'2'}}}]}}");
    member(rig, "g-3", 1, GPU);
    rig_run(rig, 2 * SKR_SECOND);
    assert_true(rig->n_solves > 1);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-1"));
    assert_string_not_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
}

/* ---- what explanations say ---- */

TEST_RIG(device_cluster(2, 4), an_explanation_says_what_devices_leave_to_a_group)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, "other",
                    "{'metadata':{},'spec':{'devices':{'requests':[{'name':'r','exactly':"
                    "{'deviceClassName':'gpu','count':1}}]}},'status':{'allocation':{'devices':"
                    "{'results':[{'request':'r','driver':'gpu.example.com','pool':'node-0',"
                    "'device':'gpu-1'}]}}}}");
    gang_by_class(rig, "g", 2, 4);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    assert_string_equal(
        rig_key(rig, "g", "message"),
        "group g needs 8 devices of class gpu (2 pods x 4), 7 are free, 1 pod fits");
    rig_delete(rig, RIG_MAP, "g");
    rig_delete(rig, RIG_POD, "g-0");
    rig_delete(rig, RIG_POD, "g-1");
    gang_by_class(rig, "g", 3, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 3 devices of class gpu for " GPU
                        " (7 of 8 are free): devices for 2 more pods, at most 1 on a node");
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
}

TEST_RIG(device_cluster(2, 4), an_explanation_says_which_devices_are_tainted_or_break_a_selector)
{
    rig_delete(rig, RIG_SLICE, "node-1");
    rig_create_json(rig, RIG_SLICE, "node-1",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'node-1','pool':"
                    "{'name':'node-1','generation':1,'resourceSliceCount':1},'devices':["
                    "{'name':'a','taints':[{'key':'k','effect':'NoSchedule'}]},{'name':'b'}]}}");
    gang_by_class(rig, "g", 4, 2);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 2 devices of class gpu for " GPU
                        " (5 of 5 are free, 1 tainted): devices for 2 more pods, at most 2 on a "
                        "node");
    rig_edit(rig, RIG_CLASS, "gpu",
             "{'spec':{'selectors':[{'cel':{'expression':"
             "'device.attributes[\\'gpu.example.com\\'].none == 1'}}]}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 2 devices of class gpu for " GPU
                        " (0 of 0 are free, a selector fails for 6): devices for 0 more pods");
    rig_edit(rig, RIG_CLASS, "gpu",
             "{'spec':{'selectors':[{'cel':{'expression':'device.driver == \\'other\\''}}]}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 2 devices of class gpu for " GPU
                        " (no device matches): devices for 0 more pods");
}

static struct skr_gang_stats stats_of(const struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats;
}

TEST(groups_are_counted_by_why_their_devices_are_not)
{
    static const struct {
        int32_t minor;
        int64_t steps;
        enum skr_uncounted why;
    } rows[] = {
        {35, 0, SKR_UNCOUNTED_VERSION}, {36, 0, SKR_COUNTED}, {36, 2, SKR_UNCOUNTED_BUDGET}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.server_minor = rows[i].minor;
        settings.devices_steps = rows[i].steps;
        SKR_AUTO(rig_destroy) struct rig *rig = device_cluster_with(2, 4, &settings);
        gang_by_class(rig, "g", 129, 3); /* more than the cpu admits */
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(stats_of(rig).uncounted[rows[i].why], 1);
    }
}

TEST_RIG(device_cluster(2, 4), a_selector_that_is_not_modelled_is_named)
{
    rig_edit(rig, RIG_CLASS, "gpu",
             "{'spec':{'selectors':[{'cel':{'expression':'device.driver in [device.driver]'}}]}}");
    gang_by_class(rig, "g", 129, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"), "");
    assert_string_equal(
        rig_also(rig, "g", "DevicesNotCounted"),
        "Device class gpu serves " GPU
        ", 3 a pod: 0 of 2 nodes list it and count it. Devices are not counted on "
        "2 of 2 nodes (node-0: a selector, at 1:15: `in` is served for lists of constants). "
        "kube-scheduler decides; a node that "
        "it refuses is not planned for 60 s");
    assert_int_equal(stats_of(rig).uncounted[SKR_UNCOUNTED_SELECTOR], 1);
    rig_delete(rig, RIG_CLASS, "gpu");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(stats_of(rig).uncounted[SKR_UNCOUNTED_SELECTOR], 0);
}

/* kube-scheduler sees a device less than there is. */
static bool sees_a_device_less(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    return strcmp(pod->meta.name, "g-1") != 0 || strcmp(node, "node-0") != 0;
}

static void refuse_for(struct rig *rig, const char *message)
{
    rig->in_tree = sees_a_device_less;
    gang_by_class(rig, "g", 2, 2);
    rig_run(rig, 2 * SKR_SECOND);
    rig->hold_scheduler = true;
    rig_edit(rig, RIG_POD, "g-1",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/2 nodes are available: %s'}]}}",
             message);
    rig_run(rig, 30 * SKR_SECOND);
}

TEST_RIG(device_cluster(1, 4), a_refusal_for_devices_that_are_counted_is_counted_once)
{
    refuse_for(rig, "1 cannot allocate all claims.");
    assert_int_equal(stats_of(rig).mispredictions[SKR_MISPREDICTED_DEVICES], 1);
    assert_int_equal(stats_of(rig).uncounted[SKR_COUNTED], 1);
    assert_true(stats_of(rig).device_fit[SKR_DEVICE_FIT_SOME].n[0] > 0);
}

TEST_RIG(device_cluster(1, 4), a_refusal_is_forgotten_when_devices_of_the_node_change)
{
    refuse_for(rig, "1 cannot allocate all claims.");
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    rig->in_tree = NULL;
    rig->hold_scheduler = false;
    rig_edit(rig, RIG_SLICE, "node-0", "{'spec':{'pool':{'generation':2}}}");
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
}

TEST_RIG(device_cluster(1, 4), a_refusal_for_another_cause_is_no_misprediction)
{
    refuse_for(rig, "1 free ports for the requested pod ports.");
    assert_int_equal(stats_of(rig).mispredictions[SKR_MISPREDICTED_DEVICES], 0);
}

TEST_RIG(device_cluster(1, 4), a_refusal_for_devices_that_are_not_counted_is_no_misprediction)
{
    rig_edit(rig, RIG_CLASS, "gpu",
             "{'spec':{'selectors':[{'cel':{'expression':'device.driver in [device.driver]'}}]}}");
    refuse_for(rig, "1 cannot allocate all claims.");
    assert_int_equal(stats_of(rig).mispredictions[SKR_MISPREDICTED_DEVICES], 0);
    assert_int_equal(stats_of(rig).uncounted[SKR_UNCOUNTED_SELECTOR], 1);
}

TEST_RIG(device_cluster(2, 4), a_slice_whose_node_selector_cannot_be_read_is_named)
{
    rig_create_json(rig, RIG_SLICE, "fabric",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeSelector':{'"
                    "nodeSelectorTerms':5},'pool':"
                    "{'name':'fabric','generation':1,'resourceSliceCount':1},'devices':"
                    "[{'name':'f'}]}}");
    gang_by_class(rig, "g", 129, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"),
                        "Device class gpu serves " GPU
                        ", 3 a pod: 0 of 2 nodes list it and count it. Devices are not counted on "
                        "2 of 2 nodes (node-0: a node selector of a slice cannot be read). "
                        "kube-scheduler decides; a node that it refuses is not planned for 60 s");
    assert_int_equal(stats_of(rig).uncounted[SKR_UNCOUNTED_FEATURE], 1);
}

TEST_RIG(device_cluster(2, 4), devices_of_an_older_kubernetes_are_not_counted)
{
    const int32_t older = 35;
    rig_group(rig, "g", 2, 0, NULL);
    device_claim(rig, "one", 2);
    device_pod_with(rig, "p-0", "one", 60);
    rig_run(rig, 10 * SKR_SECOND);
    rig_request(rig, SKR_GANG_SERVER_IS, &older);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"),
                        "Devices are not counted: Kubernetes is older than 1.36, or its version is "
                        "not known yet. kube-scheduler decides; a node that "
                        "it refuses is not planned for 60 s");
}

/* ---- before a plan binds ---- */

/* Two members with a claim each, whose bind calls wait. */
static void two_holding(struct rig *rig)
{
    static const char *const claim[] = {"one", "two"};
    rig->hold_devices = true;
    rig_group(rig, "g", 2, 0, NULL);
    for (size_t i = 0; i < 2; i++) {
        device_claim(rig, claim[i], 2);
    }
    device_pod_with(rig, "p-0", "one", 60);
    device_pod_with(rig, "p-1", "two", 60);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Holding");
}

static const char *kept_on(struct rig *rig, const char *pod)
{
    return rig_find(rig, RIG_POD, pod)->assumed_node;
}

TEST_RIG(device_cluster(2, 4), a_plan_binds_when_all_claims_have_devices_of_its_nodes)
{
    two_holding(rig);
    device_give(rig, "one", kept_on(rig, "p-0"), false);
    assert_string_equal(rig_state(rig, "g"), "Holding");
    device_give(rig, "two", kept_on(rig, "p-1"), false);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Bound");
}

TEST_RIG(device_cluster(2, 4), a_plan_ends_if_a_claim_gets_no_devices)
{
    two_holding(rig);
    device_give(rig, "one", kept_on(rig, "p-0"), false);
    rig_run(rig, 4 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_non_null(strstr(rig->log.s, "ResourceClaim two of pod p-1 has no devices"));
}

TEST_RIG(device_cluster(2, 4), a_plan_ends_if_a_claim_has_devices_of_another_node)
{
    two_holding(rig);
    device_give(rig, "two", kept_on(rig, "p-0"), false);
    device_give(rig, "one", kept_on(rig, "p-0"), false);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_non_null(strstr(rig->log.s, "ResourceClaim two of pod p-1 has devices of node "));
}

TEST_RIG(device_cluster(2, 4), a_plan_ends_if_a_claim_is_deleted)
{
    two_holding(rig);
    rig_delete(rig, RIG_DEVICE_CLAIM, "two");
    device_give(rig, "one", kept_on(rig, "p-0"), false);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_non_null(strstr(rig->log.s, "ResourceClaim two of pod p-1 does not exist any more"));
}
