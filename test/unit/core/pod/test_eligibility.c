/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes a pod may run on: cordons, taints, node selector, required node affinity. */
#include "core/pod/pod.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

struct row {
    const char *pod;  /* members of spec */
    const char *node; /* members of spec, for tables on taints; of labels for those on selectors */
    enum skr_ineligible want;
};

static enum skr_ineligible check(const char *pod_text, const char *node_text)
{
    struct skr_pod *pod = NULL;
    SKR_AUTO(skr_node_destroy) struct skr_node *node = NULL;
    struct skr_error error = {.text = ""};
    json_auto_t *pod_json = json_text_load(pod_text);
    json_auto_t *node_json = json_text_load(node_text);
    if (skr_pod_decode(pod_json, &pod, &error) != 0 ||
        skr_node_decode(node_json, &node, &error) != 0) {
        fail_msg("%s", error.text);
    }
    enum skr_ineligible got = skr_pod_shape_check_node(pod->shape, node);
    skr_pod_destroy(pod);
    return got;
}

static void check_row(const struct row *row, const char *node_before, const char *node_after)
{
    SKR_STRBUF(pod);
    SKR_STRBUF(node);
    skr_strbuf_addf(&pod, "{'metadata':{'name':'p'},'spec':{%s}}", row->pod);
    skr_strbuf_addf(&node, "{'metadata':{'name':'node-1'%s%s%s", node_before, row->node,
                    node_after);
    enum skr_ineligible got = check(pod.s, node.s);
    if (got != row->want) {
        fail_msg("pod %s, node %s: %d, not %d", pod.s, node.s, (int)got, (int)row->want);
    }
}

static void check_specs(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_row(&row[i], "},'spec':{", "}}");
    }
}

static void check_labels(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_row(&row[i], ",'labels':{", "}}}");
    }
}

#define N(table)       (sizeof table / sizeof table[0])
#define TAINT(rest)    "'taints':[{'key':'k'," rest "}]"
#define TOLERATE(rest) "'tolerations':[{" rest "}]"

TEST(taints_need_a_toleration)
{
    static const struct row row[] = {
        {"", "", SKR_ELIGIBLE},
        {"", TAINT("'value':'v','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {"", TAINT("'value':'v','effect':'NoExecute'"), SKR_INELIGIBLE_TAINT},
        {"", TAINT("'value':'v','effect':'PreferNoSchedule'"), SKR_ELIGIBLE},
        {"", TAINT("'effect':'Strange'"), SKR_ELIGIBLE},
        /* Equal is the default operator; key, value and effect must match. */
        {TOLERATE("'key':'k','value':'v','effect':'NoSchedule'"),
         TAINT("'value':'v','effect':'NoSchedule'"), SKR_ELIGIBLE},
        {TOLERATE("'key':'k','operator':'Equal','value':'v'"),
         TAINT("'value':'v','effect':'NoExecute'"), SKR_ELIGIBLE},
        {TOLERATE("'key':'k','operator':'Equal','value':'w'"),
         TAINT("'value':'v','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'other','value':'v'"), TAINT("'value':'v','effect':'NoSchedule'"),
         SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','value':'v','effect':'NoExecute'"),
         TAINT("'value':'v','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k'"), TAINT("'effect':'NoSchedule'"), SKR_ELIGIBLE},
        /* Exists needs no value; without a key it matches all. */
        {TOLERATE("'key':'k','operator':'Exists'"), TAINT("'value':'v','effect':'NoSchedule'"),
         SKR_ELIGIBLE},
        {TOLERATE("'operator':'Exists'"), TAINT("'value':'v','effect':'NoExecute'"), SKR_ELIGIBLE},
        {TOLERATE("'operator':'Exists','effect':'NoSchedule'"),
         TAINT("'value':'v','effect':'NoExecute'"), SKR_INELIGIBLE_TAINT},
        /* toleration without key and operator: equal values only, as kube-scheduler has it */
        {TOLERATE("'value':'v'"), TAINT("'value':'v','effect':'NoSchedule'"), SKR_ELIGIBLE},
        /* a toleration that expires still tolerates */
        {TOLERATE("'operator':'Exists','tolerationSeconds':0"),
         TAINT("'value':'v','effect':'NoExecute'"), SKR_ELIGIBLE},
        /* unknown operators and effects tolerate nothing */
        {TOLERATE("'key':'k','operator':'Like','value':'v'"),
         TAINT("'value':'v','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','operator':'Exists','effect':'Strange'"),
         TAINT("'value':'v','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        /* numeric comparison: Lt tolerates taints below the value, Gt above */
        {TOLERATE("'key':'k','operator':'Lt','value':'10'"),
         TAINT("'value':'9','effect':'NoSchedule'"), SKR_ELIGIBLE},
        {TOLERATE("'key':'k','operator':'Lt','value':'10'"),
         TAINT("'value':'10','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','operator':'Gt','value':'10'"),
         TAINT("'value':'11','effect':'NoSchedule'"), SKR_ELIGIBLE},
        {TOLERATE("'key':'k','operator':'Gt','value':'10'"),
         TAINT("'value':'x','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','operator':'Gt','value':'-1'"),
         TAINT("'value':'0','effect':'NoSchedule'"), SKR_ELIGIBLE},
        {TOLERATE("'key':'k','operator':'Lt','value':'10'"),
         TAINT("'value':'09','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','operator':'Lt','value':'+10'"),
         TAINT("'value':'9','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        {TOLERATE("'key':'k','operator':'Gt','value':'-0'"),
         TAINT("'value':'9','effect':'NoSchedule'"), SKR_INELIGIBLE_TAINT},
        /* each taint needs one, any of them will do */
        {"'tolerations':[{'key':'a','operator':'Exists'},{'key':'b','operator':'Exists'}]",
         "'taints':[{'key':'b','effect':'NoSchedule'},{'key':'a','effect':'NoExecute'}]",
         SKR_ELIGIBLE},
        {"'tolerations':[{'key':'a','operator':'Exists'}]",
         "'taints':[{'key':'a','effect':'NoSchedule'},{'key':'b','effect':'NoSchedule'}]",
         SKR_INELIGIBLE_TAINT},
    };
    check_specs(row, N(row));
}

TEST(cordoned_nodes_take_only_pods_that_tolerate_the_cordon)
{
#define CORDON "node.kubernetes.io/unschedulable"
    static const struct row row[] = {
        {"", "'unschedulable':true", SKR_INELIGIBLE_UNSCHEDULABLE},
        {"", "'unschedulable':false", SKR_ELIGIBLE},
        {TOLERATE("'key':'" CORDON "','operator':'Exists','effect':'NoSchedule'"),
         "'unschedulable':true", SKR_ELIGIBLE},
        {TOLERATE("'key':'" CORDON "','operator':'Exists'"), "'unschedulable':true", SKR_ELIGIBLE},
        {TOLERATE("'operator':'Exists'"), "'unschedulable':true", SKR_ELIGIBLE},
        {TOLERATE("'key':'" CORDON "'"), "'unschedulable':true", SKR_ELIGIBLE},
        {TOLERATE("'key':'" CORDON "','value':'x'"), "'unschedulable':true",
         SKR_INELIGIBLE_UNSCHEDULABLE},
        {TOLERATE("'key':'" CORDON "','operator':'Exists','effect':'NoExecute'"),
         "'unschedulable':true", SKR_INELIGIBLE_UNSCHEDULABLE},
        /* the cordon's own taint, which the node controller adds */
        {TOLERATE("'key':'" CORDON "','operator':'Exists','effect':'NoSchedule'"),
         "'unschedulable':true,'taints':[{'key':'" CORDON "','effect':'NoSchedule'}]",
         SKR_ELIGIBLE},
    };
    check_specs(row, N(row));
}

TEST(every_label_of_the_node_selector_must_be_there)
{
    static const struct row row[] = {
        {"'nodeSelector':{}", "", SKR_ELIGIBLE},
        {"'nodeSelector':{'a':'1'}", "'a':'1','b':'2'", SKR_ELIGIBLE},
        {"'nodeSelector':{'a':'1','b':'2'}", "'a':'1','b':'2'", SKR_ELIGIBLE},
        {"'nodeSelector':{'a':'1','b':'2'}", "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {"'nodeSelector':{'a':'1'}", "'a':'2'", SKR_INELIGIBLE_SELECTOR},
        {"'nodeSelector':{'a':'1'}", "", SKR_INELIGIBLE_SELECTOR},
        {"'nodeSelector':{'a':''}", "", SKR_INELIGIBLE_SELECTOR},
        {"'nodeSelector':{'a':''}", "'a':''", SKR_ELIGIBLE},
    };
    check_labels(row, N(row));
}

#define REQUIRED                                                                      \
    "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'" \
    "nodeSelectorTerms':["
#define TERMS(list) REQUIRED list "]}}}"
#define EXPR(rest)  "{'matchExpressions':[" rest "]}"
#define LABEL(rest) TERMS(EXPR("{'key':'a'," rest "}"))
#define FIELD(rest) TERMS("{'matchFields':[{'key':'metadata.name'," rest "}]}")

TEST(label_expressions_match_as_kube_scheduler_matches_them)
{
    static const struct row row[] = {
        {LABEL("'operator':'In','values':['1','2']"), "'a':'2'", SKR_ELIGIBLE},
        {LABEL("'operator':'In','values':['1','2']"), "'a':'3'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'In','values':['1','2']"), "", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'In','values':['']"), "'a':''", SKR_ELIGIBLE},
        {LABEL("'operator':'NotIn','values':['1','2']"), "'a':'2'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'NotIn','values':['1','2']"), "'a':'3'", SKR_ELIGIBLE},
        {LABEL("'operator':'NotIn','values':['1','2']"), "", SKR_ELIGIBLE},
        {LABEL("'operator':'Exists'"), "'a':''", SKR_ELIGIBLE},
        {LABEL("'operator':'Exists'"), "'b':''", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'DoesNotExist'"), "'a':''", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'DoesNotExist'"), "'b':''", SKR_ELIGIBLE},
        {LABEL("'operator':'Gt','values':['10']"), "'a':'11'", SKR_ELIGIBLE},
        {LABEL("'operator':'Gt','values':['10']"), "'a':'10'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Gt','values':['9']"), "'a':'10'", SKR_ELIGIBLE},
        {LABEL("'operator':'Gt','values':['10']"), "'a':'many'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Gt','values':['10']"), "", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Gt','values':['10']"), "'a':'99999999999999999999'",
         SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Lt','values':['10']"), "'a':'9'", SKR_ELIGIBLE},
        {LABEL("'operator':'Lt','values':['10']"), "'a':'-9'", SKR_ELIGIBLE},
        {LABEL("'operator':'Lt','values':['10']"), "'a':'10'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Lt','values':['10']"), "'a':''", SKR_INELIGIBLE_SELECTOR},
    };
    check_labels(row, N(row));
}

TEST(terms_are_alternatives_and_expressions_all_needed)
{
#define A1 "{'key':'a','operator':'In','values':['1']}"
#define B1 "{'key':'b','operator':'In','values':['1']}"
    static const struct row row[] = {
        {TERMS(EXPR(A1 "," B1)), "'a':'1','b':'1'", SKR_ELIGIBLE},
        {TERMS(EXPR(A1 "," B1)), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {TERMS(EXPR(A1) "," EXPR(B1)), "'b':'1'", SKR_ELIGIBLE},
        {TERMS(EXPR(A1) "," EXPR(B1)), "'c':'1'", SKR_INELIGIBLE_SELECTOR},
        /* nodeSelector and affinity must both hold */
        {"'nodeSelector':{'c':'1'}," TERMS(EXPR(A1)), "'a':'1','c':'1'", SKR_ELIGIBLE},
        {"'nodeSelector':{'c':'1'}," TERMS(EXPR(A1)), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {"'nodeSelector':{'c':'1'}," TERMS(EXPR(A1)), "'c':'1'", SKR_INELIGIBLE_SELECTOR},
        /* an affinity without terms, and terms without expressions, match nothing */
        {TERMS(""), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {TERMS("{}"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {TERMS("{'matchExpressions':[],'matchFields':null}"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {TERMS("{}," EXPR(A1)), "'a':'1'", SKR_ELIGIBLE},
        /* no required affinity asks for nothing */
        {"'affinity':{}", "", SKR_ELIGIBLE},
        {"'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[]}}", "",
         SKR_ELIGIBLE},
    };
    check_labels(row, N(row));
}

TEST(fields_select_by_node_name)
{
    static const struct row row[] = {
        /* as DaemonSets are pinned */
        {FIELD("'operator':'In','values':['node-1']"), "", SKR_ELIGIBLE},
        {FIELD("'operator':'In','values':['node-2']"), "", SKR_INELIGIBLE_SELECTOR},
        {FIELD("'operator':'NotIn','values':['node-2']"), "", SKR_ELIGIBLE},
        {FIELD("'operator':'NotIn','values':['node-1']"), "", SKR_INELIGIBLE_SELECTOR},
        /* exactly one value, In and NotIn only, metadata.name only */
        {FIELD("'operator':'In','values':['node-1','node-2']"), "", SKR_INELIGIBLE_SELECTOR},
        {FIELD("'operator':'NotIn','values':[]"), "", SKR_INELIGIBLE_SELECTOR},
        {FIELD("'operator':'Exists'"), "", SKR_INELIGIBLE_SELECTOR},
        {TERMS("{'matchFields':[{'key':'metadata.uid','operator':'NotIn','values':['x']}]}"), "",
         SKR_INELIGIBLE_SELECTOR},
        /* with expressions in one term: both */
        {TERMS("{'matchFields':[{'key':'metadata.name','operator':'In','values':['node-1']}],"
               "'matchExpressions':[" A1 "]}"),
         "'a':'1'", SKR_ELIGIBLE},
        {TERMS("{'matchFields':[{'key':'metadata.name','operator':'In','values':['node-1']}],"
               "'matchExpressions':[" A1 "]}"),
         "'a':'2'", SKR_INELIGIBLE_SELECTOR},
    };
    check_labels(row, N(row));
}

TEST(a_term_that_cannot_be_parsed_matches_nothing)
{
    static const struct row row[] = {
        {LABEL("'operator':'Like','values':['1']"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'in','values':['1']"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'In','values':[]"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'NotIn'"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Exists','values':['1']"), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'DoesNotExist','values':['1']"), "", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Gt','values':['1','2']"), "'a':'3'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'Gt','values':['x']"), "'a':'3'", SKR_INELIGIBLE_SELECTOR},
        {LABEL("'operator':'NotIn','values':['no label value']"), "'a':'1'",
         SKR_INELIGIBLE_SELECTOR},
        {TERMS(EXPR("{'key':'a b','operator':'DoesNotExist'}")), "", SKR_INELIGIBLE_SELECTOR},
        /* the other terms still count */
        {TERMS(EXPR("{'key':'a','operator':'Like'}") "," EXPR(A1)), "'a':'1'", SKR_ELIGIBLE},
        /* the other expressions of the term do not save it */
        {TERMS(EXPR("{'key':'a','operator':'Like'}," A1)), "'a':'1'", SKR_INELIGIBLE_SELECTOR},
    };
    check_labels(row, N(row));
}
