/* SPDX-License-Identifier: Apache-2.0 */
/* Members that are not equal: the solver against its oracles, ties included. */
#include "test/property/roles_trial.h"
#include "test/test.h"

static bool answers_equal(const struct roles_answer *a, const struct roles_answer *b)
{
    return a->feasible == b->feasible &&
           (!a->feasible || memcmp(a->count, b->count, sizeof a->count) == 0);
}

TEST(the_oracles_of_roles_agree_with_each_other)
{
    static const enum roles_kind kinds[] = {ROLES_SMALL, ROLES_SOFT,   ROLES_SETS,
                                            ROLES_CAPS,  ROLES_CLAIMS, ROLES_MINIMUM,
                                            ROLES_OWN,   ROLES_BOUND,  ROLES_PRESENT};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        uint64_t feasible = 0, seen = 0;
        for (uint64_t i = trial.first; i < trial.first + roles_share(20); i++) {
            struct roles_instance ri;
            struct roles_answer all, dp;
            roles_instance_make(&ri, trial.seed, kinds[k], i);
            if (!roles_enumerator_solve(&ri, &all)) {
                continue;
            }
            assert_true(roles_dp_solve(&ri, &dp));
            if (!answers_equal(&all, &dp)) {
                roles_fail(&ri, kinds[k], i, "oracles disagree", &all, &dp);
            }
            if (dp.feasible && !roles_is_valid(&ri, &dp, dp.size)) {
                roles_fail(&ri, kinds[k], i, "the plain DP is not valid", &all, &dp);
            }
            feasible += all.feasible;
            seen++;
        }
        /* A generator of impossible problems alone would prove nothing. */
        assert_true(seen < 100 || (feasible > seen / 5 && feasible < seen));
    }
}

TEST(the_solver_agrees_with_the_plain_dp_about_roles)
{
    for (int kind = 0; kind < ROLES_KIND_COUNT; kind++) {
        uint64_t feasible = 0, n = roles_share(ROLES_KIND_COUNT);
        for (uint64_t i = trial.first; i < trial.first + n; i++) {
            struct roles_instance ri;
            struct roles_answer want, answer;
            roles_instance_make(&ri, trial.seed, (enum roles_kind)kind, i);
            assert_true(roles_dp_solve(&ri, &want));
            for (int plain = 0; plain < 2; plain++) {
                ri.in.problem.no_fast_paths = plain != 0;
                SKR_AUTO(skr_solution_destroy) struct skr_solution *got = roles_solve(&ri);
                const char *what = roles_difference(&ri, got, &want);
                if (what) {
                    roles_to_answer(&ri, got, &answer);
                    roles_fail(&ri, (enum roles_kind)kind, i, what, &want, &answer);
                }
            }
            feasible += want.feasible;
        }
        assert_true(n < 100 || (feasible > n / 5 && feasible < n));
    }
}

BEFORE_ALL
{
    trial_begin("solver roles");
}
