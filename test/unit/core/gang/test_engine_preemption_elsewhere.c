/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that wait for victims: room that appears elsewhere, and victims that do not leave. */
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

static void delete_all(struct rig *rig, const char *prefix, int n)
{
    for (int i = 0; i < n; i++) {
        rig_delete(rig, RIG_POD, test_text("%s-%d", prefix, i));
    }
}

/* node-0 is full of group a, and node-1 of b, which has the higher priority. */
static struct rig *top_waits(skr_time grace)
{
    struct rig *rig = scene_rack(2);
    rig->grace = grace;
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    return rig;
}

TEST(a_group_that_waits_for_victims_goes_where_room_appears)
{
    for (int restart = 0; restart < 2; restart++) {
        SKR_AUTO(rig_destroy) struct rig *rig = top_waits(250 * SKR_SECOND);
        delete_all(rig, "b", 4);
        if (restart) {
            rig_restart(rig);
        }
        rig_run(rig, 3 * SKR_SECOND);
        rig_assert_bound(rig, "top", 4);
        assert_string_equal(rig_node_of(rig, "top-0"), "node-1");
    }
}

/* Evictions of a are refused: no pod of it was asked to leave in vain. */
TEST_RIG(scene_rack(2), victims_that_have_not_begun_to_leave_stay_when_room_appears_elsewhere)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 9);
    rig_fault(rig, SKR_WRITE_EVICT, NULL, RIG_429, 1000);
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    delete_all(rig, "b", 4);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_string_equal(rig_key(rig, "a", "status"), "Bound");
    assert_string_equal(rig_key(rig, "a", "preemptor"), "");
}

TEST_RIG(top_waits(100 * SKR_SECOND),
         room_that_does_not_suffice_moves_no_group_that_waits_for_victims)
{
    delete_all(rig, "b", 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_run(rig, 120 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "top-0"), "node-0");
}

/* The grace period of one pod of a is the largest that the API accepts. */
TEST_RIG(scene_rack(2), a_pod_with_an_endless_grace_period_is_no_victim)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 1);
    rig_edit(rig, RIG_POD, "a-2", "{'spec':{'terminationGracePeriodSeconds':9223372036854775807}}");
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    rig_assert_bound(rig, "a", 4);
    assert_int_equal(rig_n_bound(rig, "b"), 0);
}

/* A finalizer keeps the pods of a, which were deleted without a grace period. After 30 s they count as
 * staying, and b leaves. */
TEST_RIG(scene_rack(2), a_victim_that_a_finalizer_keeps_is_not_waited_for)
{
    scene_bound(rig, "a", 4, 0);
    scene_bound(rig, "b", 4, 1);
    rig->grace = 0; /* none is removed when its time is over */
    rig->hold_kind = SKR_WRITE_EVICT;
    scene_gang(rig, "top", 4, 5);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    for (int i = 0; i < 4; i++) {
        char name[8], text[64];
        snprintf(name, sizeof name, "a-%d", i);
        skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
        rig_edit(rig, RIG_POD, name, "{'metadata':{'deletionTimestamp':'%s'}}", text);
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_EVICT, name), RIG_LOST);
    }
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
    assert_string_equal(rig_node_of(rig, "top-0"), "node-1");
}
