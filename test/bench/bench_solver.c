/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time of cold solves: nothing is kept between them. A table on stdout, no assertion.
 *
 *   bench_solver [REPEATS]       default 5; the least time of them is printed
 *
 * Loads: equal = every node has the same room; random = 0 .. room of it, by a fixed seed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/solver.h"

struct cluster {
    const char *name;
    int32_t racks; /* 0: flat */
    int32_t nodes; /* of a rack, or of a flat tree */
    int32_t room;  /* members that an empty node holds */
};

static const struct cluster clusters[] = {
    {"200 in 10 racks", 10, 20, 8},
    {"1000 in 50 racks", 50, 20, 8},
    {"5000 in 250 racks", 250, 20, 8},
    {"5000 in 50 racks", 50, 100, 8},
    {"5000 flat", 0, 5000, 8},
    {"5000 in 250, room 110", 250, 20, 110},
    {"5000 in 50, room 110", 50, 100, 110},
    {"5000 flat, room 110", 0, 5000, 110},
    {"100000 in 2000 racks", 2000, 50, 8},
};

#define PACK                  \
    {                         \
        .type = SKR_RULE_PACK \
    }
#define SPREAD                  \
    {                           \
        .type = SKR_RULE_SPREAD \
    }

struct rules {
    const char *name;
    struct skr_rule rack;
    struct skr_rule node;
};

static const struct rules rules[] = {
    {"pack/pack", PACK, PACK},
    {"spread/pack", SPREAD, PACK},
    {"pack/spread", PACK, SPREAD},
    {"spread/spread", SPREAD, SPREAD},
    {"hard pack/pack", {.type = SKR_RULE_PACK, .hard = true}, PACK},
    {"spread partitions 4/pack", {.type = SKR_RULE_SPREAD, .partitions = 4}, PACK},
    {"pack partitions 10/spread", {.type = SKR_RULE_PACK, .partitions = 10}, SPREAD},
    {"pack/pack 2..4", PACK, {.type = SKR_RULE_PACK, .min = 2, .max = 4}},
    {"spread min 5/pack min 2",
     {.type = SKR_RULE_SPREAD, .min = 5},
     {.type = SKR_RULE_PACK, .min = 2}},
    {"pack f4/spread f2",
     {.type = SKR_RULE_PACK, .factor = 4},
     {.type = SKR_RULE_SPREAD, .factor = 2}},
};

static const int32_t sizes[] = {100, 1024, 10000};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void *must(void *memory)
{
    if (memory == NULL) {
        abort();
    }
    return memory;
}

struct arrays {
    int32_t *parent;
    int32_t *child_first;
    int32_t *child_count;
};

static void tree_make(const struct cluster *cluster, struct skr_tree *ret, struct arrays *arrays)
{
    int32_t inner = 1 + cluster->racks;
    int32_t leaves = (cluster->racks > 0 ? cluster->racks : 1) * cluster->nodes;
    size_t n = (size_t)(inner + leaves);
    arrays->parent = must(calloc(n, sizeof(int32_t)));
    arrays->child_first = must(calloc(n, sizeof(int32_t)));
    arrays->child_count = must(calloc(n, sizeof(int32_t)));
    *ret = (struct skr_tree){.n_levels = cluster->racks > 0 ? 2 : 1,
                             .n_units = (int32_t)n,
                             .n_leaves = leaves,
                             .first_leaf = inner,
                             .parent = arrays->parent,
                             .child_first = arrays->child_first,
                             .child_count = arrays->child_count};
    ret->level_first[1] = 1;
    ret->level_first[ret->n_levels] = inner;
    ret->level_first[ret->n_levels + 1] = (int32_t)n;
    arrays->parent[0] = -1;
    arrays->child_first[0] = 1;
    arrays->child_count[0] = cluster->racks > 0 ? cluster->racks : leaves;
    for (int32_t rack = 1; rack < inner; rack++) {
        arrays->child_first[rack] = inner + (rack - 1) * cluster->nodes;
        arrays->child_count[rack] = cluster->nodes;
        for (int32_t c = 0; c < cluster->nodes; c++) {
            arrays->parent[arrays->child_first[rack] + c] = rack;
        }
    }
}

static double now_ms(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static void run(const struct cluster *cluster, const struct skr_tree *tree,
                const struct rules *rule, int32_t n, const int64_t *room, const char *load,
                int repeats)
{
    const struct skr_rule levels[] = {rule->rack, rule->node};
    const int64_t demand[] = {1};
    struct skr_problem problem = {.tree = tree,
                                  .n = n,
                                  .rule = cluster->racks > 0 ? levels : levels + 1,
                                  .n_resources = 1,
                                  .demand = demand,
                                  .free = room,
                                  .step_budget = -1};
    double best = 0;
    const char *answer = "error";
    int64_t bytes = 0;
    for (int i = 0; i < repeats; i++) {
        struct skr_solution *solution = NULL;
        double begin = now_ms();
        int rc = skr_solve(&problem, &solution, NULL);
        double took = now_ms() - begin;
        best = i == 0 || took < best ? took : best;
        if (rc == 0) {
            answer = solution->status == SKR_SOLVE_PLACED ? "placed" : "infeasible";
            bytes = solution->stats.peak_bytes;
            skr_solution_destroy(solution);
        }
    }
    printf("%-24s %6" PRId32 "  %-7s %-26s %-10s %9.2f %8.1f\n", cluster->name, n, load, rule->name,
           answer, best, (double)bytes / 1e6);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int repeats = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    printf("%-24s %6s  %-7s %-26s %-10s %9s %8s\n", "nodes", "n", "load", "rack/node", "answer",
           "ms", "MB");
    for (size_t c = 0; c < COUNT_OF(clusters); c++) {
        struct skr_tree tree;
        struct arrays arrays;
        tree_make(&clusters[c], &tree, &arrays);
        int64_t *equal = must(calloc((size_t)tree.n_leaves, sizeof(*equal)));
        int64_t *random = must(calloc((size_t)tree.n_leaves, sizeof(*random)));
        uint64_t state = 1;
        for (int32_t leaf = 0; leaf < tree.n_leaves; leaf++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            equal[leaf] = clusters[c].room;
            random[leaf] = (int64_t)(state >> 33) % (clusters[c].room + 1);
        }
        for (size_t s = 0; s < COUNT_OF(sizes) && sizes[s] * 4 < tree.n_leaves * 6; s++) {
            for (size_t r = 0; r < COUNT_OF(rules); r++) {
                run(&clusters[c], &tree, &rules[r], sizes[s], equal, "equal", repeats);
                run(&clusters[c], &tree, &rules[r], sizes[s], random, "random", repeats);
            }
        }
        free(equal);
        free(random);
        free(arrays.parent);
        free(arrays.child_first);
        free(arrays.child_count);
    }
    return 0;
}
