/* SPDX-License-Identifier: Apache-2.0 */
/* What the solver says beside its answer, on cases that can be judged by eye. */
#include "test/test.h"
#include "test/unit/solver_rig.h"
#include "topology/base/strbuf.h"

static const char *const kind_name[] = {"hard", "max", "min", "factor", "partitions"};

static void write_sizes(const struct skr_explanation *x, struct skr_strbuf *out)
{
    for (size_t i = 0; i < x->n_sizes; i++) {
        skr_strbuf_addf(out, "%s%" PRId32, i == 0 ? "" : " ", x->size[i].first);
        if (x->size[i].last > x->size[i].first) {
            skr_strbuf_addf(out, "-%" PRId32, x->size[i].last);
        }
    }
}

/* "max2=6; hard1+min2=3": kind, level, nearest value. */
static void write_relaxations(const struct skr_explanation *x, struct skr_strbuf *out)
{
    for (size_t i = 0; i < x->n_relaxations; i++) {
        const struct skr_relaxation *relaxation = &x->relaxation[i];
        skr_strbuf_add(out, i == 0 ? "" : "; ");
        for (size_t a = 0; a < relaxation->n_atoms; a++) {
            const struct skr_relaxation_atom *atom = &relaxation->atom[a];
            skr_strbuf_addf(out, "%s%s%" PRId32, a == 0 ? "" : "+", kind_name[atom->kind],
                            atom->level);
            if (atom->value > 0) {
                skr_strbuf_addf(out, "=%" PRId32, atom->value);
            }
        }
    }
}

/* "2: 1x2": two slots, both on leaf 1. */
static void write_slots(const struct skr_explanation *x, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "%" PRId32, x->slots);
    for (size_t i = 0; i < x->n_slot_leaves; i++) {
        skr_strbuf_addf(out, "%s%" PRId32 "x%" PRId32, i == 0 ? ": " : " ", x->slot[i].leaf,
                        x->slot[i].slots);
    }
}

struct explained {
    const char *tree;
    int32_t n;
    struct skr_rule rule[SOLVER_RIG_LEVELS];
    const char *capacity; /* NULL: not given */
    const char *sizes, *relaxations, *slots;
};

static void expect(struct skr_strbuf *text, const char *want)
{
    assert_string_equal(text->s, want);
    skr_strbuf_reset(text);
}

static void check_explained(const struct explained *want)
{
    struct solver_rig f;
    SKR_STRBUF(text);
    solver_rig_init(&f, want->tree, want->n);
    memcpy(f.rule, want->rule, sizeof f.rule);
    if (want->capacity) {
        solver_rig_set_capacity(&f, want->capacity);
    }
    f.problem.explain_parts = SKR_EXPLAIN_ALL;
    struct skr_solution *solution = solver_rig_solve(&f);
    const struct skr_explanation *x = &solution->explanation;
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    assert_int_equal(x->parts, SKR_EXPLAIN_ALL & ~SKR_EXPLAIN_KEYS);
    write_sizes(x, &text);
    expect(&text, want->sizes);
    write_relaxations(x, &text);
    expect(&text, want->relaxations);
    write_slots(x, &text);
    expect(&text, want->slots);
    solver_rig_fini(&f, solution);
}

TEST(sizes_relaxations_and_slots_are_told)
{
    static const struct explained table[] = {
        /* clang-format off */
        /* One rack of 5 is the best; rules on nodes have nothing to do with it. */
        {"(1,2) (3,2) (2,2)", 6, {PACK_WITH(.hard = true), PACK_WITH(.max = 3)}, NULL,
         "1-5", "hard1", "1: 3x1"},
        /* More of the nodes that are there, or a node that takes less. */
        {"4,4,4", 10, {PACK_WITH(.max = 3)}, NULL, "1-9", "max1=4", "-1"},
        {"3,3,1", 7, {PACK_WITH(.min = 2)}, NULL, "2-6", "min1=1", "1: 0x1"},
        {"6,6", 8, {PACK_WITH(.factor = 3)}, NULL, "3 6 9 12", "factor1=2", "-1"},
        {"3,3,3", 8, {PACK_WITH(.partitions = 2)}, NULL, "2-6", "partitions1=3", "2: 0x2"},
        {"3,3,3", 4, {PACK_WITH(.partitions = 5)}, NULL, "", "partitions1=3", "-1"},
        {"(4,4) (4,4)", 9, {PACK_WITH(.max = 5), PACK_WITH(.partitions = 1)}, NULL,
         "1-8", "partitions2=2", "1: 0x1"},
        /* Both have to go. */
        {"(4,4) (4,4)", 12, {PACK_WITH(.hard = true), PACK_WITH(.max = 2)}, NULL,
         "1-4", "max2=3+hard1", "-1"},
        /* Either will do. */
        {"4,4,4", 7, {PACK_WITH(.max = 3, .partitions = 2)}, NULL,
         "2-6", "max1=4; partitions1=3", "-1"},
        /* There is too little, whatever the rules. */
        {"2,2", 6, {PACK}, NULL, "1-4", "", "2: 0x2"},
        {"2,2", 6, {PACK}, "3,3", "1-4", "", "2: 0x1 1x1"},
        {"2,2", 6, {PACK}, "2,3", "1-4", "", "2: 0x2"},
        {"4!,2", 4, {PACK}, NULL, "1-2", "", "2: 1x2"},
        {"2,2,2", 8, {PACK_WITH(.max = 3)}, "2,3,3", "1-6", "", "2: 1x1 2x1"},
        /* Members that run count: two racks are in use already. */
        {"(2[2],2[2]) (9[1],9)", 6, {PACK_WITH(.partitions = 1), PACK}, NULL,
         "", "partitions1=2", "-1"},
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        check_explained(&table[i]);
    }
}

static void check_key(const struct skr_level_key *key, const char *want)
{
    SKR_STRBUF(text);
    for (size_t r = 0; r < key->n_runs; r++) {
        skr_strbuf_addf(&text, "%s%" PRId32 "x%" PRId32, r == 0 ? "" : " ", key->run[r].count,
                        key->run[r].mult);
    }
    assert_string_equal(text.s, want);
}

TEST(a_placed_group_sees_how_good_each_level_could_be)
{
    struct solver_rig f;
    solver_rig_init(&f, "(6,1) (3,3)", 5);
    solver_rig_set_capacity(&f, "9,9,3,3");
    f.rule[1].type = SKR_RULE_SPREAD;
    f.problem.explain_parts = SKR_EXPLAIN_ALL;
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->explanation.class, SKR_CLASS_NONE);
    assert_int_equal(solution->explanation.parts, SKR_EXPLAIN_KEYS | SKR_EXPLAIN_SIZES);
    assert_int_equal(solution->explanation.largest, 5);
    assert_int_equal(solution->explanation.sum_fits, 12);
    check_key(&solution->key[0], "5x1");
    check_key(&solution->key[1], "3x1 2x1");
    check_key(&solution->best_alone[0], "5x1");
    check_key(&solution->best_alone[1], "2x1 1x3");
    check_key(&solution->best_empty[0], "5x1");
    check_key(&solution->best_empty[1], "2x1 1x3");
    solver_rig_fini(&f, solution);
}

TEST(nothing_is_explained_unless_asked_for)
{
    struct solver_rig f;
    solver_rig_init(&f, "(6,1) (3,3)", 5);
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->explanation.parts, 0);
    assert_null(solution->best_alone);
    assert_null(solution->best_empty);
    skr_solution_destroy(solution);
    f.rule[0] = (struct skr_rule){.partitions = 1, .max = 3};
    solution = solver_rig_solve(&f);
    assert_int_equal(solution->explanation.class, SKR_CLASS_CONSTRAINT_CONFLICT);
    assert_int_equal(solution->explanation.parts, 0);
    assert_int_equal(solution->explanation.n_relaxations, 0);
    solver_rig_fini(&f, solution);
}

TEST(relaxations_stop_at_the_step_budget)
{
    struct solver_rig f;
    solver_rig_init(&f, "4,4,4", 7);
    f.rule[0] = (struct skr_rule){.max = 3, .partitions = 2};
    f.problem.explain_parts = SKR_EXPLAIN_RELAXATIONS;
    f.problem.step_budget = 1;
    struct skr_solution *solution = solver_rig_solve(&f);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    assert_int_equal(solution->explanation.parts, 0);
    assert_int_equal(solution->explanation.n_relaxations, 1);
    assert_int_equal(solution->explanation.relaxation[0].atom[0].value, 0);
    solver_rig_fini(&f, solution);
}

TEST(far_away_sizes_are_left_out)
{
    struct solver_rig f;
    solver_rig_init(&f, "200", 101);
    f.rule[0].factor = 2;
    f.problem.explain_parts = SKR_EXPLAIN_SIZES;
    struct skr_solution *solution = solver_rig_solve(&f);
    const struct skr_explanation *x = &solution->explanation;
    assert_int_equal(x->parts, 0);
    assert_int_equal(x->n_sizes, SKR_SIZE_RANGES_MAX);
    assert_int_equal(x->size[0].first, 70);
    assert_int_equal(x->size[x->n_sizes - 1].last, 132);
    assert_int_equal(x->sizes_first, 69);
    assert_int_equal(x->sizes_last, 133);
    solver_rig_fini(&f, solution);
}
