/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces whose groups are slow to solve for, beside others. */
#include "test/unit/engine_test.h"

enum since { NEVER_SLOW, SLOW_LONG_AGO, SLOW };

/* Room for one more gang of four. One of namespace "greedy" runs, for which solving took two seconds. */
static struct rig *after(enum since since, bool preemption)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.preemption = preemption;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 4);
    rig_sync(rig);
    rig->solve_ns = since == NEVER_SLOW ? 0 : 2 * SKR_SECOND;
    rig_group(rig, "greedy/a", 4, 9, NULL);
    rig_pods(rig, "greedy/a", 4, "a", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "a"), 4);
    rig->solve_ns = 0;
    rig_run(rig, since == SLOW_LONG_AGO ? 20 * SKR_SECOND : 0);
    return rig;
}

/* A group whose pods have its priority, too: only that evicts groups of other namespaces. */
static void comes(struct rig *rig, const char *pods, const char *group, int priority)
{
    rig_group(rig, pods, 4, priority, NULL);
    rig_pods(rig, pods, 4, group, RIG_GATED);
    for (int i = 0; i < 4; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s-%d", pods, i);
        rig_edit(rig, RIG_POD, name, "{'spec':{'priority':%d}}", priority);
    }
}

TEST(whose_groups_were_slow_to_solve_for_stands_behind_others_for_a_while)
{
    for (enum since since = NEVER_SLOW; since <= SLOW; since++) {
        SKR_AUTO(rig_destroy) struct rig *rig = after(since, false);
        comes(rig, "greedy/b", "b", 9);
        comes(rig, "h", "h", 0);
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "h"), since == SLOW ? 4 : 0);
        assert_int_equal(rig_n_bound(rig, "b"), since == SLOW ? 0 : 4);
    }
}

TEST(a_solve_of_who_stands_back_gives_way_and_any_other_goes_on)
{
    for (enum since since = NEVER_SLOW; since <= SLOW; since++) {
        SKR_AUTO(rig_destroy) struct rig *rig = after(since, false);
        const size_t before = rig->n_solves;
        rig->hold_solves = true;
        comes(rig, "greedy/b", "b", 0);
        rig_run(rig, SKR_SECOND);
        assert_int_equal(rig->n_solves, before + 1);
        comes(rig, "h", "h", 5);
        rig_run(rig, SKR_SECOND);
        rig->hold_solves = false;
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "h"), since == SLOW ? 4 : 0);
        assert_int_equal(rig_n_bound(rig, "b"), since == SLOW ? 0 : 4);
    }
}

/* Each of its solves is short, and ends as the group is another one by then. */
TEST(who_changes_a_group_while_it_is_solved_for_stands_back)
{
    for (int ms = 0; ms <= 30; ms += 30) {
        SKR_AUTO(rig_destroy) struct rig *rig = after(NEVER_SLOW, false);
        rig->solve_ns = ms * SKR_MILLISECOND;
        rig->hold_solves = true;
        comes(rig, "greedy/b", "b", 9);
        for (int i = 0; i < 20; i++) {
            rig_run(rig, 100 * SKR_MILLISECOND);
            rig_edit(rig, RIG_MAP, "greedy/b", "{'data':{'priority':'%d'}}", 10 + i);
            rig_settle(rig);
            rig->hold_solves = false;
            assert_true(rig_step_solve(rig));
            rig->hold_solves = true;
        }
        comes(rig, "h", "h", 0);
        rig_run(rig, SKR_SECOND);
        rig->hold_solves = false;
        rig_run(rig, 5 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "h"), ms > 0 ? 4 : 0);
        assert_int_equal(rig_n_bound(rig, "b"), ms > 0 ? 0 : 4);
    }
}

TEST_RIG(after(SLOW, false), who_stands_back_is_planned_at_once_while_nobody_else_waits)
{
    comes(rig, "greedy/b", "b", 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "b"), 4);
}

/* Of the first Event that says so. */
static size_t place_of(const struct rig *rig, const char *part)
{
    size_t i;
    json_t *text;
    json_array_foreach(rig->events, i, text)
    {
        if (strstr(json_string_value(text), part)) {
            return i;
        }
    }
    fail_msg("nobody says %s", part);
    return 0;
}

TEST_RIG(after(SLOW, true), victims_are_looked_for_before_a_group_that_stands_back_is_planned)
{
    comes(rig, "low", "low", 0);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "low"), 4);
    comes(rig, "greedy/b", "b", 9);
    comes(rig, "h", "h", 5);
    rig_run(rig, 60 * SKR_SECOND);
    assert_true(place_of(rig, "group h waits for") < place_of(rig, "group b needs"));
    assert_int_equal(rig_n_bound(rig, "b"), 4); /* which pushes it out in turn */
}
