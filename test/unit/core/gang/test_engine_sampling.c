/* SPDX-License-Identifier: Apache-2.0 */
/* Gated members where kube-scheduler looks at every node, and where it may not. */
#include "test/unit/engine_test.h"

enum { MEMBERS = 4 };

/* Group "g" of 4, p-0..p-3, two to a node, in racks of four nodes. */
static struct rig *gang_on(int racks)
{
    struct rig *rig = rig_create();
    rig_racks(rig, racks, 4, 2);
    rig_group(rig, "g", MEMBERS, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_hear(rig, "sakkara", "node-0 node-1"); /* a sample, where it may be one */
    rig_forget_counts(rig);
    rig_pods(rig, "p", MEMBERS, "g", RIG_GATED);
    return rig;
}

static void assert_patches(struct rig *rig, int nominations)
{
    for (int i = 0; i < MEMBERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", i);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, name), nominations);
        assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, name), 1);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, name), 0);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, name), 1);
    }
}

TEST_RIG(gang_on(24), below_a_hundred_nodes_the_gate_goes_with_all_that_a_member_carries)
{
    rig->hold_scheduler = true;
    rig_run(rig, SKR_SECOND);
    assert_false(rig_is_gated(rig, "p-2"));
    assert_string_equal(rig_nominated(rig, "p-2"), "");
    assert_string_equal(rig_planned(rig, "p-2"), "node-1");
    assert_string_equal(rig_label(rig, "p-2", "sakkara.member.rank"), "2");
    assert_string_equal(rig_label(rig, "p-2", "sakkara.member.status"), "Assigned");
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_patches(rig, 0);
}

TEST_RIG(gang_on(25), where_it_takes_a_sample_a_member_is_nominated_before_its_gate_goes)
{
    rig->hold_kind = SKR_WRITE_UNGATE_POD;
    rig_run(rig, SKR_SECOND);
    assert_true(rig_is_gated(rig, "p-2"));
    assert_string_equal(rig_nominated(rig, "p-2"), "node-1");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_UNGATE_POD, NULL), RIG_OK);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_patches(rig, 1);
}

TEST_RIG(rig_create(), who_is_asked_about_without_its_node_is_nominated_after_all)
{
    rig_node(rig, "first", 8); /* not in the tree, and all that kube-scheduler finds */
    rig_racks(rig, 1, 4, 2);
    rig->sample = 1;
    rig_gang(rig, "g", MEMBERS, "p", MEMBERS, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_patches(rig, 1);
    assert_int_equal(rig->n_solves, 1);
}

static bool not_on_node_1(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)pod;
    return strcmp(node, "node-1") != 0;
}

TEST_RIG(gang_on(1), a_node_that_kube_scheduler_refuses_is_left_by_the_next_plan)
{
    rig->in_tree = not_on_node_1;
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
        assert_true(strcmp(rig_node_of(rig, test_text("p-%d", i)), "node-1") != 0);
    }
}

TEST_RIG(gang_on(1), whatever_becomes_of_the_answer_the_gate_goes_and_the_plan_stands)
{
    static const enum rig_outcome bad[] = {RIG_LOST, RIG_LOST_APPLIED, RIG_429, RIG_409};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rig_fault(rig, SKR_WRITE_UNGATE_POD, test_text("p-%zu", i), bad[i], 2);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_int_equal(rig->n_solves, 1);
}

TEST(a_restart_nominates_those_alone_that_were_turned_away_without)
{
    for (int missed = 0; missed < 2; missed++) {
        SKR_AUTO(rig_destroy) struct rig *rig = gang_on(1);
        rig->hold_scheduler = true;
        rig_run(rig, SKR_SECOND);
        if (missed) { /* refused by the daemon that dies before it can nominate */
            rig->hold_writes = true;
            rig_filter(rig, "p-2", "node-0");
            rig_edit(rig, RIG_POD, "p-2",
                     "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':"
                     "'Unschedulable','message':'sakkara: group is being planned'}]}}");
        }
        rig_restart(rig);
        rig->hold_writes = rig->hold_scheduler = false;
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", MEMBERS);
        assert_string_equal(rig_node_of(rig, "p-2"), "node-1");
        assert_string_equal(rig_nominated(rig, "p-0"), "");
        assert_int_equal(rig->n_solves, 1);
    }
}

/* Its map goes and the process dies in state Binding, when two of four are bound. */
TEST_RIG(gang_on(1), members_that_were_not_nominated_are_bound_although_map_and_daemon_are_gone)
{
    rig_fault_after(rig, SKR_WRITE_BINDING, NULL, RIG_LOST, 2, 2);
    rig->hold_watch[RIG_MAP] = true;
    rig_run(rig, 10 * SKR_MILLISECOND);
    for (int i = 0; i < 1000 && rig_n_bound(rig, "g") < 2; i++) {
        rig_run(rig, 10 * SKR_MILLISECOND);
    }
    assert_int_equal(rig_n_bound(rig, "g"), 2);
    rig_delete(rig, RIG_MAP, "g");
    rig->hold_watch[RIG_MAP] = false;
    rig_faults_end(rig);
    rig_restart(rig);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
}
