/* SPDX-License-Identifier: Apache-2.0 */
/* What `simulate placement` says to people: what would change an answer, and text of others on a terminal. */
#include "server/lab/simulate/placement.h"

#include <string.h>

#include "server/exit_code.h"
#include "test/test.h"
#include "topology/base/arena.h"

#define GROUP "apiVersion: cluster.open-cluster-management.io/"
#define CLUSTER(name, labels)                             \
    GROUP "v1\nkind: ManagedCluster\n"                    \
          "metadata: {name: " name ", labels: {" labels   \
          "}, annotations: {sakkara.simulate/total-score" \
          ": '0'}}\n---\n"
#define PLACEMENT(spec) \
    GROUP "v1beta1\nkind: Placement\nmetadata: {name: web, namespace: shop}\nspec: " spec "\n"
#define HARD(key) \
    "{topologyKey: " key ", topologyKeyType: Label, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}"
#define CONSTRAINT "    --set web:spec.spreadPolicy.spreadConstraints"

/* The text about the Placement shop/web of these objects, changed by set (NULL: not). free() */
static char *text_of(const char *objects, const char *set, int expected)
{
    const struct skr_simulate_placement_options options = {
        .placement = "shop/web", .scheduler = "sakkara", .now = "2026-01-01T00:00:00Z"};
    struct skr_fleet_input input;
    struct skr_strbuf out, messages;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    int rc = skr_fleet_input_parse(&input, "hub", objects, strlen(objects), &messages);
    assert_int_equal(rc, 0);
    if (set) {
        assert_int_equal(skr_placement_set(&input, set, &messages), 0);
    }
    assert_int_equal(skr_fleet_input_finish(&input, &messages), 0);
    rc = skr_simulate_placement_show(&input, &options, &out, &messages);
    assert_int_equal(rc, expected);
    skr_fleet_input_fini(&input);
    skr_strbuf_fini(&messages);
    return skr_strbuf_take(&out, NULL);
}

static const char heading[] = "\n  Would change it (each was tried):\n";

/* The advice is given, word by word, and each --set of it gives more clusters than there were. */
static void expect_advice(const char *objects, size_t selected, const char *advice)
{
    char *text = text_of(objects, NULL, SKR_EXIT_NOT_PLACED);
    const char *begin = strstr(text, heading);
    assert_non_null(begin);
    assert_string_equal(begin + strlen(heading), advice);
    for (const char *line = strstr(begin, "--set "); line; line = strstr(line + 1, "--set ")) {
        char *set = skr_strdup(line + 6);
        set[strcspn(set, "\n")] = '\0';
        char *changed = text_of(objects, set, SKR_EXIT_OK);
        size_t more = 0;
        for (const char *at = strstr(changed, "  score "); at; at = strstr(at + 1, "  score ")) {
            more++;
        }
        assert_true(more > selected);
        assert_null(strstr(changed, "Not selected"));
        free(changed);
        free(set);
    }
    free(text);
}

TEST(a_cluster_that_lacks_the_key_of_a_hard_level_comes_with_no_larger_skew)
{
    expect_advice(CLUSTER("m1", "region: a") CLUSTER("m2", "region: b") CLUSTER("x", "other: c")
                      PLACEMENT("{numberOfClusters: 3, spreadPolicy: {spreadConstraints: [" HARD(
                          "region") "]}}"),
                  2, CONSTRAINT "[0].whenUnsatisfiable=ScheduleAnyway\n");
}

TEST(the_skew_that_is_named_is_the_least_that_suffices)
{
    expect_advice(
        CLUSTER("m1", "region: a") CLUSTER("m2", "region: b") CLUSTER("m3", "region: a")
            CLUSTER("m4", "region: a") CLUSTER("m5", "region: a") PLACEMENT(
                "{numberOfClusters: 5, spreadPolicy: {spreadConstraints: [" HARD("region") "]}}"),
        3, CONSTRAINT "[0].maxSkew=3\n" CONSTRAINT "[0].whenUnsatisfiable=ScheduleAnyway\n");
}

TEST(a_hard_level_that_keeps_nobody_out_is_not_named)
{
    expect_advice(
        CLUSTER("m1", "region: a, zone: s") CLUSTER("m2", "region: a, zone: s")
            CLUSTER("m3", "region: a, zone: t") CLUSTER("m4", "region: a, zone: s")
                PLACEMENT("{numberOfClusters: 4, spreadPolicy: {spreadConstraints: [" HARD(
                    "region") ", " HARD("zone") "]}}"),
        3, CONSTRAINT "[1].maxSkew=2\n" CONSTRAINT "[1].whenUnsatisfiable=ScheduleAnyway\n");
}

TEST(where_one_level_alone_does_not_help_no_line_is_given)
{
    expect_advice(CLUSTER("m1", "region: a, zone: s") CLUSTER("x", "other: c")
                      PLACEMENT("{numberOfClusters: 2, spreadPolicy: {spreadConstraints: [" HARD(
                          "region") ", " HARD("zone") "]}}"),
                  1, "    ScheduleAnyway in all spread constraints\n");
}

TEST(one_cluster_comes_where_zero_are_wanted)
{
    expect_advice(CLUSTER("m1", "region: a") PLACEMENT("{numberOfClusters: 0}"), 0,
                  "    --set web:spec.numberOfClusters=1\n");
}

TEST(predicates_and_taints_that_keep_clusters_out_are_named)
{
    expect_advice(CLUSTER("m1", "region: a") CLUSTER("m2", "region: b")
                      PLACEMENT("{numberOfClusters: 2, predicates: [{requiredClusterSelector: "
                                "{labelSelector: {matchLabels: {region: a}}}}]}"),
                  1, "    --set web:spec.predicates=null\n");
    expect_advice(CLUSTER("m1", "region: a") GROUP
                  "v1\nkind: ManagedCluster\nmetadata: {name: m2, annotations: "
                  "{sakkara.simulate/total-score: '0'}}\nspec: {taints: [{key: k, value: v, "
                  "effect: NoSelect}]}\n---\n" PLACEMENT("{numberOfClusters: 2}"),
                  1, "    --set web:spec.tolerations[0].operator=Exists\n");
}

TEST(where_nothing_that_was_tried_helps_that_is_said)
{
    char *text = text_of(CLUSTER("m1", "region: a") PLACEMENT("{numberOfClusters: 2}"), NULL,
                         SKR_EXIT_NOT_PLACED);
    assert_non_null(strstr(text, "\n  No single change that was tried selects more clusters.\n"));
    assert_null(strstr(text, "Would change it"));
    free(text);
}

/* A claim is written by the managed cluster, and anything may stand in it. */
TEST(what_a_cluster_claims_does_not_act_on_the_terminal)
{
    char *text = text_of(
        GROUP "v1\nkind: ManagedCluster\nmetadata: {name: m1}\n"
              "status: {clusterClaims: [{name: region, value: \"a\\e[31m\\n    9. "
              "\\u202e\"}]}\n---\n" PLACEMENT(
                  "{spreadPolicy: {spreadConstraints: [{topologyKey: region, topologyKeyType: "
                  "Claim}]}}"),
        NULL, SKR_EXIT_OK);
    assert_non_null(strstr(text, "    1. m1  a?[31m?    9. ?  score "));
    assert_null(strstr(text, "\033"));
    free(text);
}

TEST(an_empty_value_is_seen)
{
    char *text = text_of(CLUSTER("m1", "region: ''")
                             PLACEMENT("{spreadPolicy: {spreadConstraints: [{topologyKey: region, "
                                       "topologyKeyType: Label}]}}"),
                         NULL, SKR_EXIT_OK);
    assert_non_null(strstr(text, "    1. m1  \"\"  score "));
    free(text);
}

/* What a change of the path is answered with; "": it is made. free() */
static char *refusal_of(const char *set)
{
    static const char objects[] = PLACEMENT("{numberOfClusters: 1}");
    struct skr_fleet_input input;
    struct skr_strbuf messages;
    skr_strbuf_init(&messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    int rc = skr_fleet_input_parse(&input, "hub", objects, sizeof objects - 1, &messages);
    assert_int_equal(rc, 0);
    (void)skr_placement_set(&input, set, &messages);
    skr_fleet_input_fini(&input);
    skr_strbuf_add(&messages, "");
    return skr_strbuf_take(&messages, NULL);
}

TEST(a_change_of_what_no_placement_has_is_refused)
{
    static const char *const cases[][2] = {
        {"web:spec.numberOfCluster=2",
         "--set web:spec.numberOfCluster=2: a Placement has no \"numberOfCluster\" (did you mean "
         "\"numberOfClusters\"?)\n"},
        {"web:numberOfClusters=2",
         "--set web:numberOfClusters=2: a Placement has no \"numberOfClusters\" (did you mean "
         "\"spec\"?)\n"},
        {"web:spec.spreadPolicy.zzzzzz=2",
         "--set web:spec.spreadPolicy.zzzzzz=2: a Placement has no \"zzzzzz\"\n"},
        {"web:spec.predicates[0].requiredClusterSelector.labelSelector.matchLabels.any=x", ""},
        {"web:spec.tolerations[0].tolerationSeconds=5", ""},
        {"web:metadata.annotations[sakkara.placement.spread-mode]=lexicographic", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = refusal_of(cases[i][0]);
        assert_string_equal(got ? got : "", cases[i][1]);
        free(got);
    }
}

TEST(a_binding_that_names_another_set_is_said_to_be_that_of_its_name)
{
    static const char binding[] =
        GROUP "v1beta2\nkind: ManagedClusterSetBinding\n"
              "metadata: {name: east, namespace: shop}\nspec: {clusterSet: west}\n";
    struct skr_fleet_input input;
    SKR_STRBUF(messages);
    skr_fleet_input_init(&input, &skr_placement_rules);
    assert_int_equal(skr_fleet_input_parse(&input, "hub", binding, strlen(binding), &messages), 0);
    assert_int_equal(skr_fleet_input_finish(&input, &messages), 0);
    assert_string_equal(messages.s,
                        "hub:1:1: warning: spec.clusterSet is \"west\", but a "
                        "ManagedClusterSetBinding is that of the set of its name, east; the API "
                        "server refuses it\n");
    skr_fleet_input_fini(&input);
}

/* Where there are decisions, they are kept; where there are none, the text does not speak of them. */
TEST(a_misconfigured_placement_keeps_decisions_only_if_it_has_some)
{
    static const char decision[] =
        "---\n" GROUP "v1beta1\nkind: PlacementDecision\nmetadata: {name: web-decision-1, "
        "namespace: shop, labels: {cluster.open-cluster-management.io/placement: web}}\n"
        "status: {decisions: [{clusterName: m1, reason: ''}]}\n";
    static const char wrong[] = CLUSTER("m1", "a: b") PLACEMENT(
        "{predicates: [{requiredClusterSelector: {celSelector: {celExpressions: [nothing]}}}]}");
    SKR_STRBUF(both);
    char *text = text_of(wrong, NULL, SKR_EXIT_NOT_PLACED);
    assert_non_null(strstr(text, "celExpressions[0]: 1:1: there is no variable \"nothing\""));
    assert_non_null(strstr(text, "There are no decisions yet."));
    free(text);
    skr_strbuf_addf(&both, "%s%s", wrong, decision);
    text = text_of(both.s, NULL, SKR_EXIT_NOT_PLACED);
    assert_non_null(strstr(text, "Decisions stay as they are.\n    m1\n"));
    free(text);
}
