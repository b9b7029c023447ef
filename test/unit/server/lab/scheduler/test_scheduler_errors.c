/* SPDX-License-Identifier: Apache-2.0 */
/* The model of kube-scheduler when the extender fails: an error of filter, a bind that fails or is
 * late. */
#include "server/object/path.h"
#include "test/test.h"
#include "test/unit/scheduler_model_rig.h"

TEST_WITH(rig, an_error_of_filter_clears_the_nomination_and_backs_off)
{
    sched_add_node(rig, "n1", "4");
    sched_add_pod_with(rig, "p", "1", "{\"schedulingGates\":[{\"name\":\"g\"}]}");
    sched_patch(rig, "Pod", "p", "status", "{\"status\":{\"nominatedNodeName\":\"n1\"}}");
    sched_patch(rig, "Pod", "p", "", "{\"spec\":{\"schedulingGates\":null}}");
    rig->error = "sakkara: not ready";
    sched_run(rig, 10 * MS);
    assert_string_equal(sched_condition(rig, "p", "reason"), "SchedulerError");
    assert_string_equal(sched_condition(rig, "p", "message"), "sakkara: not ready");
    assert_string_equal(skr_path_text(sched_get(rig, "p"), "status.nominatedNodeName"), "");
    /* Nothing but time brings it back. */
    size_t calls = rig->n_calls;
    sched_patch(rig, "Pod", "p", "", "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}");
    sched_run(rig, 900 * MS);
    assert_int_equal(rig->n_calls, calls);
    sched_run(rig, 60 * SKR_SECOND);
    skr_time last = 0, longest = 0;
    for (size_t i = calls; i < rig->n_calls; i++) {
        longest = rig->call[i].at - last > longest && i > calls ? rig->call[i].at - last : longest;
        last = rig->call[i].at;
    }
    assert_true(longest >= 10 * SKR_SECOND && longest <= 11 * SKR_SECOND);
    rig->error = NULL;
    sched_run(rig, 12 * SKR_SECOND);
    sched_assert_on(rig, "p", "n1");
}

TEST_WITH(rig, backoff_doubles_up_to_its_maximum_in_windows_of_a_second)
{
    static const int expected_s[] = {0, 2, 5, 10, 19, 30, 41};
    sched_add_node(rig, "n1", "4");
    rig->error = "sakkara: not ready";
    sched_add_pod(rig, "p", "1");
    sched_run(rig, 50 * SKR_SECOND);
    assert_int_equal(rig->n_calls, sizeof expected_s / sizeof expected_s[0]);
    for (size_t i = 0; i < rig->n_calls; i++) {
        assert_int_equal(rig->call[i].at / SKR_SECOND, expected_s[i]);
    }
}

TEST_WITH(rig, a_failed_bind_gives_the_room_back_and_wakes_others)
{
    sched_add_node(rig, "n1", "4");
    rig->hold = true;
    sched_add_pod(rig, "p", "3");
    sched_run(rig, 10 * MS);
    sched_add_pod(rig, "q", "3");
    sched_run(rig, 2 * SKR_SECOND);
    sched_assert_on(rig, "q", "");
    rig->hold = false;
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call, "sakkara: plan aborted");
    sched_run(rig, 100 * MS);
    assert_string_equal(sched_condition(rig, "p", "reason"), "SchedulerError");
    assert_string_equal(sched_condition(rig, "p", "message"), "sakkara: plan aborted");
    sched_assert_on(rig, "q", "n1");
    sched_assert_on(rig, "p", "");
}

TEST_WITH(rig, a_bind_that_failed_late_does_no_harm_when_the_pod_is_bound)
{
    sched_add_node(rig, "n1", "4");
    rig->hold = true;
    sched_add_pod(rig, "p", "3");
    sched_run(rig, 10 * MS);
    sched_write_binding(rig, "p", "n1", rig->now);
    sched_run(rig, 10 * MS);
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call, "timeout");
    sched_run(rig, 100 * MS);
    sched_assert_on(rig, "p", "n1");
    assert_string_equal(sched_condition(rig, "p", "status"), "True");
    struct skr_scheduler_stats stats;
    skr_scheduler_get_stats(rig->scheduler, &stats);
    assert_int_equal(stats.backoff, 0);
}

TEST_WITH(rig, a_deleted_pod_frees_its_room_although_its_bind_is_held)
{
    sched_add_node(rig, "n1", "4");
    rig->hold = true;
    sched_add_pod(rig, "p", "3");
    sched_run(rig, 10 * MS);
    assert_int_equal(skr_store_delete(rig->store, "Pod", "default", "p", rig->now), 200);
    rig->hold = false;
    sched_add_pod(rig, "q", "3");
    sched_run(rig, 2 * SKR_SECOND);
    sched_assert_on(rig, "q", "n1");
    skr_scheduler_bind_done(rig->scheduler, rig->bind_call - 1, "sakkara: pod was replaced");
    sched_run(rig, 10 * MS);
}
