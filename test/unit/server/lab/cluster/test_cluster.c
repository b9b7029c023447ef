/* SPDX-License-Identifier: Apache-2.0 */
/* Kubelets, budgets and namespaces. */
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

/* ---- kubelet ---- */

TEST(a_bound_pod_runs_and_ends_as_it_says)
{
    sandbox_ok(rig->store, 201, "POST " PODS,
               "{'metadata':{'name':'a','annotations':{'sandbox.sakkara/run-for':'5s'}}," RIG_POD
               "}");
    sandbox_ok(rig->store, 201, "POST " PODS,
               "{'metadata':{'name':'b','annotations':{'sandbox.sakkara/run-for':'1s',"
               "'sandbox.sakkara/exit-code':'3'}}," RIG_POD "}");
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'c'}," RIG_POD "}");
    cluster_rig_run(rig, 50 * SKR_MILLISECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Pending b:Pending c:Pending");
    cluster_rig_run(rig, 50 * SKR_MILLISECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Running b:Running c:Running");
    assert_string_equal(sandbox_field(rig->store, PODS "/a", "status.containerStatuses[0].ready"),
                        "true");
    assert_string_not_equal(sandbox_field(rig->store, PODS "/a", "status.podIP"), "");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Running b:Failed c:Running");
    cluster_rig_run(rig, 10 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Succeeded b:Failed c:Running");
    assert_int_equal(skr_cluster_next(rig->cluster), SKR_TIME_NEVER);
}

TEST(a_pod_ends_at_its_deadline)
{
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(rig->store, 201, "POST " PODS,
               "{'metadata':{'name':'b','annotations':{'sandbox.sakkara/run-for':'3s'}}," RIG_POD
               "}");
    for (size_t i = 0; i < 2; i++) {
        sandbox_ok(rig->store, 200, i == 0 ? "MERGE " PODS "/a" : "MERGE " PODS "/b",
                   "{'spec':{'activeDeadlineSeconds':600}}");
    }
    cluster_rig_run(rig, 2 * SECOND);
    sandbox_ok(rig->store, 200, "MERGE " PODS "/a", "{'spec':{'activeDeadlineSeconds':5}}");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Running b:Succeeded");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Failed b:Succeeded");
    assert_string_equal(sandbox_field(rig->store, PODS "/a", "status.reason"), "DeadlineExceeded");
}

TEST(a_deleted_pod_stops_within_its_grace)
{
    sandbox_ok(
        rig->store, 201, "POST " PODS,
        "{'metadata':{'name':'slow','annotations':{'sandbox.sakkara/stop-after':'1h'}}," RIG_POD
        "}");
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'quick'}," RIG_POD "}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE " PODS "/slow", NULL);
    sandbox_ok(rig->store, 200, "DELETE " PODS "/quick", NULL);
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "slow:Running-");
    cluster_rig_run(rig, 30 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_pod_on_a_node_that_is_not_there_never_runs)
{
    rig->binding = false;
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(rig->store, 201, "POST " PODS "/a/binding", "{'target':{'name':'missing'}}");
    cluster_rig_run(rig, 10 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Pending");
    cluster_rig_run(rig, 60 * SECOND); /* the garbage collector of pods comes */
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(pods_of_a_deleted_node_go_after_a_while)
{
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    cluster_rig_run(rig, SECOND);
    rig->binding = false;
    sandbox_ok(rig->store, 200, "DELETE /api/v1/nodes/n1", NULL);
    cluster_rig_run(rig, 39 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "a:Running");
    cluster_rig_run(rig, 2 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "");
}

TEST(a_taint_turns_pods_out)
{
    sandbox_ok(rig->store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(rig->store, 201, "POST " PODS,
               "{'metadata':{'name':'b'},'spec':{'tolerations':[{'key':'k','operator':'Exists',"
               "'tolerationSeconds':10}],'containers':[{'name':'c','image':'x'}]}}");
    sandbox_ok(
        rig->store, 201, "POST " PODS,
        "{'metadata':{'name':'c'},'spec':{'tolerations':[{'operator':'Exists'}],'containers':"
        "[{'name':'c','image':'x'}]}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "MERGE /api/v1/nodes/n1",
               "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(cluster_rig_pods(rig), "b:Running c:Running");
    cluster_rig_run(rig, 10 * SECOND);
    assert_string_equal(cluster_rig_pods(rig), "c:Running");
}

/* ---- budgets, namespaces ---- */

TEST(a_budget_counts_what_may_go)
{
    sandbox_ok(rig->store, 201, "POST " APPS "/replicasets",
               "{'metadata':{'name':'r'},'spec':{'replicas':4," SERVICE "}}");
    sandbox_ok(
        rig->store, 201, "POST " PDBS,
        "{'metadata':{'name':'b'},'spec':{'minAvailable':3,'selector':{'matchLabels':{'app':'x'"
        "}}}}");
    sandbox_ok(rig->store, 201, "POST " PDBS,
               "{'metadata':{'name':'share','namespace':'default'},'spec':{'maxUnavailable':'50%',"
               "'selector':{'matchLabels':{'none':'x'}}}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(sandbox_field(rig->store, PDBS "/b", "status.disruptionsAllowed"), "1");
    assert_string_equal(sandbox_field(rig->store, PDBS "/b", "status.conditions[0].reason"),
                        "SufficientPods");
    sandbox_ok(rig->store, 201, "POST " PODS "/r-0/eviction", "{}");
    sandbox_ok(rig->store, 429, "POST " PODS "/r-1/eviction", "{}");
    cluster_rig_run(rig, SECOND); /* a successor runs */
    sandbox_ok(rig->store, 201, "POST " PODS "/r-1/eviction", "{}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "MERGE " PDBS "/b",
               "{'spec':{'minAvailable':null,'maxUnavailable':'50%'}}");
    cluster_rig_run(rig, SECOND);
    assert_string_equal(sandbox_field(rig->store, PDBS "/b", "status.disruptionsAllowed"), "2");
    assert_string_equal(sandbox_field(rig->store, PDBS "/share", "status.disruptionsAllowed"), "0");
}

TEST(a_namespace_ends_with_everything_in_it)
{
    sandbox_ok(rig->store, 201, "POST /api/v1/namespaces", "{'metadata':{'name':'away'}}");
    sandbox_ok(rig->store, 201, "POST /api/v1/namespaces/away/pods",
               "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(rig->store, 201, "POST /api/v1/namespaces/away/configmaps",
               "{'metadata':{'name':'m'}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 200, "DELETE /api/v1/namespaces/away", NULL);
    sandbox_ok(rig->store, 403, "POST /api/v1/namespaces/away/configmaps",
               "{'metadata':{'name':'n'}}");
    cluster_rig_run(rig, SECOND);
    sandbox_ok(rig->store, 404, "GET /api/v1/namespaces/away", NULL);
    sandbox_ok(rig->store, 404, "GET /api/v1/namespaces/away/pods/a", NULL);
}
