/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gangs whose members are not equal, on cases small enough to be judged by eye. Trees are racks of
 * nodes, "(16/4 4/1) (24/3)"; a node is its free cpu and gpu. `L` is a leader of 8 cpu, `w` a worker
 * of 4 cpu and 1 gpu.
 */
#include "core/solver/roles.h"
#include "core/solver/victims.h"
#include "test/test.h"
#include "test/unit/solver_cluster.h"
#include "test/unit/solver_rig.h"

enum { LEVELS = 2 };
static const int64_t leader_demand[] = {8, 0};
static const int64_t worker_demand[] = {4, 1};

struct rig {
    struct solver_rig f;
    struct skr_rule own[2][LEVELS];
    uint8_t has_own[2][LEVELS];
    struct skr_role role[2];
    struct skr_set_kind kind;
    struct skr_role_cap cap;
    struct skr_roles roles;
};

static void rig_init(struct rig *rig, const char *text, int32_t leaders, int32_t workers)
{
    memset(rig, 0, sizeof *rig);
    solver_rig_init(&rig->f, text, leaders + workers);
    rig->role[0] = (struct skr_role){
        .name = "leader", .n = leaders, .minimum = leaders, .demand = leader_demand};
    rig->role[1] = (struct skr_role){
        .name = "worker", .n = workers, .minimum = workers, .demand = worker_demand};
    for (size_t r = 0; r < 2; r++) {
        rig->role[r].rule = rig->own[r];
        rig->role[r].has_rule = rig->has_own[r];
    }
    rig->roles =
        (struct skr_roles){.n_roles = 2, .role = rig->role, .kind = &rig->kind, .cap = &rig->cap};
    rig->f.problem.roles = &rig->roles;
    rig->f.problem.explain = false;
}

/* "Lww - / www w": nodes, with racks apart. */
static void counts_to_text(const struct rig *rig, const struct skr_solution *solution, char *ret)
{
    static const char *const words[] = {"infeasible", "timeout"};
    if (solution->status != SKR_SOLVE_PLACED) {
        strcpy(ret, words[solution->status == SKR_SOLVE_TIMEOUT]);
        return;
    }
    const struct skr_tree *tree = rig->f.tree;
    for (int32_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int32_t unit = tree->first_leaf + leaf;
        if (leaf > 0) {
            *ret++ = ' ';
            if (tree->parent[unit] != tree->parent[unit - 1]) {
                *ret++ = '/';
                *ret++ = ' ';
            }
        }
        if (solution->count[leaf] == 0) {
            *ret++ = '-';
        }
        for (size_t r = 0; r < 2; r++) {
            int32_t n = solution->roles->count[r * (size_t)tree->n_leaves + (size_t)leaf];
            for (int32_t i = 0; i < n; i++) {
                *ret++ = "Lw"[r];
            }
        }
    }
    *ret = '\0';
}

static void check(struct rig *rig, const char *name, const char *expected)
{
    for (int plain = 0; plain < 2; plain++) {
        rig->f.problem.no_fast_paths = plain != 0;
        struct skr_solution *solution = solver_rig_solve(&rig->f);
        char text[256];
        counts_to_text(rig, solution, text);
        if (strcmp(text, expected) != 0) {
            fail_msg("%s: %s, expected %s", name, text, expected);
        }
        skr_solution_destroy(solution);
    }
    skr_tree_unref(rig->f.tree);
}

TEST(a_leader_and_workers_share_the_nodes_of_one_rack)
{
    static const struct {
        const char *name, *tree;
        int32_t workers;
        const char *expected;
    } table[] = {
        {"the other rack has the GPUs, not the cpu", "(16/8 16/8) (24/4 24/6)", 8,
         "- - / Lww wwwwww"},
        {"too few beside the leader", "(16/4 20/4) (12/8 12/8)", 8, "infeasible"},
        {"workers first would leave no room", "(16/4 4/1) (24/3 12/3)", 4, "- - / Lwww w"},
        {"the tightest node strands two workers", "(8/2) (24/4 8/2)", 6, "- / Lwwww ww"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rig rig;
        rig_init(&rig, table[i].tree, 1, table[i].workers);
        rig.f.rule[0] = (struct skr_rule){.type = SKR_RULE_PACK, .hard = true};
        check(&rig, table[i].name, table[i].expected);
    }
}

TEST(a_set_lies_in_one_rack)
{
    struct rig rig;
    rig_init(&rig, "(24/4 12/1) (16/2 12/1)", 2, 8);
    rig.roles.n_kinds = 1;
    rig.kind = (struct skr_set_kind){.level = 1, .each = {1, 4}};
    check(&rig, "8 GPUs, but not 4 in each rack", "infeasible");
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        rig_init(&rig, "(24/4 12/1) (32/4 32/4)", 2, 6);
        rig.roles.n_kinds = 1;
        rig.kind = (struct skr_set_kind){.level = 1, .each = {1, 3}, .exclusive = exclusive != 0};
        check(&rig, "two sets", exclusive != 0 ? "Lwww - / Lwww -" : "- - / LLwwww ww");
    }
}

TEST(the_own_key_of_a_role_comes_before_that_of_the_group)
{
    struct rig rig;
    rig_init(&rig, "(40/8 40/8) (40/8 40/8)", 1, 4);
    rig.own[1][0] = (struct skr_rule){.type = SKR_RULE_SPREAD};
    rig.has_own[1][0] = 1;
    check(&rig, "workers spread over the racks", "Lww - / ww -");
}

TEST(a_minimum_is_lowered_from_the_last_role)
{
    static const struct {
        const char *tree, *expected;
    } table[] = {
        {"(32/8)", "LLwwww"},
        {"(16/8)", "Lww"},
        {"(12/8)", "infeasible"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rig rig;
        rig_init(&rig, table[i].tree, 2, 6);
        rig.role[0].minimum = 1;
        rig.role[1].minimum = 2;
        check(&rig, "minimum", table[i].expected);
    }
}

TEST(a_cap_bounds_roles_together_or_keeps_them_apart)
{
    static const char two_racks[] = "(40/8 40/8) (40/8)";
    static const struct {
        const char *name, *tree;
        struct skr_role_cap cap;
        const char *expected;
    } table[] = {
        {"one member a node", two_racks, {.roles = 3, .level = 2, .most = 1}, "L w / w"},
        {"one worker a node", two_racks, {.roles = 2, .level = 2, .most = 1}, "Lw w / -"},
        {"apart on nodes", two_racks, {.roles = 1, .against = 2, .level = 2}, "ww L / -"},
        {"apart in racks", two_racks, {.roles = 1, .against = 2, .level = 1}, "ww - / L"},
        {"apart in one rack", "(40/8 40/8)", {.roles = 2, .against = 1, .level = 1}, "infeasible"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rig rig;
        rig_init(&rig, table[i].tree, 1, 2);
        rig.roles.n_caps = 1;
        rig.cap = table[i].cap;
        check(&rig, table[i].name, table[i].expected);
    }
}

static struct skr_solution *explained(struct rig *rig)
{
    rig->f.problem.explain = true;
    rig->f.problem.explain_parts = SKR_EXPLAIN_ALL;
    struct skr_solution *solution = solver_rig_solve(&rig->f);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    return solution;
}

TEST(a_rack_is_short_of_workers_beside_the_leader)
{
    struct rig rig;
    rig_init(&rig, "(16/4 20/4) (12/8 12/8)", 1, 8);
    rig.f.rule[0] = (struct skr_rule){.type = SKR_RULE_PACK, .hard = true};
    struct skr_solution *solution = explained(&rig);
    const struct skr_roles_explanation *why = &solution->roles->explanation;
    assert_int_equal(solution->explanation.class, SKR_CLASS_PLACEMENT_FAILED);
    assert_int_equal(solution->explanation.level, 1);
    assert_int_equal(why->largest_of_role[0], 0);
    assert_int_equal(why->largest_of_role[1], 7);
    assert_int_equal(solution->explanation.n_bottlenecks, 2);
    assert_int_equal(solution->explanation.bottleneck[0].fits_of[1], 7);
    assert_int_equal(solution->explanation.bottleneck[1].fits_of[1], 4);
    assert_int_equal(why->alone, 0);
    assert_int_equal(why->holds_now[0], 4);
    assert_int_equal(solution->explanation.n_relaxations, 1);
    assert_int_equal(solution->explanation.relaxation[0].n_atoms, 1);
    assert_int_equal(solution->explanation.relaxation[0].atom[0].role, -1);
    assert_int_equal(solution->explanation.relaxation[0].atom[0].kind, SKR_RELAX_HARD);
    solver_rig_fini(&rig.f, solution);
}

TEST(one_set_of_two_fits)
{
    struct rig rig;
    rig_init(&rig, "(24/4 12/1) (16/2 12/1)", 2, 8);
    rig.roles.n_kinds = 1;
    rig.kind = (struct skr_set_kind){.level = 1, .each = {1, 4}};
    struct skr_solution *solution = explained(&rig);
    const struct skr_roles_explanation *why = &solution->roles->explanation;
    assert_int_equal(why->largest_of_sets[0], 1);
    assert_int_equal(why->largest_of_role[1], -1);
    assert_int_equal(solution->explanation.class, SKR_CLASS_PLACEMENT_FAILED);
    assert_int_equal(solution->explanation.n_relaxations, 1);
    assert_int_equal(solution->explanation.relaxation[0].atom[0].what, SKR_ATOM_SETS);
    solver_rig_fini(&rig.f, solution);
}

TEST(a_role_that_fits_nowhere_is_named)
{
    struct rig rig;
    rig_init(&rig, "(4/8 4/8) (4/8)", 1, 2);
    struct skr_solution *solution = explained(&rig);
    const struct skr_roles_explanation *why = &solution->roles->explanation;
    assert_int_equal(why->alone, 1);
    assert_int_equal(why->holds_now[0], 0);
    assert_int_equal(why->holds_now[1], 3);
    assert_int_equal(why->largest_of_role[0], 0);
    assert_int_equal(solution->explanation.class, SKR_CLASS_WAITING_FOR_CAPACITY);
    solver_rig_fini(&rig.f, solution);
}

TEST(the_four_classes)
{
    static const int64_t capacity[] = {16, 4, 16, 4, 16, 4};
    static const int32_t four_run[] = {4, 0, 0};
    static const struct {
        const char *tree;
        int32_t workers;
        struct skr_rule rule;
        enum skr_infeasible_class expected;
        const int32_t *claimed; /* workers */
    } table[] = {
        {"(16/4 16/4) (16/4)", 2, {.min = 2, .factor = 2}, SKR_CLASS_CONSTRAINT_CONFLICT, NULL},
        {"(16/4 16/4) (16/4)", 12, {0}, SKR_CLASS_NEVER_FITS, NULL},
        {"(0/0 16/4) (16/4)", 12, {0}, SKR_CLASS_NEVER_FITS, four_run}, /* they are on it, too */
        {"(8/0 8/2) (4/1)", 4, {0}, SKR_CLASS_WAITING_FOR_CAPACITY, NULL},
        {"(8/0 8/2) (4/1)", 3, {.hard = true}, SKR_CLASS_PLACEMENT_FAILED, NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rig rig;
        rig_init(&rig, table[i].tree, 1, table[i].workers);
        rig.f.rule[0] = table[i].rule;
        rig.f.problem.capacity = capacity;
        rig.role[1].claimed = table[i].claimed;
        struct skr_solution *solution = explained(&rig);
        assert_int_equal(solution->explanation.class, table[i].expected);
        solver_rig_fini(&rig.f, solution);
    }
}

/* The level is of the type of the role's own rule, whichever method solves it. */
TEST(a_cap_that_binds_nothing_leaves_a_lone_role_its_tie)
{
    static const struct {
        enum skr_rule_type group, own;
        int32_t on_roomy; /* workers on the first node, which has room for 8 */
    } table[] = {{SKR_RULE_SPREAD, SKR_RULE_PACK, 0}, {SKR_RULE_PACK, SKR_RULE_SPREAD, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        for (size_t n_caps = 0; n_caps < 2; n_caps++) {
            struct rig rig;
            rig_init(&rig, "(40/8 8/2)", 1, 1);
            rig.roles.n_roles = 1;
            rig.roles.role = &rig.role[1];
            rig.roles.n_caps = n_caps;
            rig.cap = (struct skr_role_cap){.roles = 1, .level = 2, .most = 5};
            rig.f.problem.n = 1;
            rig.f.problem.tie_break = SKR_TIE_TIGHT;
            rig.f.rule[1].type = table[i].group;
            rig.own[1][1].type = table[i].own;
            rig.has_own[1][1] = 1;
            struct skr_solution *solution = solver_rig_solve(&rig.f);
            assert_int_equal(solution->count[0], table[i].on_roomy);
            solver_rig_fini(&rig.f, solution);
        }
    }
}

TEST(roles_that_contradict_themselves_are_an_error)
{
    struct rig rig;
    struct skr_solution *solution = NULL;
    struct skr_error error = {0};
    rig_init(&rig, "(16/4 16/4)", 2, 3);
    rig.roles.n_kinds = 1;
    rig.kind = (struct skr_set_kind){.level = 1, .each = {1, 1}};
    assert_int_equal(skr_solve(&rig.f.problem, &solution, &error), -SKR_INVALID);
    assert_string_equal(error.text,
                        "solver: role worker: 3 members, at least 3, are no whole number "
                        "of sets of 1 as the other roles have");
    rig.roles.n_kinds = 0;
    rig.f.problem.n = 4;
    assert_int_equal(skr_solve(&rig.f.problem, &solution, &error), -SKR_INVALID);
    assert_string_equal(error.text, "solver: 4 members, but the roles have 5 in sum");
    skr_tree_unref(rig.f.tree);
}

TEST(beyond_the_exact_range_a_placement_is_valid_and_has_a_bound)
{
    struct rig rig;
    rig_init(&rig, "(16/4 16/4) (32/8)", 2, 8);
    rig.roles.row_limit = 1;
    struct skr_solution *solution = solver_rig_solve(&rig.f);
    assert_int_equal(solution->status, SKR_SOLVE_PLACED);
    assert_false(solution->optimal);
    assert_int_equal(skr_roles_check(&rig.f.problem, NULL, solution->roles->count, NULL), 0);
    assert_int_equal(solution->roles->least_used[0], 2);
    solver_rig_fini(&rig.f, solution);
}

TEST(beyond_the_exact_range_a_no_is_proven_by_one_role)
{
    struct rig rig;
    rig_init(&rig, "(16/4 16/4) (32/8)", 2, 17);
    rig.roles.row_limit = 1;
    struct skr_solution *solution = solver_rig_solve(&rig.f);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    solver_rig_fini(&rig.f, solution);
}

/* Eight roles of four members on thirty nodes of 5, 5 and 5: too many roles for the exact method. */
enum { MANY_NODES = 30, MANY_ROLES = 8, MANY_EACH = 4, MANY_RESOURCES = 3 };
struct many {
    struct cluster cluster;
    int64_t free[MANY_NODES * MANY_RESOURCES], capacity[MANY_NODES * MANY_RESOURCES];
    struct skr_rule rule;
    struct skr_role role[MANY_ROLES];
    struct skr_roles roles;
    struct skr_problem problem;
};

/* The demand of role r is demand[r % 3]. */
static void many_init(struct many *many, const int64_t demand[3][MANY_RESOURCES])
{
    *many = (struct many){.rule = {.type = SKR_RULE_PACK}};
    cluster_init(&many->cluster, (const int32_t[]){MANY_NODES}, 1, 0);
    for (size_t i = 0; i < sizeof many->free / sizeof *many->free; i++) {
        many->free[i] = 5;
        many->capacity[i] = 10;
    }
    for (size_t r = 0; r < MANY_ROLES; r++) {
        many->role[r] = (struct skr_role){
            .name = "r", .n = MANY_EACH, .minimum = MANY_EACH, .demand = demand[r % 3]};
    }
    many->roles = (struct skr_roles){.n_roles = MANY_ROLES, .role = many->role};
    many->problem = cluster_problem(&many->cluster, &many->rule, MANY_ROLES * MANY_EACH);
    many->problem.n_resources = MANY_RESOURCES;
    many->problem.free = many->free;
    many->problem.capacity = many->capacity;
    many->problem.roles = &many->roles;
    many->problem.explain = true;
}

static struct skr_solution *many_solve(struct many *many)
{
    struct skr_solution *solution = NULL;
    assert_int_equal(skr_solve(&many->problem, &solution, NULL), 0);
    cluster_fini(&many->cluster);
    return solution;
}

/* A member needs 3 of two resources, so each node holds one. No pair of roles shows that. */
TEST(a_problem_that_is_not_decided_has_the_best_placement_of_a_part)
{
    struct many many;
    int32_t left = 0;
    many_init(&many, (const int64_t[3][3]){{3, 3, 0}, {3, 0, 3}, {0, 3, 3}});
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = many_solve(&many);
    assert_int_equal(solution->status, SKR_SOLVE_TIMEOUT);
    for (size_t r = 0; r < MANY_ROLES; r++) {
        left += solution->roles->left_out[r];
    }
    assert_int_equal(left, MANY_ROLES * MANY_EACH - MANY_NODES);
}

TEST(beyond_the_exact_range_a_lack_of_room_is_proven)
{
    struct many many;
    many_init(&many, (const int64_t[3][3]){{3, 0, 0}, {3, 1, 0}, {4, 0, 1}});
    SKR_AUTO(skr_solution_destroy) struct skr_solution *slots = many_solve(&many);
    assert_int_equal(slots->status, SKR_SOLVE_INFEASIBLE);
    assert_int_equal(slots->explanation.class, SKR_CLASS_WAITING_FOR_CAPACITY);
    /* (12 * 4 + 12 * 1 + 8 * 14) of the second resource, of which there are 150. */
    many_init(&many, (const int64_t[3][3]){{0, 4, 0}, {1, 1, 0}, {1, 14, 0}});
    for (size_t i = 1; i < sizeof many.free / sizeof *many.free; i += 3 * MANY_RESOURCES) {
        many.free[i] = 15;
        many.free[i + MANY_RESOURCES] = 0;
        many.free[i + (size_t)2 * MANY_RESOURCES] = 0;
    }
    SKR_AUTO(skr_solution_destroy) struct skr_solution *sum = many_solve(&many);
    assert_int_equal(sum->status, SKR_SOLVE_INFEASIBLE);
}

TEST(beyond_the_exact_range_a_rule_of_the_group_is_proven_to_be_in_the_way)
{
    struct many many;
    many_init(&many, (const int64_t[3][3]){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
    many.rule.max = 1;
    SKR_AUTO(skr_solution_destroy) struct skr_solution *solution = many_solve(&many);
    assert_int_equal(solution->status, SKR_SOLVE_INFEASIBLE);
    assert_int_equal(solution->explanation.class, SKR_CLASS_CONSTRAINT_CONFLICT);
    assert_int_equal(solution->explanation.level, 1);
}

TEST(a_victim_makes_room_for_the_leader)
{
    static const int64_t gpus[] = {0, 4};
    static const int64_t cpus[] = {8, 0};
    static const struct skr_victim_share on_first[] = {{.leaf = 0, .amount = gpus}};
    static const struct skr_victim_share on_second[] = {{.leaf = 1, .amount = cpus}};
    static const struct skr_victim victim[] = {
        {.name = "a",
         .kind = SKR_VICTIM_GROUP,
         .priority = 1,
         .members = 1,
         .surplus_of = -1,
         .n_shares = 1,
         .share = on_first},
        {.name = "b",
         .kind = SKR_VICTIM_GROUP,
         .priority = 2,
         .members = 1,
         .surplus_of = -1,
         .n_shares = 1,
         .share = on_second},
    };
    struct rig rig;
    rig_init(&rig, "(4/4 8/4) (4/4)", 1, 3);
    struct skr_victims_problem in = {.problem = &rig.f.problem,
                                     .priority = 3,
                                     .n_victims = 2,
                                     .victim = victim,
                                     .step_budget = -1};
    struct skr_victims *victims = NULL;
    assert_int_equal(skr_victims_find(&in, &victims, NULL), 0);
    assert_int_equal(victims->status, SKR_VICTIMS_FOUND);
    assert_int_equal(victims->n, 1);
    assert_int_equal(victims->victim[0], 1);
    assert_true(victims->optimal);
    skr_victims_destroy(victims);
    skr_tree_unref(rig.f.tree);
}
