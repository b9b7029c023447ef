/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spot mix against an API server in memory, with the tests playing the controllers: which pods it
 * patches, and which it evicts or rolls out when the rule changes.
 */
#include "test/test.h"

#include "test/unit/spotmix_shop.h"

#define K "cloudpilot.ai/webhook-scheduler"

static size_t evictions(const struct shop *shop, const char *key)
{
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match match = {
        .verb = &create, .resource = &skr_spotmix_pods, .subresource = "eviction", .key = key};
    return frame_rig_writes(shop->rig, &match);
}

static size_t patches(const struct shop *shop, const char *key)
{
    const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH;
    const struct frame_rig_match match = {
        .verb = &patch, .resource = &skr_spotmix_pods, .key = key};
    return frame_rig_writes(shop->rig, &match);
}

static const char *index_of(const struct shop *shop, const char *key)
{
    const json_t *pod = frame_rig_get(shop->rig, &skr_spotmix_pods, key);
    const json_t *labels = json_object_get(json_object_get(pod, "metadata"), "labels");
    const char *text = json_string_value(json_object_get(labels, K "-index"));
    return text ? text : "";
}

static const char *cost_of(const struct shop *shop, const char *key)
{
    const json_t *pod = frame_rig_get(shop->rig, &skr_spotmix_pods, key);
    const json_t *annotations = json_object_get(json_object_get(pod, "metadata"), "annotations");
    const char *text = json_string_value(json_object_get(annotations, SKR_SPOTMIX_COST_KEY));
    return text ? text : "";
}

/* ---- repairs ---- */

TEST_WITH(shop, a_pod_without_labels_is_adopted_as_what_its_node_is)
{
    shop_add_pod(shop, "p-0", "web-a", NULL, 0, true);
    shop_serve(shop);
    assert_string_equal(index_of(shop, "shop/p-0"), "0");
    assert_string_equal(cost_of(shop, "shop/p-0"), "100");
    assert_int_equal(patches(shop, NULL), 1);
}

static const struct failing {
    const char *title;
    enum frame_fault fault;
} failings[] = {
    {"too many requests", FRAME_FAULT_BUSY},    {"a lost request", FRAME_FAULT_LOST_REQUEST},
    {"a lost answer", FRAME_FAULT_LOST_ANSWER}, {"a conflict", FRAME_FAULT_CONFLICT},
    {"an error", FRAME_FAULT_SERVER_ERROR},     {"forbidden", FRAME_FAULT_DENIED},
};

TEST_EACH(failing, failings, a_patch_that_fails_is_made_later)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_pods};
    struct shop shop = {0};
    shop_set_up(&shop);
    shop_add_pod(&shop, "p-0", "web-a", NULL, 0, true);
    frame_rig_fault(shop.rig, failing->fault, 2, &match);
    shop_serve(&shop);
    frame_rig_advance(shop.rig, 60 * SKR_SECOND);
    assert_string_equal(index_of(&shop, "shop/p-0"), "0");
    shop_tear_down(&shop);
}

TEST_WITH(shop, labels_that_somebody_takes_away_are_written_ever_more_seldom)
{
    shop_add_pod(shop, "p-0", "web-a", NULL, 0, true);
    shop_serve(shop);
    assert_int_equal(patches(shop, "shop/p-0"), 1);
    for (int i = 0; i < 1000; i++) {
        frame_rig_edit(shop->rig, &skr_spotmix_pods, "shop/p-0",
                       "{'metadata':{'labels':{'" K "-class':null,'" K "-index':null}}}");
        frame_rig_advance(shop->rig, SKR_SECOND / 10);
    }
    assert_true(patches(shop, "shop/p-0") < 20);
    frame_rig_advance(shop->rig, 64 * SKR_SECOND);
    assert_string_equal(index_of(shop, "shop/p-0"), "0");
}

TEST_WITH(shop, of_two_pods_with_one_index_the_later_one_moves)
{
    shop_add_pod(shop, "p-0", "web-a", "spot", 2, true);
    shop_add_pod(shop, "p-1", "web-a", "spot", 2, true);
    shop_serve(shop);
    assert_string_equal(index_of(shop, "shop/p-0"), "2");
    assert_string_equal(index_of(shop, "shop/p-1"), "3");
}

TEST_WITH(shop, a_rollout_lets_old_on_demand_pods_go_first)
{
    shop_add_four(shop);
    shop_serve(shop);
    shop_add_replica_set(shop, "web-b", 2);
    frame_rig_run(shop->rig);
    assert_string_equal(cost_of(shop, "shop/p-0"), "100"); /* it has no pods yet */
    shop_add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
    frame_rig_run(shop->rig);
    assert_string_equal(cost_of(shop, "shop/p-0"), "0");
    assert_string_equal(cost_of(shop, "shop/p-1"), "0");
    assert_string_equal(cost_of(shop, "shop/p-2"), "1");
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-a",
                   "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'3'}}}");
    frame_rig_run(shop->rig);
    assert_string_equal(cost_of(shop, "shop/p-0"), "100");
}

TEST_WITH(shop, what_is_right_is_left_alone_after_a_restart)
{
    shop_add_four(shop);
    shop_serve(shop);
    frame_rig_restart(shop->rig);
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_int_equal(patches(shop, NULL), 0);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(shop_told(shop, "Spot mix changed"), 0);
}

TEST_WITH(shop, a_crash_after_any_write_ends_the_same)
{
    for (int i = 0; i < 6; i++) {
        shop_add_pod(shop, test_text("p-%d", i), "web-a", NULL, 0, true);
    }
    shop_set_max(shop, "9");
    frame_rig_crash_after(shop->rig, 2);
    shop_serve(shop);
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_int_equal(frame_rig_crashes(shop->rig), 1);
    bool taken[16] = {false};
    for (int i = 0; i < 6; i++) {
        const int32_t index = skr_spotmix_index_parse(index_of(shop, test_text("shop/p-%d", i)));
        assert_true(index >= 0 && index < 16 && !taken[index]);
        taken[index] = true;
    }
}

/* ---- rebuilding ---- */

TEST_WITH(shop, a_change_of_the_maximum_evicts_one_after_the_other)
{
    shop_add_four(shop);
    shop_serve(shop);
    shop_set_max(shop, "4");
    assert_int_equal(evictions(shop, "shop/p-2"), 1);
    assert_int_equal(evictions(shop, NULL), 1);
    frame_rig_advance(shop->rig, 5 * SKR_SECOND);
    assert_int_equal(evictions(shop, NULL), 1); /* its replacement is not there yet */
    shop_add_pod(shop, "r-2", "web-a", "on-demand", 2, false);
    frame_rig_run(shop->rig);
    assert_int_equal(evictions(shop, NULL), 1); /* nor Ready */
    frame_rig_edit(shop->rig, &skr_spotmix_pods, "shop/r-2",
                   "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
    frame_rig_run(shop->rig);
    assert_int_equal(evictions(shop, "shop/p-3"), 1);
    assert_int_equal(evictions(shop, NULL), 2);
    assert_int_equal(shop_told(shop, "the first 4 pods"), 1);
    assert_int_equal(shop_told(shop, "2 of the wrong class: one is evicted"), 1);
}

TEST_WITH(shop, a_change_that_alters_no_class_evicts_nobody)
{
    shop_set_max(shop, "4");
    shop_add_pod(shop, "p-0", "web-a", "on-demand", 0, true);
    shop_add_pod(shop, "p-1", "web-a", "on-demand", 1, true);
    shop_serve(shop);
    shop_set_max(shop, "9");
    assert_int_equal(evictions(shop, NULL), 0);
}

TEST_WITH(shop, none_means_that_drift_is_reported_only)
{
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_NONE;
    shop_add_four(shop);
    shop_serve(shop);
    shop_set_max(shop, "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(shop_told(shop, "2 of the wrong class: on-demand 2 of 4, spot 2 of 0"), 1);
}

static size_t stamps(const struct shop *shop)
{
    const enum skr_write_verb patch = SKR_VERB_MERGE_PATCH;
    const struct frame_rig_match match = {
        .verb = &patch, .resource = &skr_spotmix_deployments, .key = "shop/web"};
    return frame_rig_writes(shop->rig, &match);
}

static const char *stamp_of(const struct shop *shop)
{
    const json_t *web = frame_rig_get(shop->rig, &skr_spotmix_deployments, "shop/web");
    const json_t *template = json_object_get(json_object_get(web, "spec"), "template");
    const json_t *meta = json_object_get(template, "metadata");
    const char *text =
        json_string_value(json_object_get(json_object_get(meta, "annotations"), K "-rolled-out"));
    return text ? text : "";
}

TEST_WITH(shop, a_rollout_stamps_the_template_once_a_change)
{
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_ROLLOUT;
    shop_add_four(shop);
    shop_serve(shop);
    assert_int_equal(stamps(shop), 0);
    shop_set_max(shop, "4");
    assert_int_equal(stamps(shop), 1);
    assert_string_equal(stamp_of(shop), "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    assert_int_equal(stamps(shop), 1);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(shop_told(shop, "2 of the wrong class: the template is stamped"), 1);
    shop_add_replica_set(shop, "web-b", 2); /* the controller's answer: all of them are right */
    shop_add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
    frame_rig_run(shop->rig);
    shop_set_max(shop, "9");
    assert_int_equal(stamps(shop), 1); /* alters no class of the newest */
    shop_set_max(shop, "0");
    assert_int_equal(stamps(shop), 2);
    assert_string_equal(stamp_of(shop), "0");
}

TEST_WITH(shop, a_rollout_that_was_refused_is_tried_again)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_deployments, .key = "shop/web"};
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_ROLLOUT;
    shop_add_four(shop);
    shop_serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_SERVER_ERROR, 2, &match);
    shop_set_max(shop, "4");
    assert_string_equal(stamp_of(shop), "");
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_string_equal(stamp_of(shop), "4");
}

TEST_WITH(shop, a_disruption_budget_is_waited_for_and_given_up_on_after_ten_minutes)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_pods, .subresource = "eviction"};
    shop_add_four(shop);
    shop_serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_BUSY, 1000, &match);
    shop_set_max(shop, "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    const void *self = skr_engine_self(shop->rig->engine);
    const uint64_t blocked = skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED);
    assert_true(blocked >= 5 && blocked <= 8); /* 1, 2, 4, 8, 16, 30 s */
    frame_rig_advance(shop->rig, 600 * SKR_SECOND);
    assert_int_equal(shop_told(shop, "left as they are"), 1);
    const uint64_t last = skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED);
    frame_rig_advance(shop->rig, 600 * SKR_SECOND);
    assert_true(skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED) == last);
    shop_set_max(shop, "3"); /* the next change */
    assert_true(skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED) > last);
}

TEST_WITH(shop, only_the_newest_replicaset_is_rebuilt)
{
    shop_add_four(shop);
    shop_add_replica_set(shop, "web-b", 2);
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-b", "{'spec':{'replicas':1}}");
    shop_add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
    shop_serve(shop);
    shop_set_max(shop, "0");
    assert_int_equal(evictions(shop, "shop/q-0"), 1);
    assert_int_equal(evictions(shop, NULL), 1);
}
