/* SPDX-License-Identifier: Apache-2.0 */
/* What the store refuses, with the codes and messages of kube-apiserver 1.36.3. */
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
        {"POST /apis/apps/v1/namespaces/default/statefulsets",
         "{'metadata':{'name':'k'},'spec':{'ordinals':{'start':-1},'selector':{'matchLabels':{'a':"
         "'b'}},'template':{'metadata':{'labels':{'a':'b'}}," RIG_POD "}}}",
         422, "Invalid",
         "StatefulSet.apps \"k\" is invalid: spec.ordinals.start: Invalid value: -1: must be "
         "greater than or equal to 0"},
        {"POST " JOBS,
         "{'metadata':{'name':'k'},'spec':{'parallelism':2147483648,'template':{" RIG_POD "}}}",
         400, "BadRequest",
         "json: cannot unmarshal number 2147483648 into Go struct field Job.spec.parallelism of "
         "type int32"},
        {"POST " PODS,
         "{'metadata':{'name':'x'},'spec':{'terminationGracePeriodSeconds':'8','containers':[]}}",
         400, "BadRequest",
         "json: cannot unmarshal string into Go struct field "
         "Pod.spec.terminationGracePeriodSeconds of type int64"},
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
        {"POST " JOBS,
         "{'metadata':{'name':'k'},'spec':{'backoffLimitPerIndex':1,'template':{" RIG_POD "}}}",
         422, "Invalid",
         "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"},
        {"POST " JOBS,
         "{'metadata':{'name':'k'},'spec':{'completionMode':'Indexed','completions':2,"
         "'maxFailedIndexes':3,'template':{" RIG_POD "}}}",
         422, "Invalid",
         "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified, "
         "spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions"},
        {"POST " JOBS,
         "{'metadata':{'name':'k'},'spec':{'completionMode':'Indexed','completions':100001,"
         "'backoffLimitPerIndex':1,'template':{" RIG_POD "}}}",
         422, "Invalid",
         "spec.backoffLimitPerIndex: Forbidden: the simulated cluster supports it up to 100000 "
         "completions"},
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
    sandbox_check_refusals(store, table, sizeof table / sizeof *table);
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
    sandbox_check_refusals(store, table, sizeof table / sizeof *table);
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
    sandbox_check_refusals(store, table, sizeof table / sizeof *table);
}
