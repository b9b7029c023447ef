/* SPDX-License-Identifier: Apache-2.0 */
/* Which classes a pod's own node selection leaves possible, and what class a node is of. */
#include "test/test.h"

#include <jansson.h>

#include "core/spotmix/affinity.h"
#include "test/unit/growth.h"

static json_t *parse(const char *text)
{
    char copy[2048];
    size_t n = strlen(text);
    assert_true(n < sizeof copy);
    for (size_t i = 0; i <= n; i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    json_t *json = json_loads(copy, 0, NULL);
    assert_non_null(json);
    return json;
}

#define KEY "node.kubernetes.io/capacity"
#define TERMS(terms)                                                                               \
    "{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelector" \
    "Terms':[" terms "]}}}}"
#define ON(op, values) \
    "{'matchExpressions':[{'key':'" KEY "','operator':'" op "','values':[" values "]}]}"
#define BOTH(op, values, op2, values2)                                            \
    "{'matchExpressions':[{'key':'" KEY "','operator':'" op "','values':[" values \
    "]},{'key':'" KEY "','operator':'" op2 "','values':[" values2 "]}]}"

static const struct row {
    const char *title, *spec;
    bool on_demand, spot;
} rows[] = {
    {"nothing said", "{}", true, true},
    {"a selector for spot", "{'nodeSelector':{'" KEY "':'spot'}}", false, true},
    {"a selector for something else", "{'nodeSelector':{'" KEY "':'x'}}", false, false},
    {"another key", "{'nodeSelector':{'zone':'a'}}", true, true},
    {"In spot", TERMS(ON("In", "'spot'")), false, true},
    {"In both", TERMS(ON("In", "'spot','on-demand'")), true, true},
    {"NotIn spot", TERMS(ON("NotIn", "'spot'")), true, false},
    {"Exists", TERMS(ON("Exists", "")), true, true},
    {"DoesNotExist", TERMS(ON("DoesNotExist", "")), false, false},
    {"Gt is of numbers", TERMS(ON("Gt", "'1'")), false, false},
    {"one of two terms", TERMS(ON("In", "'x'") "," ON("In", "'spot'")), false, true},
    {"a term of another key",
     TERMS(ON("In", "'x'") ",{'matchExpressions':[{'key':'z','operator':"
                           "'Exists'}]}"),
     true, true},
    {"matchFields alone",
     TERMS("{'matchFields':[{'key':'metadata.name','operator':'In','values':["
           "'n']}]}"),
     true, true},
    {"empty terms say nothing", TERMS("{},null"), true, true},
    {"an empty term beside a pinned one", TERMS("{}," ON("In", "'spot'")), false, true},
    {"a term that contradicts itself", TERMS(BOTH("In", "'spot'", "NotIn", "'spot'")), false,
     false},
    {"selector and term disagree",
     "{'nodeSelector':{'" KEY "':'spot'},'affinity':{'nodeAffinity':{"
     "'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[" ON(
         "In", "'on-demand'") "]}}}}",
     false, false},
};

TEST_EACH(row, rows, classes_that_are_possible)
{
    struct skr_spotmix_settings settings;
    struct skr_spotmix_classes classes;
    json_auto_t *spec = parse(row->spec);
    skr_spotmix_settings_default(&settings);
    skr_spotmix_classes_init(&classes, &settings);
    assert_int_equal(skr_spotmix_class_is_possible(&classes, spec, SKR_SPOTMIX_ON_DEMAND),
                     row->on_demand);
    assert_int_equal(skr_spotmix_class_is_possible(&classes, spec, SKR_SPOTMIX_SPOT), row->spot);
    skr_spotmix_classes_fini(&classes);
}

static const struct bounds {
    const char *title, *spec;
    bool on_demand;
} bounds_rows[] = {
    {"between 1 and 3", TERMS(BOTH("Gt", "'1'", "Lt", "'3'")), true},
    {"between 1 and 2", TERMS(BOTH("Gt", "'1'", "Lt", "'2'")), false},
    {"no number", TERMS(ON("Gt", "'x'")), false},
    {"above all", TERMS(ON("Gt", "'9223372036854775807'")), false},
    {"number and absence", TERMS(BOTH("Gt", "'1'", "DoesNotExist", "")), false},
};

TEST_EACH(bounds, bounds_rows, bounds_leave_a_number_or_not)
{
    struct skr_spotmix_settings settings;
    struct skr_spotmix_classes classes;
    char copy[2048];
    skr_spotmix_settings_default(&settings);
    skr_spotmix_settings_preset(&settings, "karpenter"); /* NotIn leaves numbers */
    settings.node_key = KEY;
    skr_spotmix_classes_init(&classes, &settings);
    snprintf(copy, sizeof copy, "%s", bounds->spec);
    json_auto_t *spec = parse(copy);
    assert_int_equal(skr_spotmix_class_is_possible(&classes, spec, SKR_SPOTMIX_ON_DEMAND),
                     bounds->on_demand);
    skr_spotmix_classes_fini(&classes);
}

static const struct node {
    const char *title, *preset, *labels;
    enum skr_spotmix_class class_;
} nodes[] = {
    {"default on-demand", "default", "{'" KEY "':'on-demand'}", SKR_SPOTMIX_ON_DEMAND},
    {"default spot", "default", "{'" KEY "':'spot'}", SKR_SPOTMIX_SPOT},
    {"default neither", "default", "{}", SKR_SPOTMIX_NO_CLASS},
    {"karpenter reserved", "karpenter", "{'karpenter.sh/capacity-type':'reserved'}",
     SKR_SPOTMIX_ON_DEMAND},
    {"karpenter spot", "karpenter", "{'karpenter.sh/capacity-type':'spot'}", SKR_SPOTMIX_SPOT},
    {"eks", "eks", "{'eks.amazonaws.com/capacityType':'SPOT'}", SKR_SPOTMIX_SPOT},
    {"eks on demand", "eks", "{'eks.amazonaws.com/capacityType':'ON_DEMAND'}",
     SKR_SPOTMIX_ON_DEMAND},
    {"gke standard", "gke", "{'cloud.google.com/gke-provisioning':'standard'}",
     SKR_SPOTMIX_ON_DEMAND},
    {"gke spot", "gke", "{'cloud.google.com/gke-provisioning':'spot'}", SKR_SPOTMIX_SPOT},
    {"aks regular", "aks", "{}", SKR_SPOTMIX_ON_DEMAND},
    {"aks spot", "aks", "{'kubernetes.azure.com/scalesetpriority':'spot'}", SKR_SPOTMIX_SPOT},
};

TEST_EACH(node, nodes, a_node_has_the_first_class_it_satisfies)
{
    struct skr_spotmix_settings settings;
    struct skr_spotmix_classes classes;
    json_auto_t *labels = parse(node->labels);
    skr_spotmix_settings_default(&settings);
    assert_true(skr_spotmix_settings_preset(&settings, node->preset));
    skr_spotmix_classes_init(&classes, &settings);
    assert_int_equal(skr_spotmix_class_of_node(&classes, labels), node->class_);
    skr_spotmix_classes_fini(&classes);
}

static const struct tolerated {
    const char *title, *spec;
    bool yes;
} tolerations[] = {
    {"none", "{}", false},
    {"everything", "{'tolerations':[{'operator':'Exists'}]}", true},
    {"the key",
     "{'tolerations':[{'key':'kubernetes.azure.com/scalesetpriority','operator':'Exists'"
     "}]}",
     true},
    {"the value",
     "{'tolerations':[{'key':'kubernetes.azure.com/scalesetpriority','value':'spot',"
     "'effect':'NoSchedule'}]}",
     true},
    {"another value",
     "{'tolerations':[{'key':'kubernetes.azure.com/scalesetpriority','value':'x'"
     "}]}",
     false},
    {"another effect", "{'tolerations':[{'operator':'Exists','effect':'NoExecute'}]}", false},
};

TEST_EACH(tolerated, tolerations, a_spot_taint_of_aks_is_tolerated)
{
    struct skr_spotmix_settings settings;
    struct skr_spotmix_classes classes;
    json_auto_t *spec = parse(tolerated->spec);
    skr_spotmix_settings_default(&settings);
    skr_spotmix_settings_preset(&settings, "aks");
    skr_spotmix_classes_init(&classes, &settings);
    assert_int_equal(skr_spotmix_is_tolerated(&classes, spec, SKR_SPOTMIX_SPOT), tolerated->yes);
    assert_true(skr_spotmix_is_tolerated(&classes, spec, SKR_SPOTMIX_ON_DEMAND));
    skr_spotmix_classes_fini(&classes);
}

/* ---- at the size that somebody chooses ---- */

static json_t *expression(const char *op, size_t n, bool last)
{
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(values, json_sprintf("v%zu", i));
    }
    if (last) {
        json_array_append_new(values, json_string("fits"));
    }
    return json_pack("{s:s, s:s, s:o}", "key", "karpenter.sh/capacity-type", "operator", op,
                     "values", values);
}

/* One In of many values, of which all but the last are excluded one by one and all at once. */
static bool ask_for_many(size_t n, bool fits)
{
    struct skr_spotmix_settings settings;
    struct skr_spotmix_classes classes;
    json_t *list = json_array();
    skr_spotmix_settings_default(&settings);
    assert_true(skr_spotmix_settings_preset(&settings, "karpenter"));
    skr_spotmix_classes_init(&classes, &settings);
    json_array_append_new(list, expression("In", n, fits));
    json_array_append_new(list, expression("NotIn", n, false));
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, expression("NotIn", 1, false));
    }
    json_t *spec = json_pack("{s:{s:{s:{s:[{s:o}]}}}}", "affinity", "nodeAffinity",
                             "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms",
                             "matchExpressions", list);
    const bool possible = skr_spotmix_class_is_possible(&classes, spec, SKR_SPOTMIX_ON_DEMAND);
    json_decref(spec);
    skr_spotmix_classes_fini(&classes);
    return possible;
}

static void ask(void *context, size_t n)
{
    (void)context;
    assert_false(ask_for_many(n, false));
}

TEST(many_values_and_many_expressions_cost_what_they_are_long)
{
    assert_true(ask_for_many(100, true));
    assert_false(ask_for_many(100, false));
    assert_cost_is_linear(ask, NULL, 8000);
}
