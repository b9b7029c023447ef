/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Somebody who may create pods, ReplicaSets and Deployments in one namespace, against the mix: what
 * he makes large costs what it is, and what he refers to is his own.
 */
#include "test/test.h"

#include <jansson.h>

#include "core/spotmix/mix.h"
#include "core/spotmix/view.h"
#include "test/unit/growth.h"

#define K "cloudpilot.ai/webhook-scheduler"

struct world {
    struct skr_spotmix_settings settings;
    struct skr_spotmix *mix;
    size_t fixes, settled;
    uint32_t token;
};

static void put(struct world *world, enum skr_spotmix_kind kind, json_t *object)
{
    assert_non_null(object);
    skr_spotmix_put(world->mix, kind, object);
    json_decref(object);
}

static json_t *reference_to(const char *kind, const char *name, const char *uid)
{
    return json_pack("[{s:s, s:s, s:s, s:s, s:b}]", "apiVersion", "apps/v1", "kind", kind, "name",
                     name, "uid", uid, "controller", 1);
}

static void put_deployment(struct world *world, const char *namespace_, const char *uid,
                           const char *max)
{
    put(world, SKR_SPOTMIX_DEPLOYMENT,
        json_pack("{s:{s:s, s:s, s:s, s:{s:s, s:s}}}", "metadata", "namespace", namespace_, "name",
                  uid, "uid", uid, "labels", K, "true", K "-max-on-demand-count", max));
}

static void put_set(struct world *world, const char *namespace_, const char *uid,
                    const char *deployment, size_t revision)
{
    put(world, SKR_SPOTMIX_REPLICA_SET,
        json_pack("{s:{s:s, s:s, s:s, s:{s:o}, s:o}}", "metadata", "namespace", namespace_, "name",
                  uid, "uid", uid, "annotations", "deployment.kubernetes.io/revision",
                  json_sprintf("%zu", revision), "ownerReferences",
                  reference_to("Deployment", deployment, deployment)));
}

/* class_ NULL: no review has seen it. */
static void put_pod(struct world *world, const char *namespace_, const char *set, size_t number,
                    const char *class_, size_t index)
{
    json_t *labels =
        class_ ? json_pack("{s:s, s:o}", K "-class", class_, K "-index", json_sprintf("%zu", index))
               : json_object();
    put(world, SKR_SPOTMIX_POD,
        json_pack("{s:{s:s, s:o, s:o, s:o, s:o}, s:{s:s}}", "metadata", "namespace", namespace_,
                  "name", json_sprintf("%s-%zu", set, number), "uid",
                  json_sprintf("%s-%s-%zu", namespace_, set, number), "labels", labels,
                  "ownerReferences", reference_to("ReplicaSet", set, set), "spec", "nodeName",
                  "n-spot"));
}

static void put_node(struct world *world, const char *name, const char *class_)
{
    put(world, SKR_SPOTMIX_NODE,
        json_pack("{s:{s:s, s:{s:s}}, s:{s:[{s:s, s:s}]}}", "metadata", "name", name, "labels",
                  "node.kubernetes.io/capacity", class_, "status", "conditions", "type", "Ready",
                  "status", "True"));
}

static void world_set_up(struct world *world)
{
    skr_spotmix_settings_default(&world->settings);
    assert_int_equal(skr_spotmix_create(&world->settings, &world->mix, NULL), 0);
    put_node(world, "n-on", "on-demand");
    put_node(world, "n-spot", "spot");
}

static void world_tear_down(struct world *world)
{
    skr_spotmix_destroy(world->mix);
}

static void fixed(void *context, const struct skr_spotmix_fix *fix)
{
    struct world *world = context;
    assert_non_null(fix->uid);
    world->fixes++;
}

static void settled(void *context, const char *workload_key)
{
    struct world *world = context;
    assert_non_null(workload_key);
    world->settled++;
}

static bool settle(struct world *world, skr_time now)
{
    const struct skr_spotmix_settling settling = {
        .now = now, .emit = fixed, .settled = settled, .context = world};
    return skr_spotmix_settle(world->mix, &settling);
}

/* What a review of a pod of this ReplicaSet ends with. */
static enum skr_spotmix_result review(struct world *world, const char *namespace_, const char *set,
                                      const char *name, skr_time now)
{
    json_t *body =
        json_pack("{s:s, s:s, s:{s:s, s:s, s:s, s:{s:s, s:s, s:s}, s:{s:{s:o}, s:{}}}}", "kind",
                  "AdmissionReview", "apiVersion", "admission.k8s.io/v1", "request", "uid", "u",
                  "namespace", namespace_, "operation", "CREATE", "resource", "group", "",
                  "version", "v1", "resource", "pods", "object", "metadata", "ownerReferences",
                  reference_to("ReplicaSet", name, set), "spec");
    char *text = json_dumps(body, 0);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *read = skr_spotmix_body_read(text, strlen(text));
    struct skr_spotmix_review asked = {.body = read, .serving = true, .now = now};
    struct skr_spotmix_answer answer;
    for (int i = 0; i < SKR_SPOTMIX_KIND_COUNT; i++) {
        asked.tried[i] = true;
    }
    world->token++;
    memcpy(asked.random, &world->token, sizeof world->token);
    skr_spotmix_review(world->mix, &asked, &answer);
    const enum skr_spotmix_result result = answer.result;
    skr_strbuf_fini(&answer.body);
    free(text);
    json_decref(body);
    return result;
}

/* ---- what he refers to ---- */

static size_t actual(const struct world *world, const char *name)
{
    struct skr_spotmix_row *row;
    const size_t n = skr_spotmix_rows(world->mix, &row);
    size_t pods = 0;
    for (size_t i = 0; i < n; i++) {
        pods += strcmp(row[i].name, name) == 0
                    ? row[i].actual[SKR_SPOTMIX_ON_DEMAND] + row[i].actual[SKR_SPOTMIX_SPOT]
                    : 0;
    }
    free(row);
    return pods;
}

TEST_WITH(world, pods_of_another_namespace_hold_no_index_of_a_workload)
{
    /* Also before anything is known of that workload. */
    put_pod(world, "his", "web-a", 0, "on-demand", 0);
    put_pod(world, "his", "web-a", 1, "on-demand", 1);
    put_deployment(world, "shop", "web", "2");
    put_set(world, "shop", "web-a", "web", 1);
    put_pod(world, "his", "web-a", 2, "spot", 2);
    put_pod(world, "shop", "web-a", 0, "on-demand", 0);
    settle(world, 1);
    assert_int_equal(actual(world, "web"), 1);

    assert_int_equal(review(world, "his", "web-a", "web-a", 1), SKR_SPOTMIX_OWNER_UNKNOWN);
    assert_int_equal(review(world, "shop", "web-a", "web-a", 1), SKR_SPOTMIX_PATCHED);
}

TEST_WITH(world, a_uid_that_was_called_something_else_is_what_its_object_is)
{
    put(world, SKR_SPOTMIX_POD,
        json_pack("{s:{s:s, s:s, s:s, s:o}}", "metadata", "namespace", "shop", "name", "p", "uid",
                  "p", "ownerReferences", reference_to("StatefulSet", "x", "web-a")));
    put_deployment(world, "shop", "web", "2");
    put_set(world, "shop", "web-a", "web", 1);
    assert_int_equal(review(world, "shop", "web-a", "web-a", 1), SKR_SPOTMIX_PATCHED);
}

TEST_WITH(world, a_replicaset_of_another_namespace_is_no_revision_of_a_deployment)
{
    struct skr_spotmix_row *row;
    struct skr_spotmix_pod_row *pod;
    put_deployment(world, "shop", "web", "2");
    put_set(world, "shop", "web-a", "web", 1);
    put_pod(world, "shop", "web-a", 0, "on-demand", 0);
    put_set(world, "his", "bad", "web", 9);
    put_pod(world, "his", "bad", 0, "on-demand", 0);
    settle(world, 1);
    assert_int_equal(world->fixes, 0); /* a newer revision would make the cost of shop's pods 0 */
    assert_int_equal(skr_spotmix_rows(world->mix, &row), 1);
    assert_int_equal(skr_spotmix_pod_rows(world->mix, row->key, &pod), 1);
    assert_string_equal(pod->owner, "web-a");
    free(pod);
    free(row);
}

TEST_WITH(world, a_reference_longer_than_any_is_none)
{
    char text[4096];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    put_deployment(world, "shop", "web", "2");
    put_set(world, "shop", text, "web", 1);
    put_set(world, "shop", "web-b", text, 1);
    put_pod(world, "shop", text, 0, "on-demand", 0);
    settle(world, 1);
    assert_int_equal(actual(world, "web"), 0);
    assert_int_equal(review(world, "shop", text, "web-a", 1), SKR_SPOTMIX_OWNER_UNKNOWN);
    assert_int_equal(review(world, "shop", "rs", text, 1), SKR_SPOTMIX_OWNER_UNKNOWN);
}

/* ---- what he makes large ---- */

/* A world with a Deployment of one ReplicaSet. */
static void begin_web(struct world *world, const char *replicas)
{
    world_set_up(world);
    put_deployment(world, "shop", "web", replicas);
    put_set(world, "shop", "web-a", "web", 1);
}

static void part_and_adopt(void *context, size_t n)
{
    struct world world = {.fixes = 0};
    (void)context;
    begin_web(&world, "3");
    for (size_t i = 0; i < n; i++) {
        put_pod(&world, "shop", "web-a", i, i % 2 == 0 ? "spot" : NULL, 7);
    }
    settle(&world, SKR_TIME_NEVER);
    assert_int_equal(world.fixes, n - 1);
    world_tear_down(&world);
}

TEST(thousands_of_pods_of_one_index_or_of_none_cost_what_they_are)
{
    assert_cost_is_linear(part_and_adopt, NULL, 48000);
}

static void drift_behind_the_highest(void *context, size_t n)
{
    struct world world = {.fixes = 0};
    (void)context;
    begin_web(&world, "2147483647");
    for (size_t i = 0; i < n; i++) {
        put_pod(&world, "shop", "web-a", i, NULL, 0);
    }
    settle(&world, SKR_TIME_NEVER);
    assert_int_equal(world.fixes, n);
    world_tear_down(&world);
}

TEST(thousands_of_spot_pods_that_no_index_fits_cost_what_they_are)
{
    assert_cost_is_linear(drift_behind_the_highest, NULL, 48000);
}

static void have_revisions(void *context, size_t n)
{
    struct world world = {.fixes = 0};
    (void)context;
    world_set_up(&world);
    put_deployment(&world, "shop", "web", "3");
    for (size_t i = 0; i < n; i++) {
        put_set(&world, "shop", test_text("web-%zu", i), "web", i + 1);
    }
    settle(&world, SKR_TIME_NEVER);
    world_tear_down(&world);
}

TEST(thousands_of_revisions_cost_what_they_are)
{
    assert_cost_is_linear(have_revisions, NULL, 16000);
}

/* n ReplicaSets, and a reservation that nobody confirms in each, one after the other. */
static void reserve_in_vain(void *context, size_t n)
{
    struct world world = {.fixes = 0};
    struct skr_spotmix_totals totals;
    char name[32];
    (void)context;
    world_set_up(&world);
    put_deployment(&world, "shop", "web", "3");
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "web-%zu", i);
        put_set(&world, "shop", name, "web", i + 1);
        assert_int_equal(review(&world, "shop", name, name, (skr_time)i), SKR_SPOTMIX_PATCHED);
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(skr_spotmix_expiry(world.mix),
                         (skr_time)i + world.settings.reservation_ttl);
        skr_spotmix_expire(world.mix, skr_spotmix_expiry(world.mix));
    }
    skr_spotmix_totals(world.mix, &totals);
    assert_int_equal(totals.reservations, 0);
    assert_int_equal(totals.expired, n);
    assert_int_equal(skr_spotmix_expiry(world.mix), SKR_TIME_NEVER);
    world_tear_down(&world);
}

TEST(reservations_that_nobody_confirms_cost_what_they_are_when_they_expire)
{
    assert_cost_is_linear(reserve_in_vain, NULL, 8000);
}

TEST_WITH(world, a_workload_of_many_pods_is_looked_at_seldom_and_reviews_know_them_all_the_same)
{
    enum { PODS = SKR_SPOTMIX_SETTLED_AT_ONCE + 500 };
    put_deployment(world, "shop", "small", "3");
    put_set(world, "shop", "small-a", "small", 1);
    put_deployment(world, "shop", "web", "3");
    put_set(world, "shop", "web-a", "web", 1);
    for (size_t i = 0; i < PODS; i++) {
        put_pod(world, "shop", "web-a", i, i < 3 ? "on-demand" : "spot", i);
    }
    assert_true(settle(world, 1));
    assert_int_equal(world->settled, 2);
    for (size_t i = 0; i < 100; i++) {
        skr_spotmix_drop(world->mix, SKR_SPOTMIX_POD, "shop", "shop-web-a-4");
        put_pod(world, "shop", "web-a", 4, "spot", 4);
        put_pod(world, "shop", "small-a", 0, "on-demand", 0);
        assert_true(settle(world, 2)); /* the small one */
    }
    assert_int_equal(world->settled, 102);
    const skr_time due = skr_spotmix_settles_at(world->mix);
    assert_true(due > 2 && due < SKR_SECOND);
    skr_spotmix_drop(world->mix, SKR_SPOTMIX_POD, "shop", "shop-web-a-1");
    assert_int_equal(review(world, "shop", "web-a", "web-a", 2), SKR_SPOTMIX_PATCHED);
    assert_false(settle(world, due - 1));
    assert_true(settle(world, due));
    assert_int_equal(world->settled, 103);
    assert_int_equal(skr_spotmix_settles_at(world->mix), SKR_TIME_NEVER);
}

TEST_WITH(world, a_pod_of_more_terms_than_are_patched_is_left_alone_and_holds_nothing)
{
    json_t *terms = json_array();
    put_deployment(world, "shop", "web", "2");
    put_set(world, "shop", "web-a", "web", 1);
    for (size_t i = 0; i <= SKR_SPOTMIX_TERMS_MAX; i++) {
        json_array_append_new(terms, json_pack("{s:[{s:s, s:s}]}", "matchExpressions", "key",
                                               "zone", "operator", "Exists"));
    }
    put(world, SKR_SPOTMIX_POD,
        json_pack("{s:{s:s, s:s, s:s, s:{s:s, s:s}, s:o}, s:{s:s, s:{s:{s:{s:o}}}}}", "metadata",
                  "namespace", "shop", "name", "p", "uid", "p", "labels", K "-class", "on-demand",
                  K "-index", "0", "ownerReferences", reference_to("ReplicaSet", "web-a", "web-a"),
                  "spec", "nodeName", "n-on", "affinity", "nodeAffinity",
                  "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", terms));
    settle(world, 1);
    assert_int_equal(world->fixes, 0);
    assert_int_equal(actual(world, "web"), 0);
}
