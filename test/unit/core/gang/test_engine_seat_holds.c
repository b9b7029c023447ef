/* SPDX-License-Identifier: Apache-2.0 */
/* The room of lost members: kept for their replacements, for a while and only where it should be. */
#include "test/unit/engine_test.h"

#include <stdlib.h>

/* Six slots; g runs on four of them, other needs three and waits. */
static struct rig *waiting_for(skr_time hold, const char *constraints)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.seat_hold = hold;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 3, 2);
    rig_group(rig, "g", 4, 0, constraints);
    rig_group(rig, "other", 3, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    rig_pods(rig, "o", 3, "other", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "other"), 0);
    return rig;
}

TEST(the_seat_of_a_lost_member_is_kept_for_its_replacement)
{
    for (int how = 0; how < 3; how++) {
        SKR_AUTO(rig_destroy) struct rig *rig = waiting_for(60 * SKR_SECOND, NULL);
        char node[32];
        snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-2"));
        if (how == 0) {
            rig_delete(rig, RIG_POD, "p-2");
        } else if (how == 1) {
            rig_phase(rig, "p-2", "Failed");
        } else {
            rig_terminate(rig, "p-2");
            rig_run(rig, 20 * SKR_SECOND);
            rig_delete(rig, RIG_POD, "p-2");
        }
        rig_run(rig, 40 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "other"), 0);
        assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"),
                               "1 seat is held for a replacement: node-1, for 20s"));
        rig_pod(rig, "p-new", "g", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_node_of(rig, "p-new"), node);
        assert_string_equal(rig_also(rig, "g", "SeatHeld"), "");
        rig_run(rig, 60 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "other"), 0);
        rig_assert_clean(rig);
    }
}

/* Who is left stands outside the tree: what is held is all that the group has in it. */
TEST_RIG(waiting_for(60 * SKR_SECOND, NULL),
         a_seat_is_kept_for_a_group_with_nobody_left_in_the_tree)
{
    rig_pod(rig, "fill-0", NULL, 0);
    rig_pod(rig, "fill-1", NULL, 0);
    rig_run(rig, SKR_SECOND);
    char node[32];
    snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-2"));
    assert_string_not_equal(node, "node-0");
    rig_edit(rig, RIG_MAP, "topology",
             "{'data':{'tree':'{\\'rack-0\\':{\\'%s\\':{},\\'node-2\\':{}}}'}}", node);
    rig_delete(rig, RIG_POD, "p-2");
    rig_delete(rig, RIG_POD, "p-3");
    rig_run(rig, SKR_SECOND);
    rig_pods(rig, "again", 2, "g", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "again-0"), node);
    assert_string_equal(rig_node_of(rig, "again-1"), node);
}

TEST_RIG(waiting_for(60 * SKR_SECOND, NULL), a_seat_that_nobody_takes_is_given_up_in_time)
{
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, 58 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "other"), 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "other"), 3);
}

TEST(the_groups_own_key_goes_before_the_setting)
{
    for (int off = 0; off < 2; off++) {
        SKR_AUTO(rig_destroy) struct rig *rig = waiting_for(off ? 60 * SKR_SECOND : 0, NULL);
        rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'%s'}}", off ? "0" : "20s");
        rig_run(rig, SKR_SECOND);
        rig_delete(rig, RIG_POD, "p-2");
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "other"), off ? 3 : 0);
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "other"), 3);
    }
    SKR_AUTO(rig_destroy) struct rig *rig = waiting_for(0, NULL);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'soon'}}");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "seat-hold: 1:1: must be a duration"));
}

TEST(no_seat_is_held_that_nobody_will_come_back_to)
{
    enum { SUCCEEDED, SMALLER, ALL_GONE, MAP_GONE, WAYS };
    for (int way = 0; way < WAYS; way++) {
        SKR_AUTO(rig_destroy) struct rig *rig = waiting_for(600 * SKR_SECOND, NULL);
        if (way == SUCCEEDED) {
            rig_phase(rig, "p-2", "Succeeded");
        } else if (way == SMALLER) {
            rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'3'}}");
            rig_run(rig, SKR_SECOND);
            rig_delete(rig, RIG_POD, "p-2");
        } else if (way == ALL_GONE) {
            rig_delete_pods(rig, "p", 0, 4);
        } else {
            rig_delete(rig, RIG_POD, "p-2");
            rig_run(rig, SKR_SECOND);
            rig_delete(rig, RIG_MAP, "g");
        }
        rig_run(rig, 10 * SKR_SECOND);
        if (rig_n_bound(rig, "other") != 3) {
            rig_fail(rig, "way %d keeps the room", way);
        }
    }
}

TEST_RIG(rig_create(), the_seat_of_a_failed_node_is_held_on_another_one)
{
    rig_racks(rig, 2, 2, 2); /* g in one rack, hard; other would fill what is left */
    rig_group(rig, "g", 3, 0, "{'rack':{'hard':true}}");
    rig_group(rig, "other", 4, 5, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_node_of(rig, "p-2"), "node-1");
    rig_edit(rig, RIG_NODE, "node-1",
             "{'spec':{'taints':[{'key':'gone','effect':'NoExecute'}]},"
             "'status':{'allocatable':{'cpu':'2'}}}");
    rig_edit(rig, RIG_NODE, "node-0", "{'status':{'allocatable':{'cpu':'3'}}}");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    assert_non_null(
        strstr(rig_also(rig, "g", "SeatHeld"), "node-0")); /* the rack has no other open one */
    rig_pod(rig, "ordinary", NULL, 0);
    rig_pod(rig, "p-new", "g", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-new"), "node-0");
    assert_string_not_equal(rig_node_of(rig, "ordinary"), "node-0");
    rig_assert_clean(rig);
}

TEST_RIG(waiting_for(60 * SKR_SECOND, NULL), ordinary_pods_are_kept_off_a_held_seat)
{
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < 3; i++) {
        rig_pod(rig, test_text("ordinary-%d", i), NULL, 0);
    }
    rig_run(rig, 5 * SKR_SECOND);
    size_t bound = 0;
    for (int i = 0; i < 3; i++) {
        bound += *rig_node_of(rig, test_text("ordinary-%d", i)) != '\0';
    }
    assert_int_equal(bound, 2); /* of three free slots one is held */
}

/* ---- how long, how many, against whom ---- */

TEST_RIG(waiting_for(60 * SKR_SECOND, NULL), a_pinned_pod_learns_that_a_seat_holds_its_room)
{
    char node[32];
    snprintf(node, sizeof node, "%s", rig_node_of(rig, "p-2"));
    rig_edit(rig, RIG_NODE, node, "{'metadata':{'labels':{'kubernetes.io/hostname':'%s'}}}", node);
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    rig_group(rig, "pinned", 2, 0, NULL);
    rig_pods(rig, "q", 2, "pinned", RIG_GATED);
    rig_edit(rig, RIG_POD, "q-0", "{'spec':{'nodeSelector':{'kubernetes.io/hostname':'%s'}}}",
             node);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "pinned", "reason"), "PinnedNodeFull");
    assert_non_null(strstr(rig_key(rig, "pinned", "message"),
                           "a seat is held there for a replacement in group default/g"));
}

TEST_RIG(waiting_for(60 * SKR_SECOND, NULL), no_key_holds_a_seat_for_longer_than_the_option_allows)
{
    rig_edit(rig, RIG_MAP, "g", "{'data':{'seat-hold':'24h'}}");
    rig_run(rig, SKR_SECOND);
    rig_assert_text(rig_key(rig, "g", "message"), "");
    assert_non_null(strstr(rig_key(rig, "g", "conditions"),
                           "seat-hold: 24h is more than option seatHoldMax allows: seats are held "
                           "for 10m"));
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, 595 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "other"), 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "other"), 3);
}

/* Nodes of one slot; g of priority 5 runs on all of them but two. */
static struct rig *running(int nodes)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, nodes, 1);
    rig_group(rig, "g", nodes - 2, 5, NULL);
    rig_sync(rig);
    rig_pods(rig, "p", nodes - 2, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", nodes - 2);
    return rig;
}

TEST_RIG(running(10), a_namespace_holds_no_more_than_its_groups_run)
{
    rig_delete_pods(rig, "p", 1, 8);
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"), "1 seat is held for a replacement"));
}

/* A twentieth of forty slots is two. */
TEST_RIG(running(40), beside_that_a_namespace_holds_a_share_of_the_cluster)
{
    rig_delete_pods(rig, "p", 1, 38);
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"), "3 seats are held for replacements"));
}

/* The seats of g are as many as what h runs allows; then h goes. */
TEST_RIG(running(10), what_a_namespace_may_hold_shrinks_with_what_runs)
{
    rig_group(rig, "h", 2, 5, NULL);
    rig_pods(rig, "q", 2, "h", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
    rig_delete_pods(rig, "p", 1, 8);
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"), "3 seats are held for replacements"));
    rig_delete(rig, RIG_MAP, "h");
    rig_delete(rig, RIG_POD, "q-0");
    rig_delete(rig, RIG_POD, "q-1");
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"), "1 seat is held for a replacement"));
}

/* Two slots are free, and two seats are held. */
static struct rig *lost_two(void)
{
    struct rig *rig = running(6);
    rig_delete(rig, RIG_POD, "p-1");
    rig_delete(rig, RIG_POD, "p-2");
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "g", "SeatHeld"), "2 seats are held"));
    return rig;
}

TEST(held_seats_yield_to_higher_priority_as_many_as_are_needed)
{
    static const struct {
        int size, priority, bound, held;
    } row[] = {
        {2, 6, 2, 2}, {3, 6, 3, 1}, {4, 6, 4, 0}, {3, 5, 0, 2}, {3, 4, 0, 2}, {5, 6, 0, 2},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char want[32];
        SKR_AUTO(rig_destroy) struct rig *rig = lost_two();
        rig_group(rig, "urgent", row[i].size, row[i].priority, NULL);
        rig_edit(rig, RIG_MAP, "urgent", "{'data':{'seat-hold':'0'}}");
        rig->settings.preemption = false;
        rig_pods(rig, "u", row[i].size, "urgent", RIG_GATED);
        /* One that evicts would find victims in the rest of g: its pods refuse that. */
        for (int m = 0; m < row[i].size; m++) {
            rig_edit(rig, RIG_POD, test_text("u-%d", m), "{'spec':{'preemptionPolicy':'Never'}}");
        }
        rig_run(rig, SKR_SECOND);
        if ((int)rig_n_bound(rig, "urgent") != row[i].bound) {
            rig_fail(rig, "row %zu: %zu are bound", i, rig_n_bound(rig, "urgent"));
        }
        snprintf(want, sizeof want, "%d seat", row[i].held);
        if (row[i].held > 0 ? strncmp(rig_also(rig, "g", "SeatHeld"), want, strlen(want)) != 0
                            : *rig_also(rig, "g", "SeatHeld")) {
            rig_fail(rig, "row %zu: %s", i, rig_also(rig, "g", "SeatHeld"));
        }
    }
}

/* Below zero no group evicts, but seats of still lower priority yield. */
TEST_RIG(lost_two(), held_seats_yield_below_priority_zero_too)
{
    rig_edit(rig, RIG_MAP, "g", "{'data':{'priority':'-9'}}");
    rig_run(rig, SKR_SECOND);
    rig_group(rig, "urgent", 4, -8, NULL);
    rig_pods(rig, "u", 4, "urgent", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "u", 4);
}

/* Six slots: two are free, two held, and g runs on two. Seats and victims together make the room. */
TEST_RIG(lost_two(), held_seats_and_victims_make_room_together)
{
    rig_group(rig, "urgent", 6, 6, NULL);
    rig_pods(rig, "u", 6, "urgent", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "u", 6);
}

/* ---- across namespaces ---- */

/* Ten slots: h of the default namespace runs on two and holds two, six are free. */
static struct rig *hostile_holds_two_with(const struct skr_settings *settings)
{
    struct rig *rig = rig_create_with(settings);
    rig_racks(rig, 1, 10, 1);
    rig_group(rig, "h", 4, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "h", 4, "h", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "h-2");
    rig_delete(rig, RIG_POD, "h-3");
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "h", "SeatHeld"), "2 seats are held"));
    return rig;
}

static struct rig *hostile_holds_two(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    return hostile_holds_two_with(&settings);
}

static size_t n_on_nodes(struct rig *rig, const char *prefix, int n)
{
    size_t bound = 0;
    for (int i = 0; i < n; i++) {
        bound += *rig_node_of(rig, test_text("%s-%d", prefix, i)) != '\0';
    }
    return bound;
}

TEST(seats_held_by_one_namespace_yield_to_a_map_of_higher_priority_in_another)
{
    static const struct {
        const char *priority;  /* of the map; NULL: none */
        int class, one, bound; /* of the pods, of one of them */
    } row[] = {{"'0'", 0, 0, 0},  {NULL, 0, 0, 0},      {"'1'", 0, 0, 8},      {"'1'", 100, 100, 8},
               {NULL, 1, 1, 8},   {"'0'", 100, 100, 8}, {"'-9'", 100, 100, 8}, {NULL, 100, 0, 0},
               {NULL, -1, -1, 0}, {"'5000'", 0, 0, 8}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = hostile_holds_two();
        rig_group(rig, "honest/g", 8, 0, NULL);
        rig_edit(rig, RIG_MAP, "honest/g", "{'data':{'priority':%s}}",
                 row[i].priority ? row[i].priority : "null");
        rig_pods(rig, "honest/g", 8, "g", RIG_GATED);
        for (int m = 0; m < 8; m++) {
            rig_edit(rig, RIG_POD, test_text("honest/g-%d", m), "{'spec':{'priority':%d}}",
                     m == 5 ? row[i].one : row[i].class);
        }
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "h"), 2); /* none is evicted */
        if ((int)n_on_nodes(rig, "honest/g", 8) != row[i].bound) {
            rig_fail(rig, "row %zu: %zu are bound", i, n_on_nodes(rig, "honest/g", 8));
        }
    }
}

/* groups.maxPriority caps a map of a namespace without trust: at 0 only the class takes a seat. */
TEST(a_map_beyond_the_bound_of_its_namespace_takes_no_held_seat)
{
    for (int class = 0; class < 2; class ++) {
        struct skr_settings settings;
        skr_settings_default(&settings);
        settings.priority_max = "*=0";
        SKR_AUTO(rig_destroy) struct rig *rig = hostile_holds_two_with(&settings);
        rig_group(rig, "honest/g", 8, 5000, NULL);
        rig_pods(rig, "honest/g", 8, "g", RIG_GATED);
        for (int m = 0; m < 8; m++) {
            rig_edit(rig, RIG_POD, test_text("honest/g-%d", m), "{'spec':{'priority':%d}}", class);
        }
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(n_on_nodes(rig, "honest/g", 8), class > 0 ? 8 : 0);
        assert_int_equal(rig_n_bound(rig, "h"), 2);
    }
}

/* Eight slots, two of them held: urgent needs six more than the two that run. */
TEST(seats_yield_to_a_higher_class_within_a_namespace_too)
{
    static const struct {
        int lost, urgent, bound; /* classes of the pods of h, of urgent */
    } row[] = {{0, 1, 8}, {100, 100, 0}, {100, 99, 0}, {100, 101, 8}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 10, 1);
        rig_group(rig, "h", 4, 5, NULL);
        rig_sync(rig);
        rig_pods(rig, "h", 4, "h", RIG_GATED);
        for (int m = 0; m < 4; m++) {
            rig_edit(rig, RIG_POD, test_text("h-%d", m), "{'spec':{'priority':%d}}", row[i].lost);
        }
        rig_run(rig, 5 * SKR_SECOND);
        rig_delete(rig, RIG_POD, "h-2");
        rig_delete(rig, RIG_POD, "h-3");
        rig_group(rig, "urgent", 8, 0, NULL);
        rig_pods(rig, "u", 8, "urgent", RIG_GATED);
        for (int m = 0; m < 8; m++) {
            rig_edit(rig, RIG_POD, test_text("u-%d", m), "{'spec':{'priority':%d}}", row[i].urgent);
        }
        rig_run(rig, 10 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "h"), 2);
        if ((int)rig_n_bound(rig, "urgent") != row[i].bound) {
            rig_fail(rig, "row %zu: %zu are bound", i, rig_n_bound(rig, "urgent"));
        }
    }
}

/* A replacement of a higher class takes the seat of its own group, once. */
TEST_RIG(hostile_holds_two(), a_replacement_of_a_higher_class_takes_its_own_seat)
{
    rig_pods(rig, "new", 2, "h", RIG_GATED);
    rig_edit(rig, RIG_POD, "new-0", "{'spec':{'priority':100}}");
    rig_edit(rig, RIG_POD, "new-1", "{'spec':{'priority':100}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 4);
    assert_string_equal(rig_also(rig, "h", "SeatHeld"), "");
    rig_assert_clean(rig);
}

TEST_RIG(hostile_holds_two(), what_other_namespaces_run_lets_none_hold_more)
{
    rig_group(rig, "honest/g", 6, 0, NULL);
    rig_pods(rig, "honest/g", 6, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(n_on_nodes(rig, "honest/g", 6), 6);
    rig_delete(rig, RIG_POD, "h-1");
    rig_run(rig, SKR_SECOND);
    assert_non_null(strstr(rig_also(rig, "h", "SeatHeld"), "1 seat is held"));
}

/* ---- workloads that start again ---- */

static void pods_of_job(struct rig *rig, const char *group, const char *prefix)
{
    for (int i = 0; i < 4; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{'labels':{'sakkara.group.name':'%s'},'ownerReferences':[{"
                        "'apiVersion':'batch/v1','kind':'Job','name':'%s','uid':'%s','controller':"
                        "true}]},'spec':{'schedulerName':'sakkara','schedulingGates':[{'name':"
                        "'sakkara.gang'}],'containers':[{'name':'c','resources':{'requests':{"
                        "'cpu':'1'}}}]}}",
                        group, group, group);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, prefix, 4);
}

static void all_gone(struct rig *rig, const char *prefix)
{
    for (int i = 0; i < 4; i++) {
        rig_delete(rig, RIG_POD, test_text("%s-%d", prefix, i));
    }
    rig_run(rig, SKR_SECOND);
}

/* One group after the other runs and ends. The namespace ran four pods at a time. */
TEST_RIG(rig_create(), a_namespace_holds_no_more_than_it_ran_when_its_workloads_start_again_in_turn)
{
    rig_racks(rig, 1, 12, 1);
    rig_sync(rig);
    static const char *const group[] = {"a", "b", "c"};
    for (int i = 0; i < 3; i++) {
        rig_group(rig, group[i], 4, 0, NULL);
        rig_create_json(rig, RIG_JOB, group[i], "{'spec':{'parallelism':4}}");
        pods_of_job(rig, group[i], group[i]);
        all_gone(rig, group[i]);
    }
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        n += (size_t)strtol(rig_also(rig, group[i], "SeatHeld"), NULL, 10);
    }
    assert_int_equal(n, 4);
    rig_assert_clean(rig);
}
