/* SPDX-License-Identifier: Apache-2.0 */
/* A gang without the gate behind a long queue of kube-scheduler, which tries a pod a second. */
#include <utlist.h>

#include "core/gang/cache/vetoes.h"
#include "core/gang/group/group_table.h"
#include "core/gang/plan/scheduler_progress.h"
#include "test/unit/engine_test.h"

/* Two nodes of two cpu. Members of "before" fit nowhere together; they came first. */
static struct rig *behind_members(int n, int flags)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "before", n, 0, NULL);
    rig_group(rig, "late", 4, 0, NULL);
    rig_pods(rig, "b", n, "before", flags);
    rig_pods(rig, "p", 4, "late", flags);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "late"), "Admitting");
    return rig;
}

static struct rig *behind(int n)
{
    return behind_members(n, 0);
}

static void tries(struct rig *rig, int pods)
{
    for (int i = 0; i < pods; i++) {
        rig_step_scheduler(rig);
        rig_run(rig, SKR_SECOND);
    }
}

static void is_bound_by_its_first_plan(struct rig *rig)
{
    rig_assert_bound(rig, "p", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, "p-0"), 1);
    assert_false(rig_has_event(rig, "group late is not placed"));
    assert_null(skr_groups_find(rig->gang, "default/late")->vetoes.set);
}

TEST_RIG(behind(60), a_gang_keeps_its_plan_until_kube_scheduler_comes_to_it)
{
    tries(rig, 60);
    assert_string_equal(rig_state(rig, "late"), "Admitting");
    assert_int_equal(rig_n_bound(rig, "late"), 0);
    tries(rig, 5);
    is_bound_by_its_first_plan(rig);
}

TEST_RIG(behind_members(60, RIG_GATED), members_with_the_gate_stand_before_no_gang)
{
    tries(rig, 5);
    rig_assert_bound(rig, "p", 4);
}

/* Longer than plans may take otherwise. */
TEST_RIG(behind(330), the_deadline_of_a_plan_waits_for_the_pods_before_it)
{
    tries(rig, 335);
    is_bound_by_its_first_plan(rig);
}

#define IN_TREE                                                                  \
    "{'status':{'conditions':[{'type':'PodScheduled','status':'False','reason':" \
    "'Unschedulable','message':'0/2 nodes are available: 2 Insufficient cpu.'}]}}"

/* A member was tried while its nodes were full. Its condition is that of the past. */
TEST_RIG(rig_create(), what_kube_scheduler_said_before_the_plan_refuses_nothing)
{
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "late", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "b", 30, NULL, 0);
    rig_pods(rig, "p", 4, "late", 0);
    rig_edit(rig, RIG_POD, "p-0", IN_TREE);
    rig_edit(rig, RIG_POD, "p-1", IN_TREE);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 30; i++) {
        char name[16];
        snprintf(name, sizeof name, "b-%d", i);
        rig_filter(rig, name, NULL);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "late"), "Admitting");
    }
    assert_string_equal(rig_key(rig, "late", "reason"), "");
    assert_null(skr_groups_find(rig->gang, "default/late")->vetoes.set);
    rig_edit(rig, RIG_POD, "p-1",
             "{'status':{'conditions':[{'type':'PodScheduled','status':"
             "'False','reason':'Unschedulable','message':'0/2 nodes are "
             "available: 2 node(s) had untolerated taint'}]}}");
    rig_run(rig, 2 * SKR_SECOND); /* an answer of today */
    assert_string_equal(rig_key(rig, "late", "reason"), "FilteredByOthers");
    assert_non_null(strstr(rig_key(rig, "late", "message"), "for pod p-1: TaintToleration"));
}

/* ---- what proves that a member was passed ---- */

enum { TURNS = 10, TURN_S = 3 };

struct other {
    const char *scheduler;
    int32_t priority;
    bool is_old, proves;
};

/* kube-scheduler lives: there is no pause in which it may have restarted. The pod has a higher priority. */
static void goes_on(struct rig *rig, int turns)
{
    for (int t = 0; t < turns; t++) {
        rig_filter(rig, "alive", NULL);
        rig_run(rig, TURN_S * SKR_SECOND);
    }
}

/* A planned gang, and another pod that came before it or after it. */
static struct rig *planned_beside(const struct other *o)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "late", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "alive", NULL, 0);
    rig_edit(rig, RIG_POD, "alive", "{'spec':{'priority':1000}}");
    if (o->is_old) {
        rig_pod(rig, "other", NULL, 0);
    }
    rig_settle(rig);
    goes_on(rig, 3);
    rig_pods(rig, "p", 4, "late", 0);
    rig_settle(rig);
    goes_on(rig, 3);
    if (!o->is_old) {
        rig_pod(rig, "other", NULL, 0);
    }
    rig_edit(rig, RIG_POD, "other", "{'spec':{'schedulerName':'%s','priority':%d}}", o->scheduler,
             (int)o->priority);
    rig_settle(rig);
    return rig;
}

TEST(only_a_pod_behind_a_member_proves_that_the_member_was_passed)
{
    static const struct other row[] = {
        {"sakkara", 0, .proves = true},
        {"sakkara", -1, .proves = true},
        {"sakkara", -1, .is_old = true, .proves = true},
        {"sakkara", 0, .is_old = true}, /* asked about once since */
        {"sakkara", 1, .proves = false},
        {"sakkara-scheduler", 0, .proves = false}, /* perhaps another process */
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = planned_beside(&row[i]);
        goes_on(rig, TURNS);
        assert_string_equal(rig_state(rig, "late"), "Admitting");
        rig_filter(rig, "other", NULL);
        rig_run(rig, SKR_SECOND);
        const bool ended = strcmp(rig_key(rig, "late", "reason"), "FilteredByOthers") == 0;
        if (ended != row[i].proves) {
            rig_fail(rig, "row %zu: %s", i, ended ? "the plan has ended" : "the plan stands");
        }
        if (ended) {
            assert_null(skr_groups_find(rig->gang, "default/late")->vetoes.set);
        }
    }
}

static struct rig *planned_before(int32_t priority)
{
    const struct other later = {"sakkara", .priority = priority};
    return planned_beside(&later);
}

/* It has all pods in its queue anew, in any order. */
TEST_RIG(planned_before(0),
         what_came_later_proves_nothing_to_a_kube_scheduler_that_has_just_started)
{
    goes_on(rig, TURNS);
    rig_restart_scheduler(rig);
    rig_filter(rig, "other", NULL);
    goes_on(rig, TURNS);
    assert_false(rig_has_event(rig, "group late is not placed"));
    rig_pod(rig, "news", NULL, 0);
    rig_settle(rig);
    rig_filter(rig, "news", NULL);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "late", "reason"), "FilteredByOthers");
}

/* Each time it comes back, kube-scheduler has come to what stands behind it. */
TEST_RIG(planned_before(1), a_pod_of_a_higher_priority_that_is_tried_again_and_again_keeps_no_plan)
{
    const skr_time until = rig->now + rig->settings.plan_timeout;
    while (rig->now < until) {
        goes_on(rig, 1);
    }
    assert_true(rig_has_event(rig, "not all members reached their bind call in time"));
    assert_null(skr_groups_find(rig->gang, "default/late")->vetoes.set);
}

/* The second call of a cycle follows the first one at once: the pod did not enter the queue between them. */
TEST_RIG(behind(5), two_calls_of_one_cycle_are_one_turn)
{
    rig_edit(rig, RIG_POD, "b-0", "{'status':{'nominatedNodeName':'node-0'}}");
    for (int t = 0; t < TURNS; t++) {
        rig_filter(rig, "b-0", "node-0");
        rig_run(rig, TURN_S * SKR_SECOND);
    }
    rig_filter(rig, "b-0", NULL);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "late"), "Admitting");
    rig_filter(rig, "b-0", NULL); /* this one is another turn */
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "late", "reason"), "FilteredByOthers");
}

/* ---- hopeless members ---- */

/* They were asked about before the last one came. The label that corrects their condition wakes them. */
TEST_RIG(rig_create(), members_without_a_gate_are_woken_one_after_the_other)
{
    enum { MEMBERS = 300, A_SECOND = 80, LONGEST_S = 30 };
    size_t before, most = 0;
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "before", MEMBERS, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "b", MEMBERS, "before", 0);
    rig_settle(rig);
    const size_t first = rig_count(rig, SKR_WRITE_PATCH_POD, NULL);
    for (int t = 0; t < LONGEST_S; t++) {
        before = rig_count(rig, SKR_WRITE_PATCH_POD, NULL);
        rig_run(rig, SKR_SECOND);
        const size_t n = rig_count(rig, SKR_WRITE_PATCH_POD, NULL) - before;
        most = n > most ? n : most;
    }
    assert_in_range(most, 1, A_SECOND);
    const size_t woken = rig_count(rig, SKR_WRITE_PATCH_POD, NULL) - first;
    assert_in_range(woken, MEMBERS / 2, MEMBERS);
    assert_string_equal(rig_key(rig, "before", "reason"), "NeverFits");
}
