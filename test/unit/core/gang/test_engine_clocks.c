/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks that differ by an hour, and time that jumps by an hour. */
#include <string.h>

#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

#define HOUR (3600 * SKR_SECOND)

/* The API server writes deletions by its own clock. The pods leave 5 s after they were evicted. */
static void delete_by_another_clock(struct rig *rig, const char *pod, skr_time differs)
{
    char text[64];
    skr_time_write((rig->now + differs) / SKR_SECOND * SKR_SECOND + 5 * SKR_SECOND, 0, text,
                   sizeof text);
    rig_edit(rig, RIG_POD, pod,
             "{'metadata':{'deletionTimestamp':'%s','deletionGracePeriodSeconds':5}}", text);
}

TEST(victims_are_waited_for_whatever_the_clock_of_the_api_server_says)
{
    static const skr_time differs[] = {-HOUR, -60 * SKR_SECOND, 0, 60 * SKR_SECOND, HOUR};
    for (size_t i = 0; i < sizeof differs / sizeof *differs; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(1);
        scene_bound(rig, "low", 4, 0);
        rig->grace = 5 * SKR_SECOND;
        scene_gang(rig, "top", 4, 9);
        rig_run(rig, SKR_SECOND);
        for (int n = 0; n < 4; n++) {
            delete_by_another_clock(rig, test_text("low-%d", n), differs[i]);
        }
        rig_run(rig, 4 * SKR_SECOND);
        if (differs[i] > 0) { /* the rig lets pods go whose time is over */
            assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForPreemption");
        }
        for (int n = 0; n < 4; n++) {
            char name[16];
            snprintf(name, sizeof name, "low-%d", n);
            if (rig_find(rig, RIG_POD, name)) {
                rig_delete(rig, RIG_POD, name);
            }
        }
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "top", 4);
    }
}

/* The API server counts the shorter grace period from the first request on, which was hours ago. */
TEST_RIG(scene_rack(2), a_deletion_that_is_made_shorter_counts_from_then_on)
{
    static const int grace_s[] = {7 * 24 * 3600, 5};
    scene_bound(rig, "low", 4, 0);
    scene_bound(rig, "other", 4, 1);
    rig->grace = 5 * SKR_SECOND;
    for (int i = 0; i < 2; i++) {
        char text[64];
        skr_time_write((rig->now - 3 * HOUR) / SKR_SECOND * SKR_SECOND + grace_s[i] * SKR_SECOND, 0,
                       text, sizeof text);
        for (int n = 0; n < 4; n++) {
            rig_edit(rig, RIG_POD, test_text("low-%d", n),
                     "{'metadata':{'deletionTimestamp':'%s','deletionGracePeriodSeconds':%d,"
                     "'finalizers':['x/y']}}",
                     text, grace_s[i]);
        }
        rig_settle(rig);
    }
    scene_gang(rig, "top", 4, 9);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
}

/* A machine that slept for an hour with a gang half way: every deadline is over at once. */
TEST(time_that_jumps_an_hour_forward_loses_no_gang)
{
    for (int at = 0; at < 3; at++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(2);
        scene_bound(rig, "runs", 4, 0);
        rig->hold_scheduler = at > 0;
        scene_gang(rig, "half", 4, 0);
        rig_run(rig, at == 1 ? 10 * SKR_MILLISECOND : SKR_SECOND);
        rig->now += HOUR;
        rig_settle(rig);
        rig->hold_scheduler = false;
        rig_run(rig, 30 * SKR_SECOND);
        rig_assert_bound(rig, "half", 4);
        rig_assert_bound(rig, "runs", 4);
        rig_assert_clean(rig);
    }
}

/* Objects of an hour ago or ahead, by the API server's clock: groups are planned, and ordered. */
TEST(creation_times_that_are_off_by_an_hour_delay_no_gang)
{
    static const char *const created[] = {"2023-11-14T21:13:20Z", "2023-11-14T23:13:20Z"};
    for (size_t i = 0; i < sizeof created / sizeof *created; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = scene_rack(1);
        rig->hold_watch[RIG_POD] = true;
        scene_gang(rig, "g", 4, 0);
        for (int n = 0; n < 4; n++) {
            rig_edit(rig, RIG_POD, test_text("g-%d", n), "{'metadata':{'creationTimestamp':'%s'}}",
                     created[i]);
        }
        rig->hold_watch[RIG_POD] = false;
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "g", 4);
    }
}
