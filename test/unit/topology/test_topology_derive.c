/* SPDX-License-Identifier: Apache-2.0 */
/* Trees from node labels. */
#include "test/test.h"
#include "topology/topology_map.h"

enum { NODES_MAX = 8 };

struct named {
    const char *node;
    const char *rack; /* NULL: no label */
};

static struct skr_label_findings findings; /* of the last derive() */

static struct skr_tree *derive(const struct named *named, size_t n)
{
    static struct skr_label label[NODES_MAX];
    static struct skr_node node[NODES_MAX];
    const struct skr_node *nodes[NODES_MAX];
    const struct skr_label_source source = {.levels = NULL};
    struct skr_tree *tree = NULL;
    for (size_t i = 0; i < n; i++) {
        label[i] = (struct skr_label){SKR_RACK_LABEL, named[i].rack};
        node[i] = (struct skr_node){.meta = {.name = named[i].node}};
        node[i].meta.labels = (struct skr_labels){named[i].rack ? 1 : 0, &label[i]};
        nodes[i] = &node[i];
    }
    assert_int_equal(skr_topology_derive(nodes, n, &source, &tree, &findings, NULL), 0);
    return tree;
}

static void assert_units(const struct skr_tree *tree, const char *const *names, int32_t n)
{
    assert_int_equal(tree->n_units, n + 1);
    for (int32_t i = 0; i < n; i++) {
        assert_string_equal(tree->unit_name[i + 1], names[i]);
    }
}

TEST(labels_on_every_node_make_racks)
{
    static const struct named nodes[] = {{"n9", "r2"}, {"n10", "r2"}, {"n3", "r1"}, {"N1", "r10"}};
    static const char *const expected[] = {"r1", "r10", "r2", "n3", "N1", "n10", "n9"};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(nodes, 4);
    assert_int_equal(tree->n_levels, 2);
    assert_string_equal(tree->level_name[1], "rack");
    assert_string_equal(tree->level_name[2], "node");
    assert_string_equal(tree->name, "default-tree");
    assert_int_equal(tree->n_resource_names, 2);
    assert_string_equal(tree->resource_name[0], "cpu");
    assert_string_equal(tree->resource_name[1], "memory");
    assert_units(tree, expected, 7);
}

TEST(nodes_without_the_label_are_left_out)
{
    static const struct named missing[] = {{"b", "r"}, {"a", NULL}, {"c", "r"}};
    static const struct named empty[] = {{"b", "r"}, {"a", ""}, {"c", "r"}};
    static const struct named blank[] = {{"b", "r"}, {"a", " "}, {"c", "r"}};
    static const struct named *const rows[] = {missing, empty, blank};
    static const char *const expected[] = {"r", "b", "c"};
    for (size_t i = 0; i < 3; i++) {
        SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(rows[i], 3);
        assert_int_equal(tree->n_levels, 2);
        assert_units(tree, expected, 3);
        assert_int_equal(skr_tree_find_leaf(tree, "a"), -1);
        assert_int_equal(findings.n_left_out, 1);
        assert_int_equal(findings.n_missing[0], 1);
        assert_string_equal(findings.first_missing[0], "a");
    }
}

TEST(the_warning_has_number_label_level_and_first_name)
{
    static const struct named nodes[] = {{"n9", NULL}, {"n1", "r"}, {"n10", NULL}};
    SKR_STRBUF(text);
    skr_tree_unref(derive(nodes, 3));
    skr_label_level_say_missing(&findings.levels.level[0], findings.n_missing[0],
                                findings.first_missing[0], &text);
    assert_string_equal(
        text.s, "2 nodes are left out: no label sakkara.topology.rack (level rack), first n10");
    skr_strbuf_reset(&text);
    skr_label_level_say_missing(&findings.levels.level[0], 1, "n1", &text);
    assert_string_equal(
        text.s, "1 node is left out: no label sakkara.topology.rack (level rack), first n1");
}

TEST(without_any_label_it_is_flat)
{
    static const struct named nodes[] = {{"b", NULL}, {"a", ""}, {"c", NULL}};
    static const char *const expected[] = {"a", "b", "c"};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(nodes, 3);
    assert_int_equal(tree->n_levels, 1);
    assert_string_equal(tree->level_name[1], "node");
    assert_units(tree, expected, 3);
    assert_int_equal(findings.n_left_out, 0);
    assert_string_equal(findings.first_missing[0], "");
}

TEST(a_cluster_without_nodes_has_an_empty_flat_tree)
{
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(NULL, 0);
    assert_int_equal(tree->n_levels, 1);
    assert_int_equal(tree->n_leaves, 0);
    assert_string_equal(tree->level_name[1], "node");
}

/* The engine derives again when nodes change and compares. */
TEST(the_tree_depends_on_the_nodes_and_not_on_their_order)
{
    static const struct named one[] = {{"a", "r"}, {"b", "q"}, {"c", "r"}};
    static const struct named other[] = {{"c", "r"}, {"a", "r"}, {"b", "q"}};
    static const struct named moved[] = {{"c", "q"}, {"a", "r"}, {"b", "q"}};
    static const struct named added[] = {{"a", "r"}, {"b", "q"}, {"c", "r"}, {"d", "r"}};
    SKR_AUTO(skr_tree_unref) struct skr_tree *tree = derive(one, 3);
    struct skr_tree *same = derive(other, 3);
    assert_true(skr_tree_equal(tree, same));
    skr_tree_unref(same);
    same = derive(moved, 3);
    assert_false(skr_tree_equal(tree, same));
    skr_tree_unref(same);
    same = derive(added, 4);
    assert_false(skr_tree_equal(tree, same));
    assert_int_equal(skr_tree_find_leaf(same, "d"), 3);
    skr_tree_unref(same);
}
