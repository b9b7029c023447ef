/* SPDX-License-Identifier: Apache-2.0 */
/* Traces under policies: who starts when, what is reported, and which policy is better at what. */
#include "core/solver/solver.h"
#include "server/lab/replay/report.h"
#include "test/test.h"

#define HEAD "arrival,name,size,slots,run,limit,priority,constraints\n"

static const struct skr_replay_policy *policy_of(const char *name)
{
    const struct skr_replay_policy *p = skr_replay_policy;
    while (strcmp(p->name, name) != 0) {
        p++;
    }
    return p;
}

static const struct skr_replay_place *place_of(const char *name)
{
    const struct skr_replay_place *p = skr_replay_place;
    while (strcmp(p->name, name) != 0) {
        p++;
    }
    return p;
}

struct play {
    struct skr_replay_cluster cluster;
    struct skr_replay_jobs jobs;
    struct skr_replay_options options;
    struct skr_replay_outcome outcome;
    struct skr_replay_report report;
};

static void play_set_up(struct play *p)
{
    p->options.reservations = 1;
    p->options.patience = SKR_INSTANT_NEVER;
}

static void play_tear_down(struct play *p)
{
    skr_replay_outcome_fini(&p->outcome);
    skr_replay_jobs_fini(&p->jobs);
    skr_replay_cluster_fini(&p->cluster);
}

static void load(struct play *p, const char *cluster, const char *jobs)
{
    struct skr_findings findings;
    struct skr_error error;
    skr_findings_init(&findings);
    assert_int_equal(skr_replay_cluster_parse(cluster, &p->cluster, &error), 0);
    assert_true(skr_replay_jobs_parse(jobs, strlen(jobs), p->cluster.tree, &findings, &p->jobs));
}

static void run_as(struct play *p, const char *policy, const char *place)
{
    struct skr_error error;
    p->options.policy = policy_of(policy);
    p->options.place = place_of(place);
    skr_replay_outcome_fini(&p->outcome);
    assert_int_equal(skr_replay_run(&p->jobs, &p->cluster, &p->options, &p->outcome, &error), 0);
    skr_replay_report_make(&p->jobs, &p->cluster, &p->options, &p->outcome, &p->report);
}

/* "a 0..10, b 5.." by arrival. */
static void says(const struct play *p, const char *expected)
{
    SKR_STRBUF(b);
    for (size_t i = 0; i < p->jobs.n; i++) {
        const struct skr_replay_fate *f = &p->outcome.fate[i];
        skr_strbuf_addf(&b, "%s%s", i > 0 ? ", " : "", p->jobs.job[i].name);
        if (f->start == SKR_INSTANT_NEVER) {
            skr_strbuf_add(&b, " never");
        } else {
            skr_strbuf_addf(&b, " %lld..%lld%s", (long long)f->start, (long long)f->end,
                            f->backfilled ? " before others" : "");
        }
    }
    assert_string_equal(b.s, expected);
}

/* a runs on one of two nodes; big needs both; late would hold it up, in-time does not. */
#define STREAM                      \
    HEAD "0,a,1,8,50,100,0,\n"      \
         "1,big,2,8,10,20,0,\n"     \
         "2,late,1,8,200,300,0,\n"  \
         "3,in-time,1,8,40,60,0,\n" \
         "4,never,3,8,1,1,0,\n"

TEST_WITH(play, each_policy_says_who_goes_first)
{
    load(play, "racks=1,nodes=2,slots=8", STREAM);
    run_as(play, "fifo", "exact");
    says(play, "a 0..50, big 50..60, late 60..260, in-time 60..100, never never");
    run_as(play, "besteffort", "exact");
    says(play, "a 0..50, big 202..212, late 2..202 before others, in-time 50..90 before others, "
               "never never");
    run_as(play, "easy", "exact");
    says(play, "a 0..50, big 50..60, late 60..260, in-time 3..43 before others, never never");
    run_as(play, "sakkara", "exact");
    says(play, "a 0..50, big 50..60, late 60..260, in-time 3..43 before others, never never");
    assert_int_equal(play->outcome.fate[1].promised, 100);
    assert_int_equal(play->report.promises, 2);
    assert_int_equal(play->report.late, 0);
    assert_int_equal(play->report.class[SKR_REPLAY_ALL].unplaced, 1);
}

TEST_WITH(play, a_run_is_cut_at_its_limit)
{
    load(play, "racks=1,nodes=1,slots=8",
         HEAD "5,a,1,8,50,20,0,\n6,b,1,8,0,9,0,\n7,c,1,8,1,9,1,\n");
    run_as(play, "sakkara", "exact");
    says(play, "a 5..25, b 26..26, c 25..26");
}

/* The two nodes run pods without limits one after the other, so big has no start; with patience it
 * holds its place from the guess on. */
TEST_WITH(play, patience_gives_a_drain)
{
    load(play, "racks=1,nodes=2,slots=8",
         HEAD "0,a,1,8,100,,0,\n0,b,1,8,150,,0,\n1,big,2,8,10,20,0,\n90,c,1,8,100,,0,\n"
              "140,d,1,8,100,,0,\n180,e,1,8,100,,0,\n");
    run_as(play, "sakkara", "exact");
    says(play, "a 0..100, b 0..150, big 300..310, c 100..200 before others, d 150..250 before "
               "others, e 200..300 before others");
    play->options.patience = 60;
    run_as(play, "sakkara", "exact");
    says(play, "a 0..100, b 0..150, big 150..160, c 160..260, d 160..260, e 260..360");
    assert_int_equal(play->report.drains, 2);
    assert_int_equal(play->report.promises, 1); /* to c */
}

/* ---- a synthetic trace ---- */

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state >> 11;
}

static int64_t one_of(uint64_t *state, const int64_t *list, size_t n)
{
    return list[next_random(state) % n];
}

/* Mostly small jobs, some of half a rack and more, that fill nearly all of 1,024 slots. */
static void add_synthetic(struct skr_strbuf *out, uint64_t seed, int n)
{
    static const int64_t runs[] = {60, 120, 300, 300, 600, 600, 1200, 2400, 7200, 14400};
    static const int64_t factors[] = {105, 150, 200, 300, 500, 1000};
    static const int64_t small[] = {1, 1, 1, 2, 4, 8}, middle[] = {2, 2, 3},
                         large[] = {4, 8, 8, 16};
    uint64_t state = 88172645463325252U + seed * 7919;
    int64_t t = 0, work = 0;
    skr_strbuf_add(out, HEAD);
    for (int i = 0; i < n; i++) {
        const uint64_t kind = next_random(&state) % 100;
        const int64_t slots = kind < 70 ? one_of(&state, small, 6) : 8;
        const int64_t size = kind < 70   ? 1
                             : kind < 93 ? one_of(&state, middle, 3)
                                         : one_of(&state, large, 4);
        const int64_t run = one_of(&state, runs, 10);
        const bool pack = size > 1 && size <= 8 && next_random(&state) % 10 < 7;
        skr_strbuf_addf(out, "%lld,j%d,%lld,%lld,%lld,%lld,0,%s\n", (long long)t, i,
                        (long long)size, (long long)slots, (long long)run,
                        (long long)(run * one_of(&state, factors, 6) / 100),
                        pack ? "\"{\"\"rack\"\":{\"\"hard\"\":true}}\"" : "");
        work += size * slots * run;
        t = work * 100 / (1024 * 94) - (int64_t)(next_random(&state) % 4000);
        t = t > 0 ? t : 0;
    }
}

/* The order of policies: what reservations are for, and what they cost. Sums over seeds, because one
 * trace says little. */
TEST(reservations_cut_the_longest_wait_and_cost_little)
{
    static const char *const policy[] = {"fifo", "besteffort", "easy", "sakkara"};
    enum { FIFO, BEST_EFFORT, EASY, SAKKARA, POLICIES, SEEDS = 2 };
    int64_t mean[POLICIES] = {0}, longest[POLICIES] = {0}, slowdown[POLICIES] = {0};
    int64_t used[POLICIES] = {0}, small[POLICIES] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct play p = {0};
        SKR_STRBUF(trace);
        play_set_up(&p);
        add_synthetic(&trace, seed, 2500);
        load(&p, "racks=16,nodes=8,slots=8", trace.s);
        for (size_t i = 0; i < POLICIES; i++) {
            run_as(&p, policy[i], "exact");
            const struct skr_replay_class_report *large = &p.report.class[SKR_REPLAY_LARGE];
            mean[i] += p.report.class[SKR_REPLAY_ALL].wait.mean;
            small[i] += p.report.class[SKR_REPLAY_NODE].wait.mean;
            longest[i] += large->wait.max;
            slowdown[i] += large->slowdown.mean;
            used[i] += p.report.utilisation;
            assert_int_equal(p.report.class[SKR_REPLAY_ALL].unplaced, 0);
            assert_int_equal(i == SAKKARA ? p.report.late : 0, 0);
        }
        play_tear_down(&p);
    }
    for (size_t i = 0; i < POLICIES; i++) {
        print_message(
            "%s: mean %lld, <=node %lld, large: longest %lld, slowdown %lld/100, used %lld/10 %%\n",
            policy[i], (long long)mean[i] / SEEDS, (long long)small[i] / SEEDS,
            (long long)longest[i] / SEEDS, (long long)slowdown[i] / SEEDS,
            (long long)used[i] / SEEDS);
    }
    assert_true(mean[FIFO] > 3 * mean[SAKKARA]);
    assert_true(mean[SAKKARA] < 2 * mean[BEST_EFFORT]);
    assert_true(small[BEST_EFFORT] < small[SAKKARA]);
    assert_true(longest[SAKKARA] < longest[BEST_EFFORT] && longest[EASY] < longest[BEST_EFFORT]);
    assert_true(slowdown[SAKKARA] < slowdown[BEST_EFFORT]);
    assert_true(used[SAKKARA] > used[FIFO] && used[SAKKARA] + 10 * SEEDS > used[BEST_EFFORT]);
}

/* ---- places ---- */

TEST(every_place_is_a_placement)
{
    static const char *const place[] = {"bestfit", "leastfree", "spread"};
    struct skr_replay_cluster cluster;
    struct skr_error error;
    uint64_t state = 4711;
    const int64_t one = 1;
    assert_int_equal(skr_replay_cluster_parse("racks=3,nodes=4,slots=8", &cluster, &error), 0);
    for (int i = 0; i < 3000; i++) {
        int64_t free[12];
        struct skr_rule rule[2] = {0};
        rule[0].hard = next_random(&state) % 2;
        rule[1].hard = rule[0].hard && next_random(&state) % 4 == 0;
        rule[1].max = !rule[1].hard && next_random(&state) % 8 == 0 ? 3 : 0;
        for (size_t k = 0; k < 12; k++) {
            free[k] = (int64_t)(next_random(&state) % 10) - 1;
        }
        const struct skr_problem problem = {.tree = cluster.tree,
                                            .n = 1 + (int32_t)(next_random(&state) % 20),
                                            .rule = rule,
                                            .n_resources = 1,
                                            .demand = &one,
                                            .free = free,
                                            .step_budget = -1};
        struct skr_solution *solution;
        assert_int_equal(skr_solve(&problem, &solution, &error), 0);
        for (size_t k = 0; solution->status == SKR_SOLVE_PLACED && k < 3; k++) {
            place_of(place[k])->choose(&problem, solution->count);
            if (skr_solution_check(&problem, solution->count, &error) < 0) {
                fail_msg("case %d, %s: %s", i, place[k], error.text);
            }
        }
        skr_solution_destroy(solution);
    }
    skr_replay_cluster_fini(&cluster);
}

static const struct example {
    const char *title, *place;
    int32_t count[4];
} examples[] = {
    {"the fullest node that holds all", "bestfit", {0, 3, 0, 0}},
    {"the fullest nodes first", "leastfree", {0, 0, 2, 1}},
    {"the emptiest nodes", "spread", {3, 0, 0, 0}},
};

TEST_EACH(example, examples, places_differ_as_their_names_say)
{
    static const int64_t free[] = {8, 4, 2, 2};
    static const struct skr_rule rule[2];
    const int64_t one = 1;
    struct skr_replay_cluster cluster;
    struct skr_error error;
    int32_t count[4] = {0};
    assert_int_equal(skr_replay_cluster_parse("racks=1,nodes=4,slots=8", &cluster, &error), 0);
    const struct skr_problem problem = {
        .tree = cluster.tree, .n = 3, .rule = rule, .n_resources = 1, .demand = &one, .free = free};
    place_of(example->place)->choose(&problem, count);
    assert_memory_equal(count, example->count, sizeof count);
    skr_replay_cluster_fini(&cluster);
}
