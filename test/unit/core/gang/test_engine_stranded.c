/* SPDX-License-Identifier: Apache-2.0 */
/* Members past the point of no return whose node closes to them before they could be bound. */
#include "core/gang/group/group_table.h"
#include "test/test.h"
#include "test/unit/engine_test.h"

#define TAINT "{'spec':{'taints':[{'key':'broken','effect':'NoSchedule'}]}}"

/* A gang of 8 on 2 racks of 3 nodes with room for 4 each: node-0 and node-1 are planned. State
 * Binding is persisted, nobody is bound, no bind call is open: the daemon has just come back. */
static struct rig *in_binding_without_calls(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, 4);
    rig_group(rig, "gang", 8, 0, "{'rack':{'hard':true}}");
    rig_sync(rig);
    rig_pods(rig, "job", 8, "gang", 0);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_text(rig_state(rig, "gang"), "Binding");
    rig->hold_scheduler = true;
    rig_restart(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_assert_text(rig_state(rig, "gang"), "Binding");
    assert_int_equal(rig_n_bound(rig, "gang"), 0);
    return rig;
}

static size_t bound_on(struct rig *rig, const char *node)
{
    size_t n = 0;
    for (int i = 0; i < 8; i++) {
        n += strcmp(rig_node_of(rig, test_text("job-%d", i)), node) == 0;
    }
    return n;
}

TEST_RIG(in_binding_without_calls(), members_on_a_tainted_node_get_another_one_of_their_rack)
{
    rig_edit(rig, RIG_NODE, "node-0", TAINT);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    assert_int_equal(bound_on(rig, "node-0"), 0);
    assert_int_equal(bound_on(rig, "node-1"), 4);
    assert_int_equal(bound_on(rig, "node-2"), 4);
    rig_assert_text(rig_key(rig, "gang", "status"), "Bound");
    rig_assert_clean(rig);
}

TEST_RIG(in_binding_without_calls(), members_on_a_cordoned_node_get_another_one)
{
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    assert_int_equal(bound_on(rig, "node-1"), 0);
}

TEST_RIG(in_binding_without_calls(), members_on_a_deleted_node_get_another_one)
{
    rig_delete(rig, RIG_NODE, "node-1");
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    assert_int_equal(bound_on(rig, "node-1"), 0);
}

TEST_RIG(in_binding_without_calls(), a_call_for_a_deleted_node_fails_at_once)
{
    rig->hold_solves = true;
    rig_delete(rig, RIG_NODE, "node-1");
    rig_settle(rig);
    const char *on_node_1 = NULL;
    static const char *const name[] = {"job-0", "job-1", "job-2", "job-3",
                                       "job-4", "job-5", "job-6", "job-7"};
    for (int i = 0; i < 8; i++) {
        if (strstr(rig_annotation(rig, RIG_POD, name[i], "sakkara.plan"), "node-1")) {
            on_node_1 = name[i];
        }
    }
    assert_non_null(on_node_1);
    assert_string_equal(rig_bind(rig, on_node_1, "node-1")->text, "sakkara: binding failed");
    rig->hold_solves = rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
}

static bool all_but_node_0(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)pod;
    return strcmp(node, "node-0") != 0;
}

TEST_RIG(in_binding_without_calls(), members_refused_by_in_tree_filters_get_another_node)
{
    rig->in_tree = all_but_node_0;
    rig->hold_scheduler = false;
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    assert_int_equal(bound_on(rig, "node-0"), 0);
}

/* Another node is being solved for when kube-scheduler comes back with the planned one after all: the
 * Binding that is on its way then decides, and not the answer of the solve. */
TEST(a_binding_on_its_way_is_not_overtaken_by_another_node)
{
    static const enum rig_outcome outcome[] = {RIG_OK, RIG_LOST_APPLIED, RIG_LOST, RIG_429};
    for (size_t i = 0; i < sizeof outcome / sizeof *outcome; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = in_binding_without_calls();
        rig_run(rig, 10 * SKR_SECOND); /* the nodes are old news */
        char node[32];
        snprintf(node, sizeof node, "%s", rig_planned(rig, "job-0"));
        rig->hold_solves = true;
        for (int k = 0; k < 2; k++) { /* it is nominated, and then refused */
            rig_filter(rig, "job-0", "node-5");
            rig_run(rig, SKR_SECOND);
        }
        assert_non_null(rig->solves);
        rig->hold_kind = SKR_WRITE_BINDING;
        assert_int_equal(rig_filter(rig, "job-0", node).n_passed, 1);
        rig_bind(rig, "job-0", node);
        rig_settle(rig);
        assert_non_null(rig_find_write(rig, SKR_WRITE_BINDING, "job-0"));
        rig->hold_solves = false;
        rig_settle(rig);
        assert_string_equal(rig_planned(rig, "job-0"), node);
        assert_int_equal(rig_open_calls(rig), 1);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, "job-0"), outcome[i]);
        rig->hold_scheduler = false;
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_bound(rig, "job", 8);
        rig_assert_text(rig_key(rig, "gang", "status"), "Bound");
        assert_int_equal(rig_open_calls(rig), 0);
        rig_assert_clean(rig);
    }
}

TEST_RIG(in_binding_without_calls(), without_another_node_they_wait_and_say_so_until_theirs_opens)
{
    rig_edit(rig, RIG_NODE, "node-0", TAINT);
    rig_edit(rig, RIG_NODE, "node-2", TAINT);
    rig->hold_scheduler = false;
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "gang"), 4);
    rig_assert_text(rig_key(rig, "gang", "status"), "Permitted");
    rig_assert_text(rig_key(rig, "gang", "reason"), "BindFailed");
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':null}}");
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    assert_int_equal(bound_on(rig, "node-0"), 4);
    rig_assert_text(rig_key(rig, "gang", "status"), "Bound");
    rig_assert_text(rig_key(rig, "gang", "reason"), "");
}

TEST_RIG(in_binding_without_calls(), after_the_plan_timeout_the_group_is_bound_and_incomplete)
{
    rig_edit(rig, RIG_NODE, "node-0", TAINT);
    rig_edit(rig, RIG_NODE, "node-2", TAINT);
    rig->hold_scheduler = false;
    rig_run(rig, rig->settings.plan_timeout + 30 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "gang"), 4);
    rig_assert_text(rig_key(rig, "gang", "status"), "Bound");
    assert_non_null(strstr(rig_key(rig, "gang", "conditions"), "\"type\":\"Complete\""));
    assert_true(*rig_key(rig, "gang", "reason") != '\0');
}

/* That nobody else takes the stranded ones says nothing of a member that came since. */
TEST_RIG(rig_create(), who_came_while_others_were_stranded_is_planned_when_these_are_bound)
{
    rig_racks(rig, 1, 3, 2);
    rig_pod(rig, "load", NULL, 0);
    rig_edit(rig, RIG_POD, "load", "{'spec':{'nodeName':'node-2'}}");
    rig_podgroup(rig, "gang", 4); /* at least */
    rig_sync(rig);
    rig_pods(rig, "job", 4, "gang", RIG_POD_GROUP_LABEL);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_run(rig, 2 * SKR_SECOND);
    rig_restart(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->in_tree = all_but_node_0;
    rig_pod(rig, "job-4", "gang", RIG_POD_GROUP_LABEL);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "gang"), 2);
    assert_true(rig_has_event(rig, "kube-scheduler refuses node node-0"));
    rig->in_tree = NULL;
    rig->hold_solves = true;
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "job-%d", i);
        if (!*rig_node_of(rig, name)) {
            assert_int_equal(rig_filter(rig, name, "node-0").n_passed, 1);
            rig_fault(rig, SKR_WRITE_BINDING, name, RIG_LOST_APPLIED, 1); /* the watch tells */
            rig_bind(rig, name, "node-0");
        }
    }
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "gang"), "Bound");
    assert_false(skr_groups_find(rig->gang, "default/gang")->attempt.infeasible);
    rig->hold_solves = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "job", 5);
    rig_assert_clean(rig);
}

/* In-tree filters: nothing for job-0, later all but node-0. */
static bool nowhere, never_node_0;

static bool keeps_job_0(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    return strcmp(pod->meta.name, "job-0") != 0 ||
           (!nowhere && (!never_node_0 || strcmp(node, "node-0") != 0));
}

/* Its call ended before the others came, and it never gets through kube-scheduler's own filters to its node again. */
TEST(a_member_whose_call_ended_and_whose_node_refuses_it_then_gets_another_one)
{
    for (int flags = 0; flags <= RIG_GATED; flags += RIG_GATED) {
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.bind_timeout = 20 * SKR_SECOND;
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
        rig->in_tree = keeps_job_0;
        nowhere = never_node_0 = false;
        rig_racks(rig, 1, 3, 2);
        rig_group(rig, "gang", 2, 0, NULL);
        rig_sync(rig);
        rig->hold_scheduler = true;
        rig_pods(rig, "job", 2, "gang", flags);
        rig_run(rig, SKR_SECOND);
        rig_filter(rig, "job-0", "node-0");
        rig_bind(rig, "job-0", "node-0");
        rig_run(rig, 12 * SKR_SECOND);
        assert_int_equal(rig_open_calls(rig), 0);
        rig_filter(rig, "job-1", "node-0");
        rig_bind(rig, "job-1", "node-0");
        nowhere = never_node_0 = true;
        rig->hold_scheduler = false;
        rig_run(rig, SKR_SECOND);
        rig_assert_text(rig_state(rig, "gang"), "Binding");
        rig_assert_text(rig_node_of(rig, "job-1"), "node-0");
        nowhere = false;
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_text(rig_node_of(rig, "job-0"), "node-1");
        rig_assert_text(rig_key(rig, "gang", "status"), "Bound");
    }
}
