/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of actions: what they own, and the names of writes. */
#include <string.h>

#include "core/gang/action.h"
#include "test/test.h"

static struct skr_solve_request *make_request(void)
{
    static const char *const levels[] = {"node"};
    struct skr_solve_request *request = skr_alloc(sizeof *request);
    struct skr_tree_builder *b = skr_tree_builder_create("t");
    struct skr_tree *tree = NULL;
    assert_int_equal(skr_tree_builder_add(b, 1, "node-0", NULL), 0);
    assert_int_equal(skr_tree_builder_finish(b, levels, 1, NULL, 0, &tree, NULL, NULL), 0);
    skr_tree_builder_destroy(b);
    request->arena = skr_arena_create(1 << 20, 0);
    request->tree = tree;
    return request;
}

static void append(struct skr_actions *actions, struct skr_action action)
{
    skr_grow(&actions->item, &actions->cap, actions->n + 1, sizeof actions->item[0]);
    actions->item[actions->n++] = action;
}

TEST(a_reset_list_is_empty_and_keeps_working)
{
    struct skr_actions actions;
    skr_actions_init(&actions);
    for (int round = 0; round < 3; round++) {
        struct skr_action action = {.kind = SKR_ACTION_WRITE};
        action.write.name = skr_arena_strdup(actions.arena, "pod-0");
        append(&actions, action);
        assert_int_equal(actions.n, 1);
        assert_true(skr_arena_used(actions.arena) > 0);
        skr_actions_reset(&actions);
        assert_int_equal(actions.n, 0);
        assert_int_equal(skr_arena_used(actions.arena), 0);
    }
    skr_actions_reset(&actions);
    skr_actions_fini(&actions);
    assert_null(actions.item);
}

TEST(a_request_that_was_taken_survives_the_list)
{
    struct skr_actions actions;
    struct skr_action action = {.kind = SKR_ACTION_SOLVE, .solve = make_request()};
    skr_actions_init(&actions);
    append(&actions, action);
    struct skr_solve_request *taken = actions.item[0].solve;
    skr_actions_reset(&actions);
    skr_actions_fini(&actions);
    assert_string_equal(taken->tree->name, "t");
    skr_solve_request_destroy(taken);
    skr_solve_request_destroy(NULL);
}

TEST(a_request_that_nobody_took_goes_with_the_list)
{
    /* The leak checker of the sanitised build is the judge. */
    struct skr_actions actions;
    struct skr_action action = {.kind = SKR_ACTION_SOLVE, .solve = make_request()};
    struct skr_action taken = {.kind = SKR_ACTION_SOLVE, .solve = NULL};
    skr_actions_init(&actions);
    append(&actions, action);
    append(&actions, taken);
    skr_actions_fini(&actions);
    assert_int_equal(actions.n, 0);
}

TEST(every_write_has_a_name)
{
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        assert_true(strlen(skr_write_kind_name((enum skr_write_kind)i)) > 0);
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(skr_write_kind_name((enum skr_write_kind)i),
                                    skr_write_kind_name((enum skr_write_kind)k));
        }
    }
    for (int i = 0; i < SKR_WRITE_CLASS_COUNT; i++) {
        assert_true(strlen(skr_write_class_name((enum skr_write_class)i)) > 0);
    }
    assert_string_equal(skr_write_kind_name(SKR_WRITE_BINDING), "binding");
    assert_string_equal(skr_write_class_name(SKR_WRITE_CLASS_LEASE), "lease");
    assert_string_equal(skr_write_class_name(SKR_WRITE_CLASS_EVENT), "event");
    assert_string_equal(skr_write_kind_name(SKR_WRITE_KIND_COUNT), "");
    assert_string_equal(skr_write_class_name(SKR_WRITE_CLASS_COUNT), "");
}
