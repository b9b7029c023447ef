/* SPDX-License-Identifier: Apache-2.0 */
/* From a hundred nodes on: whether kube-scheduler looks at all of them is learned of each profile. */
#include "core/gang/plan/member_record.h"
#include "core/gang/plan/sampling.h"
#include "test/unit/engine_test.h"

enum { MEMBERS = 4, RACKS = 26, RACK = 4, NODES = RACKS * RACK };

/* Every node; of the default percentage; so many that no default gives them, but not all. */
enum names { ALL, HUNDRED, ALL_BUT_ONE };

/* kube-scheduler does nothing by itself. */
static struct rig *cluster_of(int racks)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = SKR_TRACE_LABELS_FROM;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, racks, RACK, 2);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_run(rig, SKR_SECOND);
    return rig;
}

static struct rig *cluster(void)
{
    return cluster_of(RACKS);
}

/* The first n nodes, without the one of the number that is left out; free(). */
static char *nodes_but(int n, int left_out)
{
    SKR_STRBUF(names);
    for (int i = 0; i < n; i++) {
        if (i != left_out) {
            skr_strbuf_addf(&names, "node-%d ", i);
        }
    }
    return skr_strdup(names.s);
}

static void ask(struct rig *rig, const char *pod, int left_out)
{
    SKR_AUTO_FREE char *names = nodes_but(NODES, left_out);
    rig_filter(rig, pod, names);
    rig_settle(rig);
}

static void hear(struct rig *rig, const char *profile, enum names which)
{
    SKR_AUTO_FREE char *names =
        nodes_but(which == HUNDRED ? 100 : NODES, which == ALL_BUT_ONE ? NODES / 2 : -1);
    rig_run(rig, SKR_SAMPLING_LOOK_S * SKR_SECOND);
    rig_hear(rig, profile, names);
}

/* A gang of four of the profile, two to a node: planned. */
static void gang(struct rig *rig, const char *name, const char *profile, int flags)
{
    rig_group(rig, name, MEMBERS, 0, NULL);
    rig_forget_counts(rig);
    rig_pods(rig, name, MEMBERS, name, flags);
    for (int i = 0; i < MEMBERS; i++) {
        rig_edit(rig, RIG_POD, test_text("%s-%d", name, i), "{'spec':{'schedulerName':'%s'}}",
                 profile);
    }
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, name), "Admitting");
}

static size_t nominations(struct rig *rig, const char *pod)
{
    return rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, pod);
}

/* All are nominated, or nobody; kube-scheduler is let loose, and all are bound by the first plan. */
static void assert_gang(struct rig *rig, const char *name, size_t nominated)
{
    assert_int_equal(nominations(rig, NULL), nominated);
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig->hold_scheduler = true;
    rig_assert_bound(rig, name, MEMBERS);
    assert_int_equal(nominations(rig, NULL), nominated);
}

TEST_RIG(cluster(), a_profile_whose_names_are_all_nodes_looks_at_every_node)
{
    hear(rig, "sakkara", ALL);
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, NULL), 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), MEMBERS); /* one write a member */
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), MEMBERS);
}

TEST_RIG(cluster(), a_profile_whose_names_are_as_many_as_the_default_gives_takes_a_sample)
{
    hear(rig, "sakkara", HUNDRED);
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", MEMBERS);
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", MEMBERS);
}

TEST_RIG(cluster(), names_without_a_node_that_would_do_are_a_sample_however_many_they_are)
{
    hear(rig, "sakkara", ALL_BUT_ONE);
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", MEMBERS);
}

TEST_RIG(cluster(), a_node_that_is_full_is_not_missed)
{
    rig_pods(rig, "full", 2, NULL, 0);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, i ? "full-1" : "full-0", "{'spec':{'nodeName':'node-%d'}}",
                 NODES / 2);
    }
    hear(rig, "sakkara", ALL_BUT_ONE);
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", 0);
}

TEST_RIG(cluster(), a_pod_tells_before_its_watch_event)
{
    rig->hold_watch[RIG_POD] = true;
    hear(rig, "sakkara", HUNDRED);
    rig->hold_watch[RIG_POD] = false;
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", MEMBERS);
}

TEST_RIG(cluster(), each_profile_is_believed_for_itself)
{
    hear(rig, "sakkara", ALL);
    hear(rig, "sakkara-scheduler", HUNDRED);
    gang(rig, "g", "sakkara-scheduler", 0);
    assert_gang(rig, "g", MEMBERS);
    gang(rig, "h", "sakkara", 0);
    assert_gang(rig, "h", 0);
}

TEST_RIG(cluster(), before_the_first_call_ungated_members_wait_for_it)
{
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", 0);
    gang(rig, "h", "sakkara", RIG_GATED); /* it was learned from the others */
    assert_gang(rig, "h", 0);
}

TEST_RIG(cluster(), the_other_members_of_a_gated_gang_wait_for_the_first_call)
{
    rig->hold_scheduler = false;
    rig_gang(rig, "g", MEMBERS, "g", MEMBERS, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", MEMBERS);
    assert_int_equal(nominations(rig, NULL), 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, NULL), MEMBERS);
}

TEST_RIG(cluster(), where_it_takes_a_sample_they_are_nominated_then)
{
    rig_group(rig, "g", MEMBERS, 0, NULL);
    rig_pods(rig, "g", MEMBERS, "g", RIG_GATED);
    rig_run(rig, 200 * SKR_MILLISECOND);
    assert_int_equal(nominations(rig, NULL), 0);
    assert_false(rig_is_gated(rig, "g-0"));
    assert_true(rig_is_gated(rig, "g-1"));
    rig_filter(rig, "g-0", "node-5 node-6");
    rig_settle(rig);
    assert_gang(rig, "g", MEMBERS);
}

TEST_RIG(cluster(), a_first_call_that_does_not_come_is_not_waited_for)
{
    gang(rig, "g", "sakkara", RIG_GATED);
    assert_int_equal(nominations(rig, "g-0"), 0);
    assert_false(rig_is_gated(rig, "g-0"));
    assert_string_equal(rig_nominated(rig, "g-1"), "node-0");
    assert_gang(rig, "g", MEMBERS - 1);
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", 0);
}

TEST_RIG(cluster(), the_first_call_says_that_a_sample_is_taken_and_all_are_nominated)
{
    gang(rig, "g", "sakkara", 0);
    assert_int_equal(nominations(rig, NULL), 0);
    rig_filter(rig, "g-3", "node-5 node-6");
    rig_settle(rig);
    assert_gang(rig, "g", MEMBERS);
}

TEST_RIG(cluster(), a_profile_that_takes_a_sample_now_is_believed_no_more)
{
    hear(rig, "sakkara", ALL);
    gang(rig, "g", "sakkara", 0);
    rig_filter(rig, "g-3", "node-5 node-6");
    rig_settle(rig);
    assert_gang(rig, "g", MEMBERS);
    hear(rig, "sakkara", ALL);
    gang(rig, "h", "sakkara", 0);
    assert_gang(rig, "h", 0);
}

TEST_RIG(cluster(), one_node_that_is_missing_costs_a_nomination_and_nothing_else)
{
    hear(rig, "sakkara", ALL);
    gang(rig, "g", "sakkara", 0);
    rig_run(rig, SKR_SAMPLING_LOOK_S * SKR_SECOND);
    ask(rig, "g-3", 1); /* which it was planned on */
    assert_int_equal(nominations(rig, "g-3"), 1);
    assert_gang(rig, "g", 1);
    assert_int_equal(rig->n_solves, 1);
    assert_string_equal(rig_node_of(rig, "g-3"), "node-1");
    gang(rig, "h", "sakkara", 0);
    assert_gang(rig, "h", 0);
}

TEST_RIG(cluster(), planned_nodes_that_are_missing_again_and_again_are_a_sample)
{
    hear(rig, "sakkara", ALL);
    gang(rig, "g", "sakkara", RIG_GATED);
    for (int i = 0; i < SKR_SAMPLING_MISSES_MAX; i++) {
        ask(rig, test_text("g-%d", i), i / 2);
    }
    assert_int_equal(nominations(rig, NULL),
                     SKR_SAMPLING_MISSES_MAX); /* g-3 has no gate to wait for */
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_int_equal(nominations(rig, NULL), MEMBERS);
}

TEST_RIG(cluster(), a_sample_is_forgotten_after_ten_minutes)
{
    hear(rig, "sakkara", HUNDRED);
    rig_run(rig, (SKR_SAMPLES_S - 10) * SKR_SECOND);
    gang(rig, "g", "sakkara", RIG_GATED);
    assert_gang(rig, "g", MEMBERS);
    rig_run(rig, 10 * SKR_SECOND);
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", MEMBERS - 1);
    gang(rig, "i", "sakkara", RIG_GATED);
    assert_gang(rig, "i", 0);
}

TEST_RIG(cluster(), a_process_that_starts_believes_nothing)
{
    hear(rig, "sakkara", HUNDRED);
    rig_restart(rig);
    gang(rig, "g", "sakkara", RIG_GATED);
    assert_gang(rig, "g", MEMBERS - 1);
    rig_restart(rig);
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", MEMBERS - 1);
}

TEST(whoever_is_on_its_way_when_the_process_dies_is_bound_by_the_same_plan)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        hear(rig, "sakkara", ALL);
        gang(rig, "g", "sakkara", flags);
        rig_restart(rig);
        rig->hold_scheduler = false;
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "g", MEMBERS);
        assert_int_equal(rig->n_solves, 1);
        assert_string_equal(rig_node_of(rig, "g-3"), "node-1");
    }
}

TEST_RIG(cluster_of(24), a_cluster_that_grows_over_a_hundred_nodes_is_learned_then)
{
    gang(rig, "g", "sakkara", RIG_GATED);
    assert_gang(rig, "g", 0);
    for (int i = 24 * RACK; i < NODES; i++) {
        rig_node(rig, test_text("node-%d", i), 2);
    }
    rig_settle(rig);
    hear(rig, "sakkara", HUNDRED);
    gang(rig, "h", "sakkara", RIG_GATED);
    assert_gang(rig, "h", MEMBERS);
}

/* Whatever is believed: a nomination is what makes kube-scheduler look at one node alone. */
TEST_RIG(cluster(), a_cluster_that_grows_too_large_has_its_members_nominated)
{
    hear(rig, "sakkara", ALL);
    rig->check_every = 1000;
    for (int i = NODES; i < SKR_SAMPLING_NODES_MAX; i++) {
        rig_node(rig, test_text("node-%d", i), 2);
    }
    rig_settle(rig);
    gang(rig, "g", "sakkara", 0);
    assert_gang(rig, "g", MEMBERS);
    rig_delete(rig, RIG_NODE, "node-500");
    rig_settle(rig);
    gang(rig, "h", "sakkara", 0);
    assert_gang(rig, "h", 0);
}
