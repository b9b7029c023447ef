/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions rest. Random fleets and Placements of random policies: one change makes every Placement
 * that it concerns decide once, and then nothing is written until the next change. Neither the
 * resync nor a restart nor another leader is a change.
 */
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/random.h"
#include "test/test.h"
#include "test/unit/frame_rig.h"

#define DECISIONS  (&skr_resource_placement_decisions)
#define PLACEMENTS (&skr_resource_placements)
#define CLUSTERS   (&skr_resource_managed_clusters)
#define SCORES     (&skr_resource_addon_scores)
#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"

enum {
    CLUSTERS_MAX = 40,
    PLACEMENTS_MAX = 12,
    TEXT_MAX = 4096,
    TWO_RESYNCS_S = 1300,
    CLUSTER_NAME_MAX = 24
};

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

struct world {
    uint64_t seed, random;
    struct frame_rig *rig;
    size_t n_clusters, n_placements; /* Placements that are ours */
};

static size_t below(struct world *w, size_t n)
{
    return (size_t)(random_of(&w->random) % n);
}

/* ---- what there is ---- */

static void name_cluster(char name[CLUSTER_NAME_MAX], size_t i)
{
    snprintf(name, CLUSTER_NAME_MAX, "c%02zu", i);
}

static void add_cluster(struct world *w, size_t i)
{
    char name[CLUSTER_NAME_MAX], key[CLUSTER_NAME_MAX + 8];
    name_cluster(name, i);
    frame_rig_add(w->rig, CLUSTERS, name,
                  "{'metadata':{'labels':{'region':'r%zu','zone':'z%zu'}},'status':{'allocatable':{"
                  "'cpu':'%zu','memory':'%zuGi'},'capacity':{'cpu':'64','memory':'256Gi'}}}",
                  below(w, 3), below(w, 4), below(w, 65), below(w, 257));
    snprintf(key, sizeof key, "%s/load", name);
    if (!w->rig->engine && below(w, 3) > 0) {
        frame_rig_add(w->rig, SCORES, key, "{'status':{'scores':[{'name':'cpu','value':%d}]}}",
                      (int)below(w, 201) - 100);
    }
}

static void add_text(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_text(char *text, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, TEXT_MAX - n, format, args);
    va_end(args);
}

static void add_policy(struct world *w, char *spec)
{
    static const char addon[] = "'type':'AddOn','addOn':{'resourceName':'load','scoreName':'cpu'}";
    static const char *const coordinates[] = {"'builtIn':'Balance'",
                                              "'builtIn':'Steady'",
                                              "'builtIn':'Spread'",
                                              "'builtIn':'ResourceRatioCPU'",
                                              "'builtIn':'ResourceAllocatableMemory'",
                                              addon};
    if (below(w, 4) == 0) {
        return; /* the default: Balance and Steady */
    }
    add_text(spec, ",'prioritizerPolicy':{'mode':'%s','configurations':[",
             below(w, 3) == 0 ? "Additive" : "Exact");
    bool any = false;
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        if (below(w, 2) == 0) {
            add_text(spec, "%s{'scoreCoordinate':{%s},'weight':%d}", any ? "," : "", coordinates[i],
                     (int)below(w, 21) - 10);
            any = true;
        }
    }
    add_text(spec, "]}");
}

static void add_spread(struct world *w, char *spec)
{
    if (below(w, 2) == 0) {
        return;
    }
    add_text(spec, ",'spreadPolicy':{'spreadConstraints':[");
    for (size_t i = 0, n = 1 + below(w, 2); i < n; i++) {
        add_text(spec,
                 "%s{'topologyKey':'%s','topologyKeyType':'Label','maxSkew':%zu,"
                 "'whenUnsatisfiable':'%s'}",
                 i > 0 ? "," : "", i == 0 ? "region" : "zone", 1 + below(w, 3),
                 below(w, 2) == 0 ? "DoNotSchedule" : "ScheduleAnyway");
    }
    add_text(spec, "]}");
}

static void add_placement(struct world *w, size_t number)
{
    static const char *const modes[] = {"weighted", "lexicographic"};
    char key[48], spec[TEXT_MAX] = "'clusterSets':['all']";
    snprintf(key, sizeof key, "ns%zu/p%zu", number % 2, number);
    if (below(w, 6) > 0) {
        add_text(spec, ",'numberOfClusters':%zu", below(w, 9));
    }
    if (below(w, 4) == 0) {
        add_text(spec,
                 ",'predicates':[{'requiredClusterSelector':{'labelSelector':{'matchExpressions':[{"
                 "'key':'region','operator':'NotIn','values':['r%zu']}]}}}]",
                 below(w, 3));
    }
    if (below(w, 3) == 0) {
        add_text(spec, ",'decisionStrategy':{'groupStrategy':{'clustersPerDecisionGroup':%zu}}",
                 1 + below(w, 4));
    }
    add_spread(w, spec);
    add_policy(w, spec);
    frame_rig_add(w->rig, PLACEMENTS, key, "{'metadata':{" OWNED "},'spec':{%s}}", spec);
    if (below(w, 2) == 0) {
        frame_rig_edit(w->rig, PLACEMENTS, key,
                       "{'metadata':{'annotations':{'sakkara.placement.spread-mode':'%s'}}}",
                       modes[below(w, 2)]);
    }
}

/* Decisions of another scheduler count for Balance, some of them of a cluster that is gone. */
static void add_foreign(struct world *w)
{
    char name[CLUSTER_NAME_MAX];
    name_cluster(name, below(w, w->n_clusters + 2));
    frame_rig_add(w->rig, PLACEMENTS, "ns0/foreign", "{'spec':{}}");
    frame_rig_add(w->rig, DECISIONS, "ns0/foreign-decision-1",
                  "{'metadata':{'labels':{'cluster.open-cluster-management.io/placement':'foreign'}"
                  "},'status':{'decisions':[{'clusterName':'%s','reason':''}]}}",
                  name);
}

static void world_begin(struct world *w, uint64_t seed)
{
    *w = (struct world){.seed = seed, .random = seed};
    w->rig = frame_rig_create(&skr_placement_scheduler, &settings);
    w->n_clusters = 2 + below(w, CLUSTERS_MAX - 12);
    w->n_placements = 1 + below(w, PLACEMENTS_MAX);
    frame_rig_add(
        w->rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    for (int n = 0; n < 2; n++) {
        frame_rig_add(w->rig, &skr_resource_cluster_set_bindings, n == 0 ? "ns0/all" : "ns1/all",
                      "{'spec':{'clusterSet':'all'}}");
    }
    for (size_t i = 0; i < w->n_clusters; i++) {
        add_cluster(w, i);
    }
    add_foreign(w);
    for (size_t i = 0; i < w->n_placements; i++) {
        add_placement(w, i);
    }
}

/* ---- changes ---- */

static void change_cluster(struct world *w)
{
    char name[CLUSTER_NAME_MAX];
    name_cluster(name, below(w, w->n_clusters));
    if (!frame_rig_get(w->rig, CLUSTERS, name)) {
        add_cluster(w, (size_t)atoi(name + 1));
        return;
    }
    switch (below(w, 5)) {
    case 0:
        frame_rig_edit(w->rig, CLUSTERS, name,
                       "{'spec':{'taints':[{'key':'k','effect':'NoSelect%s'}]}}",
                       below(w, 2) == 0 ? "IfNew" : "");
        break;
    case 1:
        frame_rig_edit(w->rig, CLUSTERS, name, "{'metadata':{'labels':{'zone':'z%zu'}}}",
                       below(w, 5));
        break;
    case 2:
        frame_rig_edit(w->rig, CLUSTERS, name, "{'status':{'allocatable':{'cpu':'%zu'}}}",
                       below(w, 65));
        break;
    case 3:
        frame_rig_delete(w->rig, CLUSTERS, name);
        break;
    default:
        add_cluster(w, w->n_clusters++);
        break;
    }
}

static void change_score(struct world *w)
{
    char key[CLUSTER_NAME_MAX + 8], name[CLUSTER_NAME_MAX];
    name_cluster(name, below(w, w->n_clusters));
    snprintf(key, sizeof key, "%s/load", name);
    if (frame_rig_get(w->rig, SCORES, key)) {
        frame_rig_edit(w->rig, SCORES, key, "{'status':{'scores':[{'name':'cpu','value':%d}]}}",
                       (int)below(w, 201) - 100);
    }
}

static void change_placement(struct world *w, size_t number)
{
    char key[48];
    snprintf(key, sizeof key, "ns%zu/p%zu", number % 2, number);
    frame_rig_edit(w->rig, PLACEMENTS, key,
                   "{'spec':{'numberOfClusters':%zu,'decisionStrategy':{'groupStrategy':{"
                   "'clustersPerDecisionGroup':%zu}}}}",
                   below(w, 12), 1 + below(w, 5));
}

static void change_one_thing(struct world *w)
{
    char key[64];
    const size_t number = below(w, w->n_placements);
    switch (below(w, 6)) {
    case 0:
        change_score(w);
        break;
    case 1:
        change_placement(w, number);
        break;
    case 2:
        snprintf(key, sizeof key, "ns%zu/p%zu-decision-1", number % 2, number);
        if (frame_rig_get(w->rig, DECISIONS, key)) {
            frame_rig_delete(w->rig, DECISIONS, key);
        }
        break;
    default:
        change_cluster(w);
        break;
    }
}

/* ---- judging ---- */

static uint64_t cycles_of(const struct world *w)
{
    struct skr_placement_counts counts;
    skr_placement_count(skr_engine_self(w->rig->engine), &counts);
    return counts.cycles;
}

static bool is_counted(const struct frame_rig_write *write)
{
    return write->applied && (write->resource == DECISIONS || write->resource == PLACEMENTS);
}

static void expect_no_writes(const struct world *w, const char *after)
{
    for (size_t i = 0; i < w->rig->n_writes; i++) {
        const struct frame_rig_write *write = &w->rig->write[i];
        if (is_counted(write)) {
            char *body = json_dumps(write->body, JSON_COMPACT);
            fail_msg("seed %" PRIu64 ": %s wrote %s %s", w->seed, after, write->key, body);
        }
    }
    frame_rig_forget_writes(w->rig);
}

static void expect_rest(struct world *w)
{
    frame_rig_forget_writes(w->rig);
    frame_rig_advance(w->rig, TWO_RESYNCS_S * SKR_SECOND);
    expect_no_writes(w, "the resync");
    frame_rig_restart(w->rig);
    frame_rig_advance(w->rig, TWO_RESYNCS_S * SKR_SECOND);
    expect_no_writes(w, "a restart");
    frame_rig_lead(w->rig, false);
    frame_rig_lead(w->rig, true);
    frame_rig_advance(w->rig, TWO_RESYNCS_S * SKR_SECOND);
    expect_no_writes(w, "another leader");
}

/* New Placements: each object is made once and filled once, each status is written once. */
static void expect_decided_once(const struct world *w)
{
    size_t statuses = 0;
    for (size_t i = 0; i < w->rig->n_writes; i++) {
        const struct frame_rig_write *write = &w->rig->write[i];
        statuses += is_counted(write) && write->resource == PLACEMENTS;
        for (size_t k = 0; k < i && is_counted(write); k++) {
            const struct frame_rig_write *before = &w->rig->write[k];
            if (is_counted(before) && before->verb == write->verb &&
                before->resource == write->resource && strcmp(before->key, write->key) == 0) {
                fail_msg("seed %" PRIu64 ": %s was written twice", w->seed, write->key);
            }
        }
    }
    if (statuses != w->n_placements || cycles_of(w) != w->n_placements) {
        fail_msg("seed %" PRIu64 ": %zu Placements, %zu statuses, %" PRIu64 " cycles", w->seed,
                 w->n_placements, statuses, cycles_of(w));
    }
}

/* The watch shows what was written only now: that is no news. */
static void show_late(struct world *w)
{
    const uint64_t before = cycles_of(w);
    frame_rig_forget_writes(w->rig);
    w->rig->hold_watch = NULL;
    frame_rig_run(w->rig);
    expect_no_writes(w, "a late watch");
    if (cycles_of(w) != before) {
        fail_msg("seed %" PRIu64 ": a late watch caused cycles", w->seed);
    }
}

/* The watch shows the writes at once, or when all of them are answered. */
TEST(every_placement_is_decided_once_and_then_they_rest)
{
    for (size_t run = 0; run < test_number("N", 300); run++) {
        struct world w;
        world_begin(&w, run + 1);
        w.rig->hold_watch = run % 2 == 1 ? DECISIONS : NULL;
        frame_rig_start(w.rig);
        expect_decided_once(&w);
        show_late(&w);
        expect_rest(&w);
        frame_rig_destroy(w.rig);
    }
}

TEST(one_change_is_decided_about_once_and_then_they_rest)
{
    for (size_t run = 0; run < test_number("N", 300); run++) {
        struct world w;
        world_begin(&w, run + 1);
        frame_rig_start(w.rig);
        for (int i = 0; i < 4; i++) {
            const uint64_t before = cycles_of(&w);
            change_one_thing(&w);
            frame_rig_run(w.rig);
            if (cycles_of(&w) - before > w.n_placements) {
                fail_msg("seed %" PRIu64 ": %" PRIu64 " cycles of %zu Placements", w.seed,
                         cycles_of(&w) - before, w.n_placements);
            }
            expect_rest(&w);
        }
        for (int i = 0; i < 3; i++) {
            w.rig->hold_watch = DECISIONS;
            change_placement(&w, below(&w, w.n_placements));
            frame_rig_run(w.rig);
        }
        show_late(&w);
        expect_rest(&w);
        frame_rig_destroy(w.rig);
    }
}
