/* SPDX-License-Identifier: Apache-2.0 */
/* How often Placements are decided: once, until something changes that they depend on. */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

#define DECISIONS  (&skr_resource_placement_decisions)
#define PLACEMENTS (&skr_resource_placements)
#define CLUSTERS   (&skr_resource_managed_clusters)
#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"
#define EXACT(configurations) \
    "'prioritizerPolicy':{'mode':'Exact','configurations':[" configurations "]}"
#define BALANCE "{'name':'Balance'}"
#define CPU     "{'name':'ResourceAllocatableCPU'}"
#define ADDON                                                                                \
    "{'scoreCoordinate':{'type':'AddOn','addOn':{'resourceName':'load','scoreName':'cpu'}}," \
    "'weight':10}"

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct hub {
    struct frame_rig *rig;
    int n_clusters;
};

static void hub_set_up(struct hub *hub)
{
    hub->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    frame_rig_add(
        hub->rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    frame_rig_add(hub->rig, &skr_resource_cluster_set_bindings, "ns/all",
                  "{'spec':{'clusterSet':'all'}}");
}

static void hub_tear_down(struct hub *hub)
{
    frame_rig_destroy(hub->rig);
}

static void add_clusters(struct hub *hub, int n)
{
    for (int i = 0; i < n; i++) {
        frame_rig_add(hub->rig, CLUSTERS, test_text("c%03d", hub->n_clusters++),
                      "{'status':{'allocatable':{'cpu':'%d'},'capacity':{'cpu':'64'}}}",
                      i * 7 % 60);
    }
}

static void add_placement(struct hub *hub, const char *name, const char *spec)
{
    frame_rig_add(hub->rig, PLACEMENTS, test_text("ns/%s", name),
                  "{'metadata':{" OWNED "},'spec':%s}", spec);
}

static void add_placements(struct hub *hub, int n, const char *spec)
{
    for (int i = 0; i < n; i++) {
        add_placement(hub, test_text("p%03d", i), spec);
    }
}

static size_t statuses_of(const struct hub *hub, const struct skr_resource *resource)
{
    const struct frame_rig_match match = {.resource = resource, .subresource = "status"};
    return frame_rig_writes(hub->rig, &match);
}

static const char *decided(const struct hub *hub, const char *placement, size_t i)
{
    const json_t *status = json_object_get(
        frame_rig_get(hub->rig, DECISIONS, test_text("ns/%s-decision-1", placement)), "status");
    const json_t *entry = json_array_get(json_object_get(status, "decisions"), i);
    const char *name = json_string_value(json_object_get(entry, "clusterName"));
    return name ? name : "";
}

/* How many of the Placements p000... have the cluster. */
static int load_of(const struct hub *hub, int placements, int cluster)
{
    char placement[16], name[16];
    int n = 0;
    snprintf(name, sizeof name, "c%03d", cluster);
    for (int p = 0; p < placements; p++) {
        snprintf(placement, sizeof placement, "p%03d", p);
        for (size_t i = 0; decided(hub, placement, i)[0]; i++) {
            n += strcmp(decided(hub, placement, i), name) == 0;
        }
    }
    return n;
}

static void expect_no_statuses(struct hub *hub)
{
    assert_int_equal(statuses_of(hub, DECISIONS), 0);
    assert_int_equal(statuses_of(hub, PLACEMENTS), 0);
}

/* Ten Placements want 50 of 28 clusters: each is in one or two of them. */
TEST_WITH(hub, ten_placements_at_once_are_decided_once_and_share_the_clusters_evenly)
{
    add_clusters(hub, 28);
    frame_rig_start(hub->rig);
    add_placements(hub, 10, "{'numberOfClusters':5," EXACT(BALANCE) "}");
    frame_rig_run(hub->rig);
    assert_int_equal(statuses_of(hub, DECISIONS), 10);
    assert_int_equal(statuses_of(hub, PLACEMENTS), 10);
    for (int i = 0; i < 28; i++) {
        assert_in_range(load_of(hub, 10, i), 1, 2);
    }
    frame_rig_forget_writes(hub->rig);
    frame_rig_advance(hub->rig, 1300 * SKR_SECOND);
    frame_rig_restart(hub->rig);
    expect_no_statuses(hub);
}

TEST_WITH(hub, a_hundred_placements_on_a_hundred_clusters_write_a_hundred_decisions)
{
    add_clusters(hub, 100);
    frame_rig_start(hub->rig);
    add_placements(hub, 100, "{'numberOfClusters':5," EXACT(BALANCE "," CPU) "}");
    frame_rig_run(hub->rig);
    assert_int_equal(statuses_of(hub, DECISIONS), 100);
    assert_int_equal(statuses_of(hub, PLACEMENTS), 100);
    frame_rig_forget_writes(hub->rig);
    frame_rig_advance(hub->rig, 1300 * SKR_SECOND);
    frame_rig_restart(hub->rig);
    expect_no_statuses(hub);
}

/* Both are on c000 when their first write is refused: the next try counts the other one. */
TEST_WITH(hub, a_cycle_that_failed_decides_anew_and_counts_no_more_where_it_wanted_to_go)
{
    const struct frame_rig_match match = {.resource = DECISIONS, .key = "ns/p000-decision-1"};
    add_clusters(hub, 2);
    frame_rig_start(hub->rig);
    frame_rig_fault(hub->rig, FRAME_FAULT_BUSY, 1, &match);
    add_placements(hub, 1, "{'numberOfClusters':1," EXACT(BALANCE) "}");
    frame_rig_run(hub->rig);
    assert_string_equal(decided(hub, "p000", 0), "");
    add_placement(hub, "late", "{'numberOfClusters':1," EXACT(BALANCE) "}");
    frame_rig_run(hub->rig);
    assert_string_equal(decided(hub, "late", 0), "c000");
    frame_rig_advance(hub->rig, SKR_SECOND);
    assert_string_equal(decided(hub, "p000", 0), "c001");
}

static const char *condition(const struct hub *hub, const char *key, size_t i, const char *field)
{
    const json_t *status = json_object_get(frame_rig_get(hub->rig, PLACEMENTS, key), "status");
    const json_t *entry = json_array_get(json_object_get(status, "conditions"), i);
    const char *text = json_string_value(json_object_get(entry, field));
    return text ? text : "";
}

/* A label has at most 63 characters: the API server refuses every decision of the Placement. */
TEST_WITH(hub, a_placement_with_a_name_too_long_for_a_label_is_said_once_to_be_so)
{
#define LONG "a123456789b123456789c123456789d123456789e123456789f123456789"
    add_clusters(hub, 1);
    frame_rig_add(hub->rig, PLACEMENTS, "ns/" LONG "123", "{'metadata':{" OWNED "},'spec':{}}");
    frame_rig_add(hub->rig, PLACEMENTS, "ns/" LONG "1234", "{'metadata':{" OWNED "},'spec':{}}");
    frame_rig_start(hub->rig);
    frame_rig_advance(hub->rig, 1300 * SKR_SECOND);
    assert_int_equal(frame_rig_count(hub->rig, DECISIONS), 1);
    assert_int_equal(statuses_of(hub, PLACEMENTS), 2);
    assert_string_equal(condition(hub, "ns/" LONG "123", 1, "reason"), "Succeedconfigured");
    assert_string_equal(condition(hub, "ns/" LONG "123", 1, "message"),
                        "Placement configurations check pass");
    assert_string_equal(condition(hub, "ns/" LONG "1234", 1, "message"),
                        "Placement:the name has 64 characters, and the label of its decisions at "
                        "most 63; create it with a shorter name");
    assert_string_equal(condition(hub, "ns/" LONG "1234", 0, "message"), "No cluster was selected");
}

/* Four others have a cluster that is gone, one has c000: of four, one is 50 and not -100. */
TEST_WITH(hub, a_cluster_that_is_gone_counts_for_the_greatest_load)
{
    add_clusters(hub, 2);
    frame_rig_add(hub->rig, &skr_resource_addon_scores, "c000/load",
                  "{'status':{'scores':[{'name':'cpu','value':8}]}}");
    for (int i = 0; i < 4; i++) {
        frame_rig_add(hub->rig, DECISIONS, test_text("ns/o%d-decision-1", i),
                      "{'metadata':{'labels':{'cluster.open-cluster-management.io/placement':'o%d'}"
                      "},'status':{'decisions':[{'clusterName':'gone','reason':''}%s]}}",
                      i, i == 0 ? ",{'clusterName':'c000','reason':''}" : "");
    }
    add_placement(hub, "p", "{'numberOfClusters':1," EXACT(ADDON "," BALANCE) "}");
    frame_rig_start(hub->rig);
    assert_string_equal(decided(hub, "p", 0), "c000");
}

/* What Balance holds after a restart, and what it does not. */
struct gap {
    const char *title;
    const struct skr_resource *resource; /* NULL: nothing happens */
    const char *key, *json;              /* what happens while no daemon runs */
    const char *first, *second;          /* clusters of p000, which had c000 and c001, then */
};
static const struct gap gaps[] = {
    {"nothing", NULL, NULL, NULL, "c000", "c001"},
    {"others come to its clusters", DECISIONS, "ns/foreign-decision-1",
     "{'status':{'decisions':[{'clusterName':'c000','reason':''}]}}", "c000", "c001"},
    {"a cluster is tainted", CLUSTERS, "c000",
     "{'spec':{'taints':[{'key':'k','effect':'NoSelect'}]}}", "c001", "c002"},
    {"another cluster is tainted", CLUSTERS, "c003",
     "{'spec':{'taints':[{'key':'k','effect':'NoSelect'}]}}", "c000", "c001"},
    {"it wants other clusters", PLACEMENTS, "ns/p000",
     "{'spec':{'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchExpressions':["
     "{'key':'old','operator':'DoesNotExist'}]}}}]}}",
     "c001", "c002"},
    {"it wants fewer clusters", PLACEMENTS, "ns/p000", "{'spec':{'numberOfClusters':1}}", "c001",
     ""},
};
TEST_EACH(gap, gaps, what_was_decided_stands_until_filters_number_or_spec_say_otherwise)
{
    struct hub hub = {0};
    hub_set_up(&hub);
    add_clusters(&hub, 4);
    frame_rig_edit(hub.rig, CLUSTERS, "c000", "{'metadata':{'labels':{'old':'yes'}}}");
    add_placements(&hub, 1, "{'numberOfClusters':2," EXACT(BALANCE) "}");
    frame_rig_start(hub.rig);
    assert_string_equal(decided(&hub, "p000", 0), "c000");
    assert_string_equal(decided(&hub, "p000", 1), "c001");
    frame_rig_lead(hub.rig, false);
    frame_rig_add(hub.rig, DECISIONS, "ns/foreign-decision-1",
                  "{'metadata':{'labels':{'cluster.open-cluster-management.io/placement':'foreign'}"
                  "},'status':{'decisions':[{'clusterName':'c000','reason':''},{'clusterName':"
                  "'c003','reason':''}]}}");
    if (gap->resource) {
        frame_rig_edit(hub.rig, gap->resource, gap->key, "%s", gap->json);
    }
    frame_rig_restart(hub.rig);
    frame_rig_lead(hub.rig, true);
    assert_string_equal(decided(&hub, "p000", 0), gap->first);
    assert_string_equal(decided(&hub, "p000", 1), gap->second);
    hub_tear_down(&hub);
}

/* c001 has 50 and c002 10; Balance with weight 1 moves totals by at most 200. */
struct score {
    const char *title;
    int value; /* of c002, changed while no daemon ran */
    const char *pure, *balanced, *spread;
};
static const struct score scores[] = {
    {"less than c001", 49, "c001", "c001", "c001"},
    {"more, and Balance could explain it", 60, "c002", "c001", "c001"},
    {"more than Balance can explain", 80, "c002", "c002", "c001"},
};
TEST_EACH(score, scores, what_was_decided_stands_while_balance_can_explain_it)
{
    struct hub hub = {0};
    hub_set_up(&hub);
    add_clusters(&hub, 3);
    frame_rig_add(hub.rig, &skr_resource_addon_scores, "c001/load",
                  "{'status':{'scores':[{'name':'cpu','value':50}]}}");
    frame_rig_add(hub.rig, &skr_resource_addon_scores, "c002/load",
                  "{'status':{'scores':[{'name':'cpu','value':10}]}}");
    add_placement(&hub, "pure", "{'numberOfClusters':1," EXACT(ADDON) "}");
    add_placement(&hub, "balanced", "{'numberOfClusters':1," EXACT(ADDON "," BALANCE) "}");
    add_placement(
        &hub, "spread",
        "{'numberOfClusters':1,'spreadPolicy':{'spreadConstraints':[{'topologyKey':'zone',"
        "'topologyKeyType':'Label'}]}," EXACT(ADDON "," BALANCE) "}");
    frame_rig_start(hub.rig);
    frame_rig_lead(hub.rig, false);
    frame_rig_edit(hub.rig, &skr_resource_addon_scores, "c002/load",
                   "{'status':{'scores':[{'name':'cpu','value':%d}]}}", score->value);
    frame_rig_restart(hub.rig);
    frame_rig_lead(hub.rig, true);
    assert_string_equal(decided(&hub, "pure", 0), score->pure);
    assert_string_equal(decided(&hub, "balanced", 0), score->balanced);
    assert_string_equal(decided(&hub, "spread", 0), score->spread);
    frame_rig_edit(hub.rig, &skr_resource_addon_scores, "c002/load",
                   "{'status':{'scores':[{'name':'cpu','value':100}]}}");
    frame_rig_run(hub.rig);
    assert_string_equal(decided(&hub, "spread", 0), "c002");
    hub_tear_down(&hub);
}

/* The edit comes while the cycle writes: the cycle undoes it before it ends. */
TEST_WITH(hub, a_decision_that_others_edit_while_it_is_written_ends_as_decided)
{
    add_clusters(hub, 3);
    frame_rig_start(hub->rig);
    add_placements(hub, 1, "{'numberOfClusters':1," EXACT(BALANCE) "}");
    hub->rig->hold_watch = DECISIONS;
    frame_rig_run(hub->rig);
    frame_rig_edit(hub->rig, PLACEMENTS, "ns/p000", "{'spec':{'numberOfClusters':2}}");
    frame_rig_edit(hub->rig, DECISIONS, "ns/p000-decision-1",
                   "{'status':{'decisions':[{'clusterName':'c002','reason':''}]}}");
    frame_rig_run(hub->rig);
    hub->rig->hold_watch = NULL;
    frame_rig_advance(hub->rig, SKR_SECOND);
    assert_string_equal(decided(hub, "p000", 0), "c000");
    assert_string_equal(decided(hub, "p000", 1), "c001");
}
