/* SPDX-License-Identifier: Apache-2.0 */
/* The store as an API client meets it. Codes and messages are those of kube-apiserver 1.36.3 for
 * the same requests. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "test/test.h"
#include "test/unit/json_text.h"
#include "test/unit/sandbox_rig.h"

#define PODS   RIG_NS "/pods"
#define MAPS   RIG_NS "/configmaps"
#define JOBS   "/apis/batch/v1/namespaces/default/jobs"
#define DEPLOY "/apis/apps/v1/namespaces/default/deployments"
#define PDBS   "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"

static struct skr_store *store;

BEFORE_EACH
{
    store = skr_store_create(1);
    sandbox_ok(store, 201, "POST /api/v1/nodes",
               "{'metadata':{'name':'n1'},'status':{'capacity':{'cpu':'4','pods':'10'}}}");
    sandbox_ok(store, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'g1'},'spec':{'schedulingGates':[{'name':'sakkara.gang'},"
               "{'name':'b.c/d'}],'containers':[{'name':'c','image':'x'}]}}");
}

AFTER_EACH
{
    skr_store_destroy(store);
}

/* ---- answers ---- */

struct refusal {
    const char *line, *body;
    int status;
    const char *reason, *message; /* a part of it */
};

static void check_refusals(const struct refusal *table, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t before = skr_store_revision(store);
        json_t *reply = sandbox_expect(store, table[i].status, table[i].line, table[i].body);
        if (strcmp(sandbox_text(reply, "reason"), table[i].reason) != 0) {
            fail_msg("%s: reason %s", table[i].line, sandbox_text(reply, "reason"));
        }
        if (!strstr(sandbox_text(reply, "message"), table[i].message)) {
            fail_msg("%s: %s", table[i].line, sandbox_text(reply, "message"));
        }
        assert_string_equal(sandbox_text(reply, "kind"), "Status");
        assert_int_equal(skr_store_revision(store), before);
        json_decref(reply);
    }
}

TEST(wrong_creations_are_refused_as_by_the_real_one)
{
    static const struct refusal table[] = {
        {"POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}", 409, "AlreadyExists",
         "pods \"a1\" already exists"},
        {"POST " PODS,
         "{'metadata':{'name':'g2'},'spec':{'nodeName':'n1','schedulingGates':[{'name':'g'}],"
         "'containers':[{'name':'c','image':'x'}]}}",
         422, "Invalid",
         "Pod \"g2\" is invalid: spec.nodeName: Forbidden: cannot be set until all schedulingGates "
         "have been cleared"},
        {"POST " PODS, "{'metadata':{'name':'g 2'},'spec':{'containers':[]}}", 422, "Invalid",
         "Pod \"g 2\" is invalid: [metadata.name: Invalid value: \"g 2\": a lowercase RFC 1123 "
         "subdomain must"},
        {"POST " PODS, "{'metadata':{'name':'x'},'spec':{'containers':[]}}", 422, "Invalid",
         "spec.containers: Required value"},
        {"POST " PODS,
         "{'metadata':{'name':'g2'},'spec':{'priorityClassName':'nope','containers':[{'name':'c',"
         "'image':'x'}]}}",
         403, "Forbidden", "pods \"g2\" is forbidden: no PriorityClass with name nope was found"},
        {"POST " PODS, "{'metadata':{}," RIG_POD "}", 422, "Invalid",
         "Pod \"\" is invalid: metadata.name: Required value: name or generateName is required"},
        {"POST " PODS, "{'metadata':{'name':'x','namespace':'other'}," RIG_POD "}", 400,
         "BadRequest",
         "the namespace of the provided object does not match the namespace sent on the request"},
        {"POST /api/v1/namespaces/nons/pods", "{'metadata':{'name':'x'}," RIG_POD "}", 404,
         "NotFound", "namespaces \"nons\" not found"},
        {"POST " PODS, "{'apiVersion':'v1','kind':'Node','metadata':{'name':'x'}}", 400,
         "BadRequest", "Node in version \"v1\" cannot be handled as a Pod"},
        {"POST " PODS, "{'apiVersion':'v2','kind':'Pod','metadata':{'name':'x'}}", 400,
         "BadRequest", "does not match the expected API version"},
        {"POST " PODS, "[]", 400, "BadRequest", "must be of type Pod"},
        {"POST " PODS, "{'metadata':{'name':'x','resourceVersion':'7'}," RIG_POD "}", 500, "",
         "resourceVersion should not be set on objects to be created"},
        {"POST " PODS "?strict",
         "{'metadata':{'name':'x'},'spec':{'containres':[],'containers':[]}}", 400, "BadRequest",
         "Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: unknown field "
         "\"spec.containres\""},
        {"POST " PODS, "{'metadata':{'name':'x'},'spec':{'containers':[{'name':'c','image':7}]}}",
         400, "BadRequest",
         "json: cannot unmarshal number into Go struct field Pod.spec.containers[0].image of type "
         "string"},
        {"POST " PODS,
         "{'metadata':{'name':'x'},'spec':{'containers':[{'name':'c','image':'x','resources':"
         "{'requests':{'cpu':'2'},'limits':{'cpu':'1'}}}]}}",
         422, "Invalid", "must be less than or equal to cpu limit"},
        {"POST " PODS,
         "{'metadata':{'name':'x'},'spec':{'containers':[{'name':'c','image':'x','resources':"
         "{'requests':{'cpu':'much'}}}]}}",
         422, "Invalid", "spec.containers[0].resources.requests[cpu]: Invalid value: \"much\""},
        {"POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':1}}", 400, "BadRequest",
         "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"},
        {"POST " MAPS, "{'metadata':{'name':'m'},'data':{'a b':'1'}}", 422, "Invalid",
         "data[a b]: Invalid value: \"a b\": a valid config key must"},
        {"POST " JOBS, "{'metadata':{'name':'k'},'spec':{'template':{" RIG_POD "}}}", 422,
         "Invalid",
         "Job.batch \"k\" is invalid: spec.template.spec.restartPolicy: Required value: valid "
         "values: \"OnFailure\", \"Never\""},
        {"POST " DEPLOY,
         "{'metadata':{'name':'d2'},'spec':{'selector':{'matchLabels':{'a':'b'}},'template':"
         "{'metadata':{'labels':{'a':'c'}}," RIG_POD "}}}",
         422, "Invalid",
         "Deployment.apps \"d2\" is invalid: spec.template.metadata.labels: Invalid value: "
         "{\"a\":\"c\"}: `selector` does not match template `labels`"},
        {"POST " DEPLOY,
         "{'metadata':{'name':'d3'},'spec':{'selector':{'matchLabels':{'a b':'b'}},'template':"
         "{'metadata':{'labels':{'a':'b'}}," RIG_POD "}}}",
         422, "Invalid", "spec.selector.matchLabels: Invalid value: \"a b\": name part must"},
        {"POST " DEPLOY,
         "{'metadata':{'name':'d3'},'spec':{'selector':{'matchExpressions':[{'key':'a',"
         "'operator':'In','values':['b','c "
         "d']}]},'template':{'metadata':{'labels':{'a':'b'}}," RIG_POD "}}}",
         422, "Invalid",
         "spec.selector.matchExpressions[0]: Invalid value: \"c d\": a valid label"},
        {"POST " EVENTS,
         "{'metadata':{'name':'e1'},'regarding':{'kind':'Pod','name':'a','namespace':'default'}}",
         422, "Invalid", "eventTime: Required value"},
        {"POST " RIG_NS "/events",
         "{'metadata':{'name':'e3'},'involvedObject':{'namespace':'other'}}", 422, "Invalid",
         "involvedObject.namespace: Invalid value: \"other\": does not match event.namespace"},
        {"POST /apis/apps/v1/namespaces/default/statefulsets",
         "{'metadata':{'name':'s'},'spec':{'selector':{'matchLabels':{'a':'b'}},"
         "'volumeClaimTemplates':[{}],'template':{'metadata':{'labels':{'a':'b'}}," RIG_POD "}}}",
         422, "Invalid", "the simulated cluster has no volumes"},
    };
    check_refusals(table, sizeof table / sizeof *table);
}

TEST(wrong_changes_are_refused_as_by_the_real_one)
{
    static const struct refusal table[] = {
        {"MERGE " PODS "/a1", "{'metadata':{'uid':'foreign','labels':{'a':'b'}}}", 422, "Invalid",
         "Pod \"a1\" is invalid: metadata.uid: Invalid value: \"foreign\": field is immutable"},
        {"MERGE " PODS "/a1", "{'metadata':{'resourceVersion':'1','labels':{'a':'b'}}}", 409,
         "Conflict",
         "Operation cannot be fulfilled on pods \"a1\": the object has been modified; please apply "
         "your changes to the latest version and try again"},
        {"MERGE " PODS "/a1", "{'spec':{'nodeName':'n1'}}", 422, "Invalid",
         "spec: Forbidden: pod updates may not change fields other than"},
        {"MERGE " PODS "/g1", "{'spec':{'nodeName':'n1'}}", 422, "Invalid",
         "spec: Forbidden: pod updates may not change fields other than"},
        {"MERGE " PODS "/a1", "{'spec':{'schedulingGates':[{'name':'x'}]}}", 422, "Invalid",
         "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new "
         "scheduling gate 'x'"},
        {"MERGE " PODS "/a1",
         "{'spec':{'tolerations':[{'key':'node.kubernetes.io/not-ready','operator':'Equal',"
         "'value':'x','effect':'NoExecute'}]}}",
         422, "Invalid", "existing toleration can not be modified except its tolerationSeconds"},
        {"MERGE " PODS "/a1", "{'spec':{'nodeSelector':{'a':'b'}}}", 422, "Invalid",
         "spec: Forbidden"},
        {"JSON " PODS "/a1", "[{'op':'test','path':'/metadata/name','value':'b'}]", 422, "Invalid",
         "the server rejected our request due to an error in our request"},
        {"JSON " PODS "/a1", "[{'op':'replace','path':'/metadata/nothing/x','value':'b'}]", 422,
         "Invalid", "the server rejected"},
        {"JSON " PODS "/a1", "[{'op':'remove','path':'/metadata/nothing'}]", 422, "Invalid",
         "the server rejected"},
        {"JSON " PODS "/a1", "{}", 400, "BadRequest", "array of operations"},
        {"MERGE " PODS "/a1", "{'metadata':{'name':'b'}}", 400, "BadRequest",
         "the name of the object (b) does not match the name on the URL (a1)"},
        {"MERGE " PODS "/a1", "{'metadata':{'labels':{'bad key':'v v'}}}", 422, "Invalid",
         "[metadata.labels: Invalid value: \"bad key\": name part must consist of"},
        {"MERGE " PODS "/nope", "{'metadata':{'labels':{'a':'b'}}}", 404, "NotFound",
         "pods \"nope\" not found"},
        {"MERGE " PODS "/a1/status", "{'metadata':{'uid':'foo'}}", 422, "Invalid",
         "metadata.uid: Invalid value"},
        {"PUT " PODS "/zz", "{'metadata':{'name':'zz'}," RIG_POD "}", 404, "NotFound",
         "pods \"zz\" not found"},
        {"PUT " PODS "/a1", "{'metadata':{'name':'a1','uid':'foo'}," RIG_POD "}", 409, "Conflict",
         "Precondition failed: UID in precondition: foo, UID in object meta: "},
        {"PUT " PODS "/a1", "{'metadata':{'name':'a1','resourceVersion':'1'}," RIG_POD "}", 409,
         "Conflict", "the object has been modified"},
        {"PUT " PODS "/a1",
         "{'metadata':{'name':'a1'},'spec':{'containers':[{'name':'d','image':'x:1'}]}}", 422,
         "Invalid", "spec: Forbidden"},
        {"STRATEGIC " PODS "/a1", "{'spec':{'containers':[{'image':'y'}]}}", 400, "BadRequest",
         "does not contain declared merge key: name"},
        {"STRATEGIC " PODS "/a1", "{'$what':1}", 400, "BadRequest", "Unknown patch directive"},
        {"MERGE " PODS "/a1/scale", "{}", 404, "NotFound", "could not find the requested resource"},
        {"GET " PODS "/a1/log", NULL, 501, "NotImplemented", "do not really run"},
        {"GET " PODS "/a1/nothing", NULL, 404, "NotFound", "could not find"},
        {"PUT " PODS "/a1/binding", "{}", 405, "MethodNotAllowed", "does not allow this method"},
        {"DELETE /api/v1/namespaces/default", NULL, 403, "Forbidden",
         "namespaces \"default\" is forbidden: this namespace may not be deleted"},
        {"DELETE " PODS "/a1", "{'preconditions':{'uid':'x'}}", 409, "Conflict",
         "Operation cannot be fulfilled on Pod \"a1\": the UID in the precondition (x) does not "
         "match the UID in record ("},
    };
    check_refusals(table, sizeof table / sizeof *table);
}

TEST(wrong_lists_are_refused_as_by_the_real_one)
{
    static const struct refusal table[] = {
        {"GET " PODS "?fieldSelector=spec.foo=x", NULL, 400, "BadRequest",
         "field label not supported: spec.foo"},
        {"GET " PODS "?labelSelector=a b", NULL, 400, "BadRequest",
         "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"GET " PODS "?labelSelector=a in (b", NULL, 400, "BadRequest",
         "unable to parse requirement: found '', expected: ',' or ')'"},
        {"GET " PODS "?continue=abc", NULL, 400, "BadRequest", "invalid continue token"},
        {"GET " PODS "?continue=99999/default/x", NULL, 410, "Expired",
         "continue parameter is too old"},
        {"GET " DEPLOY "/x", NULL, 404, "NotFound", "deployments.apps \"x\" not found"},
    };
    check_refusals(table, sizeof table / sizeof *table);
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

TEST(fields_of_features_that_are_off_are_dropped)
{
    sandbox_ok(store, 201, "POST " PODS,
               "{'metadata':{'name':'w1'},'spec':{'schedulingGroup':{'podGroupName':'x'},"
               "'containers':[{'name':'c','image':'x'}]}}");
    assert_string_equal(sandbox_field(store, PODS "/w1", "spec.schedulingGroup"), "");
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
    check_refusals(table, sizeof table / sizeof *table);
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
    check_refusals(again, 1);
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
    check_refusals(table, 2);
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

/* ---- reading ---- */

static void make_maps(int n)
{
    char body[100];

    for (int i = 0; i < n; i++) {
        snprintf(body, sizeof body, "{'metadata':{'name':'m%02d','labels':{'odd':'%d'}}}", i,
                 i % 2);
        sandbox_ok(store, 201, "POST " MAPS, body);
    }
}

TEST(a_list_in_pages_shows_one_moment)
{
    char line[200], seen[400] = "";
    json_t *page = NULL;

    make_maps(7);
    page = sandbox_expect(store, 200, "GET " MAPS "?limit=3", NULL);
    char revision[32];
    snprintf(revision, sizeof revision, "%s", sandbox_text(page, "metadata.resourceVersion"));
    sandbox_ok(store, 200, "DELETE " MAPS "/m04", NULL);
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m045'}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m05", "{'data':{'a':'late'}}");
    for (;;) {
        assert_string_equal(sandbox_text(page, "metadata.resourceVersion"), revision);
        for (size_t i = 0; i < json_array_size(json_object_get(page, "items")); i++) {
            const json_t *item = json_array_get(json_object_get(page, "items"), i);
            const size_t n = strlen(seen);
            snprintf(seen + n, sizeof seen - n, "%s%s ", sandbox_text(item, "metadata.name"),
                     sandbox_text(item, "data.a"));
        }
        if (*sandbox_text(page, "metadata.continue") == '\0') {
            break;
        }
        snprintf(line, sizeof line, "GET " MAPS "?limit=3&continue=%s",
                 sandbox_text(page, "metadata.continue"));
        json_decref(page);
        page = sandbox_expect(store, 200, line, NULL);
    }
    json_decref(page);
    assert_string_equal(seen, "m00 m01 m02 m03 m04 m05 m06 ");
}

static size_t count(const char *line)
{
    json_t *list = sandbox_expect(store, 200, line, NULL);
    const size_t n = json_array_size(json_object_get(list, "items"));
    json_decref(list);
    return n;
}

TEST(selectors_select)
{
    static const struct {
        const char *line;
        size_t n;
    } table[] = {
        {"GET " MAPS, 5},
        {"GET /api/v1/configmaps", 6},
        {"GET " MAPS "?labelSelector=odd=1", 2},
        {"GET " MAPS "?labelSelector=odd!=1", 3},
        {"GET " MAPS "?labelSelector=odd in (0,1)", 5},
        {"GET " MAPS "?labelSelector=odd notin (0)", 2},
        {"GET " MAPS "?labelSelector=!odd", 0},
        {"GET " MAPS "?labelSelector=odd", 5},
        {"GET " MAPS "?labelSelector=odd>0", 2},
        {"GET " MAPS "?labelSelector=odd=0,odd=1", 0},
        {"GET " MAPS "?fieldSelector=metadata.name=m01", 1},
        {"GET " MAPS "?fieldSelector=metadata.name!=m01", 4},
        {"GET /api/v1/configmaps?fieldSelector=metadata.namespace=kube-system", 1},
        {"GET " PODS "?fieldSelector=spec.nodeName=", 2},
        {"GET " PODS "?fieldSelector=spec.nodeName=n1,status.phase=Pending", 0},
        {"GET /api/v1/nodes?fieldSelector=spec.unschedulable=false", 1},
    };
    make_maps(5);
    sandbox_ok(store, 201, "POST /api/v1/namespaces/kube-system/configmaps",
               "{'metadata':{'name':'x'}}");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (count(table[i].line) != table[i].n) {
            fail_msg("%s: %zu instead of %zu", table[i].line, count(table[i].line), table[i].n);
        }
    }
    sandbox_ok(store, 200, "DELETE " MAPS "?labelSelector=odd=1", NULL);
    assert_int_equal(count("GET " MAPS), 3);
}

TEST(an_event_has_two_shapes)
{
    sandbox_ok(store, 201, "POST " EVENTS,
               "{'metadata':{'name':'e1'},'eventTime':'2026-01-01T00:00:00.000001Z',"
               "'reportingController':'x','reportingInstance':'y','action':'A','reason':'R','type':"
               "'Normal','regarding':{'kind':'Pod','name':'a','namespace':'default'},'note':'hi'}");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "message"), "hi");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "involvedObject.name"), "a");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "reportingComponent"), "x");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "apiVersion"), "v1");
    assert_string_equal(sandbox_field(store, EVENTS "/e1", "note"), "hi");
    assert_int_equal(count("GET " RIG_NS "/events?fieldSelector=involvedObject.name=a"), 1);
    sandbox_ok(store, 200, "MERGE " EVENTS "/e1", "{'note':'ho'}");
    assert_string_equal(sandbox_field(store, RIG_NS "/events/e1", "message"), "ho");
}

/* ---- watching ---- */

TEST(every_change_is_told_once_and_in_order)
{
    struct skr_store_change change;
    bool gone;

    const uint64_t start = skr_store_revision(store);
    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    sandbox_ok(store, 200, "MERGE " MAPS "/m", "{'data':{'a':'2'}}");
    sandbox_ok(store, 200, "DELETE " MAPS "/m", NULL);
    assert_true(skr_store_next_change(store, start, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_ADDED);
    assert_null(change.before);
    assert_true(skr_store_next_change(store, start + 1, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_MODIFIED);
    assert_string_equal(sandbox_text(change.before, "data.a"), "1");
    assert_string_equal(sandbox_text(change.object, "data.a"), "2");
    assert_true(skr_store_next_change(store, start + 2, &change, &gone));
    assert_int_equal(change.kind, SKR_STORE_DELETED);
    assert_string_equal(sandbox_text(change.object, "data.a"), "2");
    assert_int_equal(change.revision, start + 3);
    assert_int_equal(strtoull(sandbox_text(change.object, "metadata.resourceVersion"), NULL, 10),
                     start + 3);
    assert_false(skr_store_next_change(store, start + 3, &change, &gone));
    assert_false(gone);
}

TEST(the_history_is_cut)
{
    struct skr_store_change change;
    bool gone;

    sandbox_ok(store, 201, "POST " MAPS, "{'metadata':{'name':'m'},'data':{'a':'1'}}");
    const uint64_t start = skr_store_revision(store);
    enum { MAX = 2000 };
    skr_store_limit_history(store, MAX);
    json_t *patch[2] = {json_text_load("{'data':{'a':'1'}}"), json_text_load("{'data':{'a':'2'}}")};
    for (int i = 0; i <= MAX; i++) {
        assert_int_equal(skr_store_merge(store, "ConfigMap", "default", "m", "", patch[(i + 1) % 2],
                                         RIG_NOW, NULL),
                         200);
    }
    assert_false(skr_store_next_change(store, start, &change, &gone));
    assert_true(gone);
    assert_true(skr_store_next_change(store, start + 1, &change, &gone));
    assert_false(gone);
    json_decref(patch[0]);
    json_decref(patch[1]);
}

/* ---- models and loading ---- */

TEST(loading_takes_objects_as_they_are)
{
    struct skr_error error;
    json_t *pod = json_text_load(
        "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'old','namespace':'away','uid':'u-1',"
        "'resourceVersion':'77','creationTimestamp':'2020-01-01T00:00:00Z','ownerReferences':[{"
        "'apiVersion':'v1','kind':'X','name':'x','uid':'gone'}]},'spec':{'nodeName':'n1','priority'"
        ":"
        "5,'priorityClassName':'lost','containers':[{'name':'c','image':'x'}]},'status':{'phase':"
        "'Running'}}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 201);
    const json_t *kept = skr_store_get(store, "Pod", "away", "old");
    assert_string_equal(sandbox_text(kept, "metadata.uid"), "u-1");
    assert_string_equal(sandbox_text(kept, "metadata.creationTimestamp"), "2020-01-01T00:00:00Z");
    assert_string_equal(sandbox_text(kept, "status.phase"), "Running");
    assert_string_equal(sandbox_text(kept, "spec.nodeName"), "n1");
    assert_string_equal(sandbox_text(kept, "spec.schedulerName"), "default-scheduler");
    assert_non_null(skr_store_get(store, "Namespace", "", "away"));
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 200);
    json_decref(pod);
    pod = json_text_load("{'apiVersion':'v1','kind':'Pod','metadata':{'name':'x y'}," RIG_POD "}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 422);
    assert_non_null(strstr(error.text, "metadata.name: Invalid value"));
    json_decref(pod);
    pod = json_text_load("{'apiVersion':'v1','kind':'Toaster','metadata':{'name':'x'}}");
    assert_int_equal(skr_store_put(store, pod, RIG_NOW, &error), 404);
    json_decref(pod);
}

TEST(the_same_requests_make_the_same_store)
{
    struct skr_store *other = skr_store_create(1);
    struct skr_store *third = skr_store_create(2);
    json_t *a, *b, *c;

    sandbox_ok(other, 201, "POST /api/v1/nodes",
               "{'metadata':{'name':'n1'},'status':{'capacity':{'cpu':'4','pods':'10'}}}");
    sandbox_ok(other, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    sandbox_ok(third, 201, "POST " PODS, "{'metadata':{'name':'a1'}," RIG_POD "}");
    a = sandbox_expect(store, 200, "GET " PODS "/a1", NULL);
    b = sandbox_expect(other, 200, "GET " PODS "/a1", NULL);
    c = sandbox_expect(third, 200, "GET " PODS "/a1", NULL);
    assert_true(json_equal(a, b));
    assert_string_not_equal(
        sandbox_text(a, "metadata.uid"),
        json_string_value(json_object_get(json_object_get(c, "metadata"), "uid")));
    json_decref(a);
    json_decref(b);
    json_decref(c);
    skr_store_destroy(other);
    skr_store_destroy(third);
}
