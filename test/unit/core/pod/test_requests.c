/* SPDX-License-Identifier: Apache-2.0 */
/* What a pod asks for, counted as kube-scheduler counts it. */
#include "core/pod/requests.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"
#include "topology/object.h"

/* "cpu=100 memory=1 pods=1" */
static void assert_requests(const char *spec, const char *status, const char *want)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_quantities got;
    struct skr_error error = {.text = ""};
    SKR_STRBUF(b);
    json_t *spec_json = json_text_load(spec);
    json_t *status_json = status ? json_text_load(status) : NULL;
    int rc = skr_pod_requests_decode(arena, spec_json, status_json, &got, &error);
    json_decref(spec_json);
    json_decref(status_json);
    if (rc < 0) {
        fail_msg("%s: %s", spec, error.text);
    }
    for (size_t i = 0; i < got.n; i++) {
        skr_strbuf_addf(&b, "%s%s=%lld", i > 0 ? " " : "", got.item[i].name,
                        (long long)got.item[i].amount);
    }
    assert_string_equal(b.s, want);
}

#define ASK(cpu, memory)     "'resources':{'requests':{'cpu':'" cpu "','memory':'" memory "'}}"
#define APP(cpu, memory)     "{'name':'a'," ASK(cpu, memory) "}"
#define INIT(cpu, memory)    "{'name':'i'," ASK(cpu, memory) "}"
#define SIDECAR(cpu, memory) "{'name':'s','restartPolicy':'Always'," ASK(cpu, memory) "}"

TEST(containers_sidecars_init_containers_and_overhead_add_up)
{
    static const struct {
        const char *spec, *want;
    } row[] = {
        {"{}", "pods=1"},
        {"{'containers':[{}]}", "pods=1"},
        {"{'containers':[" APP("100m", "1Mi") "]}", "cpu=100 memory=1048576 pods=1"},
        {"{'containers':[" APP("100m", "1") "," APP("1", "2") "]}", "cpu=1100 memory=3 pods=1"},
        /* Init containers run one after another: the largest counts, if larger than the sum. */
        {"{'containers':[" APP("1", "10") "],'initContainers':[" INIT("2", "5") "]}",
         "cpu=2000 memory=10 pods=1"},
        {"{'containers':[" APP("1", "10") "],'initContainers':[" INIT("2", "5") "," INIT("3",
                                                                                         "20") "]}",
         "cpu=3000 memory=20 pods=1"},
        /* A sidecar runs beside the containers. */
        {"{'containers':[" APP("1", "10") "],'initContainers':[" SIDECAR("2", "5") "]}",
         "cpu=3000 memory=15 pods=1"},
        /* An init container runs beside the sidecars started before it, not those after it. */
        {"{'containers':[" APP("1", "1") "],'initContainers':[" SIDECAR("2", "1") "," INIT(
             "3", "1") "]}",
         "cpu=5000 memory=2 pods=1"},
        {"{'containers':[" APP("1", "1") "],'initContainers':[" INIT("4", "1") "," SIDECAR(
             "2", "1") "]}",
         "cpu=4000 memory=2 pods=1"},
        {"{'containers':[" APP("1", "1") "],'initContainers':[" SIDECAR("2", "1") "," INIT(
             "3", "1") "," SIDECAR("4", "1") "," INIT("1", "1") "]}",
         "cpu=7000 memory=3 pods=1"},
        {"{'initContainers':[" SIDECAR("2", "1") "," SIDECAR("3", "1") "," INIT("1", "1") "]}",
         "cpu=6000 memory=3 pods=1"},
        /* restartPolicy other than Always makes no sidecar. */
        {"{'initContainers':[{'restartPolicy':'Never'," ASK("1", "1") "}," INIT("1", "1") "]}",
         "cpu=1000 memory=1 pods=1"},
        /* Overhead comes on top of everything. */
        {"{'containers':[" APP("1", "10") "],'initContainers':[" INIT(
             "2", "5") "],'overhead':{'cpu':'250m','example.com/x':'1'}}",
         "cpu=2250 example.com/x=1 memory=10 pods=1"},
        /* Limits imply nothing here: the API server has defaulted the requests. */
        {"{'containers':[{'resources':{'limits':{'cpu':'4'}}}]}", "pods=1"},
        /* Extended resources; zero amounts ask for nothing. */
        {"{'containers':[{'resources':{'requests':{'nvidia.com/gpu':'2','cpu':'0','hugepages-2Mi':"
         "'4Mi','ephemeral-storage':'1k'}}}]}",
         "ephemeral-storage=1000 hugepages-2Mi=4194304 nvidia.com/gpu=2 pods=1"},
        /* Numbers, as they come out of YAML. */
        {"{'containers':[{'resources':{'requests':{'cpu':2,'memory':1000000}}}]}",
         "cpu=2000 memory=1000000 pods=1"},
        {"{'containers':[{'resources':{'requests':{'cpu':0.5}}}]}", "cpu=500 pods=1"},
        {"{'containers':[{'resources':{'requests':{'cpu':0.1}}}]}", "cpu=100 pods=1"},
        /* Nobody asks for more or less than one pod. */
        {"{'containers':[{'resources':{'requests':{'pods':'5'}}}]}", "pods=1"},
        /* Rounded up, each container for itself. */
        {"{'containers':[{'resources':{'requests':{'cpu':'1500u','memory':'100m'}}}]}",
         "cpu=2 memory=1 pods=1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_requests(row[i].spec, NULL, row[i].want);
    }
}

TEST(requests_of_the_pod_replace_those_of_its_containers)
{
    static const struct {
        const char *spec, *want;
    } row[] = {
        {"{'resources':{'requests':{'cpu':'3'}},'containers':[" APP("1", "10") "]}",
         "cpu=3000 memory=10 pods=1"},
        /* also when they are lower, and for init containers */
        {"{'resources':{'requests':{'cpu':'1','memory':'7'}},'containers':[" APP(
             "2", "10") "],'initContainers':[" INIT("9", "99") "]}",
         "cpu=1000 memory=7 pods=1"},
        {"{'resources':{'requests':{'hugepages-1Gi':'1Gi'}},'containers':[" APP("2", "10") "]}",
         "cpu=2000 hugepages-1Gi=1073741824 memory=10 pods=1"},
        /* other resources cannot be asked for by the pod */
        {"{'resources':{'requests':{'nvidia.com/gpu':'8'}},'containers':[" APP("2", "10") "]}",
         "cpu=2000 memory=10 pods=1"},
        /* overhead still comes on top, limits do not count */
        {"{'resources':{'requests':{'cpu':'3'},'limits':{'memory':'5'}},'overhead':{'cpu':'1'},"
         "'containers':[" APP("1", "10") "]}",
         "cpu=4000 memory=10 pods=1"},
        {"{'resources':{'requests':{}},'containers':[" APP("1", "10") "]}",
         "cpu=1000 memory=10 pods=1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_requests(row[i].spec, NULL, row[i].want);
    }
}

TEST(a_resize_in_place_counts_the_most_that_is_wanted_allocated_or_used)
{
#define STATUS(name, list, used, allocated)                                 \
    "'" list "':[{'name':'x'},{'name':'" name "','resources':{'requests':{" \
    "'cpu':'" used "'}},'allocatedResources':{'cpu':'" allocated "'}}]"
    static const char app[] = "{'containers':[{'name':'a','resources':{'requests':{'cpu':'2'}}}]}";
    static const char sidecar[] = "{'initContainers':[{'name':'s','restartPolicy':'Always',"
                                  "'resources':{'requests':{'cpu':'2'}}}]}";
    static const struct {
        const char *spec, *status, *want;
    } row[] = {
        {app, "{" STATUS("a", "containerStatuses", "3", "1") "}", "cpu=3000 pods=1"},
        {app, "{" STATUS("a", "containerStatuses", "1", "4") "}", "cpu=4000 pods=1"},
        {app, "{" STATUS("a", "containerStatuses", "1", "1") "}", "cpu=2000 pods=1"},
        {app, "{" STATUS("b", "containerStatuses", "9", "9") "}", "cpu=2000 pods=1"},
        {app, "{'containerStatuses':[{'name':'a'}]}", "cpu=2000 pods=1"},
        {app, "{'containerStatuses':[]}", "cpu=2000 pods=1"},
        {app,
         "{" STATUS("a", "containerStatuses", "1", "1") ",'conditions':[{'type':'PodResizePending',"
                                                        "'reason':'Infeasible'}]}",
         "cpu=1000 pods=1"},
        {app,
         "{" STATUS("a", "containerStatuses", "1", "1") ",'conditions':[{'type':'PodResizePending',"
                                                        "'reason':'Deferred'}]}",
         "cpu=2000 pods=1"},
        {sidecar, "{" STATUS("s", "initContainerStatuses", "3", "1") "}", "cpu=3000 pods=1"},
        /* an init container that ends cannot be resized */
        {"{'initContainers':[{'name':'s','resources':{'requests':{'cpu':'2'}}}]}",
         "{" STATUS("s", "initContainerStatuses", "3", "1") "}", "cpu=2000 pods=1"},
        /* the pod as a whole */
        {"{'resources':{'requests':{'cpu':'2'}}}",
         "{'resources':{'requests':{'cpu':'3'}},'allocatedResources':{'cpu':'1'}}",
         "cpu=3000 pods=1"},
        {"{'resources':{'requests':{'cpu':'2'}}}",
         "{'resources':{'requests':{'cpu':'1'}},'conditions':[{'type':'PodResizePending',"
         "'reason':'Infeasible'}]}",
         "cpu=1000 pods=1"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_requests(row[i].spec, row[i].status, row[i].want);
    }
}

TEST(a_sum_that_does_not_fit_is_the_largest_request_there_is)
{
    SKR_AUTO(skr_arena_destroy) struct skr_arena *arena = skr_arena_create(SKR_OBJECT_BYTES_MAX, 0);
    struct skr_quantities got;
    struct skr_error error;
    json_t *spec = json_text_load("{'containers':[{'resources':{'requests':{'x':'8E'}}},"
                                  "{'resources':{'requests':{'x':'8E'}}}]}");
    assert_int_equal(skr_pod_requests_decode(arena, spec, NULL, &got, &error), 0);
    assert_string_equal(got.item[1].name, "x");
    assert_true(got.item[1].amount == INT64_MAX);
    json_decref(spec);
    spec = json_text_load("{'containers':[{'resources':{'requests':{'cpu':'9223372036854775807'}}},"
                          "{'resources':{'requests':{'cpu':'1m'}}}]}");
    assert_int_equal(skr_pod_requests_decode(arena, spec, NULL, &got, &error), 0);
    assert_true(got.item[0].amount == INT64_MAX);
    json_decref(spec);
    spec = json_text_load("{'containers':[{'resources':{'requests':{'x':'-1'}}}]}");
    assert_int_equal(skr_pod_requests_decode(arena, spec, NULL, &got, &error), -SKR_INVALID);
    json_decref(spec);
}
