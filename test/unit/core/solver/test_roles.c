/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gangs whose members are not equal, on cases small enough to be judged by eye. Trees are racks of
 * nodes, "(16/4 4/1) (24/3)"; a node is its free cpu and gpu. `L` is a leader of 8 cpu, `w` a worker
 * of 4 cpu and 1 gpu.
 */
#include "core/solver/roles.h"
#include "core/solver/solver.h"
#include "test/test.h"

enum { LEAVES_MAX = 8, LEVELS = 2 };
static const int64_t leader_demand[] = {8, 0};
static const int64_t worker_demand[] = {4, 1};

struct rig {
    struct skr_tree *tree;
    int64_t free[2 * LEAVES_MAX];
    struct skr_rule rule[LEVELS];
    struct skr_rule own[2][LEVELS];
    uint8_t has_own[2][LEVELS];
    struct skr_role role[2];
    struct skr_set_kind kind;
    struct skr_role_cap cap;
    struct skr_roles roles;
    struct skr_problem problem;
};

static void add_unit(struct skr_tree_builder *builder, int32_t depth, int32_t number)
{
    char name[16];
    snprintf(name, sizeof name, "u%" PRId32, number);
    assert_int_equal(skr_tree_builder_add(builder, depth, name, NULL), 0);
}

static void rig_init(struct rig *rig, const char *text, int32_t leaders, int32_t workers)
{
    static const char *const level_names[] = {"rack", "node"};
    memset(rig, 0, sizeof *rig);
    struct skr_tree_builder *builder = skr_tree_builder_create("test");
    int32_t units = 0;
    size_t leaves = 0;
    while (*text != '\0') {
        if (*text == '(') {
            add_unit(builder, 1, units++);
        }
        if (strchr("() ", *text)) {
            text++;
            continue;
        }
        char *end = NULL;
        rig->free[2 * leaves] = strtol(text, &end, 10);
        rig->free[2 * leaves + 1] = strtol(end + 1, &end, 10);
        text = end;
        leaves++;
        add_unit(builder, 2, units++);
    }
    assert_int_equal(
        skr_tree_builder_finish(builder, level_names, LEVELS, NULL, 0, &rig->tree, NULL, NULL), 0);
    skr_tree_builder_destroy(builder);
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
    rig->problem = (struct skr_problem){.tree = rig->tree,
                                        .n = leaders + workers,
                                        .rule = rig->rule,
                                        .n_resources = 2,
                                        .free = rig->free,
                                        .roles = &rig->roles,
                                        .step_budget = -1};
}

/* "Lww - / www w": nodes, with racks apart. */
static void counts_to_text(const struct rig *rig, const struct skr_solution *solution, char *ret)
{
    static const char *const words[] = {"infeasible", "timeout"};
    if (solution->status != SKR_SOLVE_PLACED) {
        strcpy(ret, words[solution->status == SKR_SOLVE_TIMEOUT]);
        return;
    }
    const struct skr_tree *tree = rig->tree;
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
        struct skr_solution *solution = NULL;
        struct skr_error error = {0};
        rig->problem.no_fast_paths = plain != 0;
        if (skr_solve(&rig->problem, &solution, &error) != 0) {
            fail_msg("%s: %s", name, error.text);
        }
        char text[256];
        counts_to_text(rig, solution, text);
        if (strcmp(text, expected) != 0) {
            fail_msg("%s: %s, expected %s", name, text, expected);
        }
        skr_solution_destroy(solution);
    }
    skr_tree_unref(rig->tree);
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
        rig.rule[0] = (struct skr_rule){.type = SKR_RULE_PACK, .hard = true};
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

TEST(a_cap_bounds_the_roles_of_a_node_together)
{
    struct rig rig;
    rig_init(&rig, "(40/8 40/8) (40/8)", 1, 2);
    rig.roles.n_caps = 1;
    rig.cap = (struct skr_role_cap){.roles = 3, .level = 2, .most = 1};
    check(&rig, "one member a node", "L w / w");
    rig_init(&rig, "(40/8 40/8) (40/8)", 1, 2);
    rig.roles.n_caps = 1;
    rig.cap = (struct skr_role_cap){.roles = 2, .level = 2, .most = 1};
    check(&rig, "one worker a node", "Lw w / -");
}
