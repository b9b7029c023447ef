/* SPDX-License-Identifier: Apache-2.0 */
/* A kept problem that changes leaf by leaf gives the answers of cold solves. */
#include "core/solver/cache.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { CHANGES = 12, PROBLEMS = 4 };

/* Pods came or went, a member was placed, or a node was cordoned. */
static int32_t change_leaf(struct instance *in, struct random *random)
{
    int32_t leaf = random_below(random, in->tree.n_leaves);
    int64_t *free = &in->free[leaf * INSTANCE_RESOURCES];
    int32_t slots = random_below(random, 9) - 3;
    switch (random_below(random, 4)) {
    case 0:
        in->eligible[0][leaf] = !in->eligible[0][leaf];
        break;
    case 1:
        in->claimed[0][leaf] = 0;
        break;
    case 2:
        if (instance_claims(in, 0, 0) < in->problem.n) {
            in->claimed[0][leaf]++;
        }
        break;
    default:
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            free[r] += slots * in->demand[0][r];
        }
        break;
    }
    return leaf;
}

static bool same_explanation(const struct skr_explanation *a, const struct skr_explanation *b)
{
    return a->class == b->class && a->largest == b->largest && a->sum_fits == b->sum_fits &&
           a->level == b->level && a->n_bottlenecks == b->n_bottlenecks &&
           memcmp(a->bottleneck, b->bottleneck, a->n_bottlenecks * sizeof a->bottleneck[0]) == 0 &&
           a->parts == b->parts && a->n_sizes == b->n_sizes &&
           memcmp(a->size, b->size, a->n_sizes * sizeof a->size[0]) == 0 &&
           a->n_relaxations == b->n_relaxations && a->slots == b->slots &&
           a->n_slot_leaves == b->n_slot_leaves;
}

static void check_same(const struct instance *in, const struct skr_solution *warm)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *cold = trial_solve(in);
    trial_check_answer(in, warm);
    size_t size = (size_t)in->tree.n_leaves * sizeof(int32_t);
    if (warm->status != cold->status) {
        trial_fail(in, "warm and cold differ in status");
    }
    if (cold->status == SKR_SOLVE_PLACED && memcmp(warm->count, cold->count, size) != 0) {
        trial_fail(in, "warm and cold place differently");
    }
    if (!same_explanation(&warm->explanation, &cold->explanation)) {
        trial_fail(in, "warm and cold explain differently");
    }
}

static void solve_warm(struct skr_solver_cache *cache, const struct instance *in)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *warm = NULL;
    struct skr_error error;
    if (skr_solver_cache_solve(cache, &in->problem, &warm, &error) != 0) {
        trial_fail(in, error.text);
    }
    check_same(in, warm);
}

TEST(warm_answers_are_those_of_cold_solves)
{
    struct skr_solver_cache *cache = skr_solver_cache_create((size_t)1 << 24);
    EACH_TRIAL(trial_share(8))
    {
        struct random random = {.state = trial.at};
        struct instance in;
        instance_make(&in, trial.seed + 30, trial.at,
                      trial.at % 4 == 3 ? &trial_large : &trial_small);
        in.problem.explain = true;
        in.problem.explain_parts = trial.at % 16 == 0 ? SKR_EXPLAIN_ALL : 0;
        for (int32_t c = 0; c < CHANGES; c++) {
            solve_warm(cache, &in);
            for (int32_t k = random_below(&random, 3); k >= 0; k--) {
                change_leaf(&in, &random);
            }
        }
        /* The next instance has the same address. */
        skr_solver_cache_forget(cache, &in.tree);
    }
    assert_int_equal(skr_solver_cache_bytes(cache), 0);
    skr_solver_cache_destroy(cache);
}

/* More problems than fit into the cache: answers do not depend on what was dropped. */
TEST(what_is_dropped_does_not_matter)
{
    EACH_TRIAL(trial_share(64))
    {
        struct random random = {.state = trial.at};
        struct skr_solver_cache *cache =
            skr_solver_cache_create((size_t)random_below(&random, 200000));
        static struct instance in[PROBLEMS];
        for (int32_t p = 0; p < PROBLEMS; p++) {
            instance_make(&in[p], trial.seed + 32, trial.at * PROBLEMS + (uint64_t)p, &trial_small);
        }
        /* Same tree and leaves, another size. */
        instance_copy(&in[1], &in[0]);
        in[1].problem.tree = in[0].problem.tree;
        in[1].problem.n++;
        for (int32_t c = 0; c < CHANGES; c++) {
            int32_t p = random_below(&random, PROBLEMS);
            change_leaf(&in[p], &random);
            solve_warm(cache, &in[p]);
        }
        skr_solver_cache_destroy(cache);
    }
}

TEST(a_kept_problem_is_found_again_and_bounded)
{
    struct instance in;
    struct random random = {.state = 1};
    struct skr_solver_cache *cache = skr_solver_cache_create((size_t)1 << 22);
    instance_make(&in, 3, 5, &trial_large);
    in.problem.claimed = NULL;
    struct skr_solution *got = NULL;
    for (int32_t c = 0; c < 3000; c++) {
        int32_t leaf = random_below(&random, in.tree.n_leaves);
        in.free[leaf * INSTANCE_RESOURCES] = random_below(&random, 60) * in.demand[0][0];
        assert_int_equal(skr_solver_cache_solve(cache, &in.problem, &got, NULL), 0);
        assert_in_range(skr_solver_cache_bytes(cache), 1, 1 << 20);
        skr_solution_destroy(got);
    }
    size_t bytes = skr_solver_cache_bytes(cache);
    in.problem.byte_limit = 0;
    atomic_bool cancel = true;
    in.problem.cancel = &cancel;
    in.problem.n--;
    assert_int_equal(skr_solver_cache_solve(cache, &in.problem, &got, NULL), 0);
    assert_int_equal(got->status, SKR_SOLVE_TIMEOUT);
    assert_int_equal(skr_solver_cache_bytes(cache), bytes);
    skr_solution_destroy(got);
    skr_solver_cache_destroy(cache);
}

BEFORE_ALL
{
    trial_begin("solver cache");
}
