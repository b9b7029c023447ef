/* SPDX-License-Identifier: Apache-2.0 */
/* What pods say about other pods: read, compared, copied. */
#include "core/pod/rules.h"

#include "test/test.h"
#include "test/unit/json_text.h"

static struct skr_pod *decode(const char *labels, const char *spec)
{
    char text[16384];
    snprintf(text, sizeof text,
             "{'metadata':{'namespace':'ns','name':'p','uid':'u','labels':{%s}},'spec':{%s}}",
             labels, spec);
    json_auto_t *json = json_text_load(text);
    struct skr_pod *pod = NULL;
    struct skr_error error;
    if (skr_pod_decode(json, &pod, &error) < 0) {
        fail_msg("%s", error.text);
    }
    return pod;
}

#define TERM(kind, rest)                                                               \
    "'affinity':{'" kind "':{'requiredDuringSchedulingIgnoredDuringExecution':[{" rest \
    "'topologyKey':'zone'}]}}"

#define BY_NAME(operator)                                                                       \
    "'namespaceSelector':{'matchExpressions':[{'key':'kubernetes.io/metadata.name','operator':" \
    operator"}]},"

TEST(a_term_selects_by_labels_and_namespaces)
{
    static const struct {
        const char *term, *labels;
        bool own; /* in the pod's namespace; else in "other" */
        bool selects;
    } row[] = {
        {"'labelSelector':{'matchLabels':{'app':'a'}},", "'app':'a'", true, true},
        {"'labelSelector':{'matchLabels':{'app':'a'}},", "'app':'b'", true, false},
        {"'labelSelector':{'matchLabels':{'app':'a'}},", "'app':'a'", false, false},
        {"'labelSelector':{'matchLabels':{'app':'a'}},'namespaces':['other'],", "'app':'a'", false,
         true},
        {"'labelSelector':{'matchLabels':{'app':'a'}},'namespaceSelector':{},", "'app':'a'", false,
         true},
        {"'labelSelector':{}," BY_NAME("'In','values':['x','other']"), "", false, true},
        {"'labelSelector':{}," BY_NAME("'In','values':['x','other']"), "", true, false},
        {"'labelSelector':{}," BY_NAME("'NotIn','values':['other']"), "", false, false},
        {"'labelSelector':{}," BY_NAME("'Exists'"), "", false, true},
        {"'labelSelector':{},'namespaces':['ns']," BY_NAME("'DoesNotExist'"), "", true, true},
        {"'labelSelector':{}," BY_NAME("'DoesNotExist'"), "", true, false},
        {"'labelSelector':{},", "'app':'b'", true, true},
        {"", "'app':'a'", true, false}, /* no selector selects nothing */
        {"'labelSelector':{'matchExpressions':[{'key':'app','operator':'NotIn','values':['a']}]},",
         "", true, true},
        {"'labelSelector':{'matchExpressions':[{'key':'app','operator':'In','values':['x','a']}]},",
         "'app':'a'", true, true},
        {"'labelSelector':{'matchExpressions':[{'key':'app','operator':'Exists'}]},", "", true,
         false},
        {"'labelSelector':{},'matchLabelKeys':['rev'],", "'rev':'1'", true, true},
        {"'labelSelector':{},'matchLabelKeys':['rev'],", "'rev':'2'", true, false},
        {"'labelSelector':{},'mismatchLabelKeys':['rev'],", "'rev':'2'", true, true},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char spec[1024];
        snprintf(spec, sizeof spec, TERM("podAntiAffinity", "%s"), row[i].term);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = decode("'rev':'1'", spec);
        SKR_AUTO(skr_pod_destroy) struct skr_pod *other = decode(row[i].labels, "");
        assert_int_equal(pod->shape->n_rules, 1);
        const struct skr_pod_rule *rule = &pod->shape->rule[0];
        assert_int_equal(rule->kind, SKR_POD_RULE_ANTI_AFFINITY);
        assert_string_equal(rule->topology_key, "zone");
        other->meta.namespace_ = row[i].own ? "ns" : "other";
        if (skr_pod_rule_selects(rule, &other->meta) != row[i].selects) {
            fail_msg("row %zu", i);
        }
    }
}

TEST(a_selector_of_namespaces_by_other_labels_than_their_name_is_left_to_kube_scheduler)
{
    struct skr_pod *pod =
        decode("", TERM("podAffinity",
                        "'namespaceSelector':{'matchLabels':{'a':'b'}},'labelSelector':{},"));
    assert_true(pod->shape->rule[0].unknown_namespaces);
    skr_pod_destroy(pod);
    pod = decode("", TERM("podAffinity", BY_NAME("'Exists'") "'labelSelector':{},"));
    assert_false(pod->shape->rule[0].unknown_namespaces);
    skr_pod_destroy(pod);
}

static const struct many {
    const char *title, *kind;
    size_t terms, requirements; /* of each */
    size_t known;               /* the first ones */
} counts[] = {
    {"affinities", "podAffinity", 10, 1, SKR_POD_AFFINITIES_MAX},
    {"affinities of many requirements", "podAffinity", 2, 40, 1},
    {"anti-affinities", "podAntiAffinity", 70, 0, SKR_POD_RULES_PARTS_MAX},
    {"anti-affinities of some requirements", "podAntiAffinity", 20, 3, 16},
    {"one of too many requirements", "podAntiAffinity", 1, 64, 0},
    {"one of as many as may be", "podAntiAffinity", 1, 63, 1},
};
TEST_EACH(many, counts, rules_beyond_a_limit_are_left_to_kube_scheduler)
{
    SKR_STRBUF(terms);
    for (size_t i = 0; i < many->terms; i++) {
        skr_strbuf_addf(&terms,
                        "%s{'topologyKey':'zone','namespaces':['ns'],'labelSelector':{'"
                        "matchExpressions':[",
                        i > 0 ? "," : "");
        for (size_t k = 0; k < many->requirements; k++) {
            skr_strbuf_addf(&terms, "%s{'key':'k-%zu','operator':'DoesNotExist'}", k > 0 ? "," : "",
                            k);
        }
        skr_strbuf_add(&terms, "]}}");
    }
    SKR_STRBUF(spec);
    skr_strbuf_addf(&spec,
                    "'affinity':{'%s':{'requiredDuringSchedulingIgnoredDuringExecution':[%s]}}",
                    many->kind, terms.s);
    struct skr_pod *pod = decode("", spec.s);
    assert_int_equal(pod->shape->n_rules, many->terms);
    for (size_t i = 0; i < many->terms; i++) {
        const struct skr_pod_rule *rule = &pod->shape->rule[i];
        assert_int_equal(rule->unknown_namespaces, i >= many->known);
        assert_int_equal(skr_pod_rule_selects(rule, &pod->meta), i < many->known);
        assert_true(skr_pod_rule_may_select(rule, &pod->meta));
    }
    skr_pod_destroy(pod);
}

TEST(terms_about_unlike_namespaces_are_unlike_shapes)
{
    static const char *const terms[] = {
        TERM("podAffinity", "'labelSelector':{},"),
        TERM("podAffinity", "'namespaceSelector':{},'labelSelector':{},"),
        TERM("podAffinity", BY_NAME("'Exists'") "'labelSelector':{},"),
        TERM("podAffinity", BY_NAME("'In','values':['a']") "'labelSelector':{},"),
        TERM("podAffinity", BY_NAME("'In','values':['b']") "'labelSelector':{},"),
        TERM("podAffinity", "'namespaceSelector':{},"),
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        for (size_t k = 0; k < sizeof terms / sizeof *terms; k++) {
            SKR_AUTO(skr_pod_destroy) struct skr_pod *a = decode("", terms[i]);
            SKR_AUTO(skr_pod_destroy) struct skr_pod *b = decode("", terms[k]);
            assert_true((i == k) == (strcmp(a->shape->key, b->shape->key) == 0));
        }
    }
}

TEST(only_a_spread_that_must_hold_is_a_rule)
{
    SKR_AUTO(skr_pod_destroy)
    struct skr_pod *pod = decode(
        "", "'topologySpreadConstraints':[{'maxSkew':2,'topologyKey':'zone','whenUnsatisfiable':"
            "'ScheduleAnyway'},{'maxSkew':3,'minDomains':4,'topologyKey':'rack',"
            "'whenUnsatisfiable':'DoNotSchedule','nodeTaintsPolicy':'Honor',"
            "'nodeAffinityPolicy':'Ignore','labelSelector':{}}]");
    assert_int_equal(pod->shape->n_rules, 1);
    const struct skr_pod_rule *rule = &pod->shape->rule[0];
    assert_string_equal(rule->topology_key, "rack");
    assert_int_equal(rule->max_skew, 3);
    assert_int_equal(rule->min_domains, 4);
    assert_true(rule->honors_taints);
    assert_true(rule->ignores_affinity);
}

TEST(host_ports_are_those_of_containers_and_sidecars_and_clash_as_kube_scheduler_says)
{
    SKR_AUTO(skr_pod_destroy)
    struct skr_pod *pod = decode(
        "", "'containers':[{'name':'c','ports':[{'containerPort':1},{'containerPort':80,"
            "'hostPort':80},{'hostPort':80,'protocol':'UDP'},{'hostPort':80,'hostIP':'10.0.0.1'},"
            "{'hostPort':80,'hostIP':'10.0.0.2'}]}],'initContainers':[{'name':'i','ports':"
            "[{'hostPort':1}]},{'name':'s','restartPolicy':'Always','ports':[{'hostPort':2}]}]");
    const struct skr_pod_rule *rule = pod->shape->rule;
    assert_int_equal(pod->shape->n_rules, 5);
    assert_int_equal(rule[4].port, 2);
    assert_true(skr_pod_ports_clash(&rule[0], &rule[0]));
    assert_false(skr_pod_ports_clash(&rule[0], &rule[1])); /* protocol */
    assert_true(skr_pod_ports_clash(&rule[0], &rule[2]));  /* all addresses */
    assert_false(skr_pod_ports_clash(&rule[2], &rule[3])); /* two of them */
    assert_false(skr_pod_ports_clash(&rule[0], &rule[4]));
}

TEST(equal_rules_make_equal_shapes_and_copies_share_them)
{
    static const char spec[] = TERM("podAffinity", "'labelSelector':{'matchLabels':{'a':'b'}},");
    SKR_AUTO(skr_pod_destroy) struct skr_pod *a = decode("'x':'1'", spec);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *b = decode("'x':'2'", spec);
    SKR_AUTO(skr_pod_destroy) struct skr_pod *none = decode("", "");
    assert_string_equal(a->shape->key, b->shape->key);
    assert_string_not_equal(a->shape->key, none->shape->key);
    struct skr_pod_overlay overlay = {.resource_version = 9};
    SKR_AUTO(skr_pod_destroy) struct skr_pod *copy = skr_pod_overlay(a, &overlay);
    assert_ptr_equal(copy->shape, a->shape);
    assert_string_equal(copy->shape->rule[0].pods.requirement[0].values[0], "b");
}

TEST(more_rules_than_the_limit_are_refused)
{
    json_t *ports = json_array();
    for (int i = 0; i <= SKR_POD_RULES_MAX; i++) {
        json_array_append_new(ports, json_pack("{s:i}", "hostPort", i + 1));
    }
    json_auto_t *json = json_pack("{s:{s:s,s:s},s:{s:[{s:s,s:o}]}}", "metadata", "namespace", "ns",
                                  "name", "p", "spec", "containers", "name", "c", "ports", ports);
    struct skr_pod *pod = NULL;
    struct skr_error error;
    assert_int_equal(skr_pod_decode(json, &pod, &error), -SKR_LIMIT);
    assert_non_null(strstr(error.text, "more than 256 host ports"));
}
