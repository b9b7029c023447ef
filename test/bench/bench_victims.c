/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cheapest victims of a preemption (core/solver/victims.h) on 16,000 nodes that 500 running
 * gangs of ten priorities fill, as a Markdown table. Gangs have 1 to 64 nodes, whole ones or half
 * of each, mostly side by side; each trial is another cluster.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/solver/victims.h"
#include "test/bench/times.h"
#include "test/unit/solver_cluster.h"

enum { GANGS = 500, TRIALS = 41, SLOTS = 8, PRIORITIES = 10, NAME = 16 };

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))

static const struct skr_rule plain[4];
static const struct skr_rule rack[] = {{0}, {0}, {.hard = true}, {0}};
static const struct skr_rule row[] = {{0}, {.hard = true}, {0}, {.max = 4}};
static const struct skr_rule one_rack[] = {{.hard = true}, {.hard = true}, {.hard = true}, {0}};
static const struct skr_rule ranges[] = {
    {0}, {0}, {.min = 16, .max = 128, .factor = 16}, {.factor = 8}};

static const struct {
    const char *name;
    const struct skr_rule *rule;
    int32_t n;
} cases[] = {
    {"8 members anywhere", plain, 8},
    {"256 members anywhere", plain, 256},
    {"1,024 members anywhere", plain, 1024},
    {"128 members in one rack", one_rack, 128},
    {"32 members in one rack", one_rack, 32},
    {"512 members in one row, 4 a node", row, 512},
    {"256 members, one rack of each row", rack, 256},
    {"512 members, racks of 16 to 128, whole nodes", ranges, 512},
};

struct gangs {
    struct skr_victim victim[GANGS];
    struct skr_victim_share *share;
    char name[GANGS][NAME];
};

static const int64_t amounts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

/* Fills the cluster from a random node on, gang by gang, a few nodes left as they are. */
static void fill(struct gangs *g, struct cluster *c, uint64_t seed)
{
    size_t next = 0;
    int32_t leaf = 0;
    c->random = seed;
    for (int32_t i = 0; i < c->tree.n_leaves; i++) {
        c->free[i] = 0;
    }
    for (int32_t i = 0; i < GANGS; i++) {
        struct skr_victim *v = &g->victim[i];
        int32_t nodes = c->tree.n_leaves * 2 / GANGS;
        nodes = 1 + (int32_t)(cluster_random(c) % (uint64_t)nodes);
        bool half = cluster_random(c) % 3 == 0;
        snprintf(g->name[i], NAME, "ns/gang-%03d", (int)(i * 7 % GANGS));
        *v = (struct skr_victim){.name = g->name[i],
                                 .kind = SKR_VICTIM_GROUP,
                                 .priority = (int32_t)(cluster_random(c) % PRIORITIES),
                                 .surplus_of = -1,
                                 .share = &g->share[next]};
        for (int32_t k = 0; k < nodes && leaf < c->tree.n_leaves; k++, leaf++) {
            int32_t members = half ? SLOTS / 2 : SLOTS;
            g->share[next++] = (struct skr_victim_share){leaf, &amounts[members]};
            v->n_shares++;
            v->members += members;
            c->free[leaf] = cluster_random(c) % 4096 == 0 ? SLOTS - members : 0;
        }
    }
}

int main(void)
{
    static const int32_t fanout[] = {1, 10, 50, 32};
    struct cluster c;
    struct gangs *g = calloc(1, sizeof *g);
    cluster_keep_memory();
    cluster_init(&c, fanout, 4, SLOTS);
    g->share = calloc((size_t)c.tree.n_leaves + 1, sizeof *g->share);
    printf("| preemptor | p50 | worst | groups | members | tests | placements | proven |\n");
    printf("|---|---|---|---|---|---|---|---|\n");
    for (size_t k = 0; k < COUNT_OF(cases); k++) {
        double took[TRIALS];
        int64_t groups = 0, members = 0, tests = 0, solves = 0, found = 0, cheapest = 0,
                optimal = 0;
        for (int i = 0; i < TRIALS; i++) {
            fill(g, &c, (uint64_t)i * 31 + 5);
            struct skr_problem problem = cluster_problem(&c, cases[k].rule, cases[k].n);
            problem.free = c.free;
            struct skr_victims_problem in = {.problem = &problem,
                                             .priority = PRIORITIES,
                                             .n_victims = GANGS,
                                             .victim = g->victim,
                                             .step_budget = -1};
            struct skr_victims *victims;
            double begin = cluster_now_us();
            if (skr_victims_find(&in, &victims, NULL) < 0) {
                return 1;
            }
            took[i] = cluster_now_us() - begin;
            found += victims->status == SKR_VICTIMS_FOUND;
            cheapest += victims->cheapest;
            optimal += victims->optimal;
            groups += victims->groups;
            members += victims->members;
            tests += victims->stats.tests;
            solves += victims->stats.solves;
            skr_victims_destroy(victims);
        }
        times_sort(took, TRIALS);
        int64_t n = found > 0 ? found : 1;
        printf("| %s | %.1f ms | %.1f ms | %.1f | %.1f | %" PRId64 " | %" PRId64 " | %" PRId64
               " cheapest, %" PRId64 " optimal of %" PRId64 " |\n",
               cases[k].name, took[TRIALS / 2] / 1000, took[TRIALS - 1] / 1000,
               (double)groups / (double)n, (double)members / (double)n, tests / TRIALS,
               solves / TRIALS, cheapest, optimal, found);
        fflush(stdout);
    }
    free(g->share);
    free(g);
    cluster_fini(&c);
    return 0;
}
