/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the solver costs in cases with a floor, a time that must hold, as a Markdown table; CPU time
 * of one core. Status 1 when a floor times FACTOR (environment, default 1) is missed.
 *
 * Every case is solved for LOADS random loads; p50 and the worst of them are told.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/solver/cache.h"
#include "core/solver/sizes.h"
#include "test/bench/times.h"
#include "test/bench/warm.h"
#include "test/unit/solver_cluster.h"

enum { LOADS = 15, CHANGES = 300 };

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))
#define PACK(...)                          \
    {                                      \
        .type = SKR_RULE_PACK, __VA_ARGS__ \
    }
#define SPREAD(...)                          \
    {                                        \
        .type = SKR_RULE_SPREAD, __VA_ARGS__ \
    }

static double factor = 1;
static int missed;

struct times {
    double at[CHANGES > LOADS ? CHANGES : LOADS];
    int n;
};

static void add_time(struct times *t, double us)
{
    t->at[t->n++] = us;
}

static void tell(const char *name, struct times *t, double floor_us, double target_us,
                 const char *answer)
{
    double median = times_percentile(t->at, t->n, 50);
    double worst = times_percentile(t->at, t->n, 99);
    printf("| %s | %s | ", name, answer);
    times_print(median);
    printf(" | ");
    times_print(worst);
    printf(" | ");
    times_print(floor_us);
    printf(" | ");
    times_print(target_us);
    bool holds = median <= floor_us * factor;
    printf(" | %s |\n", !holds ? "**missed**" : median <= target_us ? "target" : "floor");
    fflush(stdout);
    missed += holds ? 0 : 1;
}

static double solve_us(const struct skr_problem *problem, enum skr_solve_status *ret)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
    double begin = cluster_now_us();
    if (skr_solve(problem, &solution, NULL) != 0) {
        abort();
    }
    double took = cluster_now_us() - begin;
    *ret = solution->status;
    return took;
}

static const char *name_of(int placed)
{
    return placed == LOADS ? "placed" : placed == 0 ? "infeasible" : "mixed";
}

struct shape {
    int32_t fanout[CLUSTER_LEVELS_MAX];
    int32_t n_levels, room;
};

static const struct shape servers_480 = {{4, 8, 15}, 3, 8};
static const struct shape servers_2880 = {{3, 4, 6, 8, 5}, 5, 8};
static const struct shape nodes_5000 = {{50, 100}, 2, 8};
static const struct shape nodes_16000 = {{10, 40, 40}, 3, 8};
static const struct shape nodes_640 = {{40, 16}, 2, 8};
static const struct shape nodes_100000 = {{10, 25, 25, 16}, 4, 8};

struct cold {
    const char *name;
    const struct shape *shape;
    int32_t n;
    struct skr_rule rule[CLUSTER_LEVELS_MAX];
    double feasible_us[2]; /* floor, target; 0: not measured */
    double optimum_us[2];
};

static const struct cold colds[] = {
    {"480 servers, 3 levels, N = 120",
     &servers_480,
     120,
     {PACK(0), PACK(0), SPREAD(0)},
     {0},
     {1e3, 100}},
    {"2,880 servers, 5 levels with rules, N = 1,200",
     &servers_2880,
     1200,
     {SPREAD(.partitions = 2), PACK(.min = 100), SPREAD(.factor = 4), PACK(.min = 4, .max = 24),
      PACK(.factor = 2)},
     {0},
     {20e3, 2e3}},
    {"5,000 nodes, 50 racks, N = 1,024",
     &nodes_5000,
     1024,
     {PACK(0), PACK(0)},
     {2e3, 200},
     {20e3, 2e3}},
    {"5,000 nodes, racks spread, N = 1,024",
     &nodes_5000,
     1024,
     {SPREAD(0), SPREAD(0)},
     {2e3, 200},
     {20e3, 2e3}},
    {"5,000 nodes, node 2..4, N = 1,024",
     &nodes_5000,
     1024,
     {PACK(0), PACK(.min = 2, .max = 4)},
     {2e3, 200},
     {20e3, 2e3}},
    {"5,000 nodes, 4 racks, N = 1,024",
     &nodes_5000,
     1024,
     {SPREAD(.partitions = 4), PACK(.factor = 2)},
     {2e3, 200},
     {20e3, 2e3}},
    {"100,000 nodes, no rules, N = 10,000",
     &nodes_100000,
     10000,
     {PACK(0), PACK(0), PACK(0), PACK(0)},
     {10e3, 5e3},
     {500e3, 5e3}},
    {"100,000 nodes, node 2..4, rack 8..64, N = 10,000",
     &nodes_100000,
     10000,
     {PACK(0), PACK(0), PACK(.min = 8, .max = 64), PACK(.min = 2, .max = 4)},
     {10e3, 5e3},
     {500e3, 5e3}},
    {"100,000 nodes, range and factor on 3 of 4 levels, N = 9,600",
     &nodes_100000,
     9600,
     {PACK(0), PACK(.min = 320, .max = 1600, .factor = 160),
      PACK(.min = 16, .max = 96, .factor = 16), PACK(.factor = 2)},
     {10e3, 5e3},
     {500e3, 5e3}},
    {"100,000 nodes, the same spread, N = 9,600",
     &nodes_100000,
     9600,
     {SPREAD(0), SPREAD(.min = 320, .max = 1600, .factor = 160),
      SPREAD(.min = 16, .max = 96, .factor = 16), SPREAD(.factor = 2)},
     {10e3, 5e3},
     {500e3, 5e3}},
    {"100,000 nodes, coprime factors 7 and 11, N = 9,600",
     &nodes_100000,
     9600,
     {PACK(0), PACK(0), PACK(.factor = 7), PACK(.factor = 11)},
     {10e3, 5e3},
     {500e3, 5e3}},
};

static void make(struct cluster *c, const struct shape *shape)
{
    cluster_init(c, shape->fanout, shape->n_levels, shape->room);
}

/* Feasibility alone: the sets of a problem seen for the first time. */
static double sets_us(const struct skr_problem *problem)
{
    struct warm warm;
    double begin = cluster_now_us();
    if (!warm_open(&warm, problem)) {
        abort();
    }
    double took = cluster_now_us() - begin;
    warm_close(&warm);
    return took;
}

static void run_cold(const struct cold *cold)
{
    struct cluster c;
    struct times sets = {.n = 0};
    struct times optimum = {.n = 0};
    int placed = 0;
    make(&c, cold->shape);
    struct skr_problem problem = cluster_problem(&c, cold->rule, cold->n);
    for (uint64_t load = 1; load <= LOADS; load++) {
        enum skr_solve_status status;
        cluster_load(&c, load);
        add_time(&sets, sets_us(&problem));
        add_time(&optimum, solve_us(&problem, &status));
        placed += status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    char name[128];
    if (cold->feasible_us[0] > 0) {
        snprintf(name, sizeof name, "%s: feasibility", cold->name);
        tell(name, &sets, cold->feasible_us[0], cold->feasible_us[1], name_of(placed));
    }
    snprintf(name, sizeof name, "%s: optimum", cold->name);
    tell(name, &optimum, cold->optimum_us[0], cold->optimum_us[1], name_of(placed));
    cluster_fini(&c);
}

/* ---- warm ---- */

static const struct skr_rule ruled[] = {PACK(0), PACK(.min = 320, .max = 1600, .factor = 160),
                                        PACK(.min = 16, .max = 96, .factor = 16),
                                        PACK(.factor = 2)};
static const struct skr_rule plain[] = {PACK(0), PACK(0), PACK(0), PACK(0)};

static void run_one_leaf(const char *name, const struct skr_rule *rules, int32_t n,
                         double target_us)
{
    struct cluster c;
    struct times t = {.n = 0};
    struct warm warm;
    make(&c, &nodes_100000);
    cluster_load(&c, 1);
    struct skr_problem problem = cluster_problem(&c, rules, n);
    if (!warm_open(&warm, &problem)) {
        abort();
    }
    int feasible = 0;
    for (int i = 0; i < CHANGES; i++) {
        int32_t leaf = (int32_t)(cluster_random(&c) % (uint64_t)c.tree.n_leaves);
        c.free[leaf] = (int64_t)(cluster_random(&c) % 9);
        double begin = cluster_now_us();
        if (!warm_change(&warm, leaf)) {
            abort();
        }
        feasible += warm_feasible(&warm) ? 1 : 0;
        add_time(&t, cluster_now_us() - begin);
    }
    tell(name, &t, 1e3, target_us, feasible == CHANGES ? "feasible" : "mixed");
    warm_close(&warm);
    cluster_fini(&c);
}

/* A node changed, then an optimum: what an engine does after every event. */
static void run_decision(const char *name, const struct shape *shape, int32_t n, double floor_us,
                         double target_us)
{
    struct cluster c;
    struct times t = {.n = 0};
    struct skr_solver_cache *cache = skr_solver_cache_create((size_t)1 << 30);
    make(&c, shape);
    cluster_load_whole(&c, 1, 80);
    struct skr_problem problem = cluster_problem(&c, plain, n);
    int placed = 0;
    for (int i = 0; i <= 60 && cache; i++) {
        SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
        c.free[cluster_random(&c) % (uint64_t)c.tree.n_leaves] = i % 2 == 0 ? 8 : 0;
        double begin = cluster_now_us();
        if (skr_solver_cache_solve(cache, &problem, &solution, NULL) != 0) {
            abort();
        }
        if (i > 0) {
            add_time(&t, cluster_now_us() - begin);
        }
        placed += solution->status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    tell(name, &t, floor_us, target_us, placed > 60 ? "placed" : "mixed");
    skr_solver_cache_destroy(cache);
    cluster_fini(&c);
}

/* 64 of 1,024 members have lost their node; the others stay. */
static void run_replacement(void)
{
    struct cluster c;
    struct times t = {.n = 0};
    make(&c, &nodes_100000);
    SKR_AUTO_FREE int32_t *claimed = calloc((size_t)c.tree.n_leaves, sizeof *claimed);
    int placed = 0;
    for (uint64_t load = 1; load <= LOADS && claimed; load++) {
        struct skr_solution *solution = NULL;
        enum skr_solve_status status;
        cluster_load_whole(&c, load, 50);
        struct skr_problem problem = cluster_problem(&c, plain, 1024);
        if (skr_solve(&problem, &solution, NULL) != 0 || !solution->count) {
            abort();
        }
        int32_t lost = 0;
        for (int32_t leaf = 0; leaf < c.tree.n_leaves; leaf++) {
            claimed[leaf] = solution->count[leaf];
            c.free[leaf] -= claimed[leaf];
            if (claimed[leaf] > 0 && lost < 64) {
                lost += claimed[leaf];
                claimed[leaf] = 0;
                c.free[leaf] = 0;
            }
        }
        skr_solution_destroy(solution);
        problem.claimed = claimed;
        add_time(&t, solve_us(&problem, &status));
        placed += status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    tell("100,000 nodes, 64 of 1,024 members replaced", &t, 50e3, 5e3, name_of(placed));
    cluster_fini(&c);
}

static void run_impossible(const char *name, const struct shape *shape, int32_t n,
                           const struct skr_rule *rules)
{
    struct cluster c;
    struct times t = {.n = 0};
    make(&c, shape);
    struct skr_problem problem = cluster_problem(&c, rules, n);
    problem.explain = true;
    problem.explain_parts = SKR_EXPLAIN_RELAXATIONS;
    int placed = 0;
    for (uint64_t load = 1; load <= LOADS; load++) {
        enum skr_solve_status status;
        cluster_load(&c, load);
        add_time(&t, solve_us(&problem, &status));
        placed += status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    tell(name, &t, 200e3, 10e3, name_of(placed));
    cluster_fini(&c);
}

/* What the engine keeps of the kinds of groups that wait: which sizes fit. Every kind sees slots of
 * its own, or what is equal would be stored once. */
static void tell_sizes(struct cluster *c, bool whole)
{
    enum { KINDS = 50 };
    struct skr_sizes_pool *pool = skr_sizes_pool_create();
    struct skr_sizes *sizes[KINDS] = {NULL};
    SKR_AUTO_FREE int32_t *slots = calloc((size_t)c->tree.n_leaves, sizeof *slots);
    for (int kind = 0; kind < KINDS && slots; kind++) {
        if (whole) {
            cluster_load_whole(c, (uint64_t)kind, 80);
        } else {
            cluster_load(c, (uint64_t)kind);
        }
        for (int32_t leaf = 0; leaf < c->tree.n_leaves; leaf++) {
            slots[leaf] = (int32_t)c->free[leaf];
        }
        sizes[kind] = skr_sizes_create(pool, &c->tree, plain, 1000, slots);
    }
    printf("| 100,000 nodes, sizes that fit, 50 kinds of groups up to 1,000 members, %s | %.0f MiB "
           "| 64 MiB | 32 MiB |\n",
           whole ? "nodes mostly full or empty" : "evenly random loads",
           (double)skr_sizes_pool_bytes(pool) / (1 << 20));
    for (int kind = 0; kind < KINDS; kind++) {
        skr_sizes_destroy(sizes[kind]);
    }
    skr_sizes_pool_destroy(pool);
}

static void run_memory(void)
{
    struct cluster c;
    struct skr_solver_cache *cache = skr_solver_cache_create((size_t)2 << 30);
    make(&c, &nodes_100000);
    for (int whole = 0; whole < 2; whole++) {
        for (int32_t shape = 1; shape <= 50; shape++) {
            SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
            if (whole) {
                cluster_load_whole(&c, 1, 80);
            } else {
                cluster_load(&c, 1);
            }
            struct skr_problem problem = cluster_problem(&c, plain, 1000 + shape);
            if (!cache || skr_solver_cache_solve(cache, &problem, &solution, NULL) != 0) {
                abort();
            }
        }
        printf("| 100,000 nodes, 50 kept problems of 1,000 members, %s | %.0f MiB | | |\n",
               whole ? "nodes mostly full or empty" : "evenly random loads",
               (double)skr_solver_cache_bytes(cache) / (1 << 20));
        skr_solver_cache_forget(cache, &c.tree);
        tell_sizes(&c, whole != 0);
    }
    skr_solver_cache_destroy(cache);
    cluster_fini(&c);
}

static void run_floors(void)
{
    static const struct skr_rule hard[] = {PACK(.hard = true), PACK(.max = 4)};
    static const struct skr_rule hard_deep[] = {PACK(0), PACK(.hard = true), PACK(.max = 64),
                                                PACK(.min = 2, .max = 4)};
    printf("| case | answer | p50 | p99 | floor | target | reached |\n");
    printf("|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(colds); i++) {
        run_cold(&colds[i]);
    }
    run_one_leaf("100,000 nodes, one leaf changed, N = 10,000, no rules", plain, 10000, 50);
    run_one_leaf("100,000 nodes, one leaf changed, N = 9,600, range and factor", ruled, 9600, 50);
    run_one_leaf("100,000 nodes, one leaf changed, N = 1,000", plain, 1000, 10);
    run_one_leaf("100,000 nodes, one leaf changed, N = 64", plain, 64, 5);
    run_impossible("5,000 nodes, impossible, with relaxations, N = 1,024", &nodes_5000, 1024, hard);
    run_impossible("100,000 nodes, impossible, with relaxations, N = 9,600", &nodes_100000, 9600,
                   hard_deep);
    run_replacement();
    run_decision("640 nodes, decision after an event, N = 64", &nodes_640, 64, 5e3, 500);
    run_decision("16,000 nodes, decision after an event, N = 512", &nodes_16000, 512, 10e3, 1e3);
    run_decision("100,000 nodes, decision after an event, N = 1,024", &nodes_100000, 1024, 33e3,
                 3.3e3);
    printf("\n| memory | MiB | floor | target |\n|---|---|---|---|\n");
    run_memory();
}

int main(void)
{
    cluster_keep_memory();
    factor = !getenv("FACTOR") ? 1 : strtod(getenv("FACTOR"), NULL);
    run_floors();
    if (missed > 0) {
        fprintf(stderr, "%d floors missed\n", missed);
    }
    return missed > 0 ? 1 : 0;
}
