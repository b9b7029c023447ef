/* SPDX-License-Identifier: Apache-2.0 */
/* The solver on cases small enough to be judged by eye; solver_rig.h describes the notation of
 * trees. */
#include "test/test.h"
#include "test/unit/solver_rig.h"

static void counts_to_text(const struct solver_rig *f, const struct skr_solution *solution,
                           char *ret, size_t size)
{
    if (solution->status != SKR_SOLVE_PLACED) {
        snprintf(ret, size, "infeasible");
        return;
    }
    size_t at = 0;
    ret[0] = '\0';
    for (int32_t leaf = 0; leaf < f->tree->n_leaves; leaf++) {
        at += (size_t)snprintf(ret + at, size - at, "%s%" PRId32, leaf == 0 ? "" : " ",
                               solution->count[leaf]);
    }
}

struct example {
    const char *name, *tree;
    int32_t n;
    struct skr_rule rule[SOLVER_RIG_LEVELS];
    const char *counts;
    enum skr_tie_break tie;
};

static void check_example(const struct example *example)
{
    for (int plain = 0; plain < 2; plain++) {
        struct solver_rig f;
        solver_rig_init(&f, example->tree, example->n);
        memcpy(f.rule, example->rule, sizeof f.rule);
        f.problem.tie_break = example->tie;
        f.problem.no_fast_paths = plain != 0;
        struct skr_solution *solution = solver_rig_solve(&f);
        char text[256];
        counts_to_text(&f, solution, text, sizeof text);
        if (strcmp(text, example->counts) != 0) {
            fail_msg("%s: %s, expected %s", example->name, text, example->counts);
        }
        solver_rig_fini(&f, solution);
    }
}

#define CHECK_ALL(table)                                             \
    for (size_t i = 0; i < sizeof table / sizeof((table)[0]); i++) { \
        check_example(&(table)[i]);                                  \
    }

TEST(worked_examples_have_the_optimum)
{
    static const struct example table[] = {
        {"X1", "5,5", 7, {PACK_WITH(.min = 3, .max = 5)}, "4 3", 0},
        {"X2", "6,6,6", 13, {PACK_WITH(.min = 4, .max = 6)}, "5 4 4", 0},
        {"X3", "5,5,5,5", 7, {SPREAD_WITH(.min = 3, .max = 5)}, "4 3 0 0", 0},
        {"X4", "(5,2) (4,2)", 7, {SPREAD_WITH(.min = 5, .max = 7), PACK}, "5 2 0 0", 0},
        {"X5", "(0,0) (3,3) (3,3)", 10, {SPREAD_WITH(.partitions = 2), PACK}, "0 0 3 2 3 2", 0},
        {"X6", "(1) (3,3) (5,2)", 8, {SPREAD_WITH(.partitions = 2), PACK}, "0 3 1 4 0", 0},
        {"X7", "(4,1) (1,6)", 5, {SPREAD, PACK_WITH(.partitions = 1)}, "3 0 0 2", 0},
        {"X8", "(5,2) (3,4)", 7, {SPREAD, PACK_WITH(.partitions = 1)}, "4 0 3 0", 0},
        {"X9", "(3,3) (2,0)", 5, {PACK, PACK_WITH(.hard = true)}, "3 0 2 0", 0},
        {"X10", "(5,4) (7,3)", 12, {PACK_WITH(.factor = 3), PACK_WITH(.factor = 2)}, "4 2 6 0", 0},
        {"X11",
         "(2,2,2,2,2,2) (4,4)",
         8,
         {PACK_WITH(.partitions = 1), PACK_WITH(.min = 3, .max = 5)},
         "0 0 0 0 0 0 4 4",
         0},
        {"X12",
         "(2,5) (6,1) (4,4)",
         9,
         {SPREAD_WITH(.partitions = 2), PACK_WITH(.min = 3, .max = 4)},
         "0 3 0 0 3 3",
         0},
        {"X13", "(2,2,2,2) (7)", 6, {PACK, PACK}, "0 0 0 0 6", 0},
        {"X14", "((2) (2) (2) (2)) ((7) (1))", 6, {PACK, PACK, PACK}, "0 0 0 0 6 0", 0},
        {"X15", "(6,1) (3,3)", 5, {PACK, SPREAD}, "0 0 3 2", 0},
        {"X16", "(5) (1,1) (2,2)", 4, {PACK, SPREAD_WITH(.hard = true)}, "0 1 1 1 1", 0},
        {"X17",
         "(9,9) (9,9)",
         12,
         {PACK_WITH(.factor = 6), PACK_WITH(.min = 4, .max = 4)},
         "infeasible",
         0},
        {"X18", "9,9,9", 7, {SPREAD_WITH(.min = 3)}, "4 3 0", 0},
        {"X19", "(9,9) (9)", 7, {PACK, PACK_WITH(.max = 3)}, "3 3 1", 0},
    };
    CHECK_ALL(table);
}

TEST(members_that_run_stay_where_they_are)
{
    static const struct example table[] = {
        {"no second rack", "(3[2],3[2]) (9,9)", 5, {PACK, PACK}, "3 2 0 0", 0},
        {"rack is full", "(2[2],2[2]) (9,9)", 5, {PACK, PACK}, "2 2 1 0", 0},
        {"hard pack", "(2[2],2[2]) (9,9)", 5, {PACK_WITH(.hard = true), PACK}, "infeasible", 0},
        {"on the node in use",
         "(4[3],4) (9[2],9)",
         6,
         {SPREAD_WITH(.partitions = 2), PACK},
         "3 0 3 0",
         0},
        {"leaf that is no longer eligible", "(3[2]!,3) (9,9)", 5, {PACK, PACK}, "2 3 0 0", 0},
        {"nothing to add", "(2[2],0) (9,9)", 2, {PACK_WITH(.hard = true), PACK}, "2 0 0 0", 0},
        {"claims break max", "(3[3],0) (9,9)", 4, {PACK, PACK_WITH(.max = 2)}, "infeasible", 0},
        {"claims reach min together",
         "(1[1],9) (9,9)",
         4,
         {PACK_WITH(.min = 4), PACK},
         "1 3 0 0",
         0},
    };
    CHECK_ALL(table);
}

TEST(ties_go_to_the_greatest_vector_in_tree_order)
{
    static const struct example table[] = {
        {"equal nodes", "5,5,5", 7, {PACK}, "5 2 0", SKR_TIE_TREE},
        {"the root decides before its children",
         "(1,9) (9,1)",
         10,
         {SPREAD, PACK},
         "0 5 5 0",
         SKR_TIE_TREE},
        {"more to the left", "9,9,9", 10, {SPREAD}, "4 3 3", SKR_TIE_TREE},
        {"room does not count", "9,3", 3, {PACK}, "3 0", SKR_TIE_TREE},
        {"the tightest that fits", "9,3,3", 3, {PACK}, "0 3 0", SKR_TIE_TIGHT},
        {"the tightest rack first", "(3,9) (3,3)", 3, {PACK, PACK}, "0 0 3 0", SKR_TIE_TIGHT},
        {"keys before room", "(9,9) (5,5)", 10, {PACK, SPREAD}, "0 0 5 5", SKR_TIE_TIGHT},
        {"spread levels have no room", "9,3", 2, {SPREAD}, "1 1", SKR_TIE_TIGHT},
        {"spread levels do not prefer tight units", "9,3", 1, {SPREAD}, "1 0", SKR_TIE_TIGHT},
    };
    CHECK_ALL(table);
}

TEST(odd_rules_mean_what_the_manual_says)
{
    static const struct example table[] = {
        {"min > max are ignored", "5,5", 6, {PACK_WITH(.min = 4, .max = 2)}, "5 1", 0},
        {"a negative max is no pair", "5,5", 6, {PACK_WITH(.min = 3, .max = -1)}, "3 3", 0},
        {"hard voids the rest",
         "5,9",
         6,
         {PACK_WITH(.hard = true, .max = 2, .partitions = 2)},
         "0 6",
         0},
        {"factor 1 is unset", "5,5", 7, {PACK_WITH(.factor = 1)}, "5 2", 0},
        {"a factor above n", "9,9", 7, {PACK_WITH(.factor = 8)}, "infeasible", 0},
        {"more partitions than children", "5,5", 6, {PACK_WITH(.partitions = 3)}, "infeasible", 0},
        {"partitions are per parent",
         "(5,5) (5,5)",
         4,
         {SPREAD_WITH(.partitions = 2), PACK_WITH(.partitions = 2)},
         "1 1 1 1",
         0},
        {"pack with partitions", "9,9,9", 9, {PACK_WITH(.partitions = 2)}, "8 1 0", 0},
        {"spread with partitions", "9,9,9", 9, {SPREAD_WITH(.partitions = 2)}, "5 4 0", 0},
        {"water filling", "3,9,1,9", 14, {SPREAD}, "3 5 1 5", 0},
        {"an overcommitted node takes no room from others",
         "(-7,4) (3,0)",
         4,
         {PACK, PACK},
         "0 4 0 0",
         0},
        {"an ineligible leaf is empty", "5!,3", 3, {PACK}, "0 3", 0},
        {"no member to place", "(5) (5)", 0, {PACK_WITH(.partitions = 2), PACK}, "0 0", 0},
    };
    CHECK_ALL(table);
}

TEST(keys_list_the_used_units_of_a_level)
{
    struct solver_rig f;
    solver_rig_init(&f, "(3,3) (3,3)", 7);
    f.rule[0].type = SKR_RULE_PACK;
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->key[0].used, 2);
    assert_int_equal(solution->key[0].n_runs, 2);
    assert_int_equal(solution->key[0].run[0].count, 6);
    assert_int_equal(solution->key[0].run[1].count, 1);
    assert_int_equal(solution->key[1].used, 3);
    assert_int_equal(solution->key[1].run[0].count, 3);
    assert_int_equal(solution->key[1].run[0].mult, 2);
    int32_t other[] = {3, 2, 1, 1};
    struct skr_level_key *worse = skr_placement_key(f.tree, other, solution->arena);
    assert_true(skr_placement_compare(f.tree, f.rule, solution->key, worse) < 0);
    assert_true(skr_placement_compare(f.tree, f.rule, worse, solution->key) > 0);
    assert_int_equal(skr_placement_compare(f.tree, f.rule, worse, worse), 0);
    solver_rig_fini(&f, solution);
}

struct explained {
    const char *tree;
    int32_t n;
    struct skr_rule rule[SOLVER_RIG_LEVELS];
    const char *capacity; /* leaf capacities, NULL: not given */
    enum skr_infeasible_class class;
    int32_t largest;
    int64_t sum_fits;
    int32_t level;
    size_t n_bottlenecks;
    struct {
        int32_t unit, fits, needs;
    } first; /* unit numbers count from the root, level by level */
};

static void check_explained(const struct explained *want)
{
    struct solver_rig f;
    solver_rig_init(&f, want->tree, want->n);
    memcpy(f.rule, want->rule, sizeof f.rule);
    if (want->capacity) {
        solver_rig_set_capacity(&f, want->capacity);
    }
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    const struct skr_explanation *got = &solution->explanation;
    assert_int_equal(got->class, want->class);
    assert_int_equal(got->largest, want->largest);
    assert_int_equal(got->sum_fits, want->sum_fits);
    assert_int_equal(got->level, want->level);
    assert_int_equal(got->n_bottlenecks, want->n_bottlenecks);
    if (want->n_bottlenecks > 0) {
        assert_int_equal(got->bottleneck[0].unit, want->first.unit);
        assert_int_equal(got->bottleneck[0].fits, want->first.fits);
        assert_int_equal(got->bottleneck[0].needs, want->first.needs);
    }
    solver_rig_fini(&f, solution);
}

TEST(infeasible_groups_are_explained)
{
    static const struct explained table[] = {
        /* clang-format off */
        /* "needs 6 slots in one rack, best rack has 5" */
        {"(1,2) (3,2) (2,2)", 6, {PACK_WITH(.hard = true), PACK}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 5, 12, 1, 3, {2, 5, 6}},
        {"(1,2) (3,2) (2,2)", 12, {SPREAD_WITH(.partitions = 2), PACK}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 9, 12, 1, 3, {2, 5, 8}},
        {"(1,2) (3,2)", 9, {PACK_WITH(.hard = true), PACK}, NULL,
         SKR_CLASS_WAITING_FOR_CAPACITY, 5, 8, 0, 0, {0, 0, 0}},
        {"(1,2) (3,2)", 6, {PACK_WITH(.hard = true), PACK}, "9,9,9,9",
         SKR_CLASS_PLACEMENT_FAILED, 5, 8, 1, 2, {2, 5, 6}},
        {"(1,2) (3,2)", 6, {PACK_WITH(.hard = true), PACK}, "2,3,3,2",
         SKR_CLASS_NEVER_FITS, 5, 8, 1, 2, {2, 5, 6}},
        {"(9,9) (9,9)", 12, {PACK_WITH(.factor = 6), PACK_WITH(.min = 4, .max = 4)}, NULL,
         SKR_CLASS_CONSTRAINT_CONFLICT, 0, 36, 1, 2, {1, 8, 12}},
        {"(3,3) (2,0)", 6, {PACK, PACK_WITH(.hard = true)}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 5, 8, 2, 4, {3, 3, 4}},
        {"(2[2],2[2]) (9,9)", 5, {PACK_WITH(.hard = true), PACK}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 4, 14, 1, 1, {1, 4, 5}},
        {"(4[2],0) (9[2],0)", 6, {PACK_WITH(.hard = true), PACK}, NULL,
         SKR_CLASS_CONSTRAINT_CONFLICT, 0, 10, 1, 2, {1, 4, 6}},
        /* of two nodes one is the claimed one: either it has 3, or another one 5 */
        {"(1[1],3,3)", 6, {PACK, PACK_WITH(.partitions = 2)}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 4, 7, 2, 3, {2, 1, 3}},
        /* the claimed node breaks the rule, whatever the others hold */
        {"(3,5,1[1])", 8, {PACK, PACK_WITH(.min = 4)}, NULL,
         SKR_CLASS_PLACEMENT_FAILED, 0, 9, 2, 1, {4, 1, 4}},
        /* no node has to be used that holds nothing: only the step is wrong */
        {"(4,4,0)", 5, {PACK, PACK_WITH(.factor = 2)}, NULL,
         SKR_CLASS_CONSTRAINT_CONFLICT, 4, 8, 2, 0, {0, 0, 0}},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        check_explained(&table[i]);
    }
}

TEST(a_tree_without_leaves_waits_for_capacity)
{
    struct skr_tree tree = {.n_levels = 1, .n_units = 1, .first_leaf = 1, .level_first = {0, 1, 1}};
    struct skr_rule rule = {0};
    struct skr_problem problem = {
        .tree = &tree, .n = 3, .rule = &rule, .explain = true, .step_budget = -1};
    struct skr_solution *solution = NULL;
    assert_int_equal(skr_solve(&problem, &solution, NULL), 0);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    assert_int_equal(solution->explanation.class, SKR_CLASS_WAITING_FOR_CAPACITY);
    skr_solution_destroy(solution);
    problem.n = 0;
    assert_int_equal(skr_solve(&problem, &solution, NULL), 0);
    assert_int_equal(solution->status, SKR_SOLVE_PLACED);
    skr_solution_destroy(solution);
}

TEST(a_run_that_was_stopped_is_a_timeout)
{
    struct solver_rig f;
    solver_rig_init(&f, "(1,2) (3,2)", 9);
    f.problem.step_budget = 0;
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->status, SKR_SOLVE_TIMEOUT);
    skr_solution_destroy(solution);
    atomic_bool cancel = true;
    f.problem.step_budget = -1;
    f.problem.cancel = &cancel;
    solution = solver_rig_solve(&f);
    assert_int_equal(solution->status, SKR_SOLVE_TIMEOUT);
    assert_null(solution->count);
    solver_rig_fini(&f, solution);
}

/* A clock that advances ten microseconds with every reading. */
static int64_t clock_now;
static int64_t ticking(void)
{
    clock_now += 10;
    return clock_now;
}

TEST(phases_take_their_time_from_the_clock_that_is_passed_in)
{
    static const struct {
        int32_t n;
        bool explain;
        int64_t us[SKR_PHASE_COUNT];
    } table[] = {
        {5, false, {10, 10, 10, 0}},
        {5, true, {10, 10, 10, 10}},
        {9, false, {10, 0, 0, 0}},
        {9, true, {10, 0, 0, 10}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct solver_rig f;
        solver_rig_init(&f, "(1,2) (3,2)", table[i].n);
        f.problem.explain = table[i].explain;
        f.problem.clock_us = ticking;
        struct skr_solution *solution = solver_rig_solve(&f);
        assert_memory_equal(solution->stats.time_us, table[i].us, sizeof table[i].us);
        skr_solution_destroy(solution);
        f.problem.clock_us = NULL;
        solution = solver_rig_solve(&f);
        assert_int_equal(solution->stats.time_us[SKR_PHASE_SETS], 0);
        solver_rig_fini(&f, solution);
    }
}

TEST(broken_problems_are_refused)
{
    struct solver_rig f;
    struct skr_error error;
    struct skr_solution *solution = NULL;
    solver_rig_init(&f, "(3[2],3) (3,3)", 1);
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_INVALID);
    assert_string_equal(error.text, "solver: 2 members are claimed already, more than 1");
    f.problem.n = -1;
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_INVALID);
    f.problem.n = SKR_SOLVER_MEMBERS_MAX + 1;
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_INVALID);
    assert_non_null(strstr(error.text, "SKR_SOLVER_MEMBERS_MAX"));
    f.problem.n = 4;
    f.demand[0] = -1;
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_INVALID);
    assert_string_equal(error.text, "solver: demand of resource 0 is negative");
    f.demand[0] = 1;
    f.problem.bounds = (struct skr_unit_bounds[]){{0}};
    f.problem.domain_rule = &(struct skr_domain_rule){.n_domains = 1, .most = 4};
    f.problem.n_domain_rules = 1;
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_INVALID);
    assert_string_equal(error.text, "solver: bounds of units beside rules over domains");
    f.problem.bounds = NULL;
    f.problem.n_domain_rules = 0;
    f.problem.byte_limit = 1000;
    assert_int_equal(skr_solve(&f.problem, &solution, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "solver: 4 members on 4 nodes need more than 1000 bytes");
    assert_null(solution);
    skr_tree_unref(f.tree);
}

TEST(the_checker_names_what_is_wrong)
{
    struct solver_rig f;
    struct skr_error error;
    solver_rig_init(&f, "(3[1],3!) (3,3)", 4);
    f.rule[0] = (struct skr_rule){.type = SKR_RULE_SPREAD, .partitions = 2, .min = 2};
    f.rule[1] = (struct skr_rule){.type = SKR_RULE_PACK, .factor = 2};
    static const struct {
        int32_t count[4];
        const char *text;
    } table[] = {
        {{0, 0, 2, 2}, "leaf 0 (u1): 0 members, but 1 are claimed"},
        {{2, 2, 0, 0}, "leaf 1 (u2): not eligible"},
        {{4, 0, 0, 0}, "leaf 0 (u1): 3 new members need 1 each of resource 0, free is 2"},
        {{2, 0, 0, 0}, "counts add up to 2, not 4"},
        {{3, 0, 1, 0}, "unit 2 (u3): holds 1, min is 2"},
        {{1, 0, 3, 0}, "unit 1 (u0): holds 1, min is 2"},
        {{2, 0, 1, 1}, "unit 5 (u4): holds 1, no multiple of 2"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        assert_int_equal(skr_solution_check(&f.problem, table[i].count, &error), -SKR_INVALID);
        assert_string_equal(error.text, table[i].text);
    }
    assert_int_equal(skr_solution_check(&f.problem, (int32_t[]){2, 0, 2, 0}, &error), 0);
    f.rule[0].partitions = 1;
    assert_int_equal(skr_solution_check(&f.problem, (int32_t[]){2, 0, 2, 0}, &error), -SKR_INVALID);
    assert_string_equal(error.text, "unit 0 (root): uses 2 children, not 1");
    skr_tree_unref(f.tree);
}
