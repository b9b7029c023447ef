/* SPDX-License-Identifier: Apache-2.0 */
/* Where a group comes from: maps, PodGroups, labels; their precedence, defects and duplicates. */
#include "core/gang/group/group_table.h"
#include "core/gang/state/groups.h"
#include "test/unit/engine_test.h"

static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 2);
    return rig;
}

static struct rig *cluster_with_labels(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.label_fallback = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 2, 2, 2);
    return rig;
}

/* The keys that are annotations count as they do on a PodGroup, also after an edit. */
TEST_RIG(cluster_with_labels(), annotations_of_the_oldest_member_are_keys_of_a_group_of_labels)
{
    static const char *const limit[] = {"600s", "300s", "soon"};
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    for (size_t i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            rig_edit(rig, RIG_POD, k == 0 ? "p-0" : "p-1",
                     "{'metadata':{'labels':{'sakkara.group.size':'3'},'annotations':{"
                     "'sakkara.group.run-limit':'%s','sakkara.group.minimum':'%d'}}}",
                     limit[i], i == 0 ? 3 : 2);
        }
        if (i == 0) {
            rig_sync(rig);
        }
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", i == 0 ? 0 : 2);
    }
    const json_t *pod = rig_find(rig, RIG_POD, "p-0")->json;
    const json_t *spec = json_object_get(pod, "spec");
    assert_int_equal(json_integer_value(json_object_get(spec, "activeDeadlineSeconds")), 300);
}

static const char *pg_key(struct rig *rig, const char *key)
{
    return rig_annotation(rig, RIG_PODGROUP, "g", test_text("sakkara.%s", key));
}

/* ---- definitions that go ---- */

static const char *sentence(struct rig *rig)
{
    return json_string_value(json_object_get(rig_explain(rig, "g"), "sentence"));
}

/* What is said of group g: reason and sentence. */
static void assert_said(struct rig *rig, const char *reason, const char *want)
{
    assert_string_equal(sentence(rig), want);
    assert_string_equal(json_string_value(json_object_get(rig_explain(rig, "g"), "reason")),
                        reason);
}

TEST(a_bound_group_that_loses_its_map_and_a_member_has_one_story_and_holds_no_room)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster(); /* room for eight */
        rig_group(rig, "g", 4, 0, NULL);
        rig_group(rig, "other", 5, 0, NULL);
        rig_sync(rig);
        rig_pods(rig, "p", 4, "g", flags);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        rig_pods(rig, "o", 5, "other", flags);
        rig_delete(rig, RIG_MAP, "g");
        rig_run(rig, 5 * SKR_SECOND);
        assert_said(rig, "", "group g is bound, 4 members");
        rig_delete(rig, RIG_POD, "p-1");
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "o", 5); /* nobody holds the room */
        rig_pod(rig, "p-new", "g", flags);
        for (int i = 0; i < 3; i++) {
            rig_run(rig, 20 * SKR_SECOND);
            assert_string_equal(rig_node_of(rig, "p-new"), "");
            assert_said(rig, "GroupNotFound",
                        "group g is bound, 3 members, but 1 pod waits for the ConfigMap or "
                        "PodGroup that defined it");
            if (i == 1) {
                rig_restart(rig);
            }
        }
        assert_string_equal(rig_filter(rig, "p-new", "node-0 node-1").text,
                            "sakkara: group not found");
        rig_group(rig, "g", 4, 0, NULL); /* it is back: the replacement waits for room */
        rig_run(rig, 5 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Bound");
        assert_string_not_equal(rig_key(rig, "g", "reason"), "GroupNotFound");
        rig_edit(rig, RIG_MAP, "other", "{'data':{'seat-hold':'0'}}");
        rig_delete(rig, RIG_POD, "o-0");
        rig_run(rig, 5 * SKR_SECOND);
        assert_true(*rig_node_of(rig, "p-new"));
        assert_string_equal(rig_key(rig, "g", "reason"), "");
        rig_assert_clean(rig);
    }
}

TEST_RIG(cluster(), a_replacement_that_is_planned_when_the_map_goes_gives_its_room_back)
{
    rig_gang(rig, "g", 4, "p", 4, RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-1");
    rig->hold_scheduler = true;
    rig_pod(rig, "p-new", "g", RIG_GATED);
    rig_run(rig, 2 * SKR_SECOND);
    assert_true(*rig_planned(rig, "p-new"));
    rig_delete(rig, RIG_MAP, "g");
    rig_run(rig, 2 * SKR_SECOND);
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p-new"), "");
    rig_assert_clean(rig);
    rig_group(rig, "g", 4, 0, NULL);
    rig_run(rig, 10 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "p-new"));
}

/* ---- maps ---- */

TEST(d12_creating_the_map_wakes_its_pods)
{
    for (int flags = 0; flags <= RIG_GATED; flags++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        rig_sync(rig);
        rig_pods(rig, "p", 3, "g", flags);
        rig_run(rig, 60 * SKR_SECOND);
        assert_int_equal(rig_n_bound(rig, "g"), 0);
        assert_true(rig_has_event(
            rig, "Pod/p-0 Warning GroupWaiting: group g is named by 3 pods, but by no ConfigMap or "
                 "PodGroup; kubectl sakkara explain g"));
        rig_group(rig, "g", 3, 0, NULL);
        rig_run(rig, 2 * SKR_SECOND);
        rig_assert_bound(rig, "p", 3);
    }
}

TEST_RIG(cluster(), d15_a_malformed_map_is_reported_and_placed_once_repaired)
{
    rig_group(rig, "g", 2, 0, "{");
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Failed");
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "constraints"));
    assert_true(rig_has_event(rig, "ConfigMap/g Warning GroupUnplaced: constraints"));
    assert_string_equal(rig_label(rig, "p-0", "sakkara.member.status"), "Failed");
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "reason"), "");
}

TEST(every_defect_of_a_key_is_named)
{
    static const char *const broken[][2] = {{"size", "many"},
                                            {"size", "0"},
                                            {"size", "-1"},
                                            {"size", "99999999999"},
                                            {"priority", "high"},
                                            {"constraints", "[]"},
                                            {"constraints", "{\\'rack\\':1}"}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        rig_group(rig, "g", 1, 0, NULL);
        rig_edit(rig, RIG_MAP, "g", "{'data':{'%s':'%s'}}", broken[i][0], broken[i][1]);
        rig_sync(rig);
        rig_pod(rig, "p", "g", 0);
        rig_run(rig, 3 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "status"), "Failed");
        assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
        assert_non_null(strstr(rig_key(rig, "g", "message"), broken[i][0]));
        assert_string_equal(rig_node_of(rig, "p"), "");
    }
}

TEST_RIG(cluster(), a_bound_group_keeps_its_status_when_its_map_becomes_malformed)
{
    rig_gang(rig, "g", 2, "p", 2, 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'x'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    assert_true(rig_has_event(rig, "ConfigMap/g Warning GroupUnplaced: size"));
    rig_edit(rig, RIG_MAP, "g", "{'data':{'size':'2'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "");
}

TEST_RIG(cluster(), d17_of_two_maps_of_one_name_the_older_rules)
{
    rig_group(rig, "older", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "older", "{'data':{'name':'g'}}");
    rig->now += 5 * SKR_SECOND;
    rig_group(rig, "newer", 3, 0, NULL);
    rig_edit(rig, RIG_MAP, "newer", "{'data':{'name':'g'}}");
    rig->reverse_lists = true;
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_string_equal(rig_key(rig, "older", "status"), "Bound");
    assert_string_equal(rig_key(rig, "newer", "status"), "Failed");
    assert_string_equal(rig_key(rig, "newer", "reason"), "DuplicateGroup");
    assert_true(rig_has_event(rig, "ConfigMap/newer Warning"));
    rig_delete(rig, RIG_MAP, "newer");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "older", "status"), "Bound");
}

TEST_RIG(cluster(), deleting_the_winner_promotes_the_other_map)
{
    rig_group(rig, "a", 4, 0, NULL);
    rig_edit(rig, RIG_MAP, "a", "{'data':{'name':'g'}}");
    rig_group(rig, "b", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "b", "{'data':{'name':'g'}}");
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "a", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "b", "reason"), "DuplicateGroup");
    rig_delete(rig, RIG_MAP, "a");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_string_equal(rig_key(rig, "b", "status"), "Bound");
    assert_string_equal(rig_key(rig, "b", "reason"), "");
}

TEST_RIG(cluster(), lint_warnings_are_told_and_block_nothing)
{
    rig_group(rig, "g", 2, 0, "{'row':{'type':'pack'},'rack':{'min':4,'max':2}}");
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    const char *conditions = rig_key(rig, "g", "conditions");
    assert_non_null(strstr(conditions, "{\"type\":\"Valid\",\"status\":\"True\",\"reason\":"
                                       "\"UnknownLevel\""));
    assert_non_null(strstr(conditions, "row"));
    assert_true(rig_has_event(rig, "ConfigMap/g Warning GroupWarning: constraints: "));
    assert_true(rig_has_event(rig, "Pod/p-0 Warning GroupWarning: group g: constraints: "));
}

TEST(a_hard_rule_of_an_unknown_level_stops_the_group_until_map_or_tree_knows_it)
{
    static const char text[] = "constraints: 1:8: no level \"rak\" (did you mean \"rack\"?); the "
                               "tree has rack, node";
    SKR_AUTO(rig_destroy) struct rig *rig = cluster();
    rig_group(rig, "g", 2, 0, "{'rak':{'type':'pack','hard':true}}");
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Failed");
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
    assert_string_equal(rig_key(rig, "g", "message"), text);
    assert_non_null(strstr(rig_key(rig, "g", "conditions"),
                           "{\"type\":\"Valid\",\"status\":\"False\",\"reason\":\"GroupInvalid\""));
    assert_true(rig_has_event(rig, "ConfigMap/g Warning GroupUnplaced: constraints: 1:8"));
    rig_assert_bound(rig, "p", 0);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'constraints':'{}'}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
    assert_string_equal(rig_key(rig, "g", "reason"), "");

    rig_edit(rig, RIG_MAP, "g",
             "{'data':{'constraints':'{\\'rak\\':{\\'hard\\':true}}'}}"); /* while it runs */
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
}

TEST_RIG(cluster(), leftovers_of_the_reference_are_removed_from_the_map)
{
    rig_group(rig, "g", 2, 0, NULL);
    rig_edit(rig, RIG_MAP, "g", "{'data':{'delayed-deletion':'true','status':'Scheduled'}}");
    rig_sync(rig);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "delayed-deletion"), "");
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
}

TEST_RIG(cluster(), groups_of_one_name_in_two_namespaces_are_two_groups)
{
    rig_group(rig, "one/g", 2, 0, NULL);
    rig_group(rig, "two/g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "one/p-0", "g", 0);
    rig_pod(rig, "two/p-0", "g", 0);
    rig_pod(rig, "two/p-1", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "one/g", "status"), "Waiting");
    assert_string_equal(rig_key(rig, "two/g", "status"), "Bound");
}

/* ---- order ---- */

/* The order in which room for one gang at a time is given. */
static void order_of(int rotation, bool reverse, char *text, size_t size)
{
    static const struct {
        const char *ns;
        int priority;
    } group[] = {{"b", 1}, {"a", 1}, {"c", 7}, {"d", -3}, {"e", 1}};
    SKR_AUTO(rig_destroy) struct rig *rig = rig_create();
    char key[64], pod[64];
    rig_racks(rig, 1, 1, 1);
    for (size_t i = 0; i < 5; i++) {
        snprintf(key, sizeof key, "%s/g", group[i].ns);
        snprintf(pod, sizeof pod, "%s/p", group[i].ns);
        rig_group(rig, key, 1, group[i].priority, NULL);
        rig_pod(rig, pod, "g", 0);
    }
    rig->reverse_lists = reverse;
    rig->list_rotation = rotation;
    rig_sync(rig);
    text[0] = '\0';
    for (int round = 0; round < 5; round++) {
        rig_run(rig, 5 * SKR_SECOND);
        for (size_t i = 0; i < 5; i++) {
            snprintf(pod, sizeof pod, "%s/p", group[i].ns);
            if (!*rig_node_of(rig, pod)) {
                continue;
            }
            size_t n = strlen(text);
            snprintf(text + n, size - n, "%s", group[i].ns);
            rig_delete(rig, RIG_POD, pod);
        }
    }
}

TEST(d26_the_order_of_groups_is_total_and_the_same_from_any_input_order)
{
    char text[64];
    for (int i = 0; i < 8; i++) {
        order_of(i / 2, i % 2, text, sizeof text);
        assert_string_equal(text, "cabed");
    }
}

TEST_RIG(rig_create(), d27_podgroups_are_ordered_like_other_groups)
{
    rig_racks(rig, 1, 2, 1);
    rig_podgroup(rig, "low", 2);
    rig_podgroup(rig, "high", 2);
    rig_pods(rig, "low", 2, "low", RIG_POD_GROUP_LABEL);
    rig_pods(rig, "high", 2, "high", RIG_POD_GROUP_LABEL);
    for (int i = 0; i < 2; i++) {
        rig_edit(rig, RIG_POD, test_text("low-%d", i), "{'spec':{'priority':1}}");
        rig_edit(rig, RIG_POD, test_text("high-%d", i), "{'spec':{'priority':5}}");
    }
    rig_sync(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "high"), 2);
    assert_int_equal(rig_n_bound(rig, "low"), 0);
}

/* ---- PodGroups ---- */

TEST_RIG(cluster(), d24_a_podgroup_gang_without_priorities_is_bound)
{
    rig_podgroup(rig, "g", 3);
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_POD_GROUP_LABEL | RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(pg_key(rig, "status"), "Bound");
    assert_string_equal(pg_key(rig, "rank"), "[(p-0,0) (p-1,1) (p-2,2)]");
    assert_true(*pg_key(rig, "placement"));
    assert_string_equal(pg_key(rig, "plan"), "");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_CONFIGMAP, NULL), 0);
    assert_in_range(rig_count(rig, SKR_WRITE_PATCH_PODGROUP, NULL), 2, 5);
}

TEST_RIG(cluster(), a_change_of_min_member_is_watched)
{
    rig_podgroup(rig, "g", 4);
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_edit(rig, RIG_PODGROUP, "g", "{'spec':{'minMember':3}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
}

TEST_RIG(cluster(), the_group_name_label_wins_over_the_pod_group_label)
{
    rig_podgroup(rig, "other", 1);
    rig_group(rig, "g", 2, 0, NULL);
    rig_sync(rig);
    rig_pod(rig, "p", "g", 0);
    rig_edit(rig, RIG_POD, "p",
             "{'metadata':{'labels':{'scheduling.x-k8s.io/pod-group':'other'}}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "p"), "");
    assert_string_equal(rig_key(rig, "g", "status"), "Waiting");
}

TEST_RIG(cluster(), d22_a_map_takes_over_from_a_podgroup_that_waits)
{
    rig_podgroup(rig, "g", 9);
    rig_sync(rig);
    rig_pods(rig, "p", 3, "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(pg_key(rig, "status"), "Waiting");
    rig_group(rig, "g", 3, 0, NULL);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
    assert_string_equal(pg_key(rig, "status"), "Bound");
    assert_string_equal(pg_key(rig, "placement"), rig_key(rig, "g", "placement"));
}

TEST_RIG(cluster(), a_map_takes_over_from_a_bound_podgroup_only_for_the_next_generation)
{
    rig_podgroup(rig, "g", 2);
    rig_sync(rig);
    rig_pods(rig, "p", 2, "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 5 * SKR_SECOND);
    rig_group(rig, "g", 1, 0, NULL);
    rig_run(rig, 5 * SKR_SECOND);
    assert_string_equal(pg_key(rig, "status"), "Bound");
    rig_delete(rig, RIG_POD, "p-0");
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "q", "g", RIG_POD_GROUP_LABEL);
    rig_run(rig, 5 * SKR_SECOND);
    assert_true(*rig_node_of(rig, "q"));
    assert_string_equal(rig_key(rig, "g", "status"), "Bound");
}

/* ---- labels ---- */

static void labelled_pods(struct rig *rig, int n)
{
    rig_pods(rig, "p", n, "g", 0);
    for (int i = 0; i < n; i++) {
        rig_edit(rig, RIG_POD, test_text("p-%d", i),
                 "{'metadata':{'labels':{'sakkara.group.size':'3',"
                 "'sakkara.group.constraint.type.rack':'spread'}}}");
    }
}

TEST(a_group_from_labels_is_bound_where_that_is_switched_on)
{
    struct rig *rig = cluster_with_labels();
    rig_sync(rig);
    labelled_pods(rig, 3);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 3);
    assert_string_equal(rig_node_of(rig, "p-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "p-2"), "node-2"); /* the other rack */
    assert_string_equal(rig_label(rig, "p-2", "sakkara.member.rank"), "2");
    rig_destroy(rig);
    rig = cluster();
    rig_sync(rig);
    labelled_pods(rig, 3);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    rig_destroy(rig);
}

TEST_RIG(cluster_with_labels(), the_loss_of_the_member_that_carries_the_plan_aborts_it)
{
    rig_sync(rig);
    rig->hold_scheduler = true;
    labelled_pods(rig, 3);
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
    rig_delete(rig, RIG_POD, "p-0");
    rig_run(rig, SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Pending");
    rig_assert_clean(rig);
    rig->hold_scheduler = false;
    rig_pod(rig, "p-9", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
}

TEST_RIG(cluster_with_labels(), a_lost_member_of_a_group_from_labels_is_replaced)
{
    rig_sync(rig);
    labelled_pods(rig, 3);
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-1");
    rig_run(rig, SKR_SECOND);
    rig_pod(rig, "p-9", "g", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
    assert_string_equal(rig_label(rig, "p-9", "sakkara.member.rank"), "1");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 3);
}

TEST_RIG(rig_create(), a_map_without_a_name_defines_the_group_of_its_own_name)
{
    rig_racks(rig, 1, 2, 2);
    rig_create_json(rig, RIG_MAP, "train-1",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'size':'2'}}");
    rig_sync(rig);
    rig_pods(rig, "p", 2, "train-1", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "train-1"), 2);
    assert_string_equal(rig_key(rig, "train-1", "status"), "Bound");
}

TEST_RIG(rig_create(), a_map_whose_own_name_cannot_be_a_label_says_that_it_needs_one)
{
    static const char *const name =
        "a-name-of-a-map-that-has-more-than-the-sixty-three-letters-of-a-label";
    rig_racks(rig, 1, 2, 2);
    rig_create_json(rig, RIG_MAP, name,
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'size':'2'}}");
    rig_sync(rig);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, name, "reason"), "GroupInvalid");
    assert_non_null(strstr(rig_key(rig, name, "message"), "name: missing, and metadata.name"));
}

/* ---- long values ---- */

static void edit_constraints(struct rig *rig, char last)
{
    enum { LONG = SKR_GROUP_CONSTRAINTS_MAX + 2 };
    SKR_AUTO_FREE char *value = skr_alloc(LONG + 1), *text = skr_alloc(LONG + 100);
    memset(value, 'x', LONG);
    value[LONG - 1] = last;
    snprintf(text, LONG + 100, "{'data':{'constraints':'%s'}}", value);
    rig_edit(rig, RIG_MAP, "g", "%s", text);
}

/* A look compares what the user has written with what is in force. */
TEST_RIG(cluster(), a_look_at_a_group_costs_no_more_if_a_value_is_longer_than_is_read)
{
    rig_group(rig, "g", 4, 0, NULL);
    rig_sync(rig);
    char text[3][1000];
    for (size_t i = 0; i < 3; i++) {
        edit_constraints(rig, i == 1 ? 'y' : 'x');
        rig_run(rig, 2 * SKR_SECOND);
        assert_string_equal(rig_key(rig, "g", "reason"), "GroupInvalid");
        const struct group *g = skr_groups_find(rig->gang, "default/g");
        assert_true(strlen(g->source.text) < sizeof text[i]);
        (void)snprintf(text[i], sizeof text[i], "%s", g->source.text);
    }
    assert_string_not_equal(text[0], text[1]);
    assert_string_equal(text[0], text[2]);
}
