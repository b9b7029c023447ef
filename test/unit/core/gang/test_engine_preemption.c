/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that give way to groups of higher priority. */
#include <string.h>

#include "test/test.h"
#include "test/unit/engine_rig.h"
#include "test/unit/engine_rig_failover.h"

struct cluster {
    struct rig *rig;
};

/* Nodes of four cpus in one rack; evicted pods take ten seconds to go. */
static void cluster_set_up(struct cluster *cluster)
{
    cluster->rig = rig_create();
    cluster->rig->grace = 10 * SKR_SECOND;
}

static void cluster_tear_down(struct cluster *cluster)
{
    rig_destroy(cluster->rig);
}

/* A group of that many pods NAME-0 .. */
static void gang(struct rig *rig, const char *name, int size, int priority)
{
    rig_group(rig, name, size, priority, NULL);
    rig_pods(rig, name, size, name, RIG_GATED);
}

static void bound(struct rig *rig, const char *name, int size, int priority)
{
    gang(rig, name, size, priority);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, name, size);
}

static void start(struct rig *rig, int nodes)
{
    rig_racks(rig, 1, nodes, 4);
    rig_sync(rig);
}

static size_t evictions(struct rig *rig, const char *pod)
{
    return rig_count(rig, SKR_WRITE_EVICT, pod);
}

/* What was held back goes on, with this outcome. */
static void let_go(struct rig *rig, enum skr_write_kind kind, enum rig_outcome outcome)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, kind, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, kind, NULL), outcome);
    }
}

TEST_WITH(cluster, d36_of_three_equal_nodes_only_the_group_of_the_lowest_priority_goes)
{
    struct rig *rig = cluster->rig;
    start(rig, 3);
    bound(rig, "a", 4, 2);
    bound(rig, "b", 4, 1);
    bound(rig, "c", 4, 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "status"), "Preempting");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForPreemption");
    assert_string_equal(rig_key(rig, "top", "message"),
                        "group top waits for 4 pods of 1 group to leave: default/c");
    assert_string_equal(rig_key(rig, "c", "status"), "Preempted");
    assert_string_equal(rig_key(rig, "c", "preemptor"), "default/top");
    assert_string_equal(rig_filter(rig, "top-0", NULL).text,
                        "sakkara: group waits for victims to leave");
    rig_run(rig, 15 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    rig_assert_bound(rig, "b", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
    assert_string_equal(rig_key(rig, "c", "preemptor"), "");
    assert_string_equal(rig_key(rig, "top", "status"), "Bound");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
    assert_true(rig_has_event(rig, "ConfigMap/top Normal GroupPreempting: group top waits"));
    assert_true(rig_has_event(
        rig, "ConfigMap/c Normal GroupPreempted: group c gives way to group default/top"));
}

TEST_WITH(cluster, d37_nobody_is_evicted_without_need)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "top", 4, 9);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_WITH(cluster, d37_nobody_is_evicted_without_use)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "b", 4, 9);
    rig_group(rig, "top", 8, 5, NULL); /* b does not give way, and a is not enough */
    rig_pods(rig, "top", 8, "top", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_WITH(cluster, an_equal_priority_and_priority_zero_preempt_nobody)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 3);
    bound(rig, "b", 4, -3);
    gang(rig, "same", 4, 3);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
    assert_string_equal(rig_key(rig, "b", "status"), "Preempted");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "same", 4);
    gang(rig, "zero", 4, 0);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "zero", "status"), "Ready");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
}

TEST_WITH(cluster, d38_the_computed_nodes_are_kept_and_no_more_victims_are_chosen)
{
    struct rig *rig = cluster->rig;
    rig->grace = 30 * SKR_SECOND;
    start(rig, 3);
    bound(rig, "a", 4, 2);
    bound(rig, "b", 4, 1);
    bound(rig, "c", 4, 0);
    const char *node = rig_node_of(rig, "c-0");
    char want[64];
    snprintf(want, sizeof want, "%s", node);
    gang(rig, "top", 4, 9);
    for (int i = 0; i < 29; i++) {
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_state(rig, "top"), "Preempting");
        assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 4);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "top-0"), want);
    assert_string_equal(rig_node_of(rig, "top-3"), want);
}

TEST_WITH(cluster, d39_a_victim_with_a_pending_member_empties_and_starts_anew)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 3, 0);
    rig_edit(rig, RIG_MAP, "low", "{'data':{'size':'4'}}");
    rig_pod(rig, "filler", NULL, 0);
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "low-3", "low", RIG_GATED); /* no room for it */
    rig_run(rig, SKR_SECOND);
    gang(rig, "top", 3, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 3);
    assert_string_equal(rig_state(rig, "low"), "Pending");
    assert_string_equal(rig_key(rig, "low", "status"), "Waiting");
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

TEST_WITH(cluster, d40_a_group_whose_budget_lets_nobody_go_stays)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "b", 4, 1);
    rig_budget(rig, "a", "a", 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_string_equal(rig_key(rig, "b", "status"), "Preempted");
}

TEST_WITH(cluster, where_all_budgets_say_no_the_group_waits_until_one_is_gone)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_budget(rig, "a", "a", 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_delete(rig, RIG_BUDGET, "a");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_WITH(cluster, an_eviction_that_a_budget_refuses_is_asked_for_again)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 3);
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND / 2);
    assert_int_equal(evictions(rig, "a-2"), 1);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(evictions(rig, "a-2"), 2);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_WITH(cluster,
          an_eviction_that_was_forbidden_for_a_moment_is_asked_for_when_nothing_else_happens)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_403, 4);
    gang(rig, "top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "status"), "Ready");
    assert_int_equal(rig_n_bound(rig, "a"), 4);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

static struct rig *that_forces(skr_time after)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preempt_force_after = after;
    struct rig *rig = rig_create_with(&settings);
    rig->grace = SKR_SECOND;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    return rig;
}

TEST(what_a_budget_keeps_for_longer_than_preemptForceAfter_is_marked_and_deleted)
{
    struct rig *rig = that_forces(20 * SKR_SECOND);
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 1000);
    gang(rig, "top", 4, 9);
    rig_run(rig, 19 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_POD, NULL), 0);
    assert_int_equal(rig_n_bound(rig, "a"), 1);
    rig->hold_kind = SKR_WRITE_DELETE_POD;
    rig_run(rig, 3 * SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_DELETE_POD, "a-2");
    const struct rig_object *pod = rig_find(rig, RIG_POD, "a-2");
    assert_non_null(w);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(w->body, "preconditions"), "uid")),
        pod->pod->meta.uid);
    const json_t *condition =
        json_array_get(json_object_get(json_object_get(pod->json, "status"), "conditions"), 0);
    assert_string_equal(json_string_value(json_object_get(condition, "type")), "DisruptionTarget");
    assert_string_equal(json_string_value(json_object_get(condition, "reason")),
                        "PreemptionByScheduler");
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 1); /* the others were evicted */
    let_go(rig, SKR_WRITE_DELETE_POD, RIG_OK);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_destroy(rig);
}

TEST(by_default_a_budget_is_waited_for_however_long_that_takes)
{
    struct rig *rig = that_forces(SKR_TIME_NEVER);
    rig_fault(rig, SKR_WRITE_EVICT, "a-2", RIG_429, 1000);
    gang(rig, "top", 4, 9);
    rig_run(rig, 1800 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 0);
    assert_int_equal(rig_n_bound(rig, "a"), 1);
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_destroy(rig);
}

TEST(a_forced_deletion_that_fails_is_tried_again_with_pauses)
{
    static const enum rig_outcome outcomes[] = {RIG_429, RIG_409, RIG_LOST, RIG_LOST_APPLIED};
    static const enum skr_write_kind kinds[] = {SKR_WRITE_MARK_POD, SKR_WRITE_DELETE_POD};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < sizeof outcomes / sizeof *outcomes; i++) {
            struct rig *rig = that_forces(5 * SKR_SECOND);
            rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000);
            rig_fault(rig, kinds[k], "a-1", outcomes[i], 3);
            gang(rig, "top", 4, 9);
            rig_run(rig, 300 * SKR_SECOND);
            rig_assert_bound(rig, "top", 4);
            assert_in_range(rig_count(rig, SKR_WRITE_MARK_POD, NULL), 4, 8);
            assert_in_range(rig_count(rig, SKR_WRITE_DELETE_POD, NULL), 4, 8);
            rig_destroy(rig);
        }
    }
}

TEST_WITH(cluster, evictions_name_the_uid_and_an_unknown_outcome_is_tried_again)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig->hold_kind = SKR_WRITE_EVICT;
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_EVICT, "a-0");
    const struct rig_object *pod = rig_find(rig, RIG_POD, "a-0");
    assert_non_null(w);
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(w->body, "deleteOptions"), "preconditions"), "uid")),
        pod->pod->meta.uid);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, "a-0"), RIG_LOST_APPLIED);
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, "a-1"), RIG_LOST);
    let_go(rig, SKR_WRITE_EVICT, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_WITH(cluster, d41_groups_on_nodes_that_are_closed_to_the_gang_stay)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'taints':[{'key':'k','effect':'NoSchedule'}]}}");
    gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "a", 4);
}

TEST_WITH(cluster, d42_replacements_of_victims_do_not_take_the_room)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    rig_delete(rig, RIG_NODE, "node-1");
    bound(rig, "a", 4, 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "again", 4, "a", RIG_GATED); /* at once */
    rig_pod(rig, "ordinary", NULL, 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "a"), 0);
    assert_string_equal(rig_node_of(rig, "ordinary"), "");
    assert_string_equal(rig_key(rig, "a", "status"), "Ready");
    rig_delete(rig, RIG_POD, "ordinary");
    rig_node(rig, "node-1", 4);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "again", 4);
}

TEST_WITH(cluster, a_preemptor_that_goes_lets_its_victims_be)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig->hold_kind = SKR_WRITE_EVICT;
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "preemptor"), "default/top");
    rig_delete(rig, RIG_MAP, "top");
    let_go(rig, SKR_WRITE_EVICT, RIG_429);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "a", 4);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
}

TEST_WITH(cluster, room_that_comes_otherwise_spares_the_victims)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "b", 4, 9);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_settle(rig);
    let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_WITH(cluster, a_victim_that_never_ends_holds_nobody_up_who_has_room)
{
    struct rig *rig = cluster->rig;
    rig->grace = 100000 * SKR_SECOND;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'8'}}}");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_WITH(cluster, pods_that_go_by_themselves_are_waited_for_and_nobody_is_evicted)
{
    struct rig *rig = cluster->rig;
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "b", 4, 9);
    for (int i = 0; i < 4; i++) {
        char name[8], text[64];
        snprintf(name, sizeof name, "b-%d", i);
        skr_time_write((rig->now + 20 * SKR_SECOND) / SKR_SECOND * SKR_SECOND, 0, text,
                       sizeof text);
        rig_edit(rig, RIG_POD, name, "{'metadata':{'deletionTimestamp':'%s'}}", text);
    }
    gang(rig, "top", 4, 5);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

TEST_WITH(cluster, a_pod_that_should_be_gone_long_ago_is_not_counted_on)
{
    struct rig *rig = cluster->rig;
    rig->grace = 0; /* nobody reaps */
    start(rig, 2);
    bound(rig, "a", 4, 0);
    bound(rig, "b", 4, 9);
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "b-%d", i);
        rig_edit(rig, RIG_POD, name, "{'metadata':{'deletionTimestamp':'1970-01-01T00:00:01Z'}}");
    }
    rig_run(rig, 120 * SKR_SECOND);
    gang(rig, "top", 4, 5);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "a"), 0);
}

TEST_WITH(cluster, a_pod_that_never_preempts_keeps_its_group_from_it)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_group(rig, "top", 4, 9, NULL);
    rig_pods(rig, "top", 3, "top", RIG_GATED);
    rig_create_json(rig, RIG_POD, "top-3",
                    "{'metadata':{'labels':{'sakkara.group.name':'top'}},'spec':{'schedulerName':"
                    "'sakkara','preemptionPolicy':'Never','containers':[{'name':'main','resources':"
                    "{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "a", 4);
}

TEST_WITH(cluster, members_beyond_the_size_of_a_group_go_alone)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'size':'2'}}");
    rig_run(rig, SKR_SECOND);
    gang(rig, "top", 2, 9);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 2);
    rig_assert_bound(rig, "a", 2);
    assert_int_equal(evictions(rig, "a-2") + evictions(rig, "a-3"), 0); /* counted while there */
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 2);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
}

TEST_WITH(cluster, a_plan_that_is_not_binding_is_taken_back)
{
    struct rig *rig = cluster->rig;
    rig->hold_scheduler = true;
    start(rig, 1);
    gang(rig, "low", 4, 1);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "low", "status"), "Assigned");
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_string_equal(rig_key(rig, "low", "reason"), "WaitingForCapacity");
}

static void answer_all(struct rig *rig, const char *map)
{
    for (int i = 0; i < 8; i++) { /* each answer may bring another write */
        while (rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, map)) {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, map), RIG_OK);
        }
        rig_settle(rig);
    }
}

TEST_WITH(cluster, a_plan_that_is_taken_back_late_is_waited_for_and_no_longer)
{
    struct rig *rig = cluster->rig;
    rig->hold_scheduler = true;
    start(rig, 1);
    gang(rig, "low", 4, 1);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    answer_all(rig, "top"); /* its plan is written, and the other one is to go */
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_true(*rig_annotation(rig, RIG_MAP, "low", "sakkara.plan"));
    rig_run(rig, 40 * SKR_SECOND); /* all else has come to rest */
    answer_all(rig, "top");
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "low"), RIG_OK);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "top"), "Planned");
    rig->hold_scheduler = false;
    let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* Who waits for victims gives way itself, before any of them was let go: they are those of the third group then. */
TEST_WITH(cluster, who_pushes_out_a_group_that_waits_for_victims_takes_them_over)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 1);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 100);
    gang(rig, "middle", 4, 5);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "middle"), "Preempting");
    gang(rig, "top", 4, 9);
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_faults_end(rig);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_int_equal(rig_n_bound(rig, "middle"), 0);
}

/* Before and after a restart. */
TEST(victims_of_a_group_that_gives_way_stay_where_their_room_is_not_needed)
{
    for (int restart = 0; restart < 2; restart++) {
        struct rig *rig = rig_create();
        start(rig, 2);
        bound(rig, "a", 4, 1);
        bound(rig, "b", 4, 1);
        rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 100);
        gang(rig, "middle", 8, 5);
        rig_run(rig, 3 * SKR_SECOND);
        assert_string_equal(rig_state(rig, "middle"), "Preempting");
        gang(rig, "top", 4, 9);
        rig_run(rig, 3 * SKR_SECOND);
        if (restart) {
            rig_restart(rig);
        }
        rig_faults_end(rig);
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_bound(rig, "top", 4);
        assert_int_equal(rig_n_bound(rig, "a") + rig_n_bound(rig, "b"), 4);
        assert_int_equal(rig_n_bound(rig, "middle"), 0);
        rig_destroy(rig);
    }
}

TEST_WITH(cluster, d49_preemption_survives_a_restart_with_the_same_victims_and_plan)
{
    struct rig *rig = cluster->rig;
    start(rig, 3);
    bound(rig, "a", 4, 2);
    bound(rig, "b", 4, 1);
    bound(rig, "c", 4, 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, SKR_SECOND);
    char plan[600];
    snprintf(plan, sizeof plan, "%s", rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"));
    assert_non_null(strstr(plan, "\"state\":\"Preempting\""));
    assert_non_null(strstr(plan, "\"victims\":[\"default/c\"]"));
    rig_restart(rig);
    rig_settle(rig);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_string_equal(rig_state(rig, "c"), "Evicted");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), plan);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    rig_assert_bound(rig, "b", 4);
    assert_string_equal(rig_key(rig, "c", "preemptor"), "");
}

TEST_WITH(cluster, a_group_whose_priority_is_raised_before_it_is_evicted_stays)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 0);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_MAP, "low", "{'data':{'priority':'5'}}");
    rig_run(rig, SKR_SECOND);
    let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "low", 4);
    assert_string_equal(rig_key(rig, "low", "status"), "Bound");
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
}

TEST_WITH(cluster, a_group_whose_budget_shrinks_before_it_is_evicted_stays)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 0);
    rig_budget(rig, "budget", "low", 4);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':3}}");
    rig_run(rig, SKR_SECOND);
    let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "low", 4);
    rig_edit(rig, RIG_BUDGET, "budget", "{'status':{'disruptionsAllowed':4}}");
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* Its object says nothing any more of a state, as a user may have replaced it. */
TEST_WITH(cluster, a_preemption_that_cannot_be_taken_up_at_the_start_is_given_up)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 0);
    gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "top", "{'data':{'status':null,'reason':null,'message':null}}");
    rig_delete(rig, RIG_POD, "top-3");
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "top", "reason"), "MembersMissing");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "");
}

/* Who takes over finds the record only after it has begun to decide, and is about to remove it when it makes the same
 * plan itself. */
TEST_WITH(cluster, nobody_is_evicted_while_the_record_is_on_its_way_out)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 0);
    rig_start_standby(rig);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 100; i++) {
        rig_step_standby(rig);
    }
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top"), RIG_OK);
    assert_non_null(rig_find_write(rig, SKR_WRITE_EVICT, "low-0"));
    rig->hold_solves = true;
    rig_fail_over_behind(rig);
    rig_settle(rig);
    size_t asked = rig_count(rig, SKR_WRITE_EVICT, NULL);
    assert_non_null(rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "top"));
    rig->hold_solves = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), asked);
    let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

/* The record says Planned as the follower saw it last; by then its gang runs. Nobody is nominated into its room. */
TEST_WITH(cluster, who_takes_over_knows_who_was_bound_before_anybody_is_pushed_out)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    rig_start_standby(rig);
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    gang(rig, "low", 4, 0);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 100; i++) {
        rig_step_standby(rig);
    }
    assert_string_equal(rig_state(rig, "low"), "Planned");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    let_go(rig, SKR_WRITE_PATCH_POD_STATUS, RIG_OK);
    rig_run(rig, 12 * SKR_SECOND);
    rig_assert_bound(rig, "low", 4);
    rig_fail_over(rig);
    assert_string_equal(rig_state(rig, "low"), "Bound");
    gang(rig, "top", 4, 5);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

/* One of two victims' pods is gone, the other one's eviction was not sent: it goes, too, though there is room without.
 * Objects are listed in every order. */
TEST(a_group_of_which_a_part_was_evicted_goes_as_a_whole_after_a_restart)
{
    for (int order = 0; order < 2 * RIG_KIND_COUNT; order++) {
        struct rig *rig = rig_create();
        start(rig, 2);
        rig_group(rig, "low", 5, 0, "{'node':{'type':'pack'}}"); /* four and one */
        rig_pods(rig, "low", 5, "low", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "low", 5);
        rig->hold_kind = SKR_WRITE_EVICT;
        gang(rig, "top", 6, 5);
        rig_run(rig, SKR_SECOND);
        for (int i = 0; i < 4; i++) {
            rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, NULL), RIG_OK);
        }
        rig_settle(rig);
        assert_int_equal(rig_n_bound(rig, "low"), 1);
        rig->hold_kind = SKR_WRITE_KIND_COUNT;
        rig->reverse_lists = order % 2;
        rig->list_rotation = order / 2;
        rig_restart(rig);
        rig_run(rig, 20 * SKR_SECOND);
        rig_assert_bound(rig, "top", 6);
        assert_int_equal(rig_n_bound(rig, "low"), 0);
        rig_destroy(rig);
    }
}

TEST_WITH(cluster, room_that_victims_left_is_kept_over_a_restart_before_anybody_is_nominated)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "low", 4, 0);
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    gang(rig, "top", 4, 9);
    rig_run(rig, 15 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    assert_non_null(
        strstr(rig_annotation(rig, RIG_MAP, "top", "sakkara.plan"), "\"state\":\"Planned\""));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
    rig_pods(rig, "other", 4, NULL, 0); /* in kube-scheduler's queue before anything is solved */
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "other-0"), "");
}

/* The process dies after every write in turn, with and without its answer. */
TEST(d49_preemption_survives_a_crash_after_every_write)
{
    for (int answered = 0; answered < 2; answered++) {
        for (size_t at = 1; at < 40; at++) {
            struct rig *rig = rig_create();
            rig->grace = 5 * SKR_SECOND;
            start(rig, 2);
            bound(rig, "a", 4, 1);
            bound(rig, "b", 4, 0);
            rig_forget_counts(rig);
            rig->n_applied = 0;
            rig->crash_at = at;
            rig->crash_before_answer = !answered;
            gang(rig, "top", 4, 9);
            rig_run(rig, 20 * SKR_SECOND);
            if (rig->crashed) {
                rig->crash_at = 0;
                rig_restart(rig);
            }
            rig_run(rig, 60 * SKR_SECOND);
            rig_assert_bound(rig, "top", 4);
            rig_assert_bound(rig, "a", 4);
            assert_int_equal(rig_n_bound(rig, "b"), 0);
            assert_string_equal(rig_key(rig, "b", "preemptor"), "");
            rig_assert_clean(rig);
            rig_destroy(rig);
        }
    }
}

TEST_WITH(cluster, a_link_to_a_preemptor_that_is_gone_vanishes_after_a_restart)
{
    struct rig *rig = cluster->rig;
    start(rig, 1);
    bound(rig, "a", 4, 0);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'preemptor':'default/gone','status':'Preempted'}}");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
}

TEST(preemption_can_be_switched_off)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    struct rig *rig = rig_create_with(&settings);
    start(rig, 1);
    bound(rig, "a", 4, 0);
    gang(rig, "top", 4, 9);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_destroy(rig);
}
