/* SPDX-License-Identifier: Apache-2.0 */
/* Filter calls that are held a moment, because what they ask for is on its way. */
#include "test/unit/engine_test.h"

#define HOLD (400 * SKR_MILLISECOND)

static struct rig *cluster(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.filter_hold = HOLD;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 3, 2);
    rig_group(rig, "before", 1, 0, NULL); /* whose writes show that the API server is quick */
    rig_pod(rig, "before", "before", 0);
    return rig;
}

/* A group g of that size whose first pods p-0 .. have just come; nobody has asked about them. */
static struct rig *group_of(int size, int pods)
{
    struct rig *rig = cluster();
    rig_group(rig, "g", size, 0, NULL);
    rig_sync(rig);
    rig_run(rig, 2 * SKR_SECOND);
    rig->hold_scheduler = true;
    rig_pods(rig, "p", pods, "g", 0);
    return rig;
}

static void assert_ends_bound(struct rig *rig)
{
    rig->hold_writes = rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
}

/* Asks about a pod and says how long that took. */
static struct rig_answer ask(struct rig *rig, const char *pod, const char *nodes, skr_time *ret)
{
    skr_time began = rig->now;
    struct rig_answer answer = rig_filter(rig, pod, nodes);
    *ret = rig->now - began;
    return answer;
}

TEST_RIG(group_of(4, 4), a_member_of_a_group_that_is_being_planned_gets_its_node_in_the_same_call)
{
    skr_time took;
    rig_settle(rig);
    struct rig_answer answer = ask(rig, "p-0", NULL, &took);
    assert_int_equal(answer.kind, SKR_ANSWER_FILTER_ONE);
    assert_true(*answer.first);
    assert_in_range(took, 1, HOLD - 1);
}

TEST_RIG(group_of(4, 3), nobody_is_held_for_members_that_are_not_there)
{
    skr_time took;
    rig_settle(rig);
    assert_string_equal(ask(rig, "p-0", NULL, &took).text, "sakkara: group waits for members");
    assert_int_equal(took, 0);
}

TEST_RIG(group_of(6, 6), nobody_is_held_for_room_that_is_not_there)
{
    skr_time took;
    rig_run(rig, SKR_SECOND);
    assert_int_equal(ask(rig, "p-0", NULL, &took).kind, SKR_ANSWER_FILTER_NONE);
    assert_int_equal(took, 0);
}

TEST_RIG(group_of(4, 4), a_call_without_the_planned_node_waits_for_the_nominations_of_its_group)
{
    skr_time took;
    rig_settle(rig);
    struct rig_answer answer = ask(rig, "p-0", "node-2", &took);
    assert_int_equal(answer.kind, SKR_ANSWER_FILTER_NONE);
    assert_string_equal(answer.text, "sakkara: group is being planned");
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", i);
        assert_true(*rig_nominated(rig, name));
    }
    assert_ends_bound(rig);
}

TEST_RIG(group_of(4, 4), a_hold_has_an_end)
{
    skr_time took;
    rig_settle(rig);
    rig->hold_writes = true; /* the API server is slow */
    assert_int_equal(ask(rig, "p-0", NULL, &took).kind, SKR_ANSWER_FILTER_NONE);
    assert_int_equal(took, HOLD);
    assert_ends_bound(rig);
}

TEST_RIG(group_of(4, 4), ordinary_pods_are_never_behind_a_hold)
{
    skr_time took;
    rig_pod(rig, "single", NULL, RIG_BARE);
    rig_settle(rig);
    assert_int_equal(ask(rig, "p-0", NULL, &took).kind, SKR_ANSWER_FILTER_NONE);
    assert_int_equal(took, 0);
    assert_int_equal(ask(rig, "single", NULL, &took).kind, SKR_ANSWER_FILTER_ALL);
    assert_int_equal(took, 0);
}

TEST_RIG(cluster(), the_first_call_of_a_start_waits_for_the_lists)
{
    skr_time took;
    rig_group(rig, "g", 2, 0, NULL);
    rig_pods(rig, "p", 2, "g", 0);
    rig->hold_scheduler = true;
    assert_string_equal(ask(rig, "p-0", NULL, &took).text, "sakkara: not ready");
    assert_int_equal(took, HOLD);
}

TEST(nobody_is_held_before_a_write_has_shown_that_the_api_server_is_quick)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.filter_hold = HOLD;
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create_with(&settings);
    skr_time took;
    rig_racks(rig, 1, 3, 2);
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    rig->hold_scheduler = rig->hold_writes = true;
    rig_pods(rig, "p", 4, "g", 0);
    rig_settle(rig);
    assert_int_equal(ask(rig, "p-0", NULL, &took).kind, SKR_ANSWER_FILTER_NONE);
    assert_int_equal(took, 0);
}
