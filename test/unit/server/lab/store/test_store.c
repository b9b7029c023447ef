/* SPDX-License-Identifier: Apache-2.0 */
/* The store as an API client meets it. Codes and messages are those of kube-apiserver 1.36.3 for
 * the same requests. */
#include "test/test.h"
#include "test/unit/sandbox_rig.h"

static struct skr_store *store;

BEFORE_EACH
{
    store = sandbox_store();
}

AFTER_EACH
{
    skr_store_destroy(store);
}

/* ---- creation ---- */

TEST(a_new_pod_has_what_the_real_one_fills_in)
{
    static const struct {
        const char *path, *value;
    } table[] = {
        {"metadata.generation", "1"},
        {"metadata.creationTimestamp", "2023-11-14T22:13:20Z"},
        {"metadata.namespace", "default"},
        {"spec.schedulerName", "default-scheduler"},
        {"spec.restartPolicy", "Always"},
        {"spec.terminationGracePeriodSeconds", "30"},
        {"spec.priority", "0"},
        {"spec.preemptionPolicy", "PreemptLowerPriority"},
        {"spec.enableServiceLinks", "true"},
        {"spec.containers[0].imagePullPolicy", "IfNotPresent"},
        {"spec.tolerations[1].key", "node.kubernetes.io/unreachable"},
        {"spec.tolerations[1].tolerationSeconds", "300"},
        {"status", "{\"phase\":\"Pending\",\"qosClass\":\"BestEffort\"}"},
        {"kind", "Pod"},
        {"apiVersion", "v1"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_string_equal(sandbox_field(store, PODS "/a1", table[i].path), table[i].value);
    }
    assert_int_equal(strlen(sandbox_field(store, PODS "/a1", "metadata.uid")), 36);
}

TEST(a_pod_keeps_the_name_of_its_podgroup)
{
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'w1'},'spec':{'schedulingGroup':{'podGroupName':'x'},"
               "'containers':[{'name':'c','image':'x'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/w1", "spec.schedulingGroup.podGroupName"), "x");
}

TEST(null_in_a_map_is_an_empty_string_in_every_write)
{
    sandbox_ok(store, 201, "POST " MAPS,
               "{'metadata':{'name':'m','labels':{'sakkara.group':null}},'data':{'size':null}}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "metadata.labels"),
                        "{\"sakkara.group\":\"\"}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "data"), "{\"size\":\"\"}");
    sandbox_ok(store, 200, "PUT " MAPS "/m",
               "{'metadata':{'name':'m','labels':{'a':null}},'data':null}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "metadata.labels"), "{\"a\":\"\"}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "data"), "");
    sandbox_ok(store, 200, "JSON " MAPS "/m",
               "[{'op':'add','path':'/metadata/labels/b','value':null}]");
    assert_string_equal(sandbox_field(store, MAPS "/m", "metadata.labels"),
                        "{\"a\":\"\",\"b\":\"\"}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m", "{'metadata':{'labels':{'a':null}}}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "metadata.labels"), "{\"b\":\"\"}");
}

/* Versions of one object; the PodGroups of scheduling.x-k8s.io are others. */
TEST(a_podgroup_of_kubernetes_is_one_object_in_three_versions)
{
#define NATIVE(version) "/apis/scheduling.k8s.io/" version "/namespaces/default/podgroups"
#define OTHERS          "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
    sandbox_ok(
        store, 201, "POST " NATIVE("v1beta1"),
        "{'apiVersion':'scheduling.k8s.io/v1beta1','kind':'PodGroup','metadata':{'name':'g'},"
        "'spec':{'schedulingPolicy':{'gang':{'minCount':3}}}}");
    sandbox_ok(store, 404, "GET " OTHERS "/g", NULL);
    assert_string_equal(sandbox_field(store, NATIVE("v1alpha2") "/g", "apiVersion"),
                        "scheduling.k8s.io/v1alpha2");
    assert_string_equal(sandbox_field(store, NATIVE("v1alpha3") "/g", "apiVersion"),
                        "scheduling.k8s.io/v1alpha3");
    sandbox_ok(store, 200, "STRATEGIC " NATIVE("v1alpha3") "/g/status",
               "{'status':{'conditions':[{'type':'A','status':'True'}]}}");
    sandbox_ok(store, 200, "STRATEGIC " NATIVE("v1beta1") "/g/status",
               "{'status':{'conditions':[{'type':'B','status':'True'}]}}");
    assert_string_equal(sandbox_field(store, NATIVE("v1beta1") "/g", "status.conditions[0].type"),
                        "A");
    sandbox_ok(store, 200, "DELETE " NATIVE("v1alpha2") "/g", NULL);
    sandbox_ok(store, 404, "GET " NATIVE("v1beta1") "/g", NULL);
}

/* The new one shares with the last one what is equal. */
TEST(what_becomes_of_a_pod_does_not_become_of_the_one_before_it)
{
    static const char like[] =
        "{'metadata':{'name':'%s','labels':{'l':'1'},'finalizers':['a/b']},'spec':{%s'containers':"
        "[{'name':'c','image':'x:1','resources':{'limits':{'cpu':'1'}},'bogus':1}]}}";
    char body[400], before[4096];
    snprintf(body, sizeof body, like, "s1", "");
    sandbox_ok(store, 201, "POST " PODS, body);
    snprintf(before, sizeof before, "%s", sandbox_field(store, PODS "/s1", ""));
    sandbox_ok(store, 201, "POST /apis/scheduling.k8s.io/v1/priorityclasses",
               "{'metadata':{'name':'high'},'value':7}");
    snprintf(body, sizeof body, like, "s2", "'priorityClassName':'high','hostNetwork':false,");
    sandbox_ok(store, 201, "POST " PODS, body);
    assert_string_equal(sandbox_field(store, PODS "/s2", "spec.priority"), "7");
    assert_string_equal(
        sandbox_field(store, PODS "/s2", "spec.containers[0].resources.requests.cpu"), "1");
    sandbox_ok(
        store, 200, "STRATEGIC " PODS "/s2",
        "{'metadata':{'labels':{'l':'2'}},'spec':{'containers':[{'name':'c','image':'y'}]}}");
    sandbox_ok(store, 200, "JSON " PODS "/s2",
               "[{'op':'add','path':'/spec/tolerations/-','value':{'operator':'Exists'}}]");
    assert_string_equal(sandbox_field(store, PODS "/s1", ""), before);
    snprintf(body, sizeof body, like, "s3", "");
    sandbox_ok(store, 201, "POST " PODS, body);
    snprintf(body, sizeof body, like, "s4", "");
    sandbox_ok(store, 400, "POST " PODS "?strict", body); /* bogus */
}

TEST(limits_are_requests_that_were_left_out)
{
    json_t *pod = sandbox_expect(
        store, 201, "POST " PODS,
        "{'metadata':{'generateName':'p-'},'spec':{'containers':[{'name':'c','image':'x',"
        "'resources':{'limits':{'cpu':'1','memory':'1Gi'},'requests':{'cpu':'1'}}}]},"
        "'status':{'phase':'Running'}}");
    assert_string_equal(sandbox_text(pod, "spec.containers[0].resources.requests"),
                        "{\"cpu\":\"1\",\"memory\":\"1Gi\"}");
    assert_string_equal(sandbox_text(pod, "status.qosClass"), "Guaranteed");
    assert_string_equal(sandbox_text(pod, "status.phase"), "Pending");
    assert_int_equal(strlen(sandbox_text(pod, "metadata.name")), 7);
    json_decref(pod);
}

TEST(a_gated_pod_says_that_it_is_gated)
{
    assert_string_equal(sandbox_field(store, PODS "/g1", "status.conditions[0].reason"),
                        "SchedulingGated");
    sandbox_ok(store, 200, "STRATEGIC " PODS "/g1",
               "{'spec':{'schedulingGates':[{'$patch':'delete','name':'b.c/d'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/g1", "spec.schedulingGates"),
                        "[{\"name\":\"sakkara.gang\"}]");
    assert_string_equal(sandbox_field(store, PODS "/g1", "metadata.generation"), "2");
    sandbox_ok(store, 200, "MERGE " PODS "/g1",
               "{'spec':{'nodeSelector':{'a':'b'},'schedulingGates':null}}");
    assert_string_equal(sandbox_field(store, PODS "/g1", "spec.nodeSelector"), "{\"a\":\"b\"}");
}

TEST(a_pod_whose_gates_are_opened_is_otherwise_as_it_was)
{
    char tolerations[512];
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'opened'},'spec':{'schedulingGates':[{'name':'sakkara.gang'}],"
               "'containers':[{'name':'c','image':'x'}]}}");
    (void)snprintf(tolerations, sizeof tolerations, "%s",
                   sandbox_field(store, PODS "/opened", "spec.tolerations"));
    assert_true(strstr(tolerations, "unreachable"));
    sandbox_ok(store, 200, "MERGE " PODS "/opened",
               "{'metadata':{'labels':{'a':'b'}},'spec':{'schedulingGates':null}}");
    assert_string_equal(sandbox_field(store, PODS "/opened", "metadata.labels"), "{\"a\":\"b\"}");
    assert_string_equal(sandbox_field(store, PODS "/opened", "metadata.generation"), "2");
    assert_string_equal(sandbox_field(store, PODS "/opened", "spec.tolerations"), tolerations);
    assert_string_equal(sandbox_field(store, PODS "/opened", "spec.schedulingGates"), "");
    /* What has a default gets it anew. */
    sandbox_ok(store, 200, "MERGE " PODS "/opened", "{'spec':{'restartPolicy':null}}");
    assert_string_equal(sandbox_field(store, PODS "/opened", "spec.restartPolicy"), "Always");
}

TEST(priorities_come_from_their_classes)
{
    sandbox_ok(store, 201, "POST /apis/scheduling.k8s.io/v1/priorityclasses",
               "{'metadata':{'name':'hi'},'value':100,'preemptionPolicy':'Never'}");
    sandbox_ok(store, 201, "POST /apis/scheduling.k8s.io/v1/priorityclasses",
               "{'metadata':{'name':'usual'},'value':7,'globalDefault':true}");
    sandbox_ok(
        store, 201, "POST " PODS,
        "{'metadata':{'name':'p1'},'spec':{'priorityClassName':'hi','containers':[{'name':'c',"
        "'image':'x'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/p1", "spec.priority"), "100");
    assert_string_equal(sandbox_field(store, PODS "/p1", "spec.preemptionPolicy"), "Never");
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'p2'}," RIG_POD "}");
    assert_string_equal(sandbox_field(store, PODS "/p2", "spec.priority"), "7");
    assert_string_equal(sandbox_field(store, PODS "/p2", "spec.priorityClassName"), "usual");
    sandbox_ok(
        store, 403, "POST " PODS,
        "{'metadata':{'name':'p3'},'spec':{'priorityClassName':'hi','priority':5,'containers':"
        "[{'name':'c','image':'x'}]}}");
    sandbox_ok(store, 422, "MERGE /apis/scheduling.k8s.io/v1/priorityclasses/hi", "{'value':200}");
}

TEST(a_job_gets_labels_and_a_selector)
{
    json_t *job = sandbox_expect(
        store, 201, "POST " JOBS,
        "{'metadata':{'name':'j'},'spec':{'completions':2,'parallelism':2,'completionMode':"
        "'Indexed','template':{'metadata':{'labels':{'q':'r'}},'spec':{'restartPolicy':'Never',"
        "'containers':[{'name':'c','image':'x'}]}}}}");
    char uid[64];
    snprintf(uid, sizeof uid, "%s", sandbox_text(job, "metadata.uid"));
    assert_string_equal(sandbox_text(job, "metadata.labels.job-name"), "j");
    assert_string_equal(sandbox_text(job, "spec.template.metadata.labels.controller-uid"), uid);
    assert_string_equal(
        sandbox_text(job, "spec.selector.matchLabels.'batch.kubernetes.io/controller-uid'"), uid);
    assert_string_equal(sandbox_text(job, "spec.backoffLimit"), "6");
    json_decref(job);
    sandbox_ok(store, 422, "MERGE " JOBS "/j", "{'spec':{'completions':7}}");
    sandbox_ok(store, 422, "MERGE " JOBS "/j",
               "{'spec':{'template':{'metadata':{'labels':{'z':'z'}}}}}");
    sandbox_ok(store, 200, "MERGE " JOBS "/j", "{'spec':{'completions':3,'parallelism':3}}");
    sandbox_ok(store, 200, "MERGE " JOBS "/j", "{'spec':{'suspend':true}}");
    assert_string_equal(sandbox_field(store, JOBS "/j", "metadata.generation"), "3");
}

/* ---- changes ---- */

TEST(a_status_patch_changes_status_and_labels_only)
{
    sandbox_ok(store, 200, "MERGE " PODS "/a1/status",
               "{'metadata':{'labels':{'l':'1'},'annotations':{'an':'2'}},'status':{"
               "'nominatedNodeName':'n1'},'spec':{'nodeName':'zzz'}}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.labels.l"), "1");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.annotations.an"), "2");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.nominatedNodeName"), "n1");
    assert_string_equal(sandbox_field(store, PODS "/a1", "spec.nodeName"), "");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.generation"), "1");
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'status':{'nominatedNodeName':'n2'}}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.nominatedNodeName"), "n1");
    sandbox_ok(store, 200, "STRATEGIC " PODS "/a1/status",
               "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
    sandbox_ok(store, 200, "STRATEGIC " PODS "/a1/status",
               "{'status':{'conditions':[{'type':'X','status':'False'},{'type':'Ready','status':"
               "'False'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.conditions"),
                        "[{\"status\":\"False\",\"type\":\"Ready\"},{\"status\":\"False\","
                        "\"type\":\"X\"}]");
}

TEST(a_change_that_changes_nothing_has_no_revision)
{
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'metadata':{'labels':{'l':'1'}}}");
    const uint64_t before = skr_store_revision(store);
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'metadata':{'labels':{'l':'1'}}}");
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'spec':{'nodeName':null},'metadata':{}}");
    json_t *pod = sandbox_expect(store, 200, "GET " PODS "/a1", NULL);
    char *text = json_dumps(pod, 0);
    sandbox_ok(store, 200, "PUT " PODS "/a1", text);
    free(text);
    json_decref(pod);
    assert_int_equal(skr_store_revision(store), before);
    sandbox_ok(store, 200, "MERGE " PODS "/a1?dryRun", "{'metadata':{'labels':{'l':'2'}}}");
    assert_int_equal(skr_store_revision(store), before);
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'metadata':{'labels':{'l':null}}}");
    assert_int_equal(skr_store_revision(store), before + 1);
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.labels"), "");
}

TEST(what_is_allowed_to_change_in_a_pod_changes)
{
    sandbox_ok(store, 200, "STRATEGIC " PODS "/a1",
               "{'spec':{'containers':[{'name':'c','image':'y:2'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "spec.containers[0].image"), "y:2");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.generation"), "2");
    sandbox_ok(store, 200, "JSON " PODS "/a1",
               "[{'op':'add','path':'/spec/tolerations/-','value':{'operator':'Exists'}}]");
    assert_string_equal(sandbox_field(store, PODS "/a1", "spec.tolerations[2]"),
                        "{\"operator\":\"Exists\"}");
}

TEST(a_deployment_has_a_scale)
{
    static const char scale[] = DEPLOY "/d/scale";
    char body[200];
    sandbox_ok(store, 404, "GET " DEPLOY "/d/scale", NULL);
    sandbox_ok(store, 201, "POST " DEPLOY,
               "{'metadata':{'name':'d'},'spec':{'replicas':2,'selector':{'matchLabels':{'a':'b'}},"
               "'template':{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c',"
               "'image':'x'}]}}}}");
    assert_string_equal(sandbox_field(store, scale, "kind"), "Scale");
    assert_string_equal(sandbox_field(store, scale, "spec.replicas"), "2");
    assert_string_equal(sandbox_field(store, scale, "status.selector"), "a=b");
    json_t *reply =
        sandbox_expect(store, 200, "MERGE " DEPLOY "/d/scale", "{'spec':{'replicas':3}}");
    assert_string_equal(sandbox_text(reply, "kind"), "Scale");
    json_decref(reply);
    assert_string_equal(sandbox_field(store, DEPLOY "/d", "spec.replicas"), "3");
    assert_string_equal(sandbox_field(store, DEPLOY "/d", "spec.selector"),
                        "{\"matchLabels\":{\"a\":\"b\"}}");
    sandbox_ok(store, 200, "JSON " DEPLOY "/d/scale",
               "[{'op':'replace','path':'/spec/replicas','value':4}]");
    snprintf(body, sizeof body, "{'metadata':{'resourceVersion':'%s'},'spec':{'replicas':5}}",
             sandbox_field(store, scale, "metadata.resourceVersion"));
    sandbox_ok(store, 200, "PUT " DEPLOY "/d/scale", body);
    sandbox_ok(store, 409, "PUT " DEPLOY "/d/scale", body);
    sandbox_ok(store, 200, "PUT " DEPLOY "/d/scale", "{'spec':{}}");
    assert_string_equal(sandbox_field(store, DEPLOY "/d", "spec.replicas"), "0");
    sandbox_ok(store, 405, "DELETE " DEPLOY "/d/scale", NULL);
}

TEST(an_old_revision_conflicts_and_the_right_one_does_not)
{
    char body[200];
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    snprintf(body, sizeof body, "{'metadata':{'resourceVersion':'%s'},'data':{'a':'2'}}",
             sandbox_field(store, MAPS "/m", "metadata.resourceVersion"));
    sandbox_ok(store, 200, "MERGE " MAPS "/m", body);
    sandbox_ok(store, 409, "MERGE " MAPS "/m", body);
    assert_string_equal(sandbox_field(store, MAPS "/m", "data.a"), "2");
    sandbox_ok(store, 200, "PUT " MAPS "/m", "{'metadata':{'name':'m'},'data':{'b':'1'}}");
    assert_string_equal(sandbox_field(store, MAPS "/m", "data"), "{\"b\":\"1\"}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m", "{'immutable':true}");
    sandbox_ok(store, 422, "MERGE " MAPS "/m", "{'data':{'b':'2'}}");
}

TEST(leases_must_say_which_revision_they_replace)
{
    sandbox_ok(store, 201, "POST /apis/coordination.k8s.io/v1/namespaces/default/leases",
               "{'metadata':{'name':'l'},'spec':{'holderIdentity':'me'}}");
    sandbox_ok(store, 422, "PUT /apis/coordination.k8s.io/v1/namespaces/default/leases/l",
               "{'metadata':{'name':'l'},'spec':{'holderIdentity':'you'}}");
}

TEST(a_podgroup_is_a_custom_resource)
{
    static const char groups[] = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups";
    char line[256];
    snprintf(line, sizeof line, "POST %s", groups);
    sandbox_ok(store, 201, line,
               "{'metadata':{'name':'g'},'spec':{'minMember':3},'status':{'phase':'x'}}");
    snprintf(line, sizeof line, "STRATEGIC %s/g", groups);
    sandbox_ok(store, 415, line, "{}");
    snprintf(line, sizeof line, "MERGE %s/g/status", groups);
    sandbox_ok(store, 200, line, "{'metadata':{'labels':{'a':'b'}},'status':{'phase':'Running'}}");
    snprintf(line, sizeof line, "%s/g", groups);
    assert_string_equal(sandbox_field(store, line, "status.phase"), "Running");
    assert_string_equal(sandbox_field(store, line, "metadata.labels"), "");
}

/* ---- binding ---- */

TEST(bindings_answer_as_by_the_real_one)
{
    static const struct refusal table[] = {
        {"POST " PODS "/g1/binding", "{'metadata':{'name':'g1'},'target':{'name':'n1'}}", 409,
         "Conflict",
         "Operation cannot be fulfilled on pods/binding \"g1\": pod g1 has non-empty "
         ".spec.schedulingGates"},
        {"POST " PODS "/a1/binding",
         "{'metadata':{'name':'a1','uid':'foreign'},'target':{'name':'n1'}}", 409, "Conflict",
         "Precondition failed: UID in precondition: foreign, UID in object meta: "},
        {"POST " PODS "/nope/binding", "{'metadata':{'name':'nope'},'target':{'name':'n1'}}", 404,
         "NotFound", "pods \"nope\" not found"},
        {"POST " PODS "/a1/binding", "{'metadata':{'name':'a2'},'target':{'name':'n1'}}", 400,
         "BadRequest", "name in URL does not match name in Binding object"},
        {"POST " PODS "/a1/binding",
         "{'metadata':{'name':'a1'},'target':{'kind':'Foo','name':'n1'}}", 500, "",
         "target.kind: Unsupported value: \"Foo\": supported values: \"Node\", \"<empty>\""},
        {"POST " PODS "/a1/binding", "{'metadata':{'name':'a1'},'target':{'kind':'Node'}}", 500, "",
         "target.name: Required value"},
    };
    static const struct refusal again[] = {
        {"POST " PODS "/a1/binding", "{'metadata':{'name':'a1'},'target':{'name':'n1'}}", 409,
         "Conflict",
         "Operation cannot be fulfilled on pods/binding \"a1\": pod a1 is already assigned to node "
         "\"missing\""},
    };
    sandbox_check_refusals(store, table, sizeof table / sizeof *table);
    sandbox_ok(store, 200, "MERGE " PODS "/a1/status",
               "{'metadata':{'labels':{'l':'1'}},'status':{'nominatedNodeName':'n1'}}");
    /* The node is not looked at. */
    json_t *reply =
        sandbox_expect(store, 201, "POST " PODS "/a1/binding",
                       "{'metadata':{'name':'a1','labels':{'lb':'1'},'annotations':{'ab':'2'}},"
                       "'target':{'kind':'Node','name':'missing'}}");
    assert_string_equal(sandbox_text(reply, "status"), "Success");
    json_decref(reply);
    assert_string_equal(sandbox_field(store, PODS "/a1", "spec.nodeName"), "missing");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.labels"),
                        "{\"l\":\"1\",\"lb\":\"1\"}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.annotations.ab"), "2");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.conditions[0].type"),
                        "PodScheduled");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.conditions[0].status"), "True");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.nominatedNodeName"), "");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.generation"), "1");
    sandbox_check_refusals(store, again, 1);
}

TEST(a_pod_that_is_being_deleted_is_not_bound)
{
    static const struct refusal table[] = {
        {"POST " PODS "/a1/binding", "{'target':{'name':'n1'}}", 409, "Conflict",
         "pod a1 is being deleted, cannot be assigned to a host"},
        {"MERGE " PODS "/a1", "{'metadata':{'finalizers':['x.y/w']}}", 422, "Invalid",
         "no new finalizers can be added if the object is being deleted, found new finalizers "
         "[]string{\"x.y/w\"}"},
    };
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'metadata':{'finalizers':['x.y/z']}}");
    sandbox_ok(store, 200, "DELETE " PODS "/a1", NULL);
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.deletionGracePeriodSeconds"),
                        "0");
    sandbox_check_refusals(store, table, 2);
    sandbox_ok(store, 200, "MERGE " PODS "/a1", "{'metadata':{'finalizers':null}}");
    sandbox_ok(store, 404, "GET " PODS "/a1", NULL);
}

/* ---- deletion, eviction ---- */

static void bind_and_run(void)
{
    sandbox_ok(store, 201, "POST " PODS "/a1/binding", "{'target':{'name':'n1'}}");
    sandbox_ok(
        store, 200, "MERGE " PODS "/a1/status",
        "{'metadata':{'labels':{'app':'p'}},'status':{'phase':'Running','conditions':[{'type':"
        "'Ready','status':'True'}]}}");
}

TEST(a_bound_pod_ends_with_its_grace)
{
    bind_and_run();
    json_t *pod = sandbox_expect(store, 200, "DELETE " PODS "/a1", NULL);
    assert_string_equal(sandbox_text(pod, "metadata.deletionTimestamp"), "2023-11-14T22:13:50Z");
    assert_string_equal(sandbox_text(pod, "metadata.deletionGracePeriodSeconds"), "30");
    assert_string_equal(sandbox_text(pod, "metadata.generation"), "2");
    json_decref(pod);
    const uint64_t before = skr_store_revision(store);
    sandbox_ok(store, 200, "DELETE " PODS "/a1", "{'gracePeriodSeconds':60}");
    assert_int_equal(skr_store_revision(store), before);
    sandbox_ok(store, 200, "DELETE " PODS "/a1", "{'gracePeriodSeconds':5}");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.deletionGracePeriodSeconds"),
                        "5");
    sandbox_ok(store, 200, "DELETE " PODS "/a1", "{'gracePeriodSeconds':0}");
    sandbox_ok(store, 404, "GET " PODS "/a1", NULL);
}

TEST(an_unbound_pod_ends_at_once)
{
    json_t *pod = sandbox_expect(store, 200, "DELETE " PODS "/g1", NULL);
    assert_string_equal(sandbox_text(pod, "kind"), "Pod");
    json_decref(pod);
    sandbox_ok(store, 404, "DELETE " PODS "/g1", NULL);
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'}}");
    json_t *status = sandbox_expect(store, 200, "DELETE " MAPS "/m", NULL);
    assert_string_equal(sandbox_text(status, "status"), "Success");
    assert_string_equal(sandbox_text(status, "details.kind"), "configmaps");
    json_decref(status);
}

TEST(budgets_hold_evictions_back)
{
    bind_and_run();
    sandbox_ok(store, 409, "POST " PODS "/a1/eviction",
               "{'deleteOptions':{'preconditions':{'uid':'x'}}}");
    sandbox_ok(store, 404, "POST " PODS "/nope/eviction", "{'metadata':{'name':'nope'}}");
    sandbox_ok(
        store, 201, "POST " PDBS,
        "{'metadata':{'name':'pdb'},'spec':{'minAvailable':1,'selector':{'matchLabels':{'app':"
        "'p'}}}}");
    sandbox_ok(store, 200, "MERGE " PDBS "/pdb/status",
               "{'status':{'observedGeneration':1,'disruptionsAllowed':0,'currentHealthy':1,"
               "'desiredHealthy':1,'expectedPods':1}}");
    json_t *reply = sandbox_expect(store, 429, "POST " PODS "/a1/eviction", "{}");
    assert_string_equal(sandbox_text(reply, "message"),
                        "Cannot evict pod as it would violate the pod's disruption budget.");
    assert_string_equal(sandbox_text(reply, "details.causes[0].message"),
                        "The disruption budget pdb needs 1 healthy pods and has 1 currently");
    json_decref(reply);
    sandbox_ok(store, 200, "MERGE " PDBS "/pdb/status", "{'status':{'disruptionsAllowed':1}}");
    sandbox_ok(store, 201, "POST " PODS "/a1/eviction", "{}");
    assert_string_equal(sandbox_field(store, PDBS "/pdb", "status.disruptionsAllowed"), "0");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.conditions[1].type"),
                        "DisruptionTarget");
    assert_string_equal(sandbox_field(store, PODS "/a1", "status.conditions[1].reason"),
                        "EvictionByEvictionAPI");
    assert_string_equal(sandbox_field(store, PODS "/a1", "metadata.deletionGracePeriodSeconds"),
                        "30");
    sandbox_ok(store, 201, "POST " PODS "/a1/eviction", "{}"); /* again: nothing to hold back */
}
