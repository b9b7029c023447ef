/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decisions about bindings: what one costs, beside handing out replicas one by one and going over
 * all paths of regions. Best of several runs; printed, and the ratios are asserted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/propagation/divide.h"
#include "core/propagation/scheduler.h"
#include "core/propagation/types.h"
#include "test/unit/fleet.h"
#include "test/unit/frame_rig.h"

enum { RUNS = 7 };

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t measure(const char *what, const char *target, struct fleet *f)
{
    int64_t best = INT64_MAX;
    const char *ended = "";
    static char message[256];
    for (int i = 0; i < RUNS; i++) {
        struct skr_binding_decision *decision = NULL;
        int64_t start = now_ns();
        skr_bug_on(skr_binding_decide(&f->binding, f->list, f->n, NULL, &f->options, NULL,
                                      &decision, NULL) < 0);
        int64_t took = now_ns() - start;
        best = took < best ? took : best;
        snprintf(message, sizeof message, "%s", decision->message);
        ended = decision->code == SKR_PROPAGATION_PLACED ? "placed" : message;
        skr_binding_decision_destroy(decision);
    }
    printf("| %s | %.3f ms | %s | %s |\n", what, (double)best / 1e6, target, ended);
    return best;
}

static void bench_clusters(size_t n, const char *target)
{
    struct fleet f;
    char what[80];
    fleet_make(&f, n, 100);
    fleet_constrain(&f, SKR_SPREAD_CLUSTER, 2, 5);
    snprintf(what, sizeof what, "cluster 2..5, %zu clusters", n);
    (void)measure(what, target, &f);
    fleet_free(&f);
}

/* All paths of regions, counted: what a plain walk visits. */
static uint64_t count_paths(size_t n, size_t left)
{
    if (left == 0) {
        return 1;
    }
    uint64_t paths = 0;
    for (size_t i = 0; i + left <= n; i++) {
        paths += count_paths(n - i - 1, left - 1);
    }
    return paths;
}

static void bench_regions(void)
{
    struct fleet f;
    fleet_make(&f, 520, 26 * 5);
    fleet_constrain(&f, SKR_SPREAD_REGION, 10, 10);
    fleet_constrain(&f, SKR_SPREAD_CLUSTER, 12, 20);
    int64_t ours = measure("region 10..10 of 26, cluster 12..20", "10 ms", &f);
    int64_t start = now_ns();
    uint64_t paths = count_paths(26, 10);
    int64_t plain = now_ns() - start;
    printf("| a plain walk of the same regions | %.3f ms | | %llu paths, counted alone |\n",
           (double)plain / 1e6, (unsigned long long)paths);
    skr_bug_on(ours > plain);
    fleet_free(&f);
}

static void bench_levels(int32_t replicas, const char *what)
{
    struct fleet f;
    fleet_make(&f, 5000, 200);
    f.binding.replicas = replicas;
    fleet_constrain(&f, SKR_SPREAD_PROVIDER, 2, 3);
    fleet_constrain(&f, SKR_SPREAD_REGION, 3, 6);
    fleet_constrain(&f, SKR_SPREAD_ZONE, 6, 10);
    fleet_constrain(&f, SKR_SPREAD_CLUSTER, 10, 20);
    (void)measure(what, "50 ms", &f);
    fleet_free(&f);
}

static void bench_division(void)
{
    enum { SHARES = 100 };
    static char name[SHARES][8];
    struct skr_share share[SHARES];
    int64_t best = INT64_MAX;
    for (size_t i = 0; i < SHARES; i++) {
        snprintf(name[i], sizeof name[i], "c%zu", i);
        share[i] = (struct skr_share){.name = name[i], .weight = (int64_t)(i * 7919 % 1000 + 1)};
    }
    for (int i = 0; i < RUNS; i++) {
        int64_t start = now_ns();
        skr_divide(share, SHARES, 10000000, false);
        int64_t took = now_ns() - start;
        best = took < best ? took : best;
    }
    printf("| 10,000,000 replicas over 100 clusters | %.3f ms | 1 ms | |\n", (double)best / 1e6);
}

/* Many bindings through the engine: what one costs, without the time of the API server. */
static void bench_engine(int clusters, int bindings)
{
    static struct skr_propagation_settings settings = {.scheduler_name = "sakkara", .workers = 8};
    const struct frame_rig_match patches = {.resource = &skr_resource_bindings};
    char key[48];
    skr_propagation_options_init(&settings.options, SKR_PROFILE_DEFAULT);
    struct frame_rig *rig = frame_rig_create(&skr_propagation_scheduler, &settings);
    for (int i = 0; i < clusters; i++) {
        snprintf(key, sizeof key, "c%05d", i);
        frame_rig_add(rig, &skr_resource_member_clusters, key,
                      "{'spec':{'provider':'p%d','region':'r%d','zones':['z%d']},'status':{"
                      "'apiEnablements':[{'groupVersion':'apps/v1','resources':[{'kind':"
                      "'Deployment'}]}],'resourceSummary':{'allocatable':{'pods':'%d'}}}}",
                      i % 3, i % 15, i % 60, 10 + i % 50);
    }
    for (int i = 0; i < bindings; i++) {
        snprintf(key, sizeof key, "default/b%d", i);
        frame_rig_add(rig, &skr_resource_bindings, key,
                      "{'metadata':{'labels':{'propagationpolicy.karmada.io/permanent-id':'1'}},"
                      "'spec':{'schedulerName':'sakkara','replicas':%d,'resource':{'apiVersion':"
                      "'apps/v1','kind':'Deployment','namespace':'default','name':'w','uid':'u'},"
                      "'placement':{'spreadConstraints':[{'spreadByField':'zone','minGroups':2,"
                      "'maxGroups':2},{'spreadByField':'cluster','minGroups':2,'maxGroups':4}],"
                      "'replicaScheduling':{'replicaSchedulingType':'Divided',"
                      "'replicaDivisionPreference':'Weighted','weightPreference':{'dynamicWeight':"
                      "'AvailableReplicas'}}}}}",
                      5 + i % 20);
    }
    const int64_t start = now_ns();
    frame_rig_start(rig);
    const double ms = (double)(now_ns() - start) / 1e6;
    printf(
        "| %d bindings, %d clusters, from nothing | %.0f ms | %.0f ms | %zu writes; %.0f bindings "
        "a second, with the API server of the tests |\n",
        bindings, clusters, ms, (double)bindings / 300 * 1e3, frame_rig_writes(rig, &patches),
        (double)bindings / ms * 1e3);
    frame_rig_destroy(rig);
}

int main(void)
{
    printf("| case | time | target | |\n|---|---|---|---|\n");
    bench_clusters(100, "0.05 ms");
    bench_clusters(1000, "0.3 ms");
    bench_clusters(5000, "2 ms");
    bench_regions();
    bench_levels(100, "3 levels, 5,000 clusters, the first combination");
    bench_levels(770, "3 levels, 5,000 clusters, room is scarce");
    bench_levels(790, "3 levels, 5,000 clusters, no combination");
    bench_division();
    bench_engine(1000, 3000);
    return 0;
}
