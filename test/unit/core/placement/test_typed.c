/* SPDX-License-Identifier: Apache-2.0 */
/* What typed Go clients write for fields that nobody set: empty structs, nulls, zeros. All of it means
 * the same as no field at all. */
#include "test/test.h"
#include "test/unit/placement_scene.h"

#define CL "cluster.open-cluster-management.io/"
#define META(name)                                                                            \
    "'metadata':{'name':'" name "','creationTimestamp':null,'labels':null,'finalizers':null," \
    "'ownerReferences':null,'managedFields':null,'deletionTimestamp':null"
#define FLEET                                                                                      \
    "cluster a z=1 claim:y=1 has:cpu=1/2\ncluster b z=1 taint:k=v:NoSelect\ncluster c z=2\nset s " \
    "{\"selectorType\":\"LabelSelector\",\"labelSelector\":{}}\nbind s\ndecided p 1 a\n"

/* A part of the spec of a Placement as a typed client writes it, and as people do. */
struct part {
    const char *title, *typed, *bare;
};
static const struct part parts[] = {
    {"all of a spec",
     "{'clusterSets':null,'numberOfClusters':null,'predicates':null,'prioritizerPolicy':{},"
     "'spreadPolicy':{},'tolerations':null,'decisionStrategy':{'groupStrategy':{"
     "'clustersPerDecisionGroup':0}}}",
     "{}"},
    {"empty lists",
     "{'clusterSets':[],'predicates':[],'prioritizerPolicy':{'mode':'','configurations':[]},"
     "'spreadPolicy':{'spreadConstraints':[]},'tolerations':[],'decisionStrategy':{'groupStrategy'"
     ":{'decisionGroups':[]}}}",
     "{}"},
    {"nulls instead of structs",
     "{'prioritizerPolicy':null,'spreadPolicy':null,'decisionStrategy':{'groupStrategy':null}}",
     "{}"},
    {"nulls within structs",
     "{'prioritizerPolicy':{'mode':null,'configurations':null},'spreadPolicy':{'spreadConstraints':"
     "null},'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':null,'decisionGroups':"
     "null}}}",
     "{}"},
    {"a negative size of groups",
     "{'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':-1}}}", "{}"},
    {"a predicate",
     "{'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchLabels':{'z':'1'}},"
     "'claimSelector':{},'celSelector':{}}}]}",
     "{'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchLabels':{'z':'1'}}}}]}"},
    {"an empty predicate",
     "{'predicates':[{'requiredClusterSelector':{'labelSelector':{},'claimSelector':{"
     "'matchExpressions':null},'celSelector':{'celExpressions':null}}}]}",
     "{'predicates':[{}]}"},
    {"an expression",
     "{'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchLabels':null,"
     "'matchExpressions':[{'key':'z','operator':'Exists','values':null}]}}}]}",
     "{'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchExpressions':[{'key':'z',"
     "'operator':'Exists'}]}}}]}"},
    {"a built-in prioritizer",
     "{'prioritizerPolicy':{'configurations':[{'name':'','scoreCoordinate':{'type':'BuiltIn',"
     "'builtIn':'Steady','addOn':null},'weight':3}]}}",
     "{'prioritizerPolicy':{'configurations':[{'name':'Steady','weight':3}]}}"},
    {"a prioritizer of an add-on",
     "{'prioritizerPolicy':{'configurations':[{'scoreCoordinate':{'type':'AddOn','builtIn':'',"
     "'addOn':{'resourceName':'r','scoreName':'s'}},'weight':null}]}}",
     "{'prioritizerPolicy':{'configurations':[{'scoreCoordinate':{'type':'AddOn','addOn':{"
     "'resourceName':'r','scoreName':'s'}}}]}}"},
    {"a toleration",
     "{'tolerations':[{'key':'k','operator':'','value':'v','effect':'','tolerationSeconds':null}]}",
     "{'tolerations':[{'key':'k','value':'v'}]}"},
    {"a spread constraint",
     "{'spreadPolicy':{'spreadConstraints':[{'topologyKey':'z','topologyKeyType':'Label',"
     "'maxSkew':null,'whenUnsatisfiable':''}]}}",
     "{'spreadPolicy':{'spreadConstraints':[{'topologyKey':'z','topologyKeyType':'Label'}]}}"},
    {"a decision group",
     "{'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':0,'decisionGroups':[{"
     "'groupName':'g','groupClusterSelector':{'labelSelector':{'matchLabels':{'z':'1'}},"
     "'claimSelector':{}}}]}}}",
     "{'decisionStrategy':{'groupStrategy':{'decisionGroups':[{'groupName':'g',"
     "'groupClusterSelector':{'labelSelector':{'matchLabels':{'z':'1'}}}}]}}}"},
};

static json_t *report_of(const char *fleet, const char *meta, const char *spec, const char *status)
{
    char lines[8192];
    snprintf(lines, sizeof lines,
             "%sobject {'apiVersion':'" CL "v1beta1','kind':'Placement',%s,'namespace':'default',"
             "'annotations':{'" CL "experimental-scheduling-disable':'true',"
             "'sakkara.placement.scheduler':'sakkara'}},'spec':%s%s}\n",
             fleet, meta, spec, status);
    return placement_scene_report(lines);
}

static void expect_same(const char *title, const json_t *typed, const json_t *bare)
{
    if (!json_equal(typed, bare)) {
        char *a = json_dumps(typed, JSON_SORT_KEYS), *b = json_dumps(bare, JSON_SORT_KEYS);
        fail_msg("%s: %s, not %s", title, a, b);
    }
}

TEST_EACH(part, parts, fields_that_typed_clients_leave_empty_are_not_set)
{
    json_auto_t *typed = report_of(FLEET, META("p"), part->typed,
                                   ",'status':{'numberOfSelectedClusters':0,'decisionGroups':null,"
                                   "'conditions':null}");
    json_auto_t *bare = report_of(FLEET, "'metadata':{'name':'p'", part->bare, "");
    assert_true(json_is_true(json_object_get(bare, "valid")));
    expect_same(part->title, typed, bare);
}

/* The fleet of FLEET, as typed clients write it. */
TEST(objects_of_a_hub_that_typed_clients_write_are_those_of_people)
{
    static const char fleet[] =
        "object {'apiVersion':'" CL "v1','kind':'ManagedCluster','metadata':{'name':'a',"
        "'creationTimestamp':null,'annotations':null,'labels':{'z':'1'}},'spec':{"
        "'managedClusterClientConfigs':null,'hubAcceptsClient':false,'leaseDurationSeconds':0,"
        "'taints':null},'status':{'conditions':null,'capacity':{'cpu':'2'},'allocatable':{'cpu':"
        "'1'},'version':{},'clusterClaims':[{'name':'y','value':'1'}]}}\n"
        "object {'apiVersion':'" CL "v1','kind':'ManagedCluster'," META(
            "b") "},'spec':{'taints':[{"
                 "'key':'k','value':'v','effect':'NoSelect','timeAdded':null}]},'status':{'"
                 "conditions':null,"
                 "'capacity':null,'allocatable':null,'version':{},'clusterClaims':null}}\n"
                 "object {'apiVersion':'" CL
                 "v1','kind':'ManagedCluster','metadata':{'name':'c','labels':{"
                 "'z':'2'}},'spec':null,'status':null}\n"
                 "object {'apiVersion':'" CL "v1beta2','kind':'ManagedClusterSet'," META(
                     "s") "},'spec':{"
                          "'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{'"
                          "matchLabels':null,"
                          "'matchExpressions':null}}},'status':{'conditions':null}}\n"
                          "object {'apiVersion':'" CL "v1beta2','kind':'ManagedClusterSet'," META(
                              "t") "},'spec':{"
                                   "'clusterSelector':{'selectorType':'','labelSelector':null}},'"
                                   "status':{}}\n"
                                   "object {'apiVersion':'" CL
                                   "v1beta2','kind':'ManagedClusterSetBinding'," META(
                                       "s") ","
                                            "'namespace':'default'},'spec':{'clusterSet':'s'},'"
                                            "status':{'conditions':null}}\n"
                                            "object {'apiVersion':'" CL
                                            "v1beta1','kind':'PlacementDecision','metadata':{'name'"
                                            ":"
                                            "'p-decision-1','namespace':'default','"
                                            "creationTimestamp':null,'labels':{'" CL
                                            "placement':'p','" CL "decision-group-index':'0','" CL
                                            "decision-group-name':''}},"
                                            "'status':{'decisions':[{'clusterName':'a','reason':'',"
                                            "'score':null}]}}\n"
                                            "object {'apiVersion':'" CL
                                            "v1beta1','kind':'PlacementDecision','metadata':{'name'"
                                            ":"
                                            "'q-decision-1','namespace':'default','"
                                            "creationTimestamp':null,'labels':{'" CL
                                            "placement':'q'}},'status':{'decisions':null}}\n"
                                            "object {'apiVersion':'" CL
                                            "v1alpha1','kind':'AddOnPlacementScore'," META(
                                                "r") ","
                                                     "'namespace':'a'},'status':{'conditions':null,"
                                                     "'scores':null,'validUntil':null}}\n";
    json_auto_t *typed = report_of(fleet, META("p"), "{'tolerations':[{'operator':'Exists'}]}", "");
    json_auto_t *bare =
        report_of("cluster a z=1 claim:y=1 has:cpu=1/2\ncluster b "
                  "taint:k=v:NoSelect\ncluster c z=2\nset s {\"selectorType\":"
                  "\"LabelSelector\",\"labelSelector\":{}}\nbind s\ndecided p 1 a\n",
                  META("p"), "{'tolerations':[{'operator':'Exists'}]}", "");
    expect_same("the hub", typed, bare);
    assert_int_equal(json_array_size(json_object_get(typed, "decisions")), 3);
}
