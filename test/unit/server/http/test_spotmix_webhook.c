/* SPDX-License-Identifier: Apache-2.0 */
/* The spot mix's listener with an engine behind it, and side by side with the gate's webhook. */
#include "test/test.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/frame/engine.h"
#include "core/spotmix/object.h"
#include "server/http/gate.h"
#include "server/http/spotmix_webhook.h"
#include "server/kube/base64.h"
#include "server/lab/store/patch.h"
#include "test/unit/http_client.h"

#define TOKEN "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define NEXT  "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"
#define PATH  SKR_SPOTMIX_PATH "/" TOKEN

#define K "cloudpilot.ai/webhook-scheduler"

static const char deployment[] =
    "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"web\",\"uid\":\"d-1\",\"labels\":{\"" K
    "\":\"true\",\"" K "-max-on-demand-count\":\"1\"}}}";
static const char replica_set[] =
    "{\"metadata\":{\"namespace\":\"shop\",\"name\":\"web-a\",\"uid\":\"rs-1\",\"ownerReferences\":"
    "[{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"name\":\"web\",\"uid\":\"d-1\","
    "\"controller\":true}]}}";
#define POD                                                                                       \
    "{\"metadata\":{\"labels\":{\"sakkara.group.name\":\"g\"},\"ownerReferences\":[{\"apiVersion" \
    "\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web-a\",\"uid\":\"rs-1\",\"controller\":"  \
    "true}]},\"spec\":{\"schedulerName\":\"sakkara\"}}"
#define REVIEW(pod)                                                                              \
    "{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"request\":{\"uid\":" \
    "\"u\",\"kind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"resource\":{"         \
    "\"group\":\"\",\"version\":\"v1\",\"resource\":\"pods\"},\"namespace\":\"shop\","           \
    "\"operation\":\"CREATE\",\"object\":" pod "}}"

struct world {
    struct skr_spotmix_settings settings;
    struct skr_engine *engine;
    struct skr_spotmix_webhook *webhook;
    pthread_mutex_t lock;
    skr_time now;
    atomic_bool silent; /* the engine is busy */
    atomic_size_t posted;
};

static void handle(struct world *world, struct skr_event *event)
{
    struct skr_actions actions;
    skr_actions_init(&actions);
    pthread_mutex_lock(&world->lock);
    skr_engine_handle(world->engine, event, world->now, &actions);
    pthread_mutex_unlock(&world->lock);
    for (size_t i = 0; i < actions.n; i++) {
        if (actions.item[i].kind == SKR_ACTION_ANSWER) {
            skr_spotmix_webhook_answer(world->webhook, actions.item[i].answer.request,
                                       actions.item[i].answer.body);
        }
    }
    skr_actions_fini(&actions);
}

static void post(void *context, const struct skr_event *event, void (*release)(void *keep),
                 void *keep)
{
    struct world *world = context;
    struct skr_event copy = *event;
    world->posted++;
    if (!world->silent) {
        handle(world, &copy);
    }
    if (release) {
        release(keep);
    }
}

static uint16_t port_of(const struct world *world)
{
    return skr_listener_port(skr_spotmix_webhook_listener(world->webhook));
}

static void put(struct world *world, const struct skr_object_type *type, const char *text)
{
    struct skr_event event = {.kind = SKR_EVENT_UPSERT, .upsert = {.type = type}};
    json_t *json = json_loads(text, 0, NULL);
    assert_int_equal(type->decode(json, &event.upsert.object, NULL), 0);
    json_decref(json);
    handle(world, &event);
}

static void open_webhook(struct world *world, const struct skr_tls_files *tls)
{
    const struct skr_spotmix_webhook_options options = {
        .listen = "127.0.0.1:0", .tls = *tls, .post = post, .context = world};
    const struct skr_caller_tokens tokens = {.n = 1, .text = {TOKEN}};
    assert_int_equal(skr_spotmix_webhook_create(&options, &world->webhook, NULL), 0);
    skr_spotmix_webhook_set_tokens(world->webhook, &tokens);
}

static void world_set_up(struct world *world)
{
    struct skr_event synced = {.kind = SKR_EVENT_SYNCED}, timer = {.kind = SKR_EVENT_TIMER};
    pthread_mutex_init(&world->lock, NULL);
    skr_spotmix_settings_default(&world->settings);
    world->engine = skr_engine_create(&skr_spotmix_scheduler, &world->settings, "test");
    put(world, &skr_spotmix_deployment_type, deployment);
    put(world, &skr_spotmix_replica_set_type, replica_set);
    handle(world, &synced);
    world->now = SKR_SPOTMIX_SETTLING_TIME;
    handle(world, &timer);
}

static void world_tear_down(struct world *world)
{
    skr_listener_stop(skr_spotmix_webhook_listener(world->webhook));
    skr_spotmix_webhook_destroy(world->webhook);
    skr_engine_destroy(world->engine);
    pthread_mutex_destroy(&world->lock);
}

TEST_WITH(world, a_review_is_answered_over_http)
{
    open_webhook(world, &(struct skr_tls_files){0});
    http_expect(http_post(port_of(world), PATH, REVIEW(POD)), 200, "\"patchType\":\"JSONPatch\"");
}

static const struct refusal {
    const char *title, *method, *path;
    int status;
} refusals[] = {
    {"another path", "POST", "/mutate/" TOKEN, 403},
    {"no token", "POST", SKR_SPOTMIX_PATH, 403},
    {"an empty token", "POST", SKR_SPOTMIX_PATH "/", 403},
    {"another token", "POST", SKR_SPOTMIX_PATH "/" NEXT, 403},
    {"a token and more", "POST", PATH "/", 403},
    {"a token as an argument", "POST", SKR_SPOTMIX_PATH "?" TOKEN, 403},
    {"another method", "GET", PATH, 405},
    {"nothing", "POST", PATH, 400},
    {"its own probe", "GET", "/readyz", 200},
};

TEST_EACH(refusal, refusals, what_is_no_review_is_refused)
{
    struct world world = {0};
    world_set_up(&world);
    open_webhook(&world, &(struct skr_tls_files){0});
    http_expect(http_request(port_of(&world), refusal->method, refusal->path), refusal->status, "");
    world_tear_down(&world);
}

/* ---- callers ---- */

/* The API server adds its timeout to the path of the configuration. */
TEST_WITH(world, an_argument_behind_the_token_changes_nothing)
{
    open_webhook(world, &(struct skr_tls_files){0});
    http_expect(http_post(port_of(world), PATH "?timeout=3s", REVIEW(POD)), 200,
                "\"patchType\":\"JSONPatch\"");
}

/* The answer comes although the body never does. */
TEST_WITH(world, a_review_without_the_token_is_refused_before_its_body_is_read)
{
    open_webhook(world, &(struct skr_tls_files){0});
    for (int i = 0; i < 100; i++) {
        const int fd = http_connect(port_of(world));
        http_send_text(fd, "POST " SKR_SPOTMIX_PATH " HTTP/1.1\r\nHost: x\r\n"
                           "Content-Length: 3000000\r\n\r\n");
        http_expect(http_receive(fd), 403, "no valid token");
        http_wait_closed(fd);
        close(fd);
    }
    assert_int_equal(world->posted, 0);
}

TEST_WITH(world, no_review_is_accepted_before_the_first_token_is_set)
{
    open_webhook(world, &(struct skr_tls_files){0});
    skr_spotmix_webhook_set_tokens(world->webhook, &(struct skr_caller_tokens){0});
    http_expect(http_post(port_of(world), PATH, REVIEW(POD)), 403, "");
    assert_int_equal(world->posted, 0);
}

TEST_WITH(world, during_a_rotation_both_tokens_are_accepted_and_then_the_new_one_alone)
{
    const struct skr_caller_tokens both = {.n = 2, .text = {TOKEN, NEXT}},
                                   after = {.n = 1, .text = {NEXT}};
    open_webhook(world, &(struct skr_tls_files){0});
    const uint16_t port = port_of(world);
    skr_spotmix_webhook_set_tokens(world->webhook, &both);
    http_expect(http_post(port, PATH, REVIEW(POD)), 200, "");
    http_expect(http_post(port, SKR_SPOTMIX_PATH "/" NEXT, REVIEW(POD)), 200, "");
    skr_spotmix_webhook_set_tokens(world->webhook, &after);
    http_expect(http_post(port, PATH, REVIEW(POD)), 403, "");
    http_expect(http_post(port, SKR_SPOTMIX_PATH "/" NEXT, REVIEW(POD)), 200, "");
}

/* ---- bodies ---- */

TEST_WITH(world, a_body_that_is_too_large_is_a_bad_request)
{
    SKR_AUTO_FREE char *body = malloc(SKR_SPOTMIX_BODY_MAX + 2);
    memset(body, ' ', SKR_SPOTMIX_BODY_MAX + 1);
    body[SKR_SPOTMIX_BODY_MAX + 1] = '\0';
    open_webhook(world, &(struct skr_tls_files){0});
    http_expect(http_post(port_of(world), PATH, body), 400, "");
}

TEST_WITH(world, a_caller_that_hangs_up_leaves_nothing_behind)
{
    open_webhook(world, &(struct skr_tls_files){0});
    world->silent = true;
    const int fd = http_connect(port_of(world));
    http_send_post(fd, PATH, REVIEW(POD), strlen(REVIEW(POD)));
    close(fd);
    world->silent = false;
    http_expect(http_post(port_of(world), PATH, REVIEW(POD)), 200, "");
}

TEST_WITH(world, a_key_that_everybody_may_read_is_refused)
{
    struct http_certificates certificates;
    struct skr_error error;
    const struct skr_spotmix_webhook_options options = {
        .listen = "127.0.0.1:0", .post = post, .context = world};
    struct skr_spotmix_webhook_options with = options;
    http_certificates_make(&certificates);
    with.tls.cert = http_certificates_path(&certificates, "server.pem");
    with.tls.key = http_certificates_path(&certificates, "server.key");
    assert_int_equal(chmod(with.tls.key, 0644), 0);
    assert_int_equal(skr_spotmix_webhook_create(&with, &world->webhook, &error), -SKR_DENIED);
    assert_int_equal(chmod(with.tls.key, 0600), 0);
    assert_int_equal(skr_spotmix_webhook_create(&with, &world->webhook, &error), 0);
    http_certificates_remove(&certificates);
}

/* ---- beside the gate ---- */

static json_t *patched(json_t *pod, const char *answer)
{
    json_auto_t *json = json_loads(answer, 0, NULL);
    const char *coded =
        json_string_value(json_object_get(json_object_get(json, "response"), "patch"));
    SKR_AUTO_FREE char *text = NULL;
    size_t n;
    assert_non_null(coded);
    assert_int_equal(skr_base64_decode(coded, strlen(coded), &text, &n, NULL), 0);
    json_auto_t *patch = json_loadb(text, n, 0, NULL);
    json_t *after = skr_patch_json(pod, patch, NULL);
    assert_non_null(after);
    json_decref(pod);
    return after;
}

static json_t *through_spotmix(json_t *pod)
{
    struct skr_spotmix_settings settings;
    SKR_AUTO(skr_spotmix_destroy) struct skr_spotmix *mix = NULL;
    struct skr_spotmix_answer answer;
    skr_spotmix_settings_default(&settings);
    assert_int_equal(skr_spotmix_create(&settings, &mix, NULL), 0);
    json_t *owner = json_loads(deployment, 0, NULL), *set = json_loads(replica_set, 0, NULL);
    skr_spotmix_put(mix, SKR_SPOTMIX_DEPLOYMENT, owner);
    skr_spotmix_put(mix, SKR_SPOTMIX_REPLICA_SET, set);
    json_auto_t *review = json_loads(REVIEW("{}"), 0, NULL);
    json_object_set(json_object_get(review, "request"), "object", pod);
    SKR_AUTO_FREE char *text = json_dumps(review, 0);
    SKR_AUTO(skr_spotmix_body_unref)
    struct skr_spotmix_body *body = skr_spotmix_body_read(text, strlen(text));
    const struct skr_spotmix_review asked = {.body = body, .serving = true};
    skr_spotmix_review(mix, &asked, &answer);
    json_t *after = patched(pod, answer.body.s);
    skr_strbuf_fini(&answer.body);
    json_decref(owner);
    json_decref(set);
    return after;
}

static json_t *through_gate(json_t *pod)
{
    const struct skr_gate_options options = {.n_scheduler_names = 1, .scheduler_name = {"sakkara"}};
    SKR_STRBUF(out);
    json_auto_t *review = json_loads(REVIEW("{}"), 0, NULL);

    json_object_set(json_object_get(review, "request"), "object", pod);
    SKR_AUTO_FREE char *body = json_dumps(review, 0);
    assert_int_equal(skr_gate_review(&options, false, body, strlen(body), &out, NULL), 0);
    return patched(pod, out.s);
}

TEST(the_gate_and_the_mix_give_the_same_pod_in_either_order)
{
    json_auto_t *one = through_spotmix(through_gate(json_loads(POD, 0, NULL)));
    json_auto_t *other = through_gate(through_spotmix(json_loads(POD, 0, NULL)));
    assert_true(json_equal(one, other));
}
