/* SPDX-License-Identifier: Apache-2.0 */
/* Which tree is in force, what users are told about it, and how plans follow it. */
#include "test/test.h"
#include "test/unit/engine_test.h"

static void topology(struct rig *rig, const char *key, const char *levels, const char *tree)
{
    rig_create_json(rig, RIG_MAP, key,
                    "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'level-names':'%s',"
                    "'tree':'%s'}}",
                    levels, tree);
}

/* node-0.. of 2 cpu each */
static struct rig *nodes(int n)
{
    struct rig *rig = rig_create();
    for (int i = 0; i < n; i++) {
        rig_node(rig, test_text("node-%d", i), 2);
    }
    return rig;
}

/* Creates and runs a gang; the node of its i-th pod is then rig_node_of(). */
static void run_gang(struct rig *rig, const char *name, int size, const char *constraints)
{
    rig_group(rig, name, size, 0, constraints);
    rig_pods(rig, name, size, name, 0);
    rig_run(rig, 5 * SKR_SECOND);
}

#define RACK_NODE "[\\'rack\\',\\'node\\']"

TEST_RIG(rig_create(), d16_a_broken_edit_is_reported_and_the_last_good_tree_stays)
{
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "running", 2, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "r", 2, "running", 0);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{'}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "topology", "reason"), "TopologyInvalid");
    assert_non_null(strstr(rig_key(rig, "topology", "message"), "tree"));
    assert_true(rig_has_event(rig, "ConfigMap/topology Warning TopologyInvalid"));
    assert_string_equal(rig_state(rig, "running"), "Admitting"); /* running plans go on */
    rig->hold_scheduler = false;
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "r", 2);
    rig_assert_bound(rig, "g", 4);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{}}}'}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "topology", "reason"), "");
    assert_string_equal(rig_key(rig, "topology", "message"), "");
}

TEST_RIG(nodes(2), with_only_a_malformed_map_groups_wait_with_topology_missing)
{
    topology(rig, "topology", RACK_NODE, "{");
    rig_sync(rig);
    run_gang(rig, "g", 2, NULL);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "TopologyMissing");
    assert_string_equal(rig_key(rig, "g", "status"), "Ready");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{},\\'node-1\\':{}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
}

TEST_RIG(nodes(2), d21_empty_resource_names_are_an_error_that_nobody_dies_of)
{
    topology(rig, "topology", "[\\'node\\']", "{\\'node-0\\':{},\\'node-1\\':{}}");
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'resource-names':'[]'}}");
    rig_sync(rig);
    run_gang(rig, "g", 2, NULL);
    assert_string_equal(rig_key(rig, "topology", "reason"), "TopologyInvalid");
    assert_non_null(strstr(rig_key(rig, "topology", "message"), "resource-names"));
}

TEST_RIG(nodes(4), d18_deleting_an_inactive_topology_map_changes_nothing)
{
    topology(
        rig, "topology", RACK_NODE,
        "{\\'r\\':{\\'node-0\\':{},\\'node-1\\':{}},\\'s\\':{\\'node-2\\':{},\\'node-3\\':{}}}");
    rig->now += 5 * SKR_SECOND;
    topology(rig, "second", "[\\'node\\']", "{\\'node-3\\':{}}");
    rig->reverse_lists = true;
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "second", "reason"), "DuplicateTopology");
    assert_string_equal(rig_key(rig, "topology", "reason"), "");
    rig_delete(rig, RIG_MAP, "second");
    rig_run(rig, SKR_SECOND);
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
}

TEST_RIG(nodes(4), deleting_the_active_topology_map_promotes_the_next)
{
    topology(rig, "a", "[\\'node\\']", "{\\'node-0\\':{}}");
    topology(rig, "b", "[\\'node\\']", "{\\'node-3\\':{}}");
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "b", "reason"), "DuplicateTopology");
    rig_delete(rig, RIG_MAP, "a");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "b", "reason"), "");
    run_gang(rig, "g", 1, NULL);
    assert_string_equal(rig_node_of(rig, "g-0"), "node-3");
}

TEST_RIG(rig_create(), a_map_that_is_away_for_a_second_has_no_group_placed_without_it)
{
    rig_racks(rig, 2, 2, 2);
    rig_group(rig, "g", 4, 0, "{'rack':{'type':'pack','hard':true}}");
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "o", 2, NULL, 0); /* one in each rack: 4 fit, but not into one rack */
    rig_edit(rig, RIG_POD, "o-0", "{'spec':{'nodeName':'node-0'}}");
    rig_edit(rig, RIG_POD, "o-1", "{'spec':{'nodeName':'node-2'}}");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_MAP, "topology");
    rig_pods(rig, "p", 4, "g", 0);
    rig_run(rig, 30 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "status"), "Ready");
    rig_run(rig, 60 * SKR_SECOND); /* no grace is left, and no level rack is there */
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "constraints: 1:9: no level \"rack\"; the tree has node");
    rig_create_json(
        rig, RIG_MAP, "topology",
        "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'level-names':"
        "'[\\'rack\\',\\'node\\']','tree':'{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}},"
        "\\'rack-1\\':{\\'node-2\\':{},\\'node-3\\':{}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "TopologyPlacementFailed");
}

TEST_RIG(nodes(2), a_topology_map_elsewhere_is_ignored)
{
    topology(rig, "other/topology", "[\\'node\\']", "{\\'node-1\\':{}}");
    rig_sync(rig);
    run_gang(rig, "g", 1, NULL);
    assert_string_equal(rig_node_of(rig, "g-0"), "node-0"); /* derived: flat */
    assert_string_equal(rig_key(rig, "other/topology", "reason"), "");
}

TEST_RIG(nodes(2), d19_equal_unit_names_in_different_branches_are_two_racks)
{
    topology(rig, "topology", "[\\'zone\\',\\'rack\\',\\'node\\']",
             "{\\'zone-a\\':{\\'rack-0\\':{\\'node-0\\':{}}},\\'zone-b\\':{\\'rack-0\\':{\\'node-"
             "1\\':{}}}}");
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'zone':{'type':'pack','hard':true}}");
    assert_int_equal(rig_n_bound(rig, "g"),
                     0); /* not four in one zone: no rack has more than two */
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_key(rig, "g", "placement"),
                        "{\"root\":{\"zone-a\":{\"rack-0\":{\"node-0\":{\"g-0\":{},\"g-1\":{}}}},"
                        "\"zone-b\":{\"rack-0\":{\"node-1\":{\"g-2\":{},\"g-3\":{}}}}}}");
}

TEST_RIG(nodes(1), d20_a_derived_tree_follows_nodes_that_come_and_go)
{
    rig_sync(rig);
    run_gang(rig, "g", 4, NULL);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_node(rig, "node-1", 2);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    rig_delete(rig, RIG_NODE, "node-1");
    run_gang(rig, "h", 1, NULL);
    assert_int_equal(rig_n_bound(rig, "h"), 0);
}

TEST_RIG(nodes(4), d20_a_derived_tree_follows_rack_labels)
{
    for (int i = 0; i < 4; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 "{'metadata':{'labels':{'sakkara.topology.rack':'r%d'}}}", i);
    }
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_edit(rig, RIG_NODE, "node-3", "{'metadata':{'labels':{'sakkara.topology.rack':'r1'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "g-3"), "node-3");
}

/* node-0 and node-1 in r0, node-2 and node-3 in r1. */
static struct rig *labelled(void)
{
    struct rig *rig = nodes(4);
    for (int i = 0; i < 4; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 "{'metadata':{'labels':{'sakkara.topology.rack':'r%d'}}}", i / 2);
    }
    rig_sync(rig);
    return rig;
}

static void lose_and_replace(struct rig *rig, const char *lost, const char *replacement)
{
    rig_delete(rig, RIG_POD, lost);
    rig_run(rig, 2 * SKR_SECOND);
    rig_pod(rig, replacement, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
}

static size_t n_outside(struct rig *rig)
{
    struct skr_gang_stats stats;
    rig_run(rig, 3 * SKR_SECOND);
    skr_gang_get_stats(rig->gang, &stats);
    return stats.outside_nodes;
}

TEST_RIG(labelled(), a_lost_member_is_replaced_while_nodes_without_the_rack_label_come_and_go)
{
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
    rig_node(rig, "bare", 4);
    assert_int_equal(n_outside(rig), 1);
    lose_and_replace(rig, "g-0", "g-4");
    assert_string_equal(rig_node_of(rig, "g-4"), "node-0");
    rig_delete(rig, RIG_NODE, "bare");
    assert_int_equal(n_outside(rig), 0);
    lose_and_replace(rig, "g-1", "g-5");
}

TEST_RIG(labelled(), members_on_a_node_that_loses_the_rack_label_stay_and_count)
{
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'metadata':{'labels':{'sakkara.topology.rack':null}}}");
    assert_int_equal(n_outside(rig), 1);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    lose_and_replace(rig, "g-0", "g-4");
    assert_string_equal(rig_node_of(rig, "g-4"), "node-0");
    assert_string_equal(rig_key(rig, "g", "placement"),
                        "{\"root\":{\"node-1\":{\"g-2\":{},\"g-3\":{}},"
                        "\"r0\":{\"node-0\":{\"g-1\":{},\"g-4\":{}}}}}");
    rig_delete(rig, RIG_POD, "g-2"); /* its room is outside the tree now */
    rig_run(rig, 2 * SKR_SECOND);
    rig_pod(rig, "g-5", "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(
        strstr(rig_key(rig, "g", "message"), "2 members sit in r0, 1 outside the tree"));
    rig_edit(rig, RIG_NODE, "node-1", "{'metadata':{'labels':{'sakkara.topology.rack':'r0'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "g-5"), "node-1");
}

TEST_RIG(nodes(2), warnings_about_nodes_are_conditions_of_the_map)
{
    topology(rig, "topology", RACK_NODE,
             "{\\'r\\':{\\'node-0\\':{},\\'ghost\\':{}},\\'shallow\\':{}}");
    rig_sync(rig);
    rig_run(rig, 3 * SKR_SECOND);
    const char *conditions = rig_key(rig, "topology", "conditions");
    assert_non_null(strstr(conditions, "\"type\":\"UnevenDepth\""));
    assert_non_null(strstr(conditions, "\"type\":\"UnknownNode\""));
    assert_non_null(strstr(conditions, "ghost"));
    assert_non_null(strstr(conditions, "\"type\":\"NodesNotInTree\""));
    assert_non_null(strstr(conditions, "node-1"));
    rig_node(rig, "ghost", 2);
    rig_delete(rig, RIG_NODE, "node-1");
    rig_run(rig, 3 * SKR_SECOND);
    conditions = rig_key(rig, "topology", "conditions");
    assert_null(strstr(conditions, "UnknownNode"));
    assert_null(strstr(conditions, "NodesNotInTree"));
}

TEST_RIG(nodes(2), a_node_outside_the_tree_takes_ordinary_pods_but_no_group)
{
    topology(rig, "topology", "[\\'node\\']", "{\\'node-0\\':{}}");
    rig_sync(rig);
    run_gang(rig, "g", 3, NULL);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':true}}");
    rig_pod(rig, "plain", NULL, 0);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "plain"), "node-1");
}

TEST_RIG(rig_create(), d43_an_overcommitted_node_counts_as_full)
{
    rig->allow_overfull = true;
    rig_racks(rig, 1, 2, 5);
    for (int i = 0; i < 8; i++) { /* free: -3 and 5 */
        char name[32];
        snprintf(name, sizeof name, "static-%d", i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-0'}}");
    }
    rig_sync(rig);
    run_gang(rig, "g", 5, NULL);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(rig_node_of(rig, test_text("g-%d", i)), "node-1");
    }
}

TEST_RIG(nodes(2), every_resource_that_members_request_is_considered)
{
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'example.com/gpu':'1'}}}");
    rig_group(rig, "g", 1, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p", "g", RIG_GATED);
    rig_edit(
        rig, RIG_POD, "p",
        "{'spec':{'containers':[{'name':'c','resources':{'requests':{'example.com/gpu':'1'}}}]}}");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p"), "node-1");
}

TEST_RIG(rig_create(), running_groups_are_not_touched_by_a_new_topology)
{
    rig_racks(rig, 2, 2, 2);
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
    rig_forget_counts(rig);
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'x\\':{\\'node-0\\':{}},\\'y\\':{\\'node-1\\':{}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 4);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_int_equal(rig->n_solves, 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), 0);
}

/* ---- levels of labels ---- */

#define LEVELS \
    "[{\\'name\\':\\'zone\\',\\'label\\':\\'z\\'},{\\'name\\':\\'rack\\',\\'label\\':\\'r\\'}]"

static void label(struct rig *rig, const char *node, const char *zone, const char *rack)
{
    rig_edit(rig, RIG_NODE, node, "{'metadata':{'labels':{'z':%s,'r':%s}}}", zone, rack);
}

/* node-0 in zone a, rack 0; node-1 in zone a, rack 1; node-2 in zone b, rack 0; node-3 bare. */
static struct rig *in_zones(void)
{
    struct rig *rig = nodes(4);
    label(rig, "node-0", "'a'", "'r0'");
    label(rig, "node-1", "'a'", "'r1'");
    label(rig, "node-2", "'b'", "'r0'");
    return rig;
}

static void levels(struct rig *rig, const char *key, const char *text)
{
    rig_create_json(rig, RIG_MAP, key,
                    "{'metadata':{'labels':{'sakkara.topology':''}},'data':{'levels':'%s'}}", text);
}

static struct rig *by_option(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_levels = skr_label_levels_preset("zones");
    struct rig *rig = rig_create_with(&settings);
    for (int i = 0; i < 2; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        rig_node(rig, name, 2);
        rig_edit(rig, RIG_NODE, name,
                 "{'metadata':{'labels':{'topology.kubernetes.io/region':'eu',"
                 "'topology.kubernetes.io/zone':'eu-%d'}}}",
                 i);
    }
    rig_node(rig, "bare", 8);
    return rig;
}

TEST_RIG(in_zones(), a_map_with_levels_makes_the_tree_and_names_the_nodes_it_leaves_out)
{
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'zone':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_key(rig, "g", "placement"),
                        "{\"root\":{\"a\":{\"r0\":{\"node-0\":{\"g-0\":{},\"g-1\":{}}},"
                        "\"r1\":{\"node-1\":{\"g-2\":{},\"g-3\":{}}}}}}");
    assert_string_equal(rig_key(rig, "topology", "reason"), "");
    const char *conditions = rig_key(rig, "topology", "conditions");
    assert_non_null(strstr(conditions, "\"type\":\"LabelMissing\""));
    assert_non_null(
        strstr(conditions, "1 node is left out: no label z (level zone), first node-3"));
    assert_non_null(strstr(conditions, "\"type\":\"LevelsDoNotNest\""));
    assert_non_null(strstr(conditions, "rack r0 is below a and below b"));
    assert_null(strstr(conditions, "NodesNotInTree"));
}

static void clique(struct rig *rig, const char *node, int clique, int other)
{
    rig_create_json(rig, RIG_SLICE, node,
                    "{'metadata':{},'spec':{'driver':'d.io','nodeName':'%s','pool':{'name':'%s',"
                    "'generation':1,'resourceSliceCount':1},'devices':["
                    "{'name':'a','attributes':{'clique':{'int':%d}}},"
                    "{'name':'b','attributes':{'clique':{'int':%d}}}]}}",
                    node, node, clique, other);
}

TEST_RIG(in_zones(), a_level_by_an_attribute_of_devices_follows_the_slices)
{
    levels(rig, "topology", "[{\\'name\\':\\'clique\\',\\'attribute\\':\\'d.io/clique\\'}]");
    for (int i = 0; i < 4; i++) {
        clique(rig, test_text("node-%d", i), i / 2, i == 3 ? 7 : i / 2);
    }
    rig_sync(rig);
    run_gang(rig, "first", 4, "{'clique':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "first", 4);
    run_gang(rig, "g", 4, "{'clique':{'type':'pack','hard':true}}");
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_non_null(strstr(rig_also(rig, "g", "LabelMissing"),
                           "1 node is left out: no attribute d.io/clique (level clique), first "
                           "node-3"));
    assert_non_null(strstr(rig_key(rig, "topology", "conditions"),
                           "1 node has devices with several values of attribute d.io/clique "
                           "(level clique), first node-3"));
    rig_delete(rig, RIG_SLICE, "node-3");
    clique(rig, "node-3", 1, 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_null(strstr(rig_key(rig, "topology", "conditions"), "UnevenDevices"));
}

TEST_RIG(in_zones(), a_bare_node_makes_no_rack_group_invalid)
{
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    run_gang(rig, "g", 2, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 2);
    rig_node(rig, "another", 8);
    run_gang(rig, "h", 2, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "h", 2);
}

TEST_RIG(in_zones(), a_relabelled_node_moves_within_a_second_and_bound_groups_stay)
{
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    run_gang(rig, "first", 2, "{'zone':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "first", 2);
    run_gang(rig, "g", 6, "{'zone':{'type':'pack','hard':true}}");
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    label(rig, "node-2", "'a'", "'r2'");
    label(rig, "node-3", "'a'", "'r2'");
    rig_run(rig, SKR_SECOND);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 6);
    rig_assert_bound(rig, "first", 2);
    assert_null(strstr(rig_key(rig, "topology", "conditions"), "LabelMissing"));
}

TEST_RIG(in_zones(), a_wave_of_nodes_is_a_few_trees)
{
    struct skr_gang_stats before, after;
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    skr_gang_get_stats(rig->gang, &before);
    for (int i = 10; i < 60; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%d", i);
        rig_node(rig, name, 2);
        label(rig, name, "'c'", "'r9'");
        rig_run(rig, 10 * SKR_MILLISECOND);
    }
    rig_run(rig, SKR_SECOND);
    skr_gang_get_stats(rig->gang, &after);
    assert_in_range(after.topology_loads - before.topology_loads, 1, 6); /* in half a second */
    run_gang(rig, "g", 100, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 100);
}

TEST_RIG(in_zones(), a_map_with_tree_and_levels_is_refused)
{
    levels(rig, "topology", LEVELS);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':'{\\'r\\':{\\'node-0\\':{}}}'}}");
    rig_sync(rig);
    run_gang(rig, "g", 1, NULL);
    assert_string_equal(rig_key(rig, "topology", "reason"), "TopologyInvalid");
    assert_string_equal(rig_key(rig, "topology", "message"),
                        "tree: beside levels: one of them makes the tree");
    assert_string_equal(rig_key(rig, "g", "reason"), "TopologyMissing");
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'tree':null}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 1);
}

TEST_RIG(in_zones(), the_levels_of_the_last_good_map_follow_the_nodes)
{
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "topology", "{'data':{'levels':'[]'}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "topology", "message"), "levels: 1:1: is empty");
    label(rig, "node-3", "'d'", "'r0'");
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_NODE, "node-0", "{'spec':{'unschedulable':true}}");
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig_edit(rig, RIG_NODE, "node-2", "{'spec':{'unschedulable':true}}");
    run_gang(rig, "g", 2, "{'zone':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 2);
}

TEST_RIG(by_option(), the_option_makes_the_tree_of_a_cluster_without_a_map)
{
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'zone':{'type':'pack','hard':true}}");
    assert_int_equal(rig_n_bound(rig, "g"), 0); /* "bare" has room, and no zone */
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    run_gang(rig, "h", 4, "{'region':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "h", 4);
}

TEST_RIG(by_option(), a_map_goes_before_the_option)
{
    topology(rig, "topology", RACK_NODE, "{\\'r\\':{\\'bare\\':{}}}");
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), "bare");
}

TEST_RIG(by_option(), with_the_option_no_tree_is_ever_flat)
{
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i), "{'metadata':{'labels':null}}");
    }
    rig_sync(rig);
    run_gang(rig, "g", 1, NULL);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "TopologyMissing");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g has no topology tree to be placed on: 3 nodes are left out: no "
                        "label topology.kubernetes.io/region (level region), first bare");
    rig_edit(rig, RIG_NODE, "bare",
             "{'metadata':{'labels':{'topology.kubernetes.io/region':'eu',"
             "'topology.kubernetes.io/zone':'eu-1'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 1);
}

TEST_RIG(in_zones(), within_a_rack_is_one_rack_whatever_stands_above)
{
    levels(rig, "topology", LEVELS);
    rig_sync(rig);
    run_gang(rig, "spread", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "spread", 4); /* one rack in each of two zones */
    rig_group(rig, "g", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'within':'rack'}}");
    rig_pods(rig, "g", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-1"));
    rig_group(rig, "large", 4, 0, NULL);
    rig_edit(rig, RIG_MAP, "large", "{'data':{'within':'rack'}}");
    rig_pods(rig, "large", 4, "large", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "large"), 0);
    assert_string_equal(rig_key(rig, "large", "reason"), "NeverFits");
    rig_edit(rig, RIG_MAP, "large", "{'data':{'within':'rak'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "large", "reason"), "GroupInvalid");
    assert_string_equal(rig_key(rig, "large", "message"),
                        "within: no level \"rak\" (did you mean \"rack\"?); the tree has zone, "
                        "rack, node");
}

TEST_RIG(rig_create(), a_level_added_above_changes_what_a_hard_rule_says_and_the_group_says_so)
{
    rig_racks(rig, 2, 2, 2);
    rig_sync(rig);
    run_gang(rig, "g", 4, "{'rack':{'type':'pack','hard':true}}");
    rig_assert_bound(rig, "g", 4);
    assert_null(strstr(rig_key(rig, "g", "conditions"), "in each zone"));
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'level-names':'[\\'zone\\',\\'rack\\',\\'node\\']','tree':"
             "'{\\'a\\':{\\'rack-0\\':{\\'node-0\\':{},\\'node-1\\':{}}},"
             "\\'b\\':{\\'rack-1\\':{\\'node-2\\':{},\\'node-3\\':{}}}}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_non_null(strstr(rig_key(rig, "g", "conditions"),
                           "hard pack of level \\\"rack\\\" is one rack in each zone that is used; "
                           "write within: rack for one in all, or a rule for zone, {} if this is "
                           "meant"));
    rig_edit(rig, RIG_MAP, "g", "{'data':{'within':'rack'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_null(strstr(rig_key(rig, "g", "conditions"), "in each zone"));
}
