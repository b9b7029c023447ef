/* SPDX-License-Identifier: Apache-2.0 */
/* Who goes where and with which rank in groups of several roles. */
#include "core/gang/group/assign.h"
#include "test/test.h"
#include "topology/base/error.h"
#include "topology/base/strbuf.h"

enum { SEATS_MAX = 48 };

static struct skr_tree *make_tree(int racks, int nodes)
{
    static const char *const levels[] = {"rack", "node"};
    struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    char name[48];
    for (int rack = 0, node = 0; rack < racks; rack++) {
        snprintf(name, sizeof name, "rack-%d", rack);
        assert_int_equal(skr_tree_builder_add(b, 1, name, NULL), 0);
        for (int i = 0; i < nodes; i++) {
            snprintf(name, sizeof name, "n%d", node++);
            assert_int_equal(skr_tree_builder_add(b, 2, name, NULL), 0);
        }
    }
    assert_int_equal(skr_tree_builder_finish(b, levels, 2, NULL, 0, &tree, NULL, NULL), 0);
    return tree;
}

static struct skr_seat newcomer(const char *name, uint8_t role, int32_t set)
{
    return (struct skr_seat){
        .name = name, .index = -1, .leaf = -1, .rank = -1, .role = role, .set = set};
}

static struct skr_seat running(const struct skr_tree *tree, const char *name, uint8_t role,
                               int32_t set, const char *node, int32_t rank)
{
    struct skr_seat s = newcomer(name, role, set);
    s.node = node;
    s.leaf = skr_tree_find_leaf(tree, node);
    s.rank = rank;
    s.claimed = true;
    return s;
}

/* "0:a@n0 1:b@n1", in rank order. */
static void assert_dealt(const struct skr_tree *tree, const struct skr_rank_layout *layout,
                         const struct skr_role_counts *counts, struct skr_seat *seat, size_t n,
                         const char *expected)
{
    struct skr_error error = {.text = ""};
    SKR_STRBUF(b);
    if (skr_assign(tree, layout, counts, seat, n, &error) < 0) {
        fail_msg("%s", error.text);
    }
    for (int32_t rank = 0; rank < SEATS_MAX; rank++) {
        for (size_t i = 0; i < n; i++) {
            if (seat[i].rank == rank) {
                skr_strbuf_addf(&b, "%s%d:%s@%s", b.len > 0 ? " " : "", (int)rank, seat[i].name,
                                seat[i].node);
            }
        }
    }
    assert_string_equal(b.s, expected);
}

static const struct skr_rank_layout leader_and_workers = {
    .n_roles = 2, .role = {{.size = 1, .kind = -1}, {.size = 4, .kind = -1}}};

TEST(roles_come_in_role_order_and_workers_near_the_leader_first)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t leader[] = {0, 0, 1, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 3, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {newcomer("w-3", 1, 0), newcomer("w-0", 1, 0), newcomer("l", 0, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 0)};
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l@n2 1:w-0@n2 2:w-1@n2 3:w-2@n3 4:w-3@n0");
}

TEST(a_lost_leader_gets_its_rank_back_and_workers_keep_theirs)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t leader[] = {0, 1, 0, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 1, 2, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        newcomer("l-new", 0, 0),
        running(tree, "w-0", 1, 0, "n2", 1),
        running(tree, "w-1", 1, 0, "n2", 2),
        newcomer("w-new", 1, 0),
        running(tree, "w-3", 1, 0, "n0", 4),
    };
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l-new@n1 1:w-0@n2 2:w-1@n2 3:w-new@n3 4:w-3@n0");
}

TEST(a_worker_does_not_take_the_rank_of_a_lost_leader)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t leader[] = {0, 0, 0, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 2, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        running(tree, "w-0", 1, 0, "n2", 1),
        running(tree, "w-1", 1, 0, "n2", 2),
        newcomer("w-new", 1, 0),
        running(tree, "w-3", 1, 0, "n0", 4),
    };
    assert_dealt(tree, &leader_and_workers, &counts, seat, 4,
                 "1:w-0@n2 2:w-1@n2 3:w-new@n3 4:w-3@n0");
}

static const struct skr_rank_layout two_sets = {
    .n_roles = 2,
    .role = {{.size = 2, .kind = 0, .each = 1}, {.size = 4, .kind = 0, .each = 2}},
    .n_kinds = 1,
    .kind = {{.level = 1, .sets = 2}}};

TEST(sets_go_to_units_and_ranks_go_set_by_set)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(3, 2);
    const int32_t leader[] = {0, 0, 0, 1, 1, 0}, worker[] = {0, 0, 1, 1, 0, 2},
                  total[] = {0, 0, 1, 2, 1, 2};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {newcomer("l-0", 0, 0), newcomer("l-1", 0, 1), newcomer("w-0", 1, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 1), newcomer("w-3", 1, 1)};
    assert_dealt(tree, &two_sets, &counts, seat, 6,
                 "0:l-0@n3 1:w-0@n2 2:w-1@n3 3:l-1@n4 4:w-2@n5 5:w-3@n5");
}

TEST(a_lost_member_of_a_set_is_replaced_in_its_unit)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(3, 2);
    const int32_t leader[] = {0, 0, 0, 1, 1, 0}, worker[] = {0, 0, 1, 1, 0, 2},
                  total[] = {0, 0, 1, 2, 1, 2};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat seat[] = {
        running(tree, "l-0", 0, 0, "n3", 0), newcomer("w-0b", 1, 0),
        running(tree, "w-1", 1, 0, "n2", 2), running(tree, "l-1", 0, 1, "n4", 3),
        running(tree, "w-2", 1, 1, "n5", 4), newcomer("w-3b", 1, 1),
    };
    assert_dealt(tree, &two_sets, &counts, seat, 6,
                 "0:l-0@n3 1:w-0b@n3 2:w-1@n2 3:l-1@n4 4:w-2@n5 5:w-3b@n5");
}

TEST(a_member_named_master_is_first_whatever_its_role)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t a[] = {1, 1, 0, 0}, b[] = {0, 0, 1, 1}, total[] = {1, 1, 1, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {a, b}};
    const struct skr_rank_layout layout = {
        .n_roles = 2, .role = {{.size = 2, .kind = -1}, {.size = 2, .kind = -1}}};
    struct skr_seat seat[] = {newcomer("a-0", 0, 0), newcomer("a-1", 0, 0), newcomer("b-0", 1, 0),
                              newcomer("b-master", 1, 0)};
    assert_dealt(tree, &layout, &counts, seat, 4, "0:b-master@n2 1:a-0@n0 2:a-1@n1 3:b-0@n3");
}

TEST(a_total_is_split_in_rank_order)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t total[] = {0, 2, 0, 3};
    const struct skr_role_counts counts = {.total = total};
    struct skr_seat seat[] = {newcomer("w-3", 1, 0), newcomer("w-0", 1, 0), newcomer("l", 0, 0),
                              newcomer("w-1", 1, 0), newcomer("w-2", 1, 0)};
    assert_dealt(tree, &leader_and_workers, &counts, seat, 5,
                 "0:l@n1 1:w-0@n1 2:w-1@n3 3:w-2@n3 4:w-3@n3");
}

TEST(a_pinned_member_stays_and_the_others_fill_the_rest)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t total[] = {1, 1, 1, 0};
    const struct skr_role_counts counts = {.total = total};
    const struct skr_rank_layout layout = {.n_roles = 1, .role = {{.size = 3, .kind = -1}}};
    struct skr_seat seat[] = {newcomer("p-0", 0, 0), newcomer("p-1", 0, 0), newcomer("p-2", 0, 0)};
    seat[0].pinned = true;
    seat[0].leaf = 2;
    assert_dealt(tree, &layout, &counts, seat, 3, "0:p-0@n2 1:p-1@n0 2:p-2@n1");
}

TEST(adopted_workers_are_ranked_by_their_distance_from_the_leader)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    const int32_t leader[] = {0, 0, 1, 0}, worker[] = {1, 0, 2, 1}, total[] = {1, 0, 3, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {leader, worker}};
    struct skr_seat none[] = {
        running(tree, "l", 0, 0, "n2", -1),
        running(tree, "w-0", 1, 0, "n0", -1),
        running(tree, "w-1", 1, 0, "n3", -1),
        running(tree, "w-2", 1, 0, "n2", -1),
        newcomer("w-3", 1, 0),
    };
    assert_dealt(tree, &leader_and_workers, &counts, none, 5,
                 "0:l@n2 1:w-2@n2 2:w-1@n3 3:w-0@n0 4:w-3@n2");
    struct skr_seat some[] = {
        running(tree, "l", 0, 0, "n2", 0),
        running(tree, "w-0", 1, 0, "n0", -1),
        running(tree, "w-1", 1, 0, "n3", 2),
        running(tree, "w-2", 1, 0, "n2", 2),
        newcomer("w-3", 1, 0),
    };
    assert_dealt(tree, &leader_and_workers, &counts, some, 5,
                 "0:l@n2 1:w-3@n2 2:w-1@n3 3:w-2@n2 4:w-0@n0");
}

/* The leader and two workers have ended: the layout has room for the last worker alone. */
TEST(an_index_of_a_role_keeps_its_rank_when_other_roles_have_ended)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = make_tree(2, 2);
    struct skr_rank_layout layout = {.n_roles = 2,
                                     .role = {{.size = 1, .kind = -1}, {.size = 1, .kind = -1}}};
    int32_t other[6] = {1}, worker[6] = {0, 0, 1};
    const int32_t total[6] = {1, 0, 1};
    const struct skr_role_counts counts = {.total = total, .of_role = {other, worker}};
    struct skr_seat seat[] = {newcomer("w", 1, -1), newcomer("l", 0, -1), newcomer("gone", 1, -1)};
    seat[0].index = 3;
    seat[0].counted = true;
    seat[1].index = 0;
    seat[2].index = 1;
    seat[2].rank = 2;
    seat[2].gone = true;
    assert_int_equal(skr_assign(tree, &layout, &counts, seat, 3, NULL), 0);
    assert_int_equal(seat[0].rank, 4);
    assert_int_equal(seat[1].rank, 0);
}
