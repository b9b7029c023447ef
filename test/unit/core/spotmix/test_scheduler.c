/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The spot mix against an API server in memory: what it answers, what it asks the server for, and
 * what it tells people.
 */
#include "test/test.h"

#include "test/unit/spotmix_shop.h"

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

/* ---- reviews ---- */

TEST_WITH(shop, nothing_is_answered_before_two_seconds_have_passed)
{
    char uid[64];
    frame_rig_start(shop->rig);
    snprintf(uid, sizeof uid, "%s", shop_uid_of(shop, &skr_spotmix_replica_sets, "shop/web-a"));
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 503);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME);
    post(shop, "web-a", uid);
    assert_int_equal(shop->status, 200);
    assert_int_equal(shop->result, SKR_SPOTMIX_PATCHED);
}

TEST_WITH(shop, the_first_review_lets_a_new_leader_evict)
{
    const enum skr_write_verb create = SKR_VERB_CREATE;
    const struct frame_rig_match evictions = {
        .verb = &create, .resource = &skr_spotmix_pods, .subresource = "eviction"};
    shop_add_four(shop);
    shop_set_max(shop, "1");
    frame_rig_start(shop->rig);
    frame_rig_advance(shop->rig, SKR_SPOTMIX_SETTLING_TIME + SKR_SECOND);
    assert_int_equal(frame_rig_writes(shop->rig, &evictions), 0);
    post(shop, "web-a",
         test_text("%s", shop_uid_of(shop, &skr_spotmix_replica_sets, "shop/web-a")));
    assert_int_equal(frame_rig_writes(shop->rig, &evictions), 1);
}

TEST_WITH(shop, a_standby_answers_503_and_a_new_leader_waits)
{
    char uid[64];
    shop_serve(shop);
    snprintf(uid, sizeof uid, "%s", shop_uid_of(shop, &skr_spotmix_replica_sets, "shop/web-a"));
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
    shop_serve(shop);
    shop->rig->hold_watches = true;
    shop_add_replica_set(shop, "web-b", 2);
    post(shop, "web-b",
         test_text("%s", shop_uid_of(shop, &skr_spotmix_replica_sets, "shop/web-b")));
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
    shop_serve(shop);
    frame_rig_fault(shop->rig, FRAME_FAULT_OUT_OF_ORDER, 1, &match);
    post(shop, "ghost", "no-such-uid");
    frame_rig_advance(shop->rig, SKR_SPOTMIX_LOOKUP_TIME);
    assert_int_equal(shop->answers, 1);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
    frame_rig_run(shop->rig); /* the late answer finds nobody */
    assert_int_equal(shop->answers, 1);
}

/* ---- owners that are asked for ---- */

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
    shop_serve(shop);
    shop->rig->hold_watches = true;
    shop_add_replica_set(shop, "web-b", 2);
    const char *uid = shop_uid_of(shop, &skr_spotmix_replica_sets, "shop/web-b");
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
    shop_serve(shop);
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
    shop_serve(shop);
    for (int i = 0; i < 100; i++) {
        post_in(shop, test_text("invented-%d", i), "none", "none");
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
        frame_rig_add(shop->rig, &skr_spotmix_deployments, test_text("%s/web", name),
                      "{'spec':{'replicas':1}}");
    }
    shop_serve(shop);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "none-%d", i);
        post_in(shop, test_text("team-%d", i % 20), name, name);
        frame_rig_run(shop->rig);
    }
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), SKR_SPOTMIX_LOOKUPS_MAX);
}

/* The reads of other users' reviews never go before the Bindings of a gang. */
TEST_WITH(shop, lookups_have_a_class_behind_bindings_and_nominations)
{
    shop_serve(shop);
    post(shop, "none", "none");
    frame_rig_run(shop->rig);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 1);
    assert_int_equal(shop->rig->write[shop->rig->n_writes - 1].class, SKR_WRITE_CLASS_LOOKUP);
    assert_true(SKR_WRITE_CLASS_COMMIT < SKR_WRITE_CLASS_LOOKUP &&
                SKR_WRITE_CLASS_MEMBER < SKR_WRITE_CLASS_LOOKUP);
}

TEST_WITH(shop, a_name_that_no_object_has_is_not_asked_for)
{
    shop_serve(shop);
    post(shop, "../../../secrets", "u");
    frame_rig_run(shop->rig);
    assert_int_equal(shop->result, SKR_SPOTMIX_OWNER_UNKNOWN);
    assert_int_equal(gets(shop, &skr_spotmix_replica_sets), 0);
}

/* ---- what people read ---- */

TEST_WITH(shop, each_state_is_told_once)
{
    shop_add_four(shop);
    shop_serve(shop);
    shop_set_max(shop, "three");
    assert_int_equal(shop_told(shop, "not a whole number"), 1);
    shop_set_max(shop, "2");
    frame_rig_delete(shop->rig, &skr_spotmix_nodes, "spot-0");
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web", "{'spec':{'replicas':5}}");
    frame_rig_run(shop->rig);
    frame_rig_edit(shop->rig, &skr_spotmix_deployments, "shop/web", "{'spec':{'replicas':6}}");
    frame_rig_run(shop->rig);
    assert_int_equal(shop_told(shop, "no Ready node"), 1);
}

TEST_WITH(shop, rows_and_totals_are_what_is_there)
{
    SKR_AUTO_FREE struct skr_spotmix_row *row = NULL;
    SKR_AUTO_FREE struct skr_spotmix_pod_row *pods = NULL;
    struct skr_spotmix_totals totals;
    shop_add_four(shop);
    shop_serve(shop);
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
