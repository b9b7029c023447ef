/* SPDX-License-Identifier: Apache-2.0 */
/* A group that may evict pods which its own rules need, and evictions that did not help. */
#include "core/gang/group/group_table.h"
#include "test/unit/engine_test.h"
#include "test/unit/preemption_scene.h"

enum { NODES = 3 };

/* Nodes of two cpus, each of them a zone. */
static struct rig *zones(void)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.victims_labelled = true;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, NODES, 2);
    for (int i = 0; i < NODES; i++) {
        rig_edit(rig, RIG_NODE, test_text("node-%d", i),
                 "{'metadata':{'labels':{'zone':'zone-%d','all':'one'}}}", i);
    }
    rig_sync(rig);
    return rig;
}

/* A gated pod of one cpu; group NULL: an ordinary one that may be evicted. zone -1: any. */
static void pod(struct rig *rig, const char *name, const char *group, const char *app, int zone,
                const char *affinity)
{
    char labels[200], where[80] = "";
    snprintf(labels, sizeof labels, "'app':'%s','%s':'%s'", app,
             group ? "sakkara.group.name" : "sakkara.preemptible", group ? group : "true");
    if (zone >= 0) {
        snprintf(where, sizeof where, "'nodeSelector':{'zone':'zone-%d'},", zone);
    }
    rig_create_json(
        rig, RIG_POD, name,
        "{'metadata':{'labels':{%s}},'spec':{'schedulerName':'sakkara','priority':%d,%s%s"
        "'schedulingGates':[{'name':'sakkara.gang'}],'containers':[{'name':'c','resources':{"
        "'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}",
        labels, group ? 10 : 1, where, affinity);
}

static void gang(struct rig *rig, const char *group, const char *app, int zone, int priority,
                 const char *affinity)
{
    rig_group(rig, group, 2, priority, NULL);
    for (int i = 0; i < 2; i++) {
        pod(rig, test_text("%s-%d", group, i), group, app, zone, affinity);
    }
    rig_run(rig, 2 * SKR_SECOND);
}

#define BESIDE(key, more)                                                                         \
    "'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{'topologyKey'" \
    ":'" key "','labelSelector':{'matchLabels':{'app':'cache'}}" more "}]}},"

static const struct group *group_of(struct rig *rig)
{
    return skr_groups_find(rig->gang, "default/high");
}

static size_t evictions(struct rig *rig)
{
    return rig_count(rig, SKR_WRITE_EVICT, NULL);
}

static void assert_outcome(struct rig *rig, const char *outcome)
{
    const json_t *would = json_object_get(rig_explain_preempt(rig, "high"), "preemption");
    assert_string_equal(json_string_value(json_object_get(would, "outcome")), outcome);
}

/* Caches fill the zones, with priorities 1 to 3. */
static void caches(struct rig *rig)
{
    gang(rig, "c0", "cache", 0, 1, "");
    gang(rig, "c1", "cache", 1, 2, "");
    gang(rig, "c2", "cache", 2, 3, "");
    assert_int_equal(rig_n_bound(rig, "c0") + rig_n_bound(rig, "c1") + rig_n_bound(rig, "c2"), 6);
}

TEST_RIG(zones(), a_group_does_not_evict_the_pods_that_it_must_run_beside)
{
    caches(rig);
    gang(rig, "high", "job", -1, 9, BESIDE("zone", ""));
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
    assert_string_equal(rig_key(rig, "high", "reason"), "WaitingForCapacity");
    assert_outcome(rig, "Insufficient");
}

TEST_RIG(zones(), a_partner_gives_way_where_another_one_stays)
{
    caches(rig);
    gang(rig, "high", "job", -1, 9, BESIDE("all", ""));
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "high"), 2);
    assert_int_equal(rig_n_bound(rig, "c0"), 0); /* of the lowest priority */
    assert_int_equal(evictions(rig), 2);
}

/* An ordinary pod is a partner, too, and so is one of the two of a zone. */
TEST_RIG(zones(), an_ordinary_pod_that_a_group_needs_stays_and_another_one_goes)
{
    pod(rig, "cache-a", NULL, "cache", 0, "");
    pod(rig, "other", NULL, "web", 0, "");
    gang(rig, "c1", "web", 1, 99, "");
    gang(rig, "c2", "web", 2, 99, "");
    rig_group(rig, "high", 1, 9, NULL);
    pod(rig, "high-0", "high", "job", -1, BESIDE("zone", ""));
    rig_run(rig, 60 * SKR_SECOND);
    assert_string_equal(rig_node_of(rig, "high-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "cache-a"), "node-0");
    assert_int_equal(evictions(rig), 1);
}

/* The partner is kept for its volume, and its plan would end with its group. */
TEST_RIG(zones(), a_partner_that_is_assumed_and_not_bound_is_needed_too)
{
    rig_claim(rig, "late", RIG_CLAIM_LATE);
    gang(rig, "c1", "web", 1, 99, "");
    gang(rig, "c2", "web", 2, 99, "");
    rig_group(rig, "c", 2, 1, NULL);
    pod(rig, "c-0", "c", "cache", 0, "");
    rig_edit(rig, RIG_POD, "c-0",
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'late'}}]}}");
    pod(rig, "c-1", "c", "web", 0, "");
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "c"), "Holding");
    rig_group(rig, "high", 1, 9, NULL);
    pod(rig, "high-0", "high", "job", -1, BESIDE("zone", ""));
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "c"), "Holding");
    assert_string_equal(rig_key(rig, "high", "reason"), "WaitingForCapacity");
    rig_claim(rig, "late", RIG_CLAIM_BOUND);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "c"), 2);
}

/* Group c may be smaller: one cache in zone-1, and so many in zone-0. The rest is full of pods that stay. */
static void elastic_caches(struct rig *rig, int in_zone_0)
{
    rig_group(rig, "c", in_zone_0 + 1, 1, NULL);
    rig_edit(rig, RIG_MAP, "c", "{'data':{'minimum':'1'}}");
    rig_group(rig, "top", 5 - in_zone_0, 20, NULL);
    for (int i = 0; i <= in_zone_0; i++) {
        pod(rig, test_text("c-%d", i), "c", "cache", i == in_zone_0, "");
    }
    for (int i = 0; i < 5 - in_zone_0; i++) {
        pod(rig, test_text("top-%d", i), "top", "web", i < 2 ? 2 : i == 2, "");
    }
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "c") + rig_n_bound(rig, "top"), 2 * NODES);
    rig_group(rig, "high", 1, 9, NULL);
    pod(rig, "high-0", "high", "job", -1, BESIDE("zone", ""));
    rig_run(rig, 60 * SKR_SECOND);
}

TEST_RIG(zones(), a_surplus_member_that_is_the_only_partner_in_its_domain_stays)
{
    elastic_caches(rig, 1);
    assert_int_equal(rig_n_bound(rig, "c"), 2);
    assert_int_equal(evictions(rig), 0);
    assert_outcome(rig, "Insufficient");
}

/* The last one is the first to go, else. */
TEST_RIG(zones(), of_two_surplus_members_the_one_beside_another_partner_goes)
{
    elastic_caches(rig, 2);
    assert_string_equal(rig_node_of(rig, "high-0"), "node-0");
    assert_string_equal(rig_node_of(rig, "c-2"), "node-1");
    assert_int_equal(rig_n_bound(rig, "c"), 2);
    assert_int_equal(evictions(rig), 1);
}

/* It may be in the way of no search that its affinity needs a pod which is leaving. */
TEST_RIG(zones(), a_partner_that_leaves_anyway_does_not_count)
{
    gang(rig, "c0", "cache", 0, 1, "");
    gang(rig, "c1", "web", 1, 2, "");
    gang(rig, "c2", "web", 2, 3, "");
    rig->grace = 20 * SKR_SECOND;
    rig_delete(rig, RIG_POD, "c0-0");
    rig_delete(rig, RIG_POD, "c0-1");
    gang(rig, "high", "job", -1, 9, BESIDE("zone", ""));
    rig_run(rig, 15 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
}

/* A planned group will evict it: its record is on its way. */
TEST_RIG(zones(), nor_does_a_partner_that_leaves_for_a_planned_group)
{
    gang(rig, "c0", "cache", 0, 1, "");
    gang(rig, "c1", "web", 1, 2, "");
    gang(rig, "c2", "web", 2, 3, "");
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    gang(rig, "top", "job", -1, 9, "");
    gang(rig, "high", "job", -1, 8, BESIDE("all", ""));
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "top"), 2);
    assert_int_equal(evictions(rig), 2);
    assert_string_equal(rig_key(rig, "high", "reason"), "WaitingForCapacity");
}

/* Which namespaces have the label is not known here: kube-scheduler decides. */
TEST_RIG(zones(), a_pod_that_an_affinity_may_select_in_some_namespace_stays)
{
    caches(rig);
    gang(rig, "high", "job", -1, 9,
         BESIDE("zone", ",'namespaceSelector':{'matchLabels':{'team':'a'}}"));
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(evictions(rig), 0);
}

#define SPREAD                                                                             \
    "'topologySpreadConstraints':[{'maxSkew':1,'topologyKey':'zone','whenUnsatisfiable':'" \
    "DoNotSchedule','labelSelector':{'matchLabels':{'app':'web'}}}],"

/* Group v has a pod in zone-0, and the one of app web in zone-1. There are others of web in zone-0 and zone-2. */
static void spread_over_zones(struct rig *rig)
{
    rig_group(rig, "v", 2, 1, NULL);
    rig_group(rig, "top", 4, 20, NULL);
    pod(rig, "v-0", "v", "db", 0, "");
    pod(rig, "v-1", "v", "web", 1, "");
    pod(rig, "top-0", "top", "web", 0, "");
    pod(rig, "top-1", "top", "db", 1, "");
    pod(rig, "top-2", "top", "web", 2, "");
    pod(rig, "top-3", "top", "db", 2, "");
    rig_run(rig, 2 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "v") + rig_n_bound(rig, "top"), 6);
}

static void one_more(struct rig *rig)
{
    rig_group(rig, "high", 1, 9, NULL);
    pod(rig, "high-0", "high", "web", -1, SPREAD);
    rig_run(rig, 60 * SKR_SECOND);
}

TEST_RIG(zones(), a_group_goes_where_its_spread_holds_without_the_victims)
{
    spread_over_zones(rig);
    one_more(rig);
    assert_string_equal(rig_node_of(rig, "high-0"), "node-1");
    assert_int_equal(evictions(rig), 2);
}

/* With a second pod in zone-0 and none in zone-1, the skew would be 2. */
TEST_RIG(zones(), a_pod_that_keeps_a_spread_in_balance_stays)
{
    spread_over_zones(rig);
    rig_edit(rig, RIG_NODE, "node-1", "{'spec':{'taints':[{'key':'t','effect':'NoSchedule'}]}}");
    one_more(rig);
    assert_int_equal(evictions(rig), 0);
}

/* ---- evictions that did not help ---- */

static bool refused(void *context, const struct skr_pod *pod, const char *node)
{
    const bool *refuses = context;
    (void)node;
    return !*refuses || strncmp(pod->meta.name, "high", 4) != 0;
}

static size_t groups_gone(struct rig *rig)
{
    size_t n = 0;
    for (int i = 0; i < NODES; i++) {
        n += rig_n_bound(rig, test_text("c%d", i)) == 0;
    }
    return n;
}

/* Jobs make their pods anew. */
static void come_again(struct rig *rig, int zone)
{
    char group[8], name[32];
    snprintf(group, sizeof group, "c%d", zone);
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s-%d", group, i);
        if (!rig_find(rig, RIG_POD, name)) {
            pod(rig, name, group, "cache", zone, "");
        }
    }
}

/* Lives for that long; victims come again every second. Returns the evictions. */
static size_t live(struct rig *rig, int64_t seconds)
{
    const size_t before = evictions(rig);
    for (int64_t t = 0; t < seconds; t += 5) {
        rig_run(rig, 5 * SKR_SECOND);
        for (int i = 0; i < NODES; i++) {
            come_again(rig, i);
        }
    }
    return evictions(rig) - before;
}

TEST_RIG(zones(), a_group_that_evicted_in_vain_pauses_longer_each_time)
{
    bool refuses = true;
    rig->in_tree = refused;
    rig->context = &refuses;
    caches(rig);
    gang(rig, "high", "job", -1, 9, "");
    live(rig, 240);
    assert_true(evictions(rig) > 0 && evictions(rig) <= 2 * NODES);
    rig_run(rig, SKR_SECOND);
    assert_int_equal(groups_gone(rig), 0);
    const struct group *g = group_of(rig);
    assert_true(g->vain.n >= 1);
    assert_non_null(strstr(rig_key(rig, "high", "message"),
                           "1 time in vain (kube-scheduler refuses node node-0 for pod high-0"));
    assert_outcome(rig, "Paused");
    const uint32_t n = g->vain.n;
    rig_restart(rig); /* its object has the row */
    rig_run(rig, SKR_SECOND);
    assert_int_equal(group_of(rig)->vain.n, n);
    assert_int_equal(live(rig, 20), 0);
    assert_true(live(rig, 3600) <= 6 * NODES); /* not every minute */
    refuses = false;
    rig_edit(rig, RIG_MAP, "high", "{'data':{'priority':'8'}}"); /* at once */
    assert_true(live(rig, 180) > 0);
    assert_int_equal(rig_n_bound(rig, "high"), 2);
    assert_int_equal(group_of(rig)->vain.n, 0);
}

/* ---- victims of others ---- */

/* Three gangs of two whole nodes each. */
static struct rig *three_gangs(void)
{
    struct rig *rig = scene_rack(6);
    for (int i = 0; i < 3; i++) {
        scene_bound(rig, test_text("low-%d", i), 8, 1);
    }
    return rig;
}

/* One member of each of two nodes, or all on one. */
static void high(struct rig *rig, const char *name, int size, const char *rules)
{
    rig_group(rig, name, size, 9, rules);
    rig_pods(rig, name, size, name, RIG_GATED);
}

/* The plan of the first one is on its way when the second one looks for room. */
TEST_RIG(three_gangs(), two_groups_that_the_room_of_one_gang_holds_evict_one)
{
    rig->hold_kind = SKR_WRITE_PATCH_CONFIGMAP;
    high(rig, "h1", 2, "{'node':{'type':'spread','hard':true}}");
    rig_run(rig, SKR_SECOND);
    high(rig, "h2", 4, NULL);
    rig_run(rig, SKR_SECOND);
    scene_let_go(rig, SKR_WRITE_PATCH_CONFIGMAP, RIG_OK);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "h1") + rig_n_bound(rig, "h2"), 6);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 8);
}
