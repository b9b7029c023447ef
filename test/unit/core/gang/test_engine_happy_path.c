/* SPDX-License-Identifier: Apache-2.0 */
/* A gang's way from its first pod to Bound, with nothing in its way: what is written, when, how
 * often, and where everybody ends. */
#include "core/gang/cache/pods.h"
#include "test/unit/engine_test.h"

#define PACK_SPREAD "{'rack':{'type':'pack'},'node':{'type':'spread'}}"

static struct rig *two_racks(int cpu)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 3, cpu);
    return rig;
}

/* Runs a gang of 8 named job-0.. to its end. */
static struct rig *bound_gang(int flags)
{
    struct rig *rig = two_racks(4);
    rig_group(rig, "group-a", 8, 0, PACK_SPREAD);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig_forget_counts(rig);
    rig_pods(rig, "job", 8, "group-a", flags);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    rig_assert_clean(rig);
    return rig;
}

TEST(a_gang_is_bound_together_with_and_without_gates)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = bound_gang(flags);
        assert_string_equal(rig_key(rig, "group-a", "status"), "Bound");
        assert_string_equal(rig_key(rig, "group-a", "reason"), "");
        assert_string_equal(rig_key(rig, "group-a", "message"), "");
        assert_string_equal(rig_annotation(rig, RIG_MAP, "group-a", "sakkara.plan"), "");
        assert_true(rig_has_event(rig, "ConfigMap/group-a Normal GroupBound"));
    }
}

/* What a activation, a call, a patch and a Binding needed is given back. */
TEST(nothing_is_under_way_any_more_for_members_that_are_bound)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = bound_gang(flags);
        rig_run(rig, 60 * SKR_SECOND);
        for (int i = 0; i < 8; i++) {
            const struct pod_entry *p =
                skr_pods_find_name(rig->gang, "default", test_text("job-%d", i));
            assert_non_null(p);
            assert_ptr_equal(p->work, &pods_no_work);
        }
    }
}

TEST_RIG(bound_gang(RIG_GATED), placement_rank_and_times_are_in_the_map)
{
    assert_string_equal(rig_key(rig, "group-a", "placement"),
                        "{\"root\":{\"rack-0\":{"
                        "\"node-0\":{\"job-0\":{},\"job-1\":{},\"job-2\":{}},"
                        "\"node-1\":{\"job-3\":{},\"job-4\":{},\"job-5\":{}},"
                        "\"node-2\":{\"job-6\":{},\"job-7\":{}}}}}");
    assert_string_equal(rig_key(rig, "group-a", "rank"),
                        "[(job-0,0) (job-1,1) (job-2,2) (job-3,3) (job-4,4) (job-5,5) (job-6,6) "
                        "(job-7,7)]");
    static const char *const keys[] = {"schedBeginTime", "schedEndTime", "schedTotalTimeMilli",
                                       "schedSolverTimeMilli", "conditions"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_true(*rig_key(rig, "group-a", keys[i]));
    }
    assert_true(
        strstr(rig_key(rig, "group-a", "conditions"), "\"type\":\"Bound\",\"status\":\"True\""));
}

TEST_RIG(bound_gang(0), members_carry_status_rank_and_retries)
{
    assert_string_equal(rig_label(rig, "job-5", "sakkara.member.status"), "Bound");
    assert_string_equal(rig_label(rig, "job-5", "sakkara.member.rank"), "5");
    assert_string_equal(rig_label(rig, "job-5", "sakkara.member.retries"), "1");
}

/* A gate goes in the one patch where kube-scheduler looks at every node, which it does below a hundred. */
TEST(r9_a_member_costs_one_patch_and_a_binding)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = bound_gang(flags);
        for (int i = 0; i < 8; i++) {
            char name[32];
            snprintf(name, sizeof name, "job-%d", i);
            assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, name), flags ? 0 : 1);
            assert_int_equal(rig_count(rig, SKR_WRITE_UNGATE_POD, name), flags ? 1 : 0);
            assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, name), 0);
            assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, name), 1);
        }
        assert_in_range(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), 3, 5);
        assert_int_equal(rig_count(rig, SKR_WRITE_GET_POD, NULL), 0);
        assert_int_equal(rig_count(rig, SKR_WRITE_GET_CONFIGMAP, NULL), 0);
    }
}

TEST_RIG(two_racks(4), where_bindings_carry_no_labels_a_member_costs_one_patch_more)
{
    rig->bindings_carry_labels = false;
    rig_group(rig, "group-a", 8, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "job", 8, "group-a", 0);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "job", 8);
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "job-%d", i);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD, name), 1);
        assert_string_equal(rig_label(rig, name, "sakkara.member.status"), "Bound");
    }
}

TEST_RIG(bound_gang(RIG_GATED), filter_is_asked_about_the_planned_node_alone)
{
    assert_int_equal(rig->n_filters, 8); /* one call a member, none while gated */
}

/* The three clusters of the worked example. */
TEST(the_worked_example_is_placed_as_documented)
{
    static const struct {
        int cpu[6];
        const char *placement;
    } cases[] = {
        {{4, 4, 4, 4, 4, 4}, "3,3,2,0,0,0"},
        {{5, 3, 0, 3, 2, 2}, "5,3,0,0,0,0"},
        {{3, 0, 3, 2, 0, 2}, "3,0,3,1,0,1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = two_racks(0);
        for (int n = 0; n < 6; n++) {
            rig_edit(rig, RIG_NODE, test_text("node-%d", n),
                     "{'status':{'allocatable':{'cpu':'%d'}}}", cases[i].cpu[n]);
        }
        rig_group(rig, "group-a", 8, 0, PACK_SPREAD);
        rig_sync(rig);
        rig_pods(rig, "job", 8, "group-a", RIG_GATED);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "job", 8);
        int count[6] = {0};
        for (int p = 0; p < 8; p++) {
            count[atoi(rig_node_of(rig, test_text("job-%d", p)) + 5)]++;
        }
        char text[64];
        snprintf(text, sizeof text, "%d,%d,%d,%d,%d,%d", count[0], count[1], count[2], count[3],
                 count[4], count[5]);
        assert_string_equal(text, cases[i].placement);
    }
}

TEST_RIG(rig_create(), d1_the_planned_node_is_the_one_that_is_bound)
{
    rig_racks(rig, 1, 3, 4);
    rig_group(rig, "g", 1, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = true;
    rig_pod(rig, "p", "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_nominated(rig, "p"), "node-0");
    struct rig_answer a = rig_filter(rig, "p", "node-2 node-1 node-0");
    assert_string_equal(a.passed, "node-0");
    a = rig_prioritize(rig, "p", "node-2 node-0");
    assert_int_equal(a.scores[0], 0);
    assert_int_equal(a.scores[1], 10);
    const struct rig_call *call = rig_bind(rig, "p", "node-2");
    assert_int_equal(call->state, RIG_ERROR);
    assert_string_equal(call->text, "sakkara: node is not the planned one");
    rig->hold_scheduler = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p"), "node-0");
}

TEST_RIG(rig_create(), d2_a_single_feasible_node_is_no_dead_end)
{
    rig_racks(rig, 1, 3, 0);
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'2'}}}");
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-1");
    assert_string_equal(rig_node_of(rig, "p-1"), "node-1");
}

TEST_RIG(two_racks(4), d13_an_ordinary_pod_is_bound)
{
    rig_sync(rig);
    rig_pod(rig, "plain", NULL, 0);
    rig_pod(rig, "gated", NULL, RIG_GATED); /* nobody else would ever let it go */
    rig_run(rig, SKR_SECOND);
    assert_true(*rig_node_of(rig, "plain"));
    assert_true(*rig_node_of(rig, "gated"));
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
}

TEST_RIG(two_racks(4), d14_a_map_with_name_and_size_only_packs)
{
    rig_gang(rig, "g", 4, "p", 4, 0);
    rig_run(rig, 2 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(rig_node_of(rig, test_text("p-%d", i)), "node-0");
    }
}

TEST_RIG(two_racks(4), d30_the_rank_is_on_the_api_server_before_the_binding_is_posted)
{
    rig_gang(rig, "g", 4, "p", 4, RIG_GATED);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Binding");
    for (int i = 0; i < 4; i++) {
        char name[32], rank[32];
        snprintf(name, sizeof name, "p-%d", i);
        snprintf(rank, sizeof rank, "%d", i);
        assert_string_equal(rig_label(rig, name, "sakkara.member.rank"), rank);
        assert_string_equal(rig_node_of(rig, name), "");
    }
}

static char *ranks_of_a_run(int racks)
{
    struct rig *rig = rig_create();
    rig_racks(rig, racks, 2, 2);
    rig_group(rig, "g", 7, 0, "{'rack':{'type':'spread'}}");
    rig_sync(rig);
    rig_pods(rig, "p", 7, "g", 0);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", 7);
    char text[1024];
    snprintf(text, sizeof text, "%s %s", rig_key(rig, "g", "rank"), rig_key(rig, "g", "placement"));
    rig_destroy(rig);
    return strdup(text);
}

TEST(d31_d48_ranks_and_placements_are_reproducible)
{
    SKR_AUTO_FREE char *first = ranks_of_a_run(3);
    for (int i = 0; i < 100; i++) {
        SKR_AUTO_FREE char *again = ranks_of_a_run(3);
        assert_string_equal(first, again);
    }
    /* the racks' members have consecutive ranks */
    assert_non_null(strstr(first, "[(p-0,0) (p-1,1) (p-2,2) (p-3,3) (p-4,4) (p-5,5) (p-6,6)]"));
}

TEST_RIG(two_racks(4), d45_our_own_writes_cause_no_planning)
{
    rig_gang(rig, "g", 8, "p", 8, 0);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", 8);
    assert_int_equal(rig->n_solves, 1);
}

TEST_RIG(two_racks(4), d46_the_first_status_write_is_a_merge_patch_with_the_version)
{
    rig_group(rig, "g", 8, 0, NULL);
    rig->hold_writes = true;
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    const struct rig_write *w = rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "g");
    assert_non_null(w);
    assert_true(json_is_object(w->body)); /* no list of operations */
    const json_t *meta = json_object_get(w->body, "metadata");
    assert_true(json_is_string(json_object_get(meta, "resourceVersion")));
    assert_true(json_is_string(json_object_get(json_object_get(w->body, "data"), "status")));
    rig->hold_writes = false;
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
}

TEST(a_burst_of_gangs_is_planned_by_priority_not_by_arrival)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "low", 4, 1, NULL);
    rig_group(rig, "high", 4, 5, NULL);
    rig_sync(rig);
    rig_pods(rig, "low", 4, "low", 0);
    rig_run(rig, 20 * SKR_MILLISECOND);
    rig_pods(rig, "high", 4, "high", 0);
    rig_run(rig, 10 * SKR_SECOND);
    /* low was Ready 20 ms earlier and is planned before high has its 50 ms */
    assert_int_equal(rig_n_bound(rig, "low") + rig_n_bound(rig, "high"), 4);
    rig_destroy(rig);
    rig = rig_create();
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "low", 4, 1, NULL);
    rig_group(rig, "high", 4, 5, NULL);
    rig_pods(rig, "low", 4, "low", 0);
    rig_pods(rig, "high", 4, "high", 0);
    rig_sync(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "high"), 4);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
    rig_destroy(rig);
}
