/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against its oracles on random problems, ties included; of equal members and of roles. */
#include "test/property/trial.h"
#include "test/test.h"

struct tally {
    uint64_t seen, feasible;
};

/* A generator of impossible problems alone would prove nothing. part: of feasible ones, at least. */
static void check_tally(const struct tally *t, uint64_t part)
{
    assert_true(t->seen < 100 || (t->feasible > t->seen / part && t->feasible < t->seen));
}

/* The largest size and the class, as far as the oracle gives them. */
static void check_explanation(const struct instance *in, const struct skr_explanation *got,
                              const bool *sizes)
{
    int32_t largest = 0;
    int64_t sum = 0;
    for (int32_t x = 0; x <= in->problem.n; x++) {
        largest = sizes[x] ? x : largest;
    }
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        sum += instance_fit(in, leaf);
    }
    if (got->largest != largest) {
        trial_fail(in, "largest feasible size is wrong");
    }
    if (got->sum_fits != sum) {
        trial_fail(in, "sum of fits is wrong");
    }
    struct instance roomy;
    instance_copy(&roomy, in);
    memset(roomy.eligible, 1, sizeof roomy.eligible);
    for (int32_t at = 0; at < in->tree.n_leaves * INSTANCE_RESOURCES; at++) {
        roomy.free[at] = INT64_C(1) << 40;
    }
    struct oracle_answer answer;
    dp_solve(&roomy, &answer, NULL);
    bool conflict = !answer.feasible;
    bool never = false;
    if (in->problem.capacity) {
        instance_empty(&roomy, in);
        dp_solve(&roomy, &answer, NULL);
        never = !answer.feasible;
    }
    enum skr_infeasible_class class = conflict              ? SKR_CLASS_CONSTRAINT_CONFLICT
                                      : never               ? SKR_CLASS_NEVER_FITS
                                      : sum < in->problem.n ? SKR_CLASS_WAITING_FOR_CAPACITY
                                                            : SKR_CLASS_PLACEMENT_FAILED;
    if (got->class != class) {
        trial_fail(in, "class is wrong");
    }
    if ((sum >= in->problem.n) != (got->level > 0)) {
        trial_fail(in, "no deciding level");
    }
    for (size_t i = 0; i < got->n_bottlenecks; i++) {
        const struct skr_bottleneck *b = &got->bottleneck[i];
        if (b->fits >= b->needs || b->fits < 0 || b->needs > in->problem.n ||
            b->unit < in->tree.level_first[got->level] ||
            b->unit >= in->tree.level_first[got->level + 1]) {
            trial_fail(in, "bottleneck is not one");
        }
    }
}

/* With and without fast paths. */
static void check_solver(struct instance *in, const struct oracle_answer *want, const bool *sizes)
{
    for (int plain = 0; plain < 2; plain++) {
        in->problem.no_fast_paths = plain != 0;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = trial_solve(in);
        trial_check_against(in, got, want);
        if (got->status == SKR_SOLVE_INFEASIBLE && sizes && plain == 0) {
            check_explanation(in, &got->explanation, sizes);
        }
    }
}

/* By the enumerator, which the dp has to agree with. */
static void check_enumerated(struct instance *in, struct tally *t)
{
    struct oracle_answer all, dp;
    if (!enumerator_solve(in, &all)) {
        return; /* too many vectors */
    }
    assert_true(dp_solve(in, &dp, NULL));
    if (!trial_answers_equal(&all, &dp)) {
        trial_differ(in, "oracles disagree", &all, &dp);
    }
    if (dp.feasible && !enumerator_is_valid(in, &dp, dp.size)) {
        trial_differ(in, "the dp is not valid", &all, &dp);
    }
    check_solver(in, &all, NULL);
    t->seen++;
    t->feasible += all.feasible ? 1 : 0;
}

TEST(the_solver_and_the_oracles_agree)
{
    struct tally tally = {.seen = 0}, of_kind[ROLES_ENUMERABLE_COUNT] = {{.seen = 0}};
    struct instance in;
    EACH_TRIAL(2 * trial.n)
    {
        instance_make(&in, trial.seed + 1000003, trial.at, &trial_tiny);
        check_enumerated(&in, &tally);
    }
    assert_int_equal(tally.seen, 2 * trial.n);
    check_tally(&tally, 4);
    EACH_TRIAL(ROLES_ENUMERABLE_COUNT * trial_share(20))
    {
        const uint64_t kind = trial.at % ROLES_ENUMERABLE_COUNT;
        instance_make(&in, trial.seed, trial.at, &roles_shape[kind]);
        check_enumerated(&in, &of_kind[kind]);
    }
    for (size_t kind = 0; kind < ROLES_ENUMERABLE_COUNT; kind++) {
        check_tally(&of_kind[kind], 5);
    }
}

TEST(the_solver_agrees_with_the_dp)
{
    struct tally tally = {.seen = 0};
    EACH_TRIAL(trial.n)
    {
        struct instance in;
        struct oracle_answer want;
        bool sizes[64];
        instance_make(&in, trial.seed, trial.at, trial.at % 8 == 7 ? &trial_medium : &trial_small);
        in.problem.explain = true;
        dp_solve(&in, &want, sizes);
        check_solver(&in, &want, sizes);
        tally.seen++;
        tally.feasible += want.feasible ? 1 : 0;
    }
    check_tally(&tally, 5);
}

TEST(the_solver_agrees_with_the_dp_about_roles)
{
    struct tally of_kind[ROLES_KIND_COUNT] = {{.seen = 0}};
    EACH_TRIAL(trial.n)
    {
        struct instance in;
        struct oracle_answer want;
        instance_make_roles(&in, trial.seed, trial.at);
        assert_true(dp_solve(&in, &want, NULL));
        check_solver(&in, &want, NULL);
        of_kind[trial.at % ROLES_KIND_COUNT].seen++;
        of_kind[trial.at % ROLES_KIND_COUNT].feasible += want.feasible ? 1 : 0;
    }
    for (size_t kind = 0; kind < ROLES_KIND_COUNT; kind++) {
        check_tally(&of_kind[kind], 5);
    }
}

/* Units with bounds of their own and silent levels. */
TEST(bounds_of_units_and_silent_levels_are_obeyed)
{
    struct tally tally = {.seen = 0};
    EACH_TRIAL(trial.n)
    {
        struct instance in;
        struct random random = {trial.seed + 77 + trial.at};
        instance_make(&in, trial.seed + 500009, trial.at, &trial_tiny);
        instance_bound(&in, &random);
        in.problem.explain = random_percent(&random, 30);
        in.problem.explain_parts = SKR_EXPLAIN_ALL;
        if (in.problem.n > 0) { /* else it is placed, empty: no rule applies */
            check_enumerated(&in, &tally);
        }
    }
    check_tally(&tally, 20);
}

/* All sizes, and a timeout without steps for each. */
TEST(sizes_are_feasible_exactly_where_the_root_set_says)
{
    EACH_TRIAL(trial_share(8))
    {
        struct instance in;
        struct oracle_answer answer;
        bool sizes[64];
        instance_make(&in, trial.seed, trial.at, &trial_small);
        dp_solve(&in, &answer, sizes);
        int32_t n = in.problem.n;
        for (in.problem.n = instance_claims(&in, 0, 0); in.problem.n <= n; in.problem.n++) {
            struct skr_solution *got = trial_solve(&in);
            /* Size 0 is placed whatever the rules. */
            if ((got->status == SKR_SOLVE_PLACED) != sizes[in.problem.n]) {
                trial_fail(&in, "size is wrong");
            }
            skr_solution_destroy(got);
            in.problem.step_budget = 0;
            got = trial_solve(&in);
            assert_int_equal(got->status, SKR_SOLVE_TIMEOUT);
            skr_solution_destroy(got);
            in.problem.step_budget = 1;
        }
    }
}

BEFORE_ALL
{
    trial_begin("solver and oracles");
}
