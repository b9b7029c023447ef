/* SPDX-License-Identifier: Apache-2.0 */
/* Maps that change names, order or sets of roles while members run: seen by the daemon, while it was
 * away, and as a map that follows a deleted one. */
#include "test/unit/engine_test.h"
#include "test/unit/role_scene.h"

static bool is_warned(struct rig *rig, const char *text)
{
    return strstr(rig_key(rig, "g", "conditions"), text);
}

TEST_RIG(rig_create(), other_roles_are_for_the_next_generation)
{
    rig_racks(rig, 1, 2, 4);
    role_leader_and(rig, 2, "{}");
    role_edit_map(rig, "{'head':{'size':1},'worker':{'size':3}}");
    assert_true(is_warned(rig, "RolesChanged"));
    assert_true(is_warned(rig,
                          "the map changes the roles from leader, worker to head, worker while "
                          "members run; it takes effect when all of them have gone"));
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    role_member(rig, "h-0", "head", 1, 0);
    rig_remove(rig, "w-1");
    rig_run(rig, 3 * SKR_SECOND);
    role_members(rig, "x", 2, "worker", 1, 0);
    rig_run(rig, 30 * SKR_SECOND);
    role_expect_rank(rig, "x-0", "2"); /* a replacement */
    assert_string_equal(rig_node_of(rig, "x-1"), "");
    assert_string_equal(rig_node_of(rig, "h-0"), "");
    rig_remove(rig, "l-0");
    rig_remove(rig, "w-0");
    rig_remove(rig, "x-0");
    rig_run(rig, 3 * SKR_SECOND);
    assert_false(is_warned(rig, "RolesChanged"));
    role_members(rig, "y", 2, "worker", 1, 0);
    rig_run(rig, 60 * SKR_SECOND);
    role_expect_rank(rig, "h-0", "0");
    role_expect_rank(rig, "x-1", "1");
    role_expect_rank(rig, "y-1", "3");
    rig_assert_clean(rig);
}

TEST_RIG(rig_create(), other_members_of_a_set_are_for_the_next_generation)
{
    rig_racks(rig, 2, 2, 4);
    role_leader_and(rig, 2, role_set_of_three);
    rig_edit(rig, RIG_MAP, "g",
             "{'data':{'roles':'{\\'leader\\':{\\'size\\':1},\\'worker\\':{\\'size\\':3}}',"
             "'constraints':'{\\'sets\\':[{\\'level\\':\\'rack\\',\\'roles\\':{\\'leader\\':1,"
             "\\'worker\\':3}}]}'}}");
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(is_warned(rig, "the map changes the members of a set while members run"));
    role_edit_map(rig, "{'leader':{'size':1},'worker':{'size':3}}"); /* the same again */
    assert_true(is_warned(rig, "RolesChanged"));
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{'}}"); /* malformed meanwhile */
    rig_run(rig, 3 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    rig_assert_bound(rig, "w", 2);
}

/* The daemon was away when the map changed: it has not seen the roles that run. */
TEST_RIG(rig_create(), newcomers_wait_for_members_of_roles_that_the_map_no_longer_has)
{
    rig_racks(rig, 1, 2, 4);
    role_leader_and(rig, 1, "{}");
    role_edit_map(rig, "{'head':{'size':1},'worker':{'size':2}}");
    rig_restart(rig);
    rig_run(rig, 3 * SKR_SECOND);
    role_member(rig, "h-0", "head", 1, 0);
    role_member(rig, "w-1", "worker", 1, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(is_warned(rig, "pod l-0 runs with a role that key roles does not have; other pods "
                               "wait until it has gone"));
    assert_string_equal(rig_node_of(rig, "h-0"), "");
    assert_string_equal(rig_node_of(rig, "w-1"), "");
    rig_remove(rig, "l-0");
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(is_warned(rig,
                          "pod w-0 runs under other roles or sets than those of the map: leader, "
                          "worker; other pods wait until it has gone"));
    assert_string_equal(rig_node_of(rig, "h-0"), "");
    rig_remove(rig, "w-0");
    role_member(rig, "w-2", "worker", 1, 0);
    rig_run(rig, 60 * SKR_SECOND);
    role_expect_rank(rig, "h-0", "0");
    role_expect_rank(rig, "w-2", "2");
    assert_false(is_warned(rig, "RolesChanged"));
    rig_assert_clean(rig);
}

/* Sets of a leader and one worker in place of two. */
static const char sets_of_two[] = "{'sets':[{'level':'rack','roles':{'leader':1,'worker':1}}]}";

/* Two sets of three run in two racks, as the map says. */
static void two_sets(struct rig *rig)
{
    rig_racks(rig, 2, 3, 3);
    role_gang(rig, 2, 4, (const int[]){2, 2}, role_set_of_three);
}

/* No pod takes a seat while one of the old sets runs; then those of the map are placed. */
static void old_sets_go_first(struct rig *rig)
{
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(is_warned(rig,
                          "pod l-0 runs under other roles or sets than those of the map: leader (1 "
                          "a set), worker (2 a set); other pods wait until it has gone"));
    rig_remove(rig, "w-3");
    role_member(rig, "w-4", "worker", 2, 0);
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-4"), "");
    rig_remove(rig, "l-0");
    rig_remove(rig, "l-1");
    rig_remove(rig, "w-0");
    rig_remove(rig, "w-1");
    rig_remove(rig, "w-2");
    role_members(rig, "m", 2, "leader", 2, 0);
    role_members(rig, "x", 1, "worker", 2, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_false(is_warned(rig, "RolesChanged"));
    rig_assert_bound(rig, "m", 2);
    rig_assert_bound(rig, "x", 1);
    assert_string_not_equal(rig_node_of(rig, "w-4"), "");
    rig_assert_clean(rig);
}

static void edit_sets(struct rig *rig)
{
    rig_edit(rig, RIG_MAP, "g",
             "{'data':{'roles':'{\\'leader\\':{\\'size\\':2},\\'worker\\':{\\'size\\':2}}',"
             "'constraints':'{\\'sets\\':[{\\'level\\':\\'rack\\',\\'roles\\':{\\'leader\\':1,"
             "\\'worker\\':1}}]}'}}");
}

TEST_RIG(rig_create(), sets_that_changed_while_the_daemon_was_away_are_for_the_next_generation)
{
    two_sets(rig);
    rig->hold_watch[RIG_MAP] = true;
    edit_sets(rig);
    rig->hold_watch[RIG_MAP] = false;
    rig_restart(rig);
    old_sets_go_first(rig);
}

TEST_RIG(rig_create(), sets_that_wait_still_wait_after_a_restart)
{
    two_sets(rig);
    edit_sets(rig);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(is_warned(rig, "the map changes the members of a set while members run"));
    rig_restart(rig);
    old_sets_go_first(rig);
}

TEST_RIG(rig_create(), sets_of_a_map_that_follows_a_deleted_one_are_for_the_next_generation)
{
    two_sets(rig);
    rig_delete(rig, RIG_MAP, "g");
    rig_run(rig, 3 * SKR_SECOND);
    role_map(rig, "{'leader':{'size':2},'worker':{'size':2}}", sets_of_two);
    old_sets_go_first(rig);
}

/* Both at once: neither the map nor the process has seen what runs. */
TEST_RIG(rig_create(), sets_of_a_map_made_anew_while_the_daemon_was_away_wait)
{
    two_sets(rig);
    rig->hold_watch[RIG_MAP] = true;
    rig_delete(rig, RIG_MAP, "g");
    role_map(rig, "{'leader':{'size':2},'worker':{'size':2}}", sets_of_two);
    rig->hold_watch[RIG_MAP] = false;
    rig_restart(rig);
    old_sets_go_first(rig);
}

TEST_RIG(rig_create(), a_map_made_anew_with_the_same_roles_holds_at_once)
{
    two_sets(rig);
    rig_delete(rig, RIG_MAP, "g");
    rig_run(rig, 3 * SKR_SECOND);
    role_map(rig, "{'leader':{'size':2},'worker':{'size':4}}", role_set_of_three);
    rig_run(rig, 3 * SKR_SECOND);
    assert_false(is_warned(rig, "RolesChanged"));
    assert_string_equal(rig_key(rig, "g", "sets"), "{\"0\":\"rack-0\",\"1\":\"rack-1\"}");
    rig_remove(rig, "w-3");
    role_member(rig, "w-9", "worker", 2, 0);
    rig_run(rig, 30 * SKR_SECOND);
    role_expect_rank(rig, "w-9", "5");
    rig_assert_clean(rig);
}

/* Bound members that carry the sets of two; *ret_n: all that are bound. */
static int bound_in_sets_of_two(const struct rig *rig, int *ret_n)
{
    static const char *const pods[] = {"l-0", "l-1", "w-0", "w-1", "w-2", "w-3"};
    int n = 0;
    *ret_n = 0;
    for (size_t i = 0; i < sizeof pods / sizeof *pods; i++) {
        const char *annotation = rig_annotation(rig, RIG_POD, pods[i], "sakkara.plan");
        if (*rig_node_of(rig, pods[i])) {
            ++*ret_n;
            n += strstr(annotation, "worker:0:1") ? 1 : 0;
        }
    }
    return n;
}

/* The daemon is killed after each of its actions in turn, and the map changes before it is back: pods of
 * old and of new sets never run together. Requests on their way are lost, or arrive. */
static bool is_killed_at(size_t at, bool sent)
{
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    int n;
    rig_racks(rig, 2, 3, 3);
    role_map(rig, "{'leader':{'size':2},'worker':{'size':4}}", role_set_of_three);
    rig_sync(rig);
    rig->die_at = rig->n_actions + at;
    rig->die_sent = sent;
    role_members(rig, "l", 2, "leader", 2, 0);
    role_members(rig, "w", 4, "worker", 2, 0);
    rig_run(rig, 3 * SKR_SECOND);
    const bool dead = rig->is_dead;
    edit_sets(rig);
    rig->die_at = 0;
    rig_restart(rig);
    rig_run(rig, 120 * SKR_SECOND);
    const int of_two = bound_in_sets_of_two(rig, &n);
    if (!(of_two == 0 && n == 6) && !(of_two == 4 && n == 4)) {
        rig_fail(rig, "killed after action %zu: %d run, %d of the new sets", at, n, of_two);
    }
    assert_true(is_warned(rig, "RolesChanged") == (n == 6));
    return dead;
}

TEST(sets_of_the_old_map_and_of_the_new_one_never_run_together)
{
    size_t at = 0;
    for (bool killed = true; killed;) {
        const bool lost = is_killed_at(++at, false);
        const bool arrived = is_killed_at(at, true);
        killed = lost || arrived;
    }
    assert_true(at > 20);
}

TEST_RIG(rig_create(), another_order_of_roles_waits_after_a_restart)
{
    rig_racks(rig, 1, 2, 4);
    role_leader_and(rig, 2, "{}");
    rig->hold_watch[RIG_MAP] = true;
    rig_edit(rig, RIG_MAP, "g",
             "{'data':{'roles':'{\\'worker\\':{\\'size\\':2},\\'leader\\':{\\'size\\':1}}'}}");
    rig->hold_watch[RIG_MAP] = false;
    rig_restart(rig);
    rig_run(rig, 3 * SKR_SECOND);
    assert_true(is_warned(rig,
                          "pod l-0 runs under other roles or sets than those of the map: leader, "
                          "worker; other pods wait until it has gone"));
    rig_assert_bound(rig, "w", 2);
}

/* A set keeps its members when the ranks before it are more, or a member was replaced. */
TEST_RIG(rig_create(), members_know_their_set_whatever_their_ranks_mean_now)
{
    rig_racks(rig, 3, 1, 6);
    role_map(rig, "{'ps':{'size':1},'leader':{'size':2},'worker':{'size':4}}",
             "{'rack':{'max':5},'sets':[{'level':'rack','roles':{'leader':1,'worker':2},"
             "'exclusive':true}]}");
    rig_sync(rig);
    role_member(rig, "ps-0", "ps", 1, 0);
    role_members(rig, "l", 2, "leader", 1, 0);
    role_members(rig, "w", 4, "worker", 1, 0);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "w", 4);
    rig_remove(rig, "w-0");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "w-9", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    role_expect_rank(rig, "w-9", "2");
    role_edit_map(rig, "{'ps':{'size':2},'leader':{'size':2},'worker':{'size':4}}");
    rig_restart(rig);
    role_member(rig, "ps-1", "ps", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_not_equal(rig_node_of(rig, "ps-1"), "");
    assert_string_equal(rig_node_of(rig, "w-9"), rig_node_of(rig, "l-0"));
    rig_remove(rig, "w-2");
    rig_run(rig, SKR_SECOND);
    role_member(rig, "w-10", "worker", 1, 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "w-10"), rig_node_of(rig, "l-1"));
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    rig_assert_clean(rig);
}
