/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver beside another one, on the demonstrations of that one and on tight random trees:
 * times, refusals of groups that fit, and how often the other placement is as good as ours by our
 * objective.
 *
 *   CHIC_SCHED=DIR bench_solver_reference     DIR/sakkara-bench answers for the other solver, see
 *                                             reference.h; without it its columns say so
 *
 * Times are wall clock, the least of REPEAT runs of one problem on either side: ours from free
 * amounts to the finished solution, nothing kept; the other's as its program measures them.
 * Feasibility of random trees is judged by the plain dynamic program of the property tests.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test/bench/reference.h"
#include "test/bench/times.h"
#include "test/property/oracle.h"
#include "test/unit/solver_cluster.h"
#include "topology/base/arena.h"

enum { REPEAT = 5, LOADS_MAX = 200, TREES = 1000, FLAT_MAX = 8 };

#define COUNT_OF(array) (sizeof array / sizeof((array)[0]))
#define PACK(...)                          \
    {                                      \
        .type = SKR_RULE_PACK, __VA_ARGS__ \
    }
#define SPREAD(...)                          \
    {                                        \
        .type = SKR_RULE_SPREAD, __VA_ARGS__ \
    }

static struct reference *reference;
static int ours_failed;

static double wall_us(void)
{
    return times_now_s(CLOCK_MONOTONIC) * 1e6;
}

/* Results of the problems of one kind. */
struct tally {
    int asked, feasible;
    int refused;     /* ours, of the feasible ones */
    int ref_refused; /* the other's */
    int ref_optimal; /* of those it placed */
    int ref_invalid; /* placed in breach of the rules */
    int n;
    double us[LOADS_MAX];
    double ref_us[LOADS_MAX];
};

static struct skr_solution *solve(const struct skr_problem *problem)
{
    struct skr_solution *solution = NULL;
    if (skr_solve(problem, &solution, NULL) != 0) {
        abort();
    }
    return solution;
}

static double solve_us(const struct skr_problem *problem)
{
    double best = 0;
    for (int i = 0; i < REPEAT; i++) {
        double begin = wall_us();
        skr_solution_destroy(solve(problem));
        double took = wall_us() - begin;
        best = i == 0 || took < best ? took : best;
    }
    return best;
}

/* Whether the counts are as good as ours. */
static bool is_optimal(const struct skr_problem *problem, const struct skr_solution *ours,
                       const int32_t *count)
{
    const struct skr_level_key *key = skr_placement_key(problem->tree, count, ours->arena);
    return key && skr_placement_compare(problem->tree, problem->rule, ours->key, key) == 0;
}

static void judge(const struct skr_problem *problem, const struct skr_solution *ours, bool placed,
                  const int32_t *count, struct tally *t)
{
    if (!placed) {
        t->ref_refused++;
    } else if (skr_solution_check(problem, count, NULL) != 0) {
        t->ref_invalid++;
    } else if (ours->status == SKR_SOLVE_PLACED && is_optimal(problem, ours, count)) {
        t->ref_optimal++;
    }
}

/* ---- the demonstrations of the other solver ---- */

static const struct demo {
    const char *name;
    int32_t fanout[CLUSTER_LEVELS_MAX];
    int32_t n_levels;
    int64_t capacity, demand;
    double load, full, idle; /* mean load; shares of full and of empty servers */
    int32_t n;
    int loads;
    struct skr_rule rule[CLUSTER_LEVELS_MAX];
} demos[] = {
    {"large: 480 servers",
     {3, 8, 20},
     3,
     16,
     2,
     0.4,
     0.25,
     0.125,
     120,
     100,
     {PACK(0), PACK(0), SPREAD(0)}},
    {"mega: 2,880 servers, rules on 5 levels",
     {3, 3, 2, 8, 20},
     5,
     160,
     32,
     0.3,
     0.2,
     0.4,
     1200,
     100,
     {SPREAD(0), SPREAD(.partitions = 2), PACK(.partitions = 1, .min = 180, .max = 220),
      SPREAD(.partitions = 4), PACK(.min = 2, .max = 5)}},
#define SCALING(servers, racks, nodes, members)                                                 \
    {                                                                                           \
        "scaling: " servers " servers", {1, racks, nodes}, 3, 16, 2, 0.4, 0.25, 0.125, members, \
            60,                                                                                 \
        {                                                                                       \
            PACK(0), SPREAD(0), PACK(0)                                                         \
        }                                                                                       \
    }
    SCALING("8", 2, 4, 16),
    SCALING("32", 4, 8, 32),
    SCALING("128", 8, 16, 64),
    SCALING("512", 16, 32, 128),
    SCALING("2,048", 32, 64, 256),
    SCALING("8,192", 64, 128, 512),
};

static double uniform(struct cluster *c)
{
    return (double)(cluster_random(c) >> 11) / 9007199254740992.0;
}

/* A share of servers full, a share empty, the rest around the mean that makes up the load; the
 * deviation is 1.5 of that mean, about normal (twelve draws added up). */
static void load_demo(struct cluster *c, const struct demo *demo, uint64_t seed)
{
    double rest = 1 - demo->full - demo->idle;
    double mean = fmax(0, fmin(1, (demo->load - demo->full) / rest));
    c->random = seed;
    for (int32_t leaf = 0; leaf < c->tree.n_leaves; leaf++) {
        double draw = uniform(c);
        double normal = -6;
        for (int i = 0; i < 12; i++) {
            normal += uniform(c);
        }
        double used = draw < demo->full                ? 1
                      : draw < demo->full + demo->idle ? 0
                                                       : mean * (1 + 1.5 * normal);
        used = fmax(0, fmin(1, used)) * (double)demo->capacity;
        c->free[leaf] = demo->capacity - (int64_t)(used + 0.5);
    }
}

static void write_percent(int part, int whole)
{
    if (whole == 0) {
        printf("none");
    } else {
        printf("%.3g %%", 100.0 * part / whole);
    }
}

static void ask(const struct skr_problem *problem, struct tally *t)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *ours = solve(problem);
    t->asked++;
    if (ours->status == SKR_SOLVE_PLACED) {
        t->feasible++;
        ours_failed += skr_solution_check(problem, ours->count, NULL) == 0 ? 0 : 1;
        if (reference) {
            struct reference_answer theirs = reference_solve(reference, problem, REPEAT);
            t->ref_us[t->n] = theirs.us;
            judge(problem, ours, theirs.placed, theirs.count, t);
        }
        t->us[t->n++] = solve_us(problem);
    }
}

static void tell_demo(const char *name, int32_t n, struct tally *t)
{
    double p50 = times_percentile(t->us, t->n, 50);
    printf("| %s | %" PRId32 " | %d of %d | ", name, n, t->feasible, t->asked);
    times_print(p50);
    printf(" | ");
    times_print(times_percentile(t->us, t->n, 99));
    if (!reference) {
        printf(" | no checkout | | | | |\n");
        return;
    }
    double ref_p50 = times_percentile(t->ref_us, t->n, 50);
    printf(" | ");
    times_print(ref_p50);
    printf(" | ");
    times_print(times_percentile(t->ref_us, t->n, 99));
    printf(" | %.3g | ", ref_p50 / p50);
    write_percent(t->ref_refused, t->feasible);
    printf(" | ");
    write_percent(t->ref_optimal, t->feasible - t->ref_refused);
    printf("%s |\n", t->ref_invalid > 0 ? " (some invalid)" : "");
    fflush(stdout);
}

/* Two racks, (1,2,3) and (2,1) slots. */
static void run_simple(void)
{
    static struct instance in;
    static struct tally t;
    static const int32_t children[] = {2, 3, 2};
    static const int64_t slots[] = {1, 2, 3, 2, 1};
    memcpy(in.child_count, children, sizeof children);
    instance_grow(&in, 2);
    for (int32_t leaf = 0; leaf < in.tree.n_leaves; leaf++) {
        in.free[leaf * INSTANCE_RESOURCES] = slots[leaf];
        in.eligible[0][leaf] = 1;
    }
    in.demand[0][0] = 1;
    in.rule[0].type = SKR_RULE_PACK;
    in.rule[1].type = SKR_RULE_SPREAD;
    in.problem.n = 4;
    instance_link(&in);
    for (int i = 0; i < 20; i++) {
        ask(&in.problem, &t);
    }
    tell_demo("simple: 5 servers", in.problem.n, &t);
}

static void run_demos(void)
{
    printf("| demonstration | members | feasible loads | p50 | p99 | reference p50 | p99 | p50 "
           "/ p50 | reference refuses, of the feasible | its placements that are optimal |\n"
           "|---|---|---|---|---|---|---|---|---|---|\n");
    run_simple();
    for (size_t i = 0; i < COUNT_OF(demos); i++) {
        struct cluster c;
        static struct tally t;
        memset(&t, 0, sizeof t);
        cluster_init(&c, demos[i].fanout, demos[i].n_levels, (int32_t)demos[i].capacity);
        c.demand[0] = demos[i].demand;
        struct skr_problem problem = cluster_problem(&c, demos[i].rule, demos[i].n);
        for (int load = 1; load <= demos[i].loads; load++) {
            load_demo(&c, &demos[i], (uint64_t)load);
            ask(&problem, &t);
        }
        tell_demo(demos[i].name, demos[i].n, &t);
        cluster_fini(&c);
    }
}

/* ---- tight random trees ---- */

static const struct family {
    const char *name;
    bool flat;
    bool any_type; /* of a rule that is only soft: pack or spread, drawn */
    struct skr_rule rule[2];
} families[] = {
    {"soft pack and spread, drawn", false, true, {PACK(0), PACK(0)}},
    {"rack hard pack", false, false, {PACK(.hard = true), PACK(0)}},
    {"node hard spread", false, false, {PACK(0), SPREAD(.hard = true)}},
    {"node hard pack", false, false, {PACK(0), PACK(.hard = true)}},
    {"node pack 2..4", false, false, {PACK(0), PACK(.min = 2, .max = 4)}},
    {"node spread 2..4", false, false, {PACK(0), SPREAD(.min = 2, .max = 4)}},
    {"node spread, 2 partitions per rack", false, false, {PACK(0), SPREAD(.partitions = 2)}},
    {"rack spread, node pack 1 partition", false, false, {SPREAD(0), PACK(.partitions = 1)}},
    {"rack factor 4, node factor 2", false, false, {PACK(.factor = 4), PACK(.factor = 2)}},
    {"rack pack 3..6", false, false, {PACK(.min = 3, .max = 6), PACK(0)}},
    {"rack spread 3..6", false, false, {SPREAD(.min = 3, .max = 6), PACK(0)}},
    {"rack spread 2 partitions", false, false, {SPREAD(.partitions = 2), PACK(0)}},
    {"rack spread 2 partitions, node 2..4",
     false,
     false,
     {SPREAD(.partitions = 2), PACK(.min = 2, .max = 4)}},
    {"flat, spread 3 partitions", true, false, {SPREAD(.partitions = 3)}},
    {"flat, spread 2 partitions of 2..4",
     true,
     false,
     {SPREAD(.partitions = 2, .min = 2, .max = 4)}},
};

static void make_tree(struct instance *in, const struct family *family, struct random *random)
{
    memset(in, 0, sizeof *in);
    int32_t racks = 2 + random_below(random, 3);
    in->child_count[0] = racks;
    for (int32_t rack = 1; rack <= racks && !family->flat; rack++) {
        in->child_count[rack] = 2 + random_below(random, 3);
    }
    if (family->flat) {
        in->child_count[0] = 4 + random_below(random, FLAT_MAX - 3);
    }
    instance_grow(in, family->flat ? 1 : 2);
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        in->free[leaf * INSTANCE_RESOURCES] = random_below(random, 7);
        in->eligible[0][leaf] = 1;
    }
    in->demand[0][0] = 1;
    for (int32_t level = 0; level < in->tree.n_levels; level++) {
        in->rule[level] = family->rule[level];
        if (family->any_type) {
            in->rule[level].type = random_percent(random, 50) ? SKR_RULE_PACK : SKR_RULE_SPREAD;
        }
    }
    in->problem.n = 2 + random_below(random, 11);
    instance_link(in);
}

static void write_share(const struct tally *t, bool there)
{
    if (!there) {
        printf("no checkout |");
        return;
    }
    write_percent(t->ref_refused, t->feasible);
    printf("%s | ", t->ref_invalid > 0 ? " (some invalid)" : "");
    write_percent(t->ref_optimal, t->feasible - t->ref_refused);
}

static void run_family(const struct family *family, uint64_t seed)
{
    static struct instance in;
    struct tally greedy = {0};
    struct tally theirs = {0};
    int refused = 0;
    struct random random = {.state = seed};
    for (int tries = 0; tries < 100 * TREES && greedy.feasible < TREES; tries++) {
        struct oracle_answer exact;
        struct oracle_answer by_greed;
        make_tree(&in, family, &random);
        dp_solve(&in, &exact, NULL);
        if (!exact.feasible) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *ours = solve(&in.problem);
        refused += ours->status == SKR_SOLVE_PLACED &&
                           memcmp(ours->count, exact.count[0],
                                  (size_t)in.tree.n_leaves * sizeof(int32_t)) == 0
                       ? 0
                       : 1;
        greedy_solve(&in, &random, &by_greed);
        greedy.feasible++;
        judge(&in.problem, ours, by_greed.feasible, by_greed.count[0], &greedy);
        theirs.feasible++;
        if (reference) {
            struct reference_answer answer = reference_solve(reference, &in.problem, 1);
            judge(&in.problem, ours, answer.placed, answer.count, &theirs);
        }
    }
    ours_failed += refused;
    printf("| %s | ", family->name);
    write_percent(refused, greedy.feasible);
    printf(" | ");
    write_share(&greedy, true);
    printf(" | ");
    write_share(&theirs, reference);
    printf(" |\n");
    fflush(stdout);
}

int main(void)
{
    const char *why = NULL;
    cluster_keep_memory();
    reference = reference_open(getenv("CHIC_SCHED"), &why);
    if (!reference) {
        fprintf(stderr, "the reference is left out: %s\n", why);
    }
    run_demos();
    printf(
        "\n| rules | we refuse, or are not optimal | greedy method refuses | its placements that "
        "are optimal | reference refuses | its placements that are optimal |\n"
        "|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        run_family(&families[i], 1000 + i);
    }
    reference_close(reference);
    if (ours_failed > 0) {
        fprintf(stderr, "%d answers of ours are wrong\n", ours_failed);
    }
    return ours_failed > 0 ? 1 : 0;
}
