/* SPDX-License-Identifier: Apache-2.0 */
/* What if a group were different: test/property/test_what_if.c compares answers with simulate. */
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/base/attr.h"

/* Two racks of two nodes of 4 cpu; g waits for 6 members in one rack with node-3 cordoned. */
static struct rig *waiting(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    rig_pods(rig, "other", 3, NULL, 0);
    rig_run(rig, 2 * SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-3", "{'spec':{'unschedulable':true}}");
    rig_group(rig, "g", 6, 0, "{'rack':{'hard':true}}");
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 30 * SKR_SECOND);
    return rig;
}

static const json_t *ask(struct rig *rig, const char *path, const char *value, const char *without)
{
    const struct skr_label change = {path, value};
    const char *const nodes[] = {without};
    const struct skr_what_if what_if = {
        .n_changes = path ? 1 : 0, .change = &change, .n_without = without ? 1 : 0, nodes};
    return rig_what_if(rig, "g", &what_if);
}

static const char *text(const json_t *answer, const char *key)
{
    return json_string_value(json_object_get(answer, key));
}

static json_int_t pods(const json_t *answer)
{
    json_int_t sum = 0;
    json_t *unit;
    size_t i;
    json_array_foreach(json_object_get(answer, "units"), i, unit)
    {
        sum += json_integer_value(json_object_get(unit, "pods"));
    }
    return sum;
}

static bool placed(const json_t *answer)
{
    assert_string_equal(text(answer, "kind"), "WhatIf");
    return json_is_true(json_object_get(answer, "placed"));
}

TEST_RIG(waiting(), a_question_without_a_change_has_the_sentence_of_the_group)
{
    const json_t *answer = ask(rig, NULL, NULL, NULL);
    assert_false(placed(answer));
    assert_string_equal(text(answer, "sentence"), rig_key(rig, "g", "message"));
    assert_int_equal(pods(answer), 0);
}

TEST_RIG(waiting(), a_soft_rule_or_a_smaller_size_fits_and_nothing_is_written)
{
    const size_t events = rig->n_events, applied = rig->n_applied;
    const json_t *answer = ask(rig, "constraints.rack.hard", "false", NULL);
    assert_true(placed(answer));
    assert_int_equal(pods(answer), 6);
    assert_string_equal(text(answer, "sentence"), "group g fits: 6 pods in rack-0 and rack-1");
    answer = ask(rig, "size", "5", NULL);
    assert_true(placed(answer));
    assert_int_equal(pods(answer), 5);
    assert_false(placed(ask(rig, "size", "5", "node-0")));
    assert_int_equal(rig->n_applied, applied);
    assert_true(rig->n_events >= events);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_assert_clean(rig);
}

TEST_RIG(waiting(), more_members_than_there_are_pods_are_missing)
{
    const json_t *answer = ask(rig, "size", "8", NULL);
    assert_false(placed(answer));
    assert_string_equal(text(answer, "sentence"), "group g has 6 of 8 members");
}

TEST_RIG(waiting(), a_change_that_the_group_cannot_have_is_refused)
{
    static const struct {
        const char *path, *value, *without, *message;
    } rows[] = {
        {"constraints.rak.hard", "false", NULL, "no level \"rak\" (did you mean \"rack\"?)"},
        {"constraints.rack.hrad", "false", NULL, "no key \"hrad\" (did you mean \"hard\"?)"},
        {"size", "none", NULL, "size"},
        {"colour", "blue", NULL, "the path is size, minimum, step, priority, within"},
        {NULL, NULL, "node-9", "the tree has no such node"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const json_t *answer = ask(rig, rows[i].path, rows[i].value, rows[i].without);
        assert_int_equal(json_integer_value(json_object_get(answer, "code")), 400);
        if (!strstr(text(answer, "message"), rows[i].message)) {
            fail_msg("%s", text(answer, "message"));
        }
    }
    assert_int_equal(
        json_integer_value(json_object_get(
            rig_what_if(rig, "none", &(const struct skr_what_if){.n_changes = 0}), "code")),
        404);
}

TEST_RIG(rig_create(), a_higher_priority_names_the_victims)
{
    rig_racks(rig, 1, 2, 4);
    rig_sync(rig);
    rig_group(rig, "low", 8, 1, NULL);
    rig_pods(rig, "l", 8, "low", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_group(rig, "g", 4, 0, NULL);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 30 * SKR_SECOND);
    const json_t *answer = ask(rig, "priority", "5", NULL);
    const json_t *victim = json_array_get(json_object_get(answer, "evicts"), 0);
    assert_true(placed(answer));
    assert_string_equal(text(answer, "sentence"),
                        "8 pods of 1 group would be evicted, then group g fits");
    assert_string_equal(text(victim, "group"), "default/low");
    assert_int_equal(pods(answer), 4);
    assert_false(placed(ask(rig, "priority", "1", NULL)));
    assert_int_equal(rig_n_bound(rig, "low"), 8);
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), members_on_a_node_that_is_left_out_move)
{
    rig_racks(rig, 2, 2, 4);
    rig_gang(rig, "g", 6, "p", 6, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 6);
    const char *node = rig_node_of(rig, "p-0");
    json_int_t there = 0;
    for (int i = 0; i < 6; i++) {
        there += strcmp(rig_node_of(rig, test_text("p-%d", i)), node) == 0;
    }
    const json_t *answer = ask(rig, NULL, NULL, node);
    assert_true(placed(answer));
    assert_int_equal(pods(answer), there);
    assert_string_equal(text(ask(rig, NULL, NULL, NULL), "sentence"),
                        "group g has 6 of 6 members bound; running members stay");
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), roles_are_named_node_by_node)
{
    json_int_t leaders = 0, workers = 0;
    json_t *unit;
    size_t i;
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','roles':"
                    "\"{\\\"leader\\\":{\\\"size\\\":1},\\\"worker\\\":{\\\"size\\\":9}}\","
                    "'constraints':\"{\\\"rack\\\":{\\\"hard\\\":true}}\"}}");
    for (int k = 0; k < 10; k++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", k);
        rig_pod(rig, name, "g", k == 0 ? RIG_GATED | RIG_BIG : RIG_GATED);
        rig_edit(rig, RIG_POD, name, "{'metadata':{'annotations':{'sakkara.group.role':'%s'}}}",
                 k == 0 ? "leader" : "worker");
    }
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    const json_t *answer = ask(rig, "constraints.rack.hard", "false", NULL);
    assert_true(placed(answer));
    assert_int_equal(pods(answer), 10);
    json_array_foreach(json_object_get(answer, "units"), i, unit)
    {
        const json_t *roles = json_object_get(unit, "roles");
        leaders += json_integer_value(json_object_get(roles, "leader"));
        workers += json_integer_value(json_object_get(roles, "worker"));
    }
    assert_int_equal(leaders, 1);
    assert_int_equal(workers, 9);
    rig_assert_clean(rig);
}

TEST_RIG(waiting(), a_question_that_takes_too_long_is_given_up)
{
    const struct skr_label change = {"size", "5"};
    const struct skr_what_if what_if = {.n_changes = 1, .change = &change};
    const struct skr_explain_request request = {
        .namespace_ = "default", .name = "g", .what_if = &what_if};
    json_decref(rig->explanation);
    rig->explanation = NULL;
    rig->hold_solves = true;
    rig_request(rig, SKR_GANG_EXPLAIN, &request);
    assert_null(rig->explanation);
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(json_integer_value(json_object_get(rig->explanation, "code")), 429);
    rig->hold_solves = false;
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(placed(ask(rig, "size", "5", NULL)));
}
