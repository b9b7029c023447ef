/* SPDX-License-Identifier: Apache-2.0 */
/* What would make a waiting group fit, in its object: key ways. */
#include "core/gang/explain/ways_out.h"
#include "test/unit/engine_test.h"

static const char one_rack[] = "{'rack':{'type':'pack','hard':true}}";

/* Running pods on a node, one cpu each: load-NODE-FROM and so on. */
static void load(struct rig *rig, int node, int from, int to)
{
    char name[32];
    for (int i = from; i < to; i++) {
        snprintf(name, sizeof name, "load-%d-%d", node, i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-%d'}}", node);
    }
}

/* Two racks of two nodes of four; rack-0 has room for 5, rack-1 for 4. Group g of 6 waits for a rack. */
static struct rig *stuck(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 2, 4);
    load(rig, 0, 0, 3);
    load(rig, 2, 0, 4);
    rig_sync(rig);
    rig_group(rig, "g", 6, 0, one_rack);
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    return rig;
}

TEST_RIG(stuck(), what_would_help_is_written_ten_seconds_after_the_reason)
{
    assert_string_equal(rig_key(rig, "g", "reason"), "TopologyPlacementFailed");
    assert_string_equal(rig_key(rig, "g", "ways"), "");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "ways"), "1 CPU free up on node-0\n"
                                                   "the rack constraint is soft\n"
                                                   "the size is 5, not 6");
}

TEST_RIG(stuck(), without_news_neither_solve_nor_write_comes_after_it)
{
    rig_run(rig, 90 * SKR_SECOND); /* the lines in the map are news, once */
    const size_t solves = rig->n_solves, writes = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    rig_run(rig, 3600 * SKR_SECOND);
    assert_int_equal(rig->n_solves, solves);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), writes);
}

TEST_RIG(stuck(), another_way_out_is_written_within_a_minute)
{
    rig_run(rig, 15 * SKR_SECOND);
    load(rig, 0, 3, 4);
    rig_run(rig, (SKR_WAYS_EVERY_S + 10) * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "g", "ways"), "the size is 4, not 6"));
}

TEST_RIG(stuck(), news_all_the_time_cost_one_explanation_a_minute)
{
    rig_run(rig, 15 * SKR_SECOND);
    const size_t solves = rig->n_solves;
    size_t tried = 0;
    for (int i = 0; i < 120; i++) {
        rig_edit(rig, RIG_NODE, "node-3", "{'metadata':{'labels':{'turn':'%d'}}}", i);
        rig_run(rig, SKR_SECOND);
    }
    tried = rig->n_solves - solves;
    rig_run(rig, 1 * SKR_SECOND);
    /* a retry each second, and two explanations of two solves at most */
    assert_true(tried <= 120 + 2 * 2 * 2);
}

TEST_RIG(stuck(), the_lines_go_with_the_reason)
{
    rig_run(rig, 15 * SKR_SECOND);
    assert_string_not_equal(rig_key(rig, "g", "ways"), "");
    rig_delete(rig, RIG_POD, "load-0-0");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", 6);
    assert_string_equal(rig_key(rig, "g", "ways"), "");
}

TEST_RIG(stuck(), a_new_daemon_keeps_the_lines_until_it_has_its_own)
{
    rig_run(rig, 15 * SKR_SECOND);
    SKR_AUTO_FREE char *before = skr_strdup(rig_key(rig, "g", "ways"));
    const size_t writes = rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "ways"), before);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), writes);
    rig_run(rig, 100 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "ways"), before);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), writes);
}

TEST(the_option_switches_it_off)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.explain_waiting = false;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 1, 4);
    rig_sync(rig);
    rig_group(rig, "g", 6, 0, one_rack);
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 100 * SKR_SECOND);
    assert_string_not_equal(rig_key(rig, "g", "reason"), "");
    assert_string_equal(rig_key(rig, "g", "ways"), "");
}
