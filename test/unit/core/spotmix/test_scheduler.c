/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spot mix against an API server in memory: what it answers, patches, evicts and tells people,
 * with the tests playing the controllers. Deployment shop/web (max 2), ReplicaSet shop/web-a, nodes
 * on-0 and spot-0.
 */
#include "test/test.h"

#include "core/spotmix/scheduler.h"
#include "test/unit/frame_rig.h"

#define K "cloudpilot.ai/webhook-scheduler"

struct shop {
    struct skr_spotmix_settings settings;
    struct frame_rig *rig;
    unsigned status;
    enum skr_spotmix_result result;
    unsigned answers;
};

static void answered(void *context, uint64_t request, const void *body)
{
    struct shop *shop = context;
    const struct skr_spotmix_reply *reply = body;
    (void)request;
    shop->status = reply->status;
    shop->result = reply->result;
    shop->answers++;
}

static void add_node(struct shop *shop, const char *name, const char *class_)
{
    frame_rig_add(shop->rig, &skr_spotmix_nodes, name,
                  "{'metadata':{'labels':{'node.kubernetes.io/capacity':'%s'}},'status':{"
                  "'conditions':[{'type':'Ready','status':'True'}]}}",
                  class_);
}

/* Referred to by uid, so it is read back from the server. */
static const char *uid_of(const struct shop *shop, const struct skr_resource *resource,
                          const char *key)
{
    return frame_rig_text(shop->rig, resource, key, "metadata.uid");
}

static void add_replica_set(struct shop *shop, const char *name, int revision)
{
    char key[64];
    snprintf(key, sizeof key, "shop/%s", name);
    frame_rig_add(shop->rig, &skr_spotmix_replica_sets, key,
                  "{'metadata':{'annotations':{'deployment.kubernetes.io/revision':'%d'},"
                  "'ownerReferences':[{'apiVersion':'apps/v1','kind':'Deployment','name':'web',"
                  "'uid':'%s','controller':true}]},'spec':{'replicas':4}}",
                  revision, uid_of(shop, &skr_spotmix_deployments, "shop/web"));
}

/* class NULL: no review has seen it. */
static void add_pod(struct shop *shop, const char *name, const char *owner, const char *class_,
                    int index, bool ready)
{
    char key[64], labels[256] = "", annotations[256] = "";
    snprintf(key, sizeof key, "shop/%s", owner);
    const char *uid = uid_of(shop, &skr_spotmix_replica_sets, key);
    if (class_) {
        snprintf(labels, sizeof labels, "'" K "-class':'%s','" K "-index':'%d'", class_, index);
        snprintf(annotations, sizeof annotations,
                 "'" SKR_SPOTMIX_COST_KEY "':'%s','" K "-token':'5e0c'",
                 strcmp(class_, "spot") == 0 ? "1" : "100");
    }
    snprintf(key, sizeof key, "shop/%s", name);
    frame_rig_add(shop->rig, &skr_spotmix_pods, key,
                  "{'metadata':{'labels':{%s},'annotations':{%s},'ownerReferences':[{'apiVersion':"
                  "'apps/v1','kind':'ReplicaSet','name':'%s','uid':'%s','controller':true}]},"
                  "'spec':{'nodeName':'%s-0'},'status':{'phase':'Running','conditions':[{'type':"
                  "'Ready','status':'%s'}]}}",
                  labels, annotations, owner, uid,
                  class_ && strcmp(class_, "spot") == 0 ? "spot" : "on", ready ? "True" : "False");
}

static void set_max(struct shop *shop, const char *max)
{
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web",
                   "{'metadata':{'labels':{'" K "-max-on-demand-count':'%s'}}}", max);
    if (shop->rig->engine) {
        frame_rig_run(shop->rig);
    }
}

static void shop_set_up(struct shop *shop)
{
    skr_spotmix_settings_default(&shop->settings);
    shop->rig = frame_rig_create(&skr_spotmix_scheduler, &shop->settings);
    shop->rig->answer = answered;
    shop->rig->context = shop;
    add_node(shop, "on-0", "on-demand");
    add_node(shop, "spot-0", "spot");
    frame_rig_add(shop->rig, &skr_spotmix_deployments, "shop/web",
                  "{'metadata':{'labels':{'" K "':'true','" K "-max-on-demand-count':'2'}},"
                  "'spec':{'replicas':4}}");
    add_replica_set(shop, "web-a", 1);
}

static void shop_tear_down(struct shop *shop)
{
    frame_rig_destroy(shop->rig);
}

static void serve(struct shop *shop)
{
    frame_rig_start(shop->rig);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME);
}

static void add_four(struct shop *shop)
{
    add_pod(shop, "p-0", "web-a", "on-demand", 0, true);
    add_pod(shop, "p-1", "web-a", "on-demand", 1, true);
    add_pod(shop, "p-2", "web-a", "spot", 2, true);
    add_pod(shop, "p-3", "web-a", "spot", 3, true);
}

static void post_in(struct shop *shop, const char *namespace_, const char *owner, const char *uid)
{
    static unsigned char token;
    char body[1024];
    snprintf(body, sizeof body,
             "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{"
             "\"uid\":\"u\",\"namespace\":\"%s\",\"operation\":\"CREATE\",\"resource\":{"
             "\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},\"object\":{\"metadata\":{"
             "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":"
             "\"%s\",\"uid\":\"%s\",\"controller\":true}]},\"spec\":{}}}}",
             namespace_, owner, uid);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(body, strlen(body));
    struct skr_spotmix_request request = {.body = read, .random = {++token}};
    frame_rig_request(shop->rig, SKR_SPOTMIX_REVIEW, &request);
}

static void post(struct shop *shop, const char *owner, const char *uid)
{
    post_in(shop, "shop", owner, uid);
}

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

static size_t told(const struct shop *shop, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < shop->rig->n_decisions; i++) {
        n += strstr(shop->rig->decision[i], text) ? 1 : 0;
    }
    return n;
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

/* ---- reviews ---- */

TEST_WITH(shop, nothing_is_answered_before_two_seconds_have_passed)
{
    char uid[64];
    frame_rig_start(shop->rig);
    snprintf(uid, sizeof uid, "%s", uid_of(shop, &skr_spotmix_replica_sets, "shop/web-a"));
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 503);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME);
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 200);
    assert_int_equal(shop->result, SKR_SPOTMIX_PATCHED);
}

TEST_WITH(shop, a_standby_answers_503_and_a_new_leader_waits)
{
    char uid[64];
    serve(shop);
    snprintf(uid, sizeof uid, "%s", uid_of(shop, &skr_spotmix_replica_sets, "shop/web-a"));
    frame_rig_lead(shop->rig, false);
    frame_rig_run(shop->rig);
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 503);
    frame_rig_lead(shop->rig, true);
    frame_rig_run(shop->rig);
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 503);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME);
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 200);
}

TEST_WITH(shop, an_owner_the_watch_has_not_shown_is_asked_for)
{
    char uid[64];
    serve(shop);
    shop->rig->hold_watches = true;
    add_replica_set(shop, "web-b", 2);
    snprintf(uid, sizeof uid, "%s", uid_of(shop, &skr_spotmix_replica_sets, "shop/web-b"));
    post(shop, "web-b", uid);
    assert_int_equal(shop->answers, 0);
    frame_rig_run(shop->rig);
    assert_int_equal(shop->answers, 1);
    assert_int_equal(shop->result, SKR_SPOTMIX_PATCHED);
    post(shop, "ghost", "no-such-uid");
    frame_rig_run(shop->rig);
    assert_int_equal(shop->answers, 2);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
}

TEST_WITH(shop, a_review_waits_half_a_second_at_most)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_replica_sets};
    serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_OUT_OF_ORDER, 1, &match);
    post(shop, "ghost", "no-such-uid");
    frame_rig_advance(shop->rig, SKR_SPOTMIX_LOOKUP_TIME);
    assert_int_equal(shop->answers, 1);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
    frame_rig_run(shop->rig); /* the late answer finds nobody */
    assert_int_equal(shop->answers, 1);
}

/* ---- repairs ---- */

/* Found or not. */
static size_t gets(const struct shop *shop, const struct skr_resource *resource)
{
    size_t n = 0;
    for (size_t i = 0; i < shop->rig->n_writes; i++) {
        const struct frame_rig_write *write = &shop->rig->write[i];
        n += write->verb == SKR_VERB_GET && write->resource == resource;
    }
    return n;
}

TEST_WITH(shop, reviews_that_want_one_owner_ask_for_it_once)
{
    serve(shop);
    shop->rig->hold_watches = true;
    add_replica_set(shop, "web-b", 2);
    const char *uid = uid_of(shop, &skr_spotmix_replica_sets, "shop/web-b");
    for (int i = 0; i < 100; i++) {
        post(shop, "web-b", uid);
    }
    frame_rig_run(shop->rig);
    assert_int_equal(shop->answers, 100);
    assert_int_equal(shop->result, SKR_SPOTMIX_PATCHED);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 1);
}

TEST_WITH(shop, references_to_what_is_not_there_ask_the_server_so_often_and_no_more)
{
    char name[32];
    serve(shop);
    for (int second = 0; second < 3; second++) {
        for (int i = 0; i < 100; i++) {
            snprintf(name, sizeof name, "none-%d-%d", second, i);
            post(shop, name, name);
            frame_rig_run(shop->rig);
        }
        frame_rig_advance(shop->rig, SKR_SECOND);
    }
    assert_int_equal(shop->answers, 300);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 3 * SKR_SPOTMIX_NAMESPACE_LOOKUPS_MAX);
}

/* They share one share, and leave the rest to namespaces that exist. */
TEST_WITH(shop, reviews_of_invented_namespaces_have_one_share_of_the_lookups_together)
{
    char namespace_[32];
    serve(shop);
    for (int i = 0; i < 100; i++) {
        snprintf(namespace_, sizeof namespace_, "invented-%d", i);
        post_in(shop, namespace_, "none", "none");
        frame_rig_run(shop->rig);
    }
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), SKR_SPOTMIX_NAMESPACE_LOOKUPS_MAX);
    post(shop, "none", "none");
    frame_rig_run(shop->rig);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), SKR_SPOTMIX_NAMESPACE_LOOKUPS_MAX + 1);
}

TEST_WITH(shop, all_namespaces_together_have_a_budget_of_lookups)
{
    char name[32];
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "team-%d", i);
        char key[40];
        snprintf(key, sizeof key, "%s/web", name);
        frame_rig_add(shop->rig, &skr_spotmix_deployments, key, "{'spec':{'replicas':1}}");
    }
    serve(shop);
    for (int i = 0; i < 200; i++) {
        char namespace_[32];
        snprintf(namespace_, sizeof namespace_, "team-%d", i % 20);
        snprintf(name, sizeof name, "none-%d", i);
        post_in(shop, namespace_, name, name);
        frame_rig_run(shop->rig);
    }
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), SKR_SPOTMIX_LOOKUPS_MAX);
}

/* The reads of other users' reviews never go before the Bindings of a gang. */
TEST_WITH(shop, lookups_have_a_class_behind_bindings_and_nominations)
{
    serve(shop);
    post(shop, "none", "none");
    frame_rig_run(shop->rig);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 1);
    assert_int_equal(shop->rig->write[shop->rig->n_writes - 1].class, SKR_WRITE_CLASS_LOOKUP);
    assert_true(SKR_WRITE_CLASS_COMMIT < SKR_WRITE_CLASS_LOOKUP &&
                SKR_WRITE_CLASS_MEMBER < SKR_WRITE_CLASS_LOOKUP);
}

TEST_WITH(shop, a_name_that_no_object_has_is_not_asked_for)
{
    serve(shop);
    post(shop, "../../../secrets", "u");
    frame_rig_run(shop->rig);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 0);
}

TEST_WITH(shop, a_pod_without_labels_is_adopted_as_what_its_node_is)
{
    add_pod(shop, "p-0", "web-a", NULL, 0, true);
    serve(shop);
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
    add_pod(&shop, "p-0", "web-a", NULL, 0, true);
    frame_rig_fault(shop.rig, failing->fault, 2, &match);
    serve(&shop);
    frame_rig_advance(shop.rig, 60 * SKR_SECOND);
    assert_string_equal(index_of(&shop, "shop/p-0"), "0");
    shop_tear_down(&shop);
}

TEST_WITH(shop, labels_that_somebody_takes_away_are_written_ever_more_seldom)
{
    add_pod(shop, "p-0", "web-a", NULL, 0, true);
    serve(shop);
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
    add_pod(shop, "p-0", "web-a", "spot", 2, true);
    add_pod(shop, "p-1", "web-a", "spot", 2, true);
    serve(shop);
    assert_string_equal(index_of(shop, "shop/p-0"), "2");
    assert_string_equal(index_of(shop, "shop/p-1"), "3");
}

TEST_WITH(shop, a_rollout_lets_old_on_demand_pods_go_first)
{
    add_four(shop);
    serve(shop);
    add_replica_set(shop, "web-b", 2);
    frame_rig_run(shop->rig);
    assert_string_equal(cost_of(shop, "shop/p-0"), "100"); /* it has no pods yet */
    add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
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
    add_four(shop);
    serve(shop);
    frame_rig_restart(shop->rig);
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_int_equal(patches(shop, NULL), 0);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(told(shop, "Spot mix changed"), 0);
}

TEST_WITH(shop, a_crash_after_any_write_ends_the_same)
{
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "p-%d", i);
        add_pod(shop, name, "web-a", NULL, 0, true);
    }
    set_max(shop, "9");
    frame_rig_crash_after(shop->rig, 2);
    serve(shop);
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_int_equal(frame_rig_crashes(shop->rig), 1);
    bool taken[16] = {false};
    for (int i = 0; i < 6; i++) {
        char key[16];
        snprintf(key, sizeof key, "shop/p-%d", i);
        const int32_t index = skr_spotmix_index_parse(index_of(shop, key));
        assert_true(index >= 0 && index < 16 && !taken[index]);
        taken[index] = true;
    }
}

/* ---- rebuilding ---- */

TEST_WITH(shop, a_change_of_the_maximum_evicts_one_after_the_other)
{
    add_four(shop);
    serve(shop);
    set_max(shop, "4");
    assert_int_equal(evictions(shop, "shop/p-2"), 1);
    assert_int_equal(evictions(shop, NULL), 1);
    frame_rig_advance(shop->rig, 5 * SKR_SECOND);
    assert_int_equal(evictions(shop, NULL), 1); /* its replacement is not there yet */
    add_pod(shop, "r-2", "web-a", "on-demand", 2, false);
    frame_rig_run(shop->rig);
    assert_int_equal(evictions(shop, NULL), 1); /* nor Ready */
    frame_rig_edit(shop->rig, &skr_spotmix_pods, "shop/r-2",
                   "{'status':{'conditions':[{'type':'Ready','status':'True'}]}}");
    frame_rig_run(shop->rig);
    assert_int_equal(evictions(shop, "shop/p-3"), 1);
    assert_int_equal(evictions(shop, NULL), 2);
    assert_int_equal(told(shop, "the first 4 pods"), 1);
    assert_int_equal(told(shop, "2 of the wrong class: one is evicted"), 1);
}

TEST_WITH(shop, a_change_that_alters_no_class_evicts_nobody)
{
    set_max(shop, "4");
    add_pod(shop, "p-0", "web-a", "on-demand", 0, true);
    add_pod(shop, "p-1", "web-a", "on-demand", 1, true);
    serve(shop);
    set_max(shop, "9");
    assert_int_equal(evictions(shop, NULL), 0);
}

TEST_WITH(shop, none_means_that_drift_is_reported_only)
{
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_NONE;
    add_four(shop);
    serve(shop);
    set_max(shop, "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(told(shop, "2 of the wrong class: on-demand 2 of 4, spot 2 of 0"), 1);
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
    add_four(shop);
    serve(shop);
    assert_int_equal(stamps(shop), 0);
    set_max(shop, "4");
    assert_int_equal(stamps(shop), 1);
    assert_string_equal(stamp_of(shop), "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    assert_int_equal(stamps(shop), 1);
    assert_int_equal(evictions(shop, NULL), 0);
    assert_int_equal(told(shop, "2 of the wrong class: the template is stamped"), 1);
    add_replica_set(shop, "web-b", 2); /* the controller's answer: all of them are right */
    add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
    frame_rig_run(shop->rig);
    set_max(shop, "9");
    assert_int_equal(stamps(shop), 1); /* alters no class of the newest */
    set_max(shop, "0");
    assert_int_equal(stamps(shop), 2);
    assert_string_equal(stamp_of(shop), "0");
}

TEST_WITH(shop, a_rollout_that_was_refused_is_tried_again)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_deployments, .key = "shop/web"};
    shop->settings.rebuild = SKR_SPOTMIX_REBUILD_ROLLOUT;
    add_four(shop);
    serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_SERVER_ERROR, 2, &match);
    set_max(shop, "4");
    assert_string_equal(stamp_of(shop), "");
    frame_rig_advance(shop->rig, 10 * SKR_SECOND);
    assert_string_equal(stamp_of(shop), "4");
}

TEST_WITH(shop, a_disruption_budget_is_waited_for_and_given_up_on_after_ten_minutes)
{
    const struct frame_rig_match match = {.resource = &skr_spotmix_pods, .subresource = "eviction"};
    add_four(shop);
    serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_BUSY, 1000, &match);
    set_max(shop, "4");
    frame_rig_advance(shop->rig, 60 * SKR_SECOND);
    const void *self = skr_engine_self(shop->rig->engine);
    const uint64_t blocked = skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED);
    assert_true(blocked >= 5 && blocked <= 8); /* 1, 2, 4, 8, 16, 30 s */
    frame_rig_advance(shop->rig, 600 * SKR_SECOND);
    assert_int_equal(told(shop, "left as they are"), 1);
    const uint64_t last = skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED);
    frame_rig_advance(shop->rig, 600 * SKR_SECOND);
    assert_true(skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED) == last);
    set_max(shop, "3"); /* the next change */
    assert_true(skr_spotmix_scheduler_evictions(self, SKR_SPOTMIX_EVICT_BLOCKED) > last);
}

TEST_WITH(shop, only_the_newest_replicaset_is_rebuilt)
{
    add_four(shop);
    add_replica_set(shop, "web-b", 2);
    frame_rig_edit(shop->rig, &skr_spotmix_replica_sets, "shop/web-b", "{'spec':{'replicas':1}}");
    add_pod(shop, "q-0", "web-b", "on-demand", 0, true);
    serve(shop);
    set_max(shop, "0");
    assert_int_equal(evictions(shop, "shop/q-0"), 1);
    assert_int_equal(evictions(shop, NULL), 1);
}

/* ---- what people read ---- */

TEST_WITH(shop, each_state_is_told_once)
{
    add_four(shop);
    serve(shop);
    set_max(shop, "three");
    assert_int_equal(told(shop, "not a whole number"), 1);
    set_max(shop, "2");
    frame_rig_delete(shop->rig, &skr_spotmix_nodes, "spot-0");
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web", "{'spec':{'replicas':5}}");
    frame_rig_run(shop->rig);
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web", "{'spec':{'replicas':6}}");
    frame_rig_run(shop->rig);
    assert_int_equal(told(shop, "no Ready node"), 1);
}

TEST_WITH(shop, rows_and_totals_are_what_is_there)
{
    SKR_AUTO_FREE struct skr_spotmix_row *row = NULL;
    SKR_AUTO_FREE struct skr_spotmix_pod_row *pods = NULL;
    struct skr_spotmix_totals totals;
    add_four(shop);
    serve(shop);
    const struct skr_spotmix *mix = skr_spotmix_scheduler_mix(skr_engine_self(shop->rig->engine));
    assert_int_equal(skr_spotmix_rows(mix, &row), 1);
    assert_string_equal(row->name, "web");
    assert_int_equal(row->desired[SKR_SPOTMIX_ON_DEMAND], 2);
    assert_int_equal(row->actual[SKR_SPOTMIX_SPOT], 2);
    assert_int_equal(row->drift, 0);
    assert_null(row->reason);
    assert_int_equal(skr_spotmix_pod_rows(mix, row->key, &pods), 4);
    assert_string_equal(pods[3].name, "p-3");
    assert_string_equal(pods[3].cost, "1");
    assert_null(pods[3].reason);
    skr_spotmix_totals(mix, &totals);
    assert_int_equal(totals.actual[SKR_SPOTMIX_ON_DEMAND], 2);
    assert_int_equal(totals.nodes[SKR_SPOTMIX_SPOT], 1);
}
