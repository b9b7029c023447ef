/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cost of the solver for members that are not equal (roles_load.h), as a Markdown table; CPU time of
 * one core, nothing cached: feasibility, optimum and check together. Status 1 when a floor times
 * FACTOR (environment, default 1) is missed, or a placement is not the proven optimum. Rows named
 * "fit" are feasibility alone.
 *
 * Every case is solved for LOADS loads; p50 and the worst are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/solver/answer.h"
#include "test/bench/roles_load.h"
#include "test/bench/times.h"

enum {
    LOADS = 5,
    RACK = 100,
    SPREAD = ROLES_UNLIKE | ROLES_SPREAD,
    FITS = ROLES_UNLIKE | 1 << 16, /* feasibility alone */
};

struct row {
    const char *name;
    struct roles_load_case load;
    double floor_ms, target_ms;
};

/* Milliseconds; < 0: not proven. */
static double solve_one(const struct roles_load_case *of, uint64_t seed)
{
    struct roles_load load;
    roles_load_init(&load, of, seed);
    struct skr_solution *solution = NULL;
    bool fits = false, decided = true;
    double began = cluster_now_us();
    int rc = (of->how & FITS) == FITS ? skr_roles_fit(&load.problem, &fits, &decided, NULL)
                                      : skr_solve(&load.problem, &solution, NULL);
    double ms = (cluster_now_us() - began) / 1000;
    if (solution) {
        fits = solution->status == SKR_SOLVE_PLACED && solution->optimal;
        skr_solution_destroy(solution);
    }
    roles_load_fini(&load);
    return rc == 0 && fits && decided ? ms : -1;
}

/* bench_solver_roles [NAME]: only cases whose names contain NAME. */
int main(int argc, char **argv)
{
    static const struct row table[] = {
        {"1 leader, 64 workers", {50, RACK, {1}, 64, 0, 0}, 30, 5},
        {"1 leader, 256 workers", {50, RACK, {1}, 256, 0, 0}, 30, 5},
        {"1 leader, 10,000 workers", {50, RACK, {1}, 10000, 0, 0}, 30, 5},
        {"4 leaders, 256 workers", {50, RACK, {4}, 256, 0, 0}, 150, 20},
        {"16 leaders, 256 workers", {50, RACK, {16}, 256, 0, 0}, 1000, 100},
        {"64 leaders, 256 workers", {50, RACK, {64}, 256, 0, 0}, 4000, 400},
        {"128 leaders, 256 workers", {50, RACK, {128}, 256, 0, 0}, 8000, 800},
        {"twins 1 + 1 + 1, 256 workers", {50, RACK, {1, 1, 1}, 256, 0, 0}, 150, 20},
        {"twins 4 + 4, 256 workers", {50, RACK, {4, 4}, 256, 0, 0}, 1000, 100},
        {"twins 16 + 16, 256 workers", {50, RACK, {16, 16}, 256, 0, 0}, 1000, 100},
        {"twins 4 x 4, 256 workers", {50, RACK, {4, 4, 4, 4}, 256, 0, 0}, 1000, 100},
        {"twins 32 + 32, 512 workers", {50, RACK, {32, 32}, 512, 0, 0}, 4000, 400},
        {"1 + 1 + 1, 256 workers", {50, RACK, {1, 1, 1}, 256, 0, ROLES_UNLIKE}, 150, 20},
        {"4 + 4, 256 workers", {50, RACK, {4, 4}, 256, 0, ROLES_UNLIKE}, 1000, 100},
        {"2 + 2 + 2, 256 workers", {50, RACK, {2, 2, 2}, 256, 0, ROLES_UNLIKE}, 1000, 100},
        {"5 x 1, 256 workers", {50, RACK, {1, 1, 1, 1, 1}, 256, 0, ROLES_UNLIKE}, 1000, 100},
        {"4 + 4 + 4, 256 workers", {50, RACK, {4, 4, 4}, 256, 0, ROLES_UNLIKE}, 4000, 400},
        {"16 + 16, 256 workers", {50, RACK, {16, 16}, 256, 0, ROLES_UNLIKE}, 4000, 400},
        {"4 + 4, 256 workers: fit", {50, RACK, {4, 4}, 256, 0, FITS}, 40, 10},
        {"16 + 16, 256 workers: fit", {50, RACK, {16, 16}, 256, 0, FITS}, 600, 100},
        {"4 x 4, 256 workers", {50, RACK, {4, 4, 4, 4}, 256, 0, ROLES_UNLIKE}, 4000, 1000},
        {"32 + 32, 512 workers: fit", {50, RACK, {32, 32}, 512, 0, FITS}, 4000, 1000},
        {"4 + 4, 256 workers, spread", {50, RACK, {4, 4}, 256, 0, SPREAD}, 1000, 100},
        {"4 + 4, 240 workers, spread over 4 racks",
         {50, RACK, {4, 4}, 240, 0, SPREAD | ROLES_PARTED},
         1000,
         100},
        {"4 + 4, 240 workers in 4 racks",
         {50, RACK, {4, 4}, 240, 0, ROLES_UNLIKE | ROLES_PARTED},
         1000,
         100},
        {"8 sets of 1 + 7", {50, RACK, {8}, 56, 8, 0}, 2000, 200},
        {"32 sets of 1 + 7", {50, RACK, {32}, 224, 32, 0}, 2000, 200},
        {"128 sets of 1 + 7", {50, RACK, {128}, 896, 128, 0}, 2000, 200},
        {"100,000 nodes: 1 leader, 64 workers", {1000, RACK, {1}, 64, 0, 0}, 300, 50},
        {"100,000 nodes: 1 leader, 512 workers", {1000, RACK, {1}, 512, 0, 0}, 300, 50},
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
            took[load] = 1000 * solve_one(&table[i].load, (uint64_t)load * 7919 + 1);
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
