/* SPDX-License-Identifier: Apache-2.0 */
/* The engine and extended resources that device classes serve: kube-scheduler decides about them on
 * nodes that do not list them. */
#include "core/gang/cache/devices.h"

#include "core/gang/cache/device_classes.h"
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

#define GPU     "example.com/gpu"
#define IMPLIED "deviceclass.resource.kubernetes.io/gpu"

static void node_with(struct rig *rig, const char *name, int cpu, int gpus)
{
    rig_node(rig, name, cpu);
    if (gpus > 0) {
        rig_edit(rig, RIG_NODE, name, "{'status':{'allocatable':{'" GPU "':'%d'}}}", gpus);
    }
}

/* Of a group, NULL: an ordinary one; a cpu and one of the resource. */
static void device_pod(struct rig *rig, const char *name, const char *group, const char *resource)
{
    char labels[100] = "";
    if (group) {
        snprintf(labels, sizeof labels, "'labels':{'sakkara.group.name':'%s'}", group);
    }
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{%s},'spec':{'schedulerName':'sakkara','containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1','%s':'1'}}}]},"
                    "'status':{'phase':'Pending'}}",
                    labels, resource);
}

/* name-0 .. of a group of n. */
static void device_gang(struct rig *rig, const char *group, int n, const char *resource)
{
    rig_group(rig, group, n, 0, NULL);
    for (int i = 0; i < n; i++) {
        device_pod(rig, test_text("%s-%d", group, i), group, resource);
    }
}

/* Two nodes of 4 cpu, none lists the resource. */
static struct rig *two_nodes(void)
{
    struct rig *rig = rig_create();
    node_with(rig, "node-0", 4, 0);
    node_with(rig, "node-1", 4, 0);
    return rig;
}

static struct rig *mixed(void)
{
    struct rig *rig = rig_create();
    node_with(rig, "plugin", 8, 1);
    node_with(rig, "devices", 8, 0);
    return rig;
}

static size_t n_on(const struct rig *rig, const char *group, int n, const char *node)
{
    size_t found = 0;
    for (int i = 0; i < n; i++) {
        found += strcmp(rig_node_of(rig, test_text("%s-%d", group, i)), node) == 0 ? 1u : 0;
    }
    return found;
}

static void assert_never_fits(struct rig *rig, const char *group)
{
    assert_int_equal(rig_n_bound(rig, group), 0);
    assert_string_equal(rig_key(rig, group, "reason"), "NeverFits");
}

/* ---- what is said ---- */

static bool leads_to(struct rig *rig, const char *group, const char *command)
{
    const json_t *next = json_object_get(rig_explain(rig, group), "next");
    for (size_t i = 0; i < json_array_size(next); i++) {
        if (strcmp(json_string_value(json_array_get(next, i)), command) == 0) {
            return true;
        }
    }
    return false;
}

/* Nothing of it is said of a group that is bound, or that asks for what is counted. */
TEST_RIG(two_nodes(), an_explanation_names_the_class_that_serves_what_is_not_counted)
{
    rig_class(rig, "gpu", GPU);
    rig_sync(rig);
    rig->hold_scheduler = true;
    device_gang(rig, "g", 2, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(
        rig_also(rig, "g", "DevicesNotCounted"),
        "Device class gpu serves " GPU
        ", 1 a pod: 0 of 2 nodes list it and count it. Devices are not counted where nodes do not "
        "list it: there are no ResourceSlices. kube-scheduler decides; a node that it refuses is "
        "not planned for 60 s");
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
    device_gang(rig, "large", 9, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "large", "reason"), "NeverFits"); /* for want of cpu */
    assert_string_not_equal(rig_also(rig, "large", "DevicesNotCounted"), "");
    assert_true(leads_to(rig, "large",
                         "kubectl get nodes,pods,configmaps,deviceclasses -A -o json > dump.json"));
    assert_true(leads_to(rig, "large", "kubectl get deviceclasses,resourceslices"));
    rig_gang(rig, "plain", 9, "plain", 9, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_also(rig, "plain", "DevicesNotCounted"), "");
    assert_true(leads_to(rig, "plain", "kubectl get nodes,pods,configmaps -A -o json > dump.json"));
}

/* Room without a limit is none that could be added up. */
TEST_RIG(mixed(), an_explanation_counts_the_nodes_that_list_the_resource_alone)
{
    rig_class(rig, "gpu", GPU);
    rig_edit(rig, RIG_NODE, "plugin", "{'status':{'allocatable':{'" GPU "':'4'}}}");
    rig_sync(rig);
    device_gang(rig, "g", 13, GPU); /* 4 on the one, 8 on the other */
    rig_run(rig, 10 * SKR_SECOND);
    const json_t *have = json_object_get(rig_explain(rig, "g"), "have");
    assert_int_equal(json_integer_value(json_object_get(have, "largest")), 12);
    const json_t *free_ = json_object_get(have, "free");
    assert_int_equal(json_integer_value(json_object_get(free_, GPU)), 4);
    const char *said = rig_also(rig, "g", "DevicesNotCounted");
    assert_non_null(
        strstr(said, "1 of 2 nodes list it and count it. Devices are not counted where"));
}

/* The sentence blames what a node could not have; the scarcest resource has no pods in its way where it
 * is not counted. */
TEST_RIG(mixed(), what_is_not_counted_is_not_blamed)
{
    rig_class(rig, "gpu", GPU);
    rig_sync(rig);
    rig_group(rig, "g", 1, 0, NULL);
    rig_create_json(
        rig, RIG_POD, "g-0",
        "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
        "'sakkara','containers':[{'name':'c','resources':{'requests':{'memory':'65Gi','" GPU
        "':'2'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g needs 65 GiB memory a pod, the largest node has 64 GiB");
    device_gang(rig, "low", 8, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(n_on(rig, "low", 8, "devices") >= 7);
    rig_edit(rig, RIG_NODE, "plugin", "{'spec':{'unschedulable':true}}");
    device_gang(rig, "top", 9, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    SKR_AUTO_FREE char *text = json_dumps(json_object_get(rig_explain(rig, "top"), "domains"), 0);
    assert_null(strstr(text, "9223372036854775807"));
}

/* ---- which requests are served ---- */

TEST(a_group_is_bound_where_a_class_serves_what_no_node_lists)
{
    static const char *const resource[] = {GPU, IMPLIED};
    for (size_t i = 0; i < 2; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = two_nodes();
        rig_class(rig, "gpu", GPU);
        rig_sync(rig);
        device_gang(rig, "g", 4, resource[i]);
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 4);
        assert_null(strstr(rig->log.s, "NeverFits"));
    }
}

TEST_RIG(two_nodes(), a_resource_without_a_class_does_not_fit_until_the_class_comes)
{
    rig_class(rig, "other", "example.com/other");
    rig_sync(rig);
    device_gang(rig, "g", 2, GPU);
    device_pod(rig, "p", NULL, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_never_fits(rig, "g");
    assert_string_not_equal(rig_node_of(rig, "p"), ""); /* kube-scheduler's own judgement */
    rig_class(rig, "gpu", GPU);
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    rig_delete(rig, RIG_CLASS, "gpu");
    device_gang(rig, "h", 2, GPU);
    rig_run(rig, 120 * SKR_SECOND);
    assert_never_fits(rig, "h");
    rig_edit(rig, RIG_CLASS, "other", "{'spec':{'extendedResourceName':'" GPU "'}}");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 2);
}

/* ---- nodes that list it beside nodes that do not ---- */

TEST_RIG(mixed(), nodes_that_list_the_resource_count_it_and_others_do_not)
{
    rig_class(rig, "gpu", GPU);
    rig_sync(rig);
    device_gang(rig, "g", 4, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_true(n_on(rig, "g", 4, "plugin") <= 1);
    device_gang(rig, "h", 3, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 3);
    assert_true(n_on(rig, "g", 4, "plugin") + n_on(rig, "h", 3, "plugin") <= 1);
}

TEST_RIG(mixed(), without_a_class_only_nodes_that_list_the_resource_are_used)
{
    rig_sync(rig);
    device_gang(rig, "g", 1, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "g-0"), "plugin");
    device_gang(rig, "h", 2, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_never_fits(rig, "h");
}

/* What was given there by devices counts from the moment the node lists the resource. */
TEST_RIG(mixed(), a_node_that_begins_to_list_the_resource_counts_what_is_on_it)
{
    rig_class(rig, "gpu", GPU);
    rig_edit(rig, RIG_NODE, "plugin", "{'spec':{'unschedulable':true}}");
    rig_sync(rig);
    device_gang(rig, "g", 2, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_on(rig, "g", 2, "devices"), 2);
    rig_edit(rig, RIG_NODE, "devices", "{'status':{'allocatable':{'" GPU "':'3'}}}");
    device_gang(rig, "h", 2, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 0);
    rig_delete(rig, RIG_POD, "g-0");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 2);
}

/* ---- classes that may not be read ---- */

static void server_is(struct rig *rig, int32_t minor)
{
    rig_request(rig, SKR_GANG_SERVER_IS, &minor);
}

TEST_RIG(two_nodes(), classes_that_may_not_be_read_are_assumed_from_the_version_on_that_has_them)
{
    rig_sync(rig);
    rig_forbid_classes(rig, true);
    device_gang(rig, "g", 2, GPU);
    device_gang(rig, "odd", 1, "hugepages-2Mi");
    device_gang(rig, "large", 9, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_never_fits(rig, "g"); /* the version is not known yet */
    server_is(rig, SKR_CLASSES_FROM - 1);
    rig_run(rig, 120 * SKR_SECOND);
    assert_never_fits(rig, "g");
    server_is(rig, SKR_CLASSES_FROM);
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    assert_never_fits(rig, "odd"); /* no class can serve it */
    assert_string_equal(
        rig_also(rig, "large", "DevicesNotCounted"),
        "A device class is assumed to serve " GPU
        ", 1 a pod: 0 of 2 nodes list it and count it. Devices are not counted where nodes do not "
        "list it: the class is not known. kube-scheduler decides; a node that it refuses is "
        "not planned for 60 s. The account may not read device classes: it needs list and watch on "
        "deviceclasses.resource.k8s.io");
    assert_true(leads_to(rig, "large", "sakkara check"));
    rig_forbid_classes(rig, false);
    device_gang(rig, "h", 2, GPU);
    rig_run(rig, 120 * SKR_SECOND);
    assert_never_fits(rig, "h");
}

TEST_RIG(mixed(), where_classes_may_not_be_read_what_some_node_lists_is_counted_everywhere)
{
    rig_sync(rig);
    server_is(rig, SKR_CLASSES_FROM);
    rig_forbid_classes(rig, true);
    device_gang(rig, "g", 2, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_never_fits(rig, "g");
}

/* ---- plans of such groups ---- */

TEST_RIG(mixed(), a_plan_on_nodes_that_do_not_list_the_resource_survives_a_restart)
{
    rig_class(rig, "gpu", GPU);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    device_gang(rig, "g", 4, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    rig_restart(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
}

TEST_RIG(mixed(), a_group_with_devices_takes_the_room_of_its_victims)
{
    rig_class(rig, "gpu", GPU);
    rig_edit(rig, RIG_NODE, "plugin", "{'spec':{'unschedulable':true}}");
    rig_sync(rig);
    device_gang(rig, "low", 6, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "low"), 6);
    device_gang(rig, "top", 4, GPU);
    rig_edit(rig, RIG_MAP, "top", "{'data':{'priority':'10'}}");
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 6);
}

TEST_RIG(mixed(), a_class_that_goes_leaves_a_plan_to_kube_scheduler)
{
    rig_class(rig, "gpu", GPU);
    rig_sync(rig);
    rig->hold_scheduler = true;
    device_gang(rig, "g", 4, GPU);
    rig_run(rig, 10 * SKR_SECOND);
    rig_delete(rig, RIG_CLASS, "gpu");
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
}

/* Members g-0 .. of as many claims that ask for 1, 2, .. devices. */
static void gang_of_ways(struct rig *rig, int ways)
{
    char name[32];
    rig_group(rig, "g", ways, 0, NULL);
    for (int i = 0; i < ways; i++) {
        snprintf(name, sizeof name, "g-%d", i);
        device_claim(rig, name, i + 1);
        device_pod_with(rig, name, name, 30);
    }
    rig_run(rig, 5 * SKR_SECOND);
}

TEST_RIG(device_cluster(2, 4), members_that_ask_for_devices_in_more_than_16_ways_are_not_counted)
{
    gang_of_ways(rig, SKR_NEEDS_SHAPES_MAX + 1);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"),
                        "Devices are not counted: members ask for devices in more than 16 ways. "
                        "kube-scheduler decides; a node that it refuses is not planned for 60 s");
}

TEST_RIG(device_cluster(2, 4), members_that_ask_for_devices_in_16_ways_are_counted)
{
    gang_of_ways(rig, SKR_NEEDS_SHAPES_MAX);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
}

/* Two large devices come first, and a pod asks for any and for a large one: it gets both. */
TEST_RIG(device_cluster(1, 0), explanations_say_where_the_order_of_devices_wastes_some)
{
    char name[32];
    rig_delete(rig, RIG_SLICE, "node-0");
    rig_create_json(rig, RIG_SLICE, "node-0",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'node-0','pool':"
                    "{'name':'node-0','generation':1,'resourceSliceCount':1},'devices':["
                    "{'name':'0','attributes':{'size':{'string':'big'}}},"
                    "{'name':'1','attributes':{'size':{'string':'big'}}},"
                    "{'name':'2','attributes':{'size':{'string':'small'}}},"
                    "{'name':'3','attributes':{'size':{'string':'small'}}}]}}");
    rig_create_json(rig, RIG_CLASS, "big",
                    "{'metadata':{},'spec':{'selectors':[{'cel':{'expression':"
                    "'device.attributes[\\'gpu.example.com\\'].size == \\'big\\''}}]}}");
    rig_group(rig, "g", 2, 0, NULL);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "g-%d", i);
        rig_create_json(rig, RIG_DEVICE_CLAIM, name,
                        "{'metadata':{},'spec':{'devices':{'requests':[{'name':'a','exactly':"
                        "{'deviceClassName':'gpu','count':1}},{'name':'b','exactly':"
                        "{'deviceClassName':'big','count':1}}]}}}");
        device_pod_with(rig, name, name, 1);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_also(rig, "g", "DevicesCounted"),
                        "A pod wants 1 device of class gpu (4 of 4 are free) and 1 device of class "
                        "big (2 of 2 are free): devices for 1 more pod, at most 1 on a node. On "
                        "node-0 kube-scheduler's order of devices fits 1, another 2: narrow the "
                        "first request");
}

/* A whole GPU comes first, and then its four partitions: the first pod that asks for any device gets the whole. */
TEST_RIG(device_cluster(1, 0), explanations_say_where_a_whole_device_goes_before_its_partitions)
{
    SKR_STRBUF(devices);
    for (int i = 0; i < 5; i++) {
        skr_strbuf_addf(&devices,
                        "%s{'name':'%d','consumesCounters':[{'counterSet':'gpu','counters':{",
                        i > 0 ? "," : "", i);
        for (int k = 0; k < 4; k++) {
            if (i == 0 || i == k + 1) {
                skr_strbuf_addf(&devices, "%s'memory-%d':{'value':'1'}", i == 0 && k > 0 ? "," : "",
                                k);
            }
        }
        skr_strbuf_add(&devices, "}}]}");
    }
    rig_delete(rig, RIG_SLICE, "node-0");
    rig_create_json(rig, RIG_SLICE, "counters",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'node-0','pool':"
                    "{'name':'node-0','generation':1,'resourceSliceCount':2},'sharedCounters':[{"
                    "'name':'gpu','counters':{'memory-0':{'value':'1'},'memory-1':{'value':'1'},"
                    "'memory-2':{'value':'1'},'memory-3':{'value':'1'}}}]}}");
    rig_create_json(rig, RIG_SLICE, "node-0",
                    "{'metadata':{},'spec':{'driver':'gpu.example.com','nodeName':'node-0','pool':"
                    "{'name':'node-0','generation':1,'resourceSliceCount':2},'devices':[%s]}}",
                    devices.s);
    rig_group(rig, "g", 2, 0, NULL);
    for (int i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "g-%d", i);
        device_claim(rig, name, 1);
        device_pod_with(rig, name, name, 1);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(
        rig_also(rig, "g", "DevicesCounted"),
        "A pod wants 1 device of class gpu (5 of 5 are free): devices for 1 more "
        "pod, at most 1 on a node. On node-0 kube-scheduler's order of devices fits "
        "1, another 4: narrow the first request");
}
