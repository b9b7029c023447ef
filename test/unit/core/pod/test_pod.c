/* SPDX-License-Identifier: Apache-2.0 */
/* Pods from the API: what is read, what is refused and how it is named, copies with changes. */
#include "core/pod/pod.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

#define META "'metadata':{'namespace':'ns','name':'p','uid':'u'}"

static struct skr_pod *decode(const char *text)
{
    struct skr_pod *pod = NULL;
    struct skr_error error = {.code = SKR_OK};
    json_t *json = json_text_load(text);
    int rc = skr_pod_decode(json, &pod, &error);
    json_decref(json);
    if (rc != 0) {
        fail_msg("%s: %s", text, error.text);
    }
    return pod;
}

static const char full_pod[] =
    "{'metadata':{'namespace':'default','name':'job-a-0','uid':'u-0','resourceVersion':'42',"
    "'creationTimestamp':'2024-10-25T12:00:00Z',"
    "'labels':{'sakkara.group.name':'group-a','app':'x','batch.kubernetes.io/job-name':'job-a',"
    "'scheduling.x-k8s.io/pod-group':'pg'},"
    "'annotations':{'sakkara.plan':'{}','other':'y'},"
    "'ownerReferences':[{'uid':'o-1'},{'uid':'o-2','controller':true}]},"
    "'spec':{'schedulerName':'sakkara','nodeName':'node-0','priority':7,"
    "'schedulingGates':[{'name':'sakkara.gang'}],"
    "'containers':[{'name':'c','resources':{'requests':{'cpu':'100m','memory':'1Ki'}}}]},"
    "'status':{'phase':'Running','nominatedNodeName':'node-1','reason':'OutOfcpu',"
    "'conditions':[{'type':'Ready','status':'True'},"
    "{'type':'PodScheduled','status':'False','reason':'Unschedulable','message':'0/3 nodes'}]}}";

static void assert_full_pod(const struct skr_pod *pod)
{
    assert_string_equal(pod->meta.namespace_, "default");
    assert_string_equal(pod->meta.name, "job-a-0");
    assert_string_equal(pod->meta.uid, "u-0");
    assert_int_equal(pod->meta.created, INT64_C(1729857600) * SKR_SECOND);
    assert_string_equal(skr_labels_get(&pod->meta.labels, SKR_LABEL_GROUP), "group-a");
    assert_string_equal(skr_labels_get(&pod->meta.labels, SKR_LABEL_POD_GROUP), "pg");
    assert_string_equal(skr_labels_get(&pod->meta.labels, "app"), "x");
    assert_null(skr_labels_get(&pod->meta.annotations, "other"));
    assert_string_equal(pod->scheduler_name, "sakkara");
    assert_int_equal(pod->phase, SKR_POD_RUNNING);
    assert_true(pod->has_priority);
    assert_int_equal(pod->priority, 7);
    assert_false(pod->foreign_gate);
    assert_string_equal(pod->controller_uid, "o-2");
    assert_string_equal(pod->scheduled_reason, "Unschedulable");
    assert_string_equal(pod->scheduled_message, "0/3 nodes");
    assert_string_equal(pod->failed_reason, "OutOfcpu");
    assert_int_equal(pod->shape->requests.n, 3);
}

TEST(everything_the_engine_needs_is_read)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(full_pod);
    assert_full_pod(pod);
    assert_int_equal(pod->meta.resource_version, 42);
    assert_int_equal(pod->meta.labels.n, 4);
    assert_int_equal(pod->meta.annotations.n, 1);
    assert_string_equal(pod->node_name, "node-0");
    assert_string_equal(pod->nominated_node, "node-1");
    assert_true(pod->gate);
    skr_pod_destroy(NULL);
}

TEST(absent_fields_have_the_defaults_of_the_api)
{
    static const char *const text[] = {
        "{" META "}",
        "{" META ",'spec':null,'status':null}",
        "{" META ",'spec':{},'status':{}}",
        "{" META ",'spec':{'priority':null,'schedulingGates':null,'containers':null,"
        "'affinity':null,'tolerations':null,'nodeSelector':null,'volumes':null},"
        "'status':{'conditions':null,'phase':null}}",
    };
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text[i]);
        assert_string_equal(pod->scheduler_name, "");
        assert_string_equal(pod->node_name, "");
        assert_string_equal(pod->nominated_node, "");
        assert_string_equal(pod->controller_uid, "");
        assert_string_equal(pod->scheduled_reason, "");
        assert_string_equal(pod->scheduled_message, "");
        assert_string_equal(pod->failed_reason, "");
        assert_int_equal(pod->phase, SKR_POD_PENDING);
        assert_false(pod->gate);
        assert_false(pod->foreign_gate);
        assert_true(skr_pod_is_live(pod));
        assert_string_equal(pod->shape->key, "{\"requests\":{\"pods\":1}}");
    }
}

TEST(d24_a_pod_without_priority_has_priority_0)
{
    struct skr_pod *pod = decode("{" META ",'spec':{'containers':[]}}");
    assert_false(pod->has_priority);
    assert_int_equal(pod->priority, 0);
    skr_pod_destroy(pod);
    pod = decode("{" META ",'spec':{'priority':-5}}");
    assert_true(pod->has_priority);
    assert_int_equal(pod->priority, -5);
    skr_pod_destroy(pod);
}

TEST(a_grace_period_is_30_s_by_default_and_at_most_what_fits)
{
    static const struct {
        const char *text;
        int32_t seconds;
    } row[] = {
        {"null", 30}, {"0", 0}, {"90", 90}, {"9223372036854775807", INT32_MAX}, {"-1", 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text, "{" META ",'spec':{'terminationGracePeriodSeconds':%s}}",
                        row[i].text);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text.s);
        assert_int_equal(pod->grace_s, row[i].seconds);
    }
}

TEST(a_deadline_and_a_start_are_read_where_there_are_any)
{
    static const struct {
        const char *seconds, *start;
        int32_t deadline_s;
        skr_time started;
    } row[] = {
        {"null", "null", 0, 0},
        {"600", "'1970-01-01T00:00:07Z'", 600, 7 * SKR_SECOND},
        {"-1", "'yesterday'", 0, 0},
        {"9223372036854775807", "7", INT32_MAX, 0},
        {"'1'", "'1970-01-01T00:00:07.000000000000000000000000000000000000001Z'", 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_STRBUF(text);
        skr_strbuf_addf(&text,
                        "{" META ",'spec':{'activeDeadlineSeconds':%s},'status':{'startTime':%s}}",
                        row[i].seconds, row[i].start);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text.s);
        assert_int_equal(pod->deadline_s, row[i].deadline_s);
        assert_int_equal(pod->started, row[i].started);
    }
}

TEST(gates_of_others_are_told_from_ours)
{
    static const struct {
        const char *gates;
        bool ours, foreign;
    } row[] = {
        {"[]", false, false},
        {"[{'name':'sakkara.gang'}]", true, false},
        {"[{'name':'kueue'}]", false, true},
        {"[{'name':'kueue'},{'name':'sakkara.gang'}]", true, true},
        {"[{'name':'sakkara.gang2'}]", false, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "{" META ",'spec':{'schedulingGates':%s}}", row[i].gates);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text);
        assert_int_equal(pod->gate, row[i].ours);
        assert_int_equal(pod->foreign_gate, row[i].foreign);
    }
}

/* "v:data t:gpus" of its claims. */
static void say_claims(const struct skr_pod *pod, char *buffer, size_t size)
{
    static const char letter[] = "vdt";
    size_t at = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < pod->n_claims && at < size; i++) {
        at += (size_t)snprintf(buffer + at, size - at, "%s%c:%s", i ? " " : "",
                               letter[pod->claim[i].kind], pod->claim[i].name);
    }
}

TEST(a_pod_names_its_claims_and_once_it_is_bound_those_of_volumes)
{
    static const struct {
        const char *spec, *status, *claims;
    } row[] = {
        {"'volumes':[{'persistentVolumeClaim':{'claimName':'data'}},{'emptyDir':{}}]", "",
         "v:data"},
        {"'volumes':[{'ephemeral':{}}]", "", ""},
        {"'volumes':[{'name':'tmp','ephemeral':{}}]", "", "v:p-tmp"},
        {"'volumes':[{'persistentVolumeClaim':{'claimName':7}}]", "", ""},
        {"'resourceClaims':[{'name':'a','resourceClaimName':'shared'},"
         "{'name':'b','resourceClaimTemplateName':'gpus'},{'name':'c'}]",
         "", "d:shared t:gpus"},
        {"'resourceClaims':[{'name':'b','resourceClaimTemplateName':'gpus'}]",
         "'resourceClaimStatuses':[{'name':'a'}]", "t:gpus"},
        {"'resourceClaims':[{'name':'b','resourceClaimTemplateName':'gpus'}]",
         "'resourceClaimStatuses':[{'name':'b','resourceClaimName':'p-b-x7d'}]", "d:p-b-x7d"},
        {"'nodeName':'n','volumes':[{'persistentVolumeClaim':{'claimName':'data'}}],"
         "'resourceClaims':[{'name':'a','resourceClaimName':'shared'}]",
         "", "v:data"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[512], claims[128];
        snprintf(text, sizeof text, "{" META ",'spec':{%s},'status':{%s}}", row[i].spec,
                 row[i].status);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text);
        say_claims(pod, claims, sizeof claims);
        assert_string_equal(claims, row[i].claims);
        SKR_AUTO(skr_pod_destroy)
        struct skr_pod *copy = skr_pod_overlay(pod, &(struct skr_pod_overlay){.drop_gate = true});
        say_claims(copy, claims, sizeof claims);
        assert_string_equal(claims, row[i].claims);
    }
}

TEST(of_more_claims_than_the_limit_the_first_are_kept)
{
    SKR_STRBUF(text);
    skr_strbuf_add(&text, "{" META ",'spec':{'volumes':[");
    for (int i = 0; i < 2 * SKR_POD_CLAIMS_MAX; i++) {
        skr_strbuf_addf(&text, "%s{'persistentVolumeClaim':{'claimName':'c-%d'}}", i ? "," : "", i);
    }
    skr_strbuf_add(&text, "],'resourceClaims':[{'name':'g','resourceClaimTemplateName':'t'}]},"
                          "'status':{'resourceClaimStatuses':"
                          "[{'name':'g','resourceClaimName':'made'}]}}");
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text.s);
    assert_int_equal(pod->n_claims, SKR_POD_CLAIMS_MAX);
    assert_string_equal(pod->claim[SKR_POD_CLAIMS_MAX - 1].name, "c-63");
}

TEST(terminating_and_finished_pods_are_not_live)
{
    static const struct {
        const char *phase;
        enum skr_pod_phase is;
        bool live;
    } row[] = {
        {"Pending", SKR_POD_PENDING, true},      {"Running", SKR_POD_RUNNING, true},
        {"Succeeded", SKR_POD_SUCCEEDED, false}, {"Failed", SKR_POD_FAILED, false},
        {"Unknown", SKR_POD_UNKNOWN, true},      {"Strange", SKR_POD_UNKNOWN, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{" META ",'status':{'phase':'%s'}}", row[i].phase);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text);
        assert_int_equal(pod->phase, row[i].is);
        assert_int_equal(skr_pod_is_live(pod), row[i].live);
    }
    struct skr_pod *pod =
        decode("{'metadata':{'name':'p','deletionTimestamp':'2024-10-25T12:00:00Z'}}");
    assert_false(skr_pod_is_live(pod));
    skr_pod_destroy(pod);
}

TEST(a_scheduled_condition_that_is_true_explains_nothing)
{
    struct skr_pod *pod = decode("{" META ",'status':{'conditions':[{'type':'PodScheduled',"
                                 "'status':'True','reason':'r','message':'m'}]}}");
    assert_string_equal(pod->scheduled_reason, "");
    assert_string_equal(pod->scheduled_message, "");
    skr_pod_destroy(pod);
}

TEST(a_long_message_is_cut_between_characters)
{
    SKR_STRBUF(b);
    skr_strbuf_add(&b, "{" META ",'status':{'conditions':[{'type':'PodScheduled',"
                       "'status':'False','message':'a");
    for (size_t i = 0; i < SKR_POD_MESSAGE_MAX; i++) {
        skr_strbuf_add(&b, "\xC3\xA9");
    }
    skr_strbuf_add(&b, "'}]}}");
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(b.s);
    assert_int_equal(strlen(pod->scheduled_message), SKR_POD_MESSAGE_MAX - 1);
    assert_memory_equal(pod->scheduled_message + SKR_POD_MESSAGE_MAX - 3, "\xC3\xA9", 3);
}

TEST(wrong_types_are_refused_with_the_path_of_the_field)
{
#define AFFINITY "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':"
    static const struct {
        const char *json, *text;
    } row[] = {
        {"7", "pod: must be an object, got a number"},
        {"{" META ",'spec':[]}", "spec: must be an object, got an array"},
        {"{" META ",'status':''}", "status: must be an object, got a string"},
        {"{" META ",'spec':{'nodeName':1}}", "spec.nodeName: must be a string, got a number"},
        {"{" META ",'spec':{'schedulerName':{}}}",
         "spec.schedulerName: must be a string, got an object"},
        {"{" META ",'spec':{'priority':'1'}}", "spec.priority: must be an integer, got a string"},
        {"{" META ",'spec':{'priority':1.5}}", "spec.priority: must be an integer, got a number"},
        {"{" META ",'spec':{'priority':3000000000}}",
         "spec.priority: 3000000000 does not fit into 32 bits"},
        {"{" META ",'spec':{'schedulingGates':[{'name':'a'},'b']}}",
         "spec.schedulingGates[1]: must be an object, got a string"},
        {"{" META ",'spec':{'schedulingGates':[{'name':true}]}}",
         "spec.schedulingGates[0].name: must be a string, got a boolean"},
        {"{" META ",'spec':{'containers':{}}}", "spec.containers: must be an array, got an object"},
        {"{" META ",'spec':{'containers':[null]}}",
         "spec.containers[0]: must be an object, got null"},
        {"{" META ",'spec':{'containers':[{},{'resources':[]}]}}",
         "spec.containers[1].resources: must be an object, got an array"},
        {"{" META ",'spec':{'containers':[{'resources':{'requests':1}}]}}",
         "spec.containers[0].resources.requests: must be an object, got a number"},
        {"{" META ",'spec':{'containers':[{'resources':{'requests':{'cpu':[]}}}]}}",
         "spec.containers[0].resources.requests.cpu: must be a quantity, got an array"},
        {"{" META ",'spec':{'initContainers':[{'restartPolicy':1}]}}",
         "spec.initContainers[0].restartPolicy: must be a string, got a number"},
        {"{" META ",'spec':{'overhead':'x'}}", "spec.overhead: must be an object, got a string"},
        {"{" META ",'spec':{'resources':{'requests':[]}}}",
         "spec.resources.requests: must be an object, got an array"},
        {"{" META ",'spec':{'nodeSelector':[]}}",
         "spec.nodeSelector: must be an object, got an array"},
        {"{" META ",'spec':{'nodeSelector':{'a':1}}}",
         "spec.nodeSelector.a: must be a string, got a number"},
        {"{" META ",'spec':{" AFFINITY "[]}}}}",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution: must be an "
         "object, got an array"},
        {"{" META ",'spec':{" AFFINITY "{'nodeSelectorTerms':[{'matchExpressions':[{'key':'a',"
         "'operator':'In','values':['x',2]}]}]}}}}}",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
         "nodeSelectorTerms[0].matchExpressions[0].values[1]: must be a string, got a number"},
        {"{" META ",'spec':{'tolerations':['x']}}",
         "spec.tolerations[0]: must be an object, got a string"},
        {"{" META ",'spec':{'tolerations':[{'effect':1}]}}",
         "spec.tolerations[0].effect: must be a string, got a number"},
        {"{" META ",'spec':{'volumes':[{'persistentVolumeClaim':'x'}]}}",
         "spec.volumes[0].persistentVolumeClaim: must be an object, got a string"},
        {"{" META ",'spec':{'resourceClaims':{}}}",
         "spec.resourceClaims: must be an array, got an object"},
        {"{" META ",'status':{'conditions':[1]}}",
         "status.conditions[0]: must be an object, got a number"},
        {"{'metadata':{'name':'p','ownerReferences':[{'controller':'yes'}]}}",
         "metadata.ownerReferences[0].controller: must be a boolean, got a string"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_pod *pod = NULL;
        struct skr_error error;
        json_auto_t *json = json_text_load(row[i].json);
        assert_int_equal(skr_pod_decode(json, &pod, &error), -SKR_INVALID);
        assert_string_equal(error.text, row[i].text);
        assert_int_equal(skr_pod_decode(json, &pod, NULL), -SKR_INVALID);
        assert_null(pod);
    }
}

TEST(bad_quantities_are_refused_with_the_path_of_the_field)
{
    struct skr_pod *pod = NULL;
    struct skr_error error;
    json_auto_t *json = json_text_load(
        "{" META ",'spec':{'containers':[{'resources':{'requests':{'cpu':'1x'}}}]}}");
    assert_int_equal(skr_pod_decode(json, &pod, &error), -SKR_INVALID);
    assert_ptr_equal(strstr(error.text, "spec.containers[0].resources.requests.cpu: "), error.text);
}

/* A pod whose spec has a list with n equal entries. */
static int decode_repeated(const char *before, const char *entry, size_t n, const char *after,
                           struct skr_error *error)
{
    SKR_STRBUF(b);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = NULL;
    skr_strbuf_add(&b, before);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_add(&b, i > 0 ? "," : "");
        skr_strbuf_add(&b, entry);
        if (entry[0] == '\'') {
            skr_strbuf_addf(&b, "%zu':'1'", i);
        }
    }
    skr_strbuf_add(&b, after);
    json_auto_t *json = json_text_load(b.s);
    return skr_pod_decode(json, &pod, error);
}

TEST(every_list_has_a_limit_with_a_message)
{
#define TERMS AFFINITY "{'nodeSelectorTerms':["
    static const struct {
        const char *before, *entry;
        size_t limit;
        const char *after, *text;
    } row[] = {
        {"{" META ",'spec':{'containers':[", "{}", SKR_POD_CONTAINERS_MAX, "]}}",
         "spec.containers: 1025 entries, at most 1024 are supported"},
        {"{" META ",'spec':{'initContainers':[", "{}", SKR_POD_CONTAINERS_MAX, "]}}",
         "spec.initContainers: 1025 entries, at most 1024 are supported"},
        {"{" META ",'spec':{'schedulingGates':[", "{}", SKR_POD_LISTS_MAX, "]}}",
         "spec.schedulingGates: 4097 entries, at most 4096 are supported"},
        {"{" META ",'spec':{'tolerations':[", "{}", SKR_POD_TOLERATIONS_MAX, "]}}",
         "spec.tolerations: 1025 entries, at most 1024 are supported"},
        {"{" META ",'spec':{'volumes':[", "{}", SKR_POD_VOLUMES_MAX, "]}}",
         "spec.volumes: 16385 entries, at most 16384 are supported"},
        {"{" META ",'status':{'conditions':[", "{}", SKR_POD_LISTS_MAX, "]}}",
         "status.conditions: 4097 entries, at most 4096 are supported"},
        {"{" META ",'spec':{'nodeSelector':{", "'k", SKR_POD_SELECTOR_MAX, "}}}",
         "spec.nodeSelector: 1025 entries, at most 1024 are supported"},
        {"{" META ",'spec':{'containers':[{'resources':{'requests':{", "'r",
         SKR_POD_RESOURCES_MAX - 1, "}}}]}}", "spec: more than 256 distinct resources"},
        {"{" META ",'spec':{" TERMS, "{}", SKR_POD_TERMS_MAX, "]}}}}}",
         "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
         "nodeSelectorTerms: 257 entries, at most 256 are supported"},
        {"{" META ",'spec':{" TERMS "{'matchExpressions':[{}]},{'matchFields':[", "{}",
         SKR_POD_REQUIREMENTS_MAX - 1, "]}]}}}}}",
         "spec.affinity: more than 1024 requirements in required node affinity"},
        {"{" META ",'spec':{" TERMS "{'matchExpressions':[{'values':['a']},{'values':[", "''",
         SKR_POD_VALUES_MAX - 1, "]}]}]}}}}}",
         "spec.affinity: more than 16384 values in required node affinity"},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_error error = {.text = ""};
        const char *entry = strcmp(row[i].entry, "''") == 0 ? "\"\"" : row[i].entry;
        assert_int_equal(decode_repeated(row[i].before, entry, row[i].limit, row[i].after, &error),
                         0);
        assert_int_equal(
            decode_repeated(row[i].before, entry, row[i].limit + 1, row[i].after, &error),
            -SKR_LIMIT);
        assert_string_equal(error.text, row[i].text);
    }
}

TEST(a_pod_larger_than_its_arena_is_refused)
{
    static const struct {
        const char *before, *after;
    } row[] = {
        {"{'metadata':{'name':'p','labels':{'sakkara.x':'", "'}}}"},
        {"{" META ",'spec':{'schedulerName':'", "'}}"},
        {"{" META ",'spec':{'nodeSelector':{'a':'", "'}}}"},
        {"{" META ",'spec':{'tolerations':[{'key':'", "'}]}}"},
        {"{" META ",'spec':{'containers':[{'resources':{'requests':{'", "':'1'}}}]}}"},
        {"{" META ",'spec':{" TERMS "{'matchExpressions':[{'key':'", "'}]}]}}}}}"},
        {"{" META ",'spec':{" TERMS "{'matchExpressions':[{'values':['", "']}]}]}}}}}"},
        {"{" META ",'status':{'reason':'", "'}}"},
    };
    SKR_AUTO_FREE char *large = calloc(1, SKR_OBJECT_BYTES_MAX + 2);
    memset(large, 'x', SKR_OBJECT_BYTES_MAX + 1);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct skr_error error = {.text = ""};
        if (decode_repeated(row[i].before, large, 1, row[i].after, &error) != -SKR_LIMIT) {
            fail_msg("%s: %s", row[i].before, error.text);
        }
    }
}

TEST(an_overlay_without_changes_is_an_equal_pod)
{
    struct skr_pod *pod = decode(full_pod);
    struct skr_pod_overlay none = {.resource_version = 0};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(pod, &none);
    SKR_AUTO_FREE char *key = strdup(pod->shape->key);
    skr_pod_destroy(pod); /* the copy borrows nothing */
    assert_full_pod(copy);
    assert_int_equal(copy->meta.resource_version, 42);
    assert_string_equal(copy->node_name, "node-0");
    assert_string_equal(copy->nominated_node, "node-1");
    assert_true(copy->gate);
    assert_string_equal(copy->shape->key, key);
}

TEST(an_overlay_changes_what_it_names)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(full_pod);
    const struct skr_label labels[] = {
        {SKR_LABEL_STATUS, "Assigned"}, {SKR_LABEL_RANK, "3"}, {SKR_LABEL_POD_GROUP, ""}};
    struct skr_pod_overlay overlay = {
        .resource_version = 43,
        .node_name = "node-9",
        .nominated_node = "",
        .drop_gate = true,
        .n_labels = 3,
        .label = labels,
        .plan_annotation = "{\"id\":1}",
    };
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(pod, &overlay);
    assert_int_equal(copy->meta.resource_version, 43);
    assert_string_equal(copy->node_name, "node-9");
    assert_string_equal(copy->nominated_node, "");
    assert_false(copy->gate);
    assert_int_equal(copy->meta.labels.n, 5);
    assert_string_equal(skr_labels_get(&copy->meta.labels, SKR_LABEL_STATUS), "Assigned");
    assert_string_equal(skr_labels_get(&copy->meta.labels, SKR_LABEL_RANK), "3");
    assert_string_equal(skr_labels_get(&copy->meta.labels, SKR_LABEL_GROUP), "group-a");
    assert_null(skr_labels_get(&copy->meta.labels, SKR_LABEL_POD_GROUP));
    assert_string_equal(skr_labels_get(&copy->meta.annotations, SKR_ANNOTATION_PLAN), "{\"id\":1}");
    /* The original stays as it was. */
    assert_int_equal(pod->meta.labels.n, 4);
    assert_string_equal(pod->node_name, "node-0");

    const struct skr_label changed[] = {{SKR_LABEL_RANK, "4"}, {"sakkara.absent", ""}};
    struct skr_pod_overlay second = {.n_labels = 2, .label = changed, .plan_annotation = ""};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *again = skr_pod_overlay(copy, &second);
    assert_int_equal(again->meta.labels.n, 5);
    assert_string_equal(skr_labels_get(&again->meta.labels, SKR_LABEL_RANK), "4");
    assert_int_equal(again->meta.annotations.n, 0);
}

/* Texts that are no time are none: the pod counts all the same. */
TEST(a_pod_of_a_podgroup_says_when_it_was_bound)
{
    static const struct {
        const char *group, *node, *since;
        bool known;
    } table[] = {
        {"pg", "node-0", "'2024-10-25T12:00:00Z'", true},
        {"pg", "", "'2024-10-25T12:00:00Z'", false},
        {"", "node-0", "'2024-10-25T12:00:00Z'", false},
        {"pg", "node-0", "'soon'", false},
        {"pg", "node-0", "7", false},
        {"pg", "node-0", "null", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{" META ",'spec':{'nodeName':'%s','schedulingGroup':{'podGroupName':'%s'},"
                 "'containers':[]},'status':{'conditions':[{'type':'PodScheduled',"
                 "'status':'True','lastTransitionTime':%s}]}}",
                 table[i].node, table[i].group, table[i].since);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode(text);
        assert_int_equal(pod->bound_at != 0, table[i].known);
    }
}
