/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody who may write policies of Karmada in one namespace: what a placement of his costs is
 * bounded, however it is written and however many clusters there are.
 */
#include "test/test.h"

#include <jansson.h>

#include "core/propagation/decision.h"
#include "core/propagation/spread_table.h"
#include "test/unit/growth.h"

struct fleet {
    size_t n;
    struct skr_member_cluster **cluster;
};

/* n clusters; every so many share a provider, a region, a zone. */
static void make(struct fleet *fleet, size_t n, size_t provider, size_t region, size_t zone)
{
    fleet->n = n;
    fleet->cluster = calloc(n, sizeof *fleet->cluster);
    for (size_t i = 0; i < n; i++) {
        json_auto_t *json = json_pack(
            "{s:{s:o}, s:{s:o, s:o, s:[o]}, s:{s:[{s:s, s:[{s:s}]}], s:{s:{s:o}}}}", "metadata",
            "name", json_sprintf("c%06zu", i), "spec", "provider",
            json_sprintf("p%zu", i / provider), "region", json_sprintf("r%zu", i / region), "zones",
            json_sprintf("z%zu", i / zone), "status", "apiEnablements", "groupVersion", "apps/v1",
            "resources", "kind", "Deployment", "resourceSummary", "allocatable", "pods",
            json_sprintf("%zu", 3 + i * 7919 % 17));
        assert_non_null(json);
        void *cluster = NULL;
        assert_int_equal(skr_member_cluster_decode(json, &cluster, NULL), 0);
        fleet->cluster[i] = cluster;
    }
}

static void forget(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->n; i++) {
        skr_object_destroy(fleet->cluster[i]);
    }
    free(fleet->cluster);
}

/* Takes placement. */
static int read_binding(json_t *placement, int replicas, struct skr_binding **ret,
                        struct skr_error *error)
{
    json_t *json =
        json_pack("{s:{s:s, s:s}, s:{s:s, s:i, s:{s:s, s:s, s:s, s:s, s:s}, s:o}}", "metadata",
                  "namespace", "d", "name", "w", "spec", "schedulerName", "sakkara", "replicas",
                  replicas, "resource", "apiVersion", "apps/v1", "kind", "Deployment", "namespace",
                  "d", "name", "w", "uid", "u", "placement", placement);
    assert_non_null(json);
    void *binding = NULL;
    const int rc = skr_binding_decode(json, &binding, error);
    *ret = binding;
    json_decref(json);
    return rc;
}

static struct skr_binding_decision *decide(const struct fleet *fleet, json_t *placement,
                                           int replicas, struct skr_binding **ret)
{
    static struct skr_propagation_options options;
    struct skr_binding_decision *decision;
    skr_propagation_options_init(&options, SKR_PROFILE_DEFAULT);
    assert_int_equal(read_binding(placement, replicas, ret, NULL), 0);
    assert_int_equal(skr_binding_decide(*ret,
                                        (const struct skr_member_cluster *const *)fleet->cluster,
                                        fleet->n, NULL, &options, NULL, &decision, NULL),
                     0);
    return decision;
}

/* ---- static weights ---- */

static json_t *weights(json_t *rules)
{
    return json_pack("{s:{s:s, s:s, s:{s:o}}}", "replicaScheduling", "replicaSchedulingType",
                     "Divided", "replicaDivisionPreference", "Weighted", "weightPreference",
                     "staticWeightList", rules);
}

/* A rule for each cluster, in no order, and one for none. */
static void weigh(void *context, size_t n)
{
    struct fleet fleet;
    struct skr_binding *binding;
    json_t *rules = json_array();
    (void)context;
    make(&fleet, n, 1, 1, 1);
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(rules, json_pack("{s:{s:[o]}, s:i}", "targetCluster", "clusterNames",
                                               json_sprintf("c%06zu", i * 7919 % n), "weight", 1));
    }
    struct skr_binding_decision *decision = decide(&fleet, weights(rules), (int)n, &binding);
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_int_equal(decision->n_targets, n);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    forget(&fleet);
}

TEST(a_rule_for_each_of_thousands_of_clusters_costs_what_they_are)
{
    assert_cost_is_linear(weigh, NULL, 8000);
}

TEST(the_largest_weight_of_the_rules_that_match_counts_whether_they_name_the_cluster_or_not)
{
    struct fleet fleet;
    struct skr_binding *binding;
    make(&fleet, 4, 1, 2, 1); /* r0: 0, 1; r1: 2, 3 */
    json_t *rules = json_loads(
        "[{\"targetCluster\":{\"clusterNames\":[\"c000000\",\"c000002\"]},\"weight\":2},"
        "{\"targetCluster\":{\"clusterNames\":[\"c000000\"],\"exclude\":[\"c000000\"]},\"weight\":"
        "9},"
        "{\"targetCluster\":{\"fieldSelector\":{\"matchExpressions\":[{\"key\":\"region\","
        "\"operator\":\"In\",\"values\":[\"r0\"]}]}},\"weight\":1},"
        "{\"targetCluster\":{\"clusterNames\":[\"c000002\"]},\"weight\":3},"
        "{\"targetCluster\":{\"clusterNames\":[\"none\"]},\"weight\":100}]",
        0, NULL);
    struct skr_binding_decision *decision = decide(&fleet, weights(rules), 6, &binding);
    assert_int_equal(decision->n_targets, 3);
    for (size_t i = 0; i < 3; i++) { /* 2 : 1 : 3 */
        assert_string_equal(decision->target[i].name,
                            ((const char *[]){"c000000", "c000001", "c000002"})[i]);
        assert_int_equal(decision->target[i].replicas, ((int[]){2, 1, 3})[i]);
    }
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    forget(&fleet);
}

/* ---- the exact search ---- */

static json_t *by(const char *field, int min, int max)
{
    return json_pack("{s:s, s:i, s:i}", "spreadByField", field, "minGroups", min, "maxGroups", max);
}

static json_t *spread(json_t *constraints)
{
    return json_pack("{s:{s:s, s:s, s:{s:s}}, s:o}", "replicaScheduling", "replicaSchedulingType",
                     "Divided", "replicaDivisionPreference", "Weighted", "weightPreference",
                     "dynamicWeight", "AvailableReplicas", "spreadConstraints", constraints);
}

/* More than the budget only by what one step takes. */
static void is_bounded(const struct skr_binding_decision *decision)
{
    assert_true(decision->table_work > SKR_SPREAD_WORK_MAX);
    assert_true(decision->table_work < 2 * SKR_SPREAD_WORK_MAX);
}

static const struct nest {
    const char *title;
    size_t provider, region, zone;
    int replicas;
    bool one_level;
} nests[] = {
    {"a zone a cluster", 1000, 100, 1, 24000, true},
    {"three levels", 1000, 100, 10, 30000, false},
};

TEST_EACH(nest, nests, nested_constraints_on_thousands_of_clusters_take_no_more_work_than_a_budget)
{
    enum { CLUSTERS = 4000 };
    struct fleet fleet;
    struct skr_binding *binding;
    make(&fleet, CLUSTERS, nest->provider, nest->region, nest->zone);
    json_t *constraints =
        nest->one_level ? json_pack("[o, o]", by("zone", 10, CLUSTERS), by("cluster", 20, CLUSTERS))
                        : json_pack("[o, o, o, o]", by("provider", 2, 4), by("region", 5, 40),
                                    by("zone", 10, 400), by("cluster", 20, CLUSTERS));
    struct skr_binding_decision *decision =
        decide(&fleet, spread(constraints), nest->replicas, &binding);
    is_bounded(decision);
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_true(decision->fell_back);
    int64_t given = 0;
    for (size_t i = 0; i < decision->n_targets; i++) {
        given += decision->target[i].replicas;
    }
    assert_int_equal(given, nest->replicas);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    forget(&fleet);
}

/* ---- limits ---- */

static json_t *many(size_t n, const char *entry)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(list, json_loads(entry, 0, NULL));
    }
    return list;
}

#define EXISTS "{\"key\":\"a\",\"operator\":\"Exists\"}"

static json_t *terms_of(size_t n)
{
    return json_pack("{s:o}", "clusterAffinities", many(n, "{\"affinityName\":\"t\"}"));
}

static json_t *tolerations_of(size_t n)
{
    return json_pack("{s:o}", "clusterTolerations", many(n, "{\"operator\":\"Exists\"}"));
}

/* In two terms. */
static json_t *requirements_of(size_t n)
{
    return json_pack("{s:[{s:s, s:{s:o}}, {s:s, s:{s:o}}]}", "clusterAffinities", "affinityName",
                     "t", "labelSelector", "matchExpressions", many(n / 2, EXISTS), "affinityName",
                     "u", "labelSelector", "matchExpressions", many(n - n / 2, EXISTS));
}

static json_t *rules_of(size_t n)
{
    return weights(many(n, "{\"targetCluster\":{},\"weight\":1}"));
}

static const struct limit {
    const char *title;
    json_t *(*make)(size_t n);
    size_t most;
    const char *number;
} limits[] = {
    {"terms", terms_of, SKR_BINDING_PLACEMENT_TERMS_MAX, "32"},
    {"tolerations", tolerations_of, SKR_BINDING_PLACEMENT_TOLERATIONS_MAX, "128"},
    {"requirements", requirements_of, SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX, "1024"},
    {"rules without names", rules_of, SKR_BINDING_PLACEMENT_REQUIREMENTS_MAX, "1024"},
};

TEST_EACH(limit, limits, what_every_cluster_is_compared_with_has_limits)
{
    struct skr_binding *binding;
    struct skr_error error;
    assert_int_equal(read_binding(limit->make(limit->most), 1, &binding, &error), 0);
    assert_null(binding->refusal);
    skr_object_destroy(binding);
    assert_int_equal(read_binding(limit->make(limit->most + 1), 1, &binding, &error), 0);
    assert_non_null(binding->refusal);
    assert_non_null(strstr(binding->refusal, limit->number));
    assert_int_equal(binding->placement.n_terms, 0);
    skr_object_destroy(binding);
}
