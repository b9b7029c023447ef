/* SPDX-License-Identifier: Apache-2.0 */
/* What is under way when leadership is lost, or taken with old news. */
#include "core/gang/restore/restore.h"
#include "test/unit/engine_rig_failover.h"
#include "test/unit/engine_scene.h"
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

/* The number behind the dot of the plan label. */
static int kicks_of(const struct rig *rig, const char *pod)
{
    const char *dot = strchr(rig_label(rig, pod, "sakkara.member.plan"), '.');
    assert_non_null(dot);
    return atoi(dot + 1);
}

/* ---- activations ---- */

TEST(a_member_that_was_refused_after_its_kick_is_woken_again_whatever_the_patch_meets)
{
    static const enum rig_outcome bad[] = {RIG_OK, RIG_LOST, RIG_LOST_APPLIED, RIG_429, RIG_409};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_planned(0);
        rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, "p-1", bad[i], 1);
        rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
        rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':{'sakkara.plan':null}}}");
        rig_settle(rig);
        assert_int_equal(rig_filter(rig, "p-1", "node-0").n_passed,
                         0); /* the text is being written */
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
        rig_run(rig, 2 * SKR_SECOND);
        assert_true(kicks_of(rig, "p-1") >= 2);
        assert_int_equal(kicks_of(rig, "p-0"), 1); /* nobody came to this one */
        rig->hold_scheduler = false;
        rig_run(rig, 10 * SKR_SECOND);
        rig_assert_bound(rig, "p", 8);
    }
}

TEST_RIG(scene_planned(0), a_refusal_of_an_older_version_wakes_nobody_again)
{
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_edit(rig, RIG_MAP, "g", "{'metadata':{'annotations':{'sakkara.plan':null}}}");
    rig_edit(rig, RIG_POD, "p-1", "{'status':{'nominatedNodeName':null}}");
    rig_settle(rig);
    rig_filter(rig, "p-1", "node-0");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(kicks_of(rig, "p-1"), 2); /* once, not for each of both */
}

/* Which of the refusal and the activation came first does not stand in the API. */
TEST_RIG(scene_planned(0), after_a_restart_those_are_woken_again_whom_a_daemon_refused)
{
    rig_edit(rig, RIG_POD, "p-2",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'sakkara: group is being planned'}]}}");
    rig_restart(rig);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(kicks_of(rig, "p-2"), 2);
    assert_int_equal(kicks_of(rig, "p-1"), 1);
}

/* ---- Bindings ---- */

TEST(a_binding_of_unknown_outcome_is_read_by_who_leads_again)
{
    static const enum rig_outcome bad[] = {RIG_LOST, RIG_409};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_planned(0);
        rig->hold_scheduler = false;
        rig->hold_kind = SKR_WRITE_BINDING;
        rig_run(rig, SKR_SECOND);
        rig->hold_scheduler = true;
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-1"), bad[i]);
        rig_event(rig, SKR_EVENT_LEADER_LOST);
        rig_event(rig, SKR_EVENT_LEADER_WON);
        rig_run(rig, SKR_SECOND);
        assert_int_equal(rig_count(rig, SKR_WRITE_GET_POD, "p-1"), 1);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        scene_let_go(rig, SKR_WRITE_BINDING, RIG_OK);
        rig_delete(rig, RIG_NODE, "node-0");
        rig->hold_scheduler = false;
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 8);
    }
}

/* ---- plans ---- */

/* The other daemon led while "top" began to push "low" out; the one that leads now has not heard of its plan. */
static struct rig *behind_by(int seconds)
{
    struct rig *rig = scene_rack(1);
    scene_bound(rig, "low", 4, 0);
    rig_start_standby(rig);
    rig->hold_solves = true;
    scene_gang(rig, "top", 4, 5);
    rig_settle(rig);
    for (int i = 0; i < 100; i++) {
        rig_step_standby(rig);
    }
    rig->hold_solves = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
    rig_run(rig, seconds * SKR_SECOND);
    rig->hold_solves = rig->hold_watch[RIG_MAP] = true;
    rig_fail_over_behind(rig);
    return rig;
}

TEST_RIG(behind_by(0), a_plan_that_shows_after_the_takeover_is_taken_up)
{
    char plan[600];
    snprintf(plan, sizeof plan, "%s", rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"));
    rig_run(rig, SKR_SECOND); /* a conflict, and the object is read */
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), plan);
    rig->hold_solves = rig->hold_watch[RIG_MAP] = false;
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_clean(rig);
}

/* The patch of its object that is about to be sent takes the plan away. */
static void is_taken_away(struct rig *rig, const char *group)
{
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, group);
    assert_non_null(w);
    const json_t *metadata = json_object_get(w->body, "metadata");
    assert_true(
        json_is_null(json_object_get(json_object_get(metadata, "annotations"), "sakkara.plan")));
}

/* The other daemon led until "top" was bound. The one that leads now hears of the pods first, and of the maps only until
 * "top" pushes "low" out. */
TEST_RIG(behind_by(60), nobody_goes_for_a_group_that_is_bound_by_now)
{
    const size_t evicted = rig_count(rig, SKR_WRITE_EVICT, NULL);
    rig_settle(rig);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig->hold_watch[RIG_MAP] = false;
    while (!strstr(rig->log.s, "Plan restored") && rig_step_watch(rig, 0)) {
    }
    rig->hold_watch[RIG_MAP] = true;
    assert_string_equal(rig_state(rig, "top"), "Bound");
    is_taken_away(rig, "top");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK); /* a conflict */
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), evicted);
    rig->hold_solves = rig->hold_watch[RIG_MAP] = false;
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_clean(rig);
}

/* Its priority went after the plan had been written, and its victims have gone. */
TEST_RIG(scene_rack(1), who_may_preempt_nobody_any_more_takes_up_no_preemption)
{
    scene_bound(rig, "low", 4, 0);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig->hold_watch[RIG_MAP] = rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_MAP, "top", "{'data':{'priority':'0'}}");
    rig_delete_pods(rig, "low", 0, 4);
    rig->hold_watch[RIG_MAP] = rig->hold_watch[RIG_POD] = false;
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig_restart(rig);
    rig_settle(rig);
    is_taken_away(rig, "top");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4); /* there is room by now */
    rig_assert_clean(rig);
}

/* Who leads now knows the plan as Planned, and would give it up, as a node of it is cordoned. */
TEST_RIG(scene_planned(0), a_point_of_no_return_that_shows_after_the_takeover_is_one)
{
    rig_start_standby(rig);
    for (int i = 0; i < 100; i++) {
        rig_step_standby(rig);
    }
    rig->hold_kind = SKR_WRITE_BINDING;
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "p-0"), RIG_OK);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = true;
    rig->hold_watch[RIG_MAP] = rig->hold_watch[RIG_POD] = true;
    rig_fail_over_behind(rig);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    assert_non_null(
        strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "\"state\":\"Binding\""));
    rig->hold_watch[RIG_MAP] = rig->hold_watch[RIG_POD] = rig->hold_scheduler = false;
    rig_resume(rig, 0, true);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    rig_assert_clean(rig);
}

/* As a user may write it. */
static void forge(struct rig *rig)
{
    rig_edit(
        rig, RIG_MAP, "g",
        "{'metadata':{'annotations':{'sakkara.plan':'{\\'v\\':1,\\'id\\':\\'0123456789abcdef\\',"
        "\\'state\\':\\'Planned\\',\\'nodes\\':{\\'node-2\\':2,\\'node-3\\':2},\\'members\\':{"
        "\\'%s\\':\\'node-2\\',\\'%s\\':\\'node-2\\',\\'%s\\':\\'node-3\\',\\'%s\\':\\'node-3\\'}}'"
        "}}}",
        rig_find(rig, RIG_POD, "p-0")->pod->meta.uid, rig_find(rig, RIG_POD, "p-1")->pod->meta.uid,
        rig_find(rig, RIG_POD, "p-2")->pod->meta.uid, rig_find(rig, RIG_POD, "p-3")->pod->meta.uid);
}

/* written: a patch of ours has shown who writes the object; else the time for late news is over. */
TEST(a_plan_that_users_write_later_is_removed)
{
    for (int written = 0; written < 2; written++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 4, 2);
        rig_group(rig, "g", 4, 0, NULL);
        rig_sync(rig);
        rig->hold_solves = true;
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_restart(rig);
        rig_run(rig, (written ? 1 : 2 * SKR_RESTORE_NEWS_S) * SKR_SECOND);
        if (written) {
            rig_edit(rig, RIG_MAP, "g", "{'data':{'status':'Bound'}}"); /* which we put right */
            rig_run(rig, SKR_SECOND);
        }
        forge(rig);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.plan"), "");
        assert_string_equal(rig_state(rig, "g"), "Ready");
    }
}

/* ---- another process writes the record of a plan ---- */

/* As a leader does that was late. */
static void overtake(struct rig *rig, const char *group)
{
    SKR_STRBUF(text);
    const char *have = rig_annotation(rig, RIG_MAP, group, "sakkara.plan");
    const char *state = strstr(have, "\"Planned\"");
    assert_non_null(state);
    for (const char *c = have; *c; c++) {
        if (c == state) {
            skr_strbuf_add(&text, "\\'Binding\\'");
            c += strlen("\"Planned\"") - 1;
        } else if (*c == '"') {
            skr_strbuf_add(&text, "\\'");
        } else {
            skr_strbuf_addc(&text, *c);
        }
    }
    rig_edit(rig, RIG_MAP, group, "{'metadata':{'annotations':{'sakkara.plan':'%s'}}}", text.s);
}

static struct rig *planned_long_ago(void)
{
    struct rig *rig = scene_planned(0);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'status':'Bound'}}"); /* which we put right */
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST_RIG(planned_long_ago(),
         a_record_in_binding_that_another_process_wrote_never_becomes_planned_again)
{
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    overtake(rig, "g");
    rig_settle(rig);
    is_taken_away(rig, "g"); /* no member is bound: a user may have written it */
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    rig_assert_clean(rig);
}

TEST_RIG(planned_long_ago(), a_plan_that_another_process_has_begun_to_bind_is_finished)
{
    rig->hold_watch[RIG_MAP] = true;
    overtake(rig, "g");
    rig_edit(rig, RIG_POD, "p-0", "{'spec':{'nodeName':'%s'}}",
             test_text("%s", rig_planned(rig, "p-0")));
    rig_settle(rig);
    rig->hold_watch[RIG_MAP] = false;
    rig_settle(rig);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    assert_null(strstr(rig->log.s, "Plan aborted"));
    rig_assert_bound(rig, "p", 8);
    rig_assert_clean(rig);
}

/* The record of a group from labels is on a member: it goes there only if what is there was seen. */
TEST(a_member_that_carries_the_plan_of_all_is_never_overwritten_unseen)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_fallback = true;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 2, 2);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, i == 0 ? "p-0" : "p-1",
                 "{'metadata':{'labels':{'sakkara.group.size':'2'}}}");
    }
    rig->hold_kind = SKR_WRITE_PATCH_POD;
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_PATCH_POD, "p-0");
    assert_non_null(w);
    const json_t *metadata = json_object_get(w->body, "metadata");
    assert_non_null(json_object_get(json_object_get(metadata, "annotations"), "sakkara.plan"));
    assert_non_null(json_object_get(metadata, "resourceVersion"));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    scene_let_go(rig, SKR_WRITE_PATCH_POD, RIG_409);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    rig_assert_clean(rig);
}
