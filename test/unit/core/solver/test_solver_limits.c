/* SPDX-License-Identifier: Apache-2.0 */
/* The solver at the edges of its ranges: huge trees, amounts and groups; deep trees. */
#include "core/solver/sizes.h"
#include "core/solver/solver.h"
#include "test/test.h"
#include "test/unit/solver_cluster.h"

struct big {
    struct cluster cluster;
    struct skr_problem problem;
    struct skr_rule rule[SKR_LEVELS_MAX];
};

/* Levels of equal fanout: fanout[level] children below every unit of the level. */
static void setup(struct big *big, const int32_t *fanout, int32_t n_levels, int64_t amount)
{
    *big = (struct big){0};
    cluster_init(&big->cluster, fanout, n_levels, amount);
    big->problem = cluster_problem(&big->cluster, big->rule, 0);
    big->problem.capacity = NULL;
    big->problem.explain = true;
}

/* Solves, checks, returns the status and the key of the leaves. */
static enum skr_solve_status solve(const struct big *big, int32_t *ret_used, int32_t *ret_greatest)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    if (skr_solve(&big->problem, &solution, &error) != 0) {
        fail_msg("%s", error.text);
    }
    enum skr_solve_status status = solution->status;
    if (status == SKR_SOLVE_PLACED) {
        assert_int_equal(skr_solution_check(&big->problem, solution->count, &error), 0);
        const struct skr_level_key *leaves = &solution->key[big->cluster.tree.n_levels - 1];
        *ret_used = leaves->used;
        *ret_greatest = leaves->run[0].count;
    }
    return status;
}

TEST(a_million_leaves_and_members_do_not_overflow)
{
    const int32_t fanout[] = {1000, 1000};
    struct big big;
    int32_t used = 0;
    int32_t greatest = 0;
    setup(&big, fanout, 2, INT64_C(1) << 62);
    big.problem.n = SKR_SOLVER_MEMBERS_MAX;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(used, 1);
    assert_int_equal(greatest, SKR_SOLVER_MEMBERS_MAX);
    big.problem.tie_break = SKR_TIE_TIGHT;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(used, 1);
    big.problem.tie_break = SKR_TIE_TREE;
    big.cluster.demand[0] = (INT64_C(1) << 62) - 1;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    big.problem.n = 1000000;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(used, 1000000);
    big.rule[0].type = SKR_RULE_SPREAD;
    big.rule[1].type = SKR_RULE_SPREAD;
    big.problem.n = 5000;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(greatest, 1);
    cluster_fini(&big.cluster);
}

TEST(amounts_at_the_ends_of_their_range_are_room_or_none)
{
    const int32_t fanout[] = {2, 2};
    struct big big;
    int32_t used = 0;
    int32_t greatest = 0;
    setup(&big, fanout, 2, INT64_MIN);
    big.problem.n = 3;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    big.cluster.free[2] = INT64_MAX;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(greatest, 3);
    big.cluster.demand[0] = 0;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(used, 1);
    big.rule[0] = (struct skr_rule){.type = SKR_RULE_SPREAD,
                                    .min = INT32_MIN,
                                    .max = INT32_MAX,
                                    .factor = INT32_MIN,
                                    .partitions = INT32_MIN};
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    big.rule[0] = (struct skr_rule){.partitions = INT32_MAX};
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    big.rule[0] = (struct skr_rule){.factor = INT32_MAX};
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    big.rule[0] = (struct skr_rule){.min = INT32_MAX};
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    cluster_fini(&big.cluster);
}

TEST(the_deepest_tree_is_solved)
{
    int32_t fanout[SKR_LEVELS_MAX];
    for (int32_t level = 0; level < SKR_LEVELS_MAX; level++) {
        fanout[level] = level % 3 == 0 ? 3 : 1;
    }
    struct big big;
    int32_t used = 0;
    int32_t greatest = 0;
    setup(&big, fanout, SKR_LEVELS_MAX, 4);
    for (int32_t level = 0; level < SKR_LEVELS_MAX; level++) {
        big.rule[level].type = level % 2 == 0 ? SKR_RULE_SPREAD : SKR_RULE_PACK;
    }
    big.problem.n = 700;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    /* Three thirds of 234 at most, each in one of three units; in there three of 78, packed as
     * 36 + 36 + 6 at most, spread as 12 + 12 + 12 and 2 + 2 + 2: 3 * 3 * (9 + 9 + 3) leaves. */
    assert_int_equal(used, 189);
    cluster_fini(&big.cluster);
}

/* Numbers of a map that do not fit are read as INT32_MAX. */
TEST(the_largest_number_of_any_rule_is_a_number_like_others)
{
    static const struct skr_rule largest[] = {
        {.partitions = INT32_MAX},
        {.partitions = INT32_MAX, .type = SKR_RULE_SPREAD},
        {.min = INT32_MAX},
        {.factor = INT32_MAX},
        {.partitions = INT32_MAX, .min = INT32_MAX, .max = INT32_MAX, .factor = INT32_MAX},
    };
    const int32_t fanout[] = {2, 2};
    const int32_t slots[] = {4, 0, 1, 4};
    for (size_t i = 0; i < 2 * sizeof largest / sizeof *largest; i++) {
        struct big big;
        int32_t used = 0;
        int32_t greatest = 0;
        setup(&big, fanout, 2, 4);
        big.rule[i % 2] = largest[i / 2];
        for (int32_t n = 1; n <= 5; n++) {
            big.problem.n = n;
            assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
        }
        assert_true(skr_sizes_can_keep(&big.cluster.tree, big.rule, 64));
        struct skr_sizes_pool *pool = skr_sizes_pool_create();
        struct skr_sizes *sizes = skr_sizes_create(pool, &big.cluster.tree, big.rule, 64, slots);
        for (int32_t n = 1; n <= 64; n++) {
            assert_false(skr_sizes_has(sizes, n));
        }
        skr_sizes_destroy(sizes);
        skr_sizes_pool_destroy(pool);
        cluster_fini(&big.cluster);
    }
}

TEST(memory_is_bounded_and_the_bound_is_an_error)
{
    const int32_t fanout[] = {3000};
    struct big big;
    setup(&big, fanout, 1, 0);
    for (int32_t leaf = 0; leaf < 3000; leaf++) {
        big.cluster.free[leaf] = leaf % 997;
    }
    big.rule[0] = (struct skr_rule){.type = SKR_RULE_SPREAD, .min = 2};
    big.problem.n = 100000;
    big.problem.byte_limit = (size_t)4 << 20;
    struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    assert_int_equal(skr_solve(&big.problem, &solution, &error), -SKR_LIMIT);
    assert_string_equal(error.text,
                        "solver: 100000 members on 3000 nodes need more than 4194304 bytes");
    assert_null(solution);
    cluster_fini(&big.cluster);
}
