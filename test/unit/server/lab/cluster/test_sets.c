/* SPDX-License-Identifier: Apache-2.0 */
/* The controllers of ReplicaSets, Deployments, StatefulSets and DaemonSets. */
#include "test/test.h"
#include "test/unit/cluster_rig.h"

static struct cluster_rig *rig;

BEFORE_EACH
{
    rig = cluster_rig_create(true);
}

AFTER_EACH
{
    cluster_rig_destroy(rig);
}

TEST(a_replica_set_keeps_its_number)
{
    sandbox_ok(rig->store, 201, "POST " APPS "/replicasets",
               "{'metadata':{'name':'r'},'spec':{'replicas':3," SERVICE "}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "r-0:Running r-1:Running r-2:Running");
    assert_string_equal(sandbox_field(rig->store, APPS "/replicasets/r", "status.readyReplicas"),
                        "3");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/r-1", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "r-0:Running r-2:Running r-3:Running");
    sandbox_ok(rig->store, 200, "MERGE " APPS "/replicasets/r", "{'spec':{'replicas':1}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "r-0:Running");
}

TEST(a_deployment_rolls)
{
    sandbox_ok(rig->store, 201, "POST " APPS "/deployments",
               "{'metadata':{'name':'d'},'spec':{'replicas':4," SERVICE "}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(
        sandbox_field(rig->store, APPS "/deployments/d", "status.availableReplicas"), "4");
    sandbox_ok(rig->store, 200, "STRATEGIC " APPS "/deployments/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    int64_t least = 4, most = 4;
    for (int i = 0; i < 300; i++) {
        cluster_rig_run(rig, 10 * SKR_MILLISECOND);
        const int64_t n = strtoll(
            sandbox_field(rig->store, APPS "/deployments/d", "status.availableReplicas"), NULL, 10);
        const int64_t all =
            strtoll(sandbox_field(rig->store, APPS "/deployments/d", "status.replicas"), NULL, 10);
        least = n < least ? n : least;
        most = all > most ? all : most;
    }
    assert_in_range(least, 3, 4);
    assert_int_equal(most, 5);
    assert_string_equal(sandbox_field(rig->store, APPS "/deployments/d", "status.updatedReplicas"),
                        "4");
    assert_string_equal(sandbox_field(rig->store, APPS "/deployments/d", "status.replicas"), "4");
    json_t *list = sandbox_expect(rig->store, 200, "GET " PODS, NULL);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(sandbox_text(json_array_get(json_object_get(list, "items"), i),
                                         "spec.containers[0].image"),
                            "y");
    }
    json_decref(list);
    sandbox_ok(rig->store, 200, "DELETE " APPS "/deployments/d", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_deployment_that_recreates_has_no_two_templates_at_once)
{
    sandbox_ok(
        rig->store, 201, "POST " APPS "/deployments",
        "{'metadata':{'name':'d'},'spec':{'replicas':2,'strategy':{'type':'Recreate'}," SERVICE
        "}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "STRATEGIC " APPS "/deployments/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    for (int i = 0; i < 100; i++) {
        cluster_rig_run(rig, 10 * SKR_MILLISECOND);
        json_t *list = sandbox_expect(rig->store, 200, "GET " PODS, NULL);
        assert_in_range(json_array_size(json_object_get(list, "items")), 0, 2);
        json_decref(list);
    }
    assert_string_equal(
        sandbox_field(rig->store, APPS "/deployments/d", "status.availableReplicas"), "2");
}

TEST(a_stateful_set_comes_in_order)
{
    sandbox_ok(rig->store, 201, "POST " APPS "/statefulsets",
               "{'metadata':{'name':'s'},'spec':{'replicas':3," SERVICE "}}");
    cluster_rig_run(rig, 50 * SKR_MILLISECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Pending");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-1:Running s-2:Running");
    assert_string_equal(
        sandbox_field(rig->store, PODS "/s-1", "metadata.labels.'apps.kubernetes.io/pod-index'"),
        "1");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/s-1", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running s-1:Running s-2:Running");
    sandbox_ok(rig->store, 200, "STRATEGIC " APPS "/statefulsets/s",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    cluster_rig_run(rig, 5 * SECOND);
    assert_string_equal(sandbox_field(rig->store, PODS "/s-0", "spec.containers[0].image"), "y");
    sandbox_ok(rig->store, 200, "MERGE " APPS "/statefulsets/s", "{'spec':{'replicas':1}}");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "s-0:Running");
}

#define DAEMON                                                                                  \
    "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'app':'x'}},'template':{"      \
    "'metadata':{'labels':{'app':'x'}},'spec':{'nodeSelector':{'kind':'worker'},'containers':[" \
    "{'name':'c','image':'x'}]}}}}"

static void add_node(const char *name, const char *spec)
{
    char body[300];
    snprintf(body, sizeof body, "{'metadata':{'name':'%s','labels':{'kind':'worker'}},'spec':%s}",
             name, spec);
    sandbox_ok(rig->store, 201, "POST /api/v1/nodes", body);
}

/* "DESIRED CURRENT READY MISSCHEDULED" */
static const char *daemons(void)
{
    static const char *const fields[] = {"desiredNumberScheduled", "currentNumberScheduled",
                                         "numberReady", "numberMisscheduled"};
    static char text[200];
    size_t n = 0;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        n += (size_t)snprintf(
            text + n, sizeof text - n, "%s%s", i ? " " : "",
            sandbox_field(rig->store, APPS "/daemonsets/d", test_text("status.%s", fields[i])));
    }
    return text;
}

TEST(a_daemon_set_has_a_pod_on_every_node_that_admits_it)
{
    add_node("n2", "{}");
    add_node("n3", "{'unschedulable':true}"); /* tolerated */
    add_node("n4", "{'taints':[{'key':'mine','effect':'NoSchedule'}]}");
    sandbox_ok(rig->store, 201, "POST " APPS "/daemonsets", DAEMON);
    cluster_rig_run(rig, SECOND); /* n1 lacks the label */
    assert_string_equal(cluster_rig_pods(rig), "d-0:Running d-1:Running");
    assert_string_equal(daemons(), "2 2 2 0");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-1", "spec.nodeName"), "n3");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-1", "spec.nodeSelector.kind"), "worker");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-1", "spec.tolerations[0].key"),
                        "node.kubernetes.io/not-ready");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-1", "spec.tolerations[5].key"),
                        "node.kubernetes.io/unschedulable");
    add_node("n5", "{}"); /* later: has its pod at once */
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "d-0:Running d-1:Running d-2:Running");
    sandbox_ok(rig->store, 200, "DELETE " PODS "/d-0", NULL); /* is replaced */
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "d-1:Running d-2:Running d-3:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-3", "spec.nodeName"), "n2");
}

TEST(a_daemon_pod_stays_under_no_schedule_and_goes_with_the_label_or_the_node)
{
    add_node("n2", "{}");
    add_node("n3", "{}");
    add_node("n4", "{}");
    sandbox_ok(rig->store, 201, "POST " APPS "/daemonsets", DAEMON);
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "MERGE /api/v1/nodes/n2",
               "{'spec':{'taints':[{'key':'mine','effect':'NoSchedule'}]}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "d-0:Running d-1:Running d-2:Running");
    assert_string_equal(daemons(), "2 2 2 1");
    sandbox_ok(rig->store, 200, "MERGE /api/v1/nodes/n3",
               "{'metadata':{'labels':{'kind':'other'}}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "d-0:Running d-2:Running");
    sandbox_ok(rig->store, 200, "DELETE /api/v1/nodes/n4", NULL);
    cluster_rig_run(rig, 100 * SECOND); /* the pod garbage collector's quarantine */
    assert_string_equal(cluster_rig_pods(rig), "d-0:Running");
    assert_string_equal(daemons(), "0 0 0 1");
    sandbox_ok(rig->store, 200, "DELETE " APPS "/daemonsets/d", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_new_template_of_a_daemon_set_goes_round_node_by_node)
{
    add_node("n2", "{}");
    add_node("n3", "{}");
    add_node("n4", "{}");
    sandbox_ok(rig->store, 201, "POST " APPS "/daemonsets", DAEMON);
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "STRATEGIC " APPS "/daemonsets/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    for (int i = 0; i < 100; i++) { /* one at a time */
        cluster_rig_run(rig, 20 * SKR_MILLISECOND);
        const char *ready = sandbox_field(rig->store, APPS "/daemonsets/d", "status.numberReady");
        assert_true(*ready == '2' || *ready == '3');
    }
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "d-3:Running d-4:Running d-5:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/d-4", "spec.containers[0].image"), "y");
    assert_string_equal(
        sandbox_field(rig->store, APPS "/daemonsets/d", "status.updatedNumberScheduled"), "3");
}
