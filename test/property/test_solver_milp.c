/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against integer programming, on problems between the small and the large. */
#include "test/property/milp.h"
#include "test/property/trial.h"
#include "test/test.h"

enum { PROBLEMS_MAX = 400 }; /* each is an integer program, and some take a minute */

TEST(integer_programming_finds_nothing_better)
{
    if (!milp_program()) {
        printf("  neither glpsol (package glpk-utils) nor cbc (coinor-cbc) is installed\n");
        skip();
    }
    static const struct instance_shape middle = {.leaves = 20, .slots = 10, .n = 30};
    uint64_t clear = 0;
    uint64_t n = trial.n < 400 ? trial.n : trial.n / 400;
    n = n < PROBLEMS_MAX ? n : PROBLEMS_MAX;
    EACH_TRIAL(n)
    {
        struct instance in;
        instance_make(&in, trial.seed + 40, trial.at, &middle);
        in.problem.tie_break = SKR_TIE_TREE;
        if (in.problem.n == 0) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(&in);
        trial_check_answer(&in, got);
        enum milp_verdict verdict = milp_compare(&in, got->key);
        if (verdict == MILP_DISAGREES) {
            trial_fail(&in, "integer programming says otherwise");
        }
        clear += verdict == MILP_AGREES ? 1 : 0;
    }
    printf("  %s agrees on %d of %d\n", milp_program(), (int)clear, (int)n);
    assert_true(n < 10 || clear > n / 2);
}

BEFORE_ALL
{
    trial_begin("solver and integer programming");
}
