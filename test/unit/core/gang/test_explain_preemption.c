/* SPDX-License-Identifier: Apache-2.0 */
/* Who would give way to a group, asked before anybody does. */
#include "core/gang/state/pages.h"
#include "server/render/explain_text.h"
#include "server/render/render.h"
#include "test/golden.h"
#include "test/test.h"
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"
#include "topology/base/json_field.h"

/* Nobody preempts by itself, so that what is asked about stays. */
static struct rig *rack(int nodes)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    struct rig *rig = scene_rack_with(&settings, nodes);
    rig->grace = 10 * SKR_SECOND;
    return rig;
}

static void gang(struct rig *rig, const char *name, int size, int priority)
{
    scene_gang(rig, name, size, priority);
    rig_run(rig, SKR_SECOND);
}

static const json_t *ask(struct rig *rig, const char *group)
{
    const json_t *x = json_object_get(rig_explain_preempt(rig, group), "preemption");
    assert_non_null(x);
    return x;
}

/* The reason and sentence of the first who stays. */
static void assert_spared(const json_t *x, const char *why, const char *sentence)
{
    const json_t *row = json_array_get(json_object_get(x, "spared"), 0);
    assert_string_equal(skr_object_text(row, "why"), why);
    assert_string_equal(skr_object_text(row, "text"), sentence);
}

static void assert_nobody(const json_t *x, const char *outcome, const char *sentence)
{
    assert_string_equal(skr_object_text(x, "outcome"), outcome);
    assert_string_equal(skr_object_text(x, "text"), sentence);
    assert_null(json_object_get(x, "victims"));
}

/* Three nodes, held by groups of priority 2, 1 and 0; one group of priority 9 wants a node. */
static void three_held_and_one_wanted(struct rig *rig)
{
    gang(rig, "a", 4, 2);
    gang(rig, "b", 4, 1);
    gang(rig, "c", 4, 0);
    gang(rig, "top", 4, 9);
}

TEST_RIG(rack(3), the_victims_are_named_and_nobody_is_evicted)
{
    three_held_and_one_wanted(rig);
    rig_forget_counts(rig);
    const json_t *x = ask(rig, "top");
    const json_t *victims = json_object_get(x, "victims"), *victim = json_array_get(victims, 0);
    assert_string_equal(skr_object_text(x, "outcome"), "Evicts");
    assert_string_equal(skr_object_text(x, "text"),
                        "4 pods of 1 group would be evicted, then group top "
                        "fits; option preemption is false, so none is");
    assert_int_equal(json_array_size(victims), 1);
    assert_string_equal(skr_object_text(victim, "group"), "default/c");
    assert_int_equal(json_integer_value(json_object_get(victim, "pods")), 4);
    assert_string_equal(json_string_value(json_array_get(json_object_get(victim, "nodes"), 0)),
                        rig_node_of(rig, "c-0"));
    assert_int_equal(json_array_size(json_object_get(x, "placement")), 1);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "c", 4);
}

TEST(who_was_named_is_who_goes_when_preemption_is_switched_on)
{
    static const int sizes[][3] = {{4, 4, 4}, {2, 6, 4}, {1, 7, 4}, {3, 3, 6}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char victim[64];
        struct rig *asked = rack(3), *done = scene_rack(3);
        struct rig *const both[] = {asked, done};
        done->grace = 0;
        for (size_t k = 0; k < 2; k++) {
            gang(both[k], "a", sizes[i][0], 1);
            gang(both[k], "b", sizes[i][1], 1);
            gang(both[k], "c", sizes[i][2], 2);
            gang(both[k], "top", 3, 9);
        }
        const json_t *victims = json_object_get(ask(asked, "top"), "victims");
        assert_int_equal(json_array_size(victims), 1);
        snprintf(victim, sizeof victim, "%s",
                 strchr(skr_object_text(json_array_get(victims, 0), "group"), '/') + 1);
        assert_string_equal(rig_key(done, victim, "status"), "Preempted");
        rig_destroy(done);
        rig_destroy(asked);
    }
}

TEST_RIG(rack(3), text_and_json_of_what_would_be_evicted)
{
    const struct skr_explain_look look = {0};
    SKR_STRBUF(text);
    three_held_and_one_wanted(rig);
    rig_budget(rig, "b", "b", 2);
    gang(rig, "large", 8, 9);
    const json_t *x = rig_explain_preempt(rig, "large");
    skr_explain_write_text(x, &look, &text);
    SKR_AUTO_FREE char *json = json_dumps(x, JSON_INDENT(2));
    skr_strbuf_add(&text, "");
    golden_check("test/explain/Preempt.txt", text.s);
    golden_check("test/explain/Preempt.json", json);
}

TEST_RIG(rack(1), equal_priority_is_why_nobody_goes)
{
    gang(rig, "a", 4, 9);
    gang(rig, "top", 4, 9);
    const json_t *x = ask(rig, "top");
    assert_nobody(x, "Insufficient", "no group or pod of lower priority than 9 may be evicted");
    assert_spared(x, "Priority", "4 pods of 1 group of priority 9 or more");
}

TEST_RIG(rack(1), a_budget_is_why_nobody_goes)
{
    gang(rig, "a", 4, 0);
    rig_budget(rig, "keep", "a", 1);
    gang(rig, "top", 4, 9);
    const json_t *x = ask(rig, "top");
    assert_string_equal(skr_object_text(x, "outcome"), "Insufficient");
    assert_spared(x, "Budget",
                  "4 pods of 1 group behind a PodDisruptionBudget (default/keep lets 1 of 4 go)");
}

TEST_RIG(rack(2), too_little_in_all_is_why_nobody_goes)
{
    gang(rig, "a", 4, 0);
    gang(rig, "b", 4, 9);
    gang(rig, "top", 8, 5);
    const json_t *x = ask(rig, "top");
    assert_nobody(x, "Insufficient",
                  "group top does not fit even without all that might give way, 4 pods of 1 group");
    assert_spared(x, "Priority", "4 pods of 1 group of priority 5 or more");
}

TEST_RIG(rack(1), pods_of_no_group_are_why_nobody_goes)
{
    rig_pods(rig, "web", 2, NULL, 0);
    rig_run(rig, SKR_SECOND);
    gang(rig, "top", 4, 9);
    const json_t *x = ask(rig, "top");
    assert_nobody(x, "Insufficient", "no group or pod of lower priority than 9 may be evicted");
    assert_spared(x, "Ordinary", "2 pods of no group");
}

TEST_RIG(rack(1), priority_zero_evicts_nobody_and_says_so)
{
    gang(rig, "a", 4, -1);
    gang(rig, "zero", 4, 0);
    assert_nobody(ask(rig, "zero"), "Forbidden",
                  "a group of priority 0 evicts no pods, it must be above 0");
}

TEST_RIG(rack(1), a_pod_that_never_preempts_is_named)
{
    gang(rig, "a", 4, 0);
    rig_group(rig, "top", 4, 9, NULL);
    rig_pods(rig, "top", 3, "top", RIG_GATED);
    rig_create_json(rig, RIG_POD, "top-3",
                    "{'metadata':{'labels':{'sakkara.group.name':'top'}},'spec':{'schedulerName':"
                    "'sakkara','preemptionPolicy':'Never','containers':[{'name':'main','resources':"
                    "{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_nobody(ask(rig, "top"), "Forbidden", "pod default/top-3 has preemptionPolicy Never");
}

TEST_RIG(rack(2), who_does_not_lack_room_evicts_nobody)
{
    gang(rig, "a", 4, 0);
    assert_nobody(ask(rig, "a"), "NotNeeded", "group a is placed");
    rig_group(rig, "top", 5, 9, NULL);
    rig_pods(rig, "top", 2, "top", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_nobody(ask(rig, "top"), "NoUse", "room is not what group top lacks: MembersMissing");
}

TEST_RIG(scene_rack(3), while_victims_leave_it_says_how_many_are_left)
{
    three_held_and_one_wanted(rig);
    rig_run(rig, SKR_SECOND);
    const json_t *x = ask(rig, "top"), *victim = json_array_get(json_object_get(x, "victims"), 0);
    assert_string_equal(skr_object_text(x, "outcome"), "Running");
    assert_string_equal(skr_object_text(x, "text"),
                        "group top waits for 4 pods of 1 group to leave");
    assert_string_equal(skr_object_text(victim, "group"), "default/c");
    assert_int_equal(json_integer_value(json_object_get(victim, "left")), 4);
}

TEST_RIG(rack(3), an_answer_is_kept_until_a_fact_changes)
{
    three_held_and_one_wanted(rig);
    ask(rig, "top");
    size_t solves = rig->n_solves;
    ask(rig, "top");
    assert_int_equal(rig->n_solves, solves);
    rig_budget(rig, "c", "c", 0);
    rig_settle(rig);
    const json_t *victims = json_object_get(ask(rig, "top"), "victims");
    assert_string_equal(skr_object_text(json_array_get(victims, 0), "group"), "default/b");
    assert_true(rig->n_solves > solves);
}

/* The page of a group as `sakkara group` prints it. */
static void draw(struct rig *rig, const char *path, struct skr_strbuf *out)
{
    const struct skr_view_query query = {.path = path};
    const struct skr_render how = {.ascii = true};
    struct skr_error error;
    SKR_STRBUF(text);
    skr_strbuf_reset(out);
    assert_int_equal(skr_gang_view(skr_engine_self(rig->engine), &query, rig->now, &text), 200);
    json_auto_t *page = json_loadb(text.s, text.len, 0, NULL);
    assert_int_equal(skr_render_group(page, &how, out, &error), 0);
}

TEST_RIG(scene_rack(3), the_pages_of_preemptor_and_victim_name_each_other)
{
    SKR_STRBUF(page);
    three_held_and_one_wanted(rig);
    rig_run(rig, 4 * SKR_SECOND);
    draw(rig, "/v1/groups/default/top", &page);
    assert_non_null(strstr(page.s, "\nEvicts:       4 pods of default/c, 4 left\n"));
    draw(rig, "/v1/groups/default/c", &page);
    assert_non_null(strstr(page.s, "\nPreempted by: default/top, 4s ago\n"));
    rig_run(rig, 20 * SKR_SECOND);
    draw(rig, "/v1/groups/default/top", &page);
    assert_null(strstr(page.s, "Evicts:"));
    draw(rig, "/v1/groups/default/c", &page);
    assert_null(strstr(page.s, "Preempted by:"));
}
