/* SPDX-License-Identifier: Apache-2.0 */
/* Many members, many nodes, many groups, hopeless groups, a slow API server. */
#include <utlist.h>

#include "core/gang/state/reason.h"
#include "test/unit/engine_test.h"

TEST(d3_no_node_is_hidden_by_sampling)
{
    for (size_t sample = 0; sample <= 30; sample += 30) {
        for (int flags = 0; flags <= RIG_GATED; flags++) {
            SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
            rig_racks(rig, 10, 30, 2); /* only the last rack has room for all 60 */
            rig->sample = sample;
            for (int r = 0; r < 9; r++) {
                char name[32], node[32];
                snprintf(name, sizeof name, "static-%d", r);
                snprintf(node, sizeof node, "node-%d", r * 30 + 7);
                rig_pod(rig, name, NULL, 0);
                rig_edit(rig, RIG_POD, name, "{'spec':{'nodeName':'%s'}}", node);
            }
            rig_group(rig, "g", 60, 0, "{'rack':{'type':'pack','hard':true}}");
            rig_sync(rig);
            rig_hear(rig, "sakkara", sample ? "node-0 node-1" : NULL);
            rig_pods(rig, "p", 60, "g", flags);
            rig_run(rig, 10 * SKR_SECOND);
            rig_assert_bound(rig, "p", 60);
            assert_string_equal(rig_node_of(rig, "p-0"), "node-270");
            /* Ungated ones were turned away before the gang was complete, all but the last. */
            assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL),
                             sample || !flags ? 60 : 0);
        }
    }
}

static size_t all_writes(struct rig *rig)
{
    size_t n = 0;
    for (int i = 0; i < SKR_WRITE_KIND_COUNT; i++) {
        n += rig_count(rig, (enum skr_write_kind)i, NULL);
    }
    return n;
}

TEST_RIG(rig_create(), d33_a_hopeless_group_does_not_spin)
{
    rig_racks(rig, 2, 5, 4);
    rig_gang(rig, "g", 100, "p", 100, RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "NeverFits");
    size_t solves = rig->n_solves;
    rig_forget_counts(rig);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(all_writes(rig), 0);
    assert_int_equal(rig->n_solves, 0); /* and nobody computes */
    assert_in_range(solves, 1, 4);
}

TEST_RIG(rig_create(), r13_an_infeasible_group_writes_nothing_per_retry)
{
    rig_racks(rig, 1, 2, 2);
    rig_gang(rig, "g", 5, "p", 5, RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_forget_counts(rig);
    for (int i = 0; i < 50; i++) { /* each of these is a reason to try again */
        rig_edit(rig, RIG_NODE, "node-0", "{'metadata':{'labels':{'beat':'%d'}}}", i);
        rig_run(rig, SKR_SECOND);
    }
    assert_true(rig->n_solves >= 50);
    assert_int_equal(all_writes(rig), 0);
}

TEST_RIG(rig_create(), r3_waiting_ungated_members_are_asked_about_twice_and_then_left_alone)
{
    rig_racks(rig, 1, 2, 2);
    rig_gang(rig, "g", 5, "p", 4, 0);
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_find(rig, RIG_POD, "p-0")->n_filters, 2);
    rig_pod(rig, "p-4", "g", 0); /* complete, and it never fits */
    rig_run(rig, 600 * SKR_SECOND);
    assert_in_range(rig_find(rig, RIG_POD, "p-0")->n_filters, 2, 4);
}

TEST_RIG(rig_create(), d34_a_slow_api_server_holds_up_neither_filter_nor_other_groups)
{
    rig_racks(rig, 2, 4, 4);
    rig_group(rig, "slow", 8, 0, NULL);
    rig_group(rig, "other", 4, 0, NULL);
    rig_sync(rig);
    rig_run(rig, SKR_SECOND);
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP; /* answers take their time */
    rig_pods(rig, "s", 8, "slow", 0);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "slow"), "Planned");
    rig_pods(rig, "o", 4, "other", 0);
    rig_pod(rig, "plain", NULL, 0);
    rig_run(rig, 2 * SKR_SECOND); /* every filter call is answered at once: the rig checks */
    assert_true(*rig_node_of(rig, "plain"));
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "other")) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "other"), RIG_OK);
        rig_run(rig, SKR_SECOND);
    }
    rig_assert_bound(rig, "o", 4);
    assert_int_equal(rig_n_bound(rig, "slow"), 0);
    while (rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "slow")) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_PATCH_CONFIGMAP, "slow"), RIG_OK);
    }
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "s", 8);
}

/* Everything but writes happens at once; one write every 20 ms, best class first. */
static void run_at_50_writes_per_second(struct rig *rig, skr_time duration)
{
    skr_time end = rig->now + duration;
    while (rig->now < end) {
        rig->hold_writes = true;
        rig_settle(rig);
        struct rig_write *w, *best = rig->writes;
        DL_FOREACH(rig->writes, w)
        {
            if (w->class < best->class) {
                best = w;
            }
        }
        rig->hold_writes = false;
        if (best) {
            rig_answer_write(rig, best, RIG_OK);
        } else {
            rig_settle(rig);
        }
        rig_advance(rig, best ? rig->now + 20 * SKR_MILLISECOND : end);
    }
}

TEST_RIG(rig_create(), d35_a_gang_of_2000_at_50_writes_a_second_meets_no_hold_limit)
{
    rig->check_every = 100;
    rig_racks(rig, 10, 20, 12);
    rig_gang(rig, "g", 2000, "p", 2000, RIG_GATED);
    run_at_50_writes_per_second(rig, 130 * SKR_SECOND); /* 6,000 writes take 120 s */
    rig_assert_bound(rig, "p", 2000);
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    assert_int_equal(stats.aborts, 0);
    assert_int_equal(stats.plans, 1);
}

TEST_RIG(rig_create(), at_most_sixteen_bindings_are_in_flight)
{
    rig_racks(rig, 1, 10, 5);
    rig_group(rig, "g", 50, 0, NULL);
    rig_sync(rig);
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_pods(rig, "p", 50, "g", 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_BINDING, NULL), 16);
    rig->hold_kind = SKR_WRITE_KIND_COUNT;
    while (rig_find_write(rig, SKR_WRITE_BINDING, NULL)) {
        rig_answer_write(rig, rig_find_write(rig, SKR_WRITE_BINDING, NULL), RIG_OK);
    }
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "p", 50);
}

/* Two groups that each fit alone, in many interleavings of everything that can be interleaved. */
TEST(two_groups_that_do_not_fit_together_never_share_the_room)
{
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 300; round++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig_racks(rig, 1, 3, 2);
        rig_group(rig, "a", 4, 0, NULL);
        rig_group(rig, "b", 4, 0, NULL);
        rig_sync(rig);
        size_t made[2] = {0, 0};
        for (int step = 0; step < 400; step++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            size_t which = random % 2;
            switch (random / 2 % 6) {
            case 0:
                if (made[which] < 4) {
                    rig_pod(rig, test_text("%c-%zu", which ? 'b' : 'a', made[which]++),
                            which ? "b" : "a", random / 64 % 2 ? RIG_GATED : 0);
                }
                break;
            case 1:
                rig_step_watch(rig, random / 64 % 2);
                break;
            case 2:
                rig_step_write(rig, random / 64 % 4);
                break;
            case 3:
                rig_step_solve(rig);
                break;
            case 4:
                rig_step_scheduler(rig);
                break;
            default:
                rig_advance(rig, rig->now + 30 * SKR_MILLISECOND);
                break;
            }
            size_t a = rig_n_bound(rig, "a"), b = rig_n_bound(rig, "b");
            assert_true(a == 0 || b == 0);
        }
        rig_run(rig, 30 * SKR_SECOND);
        size_t a = rig_n_bound(rig, "a"), b = rig_n_bound(rig, "b");
        if (made[0] == 4 || made[1] == 4) {
            assert_int_equal(a + b, 4);
        }
    }
}

TEST_RIG(rig_create(), a_blocked_group_starves_nobody)
{
    rig_racks(rig, 1, 4, 2);
    rig_group(rig, "large", 9, 100, NULL);
    rig_group(rig, "small", 2, 0, NULL);
    rig_sync(rig);
    rig_pods(rig, "l", 9, "large", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_pods(rig, "s", 2, "small", 0);
    rig_pod(rig, "plain", NULL, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "s", 2);
    assert_true(*rig_node_of(rig, "plain"));
}

TEST_RIG(rig_create(), freed_capacity_wakes_who_waits_for_it)
{
    rig_racks(rig, 1, 2, 2);
    rig_pods(rig, "old", 2, NULL, RIG_BIG);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 2 * SKR_SECOND);
    rig_pods(rig, "p", 4, "g", RIG_GATED);
    rig_run(rig, 300 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForCapacity");
    rig_delete(rig, RIG_POD, "old-0");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g needs 4 slots, 2 are free on eligible nodes");
    rig_phase(rig, "old-1", "Succeeded");
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
}

static uint64_t looks(const struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats.looks;
}

static size_t with_status(const struct rig *rig, const char *status)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    for (int i = 0; i < SKR_STATUS_COUNT; i++) {
        if (strcmp(skr_group_status_name((enum skr_group_status)i), status) == 0) {
            return stats.groups_by_status[i];
        }
    }
    return SIZE_MAX;
}

/* n groups that have all their members, and no node for them; n more that nothing defines. */
static void make_crowd(struct rig *rig, int n)
{
    char group[32], pod[32];
    for (int i = 0; i < n; i++) {
        snprintf(group, sizeof group, "never-%d", i);
        snprintf(pod, sizeof pod, "large-%d", i);
        rig_group(rig, group, 1, 0, NULL);
        rig_pod(rig, pod, group, RIG_GATED);
        rig_edit(rig, RIG_POD, pod,
                 "{'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'99'}}}]}}");
        snprintf(group, sizeof group, "undefined-%d", i);
        snprintf(pod, sizeof pod, "lost-%d", i);
        rig_pod(rig, pod, group, RIG_GATED);
    }
}

static uint64_t looks_of_a_churn(struct rig *rig, int n)
{
    uint64_t before = looks(rig);
    for (int i = 0; i < 50; i++) {
        rig_pod(rig, "passing", test_text("undefined-%d", i % n), RIG_GATED);
        rig_run(rig, 0);
        rig_delete(rig, RIG_POD, "passing");
        rig_run(rig, 0);
    }
    return looks(rig) - before;
}

TEST(what_helps_nobody_is_no_look_at_those_who_wait)
{
    const int crowds[] = {20, 200};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
        rig->check_every = 100;
        rig_racks(rig, 2, 5, 4);
        rig_sync(rig);
        make_crowd(rig, crowds[i]);
        rig_run(rig, 60 * SKR_SECOND);
        assert_int_equal(with_status(rig, "Ready"), crowds[i]);
        assert_int_equal(with_status(rig, "Waiting"), crowds[i]);
        assert_int_equal(looks_of_a_churn(rig, crowds[i]), 0);
        uint64_t before = looks(rig);
        rig_group(rig, "g", 4, 0, NULL);
        rig_pods(rig, "p", 4, "g", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        assert_int_equal(with_status(rig, "Bound"), 1);
        assert_in_range(looks(rig) - before, 1, 3 * (uint64_t)crowds[i] + 30);
        rig_delete_pods(rig, "p", 0, 4); /* and what may help them, they hear of */
        before = looks(rig);
        rig_run(rig, 0);
        assert_true(looks(rig) - before >= (uint64_t)crowds[i]);
    }
}
