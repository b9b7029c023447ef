/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that wait for room: what an event that cannot help them costs, and one that can. */
#include "test/unit/engine_test.h"
#include "test/unit/limits_scene.h"

static const char one_rack[] = "{'rack':{'type':'pack','hard':true}}";

/* Running pods on a node, one cpu each: load-NODE-0 and so on. */
static void load(struct rig *rig, int node, int pods)
{
    char name[32];
    for (int i = 0; i < pods; i++) {
        snprintf(name, sizeof name, "load-%d-%d", node, i);
        rig_pod(rig, name, NULL, 0);
        rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'node-%d'}}", node);
    }
}

/* Two racks of two nodes of four: the first has room for one, the second for five. Groups of six
 * wait for a rack. */
static struct rig *crowded(int groups)
{
    char name[32];
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    load(rig, 0, 4);
    load(rig, 1, 3);
    load(rig, 2, 3);
    rig_sync(rig);
    for (int i = 0; i < groups; i++) {
        snprintf(name, sizeof name, "g%02d", i);
        rig_group(rig, name, 6, 0, one_rack);
        rig_pods(rig, name, 6, name, RIG_GATED);
    }
    rig_run(rig, 10 * SKR_SECOND);
    if (groups > 0) {
        assert_string_equal(rig_key(rig, "g00", "message"),
                            "group g00 needs 6 slots in one rack, best rack has 5");
    }
    return rig;
}

/* Gated members p-0.. of a group that never has enough, each so much later than the one before. */
static void labels_while_they_come(int members, skr_time apart, size_t while_coming,
                                   size_t in_the_end)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    rig_racks(rig, 1, 4, 4);
    rig_group(rig, "g", members + 1, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    for (int i = 0; i < members; i++) {
        rig_run(rig, apart);
        rig_pod(rig, test_text("p-%d", i), "g", RIG_GATED);
    }
    rig_settle(rig);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), while_coming);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), in_the_end);
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.status"), "Waiting");
}

TEST(members_are_labelled_when_the_last_one_has_come_or_after_ten_seconds)
{
    labels_while_they_come(8, 800 * SKR_MILLISECOND, 0, 8);
    labels_while_they_come(8, 1500 * SKR_MILLISECOND, 7, 8);
    labels_while_they_come(20, 800 * SKR_MILLISECOND, 7, 20);
}

TEST_RIG(crowded(20), an_event_that_cannot_help_starts_no_solve)
{
    rig_delete(rig, RIG_POD, "load-0-0"); /* the numbers of all are old now: they are told anew */
    rig_run(rig, SKR_SECOND);
    size_t solves = rig->n_solves;
    for (int i = 1; i < 4; i++) {
        rig_delete(rig, RIG_POD, test_text("load-0-%d", i));
        rig_run(rig, 100 * SKR_MILLISECOND);
    }
    assert_int_equal(rig->n_solves, solves);
    assert_int_equal(rig_n_bound(rig, "g00"), 0);
}

TEST_RIG(crowded(20), the_first_of_them_that_fits_is_planned_by_one_solve)
{
    size_t solves = rig->n_solves;
    rig_delete(rig, RIG_POD, "load-2-1");
    while (rig->n_solves == solves && rig_step_watch(rig, 0)) {
    }
    assert_true(rig_step_solve(rig));
    assert_string_equal(rig_state(rig, "g00"), "Planned");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g00", 6);
    for (int i = 0; i < 6; i++) {
        assert_true(strcmp(rig_node_of(rig, test_text("g00-%d", i)), "node-2") >= 0);
    }
    assert_int_equal(rig_n_bound(rig, "g01"), 0);
}

TEST_RIG(crowded(1), numbers_of_a_reason_are_told_anew_after_a_pause)
{
    rig_group(rig, "large", 12, 0, NULL);
    rig_pods(rig, "large", 12, "large", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "large", "message"),
                        "group large needs 12 slots, 6 are free on eligible nodes");
    rig_delete(rig, RIG_POD, "load-0-0");
    rig_run(rig, 10 * SKR_MILLISECOND);
    rig_delete(rig, RIG_POD, "load-0-1");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "large", "message"),
                        "group large needs 12 slots, 8 are free on eligible nodes");
}

TEST_RIG(crowded(1), numbers_of_a_reason_follow_room_that_is_taken)
{
    rig_group(rig, "large", 12, 0, NULL);
    rig_pods(rig, "large", 12, "large", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    size_t solves = rig->n_solves;
    load(rig, 3, 2);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "large", "message"),
                    "group large needs 12 slots, 4 are free on eligible nodes");
    rig_assert_text(rig_key(rig, "g00", "message"),
                    "group g00 needs 6 slots, 4 are free on eligible nodes");
    assert_true(rig->n_solves <= solves + 2); /* once, however many pods came */
    solves = rig->n_solves;
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(rig->n_solves, solves);
}

TEST_RIG(crowded(1), numbers_whose_solve_gave_way_are_told_afterwards)
{
    size_t solves = rig->n_solves;
    load(rig, 3, 2);
    rig->hold_solves = true;
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig->n_solves, solves + 1);
    rig_group(rig, "large", 12, 0, NULL);
    rig_pods(rig, "large", 12, "large", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig->hold_solves = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "large", "message"),
                    "group large needs 12 slots, 4 are free on eligible nodes");
    rig_assert_text(rig_key(rig, "g00", "message"),
                    "group g00 needs 6 slots, 4 are free on eligible nodes");
}

TEST_RIG(crowded(0), a_bound_group_that_lacks_members_is_told_of_room_that_is_taken)
{
    rig_group(rig, "small", 8, 0, "{'node':{'max':4}}");
    rig_pods(rig, "small", 6, "small", 0);
    for (int i = 0; i < 4; i++) { /* they run already */
        rig_edit(rig, RIG_POD, test_text("small-%d", i), "{'spec':{'nodeName':'node-3'}}");
    }
    rig_pods(rig, "more", 2, "small", 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "small", "message"), ", 2 are free on eligible nodes"));
    rig_pod(rig, "late", NULL, 0);
    rig_edit(rig, RIG_POD, "late", "{'spec':{'nodeName':'node-2'}}");
    rig_run(rig, 10 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "small", "message"), ", 1 is free on eligible nodes"));
}

/* Two of four nodes are busy for 100 s, when a group of four starts there. One of three that runs for 50 s may use the
 * others until a reservation is so near. */
TEST_RIG(limits_waiting(1), numbers_of_a_reason_follow_a_reservation_that_comes_nearer)
{
    limits_gang(rig, "brief", 3, 0, 50);
    rig_run(rig, 40 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "brief", "message"),
                    "group brief needs 3 slots, 2 are free on eligible nodes");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "brief", "message"),
                    "group brief needs 3 slots, 0 are free on eligible nodes");
}

TEST_RIG(limits_four_nodes(1), so_do_those_of_a_group_that_lacks_members)
{
    limits_gang(rig, "brief", 1, 0, 50);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "brief", 1);
    limits_gang(rig, "busy", 2, 0, 100);
    rig_run(rig, SKR_SECOND);
    limits_start(rig, "busy", 2);
    limits_gang(rig, "big", 3, 0, 50);
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_MAP, "brief", "{'data':{'size':'3'}}");
    limits_pod(rig, "brief-1", "brief", 50);
    limits_pod(rig, "brief-2", "brief", 50);
    rig_run(rig, 30 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "brief", "message"), ", 1 is free on eligible nodes"));
    rig_run(rig, 30 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "brief", "message"), ", 0 are free on eligible nodes"));
}

/* Enough slots in sum, but not in one rack: that is another reason. */
TEST_RIG(crowded(1), another_reason_is_told_at_once)
{
    load(rig, 3, 1);
    rig_group(rig, "late", 6, 0, one_rack);
    rig_pods(rig, "late", 6, "late", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "late", "reason"), "WaitingForCapacity");
    rig_delete(rig, RIG_POD, "load-0-0");
    rig_run(rig, 400 * SKR_MILLISECOND);
    assert_string_equal(rig_key(rig, "late", "reason"), "TopologyPlacementFailed");
}

/* Its Binding was never answered, and it terminates by the time it is read back. */
TEST_RIG(rig_create(), a_pod_that_is_deleted_while_its_binding_is_unknown_keeps_no_room)
{
    rig_racks(rig, 1, 1, 1);
    rig_group(rig, "g", 1, 0, NULL);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pod(rig, "solo", NULL, 0);
    rig_run(rig, SKR_SECOND);
    struct rig_write *binding = rig_find_write(rig, SKR_WRITE_BINDING, "solo");
    assert_non_null(binding);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_terminate(rig, "solo");
    rig_answer_write(rig, binding, RIG_LOST);
    rig_pods(rig, "g", 1, "g", 0);
    rig_run(rig, 100 * SKR_SECOND);
    rig_assert_text(rig_node_of(rig, "solo"), "");
    rig_assert_bound(rig, "g", 1);
}
