/* SPDX-License-Identifier: Apache-2.0 */
/* Which pod the model of kube-scheduler places next and where, against what real ones were seen to
 * do; how many nodes it looks at, and what it does not know. */
#include "test/test.h"
#include "test/unit/scheduler_model_rig.h"

/* ---- placing ---- */

TEST_WITH(rig, a_pod_is_bound_where_the_extender_likes_it)
{
    sched_add_node(rig, "n1", "4");
    sched_add_node(rig, "n2", "4");
    sched_add_node(rig, "n3", "4");
    rig->best = "n2";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p", "n2");
    assert_int_equal(rig->n_calls, 1);
    assert_int_equal(rig->n_prioritize, 1);
    assert_int_equal(rig->call[0].n, 3);
}

TEST_WITH(rig, scoring_is_skipped_where_one_node_is_left)
{
    sched_add_node(rig, "n1", "1");
    sched_add_node(rig, "n2", "4");
    sched_add_pod(rig, "p", "2");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p", "n2");
    assert_int_equal(rig->n_prioritize, 0);
    assert_int_equal(rig->call[0].n, 1);
}

TEST_WITH(rig, emptier_nodes_are_preferred_and_the_first_of_equals)
{
    sched_add_node(rig, "n1", "4");
    sched_add_node(rig, "n2", "4");
    sched_add_node(rig, "n3", "8");
    for (int i = 0; i < 3; i++) {
        sched_add_pod(rig, test_text("p%d", i), "2");
    }
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p0", "n3"); /* 75 % of its cpu left */
    sched_assert_on(rig, "p1", "n1"); /* 50 % everywhere */
    sched_assert_on(rig, "p2", "n2"); /* n1 is full, n3 has less left */
}

TEST_WITH(rig, the_nominated_node_is_asked_about_alone)
{
    sched_add_node(rig, "n1", "4");
    sched_add_node(rig, "n2", "4");
    sched_add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    sched_patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n2\"}}");
    sched_run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 0);
    sched_patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    sched_run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 1);
    assert_int_equal(rig->call[0].n, 1);
    assert_string_equal(rig->call[0].first, "n2");
    assert_int_equal(rig->n_prioritize, 0);
    sched_assert_on(rig, "p", "n2");
}

TEST_WITH(rig, a_refused_nominated_node_is_followed_by_the_list_in_the_same_cycle)
{
    sched_add_node(rig, "n1", "4");
    sched_add_node(rig, "n2", "4");
    sched_add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    sched_patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n2\"}}");
    sched_patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    rig->only = "n1";
    sched_run(rig, 10 * MS);
    assert_int_equal(rig->n_calls, 2);
    assert_int_equal(rig->call[0].n, 1);
    assert_int_equal(rig->call[1].n, 2);
    assert_int_equal(rig->call[0].at, rig->call[1].at);
    sched_assert_on(rig, "p", "n1");
}

TEST_WITH(rig, nominated_room_is_kept_from_equal_and_lower_priority)
{
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "holder", "3", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    sched_patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    sched_run(rig, 10 * MS);
    sched_add_pod(rig, "equal", "2");
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "equal", "");
    assert_string_equal(sched_condition(rig, "equal", "message"),
                        "0/1 nodes are available: 1 Insufficient cpu" AFTER);
    sched_put(rig, json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1",
                             "kind", "PriorityClass", "metadata", "name", "high", "value", 5));
    sched_add_pod_with(rig, "higher", "2", "{\"priorityClassName\":\"high\"}");
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "higher", "n1");
}

TEST_WITH(rig, taking_a_nomination_away_wakes_who_was_charged_for_it)
{
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "holder", "3", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    sched_patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    sched_add_pod(rig, "other", "2");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "other", "");
    sched_patch(rig, "Pod", "holder", "status", "{\"status\":{\"nominatedNodeName\":null}}");
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "other", "n1");
}

TEST_WITH(rig, higher_priority_goes_first_then_who_waits_longest)
{
    sched_add_node(rig, "n1", "8");
    sched_put(rig, json_pack("{s:s, s:s, s:{s:s}, s:i}", "apiVersion", "scheduling.k8s.io/v1",
                             "kind", "PriorityClass", "metadata", "name", "high", "value", 5));
    sched_add_pod(rig, "a", "1");
    sched_add_pod(rig, "b", "1");
    sched_add_pod_with(rig, "c", "1", "{\"priorityClassName\":\"high\"}");
    sched_run(rig, 100 * MS);
    assert_int_equal(rig->n_calls, 3);
    assert_string_equal(rig->call[0].pod, "c");
    assert_string_equal(rig->call[1].pod, "a");
    assert_string_equal(rig->call[2].pod, "b");
}

TEST_WITH(rig, a_held_bind_blocks_nobody_and_keeps_its_room)
{
    sched_add_node(rig, "n1", "4");
    rig->hold = true;
    sched_add_pod(rig, "held", "3");
    sched_run(rig, 10 * MS);
    uint64_t held = rig->bind_call;
    rig->hold = false;
    sched_add_pod(rig, "small", "1");
    sched_add_pod(rig, "large", "2");
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "small", "n1");
    sched_assert_on(rig, "large", "");
    sched_write_binding(rig, "held", "n1", rig->now);
    skr_scheduler_bind_done(rig->scheduler, held, NULL);
    sched_run(rig, 10 * MS);
    sched_assert_on(rig, "held", "n1");
    struct skr_scheduler_stats stats;
    skr_scheduler_get_stats(rig->scheduler, &stats);
    assert_int_equal(stats.assumed, 0);
}

TEST_WITH(rig, foreign_and_finished_pods_are_left_alone)
{
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "foreign", "1", "{\"schedulerName\":\"other\"}");
    sched_add_pod_with(rig, "done", "4", "{\"nodeName\":\"n1\"}");
    sched_patch(rig, "Pod", "done", "status", "{\"status\":{\"phase\":\"Succeeded\"}}");
    sched_add_pod(rig, "p", "4");
    sched_run(rig, SKR_SECOND);
    sched_assert_on(rig, "foreign", "");
    sched_assert_on(rig, "p", "n1");
}

/* ---- sampling ---- */

static void assert_sampled(struct rig *r, size_t nodes, int percentage, size_t expected)
{
    skr_scheduler_destroy(r->scheduler);
    skr_store_destroy(r->store);
    r->store = skr_store_create(1);
    r->now = START;
    r->n_calls = 0;
    r->only = "";
    for (size_t i = 0; i < nodes; i++) {
        sched_add_node(r, test_text("n%05zu", i), "4");
    }
    sched_create(r, percentage);
    sched_add_pod(r, "p", "1");
    sched_add_pod(r, "q", "1");
    sched_run(r, 4 * MS);
    assert_true(r->n_calls >= 2);
    assert_int_equal(r->call[0].n, expected);
    assert_string_equal(r->call[0].first, "n00000");
    char first[32];
    snprintf(first, sizeof first, "n%05zu", expected % nodes);
    assert_string_equal(r->call[1].first, first);
}

TEST_WITH(rig, only_so_many_feasible_nodes_are_looked_for_from_a_rotating_start)
{
    assert_sampled(rig, 99, 0, 99);
    assert_sampled(rig, 150, 5, 100);
    assert_sampled(rig, 150, 100, 150);
    assert_sampled(rig, 300, 0, 144);
    assert_sampled(rig, 1000, 0, 420);
    assert_sampled(rig, 5700, 0, 285);
}

TEST(what_is_not_modelled_is_named)
{
    static const struct {
        const char *spec, *expected;
    } rows[] = {
        {"{}", NULL},
        {"{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"ScheduleAnyway\"}]}", NULL},
        {"{\"topologySpreadConstraints\":[{\"whenUnsatisfiable\":\"DoNotSchedule\"}]}",
         "topologySpreadConstraints"},
        {"{\"affinity\":{\"podAntiAffinity\":{"
         "\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}",
         "affinity.podAntiAffinity"},
        {"{\"affinity\":{\"podAffinity\":{"
         "\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}",
         "affinity.podAffinity"},
        {"{\"containers\":[{\"ports\":[{\"hostPort\":80}]}]}", NULL},
        {"{\"resourceClaims\":[{}]}", NULL},
        {"{\"volumes\":[{\"persistentVolumeClaim\":{}}]}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *pod = json_pack("{s:o}", "spec", json_loads(rows[i].spec, 0, NULL));
        const char *got = skr_scheduler_unmodelled(pod);
        assert_string_equal(got ? got : "", rows[i].expected ? rows[i].expected : "");
        json_decref(pod);
    }
}
