/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against integer programming, on problems between the small and the large. */
#include "test/property/attempt.h"
#include "test/property/milp.h"
#include "test/test.h"

enum { PROBLEMS_MAX = 400 }; /* a program each, and some take their whole minute */

TEST(integer_programming_finds_nothing_better)
{
    if (!milp_program()) {
        printf("  neither glpsol (package glpk-utils) nor cbc (coinor-cbc) is installed\n");
        skip();
    }
    static const struct instance_limits middle = {.leaves = 20, .slots = 10, .n = 30};
    uint64_t clear = 0;
    uint64_t n = attempt.n < 400 ? attempt.n : attempt.n / 400;
    n = n < PROBLEMS_MAX ? n : PROBLEMS_MAX;
    for (uint64_t i = attempt.first; i < attempt.first + n; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 40, i, &middle);
        in.problem.tie_break = SKR_TIE_TREE;
        if (in.problem.n == 0) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = attempt_solve(&in, i);
        attempt_check_answer(&in, i, got);
        enum milp_verdict verdict = milp_compare(&in, got->key);
        if (verdict == MILP_DISAGREES) {
            attempt_fail(&in, i, "integer programming says otherwise");
        }
        clear += verdict == MILP_AGREES ? 1 : 0;
    }
    printf("  %s agrees on %d of %d\n", milp_program(), (int)clear, (int)n);
    assert_true(n < 10 || clear > n / 2);
}

BEFORE_ALL
{
    attempt_begin("solver and integer programming");
}
