/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of Kueue's Workloads, AdmissionChecks and ResourceFlavors. */
#include "core/group/kueue.h"

#include "test/test.h"
#include "test/unit/json_text.h"

#define SPEC                                                                                     \
    "'spec':{'priority':7,'podSets':[{'name':'a','count':4,'template':{'spec':{'x':1}}},{'name'" \
    ":'b'}]}"

static struct skr_kueue_workload *read_workload(const char *text)
{
    json_auto_t *json = json_text_load(text);
    struct skr_kueue_workload *workload = NULL;
    struct skr_error error;
    assert_int_equal(skr_kueue_workload_decode(json, &workload, &error), 0);
    return workload;
}

TEST(a_workload_waits_between_its_quota_and_its_admission)
{
    static const struct {
        const char *conditions, *spec;
        bool waits, reserved;
    } cases[] = {
        {"", "", false, false},
        {"{'type':'QuotaReserved','status':'True'}", "", true, true},
        {"{'type':'QuotaReserved','status':'False'}", "", false, false},
        {"{'type':'QuotaReserved','status':'True'},{'type':'Admitted','status':'True'}", "", false,
         true},
        {"{'type':'QuotaReserved','status':'True'},{'type':'Admitted','status':'False'}", "", true,
         true},
        {"{'type':'QuotaReserved','status':'True'},{'type':'Evicted','status':'True'}", "", false,
         true},
        {"{'type':'QuotaReserved','status':'True'},{'type':'Finished','status':'True'}", "", false,
         false},
        {"{'type':'QuotaReserved','status':'True'}", "'active':false", false, true},
        {"{'type':'QuotaReserved','status':'True'}", "'active':true", true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "{'metadata':{'name':'w','namespace':'n'},'spec':{%s},'status':{'conditions':[%s]}}",
            cases[i].spec, cases[i].conditions);
        struct skr_kueue_workload *workload = read_workload(text);
        assert_int_equal(workload->waits, cases[i].waits);
        assert_int_equal(workload->reserved, cases[i].reserved);
        skr_kueue_workload_destroy(workload);
    }
}

TEST(a_workload_that_waits_has_its_pod_sets_as_they_are_assigned)
{
    struct skr_kueue_workload *w = read_workload(
        "{'metadata':{'name':'w','namespace':'n','ownerReferences':[{'kind':'X','name':'x'},"
        "{'kind':'JobSet','name':'js','controller':true}]}," SPEC ",'status':{"
        "'conditions':[{'type':'QuotaReserved','status':'True'}],"
        "'admissionChecks':[{'name':'p','state':'Retry','retryCount':3},{'name':'q','state':'?'}],"
        "'admission':{'podSetAssignments':[{'name':'b','count':2,'topologyAssignment':{},"
        "'flavors':{'cpu':'f','memory':'f','gpu':'g'}},{'name':'unknown','count':9}]}}}");
    assert_int_equal(w->n_pod_sets, 2);
    assert_int_equal(w->pod_set[0].count, 4);
    assert_string_equal(w->pod_set[0].template, "{\"spec\":{\"x\":1}}");
    assert_false(w->pod_set[0].placed);
    assert_int_equal(w->pod_set[1].count, 2);
    assert_true(w->pod_set[1].placed);
    assert_int_equal(w->pod_set[1].n_flavors, 2);
    assert_string_equal(w->pod_set[1].template, "{}");
    assert_string_equal(w->owner_kind, "JobSet");
    assert_string_equal(w->owner, "js");
    assert_int_equal(w->priority, 7);
    assert_int_equal(w->n_checks, 2);
    assert_int_equal(w->check[0].state, SKR_KUEUE_RETRY);
    assert_int_equal(w->check[0].retries, 3);
    assert_int_equal(w->check[1].state, SKR_KUEUE_PENDING);
    skr_kueue_workload_destroy(w);
}

TEST(a_workload_that_does_not_wait_has_no_templates)
{
    struct skr_kueue_workload *w = read_workload("{'metadata':{'name':'w'}," SPEC "}");
    assert_int_equal(w->n_pod_sets, 0);
    assert_string_equal(w->checks, "[]");
    assert_string_equal(w->owner, "");
    skr_kueue_workload_destroy(w);
}

#define META "{'metadata':{'name':'w','namespace':'n'},"

TEST(malformed_fields_are_an_error_with_their_path)
{
    static const struct {
        const char *text, *path;
    } cases[] = {
        {META "'status':{'conditions':17}}", "status.conditions"},
        {META "'status':{'admissionChecks':[{'name':17}]}}", "status.admissionChecks[0].name"},
        {META
         "'spec':{'podSets':[17]},'status':{'conditions':[{'type':'QuotaReserved','status':'True'}"
         "]}}",
         "spec.podSets[0]"},
        {META
         "'spec':{'podSets':[{'name':'a'}]},'status':{'conditions':[{'type':'QuotaReserved',"
         "'status':'True'}],'admission':{'podSetAssignments':[{'name':'a','flavors':{'cpu':1}}]}}}",
         "status.admission.podSetAssignments[0].flavors.cpu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_auto_t *json = json_text_load(cases[i].text);
        struct skr_kueue_workload *workload = NULL;
        struct skr_error error;
        assert_int_equal(skr_kueue_workload_decode(json, &workload, &error), -SKR_INVALID);
        assert_non_null(strstr(error.text, cases[i].path));
    }
}

TEST(more_flavors_than_a_pod_set_may_have_are_refused)
{
    json_auto_t *json = json_text_load(
        META "'spec':{'podSets':[{'name':'a'}]},'status':{'conditions':[{'type':'QuotaReserved',"
             "'status':'True'}],'admission':{'podSetAssignments':[{'name':'a','flavors':{}}]}}}");
    json_t *status = json_object_get(json, "status");
    json_t *sets = json_object_get(json_object_get(status, "admission"), "podSetAssignments");
    json_t *flavors = json_object_get(json_array_get(sets, 0), "flavors");
    struct skr_kueue_workload *workload = NULL;
    struct skr_error error;
    for (int i = 0; i <= SKR_KUEUE_FLAVORS_MAX; i++) {
        json_object_set_new(flavors, test_text("r%d", i), json_string("f"));
    }
    assert_int_equal(skr_kueue_workload_decode(json, &workload, &error), -SKR_LIMIT);
}

TEST(checks_and_flavors_are_read)
{
    json_auto_t *json = json_text_load(
        "{'metadata':{'name':'c'},'spec':{'controllerName':'sakkara/placement'},'status':{"
        "'conditions':[{'type':'Active','status':'True'}]}}");
    json_auto_t *of_flavor = json_text_load(
        "{'metadata':{'name':'f'},'spec':{'nodeLabels':{'a':'b'},'tolerations':[{'key':'k'}]}}");
    json_auto_t *empty = json_text_load("{'metadata':{'name':'e'}}");
    struct skr_admission_check *check = NULL;
    struct skr_kueue_flavor *flavor = NULL;
    struct skr_error error;
    assert_int_equal(skr_admission_check_decode(json, &check, &error), 0);
    assert_string_equal(check->controller, "sakkara/placement");
    assert_true(check->active);
    skr_admission_check_destroy(check);
    assert_int_equal(skr_kueue_flavor_decode(of_flavor, &flavor, &error), 0);
    assert_string_equal(flavor->labels, "{\"a\":\"b\"}");
    assert_string_equal(flavor->tolerations, "[{\"key\":\"k\"}]");
    skr_kueue_flavor_destroy(flavor);
    assert_int_equal(skr_kueue_flavor_decode(empty, &flavor, &error), 0);
    assert_string_equal(flavor->labels, "{}");
    assert_string_equal(flavor->tolerations, "[]");
    skr_kueue_flavor_destroy(flavor);
}
