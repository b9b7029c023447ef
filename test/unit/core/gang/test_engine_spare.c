/* SPDX-License-Identifier: Apache-2.0 */
/* Option time.spare: nodes that only replacements of lost members may use. */
#include <string.h>

#include "test/unit/engine_test.h"

static struct rig *spared(const char *spare, int racks, int nodes)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.spare = spare;
    settings.reservations = 1;
    struct rig *rig = rig_create_with(&settings);
    rig->grace = 20 * SKR_SECOND;
    rig_racks(rig, racks, nodes, 2);
    return rig;
}

static void assert_message(const struct rig *rig, const char *group, const char *part)
{
    const char *message = rig_key(rig, group, "message");
    if (!strstr(message, part)) {
        assert_string_equal(message, part);
    }
}

TEST(groups_and_single_pods_leave_a_node_of_every_rack_free)
{
    SKR_AUTO(rig_destroy) struct rig *rig = spared("rack=1", 2, 2);
    rig_group(rig, "g", 6, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 6, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_message(rig, "g", "; time.spare keeps 2 nodes, where 4 more fit");
    const json_t *why = rig_explain(rig, "g");
    char *text = json_dumps(why, 0);
    assert_non_null(strstr(text, "\"why\": \"Spare\""));
    assert_non_null(strstr(text, "node-1 is no spare"));
    free(text);
    rig_pods(rig, "single", 5, NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        assert_non_null(strstr("node-0 node-2", rig_node_of(rig, test_text("single-%d", i))));
    }
    assert_string_equal(rig_node_of(rig, "single-4"), "");
    const struct rig_answer answer = rig_filter(rig, "single-4", "node-1");
    assert_string_equal(answer.text, "sakkara: node is kept as a spare");
    rig_assert_clean(rig);
}

TEST(members_of_several_roles_that_wait_have_the_spares_in_their_message)
{
    SKR_AUTO(rig_destroy) struct rig *rig = spared("rack=1", 2, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_pods(rig, "q", 2, "g", RIG_GATED | RIG_BIG);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_message(rig, "g", "; time.spare keeps 2 nodes");
}

TEST(a_replacement_takes_the_spare_and_another_node_becomes_one)
{
    for (int early = 0; early < 2; early++) {
        SKR_AUTO(rig_destroy) struct rig *rig = spared("rack=1", 1, 4);
        rig_group(rig, "g", 4, 0, NULL);
        rig_edit(rig, RIG_MAP, "g", "{'data':{'replace':'%s'}}", early ? "early" : "whole");
        rig_sync(rig);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_pods(rig, "single", 2, NULL, 0);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        rig_assert_bound(rig, "single", 2);
        char node[64];
        snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-3"));
        if (early) {
            rig_edit(rig, RIG_NODE, node,
                     "{'spec':{'taints':[{'key':'node.kubernetes.io/out-of-service','effect':"
                     "'NoExecute'}]}}");
        } else {
            rig_delete(rig, RIG_POD, "p-2");
            rig_delete(rig, RIG_POD, "p-3");
            rig_delete(rig, RIG_NODE, node);
        }
        rig_run(rig, 30 * SKR_SECOND);
        rig_pods(rig, "new", 2, "g", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "new", 2);
        assert_string_equal(rig_node_of(rig, "new-0"), "node-3");
        assert_string_equal(rig_node_of(rig, "new-1"), "node-3");
        /* Now all nodes are full, so the last one in the order is the spare: a freed one is the next. */
        rig_delete(rig, RIG_POD, "single-0");
        rig_run(rig, SKR_SECOND);
        rig_pod(rig, "late", NULL, 0);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "late"), "");
    }
}

TEST(a_level_that_the_tree_lacks_keeps_no_node)
{
    static const char *const level[] = {"zone=1", "node=1"};
    for (size_t i = 0; i < 2; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = spared(level[i], 1, 2);
        rig_group(rig, "g", 4, 0, NULL);
        rig_sync(rig);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        assert_non_null(strstr(rig->log.s, "above its nodes"));
    }
}

/* An early end makes a node of the reservation the least used one. */
TEST(a_reservation_keeps_its_node_that_becomes_a_spare)
{
    for (int restart = 0; restart < 2; restart++) {
        SKR_AUTO(rig_destroy) struct rig *rig = spared("rack=1", 1, 3);
        rig_sync(rig);
        rig_pods(rig, "a", 4, NULL, 0);
        rig_run(rig, SKR_SECOND);
        for (int i = 0; i < 4; i++) {
            rig_edit(rig, RIG_POD, test_text("a-%d", i),
                     "{'spec':{'activeDeadlineSeconds':600},'status':{'startTime':"
                     "'2023-11-14T22:13:20Z'}}");
        }
        rig_group(rig, "g", 4, 0, NULL);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, 20 * SKR_SECOND);
        char start[64];
        snprintf(start, sizeof start, "%s", rig_key(rig, "g", "plannedStart"));
        assert_string_not_equal(start, "");
        rig_edit(rig, RIG_NODE, "node-2", "{'spec':{'unschedulable':true}}");
        rig_run(rig, 20 * SKR_SECOND);
        if (restart) {
            rig_restart(rig);
            rig_run(rig, 20 * SKR_SECOND);
        }
        assert_string_equal(rig_key(rig, "g", "plannedStart"), start);
        rig_delete_pods(rig, "a", 0, 4);
        rig_run(rig, 30 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
    }
}
