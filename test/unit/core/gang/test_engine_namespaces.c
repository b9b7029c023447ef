/* SPDX-License-Identifier: Apache-2.0 */
/* Priorities across namespaces: the key `priority` of a map evicts no group of another namespace; the
 * PriorityClass of pods does, and maps of trusted namespaces. */
#include <string.h>

#include "server/render/explain_text.h"
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"
#include "topology/base/json_field.h"

enum { GREATEST = 2147483647 };

static void set_class(struct rig *rig, const char *prefix, int n, int priority)
{
    for (int i = 0; i < n; i++) {
        rig_edit(rig, RIG_POD, test_text("%s-%d", prefix, i), "{'spec':{'priority':%d}}", priority);
    }
}

/* A gang of four, as large as a node; the pods have the priority of a class. */
static void gang(struct rig *rig, const char *name, int priority, int class)
{
    rig_group(rig, name, 4, priority, NULL);
    rig_pods(rig, name, 4, strchr(name, '/') ? strchr(name, '/') + 1 : name, RIG_GATED);
    set_class(rig, name, 4, class);
    rig_run(rig, SKR_SECOND);
}

static struct rig *rack_trusting(const char *trusted, const char *most, int nodes)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.priority_trusted = trusted;
    settings.priority_max = most;
    struct rig *rig = scene_rack_with(&settings, nodes);
    rig->grace = SKR_SECOND;
    return rig;
}

static int evictions(struct rig *rig)
{
    return (int)rig_count(rig, SKR_WRITE_EVICT, NULL);
}

TEST_RIG(rack_trusting("", "", 1), the_word_of_a_map_evicts_no_group_of_another_namespace)
{
    gang(rig, "honest", 0, 0);
    gang(rig, "hostile/h", GREATEST, 0);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
    assert_int_equal(rig_n_bound(rig, "honest"), 4);
    assert_string_equal(rig_key(rig, "hostile/h", "reason"), "WaitingForCapacity");
}

TEST_RIG(rack_trusting("", "", 1), nor_does_it_when_it_is_edited_later)
{
    gang(rig, "honest", 5, 0);
    gang(rig, "hostile/h", 0, 0);
    rig_edit(rig, RIG_MAP, "hostile/h", "{'data':{'priority':'2147483647'}}");
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
    assert_int_equal(rig_n_bound(rig, "honest"), 4);
}

/* A plan that is not past the point of no return is room too. */
TEST_RIG(rack_trusting("", "", 1), nor_does_it_take_a_plan_of_another_namespace)
{
    rig->hold_scheduler = true;
    gang(rig, "honest", 0, 0);
    assert_string_not_equal(rig_planned(rig, "honest-0"), "");
    gang(rig, "hostile/h", GREATEST, 0);
    assert_string_not_equal(rig_planned(rig, "honest-0"), "");
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "honest", 4);
}

TEST_RIG(rack_trusting("", "", 1),
         a_class_of_higher_value_evicts_whatever_the_map_of_the_victim_says)
{
    gang(rig, "low", GREATEST, 10);
    gang(rig, "team/top", 1, 11);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4);
    assert_int_equal(evictions(rig), 4);
}

TEST_RIG(rack_trusting("", "", 1), an_equal_class_evicts_no_group_of_another_namespace)
{
    gang(rig, "low", 0, 11);
    gang(rig, "team/top", 1000, 11);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
}

/* The lowest of the preemptor counts, and the highest of the victim. */
TEST(one_pod_of_another_class_decides)
{
    for (int which = 0; which < 2; which++) {
        SKR_AUTO(rig_destroy) struct rig *rig = rack_trusting("", "", 1);
        gang(rig, "low", 0, 10);
        rig_edit(rig, RIG_POD, "low-2", "{'spec':{'priority':%d}}", which == 0 ? 20 : 10);
        gang(rig, "team/top", 1, 20);
        if (which == 1) {
            continue; /* evicted: the first second */
        }
        rig_run(rig, 20 * SKR_SECOND);
        assert_int_equal(evictions(rig), 0);
    }
}

TEST_RIG(rack_trusting("", "", 1), a_group_of_priority_zero_evicts_none_whatever_its_class)
{
    gang(rig, "low", 0, 0);
    gang(rig, "team/top", 0, 1000);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
}

TEST_RIG(rack_trusting("", "", 1), within_a_namespace_the_map_decides)
{
    gang(rig, "low", 1, 1000);
    gang(rig, "top", 2, 0);
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "top", 4);
}

TEST_RIG(rack_trusting("team", "", 2),
         maps_of_a_trusted_namespace_count_everywhere_and_others_do_not)
{
    gang(rig, "a", 5, 0);
    gang(rig, "other/b", 5, 0);
    gang(rig, "team/top", 6, 0);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4);
    gang(rig, "other/c", GREATEST, 0);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4); /* c takes the place of b, its own */
    assert_int_equal(rig_n_bound(rig, "c"), rig_n_bound(rig, "b") == 0 ? 4 : 0);
}

TEST_RIG(rack_trusting("*", "", 1), with_a_star_every_map_counts_everywhere)
{
    gang(rig, "low", 0, 0);
    gang(rig, "team/top", 1, 0);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4);
}

/* The choice is exact: victims of the own namespace first, then the lowest class. Maps of other
 * namespaces do not count. */
TEST_RIG(rack_trusting("", "", 3),
         of_victims_in_several_namespaces_the_own_goes_first_and_then_the_lowest_class)
{
    gang(rig, "one/a", 0, 8);
    gang(rig, "two/b", 900, 7);
    gang(rig, "team/c", 3, 9);
    gang(rig, "team/top", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 4);
    assert_int_equal(rig_n_bound(rig, "c"), 0);
    gang(rig, "team/next", 4, 9);
    rig_run(rig, 20 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "next"), 4);
    assert_int_equal(rig_n_bound(rig, "b"), 0);
    assert_int_equal(rig_n_bound(rig, "a"), 4);
}

/* A record that a user forges evicts no more than the group may. */
TEST_RIG(rack_trusting("", "", 1), a_forged_record_evicts_no_group_of_another_namespace)
{
    gang(rig, "honest", 0, 0);
    gang(rig, "hostile/h", GREATEST, 0);
    const char *node = rig_node_of(rig, "honest-0");
    rig_edit(
        rig, RIG_MAP, "hostile/h",
        "{'metadata':{'annotations':{'sakkara.plan':'{\\'v\\':1,\\'id\\':\\'aaa044e7ee600982\\',"
        "\\'state\\':\\'Preempting\\',\\'nodes\\':{\\'%s\\':4},"
        "\\'victims\\':[\\'default/honest\\'],\\'victimPods\\':[4]}'}}}",
        node);
    rig_restart(rig);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
}

TEST_RIG(rack_trusting("", "", 1), explanations_say_why_a_group_of_another_namespace_stays)
{
    gang(rig, "other/honest", 0, 3);
    gang(rig, "h", 9, 2);
    const json_t *x = json_object_get(rig_explain_preempt(rig, "h"), "preemption");
    const json_t *row = json_array_get(json_object_get(x, "spared"), 0);
    assert_string_equal(skr_object_text(row, "why"), "PriorityClass");
    assert_string_equal(skr_object_text(row, "text"),
                        "4 pods of 1 group of other namespaces, where the PriorityClass of pods "
                        "decides: the pods of "
                        "group h have 2, those have up to 3; use a class of a higher value, or "
                        "have an administrator "
                        "add default to priority.trustedNamespaces");
}

/* The queue: a map goes before others up to the bound that ships. */
TEST_RIG(rack_trusting("", SKR_PRIORITY_MAX_DEFAULT, 1), a_map_jumps_the_queue_up_to_the_bound)
{
    rig_group(rig, "older", 4, 1000, NULL);
    rig_group(rig, "hostile/h", 4, GREATEST, NULL);
    rig_pods(rig, "older", 4, "older", RIG_GATED);
    rig_run(rig, 5 * SKR_MILLISECOND);
    rig_pods(rig, "hostile/h", 4, "h", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "older", 4);
    assert_true(rig_has_event(rig, "2147483647 is more than groups.maxPriority allows here: 1000"));
}
