/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods that are not as the rule wants them, for whatever reason: what is counted, what is evicted,
 * and where evictions end. Deployment shop/web of 6 pods (max 2), ReplicaSet shop/web-a, whose
 * controller the tests play.
 */
#include "test/test.h"

#include "core/spotmix/page.h"
#include "core/spotmix/scheduler.h"
#include "test/unit/frame_rig.h"

#define K "cloudpilot.ai/webhook-scheduler"

enum { REPLICAS = 6 };

struct shop {
    struct skr_spotmix_settings settings;
    struct frame_rig *rig;
    int made; /* pods so far */
    int max;  /* on-demand pods, as reviews count them; 0: 2 */
};

static void add_node(struct shop *shop, const char *name, const char *class_)
{
    frame_rig_add(shop->rig, &skr_spotmix_nodes, name,
                  "{'metadata':{'labels':{'node.kubernetes.io/capacity':'%s'}},'status':{"
                  "'conditions':[{'type':'Ready','status':'True'}]}}",
                  class_);
}

static void add_replica_set(struct shop *shop, const char *name, int revision, int replicas)
{
    frame_rig_add(shop->rig, &skr_spotmix_replica_sets, test_text("shop/%s", name),
                  "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'%d'},"
                  "'ownerReferences':[{'apiVersion':'apps/v1','kind':'Deployment','name':'web',"
                  "'uid':'%s','controller':true}]},'spec':{'replicas':%d}}",
                  revision,
                  frame_rig_text(shop->rig, &skr_spotmix_deployments, "shop/web", "metadata.uid"),
                  replicas);
}

static void shop_set_up(struct shop *shop)
{
    skr_spotmix_settings_default(&shop->settings);
    shop->rig = frame_rig_create(&skr_spotmix_scheduler, &shop->settings);
    add_node(shop, "on-0", "on-demand");
    add_node(shop, "spot-0", "spot");
    add_node(shop, "bare-0", "neither");
    frame_rig_add(shop->rig, &skr_spotmix_deployments, "shop/web",
                  "{'metadata':{'labels':{'" K "':'true','" K "-max-on-demand-count':'2'}},"
                  "'spec':{'replicas':%d}}",
                  REPLICAS);
    add_replica_set(shop, "web-a", 1, REPLICAS);
}

static void shop_tear_down(struct shop *shop)
{
    frame_rig_destroy(shop->rig);
}

static void add_to(struct shop *shop, const char *owner, const char *node, const char *labels)
{
    char key[64], owner_key[64];
    snprintf(key, sizeof key, "shop/p-%d", shop->made++);
    snprintf(owner_key, sizeof owner_key, "shop/%s", owner);
    frame_rig_add(
        shop->rig, &skr_spotmix_pods, key,
        "{'metadata':{%s'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet','name':"
        "'%s','uid':'%s','controller':true}]},'spec':{%s%s%s},'status':{'phase':'Running',"
        "'conditions':[{'type':'Ready','status':'True'}]}}",
        labels, owner,
        frame_rig_text(shop->rig, &skr_spotmix_replica_sets, owner_key, "metadata.uid"),
        node ? "'nodeName':'" : "", node ? node : "", node ? "'" : "");
}

/* As it comes when the webhook is not called; node NULL: unbound. */
static void add_unreviewed(struct shop *shop, const char *node)
{
    add_to(shop, "web-a", node, "");
}

static void add_reviewed_to(struct shop *shop, const char *owner, const char *node, int index,
                            const char *class_)
{
    char labels[256];
    snprintf(labels, sizeof labels,
             "'labels':{'" K "-class':'%s','" K "-index':'%d'},'annotations':{'" K
             "-token':'5e0c'},",
             class_, index);
    add_to(shop, owner, node, labels);
}

static void add_reviewed(struct shop *shop, int index)
{
    const bool on_demand = index < (shop->max > 0 ? shop->max : 2);
    add_reviewed_to(shop, "web-a", on_demand ? "on-0" : "spot-0", index,
                    on_demand ? "on-demand" : "spot");
}

static void serve(struct shop *shop)
{
    frame_rig_start(shop->rig);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME + SKR_SPOTMIX_REACH_TIME);
}

static size_t evictions(const struct shop *shop)
{
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match match = {
        .verb = &create, .resource = &skr_spotmix_pods, .subresource = "eviction"};
    return frame_rig_writes(shop->rig, &match);
}

static size_t told(const struct shop *shop, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < shop->rig->n_decisions; i++) {
        n += strstr(shop->rig->decision[i], text) ? 1 : 0;
    }
    return n;
}

static struct skr_spotmix_row row_of(const struct shop *shop)
{
    const struct skr_spotmix *mix = skr_spotmix_scheduler_mix(skr_engine_self(shop->rig->engine));
    SKR_AUTO_FREE struct skr_spotmix_row *row = NULL;
    assert_int_equal(skr_spotmix_rows(mix, &row), 1);
    return row[0];
}

/* Table, metric and the pods of the explanation say the same. */
static void expect_drift(const struct shop *shop, size_t drift, size_t on_demand, size_t spot)
{
    const struct skr_spotmix *mix = skr_spotmix_scheduler_mix(skr_engine_self(shop->rig->engine));
    const struct skr_spotmix_row row = row_of(shop);
    SKR_AUTO_FREE struct skr_spotmix_pod_row *pod = NULL;
    struct skr_spotmix_totals totals;
    size_t drifting = 0;
    skr_spotmix_totals(mix, &totals);
    const size_t n = skr_spotmix_pod_rows(mix, row.key, &pod);
    for (size_t i = 0; i < n; i++) {
        drifting += pod[i].standing != SKR_SPOTMIX_RIGHT;
    }
    assert_int_equal(row.drift, drift);
    assert_int_equal(totals.drift, drift);
    assert_int_equal(drifting, drift);
    assert_int_equal(row.actual[SKR_SPOTMIX_ON_DEMAND], on_demand);
    assert_int_equal(row.actual[SKR_SPOTMIX_SPOT], spot);
}

static void expect_next(const struct shop *shop, const char *want)
{
    const struct skr_spotmix *mix = skr_spotmix_scheduler_mix(skr_engine_self(shop->rig->engine));
    SKR_STRBUF(page);

    assert_true(skr_spotmix_page_write_one(mix, "shop", "web", &page));
    json_auto_t *json = json_loads(page.s, 0, NULL);
    assert_string_equal(json_string_value(json_object_get(json, "next")), want);
}

/* Plays the ReplicaSet's controller for so long: what is evicted is replaced. index: of the next
 * replacement, as the webhook gives it, and of those after it; -1: it is not called. */
static void control(struct shop *shop, int seconds, int index)
{
    for (int i = 0; i < seconds; i++) {
        frame_rig_advance(shop->rig, SKR_SECOND);
        while (frame_rig_count(shop->rig, &skr_spotmix_pods) < REPLICAS) {
            if (index < 0) {
                add_unreviewed(shop, "spot-0");
            } else {
                add_reviewed(shop, index++);
            }
        }
        frame_rig_run(shop->rig);
    }
}

static void add_six_on_spot(struct shop *shop)
{
    for (int i = 0; i < REPLICAS; i++) {
        add_unreviewed(shop, "spot-0");
    }
}

/* ---- the webhook was away ---- */

TEST_WITH(shop, pods_that_all_ended_on_spot_are_drift_and_two_of_them_are_replaced)
{
    add_six_on_spot(shop);
    serve(shop);
    assert_int_equal(told(shop, "2 of the wrong class: on-demand 0 of 2, spot 6 of 4"), 1);
    control(shop, 60, 0);
    assert_int_equal(evictions(shop), 2);
    expect_drift(shop, 0, 2, 4);
    assert_int_equal(told(shop, "2 of the wrong class: one is evicted"), 1);
    control(shop, 3600, 2);
    assert_int_equal(evictions(shop), 2);
    assert_null(row_of(shop).reason);
}

TEST_WITH(shop, the_highest_index_goes_first_and_is_named)
{
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_NONE;
    add_six_on_spot(shop);
    serve(shop);
    expect_drift(shop, 2, 0, 6);
    expect_next(shop, "2 of the wrong class: they stay (spotmix.rebuild)");
    assert_int_equal(evictions(shop), 0);
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_EVICT;
    expect_next(shop, "2 of the wrong class: p-5 is evicted next"); /* it was adopted as index 7 */
}

TEST_WITH(shop, pods_are_counted_before_they_are_adopted)
{
    add_six_on_spot(shop);
    frame_rig_start(shop->rig); /* serves in two seconds */
    expect_drift(shop, 2, 0, 6);
}

TEST_WITH(shop, pods_without_a_class_are_drift_and_stay)
{
    for (int i = 0; i < 4; i++) {
        add_reviewed(shop, i);
    }
    add_unreviewed(shop, NULL);
    add_unreviewed(shop, "bare-0");
    serve(shop);
    control(shop, 60, 0);
    expect_drift(shop, 2, 2, 2);
    expect_next(shop, "2 of the wrong class: they wait for a node, or their nodes are of neither "
                      "class");
    assert_int_equal(evictions(shop), 0);
}

/* ---- the webhook is not called ---- */

#define UNCALLED(n)                                                                             \
    "the webhook is not called: the last " n " pods came without a review. Nothing is evicted " \
    "until a pod is reviewed. Check the MutatingWebhookConfiguration, its Service and the "     \
    "label sakkara.spotmix of the namespace, then delete a pod"

TEST_WITH(shop, evictions_end_when_replacements_come_without_a_review)
{
    add_six_on_spot(shop);
    serve(shop);
    control(shop, 7200, -1);
    assert_int_equal(evictions(shop), SKR_SPOTMIX_UNREVIEWED_MAX);
    expect_drift(shop, 2, 0, 6);
    assert_string_equal(row_of(shop).reason, "WebhookNotCalled");
    assert_int_equal(told(shop, UNCALLED("2")), 1);
    expect_next(shop, UNCALLED("2"));
}

TEST_WITH(shop, nothing_is_evicted_where_no_pod_that_came_was_reviewed)
{
    serve(shop);
    add_six_on_spot(shop);
    control(shop, 7200, -1);
    assert_int_equal(evictions(shop), 0);
    expect_drift(shop, 2, 0, 6);
    expect_next(shop, UNCALLED("6"));
}

/* API servers still call the leader before it. */
TEST_WITH(shop, what_a_new_leader_was_not_asked_about_yet_is_repaired)
{
    frame_rig_start(shop->rig);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME);
    add_six_on_spot(shop);
    control(shop, (int)(SKR_SPOTMIX_REACH_TIME / SKR_SECOND) - 2, -1);
    assert_int_equal(evictions(shop), 0);
    expect_drift(shop, 2, 0, 6);
    control(shop, 60, 0);
    assert_int_equal(evictions(shop), 2);
    expect_drift(shop, 0, 2, 4);
    assert_null(row_of(shop).reason);
}

TEST_WITH(shop, a_reviewed_pod_lets_the_rebuild_go_on)
{
    serve(shop);
    add_six_on_spot(shop);
    control(shop, 3600, -1);
    assert_int_equal(evictions(shop), 0);
    frame_rig_delete(shop->rig, &skr_spotmix_pods, "shop/p-0"); /* as the message says */
    control(shop, 60, 0);
    assert_int_equal(evictions(shop), 1);
    expect_drift(shop, 0, 2, 4);
    assert_null(row_of(shop).reason);
}

/* The pods came one by one: the first look at them saw one wrong pod alone. */
TEST_WITH(shop, a_rebuild_goes_on_while_its_evictions_help)
{
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web",
                   "{'metadata':{'labels':{'" K "-max-on-demand-count':'5'}}}");
    shop->max = 5;
    serve(shop);
    add_six_on_spot(shop);
    control(shop, 60, -1);
    frame_rig_delete(shop->rig, &skr_spotmix_pods, "shop/p-0");
    control(shop, 600, 0);
    assert_int_equal(evictions(shop), 4);
    expect_drift(shop, 0, 5, 1);
}

TEST_WITH(shop, one_review_that_was_missed_is_repaired)
{
    for (int i = 1; i < REPLICAS; i++) {
        add_reviewed(shop, i);
    }
    serve(shop);
    add_unreviewed(shop, "spot-0");
    control(shop, 60, 0);
    assert_int_equal(evictions(shop), 1);
    expect_drift(shop, 0, 2, 4);
}

TEST_WITH(shop, pods_that_came_while_the_switch_was_off_say_nothing_of_the_webhook)
{
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web",
                   "{'metadata':{'labels':{'" K "':null}}}");
    serve(shop);
    add_six_on_spot(shop);
    frame_rig_run(shop->rig);
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web",
                   "{'metadata':{'labels':{'" K "':'true'}}}");
    frame_rig_run(shop->rig);
    assert_null(row_of(shop).reason);
    control(shop, 60, 0);
    expect_drift(shop, 0, 2, 4);
}

static void add_member(struct shop *shop)
{
    frame_rig_add(shop->rig, &skr_spotmix_pods, "shop/db-0",
                  "{'metadata':{'ownerReferences':[{'apiVersion':'apps/v1','kind':'StatefulSet',"
                  "'name':'db','uid':'%s','controller':true}]},'spec':{'nodeName':'spot-0'},"
                  "'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}",
                  frame_rig_text(shop->rig, &skr_spotmix_stateful_sets, "shop/db", "metadata.uid"));
}

TEST_WITH(shop, a_member_of_a_statefulset_is_not_evicted_for_ever_either)
{
    frame_rig_delete(shop->rig, &skr_spotmix_deployments, "shop/web");
    frame_rig_add(shop->rig, &skr_spotmix_stateful_sets, "shop/db",
                  "{'metadata':{'labels':{'" K "':'true','" K "-max-on-demand-count':'1'}},"
                  "'spec':{'replicas':1}}");
    add_member(shop);
    serve(shop);
    for (int i = 0; i < 3600; i++) {
        frame_rig_advance(shop->rig, SKR_SECOND);
        if (frame_rig_count(shop->rig, &skr_spotmix_pods) == 0) {
            add_member(shop);
        }
    }
    assert_int_equal(evictions(shop), SKR_SPOTMIX_UNREVIEWED_MAX);
    expect_drift(shop, 1, 0, 1);
    assert_string_equal(row_of(shop).reason, "WebhookNotCalled");
}

/* Replacements are reviewed, and come as what they were. */
TEST_WITH(shop, evictions_that_change_nothing_end)
{
    add_six_on_spot(shop);
    serve(shop);
    control(shop, 7200, 20);
    assert_int_equal(evictions(shop), SKR_SPOTMIX_IN_VAIN_MAX);
    assert_int_equal(told(shop, "left as they are: 3 evictions changed nothing"), 1);
    expect_next(shop,
                "2 of the wrong class are left as they are: the rebuild made no progress. Change "
                "the maximum to try again");
}

TEST_WITH(shop, a_template_is_not_stamped_where_the_webhook_is_not_called)
{
    const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH;
    const struct frame_rig_match match = {.verb = &patch, .resource = &skr_spotmix_deployments};
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_ROLLOUT;
    serve(shop);
    add_six_on_spot(shop);
    control(shop, 60, -1);
    assert_int_equal(frame_rig_writes(shop->rig, &match), 0);
    expect_next(shop, UNCALLED("6"));
}

/* ---- what is no drift, or is left ---- */

static void add_six(struct shop *shop)
{
    for (int i = 0; i < REPLICAS; i++) {
        add_reviewed(shop, i);
    }
}

TEST_WITH(shop, what_is_as_the_rule_wants_it_is_no_drift)
{
    add_six(shop);
    serve(shop);
    expect_drift(shop, 0, 2, 4);
    frame_rig_delete(shop->rig, &skr_spotmix_pods, "shop/p-0"); /* its replacement comes */
    frame_rig_run(shop->rig);
    expect_drift(shop, 0, 1, 4);
}

TEST_WITH(shop, a_scale_down_that_is_under_way_is_no_drift)
{
    add_six(shop);
    serve(shop);
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-a", "{'spec':{'replicas':3}}");
    frame_rig_run(shop->rig);
    expect_drift(shop, 0, 2, 4);
}

TEST_WITH(shop, a_scale_down_that_took_an_on_demand_pod_is_repaired)
{
    add_six(shop);
    serve(shop);
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-a", "{'spec':{'replicas':5}}");
    frame_rig_delete(shop->rig, &skr_spotmix_pods, "shop/p-1"); /* it was not Ready */
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_NONE;
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    expect_drift(shop, 1, 1, 4);
    expect_next(shop, "1 of the wrong class: they stay (spotmix.rebuild)");
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_EVICT;
    frame_rig_edit(shop->rig, &skr_spotmix_pods, "shop/p-0", "{'metadata':{'labels':{'a':'b'}}}");
    frame_rig_run(shop->rig);
    assert_int_equal(evictions(shop), 1);
    add_reviewed(shop, 1);
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    expect_drift(shop, 0, 2, 3);
    assert_int_equal(evictions(shop), 1);
}

/* The API server refused the pods of the indices 0 to 2 after their reviews, too late to know. */
TEST_WITH(shop, reviewed_pods_that_all_are_spot_are_drift_and_are_replaced_one_by_one)
{
    for (int i = 0; i < REPLICAS; i++) {
        add_reviewed(shop, i + 3);
    }
    serve(shop);
    assert_int_equal(told(shop, "2 of the wrong class: on-demand 0 of 2, spot 6 of 4"), 1);
    control(shop, 60, 0);
    assert_int_equal(evictions(shop), 2);
    expect_drift(shop, 0, 2, 4);
}

TEST_WITH(shop, an_older_replicaset_that_shrinks_is_no_drift)
{
    add_six(shop);
    serve(shop);
    add_replica_set(shop, "web-b", 2, 1);
    add_reviewed_to(shop, "web-b", "on-0", 0, "on-demand");
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-a", "{'spec':{'replicas':5}}");
    frame_rig_delete(shop->rig, &skr_spotmix_pods, "shop/p-0"); /* as its cost says */
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    expect_drift(shop, 0, 2, 4);
}

TEST_WITH(shop, a_pod_whose_node_changed_its_class_is_drift_and_stays)
{
    add_six(shop);
    serve(shop);
    frame_rig_edit(shop->rig, &skr_spotmix_nodes, "on-0",
                   "{'metadata':{'labels':{'node.kubernetes.io/capacity':'spot'}}}");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    expect_drift(shop, 2, 2, 4);
    expect_next(shop, "2 of the wrong class: they stay, as their nodes were of their class when "
                      "they came");
    assert_int_equal(evictions(shop), 0);
}

TEST_WITH(shop, pods_that_are_pinned_are_neither_drift_nor_counted)
{
    for (int i = 0; i < 3; i++) {
        add_reviewed(shop, i);
    }
    for (int i = 0; i < 3; i++) {
        add_unreviewed(shop, "spot-0");
        frame_rig_edit(shop->rig, &skr_spotmix_pods, test_text("shop/p-%d", shop->made - 1),
                       "{'spec':{'nodeSelector':{'node.kubernetes.io/capacity':'spot'}}}");
    }
    serve(shop);
    control(shop, 60, 0);
    expect_drift(shop, 0, 2, 1);
    assert_int_equal(evictions(shop), 0);
    assert_string_equal(row_of(shop).reason, "ClassPinnedByPodSpec");
}
