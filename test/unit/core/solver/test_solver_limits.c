/* SPDX-License-Identifier: Apache-2.0 */
/* The solver at the edges of its ranges: huge trees, amounts and groups; deep trees. */
#include "core/solver/solver.h"
#include "test/test.h"

struct big {
    struct skr_tree tree;
    struct skr_problem problem;
    int32_t *parent;
    int32_t *child_first;
    int32_t *child_count;
    int64_t *free;
    int64_t demand[1];
    struct skr_rule rule[SKR_LEVELS_MAX];
};

/* Levels of equal fanout: fanout[level] children below every unit of the level. */
static void setup(struct big *big, const int32_t *fanout, int32_t n_levels, int64_t amount)
{
    *big = (struct big){.demand = {1}};
    struct skr_tree *tree = &big->tree;
    tree->n_levels = n_levels;
    tree->level_first[1] = 1;
    int32_t width = 1;
    for (int32_t level = 1; level <= n_levels; level++) {
        width *= fanout[level - 1];
        tree->level_first[level + 1] = tree->level_first[level] + width;
    }
    tree->n_leaves = width;
    tree->first_leaf = tree->level_first[n_levels];
    tree->n_units = tree->level_first[n_levels + 1];
    size_t n = (size_t)tree->n_units;
    big->parent = calloc(n, sizeof(int32_t));
    big->child_first = calloc(n, sizeof(int32_t));
    big->child_count = calloc(n, sizeof(int32_t));
    big->free = calloc((size_t)width, sizeof(int64_t));
    assert_true(big->parent && big->child_first && big->child_count && big->free);
    big->parent[0] = -1;
    for (int32_t level = 0; level < n_levels; level++) {
        for (int32_t u = tree->level_first[level]; u < tree->level_first[level + 1]; u++) {
            big->child_count[u] = fanout[level];
            big->child_first[u] =
                tree->level_first[level + 1] + (u - tree->level_first[level]) * fanout[level];
            for (int32_t c = 0; c < fanout[level]; c++) {
                big->parent[big->child_first[u] + c] = u;
            }
        }
    }
    for (int32_t leaf = 0; leaf < width; leaf++) {
        big->free[leaf] = amount;
    }
    tree->parent = big->parent;
    tree->child_first = big->child_first;
    tree->child_count = big->child_count;
    big->problem = (struct skr_problem){.tree = tree,
                                        .rule = big->rule,
                                        .n_resources = 1,
                                        .demand = big->demand,
                                        .free = big->free,
                                        .explain = true,
                                        .step_budget = -1};
}

static void teardown(struct big *big)
{
    free(big->parent);
    free(big->child_first);
    free(big->child_count);
    free(big->free);
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
        const struct skr_level_key *leaves = &solution->key[big->tree.n_levels - 1];
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
    big.demand[0] = (INT64_C(1) << 62) - 1;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_INFEASIBLE);
    big.problem.n = 1000000;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(used, 1000000);
    big.rule[0].type = SKR_RULE_SPREAD;
    big.rule[1].type = SKR_RULE_SPREAD;
    big.problem.n = 5000;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(greatest, 1);
    teardown(&big);
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
    big.free[2] = INT64_MAX;
    assert_int_equal(solve(&big, &used, &greatest), SKR_SOLVE_PLACED);
    assert_int_equal(greatest, 3);
    big.demand[0] = 0;
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
    teardown(&big);
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
    teardown(&big);
}

TEST(memory_is_bounded_and_the_bound_is_an_error)
{
    const int32_t fanout[] = {3000};
    struct big big;
    setup(&big, fanout, 1, 0);
    for (int32_t leaf = 0; leaf < 3000; leaf++) {
        big.free[leaf] = leaf % 997;
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
    teardown(&big);
}
