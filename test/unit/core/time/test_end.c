/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a pod: the first rule that holds. */
#include "core/pod/pod.h"
#include "core/time/end.h"
#include "test/test.h"

enum { NOW = 1000000 };
#define AT(seconds) ((skr_time)(NOW + (seconds)) * SKR_SECOND)

static const struct row {
    const char *title;
    struct skr_pod_times times;
    int64_t estimate; /* from now; 0: none */
    enum skr_end_kind kind;
    int64_t end; /* from now */
    bool overrun;
} rows[] = {
    {"nothing is known", {.grace_s = 30}, 0, SKR_END_UNKNOWN, 0, false},
    {"its deadline and the grace period",
     {.deadline_s = 100, .started = AT(-40), .grace_s = 30},
     0,
     SKR_END_LIMIT,
     90,
     false},
    {"no start yet: now", {.deadline_s = 100, .grace_s = 5}, 0, SKR_END_LIMIT, 105, false},
    {"a start in the future: now",
     {.deadline_s = 100, .started = AT(50), .grace_s = 5},
     0,
     SKR_END_LIMIT,
     105,
     false},
    {"a deletion includes its grace period",
     {.deadline_s = 10, .started = AT(-5), .grace_s = 30, .deleted = AT(25)},
     0,
     SKR_END_LIMIT,
     25,
     false},
    {"a part of a second is a second", {.deleted = AT(25) + 1}, 0, SKR_END_LIMIT, 26, false},
    {"that of the Job, if it is smaller",
     {.deadline_s = 100,
      .started = AT(-40),
      .grace_s = 1,
      .job_deadline_s = 60,
      .job_started = AT(-50)},
     0,
     SKR_END_LIMIT,
     11,
     false},
    {"a Job without a start yet: now",
     {.grace_s = 1, .job_deadline_s = 60},
     0,
     SKR_END_LIMIT,
     61,
     false},
    {"an estimate", {.grace_s = 1}, 70, SKR_END_ESTIMATE, 70, false},
    {"a limit goes before an estimate",
     {.deadline_s = 100, .started = AT(0)},
     70,
     SKR_END_LIMIT,
     100,
     false},
    {"late by little: half a minute", {.deleted = AT(-3)}, 0, SKR_END_LIMIT, 30, true},
    {"late by much: twice", {.deleted = AT(-300)}, 0, SKR_END_LIMIT, 300, true},
    {"at its end, and there", {.deleted = AT(0)}, 0, SKR_END_LIMIT, 30, true},
    {"evicted beyond its word: when it is gone",
     {.deleted = AT(3), .word = NOW - 300},
     0,
     SKR_END_LIMIT,
     3,
     true},
    {"... and at that end it is not late by more",
     {.deleted = AT(0), .word = NOW - 300},
     0,
     SKR_END_LIMIT,
     30,
     true},
    {"beyond its word, its limit is the last instant",
     {.deadline_s = 100, .started = AT(0), .word = NOW - 300},
     0,
     SKR_END_LIMIT,
     100,
     true},
    {"30 days are known",
     {.deadline_s = SKR_END_BEYOND_S},
     0,
     SKR_END_LIMIT,
     SKR_END_BEYOND_S,
     false},
    {"more are not", {.deadline_s = SKR_END_BEYOND_S + 1}, 0, SKR_END_UNKNOWN, 0, false},
    {"ages do not wrap around",
     {.deadline_s = INT64_MAX,
      .job_deadline_s = INT64_MAX,
      .job_started = AT(-1),
      .grace_s = INT32_MAX},
     0,
     SKR_END_UNKNOWN,
     0,
     false},
};

TEST_EACH(row, rows, an_end_is_the_first_rule_that_holds)
{
    const int64_t estimate = row->estimate ? NOW + row->estimate : SKR_INSTANT_NEVER;
    const struct skr_pod_end end = skr_end_of(&row->times, estimate, NOW);
    assert_int_equal(end.kind, row->kind);
    assert_int_equal(end.overrun, row->overrun);
    assert_int_equal(end.at, row->kind == SKR_END_UNKNOWN ? SKR_INSTANT_NEVER : NOW + row->end);
}

TEST(a_guess_is_the_estimate_ahead_or_as_long_again)
{
    const struct skr_pod_times old = {.started = AT(-500)}, young = {.started = AT(-5)};
    const struct skr_pod_times unstarted = {0}, rooted = {.started = AT(-500), .rooted = true};
    assert_int_equal(skr_end_guess(&old, NOW + 7, NOW), NOW + 7);
    assert_int_equal(skr_end_guess(&old, NOW, NOW), NOW + 500);
    assert_int_equal(skr_end_guess(&old, SKR_INSTANT_NEVER, NOW), NOW + 500);
    assert_int_equal(skr_end_guess(&young, SKR_INSTANT_NEVER, NOW), NOW + 60);
    assert_int_equal(skr_end_guess(&unstarted, SKR_INSTANT_NEVER, NOW), NOW + 60);
    assert_int_equal(skr_end_guess(&rooted, NOW + 7, NOW), SKR_INSTANT_NEVER);
}

static struct skr_pod_times read_times(const char *pod_text)
{
    SKR_AUTO(skr_pod_destroy) struct skr_pod *pod = NULL;
    json_auto_t *json = json_loads(pod_text, 0, NULL);
    struct skr_error error;
    assert_non_null(json);
    assert_int_equal(skr_pod_decode(json, &pod, &error), 0);
    return skr_pod_times_of(pod);
}

TEST(times_are_read_and_fields_of_a_wrong_type_are_absent)
{
    struct skr_pod_times t =
        read_times("{\"metadata\":{\"deletionTimestamp\":\"1970-01-12T13:46:41Z\"},\"spec\":{"
                   "\"activeDeadlineSeconds\":7,\"terminationGracePeriodSeconds\":0},\"status\":{"
                   "\"startTime\":\"1970-01-12T13:46:40Z\"}}");
    assert_int_equal(t.deleted, AT(1));
    assert_int_equal(t.started, AT(0));
    assert_int_equal(t.deadline_s, 7);
    assert_int_equal(t.grace_s, 0);
    assert_false(t.rooted);
    t = read_times("{\"metadata\":{\"ownerReferences\":[{\"kind\":\"DaemonSet\"}]},\"spec\":{"
                   "\"activeDeadlineSeconds\":\"7\",\"terminationGracePeriodSeconds\":-3},"
                   "\"status\":{\"startTime\":5}}");
    assert_int_equal(t.deadline_s, 0);
    assert_int_equal(t.started, 0);
    assert_int_equal(t.grace_s, 0);
    assert_true(t.rooted);
    t = read_times("{\"metadata\":{\"annotations\":{\"kubernetes.io/config.mirror\":\"x\"}}}");
    assert_int_equal(t.grace_s, 30);
    assert_true(t.rooted);
}

TEST(a_pod_that_is_a_little_late_is_about_to_go)
{
    const struct skr_pod_times little = {.deleted = AT(-3)}, much = {.deleted = AT(-300)};
    assert_int_equal(skr_end_soon(&little, SKR_INSTANT_NEVER, NOW).at, NOW + 1);
    assert_false(skr_end_soon(&little, SKR_INSTANT_NEVER, NOW).overrun);
    assert_int_equal(skr_end_soon(&much, SKR_INSTANT_NEVER, NOW).at, NOW + 300);
    assert_true(skr_end_soon(&much, SKR_INSTANT_NEVER, NOW).overrun);
}
