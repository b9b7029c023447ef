/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every kind of rule costs on clusters of 640 to 100,000 nodes, as Markdown tables; CPU time
 * of one core, p50 and p99.
 *
 *   cold      a problem never seen: LOADS random loads of the cluster
 *   changed   a problem that is kept: one node changed, then the answer; CHANGES times
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/bench/times.h"
#include "test/bench/warm.h"
#include "test/unit/solver_cluster.h"

enum { LOADS = 40, CHANGES = 100 };

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))
#define PACK(...)                          \
    {                                      \
        .type = SKR_RULE_PACK, __VA_ARGS__ \
    }
#define SPREAD(...)                          \
    {                                        \
        .type = SKR_RULE_SPREAD, __VA_ARGS__ \
    }

static const struct {
    const char *name;
    int32_t fanout[2];
    int32_t n;
    int32_t partitions; /* about a quarter more racks than the members need */
} clusters[] = {
    {"640 nodes in 40 racks", {40, 16}, 64, 2},
    {"5,000 nodes in 250 racks", {250, 20}, 1024, 16},
    {"16,000 nodes in 400 racks", {400, 40}, 1024, 8},
    {"100,000 nodes in 2,000 racks", {2000, 50}, 10000, 64},
};

static const struct {
    const char *name;
    struct skr_rule rule[2];
} rules[] = {
    {"pack, pack", {PACK(0), PACK(0)}},
    {"spread, pack", {SPREAD(0), PACK(0)}},
    {"pack, spread", {PACK(0), SPREAD(0)}},
    {"spread, spread", {SPREAD(0), SPREAD(0)}},
    {"hard pack, pack", {PACK(.hard = true), PACK(0)}},
    {"pack, hard spread", {PACK(0), SPREAD(.hard = true)}},
    {"spread, some partitions; pack", {SPREAD(.partitions = 1), PACK(0)}},
    {"pack, some partitions; spread", {PACK(.partitions = 1), SPREAD(0)}},
    {"pack, pack 2..4", {PACK(0), PACK(.min = 2, .max = 4)}},
    {"spread min 5, pack min 2", {SPREAD(.min = 5), PACK(.min = 2)}},
    {"pack factor 4, spread factor 2", {PACK(.factor = 4), SPREAD(.factor = 2)}},
    {"spread 8..64, pack 1 partition", {SPREAD(.min = 8, .max = 64), PACK(.partitions = 1)}},
};

struct times {
    double us[LOADS > CHANGES ? LOADS : CHANGES];
    int n;
};

static void add_since(struct times *t, double begin)
{
    t->us[t->n++] = cluster_now_us() - begin;
}

static void write_times(struct times *t)
{
    if (t->n == 0) {
        printf(" | not kept |");
        return;
    }
    for (int percent = 50; percent <= 99; percent += 49) {
        printf(" | ");
        times_print(times_percentile(t->us, t->n, percent));
    }
}

/* Whether there is an answer; no: it would take more memory than a run may. */
static bool take(int rc)
{
    if (rc != 0 && rc != -SKR_LIMIT) {
        abort();
    }
    return rc == 0;
}

/* A node is emptied, filled, or anything between. */
static int32_t change(struct cluster *c)
{
    int32_t leaf = (int32_t)(cluster_random(c) % (uint64_t)c->tree.n_leaves);
    c->free[leaf] = (int64_t)(cluster_random(c) % (uint64_t)(c->capacity[leaf] + 1));
    return leaf;
}

static void run(struct cluster *c, size_t k, size_t r)
{
    struct times sets = {.n = 0};
    struct times optimum = {.n = 0};
    struct times changed = {.n = 0};
    struct times again = {.n = 0};
    struct warm warm = {.least = NULL};
    struct skr_rule rule[2] = {rules[r].rule[0], rules[r].rule[1]};
    if (rule[0].partitions > 0) {
        rule[0].partitions = clusters[k].partitions;
    }
    struct skr_problem problem = cluster_problem(c, rule, clusters[k].n);
    int placed = 0;
    int too_large = 0;
    bool keeps = false;
    for (uint64_t load = 1; load <= LOADS; load++) {
        SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
        cluster_load(c, load);
        warm_close(&warm);
        double begin = cluster_now_us();
        keeps = warm_open(&warm, &problem);
        add_since(&sets, begin);
        begin = cluster_now_us();
        too_large += take(skr_solve(&problem, &solution, NULL)) ? 0 : 1;
        add_since(&optimum, begin);
        placed += !!solution && solution->status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    for (int i = 0; i < CHANGES && keeps; i++) {
        SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
        int32_t leaf = change(c);
        double begin = cluster_now_us();
        keeps = warm_change(&warm, leaf);
        add_since(&changed, begin);
        if (keeps) {
            take(warm_solve(&warm, &solution));
            add_since(&again, begin);
        }
    }
    warm_close(&warm);
    printf("| %s | %d of %d", rules[r].name, placed, LOADS);
    if (too_large > 0) {
        printf(", %d beyond 1 GiB", too_large);
    }
    write_times(&sets);
    write_times(&optimum);
    write_times(&changed);
    write_times(&again);
    printf(" |\n");
    fflush(stdout);
}

int main(void)
{
    cluster_keep_memory();
    for (size_t k = 0; k < COUNT_OF(clusters); k++) {
        struct cluster c;
        printf("%s%s, %" PRId32 " members (partitions: %" PRId32 "):\n\n", k == 0 ? "" : "\n",
               clusters[k].name, clusters[k].n, clusters[k].partitions);
        printf("| racks, nodes | loads that fit | feasible? cold p50 | p99 | optimum, cold p50 | "
               "p99 | feasible? one node changed p50 | p99 | optimum, one node changed p50 | p99 "
               "|\n|---|---|---|---|---|---|---|---|---|---|\n");
        cluster_init(&c, clusters[k].fanout, 2, 8);
        for (size_t r = 0; r < COUNT_OF(rules); r++) {
            run(&c, k, r);
        }
        cluster_fini(&c);
    }
    return 0;
}
