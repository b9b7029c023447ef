/* SPDX-License-Identifier: Apache-2.0 */
/* What the model of kube-scheduler says about pods that no node takes, and what brings them back. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/scheduler_model_rig.h"

TEST_WITH(rig, a_rejected_pod_is_asked_about_twice_and_then_never)
{
    sched_add_node(rig, "n1", "4");
    rig->only = "";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 15 * SKR_SECOND);
    assert_int_equal(rig->n_calls, 2); /* the second by the scheduler's own status patch */
    assert_string_equal(sched_condition(rig, "p", "reason"), "Unschedulable");
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/1 nodes are available: 1 sakkara: no" AFTER);
}

struct events {
    char text[1024]; /* "TYPE REASON NOTE\n" each, in order of names */
};

static bool add_event(void *context, const json_t *event)
{
    struct events *events = context;
    size_t n = strlen(events->text);
    assert_string_equal(skr_path_text(event, "reportingComponent"), "sakkara");
    assert_string_equal(skr_path_text(event, "involvedObject.kind"), "Pod");
    assert_int_equal(strlen(skr_path_text(event, "eventTime")), 27);
    snprintf(events->text + n, sizeof events->text - n, "%s %s %s\n", skr_path_text(event, "type"),
             skr_path_text(event, "reason"), skr_path_text(event, "message"));
    return true;
}

TEST_WITH(rig, events_say_what_is_new_about_a_pod)
{
    struct events events = {""};
    sched_add_node(rig, "n1", "4");
    rig->only = "";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 15 * SKR_SECOND);
    rig->only = NULL;
    sched_add_node(rig, "n2", "1"); /* wakes it */
    sched_run(rig, 30 * SKR_SECOND);
    skr_store_each(rig->store, "Event", add_event, &events);
    assert_string_equal(events.text,
                        "Warning FailedScheduling 0/1 nodes are available: 1 sakkara: no" AFTER "\n"
                        "Normal Scheduled Successfully assigned default/p to n1\n");
}

TEST_WITH(rig, any_patch_wakes_a_pod_that_the_extender_rejected)
{
    static const struct {
        const char *subresource, *body;
    } rows[] = {
        {"", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}"},
        {"", "{\"metadata\":{\"annotations\":{\"x\":\"1\"}}}"},
        {"status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}"},
        {"status", "{\"metadata\":{\"labels\":{\"x\":\"2\"}},"
                   "\"status\":{\"nominatedNodeName\":\"n1\"}}"},
    };
    sched_add_node(rig, "n1", "4");
    rig->only = "";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 100 * MS);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t before = rig->n_calls;
        sched_patch(rig, "Pod", "p", rows[i].subresource, rows[i].body);
        sched_run(rig, 10 * MS); /* within its backoff: nothing else is queued */
        assert_true(rig->n_calls > before);
    }
}

TEST_WITH(rig, patches_do_not_wake_a_pod_that_in_tree_filters_rejected)
{
    sched_add_node(rig, "n1", "1");
    sched_add_pod(rig, "p", "2");
    sched_run(rig, SKR_SECOND);
    struct skr_scheduler_stats before, after;
    skr_scheduler_get_stats(rig->scheduler, &before);
    assert_int_equal(before.cycles, 1);
    sched_patch(rig, "Pod", "p", "", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}");
    sched_patch(rig, "Node", "n1", "", "{\"metadata\":{\"annotations\":{\"x\":\"1\"}}}");
    sched_run(rig, SKR_SECOND);
    skr_scheduler_get_stats(rig->scheduler, &after);
    assert_int_equal(after.cycles, 1);
    assert_int_equal(rig->n_calls, 0);
}

TEST_WITH(rig, freed_room_and_new_nodes_wake_a_pod_that_did_not_fit)
{
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "old", "4", "{\"nodeName\":\"n1\"}");
    sched_add_pod(rig, "a", "3");
    sched_add_pod(rig, "b", "3");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "a", "");
    sched_patch(rig, "Pod", "old", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    sched_run(rig, 3 * SKR_SECOND);
    sched_assert_on(rig, "a", "n1");
    sched_assert_on(rig, "b", "");
    sched_add_node(rig, "n0", "1"); /* too small to help */
    sched_run(rig, 3 * SKR_SECOND);
    sched_assert_on(rig, "b", "");
    sched_add_node(rig, "n2", "4");
    sched_run(rig, 3 * SKR_SECOND);
    sched_assert_on(rig, "b", "n2");
}

/* Devices are not counted: with the class they are there on nodes that do not list the resource. */
TEST_WITH(rig, a_device_class_wakes_a_pod_that_asks_for_what_no_node_lists)
{
    static const char wants[] =
        "{\"containers\":[{\"name\":\"main\",\"image\":\"x\",\"resources\":{"
        "\"requests\":{\"example.com/gpu\":\"1\"},\"limits\":{\"example.com/gpu\":\"1\"}}}]}";
    sched_add_node(rig, "n0", "4");
    sched_add_pod_with(rig, "p", "1", wants);
    sched_run(rig, 100 * MS);
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/1 nodes are available: 1 Insufficient example.com/gpu" AFTER);
    sched_put(rig, json_pack("{s:s,s:s,s:{s:s},s:{s:s}}", "apiVersion", "resource.k8s.io/v1",
                             "kind", "DeviceClass", "metadata", "name", "gpu", "spec",
                             "extendedResourceName", "example.com/gpu"));
    sched_run(rig, 20 * SKR_SECOND);
    sched_assert_on(rig, "p", "n0");
}

TEST_WITH(rig, a_host_port_is_given_once_a_node_and_freed_with_its_pod)
{
    static const char on[] = "{\"nodeName\":\"n1\",\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                             "\"ports\":[{\"containerPort\":9,\"hostPort\":80}]}]}";
    static const char wants[] = "{\"containers\":[{\"name\":\"c\",\"image\":\"i\","
                                "\"ports\":[{\"containerPort\":9,\"hostPort\":80}]}]}";
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "old", "1", on);
    sched_add_pod_with(rig, "other", "1", "{\"nodeName\":\"n1\"}");
    sched_add_pod_with(rig, "p", "1", wants);
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "p", "");
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/1 nodes are available: 1 node(s) didn't have free ports for the "
                        "requested pod ports" AFTER);
    assert_int_equal(skr_store_delete(rig->store, "Pod", "default", "other", rig->now), 200);
    sched_run(rig, 3 * SKR_SECOND); /* frees no port */
    sched_assert_on(rig, "p", "");
    sched_patch(rig, "Pod", "old", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    sched_run(rig, 3 * SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
    sched_add_pod_with(rig, "q", "1", wants);
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "q", "");
    sched_add_node(rig, "n2", "4");
    sched_run(rig, 3 * SKR_SECOND);
    sched_assert_on(rig, "q", "n2");
}

TEST_WITH(rig, cordons_taints_and_selectors_are_obeyed_and_their_end_noticed)
{
    static const struct {
        const char *node_patch, *undo, *message;
    } rows[] = {
        {"{\"spec\":{\"unschedulable\":true}}", "{\"spec\":{\"unschedulable\":null}}",
         "0/1 nodes are available: 1 node(s) were unschedulable" AFTER},
        {"{\"spec\":{\"taints\":[{\"key\":\"k\",\"effect\":\"NoSchedule\"}]}}",
         "{\"spec\":{\"taints\":null}}",
         "0/1 nodes are available: 1 node(s) had untolerated taint(s)" AFTER},
        {"{\"metadata\":{\"labels\":{\"disk\":null}}}",
         "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}",
         "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector" AFTER},
    };
    sched_add_node(rig, "n1", "40");
    sched_patch(rig, "Node", "n1", "", "{\"metadata\":{\"labels\":{\"disk\":\"ssd\"}}}");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%zu", i);
        sched_patch(rig, "Node", "n1", "", rows[i].node_patch);
        sched_add_pod_with(rig, name, "1", "{\"nodeSelector\":{\"disk\":\"ssd\"}}");
        sched_run(rig, SKR_SECOND);
        sched_assert_on(rig, name, "");
        assert_string_equal(sched_condition(rig, name, "message"), rows[i].message);
        sched_patch(rig, "Node", "n1", "", rows[i].undo);
        sched_run(rig, 3 * SKR_SECOND);
        sched_assert_on(rig, name, "n1");
    }
}

TEST_WITH(rig, whatever_waits_is_tried_again_after_five_minutes)
{
    sched_add_node(rig, "n1", "4");
    rig->only = "";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 290 * SKR_SECOND);
    size_t before = rig->n_calls;
    rig->only = NULL;
    sched_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig->n_calls, before + 1);
    sched_assert_on(rig, "p", "n1");
}

TEST_WITH(rig, a_sentence_counts_every_node_once_and_is_sorted)
{
    sched_add_node(rig, "n1", "1");
    sched_add_node(rig, "n2", "8");
    sched_add_node(rig, "n3", "8");
    sched_patch(rig, "Node", "n3", "", "{\"spec\":{\"unschedulable\":true}}");
    rig->only = "";
    sched_add_pod(rig, "p", "2");
    sched_run(rig, SKR_SECOND);
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were "
                        "unschedulable, 1 sakkara: no" AFTER);
}

TEST_WITH(rig, without_nodes_a_pod_waits_for_one)
{
    sched_add_pod(rig, "p", "1");
    sched_run(rig, SKR_SECOND);
    assert_string_equal(sched_condition(rig, "p", "message"),
                        "no nodes available to schedule pods");
    sched_add_node(rig, "n1", "4");
    sched_run(rig, 15 * SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
}

/* The API server fills in the host port of such a pod, not of its template. */
TEST_WITH(rig, a_port_of_a_pod_on_the_network_of_its_node_is_a_host_port)
{
    static const char port[] = "{\"hostNetwork\":true,\"containers\":[{\"name\":\"c\",\"image\":"
                               "\"i\",\"ports\":[{\"containerPort\":80}]}]}";
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "p", "1", port);
    sched_add_pod_with(rig, "q", "1", port);
    sched_run(rig, SKR_SECOND);
    const json_t *ports = skr_path_get(
        json_array_get(skr_path_get(sched_get(rig, "p"), "spec.containers"), 0), "ports");
    assert_int_equal(skr_path_int(json_array_get(ports, 0), "hostPort", 0), 80);
    assert_string_equal(sched_condition(rig, "q", "message"),
                        "0/1 nodes are available: 1 node(s) didn't have free ports for the "
                        "requested pod ports" AFTER);
}
