/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes: pods of one template have one key, pods that differ where it matters do not. */
#include "core/pod/pod.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

static struct skr_pod *decode(const char *meta, const char *spec, const char *status)
{
    SKR_STRBUF(b);
    struct skr_pod *pod = NULL;
    struct skr_error error = {.text = ""};
    skr_strbuf_addf(&b, "{'metadata':{'name':'p'%s},'spec':{%s},'status':{%s}}", meta, spec,
                    status);
    json_auto_t *json = json_text_load(b.s);
    if (skr_pod_decode(json, &pod, &error) != 0) {
        fail_msg("%s: %s", b.s, error.text);
    }
    return pod;
}

static bool equal_keys(struct skr_pod *a, struct skr_pod *b)
{
    bool equal = strcmp(a->shape->key, b->shape->key) == 0;
    skr_pod_destroy(a);
    skr_pod_destroy(b);
    return equal;
}

#define TERMS(list)                                                                   \
    "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'" \
    "nodeSelectorTerms':[" list "]}}}"
#define LABEL(op, values) \
    "{'matchExpressions':[{'key':'a','operator':'" op "','values':" values "}]}"

TEST(pods_of_one_template_have_one_key)
{
    static const char spec[] = "'containers':[{'resources':{'requests':{'cpu':'100m'}}}],"
                               "'nodeSelector':{'z':'1','a':'2'},'volumes':[{'name':'v'}]";
    struct skr_pod *first =
        decode(",'labels':{'batch.kubernetes.io/job-completion-index':'0','sakkara.group.name':'g',"
               "'sakkara.member.rank':'0'},'uid':'u-0','annotations':{'sakkara.plan':'{}'}",
               spec, "'phase':'Running'");
    struct skr_pod *second = decode(",'labels':{'batch.kubernetes.io/job-completion-index':'1'}",
                                    spec, "'phase':'Pending'");
    assert_true(equal_keys(first, second));
}

TEST(what_means_the_same_has_one_key)
{
    static const struct {
        const char *a, *b;
    } row[] = {
        {"'containers':[{'resources':{'requests':{'cpu':'1'}}}]",
         "'containers':[{'resources':{'requests':{'cpu':'1000m','memory':'0'}}}]"},
        {"'containers':[{'resources':{'requests':{'cpu':'1','memory':'2'}}}]",
         "'containers':[{'resources':{'requests':{'memory':'2'}}},"
         "{'resources':{'requests':{'cpu':'1'}}}]"},
        {"'nodeSelector':{'a':'1','b':'2'}", "'nodeSelector':{'b':'2','a':'1'}"},
        {"'nodeSelector':{}", ""},
        {"'tolerations':[{'key':'a','operator':'Exists'},{'key':'b','value':'1'}]",
         "'tolerations':[{'key':'b','value':'1','operator':'Equal'},{'key':'a','operator':"
         "'Exists','value':'ignored'},{'key':'b','value':'1'}]"},
        {"'tolerations':[{'key':'a','operator':'Exists','effect':'NoExecute','tolerationSeconds':1}"
         "]",
         "'tolerations':[{'key':'a','operator':'Exists','effect':'NoExecute'}]"},
        {"'tolerations':[{'key':'a','operator':'Like'}]", "'tolerations':[]"},
        {TERMS(LABEL("In", "['x','y']")), TERMS(LABEL("In", "['y','x','x']"))},
        {TERMS(LABEL("In", "['x']")), TERMS("{}," LABEL("In", "['x']"))},
        {TERMS(LABEL("In", "['x']")), TERMS(LABEL("Exists", "['x']") "," LABEL("In", "['x']"))},
        {"'volumes':[{'emptyDir':{}}]", ""},
        {"'volumes':[{'persistentVolumeClaim':{'claimName':'data-0'}}]",
         "'volumes':[{'persistentVolumeClaim':{'claimName':'data-1'}}]"},
        {"'affinity':{'podAntiAffinity':{}}", ""},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (!equal_keys(decode("", row[i].a, ""), decode("", row[i].b, ""))) {
            fail_msg("%s differs from %s", row[i].a, row[i].b);
        }
    }
}

TEST(what_means_something_else_has_another_key)
{
    /* Every two of these differ. */
    static const char *const spec[] = {
        "",
        "'containers':[{'resources':{'requests':{'cpu':'1'}}}]",
        "'containers':[{'resources':{'requests':{'cpu':'2'}}}]",
        "'containers':[{'resources':{'requests':{'memory':'1000'}}}]",
        "'nodeSelector':{'a':'1'}",
        "'nodeSelector':{'a':'2'}",
        "'nodeSelector':{'a':'1','b':'1'}",
        "'nodeSelector':{'a\\':\\'1':''}",
        TERMS(""),
        TERMS(LABEL("In", "['1']")),
        TERMS(LABEL("In", "['1','2']")),
        TERMS(LABEL("NotIn", "['1']")),
        TERMS(LABEL("Gt", "['1']")),
        TERMS(LABEL("Lt", "['1']")),
        TERMS(LABEL("Exists", "[]")),
        TERMS(LABEL("DoesNotExist", "[]")),
        TERMS(LABEL("In", "['1']") "," LABEL("In", "['2']")),
        TERMS("{'matchFields':[{'key':'metadata.name','operator':'In','values':['1']}]}"),
        "'tolerations':[{'key':'a','operator':'Exists'}]",
        "'tolerations':[{'key':'a','operator':'Exists','effect':'NoSchedule'}]",
        "'tolerations':[{'key':'a','operator':'Exists','effect':'NoExecute'}]",
        "'tolerations':[{'key':'a'}]",
        "'tolerations':[{'key':'a','value':'1'}]",
        "'tolerations':[{'key':'a','operator':'Lt','value':'1'}]",
        "'tolerations':[{'key':'a','operator':'Gt','value':'1'}]",
        "'tolerations':[{'operator':'Exists'}]",
        "'volumes':[{'persistentVolumeClaim':{}}]",
    };
    size_t n = sizeof spec / sizeof spec[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (equal_keys(decode("", spec[i], ""), decode("", spec[k], ""))) {
                fail_msg("%s equals %s", spec[i], spec[k]);
            }
        }
    }
}

TEST(volumes_and_devices_may_come_late)
{
    static const struct {
        const char *spec;
        bool late;
    } row[] = {
        {"'volumes':[{'emptyDir':{}},{'configMap':{'name':'x'}}]", false},
        {"'volumes':[{'emptyDir':{}},{'persistentVolumeClaim':{'claimName':'x'}}]", true},
        {"'volumes':[{'ephemeral':{'volumeClaimTemplate':{}}}]", true},
        {"'resourceClaims':[{'name':'x'}]", true},
        {"'resourceClaims':[]", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode("", row[i].spec, "");
        assert_int_equal(pod->shape->late_capacity, row[i].late);
    }
}

TEST(a_copied_shape_decides_as_the_first_did)
{
    struct skr_pod *pod =
        decode("",
               "'containers':[{'resources':{'requests':{'cpu':'1'}}}],'nodeSelector':{'a':'1'},"
               "'tolerations':[{'key':'t','operator':'Exists'}]," TERMS(LABEL("In", "['1','2']")),
               "");
    struct skr_pod_overlay none = {.node_name = NULL};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(pod, &none);
    char *key = strdup(pod->shape->key);
    skr_pod_destroy(pod);
    assert_string_equal(copy->shape->key, key);
    free(key);
    json_auto_t *json = json_text_load("{'metadata':{'name':'n','labels':{'a':'1'}},"
                                       "'spec':{'taints':[{'key':'t','effect':'NoSchedule'}]}}");
    SKR_AUTO(skr_node_destroy) struct skr_node *node = NULL;
    assert_int_equal(skr_node_decode(json, &node, NULL), 0);
    assert_int_equal(skr_pod_shape_check_node(copy->shape, node), SKR_ELIGIBLE);
    assert_int_equal(copy->shape->requests.n, 2);
}
