/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions about bindings, by table: the answer is what goes where, or the code. */
#include "test/test.h"
#include "test/unit/decision_world.h"

static void write_answer(const struct skr_binding_decision *decision, struct skr_strbuf *out)
{
    if (decision->code != SKR_PROPAGATION_PLACED) {
        skr_strbuf_add(out, skr_propagation_outcome(decision->code, false).code);
        return;
    }
    for (size_t i = 0; i < decision->n_targets; i++) {
        skr_strbuf_addf(out, "%s%s", i > 0 ? " " : "", decision->target[i].name);
        if (decision->target[i].has_replicas) {
            skr_strbuf_add_int(out, decision->target[i].replicas);
        }
    }
    skr_strbuf_add(out, decision->n_targets == 0 ? "nothing" : "");
}

struct row {
    const char *title, *clusters;
    int replicas;
    const char *placement, *want;
    const char *more;    /* members of spec besides; NULL: none */
    const char *options; /* "upstream", "design", "name=value ..."; NULL: default */
};

static void check(const struct row *row)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options options;
    SKR_STRBUF(answer);
    decision_read_clusters(&world, row->clusters);
    decision_set_options(row->options, &options);
    struct skr_binding *binding =
        decision_read_binding(&world, row->replicas, row->placement, row->more);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &options);
    write_answer(decision, &answer);
    if (strcmp(answer.s, row->want) != 0) {
        fail_msg("%s: %s (%s), not %s", row->title, answer.s, decision->message, row->want);
    }
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

#define FOUR "a - 100/4 b - 100/3 c - 0/5 d - 0/11 e - 0/8"

static const struct row examples[] = {
    {"dynamic weights are room", "a - 0/9 b - 0/6 c - 0/3", 12, DYNAMIC, "a6 b4 c2", 0, 0},
    {"growth keeps what runs", "a - 100/1/3 b - 0/5/3 c - 0/4", 10, DYNAMIC, "a3 b5 c2", 0, 0},
    {"shrinking is by what runs", "a - 0/0/6 b - 0/0/3 c - 0/0/1", 5, DYNAMIC, "a3 b1 c1", 0, 0},
    {"aggregated takes the roomiest", "a - 0/5 b - 0/9 c - 0/4", 12, AGGREGATED, "a4 b8", 0, 0},
    {"aggregated growth begins where it runs", "a - 0/2/4 b - 0/9 c - 0/20", 9, AGGREGATED, "a4 c5",
     0, 0},
    {"clusters in order", FOUR, 17, DYNAMIC "," SPREAD(BY("cluster", 2, 3)), "a4 b3 d10", 0, 0},
    {"more groups than 32 bits count are as many as there are", FOUR, 17,
     DYNAMIC "," SPREAD("{'spreadByField':'cluster','minGroups':2,'maxGroups':4294967298}"),
     "a2 b2 c3 d6 e4", 0, 0},
    {"clusters exchanged for room", FOUR, 20, DYNAMIC "," SPREAD(BY("cluster", 2, 3)), "a3 d10 e7",
     0, 0},
    {"two zones, three clusters", FIVE, 10,
     DYNAMIC "," SPREAD(BY("zone", 2, 2) "," BY("cluster", 2, 3)), "a3 b5 c2", 0, 0},
    {"two zones, an exchange", FIVE, 7,
     DYNAMIC "," SPREAD(BY("zone", 2, 2) "," BY("cluster", 2, 3)), "a3 d4", 0, 0},
    {"providers and zones", FIVE, 12,
     DYNAMIC "," SPREAD(BY("provider", 2, 2) "," BY("zone", 2, 2) "," BY("cluster", 2, 3)), "a3 e9",
     0, 0},
    {"regions with room", FIVE, 14, DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 2)),
     "b5 e9", 0, 0},
};
TEST_EACH(row, examples, the_worked_examples_come_out)
{
    check(row);
}

static const struct row rules[] = {
    {"nothing is selected from nothing", "a - 0/1", 1, "'clusterAffinity':{'clusterNames':['x']}",
     "no_cluster_fit", 0, 0},
    {"excluded clusters are out", "a - 0/1 b - 0/1", 1, "'clusterAffinity':{'exclude':['a']}", "b1",
     0, 0},
    {"fields: a zone in a list", "a -/-/z1 0/1 b -/-/z2 0/1", 1,
     "'clusterAffinity':{'fieldSelector':{'matchExpressions':[{'key':'zone','operator':'In',"
     "'values':['z2']}]}}",
     "b1", 0, 0},
    {"fields: an unknown one matches nothing", "a - 0/1", 1,
     "'clusterAffinity':{'fieldSelector':{'matchExpressions':[{'key':'x','operator':'NotIn',"
     "'values':['y']}]}}",
     "no_cluster_fit", 0, 0},
    {"labels: a key that no label can have matches nothing", "a - 0/1", 1,
     "'clusterAffinity':{'labelSelector':{'matchExpressions':[{'key':'a b','operator':"
     "'DoesNotExist'}]}}",
     "no_cluster_fit", 0, 0},
    {"a kind that is not served", "a - 0/1", 1, "", "no_cluster_fit",
     "'resource':{'apiVersion':'v1','kind':'Pod','name':'x'}", 0},
    {"a kind that is not served, where it runs", "a - 0/1/1", 1, "", "a1",
     "'resource':{'apiVersion':'v1','kind':'Pod','name':'x'}", 0},
    {"evictions are not undone", "a - 0/9/2 b - 0/9", 3, DYNAMIC, "b3",
     "'gracefulEvictionTasks':[{'fromCluster':'a'}]", 0},
    {"a region must be known", "a -/r1 0/1 b - 0/1", 1, SPREAD(BY("region", 1, 1)), "a1", 0, 0},
    {"duplicated ignores room", "a - 0/0 b - 0/0", 3, "", "a3 b3", 0, 0},
    {"what is no workload goes everywhere", "a - 0/0 b - 0/0", 0, DYNAMIC, "a b", 0, 0},
    {"several components go everywhere", "a - 0/0", 3, DYNAMIC, "a",
     "'components':[{'name':'x'},{'name':'y'}]", 0},
    {"no weights are equal weights", "a - 0/0 b - 0/0", 3, WEIGHTED, "a2 b1", 0, 0},
    {"static weights ignore constraints", "a - 0/0 b - 0/0", 3,
     EMPTY_WEIGHTS "," SPREAD(BY("cluster", 1, 1)), "a2 b1", 0, 0},
    {"room is short", "a - 0/1 b - 0/1", 3, DYNAMIC, "assign_capacity", 0, 0},
    {"room is short below a constraint", "a - 0/1 b - 0/1", 3,
     DYNAMIC "," SPREAD(BY("cluster", 1, 1)), "select_capacity", 0, 0},
    {"too few clusters", "a - 0/1", 1, SPREAD(BY("cluster", 2, 2)), "too_few_clusters", 0, 0},
    {"too few zones", "a -/-/z 0/1 b -/-/z 0/1", 1, SPREAD(BY("zone", 2, 2)), "too_few_groups", 0,
     0},
    {"no zones with the room", FIVE, 19,
     DYNAMIC "," SPREAD(BY("zone", 2, 2) "," BY("cluster", 2, 2)), "no_feasible_combination", 0, 0},
    {"regions without room report it", FIVE, 15,
     DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 2)), "assign_capacity", 0, 0},
    {"a label is no constraint", "a - 0/1", 1, SPREAD("{'spreadByLabel':'x'}"),
     "unsupported_constraint", 0, 0},
    {"an unknown strategy", "a - 0/1", 1, "'replicaScheduling':{'replicaSchedulingType':'X'}",
     "unsupported_strategy", 0, 0},
    {"the same field twice: the last one counts", "a - 0/1 b - 0/1", 1,
     SPREAD(BY("cluster", 1, 1) "," BY("cluster", 2, 2)), "a1 b1", 0, 0},
    {"fresh divides by room and what runs", "a - 0/1/5 b - 0/6", 6, DYNAMIC, "a3 b3",
     "'rescheduleTriggeredAt':'2026-01-01T00:00:00Z'},'status':{'lastScheduledTime':"
     "'2025-01-01T00:00:00Z'",
     0},
    {"equal stays as it is", "a - 0/0/2 b - 0/9/1", 3, DYNAMIC, "a2 b1", 0, 0},
    {"the second affinity term", "a - 0/1 b - 0/9", 5,
     DYNAMIC ",'clusterAffinities':[{'affinityName':'one','clusterNames':['a']},"
             "{'affinityName':'two','clusterNames':['b']}]",
     "b5", 0, 0},
    {"all terms fail: the first failure", "a - 0/1 b - 0/2", 5,
     DYNAMIC ",'clusterAffinities':[{'affinityName':'one','clusterNames':['a']},"
             "{'affinityName':'two','clusterNames':['x']}]",
     "assign_capacity", 0, 0},
    {"overflow by tiers", "a - 0/3 b - 100/9", 5,
     DYNAMIC ",'clusterAffinities':[{'affinityName':'one','clusterNames':['a'],"
             "'overflowAffinities':[{'affinityName':'o','clusterNames':['b']}]}]",
     "a3 b2", 0, 0},
    {"replicas lowered to 0", "a - 0/3/2", 0, DYNAMIC, "nothing", "'replicaRequirements':{}", 0},
    {"replicas lowered to 0, to be kept", "a - 0/3/2", 0, DYNAMIC, "a0", "'replicaRequirements':{}",
     "emptyWorkloadPropagation=on"},
    {"selected clusters without a replica", "a - 0/5 b - 0/9 c - 0/4", 12, AGGREGATED, "a4 b8 c0",
     0, "emptyWorkloadPropagation=on"},
};
TEST_EACH(row, rules, every_rule_holds)
{
    check(row);
}

/* Each row of options: the default, and what the option changes. */
static const struct row options[] = {
    {"topologySearch", FIVE, 7, DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 4)),
     "a2 b2 c1 d2", 0, 0},
    {"topologySearch exact", FIVE, 7,
     DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 4)), "a3 d4", 0,
     "topologySearch=exact"},
    {"topologySearch upstream: room unchecked", FIVE, 14,
     DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 2)), "assign_capacity", 0,
     "topologySearch=upstream"},
    {"topologySearch upstream: zones ignored", FIVE, 10,
     DYNAMIC "," SPREAD(BY("zone", 1, 1) "," BY("cluster", 2, 2)), "a3 e7", 0,
     "topologySearch=upstream"},
    {"topologySearch upstream: zones alone", FIVE, 1, DYNAMIC "," SPREAD(BY("zone", 1, 1)),
     "unsupported_constraint", 0, "topologySearch=upstream"},
    {"clusterCount smallest", FOUR, 7, DYNAMIC "," SPREAD(BY("cluster", 2, 3)), "a4 b3", 0,
     "clusterCount=smallest"},
    {"clusterCount max in the exact search", FIVE, 7,
     DYNAMIC "," SPREAD(BY("zone", 2, 2) "," BY("cluster", 2, 3)), "a2 b4 c1", 0,
     "clusterCount=max"},
    {"noConstraint prefix", FOUR, 7, DYNAMIC, "a4 b3", 0, "noConstraint=prefix"},
    {"clusterResourceFilter", "a - 0/3 b - 0/2", 3, "", "a3", 0, "clusterResourceFilter=on"},
    {"missingTopology", "a -/r1 0/1 b - 0/1", 1, SPREAD(BY("region", 2, 2)), "a1 b1", 0,
     "missingTopology=group"},
    {"groupScore by room", "a -/r1 90/1 b -/r2 0/5", 4, DYNAMIC "," SPREAD(BY("region", 1, 1)),
     "b4", 0, 0},
    {"groupScore highest", "a -/r1 90/4 b -/r1 0/1 c -/r2 0/5 d -/r2 0/5", 4,
     DYNAMIC "," SPREAD(BY("region", 1, 1)), "a4", 0, "groupScore=highest"},
    {"residentBypass off", "a - 0/1/1", 1, "", "no_cluster_fit",
     "'resource':{'apiVersion':'v1','kind':'Pod','name':'x'}", "residentBypass=off"},
    {"omittedMax unbounded", "a - 0/1 b - 0/1", 1,
     SPREAD("{'spreadByField':'cluster','minGroups':1}"), "a1 b1", 0, 0},
    {"omittedMax 0, Duplicated", "a - 0/1", 1, SPREAD("{'spreadByField':'cluster','minGroups':1}"),
     "no_candidates", 0, "omittedMax=0"},
    {"omittedMax 0, Divided", "a - 0/1", 1,
     DYNAMIC "," SPREAD("{'spreadByField':'cluster','minGroups':1}"), "select_capacity", 0,
     "omittedMax=0"},
    {"omittedMax min", "a - 0/1 b - 0/1", 1, SPREAD("{'spreadByField':'cluster','minGroups':1}"),
     "a1", 0, "omittedMax=min"},
    {"ranges strict above clusters", FIVE, 1, SPREAD(BY("zone", 1, 2)), "invalid_policy", 0,
     "ranges=strict"},
    {"ranges strict of clusters", FIVE, 1, SPREAD(BY("cluster", 1, 12)), "invalid_policy", 0,
     "ranges=strict"},
    {"emptyWeightPreference spread", "a - 0/1 b - 0/1", 1,
     EMPTY_WEIGHTS "," SPREAD(BY("cluster", 1, 1)), "a1", 0, "emptyWeightPreference=spread"},
    {"staticClusters matching", "a - 0/1 b - 0/1", 2,
     "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':"
     "'Weighted','weightPreference':{'staticWeightList':[{'targetCluster':{'clusterNames':['b']},"
     "'weight':1}]}}",
     "b2", 0, "design"},
};
TEST_EACH(row, options, every_option_changes_what_it_says)
{
    check(row);
}

TEST(a_shortage_in_select_is_an_error_where_upstream_says_so)
{
    assert_string_equal(skr_propagation_outcome(SKR_PROPAGATION_SELECT_CAPACITY, false).reason,
                        "Unschedulable");
    assert_string_equal(skr_propagation_outcome(SKR_PROPAGATION_SELECT_CAPACITY, true).reason,
                        "SchedulerError");
    assert_string_equal(skr_propagation_outcome(SKR_PROPAGATION_ASSIGN_CAPACITY, true).reason,
                        "Unschedulable");
}

/*
 * Defects of karmada-scheduler, and the tests that would fail on each of them; a row is one below.
 *
 * provider and zone constraints are ignored or rejected    row; TestKarmada_ZonesAndProvidersHold
 * the choice of regions ignores room                       row
 * ... and is exponential                                   property: the_search_by_regions_equals_all_
 *                                                          paths; bench_propagation.c, a plain walk
 * an omitted maxGroups acts as 0                           row
 * a shortage in select is an error that is tried for ever  a_shortage_in_select_is_an_error_where_
 *                                                          upstream_says_so; test_protocol.c: a_
 *                                                          shortage_keeps_what_runs_and_ends_when_
 *                                                          room_is_freed
 * a patch without precondition overwrites an eviction      test_protocol.c: a_concurrent_eviction_is_
 *                                                          not_overwritten
 * three patches of the status                              test_protocol.c: a_binding_is_placed_with_
 *                                                          two_writes_and_then_left_alone
 * NoClusterFit is the end                                  test_protocol.c: no_cluster_that_fits_
 *                                                          empties_the_binding_and_a_new_cluster_
 *                                                          brings_it_back
 * one estimate that fails voids all                        test_protocol.c: a_cluster_without_figures_
 *                                                          does_not_void_the_others
 * the reported filter is random                            the_reported_filter_is_the_first_in_a_
 *                                                          fixed_order
 * static {} obeys constraints but divides equally          row
 * fresh with 0 replicas overflows 32 bits                  row
 * minGroups 0 divides by zero                              two rows
 */
static const struct row defects[] = {
    {"provider and zone constraints are ignored", FIVE, 12,
     DYNAMIC "," SPREAD(BY("provider", 2, 2) "," BY("zone", 2, 2) "," BY("cluster", 2, 3)), "a3 e9",
     0, 0},
    {"the choice of regions ignores room", FIVE, 14,
     DYNAMIC "," SPREAD(BY("region", 2, 2) "," BY("cluster", 2, 2)), "b5 e9", 0, 0},
    {"an omitted maxGroups is 0", "a - 0/1 b - 0/1", 2,
     DYNAMIC "," SPREAD("{'spreadByField':'cluster','minGroups':2}"), "a1 b1", 0, 0},
    {"a static preference {} obeys constraints", "a - 0/0 b - 0/0", 2,
     EMPTY_WEIGHTS "," SPREAD(BY("cluster", 1, 1)), "a1 b1", 0, 0},
    {"fresh with 0 replicas overflows", "a - 0/1099511627776/5 b - 0/1099511627776/5", 0, DYNAMIC,
     "nothing",
     "'replicaRequirements':{},'rescheduleTriggeredAt':'2026-01-01T00:00:00Z'},'status':{"
     "'lastScheduledTime':'2025-01-01T00:00:00Z'",
     0},
    {"minGroups 0 divides by zero", "a -/r1 0/1", 1,
     DYNAMIC "," SPREAD("{'spreadByField':'region','maxGroups':1}"), "a1", 0, 0},
    {"minGroups 0 divides by zero, upstream", "a -/r1 0/1", 1,
     DYNAMIC "," SPREAD("{'spreadByField':'region','maxGroups':1}"), "a1", 0, "upstream"},
};
TEST_EACH(row, defects, no_defect_of_karmada_scheduler_is_repeated)
{
    check(row);
}

TEST(the_reported_filter_is_the_first_in_a_fixed_order)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options by_default;
    decision_read_clusters(&world, "a - 0/1");
    world.cluster[0]->meta.deleting = true;
    decision_set_options(NULL, &by_default);
    struct skr_binding *binding =
        decision_read_binding(&world, 1, "'clusterAffinity':{'clusterNames':['x']}",
                              "'gracefulEvictionTasks':[{'fromCluster':'a'}]");
    struct skr_binding_decision *decision = decision_decide(&world, binding, &by_default);
    assert_int_equal(decision->rejected[0], 1U << SKR_FILTER_DELETING |
                                                1U << SKR_FILTER_CLUSTER_AFFINITY |
                                                1U << SKR_FILTER_CLUSTER_EVICTION);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

/* The levels of a decision that ended with a code, "zone z1 z2". */
static void check_levels(const char *placement, const char *profile, const char *want)
{
    struct decision_world world = {.n = 0};
    struct skr_propagation_options settings;
    SKR_STRBUF(levels);
    decision_read_clusters(&world, FIVE);
    decision_set_options(profile, &settings);
    struct skr_binding *binding = decision_read_binding(&world, 5, placement, NULL);
    struct skr_binding_decision *decision = decision_decide(&world, binding, &settings);
    skr_strbuf_add(&levels, skr_propagation_outcome(decision->code, false).code);
    for (size_t i = 0; i < decision->n_levels; i++) {
        skr_strbuf_addf(&levels, " %s:%zu", skr_spread_field_name[decision->level[i].field],
                        decision->level[i].n);
    }
    assert_string_equal(levels.s, want);
    skr_binding_decision_destroy(decision);
    skr_object_destroy(binding);
    decision_world_fini(&world);
}

TEST(a_constraint_that_cannot_be_served_is_shown_with_its_groups)
{
    check_levels(DYNAMIC "," SPREAD(BY("zone", 1, 1)), "upstream", "unsupported_constraint zone:3");
    check_levels(DYNAMIC "," SPREAD(BY("zone", 1, 1) ",{'spreadByLabel':'x'}"), NULL,
                 "unsupported_constraint zone:3");
    check_levels(DYNAMIC "," SPREAD(BY("provider", 1, 2) "," BY("zone", 2, 2)), "design",
                 "invalid_policy provider:2 zone:3");
}
