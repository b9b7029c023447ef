/* SPDX-License-Identifier: Apache-2.0 */
/*
 * P6 where sibling sets are wide and a number of used units is asked for: the general method, which
 * the oracles check on narrow trees, against the fast paths.
 */
#include "test/property/attempt.h"
#include "test/test.h"

enum { SLOTS = 12, WIDEST = 15 };

/* One or two levels; the lower one is wide, with partitions and sometimes a factor. */
static void make_wide(struct instance *in, uint64_t index)
{
    struct random random = {.state = attempt.seed * UINT64_C(0x2545f4914f6cdd1d) + index};
    memset(in, 0, sizeof *in);
    int32_t racks = 1 + random_below(&random, 2);
    int32_t children = 4 + random_below(&random, WIDEST - 3);
    in->child_count[0] = racks > 1 ? racks : children;
    for (int32_t rack = 1; rack <= racks && racks > 1; rack++) {
        in->child_count[rack] = children;
    }
    instance_link(in, racks > 1 ? 2 : 1);
    int32_t sum = 0;
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        int32_t slots = random_below(&random, SLOTS + 1);
        in->free[leaf * INSTANCE_RESOURCES] = slots;
        in->eligible[leaf] = 1;
        sum += slots;
    }
    struct skr_rule *rule = &in->rule[in->tree.n_levels - 1];
    rule->type = random_percent(&random, 50) ? SKR_RULE_PACK : SKR_RULE_SPREAD;
    rule->partitions = 1 + random_below(&random, children);
    rule->factor = random_percent(&random, 20) ? 2 : 0;
    rule->max = random_percent(&random, 20) ? 1 + random_below(&random, SLOTS) : 0;
    in->rule[0].type =
        racks > 1 && random_percent(&random, 50) ? SKR_RULE_SPREAD : in->rule[0].type;
    in->demand[0] = 1;
    /* Seldom more than the used units can hold. */
    int32_t most = sum * rule->partitions / children;
    in->problem.n = 1 + random_below(&random, most + 1);
    in->problem.rule = in->rule;
    in->problem.n_resources = INSTANCE_RESOURCES;
    in->problem.demand = in->demand;
    in->problem.free = in->free;
    in->problem.eligible = in->eligible;
    in->problem.claimed = in->claimed;
    in->problem.tie_break = random_percent(&random, 25) ? SKR_TIE_TIGHT : SKR_TIE_TREE;
    in->problem.step_budget = -1;
}

TEST(fast_paths_change_nothing_in_wide_sets)
{
    uint64_t placed = 0;
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 2; i++) {
        struct instance in;
        make_wide(&in, i);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *fast = attempt_solve(&in, i);
        attempt_check_answer(&in, i, fast);
        in.problem.no_fast_paths = true;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *plain = attempt_solve(&in, i);
        if (fast->status != plain->status ||
            (plain->status == SKR_SOLVE_PLACED &&
             memcmp(fast->count, plain->count, (size_t)in.tree.n_leaves * sizeof(int32_t)) != 0)) {
            attempt_fail(&in, i, "fast paths changed the result");
        }
        placed += plain->status == SKR_SOLVE_PLACED ? 1 : 0;
    }
    assert_true(attempt.n < 100 || placed > attempt.n / 5);
}

BEFORE_ALL
{
    attempt_begin("solver, wide sets");
}
