/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that give way for their devices: which do, and when these are free. */
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

/* A group of one pod, NAME-0, that names claim NAME of so many devices. */
static void group_of_one(struct rig *rig, const char *name, int priority, int devices)
{
    SKR_STRBUF(pod);
    skr_strbuf_addf(&pod, "%s-0", name);
    device_claim(rig, name, devices);
    rig_group(rig, name, 1, priority, NULL);
    rig_create_json(rig, RIG_POD, pod.s,
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{'schedulerName':"
                    "'sakkara','resourceClaims':[{'name':'c','resourceClaimName':'%s'}],"
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]},"
                    "'status':{'phase':'Pending'}}",
                    name, name);
    rig_run(rig, 2 * SKR_SECOND);
}

/* It is bound, and its claim has devices first .. of its node. */
static void runs(struct rig *rig, const char *name, int priority, int first, int devices)
{
    SKR_STRBUF(pod);
    SKR_STRBUF(results);
    skr_strbuf_addf(&pod, "%s-0", name);
    group_of_one(rig, name, priority, devices);
    rig_assert_bound(rig, name, 1);
    for (int i = 0; i < devices; i++) {
        skr_strbuf_addf(
            &results, "%s{'request':'r','driver':'gpu.example.com','pool':'%s','device':'gpu-%d'}",
            i > 0 ? "," : "", rig_node_of(rig, pod.s), first + i);
    }
    rig_edit(rig, RIG_DEVICE_CLAIM, name,
             "{'status':{'allocation':{'devices':{'results':[%s]}},'reservedFor':[{'resource':"
             "'pods','name':'%s','uid':'%s'}]}}",
             results.s, pod.s, rig_find(rig, RIG_POD, pod.s)->pod->meta.uid);
    rig_run(rig, SKR_SECOND);
}

static void frees(struct rig *rig, const char *claim)
{
    rig_edit(rig, RIG_DEVICE_CLAIM, claim, "{'status':{'allocation':null,'reservedFor':null}}");
    rig_run(rig, 5 * SKR_SECOND);
}

TEST_RIG(device_cluster(2, 4), the_plan_waits_until_the_claims_of_victims_have_no_devices)
{
    runs(rig, "low", 1, 0, 3);
    runs(rig, "high", 5, 0, 3);
    assert_string_not_equal(rig_node_of(rig, "low-0"), rig_node_of(rig, "high-0"));
    group_of_one(rig, "top", 9, 4);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 1);
    assert_null(rig_find(rig, RIG_POD, "low-0"));
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    frees(rig, "low");
    rig_assert_bound(rig, "top", 1);
    rig_assert_bound(rig, "high", 1);
}

/* Each of two groups frees too little. */
TEST_RIG(device_cluster(1, 4), as_many_groups_give_way_as_the_devices_need)
{
    runs(rig, "a", 1, 0, 1);
    runs(rig, "b", 1, 1, 1);
    runs(rig, "c", 2, 2, 1);
    group_of_one(rig, "top", 9, 3);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 2);
    rig_assert_bound(rig, "c", 1);
    frees(rig, "a");
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    frees(rig, "b");
    rig_assert_bound(rig, "top", 1);
}

TEST_RIG(device_cluster(1, 4), no_group_gives_way_if_its_devices_are_not_enough)
{
    runs(rig, "low", 1, 0, 1);
    runs(rig, "high", 9, 1, 2);
    group_of_one(rig, "top", 9, 3);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    assert_string_equal(rig_key(rig, "top", "reason"), "WaitingForCapacity");
}

/* More groups than of which all sets are tried, or sixteen: they count in the order of their priority. */
TEST_RIG(device_cluster(1, 20), many_groups_of_a_node_give_way)
{
    for (int i = 0; i < 20; i++) {
        runs(rig, test_text("low-%02d", i), 1 + i / 10, i, 1);
    }
    group_of_one(rig, "top", 9, 18);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "top"), "Preempting");
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 18);
    for (int i = 0; i < 20; i++) {
        frees(rig, test_text("low-%02d", i));
    }
    rig_assert_bound(rig, "top", 1);
}
