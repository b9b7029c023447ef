/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody who may create Placements and PlacementDecisions in one namespace of a hub: what a
 * Placement of his costs is bounded, one event evaluates so many, and others' begin beside his.
 */
#include "core/placement/evaluate.h"
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"
#include "test/unit/growth.h"

#define OCM "cluster.open-cluster-management.io/"
#define OWNED              \
    "'annotations':{'" OCM \
    "experimental-scheduling-disable':'true','sakkara.placement.scheduler':'sakkara'}"

/* ---- one cycle ---- */

struct world {
    size_t n, n_decisions;
    struct skr_managed_cluster **cluster;
    struct skr_placement_decision **decision;
    uint32_t *load;
};

static struct world *world_of(size_t n, size_t n_decisions)
{
    struct world *world = calloc(1, sizeof *world);
    world->n = n;
    world->n_decisions = n_decisions;
    world->cluster = calloc(n, sizeof *world->cluster);
    world->decision = calloc(n_decisions + 1, sizeof *world->decision);
    world->load = calloc(n, sizeof *world->load);
    for (size_t i = 0; i < n; i++) {
        json_t *json =
            json_pack("{s:{s:o, s:{s:s}}}", "metadata", "name", json_sprintf("c%06zu", i), "labels",
                      "zone", i % 2 == 0 ? "a" : "b");
        void *cluster = NULL;
        assert_int_equal(skr_managed_cluster_decode(json, &cluster, NULL), 0);
        world->cluster[i] = cluster;
        json_decref(json);
    }
    for (size_t i = 0; i < n_decisions; i++) {
        json_t *json = json_pack("{s:{s:s, s:o, s:{s:s, s:o, s:s}}, s:{s:[{s:o}]}}", "metadata",
                                 "namespace", "ns", "name", json_sprintf("p-decision-%zu", i + 1),
                                 "labels", OCM "placement", "p", OCM "decision-group-index",
                                 json_sprintf("%zu", i), OCM "decision-group-name", "", "status",
                                 "decisions", "clusterName", json_sprintf("c%06zu", i));
        void *decision = NULL;
        assert_int_equal(skr_placement_decision_decode(json, &decision, NULL), 0);
        world->decision[i] = decision;
        json_decref(json);
    }
    return world;
}

static void forget(struct world *world)
{
    for (size_t i = 0; i < world->n; i++) {
        skr_object_destroy(world->cluster[i]);
    }
    for (size_t i = 0; i < world->n_decisions; i++) {
        skr_object_destroy(world->decision[i]);
    }
    free(world->cluster);
    free(world->decision);
    free(world->load);
    free(world);
}

static struct skr_placement *placement_of(const char *spec)
{
    void *placement = NULL;
    json_t *json = json_pack("{s:{s:s, s:s}, s:o}", "metadata", "namespace", "ns", "name", "p",
                             "spec", json_loads(spec, 0, NULL));
    assert_non_null(json);
    assert_int_equal(skr_placement_decode(json, &placement, NULL), 0);
    json_decref(json);
    return placement;
}

static const struct skr_addon_score *no_score(void *context, const char *cluster, const char *name)
{
    (void)context;
    (void)cluster;
    (void)name;
    return NULL;
}

/* n clusters in parts of one, of which decided have their object already. */
static void evaluate_parts_of_one(size_t n, size_t decided)
{
    struct world *world = world_of(n, decided);
    struct skr_placement *placement = placement_of(
        "{\"decisionStrategy\":{\"groupStrategy\":{\"clustersPerDecisionGroup\":\"1\"}}}");
    struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    const struct skr_placement_hub hub = {
        .n_clusters = n,
        .cluster = (const struct skr_managed_cluster *const *)world->cluster,
        .load = world->load,
        .every_cluster = true,
        .n_decisions = decided,
        .decision = (const struct skr_placement_decision *const *)world->decision,
        .score = no_score};
    struct skr_placement_result result;
    skr_placement_evaluate(placement, &hub, arena, &result);
    assert_string_equal(result.failure, "");
    assert_int_equal(result.slices.n_parts, n);
    assert_int_equal(result.slices.n_slices, n);
    assert_int_equal(result.slices.n_surplus, 0);
    for (size_t i = 0; i < decided; i++) { /* nobody changed objects */
        assert_string_equal(result.slices.slice[i].cluster[0], world->cluster[i]->meta.name);
    }
    skr_arena_destroy(arena);
    skr_object_destroy(placement);
    forget(world);
}

static void fresh_parts(void *context, size_t n)
{
    (void)context;
    evaluate_parts_of_one(n, 0);
}

static void parts_that_stay(void *context, size_t n)
{
    (void)context;
    evaluate_parts_of_one(n, n / 2);
}

TEST(ten_thousand_groups_of_one_cluster_cost_what_they_are)
{
    assert_cost_is_linear(fresh_parts, NULL, 9600);
}

TEST(ten_thousand_groups_that_have_their_objects_cost_what_they_are)
{
    assert_cost_is_linear(parts_that_stay, NULL, 9600);
}

/* Every cluster a topology of its own, on eight levels. */
TEST(a_spread_of_too_many_clusters_over_too_many_topologies_is_refused_by_name)
{
    enum { CLUSTERS = 10000, LEVELS = 8 };
    static char name[CLUSTERS][16];
    static const char *names[CLUSTERS], *value[CLUSTERS * LEVELS];
    static int64_t total[CLUSTERS];
    struct skr_spread_constraint constraint[LEVELS];
    struct skr_spread_problem problem = {.n = CLUSTERS,
                                         .name = names,
                                         .total = total,
                                         .value = value,
                                         .n_levels = LEVELS,
                                         .constraint = constraint,
                                         .weight = 2};
    struct skr_spread_result result;
    struct skr_error error;
    for (size_t l = 0; l < LEVELS; l++) {
        constraint[l] = (struct skr_spread_constraint){.key = "name", .max_skew = 1};
    }
    for (size_t i = 0; i < CLUSTERS; i++) {
        snprintf(name[i], sizeof name[i], "c%06zu", i);
        names[i] = name[i];
        for (size_t l = 0; l < LEVELS; l++) {
            value[i * LEVELS + l] = name[i];
        }
    }
    for (int few = 0; few < 2; few++) {
        struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
        problem.want = few ? 10 : CLUSTERS;
        const int rc = skr_spread_select(&problem, arena, &result, &error);
        assert_int_equal(rc, few ? 0 : -SKR_LIMIT);
        if (!few) {
            assert_non_null(strstr(error.text, "10000 clusters over"));
        }
        skr_arena_destroy(arena);
    }
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

static const struct limit {
    const char *title, *format, *entry;
    size_t most;
    const char *says, *number;
} limits[] = {
    {"configurations", "{s:{s:o}}", "{\"name\":\"Steady\"}", SKR_PRIORITIZERS_MAX,
     "Prioritizer:", "64"},
    {"tolerations", "{s:o}", "{\"operator\":\"Exists\"}", SKR_TOLERATIONS_MAX,
     "TaintToleration:", "128"},
    {"predicates", "{s:o}", "{}", SKR_PLACEMENT_TERMS_MAX, "Predicate:", "1024"},
    {"terms", "{s:[{s:{s:{s:o}}}]}", "{\"key\":\"a\",\"operator\":\"DoesNotExist\"}",
     SKR_PLACEMENT_TERMS_MAX - 1, "Predicate:", "1024"},
};

static json_t *spec_of(const struct limit *limit, size_t n)
{
    json_t *list = many(n, limit->entry);
    if (strcmp(limit->title, "configurations") == 0) {
        return json_pack(limit->format, "prioritizerPolicy", "configurations", list);
    }
    if (strcmp(limit->title, "terms") == 0) {
        return json_pack(limit->format, "predicates", "requiredClusterSelector", "labelSelector",
                         "matchExpressions", list);
    }
    return json_pack(limit->format, limit->title, list);
}

TEST_EACH(limit, limits, lists_of_a_placement_have_limits_with_a_message)
{
    for (size_t more = 0; more < 2; more++) {
        json_auto_t *spec = spec_of(limit, limit->most + more);
        SKR_AUTO_FREE char *text = json_dumps(spec, 0);
        struct skr_placement *placement = placement_of(text);
        if (more == 0) {
            assert_string_equal(placement->misconfigured, "");
        } else {
            assert_memory_equal(placement->misconfigured, limit->says, strlen(limit->says));
            assert_non_null(strstr(placement->misconfigured, limit->number));
        }
        skr_object_destroy(placement);
    }
}

/* ---- the engine ---- */

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct hub {
    struct frame_rig *rig;
};

static void add_namespace(struct frame_rig *rig, const char *name)
{
    frame_rig_add(rig, &skr_resource_cluster_set_bindings, test_text("%s/all", name),
                  "{'spec':{'clusterSet':'all'}}");
}

static void hub_set_up(struct hub *hub)
{
    hub->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    frame_rig_add(
        hub->rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    add_namespace(hub->rig, "his");
    add_namespace(hub->rig, "shop");
}

static void hub_tear_down(struct hub *hub)
{
    frame_rig_destroy(hub->rig);
}

static void add_clusters(struct hub *hub, int n)
{
    for (int i = 0; i < n; i++) {
        frame_rig_add(hub->rig, &skr_resource_managed_clusters, test_text("c%05d", i), "{}");
    }
}

static uint64_t cycles(const struct hub *hub)
{
    struct skr_placement_counts counts;
    skr_placement_count(skr_engine_self(hub->rig->engine), &counts);
    return counts.cycles;
}

TEST_WITH(hub, one_event_evaluates_so_many_placements_and_the_next_one_goes_on)
{
    enum { CLUSTERS = 1000, PLACEMENTS = 200, MOST = 21 /* 20,000 clusters, and the last one */ };
    add_clusters(hub, CLUSTERS);
    for (int i = 0; i < PLACEMENTS; i++) {
        frame_rig_add(hub->rig, &skr_resource_placements, test_text("his/p%d", i),
                      "{'metadata':{" OWNED "},'spec':{'numberOfClusters':0}}");
    }
    frame_rig_start(hub->rig);
    const uint64_t before = cycles(hub);
    assert_true(before >= PLACEMENTS);

    json_t *json = json_pack("{s:{s:s, s:s, s:{s:s}}}", "metadata", "name", "c00003",
                             "resourceVersion", "1000000", "labels", "zone", "a");
    struct skr_event event = {.kind = SKR_EVENT_UPSERT};
    event.upsert.type = &skr_ocm_types[SKR_OCM_CLUSTER];
    assert_int_equal(event.upsert.type->decode(json, &event.upsert.object, NULL), 0);
    json_decref(json);
    frame_rig_handle(hub->rig, &event);
    const uint64_t in_one = cycles(hub) - before;
    assert_true(in_one > 0 && in_one <= MOST);
    frame_rig_run(hub->rig);
    assert_int_equal(cycles(hub) - before, PLACEMENTS);
}

TEST_WITH(hub, placements_of_thousands_of_decisions_keep_nobody_elses_from_beginning)
{
    enum { CLUSTERS = 100, HIS = 40 };
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match shops = {.verb = &create,
                                          .resource = &skr_resource_placement_decisions,
                                          .key = "shop/p-decision-1"},
                                 all = {.resource = &skr_resource_placement_decisions};
    char key[32];
    add_clusters(hub, CLUSTERS);
    for (int i = 0; i < HIS; i++) {
        snprintf(key, sizeof key, "his/p%d", i);
        frame_rig_add(hub->rig, &skr_resource_placements, key,
                      "{'metadata':{" OWNED "},'spec':{'decisionStrategy':{'groupStrategy':{"
                      "'clustersPerDecisionGroup':1}}}}");
    }
    frame_rig_add(hub->rig, &skr_resource_placements, "shop/p",
                  "{'metadata':{" OWNED "},'spec':{'numberOfClusters':1}}");
    /* The process dies after so many writes: among them is the other's first. */
    frame_rig_crash_after(hub->rig, 150);
    frame_rig_start(hub->rig);
    assert_int_equal(frame_rig_crashes(hub->rig), 1);
    assert_int_equal(frame_rig_writes(hub->rig, &shops), 1);
    size_t at = 0;
    while (strcmp(hub->rig->write[at].key, "shop/p-decision-1") != 0) {
        at++;
    }
    assert_true(at < 300); /* Events count here */
    assert_true(frame_rig_writes(hub->rig, &all) > (size_t)HIS * CLUSTERS);
}
