/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures and progress bars, drawn from numbers. */
#include "server/lab/report/picture.h"
#include "server/lab/report/progress.h"
#include "test/test.h"

/* depth 2 unless deep: racks of nodes, numbered through. */
static struct skr_tree *make_tree(int32_t racks, int32_t nodes, bool deep)
{
    static const char *const levels[] = {"zone", "rack", "node"};
    struct skr_tree_builder *b = skr_tree_builder_create("t");
    struct skr_tree *tree = NULL;
    int32_t top = deep ? 2 : 1;
    if (deep) {
        skr_tree_builder_add(b, 1, "zone-a", NULL);
    }
    for (int32_t r = 0; r < racks; r++) {
        skr_tree_builder_add(b, top, test_text("rack-%d", r), NULL);
        for (int32_t i = 0; i < nodes; i++) {
            skr_tree_builder_add(b, top + 1, test_text("node-%d", r * nodes + i), NULL);
        }
    }
    assert_int_equal(skr_tree_builder_finish(b, deep ? levels : levels + 1, deep ? 3 : 2, NULL, 0,
                                             &tree, NULL, NULL),
                     0);
    skr_tree_builder_destroy(b);
    return tree;
}

static void assert_drawn(const struct skr_tree *tree, const struct skr_picture_leaf *leaf,
                         bool ascii, const char *expected)
{
    struct skr_strbuf out;
    const struct skr_picture picture = {.tree = tree, .leaf = leaf, .ascii = ascii};
    skr_strbuf_init(&out);
    skr_picture_draw(&picture, &out);
    assert_string_equal(out.s, expected);
    skr_strbuf_fini(&out);
}

TEST(before_and_after_stand_side_by_side)
{
    struct skr_tree *tree = make_tree(2, 2, false);
    const struct skr_picture_leaf leaf[] = {
        {.slots = 5, .free = 5, .placed = 4},
        {.slots = 5, .free = 1},
        {.slots = 5, .free = 3, .unusable = true},
        {.slots = 0, .unusable = true},
    };
    assert_drawn(tree, leaf, false,
                 "            BEFORE            AFTER\n"
                 "rack-0\n"
                 "  node-0    ░░░░░             ▒▒▒▒░   +4\n"
                 "  node-1    ████░             ████░\n"
                 "rack-1\n"
                 "  node-2    ██···             ██···\n"
                 "  node-3\n");
    assert_drawn(tree, leaf, true,
                 "            BEFORE            AFTER\n"
                 "rack-0\n"
                 "  node-0    .....             %%%%.   +4\n"
                 "  node-1    ####.             ####.\n"
                 "rack-1\n"
                 "  node-2    ##:::             ##:::\n"
                 "  node-3\n");
    skr_tree_unref(tree);
}

TEST(victims_are_crosses_before)
{
    struct skr_tree *tree = make_tree(1, 1, false);
    const struct skr_picture_leaf leaf[] = {{.slots = 4, .free = 1, .victims = 2, .placed = 3}};
    assert_drawn(tree, leaf, true,
                 "            BEFORE            AFTER\n"
                 "rack-0\n"
                 "  node-0    #xx.              #%%%   +3\n");
    skr_tree_unref(tree);
}

TEST(members_of_roles_are_letters_that_take_the_slots_they_cost)
{
    struct skr_tree *tree = make_tree(1, 3, false);
    const struct skr_picture_leaf leaf[] = {
        {.slots = 4, .free = 4, .placed = 3}, {.slots = 3, .free = 2, .placed = 2}, {.placed = 1}};
    int32_t leaders[] = {2, 0, 1}, workers[] = {2, 2, 0};
    const struct skr_picture_role roles[] = {{'L', "leader", leaders}, {'w', "worker", workers}};
    const struct skr_picture picture = {
        .tree = tree, .leaf = leaf, .role = roles, .n_roles = 2, .ascii = true};
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_picture_draw(&picture, &out);
    skr_picture_role_legend(&picture, &out);
    assert_string_equal(out.s, "            BEFORE            AFTER\n"
                               "rack-0\n"
                               "  node-0    ....              LLww   +3\n"
                               "  node-1    #..               #ww   +2\n"
                               "  node-2    .                 L   +1\n"
                               "L leader   w worker\n");
    skr_strbuf_fini(&out);
    skr_tree_unref(tree);
}

TEST(deeper_trees_are_indented)
{
    struct skr_tree *tree = make_tree(1, 1, true);
    const struct skr_picture_leaf leaf[] = {{.slots = 2, .free = 2, .placed = 1}};
    assert_drawn(tree, leaf, true,
                 "              BEFORE            AFTER\n"
                 "zone-a\n"
                 "  rack-0\n"
                 "    node-0    ..                %.   +1\n");
    skr_tree_unref(tree);
}

TEST(many_slots_share_a_cell_and_no_share_is_lost)
{
    struct skr_tree *tree = make_tree(1, 2, false);
    const struct skr_picture_leaf leaf[] = {{.slots = 110, .free = 109, .placed = 1},
                                            {.slots = 55, .free = 0}};
    const struct skr_picture picture = {.tree = tree, .leaf = leaf, .ascii = true};
    assert_int_equal(skr_picture_scale(&picture), 5);
    assert_drawn(tree, leaf, true,
                 "            BEFORE                    AFTER\n"
                 "rack-0\n"
                 "  node-0    #.....................    #%....................   +1\n"
                 "  node-1    ###########               ###########\n");
    skr_tree_unref(tree);
}

TEST(of_large_trees_only_what_changed_is_drawn)
{
    struct skr_tree *tree = make_tree(20, 10, false);
    struct skr_picture_leaf *leaf = calloc(200, sizeof *leaf);
    assert_non_null(leaf);
    for (int i = 0; i < 200; i++) {
        leaf[i] = (struct skr_picture_leaf){.slots = 2, .free = 2};
    }
    leaf[155].placed = 2;
    assert_drawn(tree, leaf, true,
                 "              BEFORE            AFTER\n"
                 "rack-15\n"
                 "  node-155    ..                %%   +2\n"
                 "and 199 nodes without a change\n");
    free(leaf);
    skr_tree_unref(tree);
}

TEST(a_progress_line_has_bar_share_counts_rate_and_rest)
{
    const struct skr_progress progress = {.verb = "replay", .unit = "pods"};
    char line[160];
    skr_progress_write(&progress, 12204, 20000, 1500000000, line, sizeof line);
    assert_string_equal(line, "replay  [██████░░░░]  61%  12,204/20,000 pods  8.1k/s  eta 1s");
    skr_progress_write(&progress, 0, 0, 1500000000, line, sizeof line);
    assert_string_equal(line, "replay  [░░░░░░░░░░]  0%  0/0 pods  0/s");
}
