/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixed problems whose machine instructions are counted; test/bench/counts.sh runs them under
 * callgrind and compares with what is kept. Times are noisy, instructions are not.
 *
 *   bench_counts          names of the cases
 *   bench_counts CASE     runs it; what is to be counted runs inside a function counted_CASE
 *
 * The case `reference` uses nothing of the solver: it tells how a compiler that has no kept figures
 * compares with one that has.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/placement/evaluate.h"
#include "core/placement/spread.h"
#include "server/lab/simulate/simulate.h"
#include "test/bench/field.h"
#include "test/bench/gangs.h"
#include "test/bench/mix.h"
#include "test/bench/roles_load.h"
#include "test/bench/warm.h"
#include "test/unit/fleet.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

struct scene {
    struct cluster cluster;
    struct skr_problem problem;
    struct warm warm;
    struct field field;
    struct roles_load roles;
    struct fleet fleet;
    struct skr_arena *arena;
    struct skr_spotmix_settings mix_settings;
    struct skr_spotmix *mix;
    char *review;
    char file[64];  /* of the simulated cluster; "" none */
    int64_t result; /* told at the end: a run that went wrong is no cheap run */
};

/* Called through the table alone, so that they stay functions of their own. */
void counted_reference(struct scene *scene);
void counted_feasible(struct scene *scene);
void counted_solve(struct scene *scene);
void counted_roles(struct scene *scene);
void counted_change(struct scene *scene);
void counted_spread(struct scene *scene);
void counted_binding(struct scene *scene);
void counted_reviews(struct scene *scene);
void counted_simulate(struct scene *scene);

/* Which totals do the leaves reach together? One byte a total, one leaf after the other. */
void counted_reference(struct scene *scene)
{
    enum { TOTALS = 4096 };
    static uint8_t reached[TOTALS + 1];
    reached[0] = 1;
    for (int32_t leaf = 0; leaf < scene->cluster.tree.n_leaves; leaf++) {
        size_t by = (size_t)scene->cluster.free[leaf];
        for (size_t total = TOTALS; total >= by && by > 0; total--) {
            reached[total] = reached[total] | reached[total - by];
        }
    }
    for (size_t total = 0; total <= TOTALS; total++) {
        scene->result += reached[total];
    }
}

void counted_feasible(struct scene *scene)
{
    if (!warm_open(&scene->warm, &scene->problem)) {
        abort();
    }
    scene->result = warm_feasible(&scene->warm) ? 1 : 0;
}

static int64_t solve(const struct skr_problem *problem)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
    if (skr_solve(problem, &solution, NULL) != 0) {
        abort();
    }
    return solution->status == SKR_SOLVE_PLACED ? solution->key[0].used
                                                : (int64_t)solution->explanation.n_relaxations;
}

void counted_solve(struct scene *scene)
{
    scene->result = solve(&scene->problem);
}

void counted_roles(struct scene *scene)
{
    scene->result = solve(&scene->roles.problem);
}

void counted_change(struct scene *scene)
{
    enum { CHANGES = 300 };
    for (int i = 0; i < CHANGES; i++) {
        int32_t leaf =
            (int32_t)(cluster_random(&scene->cluster) % (uint64_t)scene->cluster.tree.n_leaves);
        scene->cluster.free[leaf] = (int64_t)(cluster_random(&scene->cluster) % 9);
        if (!warm_change(&scene->warm, leaf)) {
            abort();
        }
        scene->result += warm_feasible(&scene->warm) ? 1 : 0;
    }
}

/* The clusters of a Placement; the rest of the case is the solver's and not used. */
void counted_spread(struct scene *scene)
{
    struct skr_spread_result result;
    if (skr_spread_select(&scene->field.problem, scene->arena, &result, NULL) < 0) {
        abort();
    }
    scene->result = (int64_t)result.n;
}

/* A decision about a binding, on the clusters of the fleet. */
void counted_binding(struct scene *scene)
{
    struct skr_binding_decision *decision = NULL;
    if (skr_binding_decide(&scene->fleet.binding, scene->fleet.list, scene->fleet.n, NULL,
                           &scene->fleet.options, NULL, &decision, NULL) < 0) {
        abort();
    }
    scene->result = (int64_t)decision->n_targets;
    skr_binding_decision_destroy(decision);
}

/* Pods of one ReplicaSet, one after the other; nothing of the solver's is used. */
void counted_reviews(struct scene *scene)
{
    enum { REVIEWS = 100 };
    for (int i = 0; i < REVIEWS; i++) {
        struct skr_spotmix_answer answer;
        mix_answer(scene->mix, scene->review, strlen(scene->review), i, SKR_SECOND, &answer);
        scene->result += answer.result == SKR_SPOTMIX_PATCHED;
        skr_strbuf_fini(&answer.body);
    }
}

/* Jobs whose pods are gangs, from the file to the report. */
void counted_simulate(struct scene *scene)
{
    const char *file = scene->file;
    const struct skr_simulate_options options = {
        .file = &file, .n_files = 1, .until = SKR_TIME_NEVER};
    SKR_STRBUF(out);
    SKR_STRBUF(messages);
    scene->result = skr_simulate_run(&options, &out, &messages);
}

#define PACK(...)                          \
    {                                      \
        .type = SKR_RULE_PACK, __VA_ARGS__ \
    }
#define SPREAD(...)                          \
    {                                        \
        .type = SKR_RULE_SPREAD, __VA_ARGS__ \
    }
#define RANGE_AND_FACTOR                                                \
    {                                                                   \
        PACK(0), PACK(.min = 320, .max = 1600, .factor = 160),          \
            PACK(.min = 16, .max = 96, .factor = 16), PACK(.factor = 2) \
    }

static const struct {
    const char *name;
    void (*run)(struct scene *scene);
    int32_t fanout[CLUSTER_LEVELS_MAX];
    int32_t n_levels, n;
    struct skr_rule rule[CLUSTER_LEVELS_MAX];
    int64_t result;
} cases[] = {
    /* Byte by byte, what the solver does not do. */
    {"reference", counted_reference, {50, 100}, 2, 0, {PACK(0), PACK(0)}, 4097},
    /* 100,000 nodes, a gang of 9,600, range and factor: the sets of a problem never seen. */
    {"feasible", counted_feasible, {10, 25, 25, 16}, 4, 9600, RANGE_AND_FACTOR, 1},
    /* The same, one node after the other changed, on the sets that are kept. */
    {"change", counted_change, {10, 25, 25, 16}, 4, 9600, RANGE_AND_FACTOR, 300},
    /* The same, its optimum. */
    {"optimum", counted_solve, {10, 25, 25, 16}, 4, 9600, RANGE_AND_FACTOR, 1},
    /* 2,880 servers, every kind of rule on five levels. */
    {"rules",
     counted_solve,
     {3, 4, 6, 8, 5},
     5,
     1200,
     {SPREAD(.partitions = 2), PACK(.min = 100), SPREAD(.factor = 4), PACK(.min = 4, .max = 24),
      PACK(.factor = 2)},
     2},
    /* 5,000 nodes, four racks, one number of used units beside the total. */
    {"partitions",
     counted_solve,
     {50, 100},
     2,
     1024,
     {SPREAD(.partitions = 4), PACK(.factor = 2)},
     4},
    /* 5,000 nodes, impossible: the sets of rules that stand in the way. */
    {"impossible", counted_solve, {50, 100}, 2, 1024, {PACK(.hard = true), PACK(.max = 4)}, 1},
    /* 5,000 nodes, all different: one leader and 10,000 workers; 8 sets of a leader and 7 workers. */
    {"roles", counted_roles, {50, 100}, 2, 10000, {PACK(0), PACK(0)}, 30},
    {"sets", counted_roles, {50, 100}, 2, 56, {PACK(0), PACK(0)}, 1},
    /* A Placement of 1,000 among 5,000 clusters: levels, tuples. */
    {"spread", counted_spread, {3, 36}, 2, 0, {PACK(0), PACK(0)}, 1000},
    {"tuples", counted_spread, {8, 1000}, 2, 0, {PACK(0), PACK(0)}, 1000},
    /* Bindings: two to five of 5,000 clusters; 10 of 26 regions; provider, region and zone where room is
       scarce, and where there is none. */
    {"clusters", counted_binding, {5000, 100}, 2, 100, {PACK(0), PACK(0)}, 5},
    {"regions", counted_binding, {520, 130}, 2, 100, {PACK(0), PACK(0)}, 20},
    {"levels", counted_binding, {5000, 200}, 2, 770, {PACK(0), PACK(0)}, 20},
    {"no-levels", counted_binding, {5000, 200}, 2, 790, {PACK(0), PACK(0)}, 0},
    /* A hundred reviews of pods of 5 KB, of a ReplicaSet that has 500. */
    {"reviews", counted_reviews, {1, 1}, 2, 0, {PACK(0), PACK(0)}, 100},
    /* simulate of gangs of 256: grows with the pods alone, not with the gang. */
    {"simulate", counted_simulate, {64, 2}, 2, 256, {PACK(0), PACK(0)}, 0},
};

/* fanout: clusters and zones; n: replicas. */
static void prepare_binding(struct fleet *f, const char *name, const int32_t fanout[2], int32_t n)
{
    fleet_make(f, (size_t)fanout[0], (size_t)fanout[1]);
    f->binding.replicas = n;
    if (strcmp(name, "clusters") == 0) {
        fleet_constrain(f, SKR_SPREAD_CLUSTER, 2, 5);
    } else if (strcmp(name, "regions") == 0) {
        fleet_constrain(f, SKR_SPREAD_REGION, 10, 10);
        fleet_constrain(f, SKR_SPREAD_CLUSTER, 12, 20);
    } else {
        fleet_constrain(f, SKR_SPREAD_PROVIDER, 2, 3);
        fleet_constrain(f, SKR_SPREAD_REGION, 3, 6);
        fleet_constrain(f, SKR_SPREAD_ZONE, 6, 10);
        fleet_constrain(f, SKR_SPREAD_CLUSTER, 10, 20);
    }
}

static void prepare_mix(struct scene *scene)
{
    enum { PODS = 500 };
    json_object_seed(1); /* places in hash tables are the same every time */
    skr_spotmix_settings_default(&scene->mix_settings);
    if (skr_spotmix_create(&scene->mix_settings, &scene->mix, NULL) != 0) {
        abort();
    }
    mix_put_set(scene->mix, "rs", "true");
    for (int i = 0; i < PODS; i++) {
        char uid[32];
        snprintf(uid, sizeof uid, "pod-%d", i);
        json_auto_t *pod = mix_pod("rs", uid, i);
        skr_spotmix_put(scene->mix, SKR_SPOTMIX_POD, pod);
    }
    scene->review = mix_review("rs");
}

/* nodes; n: pods of a gang, two gangs. */
static void prepare_simulation(struct scene *scene, const int32_t fanout[2], int32_t n)
{
    json_object_seed(1); /* as above */
    snprintf(scene->file, sizeof scene->file, "/tmp/sakkara-bench-counts-XXXXXX.yaml");
    int fd = mkstemps(scene->file, (int)strlen(".yaml"));
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        abort();
    }
    gangs_write(f, (size_t)fanout[0], (size_t)fanout[1], (size_t)n);
    if (fclose(f) != 0) {
        abort();
    }
}

/* n: workers. */
static void prepare_roles(struct scene *scene, const char *name, const int32_t fanout[2], int32_t n)
{
    const int32_t sets = strcmp(name, "sets") == 0 ? n / 7 : 0;
    roles_load_init(
        &scene->roles,
        &(struct roles_load_case){fanout[0], fanout[1], {sets > 0 ? sets : 1}, n, sets, 0}, 1);
}

static void prepare(struct scene *scene, size_t i)
{
    if (cases[i].run == counted_roles) {
        prepare_roles(scene, cases[i].name, cases[i].fanout, cases[i].n);
        return;
    }
    if (cases[i].run == counted_simulate) {
        prepare_simulation(scene, cases[i].fanout, cases[i].n);
        return;
    }
    if (cases[i].run == counted_binding) {
        prepare_binding(&scene->fleet, cases[i].name, cases[i].fanout, cases[i].n);
        return;
    }
    cluster_init(&scene->cluster, cases[i].fanout, cases[i].n_levels, 8);
    cluster_load(&scene->cluster, 1);
    scene->problem = cluster_problem(&scene->cluster, cases[i].rule, cases[i].n);
    if (cases[i].run == counted_change) {
        counted_feasible(scene);
        scene->result = 0;
    }
    if (cases[i].run == counted_spread) {
        field_make(&scene->field, (size_t)cases[i].fanout[0], (size_t)cases[i].fanout[1], true);
        scene->arena = skr_arena_create(SKR_PLACEMENT_CYCLE_BYTES_MAX, 0);
    }
    if (cases[i].run == counted_reviews) {
        prepare_mix(scene);
    }
    scene->problem.explain = strcmp(cases[i].name, "impossible") == 0;
    scene->problem.explain_parts = SKR_EXPLAIN_RELAXATIONS;
}

int main(int argc, char **argv)
{
    static struct scene scene;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (argc < 2) {
            printf("%s\n", cases[i].name);
        } else if (strcmp(argv[1], cases[i].name) == 0) {
            prepare(&scene, i);
            cases[i].run(&scene);
            if (scene.file[0] != '\0') {
                (void)unlink(scene.file);
            }
            skr_arena_destroy(scene.arena);
            skr_spotmix_destroy(scene.mix);
            free(scene.review);
            warm_close(&scene.warm);
            roles_load_fini(&scene.roles);
            cluster_fini(&scene.cluster);
            fleet_free(&scene.fleet);
            if (scene.result != cases[i].result) {
                fprintf(stderr, "%s: result %" PRId64 ", expected %" PRId64 "\n", cases[i].name,
                        scene.result, cases[i].result);
                return 1;
            }
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
