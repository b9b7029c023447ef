/* SPDX-License-Identifier: Apache-2.0 */
/* Which Placements an event concerns: each row is one event, and how many cycles come of it. */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"
#define SET_OF(name) "'cluster.open-cluster-management.io/clusterset':'" name "'"

/* Who is selected stays selected. */
#define STEADY(more)                                                                               \
    "'prioritizerPolicy':{'mode':'Exact','configurations':[{'name':'Steady','weight':10}" more "]" \
    "}"

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct fleet {
    struct frame_rig *rig;
};

static void add_placement(struct frame_rig *rig, const char *key, const char *spec)
{
    frame_rig_add(rig, &skr_resource_placements, key, "{'metadata':{" OWNED "},'spec':%s}", spec);
}

/* Sets s1 (clusters a1, a2), s2 (b1) and s3 (c1, bound nowhere). Namespace one is bound to s1 and s2,
 * two to s1. Every answer is the first cluster by name, whatever happens below. */
static void fleet_set_up(struct fleet *fleet)
{
    static const struct {
        const char *name, *set;
    } clusters[] = {{"a1", "s1"}, {"a2", "s1"}, {"b1", "s2"}, {"c1", "s3"}};
    struct frame_rig *rig = frame_rig_create(&skr_placement_scheduler, &settings);
    fleet->rig = rig;
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
        frame_rig_add(rig, &skr_resource_managed_clusters, clusters[i].name,
                      "{'metadata':{'labels':{'cluster.open-cluster-management.io/clusterset':"
                      "'%s'}},'status':{'allocatable':{'cpu':'4'},'capacity':{'cpu':'8'}}}",
                      clusters[i].set);
    }
    for (int i = 1; i <= 3; i++) {
        frame_rig_add(rig, &skr_resource_cluster_sets, test_text("s%d", i), "{'spec':{}}");
    }
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, "one/s1",
                  "{'spec':{'clusterSet':'s1'}}");
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, "one/s2",
                  "{'spec':{'clusterSet':'s2'}}");
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, "two/s1",
                  "{'spec':{'clusterSet':'s1'}}");
    frame_rig_add(rig, &skr_resource_addon_scores, "a2/load",
                  "{'status':{'scores':[{'name':'cpu','value':-1}]}}");
    add_placement(rig, "one/any", "{'numberOfClusters':1," STEADY("") "}");
    add_placement(rig, "one/only-s1", "{'numberOfClusters':1,'clusterSets':['s1']," STEADY("") "}");
    add_placement(rig, "one/only-s2", "{'numberOfClusters':1,'clusterSets':['s2']," STEADY("") "}");
    add_placement(rig, "one/resources",
                  "{'numberOfClusters':1,'clusterSets':['s1']," STEADY(
                      ",{'name':'ResourceAllocatableCPU','weight':1}") "}");
    add_placement(rig, "one/weighs-nothing",
                  "{'numberOfClusters':1,'clusterSets':['s1']," STEADY(
                      ",{'name':'ResourceRatioCPU','weight':0}") "}");
    add_placement(rig, "two/scores",
                  "{'numberOfClusters':1," STEADY(
                      ",{'scoreCoordinate':{'type':'AddOn','addOn':{'resourceName':'load',"
                      "'scoreName':'cpu'}}}") "}");
    frame_rig_add(rig, &skr_resource_placements, "one/foreign", "{'spec':{'numberOfClusters':1}}");
    frame_rig_add(rig, &skr_resource_placement_decisions, "one/foreign-decision-1",
                  "{'metadata':{'labels':{'cluster.open-cluster-management.io/placement':'foreign'"
                  "}},'status':{'decisions':[{'clusterName':'a2','reason':''}]}}");
    frame_rig_start(rig);
}

static void fleet_tear_down(struct fleet *fleet)
{
    frame_rig_destroy(fleet->rig);
}

static uint64_t cycles_of(const struct frame_rig *rig)
{
    struct skr_placement_counts counts;
    skr_placement_count(skr_engine_self(rig->engine), &counts);
    return counts.cycles;
}

/* One edit of an object that is there, or a new object. */
struct event {
    const char *title;
    const struct skr_resource *resource;
    const char *key, *json;
    int cycles;
    bool creates;
};
static const struct event events[] = {
    {"a lease is renewed", &skr_resource_managed_clusters, "a2",
     "{'metadata':{'annotations':{'renewed':'1'}}}", 0, false},
    {"a condition", &skr_resource_managed_clusters, "a2",
     "{'status':{'conditions':[{'type':'Available','status':'False'}]}}", 0, false},
    {"a version", &skr_resource_managed_clusters, "a2",
     "{'status':{'version':{'kubernetes':'1.36'}}}", 0, false},
    {"a label: who is bound to s1", &skr_resource_managed_clusters, "a2",
     "{'metadata':{'labels':{'zone':'z'}}}", 5, false},
    {"a label of s2", &skr_resource_managed_clusters, "b1", "{'metadata':{'labels':{'zone':'z'}}}",
     2, false},
    {"a cluster that nobody is bound to", &skr_resource_managed_clusters, "c1",
     "{'metadata':{'labels':{'zone':'z'}}}", 0, false},
    {"from s1 to s2: both", &skr_resource_managed_clusters, "a2",
     "{'metadata':{'labels':{" SET_OF("s2") "}}}", 6, false},
    {"from s3, bound nowhere, to s2", &skr_resource_managed_clusters, "c1",
     "{'metadata':{'labels':{" SET_OF("s2") "}}}", 2, false},
    {"a taint", &skr_resource_managed_clusters, "a2",
     "{'spec':{'taints':[{'key':'k','effect':'NoSelect'}]}}", 5, false},
    {"a claim", &skr_resource_managed_clusters, "a2",
     "{'status':{'clusterClaims':[{'name':'n','value':'v'}]}}", 5, false},
    {"resources: who weighs them", &skr_resource_managed_clusters, "a2",
     "{'status':{'allocatable':{'cpu':'3'}}}", 1, false},
    {"capacity, too", &skr_resource_managed_clusters, "a2", "{'status':{'capacity':{'cpu':'9'}}}",
     1, false},
    {"resources of a cluster of s2", &skr_resource_managed_clusters, "b1",
     "{'status':{'allocatable':{'cpu':'3'}}}", 0, false},
    {"a new cluster of s1", &skr_resource_managed_clusters, "z1",
     "{'metadata':{'labels':{" SET_OF("s1") "}}}", 5, true},
    {"a set's spec", &skr_resource_cluster_sets, "s2", "{'spec':{'clusterSelector':{}}}", 2, false},
    {"a set that is bound nowhere", &skr_resource_cluster_sets, "s3",
     "{'spec':{'clusterSelector':{}}}", 0, false},
    {"a set's label and status", &skr_resource_cluster_sets, "s2",
     "{'metadata':{'labels':{'x':'y'}},'status':{'conditions':[{'type':'ClusterSetEmpty'}]}}", 0,
     false},
    {"a binding's label and status", &skr_resource_cluster_set_bindings, "one/s2",
     "{'metadata':{'labels':{'x':'y'}},'status':{'conditions':[{'type':'Bound'}]}}", 0, false},
    {"a new binding", &skr_resource_cluster_set_bindings, "two/s2", "{'spec':{'clusterSet':'s2'}}",
     1, true},
    {"a score: who reads it", &skr_resource_addon_scores, "a2/load",
     "{'status':{'scores':[{'name':'cpu','value':2}]}}", 1, false},
    {"a score's condition", &skr_resource_addon_scores, "a2/load",
     "{'status':{'conditions':[{'type':'x'}]}}", 0, false},
    {"a score that nobody reads", &skr_resource_addon_scores, "a2/other",
     "{'status':{'scores':[{'name':'cpu','value':2}]}}", 0, true},
    {"a score of a cluster elsewhere", &skr_resource_addon_scores, "b1/load",
     "{'status':{'scores':[{'name':'cpu','value':2}]}}", 0, true},
    {"a Placement's spec", &skr_resource_placements, "one/any", "{'spec':{'tolerations':[]}}", 1,
     false},
    {"its own status", &skr_resource_placements, "one/any",
     "{'status':{'numberOfSelectedClusters':1}}", 0, false},
    {"its spread mode", &skr_resource_placements, "one/any",
     "{'metadata':{'annotations':{'sakkara.placement.spread-mode':'lexicographic'}}}", 1, false},
    {"a foreign Placement", &skr_resource_placements, "one/foreign", "{'spec':{'tolerations':[]}}",
     0, false},
    {"decisions of others: Balance reads them later", &skr_resource_placement_decisions,
     "one/foreign-decision-1", "{'status':{'decisions':[{'clusterName':'b1','reason':''}]}}", 0,
     false},
};
TEST_EACH(event, events, an_event_concerns_these_placements_and_no_others)
{
    struct fleet fleet;
    fleet_set_up(&fleet);
    frame_rig_advance(fleet.rig, SKR_SECOND);
    const uint64_t before = cycles_of(fleet.rig);
    if (event->creates) {
        frame_rig_add(fleet.rig, event->resource, event->key, "%s", event->json);
    } else {
        frame_rig_edit(fleet.rig, event->resource, event->key, "%s", event->json);
    }
    frame_rig_run(fleet.rig);
    assert_int_equal(cycles_of(fleet.rig) - before, event->cycles);
    fleet_tear_down(&fleet);
}

TEST_WITH(fleet, a_cluster_that_goes_concerns_whoever_could_use_it)
{
    const uint64_t before = cycles_of(fleet->rig);
    frame_rig_delete(fleet->rig, &skr_resource_managed_clusters, "a2");
    frame_rig_run(fleet->rig);
    assert_int_equal(cycles_of(fleet->rig) - before, 5);
}

/* Its decision is written again; the next cycle sees its own answer. */
TEST_WITH(fleet, a_decision_that_somebody_edited_is_repaired_and_nobody_else_runs)
{
    const uint64_t before = cycles_of(fleet->rig);
    frame_rig_edit(fleet->rig, &skr_resource_placement_decisions, "one/any-decision-1",
                   "{'status':{'decisions':[{'clusterName':'b1','reason':''}]}}");
    frame_rig_run(fleet->rig);
    assert_in_range(cycles_of(fleet->rig) - before, 1, 2);
}

TEST_WITH(fleet, every_placement_is_looked_at_again_after_ten_minutes)
{
    const uint64_t before = cycles_of(fleet->rig);
    frame_rig_advance(fleet->rig, 590 * SKR_SECOND);
    assert_int_equal(cycles_of(fleet->rig), before);
    frame_rig_advance(fleet->rig, 20 * SKR_SECOND);
    assert_int_equal(cycles_of(fleet->rig) - before, 6);
}

/* Decided clusters with a toleration that ends, and scores that expire, have timers. */
TEST_WITH(fleet, the_end_of_a_toleration_is_a_reason_to_look_again)
{
    char added[40];
    const skr_time now = fleet->rig->now / SKR_SECOND * SKR_SECOND;
    skr_time_write(now, 0, added, sizeof added);
    add_placement(fleet->rig, "two/tolerates",
                  "{'numberOfClusters':1,'tolerations':[{'key':'k','operator':'Exists',"
                  "'tolerationSeconds':30}]}");
    frame_rig_run(fleet->rig);
    frame_rig_edit(fleet->rig, &skr_resource_managed_clusters, "a1",
                   "{'spec':{'taints':[{'key':'k','effect':'NoSelect','timeAdded':'%s'}]}}", added);
    frame_rig_edit(fleet->rig, &skr_resource_managed_clusters, "a2",
                   "{'spec':{'taints':[{'key':'k','effect':'NoSelect','timeAdded':'%s'}]}}", added);
    frame_rig_run(fleet->rig);
    const json_t *object =
        frame_rig_get(fleet->rig, &skr_resource_placement_decisions, "two/tolerates-decision-1");
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(object, "status"), "decisions")), 1);
    frame_rig_advance(fleet->rig, 40 * SKR_SECOND);
    object =
        frame_rig_get(fleet->rig, &skr_resource_placement_decisions, "two/tolerates-decision-1");
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(object, "status"), "decisions")), 0);
}

TEST_WITH(fleet, a_score_that_has_expired_is_no_reason_to_try_again)
{
    frame_rig_edit(fleet->rig, &skr_resource_addon_scores, "a2/load",
                   "{'status':{'validUntil':'2020-01-01T00:00:00Z'}}");
    frame_rig_run(fleet->rig);
    const uint64_t before = cycles_of(fleet->rig);
    frame_rig_advance(fleet->rig, 500 * SKR_SECOND);
    assert_int_equal(cycles_of(fleet->rig), before);
}

/* How many cycles an edit of a cluster of s1 leads to. */
static uint64_t cycles_after(struct fleet *fleet, const struct skr_resource *resource,
                             const char *key, const char *edit)
{
    const uint64_t before = cycles_of(fleet->rig);
    frame_rig_edit(fleet->rig, resource, key, "%s", edit);
    frame_rig_run(fleet->rig);
    return cycles_of(fleet->rig) - before;
}

TEST_WITH(fleet, a_placement_with_expressions_follows_whatever_they_can_read)
{
    static const char spec[] =
        "{'numberOfClusters':1,'predicates':[{'requiredClusterSelector':{'celSelector':{"
        "'celExpressions':['%s']}}}],'prioritizerPolicy':{'mode':'Exact'}}";
    char text[400];
    snprintf(text, sizeof text, spec, "has(managedCluster.status.version)");
    add_placement(fleet->rig, "two/objects", text);
    snprintf(text, sizeof text, spec, "managedCluster.scores(\\\"load\\\").size() > 0");
    add_placement(fleet->rig, "two/read-scores", text);
    frame_rig_run(fleet->rig);
    const struct skr_resource *clusters = &skr_resource_managed_clusters;
    assert_int_equal(cycles_after(fleet, clusters, "a2", "{'metadata':{'annotations':{'x':'1'}}}"),
                     2);
    assert_int_equal(
        cycles_after(fleet, clusters, "a2", "{'status':{'version':{'kubernetes':'1.36'}}}"), 2);
    assert_int_equal(cycles_after(fleet, clusters, "a2", "{'status':{'allocatable':{'cpu':'3'}}}"),
                     3); /* that of resources, too */
    assert_int_equal(cycles_after(fleet, clusters, "a2", "{'metadata':{'labels':{'z':'1'}}}"), 7);
    /* managedFields and resourceVersion change alone: nothing that an expression sees */
    assert_int_equal(cycles_after(fleet, clusters, "a2", "{'metadata':{'managedFields':[{}]}}"), 0);
    assert_int_equal(cycles_after(fleet, &skr_resource_addon_scores, "a2/load",
                                  "{'status':{'scores':[{'name':'cpu','value':5}]}}"),
                     2); /* that which weighs it, and that which reads it */
}
