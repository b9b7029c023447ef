/* SPDX-License-Identifier: Apache-2.0 */
/* Claims that stay allocated after the plan of a member has ended: they are freed, and the group waits for
 * that. */
#include "core/gang/group/device_holds.h"
#include "core/gang/group/group_table.h"
#include "test/unit/engine_test.h"

/* Two nodes with room for group g of two, and pods g-0 and g-1, which kube-scheduler does not come to. */
static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 1, 2, 1);
    rig->hold_scheduler = true;
    rig_gang(rig, "g", 2, "g", 2, 0);
    return rig;
}

/* A claim that was made for the pod, allocated and reserved or not. */
static void add_claim(struct rig *rig, const char *name, const char *pod, bool reserved)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, name,
                    "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'%s',"
                    "'uid':'%s','controller':true}]},'status':{'allocation':{'devices':{}},"
                    "'reservedFor':[%s]}}",
                    pod, rig_find(rig, RIG_POD, pod)->pod->meta.uid,
                    reserved ? "{'resource':'pods','name':'p','uid':'u'}" : "");
}

static size_t released(struct rig *rig)
{
    return rig_count(rig, SKR_WRITE_RELEASE_CLAIM, NULL);
}

static bool is_allocated(struct rig *rig, const char *claim)
{
    const struct rig_object *o = rig_find(rig, RIG_DEVICE_CLAIM, claim);
    return json_object_get(json_object_get(o->json, "status"), "allocation");
}

TEST_RIG(cluster(), a_leftover_is_freed_and_the_group_is_planned_after_that)
{
    rig->hold_writes = true;
    add_claim(rig, "c", "g-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 1);
    rig_assert_text(rig_planned(rig, "g-0"), "");
    assert_int_equal(rig->n_solves, 0);
    rig->hold_writes = false;
    rig_run(rig, SKR_SECOND);
    assert_false(is_allocated(rig, "c"));
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
    assert_int_equal(released(rig), 1);
}

TEST_RIG(cluster(), a_claim_that_is_reserved_is_not_touched)
{
    add_claim(rig, "c", "g-0", true);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
    rig_assert_text(rig_planned(rig, "g-0"), "");
    rig_edit(rig, RIG_DEVICE_CLAIM, "c", "{'status':{'reservedFor':null}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 1);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
}

TEST_RIG(cluster(), a_claim_that_stays_reserved_holds_its_group_back_for_seconds)
{
    add_claim(rig, "c", "g-0", true);
    rig_run(rig, (SKR_HOLDS_S - 1) * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "g-0"), "");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
    assert_int_equal(released(rig), 0);
}

TEST_RIG(cluster(), claims_of_members_with_a_plan_stay)
{
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
    add_claim(rig, "c", "g-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
    assert_true(is_allocated(rig, "c"));
}

TEST_RIG(cluster(), claims_of_users_and_of_pods_in_no_group_stay)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, "users",
                    "{'metadata':{},'status':{'allocation':{'devices':{}}}}");
    rig_pod(rig, "single", NULL, 0);
    add_claim(rig, "singles", "single", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
}

/* Anyone who creates claims writes their owners. */
TEST_RIG(cluster(), a_claim_of_another_namespace_is_no_members)
{
    add_claim(rig, "other/c", "g-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
}

/* Another writer was first. The claim is tried again when another version of it is seen. */
TEST_RIG(cluster(), a_conflict_ends_the_try)
{
    rig_fault(rig, SKR_WRITE_RELEASE_CLAIM, NULL, RIG_409, 1);
    add_claim(rig, "c", "g-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 1);
    assert_true(is_allocated(rig, "c"));
    rig_edit(rig, RIG_DEVICE_CLAIM, "c", "{'metadata':{'labels':{'a':'b'}}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 2);
    assert_false(is_allocated(rig, "c"));
}

TEST_RIG(cluster(), without_the_permission_groups_are_planned_all_the_same)
{
    rig_fault(rig, SKR_WRITE_RELEASE_CLAIM, NULL, RIG_403, 9);
    add_claim(rig, "c", "g-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 1);
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
    assert_non_null(strstr(rig->log.s, "Devices are left to kube-scheduler"));
}

/* Group h has no room, so its members stay without a plan. */
TEST_RIG(cluster(), a_permission_that_is_granted_counts_without_a_restart)
{
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
    rig_gang(rig, "h", 2, "h", 2, 0);
    rig_fault(rig, SKR_WRITE_RELEASE_CLAIM, NULL, RIG_403, 1);
    add_claim(rig, "c", "h-0", false);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 1);
    assert_true(is_allocated(rig, "c"));
    rig_run(rig, (SKR_DENIED_S + 1) * SKR_SECOND);
    assert_int_equal(released(rig), 2);
    assert_false(is_allocated(rig, "c"));
}

/* Lists come in any order: claims before their pods. */
TEST(after_a_restart_leftovers_are_freed_too)
{
    for (int rotation = 0; rotation < RIG_KIND_COUNT; rotation++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster();
        rig->hold_writes = true;
        add_claim(rig, "c", "g-0", false);
        rig_run(rig, SKR_SECOND);
        rig->list_rotation = rotation;
        rig_restart(rig); /* what was asked for is lost */
        rig->hold_writes = false;
        rig_run(rig, SKR_SECOND);
        assert_false(is_allocated(rig, "c"));
        assert_string_not_equal(rig_planned(rig, "g-0"), "");
    }
}

TEST_RIG(cluster(), claims_of_pods_that_go_or_are_bound_are_forgotten)
{
    add_claim(rig, "c", "g-0", true);
    rig_settle(rig);
    rig_delete(rig, RIG_POD, "g-0");
    rig_run(rig, SKR_SECOND);
    rig_edit(rig, RIG_DEVICE_CLAIM, "c", "{'status':{'reservedFor':null}}");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
    add_claim(rig, "d", "g-1", true);
    rig_settle(rig);
    rig_edit(rig, RIG_POD, "g-1", "{'spec':{'nodeName':'node-0'}}");
    rig_run(rig, SKR_SECOND);
    rig_delete(rig, RIG_DEVICE_CLAIM, "d");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(released(rig), 0);
}

/* kube-scheduler finds the planned node unfit for g-0, and the plan is given up. */
static void refuse(struct rig *rig)
{
    const char *other = strcmp(rig_planned(rig, "g-0"), "node-0") == 0 ? "node-1" : "node-0";
    assert_string_not_equal(rig_planned(rig, "g-0"), "");
    rig_filter(rig, "g-0", other);
    rig_settle(rig);
}

/* A plan was given up, and the leftover is seen after the next one was made. */
TEST_RIG(cluster(), a_refusal_beside_a_leftover_is_forgotten_when_that_is_freed)
{
    rig_run(rig, 10 * SKR_SECOND);
    add_claim(rig, "c", "g-1", false);
    rig_settle(rig);
    refuse(rig);
    rig->hold_scheduler = false;
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(released(rig), 1);
    rig_assert_bound(rig, "g", 2);
}

/* kube-scheduler does not take its pod out of the claim, so the node stays closed. */
TEST_RIG(cluster(), a_refusal_beside_a_leftover_that_stays_closes_the_node)
{
    rig_run(rig, 10 * SKR_SECOND);
    add_claim(rig, "c", "g-1", true);
    refuse(rig);
    rig_run(rig, 2 * SKR_HOLDS_S * SKR_SECOND);
    assert_int_equal(skr_groups_find(rig->gang, "default/g")->vetoes.n, 1);
    rig_assert_text(rig_planned(rig, "g-0"), "");
}

/* ---- settings.devices_release, devices_off ---- */

static struct rig *cluster_of(enum skr_devices_release release, bool off)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.devices_release = release;
    settings.devices_off = off;
    settings.server_minor = 36;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 1);
    rig->hold_scheduler = true;
    rig_gang(rig, "g", 2, "g", 2, 0);
    return rig;
}

/* A leftover of g-0 that one node alone reaches. */
static void add_local(struct rig *rig, const char *name)
{
    rig_create_json(
        rig, RIG_DEVICE_CLAIM, name,
        "{'metadata':{'ownerReferences':[{'apiVersion':'v1','kind':'Pod','name':'g-0','uid':'%s',"
        "'controller':true}]},'status':{'allocation':{'nodeSelector':{'nodeSelectorTerms':[{"
        "'matchFields':[{'key':'metadata.name','operator':'In','values':['node-0']}]}]}}}}",
        rig_find(rig, RIG_POD, "g-0")->pod->meta.uid);
}

TEST(the_setting_says_which_leftovers_are_freed)
{
    static const struct {
        enum skr_devices_release release;
        bool local, fabric;
    } cases[] = {{SKR_DEVICES_ALL, true, true},
                 {SKR_DEVICES_FABRIC, false, true},
                 {SKR_DEVICES_NONE, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster_of(cases[i].release, false);
        add_local(rig, "local");
        add_claim(rig, "fabric", "g-1", false);
        rig_run(rig, 2 * SKR_SECOND);
        assert_int_equal(is_allocated(rig, "local"), !cases[i].local);
        assert_int_equal(is_allocated(rig, "fabric"), !cases[i].fabric);
        rig_assert_text(rig_key(rig, "g", "status"), "Assigned");
        assert_int_equal(rig->gang->stats.releases[SKR_RELEASE_DONE],
                         (size_t)cases[i].local + (size_t)cases[i].fabric);
    }
}

TEST(without_devices_no_claim_is_read)
{
    SKR_AUTO(rig_destroy) struct rig *rig = cluster_of(SKR_DEVICES_ALL, true);
    add_local(rig, "local");
    rig_edit(rig, RIG_POD, "g-1",
             "{'spec':{'resourceClaims':[{'name':'x','resourceClaimName':'nowhere'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(released(rig), 0);
    assert_int_equal(skr_device_holds_count(rig->gang), 0);
    assert_string_not_equal(rig_key(rig, "g", "reason"), "ClaimNotFound");
}

TEST_RIG(cluster(), a_leftover_that_may_not_be_freed_is_explained)
{
    rig_fault(rig, SKR_WRITE_RELEASE_CLAIM, NULL, RIG_403, 1);
    add_claim(rig, "c", "g-1", false);
    rig_settle(rig);
    const char *claim = NULL;
    struct group *g = skr_groups_find(rig->gang, "default/g");
    const struct pod_entry *p = skr_device_holds_kept(rig->gang, g, &claim);
    if (!g->plan) {
        assert_non_null(p);
        assert_string_equal(claim, "c");
    }
    assert_int_equal(rig->gang->stats.releases[SKR_RELEASE_DENIED], 1);
    rig_run(rig, SKR_SECOND);
    assert_null(skr_device_holds_kept(rig->gang, g, &claim)); /* it has a plan */
}
