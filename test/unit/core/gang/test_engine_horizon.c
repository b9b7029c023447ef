/* SPDX-License-Identifier: Apache-2.0 */
/* What a reservation keeps off: how far away it may be, whose class it yields to, how many there are. */
#include "core/gang/cache/booked.h"
#include "test/unit/device_scene.h"
#include "test/unit/limits_scene.h"

enum { DAY_S = 24 * 3600, HORIZON_S = 4 * 3600 };

static const struct booking *booking(const struct rig *rig, const char *name)
{
    return limits_group(rig, name)->booking;
}

static struct rig *with_horizon(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    settings.reservations = 1;
    settings.horizon = HORIZON_S * SKR_SECOND;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    rig_sync(rig);
    return rig;
}

static void set_class(struct rig *rig, const char *name, int size, int priority)
{
    for (int i = 0; i < size; i++) {
        rig_edit(rig, RIG_POD, test_text("%s-%d", name, i), "{'spec':{'priority':%d}}", priority);
    }
}

/* One of four nodes is busy for that long, and big waits for all of them. */
static void wait_for(struct rig *rig, int64_t seconds)
{
    limits_gang(rig, "run", 1, 0, seconds);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 1);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
}

TEST_RIG(with_horizon(), room_is_not_kept_for_a_start_in_29_days)
{
    wait_for(rig, 29 * DAY_S);
    assert_null(booking(rig, "big"));
    limits_gang(rig, "honest", 3, 0, 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "honest"), 3);
}

TEST_RIG(with_horizon(), room_is_kept_for_a_start_within_the_horizon)
{
    wait_for(rig, HORIZON_S - 60);
    assert_non_null(booking(rig, "big"));
    limits_gang(rig, "honest", 3, 0, 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(limits_bound(rig, "honest"), 0);
}

/* Nothing but time passes. */
TEST_RIG(with_horizon(), a_far_start_is_promised_once_it_is_near)
{
    wait_for(rig, HORIZON_S + 100);
    assert_null(booking(rig, "big"));
    rig_run(rig, 90 * SKR_SECOND);
    assert_null(booking(rig, "big"));
    rig_run(rig, 15 * SKR_SECOND);
    assert_non_null(booking(rig, "big"));
}

TEST_RIG(with_horizon(), a_promise_beyond_a_smaller_horizon_ends_by_the_setting)
{
    wait_for(rig, HORIZON_S - 60);
    assert_non_null(booking(rig, "big"));
    rig_run(rig, 15 * SKR_SECOND);
    rig->gang->settings.horizon = 60 * SKR_SECOND;
    limits_gang(rig, "news", 1, 0, 10);
    rig_run(rig, 2 * SKR_SECOND);
    assert_null(booking(rig, "big"));
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_SETTING], 1);
}

/* ---- classes ---- */

/* The groups have the same priority. */
TEST_RIG(limits_waiting(1), a_group_of_a_higher_class_is_not_kept_off)
{
    const int64_t start = booking(rig, "big")->start;
    rig_group(rig, "high", 2, 0, NULL);
    for (int i = 0; i < 2; i++) {
        char pod[32];
        snprintf(pod, sizeof pod, "high-%d", i);
        limits_pod(rig, pod, "high", 0);
        rig_edit(rig, RIG_POD, pod, "{'spec':{'priority':1000}}");
    }
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "high"), 2);
    assert_true(!booking(rig, "big") || booking(rig, "big")->start > start);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_HIGHER_PRIORITY], 1);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_NOT], 0);
}

TEST_RIG(limits_waiting(1), nor_is_one_whose_map_has_a_lower_priority)
{
    limits_gang(rig, "high", 2, -5, 0);
    set_class(rig, "high", 2, 1000);
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "high"), 2);
}

/* The lowest class of a group counts, and the highest one of those that it would push out. */
TEST_RIG(limits_waiting(1), one_pod_of_another_class_decides)
{
    limits_gang(rig, "mixed", 2, 0, 0);
    rig_edit(rig, RIG_POD, "mixed-0", "{'spec':{'priority':1000}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "mixed"), 0);
    set_class(rig, "mixed", 2, 1000);
    rig_edit(rig, RIG_POD, "big-3", "{'spec':{'priority':1000}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(limits_bound(rig, "mixed"), 0);
    assert_non_null(booking(rig, "big"));
}

/* Its wait began before that of big, and it is complete later. */
TEST_RIG(limits_four_nodes(1), an_equal_that_is_earlier_in_the_order_takes_no_promise)
{
    limits_gang(rig, "run", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "run", 2);
    rig_create_json(rig, RIG_MAP, "early",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'early',"
                    "'size':'4','schedBeginTime':'2023-11-14T00:00:00Z'}}");
    for (int i = 0; i < 3; i++) {
        limits_pod(rig, test_text("early-%d", i), "early", 500);
    }
    rig_run(rig, SKR_SECOND);
    limits_gang(rig, "big", 4, 0, 50);
    rig_run(rig, 2 * SKR_SECOND);
    const int64_t start = booking(rig, "big")->start;
    limits_pod(rig, "early-3", "early", 500);
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(booking(rig, "big"));
    assert_int_equal(booking(rig, "big")->start, start);
    assert_int_equal(rig->gang->stats.moves[SKR_MOVED_HIGHER_PRIORITY], 0);
}

/* ---- namespaces ---- */

/* Two groups of default that wait in pools of their own, and a group of another namespace that runs. */
static void two_pools(struct rig *rig, bool neighbour)
{
    char name[32];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(rig, RIG_NODE, name, "{'metadata':{'labels':{'pool':'%s'}}}", i < 2 ? "a" : "b");
    }
    if (neighbour) {
        rig_create_json(rig, RIG_MAP, "other/theirs",
                        "{'metadata':{'labels':{'sakkara.group':''}},'data':{"
                        "'name':'theirs','size':'2'}}");
        rig_create_json(rig, RIG_POD, "other/theirs-0",
                        "{'metadata':{'labels':{'sakkara.group.name':'theirs'"
                        "}},'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':"
                        "'sakkara.gang'}],'containers':[{'name':'main','resources':{'requests':"
                        "{'cpu':'1'}}}]},'status':{'phase':'Pending'}}");
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "run-%c", 'a' + i);
        limits_pod(rig, name, NULL, 100);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'schedulerName':'other','schedulingGates':null,'nodeName':'node-%d'}}",
                 2 * i);
    }
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 2; i++) {
        const char pool[2] = {(char)('a' + i), '\0'};
        limits_gang(rig, pool, 2, 0, 50);
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s-%d", pool, k);
            rig_edit(rig, RIG_POD, name, "{'spec':{'nodeSelector':{'pool':'%s'}}}", pool);
        }
        rig_run(rig, 2 * SKR_SECOND);
    }
}

TEST_RIG(limits_four_nodes(1), a_namespace_that_runs_nothing_has_one_reservation_beside_others)
{
    two_pools(rig, true);
    assert_non_null(booking(rig, "a"));
    assert_null(booking(rig, "b"));
}

/* It is written right before the daemon starts. */
TEST_RIG(limits_four_nodes(1), nor_has_it_another_one_that_its_user_wrote)
{
    char start[48];
    two_pools(rig, true);
    skr_time_write(booking(rig, "a")->start * SKR_SECOND, 0, start, sizeof start);
    rig_edit(rig, RIG_MAP, "b",
             "{'metadata':{'annotations':{'sakkara.reservation':'{\\'v\\':1,\\'start\\':\\'%s\\',"
             "\\'promised\\':\\'%s\\',\\'since\\':\\'%s\\',\\'guess\\':false,\\'nodes\\':{"
             "\\'node-2\\':1,\\'node-3\\':1}}'}}}",
             start, start, start);
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(!booking(rig, "a") != !booking(rig, "b"));
}

TEST_RIG(limits_four_nodes(1), alone_it_has_one_in_every_pool)
{
    two_pools(rig, false);
    assert_non_null(booking(rig, "a"));
    assert_non_null(booking(rig, "b"));
}

/* A device on each of four nodes that hold one pod. */
static struct rig *with_devices(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = false;
    settings.reservations = 1;
    settings.server_minor = 36;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 4, 1);
    for (int i = 0; i < 4; i++) {
        device_slice(rig, test_text("node-%d", i), 1);
    }
    rig_create_json(rig, RIG_CLASS, "gpu",
                    "{'metadata':{},'spec':{'selectors':[{'cel':{'expression':"
                    "'device.driver == \\'gpu.example.com\\''}}]}}");
    rig_sync(rig);
    return rig;
}

/* Devices that a node serves are no resource of nodes: the bound does not count them. */
TEST_RIG(with_devices(), the_bound_of_a_namespace_is_told_for_groups_with_claims)
{
    char name[32];
    two_pools(rig, true);
    for (int k = 0; k < 4; k++) {
        snprintf(name, sizeof name, "%c-%d", 'a' + k / 2, k % 2);
        device_claim(rig, name, 1);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'resourceClaims':[{'name':'c','resourceClaimName':'%s'}]}}", name);
    }
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(booking(rig, "a"));
    assert_null(booking(rig, "b"));
}
