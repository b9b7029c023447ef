/* SPDX-License-Identifier: Apache-2.0 */
/* The solver against its oracles, and the laws it must obey, on random problems. */
#include "test/property/attempt.h"
#include "test/test.h"

TEST(the_oracles_agree_with_each_other)
{
    uint64_t feasible = 0;
    for (uint64_t i = attempt.first; i < attempt.first + 2 * attempt.n; i++) {
        struct instance in;
        instance_make(&in, attempt.seed, i, &attempt_tiny);
        struct oracle_answer all;
        struct oracle_answer dp;
        enumerator_solve(&in, &all);
        plain_dp_solve(&in, &dp, NULL);
        if (all.feasible != dp.feasible || memcmp(all.count, dp.count, sizeof all.count) != 0) {
            attempt_print_counts("enumerator", all.count, in.tree.n_leaves);
            attempt_print_counts("plain dp", dp.count, in.tree.n_leaves);
            attempt_fail(&in, i, "oracles disagree");
        }
        feasible += all.feasible ? 1 : 0;
    }
    /* A generator of impossible problems alone would prove nothing. */
    assert_true(attempt.n < 100 || (feasible > attempt.n / 2 && feasible < 2 * attempt.n));
}

/* largest and the class, as far as the oracle can tell. */
static void check_explanation(const struct instance *in, uint64_t index,
                              const struct skr_explanation *got, const bool *sizes)
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
        attempt_fail(in, index, "largest feasible size is wrong");
    }
    if (got->sum_fits != sum) {
        attempt_fail(in, index, "sum of fits is wrong");
    }
    struct instance roomy;
    instance_copy(&roomy, in);
    for (int32_t leaf = 0; leaf < in->tree.n_leaves; leaf++) {
        roomy.eligible[leaf] = 1;
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            roomy.free[leaf * INSTANCE_RESOURCES + r] = INT64_C(1) << 40;
        }
    }
    struct oracle_answer answer;
    plain_dp_solve(&roomy, &answer, NULL);
    bool conflict = !answer.feasible;
    bool never = false;
    if (in->problem.capacity) {
        instance_empty(&roomy, in);
        plain_dp_solve(&roomy, &answer, NULL);
        never = !answer.feasible;
    }
    enum skr_infeasible_class class = conflict              ? SKR_CLASS_CONSTRAINT_CONFLICT
                                      : never               ? SKR_CLASS_NEVER_FITS
                                      : sum < in->problem.n ? SKR_CLASS_WAITING_FOR_CAPACITY
                                                            : SKR_CLASS_PLACEMENT_FAILED;
    if (got->class != class) {
        attempt_fail(in, index, "class is wrong");
    }
    if ((sum >= in->problem.n) != (got->level > 0)) {
        attempt_fail(in, index, "no deciding level");
    }
    for (size_t i = 0; i < got->n_bottlenecks; i++) {
        const struct skr_bottleneck *b = &got->bottleneck[i];
        if (b->fits >= b->needs || b->fits < 0 || b->needs > in->problem.n ||
            b->unit < in->tree.level_first[got->level] ||
            b->unit >= in->tree.level_first[got->level + 1]) {
            attempt_fail(in, index, "bottleneck is not one");
        }
    }
}

/* P1, P2, P6 (fast paths off), explanation; ties included. */
TEST(the_solver_agrees_with_the_plain_dp)
{
    uint64_t feasible = 0;
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n; i++) {
        struct instance in;
        instance_make(&in, attempt.seed, i, i % 8 == 7 ? &attempt_medium : &attempt_small);
        in.problem.explain = true;
        struct oracle_answer want;
        bool sizes[64];
        plain_dp_solve(&in, &want, sizes);
        struct skr_solution *got = attempt_solve(&in, i);
        attempt_check_against(&in, i, got, &want);
        if (got->status == SKR_SOLVE_INFEASIBLE) {
            check_explanation(&in, i, &got->explanation, sizes);
        }
        skr_solution_destroy(got);
        in.problem.no_fast_paths = true;
        got = attempt_solve(&in, i);
        attempt_check_against(&in, i, got, &want);
        skr_solution_destroy(got);
        feasible += want.feasible ? 1 : 0;
    }
    assert_true(attempt.n < 100 || (feasible > attempt.n / 5 && feasible < attempt.n));
}

/* Units with bounds of their own, levels that are not compared: the enumerator says the same. */
TEST(bounds_of_units_and_silent_levels_are_obeyed)
{
    uint64_t feasible = 0;
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n; i++) {
        struct instance in;
        struct random random = {attempt.seed + 77 + i};
        instance_make(&in, attempt.seed + 500009, i, &attempt_tiny);
        instance_bound(&in, &random);
        if (in.problem.n == 0) {
            continue; /* placed, empty: nothing applies */
        }
        struct oracle_answer want;
        enumerator_solve(&in, &want);
        for (int plain = 0; plain < 2; plain++) {
            in.problem.no_fast_paths = plain != 0;
            in.problem.explain = random_percent(&random, 30);
            in.problem.explain_parts = SKR_EXPLAIN_ALL;
            SKR_AUTO(skr_solution_destroy) struct skr_solution *got = attempt_solve(&in, i);
            attempt_check_against(&in, i, got, &want);
        }
        feasible += want.feasible ? 1 : 0;
    }
    assert_true(attempt.n < 100 || (feasible > attempt.n / 20 && feasible < attempt.n));
}

/* P1, P2 with the other oracle. */
TEST(the_solver_agrees_with_the_enumerator)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 1000003, i, &attempt_tiny);
        struct oracle_answer want;
        enumerator_solve(&in, &want);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = attempt_solve(&in, i);
        attempt_check_against(&in, i, got, &want);
    }
}

/* P3, and P14 for every one of them. */
TEST(sizes_are_feasible_exactly_where_the_root_set_says)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 8; i++) {
        struct instance in;
        instance_make(&in, attempt.seed, i, &attempt_small);
        int32_t claims = 0;
        for (int32_t leaf = 0; leaf < in.tree.n_leaves; leaf++) {
            claims += in.claimed[leaf];
        }
        bool sizes[64];
        struct oracle_answer answer;
        plain_dp_solve(&in, &answer, sizes);
        int32_t n = in.problem.n;
        for (in.problem.n = claims; in.problem.n <= n; in.problem.n++) {
            struct skr_solution *got = attempt_solve(&in, i);
            /* Size 0 is placed whatever the rules. */
            if ((got->status == SKR_SOLVE_PLACED) != sizes[in.problem.n]) {
                attempt_fail(&in, i, "size is wrong");
            }
            skr_solution_destroy(got);
            in.problem.step_budget = 0;
            got = attempt_solve(&in, i);
            assert_int_equal(got->status, SKR_SOLVE_TIMEOUT);
            skr_solution_destroy(got);
            in.problem.step_budget = 1;
        }
    }
}

/* One change that gives more freedom. Returns false when it does not apply. */
static bool relax(struct instance *in, struct random *random)
{
    int32_t leaf = random_below(random, in->tree.n_leaves);
    struct skr_rule *rule = &in->rule[random_below(random, in->tree.n_levels)];
    switch (random_below(random, 4)) {
    case 0:
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            int64_t *amount = &in->free[leaf * INSTANCE_RESOURCES + r];
            *amount = (*amount > 0 ? *amount : 0) + 2 * in->demand[r];
        }
        return true;
    case 1:
        in->eligible[leaf] = 1;
        return true;
    case 2:
        /* One more leaf beside the last one of the tree: its parent is the last unit. */
        if (in->tree.n_leaves == INSTANCE_LEAVES_MAX) {
            return false;
        }
        in->child_count[in->tree.first_leaf - 1]++;
        instance_link(in, in->tree.n_levels);
        leaf = in->tree.n_leaves - 1;
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            in->free[leaf * INSTANCE_RESOURCES + r] = 3 * in->demand[r];
        }
        in->eligible[leaf] = 1;
        in->claimed[leaf] = 0;
        return true;
    default:
        if (rule->hard) {
            *rule = (struct skr_rule){.type = rule->type};
            return true;
        }
        if (rule->min > 0 && rule->max > 0 && rule->min > rule->max) {
            rule->min = 0;
            rule->max = 0;
            return true;
        }
        switch (random_below(random, 4)) {
        case 0:
            rule->partitions = 0;
            return true;
        case 1:
            rule->min = 0;
            return true;
        case 2:
            rule->max = 0;
            return true;
        default:
            rule->factor = 0;
            return true;
        }
    }
}

/* P4 */
TEST(more_freedom_never_makes_things_worse)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 2; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 1, i, &attempt_small);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *before = attempt_solve(&in, i);
        struct random random = {.state = i};
        if (before->status == SKR_SOLVE_PLACED && relax(&in, &random)) {
            SKR_AUTO(skr_solution_destroy) struct skr_solution *after = attempt_solve(&in, i);
            attempt_check_answer(&in, i, after);
            if (after->status != SKR_SOLVE_PLACED) {
                attempt_fail(&in, i, "more freedom turned yes into no");
            }
            if (skr_placement_compare(&in.tree, in.rule, before->key, after->key) < 0) {
                attempt_fail(&in, i, "more freedom made the key worse");
            }
        }
    }
}

/* Copies a subtree of from into to, children in random order, level by level. */
static void shuffle(struct instance *to, const struct instance *from, struct random *random)
{
    const struct skr_tree *tree = &from->tree;
    int32_t order[INSTANCE_UNITS_MAX] = {0}; /* unit of from at every place of to */
    int32_t next = 1;
    for (int32_t place = 0; place < tree->first_leaf; place++) {
        int32_t unit = order[place];
        int32_t n = tree->child_count[unit];
        to->child_count[place] = n;
        for (int32_t c = 0; c < n; c++) {
            order[next + c] = tree->child_first[unit] + c;
        }
        for (int32_t c = n - 1; c > 0; c--) {
            int32_t other = random_below(random, c + 1);
            int32_t swap = order[next + c];
            order[next + c] = order[next + other];
            order[next + other] = swap;
        }
        next += n;
    }
    instance_link(to, tree->n_levels);
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t source = order[tree->first_leaf + leaf] - tree->first_leaf;
        to->eligible[leaf] = from->eligible[source];
        to->claimed[leaf] = from->claimed[source];
        memcpy(&to->free[leaf * INSTANCE_RESOURCES], &from->free[source * INSTANCE_RESOURCES],
               INSTANCE_RESOURCES * sizeof to->free[0]);
    }
}

/* P5 */
TEST(the_order_of_siblings_never_changes_the_key)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 4; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 2, i, &attempt_small);
        struct instance other;
        instance_copy(&other, &in);
        struct random random = {.state = i};
        shuffle(&other, &in, &random);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *a = attempt_solve(&in, i);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *b = attempt_solve(&other, i);
        attempt_check_answer(&other, i, b);
        if (a->status != b->status ||
            (a->status == SKR_SOLVE_PLACED && !attempt_keys_equal(&in.tree, a->key, b->key))) {
            attempt_fail(&in, i, "the order of siblings changed the key");
        }
    }
}

static void same_counts(const struct instance *a, const struct instance *b, uint64_t index,
                        const char *what)
{
    SKR_AUTO(skr_solution_destroy) struct skr_solution *x = attempt_solve(a, index);
    SKR_AUTO(skr_solution_destroy) struct skr_solution *y = attempt_solve(b, index);
    size_t size = (size_t)a->tree.n_leaves * sizeof(int32_t);
    if (x->status != y->status ||
        (x->status == SKR_SOLVE_PLACED && memcmp(x->count, y->count, size) != 0)) {
        attempt_fail(a, index, what);
    }
}

/* P6 (runs), P7 */
TEST(scale_and_idle_resources_do_not_matter)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 4; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 3, i, &attempt_small);
        same_counts(&in, &in, i, "two runs differ");
        struct instance other;
        instance_copy(&other, &in);
        for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
            other.demand[r] *= 1000003;
        }
        for (int32_t at = 0; at < INSTANCE_LEAVES_MAX * INSTANCE_RESOURCES; at++) {
            other.free[at] *= 1000003;
        }
        same_counts(&in, &other, i, "a common factor changed the result");
        instance_copy(&other, &in);
        for (int32_t leaf = 0; leaf < in.tree.n_leaves; leaf++) {
            for (int32_t r = 0; r < INSTANCE_RESOURCES; r++) {
                if (in.demand[r] == 0) {
                    other.free[leaf * INSTANCE_RESOURCES + r] = -7;
                }
            }
        }
        same_counts(&in, &other, i, "a resource nobody demands changed the result");
    }
}

/* P6 */
TEST(fast_paths_change_nothing)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 10; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 8, i, &attempt_large);
        struct instance plain;
        instance_copy(&plain, &in);
        plain.problem.no_fast_paths = true;
        same_counts(&in, &plain, i, "fast paths changed the result");
    }
}

/* P8 */
TEST(members_that_are_placed_stay)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 4; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 4, i, &attempt_small);
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = attempt_solve(&in, i);
        if (got->status == SKR_SOLVE_PLACED) {
            struct instance full;
            instance_copy(&full, &in);
            memset(full.free, 0, sizeof full.free);
            memcpy(full.claimed, got->count, (size_t)in.tree.n_leaves * sizeof(int32_t));
            SKR_AUTO(skr_solution_destroy) struct skr_solution *again = attempt_solve(&full, i);
            assert_int_equal(again->status, SKR_SOLVE_PLACED);
            assert_memory_equal(again->count, got->count,
                                (size_t)in.tree.n_leaves * sizeof(int32_t));
        }
    }
}

static bool lone_bound(const struct skr_rule *rule)
{
    return !rule->hard && (rule->min > 0) != (rule->max > 0);
}

/* P9 */
TEST(the_greedy_method_is_never_better)
{
    uint64_t compared = 0;
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 5, i, &attempt_small);
        memset(in.claimed, 0, sizeof in.claimed);
        bool same_meaning = true;
        for (int32_t level = 0; level < in.tree.n_levels; level++) {
            same_meaning = same_meaning && !lone_bound(&in.rule[level]);
        }
        struct random random = {.state = i};
        struct oracle_answer greedy;
        greedy_solve(&in, &random, &greedy);
        if (!same_meaning || !greedy.feasible ||
            skr_solution_check(&in.problem, greedy.count, NULL) != 0) {
            continue;
        }
        SKR_AUTO(skr_solution_destroy) struct skr_solution *got = attempt_solve(&in, i);
        if (got->status != SKR_SOLVE_PLACED) {
            attempt_fail(&in, i, "refused what the greedy method places");
        }
        struct skr_level_key *key = skr_placement_key(&in.tree, greedy.count, got->arena);
        if (!key || skr_placement_compare(&in.tree, in.rule, key, got->key) < 0) {
            attempt_fail(&in, i, "the greedy method is better");
        }
        compared++;
    }
    assert_true(attempt.n < 100 || compared > attempt.n / 20);
}

/* P10: below every unit of a level comes one unit that takes over its children. */
TEST(a_level_without_choice_changes_no_count)
{
    for (uint64_t i = attempt.first; i < attempt.first + attempt.n / 4; i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 6, i, &attempt_small);
        in.problem.tie_break = SKR_TIE_TREE;
        struct random random = {.state = i};
        int32_t at = random_below(&random, in.tree.n_levels + 1);
        int32_t n_levels = in.tree.n_levels;
        struct instance out;
        instance_copy(&out, &in);
        /* Level by level: 0 .. at - 1 as they were, at: one child each, then at .. again. */
        int32_t to = 0;
        for (int32_t level = 0; level < at; level++) {
            for (int32_t u = in.tree.level_first[level]; u < in.tree.level_first[level + 1]; u++) {
                out.child_count[to++] = in.child_count[u];
            }
        }
        for (int32_t u = in.tree.level_first[at]; u < in.tree.level_first[at + 1]; u++) {
            out.child_count[to++] = 1;
        }
        for (int32_t level = at; level < n_levels; level++) {
            for (int32_t u = in.tree.level_first[level]; u < in.tree.level_first[level + 1]; u++) {
                out.child_count[to++] = in.child_count[u];
            }
        }
        for (int32_t level = n_levels; level > at; level--) {
            out.rule[level] = in.rule[level - 1];
        }
        out.rule[at] = (struct skr_rule){.type = SKR_RULE_PACK};
        instance_link(&out, n_levels + 1);
        same_counts(&in, &out, i, "a level of only children changed the counts");
    }
}

/* P13: results or SKR_LIMIT, never a wrong answer, whatever memory there is. */
TEST(a_byte_limit_is_an_error_and_nothing_else)
{
    for (uint64_t i = attempt.first; i < attempt.first + (attempt.n < 50 ? attempt.n : 50); i++) {
        struct instance in;
        instance_make(&in, attempt.seed + 7, i, &attempt_small);
        in.problem.explain = true;
        SKR_AUTO(skr_solution_destroy) struct skr_solution *want = attempt_solve(&in, i);
        int32_t refused = 0;
        for (in.problem.byte_limit = 64; in.problem.byte_limit < 400000;
             in.problem.byte_limit += in.problem.byte_limit / 8) {
            SKR_AUTO(skr_solution_destroy) struct skr_solution *got = NULL;
            int rc = skr_solve(&in.problem, &got, NULL);
            if (rc != 0) {
                assert_int_equal(rc, -SKR_LIMIT);
                assert_null(got);
                refused++;
                continue;
            }
            assert_int_equal(got->status, want->status);
            if (got->status == SKR_SOLVE_PLACED) {
                assert_memory_equal(got->count, want->count,
                                    (size_t)in.tree.n_leaves * sizeof(int32_t));
            }
        }
        assert_true(refused > 0 || in.problem.n == 0);
    }
}

BEFORE_ALL
{
    attempt_begin("solver properties");
}
