/* SPDX-License-Identifier: Apache-2.0 */
/* Pages about groups from what the user of one namespace may read. */
#include "server/client/own_namespace.h"

#include <jansson.h>

#include "test/test.h"

#define NOW (1700000100 * SKR_SECOND)

static const char sources[] =
    "{'items':[{'kind':'ConfigMap','metadata':{'name':'m','labels':{'sakkara.group':''},"
    "'creationTimestamp':'2023-11-14T22:13:20Z'},'data':{'name':'g','size':'3','priority':'7',"
    "'constraints':'{\\'rack\\':{\\'hard\\':true}}','status':'Ready','reason':'NeverFits',"
    "'message':'group g needs 3 slots, an empty cluster has 2','ways':'the size is 2, not "
    "3\\nmore',"
    "'conditions':'[{\\'type\\':\\'Placed\\',\\'lastTransitionTime\\':\\'2023-11-14T22:14:20Z\\'}]'"
    "}},"
    "{'kind':'ConfigMap','metadata':{'name':'b','labels':{'sakkara.group':''}},"
    "'data':{'name':'b','size':'1','status':'Bound',"
    "'placement':'{\\'root\\':{\\'rack-0\\':{\\'node-0\\':{\\'b-0\\':{}}}}}'}},"
    "{'kind':'ConfigMap','metadata':{'name':'plain'},'data':{'name':'plain'}},"
    "{'kind':'PodGroup','metadata':{'name':'pg','annotations':{'sakkara.status':'Bound'}},"
    "'spec':{'minMember':2}},"
    "{'kind':'ConfigMap','metadata':{'name':'sakkara-train-1','labels':{'sakkara.group.derived':''}"
    "},'data':{'name':'jobset/train/w','owner':'JobSet/"
    "train','status':'Ready','reason':'NeverFits',"
    "'message':'group jobset/train/w needs 4 slots','conditions':'[{\\'type\\':\\'Complete\\',"
    "\\'message\\':\\'4 of 4 members\\'}]'}},"
    "{'kind':'PodGroup','apiVersion':'scheduling.k8s.io/v1alpha2','metadata':{'name':'native',"
    "'annotations':{'sakkara.status':'Waiting'}},'spec':{'schedulingPolicy':{'gang':{'minCount':5}}"
    "}},"
    "{'kind':'PodGroup','apiVersion':'scheduling.k8s.io/v1alpha2','metadata':{'name':'basic'},"
    "'spec':{'schedulingPolicy':{'basic':{}}}}]}";
static const char pods[] =
    "{'items':[{'metadata':{'name':'g-0','labels':{'sakkara.group.name':'g'}},'spec':{}},"
    "{'metadata':{'name':'b-0','labels':{'sakkara.group.name':'b','sakkara.member.rank':'0'}},"
    "'spec':{'nodeName':'node-0'},'status':{'phase':'Running'}},"
    "{'metadata':{'name':'x','labels':{'scheduling.x-k8s.io/pod-group':'pg'}},"
    "'spec':{'nodeName':'node-1'},'status':{'phase':'Succeeded'}},"
    "{'metadata':{'name':'train-w-0-0','labels':{'jobset.sigs.k8s.io/jobset-name':'train',"
    "'jobset.sigs.k8s.io/replicatedjob-name':'w','jobset.sigs.k8s.io/job-index':'0'}},'spec':{}},"
    "{'metadata':{'name':'train-d-0-0','labels':{'jobset.sigs.k8s.io/jobset-name':'train',"
    "'jobset.sigs.k8s.io/replicatedjob-name':'d','jobset.sigs.k8s.io/job-index':'0'}},'spec':{}},"
    "{'metadata':{'name':'n-0'},'spec':{'schedulingGroup':{'podGroupName':'native'}}},"
    "{'metadata':{'name':'other'},'spec':{}}]}";
static const char events[] =
    "{'items':[{'involvedObject':{'kind':'ConfigMap','name':'m'},'type':'Warning','reason':'R',"
    "'message':'said','eventTime':'2023-11-14T22:14:00Z'},"
    "{'involvedObject':{'kind':'JobSet','name':'train'},'type':'Warning','reason':'GroupUnplaced',"
    "'message':'no','eventTime':'2023-11-14T22:14:00Z'},"
    "{'involvedObject':{'kind':'Pod','name':'m'},'reason':'Other'}]}";

/* JSON with ' for " and \' for an escaped one. */
static json_t *load(const char *text)
{
    SKR_STRBUF(b);
    for (const char *c = text; *c; c++) {
        if (*c == '\\' && c[1] == '\'') {
            skr_strbuf_add(&b, "\\\"");
            c++;
        } else if (*c == '\n') {
            skr_strbuf_add(&b, "\\n");
        } else {
            skr_strbuf_addc(&b, *c == '\'' ? '"' : *c);
        }
    }
    json_t *json = json_loads(b.s, 0, NULL);
    assert_non_null(json);
    return json;
}

/* NULL: not found. */
static json_t *page(const char *path, const char *namespace_)
{
    const struct skr_view_query query = {.path = path,
                                         .argument = {[SKR_VIEW_NAMESPACE] = namespace_}};
    json_auto_t *s = load(sources), *p = load(pods), *e = load(events);
    struct skr_error error;
    SKR_STRBUF(out);
    assert_true(skr_own_namespace_serves(&query));
    const int rc = skr_own_namespace_page(&query, s, p, e, NOW, &out, &error);
    assert_true(rc == 0 || rc == -SKR_NOT_FOUND);
    return rc == 0 ? json_loads(out.s, 0, NULL) : NULL;
}

static void same(json_t *page_, const char *key, const char *expected)
{
    json_auto_t *want = load(expected);
    if (!json_equal(json_object_get(page_, key), want)) {
        SKR_AUTO_FREE char *text = json_dumps(json_object_get(page_, key), JSON_ENCODE_ANY);
        fail_msg("%s is %s, not %s", key, text ? text : "absent", expected);
    }
}

TEST(an_explanation_has_the_daemons_sentence_and_what_would_help)
{
    json_auto_t *x = page("/v1/explain/team/g", NULL);
    assert_string_equal(json_string_value(json_object_get(x, "kind")), "Explanation");
    assert_string_equal(json_string_value(json_object_get(x, "sentence")),
                        "group g needs 3 slots, an empty cluster has 2");
    assert_true(json_is_false(json_object_get(x, "placed")));
    assert_int_equal(json_integer_value(json_object_get(x, "forSeconds")), 40);
    same(x, "relaxations",
         "[{'text':'the size is 2, not 3','changes':[]},{'text':'more','changes':[]}]");
    same(x, "need", "{'members':3}");
    same(x, "have", "{'members':1}");
}

TEST(a_group_is_found_by_its_name_and_by_that_of_its_map)
{
    json_auto_t *by_name = page("/v1/groups/team/g", NULL),
                *by_map = page("/v1/groups/team/m", NULL);
    assert_true(json_equal(by_name, by_map));
    same(by_name, "pods", "{'present':1,'bound':0,'succeeded':0}");
    same(by_name, "constraints",
         "[{'level':'rack','type':'pack','hard':true,'partitions':0,'min':0,'max':0,'factor':0,"
         "'known':true}]");
    same(by_name, "events",
         "[{'time':'2023-11-14T22:14:00Z','type':'Warning','reason':'R',"
         "'message':'said'}]");
    assert_null(page("/v1/groups/team/plain", NULL));
    assert_null(page("/v1/explain/team/absent", NULL));
}

TEST(the_group_of_a_workload_is_found_by_its_name_and_by_that_of_a_member)
{
    json_auto_t *by_name = page("/v1/explain/team/jobset/train/w", NULL),
                *by_pod = page("/v1/explain/team/pod/train-w-0-0", NULL),
                *group = page("/v1/groups/team/jobset/train/w", NULL);
    assert_true(json_equal(by_name, by_pod));
    assert_string_equal(json_string_value(json_object_get(by_name, "sentence")),
                        "group jobset/train/w needs 4 slots");
    same(by_name, "need", "{'members':4}");
    same(by_name, "have", "{'members':1}");
    assert_string_equal(json_string_value(json_object_get(group, "owner")), "JobSet/train");
    same(group, "events",
         "[{'time':'2023-11-14T22:14:00Z','type':'Warning','reason':'GroupUnplaced',"
         "'message':'no'}]");
    assert_null(page("/v1/explain/team/pod/train-d-0-0", NULL));
    assert_null(page("/v1/explain/team/pod/absent", NULL));
}

TEST(pod_groups_of_kubernetes_are_groups_if_their_policy_is_gang)
{
    json_auto_t *native = page("/v1/groups/team/podgroup/native", NULL),
                *by_pod = page("/v1/groups/team/pod/n-0", NULL);
    assert_true(json_equal(native, by_pod));
    assert_int_equal(json_integer_value(json_object_get(native, "size")), 5);
    same(native, "pods", "{'present':1,'bound':0,'succeeded':0}");
    assert_null(page("/v1/groups/team/podgroup/basic", NULL));
}

TEST(a_placement_is_drawn_with_the_ranks_of_the_pods)
{
    json_auto_t *b = page("/v1/groups/team/b", NULL);
    same(b, "units",
         "[{'name':'rack-0','depth':1,'pods':1},"
         "{'name':'node-0','depth':2,'pods':1,'ranks':[0]}]");
}

TEST(the_list_has_the_groups_of_maps_and_of_pod_groups)
{
    json_auto_t *list = page("/v1/groups", "team");
    const json_t *items = json_object_get(list, "items");
    assert_int_equal(json_array_size(items), 5);
    json_t *last = json_array_get(items, 2);
    assert_string_equal(json_string_value(json_object_get(last, "name")), "pg");
    assert_string_equal(json_string_value(json_object_get(last, "status")), "Bound");
    assert_int_equal(json_integer_value(json_object_get(last, "size")), 2);
    same(last, "pods", "{'present':0,'bound':0,'succeeded':1}");
}

TEST(pages_of_the_cluster_are_not_those_of_a_namespace)
{
    static const char *const paths[] = {"/v1/tree", "/v1/groups", "/v1/explain/team",
                                        "/v1/groups//g", "/v1/groups/team/"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const struct skr_view_query query = {.path = paths[i]};
        assert_false(skr_own_namespace_serves(&query));
    }
}
