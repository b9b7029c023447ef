/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an explanation says is one sentence everywhere and one Event a reason, and is the newest when it
 * is asked for.
 */
#include "core/gang/state/reason.h"
#include "server/render/explain_text.h"
#include "test/test.h"
#include "test/unit/engine_test.h"
#include "test/unit/explain_clusters.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

static size_t count_events(const struct rig *rig, const char *part)
{
    size_t n = 0, i;
    const json_t *event;
    json_array_foreach(rig->events, i, event)
    {
        n += !!strstr(json_string_value(event), part);
    }
    return n;
}

/* Room that does not help comes and goes: every time the group is tried again. */
static void retry(struct rig *rig, int times)
{
    for (int i = 0; i < times; i++) {
        rig_edit(rig, RIG_NODE, "node-2", "{'status':{'allocatable':{'memory':'%dGi'}}}",
                 i % 2 ? 64 : 65);
        rig_run(rig, 2 * SKR_SECOND);
    }
}

TEST(map_condition_event_and_command_have_one_sentence)
{
    static const char sentence[] = "group g needs 6 slots in one rack, best rack has 5";
    SKR_AUTO(rig_destroy) struct rig *rig = explain_unplaced();
    SKR_STRBUF(text);
    const struct skr_explain_look look = {0};
    const json_t *x = rig_explain(rig, "g");
    rig_run(rig, SKR_SECOND);
    skr_explain_write_text(x, &look, &text);
    assert_string_equal(skr_object_text(x, "sentence"), sentence);
    assert_string_equal(rig_key(rig, "g", "message"), sentence);
    assert_non_null(strstr(rig_key(rig, "g", "conditions"), sentence));
    assert_true(rig_has_event(rig, sentence));
    assert_non_null(strstr(text.s, sentence));
}

TEST_RIG(explain_unplaced(), a_thousand_retries_change_no_text_and_make_no_event)
{
    rig_explain(rig, "g");
    rig_run(rig, SKR_SECOND);
    SKR_AUTO_FREE char *message = skr_strdup(rig_key(rig, "g", "message"));
    const char *const nodes[] = {"node-0", "node-3 node-4", NULL};
    rig_forget_counts(rig);
    for (int i = 0; i < 100; i++) {
        retry(rig, 10);
        for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
            struct rig_answer answer = rig_filter(rig, "p-0", nodes[k]);
            assert_int_equal(answer.kind, SKR_ANSWER_FILTER_NONE);
            assert_string_equal(answer.text, SKR_TEXT_TOPOLOGY);
            assert_in_range(strlen(answer.text), 1, 100);
        }
        assert_string_equal(rig_key(rig, "g", "message"), message);
    }
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, "g"), 0);
    assert_int_equal(count_events(rig, "GroupUnplaced"), 1);
}

TEST_RIG(explain_unplaced(), another_reason_makes_another_event)
{
    retry(rig, 10);
    assert_int_equal(count_events(rig, "GroupUnplaced"), 1);
    for (int i = 0; i < 9; i++) { /* now there is too little in all */
        char name[16];
        snprintf(name, sizeof name, "late-%d", i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-%d'}}",
                 (int[]){2, 2, 4, 4, 5, 5, 7, 7, 3}[i]);
    }
    retry(rig, 10);
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    assert_int_equal(count_events(rig, "GroupUnplaced"), 2);
}

TEST_RIG(explain_unplaced(), what_is_asked_is_the_newest_and_stands_in_the_map)
{
    assert_string_equal(skr_object_text(rig_explain(rig, "g"), "sentence"),
                        "group g needs 6 slots in one rack, best rack has 5");
    size_t solves = rig->n_solves;
    rig_explain(rig, "g"); /* nothing has changed: it is kept */
    assert_int_equal(rig->n_solves, solves);
    rig_pod(rig, "late", NULL, 0); /* takes room, which is no reason to try again */
    rig_edit(rig, RIG_POD, "late", "{'spec':{'nodeName':'node-4'}}");
    rig_settle(rig);
    static const char newest[] = "group g needs 6 slots in one rack, best rack has 4";
    assert_string_equal(skr_object_text(rig_explain(rig, "g"), "sentence"), newest);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), newest);
}

TEST_RIG(explain_cluster(), a_group_that_is_in_no_object_is_not_found)
{
    rig_sync(rig);
    const json_t *x = rig_explain(rig, "unknown");
    assert_string_equal(skr_object_text(x, "kind"), "Status");
    assert_int_equal(json_integer_value(json_object_get(x, "code")), 404);
}

TEST_RIG(explain_unplaced(), who_is_not_leader_says_so)
{
    rig_event(rig, SKR_EVENT_LEADER_LOST);
    const json_t *x = rig_explain(rig, "g");
    assert_int_equal(json_integer_value(json_object_get(x, "code")), 503);
    assert_string_equal(skr_object_text(x, "message"), SKR_TEXT_NOT_LEADER);
}

TEST_RIG(rig_create(), a_member_that_terminates_is_named_while_it_holds_the_room_of_its_replacement)
{
    rig_racks(rig, 1, 1, 2);
    rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    rig_terminate(rig, "p-1");
    rig_pod(rig, "q", "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    const json_t *x = rig_explain(rig, "g");
    const json_t *domain = json_array_get(json_object_get(x, "domains"), 0);
    const json_t *list = json_object_get(domain, "blockedBy");
    assert_int_equal(json_array_size(list), 1);
    const json_t *blocker = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(blocker, "pod")), "default/p-1");
    assert_true(json_is_true(json_object_get(blocker, "terminating")));
    assert_int_equal(json_integer_value(json_object_get(blocker, "amount")), 1000);
}
