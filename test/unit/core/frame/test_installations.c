/* SPDX-License-Identifier: Apache-2.0 */
/* Installations in several namespaces of one cluster: which one decides. */
#include "core/frame/installations.h"

#include <string.h>

#include "test/test.h"

#define WALL ((skr_time)1700000000 * SKR_SECOND)

static json_t *lease(const char *namespace_, const char *holder, int version, const char *created,
                     skr_time renewed)
{
    char renew[64], stamp[32];
    skr_time_write(renewed, 0, renew, sizeof renew);
    snprintf(stamp, sizeof stamp, "%d", version);
    return json_pack("{s:{s:s,s:s,s:s,s:s},s:{s:s,s:s}}", "metadata", "namespace", namespace_,
                     "name", "sakkara", "resourceVersion", stamp, "creationTimestamp", created,
                     "spec", "holderIdentity", holder, "renewTime", renew);
}

#define OLD   "2023-11-14T20:00:00Z"
#define YOUNG "2023-11-14T21:00:00Z"

/* Accounts of namespace "hostile" have no rights of an installation. */
static void look_up(struct skr_installations *i, skr_time now)
{
    const char *namespace_;
    while ((namespace_ = skr_installations_ask(i, now))) {
        skr_installations_answer(i, namespace_, strcmp(namespace_, "hostile") != 0, now);
    }
}

/* Takes the leases. */
static void see_alone(struct skr_installations *i, skr_time now, json_t *a, json_t *b)
{
    json_auto_t *list = json_pack("{s:[]}", "items");
    json_t *items = json_object_get(list, "items");
    json_array_append_new(items, a);
    if (b) {
        json_array_append_new(items, b);
    }
    skr_installations_see(i, list, now, WALL + now);
}

/* The same, and looks up the accounts. */
static void see(struct skr_installations *i, skr_time now, json_t *a, json_t *b)
{
    see_alone(i, now, a, b);
    look_up(i, now);
}

TEST(one_that_does_not_lead_waits_while_another_installation_decides)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("theirs", "pod-1", 7, YOUNG, WALL), NULL);
    assert_string_equal(skr_installations_in_the_way(i, 2), "Lease theirs/sakkara, held by pod-1");
    see(i, 10 * SKR_SECOND, lease("theirs", "pod-1", 8, YOUNG, WALL), NULL);
    assert_non_null(skr_installations_in_the_way(i, 22 * SKR_SECOND));
    /* It is gone: its record does not change any more. */
    see(i, 21 * SKR_SECOND, lease("theirs", "pod-1", 8, YOUNG, WALL), NULL);
    assert_null(skr_installations_in_the_way(i, 23 * SKR_SECOND));
    skr_installations_destroy(i);
}

TEST(a_lease_that_was_given_back_or_left_long_ago_keeps_none_waiting)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("theirs", "", 7, OLD, WALL),
        lease("others", "pod", 9, OLD, WALL - 3600 * SKR_SECOND));
    assert_null(skr_installations_in_the_way(i, 2));
    skr_installations_destroy(i);
}

TEST(a_younger_lease_keeps_no_installation_from_deciding)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("mine", "", 7, OLD, WALL), lease("theirs", "me", 9, YOUNG, WALL));
    assert_null(skr_installations_in_the_way(i, 2));
    assert_true(skr_installations_any(i, 2)); /* it is waited for, for seconds */
    assert_false(skr_installations_any(i, 20 * SKR_SECOND));
    skr_installations_destroy(i);
}

/* A user may write Leases of the own namespace, as after an operator has deleted ours. */
TEST(an_older_lease_of_a_namespace_without_an_installation_counts_nothing)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("mine", "", 7, YOUNG, WALL), lease("hostile", "me", 9, OLD, WALL));
    assert_null(skr_installations_in_the_way(i, 2));
    assert_false(skr_installations_any(i, 2));
    see(i, SKR_SECOND, lease("hostile", "me", 10, OLD, WALL), NULL); /* ours is gone */
    assert_null(skr_installations_in_the_way(i, SKR_SECOND));
    skr_installations_destroy(i);
}

TEST(a_lease_whose_account_is_not_looked_up_yet_is_waited_for_and_does_not_decide)
{
    struct skr_installations *i = skr_installations_create("mine");
    see_alone(i, 1, lease("theirs", "pod-1", 7, OLD, WALL), NULL);
    assert_null(skr_installations_in_the_way(i, 2));
    assert_true(skr_installations_any(i, 2));
    assert_string_equal(skr_installations_ask(i, 2), "theirs");
    skr_installations_answer(i, "theirs", true, 2);
    assert_null(skr_installations_ask(i, 2));
    assert_non_null(skr_installations_in_the_way(i, 2));
    skr_installations_destroy(i);
}

/* Rights are given and taken. */
TEST(an_account_is_looked_up_again_after_a_minute)
{
    struct skr_installations *i = skr_installations_create("mine");
    int version = 1;
    see(i, 1, lease("theirs", "pod-1", version, OLD, WALL), NULL);
    for (skr_time now = SKR_SECOND; now < 60 * SKR_SECOND; now += SKR_SECOND) {
        see_alone(i, now, lease("theirs", "pod-1", ++version, OLD, WALL), NULL);
        assert_null(skr_installations_ask(i, now));
    }
    assert_string_equal(skr_installations_ask(i, 61 * SKR_SECOND), "theirs");
    assert_non_null(skr_installations_in_the_way(i, 61 * SKR_SECOND)); /* meanwhile */
    skr_installations_answer(i, "theirs", false, 61 * SKR_SECOND);
    assert_null(skr_installations_in_the_way(i, 61 * SKR_SECOND));
    skr_installations_destroy(i);
}

TEST(an_installation_is_not_crowded_out_by_leases_of_other_namespaces)
{
    struct skr_installations *i = skr_installations_create("mine");
    json_auto_t *list = json_pack("{s:[]}", "items");
    see(i, 1, lease("theirs", "pod-1", 1, OLD, WALL), NULL);
    for (int n = 0; n < SKR_INSTALLATIONS_MAX; n++) {
        json_array_append_new(json_object_get(list, "items"),
                              lease(test_text("a-%d", n), "p", n, OLD, WALL));
    }
    json_array_append_new(json_object_get(list, "items"), lease("theirs", "p", 999, OLD, WALL));
    skr_installations_see(i, list, 2, WALL);
    assert_string_equal(skr_installations_in_the_way(i, 3), "Lease theirs/sakkara, held by p");
    skr_installations_destroy(i);
}

TEST(the_own_lease_is_no_other_installation)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("mine", "pod-0", 7, OLD, WALL), NULL);
    assert_null(skr_installations_in_the_way(i, 2));
    skr_installations_destroy(i);
}

/* Both have won their Lease. */
TEST(of_two_that_decide_the_younger_one_stands_aside)
{
    struct skr_installations *older = skr_installations_create("z");
    struct skr_installations *younger = skr_installations_create("a");
    see(older, 1, lease("z", "p", 1, OLD, WALL), lease("a", "q", 2, YOUNG, WALL));
    see(younger, 1, lease("z", "p", 1, OLD, WALL), lease("a", "q", 2, YOUNG, WALL));
    assert_null(skr_installations_in_the_way(older, 2));
    assert_non_null(skr_installations_in_the_way(younger, 2));
    /* of the same second: by the namespace */
    see(older, 1, lease("z", "p", 1, OLD, WALL), lease("a", "q", 2, OLD, WALL));
    see(younger, 1, lease("z", "p", 1, OLD, WALL), lease("a", "q", 2, OLD, WALL));
    assert_non_null(skr_installations_in_the_way(older, 2));
    assert_null(skr_installations_in_the_way(younger, 2));
    skr_installations_destroy(older);
    skr_installations_destroy(younger);
}

TEST(what_cannot_be_listed_keeps_none_waiting)
{
    struct skr_installations *i = skr_installations_create("mine");
    see(i, 1, lease("theirs", "pod-1", 7, OLD, WALL), NULL);
    skr_installations_forget(i);
    assert_null(skr_installations_in_the_way(i, 2));
    skr_installations_see(i, NULL, 3, WALL);
    assert_null(skr_installations_in_the_way(i, 3));
    skr_installations_destroy(i);
}

TEST(more_leases_than_the_limit_are_ignored)
{
    struct skr_installations *i = skr_installations_create("mine");
    json_auto_t *list = json_pack("{s:[]}", "items");
    for (int n = 0; n < SKR_INSTALLATIONS_MAX + 5; n++) {
        json_array_append_new(json_object_get(list, "items"),
                              lease(test_text("ns-%d", n), "p", n, OLD, WALL));
    }
    skr_installations_see(i, list, 1, WALL);
    look_up(i, 1);
    assert_non_null(skr_installations_in_the_way(i, 2));
    skr_installations_destroy(i);
}
