/* SPDX-License-Identifier: Apache-2.0 */
/* ResourceClaims of users, which several members name: one leaf takes all of them, and the first one pays. */
#include "test/unit/device_scene.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"
#include "topology/device_claims.h"

/* g-0 .. of a group g of n that name the claim. */
static void sharing(struct rig *rig, const char *claim, int n, int cpu)
{
    rig_group(rig, "g", n, 0, NULL);
    for (int i = 0; i < n; i++) {
        device_pod_with(rig, test_text("g-%d", i), claim, cpu);
    }
}

static struct rig *cluster(int first, int second)
{
    struct rig *rig = device_cluster(2, first);
    rig_delete(rig, RIG_SLICE, "node-1");
    device_slice(rig, "node-1", second);
    return rig;
}

TEST_RIG(cluster(1, 4), members_that_share_a_claim_are_on_one_node)
{
    device_claim(rig, "one", 2);
    sharing(rig, "one", 4, 16);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_int_equal(device_pods_on(rig, "g", 4, "node-1"), 4);
    assert_string_equal(rig_also(rig, "g", "DevicesNotCounted"), "");
}

/* Two members fit on a node. */
TEST_RIG(cluster(4, 4), a_claim_of_more_members_than_a_node_takes_is_named)
{
    device_claim(rig, "one", 2);
    sharing(rig, "one", 4, 30);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g is not placed: its pods want to be together (ResourceClaim one): "
                        "4 pods, at most 2 fit so");
    rig_edit(rig, RIG_NODE, "node-1", "{'status':{'allocatable':{'cpu':'128'}}}");
    rig_run(rig, 120 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
}

TEST_RIG(cluster(4, 4), a_rule_that_spreads_members_of_a_claim_conflicts)
{
    device_claim(rig, "one", 2);
    rig_group(rig, "g", 2, 0, "{'node':{'type':'spread','hard':true}}");
    device_pod_with(rig, "g-0", "one", 1);
    device_pod_with(rig, "g-1", "one", 1);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_non_null(strstr(rig_key(rig, "g", "message"), "ResourceClaim one"));
}

/* Each of g takes a device of its own, too; the claim takes two. */
static void sharing_and_own(struct rig *rig, int n)
{
    rig_group(rig, "g", n, 0, NULL);
    for (int i = 0; i < n; i++) {
        rig_create_json(rig, RIG_POD, test_text("g-%d", i),
                        "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{"
                        "'schedulerName':'sakkara','resourceClaims':[{'name':'c',"
                        "'resourceClaimName':'one'}],'containers':[{'name':'c','resources':{"
                        "'requests':{'cpu':'1','example.com/gpu':'1'}}}]},'status':{'phase':"
                        "'Pending'}}");
    }
}

TEST_RIG(cluster(5, 6), the_first_member_pays_for_a_shared_claim)
{
    device_claim(rig, "one", 2);
    sharing_and_own(rig, 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_int_equal(device_pods_on(rig, "g", 4, "node-1"), 4);
}

TEST_RIG(cluster(5, 6), a_shared_claim_costs_devices_once)
{
    device_claim(rig, "one", 2);
    sharing_and_own(rig, 5);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
}

/* n members whose plan kube-scheduler does not carry out. */
static void planned(struct rig *rig, int n)
{
    device_claim(rig, "one", 2);
    sharing(rig, "one", n, 1);
    rig_run(rig, 10 * SKR_MILLISECOND); /* it asks for each */
    rig->hold_scheduler = true;
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_state(rig, "g"), "Admitting");
}

/* kube-scheduler has not come to any member yet. */
TEST_RIG(cluster(4, 4), members_whose_claims_exist_are_planned_before_a_call)
{
    rig->hold_scheduler = true;
    planned(rig, 2);
}

/* PreFilter refuses their pods. */
TEST_RIG(cluster(4, 4), claims_that_are_being_deleted_reserve_nothing_before_a_call)
{
    rig->hold_scheduler = true;
    device_claim(rig, "one", 2);
    rig_edit(rig, RIG_DEVICE_CLAIM, "one",
             "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z','finalizers':['a/b']}}");
    sharing(rig, "one", 2, 1);
    rig_run(rig, 2 * SKR_SECOND);
    assert_string_equal(rig_key(rig, "g", "reason"), "WaitingForClaims");
}

TEST_RIG(cluster(4, 4), the_first_member_of_a_shared_claim_comes_alone)
{
    int nominated = 0;
    planned(rig, 3);
    for (int i = 0; i < 3; i++) {
        nominated += *rig_find(rig, RIG_POD, test_text("g-%d", i))->pod->nominated_node ? 1 : 0;
    }
    assert_int_equal(nominated, 1);
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
}

TEST_RIG(cluster(4, 4), a_claim_with_devices_keeps_its_members_on_their_node_and_costs_nothing)
{
    device_claim(rig, "one", 4);
    device_claim(rig, "other", 3);
    device_give(rig, "one", "node-1", true);
    device_give(rig, "other", "node-1", true);
    sharing(rig, "one", 2, 4);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
    assert_int_equal(device_pods_on(rig, "g", 2, "node-1"), 2);
}

TEST_RIG(cluster(4, 4), a_claim_that_gets_devices_elsewhere_ends_the_plan)
{
    planned(rig, 2);
    device_give(rig, "one", "node-1", true);
    assert_non_null(strstr(rig->log.s, "ResourceClaim one of pod g-0 has devices that node node-0, "
                                       "which is planned, does not reach"));
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 2);
    assert_int_equal(device_pods_on(rig, "g", 2, "node-1"), 2);
}

/* Otherwise the same plan would come again and again, with its writes. */
TEST_RIG(cluster(4, 4), a_group_whose_claim_gets_devices_elsewhere_again_and_again_pauses)
{
    planned(rig, 2);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(rig_state(rig, "g"), "Admitting");
        device_give(rig, "one", i % 2 == 0 ? "node-1" : "node-0", true);
        rig_run(rig, 500 * SKR_MILLISECOND);
    }
    assert_string_equal(rig_state(rig, "g"), "Backoff");
    assert_string_equal(rig_key(rig, "g", "reason"), "FilteredByOthers");
}

TEST_RIG(cluster(4, 4), a_claim_has_no_more_consumers_than_kubernetes_permits)
{
    device_claim(rig, "one", 1);
    sharing(rig, "one", SKR_CLAIM_CONSUMERS_MAX + 1, 0);
    rig_run(rig, 10 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g is not planned: ResourceClaim one, which pod g-0 names, would "
                        "have 257 consumers, Kubernetes permits 256; use several claims, or a "
                        "ResourceClaimTemplate");
    rig_delete(rig, RIG_POD, "g-1");
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_not_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
}

/* Roles a and b, each of two members with a claim of its own; a node has devices for one of them. */
TEST_RIG(cluster(2, 2), members_of_each_role_are_where_their_claim_is)
{
    static const char *const pod[] = {"g-0", "g-1", "g-2", "g-3"}, *const role[] = {"a", "b"};
    rig_create_json(rig, RIG_MAP, "g",
                    "{'metadata':{'labels':{'sakkara.group':''}},'data':{'name':'g','roles':"
                    "\"{\\\"a\\\":{\\\"size\\\":2},\\\"b\\\":{\\\"size\\\":2}}\"}}");
    device_claim(rig, "a", 2);
    device_claim(rig, "b", 2);
    for (size_t i = 0; i < 4; i++) {
        device_pod_with(rig, pod[i], role[i / 2], 1 + (int)i / 2);
        rig_edit(rig, RIG_POD, pod[i], "{'metadata':{'annotations':{'sakkara.group.role':'%s'}}}",
                 role[i / 2]);
    }
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-1"));
    assert_string_equal(rig_node_of(rig, "g-2"), rig_node_of(rig, "g-3"));
    assert_string_not_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
}

/* g-0 .. of a group g that name the claims in turn. */
static void sharing_in_turn(struct rig *rig, const char *const *claim, int n_claims, int n, int cpu)
{
    rig_group(rig, "g", n, 0, NULL);
    for (int i = 0; i < n; i++) {
        device_pod_with(rig, test_text("g-%d", i), claim[i % n_claims], cpu);
    }
}

static const char *const three[] = {"a", "b", "c"};

/* Two members have room on a node. */
TEST_RIG(device_cluster(3, 4), members_of_one_role_are_where_their_own_claim_is)
{
    for (int i = 0; i < 3; i++) {
        device_claim(rig, three[i], 2);
    }
    sharing_in_turn(rig, three, 3, 6, 30);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 6);
    for (int i = 0; i < 3; i++) {
        char name[2][8];
        snprintf(name[0], sizeof name[0], "g-%d", i);
        snprintf(name[1], sizeof name[1], "g-%d", i + 3);
        assert_string_equal(rig_node_of(rig, name[0]), rig_node_of(rig, name[1]));
    }
}

/* All have room on a node, whose devices serve one claim. */
TEST_RIG(device_cluster(2, 4), members_of_one_role_go_where_devices_serve_their_own_claim)
{
    device_claim(rig, "a", 3);
    device_claim(rig, "b", 3);
    sharing_in_turn(rig, three, 2, 4, 1);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
    assert_string_equal(rig_node_of(rig, "g-1"), rig_node_of(rig, "g-3"));
}

/* A leader without devices beside workers that take all of them. */
TEST_RIG(device_cluster(1, 4), a_member_that_wants_no_devices_takes_none)
{
    device_claim(rig, "a", 2);
    device_claim(rig, "b", 2);
    rig_group(rig, "g", 3, 0, NULL);
    rig_pod(rig, "g-0", "g", RIG_BARE);
    device_pod_with(rig, "g-1", "a", 2);
    device_pod_with(rig, "g-2", "b", 2);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 3);
}

/* Three members share a claim, and each node takes one. */
TEST_RIG(device_cluster(4, 4), members_whose_claim_fits_nowhere_are_not_planned_in_vain)
{
    static const char *const claim[] = {"a", "a", "b", "a"};
    device_claim(rig, "a", 3);
    device_claim(rig, "b", 2);
    sharing_in_turn(rig, claim, 4, 4, 60);
    rig_run(rig, 300 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_string_equal(
        rig_key(rig, "g", "message"),
        "group g is not planned: devices of ResourceClaim a are on one node, and no "
        "plan was found with all pods there that name it");
}

/* Others of the group name no claim. */
TEST_RIG(cluster(4, 4), some_members_of_a_role_share_a_claim)
{
    device_claim(rig, "a", 4);
    rig_group(rig, "g", 4, 0, NULL);
    device_pod_with(rig, "g-0", "a", 30);
    rig_pod(rig, "g-1", "g", RIG_BARE);
    device_pod_with(rig, "g-2", "a", 30);
    rig_pod(rig, "g-3", "g", RIG_BARE);
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "g", 4);
    assert_string_equal(rig_node_of(rig, "g-0"), rig_node_of(rig, "g-2"));
}

TEST_RIG(device_cluster(1, 4), a_pod_that_names_a_claim_twice_is_not_planned)
{
    device_claim(rig, "one", 1);
    rig_group(rig, "g", 1, 0, NULL);
    rig_create_json(rig, RIG_POD, "g-0",
                    "{'metadata':{'labels':{'sakkara.group.name':'g'}},'spec':{'schedulerName':"
                    "'sakkara','resourceClaims':[{'name':'a','resourceClaimName':'one'},"
                    "{'name':'b','resourceClaimName':'one'}],'containers':[{'name':'c',"
                    "'resources':{'requests':{'cpu':'1'}}}]},'status':{'phase':'Pending'}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "g"), 0);
    assert_string_equal(rig_key(rig, "g", "reason"), "ConstraintConflict");
    assert_string_equal(rig_key(rig, "g", "message"),
                        "group g is not planned: pod g-0 names ResourceClaim one in two entries of "
                        "spec.resourceClaims, and kube-scheduler cannot reserve it twice; use one "
                        "entry for all containers");
}

/* ---- random groups beside an enumeration ---- */

enum { MEMBERS_MAX = 6, CLAIMS_MAX = 3 };

/* Members that want a cpu each, and may name one of the claims, which want the same number of devices. */
struct sharing_world {
    int nodes, cpu, devices, members, claims, each;
    int claim[MEMBERS_MAX]; /* -1: none */
};

static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % n;
}

static struct sharing_world random_world(unsigned seed)
{
    unsigned state = seed;
    struct sharing_world w = {.nodes = 1 + (int)draw(&state, 4),
                              .cpu = 1 + (int)draw(&state, 5),
                              .devices = 1 + (int)draw(&state, 5),
                              .members = 2 + (int)draw(&state, MEMBERS_MAX - 1),
                              .claims = 1 + (int)draw(&state, CLAIMS_MAX),
                              .each = 1 + (int)draw(&state, 3)};
    for (int i = 0; i < w.members; i++) {
        w.claim[i] = draw(&state, 5) > 0 ? (int)draw(&state, (unsigned)w.claims) : -1;
    }
    return w;
}

/* Whether the members from i on have places beside those before. node_of: of each claim, -1: none yet. */
static bool has_places(const struct sharing_world *w, int i, int *pods, int *taken, int *node_of)
{
    const int claim = i < w->members ? w->claim[i] : -1;
    bool has = i == w->members;
    for (int node = 0; node < w->nodes && !has; node++) {
        const bool pays = claim >= 0 && node_of[claim] < 0;
        if (pods[node] == w->cpu || (claim >= 0 && !pays && node_of[claim] != node) ||
            (pays && taken[node] + w->each > w->devices)) {
            continue;
        }
        pods[node]++;
        if (pays) {
            node_of[claim] = node;
            taken[node] += w->each;
        }
        has = has_places(w, i + 1, pods, taken, node_of);
        pods[node]--;
        if (pays) {
            node_of[claim] = -1;
            taken[node] -= w->each;
        }
    }
    return has;
}

/* All are bound, each claim on one node, and devices suffice. */
static bool is_served(const struct rig *rig, const struct sharing_world *w)
{
    int node_of[CLAIMS_MAX] = {-1, -1, -1}, taken[4] = {0};
    bool served = rig_n_bound(rig, "g") == (size_t)w->members;
    for (int i = 0; i < w->members && served; i++) {
        const int node = rig_node_of(rig, test_text("g-%d", i))[sizeof "node-" - 1] - '0';
        int *of = w->claim[i] >= 0 ? &node_of[w->claim[i]] : NULL;
        if (of && *of < 0) {
            *of = node;
            taken[node] += w->each;
        }
        served = !of || (*of == node && taken[node] <= w->devices);
    }
    return served;
}

static void play_world(unsigned seed)
{
    static const char *const claim[CLAIMS_MAX] = {"a", "b", "c"};
    const struct sharing_world w = random_world(seed);
    int pods[4] = {0}, taken[4] = {0}, node_of[CLAIMS_MAX] = {-1, -1, -1};
    struct rig *rig = device_cluster(w.nodes, w.devices);
    char name[32];
    for (int i = 0; i < w.nodes; i++) {
        snprintf(name, sizeof name, "node-%d", i);
        rig_edit(rig, RIG_NODE, name, "{'status':{'allocatable':{'cpu':'%d'}}}", w.cpu);
    }
    for (int i = 0; i < w.claims; i++) {
        device_claim(rig, claim[i], w.each);
    }
    rig_group(rig, "g", w.members, 0, NULL);
    for (int i = 0; i < w.members; i++) {
        snprintf(name, sizeof name, "g-%d", i);
        if (w.claim[i] >= 0) {
            device_pod_with(rig, name, claim[w.claim[i]], 1);
        } else {
            rig_pod(rig, name, "g", RIG_BARE);
        }
    }
    rig_run(rig, 10 * SKR_SECOND);
    if (has_places(&w, 0, pods, taken, node_of) && !is_served(rig, &w)) {
        fail_msg("seed %u: a group that fits is not placed where its devices are", seed);
    }
    rig_destroy(rig);
}

/* Without any place, a plan may be tried after all: kube-scheduler decides. */
TEST(groups_that_share_claims_are_placed_where_they_can_be)
{
    for (unsigned seed = 1; seed <= 150; seed++) {
        play_world(seed);
    }
}
