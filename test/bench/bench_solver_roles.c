/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of the solver for members that are not equal, as a Markdown table; CPU time of one core,
 * nothing cached: feasibility, optimum and check together. Status 1 when a floor times FACTOR
 * (environment, default 1) is missed, or a placement is not the proven optimum.
 *
 * Nodes are all different: 16 to 64 cpu, 0 to 8 gpu, 128 to 512 GiB, one in ten without gpu; racks
 * of 100. Side roles are leaders of 8 cpu and 16 GiB; workers need 4 cpu, 1 gpu and 32 GiB. Pack on
 * both levels. Every case is solved for LOADS loads; p50 and the worst are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/solver/roles.h"
#include "core/solver/solver.h"
#include "test/bench/times.h"
#include "test/unit/solver_cluster.h"

enum { LOADS = 5, RESOURCES = 3, RACK = 100 };

struct row {
    const char *name;
    int32_t racks;
    int32_t side[SKR_ROLES_MAX]; /* members of each side role; 0: no more */
    int32_t workers;
    int32_t sets; /* > 0: of 1 leader and 7 workers in racks */
    double floor_ms, target_ms;
};

static const int64_t leader[RESOURCES] = {8000, 0, 16};
static const int64_t worker[RESOURCES] = {4000, 1, 32};

static int64_t *make_loads(struct cluster *c)
{
    int64_t *free_ = calloc((size_t)c->tree.n_leaves * RESOURCES, sizeof *free_);
    for (int32_t i = 0; free_ && i < c->tree.n_leaves; i++) {
        int64_t *row = free_ + (size_t)i * RESOURCES;
        row[0] = 1000 * (16 + (int64_t)(cluster_random(c) % 49));
        row[1] = cluster_random(c) % 10 == 0 ? 0 : (int64_t)(cluster_random(c) % 9);
        row[2] = 128 + (int64_t)(cluster_random(c) % 385);
    }
    return free_;
}

/* Milliseconds; < 0: not the proven optimum. */
static double solve_one(const struct row *row, uint64_t seed)
{
    struct cluster c;
    cluster_init(&c, (const int32_t[]){row->racks, RACK}, 2, 1);
    c.random = seed;
    int64_t *free_ = make_loads(&c);
    struct skr_role role[SKR_ROLES_MAX] = {{0}};
    struct skr_set_kind kind = {.level = 1, .each = {1, 7}};
    struct skr_roles roles = {.role = role, .kind = &kind, .n_kinds = row->sets > 0 ? 1 : 0};
    struct skr_rule rule[2] = {{.type = SKR_RULE_PACK}, {.type = SKR_RULE_PACK}};
    struct skr_problem problem = {.tree = &c.tree,
                                  .rule = rule,
                                  .n_resources = RESOURCES,
                                  .free = free_,
                                  .roles = &roles,
                                  .step_budget = -1};
    for (size_t i = 0; row->side[i] > 0; i++) {
        role[roles.n_roles++] = (struct skr_role){
            .name = "leader", .n = row->side[i], .minimum = row->side[i], .demand = leader};
    }
    role[roles.n_roles++] = (struct skr_role){
        .name = "worker", .n = row->workers, .minimum = row->workers, .demand = worker};
    for (size_t r = 0; r < roles.n_roles; r++) {
        problem.n += role[r].n;
    }
    struct skr_solution *solution = NULL;
    double began = cluster_now_us();
    int rc = free_ ? skr_solve(&problem, &solution, NULL) : -1;
    double ms = (cluster_now_us() - began) / 1000;
    if (rc != 0 || solution->status != SKR_SOLVE_PLACED || !solution->optimal) {
        ms = -1;
    }
    if (rc == 0) {
        skr_solution_destroy(solution);
    }
    free(free_);
    cluster_fini(&c);
    return ms;
}

/* bench_solver_roles [NAME]: only cases whose names contain NAME. */
int main(int argc, char **argv)
{
    static const struct row table[] = {
        {"1 leader, 64 workers", 50, {1}, 64, 0, 30, 5},
        {"1 leader, 256 workers", 50, {1}, 256, 0, 30, 5},
        {"1 leader, 10,000 workers", 50, {1}, 10000, 0, 30, 5},
        {"4 leaders, 256 workers", 50, {4}, 256, 0, 150, 20},
        {"1 + 1 + 1, 256 workers", 50, {1, 1, 1}, 256, 0, 150, 20},
        {"4 + 4, 256 workers", 50, {4, 4}, 256, 0, 1000, 100},
        {"2 + 2 + 2, 256 workers", 50, {2, 2, 2}, 256, 0, 1000, 100},
        {"5 x 1, 256 workers", 50, {1, 1, 1, 1, 1}, 256, 0, 1000, 100},
        {"16 leaders, 256 workers", 50, {16}, 256, 0, 1000, 100},
        {"64 leaders, 256 workers", 50, {64}, 256, 0, 4000, 400},
        {"8 sets of 1 + 7", 50, {8}, 56, 8, 2000, 200},
        {"32 sets of 1 + 7", 50, {32}, 224, 32, 2000, 200},
        {"100,000 nodes: 1 leader, 64 workers", 1000, {1}, 64, 0, 300, 50},
        {"100,000 nodes: 1 leader, 512 workers", 1000, {1}, 512, 0, 300, 50},
    };
    double factor = getenv("FACTOR") ? strtod(getenv("FACTOR"), NULL) : 1;
    int missed = 0;
    cluster_keep_memory();
    printf("### Members that are not equal\n\n");
    printf("5,000 nodes, all different, nothing cached: feasibility, optimum and check.\n\n");
    printf("| case | p50 | worst | floor | target | |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (argc > 1 && !strstr(table[i].name, argv[1])) {
            continue;
        }
        double took[LOADS];
        bool proven = true;
        for (int load = 0; load < LOADS; load++) {
            took[load] = 1000 * solve_one(&table[i], (uint64_t)load * 7919 + 1);
            proven = proven && took[load] >= 0;
        }
        double median = times_percentile(took, LOADS, 50);
        bool holds = proven && median <= table[i].floor_ms * 1000 * factor;
        printf("| %s | ", table[i].name);
        times_print(median);
        printf(" | ");
        times_print(times_percentile(took, LOADS, 99));
        printf(" | ");
        times_print(table[i].floor_ms * 1000);
        printf(" | ");
        times_print(table[i].target_ms * 1000);
        printf(" | %s |\n", !proven                               ? "**not proven**"
                            : !holds                              ? "**missed**"
                            : median <= table[i].target_ms * 1000 ? "target"
                                                                  : "floor");
        fflush(stdout);
        missed += holds ? 0 : 1;
    }
    return missed > 0 ? 1 : 0;
}
