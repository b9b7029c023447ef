/* SPDX-License-Identifier: Apache-2.0 */
/* Key replace: members on lost nodes leave, once they have a place. */
#include <string.h>

#include "test/unit/engine_test.h"

/* Racks of nodes with two slots; g runs on four of them, two to a node. */
static struct rig *running(int racks, int nodes, const char *replace, const char *constraints)
{
    struct rig *rig = rig_create();
    rig->grace = 20 * SKR_SECOND;
    rig_racks(rig, racks, nodes, 2);
    rig_group(rig, "g", 4, 0, constraints);
    if (replace) {
        rig_edit(rig, RIG_MAP, "g", "{'data':{'replace':'%s'}}", replace);
    }
    rig_sync(rig);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    return rig;
}

/* As the node lifecycle controller does it: unreachable, and closed. */
static void lose(struct rig *rig, const char *node)
{
    char text[64];
    skr_time_write(rig->now / SKR_SECOND * SKR_SECOND, 0, text, sizeof text);
    rig_edit(rig, RIG_NODE, node,
             "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoSchedule'}]},"
             "'status':{'conditions':[{'type':'Ready','status':'Unknown','lastTransitionTime':"
             "'%s'}]}}",
             text);
}

static void revive(struct rig *rig, const char *node)
{
    rig_edit(rig, RIG_NODE, node,
             "{'spec':{'taints':null},'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
}

static size_t n_evicted(struct rig *rig)
{
    return rig_count(rig, SKR_WRITE_EVICT, NULL);
}

static const char *seats(const struct rig *rig)
{
    return rig_annotation(rig, RIG_MAP, "g", "sakkara.seats");
}

TEST(a_member_on_a_lost_node_leaves_for_a_place_that_is_held)
{
    for (int how = 0; how < 3; how++) {
        SKR_AUTO(rig_destroy) struct rig *rig = running(1, 3, "early", NULL);
        char node[64];
        snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-3"));
        rig_pod(rig, "other", NULL, 0);
        rig_run(rig, SKR_SECOND);
        if (how == 0) {
            lose(rig, node);
            rig_run(rig, 29 * SKR_SECOND);
            assert_int_equal(n_evicted(rig), 0);
        } else if (how == 1) {
            rig_edit(rig, RIG_NODE, node,
                     "{'spec':{'taints':[{'key':'node.kubernetes.io/out-of-service','effect':"
                     "'NoExecute'}]}}");
        } else {
            rig_delete(rig, RIG_NODE, node);
        }
        rig_run(rig, 5 * SKR_SECOND);
        /* One slot is free: no place for both of its members. */
        assert_int_equal(n_evicted(rig), 0);
        assert_string_equal(seats(rig), "");
        rig_delete(rig, RIG_POD, "other");
        rig_run(rig, 3 * SKR_SECOND);
        assert_int_equal(n_evicted(rig), 2);
        assert_non_null(strstr(seats(rig), "\":\"node-2\""));
        assert_true(rig_has_event(rig, "MemberReplacedEarly"));
        rig_pods(rig, "thief", 2, NULL, 0);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "thief-0"), "");
        rig_pods(rig, "new", 2, "g", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "new-0"), "node-2");
        assert_string_equal(rig_node_of(rig, "new-1"), "node-2");
        assert_string_equal(seats(rig), "");
        assert_int_equal(rig_n_bound(rig, "g"), 6); /* two terminate on the lost node */
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_clean(rig);
    }
}

TEST_RIG(running(1, 3, NULL, NULL), without_the_key_no_member_leaves)
{
    lose(rig, rig_node_of(rig, "p-3"));
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(n_evicted(rig), 0);
}

TEST_RIG(running(1, 3, "early", NULL), no_member_leaves_if_the_node_comes_back)
{
    char node[64];
    snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-3"));
    lose(rig, node);
    rig_run(rig, 25 * SKR_SECOND);
    revive(rig, node);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(n_evicted(rig), 0);
    /* The place is found, and the node is back before the first eviction is granted. */
    rig_budget(rig, "keep", "g", 0);
    lose(rig, node);
    rig_run(rig, 40 * SKR_SECOND);
    assert_string_not_equal(seats(rig), "");
    revive(rig, node);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(seats(rig), "");
    rig_delete(rig, RIG_BUDGET, "keep");
    const size_t asked = n_evicted(rig);
    rig_run(rig, 120 * SKR_SECOND);
    assert_int_equal(n_evicted(rig), asked);
    rig_assert_bound(rig, "p", 4);
    rig_assert_clean(rig);
}

/* Packed into one rack, the survivors keep the group there. */
TEST(only_whole_takes_the_group_elsewhere)
{
    for (int whole = 0; whole < 2; whole++) {
        SKR_AUTO(rig_destroy)
        struct rig *rig =
            running(2, 2, whole ? "whole" : "early", "{'rack':{'type':'pack','hard':true}}");
        lose(rig, rig_node_of(rig, "p-3"));
        rig_run(rig, 40 * SKR_SECOND);
        assert_int_equal(n_evicted(rig), whole ? 4 : 0);
        if (!whole) {
            continue;
        }
        assert_non_null(strstr(seats(rig), "\"whole\":true"));
        rig_run(rig, 25 * SKR_SECOND);
        rig_pods(rig, "thief", 8, NULL, 0);
        rig_run(rig, 2 * SKR_SECOND);
        rig_pods(rig, "new", 4, "g", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "new", 4);
        for (int i = 0; i < 4; i++) {
            assert_non_null(strstr("node-2 node-3", rig_node_of(rig, test_text("new-%d", i))));
        }
        assert_string_equal(seats(rig), "");
        rig_assert_clean(rig);
    }
}

/* The process dies at each write between the search and the bound replacements. */
TEST(killed_at_any_write_the_place_is_kept)
{
    for (size_t at = 1; at < 24; at++) {
        SKR_AUTO(rig_destroy) struct rig *rig = running(1, 3, "early", NULL);
        lose(rig, rig_node_of(rig, "p-3"));
        rig_run(rig, 29 * SKR_SECOND);
        rig->crash_at = rig->n_applied + at;
        rig_run(rig, 8 * SKR_SECOND);
        if (rig->crashed) {
            rig->crashed = false;
            rig_restart(rig);
        }
        rig_run(rig, 2 * SKR_SECOND);
        rig_pods(rig, "thief", 2, NULL, 0);
        rig_run(rig, 3 * SKR_SECOND);
        rig_pods(rig, "new", 2, "g", RIG_GATED);
        rig_run(rig, 10 * SKR_SECOND);
        if (rig->crashed) {
            rig->crashed = false;
            rig_restart(rig);
            rig_run(rig, 10 * SKR_SECOND);
        }
        rig_assert_bound(rig, "new", 2);
        assert_string_equal(rig_node_of(rig, "new-1"), "node-2");
        rig_run(rig, 60 * SKR_SECOND);
        rig_assert_clean(rig);
    }
}

TEST_RIG(running(1, 3, "early", NULL), seats_that_a_user_writes_evict_no_member_that_runs)
{
    char uid[64];
    snprintf(uid, sizeof uid, "%s", rig_find(rig, RIG_POD, "p-0")->pod->meta.uid);
    rig_edit(rig, RIG_MAP, "g",
             "{'metadata':{'annotations':{'sakkara.seats':'{\\'v\\':1,\\'seats\\':{\\'%s\\':"
             "\\'node-2\\'}}'}}}",
             uid);
    rig_restart(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(n_evicted(rig), 0);
    assert_string_equal(seats(rig), "");
    rig_pods(rig, "other", 2, NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "other-1"), "node-2");
}

TEST_RIG(running(1, 3, NULL, NULL), seats_that_a_user_writes_hold_no_room_without_the_key)
{
    rig_delete(rig, RIG_POD, "p-3");
    rig_edit(rig, RIG_MAP, "g",
             "{'metadata':{'annotations':{'sakkara.seats':'{\\'v\\':1,\\'whole\\':true,\\'by\\':"
             "\\'default/x\\',\\'seats\\':{\\'made-up\\':\\'node-2\\'}}'}}}");
    rig_restart(rig);
    rig_pods(rig, "other", 3, NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(seats(rig), "");
    for (int i = 0; i < 3; i++) {
        assert_string_not_equal(rig_node_of(rig, test_text("other-%d", i)), "");
    }
}
