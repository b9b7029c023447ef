/* SPDX-License-Identifier: Apache-2.0 */
/* Groups whose members have claims: nothing is reserved before kube-scheduler has asked for them. */
#include "core/gang/cache/claim_objects.h"
#include "core/gang/group/reservation.h"
#include "test/unit/engine_rig_parts.h"
#include "test/unit/engine_test.h"

static void add_claim(struct rig *rig, const char *pod)
{
    rig_edit(rig, RIG_POD, pod,
             "{'spec':{'volumes':[{'name':'v','persistentVolumeClaim':{'claimName':'c'}}]}}");
}

/* prefix-0 ... of the group, each with a claim. */
static void add_members(struct rig *rig, const char *prefix, int n, const char *group, int flags)
{
    char name[32];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s-%d", prefix, i);
        rig_pod(rig, name, group, flags);
        add_claim(rig, name);
    }
}

/* The claims of pods whose names begin so do not exist: PreFilter refuses the pod. */
static const char *missing = "";

static bool claim_exists(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    (void)node;
    return !*missing || strncmp(pod->meta.name, missing, strlen(missing)) != 0;
}

/* Four slots, and the groups bad and good, which need all of them. */
static struct rig *cluster(const char *without)
{
    struct rig *rig = rig_create();
    missing = without;
    rig->in_tree = claim_exists;
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "bad", 4, 0, NULL);
    rig_group(rig, "good", 4, 0, NULL);
    rig_sync(rig);
    return rig;
}

static void judge(struct rig *rig, const char *pod, const char *message)
{
    rig_edit(rig, RIG_POD, pod,
             "{'status':{'conditions':[{'type':'PodScheduled','status':'False',"
             "'reason':'Unschedulable','message':'%s'}]}}",
             message);
    rig_settle(rig);
}

/* All four of them. */
static void judge_all(struct rig *rig, const char *prefix, const char *message)
{
    for (int i = 0; i < 4; i++) {
        judge(rig, test_text("%s-%d", prefix, i), message);
    }
}

/* kube-scheduler calls filter for the first n of them. */
static void ask_for(struct rig *rig, const char *prefix, int n)
{
    for (int i = 0; i < n; i++) {
        rig_filter(rig, test_text("%s-%d", prefix, i), NULL);
    }
}

TEST(a_group_with_claims_is_placed_once_kube_scheduler_has_asked_for_all_members)
{
    for (int gated = 0; gated < 2; gated++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster("");
        add_members(rig, "p", 4, "good", gated ? RIG_GATED : 0);
        rig_run(rig, 5 * SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
        rig_assert_clean(rig);
    }
}

TEST(a_group_whose_claims_do_not_exist_reserves_nothing)
{
    for (int gated = 0; gated < 2; gated++) {
        SKR_AUTO(rig_destroy) struct rig *rig = cluster("b");
        add_members(rig, "b", 4, "bad", gated ? RIG_GATED : 0);
        rig_run(rig, SKR_SECOND);
        assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
        rig_assert_text(rig_key(rig, "bad", "reason"), "WaitingForClaims");
        rig_pods(rig, "p", 4, "good", RIG_GATED);
        rig_run(rig, SKR_SECOND);
        rig_assert_bound(rig, "p", 4);
    }
}

/* The claims are created: kube-scheduler comes to the pods, and the group is placed. */
TEST_RIG(cluster("b"), a_group_that_waits_for_its_claims_is_placed_when_they_exist)
{
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "bad"), 0);
    missing = "";
    rig_node(rig, "node-9", 1); /* wakes pods that kube-scheduler refused itself */
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
    rig_assert_text(rig_key(rig, "bad", "reason"), "");
}

TEST_RIG(cluster("b-3"), the_message_names_a_pod_and_what_kube_scheduler_says_of_it)
{
    rig->hold_scheduler = true;
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    rig_assert_text(
        rig_key(rig, "bad", "message"),
        "group bad waits for its claims: kube-scheduler has not asked for 4 of its pods "
        "yet; check that all claims of pod b-0 exist");
    ask_for(rig, "b", 3);
    judge(rig, "b-3", "0/2 nodes are available: persistentvolumeclaim c not found.");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(
        rig_key(rig, "bad", "message"),
        "group bad waits for its claims: kube-scheduler has not asked for 1 of its pods "
        "yet; it reports for pod b-3: 0/2 nodes are available: persistentvolumeclaim c "
        "not found.");
}

/* kube-scheduler does not come again to pods that it has judged. */
TEST_RIG(cluster(""), after_a_restart_the_conditions_of_the_pods_prove_the_calls)
{
    rig->hold_scheduler = true;
    add_members(rig, "p", 4, "good", 0);
    judge_all(rig, "p", "0/2 nodes are available: 2 sakkara: group waits for members.");
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "p-0"), "");
}

TEST_RIG(cluster(""), after_a_restart_conditions_without_our_words_prove_nothing)
{
    rig->hold_scheduler = true;
    add_members(rig, "p", 4, "good", 0);
    judge_all(rig, "p", "0/2 nodes are available: persistentvolumeclaim c not found.");
    rig_restart(rig);
    rig_run(rig, SKR_SECOND);
    rig_assert_text(rig_key(rig, "good", "reason"), "WaitingForClaims");
}

/* The claims are deleted once kube-scheduler has asked: the plan that comes to nothing is the last one. */
TEST_RIG(cluster(""), claims_that_vanish_reserve_room_once)
{
    rig->hold_scheduler = true;
    add_members(rig, "b", 4, "bad", 0);
    rig_settle(rig);
    ask_for(rig, "b", 4);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "b-0"), "");
    missing = "b";
    rig->hold_scheduler = false;
    rig_run(rig, 300 * SKR_SECOND);
    size_t plans = rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL);
    rig_assert_text(rig_key(rig, "bad", "reason"), "WaitingForClaims");
    rig_run(rig, 600 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), plans);
}

/* On a full cluster kube-scheduler calls no extender; that it counts nodes shows that the claims are
 * there. */
TEST_RIG(cluster(""), a_group_with_claims_evicts_on_a_full_cluster)
{
    rig_pods(rig, "p", 4, "good", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 4);
    rig_edit(rig, RIG_MAP, "bad", "{'data':{'priority':'9'}}");
    rig->hold_scheduler = true;
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    assert_false(rig_is_gated(rig, "b-0"));
    judge_all(rig, "b", "0/2 nodes are available: 2 Insufficient cpu.");
    rig->hold_scheduler = false;
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

TEST_RIG(cluster(""), a_group_whose_claims_do_not_exist_evicts_no_pod)
{
    rig_pods(rig, "p", 4, "good", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_edit(rig, RIG_MAP, "bad", "{'data':{'priority':'9'}}");
    rig->hold_scheduler = true;
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, SKR_SECOND);
    judge_all(rig, "b", "0/2 nodes are available: persistentvolumeclaim c not found.");
    rig_run(rig, 60 * SKR_SECOND);
    assert_int_equal(rig_count(rig, SKR_WRITE_EVICT, NULL), 0);
    rig_assert_bound(rig, "p", 4);
}

/* The replacement of a lost member has a claim like the others. */
TEST_RIG(cluster(""), a_replacement_with_a_claim_is_asked_for_first)
{
    add_members(rig, "p", 4, "good", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "p-2");
    missing = "new";
    add_members(rig, "new", 1, "good", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "good", "reason"), "WaitingForClaims");
    missing = "";
    rig_node(rig, "node-9", 1);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 1);
}

/* While the group waits again, its members carry nothing of the plan that came to nothing. */
TEST_RIG(cluster(""), members_that_wait_for_a_call_carry_no_plan)
{
    rig->hold_scheduler = true;
    add_members(rig, "b", 4, "bad", 0);
    rig_settle(rig);
    ask_for(rig, "b", 4);
    rig_run(rig, SKR_SECOND);
    assert_string_not_equal(rig_nominated(rig, "b-0"), "");
    judge(rig, "b-0", "0/2 nodes are available: persistentvolumeclaim c not found.");
    rig_run(rig, 300 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "WaitingForClaims");
    rig_assert_text(rig_nominated(rig, "b-0"), "");
    rig_assert_clean(rig);
}

/* ---- claims that do not exist, as the API server lists them ---- */

/* Four slots and group bad; the daemon reads claims of an API server of this version. */
static struct rig *reading_of(int minor, int size)
{
    struct skr_settings settings;
    skr_settings_default(&settings);
    settings.server_minor = minor;
    struct rig *rig = rig_create_with(&settings);
    rig_racks(rig, 1, 2, 2);
    rig_group(rig, "bad", size, 0, NULL);
    rig_sync(rig);
    return rig;
}

static struct rig *reading(void)
{
    return reading_of(SKR_CLAIMS_FROM, 4);
}

TEST_RIG(reading(), a_group_whose_claim_does_not_exist_says_which_and_keeps_its_gates)
{
    rig_claim(rig, "c", RIG_CLAIM_MISSING);
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    rig_assert_text(rig_key(rig, "bad", "message"),
                    "group bad is not planned: 4 of its pods name claims that do not exist; create "
                    "PersistentVolumeClaim c in namespace default, which pod b-0 names");
    assert_true(rig_is_gated(rig, "b-0"));
    assert_int_equal(rig->n_solves, 0);
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
    rig_claim(rig, "c", RIG_CLAIM_BOUND);
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
    rig_assert_text(rig_key(rig, "bad", "reason"), "");
    rig_assert_clean(rig);
}

/* Pods and claims come by different watches. */
TEST_RIG(reading(), a_claim_that_comes_right_after_its_pod_is_not_called_missing)
{
    rig->hold_watch[RIG_VOLUME_CLAIM] = true;
    rig_claim(rig, "c", RIG_CLAIM_BOUND);
    add_members(rig, "b", 4, "bad", 0);
    rig_run(rig, SKR_SECOND / 2);
    assert_int_equal(rig_n_bound(rig, "bad"), 0);
    rig_assert_text(rig_key(rig, "bad", "reason"), "");
    rig->hold_watch[RIG_VOLUME_CLAIM] = false;
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
    assert_null(strstr(rig->log.s, "ClaimNotFound"));
}

TEST_RIG(reading(), each_missing_claim_is_awaited_in_turn)
{
    rig_pods(rig, "b", 4, "bad", RIG_GATED);
    rig_edit(rig, RIG_POD, "b-1",
             "{'spec':{'resourceClaims':[{'name':'x','resourceClaimName':'shared'},"
             "{'name':'y','resourceClaimTemplateName':'gpus'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "bad", "message"), "1 of its pods names claims"));
    assert_non_null(strstr(rig_key(rig, "bad", "message"), "create ResourceClaim shared in"));
    rig_create_json(rig, RIG_DEVICE_CLAIM, "shared", "{'metadata':{}}");
    rig_run(rig, 5 * SKR_SECOND);
    assert_non_null(strstr(rig_key(rig, "bad", "message"), "create ResourceClaimTemplate gpus in"));
    rig_create_json(rig, RIG_CLAIM_TEMPLATE, "gpus", "{'metadata':{}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

#define OF_CLASS(name) \
    "{'spec':{'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':'" name "'}}]}}}"

/* Pods b-0 .. b-3, of which b-1 names claim "shared". */
static void add_device_claimer(struct rig *rig)
{
    rig_pods(rig, "b", 4, "bad", RIG_GATED);
    rig_edit(rig, RIG_POD, "b-1",
             "{'spec':{'resourceClaims':[{'name':'x','resourceClaimName':'shared'}]}}");
}

TEST_RIG(reading(), a_class_that_does_not_exist_is_named_and_awaited)
{
    rig_create_json(rig, RIG_DEVICE_CLAIM, "shared", OF_CLASS("big"));
    add_device_claimer(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    rig_assert_text(rig_key(rig, "bad", "message"),
                    "group bad is not planned: 1 of its pods needs a device class that does not "
                    "exist; create DeviceClass big, which ResourceClaim shared of pod b-1 names");
    assert_true(rig_is_gated(rig, "b-0"));
    assert_int_equal(rig->n_solves, 0);
    rig_class(rig, "big", "");
    rig_run(rig, SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
    rig_assert_text(rig_key(rig, "bad", "reason"), "");
}

TEST_RIG(reading(), a_claim_that_names_another_class_is_judged_by_that)
{
    rig_class(rig, "small", "");
    rig_create_json(rig, RIG_DEVICE_CLAIM, "shared", OF_CLASS("big"));
    add_device_claimer(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    rig_edit(rig, RIG_DEVICE_CLAIM, "shared", OF_CLASS("small"));
    rig_run(rig, SKR_SECOND);
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

TEST_RIG(reading(), a_class_that_goes_is_missing_for_groups_that_wait)
{
    rig_class(rig, "big", "");
    rig_create_json(rig, RIG_DEVICE_CLAIM, "shared", OF_CLASS("big"));
    rig_delete(rig, RIG_CLASS, "big");
    add_device_claimer(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    rig_restart(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
}

TEST_RIG(reading(), classes_that_may_not_be_read_are_left_to_kube_scheduler)
{
    rig_forbid_classes(rig, true);
    rig_create_json(rig, RIG_DEVICE_CLAIM, "shared", OF_CLASS("big"));
    add_device_claimer(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

/* An allocated claim has its devices already. */
TEST_RIG(reading(), the_class_of_an_allocated_claim_is_not_looked_up)
{
    rig_create_json(
        rig, RIG_DEVICE_CLAIM, "shared",
        "{'spec':{'devices':{'requests':[{'name':'r','exactly':{'deviceClassName':'big'}}]"
        "}},'status':{'allocation':{}}}");
    add_device_claimer(rig);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

TEST_RIG(reading(), claims_of_another_namespace_are_others)
{
    rig_claim(rig, "other/c", RIG_CLAIM_BOUND);
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
}

static void forbid_volume_claims(struct rig *rig, bool is)
{
    struct skr_event event = {.kind = SKR_EVENT_FORBIDDEN,
                              .forbidden = {.type = &skr_gang_volume_claim, .is = is}};
    rig_handle(rig, &event);
}

TEST_RIG(reading(), claims_that_may_not_be_read_are_left_to_kube_scheduler)
{
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    forbid_volume_claims(rig, true);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
}

TEST_RIG(reading_of(SKR_CLAIMS_FROM - 1, 1),
         an_api_server_without_device_claims_has_none_that_are_missing)
{
    rig_pods(rig, "b", 1, "bad", RIG_GATED);
    rig_edit(rig, RIG_POD, "b-0",
             "{'spec':{'resourceClaims':[{'name':'x','resourceClaimName':'shared'}]}}");
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 1);
}

/* Of a group that runs, only the replacement waits. */
TEST_RIG(reading(), a_replacement_waits_for_its_claim)
{
    rig_claim(rig, "c", RIG_CLAIM_BOUND);
    add_members(rig, "b", 4, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "b", 4);
    rig_claim(rig, "c", RIG_CLAIM_MISSING);
    rig_delete(rig, RIG_POD, "b-2");
    add_members(rig, "new", 1, "bad", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    assert_int_equal(rig_n_bound(rig, "bad"), 3);
    rig_claim(rig, "c", RIG_CLAIM_BOUND);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "new", 1);
    rig_assert_text(rig_key(rig, "bad", "reason"), "");
}

/* A solve was under way when the claim went. */
TEST_RIG(reading(), a_claim_that_goes_during_a_solve_keeps_the_group_from_a_plan)
{
    rig->hold_solves = true;
    rig_claim(rig, "c", RIG_CLAIM_BOUND);
    add_members(rig, "b", 4, "bad", 0);
    rig_run(rig, SKR_SECOND);
    rig_claim(rig, "c", RIG_CLAIM_MISSING);
    rig->hold_solves = false;
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_key(rig, "bad", "reason"), "ClaimNotFound");
    assert_int_equal(rig_count(rig, SKR_WRITE_PATCH_POD_STATUS, NULL), 0);
}

/* ---- plans that end while kube-scheduler waits for the claims ---- */

/* Two groups of one member on two nodes of one slot. The claims of the first are never provisioned:
 * kube-scheduler has assumed its member on a node when planTimeout ends the plan. */
static struct rig *assumed(void)
{
    struct rig *rig = rig_create();
    missing = "";
    rig_racks(rig, 1, 2, 1);
    rig_group(rig, "late", 1, 0, NULL);
    rig_group(rig, "good", 1, 0, NULL);
    rig_claim(rig, "default/c", RIG_CLAIM_LATE);
    rig_sync(rig);
    add_members(rig, "b", 1, "late", RIG_GATED);
    rig_run(rig, 10 * SKR_SECOND);
    assert_string_not_equal(rig_planned(rig, "b-0"), "");
    rig_run(rig, 300 * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "b-0"), "");
    return rig;
}

static size_t kept_for_claims(struct rig *rig)
{
    size_t n[SKR_RESERVED_COUNT];
    skr_reservations_count(rig->gang, n);
    return n[SKR_RESERVED_CLAIMS];
}

TEST_RIG(assumed(), a_member_that_kube_scheduler_keeps_takes_one_place_and_its_group_no_other)
{
    const struct rig_object *b = rig_find(rig, RIG_POD, "b-0");
    const char *other = strcmp(b->assumed_node, "node-0") == 0 ? "node-1" : "node-0";
    assert_true(b->volumes_until > rig->now);
    rig_assert_text(rig_key(rig, "late", "reason"), "WaitingForClaims");
    assert_non_null(strstr(rig_key(rig, "late", "message"),
                           "kube-scheduler keeps 1 of its pods on their nodes"));
    assert_int_equal(kept_for_claims(rig), 1);
    rig_pods(rig, "p", 1, "good", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_text(rig_node_of(rig, "p-0"), other);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_text(rig_planned(rig, "b-0"), ""); /* no second place, though one was free */
    rig_assert_clean(rig);
}

/* kube-scheduler's own filters refuse b-1 on all nodes but node-2. */
static bool passes_on_the_last(void *context, const struct skr_pod *pod, const char *node)
{
    (void)context;
    return strcmp(pod->meta.name, "b-1") != 0 || strcmp(node, "node-2") == 0;
}

/* Its group waits for the claims of the other member, for minutes. */
TEST(a_member_beside_one_that_kube_scheduler_keeps_is_nominated_no_more)
{
    struct rig *rig = rig_create();
    rig->in_tree = passes_on_the_last;
    rig_racks(rig, 1, 3, 1);
    rig_group(rig, "late", 2, 0, NULL);
    rig_group(rig, "good", 1, 0, NULL);
    rig_claim(rig, "default/c", RIG_CLAIM_LATE);
    rig_sync(rig);
    add_members(rig, "b", 1, "late", 0);
    rig_pod(rig, "b-1", "late", 0);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(kept_for_claims(rig), 1);
    rig_assert_text(rig_planned(rig, "b-1"), "");
    rig_assert_text(rig_find(rig, RIG_POD, "b-1")->pod->nominated_node, "");
    rig_pods(rig, "p", 1, "good", 0);
    rig_run(rig, 5 * SKR_SECOND);
    rig_assert_bound(rig, "p", 1);
    rig_destroy(rig);
}

TEST_RIG(assumed(), a_member_that_kube_scheduler_lets_go_of_is_planned_again)
{
    rig_claim(rig, "default/c", RIG_CLAIM_BOUND); /* the bind call comes, too late for the plan */
    rig_run(rig, 10 * SKR_SECOND);
    rig_assert_bound(rig, "b", 1);
    rig_assert_text(rig_key(rig, "late", "reason"), "");
    rig_assert_clean(rig);
}

TEST_RIG(assumed(), the_room_of_a_kept_member_has_the_deadline_of_kube_scheduler)
{
    rig_run(rig, 400 * SKR_SECOND);
    const struct rig_object *b = rig_find(rig, RIG_POD, "b-0");
    assert_true(b->volumes_until == 0 || b->volumes_until > rig->now + 300 * SKR_SECOND);
    rig_delete(rig, RIG_POD, "b-0");
    rig_run(rig, SKR_SECOND);
    assert_int_equal(kept_for_claims(rig), 0);
}

TEST_RIG(assumed(), a_kept_member_that_is_deleted_frees_its_node_at_once)
{
    rig_group(rig, "both", 2, 0, NULL);
    rig_pods(rig, "p", 2, "both", RIG_GATED);
    rig_run(rig, 5 * SKR_SECOND);
    assert_int_equal(rig_n_bound(rig, "both"), 0);
    rig_delete(rig, RIG_POD, "b-0");
    rig_run(rig, 2 * SKR_SECOND);
    rig_assert_bound(rig, "p", 2);
}

/* The same when another process took over in between: it does not know, and kube-scheduler shows it. */
TEST_RIG(assumed(), after_a_restart_a_kept_member_is_found_out_within_seconds)
{
    rig_restart(rig);
    rig_run(rig, 30 * SKR_SECOND);
    rig_pods(rig, "p", 1, "good", RIG_GATED);
    rig_run(rig, 60 * SKR_SECOND);
    rig_assert_bound(rig, "p", 1);
}
