/* SPDX-License-Identifier: Apache-2.0 */
/* Open groups: minMember of a PodGroup is the least that starts, not how many there are. */
#include "core/gang/state/reason.h"
#include "test/unit/engine_test.h"

static struct rig *cluster(int nodes)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, nodes, 2);
    return rig;
}

static const char *pg_key(const struct rig *rig, const char *key)
{
    return rig_annotation(rig, RIG_PODGROUP, "g", test_text("sakkara.%s", key));
}

static size_t n_bound(const struct rig *rig, const char *prefix, int n)
{
    size_t bound = 0;
    for (int i = 0; i < n; i++) {
        bound += *rig_node_of(rig, test_text("%s-%d", prefix, i)) != '\0';
    }
    return bound;
}

TEST(min_member_1_with_three_pods_binds_all_three)
{
    for (int flags = 0; flags <= RIG_GATED; flags += RIG_GATED) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(3);
        rig_podgroup(rig, "g", 1);
        rig_sync(rig);
        rig_pods(rig, "p", 3, "g", RIG_POD_GROUP_LABEL | flags);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 3);
        assert_string_equal(pg_key(rig, "status"), "Bound");
        assert_string_equal(pg_key(rig, "rank"), "[(p-0,0) (p-1,1) (p-2,2)]");
        assert_string_equal(pg_key(rig, "reason"), "");
        rig_assert_clean(rig);
    }
}

TEST_RIG(cluster(3), nobody_starts_below_the_minimum)
{
    rig_podgroup(rig, "g", 3);
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(pg_key(rig, "reason"), "MembersMissing");
}

TEST(as_many_start_as_fit_and_the_rest_follows_when_there_is_room)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(2); /* four slots */
    rig_podgroup(rig, "g", 3);
    rig_sync(rig);
    rig_pods(rig, "p", 5, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "p", 5), 4);
    assert_string_equal(pg_key(rig, "status"), "Bound");
    assert_string_equal(pg_key(rig, "reason"), "");
    assert_true(rig_has_event(rig, "FollowerWaiting"));
    assert_true(rig_has_event(rig, SKR_TEXT_FOLLOWER));
    char node[5][64];
    for (int i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "p-%d", i);
        snprintf(node[i], sizeof node[i], "%s", rig_node_of(rig, name));
    }
    rig_node(rig, "more", 4);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'more\\':{}}}'}}");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", 5);
    for (int i = 0; i < 4; i++) { /* who runs stays */
        assert_string_equal(rig_node_of(rig, test_text("p-%d", i)), node[i]);
    }
    assert_string_equal(rig_label(rig, "p-4", "sakkara.member.rank"), "4");
    rig_assert_clean(rig);
}

TEST(the_minimum_is_what_waits_for_room)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster(1); /* two slots */
    rig_podgroup(rig, "g", 3);
    rig_sync(rig);
    rig_pods(rig, "p", 6, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_non_null(strstr(pg_key(rig, "message"), "needs 3 slots"));
    size_t solves = rig->n_solves;
    rig_run(rig, 60 * SKR_SECOND);
    assert_in_range(rig->n_solves - solves, 0, 4); /* it waits for news */
    rig_node(rig, "more", 4);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'more\\':{}}}'}}");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "p", 6); /* all of them at once */
}

TEST_RIG(cluster(4), followers_come_one_by_one_whoever_controls_them)
{
    rig_podgroup(rig, "g", 1);
    rig_sync(rig);
    rig_pod(rig, "driver", "g", RIG_POD_GROUP_LABEL | RIG_BARE);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "driver"));
    rig_pods(rig, "executor", 3, "g", RIG_POD_GROUP_LABEL); /* of a Job */
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "executor", 3);
    rig_delete(rig, RIG_POD, "executor-1");
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "executor-3", "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "executor-3"));
    assert_string_equal(pg_key(rig, "status"), "Bound");
}

TEST_RIG(cluster(4), a_plan_of_more_than_the_minimum_survives_a_restart)
{
    rig_podgroup(rig, "g", 2);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", 5, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    char plan[2048];
    snprintf(plan, sizeof plan, "%s", pg_key(rig, "plan"));
    assert_true(*plan);
    rig_restart(rig);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(pg_key(rig, "plan"), plan);
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 5);
    rig_assert_clean(rig);
}

TEST_RIG(cluster(3), as_many_join_as_fit_beside_members_outside_the_tree)
{
    rig_podgroup(rig, "g", 2);
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_string_equal(rig_node_of(rig, "p-0"), rig_node_of(rig, "p-1"));
    assert_string_equal(rig_node_of(rig, "p-0"), "node-0");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'node-1\\':{}}}'}}"); /* two slots */
    rig->hold_scheduler = true;
    rig_pods(rig, "q", 3, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 3 * SKR_SECOND);
    size_t planned = 0;
    for (int i = 0; i < 3; i++) {
        planned += *rig_planned(rig, test_text("q-%d", i)) != '\0';
    }
    assert_int_equal(planned, 2); /* in one plan */
}

/* ---- group maps with a minimum ---- */

static void elastic(struct rig *rig, int size, const char *data)
{
    char edit[160];
    rig_group(rig, "g", size, 0, NULL);
    snprintf(edit, sizeof edit, "{'data':{%s}}", data);
    rig_edit(rig, RIG_MAP, "g", "%s", edit);
    rig_sync(rig);
}

TEST(a_map_with_a_minimum_starts_with_the_steps_that_fit_and_grows)
{
    static const struct {
        const char *data;
        int nodes, first, then; /* members bound at first, and with two slots more */
    } row[] = {
        {"'minimum':'2'", 2, 4, 6},
        {"'minimum':'2','step':'3'", 2, 2, 5},
        {"'minimum':'4','step':'2'", 2, 4, 6},
        {"'minimum':'3','step':'2'", 2, 3, 5},
        {"'minimum':'2','step':'2'", 4, 6, 6},
        {"'minimum':'6'", 2, 0, 6},
        {"'minimum':'5','step':'4'", 2, 0, 5},
        {"'step':'2'", 2, 0, 6},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(row[i].nodes);
        elastic(rig, 6, row[i].data);
        rig_pods(rig, "p", 6, "g", RIG_GATED);
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(n_bound(rig, "p", 6), row[i].first);
        rig_node(rig, "more", 2);
        rig_edit(
            rig, RIG_MAP, "topology",
            "{'data':{'tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{},\\'more\\':{}}}'}}");
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(n_bound(rig, "p", 6), row[i].then);
        rig_assert_clean(rig);
    }
}

TEST_RIG(cluster(4), pods_beyond_the_size_of_a_map_with_a_minimum_wait_for_a_seat)
{
    elastic(rig, 4, "'minimum':'2'");
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "p", 6), 4);
    assert_true(rig_has_event(rig, "beyond its size"));
}

TEST_RIG(cluster(2), the_minimum_of_a_map_is_what_is_missing)
{
    elastic(rig, 6, "'minimum':'3'");
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"), "group g has 2 of 3 members");
}

TEST_RIG(cluster(2), a_podgroup_has_steps_and_no_key_for_its_minimum)
{
    rig_podgroup(rig, "g", 1);
    rig_edit(rig, RIG_PODGROUP, "g", "{'metadata':{'annotations':{'sakkara.group.step':'2'}}}");
    rig_sync(rig);
    rig_pods(rig, "p", 4, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "p", 4), 3);
    rig_edit(rig, RIG_PODGROUP, "g", "{'metadata':{'annotations':{'sakkara.group.minimum':'2'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(pg_key(rig, "reason"), "GroupInvalid");
    assert_non_null(strstr(pg_key(rig, "message"), "leave the annotation out"));
}

TEST_RIG(cluster(2), a_member_that_is_gone_before_its_eviction_is_answered_was_given_away)
{
    rig_group(rig, "top", 1, 1, NULL);
    elastic(rig, 4, "'minimum':'2'");
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig->hold_kind = SKR_WRITE_EVICT;
    rig_pods(rig, "t", 1, "top", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_false(rig_has_event(rig, "GroupShrunk"));
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND);
    assert_true(rig_has_event(rig, "GroupShrunk"));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "t", 1);
}

/* Room comes while the group pauses, and the daemon starts anew: it does not forget. */
TEST_RIG(cluster(2), a_group_that_gave_members_does_not_grow_for_five_minutes_whatever_happens)
{
    rig_group(rig, "top", 1, 1, NULL);
    elastic(rig, 4, "'minimum':'2'");
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_bound(rig, "p", 4), 4);
    rig_pods(rig, "t", 1, "top", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "t", 1);
    assert_true(rig_has_event(rig, "GroupShrunk"));
    assert_string_equal(rig_key(rig, "g", "rank"), "[(p-0,0) (p-1,1) (p-2,2)]");
    assert_non_null(strstr(rig_annotation(rig, RIG_MAP, "g", "sakkara.pauses"), "gave"));
    rig_delete(rig, RIG_POD, "t-0");
    rig_pod(rig, "again", "g", RIG_GATED);
    for (int i = 0; i < 2; i++) {
        rig_run(rig, 140 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "again"), "");
        rig_restart(rig);
    }
    rig_run(rig, 40 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "again"), "");
    assert_string_equal(rig_annotation(rig, RIG_MAP, "g", "sakkara.pauses"), "");
}
