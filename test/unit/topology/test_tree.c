/* SPDX-License-Identifier: Apache-2.0 */
/* Building trees and reading them. */
#include "test/test.h"
#include "topology/tree.h"

struct unit {
    int32_t depth;
    const char *name;
};

static const char *const level_names[] = {"l1", "l2",  "l3",  "l4",  "l5",  "l6",  "l7",  "l8",
                                          "l9", "l10", "l11", "l12", "l13", "l14", "l15", "l16"};
static const char *const resources[] = {"cpu", "memory"};

static struct skr_tree_builder *builder_of(const struct unit *unit, size_t n)
{
    struct skr_tree_builder *b = skr_tree_builder_create("test");
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(skr_tree_builder_add(b, unit[i].depth, unit[i].name, NULL), 0);
    }
    return b;
}

static struct skr_tree *tree_of(const struct unit *unit, size_t n, size_t *n_uneven)
{
    struct skr_tree_builder *b = builder_of(unit, n);
    struct skr_tree *tree = NULL;
    struct skr_error error = {.code = SKR_OK};
    int32_t depth = skr_tree_builder_depth(b);
    int rc = skr_tree_builder_finish(b, level_names, depth > 0 ? (size_t)depth : 1, resources, 2,
                                     &tree, n_uneven, &error);
    skr_tree_builder_destroy(b);
    if (rc != 0) {
        fail_msg("%s", error.text);
    }
    return tree;
}

/* Every invariant that the header states. */
static void check_invariants(const struct skr_tree *tree)
{
    assert_int_equal(tree->level_first[0], 0);
    assert_int_equal(tree->level_first[1], 1);
    assert_int_equal(tree->level_first[tree->n_levels + 1], tree->n_units);
    assert_int_equal(tree->first_leaf, tree->level_first[tree->n_levels]);
    assert_int_equal(tree->first_leaf + tree->n_leaves, tree->n_units);
    assert_int_equal(tree->parent[0], -1);
    int32_t next_child = 1;
    for (int32_t u = 0; u < tree->n_units; u++) {
        int32_t level = skr_tree_level_of(tree, u);
        assert_in_range(u, tree->level_first[level], tree->level_first[level + 1] - 1);
        if (level == tree->n_levels) {
            int32_t above = u;
            for (int32_t l = level; l >= 0; l--, above = tree->parent[above]) {
                assert_int_equal(skr_tree_unit_at(tree, u - tree->first_leaf, l), above);
            }
            assert_int_equal(tree->child_count[u], 0);
            assert_int_equal(skr_tree_find_leaf(tree, tree->unit_name[u]), u - tree->first_leaf);
            continue;
        }
        if (tree->n_leaves > 0) {
            assert_true(tree->child_count[u] > 0);
            assert_int_equal(tree->child_first[u], next_child);
        }
        for (int32_t i = 0; i < tree->child_count[u]; i++) {
            assert_int_equal(tree->parent[next_child + i], u);
        }
        next_child += tree->child_count[u];
    }
    assert_int_equal(next_child, tree->n_units);
}

static const struct unit two_racks[] = {{1, "rack-0"}, {2, "node-0"}, {2, "node-1"},
                                        {1, "rack-1"}, {2, "node-2"}, {2, "node-3"}};

TEST(units_are_numbered_level_by_level)
{
    static const char *const expected[] = {"root",   "rack-0", "rack-1", "node-0",
                                           "node-1", "node-2", "node-3"};
    size_t n_uneven = 9;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(two_racks, 6, &n_uneven);
    check_invariants(tree);
    assert_int_equal(n_uneven, 0);
    assert_int_equal(tree->n_levels, 2);
    assert_int_equal(tree->n_units, 7);
    assert_int_equal(tree->n_leaves, 4);
    for (int32_t u = 0; u < 7; u++) {
        assert_string_equal(tree->unit_name[u], expected[u]);
    }
    assert_string_equal(tree->name, "test");
    assert_string_equal(tree->level_name[0], "root");
    assert_string_equal(tree->level_name[2], "l2");
    assert_string_equal(tree->resource_name[1], "memory");
    skr_tree_unref(NULL);
}

TEST(names_and_levels_are_found)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(two_racks, 6, NULL);
    assert_int_equal(skr_tree_find_leaf(tree, "node-2"), 2);
    assert_int_equal(skr_tree_find_leaf(tree, "rack-0"), -1);
    assert_int_equal(skr_tree_find_leaf(tree, "root"), -1);
    assert_int_equal(skr_tree_find_leaf(tree, ""), -1);
    assert_int_equal(skr_tree_find_level(tree, "l1"), 1);
    assert_int_equal(skr_tree_find_level(tree, "l2"), 2);
    assert_int_equal(skr_tree_find_level(tree, "root"), -1);
    assert_int_equal(skr_tree_find_level(tree, "l3"), -1);
}

TEST(distance_counts_edges_between_pods)
{
    static const struct unit units[] = {{1, "a"},  {2, "x"}, {3, "n0"}, {3, "n1"}, {2, "y"},
                                        {3, "n2"}, {1, "b"}, {2, "x"},  {3, "n3"}};
    static const int32_t expected[4][4] = {{2, 4, 6, 8}, {4, 2, 6, 8}, {6, 6, 2, 8}, {8, 8, 8, 2}};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(units, 9, NULL);
    for (int32_t a = 0; a < 4; a++) {
        for (int32_t b = 0; b < 4; b++) {
            assert_int_equal(skr_tree_distance(tree, a, b), expected[a][b]);
        }
    }
}

/* Identity is the path. */
TEST(equal_names_in_different_branches_stay_apart)
{
    static const struct unit units[] = {{1, "zone-a"}, {2, "rack-0"}, {3, "n0"},
                                        {1, "zone-b"}, {2, "rack-0"}, {3, "n1"}};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(units, 6, NULL);
    check_invariants(tree);
    assert_int_equal(tree->n_units, 7);
    assert_int_equal(skr_tree_distance(tree, 0, 1), 8);
}

TEST(a_unit_and_a_node_may_share_a_name)
{
    static const struct unit units[] = {{1, "a"}, {2, "b"}, {1, "b"}, {2, "a"}};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(units, 4, NULL);
    check_invariants(tree);
    assert_int_equal(skr_tree_find_leaf(tree, "a"), 1);
    assert_int_equal(skr_tree_find_leaf(tree, "b"), 0);
}

TEST(leaves_above_the_deepest_level_are_left_out)
{
    static const struct unit units[] = {{1, "early"}, {1, "z"},     {2, "shallow"},  {2, "r"},
                                        {3, "n0"},    {1, "empty"}, {2, "too-high"}, {1, "y"},
                                        {2, "q"},     {3, "n1"}};
    char path[64];
    size_t n_uneven = 0;
    struct skr_tree *tree = tree_of(units, 10, &n_uneven);
    check_invariants(tree);
    assert_int_equal(n_uneven, 3);
    assert_int_equal(tree->n_leaves, 2);
    assert_int_equal(tree->n_units, 7);
    assert_int_equal(skr_tree_find_leaf(tree, "early"), -1);
    assert_int_equal(skr_tree_find_leaf(tree, "shallow"), -1);
    assert_string_equal(tree->unit_name[1], "z");
    assert_string_equal(tree->unit_name[2], "y");
    skr_tree_unref(tree);

    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = builder_of(units, 10);
    static const char *const expected[] = {"early", "z/shallow", "empty/too-high"};
    for (size_t i = 0; i < 3; i++) {
        assert_true(skr_tree_builder_uneven(b, i, path, sizeof path, NULL));
        assert_string_equal(path, expected[i]);
    }
    assert_false(skr_tree_builder_uneven(b, 3, path, sizeof path, NULL));
    assert_true(skr_tree_builder_uneven(b, 2, path, 9, NULL));
    assert_string_equal(path, "empty/to");
}

TEST(one_node_with_two_leaves_is_refused)
{
    static const struct unit units[] = {{1, "r0"}, {2, "n0"}, {2, "n1"}, {1, "r1"}, {2, "n0"}};
    static const struct unit uneven[] = {{1, "n0"}, {1, "r1"}, {2, "n0"}};
    struct skr_tree_duplicate twice;
    struct skr_error error;
    struct skr_tree *tree = NULL;
    struct skr_tree_builder *b = builder_of(units, 5);
    assert_false(skr_tree_builder_duplicate(b, 0, &twice));
    assert_int_equal(skr_tree_builder_finish(b, level_names, 2, resources, 2, &tree, NULL, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text, "node \"n0\" twice");
    assert_true(skr_tree_builder_duplicate(b, 0, &twice));
    assert_string_equal(twice.name, "n0");
    assert_int_equal(twice.first, 1);
    assert_int_equal(twice.second, 4);
    skr_tree_builder_destroy(b);

    b = builder_of(uneven, 3);
    assert_int_equal(skr_tree_builder_finish(b, level_names, 2, resources, 2, &tree, NULL, &error),
                     -SKR_INVALID);
    assert_true(skr_tree_builder_duplicate(b, 0, &twice));
    assert_null(tree);
    skr_tree_builder_destroy(b);
}

TEST(level_names_must_match_the_depth)
{
    struct skr_error error;
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = NULL;
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = builder_of(two_racks, 6);
    assert_int_equal(skr_tree_builder_finish(b, level_names, 3, resources, 2, &tree, NULL, &error),
                     -SKR_INVALID);
    assert_string_equal(error.text, "3 level names for a tree of depth 2");
    assert_int_equal(skr_tree_builder_finish(b, level_names, 0, resources, 2, &tree, NULL, &error),
                     -SKR_INVALID);
    assert_int_equal(skr_tree_builder_finish(b, level_names, 17, resources, 2, &tree, NULL, &error),
                     -SKR_INVALID);
    /* a builder can be finished again */
    assert_int_equal(skr_tree_builder_finish(b, level_names, 2, resources, 0, &tree, NULL, &error),
                     0);
    assert_int_equal(tree->n_resource_names, 0);
}

TEST(a_tree_without_leaves_is_a_root)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(NULL, 0, NULL);
    check_invariants(tree);
    assert_int_equal(tree->n_units, 1);
    assert_int_equal(tree->n_leaves, 0);
    assert_int_equal(tree->n_levels, 1);
    assert_int_equal(tree->child_count[0], 0);
    assert_int_equal(skr_tree_find_leaf(tree, "x"), -1);
}

TEST(names_and_depths_are_checked)
{
    static const struct {
        int32_t depth;
        const char *name;
        int rc;
        const char *text;
    } rows[] = {
        {1, "", -SKR_INVALID, "unit: name is empty"},
        {1, " \t", -SKR_INVALID, "unit: name is blank"},
        {0, "x", -SKR_BUG, "unit \"x\": depth 0 after 0"},
        {2, "x", -SKR_BUG, "unit \"x\": depth 2 after 0"},
        {17, "x", -SKR_LIMIT, "unit \"x\": tree deeper than 16 levels"},
    };
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = skr_tree_builder_create("t");
    char name[300];
    struct skr_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(skr_tree_builder_add(b, rows[i].depth, rows[i].name, &error), rows[i].rc);
        assert_string_equal(error.text, rows[i].text);
    }
    memset(name, 'n', sizeof name);
    name[254] = '\0';
    assert_int_equal(skr_tree_builder_add(b, 1, name, &error), -SKR_LIMIT);
    assert_string_equal(error.text, "unit \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\": name of 254 "
                                    "bytes, limit 253");
    name[253] = '\0';
    assert_int_equal(skr_tree_builder_add(b, 1, name, &error), 0);
    for (int32_t depth = 2; depth <= SKR_LEVELS_MAX; depth++) {
        assert_int_equal(skr_tree_builder_add(b, depth, "x", &error), 0);
    }
    skr_tree_builder_destroy(NULL);
}

TEST(a_tree_lives_as_long_as_its_last_owner)
{
    struct skr_tree *tree = tree_of(two_racks, 6, NULL);
    SKR_AUTO(skr_tree_unref) struct skr_tree *again = skr_tree_ref(tree);
    assert_ptr_equal(tree, again);
    skr_tree_unref(tree);
    assert_string_equal(again->unit_name[6], "node-3");
}

TEST(only_equal_trees_are_equal)
{
    static const struct unit variants[][6] = {
        {{1, "rack-0"}, {2, "node-0"}, {2, "node-1"}, {1, "rack-1"}, {2, "node-2"}, {2, "node-3"}},
        {{1, "rack-0"}, {2, "node-0"}, {1, "rack-1"}, {2, "node-1"}, {2, "node-2"}, {2, "node-3"}},
        {{1, "rack-0"}, {2, "node-1"}, {2, "node-0"}, {1, "rack-1"}, {2, "node-2"}, {2, "node-3"}},
        {{1, "rack-1"}, {2, "node-0"}, {2, "node-1"}, {1, "rack-0"}, {2, "node-2"}, {2, "node-3"}},
        {{1, "rack-0"}, {2, "node-0"}, {2, "node-1"}, {2, "node-4"}, {2, "node-2"}, {2, "node-3"}},
    };
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(two_racks, 6, NULL);
    for (size_t i = 0; i < 5; i++) {
        SKR_AUTO(skr_tree_unref) struct skr_tree *other = tree_of(variants[i], 6, NULL);
        assert_int_equal(skr_tree_equal(tree, other), i == 0);
        assert_int_equal(skr_tree_equal(other, tree), i == 0);
    }
    static const char *const other_levels[] = {"l1", "host"};
    SKR_AUTO(skr_tree_builder_destroy) struct skr_tree_builder *b = builder_of(two_racks, 6);
    struct skr_tree *other = NULL;
    assert_int_equal(skr_tree_builder_finish(b, other_levels, 2, resources, 2, &other, NULL, NULL),
                     0);
    assert_false(skr_tree_equal(tree, other));
    skr_tree_unref(other);
    assert_int_equal(skr_tree_builder_finish(b, level_names, 2, resources, 1, &other, NULL, NULL),
                     0);
    assert_false(skr_tree_equal(tree, other));
    skr_tree_unref(other);
}

TEST(random_trees_keep_the_invariants)
{
    uint32_t seed = 5;
    for (int round = 0; round < 300; round++) {
        static struct unit unit[200];
        static char name[200][24];
        size_t n = 0;
        int32_t depth = 0;
        size_t at_depth[8] = {0};
        seed = seed * 1664525U + 1013904223U;
        for (size_t want = (seed >> 16) % 200; n < want; n++) {
            seed = seed * 1664525U + 1013904223U;
            depth = 1 + (int32_t)((seed >> 16) % (uint32_t)(depth < 5 ? depth + 1 : 5));
            (void)snprintf(name[n], sizeof name[n], "u%zu", n);
            unit[n] = (struct unit){depth, name[n]};
            at_depth[depth]++;
        }
        size_t n_uneven = 0;
        SKR_AUTO(skr_tree_unref) struct skr_tree *tree = tree_of(unit, n, &n_uneven);
        check_invariants(tree);
        int32_t deepest = 5;
        while (deepest > 0 && at_depth[deepest] == 0) {
            deepest--;
        }
        assert_int_equal(tree->n_leaves, deepest > 0 ? at_depth[deepest] : 0);
    }
}
