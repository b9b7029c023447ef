/* SPDX-License-Identifier: Apache-2.0 */
/* CEL selectors of Placements: which clusters match. */
#include "test/test.h"
#include "test/unit/placement_scene.h"
#include "topology/base/strbuf.h"

static const char clusters[] =
    "object {\"apiVersion\":\"cluster.open-cluster-management.io/v1\",\"kind\":\"ManagedCluster\","
    "\"metadata\":{\"name\":\"a\",\"labels\":{\"env\":\"prod\"},\"annotations\":{\"tier\":\"1\"}},"
    "\"spec\":{\"hubAcceptsClient\":true,\"taints\":[{\"key\":\"k\",\"effect\":\"PreferNoSelect\"}]"
    "},\"status\":{\"version\":{\"kubernetes\":\"v1.31.2\"},\"allocatable\":{\"cpu\":4,\"memory\":"
    "\"8Gi\"},\"clusterClaims\":[{\"name\":\"info\",\"value\":\"{\\\"size\\\":3}\"}],"
    "\"conditions\":[{\"type\":\"Available\",\"status\":\"True\"}]}}\n"
    "cluster b env=dev claim:info=none\n"
    "score a free pods=12\nscore b free pods=0\n";

/* The title is expressions, separated by " ;; ", in predicates, separated by " or ". */
struct row {
    const char *title, *expected;
};

/* Takes json. */
static void add_predicate(json_t *predicates, json_t *expressions, const char *label)
{
    json_t *selector = json_pack("{s:{s:o}}", "celSelector", "celExpressions", expressions);
    if (label) {
        json_object_set_new(selector, "labelSelector",
                            json_pack("{s:{s:s}}", "matchLabels", "env", label));
    }
    json_array_append_new(predicates, json_pack("{s:o}", "requiredClusterSelector", selector));
}

static void expect(const struct row *row, const char *label)
{
    json_auto_t *spec = json_pack("{s:[]}", "predicates");
    json_t *predicates = json_object_get(spec, "predicates"), *expressions = json_array();
    for (const char *at = row->title;;) {
        const char *next = strstr(at, " ;; "), *other = strstr(at, " or ");
        const bool ends = !next || (other && other < next);
        const char *end = ends ? other : next;
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        json_array_append_new(expressions, json_stringn(at, n));
        if (ends) {
            add_predicate(predicates, expressions, label);
            expressions = end ? json_array() : NULL;
        }
        if (!end) {
            break;
        }
        at = end + 4;
    }
    SKR_AUTO_FREE char *text = json_dumps(spec, JSON_COMPACT);
    SKR_STRBUF(scene);
    skr_strbuf_addf(&scene, "%splacement p %s\n", clusters, text);
    placement_scene_expect(row->title, scene.s, "decisions", row->expected);
}

static const struct row rows[] = {
    {"true", "[\"a\",\"b\"]"},
    {"managedCluster.metadata.labels.env == 'prod'", "[\"a\"]"},
    {"managedCluster.metadata.name == 'b'", "[\"b\"]"},
    {"true ;; managedCluster.metadata.labels['env'] in ['prod', 'test']", "[\"a\"]"},
    {"true ;; false", "[]"},
    /* Predicates are alternatives. An error is no match of its own predicate only. */
    {"managedCluster.metadata.annotations.tier == '1' or managedCluster.metadata.name == 'b'",
     "[\"a\",\"b\"]"},
    {"managedCluster.metadata.annotations.tier == '1'", "[\"a\"]"},
    /* What is no bool matches nothing. */
    {"managedCluster.metadata.name", "[]"},
    {"1", "[]"},
    /* The object is that of typed Go: absent fields have zero values or are not there. */
    {"managedCluster.spec.hubAcceptsClient", "[\"a\"]"},
    {"!managedCluster.spec.hubAcceptsClient && !has(managedCluster.spec.taints)", "[\"b\"]"},
    {"managedCluster.metadata.creationTimestamp == null && has(managedCluster.status.version)",
     "[\"a\",\"b\"]"},
    {"has(managedCluster.status.version.kubernetes)", "[\"a\"]"},
    {"managedCluster.status.conditions == null", "[\"b\"]"},
    {"managedCluster.status.conditions.exists(c, c.type == 'Available' && c.reason == '')",
     "[\"a\"]"},
    {"managedCluster.spec.taints[0].timeAdded == null", "[\"a\"]"},
    {"has(managedCluster.kind) || has(managedCluster.metadata.resourceVersion)", "[]"},
    {"quantity(managedCluster.status.allocatable.cpu).compareTo(quantity('4')) == 0", "[\"a\"]"},
    {"semver(managedCluster.status.version.kubernetes.substring(1)).minor() == 31", "[\"a\"]"},
    {"managedCluster.status.version.kubernetes.matches('^v1\\\\.(30|31)\\\\.')", "[\"a\"]"},
    {"managedCluster.status.clusterClaims.exists(c, c.name == 'info' && c.value.parseJSON().size "
     "== 3)",
     "[\"a\"]"},
    {"managedCluster.scores('free').exists(s, s.name == 'pods' && s.value > 10)", "[\"a\"]"},
    {"managedCluster.scores('none').size() == 0", "[]"},
    {"managedCluster.map(k, k).size() == 3", "[\"a\",\"b\"]"},
};
TEST_EACH(row, rows, expressions_say_which_clusters_match)
{
    expect(row, NULL);
}

TEST(labels_and_expressions_are_both_true)
{
    expect(&(struct row){"true", "[\"b\"]"}, "dev");
    expect(&(struct row){"managedCluster.metadata.name == 'a'", "[]"}, "dev");
}

static const char heavy[] = "'aaaaaaaa'.split('').all(a, 'aaaaaaaa'.split('').all(b, "
                            "'aaaaaaaa'.split('').all(c, 'aaaaaaaa'.split('').all(d, "
                            "'aaaaaaaa'.split('').all(e, a == b && c == d && e == a)))))";

/* The decisions stay, and the message names cost and remedy. */
TEST(a_cycle_whose_expressions_cost_too_much_fails_and_keeps_its_decisions)
{
    SKR_STRBUF(scene);
    for (int i = 0; i < 40; i++) {
        skr_strbuf_addf(&scene, "cluster c%02d\n", i);
    }
    skr_strbuf_add(&scene, "decided p 1 c00\nplacement p {\"predicates\":[{"
                           "\"requiredClusterSelector\":{\"celSelector\":{\"celExpressions\":[");
    for (int i = 0; i < 8; i++) {
        skr_strbuf_addf(&scene, "%s\"%s\"", i > 0 ? "," : "", heavy);
    }
    skr_strbuf_add(&scene, "]}}}]}\n");
    placement_scene_expect("decisions", scene.s, "decisions", "[\"c00\"]");
    placement_scene_expect("reason", scene.s, "satisfiedReason", "\"NotAllDecisionsScheduled\"");
}

TEST(one_expression_that_costs_too_much_matches_nothing)
{
    SKR_STRBUF(scene);
    skr_strbuf_addf(&scene,
                    "cluster a\nplacement p {\"predicates\":[{\"requiredClusterSelector\":{"
                    "\"celSelector\":{\"celExpressions\":[\"'aaaaaaaa'.split('').all(x, %s)\"]}}}]"
                    "}\n",
                    heavy);
    placement_scene_expect("decisions", scene.s, "decisions", "[]");
    char *why = placement_scene_ask(scene.s, "filtered.a");
    assert_non_null(strstr(why, "it costs more than an evaluation may"));
    free(why);
}
