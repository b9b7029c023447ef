/* SPDX-License-Identifier: Apache-2.0 */
/* Limits by namespace: how they are written, and what they do to groups. */
#include "core/gang/changes/namespace_limits.h"
#include "test/test.h"
#include "test/unit/engine_test.h"

static const struct written {
    const char *title, *text;
    const char *error; /* NULL: it is well-formed */
} texts[] = {
    {"empty", "", NULL},
    {"one", "team-a=5", NULL},
    {"several", "team-a = 5 ,team-b=-7, *=0", NULL},
    {"a comma at the end", "team-a=5,", NULL},
    {"no number", "team-a", "\"team-a\" is not NAMESPACE=NUMBER or *=NUMBER"},
    {"no name", "=5", "\"=5\" is not NAMESPACE=NUMBER or *=NUMBER"},
    {"nothing between commas", "a=5,,b=6", "\"\" is not NAMESPACE=NUMBER or *=NUMBER"},
    {"letters", "a=5x", "\"a=5x\" is not NAMESPACE=NUMBER or *=NUMBER"},
    {"capitals", "A=5", "\"A=5\" is not NAMESPACE=NUMBER or *=NUMBER"},
    {"too much", "a=101", "\"a=101\" is outside -100 .. 100"},
    {"much too much", "a=99999999999999999999",
     "\"a=99999999999999999999\" is outside -100 .. 100"},
    {"digits without end", "a=000000000000000000000000000001",
     "\"a=000000000000000000000000000001\" is not NAMESPACE=NUMBER or *=NUMBER"},
};

TEST_EACH(written, texts, what_is_malformed_is_named)
{
    struct skr_error error = {0};
    int rc = skr_namespace_limits_check(written->text, -100, 100, &error);
    assert_int_equal(rc, written->error ? -SKR_INVALID : 0);
    assert_string_equal(error.text, written->error ? written->error : "");
}

TEST(the_name_counts_before_the_star)
{
    int64_t limit = 0;
    assert_false(skr_namespace_limit("", "a", &limit));
    assert_false(skr_namespace_limit("b=5", "a", &limit));
    assert_true(skr_namespace_limit("*=3, a = 5, a=6", "a", &limit));
    assert_int_equal(limit, 5);
    assert_true(skr_namespace_limit("*=3,a=5", "ab", &limit));
    assert_int_equal(limit, 3);
    assert_true(skr_namespace_limit("a=-5,*=3,*=4", "b", &limit));
    assert_int_equal(limit, 3);
}

TEST(lists_of_namespaces_name_some_or_all)
{
    struct skr_error error = {0};
    assert_true(skr_namespace_is_listed("team-a, team-b", "team-b"));
    assert_false(skr_namespace_is_listed("team-a, team-b", "team"));
    assert_false(skr_namespace_is_listed("", "team"));
    assert_true(skr_namespace_is_listed("*", "team"));
    assert_int_equal(skr_namespaces_check("team-a, *", &error), 0);
    assert_int_equal(skr_namespaces_check("", &error), 0);
    assert_int_equal(skr_namespaces_check("a=5", &error), -SKR_INVALID);
    assert_string_equal(error.text, "\"a=5\" is not a namespace or *");
    assert_int_equal(skr_namespaces_check("Team", &error), -SKR_INVALID);
}

static struct rig *bounded(const char *priority_max, const char *groups_max)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.priority_max = priority_max;
    settings.groups_max = groups_max;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 1, 2);
    rig_sync(rig);
    return rig;
}

TEST_RIG(bounded("greedy=10", ""), a_bound_of_priorities_keeps_a_namespace_from_outbidding_others)
{
    rig_group(rig, "greedy/g", 2, 1000, NULL);
    rig_group(rig, "h", 2, 11, NULL);
    rig_pods(rig, "greedy/g", 2, "g", RIG_GATED);
    rig_pods(rig, "h", 2, "h", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 2);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_true(rig_has_event(
        rig, "priority: 1000 is more than groups.maxPriority allows here: 10 counts"));
}

TEST_RIG(bounded("other=10", ""), without_a_bound_the_higher_priority_goes_first)
{
    rig_group(rig, "greedy/g", 2, 1000, NULL);
    rig_group(rig, "h", 2, 11, NULL);
    rig_pods(rig, "greedy/g", 2, "g", RIG_GATED);
    rig_pods(rig, "h", 2, "h", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 2);
}

TEST_RIG(bounded("", "greedy=2"),
         groups_beyond_the_budget_of_their_namespace_wait_and_others_do_not)
{
    rig_group(rig, "greedy/a", 8, 0, NULL); /* never complete */
    rig_group(rig, "greedy/b", 8, 0, NULL);
    rig_settle(rig);
    rig_group(rig, "greedy/c", 1, 9, NULL);
    rig_group(rig, "greedy/d", 1, 9, NULL);
    rig_pods(rig, "greedy/c", 1, "c", RIG_GATED);
    rig_group(rig, "h", 1, 0, NULL);
    rig_pods(rig, "h", 1, "h", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h"), 1);
    assert_int_equal(rig_n_bound(rig, "c"), 0);
    assert_string_equal(rig_key(rig, "greedy/c", "status"), "Failed");
    assert_string_equal(rig_key(rig, "greedy/c", "reason"), "GroupInvalid");
    assert_non_null(
        strstr(rig_key(rig, "greedy/c", "message"), "namespace greedy has 2 groups already"));
    rig_delete(rig, RIG_MAP, "greedy/a");
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "c"), 1);
    assert_string_equal(rig_key(rig, "greedy/d", "status"), "Failed");
    /* What runs counts, whatever came before it when the process starts anew. */
    rig->reverse_lists = true;
    rig_restart(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "greedy/c", "status"), "Bound");
}
