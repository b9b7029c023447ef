/* SPDX-License-Identifier: Apache-2.0 */
/* The controllers and the kubelets, with a scheduler that binds every pod to node n1 at once. */
#include "server/model/cluster.h"
#include "server/model/indexes.h"
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"

#define APPS   "/apis/apps/v1/namespaces/default"
#define SECOND SKR_SECOND

static struct skr_cluster *cluster;
static struct skr_store *store;
static skr_time now;
static uint64_t seen;
static bool binding;

/* ---- a scheduler without questions ---- */

/* The node that a daemon pod names, else n1. */
static const char *node_for(const json_t *pod)
{
    const json_t *terms = skr_path_get(pod, "spec.affinity.nodeAffinity."
                                            "requiredDuringSchedulingIgnoredDuringExecution."
                                            "nodeSelectorTerms");
    const json_t *field =
        json_array_get(json_object_get(json_array_get(terms, 0), "matchFields"), 0);
    const char *node = json_string_value(json_array_get(json_object_get(field, "values"), 0));

    return node ? node : "n1";
}

static size_t bind_all(void)
{
    struct skr_store_change change;
    bool gone;
    size_t n = 0;
    char line[300], target[300];

    while (skr_store_next_change(store, seen, &change, &gone)) {
        seen = change.revision;
        n++;
        if (!binding || strcmp(change.resource->kind, "Pod") != 0 ||
            change.kind == SKR_STORE_DELETED || *skr_path_text(change.object, "spec.nodeName")) {
            continue;
        }
        snprintf(line, sizeof line, "POST /api/v1/namespaces/%s/pods/%s/binding",
                 skr_path_text(change.object, "metadata.namespace"),
                 skr_path_text(change.object, "metadata.name"));
        snprintf(target, sizeof target, "{'target':{'name':'%s'}}", node_for(change.object));
        (void)sandbox_request(store, now, line, target, NULL);
    }
    return n;
}

static void begin(bool ordinal_names)
{
    struct skr_cluster_options options;

    skr_cluster_options_default(&options);
    options.ordinal_names = ordinal_names;
    now = RIG_NOW;
    cluster = skr_cluster_create(&options, now);
    store = skr_cluster_store(cluster);
    seen = 0;
    binding = true;
    sandbox_ok(store, 201, "POST /api/v1/nodes", "{'metadata':{'name':'n1'}}");
}

BEFORE_EACH
{
    begin(true);
}

AFTER_EACH
{
    skr_cluster_destroy(cluster);
}

/* What is due now, and what the scheduler does about it. */
static void step(void)
{
    do {
        skr_cluster_step(cluster, now);
    } while (bind_all() > 0);
}

/* Lets everything happen that is due within the duration. */
static void run(skr_time duration)
{
    const skr_time end = now + duration;

    for (skr_time next; (next = skr_cluster_next(cluster)) <= end;) {
        now = next > now ? next : now;
        step();
    }
    now = end;
    step();
}

/* "NAME:PHASE NAME:PHASE " of the pods in default; PHASE- when one is being deleted. */
static const char *pods(void)
{
    static char text[4000];
    json_t *list = sandbox_expect(store, 200, "GET " PODS, NULL);
    size_t n = 0;

    *text = '\0';
    for (size_t i = 0; i < json_array_size(json_object_get(list, "items")); i++) {
        const json_t *pod = json_array_get(json_object_get(list, "items"), i);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s:%s%s", i ? " " : "",
                              skr_path_text(pod, "metadata.name"),
                              skr_path_text(pod, "status.phase"),
                              skr_path_get(pod, "metadata.deletionTimestamp") ? "-" : "");
    }
    json_decref(list);
    return text;
}

#define TEMPLATE(annotations)                                                  \
    "'template':{'metadata':{'labels':{'app':'x'},'annotations':{" annotations \
    "}},'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'x'}]}}"
#define SERVICE                                                                            \
    "'selector':{'matchLabels':{'app':'x'}},'template':{'metadata':{'labels':{'app':'x'}}" \
    "," RIG_POD "}"

/* ---- kubelet ---- */

TEST(a_bound_pod_runs_and_ends_as_it_says)
{
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'a','annotations':{'sandbox.sakkara/run-for':'5s'}}," RIG_POD
               "}");
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'b','annotations':{'sandbox.sakkara/run-for':'1s',"
               "'sandbox.sakkara/exit-code':'3'}}," RIG_POD "}");
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'c'}," RIG_POD "}");
    run(50 * SKR_MILLISECOND);
    assert_string_equal(pods(), "a:Pending b:Pending c:Pending");
    run(50 * SKR_MILLISECOND);
    assert_string_equal(pods(), "a:Running b:Running c:Running");
    assert_string_equal(sandbox_field(store, PODS "/a", "status.containerStatuses[0].ready"),
                        "true");
    assert_string_not_equal(sandbox_field(store, PODS "/a", "status.podIP"), "");
    run(2 * SECOND);
    assert_string_equal(pods(), "a:Running b:Failed c:Running");
    run(10 * SECOND);
    assert_string_equal(pods(), "a:Succeeded b:Failed c:Running");
    assert_int_equal(skr_cluster_next(cluster), SKR_TIME_NEVER);
}

TEST(a_deleted_pod_stops_within_its_grace)
{
    sandbox_ok(
        store, 201, "POST " PODS,
        "{'metadata':{'name':'slow','annotations':{'sandbox.sakkara/stop-after':'1h'}}," RIG_POD
        "}");
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'quick'}," RIG_POD "}");
    run(SECOND);
    sandbox_ok(store, 200, "DELETE " PODS "/slow", NULL);
    sandbox_ok(store, 200, "DELETE " PODS "/quick", NULL);
    run(SECOND);
    assert_string_equal(pods(), "slow:Running-");
    run(30 * SECOND);
    assert_string_equal(pods(), "");
}

TEST(a_pod_on_a_node_that_is_not_there_never_runs)
{
    binding = false;
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(store, 201, "POST " PODS "/a/binding", "{'target':{'name':'missing'}}");
    run(10 * SECOND);
    assert_string_equal(pods(), "a:Pending");
    run(60 * SECOND); /* the garbage collector of pods comes */
    assert_string_equal(pods(), "");
}

TEST(pods_of_a_deleted_node_go_after_a_while)
{
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    run(SECOND);
    binding = false;
    sandbox_ok(store, 200, "DELETE /api/v1/nodes/n1", NULL);
    run(39 * SECOND);
    assert_string_equal(pods(), "a:Running");
    run(2 * SECOND);
    assert_string_equal(pods(), "");
}

TEST(a_taint_turns_pods_out)
{
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'b'},'spec':{'tolerations':[{'key':'k','operator':'Exists',"
               "'tolerationSeconds':10}],'containers':[{'name':'c','image':'x'}]}}");
    sandbox_ok(
        store, 201, "POST " PODS,
        "{'metadata':{'name':'c'},'spec':{'tolerations':[{'operator':'Exists'}],'containers':"
        "[{'name':'c','image':'x'}]}}");
    run(SECOND);
    sandbox_ok(store, 200, "MERGE /api/v1/nodes/n1",
               "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
    run(SECOND);
    assert_string_equal(pods(), "b:Running c:Running");
    run(10 * SECOND);
    assert_string_equal(pods(), "c:Running");
}

/* ---- Jobs ---- */

TEST(a_job_works_its_completions_off)
{
    sandbox_ok(store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':2," TEMPLATE(
                   "'sandbox.sakkara/run-for':'10s'") "}}");
    run(SECOND);
    assert_string_equal(pods(), "j-0:Running j-1:Running");
    run(15 * SECOND);
    assert_string_equal(pods(), "j-0:Succeeded j-1:Succeeded j-2:Running");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.succeeded"), "2");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.active"), "1");
    assert_string_equal(sandbox_field(store, PODS "/j-0", "metadata.finalizers"), "");
    run(15 * SECOND);
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.succeeded"), "3");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.conditions[1].type"), "Complete");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.active"), "");
}

TEST(an_indexed_job_numbers_its_pods)
{
    sandbox_ok(store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':3,'parallelism':3,'completionMode':"
               "'Indexed'," TEMPLATE("'sandbox.sakkara/run-for':'10s'") "}}");
    run(SECOND);
    assert_string_equal(pods(), "j-0:Running j-1:Running j-2:Running");
    assert_string_equal(sandbox_field(store, PODS "/j-2",
                                      "metadata.labels.'batch.kubernetes.io/job-completion-index'"),
                        "2");
    assert_string_equal(sandbox_field(store, PODS "/j-2", "spec.containers[0].env[0].name"),
                        "JOB_COMPLETION_INDEX");
    assert_string_equal(sandbox_field(store, PODS "/j-2", "spec.hostname"), "j-2");
    sandbox_ok(store, 200, "DELETE " PODS "/j-1", NULL);
    run(30 * SECOND); /* counts as failed, and its successor waits 10 s */
    assert_string_equal(pods(), "j-0:Succeeded j-1:Succeeded j-2:Succeeded");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.failed"), "1");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.completedIndexes"), "0-2");
}

TEST(a_job_fails_beyond_its_backoff_limit)
{
    sandbox_ok(
        store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'backoffLimit':1,'ttlSecondsAfterFinished':100," TEMPLATE(
            "'sandbox.sakkara/run-for':'1s','sandbox.sakkara/exit-code':'1'") "}}");
    run(5 * SECOND);
    assert_string_equal(pods(), "j-0:Failed");
    run(10 * SECOND); /* 10 s after the failure was counted */
    assert_string_equal(pods(), "j-0:Failed j-1:Failed");
    run(10 * SECOND);
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.conditions[1].reason"),
                        "BackoffLimitExceeded");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.failed"), "2");
    run(100 * SECOND);
    sandbox_ok(store, 404, "GET " JOBS "/j", NULL);
    assert_string_equal(pods(), "");
}

TEST(a_suspended_job_has_no_pods)
{
    sandbox_ok(
        store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'suspend':true,'parallelism':2,'completions':2," TEMPLATE(
            "") "}}");
    run(SECOND);
    assert_string_equal(pods(), "");
    sandbox_ok(store, 200, "MERGE " JOBS "/j", "{'spec':{'suspend':false}}");
    run(SECOND);
    assert_string_equal(pods(), "j-0:Running j-1:Running");
    sandbox_ok(store, 200, "MERGE " JOBS "/j", "{'spec':{'suspend':true}}");
    run(5 * SECOND);
    assert_string_equal(pods(), "");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.failed"), "");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.conditions[0].type"), "Suspended");
    assert_string_equal(sandbox_field(store, JOBS "/j", "status.conditions[0].status"), "True");
}

TEST(a_job_takes_its_pods_with_it)
{
    sandbox_ok(
        store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'parallelism':2,'completions':2," TEMPLATE("") "}}");
    run(SECOND);
    sandbox_ok(store, 200, "DELETE " JOBS "/j", NULL);
    run(SECOND);
    assert_string_equal(pods(), "");
}

TEST(foreground_and_orphaning_deletion_do_as_they_say)
{
    sandbox_ok(store, 201, "POST " JOBS, "{'metadata':{'name':'f'},'spec':{" TEMPLATE("") "}}");
    sandbox_ok(store, 201, "POST " JOBS, "{'metadata':{'name':'o'},'spec':{" TEMPLATE("") "}}");
    run(SECOND);
    sandbox_ok(store, 200, "DELETE " JOBS "/f", "{'propagationPolicy':'Foreground'}");
    sandbox_ok(store, 200, "DELETE " JOBS "/o", "{'propagationPolicy':'Orphan'}");
    sandbox_ok(store, 200, "GET " JOBS "/f", NULL);
    run(SECOND);
    sandbox_ok(store, 404, "GET " JOBS "/f", NULL);
    sandbox_ok(store, 404, "GET " JOBS "/o", NULL);
    assert_string_equal(pods(), "o-0:Running");
    assert_string_equal(sandbox_field(store, PODS "/o-0", "metadata.ownerReferences"), "");
}

/* ---- sets ---- */

TEST(a_replica_set_keeps_its_number)
{
    sandbox_ok(store, 201, "POST " APPS "/replicasets",
               "{'metadata':{'name':'r'},'spec':{'replicas':3," SERVICE "}}");
    run(SECOND);
    assert_string_equal(pods(), "r-0:Running r-1:Running r-2:Running");
    assert_string_equal(sandbox_field(store, APPS "/replicasets/r", "status.readyReplicas"), "3");
    sandbox_ok(store, 200, "DELETE " PODS "/r-1", NULL);
    run(SECOND);
    assert_string_equal(pods(), "r-0:Running r-2:Running r-3:Running");
    sandbox_ok(store, 200, "MERGE " APPS "/replicasets/r", "{'spec':{'replicas':1}}");
    run(SECOND);
    assert_string_equal(pods(), "r-0:Running");
}

TEST(a_deployment_rolls)
{
    sandbox_ok(store, 201, "POST " APPS "/deployments",
               "{'metadata':{'name':'d'},'spec':{'replicas':4," SERVICE "}}");
    run(SECOND);
    assert_string_equal(sandbox_field(store, APPS "/deployments/d", "status.availableReplicas"),
                        "4");
    sandbox_ok(store, 200, "STRATEGIC " APPS "/deployments/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    int64_t least = 4, most = 4;
    for (int i = 0; i < 300; i++) {
        run(10 * SKR_MILLISECOND);
        const int64_t n = strtoll(
            sandbox_field(store, APPS "/deployments/d", "status.availableReplicas"), NULL, 10);
        const int64_t all =
            strtoll(sandbox_field(store, APPS "/deployments/d", "status.replicas"), NULL, 10);
        least = n < least ? n : least;
        most = all > most ? all : most;
    }
    assert_in_range(least, 3, 4);
    assert_int_equal(most, 5);
    assert_string_equal(sandbox_field(store, APPS "/deployments/d", "status.updatedReplicas"), "4");
    assert_string_equal(sandbox_field(store, APPS "/deployments/d", "status.replicas"), "4");
    json_t *list = sandbox_expect(store, 200, "GET " PODS, NULL);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(sandbox_text(json_array_get(json_object_get(list, "items"), i),
                                         "spec.containers[0].image"),
                            "y");
    }
    json_decref(list);
    sandbox_ok(store, 200, "DELETE " APPS "/deployments/d", NULL);
    run(SECOND);
    assert_string_equal(pods(), "");
}

TEST(a_deployment_that_recreates_has_no_two_templates_at_once)
{
    sandbox_ok(
        store, 201, "POST " APPS "/deployments",
        "{'metadata':{'name':'d'},'spec':{'replicas':2,'strategy':{'type':'Recreate'}," SERVICE
        "}}");
    run(SECOND);
    sandbox_ok(store, 200, "STRATEGIC " APPS "/deployments/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    for (int i = 0; i < 100; i++) {
        run(10 * SKR_MILLISECOND);
        json_t *list = sandbox_expect(store, 200, "GET " PODS, NULL);
        assert_in_range(json_array_size(json_object_get(list, "items")), 0, 2);
        json_decref(list);
    }
    assert_string_equal(sandbox_field(store, APPS "/deployments/d", "status.availableReplicas"),
                        "2");
}

TEST(a_stateful_set_comes_in_order)
{
    sandbox_ok(store, 201, "POST " APPS "/statefulsets",
               "{'metadata':{'name':'s'},'spec':{'replicas':3," SERVICE "}}");
    run(50 * SKR_MILLISECOND);
    assert_string_equal(pods(), "s-0:Pending");
    run(SECOND);
    assert_string_equal(pods(), "s-0:Running s-1:Running s-2:Running");
    assert_string_equal(
        sandbox_field(store, PODS "/s-1", "metadata.labels.'apps.kubernetes.io/pod-index'"), "1");
    sandbox_ok(store, 200, "DELETE " PODS "/s-1", NULL);
    run(SECOND);
    assert_string_equal(pods(), "s-0:Running s-1:Running s-2:Running");
    sandbox_ok(store, 200, "STRATEGIC " APPS "/statefulsets/s",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    run(5 * SECOND);
    assert_string_equal(sandbox_field(store, PODS "/s-0", "spec.containers[0].image"), "y");
    sandbox_ok(store, 200, "MERGE " APPS "/statefulsets/s", "{'spec':{'replicas':1}}");
    run(2 * SECOND);
    assert_string_equal(pods(), "s-0:Running");
}

TEST(names_are_random_when_they_are_not_counted)
{
    skr_cluster_destroy(cluster);
    begin(false);
    sandbox_ok(store, 201, "POST " JOBS,
               "{'metadata':{'name':'j'},'spec':{'completions':1,'parallelism':1,'completionMode':"
               "'Indexed'," TEMPLATE("") "}}");
    run(SECOND);
    assert_int_equal(strlen(pods()), strlen("j-0-xxxxx:Running"));
    assert_memory_equal(pods(), "j-0-", 4);
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
    sandbox_ok(store, 201, "POST /api/v1/nodes", body);
}

/* "DESIRED CURRENT READY MISSCHEDULED" */
static const char *daemons(void)
{
    static const char *const fields[] = {"desiredNumberScheduled", "currentNumberScheduled",
                                         "numberReady", "numberMisscheduled"};
    static char text[200];
    size_t n = 0;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char path[64];
        snprintf(path, sizeof path, "status.%s", fields[i]);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? " " : "",
                              sandbox_field(store, APPS "/daemonsets/d", path));
    }
    return text;
}

TEST(a_daemon_set_has_a_pod_on_every_node_that_admits_it)
{
    add_node("n2", "{}");
    add_node("n3", "{'unschedulable':true}"); /* tolerated */
    add_node("n4", "{'taints':[{'key':'mine','effect':'NoSchedule'}]}");
    sandbox_ok(store, 201, "POST " APPS "/daemonsets", DAEMON);
    run(SECOND); /* n1 lacks the label */
    assert_string_equal(pods(), "d-0:Running d-1:Running");
    assert_string_equal(daemons(), "2 2 2 0");
    assert_string_equal(sandbox_field(store, PODS "/d-1", "spec.nodeName"), "n3");
    assert_string_equal(sandbox_field(store, PODS "/d-1", "spec.nodeSelector.kind"), "worker");
    assert_string_equal(sandbox_field(store, PODS "/d-1", "spec.tolerations[0].key"),
                        "node.kubernetes.io/not-ready");
    assert_string_equal(sandbox_field(store, PODS "/d-1", "spec.tolerations[5].key"),
                        "node.kubernetes.io/unschedulable");
    add_node("n5", "{}"); /* later: has its pod at once */
    run(SECOND);
    assert_string_equal(pods(), "d-0:Running d-1:Running d-2:Running");
    sandbox_ok(store, 200, "DELETE " PODS "/d-0", NULL); /* is replaced */
    run(SECOND);
    assert_string_equal(pods(), "d-1:Running d-2:Running d-3:Running");
    assert_string_equal(sandbox_field(store, PODS "/d-3", "spec.nodeName"), "n2");
}

TEST(a_daemon_pod_stays_under_no_schedule_and_goes_with_the_label_or_the_node)
{
    add_node("n2", "{}");
    add_node("n3", "{}");
    add_node("n4", "{}");
    sandbox_ok(store, 201, "POST " APPS "/daemonsets", DAEMON);
    run(SECOND);
    sandbox_ok(store, 200, "MERGE /api/v1/nodes/n2",
               "{'spec':{'taints':[{'key':'mine','effect':'NoSchedule'}]}}");
    run(SECOND);
    assert_string_equal(pods(), "d-0:Running d-1:Running d-2:Running");
    assert_string_equal(daemons(), "2 2 2 1");
    sandbox_ok(store, 200, "MERGE /api/v1/nodes/n3", "{'metadata':{'labels':{'kind':'other'}}}");
    run(SECOND);
    assert_string_equal(pods(), "d-0:Running d-2:Running");
    sandbox_ok(store, 200, "DELETE /api/v1/nodes/n4", NULL);
    run(100 * SECOND); /* the pod garbage collector's quarantine */
    assert_string_equal(pods(), "d-0:Running");
    assert_string_equal(daemons(), "0 0 0 1");
    sandbox_ok(store, 200, "DELETE " APPS "/daemonsets/d", NULL);
    run(SECOND);
    assert_string_equal(pods(), "");
}

TEST(a_new_template_of_a_daemon_set_goes_round_node_by_node)
{
    add_node("n2", "{}");
    add_node("n3", "{}");
    add_node("n4", "{}");
    sandbox_ok(store, 201, "POST " APPS "/daemonsets", DAEMON);
    run(SECOND);
    sandbox_ok(store, 200, "STRATEGIC " APPS "/daemonsets/d",
               "{'spec':{'template':{'spec':{'containers':[{'name':'c','image':'y'}]}}}}");
    for (int i = 0; i < 100; i++) { /* one at a time */
        run(20 * SKR_MILLISECOND);
        const char *ready = sandbox_field(store, APPS "/daemonsets/d", "status.numberReady");
        assert_true(*ready == '2' || *ready == '3');
    }
    run(SECOND);
    assert_string_equal(pods(), "d-3:Running d-4:Running d-5:Running");
    assert_string_equal(sandbox_field(store, PODS "/d-4", "spec.containers[0].image"), "y");
    assert_string_equal(sandbox_field(store, APPS "/daemonsets/d", "status.updatedNumberScheduled"),
                        "3");
}

/* ---- budgets, namespaces ---- */

TEST(a_budget_counts_what_may_go)
{
    sandbox_ok(store, 201, "POST " APPS "/replicasets",
               "{'metadata':{'name':'r'},'spec':{'replicas':4," SERVICE "}}");
    sandbox_ok(
        store, 201, "POST " PDBS,
        "{'metadata':{'name':'b'},'spec':{'minAvailable':3,'selector':{'matchLabels':{'app':'x'"
        "}}}}");
    sandbox_ok(store, 201, "POST " PDBS,
               "{'metadata':{'name':'share','namespace':'default'},'spec':{'maxUnavailable':'50%',"
               "'selector':{'matchLabels':{'none':'x'}}}}");
    run(SECOND);
    assert_string_equal(sandbox_field(store, PDBS "/b", "status.disruptionsAllowed"), "1");
    assert_string_equal(sandbox_field(store, PDBS "/b", "status.conditions[0].reason"),
                        "SufficientPods");
    sandbox_ok(store, 201, "POST " PODS "/r-0/eviction", "{}");
    sandbox_ok(store, 429, "POST " PODS "/r-1/eviction", "{}");
    run(SECOND); /* a successor runs */
    sandbox_ok(store, 201, "POST " PODS "/r-1/eviction", "{}");
    run(SECOND);
    sandbox_ok(store, 200, "MERGE " PDBS "/b",
               "{'spec':{'minAvailable':null,'maxUnavailable':'50%'}}");
    run(SECOND);
    assert_string_equal(sandbox_field(store, PDBS "/b", "status.disruptionsAllowed"), "2");
    assert_string_equal(sandbox_field(store, PDBS "/share", "status.disruptionsAllowed"), "0");
}

TEST(a_namespace_ends_with_everything_in_it)
{
    sandbox_ok(store, 201, "POST /api/v1/namespaces", "{'metadata':{'name':'away'}}");
    sandbox_ok(store, 201, "POST /api/v1/namespaces/away/pods",
               "{'metadata':{'name':'a'}," RIG_POD "}");
    sandbox_ok(store, 201, "POST /api/v1/namespaces/away/configmaps", "{'metadata':{'name':'m'}}");
    run(SECOND);
    sandbox_ok(store, 200, "DELETE /api/v1/namespaces/away", NULL);
    sandbox_ok(store, 403, "POST /api/v1/namespaces/away/configmaps", "{'metadata':{'name':'n'}}");
    run(SECOND);
    sandbox_ok(store, 404, "GET /api/v1/namespaces/away", NULL);
    sandbox_ok(store, 404, "GET /api/v1/namespaces/away/pods/a", NULL);
}

/* ---- small parts ---- */

TEST(indexes_are_written_as_ranges)
{
    static const int64_t some[] = {9, 0, 2, 3, 4, 5, 7, 8};
    struct skr_indexes set = {NULL, 0}, again = {NULL, 0};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        assert_true(skr_indexes_add(&set, some[i]));
    }
    assert_false(skr_indexes_add(&set, 9));
    assert_false(skr_indexes_add(&set, -1));
    assert_false(skr_indexes_add(&set, SKR_INDEXES_MAX));
    char *text = skr_indexes_text(&set);
    assert_string_equal(text, "0,2-5,7-9");
    skr_indexes_parse(&again, text);
    assert_true(skr_indexes_has(&again, 4));
    assert_false(skr_indexes_has(&again, 6));
    free(text);
    text = skr_indexes_text(&again);
    assert_string_equal(text, "0,2-5,7-9");
    free(text);
    skr_indexes_fini(&set);
    skr_indexes_fini(&again);
}

TEST(a_controller_whose_pods_are_refused_says_so_in_an_event)
{
    sandbox_ok(store, 201, "POST /apis/batch/v1/namespaces/default/jobs",
               "{'metadata':{'name':'j'},'spec':{'parallelism':2,'template':{'spec':{"
               "'priorityClassName':'high','restartPolicy':'Never','containers':[{'name':'c',"
               "'image':'i'}]}}}}");
    run(SECOND);
    json_t *list =
        sandbox_expect(store, 200, "GET /apis/events.k8s.io/v1/namespaces/default/events", NULL);
    const json_t *event = json_array_get(json_object_get(list, "items"), 0);
    assert_int_equal(json_array_size(json_object_get(list, "items")), 1);
    assert_string_equal(skr_path_text(event, "reason"), "FailedCreate");
    assert_string_equal(skr_path_text(event, "reportingController"), "job-controller");
    assert_string_equal(skr_path_text(event, "regarding.kind"), "Job");
    assert_string_equal(skr_path_text(event, "regarding.name"), "j");
    assert_string_equal(skr_path_text(event, "note"),
                        "Error creating: pods \"j-0\" is forbidden: no PriorityClass with name "
                        "high was found");
    json_decref(list);
}
