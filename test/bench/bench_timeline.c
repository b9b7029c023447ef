/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When groups start (core/time), on 5,000 nodes of 8 slots with 20,000 pods that end at different
 * times: one earliest start beside 8 reservations, and rounds with many waiting groups. The limits
 * are those of CI; beyond one of them the program fails.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/round.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum { PODS = 20000, NOW = 1000000, HELD = 8, RUNS = 9 };

static const uint16_t resource = 5;
static const int64_t one = 1;

struct load {
    struct cluster c;
    int64_t *capacity;
    struct skr_timeline *timeline;
};

static uint32_t below(struct load *l, uint32_t n)
{
    return (uint32_t)(cluster_random(&l->c) % n);
}

/* Pods of one slot; what is left is free. */
static void load_init(struct load *l)
{
    static const int32_t fanout[] = {10, 10, 50};
    cluster_init(&l->c, fanout, 3, 8);
    const int32_t leaves = l->c.tree.n_leaves;
    l->capacity = skr_alloc_array((size_t)leaves, sizeof *l->capacity);
    l->timeline = skr_timeline_create(leaves, NOW);
    for (int32_t i = 0; i < leaves; i++) {
        l->capacity[i] = 8;
        l->c.free[i] = 8;
    }
    for (uint32_t i = 0; i < PODS; i++) {
        const int32_t leaf = (int32_t)below(l, (uint32_t)leaves);
        struct skr_amount item = {.resource = resource, .amount = 1};
        const struct skr_amounts amounts = {1, &item};
        l->c.free[leaf]--;
        skr_timeline_add_end(l->timeline, leaf, NOW + 1 + below(l, 86400), &amounts, i, false);
    }
    size_t n;
    skr_timeline_growth(l->timeline, false, &n);
}

static void load_fini(struct load *l)
{
    skr_timeline_destroy(l->timeline);
    free(l->capacity);
    cluster_fini(&l->c);
}

static struct skr_problem problem_of(const struct load *l, const struct skr_rule *rule, int32_t n)
{
    return (struct skr_problem){.tree = &l->c.tree,
                                .n = n,
                                .rule = rule,
                                .n_resources = 1,
                                .demand = &one,
                                .free = l->c.free,
                                .capacity = l->capacity,
                                .step_budget = -1};
}

static void die(const struct skr_error *error)
{
    fprintf(stderr, "bench_timeline: %s\n", error->text);
    exit(1);
}

/* Reservations of 64 nodes each, one after the other. */
static void reserve(struct load *l)
{
    for (uint32_t i = 0; i < HELD; i++) {
        for (int32_t k = 0; k < 64; k++) {
            skr_timeline_hold(l->timeline, (int32_t)(i * 600) + k, NOW + 7200 * (int64_t)(i + 1),
                              NOW + 7200 * (int64_t)(i + 3), resource, 8, PODS + i);
        }
    }
}

static double earliest_ms(const struct skr_rule *rule, int32_t n)
{
    double best = 1e9;
    for (int run = 0; run < RUNS; run++) {
        struct load l;
        struct skr_start start;
        struct skr_error error;
        load_init(&l);
        reserve(&l);
        struct skr_solver_cache *cache = skr_solver_cache_create((size_t)64 << 20);
        const struct skr_problem problem = problem_of(&l, rule, n);
        const struct skr_start_question q = {
            .problem = &problem, .resource = &resource, .holds = 3600, .cut = SKR_INSTANT_NEVER};
        const double begin = cluster_now_us();
        if (skr_earliest_start(l.timeline, &q, cache, &start, &error) < 0) {
            die(&error);
        }
        const double took = (cluster_now_us() - begin) / 1000;
        best = took < best ? took : best;
        skr_solution_destroy(start.solution);
        skr_solver_cache_destroy(cache);
        load_fini(&l);
    }
    return best;
}

/* Groups of half a rack to four racks; none can start at once. */
static double round_ms(const struct skr_rule *rule, size_t n, int32_t forecasts)
{
    struct load l;
    struct skr_error error;
    load_init(&l);
    struct skr_round_group *group = skr_alloc_array(n, sizeof *group);
    struct skr_problem *problem = skr_alloc_array(n, sizeof *problem);
    struct skr_solver_cache *cache = skr_solver_cache_create((size_t)64 << 20);
    for (size_t i = 0; i < n; i++) {
        problem[i] = problem_of(&l, rule, (int32_t)(200 * (1 + i % 4)));
        group[i] = (struct skr_round_group){.owner = PODS + (uint32_t)i,
                                            .question = {.problem = &problem[i],
                                                         .resource = &resource,
                                                         .holds = 3600 + (int64_t)(i % 7) * 600,
                                                         .cut = SKR_INSTANT_NEVER},
                                            .all_n = problem[i].n};
    }
    struct skr_round round = {.timeline = l.timeline,
                              .cache = cache,
                              .group = group,
                              .n = n,
                              .reservations = 1,
                              .forecasts = forecasts,
                              .patience = SKR_INSTANT_NEVER};
    const double begin = cluster_now_us();
    if (skr_round_run(&round, &error) < 0) {
        die(&error);
    }
    const double took = (cluster_now_us() - begin) / 1000;
    for (size_t i = 0; i < n; i++) {
        skr_round_group_fini(&group[i]);
    }
    skr_solver_cache_destroy(cache);
    free(group);
    free(problem);
    load_fini(&l);
    return took;
}

static int row(const char *what, double ms, double limit_ms)
{
    printf("| %s | %.1f ms | %.0f ms |\n", what, ms, limit_ms);
    fflush(stdout);
    return ms > limit_ms;
}

int main(void)
{
    static const struct skr_rule packed[] = {{0}, {.hard = true}, {0}};
    static const struct skr_rule plain[3];
    int slow = 0;
    printf("| 5,000 nodes, 20,000 ends | time | limit |\n|---|---|---|\n");
    slow += row("earliest start beside 8 reservations", earliest_ms(plain, 30000), 60);
    slow += row("the same, one block of 500 nodes", earliest_ms(packed, 3000), 60);
    slow += row("round, 1,000 groups, 1 reservation", round_ms(packed, 1000, 0), 200);
    slow += row("the same with 64 forecasts", round_ms(packed, 1000, 64), 2000);
    return slow > 0;
}
