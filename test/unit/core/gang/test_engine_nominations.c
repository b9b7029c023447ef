/* SPDX-License-Identifier: Apache-2.0 */
/* Members' metadata, probes, vetoes and kube-scheduler's refusals. */
#include "core/gang/plan/scheduler_progress.h"
#include "test/unit/engine_test.h"

/* Group "g" of 4 p-0..p-3, two to a node on one rack of four nodes of 2 cpu; planned. */
static struct rig *planned(int flags)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 4, "g", flags);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    return rig;
}

static void accept_all_but(struct rig *rig, const char *pod)
{
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        if (strcmp(name, pod) != 0) {
            rig_filter(rig, name, i < 2 ? "node-0" : "node-1");
        }
    }
}

/* ---- nominations ---- */

TEST_RIG(planned(0), r9_a_lost_nomination_is_written_again_with_the_next_count)
{
    char first[32];
    snprintf(first, sizeof first, "%s", rig_label(rig, "p-0", "sakkara.member.plan"));
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-0", "{'status':{'nominatedNodeName':null}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 1); /* not seen yet */
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 2);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-0");
    assert_string_not_equal(rig_label(rig, "p-0", "sakkara.member.plan"), first);
    assert_memory_equal(rig_label(rig, "p-0", "sakkara.member.plan"), first, 9);
}

TEST_RIG(planned(0), r9_a_parked_member_is_not_nominated_again)
{
    rig_bind(rig, "p-0", "node-0");
    rig_edit(rig, RIG_POD, "p-0", "{'status':{'nominatedNodeName':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 1);
}

TEST_RIG(planned(0), r9_labels_of_a_parked_member_that_a_user_removed_are_mended)
{
    rig_bind(rig, "p-0", "node-0");
    rig_edit(rig, RIG_POD, "p-0", "{'metadata':{'labels':{'sakkara.member.rank':null}}}");
    rig_settle(rig);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.rank"), "0");
}

TEST_RIG(rig_create(), r9_no_patch_is_sent_while_one_is_in_flight)
{
    rig_racks(rig, 25, 4, 2); /* so many that kube-scheduler may look at some only */
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_hear(rig, "sakkara", "node-0 node-1"); /* which it does */
    rig->hold_scheduler = true;
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, "p-0"), 0); /* only after its 200 */
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), RIG_OK);
    rig_settle(rig);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, "p-0"), 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, "p-1"), 0); /* no barrier, no hurry */
}

TEST(an_unknown_outcome_of_a_nomination_is_sent_again)
{
    static const enum rig_outcome bad[] = {RIG_LOST, RIG_LOST_APPLIED, RIG_429, RIG_409};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 4, 2);
        rig_group(rig, "g", 4, 0, NULL);
        rig_sync(rig);
        rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, "p-1", bad[i], 2);
        rig_fault(rig, SKR_WRITE_UNGATE_POD, "p-2", bad[i], 2);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, 10 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
    }
}

TEST(a_nomination_that_meets_404_or_422_means_a_lost_member)
{
    for (int replaced = 0; replaced < 2; replaced++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 4, 2);
        rig_group(rig, "g", 4, 0, NULL);
        rig_sync(rig);
        rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
        rig_pods(rig, "p", 4, "g", 0);
        rig_run(rig, SKR_SECOND);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig->hold_watch[RIG_POD] = true;
        rig_delete(rig, RIG_POD, "p-3");
        if (replaced) {
            rig_pod(rig, "p-3", "g", 0);
        }
        while (rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL)) {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), RIG_OK);
        }
        rig_settle(rig);
        assert_true(strcmp(rig_state(rig, "g"), "Admitting") != 0);
        rig->hold_watch[RIG_POD] = false;
        if (!replaced) {
            rig_pod(rig, "p-9", "g", 0);
        }
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 4);
    }
}

TEST_RIG(rig_create(), where_the_status_may_not_be_patched_labels_do_the_kick)
{
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, NULL, RIG_403, 1000);
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    assert_in_range(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 1, 4);
    assert_string_equal(rig_nominated(rig, "p-0"), "");
}

TEST(stale_nominations_of_an_aborted_plan_block_kicks_there_until_cleared)
{
    SKR_AUTO(rig_destroy) struct rig *rig = planned(0); /* g on node-0 and node-1 */
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND); /* aborted; three members are to be cleared */
    rig_group(rig, "other", 4, 0, NULL);
    rig_pods(rig, "o", 4, "other", 0);
    rig_run(rig, SKR_SECOND);
    assert_true(*rig_annotation(rig, RIG_MAP, "other", "sakkara.plan"));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, test_text("o-%d", i)), 0);
    }
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, "p-2"), RIG_OK);
    rig_settle(rig); /* node-1 is free of traces, node-0 is not */
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "o-2"), 1);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "o-0"), 0);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = false;
    while (rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), RIG_OK);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "o", 4);
    rig_assert_clean(rig);
}

static void keep_and_delete(struct rig *rig, const char *pod)
{
    rig_edit(rig, RIG_POD, pod, "{'metadata':{'finalizers':['example.com/stays']}}");
    rig_remove(rig, pod);
}

/* kube-scheduler counts a nomination until the pod is gone. */
TEST_RIG(planned(0), members_that_a_finalizer_keeps_are_not_nominated_once_their_plan_has_ended)
{
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_not_equal(rig_nominated(rig, name), "");
        keep_and_delete(rig, name);
    }
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_non_null(rig_find(rig, RIG_POD, name));
        assert_string_equal(rig_nominated(rig, name), "");
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, name), 2);
    }
}

TEST(a_nomination_that_is_written_when_its_pod_was_deleted_is_cleared)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 1, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    rig_pods(rig, "p", 1, "g", 0);
    rig_run(rig, SKR_SECOND);
    keep_and_delete(rig, "p-0");
    rig_settle(rig);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), RIG_OK);
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(rig_find(rig, RIG_POD, "p-0"));
    assert_string_equal(rig_nominated(rig, "p-0"), "");
}

TEST_RIG(rig_create(), traces_are_cleared_when_the_plan_that_was_to_overwrite_them_is_not_made)
{
    rig_racks(rig, 1, 3, 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-0");
    rig->hold_solves = true;
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    assert_non_null(rig->solves); /* of the next plan */
    rig_delete(rig, RIG_POD, "p-1");
    rig_settle(rig);
    rig->hold_solves = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "");
    rig_assert_clean(rig);
}

/* An API server that has just started refuses everything before it knows its RBAC rules. */
TEST_RIG(rig_create(), nominations_that_were_forbidden_for_a_moment_are_written_afterwards)
{
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, NULL, RIG_403, 4);
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        assert_string_equal(rig_nominated(rig, name), "");
        assert_true(*rig_label(rig, name, "sakkara.member.plan")); /* woken by it, at least */
    }
    rig_run(rig, 30 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        assert_true(*rig_nominated(rig, test_text("p-%d", i)));
    }
}

TEST_RIG(planned(0), a_nomination_whose_removal_was_forbidden_for_a_moment_is_removed_afterwards)
{
    rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, NULL, RIG_403, 1000);
    rig_delete(rig, RIG_POD, "p-3"); /* the plan ends */
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-0");
    rig_faults_end(rig);
    rig_run(rig, 35 * SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rig_nominated(rig, test_text("p-%d", i)), "");
    }
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), members_that_carry_traces_of_each_others_nodes_do_not_wait_for_ever)
{
    static const char *const name[] = {"a-0", "b-0"};
    rig_racks(rig, 1, 2, 1);
    rig_group(rig, "a", 1, 0, NULL);
    rig_group(rig, "b", 1, 0, NULL);
    rig_pods(rig, "a", 1, "a", 0);
    rig_pods(rig, "b", 1, "b", 0);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, name[i],
                 i == 0 ? "{'metadata':{'labels':{'sakkara.member.plan':'01234567.1'}},"
                          "'status':{'nominatedNodeName':'node-1'}}"
                        : "{'metadata':{'labels':{'sakkara.member.plan':'89abcdef.1'}},"
                          "'status':{'nominatedNodeName':'node-0'}}");
    }
    rig->hold_scheduler = true;
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "a-0"), "node-0");
    assert_string_equal(rig_nominated(rig, "b-0"), "node-1");
}

TEST_RIG(planned(0), a_member_that_keeps_its_node_is_not_cleared_in_between)
{
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-0");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 2);
    assert_string_equal(rig_nominated(rig, "p-3"), "node-2");
}

TEST_RIG(planned(0), a_plan_equal_to_the_one_before_kicks_its_members_again)
{
    accept_all_but(rig, "");
    rig_run(rig, 305 * SKR_SECOND); /* planTimeout, back-off, the same plan again */
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    for (int i = 0; i < 4; i++) {
        assert_true(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, test_text("p-%d", i)) >= 2);
    }
}

/* ---- refusals ---- */

static const char *refused_node, *refused_pod;
static bool refuses(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    return strcmp(node, refused_node) != 0 || (refused_pod && strcmp(pod->meta.name, refused_pod));
}

TEST(d5_a_nominated_node_that_in_tree_filters_refuse_is_vetoed_and_planned_around)
{
    for (size_t sample = 0; sample <= 3; sample += 3) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 4, 2);
        rig->sample = sample;
        rig->in_tree = refuses;
        refused_node = "node-0";
        refused_pod = "p-1";
        rig_gang(rig, "g", 4, "p", 4, RIG_GATED);
        rig_run(rig, 30 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        assert_string_not_equal(rig_node_of(rig, "p-1"), "node-0");
        rig_assert_clean(rig);
    }
}

TEST(a_veto_ends_after_a_minute_or_with_a_change_of_the_node)
{
    for (int change = 0; change < 2; change++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 1, 2);
        rig->in_tree = refuses;
        refused_node = "node-0";
        refused_pod = NULL;
        rig_gang(rig, "g", 2, "p", 2, RIG_GATED);
        rig_run(rig, 40 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        refused_node = "none";
        if (change) {
            rig_edit(rig, RIG_NODE, "node-0", "{'metadata':{'labels':{'zone':'z'}}}");
            rig_run(rig, 15 * SKR_SECOND);
        } else {
            rig_run(rig, 90 * SKR_SECOND);
        }
        rig_assert_bound(rig, "p", 2);
    }
}

TEST_RIG(planned(0), a_member_kicked_and_not_asked_about_for_15_s_aborts_with_the_condition)
{
    accept_all_but(rig, "p-3");
    rig_edit(rig, RIG_POD, "p-3",
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
             "'Unschedulable','message':'0/4 nodes are available: volume node affinity'}]}}");
    rig_run(rig, 13 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "volume node affinity"));
    assert_non_null(strstr(rig_key(rig, "g", "message"), "p-3"));
}

/* kube-scheduler lives again, and asks about a pod that came after all others. */
static void a_later_pod_is_asked_about(struct rig *rig)
{
    rig_pod(rig, "later", NULL, 0);
    rig_settle(rig);
    for (skr_time t = 0; t < SKR_ACTIVATION_PATIENCE_S; t += SKR_QUEUE_LAG_S + 3) {
        rig_filter(rig, "later", NULL);
        rig_run(rig, (SKR_QUEUE_LAG_S + 3) * SKR_SECOND);
    }
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_filter(rig, "later", NULL);
    rig_run(rig, SKR_SECOND);
}

TEST_RIG(planned(0), a_member_is_waited_for_while_the_scheduler_comes_to_others)
{
    for (int i = 0; i < 3; i++) { /* each after 12 s, in the order of a long queue */
        char name[16];
        rig_run(rig, 12 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Admitting");
        snprintf(name, sizeof name, "p-%d", i);
        rig_filter(rig, name, rig_nominated(rig, name));
    }
    rig_run(rig, 60 * SKR_SECOND); /* silence proves nothing */
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    a_later_pod_is_asked_about(rig);
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
}

/* Two plans: h is activated seconds after g, and kube-scheduler has a long queue. */
TEST_RIG(planned(0), a_plan_is_waited_for_while_the_scheduler_comes_to_those_kicked_before_it)
{
    rig_run(rig, 2 * SKR_SECOND);
    rig_group(rig, "h", 4, 0, NULL);
    rig_pods(rig, "q", 4, "h", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "h"), "Admitting");
    for (int i = 0; i < 4; i++) {
        char name[16];
        rig_run(rig, 12 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Admitting");
        assert_string_equal(rig_state(rig, "h"), "Admitting");
        snprintf(name, sizeof name, "p-%d", i);
        rig_filter(rig, name, rig_nominated(rig, name));
    }
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "h"), "Admitting");
    a_later_pod_is_asked_about(rig);
    assert_string_equal(rig_key(rig, "h", "reason"), "FilteredByOthers");
}

TEST_RIG(planned(0), a_plan_is_not_waited_for_while_the_scheduler_comes_to_those_kicked_after_it)
{
    rig_filter(rig, "p-0", rig_nominated(rig, "p-0")); /* it lives */
    rig_run(rig, (SKR_QUEUE_LAG_S + 1) * SKR_SECOND);
    rig_group(rig, "h", 4, 0, NULL);
    rig_pods(rig, "q", 4, "h", 0);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 3; i++) { /* each is asked about for the first time */
        char name[16];
        rig_run(rig, 3 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Admitting");
        snprintf(name, sizeof name, "q-%d", i);
        rig_filter(rig, name, rig_nominated(rig, name));
        rig_run(rig, SKR_SECOND);
    }
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
    assert_string_equal(rig_state(rig, "h"), "Admitting");
}

TEST_RIG(planned(RIG_GATED), a_scheduler_that_is_down_costs_no_patience)
{
    rig_run(rig, 120 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), 4);
}

TEST_RIG(planned(0), within_5_s_of_a_change_of_its_node_a_refused_member_is_kicked_once_more)
{
    rig_run(rig, 10 * SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-0", "{'metadata':{'labels':{'zone':'z'}}}");
    rig_run(rig, SKR_SECOND);
    struct rig_answer a = rig_filter(rig, "p-0", "node-2 node-3"); /* the cache lags */
    assert_int_equal(a.n_passed, 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 2);
    rig_filter(rig, "p-0", "node-2 node-3"); /* again: that is a veto */
    rig_run(rig, SKR_SECOND);
    assert_true(strcmp(rig_nominated(rig, "p-0"), "node-0") != 0);
}

TEST_RIG(planned(0), a_list_without_the_planned_node_means_nothing_before_it_was_nominated)
{
    rig_run(rig, 10 * SKR_SECOND);
    rig->hold_watch[RIG_POD] = true;
    rig_edit(rig, RIG_POD, "p-0", "{'status':{'nominatedNodeName':null}}");
    assert_int_equal(rig_filter(rig, "p-0", "node-2 node-3").n_passed, 0);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-0");
}

TEST_RIG(rig_create(), a_complete_probe_vetoes_a_node_it_leaves_out_only_if_the_pod_would_fit)
{
    rig_racks(rig, 1, 3, 2);
    rig_pod(rig, "full", NULL, RIG_BIG);
    rig_edit(rig, RIG_POD, "full", "{'spec':{'nodeName':'node-1'}}");
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_run(rig, 10 * SKR_SECOND); /* the nodes are old news */
    rig_pod(rig, "p-0", "g", 0);
    rig_settle(rig);
    rig_filter(rig, "p-0", "node-2 nowhere"); /* neither node-0 nor node-1 */
    rig_pod(rig, "p-1", "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-2"); /* node-0 is vetoed */
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "full"); /* node-1 was merely full */
    rig_group(rig, "h", 4, 0, NULL);
    rig_pods(rig, "q", 4, "h", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "q-0"), "node-0"); /* no pod of that template was left */
}

TEST_RIG(rig_create(), after_a_veto_nodes_that_a_probe_has_listed_come_first)
{
    rig_racks(rig, 1, 4, 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_run(rig, 10 * SKR_SECOND);
    for (int i = 10; i < 120; i++) { /* outside the tree: no probe is complete */
        rig_node(rig, test_text("node-%d", i), 1);
    }
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-1"), "node-1");
    rig_filter(rig, "p-0", "node-0");
    rig_filter(rig, "p-1", "node-2 node-3"); /* node-1 was refused */
    rig_settle(rig);
    rig_filter(rig, "p-1", "node-2 node-3"); /* waiting: that is a probe */
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p-0"), "node-2");
    assert_string_equal(rig_nominated(rig, "p-1"), "node-3");
}

/* "Binding" cannot be written for a while, with keys or without, and meanwhile the held calls end: who comes back is turned away. */
TEST(members_that_come_while_the_plan_is_being_written_are_woken_when_it_is)
{
    for (int flags = 0; flags <= RIG_GATED; flags += RIG_GATED) {
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.bind_timeout = 20 * SKR_SECOND;
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
        rig_racks(rig, 1, 2, 2);
        rig_group(rig, "g", 2, 0, NULL);
        rig_sync(rig);
        rig->hold_scheduler = true;
        rig_pods(rig, "p", 2, "g", flags);
        rig_run(rig, SKR_SECOND);
        rig_fault(rig, SKR_WRITE_PATCH_CONFIGMAP, "g", RIG_403, 2);
        rig->hold_scheduler = false;
        rig_run(rig, 28 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "g"), "Binding");
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        assert_int_equal(rig_open_calls(rig), 0);
        rig_run(rig, 20 * SKR_SECOND);
        rig_assert_bound(rig, "p", 2);
    }
}

/* The traces of a plan go with a patch whose answer is lost, and the same plan is made again before the watch says so. */
TEST_RIG(planned(0), a_member_whose_traces_may_be_gone_is_equipped_before_it_is_bound)
{
    rig->hold_watch[RIG_POD] = true;
    rig_fault(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0", RIG_LOST_APPLIED, 1);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{'}}");
    rig_settle(rig);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.rank"), "");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':null}}");
    rig_run(rig, 60 * SKR_MILLISECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_MILLISECOND);
    rig->hold_watch[RIG_POD] = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.rank"), "0");
}
