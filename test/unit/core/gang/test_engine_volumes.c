/* SPDX-License-Identifier: Apache-2.0 */
/* Volumes of members are part of the plan: the first plan is one that kube-scheduler accepts. */
#include <utlist.h>

#include "core/gang/cache/pods.h"
#include "core/gang/cache/volumes.h"
#include "core/gang/state/types.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "test/unit/json_text.h"

/* An object of a kind that the rig does not store. Single quotes in text. */
static void put(struct rig *rig, const struct skr_object_type *type, const char *format, ...)
    SKR_PRINTF(3, 4);
static void put(struct rig *rig, const struct skr_object_type *type, const char *format, ...)
{
    char text[2000];
    struct skr_error error;
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_auto_t *json = json_text_load(text);
    assert_int_equal(type->decode(json, &event.upsert.object, &error), 0);
    rig_handle(rig, &event);
    rig_settle(rig);
}

static void take_away(struct rig *rig, const struct skr_object_type *type, const char *namespace_,
                      const char *name)
{
    struct skr_event event = {
        .kind = SKR_EVENT_DELETE,
        .deleted = {.type = type, .namespace_ = namespace_, .name = name, .uid = ""}};
    rig_handle(rig, &event);
    rig_settle(rig);
}

static void attach_limit(struct rig *rig, const char *node, int most)
{
    put(rig, &skr_gang_csi_node,
        "{'metadata':{'name':'%s'},'spec':{'drivers':[{'name':'disk.example.com','nodeID':'n',"
        "'allocatable':{'count':%d}},{'name':'other','nodeID':'n'}]}}",
        node, most);
}

/* A claim and its volume, both of this name. spec: of the volume, NULL: of the driver. */
static void volume(struct rig *rig, const char *name, const char *spec)
{
    char of_driver[200];
    snprintf(of_driver, sizeof of_driver, "'csi':{'driver':'disk.example.com','volumeHandle':'%s'}",
             name);
    put(rig, &skr_gang_volume, "{'metadata':{'name':'%s'},'spec':{%s}}", name,
        spec ? spec : of_driver);
    put(rig, &skr_gang_volume_claim,
        "{'metadata':{'namespace':'default','name':'%s'},'spec':{'volumeName':'%s'}}", name, name);
}

static void on_host(struct rig *rig, const char *name, const char *node)
{
    char spec[400];
    snprintf(spec, sizeof spec,
             "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
             "'kubernetes.io/hostname','operator':'In','values':['%s']}]}]}}",
             node);
    volume(rig, name, spec);
}

static void in_zone(struct rig *rig, const char *name, const char *zone)
{
    char spec[400];
    snprintf(spec, sizeof spec,
             "'nodeAffinity':{'required':{'nodeSelectorTerms':[{'matchExpressions':[{'key':"
             "'zone','operator':'In','values':['%s']}]}]}}",
             zone);
    volume(rig, name, spec);
}

/* Two racks of two nodes of 8 cores, which are the zones a and b. */
static struct rig *cluster(void)
{
    struct rig *rig = rig_create();
    rig_racks(rig, 2, 2, 8);
    rig_sync(rig);
    for (int i = 0; i < 4; i++) {
        char node[16];
        snprintf(node, sizeof node, "node-%d", i);
        rig_edit(rig, RIG_NODE, node,
                 "{'metadata':{'labels':{'kubernetes.io/hostname':'%s','zone':'%s'}}}", node,
                 i < 2 ? "a" : "b");
    }
    rig_settle(rig);
    return rig;
}

static void member(struct rig *rig, int i, const char *claim)
{
    char name[16];
    snprintf(name, sizeof name, "g-%d", i);
    rig_pod(rig, name, "g", RIG_GATED);
    rig_edit(rig, RIG_POD, name,
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'%s'}}]}}",
             claim);
}

static uint64_t plans(struct rig *rig)
{
    struct skr_gang_stats stats;
    skr_gang_get_stats(rig->gang, &stats);
    return stats.plans;
}

static void one_plan(struct rig *rig, int n)
{
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", n);
    assert_int_equal(plans(rig), 1);
    rig_assert_clean(rig);
}

TEST_RIG(cluster(), each_node_attaches_as_many_volumes_as_its_limit)
{
    char name[16];
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        attach_limit(rig, name, 1);
        snprintf(name, sizeof name, "disk-%d", i);
        volume(rig, name, NULL);
        member(rig, i, name);
    }
    one_plan(rig, 4);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            snprintf(name, sizeof name, "g-%d", i);
            assert_string_not_equal(rig_node_of(rig, name), rig_node_of(rig, test_text("g-%d", k)));
        }
    }
}

/* A volume of all members counts once on each node. */
TEST_RIG(cluster(), a_shared_volume_counts_once)
{
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        attach_limit(rig, test_text("node-%d", i), i == 2);
        member(rig, i, "shared");
    }
    volume(rig, "shared", NULL);
    one_plan(rig, 4);
    for (int i = 0; i < 4; i++) {
        rig_assert_text(rig_node_of(rig, test_text("g-%d", i)), "node-2");
    }
}

TEST_RIG(cluster(), volumes_of_running_pods_count_and_come_free)
{
    for (int i = 0; i < 4; i++) {
        attach_limit(rig, test_text("node-%d", i), i == 3);
    }
    volume(rig, "busy", NULL);
    volume(rig, "disk-0", NULL);
    rig_pod(rig, "single", NULL, 0);
    rig_edit(rig, RIG_POD, "single",
             "{'spec':{'nodeName':'node-3','volumes':[{'name':'v','persistentVolumeClaim':{"
             "'claimName':'busy'}}]}}");
    rig_settle(rig);
    rig_group(rig, "g", 1, 0, NULL);
    member(rig, 0, "disk-0");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_non_null(strstr(rig_key(rig, "g", "message"),
                           "; 4 nodes attach no more volumes of disk.example.com"));
    rig_delete(rig, RIG_POD, "single");
    one_plan(rig, 1);
    rig_assert_text(rig_node_of(rig, "g-0"), "node-3");
}

TEST_RIG(cluster(), members_go_where_their_disks_are)
{
    rig_group(rig, "g", 3, 0, NULL);
    on_host(rig, "disk-0", "node-3");
    on_host(rig, "disk-1", "node-0");
    on_host(rig, "disk-2", "node-3");
    member(rig, 0, "disk-0");
    member(rig, 1, "disk-1");
    member(rig, 2, "disk-2");
    one_plan(rig, 3);
    rig_assert_text(rig_node_of(rig, "g-0"), "node-3");
    rig_assert_text(rig_node_of(rig, "g-1"), "node-0");
    rig_assert_text(rig_node_of(rig, "g-2"), "node-3");
}

/* A disk in zone a, a volume of zone a, one of zone b, and one that is everywhere; one volume a node. */
TEST_RIG(cluster(), zones_nest_around_disks)
{
    rig_group(rig, "g", 4, 0, NULL);
    for (int i = 0; i < 4; i++) {
        char node[16];
        snprintf(node, sizeof node, "node-%d", i);
        attach_limit(rig, node, 8);
        rig_edit(rig, RIG_NODE, node, "{'status':{'allocatable':{'cpu':'1'}}}");
    }
    in_zone(rig, "disk-0", "a");
    in_zone(rig, "disk-1", "b");
    on_host(rig, "disk-2", "node-0");
    volume(rig, "disk-3", NULL);
    member(rig, 0, "disk-0");
    member(rig, 1, "disk-1");
    member(rig, 2, "disk-2");
    member(rig, 3, "disk-3");
    one_plan(rig, 4);
    rig_assert_text(rig_node_of(rig, "g-0"), "node-1");
    rig_assert_text(rig_node_of(rig, "g-2"), "node-0");
}

TEST_RIG(cluster(), a_disk_on_a_full_node_is_named)
{
    rig_group(rig, "g", 9, 0, NULL);
    for (int i = 0; i < 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "disk-%d", i);
        on_host(rig, name, i == 0 ? "node-1" : "node-0");
        member(rig, i, name);
    }
    rig_pod(rig, "single", NULL, 0);
    rig_edit(rig, RIG_POD, "single", "{'spec':{'nodeName':'node-0'}}");
    rig_settle(rig);
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_non_null(strstr(rig_key(rig, "g", "message"), "must be where their volumes are"));
    rig_delete(rig, RIG_POD, "single");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 9);
}

/* What is deleted is not known any more: all nodes reach the claim. */
TEST_RIG(cluster(), objects_that_are_gone_limit_nothing)
{
    rig_group(rig, "g", 2, 0, NULL);
    on_host(rig, "disk-0", "node-9");
    attach_limit(rig, "node-0", 0);
    member(rig, 0, "disk-0");
    member(rig, 1, "disk-0");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    rig_assert_text(
        rig_key(rig, "g", "message"),
        "group g needs 2 slots, no node is open to its pods: 4 out of reach of volumes of "
        "its pods");
    take_away(rig, &skr_gang_volume, "", "disk-0");
    take_away(rig, &skr_gang_csi_node, "", "node-0");
    one_plan(rig, 2);
    take_away(rig, &skr_gang_volume_claim, "default", "disk-0");
    assert_false(
        skr_volumes_facts(rig->gang, skr_volumes_id(rig->gang, "default", "disk-0")).known);
}

static void one_pod_claim(struct rig *rig, const char *name)
{
    put(rig, &skr_gang_volume_claim,
        "{'metadata':{'namespace':'default','name':'%s'},'spec':{'accessModes':["
        "'ReadWriteOncePod'],'volumeName':'%s'}}",
        name, name);
}

TEST_RIG(cluster(), a_claim_that_one_pod_alone_may_use_is_waited_for)
{
    one_pod_claim(rig, "disk-0");
    rig_pod(rig, "old", NULL, 0);
    rig_edit(rig, RIG_POD, "old",
             "{'spec':{'nodeName':'node-3','volumes':[{'name':'v','persistentVolumeClaim':{"
             "'claimName':'disk-0'}}]}}");
    rig_settle(rig);
    rig_group(rig, "g", 1, 0, NULL);
    member(rig, 0, "disk-0");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    rig_assert_text(rig_key(rig, "g", "reason"), "ClaimInUse");
    rig_assert_text(
        rig_key(rig, "g", "message"),
        "group g waits for PersistentVolumeClaim disk-0 of pod g-0: a pod on node "
        "node-3 uses it, and one pod alone may (ReadWriteOncePod); the group is planned "
        "when that pod is gone");
    rig_delete(rig, RIG_POD, "old");
    one_plan(rig, 1);
}

TEST_RIG(cluster(), two_members_with_a_claim_of_one_pod_are_a_conflict)
{
    one_pod_claim(rig, "disk");
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "disk");
    member(rig, 1, "disk");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    rig_assert_text(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "pods g-0 and g-1 name"));
    rig_delete(rig, RIG_POD, "g-1");
    rig_settle(rig);
    volume(rig, "disk-1", NULL);
    member(rig, 1, "disk-1");
    one_plan(rig, 2);
}

static void late_class(struct rig *rig)
{
    put(rig, &skr_gang_storage_class,
        "{'metadata':{'name':'local'},'provisioner':'kubernetes.io/no-provisioner',"
        "'volumeBindingMode':'WaitForFirstConsumer'}");
}

static void free_disk(struct rig *rig, const char *name, const char *node, const char *size)
{
    put(rig, &skr_gang_volume,
        "{'metadata':{'name':'%s'},'spec':{'storageClassName':'local','accessModes':["
        "'ReadWriteOnce'],'capacity':{'storage':'%s'},'nodeAffinity':{'required':{"
        "'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname','operator':'In',"
        "'values':['%s']}]}]}}},'status':{'phase':'Available'}}",
        name, size, node);
}

static void late_claim(struct rig *rig, const char *name)
{
    put(rig, &skr_gang_volume_claim,
        "{'metadata':{'namespace':'default','name':'%s'},'spec':{'storageClassName':'local',"
        "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}",
        name);
}

/* Two disks on one node, one on another, and one that is too small. */
TEST_RIG(cluster(), late_claims_go_where_free_volumes_are)
{
    late_class(rig);
    free_disk(rig, "a", "node-3", "1Gi");
    free_disk(rig, "b", "node-3", "2Gi");
    free_disk(rig, "c", "node-1", "1Gi");
    free_disk(rig, "d", "node-0", "500Mi");
    rig_group(rig, "g", 3, 0, NULL);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "late-%d", i);
        late_claim(rig, name);
        member(rig, i, name);
    }
    one_plan(rig, 3);
    int on_three = 0;
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "g-%d", i);
        on_three += strcmp(rig_node_of(rig, name), "node-3") == 0;
        assert_string_not_equal(rig_node_of(rig, name), "node-0");
        assert_string_not_equal(rig_node_of(rig, name), "node-2");
    }
    assert_int_equal(on_three, 2);
}

static void unlike_claim(struct rig *rig, const char *name, const char *mode, const char *size)
{
    put(rig, &skr_gang_volume_claim,
        "{'metadata':{'namespace':'default','name':'%s'},'spec':{'storageClassName':'local',"
        "'accessModes':['ReadWriteOnce'],'volumeMode':'%s','resources':{'requests':{'storage':"
        "'%s'}}}}",
        name, mode, size);
}

/* The small disk is for the small claim: a disk for the largest claim of the group is on one node alone. */
static void plan_unlike(struct rig *rig, const char *small, const char *large)
{
    late_class(rig);
    free_disk(rig, "small", small, "1Gi");
    free_disk(rig, "large", large, "8Gi");
    unlike_claim(rig, "a", "Filesystem", "8Gi");
    unlike_claim(rig, "b", "Filesystem", "1Gi");
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "a");
    member(rig, 1, "b");
    one_plan(rig, 2);
    assert_string_equal(rig_node_of(rig, "g-0"), large);
    assert_string_equal(rig_node_of(rig, "g-1"), small);
}

TEST_RIG(cluster(), unlike_late_claims_go_where_each_is_served)
{
    plan_unlike(rig, "node-1", "node-3");
}

TEST_RIG(cluster(), unlike_late_claims_are_served_on_one_node)
{
    plan_unlike(rig, "node-2", "node-2");
}

TEST_RIG(cluster(), a_late_claim_of_a_block_device_needs_one)
{
    late_class(rig);
    free_disk(rig, "files", "node-3", "1Gi");
    unlike_claim(rig, "a", "Block", "1Gi");
    late_claim(rig, "b");
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "a");
    member(rig, 1, "b");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    put(rig, &skr_gang_volume,
        "{'metadata':{'name':'block'},'spec':{'storageClassName':'local','volumeMode':'Block',"
        "'accessModes':['ReadWriteOnce'],'capacity':{'storage':'1Gi'},'nodeAffinity':{'required':{"
        "'nodeSelectorTerms':[{'matchExpressions':[{'key':'kubernetes.io/hostname','operator':'In',"
        "'values':['node-0']}]}]}}},'status':{'phase':'Available'}}");
    one_plan(rig, 2);
    assert_string_equal(rig_node_of(rig, "g-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "g-1"), "node-3");
}

/* The group waits until the volume on node-0 changes to one that serves its claim. */
TEST(a_late_claim_waits_for_a_volume_that_has_all_it_asks_for)
{
    static const char fits[] = "'capacity':{'storage':'2Gi'}";
    static const struct {
        const char *claim, *meta, *before, *meta_after, *after;
    } row[] = {
        {"'volumeMode':'Filesystem'", "", "'capacity':{'storage':'1Gi'}", "", fits},
        {"'volumeAttributesClassName':'gold'", "", fits, "",
         "'volumeAttributesClassName':'gold','capacity':{'storage':'2Gi'}"},
        {"'selector':{'matchLabels':{'kind':'x'}}", ",'labels':{'kind':'y'}", fits,
         ",'labels':{'kind':'x'}", fits},
        {"'volumeMode':'Filesystem'", "",
         "'claimRef':{'namespace':'default','name':'other'},'capacity':{'storage':'2Gi'}", "",
         "'claimRef':{'namespace':'default','name':'a'},'capacity':{'storage':'2Gi'}"},
        {"'volumeMode':'Filesystem'", ",'deletionTimestamp':'2026-01-01T00:00:00Z'", fits, "",
         fits},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct rig *rig = cluster();
        late_class(rig);
        put(rig, &skr_gang_volume_claim,
            "{'metadata':{'namespace':'default','name':'a'},'spec':{'storageClassName':'local',%s,"
            "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'2Gi'}}}}",
            row[i].claim);
        for (int after = 0; after < 2; after++) {
            put(rig, &skr_gang_volume,
                "{'metadata':{'name':'v'%s},'spec':{'storageClassName':'local',%s,"
                "'accessModes':['ReadWriteOnce'],'nodeAffinity':{'required':{'nodeSelectorTerms':[{"
                "'matchExpressions':[{'key':'kubernetes.io/hostname','operator':'In','values':["
                "'node-0']}]}]}}},'status':{'phase':'Available'}}",
                after ? row[i].meta_after : row[i].meta, after ? row[i].after : row[i].before);
            if (!after) {
                rig_group(rig, "g", 1, 0, NULL);
                member(rig, 0, "a");
                rig_run(rig, 3 * SKR_SECOND);
                rig_assert_bound(rig, "g", 0);
                assert_int_equal(plans(rig), 0);
            }
        }
        one_plan(rig, 1);
        assert_string_equal(rig_node_of(rig, "g-0"), "node-0");
        rig_destroy(rig);
    }
}

TEST_RIG(cluster(), free_volumes_that_are_missing_are_named)
{
    late_class(rig);
    free_disk(rig, "a", "node-3", "1Gi");
    late_claim(rig, "late-0");
    late_claim(rig, "late-1");
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "late-0");
    member(rig, 1, "late-1");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_non_null(strstr(rig_key(rig, "g", "message"),
                           "; 3 nodes have not enough free volumes of class local"));
    free_disk(rig, "b", "node-2", "1Gi");
    one_plan(rig, 2);
}

static void zone_disk(struct rig *rig, const char *name, const char *zone)
{
    put(rig, &skr_gang_volume,
        "{'metadata':{'name':'%s'},'spec':{'storageClassName':'local','accessModes':["
        "'ReadWriteOnce'],'capacity':{'storage':'4Gi'},'nodeAffinity':{'required':{"
        "'nodeSelectorTerms':[{'matchExpressions':[{'key':'zone','operator':'In','values':['%s']}]}"
        "]}}},'status':{'phase':'Available'}}",
        name, zone);
}

TEST_RIG(cluster(), a_volume_that_several_nodes_reach_serves_one_member)
{
    late_class(rig);
    zone_disk(rig, "a", "a");
    zone_disk(rig, "b", "b");
    rig_group(rig, "g", 3, 0, NULL);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "late-%d", i);
        late_claim(rig, name);
        member(rig, i, name);
    }
    rig_run(rig, 3 * SKR_SECOND);
    assert_int_equal(plans(rig), 0);
    rig_assert_text(rig_key(rig, "g", "message"), "group g is not placed: nodes have room, but no "
                                                  "placement gives each member its volumes");
    zone_disk(rig, "c", "b");
    one_plan(rig, 3);
}

static void order_matters(struct rig *rig)
{
    late_class(rig);
    free_disk(rig, "large", "node-0", "8Gi");
    zone_disk(rig, "small", "a");
    on_host(rig, "disk-0", "node-0");
    on_host(rig, "disk-1", "node-1");
    late_claim(rig, "late-0");
    late_claim(rig, "late-1");
}

static void assert_second_first(const struct rig *rig)
{
    assert_int_equal(skr_pods_find_name(rig->gang, "default", "g-0")->place.turn, 1);
    assert_int_equal(skr_pods_find_name(rig->gang, "default", "g-1")->place.turn, 0);
}

/* From node-0 both free volumes are reached, from node-1 the smaller one alone: its member has to come first, also after
 * a restart. */
TEST_RIG(cluster(), members_come_in_the_order_in_which_all_get_their_volumes)
{
    order_matters(rig);
    rig_group(rig, "g", 2, 0, NULL);
    for (int i = 0; i < 2; i++) {
        char name[16];
        snprintf(name, sizeof name, "g-%d", i);
        rig_pod(rig, name, "g", RIG_GATED);
        rig_edit(rig, RIG_POD, name,
                 "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'disk-%d'}},"
                 "{'name':'w','persistentVolumeClaim':{'claimName':'late-%d'}}]}}",
                 i, i);
    }
    while (!*rig_nominated(rig, "g-1") && (rig_step(rig) || rig_advance(rig, SKR_TIME_NEVER))) {
    }
    assert_second_first(rig);
    rig_drop_pending(rig);
    skr_engine_destroy(rig->engine);
    rig->timer = SKR_TIME_NEVER;
    rig->synced = false;
    rig_make_engine(rig);
    rig_scheduler_forget(rig, false);
    order_matters(rig); /* the rig does not store volumes */
    rig_sync(rig);
    assert_second_first(rig);
    one_plan(rig, 2);
}

/* Claims that PreBind binds for good: their members come when the others hold their places. */
TEST_RIG(cluster(), members_with_late_claims_come_last)
{
    late_class(rig);
    late_claim(rig, "late");
    free_disk(rig, "a", "node-0", "1Gi");
    volume(rig, "disk-1", NULL);
    rig_group(rig, "g", 3, 0, NULL);
    member(rig, 0, "late");
    member(rig, 1, "disk-1");
    member(rig, 2, "disk-1");
    rig->hold_kind = SKR_WRITE_BINDING;
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(skr_pods_find_name(rig->gang, "default", "g-0")->place.turn, 1);
    assert_int_equal(skr_pods_find_name(rig->gang, "default", "g-1")->place.turn, 0);
    assert_int_equal(skr_pods_find_name(rig->gang, "default", "g-2")->place.turn, 0);
}

/* kube-scheduler may try a pod without a gate at any time, and PreBind would bind its claim for good. */
TEST_RIG(cluster(), a_member_with_a_late_claim_passes_filter_when_the_others_wait_for_bind)
{
    late_class(rig);
    late_claim(rig, "late");
    free_disk(rig, "a", "node-0", "1Gi");
    volume(rig, "disk-1", NULL);
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 1, "disk-1");
    rig->hold_scheduler = true;
    rig_pod(rig, "g-0", "g", 0);
    rig_edit(rig, RIG_POD, "g-0",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'late'}}]}}");
    rig_run(rig, SKR_SECOND);
    rig_filter(rig, "g-0", NULL);
    rig_filter(rig, "g-1", NULL);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(plans(rig), 1);
    assert_int_equal(rig_filter(rig, "g-0", "node-0 node-1").n_passed, 0);
    rig->hold_scheduler = false;
    one_plan(rig, 2);
}

static void topologies(struct rig *rig, const char *zone)
{
    put(rig, &skr_gang_storage_class,
        "{'metadata':{'name':'local'},'provisioner':'disk.example.com','volumeBindingMode':"
        "'WaitForFirstConsumer','allowedTopologies':[{'matchLabelExpressions':[{'key':'zone',"
        "'values':['%s','none']}]}]}",
        zone);
}

/* Volumes are made in zone b alone. */
TEST_RIG(cluster(), late_claims_go_where_their_class_makes_volumes)
{
    topologies(rig, "b");
    late_claim(rig, "late");
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "late");
    member(rig, 1, "late");
    one_plan(rig, 2);
    for (int i = 0; i < 2; i++) {
        const char *node = rig_node_of(rig, i == 0 ? "g-0" : "g-1");
        assert_true(strcmp(node, "node-2") == 0 || strcmp(node, "node-3") == 0);
    }
}

TEST_RIG(cluster(), a_class_without_a_node_for_its_volumes_is_waited_for)
{
    topologies(rig, "c");
    late_claim(rig, "late");
    rig_group(rig, "g", 1, 0, NULL);
    member(rig, 0, "late");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    topologies(rig, "a");
    one_plan(rig, 1);
    assert_true(strcmp(rig_node_of(rig, "g-0"), "node-2") < 0);
}

/* ---- room of drivers, and what they have attached ---- */

static void room(struct rig *rig, const char *name, const char *topology, const char *size)
{
    put(rig, &skr_gang_csi_capacity,
        "{'metadata':{'namespace':'kube-system','name':'%s'},'storageClassName':'local',"
        "'nodeTopology':%s,'capacity':'%s'}",
        name, topology, size);
}

static void made_late(struct rig *rig, const char *other)
{
    put(rig, &skr_gang_storage_class,
        "{'metadata':{'name':'local'},'provisioner':'disk.example.com','volumeBindingMode':"
        "'WaitForFirstConsumer'}");
    put(rig, &skr_gang_csi_driver,
        "{'metadata':{'name':'disk.example.com'},'spec':{'storageCapacity':true}}");
    late_claim(rig, "late");
    late_claim(rig, other);
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "late");
    member(rig, 1, other);
}

static void both_on(struct rig *rig, const char *node)
{
    one_plan(rig, 2);
    rig_assert_text(rig_node_of(rig, "g-0"), node);
    rig_assert_text(rig_node_of(rig, "g-1"), node);
}

/* One node has too little room, one enough, and two have none. */
TEST_RIG(cluster(), volumes_are_made_where_their_driver_has_room)
{
    room(rig, "a", "{'matchLabels':{'kubernetes.io/hostname':'node-1'}}", "900Mi");
    room(rig, "b", "{'matchLabels':{'kubernetes.io/hostname':'node-3','zone':'b'}}", "1Gi");
    room(rig, "c", "{'matchLabels':{'kubernetes.io/hostname':'node-0','zone':'b'}}", "9Gi");
    made_late(rig, "late");
    both_on(rig, "node-3");
}

TEST_RIG(cluster(), room_that_is_missing_is_named_and_awaited)
{
    room(rig, "a", "{'matchLabels':{'kubernetes.io/hostname':'node-1'}}", "900Mi");
    made_late(rig, "late");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_non_null(strstr(rig_key(rig, "g", "message"),
                           "4 of 4 nodes have no room for the volume of claim late"));
    room(rig, "d",
         "{'matchExpressions':[{'key':'zone','operator':'NotIn','values':['a']},{'key':"
         "'kubernetes.io/hostname','operator':'In','values':['node-1','node-2']}]}",
         "1Gi");
    both_on(rig, "node-2");
}

/* Rows whose keys are too many to be looked up are rules. */
TEST_RIG(cluster(), room_is_found_by_any_number_of_labels)
{
    char name[8], topology[200];
    room(
        rig, "nine",
        "{'matchLabels':{'a':'1','b':'1','c':'1','d':'1','e':'1','f':'1','g':'1','h':'1','i':'1'}}",
        "9Gi");
    for (int i = 0; i < 33; i++) {
        snprintf(name, sizeof name, "k%d", i);
        snprintf(topology, sizeof topology, "{'matchLabels':{'%s':'1'}}", name);
        room(rig, name, topology, "9Gi");
    }
    room(rig, "z", "{'matchLabels':{'kubernetes.io/hostname':'node-2'}}", "1Gi");
    made_late(rig, "late");
    both_on(rig, "node-2");
}

/* kube-scheduler asks for each claim by itself. */
TEST_RIG(cluster(), room_is_not_summed)
{
    room(rig, "a", "{'matchLabels':{'kubernetes.io/hostname':'node-1'}}", "1Gi");
    made_late(rig, "other");
    both_on(rig, "node-1");
}

TEST_RIG(cluster(), without_the_right_to_read_room_kube_scheduler_decides)
{
    struct skr_event event = {.kind = SKR_EVENT_FORBIDDEN,
                              .forbidden = {&skr_gang_csi_capacity, true}};
    rig_handle(rig, &event);
    made_late(rig, "late");
    one_plan(rig, 2);
}

TEST_RIG(cluster(), a_claim_keeps_the_node_that_kube_scheduler_has_chosen)
{
    room(rig, "a", "{}", "1Gi");
    made_late(rig, "late");
    put(rig, &skr_gang_volume_claim,
        "{'metadata':{'namespace':'default','name':'late','annotations':{"
        "'volume.kubernetes.io/selected-node':'node-2'}},'spec':{'storageClassName':'local',"
        "'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}");
    both_on(rig, "node-2");
}

TEST_RIG(cluster(), pods_go_where_their_driver_runs_if_it_asks_for_that)
{
    put(rig, &skr_gang_csi_driver,
        "{'metadata':{'name':'disk.example.com'},'spec':{'preventPodSchedulingIfMissing':true}}");
    put(rig, &skr_gang_csi_node,
        "{'metadata':{'name':'node-2'},'spec':{'drivers':[{'name':'disk.example.com','nodeID':'n'}]"
        "}}");
    volume(rig, "disk", NULL);
    rig_group(rig, "g", 2, 0, NULL);
    member(rig, 0, "disk");
    member(rig, 1, "disk");
    both_on(rig, "node-2");
}

static void attached(struct rig *rig, const char *name, const char *volume_, const char *node)
{
    put(rig, &skr_gang_attachment,
        "{'metadata':{'name':'%s'},'spec':{'attacher':'disk.example.com','nodeName':'%s','source':{"
        "'persistentVolumeName':'%s'}}}",
        name, node, volume_);
}

/* What no pod uses any more counts until it is detached. */
TEST_RIG(cluster(), attached_volumes_count_for_the_limit)
{
    for (int i = 0; i < 4; i++) {
        char name[16], node[16];
        snprintf(name, sizeof name, "old-%d", i);
        snprintf(node, sizeof node, "node-%d", i);
        volume(rig, name, NULL);
        attach_limit(rig, node, 1);
        attached(rig, name, name, node);
    }
    volume(rig, "disk", NULL);
    rig_group(rig, "g", 1, 0, NULL);
    member(rig, 0, "disk");
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    assert_non_null(strstr(rig_key(rig, "g", "message"), "4 nodes attach no more volumes"));
    take_away(rig, &skr_gang_attachment, "", "old-2");
    one_plan(rig, 1);
    rig_assert_text(rig_node_of(rig, "g-0"), "node-2");
}

/* For kube-scheduler the volume of a member that returns counts twice until its pod is there. */
TEST_RIG(cluster(), members_return_to_the_node_that_has_their_volumes)
{
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "disk-%d", i);
        volume(rig, name, NULL);
        attached(rig, name, name, "node-1");
    }
    for (int i = 0; i < 4; i++) {
        attach_limit(rig, test_text("node-%d", i), i == 1 ? 3 : 0);
    }
    rig_group(rig, "g", 3, 0, NULL);
    for (int i = 0; i < 3; i++) {
        member(rig, i, test_text("disk-%d", i));
    }
    rig_run(rig, 3 * SKR_SECOND);
    rig_assert_bound(rig, "g", 0);
    attach_limit(rig, "node-1", 4);
    one_plan(rig, 3);
}

/* ---- numbers of drivers ---- */

static void volume_of(struct rig *rig, int i)
{
    put(rig, &skr_gang_volume,
        "{'metadata':{'name':'v-%d'},'spec':{'csi':{'driver':'driver-%d','volumeHandle':'h'}}}", i,
        i);
}

static bool is_known(const struct rig *rig)
{
    const struct volume_facts facts =
        skr_volumes_facts(rig->gang, skr_volumes_id(rig->gang, "default", "kept"));
    assert_true(!facts.known ||
                strcmp(skr_volumes_driver(rig->gang, facts.driver), "disk.example.com") == 0);
    return facts.known;
}

TEST_RIG(cluster(), drivers_that_no_object_names_any_more_do_not_count)
{
    volume(rig, "kept", NULL);
    for (int i = 0; i < 2 * SKR_VOLUME_DRIVERS_MAX; i++) {
        put(rig, &skr_gang_storage_class,
            "{'metadata':{'name':'class'},'provisioner':'provisioner-%d','volumeBindingMode':"
            "'Immediate'}",
            i);
        put(rig, &skr_gang_csi_node,
            "{'metadata':{'name':'node-1'},'spec':{'drivers':[{'name':'d-%d','nodeID':'n'}]}}", i);
        volume_of(rig, i);
        take_away(rig, &skr_gang_volume, "", test_text("v-%d", i));
    }
    assert_true(is_known(rig));
    for (int i = 0; i < SKR_VOLUME_DRIVERS_MAX - 3; i++) { /* of class, node-1 and kept */
        volume_of(rig, i);
    }
    assert_true(is_known(rig));
    volume_of(rig, SKR_VOLUME_DRIVERS_MAX);
    assert_false(is_known(rig));
}
