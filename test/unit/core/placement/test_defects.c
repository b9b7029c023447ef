/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defects that other implementations have or had, and the tests here that would fail on each of them:
 *
 * a typo in a running Placement evicts everywhere
 *     a_typo_in_a_running_placement_evicts_nobody; test_scheduler.c: a_typo_touches_no_decision
 * slices are sorted anew and rewritten in order, clusters vanish for a moment (ocm#1346)
 *     slices_are_not_sorted_anew; test_scheduler.c: a_reader_who_polls_all_objects_never_misses_a_
 *     cluster_that_stays; test_day.c: all
 * errors of writes get lost, the status claims success
 *     test_scheduler.c: the_status_claims_nothing_that_was_not_written
 * a negative numberOfClusters ends the process
 *     a_negative_number_of_clusters_is_no_crash
 * an expired score keeps the Placement in retry
 *     an_expired_score_is_no_error_and_sets_no_timer; test_triggers.c: a_score_that_has_expired_is_
 *     no_reason_to_try_again
 * a coordinate twice counts twice; weight 0 cannot be said
 *     a_coordinate_twice_counts_once_and_weight_0_is_0, a_score_of_an_add_on_twice_counts_once
 * numbers with fractions of two
 *     nothing_is_computed_with_fractions_of_two; test_rules.c: seven_percent_of_a_hundred_is_seven
 * every update of a cluster starts cycles; each cycle lists all decisions
 *     test_triggers.c: an_event_concerns_these_placements_and_no_others
 * objects without a group index break consumers (RamenDR)
 *     an_object_without_group_index_is_adopted; test_scheduler.c: every_object_has_its_group_index_
 *     also_one_that_lost_it
 * the Event with the scores is too large (placement#40)
 *     test_scheduler.c: the_event_with_the_scores_has_a_thousand_characters_at_most
 */
#include "test/test.h"
#include "test/unit/placement_scene.h"

TEST(a_typo_in_a_running_placement_evicts_nobody)
{
    static const char lines[] =
        "cluster a\ncluster b\ndecided p 1 a b\n"
        "placement p {\"prioritizerPolicy\":{\"configurations\":[{\"name\":\"Blance\"}]}}\n";
    placement_scene_expect("typo", lines, "decisions", "[\"a\",\"b\"]");
    placement_scene_expect("typo", lines, "placementDecisions.0.decisions", "[\"a\",\"b\"]");
    placement_scene_expect("typo", lines, "satisfied", "true");
}

TEST(slices_are_not_sorted_anew)
{
    char lines[8192];
    int n = snprintf(lines, sizeof lines, "cluster a\n");
    for (int i = 0; i < 150; i++) {
        n += snprintf(lines + n, sizeof lines - (size_t)n, "cluster c%03d\n", i);
    }
    for (int slice = 1; slice <= 2; slice++) {
        n += snprintf(lines + n, sizeof lines - (size_t)n, "decided p %d", slice);
        for (int i = (slice - 1) * 100; i < (slice == 1 ? 100 : 150); i++) {
            n += snprintf(lines + n, sizeof lines - (size_t)n, " c%03d", i);
        }
        n += snprintf(lines + n, sizeof lines - (size_t)n, "\n");
    }
    snprintf(lines + n, sizeof lines - (size_t)n, "placement p {}\n");
    placement_scene_expect("first", lines, "placementDecisions.0.decisions.0", "\"c000\"");
    placement_scene_expect("first", lines, "placementDecisions.0.decisions.99", "\"c099\"");
    placement_scene_expect("second", lines, "placementDecisions.1.decisions.0", "\"a\"");
}

TEST(a_negative_number_of_clusters_is_no_crash)
{
    placement_scene_expect("-3", "cluster a\nplacement p {\"numberOfClusters\":-3}\n", "valid",
                           "false");
}

TEST(an_expired_score_is_no_error_and_sets_no_timer)
{
    static const char lines[] =
        "cluster a\nscore a r s=7 until 2020-01-01T00:00:00Z\n"
        "placement p {\"prioritizerPolicy\":{\"mode\":\"Exact\",\"configurations\":[{"
        "\"scoreCoordinate\":{\"type\":\"AddOn\",\"addOn\":{\"resourceName\":\"r\",\"scoreName\":"
        "\"s\"}}}]}}\n";
    placement_scene_expect("expired", lines, "satisfied", "true");
    placement_scene_expect("expired", lines, "requeueAfterSeconds", "null");
}

TEST(a_coordinate_twice_counts_once_and_weight_0_is_0)
{
    placement_scene_expect(
        "twice",
        "cluster a\ndecided p 1 a\nplacement p {\"prioritizerPolicy\":{\"mode\":\"Exact\","
        "\"configurations\":[{\"name\":\"Steady\",\"weight\":9},{\"scoreCoordinate\":{\"builtIn\":"
        "\"Steady\"},\"weight\":0}]}}\n",
        "weights.Steady", "0");
}

#define LOAD                                                                                    \
    "{\"scoreCoordinate\":{\"type\":\"AddOn\",\"addOn\":{\"resourceName\":\"r\",\"scoreName\":" \
    "\"s\"}},\"weight\":"

TEST(a_score_of_an_add_on_twice_counts_once)
{
    static const char lines[] = "cluster a\nscore a r s=7\n"
                                "placement p {\"prioritizerPolicy\":{\"mode\":\"Exact\","
                                "\"configurations\":[" LOAD "10}," LOAD "-3}]}}\n";
    placement_scene_expect("twice", lines, "weights.AddOn/r/s", "-3");
    placement_scene_expect("twice", lines, "totals.a", "-21");
}

TEST(nothing_is_computed_with_fractions_of_two)
{
    placement_scene_expect(
        "30 of 50",
        "cluster a has:cpu=0/9\ncluster b has:cpu=30/9\ncluster c has:cpu=50/9\n"
        "placement p {\"prioritizerPolicy\":{\"mode\":\"Exact\",\"configurations\":[{\"name\":"
        "\"ResourceAllocatableCPU\"}]}}\n",
        "scores.ResourceAllocatableCPU.b", "20");
    placement_scene_expect("odd numbers",
                           "cluster a\ncluster b\ncluster c\ndecided x 1 a b\ndecided y 1 b\n"
                           "decided z 1 b\nplacement p {}\n",
                           "scores.Balance.a", "33");
}

TEST(an_object_without_group_index_is_adopted)
{
    static const char lines[] = "cluster a\ncluster b\ndecided p 1/none a\nplacement p {}\n";
    placement_scene_expect("adopted", lines, "placementDecisions.0.decisions", "[\"a\",\"b\"]");
    placement_scene_expect("adopted", lines, "placementDecisions.0.decisionGroupIndex", "0");
}
