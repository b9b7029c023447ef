/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of PodGroups of scheduling.k8s.io. */
#include "core/gang/changes/entries.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/growth.h"
#include "topology/base/json_field.h"

#include <string.h>

#define GATED "'schedulingGates':[{'name':'sakkara.gang'}],"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 4);
    rig_sync(rig);
    return rig;
}

static void podgroup(struct rig *rig, const char *name, int min_count)
{
    rig_create_json(rig, RIG_NATIVE, name,
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':%d}}}}",
                    min_count);
}

static void native_pods(struct rig *rig, const char *prefix, int n, const char *group)
{
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("%s-%d", prefix, i),
                        "{'metadata':{},'spec':{'schedulerName':'sakkara',"
                        "'schedulingGroup':{'podGroupName':'%s'}," GATED
                        "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                        group);
    }
}

TEST_RIG(cluster(), a_native_podgroup_is_a_group)
{
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':3}}}}");
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "n-0"));
    native_pods(rig, "m", 1, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 2);
    rig_assert_bound(rig, "m", 1);
    native_pods(rig, "more", 2, "pg"); /* followers */
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "more", 2);
}

/* From Kubernetes 1.37 on, kube-scheduler tries no pod of a PodGroup of which one has a gate. */
TEST_RIG(cluster(), a_member_without_room_loses_its_gate_when_others_of_its_podgroup_go)
{
    podgroup(rig, "pg", 17);
    native_pods(rig, "n", 17, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "n-16")); /* nothing fits, all wait */
    podgroup(rig, "less", 3);
    native_pods(rig, "m", 17, "less");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "m", 16);
    assert_false(rig_is_gated(rig, "m-16"));
    assert_true(rig_is_gated(rig, "n-16"));
}

/* "True MembersBound" of a condition of the PodGroup; "" none. */
static const char *condition_of(const struct rig *rig, const char *name, const char *type)
{
    static char text[200];
    const struct rig_object *o = rig_find(rig, RIG_NATIVE, name);
    const json_t *list = json_object_get(json_object_get(o->json, "status"), "conditions"), *item;
    size_t i;
    text[0] = '\0';
    json_array_foreach(list, i, item)
    {
        if (strcmp(skr_object_text(item, "type"), type) == 0) {
            snprintf(text, sizeof text, "%s %s", skr_object_text(item, "status"),
                     skr_object_text(item, "reason"));
        }
    }
    return text;
}

/* Conditions of kube-scheduler stay beside ours. */
TEST_RIG(cluster(), a_native_podgroup_has_the_conditions_of_its_group)
{
    rig_create_json(
        rig, RIG_NATIVE, "pg",
        "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':3}}},'status':"
        "{'conditions':[{'type':'PodGroupScheduled','status':'True','reason':'Scheduled'"
        ",'message':''}]}}");
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "False MembersMissing");
    assert_string_equal(condition_of(rig, "pg", "sakkara.Placed"), "False MembersMissing");
    assert_string_equal(condition_of(rig, "pg", "sakkara.Valid"), "True Accepted");
    native_pods(rig, "m", 1, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "True MembersPresent");
    assert_string_equal(condition_of(rig, "pg", "sakkara.Placed"), "True PlacementFound");
    assert_string_equal(condition_of(rig, "pg", "sakkara.Bound"), "True MembersBound");
    assert_string_equal(condition_of(rig, "pg", "PodGroupScheduled"), "True Scheduled");
    const size_t written = rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL);
    assert_in_range(written, 2, 4);
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), written);
}

/* The right to patch podgroups/status is missing: a try every 30 seconds, and all else works. */
TEST_RIG(cluster(), conditions_that_may_not_be_written_stop_nothing)
{
    rig_fault(rig, SKR_WRITE_MARK_PODGROUP, NULL, RIG_403, 99);
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':2}}}}");
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 100 * SKR_SECOND);
    rig_assert_bound(rig, "n", 2);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Bound"), "");
    assert_in_range(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), 1, 5);
}

/* A merge patch that replaces the list of conditions. */
TEST_RIG(cluster(), conditions_of_a_podgroup_that_are_overwritten_are_written_at_growing_pauses)
{
    static const char *const part[] = {"{'status':{'conditions':[]}}",
                                       "{'status':{'conditions':[{'type':'sakkara.Bound','status':"
                                       "'False','reason':'Mine','message':'x'}]}}"};
    podgroup(rig, "pg", 2);
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 2);
    rig_forget_counts(rig);
    for (int i = 0; i < 1200; i++) {
        rig_edit(rig, RIG_NATIVE, "pg", "%s", part[i % 2]);
        rig_run(rig, 100 * SKR_MILLISECOND);
    }
    /* A pause of 2 s alone permits 60; of 10 s, 12. */
    assert_in_range(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), 5, 25);
    assert_true(rig_has_event(rig, "ObjectOverwritten: another client has "
                                   "changed conditions of PodGroup pg"));
    rig_run(rig, 30 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Bound"), "True MembersBound");
}

static const char *overridden(struct rig *rig, const char *policy)
{
    rig_create_json(rig, RIG_NATIVE, "pg", "{'metadata':{},'spec':{'schedulingPolicy':{%s}}}",
                    policy);
    rig_group(rig, "g", 1, 0, NULL);
    rig_create_json(rig, RIG_POD, "n-0",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','schedulingGroup':{'podGroupName':'pg'}," GATED
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 1);
    return strstr(rig_key(rig, "g", "conditions"), "PodGroupOverridden");
}

TEST_RIG(cluster(), a_label_that_wins_over_a_podgroup_of_policy_gang_is_a_warning)
{
    assert_non_null(overridden(rig, "'gang':{'minCount':3}"));
}

/* A pod of PodGroup pg whose label names group g. */
static void labelled_pod(struct rig *rig, const char *name, const char *group)
{
    rig_create_json(rig, RIG_POD, name,
                    "{'metadata':{'labels':{'sakkara.group.name':'%s'}},'spec':{'schedulerName':"
                    "'sakkara','schedulingGroup':{'podGroupName':'pg'}," GATED
                    "'containers':[{'name':'c','resources':{'requests':{'cpu':'1'}}}]}}",
                    group);
}

/* minCount 3 does not count; what the PodGroup shows is true of the group of its pods. */
TEST_RIG(cluster(), an_overridden_podgroup_shows_the_group_of_the_label)
{
    rig_group(rig, "g", 2, 0, NULL);
    labelled_pod(rig, "n-0", "g");
    rig_run(rig, 5 * SKR_SECOND);
    podgroup(rig, "pg", 3);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "False MembersMissing");
    labelled_pod(rig, "n-1", "g");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "n", 2);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Bound"), "True MembersBound");
    const json_t *notes = json_object_get(
        json_object_get(rig_find(rig, RIG_NATIVE, "pg")->json, "metadata"), "annotations");
    assert_string_equal(skr_object_text(notes, "sakkara.status"), "Bound");
    assert_string_equal(skr_object_text(notes, "sakkara.placement"),
                        rig_key(rig, "g", "placement"));
    assert_string_equal(skr_object_text(notes, "sakkara.plan"), "");
    const size_t written = rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL);
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), written);
    rig_restart(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), written);
}

/* Two groups never write to one PodGroup in turn. */
TEST_RIG(cluster(), a_podgroup_shows_its_own_group_before_the_first_that_overrides_it)
{
    podgroup(rig, "pg", 3);
    rig_group(rig, "g", 1, 0, NULL);
    rig_group(rig, "h", 2, 0, NULL);
    labelled_pod(rig, "n-0", "g");
    rig_run(rig, 5 * SKR_SECOND);
    labelled_pod(rig, "h-0", "h");
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "True MembersPresent");
    rig_delete(rig, RIG_POD, "n-0");
    rig_run(rig, 5 * SKR_SECOND);
    labelled_pod(rig, "h-1", "h");
    rig_run(rig, 20 * SKR_SECOND);
    rig_assert_bound(rig, "h", 2);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Bound"), "True MembersBound");
    native_pods(rig, "own", 1, "pg");
    rig_run(rig, 20 * SKR_SECOND);
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "False MembersMissing");
    const size_t written = rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL);
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_MARK_PODGROUP, NULL), written);
}

TEST_RIG(cluster(), a_label_beside_a_podgroup_of_policy_basic_is_no_warning)
{
    assert_null(overridden(rig, "'basic':{}"));
}

TEST_RIG(cluster(), pods_of_a_basic_podgroup_are_ordinary_once_it_is_known)
{
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "n-0"));
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'basic':{}}}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 2);
}

TEST_RIG(cluster(), a_topology_key_that_no_level_has_is_a_reason)
{
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':2}},"
                    "'schedulingConstraints':{'topology':[{'key':'example.com/rack'}]}}}");
    native_pods(rig, "n", 2, "pg");
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(rig_is_gated(rig, "n-0"));
    assert_true(rig_has_event(rig, "no level of the topology is made of label example.com/rack"));
}

TEST_RIG(cluster(), a_hostname_key_is_the_level_of_nodes)
{
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':4}},"
                    "'schedulingConstraints':{'topology':[{'key':'kubernetes.io/hostname'}]}}}");
    native_pods(rig, "n", 4, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 4);
    for (int i = 1; i < 4; i++) {
        assert_string_equal(rig_node_of(rig, test_text("n-%d", i)), rig_node_of(rig, "n-0"));
    }
}

TEST_RIG(cluster(), a_native_podgroup_gives_way_as_a_whole)
{
    rig_create_json(rig, RIG_NATIVE, "pg",
                    "{'metadata':{},'spec':{'schedulingPolicy':{'gang':{'minCount':16}}}}");
    native_pods(rig, "n", 16, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 16);
    rig_group(rig, "high", 4, 1, NULL);
    rig_pods(rig, "high", 4, "high", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "high", 4);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 16);
}

/* The key asks for one node; a level above cannot weaken that, and an unknown one is a mistake. */
TEST_RIG(cluster(), a_level_beside_a_topology_key_adds_to_it)
{
    static const char pg[] =
        "{'metadata':{'annotations':{'sakkara.group.within':'%s'}},'spec':{'schedulingPolicy':{"
        "'gang':{'minCount':4}},'schedulingConstraints':{'topology':[{'key':"
        "'kubernetes.io/hostname'}]}}}";
    rig_create_json(rig, RIG_NATIVE, "pg", pg, "rack");
    native_pods(rig, "n", 4, "pg");
    rig_create_json(rig, RIG_NATIVE, "odd", pg, "shelf");
    native_pods(rig, "o", 4, "odd");
    rig_run(rig, 10 * SKR_SECOND);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(rig_node_of(rig, test_text("n-%d", i)), rig_node_of(rig, "n-0"));
    }
    assert_true(*rig_node_of(rig, "n-0"));
    assert_true(rig_is_gated(rig, "o-0"));
    assert_true(rig_has_event(rig, "shelf"));
}

/* ---- deleted, and made again under its name ---- */

/* A PodGroup of two that is bound, and another one of its name, of three, with two pods. */
static struct rig *made_again(void)
{
    struct rig *rig = cluster();
    podgroup(rig, "pg", 2);
    native_pods(rig, "old", 2, "pg");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "old", 2);
    rig_delete(rig, RIG_NATIVE, "pg");
    rig_run(rig, 2 * SKR_SECOND);
    podgroup(rig, "pg", 3);
    rig_run(rig, 2 * SKR_SECOND);
    native_pods(rig, "new", 2, "pg");
    rig_run(rig, 10 * SKR_SECOND);
    return rig;
}

static void assert_waits(struct rig *rig)
{
    for (int i = 0; i < 2; i++) {
        assert_true(rig_is_gated(rig, test_text("new-%d", i)));
    }
}

static void last_comes(struct rig *rig)
{
    rig_delete(rig, RIG_POD, "old-0");
    rig_run(rig, 5 * SKR_SECOND);
    assert_waits(rig);
    rig_delete(rig, RIG_POD, "old-1");
    rig_run(rig, 5 * SKR_SECOND);
    assert_waits(rig); /* two of three */
    native_pods(rig, "last", 1, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 2);
    rig_assert_bound(rig, "last", 1);
}

TEST_RIG(made_again(), a_podgroup_made_again_is_a_new_gang_once_the_old_pods_are_gone)
{
    assert_waits(rig);
    assert_true(rig_has_event(rig, "group podgroup/pg: 1 pod waits for the end of 2 pods of an "
                                   "earlier generation"));
    assert_string_equal(rig_state(rig, "default/podgroup/pg"), "Bound");
    assert_string_equal(condition_of(rig, "pg", "sakkara.Complete"), "False MembersMissing");
    assert_string_equal(rig_filter(rig, "new-0", NULL).text,
                        "sakkara: pod is of another generation of its group");
    last_comes(rig);
}

TEST_RIG(made_again(), a_restart_knows_which_pods_were_bound_for_an_earlier_podgroup)
{
    rig_restart(rig);
    rig_run(rig, 10 * SKR_SECOND);
    assert_waits(rig);
    last_comes(rig);
}

/* Pods name their PodGroup only: those that wait are of the one that is there. */
TEST_RIG(cluster(), pods_that_wait_are_of_the_podgroup_that_is_made_again)
{
    podgroup(rig, "pg", 4);
    native_pods(rig, "n", 3, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_NATIVE, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    podgroup(rig, "pg", 3);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 3);
}

/* A plan that is under way goes on, or is made again: the gang is whole either way. */
TEST_RIG(cluster(), a_podgroup_made_again_under_a_plan_leaves_no_half)
{
    podgroup(rig, "pg", 4);
    native_pods(rig, "n", 4, "pg");
    rig_run(rig, 20 * SKR_MILLISECOND);
    rig_delete(rig, RIG_NATIVE, "pg");
    podgroup(rig, "pg", 4);
    rig_run(rig, 30 * SKR_SECOND);
    rig_assert_bound(rig, "n", 4);
}

/* Its pods came first: they are no earlier generation, and a lost one is replaced. */
TEST_RIG(cluster(), pods_older_than_their_podgroup_are_of_it)
{
    native_pods(rig, "n", 3, "pg");
    rig_run(rig, 5 * SKR_SECOND);
    podgroup(rig, "pg", 3);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "n", 3);
    rig_restart(rig);
    rig_delete(rig, RIG_POD, "n-1");
    rig_run(rig, 2 * SKR_SECOND);
    native_pods(rig, "more", 2, "pg");
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "more", 2);
}

enum { MANY_PODS = 640, FEW_PODS = MANY_PODS / GROWTH_PARTS, CALLS = 8 };

struct sized_rigs {
    struct rig *many, *few;
};

/* n PodGroups that no pod names, CALLS times, beside n pods of another one. */
static void unnamed_podgroups(void *context, size_t n)
{
    const struct sized_rigs *rigs = context;
    const struct rig *rig = n == MANY_PODS ? rigs->many : rigs->few;
    for (size_t i = 0; i < n * CALLS; i++) {
        skr_entries_native_changed(rig->gang, "hostile", "unnamed");
    }
}

TEST(a_podgroup_that_no_pod_names_costs_no_look_at_the_pods_of_others)
{
    struct sized_rigs rigs = {cluster(), cluster()};
    native_pods(rigs.many, "n", MANY_PODS, "pg");
    native_pods(rigs.few, "n", FEW_PODS, "pg");
    rig_run(rigs.many, SKR_SECOND);
    rig_run(rigs.few, SKR_SECOND);
    assert_cost_is_linear(unnamed_podgroups, &rigs, MANY_PODS);
    rig_destroy(rigs.many);
    rig_destroy(rigs.few);
}
