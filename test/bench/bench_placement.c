/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Placements cost, as rows of a table:
 *
 *   selection   of 1,000 among 5,000 clusters, beside the definition done cluster by cluster
 *   cycle       evaluations of 100, 1,000, 10,000 Placements (ten clusters each; a score of an add-on,
 *               ResourceAllocatableCPU, Balance), one core, no API server
 *   engine      the same through the engine and an API server in memory: writes issued; then a change
 *               of a cluster that moves nobody, and one that concerns nobody
 *
 * The ratios to the definition are asserted, times are not.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/placement/evaluate.h"
#include "core/placement/scheduler.h"
#include "core/placement/types.h"
#include "test/bench/field.h"
#include "test/bench/times.h"
#include "test/unit/frame_rig.h"
#include "test/unit/json_text.h"
#include "topology/base/arena.h"

enum { RUNS = 5, CLUSTERS = FIELD_CLUSTERS };

static double now_ms(void)
{
    return times_now_s(CLOCK_PROCESS_CPUTIME_ID) * 1e3;
}

/* ---- selection ---- */

static bool look_at_nothing(void *context, const struct skr_spread_step *step)
{
    (void)context;
    (void)step;
    return false;
}

static void bench_selection(struct field *f, const char *what, size_t levels, size_t leaves,
                            double target)
{
    static uint32_t order[CLUSTERS];
    double fast = 1e9, slow = 1e9;
    field_make(f, levels, leaves, true);
    for (int run = 0; run < RUNS; run++) {
        struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
        struct skr_spread_result result;
        double start = now_ms();
        skr_bug_on(skr_spread_select(&f->problem, arena, &result, NULL) < 0);
        double took = now_ms() - start;
        fast = took < fast ? took : fast;
        if (run == 0) {
            start = now_ms();
            int64_t n = skr_spread_select_slowly(&f->problem, arena, look_at_nothing, NULL, order);
            slow = now_ms() - start;
            skr_bug_on(n != (int64_t)result.n ||
                       memcmp(order, result.order, result.n * sizeof *order) != 0);
        }
        skr_arena_destroy(arena);
    }
    printf("| %s | %.2f ms | %.0f ms | cluster by cluster %.0f ms |\n", what, fast, target, slow);
    skr_bug_on(fast > slow);
}

/* ---- cycles ---- */

static json_t *json_text(const char *format, ...) SKR_PRINTF(1, 2);
static json_t *json_text(const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return json_text_load(text);
}

#define OWNED                                                                     \
    "'annotations':{'cluster.open-cluster-management.io/experimental-scheduling-" \
    "disable':'true','sakkara.placement.scheduler':'sakkara'}"
#define PLACEMENT                                                                            \
    "{'metadata':{'name':'p%d','namespace':'n%d','uid':'u%d'," OWNED "},'spec':{"            \
    "'numberOfClusters':10,'prioritizerPolicy':{'mode':'Exact','configurations':["           \
    "{'scoreCoordinate':{'type':'AddOn','addOn':{'resourceName':'load','scoreName':'cpu'}}," \
    "'weight':2},{'name':'ResourceAllocatableCPU','weight':1},{'name':'Balance','weight':1}]}}}"
#define CLUSTER                                                                     \
    "{'metadata':{'name':'c%05d','uid':'c%d','labels':{'region':'r%d'}},'status':{" \
    "'allocatable':{'cpu':'%d','memory':'9Gi'},'capacity':{'cpu':'64','memory':'9Gi'}}}"

struct world {
    size_t n;
    struct skr_managed_cluster **cluster;
    struct skr_addon_score **score;
    uint32_t *load;
    struct skr_cluster_set *set;
};

static const struct skr_addon_score *score_of(void *context, const char *cluster, const char *name)
{
    const struct world *w = context;
    (void)name;
    return w->score[strtol(cluster + 1, NULL, 10)];
}

static void make_world(struct world *w, size_t n)
{
    *w = (struct world){.n = n};
    w->cluster = skr_alloc_array(n, sizeof *w->cluster);
    w->score = skr_alloc_array(n, sizeof *w->score);
    w->load = skr_alloc_array(n, sizeof *w->load);
    for (size_t i = 0; i < n; i++) {
        const int k = (int)i;
        json_t *json = json_text(CLUSTER, k, k, k % 9, k * 7 % 64);
        void *object = NULL;
        skr_bug_on(skr_managed_cluster_decode(json, &object, NULL) < 0);
        w->cluster[i] = object;
        json_decref(json);
        json = json_text("{'metadata':{'name':'load','namespace':'c%05d'},'status':{'scores':["
                         "{'name':'cpu','value':%d}]}}",
                         k, k * 13 % 100);
        skr_bug_on(skr_addon_score_decode(json, &object, NULL) < 0);
        w->score[i] = object;
        json_decref(json);
    }
    json_auto_t *json = json_text("{'metadata':{'name':'all'},'spec':{'clusterSelector':{"
                                  "'selectorType':'LabelSelector','labelSelector':{}}}}");
    void *set = NULL;
    skr_bug_on(skr_cluster_set_decode(json, &set, NULL) < 0);
    w->set = set;
}

static void free_world(struct world *w)
{
    for (size_t i = 0; i < w->n; i++) {
        skr_object_destroy(w->cluster[i]);
        skr_object_destroy(w->score[i]);
    }
    skr_object_destroy(w->set);
    free(w->cluster);
    free(w->score);
    free(w->load);
}

static void bench_cycles(size_t placements, size_t clusters, const char *target)
{
    struct world w;
    double *took = skr_alloc_array(placements, sizeof *took), sum = 0;
    make_world(&w, clusters);
    for (size_t i = 0; i < placements; i++) {
        void *placement = NULL;
        struct skr_placement_result result;
        const int k = (int)i;
        json_auto_t *json = json_text(PLACEMENT, k, k % 100, k);
        skr_bug_on(skr_placement_decode(json, &placement, NULL) < 0);
        const struct skr_placement_hub hub = {
            .n_clusters = clusters,
            .cluster = (const struct skr_managed_cluster *const *)w.cluster,
            .load = w.load,
            .every_cluster = true,
            .score = score_of,
            .context = &w,
            .spread_mode = SKR_SPREAD_WEIGHTED};
        const double start = now_ms();
        struct skr_arena *arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
        skr_placement_evaluate(placement, &hub, arena, &result);
        took[i] = now_ms() - start;
        sum += took[i];
        skr_bug_on(result.spread.n != (clusters < 10 ? clusters : 10));
        for (size_t c = 0; c < result.spread.n; c++) {
            w.load[result.candidate[result.spread.order[c]]]++;
        }
        skr_arena_destroy(arena);
        skr_object_destroy(placement);
    }
    times_sort(took, placements);
    printf(
        "| %zu Placements, %zu clusters, all evaluated | %.0f ms | %s | p50 %.3f ms, p99 %.3f ms "
        "|\n",
        placements, clusters, sum, target, took[placements / 2], took[placements * 99 / 100]);
    free_world(&w);
    free(took);
}

/* ---- the engine ---- */

static const struct skr_placement_settings settings = {.scheduler_name = "sakkara",
                                                       .spread_mode = SKR_SPREAD_WEIGHTED};

static size_t writes_of(const struct frame_rig *rig)
{
    const struct frame_rig_match decisions = {.resource = &skr_resource_placement_decisions},
                                 status = {.resource = &skr_resource_placements};
    return frame_rig_writes(rig, &decisions) + frame_rig_writes(rig, &status);
}

static uint64_t cycles_of(const struct frame_rig *rig)
{
    struct skr_placement_counts counts;
    skr_placement_count(skr_engine_self(rig->engine), &counts);
    return counts.cycles;
}

static void change(struct frame_rig *rig, const char *what, const char *target, const char *patch)
{
    frame_rig_forget_writes(rig);
    const uint64_t before = cycles_of(rig);
    const double start = now_ms();
    frame_rig_edit(rig, &skr_resource_managed_clusters, "c00003", "%s", patch);
    frame_rig_run(rig);
    printf("| %s | %.1f ms | %s | %llu cycles, %zu writes |\n", what, now_ms() - start, target,
           (unsigned long long)(cycles_of(rig) - before), writes_of(rig));
}

/* Every Placement in a namespace of its own, as on a hub of many teams, when teams is set. */
static void bench_engine(int placements, int clusters, bool teams)
{
    struct frame_rig *rig = frame_rig_create(&skr_placement_scheduler, &settings);
    const int namespaces = teams ? placements : 100;
    char key[64];
    frame_rig_add(
        rig, &skr_resource_cluster_sets, "all",
        "{'spec':{'clusterSelector':{'selectorType':'LabelSelector','labelSelector':{}}}}");
    for (int i = 0; i < namespaces; i++) {
        snprintf(key, sizeof key, "n%d/all", i);
        frame_rig_add(rig, &skr_resource_cluster_set_bindings, key,
                      "{'spec':{'clusterSet':'all'}}");
    }
    for (int i = 0; i < clusters; i++) {
        snprintf(key, sizeof key, "c%05d", i);
        frame_rig_add(rig, &skr_resource_managed_clusters, key, CLUSTER, i, i, i % 9, i * 7 % 64);
    }
    for (int i = 0; i < placements; i++) {
        snprintf(key, sizeof key, "n%d/p%d", i % namespaces, i);
        frame_rig_add(rig, &skr_resource_placements, key,
                      "{'metadata':{" OWNED "},'spec':{'numberOfClusters':10,'prioritizerPolicy':{"
                      "'mode':'Exact','configurations':[{'name':'Steady','weight':10},"
                      "{'name':'ResourceAllocatableCPU','weight':1}]}}}");
    }
    const double start = now_ms();
    frame_rig_start(rig);
    printf("| %d Placements in %d namespaces, %d clusters, from nothing | %.0f ms | | %llu cycles, "
           "%zu writes besides Events; with the API server of the tests |\n",
           placements, namespaces, clusters, now_ms() - start, (unsigned long long)cycles_of(rig),
           writes_of(rig));
    change(rig, "one cluster's label changes, no answer does", "5,000 ms",
           "{'metadata':{'labels':{'x':'y'}}}");
    change(rig, "one cluster's condition changes", "O(1)",
           "{'status':{'conditions':[{'type':'x','status':'True'}]}}");
    frame_rig_destroy(rig);
}

int main(void)
{
    SKR_AUTO_FREE struct field *field = skr_alloc(sizeof *field);
    printf("| case | time | target | |\n|---|---|---|---|\n");
    bench_selection(field, "1,000 of 5,000 clusters, 3 levels, 36 leaves", 3, 36, 10);
    bench_selection(field, "1,000 of 5,000 clusters, 8 levels, 1,000 leaves", 8, 1000, 100);
    bench_cycles(100, 1, "");
    bench_cycles(1000, 1000, "");
    bench_cycles(10000, 1000, "5,000 ms");
    bench_engine(1000, 1000, false);
    bench_engine(10000, 100, false);
    bench_engine(10000, 100, true);
    return 0;
}
