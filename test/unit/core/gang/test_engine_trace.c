/* SPDX-License-Identifier: Apache-2.0 */
/* Members that need no waking: rank and plan travel in their Bindings, the plan of all in the first. */
#include <utlist.h>

#include "core/gang/plan/member_record.h"
#include "test/unit/engine_test.h"

enum { MEMBERS = 6, RACK = 4 };

static const char *member(int i)
{
    static char name[16];
    snprintf(name, sizeof name, "p-%d", i);
    return name;
}

/* Group "g" of six, two to a node, on racks of four nodes; kube-scheduler comes when its plan stands. */
static struct rig *gang_with(int racks, uint32_t carriers, bool travels)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = travels ? SKR_TRACE_LABELS_FROM : SKR_TRACE_LABELS_FROM - 1;
    settings.copies_max = carriers;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, racks, RACK, 2);
    rig_group(rig, "g", MEMBERS, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_forget_counts(rig);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", MEMBERS, "g", 0);
    rig_run(rig, SKR_SECOND);
    return rig;
}

static struct rig *gang(void)
{
    return gang_with(2, 1, true);
}

/* All have voted, Binding is persisted, and Bindings are held: the first alone is on its way. */
static struct rig *gang_that_binds(void)
{
    struct rig *rig = gang();
    rig->hold_kind = SKR_WRITE_BINDING;
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    return rig;
}

static size_t in_flight(const struct rig *rig)
{
    const struct rig_write *w;
    size_t n = 0;
    DL_FOREACH(rig->writes, w)
    {
        n += w->kind == SKR_WRITE_BINDING;
    }
    return n;
}

static void answer_first(struct rig *rig, enum rig_outcome outcome)
{
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), outcome);
    rig_settle(rig);
}

static const char *carried(struct rig *rig, int i)
{
    return rig_annotation(rig, RIG_POD, member(i), "sakkara.gang.plan");
}

static int n_carriers(struct rig *rig)
{
    int n = 0;
    for (int i = 0; i < MEMBERS; i++) {
        n += *carried(rig, i) != '\0';
    }
    return n;
}

/* Whole, each on the node of the first plan, with its rank. */
static void assert_whole(struct rig *rig)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = false;
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        answer_first(rig, RIG_OK);
    }
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
        char node[16], rank[16];
        snprintf(node, sizeof node, "node-%d", i / 2);
        snprintf(rank, sizeof rank, "%d", i);
        assert_string_equal(rig_node_of(rig, member(i)), node);
        assert_string_equal(rig_label(rig, member(i), "sakkara.member.rank"), rank);
        assert_string_equal(rig_label(rig, member(i), "sakkara.member.status"), "Bound");
        assert_string_equal(rig_planned(rig, member(i)), node);
    }
}

static void assert_patches(struct rig *rig, int patches)
{
    for (int i = 0; i < MEMBERS; i++) {
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, member(i)), patches);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, member(i)), 0);
        assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, member(i)), 1);
    }
}

TEST_RIG(gang(), below_a_hundred_nodes_a_member_that_needs_no_waking_costs_a_binding_alone)
{
    assert_string_equal(rig_planned(rig, "p-0"), "");
    assert_whole(rig);
    assert_patches(rig, 0);
    assert_int_equal(rig->n_solves, 1);
    assert_string_equal(rig_key(rig, "g", "rank"),
                        "[(p-0,0) (p-1,1) (p-2,2) (p-3,3) (p-4,4) (p-5,5)]");
    rig_assert_clean(rig);
}

TEST(a_bound_member_looks_the_same_however_its_rank_came)
{
    static const char *const label[] = {"sakkara.member.status", "sakkara.member.rank",
                                        "sakkara.member.retries", "sakkara.member.plan"};
    SKR_AUTO(rig_destroy) struct rig *one = gang();
    SKR_AUTO(rig_destroy) struct rig *other = gang_with(2, 1, false);
    assert_whole(one);
    assert_whole(other);
    assert_patches(one, 0);
    assert_patches(other, 1);
    for (int i = 0; i < MEMBERS; i++) {
        for (size_t k = 0; k < sizeof label / sizeof *label; k++) {
            assert_string_equal(rig_label(one, member(i), label[k]),
                                rig_label(other, member(i), label[k]));
        }
        assert_string_equal(rig_annotation(one, RIG_POD, member(i), "sakkara.plan"),
                            rig_annotation(other, RIG_POD, member(i), "sakkara.plan"));
    }
}

TEST_RIG(gang_that_binds(), the_others_wait_until_the_plan_of_all_stands_on_a_bound_member)
{
    assert_int_equal(in_flight(rig), 1);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(in_flight(rig), 1);
    answer_first(rig, RIG_OK);
    assert_int_equal(in_flight(rig), MEMBERS - 1);
    assert_whole(rig);
    assert_int_equal(n_carriers(rig), 1);
}

TEST_RIG(gang_with(2, 0, true), small_gangs_lose_no_round_trip_as_each_binding_carries_all)
{
    rig->hold_kind = SKR_WRITE_BINDING;
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(in_flight(rig), MEMBERS);
    assert_whole(rig);
    assert_int_equal(n_carriers(rig), MEMBERS);
}

static void die_without_map(struct rig *rig)
{
    rig_delete(rig, RIG_MAP, "g");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
}

TEST_RIG(gang_that_binds(), who_dies_after_the_first_binding_finishes_the_gang_without_its_map)
{
    answer_first(rig, RIG_OK);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
    die_without_map(rig);
    assert_whole(rig);
}

TEST_RIG(gang_that_binds(), who_dies_before_hearing_of_the_first_binding_does_so_too)
{
    rig->crash_at = rig->n_applied + 1;
    rig->crash_before_answer = true;
    rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_OK);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
    die_without_map(rig);
    assert_whole(rig);
}

TEST_RIG(gang_that_binds(), who_dies_before_the_first_binding_arrived_binds_nobody_without_a_map)
{
    die_without_map(rig);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_group(rig, "g", MEMBERS, 0, NULL);
    assert_whole(rig);
}

TEST_RIG(gang_that_binds(), who_dies_before_the_first_binding_arrived_goes_on_with_the_same_plan)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_restart(rig);
    assert_whole(rig);
    assert_int_equal(rig->n_solves, 1);
}

TEST_RIG(gang_that_binds(), a_binding_that_arrives_late_finds_the_plan_it_belongs_to)
{
    rig->is_dead = rig->die_sent = true; /* it arrives as the next process starts */
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_delete(rig, RIG_POD, "p-5");
    rig_restart(rig);
    rig_pod(rig, "p-5", "g", 0);
    assert_whole(rig);
}

TEST_RIG(gang_that_binds(), an_unknown_first_binding_is_read_before_the_others)
{
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig_fault(rig, SKR_WRITE_BINDING, NULL, RIG_LOST_APPLIED, 2);
    answer_first(rig, RIG_LOST_APPLIED);
    assert_whole(rig);
    assert_patches(rig, 0);
}

TEST_RIG(gang_that_binds(), when_the_first_binding_is_refused_another_one_carries)
{
    answer_first(rig, RIG_422);
    rig_run(rig, 10 * SKR_MILLISECOND);
    assert_int_equal(in_flight(rig), 1);
    assert_whole(rig);
}

/* It goes before its Binding arrives: another one carries the plan as it is then. */
TEST_RIG(gang_that_binds(), a_carrier_that_goes_has_a_successor)
{
    rig_delete(rig, RIG_POD, "p-0");
    answer_first(rig, RIG_OK);
    assert_int_equal(in_flight(rig), 1);
    answer_first(rig, RIG_OK);
    assert_int_equal(rig_n_bound(rig, "g"), 1);
    assert_int_equal(n_carriers(rig), 1);
    rig_pod(rig, "p-0", "g", 0);
    assert_whole(rig);
}

static void lose(struct rig *rig, enum rig_kind kind, const char *name)
{
    rig_delete(rig, kind, name);
    rig_settle(rig);
}

/* Of six members one is bound; then the node of p-4 and p-5 goes, and the map before or after it. */
static void assert_rescued(bool travels, bool map_first)
{
    SKR_AUTO(rig_destroy) struct rig *rig = gang_with(2, 1, travels);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    answer_first(rig, RIG_OK);
    rig->hold_scheduler = true;
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        answer_first(rig, RIG_422);
    }
    if (map_first) {
        lose(rig, RIG_MAP, "g");
    }
    lose(rig, RIG_NODE, "node-2");
    if (!map_first) {
        lose(rig, RIG_MAP, "g");
    }
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = false;
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    assert_string_equal(rig_node_of(rig, "p-3"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-5"), "node-3");
    assert_string_equal(rig_label(rig, "p-5", "sakkara.member.rank"), "5");
}

TEST(whoever_loses_node_and_map_while_binding_is_bound_elsewhere_in_the_same_plan)
{
    assert_rescued(true, true);
    assert_rescued(true, false);
    assert_rescued(false, true);
    assert_rescued(false, false);
}

static void close_nodes(struct rig *rig, bool closed)
{
    for (int i = 0; i < 2 * RACK; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 closed ? "{'spec':{'unschedulable':true}}" : "{'spec':{'unschedulable':false}}");
    }
    rig_settle(rig);
}

/* Five are bound, and no node is open to p-5 until its plan is given up. */
static struct rig *gang_that_gave_one_up(void)
{
    struct rig *rig = gang_that_binds();
    rig->hold_scheduler = true;
    for (int i = 0; i < MEMBERS - 1; i++) {
        answer_first(rig, RIG_OK);
    }
    answer_first(rig, RIG_422);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    rig->hold_scheduler = false;
    close_nodes(rig, true);
    rig_run(rig, 2 * rig->settings.plan_timeout);
    assert_string_equal(rig_state(rig, "g"), "Bound");
    assert_int_equal(rig_n_bound(rig, "g"), MEMBERS - 1);
    return rig;
}

TEST_RIG(gang_that_gave_one_up(), a_bound_member_that_names_it_brings_no_ended_plan_back)
{
    rig_restart(rig);
    assert_string_equal(rig_state(rig, "g"), "Bound");
    close_nodes(rig, false);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
}

TEST_RIG(gang_that_gave_one_up(), who_is_named_by_an_ended_plan_is_not_bound_beyond_the_size)
{
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'5'}}");
    rig_settle(rig);
    close_nodes(rig, false);
    for (int i = 0; i < 2; i++) {
        if (i == 1) { /* one that says nothing of what was */
            rig_delete(rig, RIG_MAP, "g");
            rig_group(rig, "g", MEMBERS - 1, 0, NULL);
        }
        rig_restart(rig);
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), MEMBERS - 1);
        assert_string_equal(rig_node_of(rig, "p-5"), "");
    }
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'6'}}");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
}

TEST_RIG(gang(), a_node_that_closes_before_the_first_binding_makes_a_new_plan)
{
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding"); /* asked for, not persisted */
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'unschedulable':true}}");
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    struct rig_write *w = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL);
    rig_answer_write(rig, w, RIG_409);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "p", MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
        assert_true(strcmp(rig_node_of(rig, member(i)), "node-1") != 0);
    }
}

TEST_RIG(gang(), who_was_turned_away_before_is_nominated)
{
    rig_restart(rig);
    rig_filter(rig, "p-2", "node-0"); /* its own is not among the names */
    assert_whole(rig);
    for (int i = 0; i < MEMBERS; i++) {
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, member(i)), i == 2);
    }
}

/* On a hundred nodes, of which kube-scheduler takes a sample: an ordinary pod has brought it. */
static struct rig *gang_that_is_sampled(void)
{
    struct rig *rig = gang_with(25, 1, true);
    rig_hear(rig, "sakkara", "node-0 node-1");
    rig_run(rig, SKR_SECOND);
    return rig;
}

TEST_RIG(gang_that_is_sampled(), where_kube_scheduler_takes_a_sample_members_are_nominated)
{
    assert_string_equal(rig_nominated(rig, "p-2"), "node-1");
    assert_whole(rig);
    assert_patches(rig, 1);
    assert_int_equal(n_carriers(rig), 0);
}

TEST_RIG(gang_that_is_sampled(), who_has_come_before_its_nomination_needs_none)
{
    rig->hold_scheduler = false;
    assert_whole(rig);
    rig->hold_kind = SKR_WRITE_PATCH_POD_STATUS;
    rig_group(rig, "h", 2, 0, NULL);
    rig->hold_scheduler = true;
    rig_pods(rig, "q", 2, "h", 0);
    rig_run(rig, SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 0); /* their patches are on their way */
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), RIG_OK);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
}

TEST_RIG(gang(), a_server_that_drops_labels_is_noticed_and_the_ranks_are_written)
{
    rig->bindings_carry_labels = false;
    assert_whole(rig);
    rig_group(rig, "h", 2, 0, NULL);
    rig->hold_scheduler = true;
    rig_pods(rig, "q", 2, "h", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_label(rig, "q-0", "sakkara.member.rank"), "0"); /* before its Binding */
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "q", 2);
}

/* An upgrade, or a step back, at each number of Bindings that have arrived. */
TEST(a_daemon_of_another_version_finishes_what_was_begun)
{
    for (int n = 0; n <= MEMBERS; n++) {
        for (int forth = 0; forth < 2; forth++) {
            SKR_AUTO(rig_destroy) struct rig *rig = gang_with(2, 1, true);
            rig->settings.server_minor = forth == 0 ? SKR_TRACE_LABELS_FROM : 0;
            if (forth) { /* an older one began, and patched everybody */
                rig_restart(rig);
                rig_run(rig, SKR_SECOND);
            }
            rig->hold_kind = SKR_WRITE_BINDING;
            rig->hold_scheduler = false;
            rig_run(rig, SKR_SECOND);
            for (int i = 0; i < n; i++) {
                answer_first(rig, RIG_OK);
            }
            rig->hold_kind = SKR_WRITE_KIND_COUNT;
            rig->settings.server_minor = forth == 1 ? SKR_TRACE_LABELS_FROM : 0;
            rig_restart(rig);
            assert_whole(rig);
        }
    }
}
