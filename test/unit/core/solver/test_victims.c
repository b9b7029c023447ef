/* SPDX-License-Identifier: Apache-2.0 */
/* Victims of preemptions small enough to be judged by eye. A letter is a group, by its name. */
#include "core/solver/victims.h"
#include "test/test.h"
#include "test/unit/solver_rig.h"

enum { VICTIMS = 16, SHARES = 4 };

struct victims_world {
    struct solver_rig rig;
    struct skr_victims_problem problem;
    struct skr_victim victim[VICTIMS];
    struct skr_victim_share share[VICTIMS][SHARES];
    int64_t amount[VICTIMS][SHARES][1];
    struct skr_victim_charge charge[VICTIMS][1];
    int32_t budget[1];
    struct skr_victims *got;
};

static void victims_world_set_up(struct victims_world *w)
{
    w->problem = (struct skr_victims_problem){.n_givers = 1,
                                              .problem = &w->rig.problem,
                                              .priority = 100,
                                              .victim = w->victim,
                                              .budget = w->budget,
                                              .n_budgets = 1,
                                              .step_budget = -1};
}

static void victims_world_tear_down(struct victims_world *w)
{
    skr_victims_destroy(w->got);
    if (w->rig.tree) {
        solver_rig_fini(&w->rig, NULL);
    }
}

static void tree(struct victims_world *w, const char *text, int32_t n)
{
    solver_rig_init(&w->rig, text, n);
}

/* A group with one member for each letter's worth of room: members on a leaf, at size each. */
static struct skr_victim *group(struct victims_world *w, const char *name, int32_t priority)
{
    struct skr_victim *v = &w->victim[w->problem.n_victims++];
    size_t i = (size_t)(v - w->victim);
    *v = (struct skr_victim){.name = name,
                             .kind = SKR_VICTIM_GROUP,
                             .priority = priority,
                             .surplus_of = -1,
                             .share = w->share[i],
                             .charge = w->charge[i]};
    return v;
}

static struct skr_victim *on(struct victims_world *w, struct skr_victim *v, int32_t leaf,
                             int32_t members, int64_t each)
{
    size_t i = (size_t)(v - w->victim);
    w->amount[i][v->n_shares][0] = members * each;
    w->share[i][v->n_shares] = (struct skr_victim_share){leaf, w->amount[i][v->n_shares]};
    v->n_shares++;
    v->members += members;
    return v;
}

static void charge(struct victims_world *w, const struct skr_victim *v, int32_t budget)
{
    struct skr_victim *mine = &w->victim[v - w->victim];
    w->budget[0] = budget;
    w->charge[v - w->victim][mine->n_charges++] = (struct skr_victim_charge){0, v->members};
}

/* "a b": these victims, by name; "": none, the group fits; "no": none, it does not fit. */
static void expect(struct victims_world *w, const char *want)
{
    char names[200] = "";
    skr_victims_destroy(w->got);
    w->got = NULL;
    assert_int_equal(skr_victims_find(&w->problem, &w->got, NULL), 0);
    for (size_t i = 0; i < w->got->n; i++) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i > 0 ? " " : "",
                 w->problem.victim[w->got->victim[i]].name);
    }
    if (w->got->status == SKR_VICTIMS_INSUFFICIENT) {
        snprintf(names, sizeof names, "no");
        assert_null(w->got->solution);
    } else {
        assert_int_equal(w->got->status, *want ? SKR_VICTIMS_FOUND : SKR_VICTIMS_NOT_NEEDED);
        assert_non_null(w->got->solution);
    }
    assert_string_equal(names, want);
}

TEST_WITH(victims_world, of_three_equal_nodes_the_lowest_priority_goes)
{
    tree(victims_world, "0,0,0", 4);
    on(victims_world, group(victims_world, "a", 3), 0, 4, 1);
    on(victims_world, group(victims_world, "b", 2), 1, 4, 1);
    on(victims_world, group(victims_world, "c", 1), 2, 4, 1);
    expect(victims_world, "c");
    assert_int_equal(victims_world->got->solution->count[2], 4);
}

TEST_WITH(victims_world, one_group_goes_rather_than_two_smaller_ones)
{
    tree(victims_world, "0,0", 10);
    victims_world->rig.rule[0].hard = true;
    on(victims_world, group(victims_world, "z", 1), 0, 10, 1);
    on(victims_world, group(victims_world, "a", 1), 1, 5, 1);
    on(victims_world, group(victims_world, "b", 1), 1, 5, 1);
    expect(victims_world, "z");
}

TEST_WITH(victims_world, of_as_many_groups_those_with_fewer_members_go)
{
    tree(victims_world, "0,0", 4);
    on(victims_world, group(victims_world, "a", 1), 0, 6, 1);
    on(victims_world, group(victims_world, "b", 1), 1, 5, 1);
    expect(victims_world, "b");
}

TEST_WITH(victims_world, of_equal_groups_the_one_that_leaves_a_better_placement_goes)
{
    tree(victims_world, "(2,0) (0,0)", 4);
    on(victims_world, group(victims_world, "a", 1), 2, 2, 1);
    on(victims_world, group(victims_world, "b", 1), 1, 2, 1);
    expect(victims_world, "b");
    assert_true(victims_world->got->optimal);
}

TEST_WITH(victims_world, of_equal_placements_the_first_name_goes)
{
    tree(victims_world, "0,0,0", 2);
    on(victims_world, group(victims_world, "c", 1), 0, 2, 1);
    on(victims_world, group(victims_world, "b", 1), 1, 2, 1);
    on(victims_world, group(victims_world, "a", 1), 2, 2, 1);
    expect(victims_world, "a");
}

TEST_WITH(victims_world, there_are_no_victims_where_there_is_room)
{
    tree(victims_world, "0,4", 4);
    on(victims_world, group(victims_world, "a", 1), 0, 4, 1);
    expect(victims_world, "");
}

TEST_WITH(victims_world, there_are_no_victims_in_vain)
{
    tree(victims_world, "0,0", 8);
    victims_world->rig.rule[0].hard = true;
    on(victims_world, group(victims_world, "a", 1), 0, 4, 1);
    on(victims_world, group(victims_world, "b", 1), 1, 4, 1);
    expect(victims_world, "no");
}

TEST_WITH(victims_world, an_equal_priority_is_no_candidate)
{
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", 100), 0, 4, 1);
    expect(victims_world, "no");
}

TEST_WITH(victims_world, priority_zero_has_no_victims_not_even_below_zero)
{
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", -5), 0, 4, 1);
    victims_world->problem.priority = 0;
    expect(victims_world, "no");
    victims_world->problem.priority = 1;
    expect(victims_world, "a");
}

TEST_WITH(victims_world, members_on_closed_nodes_are_no_victims)
{
    tree(victims_world, "0!,0", 2);
    on(victims_world, group(victims_world, "a", 1), 0, 4, 1);
    expect(victims_world, "no");
    on(victims_world, group(victims_world, "b", 2), 1, 4, 1);
    expect(victims_world, "b");
}

TEST_WITH(victims_world, two_halves_of_a_slot_are_found)
{
    tree(victims_world, "0,0", 1);
    victims_world->rig.demand[0] = 2;
    on(victims_world, group(victims_world, "a", 1), 0, 1, 1);
    on(victims_world, group(victims_world, "b", 1), 0, 1, 1);
    on(victims_world, group(victims_world, "c", 1), 1, 1, 1);
    expect(victims_world, "a b");
}

TEST_WITH(victims_world, surplus_members_go_before_a_whole_group)
{
    tree(victims_world, "0,0", 1);
    struct skr_victim *whole = group(victims_world, "a", 1);
    on(victims_world, whole, 0, 2, 1);
    on(victims_world, whole, 1, 2, 1);
    struct skr_victim *spare = on(victims_world, group(victims_world, "a-3", 1), 1, 1, 1);
    spare->kind = SKR_VICTIM_SURPLUS;
    spare->surplus_of = 0;
    expect(victims_world, "a-3");
    assert_int_equal(victims_world->got->groups, 0);
    victims_world->rig.problem.n = 2;
    expect(victims_world, "a");
}

TEST_WITH(victims_world, an_ordinary_pod_goes_before_any_group)
{
    tree(victims_world, "0,0", 1);
    on(victims_world, group(victims_world, "a", -10), 0, 1, 1);
    struct skr_victim *pod = on(victims_world, group(victims_world, "z", 1000), 1, 1, 1);
    pod->kind = SKR_VICTIM_POD;
    expect(victims_world, "z");
}

TEST_WITH(victims_world, what_exceeds_a_budget_of_disruptions_stays)
{
    tree(victims_world, "0,0", 2);
    charge(victims_world, on(victims_world, group(victims_world, "a", 1), 0, 2, 1), 1);
    on(victims_world, group(victims_world, "b", 2), 1, 2, 1);
    expect(victims_world, "b");
}

TEST_WITH(victims_world, two_groups_of_one_budget_do_not_go_together)
{
    tree(victims_world, "0,0,0", 4);
    charge(victims_world, on(victims_world, group(victims_world, "a", 1), 0, 2, 1), 3);
    charge(victims_world, on(victims_world, group(victims_world, "b", 1), 1, 2, 1), 3);
    expect(victims_world, "no");
    on(victims_world, group(victims_world, "c", 9), 2, 2, 1);
    expect(victims_world, "a c");
}

TEST_WITH(victims_world, members_that_are_placed_stay_and_count)
{
    tree(victims_world, "(3[2],0) (0,0)", 4);
    victims_world->rig.rule[0].hard = true;
    on(victims_world, group(victims_world, "a", 1), 2, 4, 1);
    on(victims_world, group(victims_world, "b", 5), 1, 4, 1);
    expect(victims_world, "b");
    assert_int_equal(victims_world->got->solution->count[0], 3);
}

TEST_WITH(victims_world, no_steps_are_a_timeout_without_victims)
{
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", 1), 0, 4, 1);
    victims_world->problem.step_budget = 0;
    assert_int_equal(skr_victims_find(&victims_world->problem, &victims_world->got, NULL), 0);
    assert_int_equal(victims_world->got->status, SKR_VICTIMS_TIMEOUT);
    assert_int_equal(victims_world->got->n, 0);
}

TEST_WITH(victims_world, a_cancelled_search_is_a_timeout)
{
    static const atomic_bool cancelled = true;
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", 1), 0, 4, 1);
    victims_world->rig.problem.cancel = &cancelled;
    assert_int_equal(skr_victims_find(&victims_world->problem, &victims_world->got, NULL), 0);
    assert_int_equal(victims_world->got->status, SKR_VICTIMS_TIMEOUT);
}

TEST_WITH(victims_world, a_victim_on_a_leaf_that_is_not_there_is_refused)
{
    struct skr_error error;
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", 1), 7, 4, 1);
    assert_int_equal(skr_victims_find(&victims_world->problem, &victims_world->got, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text, "victim a: leaf 7 of 1");
}

/* ---- a law of its cost ---- */

enum { RACKS = 200, NODES = 16, LEAVES = RACKS * NODES };

static struct {
    int32_t parent[1 + RACKS + LEAVES], child_first[1 + RACKS + LEAVES];
    int32_t child_count[1 + RACKS + LEAVES];
    int64_t free[LEAVES];
    struct skr_victim victim[RACKS];
    struct skr_victim_share share[LEAVES];
    char name[RACKS][16];
} wide;

/* Racks of 16 nodes, each held by one group. */
static struct skr_tree wide_tree(int32_t racks)
{
    static const int64_t eight = 8;
    struct skr_tree tree = {.n_levels = 2,
                            .level_first = {0, 1, 1 + racks, 1 + racks + racks * NODES},
                            .n_units = 1 + racks + racks * NODES,
                            .first_leaf = 1 + racks,
                            .n_leaves = racks * NODES,
                            .parent = wide.parent,
                            .child_first = wide.child_first,
                            .child_count = wide.child_count};
    wide.parent[0] = -1;
    wide.child_first[0] = 1;
    wide.child_count[0] = racks;
    for (int32_t r = 0; r < racks; r++) {
        wide.parent[1 + r] = 0;
        wide.child_first[1 + r] = 1 + racks + r * NODES;
        wide.child_count[1 + r] = NODES;
        snprintf(wide.name[r], sizeof wide.name[r], "g%03d", (int)r);
        wide.victim[r] = (struct skr_victim){.name = wide.name[r],
                                             .kind = SKR_VICTIM_GROUP,
                                             .priority = 1 + r % 5,
                                             .members = 8 * NODES,
                                             .surplus_of = -1,
                                             .n_shares = NODES,
                                             .share = &wide.share[r * NODES]};
        for (int32_t i = 0; i < NODES; i++) {
            wide.parent[1 + racks + r * NODES + i] = 1 + r;
            wide.child_count[1 + racks + r * NODES + i] = 0;
            wide.share[r * NODES + i] = (struct skr_victim_share){r * NODES + i, &eight};
        }
    }
    return tree;
}

TEST(the_work_grows_with_the_cluster_and_not_with_its_square)
{
    static const struct skr_rule rule[] = {{.hard = true}, {0}};
    static const int64_t one = 1;
    int64_t leaves[2], tests[2];
    for (int32_t i = 0; i < 2; i++) {
        struct skr_tree cluster = wide_tree(i == 0 ? RACKS / 4 : RACKS);
        struct skr_problem problem = {.tree = &cluster,
                                      .n = 8 * NODES,
                                      .rule = rule,
                                      .n_resources = 1,
                                      .demand = &one,
                                      .free = wide.free,
                                      .step_budget = -1};
        struct skr_victims_problem in = {.problem = &problem,
                                         .priority = 9,
                                         .n_victims = (size_t)cluster.child_count[0],
                                         .victim = wide.victim,
                                         .step_budget = -1};
        struct skr_victims *got;
        assert_int_equal(skr_victims_find(&in, &got, NULL), 0);
        assert_int_equal(got->status, SKR_VICTIMS_FOUND);
        assert_true(got->optimal);
        assert_int_equal(got->n, 1);
        assert_string_equal(wide.victim[got->victim[0]].name, "g000");
        leaves[i] = got->stats.leaves;
        tests[i] = got->stats.tests;
        skr_victims_destroy(got);
    }
    assert_true(leaves[1] <= 4 * leaves[0] + 1024);
    assert_true(tests[1] <= 4 * tests[0] + 64);
}

/* Devices are found one after the other: without both groups fewer members are served than without a alone. */
TEST_WITH(victims_world, a_part_of_the_victims_may_leave_more_room_than_all)
{
    static const size_t victim[] = {0, 1};
    static const int64_t room[] = {0, 1, 0, 0};
    const struct skr_victim_table table = {.n = 2, .victim = victim, .room = room};
    tree(victims_world, "0", 1);
    on(victims_world, group(victims_world, "a", 1), 0, 1, 1);
    on(victims_world, group(victims_world, "b", 1), 0, 1, 1);
    victims_world->problem.table = &table;
    victims_world->problem.n_tables = 1;
    expect(victims_world, "a");
    assert_int_equal(victims_world->got->groups, 1);
    victims_world->rig.problem.n = 2;
    expect(victims_world, "no");
}
