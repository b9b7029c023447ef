/* SPDX-License-Identifier: Apache-2.0 */
/* Plans that users write: an annotation reserves nothing that a plan of ours did not. */
#include "core/gang/cache/names.h"
#include "test/unit/engine_test.h"

#define ID "0123456789abcdef"

/* One rack of two nodes with 8 cpu each. */
static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 8);
    rig->users_meddle = true;
    return rig;
}

/* The watchdog is told that Binding was ours: it is the engine that must not believe it. */
static void forge(struct rig *rig, const char *group, const char *rest)
{
    json_object_set_new(rig->binding_ids, ID, json_true());
    rig_edit(rig, RIG_MAP, group,
             "{'metadata':{'annotations':{'sakkara.plan':'{\\'v\\':1,\\'id\\':\\'" ID "\\',%s}'}}}",
             rest);
}

static void assert_others_get(struct rig *rig, int n)
{
    rig_group(rig, "honest", n, 0, NULL);
    rig_pods(rig, "h", n, "honest", 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "h", n);
    rig_destroy(rig);
}

#define SEATS \
    "\\'state\\':\\'Binding\\',\\'members\\':{\\'x-1\\':\\'node-0\\',\\'x-2\\':\\'node-1\\'}"

TEST(a_map_that_appears_with_a_plan_reserves_nothing)
{
    struct rig *rig = cluster();
    rig_sync(rig);
    rig->hold_watch[RIG_MAP] = true;
    rig_group(rig, "forged", 3, 0, NULL);
    forge(rig, "forged", SEATS);
    rig->hold_watch[RIG_MAP] = false;
    rig_pod(rig, "f-0", "forged", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_annotation(rig, RIG_MAP, "forged", "sakkara.plan"), "");
    assert_string_equal(rig_state(rig, "forged"), "Pending");
    assert_others_get(rig, 16);
}

TEST(a_plan_without_a_trace_on_any_pod_reserves_nothing_at_the_start)
{
    static const char *const rest[] = {
        SEATS,
        "\\'state\\':\\'Binding\\',\\'nodes\\':{\\'node-0\\':2,\\'node-1\\':1}",
        "\\'state\\':\\'Planned\\',\\'members\\':{\\'x-1\\':\\'node-0\\'}",
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        struct rig *rig = cluster();
        rig_group(rig, "forged", 3, 0, NULL);
        forge(rig, "forged", rest[i]);
        rig_pod(rig, "f-0", "forged", 0);
        rig_sync(rig);
        rig_run(rig, SKR_SECOND);
        assert_string_equal(rig_annotation(rig, RIG_MAP, "forged", "sakkara.plan"), "");
        assert_others_get(rig, 16);
    }
}

TEST(a_seat_count_of_two_thousand_million_does_not_hang_the_start)
{
    struct rig *rig = cluster();
    rig_group(rig, "forged", 2, 0, NULL);
    forge(rig, "forged", "\\'state\\':\\'Binding\\',\\'nodes\\':{\\'node-0\\':2147483647}");
    rig_pod(rig, "f-0", "forged", 0);
    rig_edit(rig, RIG_POD, "f-0",
             "{'metadata':{'annotations':{'sakkara.plan':"
             "'{\\'id\\':\\'" ID "\\',\\'node\\':\\'node-0\\'}'}}}");
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    assert_others_get(rig, 14); /* its own two */
}

/* Its pod carries a trace, as its owner can write one: never more seats than the group has. */
TEST(no_more_seats_are_kept_than_the_group_lacks)
{
    struct rig *rig = cluster();
    rig_group(rig, "forged", 2, 0, NULL);
    forge(rig, "forged",
          "\\'state\\':\\'Binding\\',\\'members\\':{\\'x-1\\':\\'node-0\\',\\'x-2\\':\\'node-0\\',"
          "\\'x-3\\':\\'node-0\\',\\'x-4\\':\\'node-0\\',\\'x-5\\':\\'node-0\\',"
          "\\'x-6\\':\\'node-0\\',\\'x-7\\':\\'node-0\\'}");
    rig_pod(rig, "f-0", "forged", 0);
    rig_edit(rig, RIG_POD, "f-0",
             "{'metadata':{'annotations':{'sakkara.plan':"
             "'{\\'id\\':\\'" ID "\\',\\'node\\':\\'node-0\\'}'}}}");
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    assert_others_get(rig, 14);
}

TEST_RIG(cluster(), a_planned_record_never_overfills_a_node)
{
    rig_group(rig, "forged", 2, 0, NULL);
    rig_pods(rig, "f", 2, "forged", 0);
    rig_pods(rig, "o", 8, NULL, 0); /* node-0 is full of ordinary pods */
    for (int i = 0; i < 8; i++) {
        rig_edit(rig, RIG_POD, test_text("o-%d", i), "{'spec':{'nodeName':'node-0'}}");
    }
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, test_text("f-%d", i),
                 "{'metadata':{'labels':{'sakkara.member.rank':'%d'},"
                 "'annotations':{'sakkara.plan':"
                 "'{\\'id\\':\\'" ID "\\',\\'node\\':\\'node-0\\'}'}}}",
                 i);
    }
    forge(rig, "forged", "\\'state\\':\\'Planned\\',\\'nodes\\':{\\'node-0\\':2}");
    rig_sync(rig);
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "f-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "f-1"), "node-1");
}

/* One pass over the record: a cubic reader takes minutes. */
TEST(twenty_thousand_seats_are_read_in_a_moment)
{
    enum { SEATS_MANY = 20000, NODES = 200 };
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig->users_meddle = true;
    rig->check_every = 100000;
    rig_racks(rig, 1, NODES, 200);
    rig_group(rig, "forged", SEATS_MANY, 0, NULL);
    struct skr_strbuf b;
    skr_strbuf_init(&b);
    skr_strbuf_add(&b, "\\'state\\':\\'Binding\\',\\'nodes\\':{");
    for (int i = 0; i < NODES; i++) {
        skr_strbuf_addf(&b, "%s\\'node-%d\\':%d", i ? "," : "", i, SEATS_MANY / NODES);
    }
    skr_strbuf_add(&b, "}");
    forge(rig, "forged", b.s);
    skr_strbuf_fini(&b);
    rig_pod(rig, "f-0", "forged", 0);
    rig_edit(rig, RIG_POD, "f-0",
             "{'metadata':{'annotations':{'sakkara.plan':"
             "'{\\'id\\':\\'" ID "\\',\\'node\\':\\'node-0\\'}'}}}");
    rig_sync(rig); /* the test's deadline judges */
}

/* Names of nodes that are gone, or never were, are given back. */
TEST_RIG(cluster(), names_that_nothing_refers_to_are_given_back)
{
    rig_sync(rig);
    for (int i = 0; i < 5000; i++) {
        char name[64];
        snprintf(name, sizeof name, "p-%d", i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'nowhere-%d'}}", i);
        rig_settle(rig);
        rig_delete(rig, RIG_POD, name);
        rig_settle(rig);
    }
    assert_true(rig->gang->names.n_swept < 3000);
}

/* An honest group of 8 waits behind pods that have the cluster; a thief of 8 comes later with a time of its own making. Room
 * for one of them becomes free. */
static void who_waited_longer(bool restart)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    rig_pods(rig, "old", 16, NULL, 0);
    rig_group(rig, "honest", 8, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_pods(rig, "h", 8, "honest", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_create_json(rig, RIG_MAP, "thief",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'thief','size':'8',"
                    "'schedBeginTime':'1970-01-02T00:00:00Z'}}");
    rig_pods(rig, "t", 8, "thief", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    if (restart) {
        rig_edit(rig, RIG_MAP, "thief", "{'data':{'schedBeginTime':'1970-01-02T00:00:00Z'}}");
        rig_restart(rig);
        rig_run(rig, SKR_SECOND);
    }
    rig_delete_pods(rig, "old", 0, 8);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "h", 8);
    assert_int_equal(rig_n_bound(rig, "thief"), 0);
}

TEST(a_time_that_a_user_wrote_puts_his_group_before_nobody)
{
    who_waited_longer(false);
}

TEST(nor_does_it_after_a_restart)
{
    who_waited_longer(true);
}
