/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about bindings, by table. Clusters are written "name provider/region/zone score/room",
 * parts of a place may be missing ("-": none); a third number of the last word is what runs there.
 * The answer is what goes where, or the code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/propagation/decision.h"
#include "core/propagation/divide.h"
#include "core/propagation/strategy.h"
#include "test/test.h"
#include "test/unit/json_text.h"
#include "topology/base/strbuf.h"

enum { CLUSTERS_MAX = 700 };

#define DYNAMIC                                                                           \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Weighted','weightPreference':{'dynamicWeight':'AvailableReplicas'}}"
#define AGGREGATED                                                                        \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Aggregated'}"
#define WEIGHTED "'replicaScheduling':{'replicaSchedulingType':'Divided'}"
#define EMPTY_WEIGHTS                                                                     \
    "'replicaScheduling':{'replicaSchedulingType':'Divided','replicaDivisionPreference':" \
    "'Weighted','weightPreference':{}}"
#define SPREAD(list) "'spreadConstraints':[" list "]"
#define BY(field, min, max) \
    "{'spreadByField':'" field "','minGroups':" #min ",'maxGroups':" #max "}"

struct world {
    size_t n;
    struct skr_member_cluster *cluster[CLUSTERS_MAX];
    struct skr_strbuf targets; /* of spec.clusters */
};

static void read_cluster(struct world *world, const char *word[3])
{
    struct skr_strbuf text;
    struct skr_error error = {.text = ""};
    char place[3][16] = {"", "", ""};
    char score[16] = "0";
    char room[16] = "0";
    char runs[16] = "";
    skr_strbuf_init(&text);
    (void)sscanf(word[1], "%15[^/]/%15[^/]/%15s", place[0], place[1], place[2]);
    (void)sscanf(word[2], "%15[^/]/%15[^/]/%15s", score, room, runs);
    for (size_t i = 0; i < 3; i++) {
        place[i][0] = place[i][0] == '-' ? '\0' : place[i][0];
    }
    skr_strbuf_addf(&text,
                    "{'metadata':{'name':'%s','annotations':{'sakkara.simulate/score':'%s',"
                    "'sakkara.simulate/room':'%s'}},'spec':{'provider':'%s','region':'%s','zones':"
                    "[%s%s%s]},'status':{'apiEnablements':[{'groupVersion':'apps/v1','resources':["
                    "{'kind':'Deployment'}]}]}}",
                    word[0], score, room, place[0], place[1], place[2][0] ? "'" : "", place[2],
                    place[2][0] ? "'" : "");
    json_t *json = json_text_load(text.s);
    if (skr_member_cluster_decode(json, &world->cluster[world->n], &error) < 0) {
        fail_msg("%s", error.text);
    }
    world->n++;
    json_decref(json);
    skr_strbuf_fini(&text);
    if (runs[0] != '\0') {
        skr_strbuf_addf(&world->targets, "%s{'name':'%s','replicas':%s}",
                        world->targets.len > 0 ? "," : "", word[0], runs);
    }
}

static void read_clusters(struct world *world, const char *text)
{
    char copy[1024];
    char *save = NULL;
    const char *word[3];
    size_t n = 0;
    skr_strbuf_init(&world->targets);
    snprintf(copy, sizeof copy, "%s", text);
    for (char *next = strtok_r(copy, " ", &save); next; next = strtok_r(NULL, " ", &save)) {
        word[n++] = next;
        if (n == 3) {
            read_cluster(world, word);
            n = 0;
        }
    }
    assert_int_equal(n, 0);
}

static struct skr_binding *read_binding(struct world *world, int replicas, const char *placement,
                                        const char *more)
{
    struct skr_strbuf text;
    struct skr_binding *binding = NULL;
    struct skr_error error = {.text = ""};
    skr_strbuf_init(&text);
    skr_strbuf_addf(
        &text,
        "{'metadata':{'name':'web','namespace':'default'},'spec':{'replicas':%d,"
        "'resource':{'apiVersion':'apps/v1','kind':'Deployment','name':'web','uid':"
        "'0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a11'},'clusters':[%s],'placement':{%s}%s%s}}",
        replicas, world->targets.len > 0 ? world->targets.s : "", placement, more ? "," : "",
        more ? more : "");
    json_t *json = json_text_load(text.s);
    if (skr_binding_decode(json, &binding, &error) < 0) {
        fail_msg("%s", error.text);
    }
    json_decref(json);
    skr_strbuf_fini(&text);
    return binding;
}

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
    const char *title;
    const char *clusters;
    int replicas;
    const char *placement;
    const char *want;
    const char *more;    /* members of spec besides; NULL: none */
    const char *options; /* "upstream", "design", "name=value ..."; NULL: default */
};

static void set_options(const char *text, struct skr_propagation_options *options)
{
    char copy[200];
    char *save = NULL;
    skr_propagation_options_init(options, SKR_PROFILE_DEFAULT);
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        enum skr_propagation_profile profile;
        char *equals = strchr(word, '=');
        if (!equals) {
            assert_int_equal(skr_propagation_profile_find(word, &profile, NULL), 0);
            skr_propagation_options_init(options, profile);
            continue;
        }
        *equals = '\0';
        assert_int_equal(skr_propagation_options_set(options, word, equals + 1, NULL), 0);
    }
}

static void check(const struct row *row)
{
    struct world world = {.n = 0};
    struct skr_propagation_options options;
    struct skr_binding_decision *decision = NULL;
    struct skr_strbuf answer;
    skr_strbuf_init(&answer);
    read_clusters(&world, row->clusters);
    set_options(row->options, &options);
    struct skr_binding *binding = read_binding(&world, row->replicas, row->placement, row->more);
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world.cluster,
                                        world.n, &options, NULL, &decision, NULL),
                     0);
    write_answer(decision, &answer);
    if (strcmp(answer.s, row->want) != 0) {
        fail_msg("%s: %s (%s), not %s", row->title, answer.s, decision->message, row->want);
    }
    skr_binding_decision_destroy(decision);
    skr_binding_destroy(binding);
    for (size_t i = 0; i < world.n; i++) {
        skr_member_cluster_destroy(world.cluster[i]);
    }
    skr_strbuf_fini(&world.targets);
    skr_strbuf_fini(&answer);
}

#define FIVE "a p1/r1/z1 100/3 b p1/r1/z1 0/5 c p1/r2/z2 100/2 d p1/r2/z2 0/4 e p2/r3/z3 0/9"
#define FOUR "a - 100/4 b - 100/3 c - 0/5 d - 0/11 e - 0/8"

static const struct row examples[] = {
    {"dynamic weights are room", "a - 0/9 b - 0/6 c - 0/3", 12, DYNAMIC, "a6 b4 c2", 0, 0},
    {"growth keeps what runs", "a - 100/1/3 b - 0/5/3 c - 0/4", 10, DYNAMIC, "a3 b5 c2", 0, 0},
    {"shrinking is by what runs", "a - 0/0/6 b - 0/0/3 c - 0/0/1", 5, DYNAMIC, "a3 b1 c1", 0, 0},
    {"aggregated takes the roomiest", "a - 0/5 b - 0/9 c - 0/4", 12, AGGREGATED, "a4 b8", 0, 0},
    {"aggregated growth begins where it runs", "a - 0/2/4 b - 0/9 c - 0/20", 9, AGGREGATED, "a4 c5",
     0, 0},
    {"clusters in order", FOUR, 17, DYNAMIC "," SPREAD(BY("cluster", 2, 3)), "a4 b3 d10", 0, 0},
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
    {"replicas lowered to 0, listed", "a - 0/3/2", 0, DYNAMIC, "a0", "'replicaRequirements':{}",
     "emptyWorkloadPropagation=on"},
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
    struct world world = {.n = 0};
    struct skr_propagation_options by_default;
    struct skr_binding_decision *decision = NULL;
    read_clusters(&world, "a - 0/1");
    world.cluster[0]->meta.deleting = true;
    set_options(NULL, &by_default);
    struct skr_binding *binding =
        read_binding(&world, 1, "'clusterAffinity':{'clusterNames':['x']}",
                     "'gracefulEvictionTasks':[{'fromCluster':'a'}]");
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world.cluster, 1,
                                        &by_default, NULL, &decision, NULL),
                     0);
    assert_int_equal(decision->rejected[0], 1U << SKR_FILTER_DELETING |
                                                1U << SKR_FILTER_CLUSTER_AFFINITY |
                                                1U << SKR_FILTER_CLUSTER_EVICTION);
    skr_binding_decision_destroy(decision);
    skr_binding_destroy(binding);
    skr_member_cluster_destroy(world.cluster[0]);
    skr_strbuf_fini(&world.targets);
}

/* So many regions, of one cluster each, that the table of the search by regions would be too large:
 * (701 positions) * (701 numbers of regions) * (21 numbers of clusters). */
static void check_many_regions(const char *profile)
{
    enum { REGIONS = CLUSTERS_MAX };
    struct world world = {.n = 0};
    struct skr_propagation_options settings;
    struct skr_binding_decision *decision = NULL;
    skr_strbuf_init(&world.targets);
    for (int i = 0; i < REGIONS; i++) {
        char name[16];
        char place[16];
        const char *word[3] = {name, place, "0/1"};
        snprintf(name, sizeof name, "c%03d", i);
        snprintf(place, sizeof place, "-/r%03d", i);
        read_cluster(&world, word);
    }
    set_options(profile, &settings);
    struct skr_binding *binding = read_binding(
        &world, 5, DYNAMIC "," SPREAD(BY("region", 2, 700) "," BY("cluster", 20, 30)), NULL);
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world.cluster,
                                        world.n, &settings, NULL, &decision, NULL),
                     0);
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_true(decision->fell_back);
    assert_int_equal(decision->n_selected, 20);
    skr_binding_decision_destroy(decision);
    skr_binding_destroy(binding);
    for (size_t i = 0; i < world.n; i++) {
        skr_member_cluster_destroy(world.cluster[i]);
    }
    skr_strbuf_fini(&world.targets);
}

TEST(a_search_by_regions_that_gives_up_is_answered_exactly)
{
    check_many_regions(NULL);
}

TEST(ninety_of_a_hundred_regions_are_found)
{
    enum { REGIONS = 100 };
    struct world world = {.n = 0};
    struct skr_propagation_options settings;
    struct skr_binding_decision *decision = NULL;
    skr_strbuf_init(&world.targets);
    for (int i = 0; i < REGIONS; i++) {
        char name[16];
        char place[16];
        const char *word[3] = {name, place, i % 2 == 0 ? "0/1" : "0/2"};
        snprintf(name, sizeof name, "c%03d", i);
        snprintf(place, sizeof place, "p%d/r%03d", i % 3, i);
        read_cluster(&world, word);
    }
    set_options(NULL, &settings);
    struct skr_binding *binding = read_binding(
        &world, 140,
        DYNAMIC "," SPREAD(BY("provider", 1, 3) "," BY("region", 2, 99) "," BY("cluster", 80, 99)),
        NULL);
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world.cluster,
                                        world.n, &settings, NULL, &decision, NULL),
                     0);
    /* 50 of room 2 and 40 of room 1. */
    assert_int_equal(decision->code, SKR_PROPAGATION_PLACED);
    assert_int_equal(decision->n_selected, 90);
    skr_binding_decision_destroy(decision);
    skr_binding_destroy(binding);
    for (size_t i = 0; i < world.n; i++) {
        skr_member_cluster_destroy(world.cluster[i]);
    }
    skr_strbuf_fini(&world.targets);
}

/* Regions of room 2 + 1 and of 1 + 1: with 300 clusters all 190 regions have their first, the rest is
 * filled with the second of the better ones: 100 * 2 + 90 + 110. */
TEST(a_hundred_and_ninety_of_two_hundred_regions_are_found)
{
    enum { REGIONS = 200 };
    static const struct {
        int replicas;
        enum skr_propagation_code code;
    } cases[] = {{400, SKR_PROPAGATION_PLACED}, {401, SKR_PROPAGATION_NO_FEASIBLE_COMBINATION}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world world = {.n = 0};
        struct skr_propagation_options settings;
        struct skr_binding_decision *decision = NULL;
        skr_strbuf_init(&world.targets);
        for (int r = 0; r < REGIONS; r++) {
            for (int c = 0; c < 2; c++) {
                char name[16], place[16];
                const char *word[3] = {name, place, r % 2 == 0 && c == 0 ? "0/2" : "0/1"};
                snprintf(name, sizeof name, "c%03d-%d", r, c);
                snprintf(place, sizeof place, "-/r%03d", r);
                read_cluster(&world, word);
            }
        }
        set_options(NULL, &settings);
        struct skr_binding *binding = read_binding(
            &world, cases[i].replicas,
            DYNAMIC "," SPREAD(BY("region", 150, 190) "," BY("cluster", 250, 300)), NULL);
        assert_int_equal(skr_binding_decide(binding,
                                            (const struct skr_member_cluster *const *)world.cluster,
                                            world.n, &settings, NULL, &decision, NULL),
                         0);
        assert_int_equal(decision->code, cases[i].code);
        assert_null(strstr(decision->message, "too many"));
        skr_binding_decision_destroy(decision);
        skr_binding_destroy(binding);
        for (size_t k = 0; k < world.n; k++) {
            skr_member_cluster_destroy(world.cluster[k]);
        }
        skr_strbuf_fini(&world.targets);
    }
}

TEST(karmada_schedulers_search_that_gives_up_is_answered_exactly)
{
    check_many_regions("upstream");
}

/* The levels of a decision that ended with a code, "zone z1 z2". */
static void check_levels(const char *placement, const char *profile, const char *want)
{
    struct world world = {.n = 0};
    struct skr_propagation_options settings;
    struct skr_binding_decision *decision = NULL;
    struct skr_strbuf levels;
    skr_strbuf_init(&levels);
    read_clusters(&world, FIVE);
    set_options(profile, &settings);
    struct skr_binding *binding = read_binding(&world, 5, placement, NULL);
    assert_int_equal(skr_binding_decide(binding,
                                        (const struct skr_member_cluster *const *)world.cluster,
                                        world.n, &settings, NULL, &decision, NULL),
                     0);
    skr_strbuf_add(&levels, skr_propagation_outcome(decision->code, false).code);
    for (size_t i = 0; i < decision->n_levels; i++) {
        skr_strbuf_addf(&levels, " %s:%zu", skr_spread_field_name(decision->level[i].field),
                        decision->level[i].n);
    }
    assert_string_equal(levels.s, want);
    skr_binding_decision_destroy(decision);
    skr_binding_destroy(binding);
    for (size_t i = 0; i < world.n; i++) {
        skr_member_cluster_destroy(world.cluster[i]);
    }
    skr_strbuf_fini(&world.targets);
    skr_strbuf_fini(&levels);
}

TEST(a_constraint_that_cannot_be_served_is_shown_with_its_groups)
{
    check_levels(DYNAMIC "," SPREAD(BY("zone", 1, 1)), "upstream", "unsupported_constraint zone:3");
    check_levels(DYNAMIC "," SPREAD(BY("zone", 1, 1) ",{'spreadByLabel':'x'}"), "default",
                 "unsupported_constraint zone:3");
    check_levels(DYNAMIC "," SPREAD(BY("provider", 1, 2) "," BY("zone", 2, 2)), "design",
                 "invalid_policy provider:2 zone:3");
}

TEST(hashes_are_those_of_fnv_1a)
{
    assert_int_equal(skr_fnv1a(""), 0x811c9dc5);
    assert_int_equal(skr_fnv1a("a"), 0xe40c292c);
    assert_int_equal(skr_fnv1a("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a11"), 0x7729972c);
    assert_int_equal(skr_fnv1a("0b54a0c7-9c9e-4a3e-8f5d-2f1f6f6c0a12"), 0x7a299be5);
}

TEST(a_tie_goes_by_name_up_or_down)
{
    struct skr_share share[] = {{.name = "a", .weight = 1}, {.name = "b", .weight = 1}};
    skr_divide(share, 2, 3, false);
    assert_int_equal(share[0].given, 2);
    skr_divide(share, 2, 3, true);
    assert_int_equal(share[0].given, 1);
}

TEST(ten_million_replicas_are_divided)
{
    enum { SHARES = 100 };
    static char name[SHARES][8];
    struct skr_share share[SHARES];
    int64_t sum = 0;
    for (size_t i = 0; i < SHARES; i++) {
        snprintf(name[i], sizeof name[i], "c%zu", i);
        share[i] = (struct skr_share){.name = name[i], .weight = (int64_t)(i * i + 1)};
    }
    skr_divide(share, SHARES, 10000000, false);
    for (size_t i = 0; i < SHARES; i++) {
        sum += share[i].given;
    }
    assert_int_equal(sum, 10000000);
}

static enum skr_propagation_code assign_nothing(struct skr_assign_call *call)
{
    (void)call;
    return SKR_PROPAGATION_NO_CANDIDATES;
}

TEST(a_strategy_is_registered_once)
{
    static const struct skr_strategy same_name = {"Duplicated", SKR_DIVISION_UNSUPPORTED,
                                                  assign_nothing};
    static const struct skr_strategy another = {"Another", SKR_DIVISION_UNSUPPORTED,
                                                assign_nothing};
    struct skr_strategies strategies = {.n = 0};
    skr_strategies_register_built_in(&strategies);
    assert_int_equal(strategies.n, 4);
    assert_int_equal(skr_strategies_register(&strategies, &same_name, NULL), -SKR_CONFLICT);
    assert_int_equal(skr_strategies_register(&strategies, &another, NULL), 0);
    assert_ptr_equal(skr_strategies_get(&strategies, SKR_DIVISION_UNSUPPORTED), &another);
}
