/* SPDX-License-Identifier: Apache-2.0 */
/* How the webhook's certificate, its authority and the leader's label come to where API servers look
 * for them: the thread against an API server that keeps one Secret, one configuration and pods. */
#include "test/test.h"

#include <jansson.h>

#include "server/daemon/reach.h"
#include "server/daemon/webhook_objects.h"
#include "test/unit/fake_api.h"

#define SECRET  "/api/v1/namespaces/sakkara/secrets/mix"
#define HOOK    "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/mix"
#define PODS    "/api/v1/namespaces/sakkara/pods"
#define LEADERS PODS "?labelSelector=sakkara.role%3Dleader"

enum { LEAF_S = 3600, AUTHORITY_S = 4 * LEAF_S };

struct world {
    struct fake_api *api;
    struct skr_reach *reach;
    struct skr_reach_options options;
    /* Under the lock of api. */
    bool leads;
    json_t *secret, *hook, *pods; /* pods: by name, the value of the role label or null */
    int conflicts;                /* so many changes of the Secret are refused yet */
    char *served;
    struct skr_caller_tokens accepted;
    size_t n_served;
    int64_t expires;
};

/* ---- the API server ---- */

static struct fake_reply reply(int status, const json_t *body)
{
    return (struct fake_reply){.status = status,
                               .body = body ? json_dumps(body, JSON_COMPACT) : strdup("{}")};
}

static json_t *body_of(const char *request)
{
    const char *body = strstr(request, "\n\n");
    json_t *json = json_loads(body ? body + 2 : "", 0, NULL);
    assert_non_null(json);
    return json;
}

static struct fake_reply change(json_t **object, const char *request)
{
    json_decref(*object);
    *object = body_of(request);
    return reply(200, *object);
}

static struct fake_reply list_leaders(const struct world *world)
{
    json_auto_t *list = json_pack("{s:[]}", "items");
    const char *name;
    json_t *role;
    json_object_foreach(world->pods, name, role)
    {
        if (json_is_string(role)) {
            json_array_append_new(
                json_object_get(list, "items"),
                json_pack("{s:{s:s, s:s}}", "metadata", "name", name, "uid", name));
        }
    }
    return reply(200, list);
}

static struct fake_reply pod(struct world *world, const char *request)
{
    char name[64];
    const char *at = strstr(request, PODS "/") + strlen(PODS "/");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " \n"), at);
    if (!json_object_get(world->pods, name)) {
        return reply(404, NULL);
    }
    if (strncmp(request, "PATCH", 5) == 0) {
        json_auto_t *patch = body_of(request);
        json_t *labels = json_object_get(json_object_get(patch, "metadata"), "labels");
        json_object_set(world->pods, name, json_object_get(labels, "sakkara.role"));
    }
    return reply(200, NULL);
}

static struct fake_reply respond(void *context, const char *request)
{
    struct world *world = context;
    const bool put = strncmp(request, "PUT", 3) == 0;
    if (strstr(request, LEADERS)) {
        return list_leaders(world);
    }
    if (strstr(request, PODS "/")) {
        return pod(world, request);
    }
    if (strstr(request, HOOK)) {
        return put ? change(&world->hook, request) : reply(200, world->hook);
    }
    if (put && world->conflicts > 0) {
        world->conflicts--;
        return reply(409, NULL);
    }
    return put ? change(&world->secret, request) : reply(200, world->secret);
}

/* ---- the daemon ---- */

static bool leads(void *context)
{
    struct world *world = context;
    fake_api_lock(world->api);
    const bool leading = world->leads;
    fake_api_unlock(world->api);
    return leading;
}

static int serve(void *context, const struct skr_x509_pair *pair, struct skr_error *error)
{
    struct world *world = context;
    (void)error;
    fake_api_lock(world->api);
    free(world->served);
    world->served = strdup(pair->cert);
    world->n_served++;
    fake_api_changed(world->api);
    fake_api_unlock(world->api);
    return 0;
}

static void accept_tokens(void *context, const struct skr_caller_tokens *tokens)
{
    struct world *world = context;
    fake_api_lock(world->api);
    world->accepted = *tokens;
    fake_api_changed(world->api);
    fake_api_unlock(world->api);
}

static void expires(void *context, int64_t at_s)
{
    struct world *world = context;
    fake_api_lock(world->api);
    world->expires = at_s;
    fake_api_changed(world->api);
    fake_api_unlock(world->api);
}

static json_t *hook_of(void)
{
    return json_loads(
        "{\"metadata\":{\"resourceVersion\":\"7\"},\"webhooks\":[{\"name\":\"ours\","
        "\"clientConfig\":{\"service\":{\"name\":\"mix\",\"namespace\":\"sakkara\"}}},"
        "{\"name\":\"elsewhere\",\"clientConfig\":{\"service\":{\"name\":\"mix\","
        "\"namespace\":\"other\"}}},{\"name\":\"url\",\"clientConfig\":{\"url\":"
        "\"https://x\"}}]}",
        0, NULL);
}

static void world_set_up(struct world *world)
{
    world->api = fake_api_start(NULL, false);
    world->secret = json_pack("{s:{s:s}}", "metadata", "resourceVersion", "3");
    world->hook = hook_of();
    world->pods = json_pack("{s:n, s:n}", "me", "other");
    world->leads = true;
    fake_api_respond(world->api, respond, world);
    world->options = (struct skr_reach_options){.namespace_ = "sakkara",
                                                .name = "mix",
                                                .pod = "me",
                                                .path = "/mix",
                                                .leaf_s = LEAF_S,
                                                .authority_s = AUTHORITY_S,
                                                .user_agent = "test",
                                                .leads = leads,
                                                .serve = serve,
                                                .accept = accept_tokens,
                                                .expires = expires,
                                                .context = world};
}

static void start(struct world *world)
{
    struct skr_kube_access access;
    skr_kube_access_init(&access);
    assert_int_equal(
        skr_kube_access_set_server(
            &access, test_text("http://127.0.0.1:%u", fake_api_port(world->api)), NULL),
        0);
    assert_int_equal(skr_reach_create(&world->options, &access, &world->reach, NULL), 0);
}

static void world_tear_down(struct world *world)
{
    skr_reach_destroy(world->reach);
    fake_api_stop(world->api);
    json_decref(world->secret);
    json_decref(world->hook);
    json_decref(world->pods);
    free(world->served);
}

/* Waits under the lock, which it keeps. */
static void await(struct world *world, bool (*holds)(const struct world *world))
{
    struct timespec until;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &until), 0);
    until.tv_sec += FAKE_DEADLINE_S;
    fake_api_lock(world->api);
    while (!holds(world)) {
        assert_true(fake_api_wait(world->api, &until));
    }
}

static bool is_served(const struct world *world)
{
    return world->served;
}

static bool knows_the_end(const struct world *world)
{
    return world->expires != 0;
}

static const char *bundle_in(const json_t *hook, size_t i)
{
    const json_t *webhook = json_array_get(json_object_get(hook, "webhooks"), i);
    return json_string_value(json_object_get(json_object_get(webhook, "clientConfig"), "caBundle"));
}

/* "" without one. */
static const char *path_in(const json_t *hook, size_t i)
{
    const json_t *webhook = json_array_get(json_object_get(hook, "webhooks"), i);
    const json_t *service = json_object_get(json_object_get(webhook, "clientConfig"), "service");
    const char *path = json_string_value(json_object_get(service, "path"));
    return path ? path : "";
}

/* What API servers send is what is accepted. */
static bool accepts_what_is_sent(const struct world *world)
{
    const char *path = path_in(world->hook, 0);
    return strncmp(path, "/mix/", 5) == 0 && skr_caller_tokens_accept(&world->accepted, path + 5);
}

static const char *data_of(const struct world *world, const char *key)
{
    return json_string_value(json_object_get(json_object_get(world->secret, "data"), key));
}

/* A turn after those that were under way: the role is looked at first in each. */
static void turn(struct world *world)
{
    const size_t before = fake_api_count(world->api, "GET " SECRET);
    for (size_t i = 1; i <= 2; i++) {
        skr_reach_kick(world->reach);
        fake_api_wait_count(world->api, "GET " SECRET, before + i);
    }
}

/* ---- certificates ---- */

TEST_WITH(world, a_leader_with_an_empty_secret_makes_publishes_and_serves_certificates)
{
    start(world);
    await(world, is_served);
    assert_non_null(data_of(world, "ca.key"));
    assert_non_null(data_of(world, "tls.key"));
    assert_string_equal(bundle_in(world->hook, 0), data_of(world, "ca.crt"));
    assert_null(bundle_in(world->hook, 1));
    assert_null(bundle_in(world->hook, 2));
    fake_api_unlock(world->api);
    await(world, knows_the_end);
    fake_api_unlock(world->api);
}

/* Of two leaders by mistake one is refused: what was read is what is written. */
TEST_WITH(world, secret_and_configuration_are_written_with_the_version_that_was_read)
{
    start(world);
    await(world, is_served);
    fake_api_unlock(world->api);
    SKR_AUTO_FREE char *secret = fake_api_request(world->api, "PUT " SECRET, 0);
    SKR_AUTO_FREE char *hook = fake_api_request(world->api, "PUT " HOOK, 0);
    assert_non_null(strstr(secret, "\"resourceVersion\":\"3\""));
    assert_non_null(strstr(hook, "\"resourceVersion\":\"7\""));
}

TEST_WITH(world, who_does_not_lead_serves_what_is_there_and_writes_nothing)
{
    start(world);
    await(world, is_served);
    SKR_AUTO_FREE char *first = strdup(world->served);
    fake_api_unlock(world->api);
    skr_reach_destroy(world->reach);
    world->reach = NULL;
    fake_api_lock(world->api);
    world->leads = false;
    free(world->served);
    world->served = NULL;
    fake_api_unlock(world->api);
    const size_t puts = fake_api_count(world->api, "PUT "),
                 patches = fake_api_count(world->api, "PATCH ");
    start(world);
    await(world, is_served);
    assert_string_equal(world->served, first);
    fake_api_unlock(world->api);
    turn(world);
    assert_int_equal(fake_api_count(world->api, "PUT "), puts);
    assert_int_equal(fake_api_count(world->api, "PATCH "), patches);
}

TEST_WITH(world, who_does_not_lead_serves_nothing_of_an_empty_secret)
{
    world->leads = false;
    start(world);
    fake_api_wait_count(world->api, "GET " SECRET, 1);
    turn(world);
    fake_api_lock(world->api);
    assert_null(world->served);
    world->leads = true; /* and makes them as soon as it leads */
    fake_api_unlock(world->api);
    skr_reach_kick(world->reach);
    await(world, is_served);
    fake_api_unlock(world->api);
}

TEST_WITH(world, a_conflict_is_looked_at_again)
{
    world->conflicts = 2;
    start(world);
    fake_api_wait_count(world->api, "PUT " SECRET, 1);
    skr_reach_kick(world->reach);
    fake_api_wait_count(world->api, "PUT " SECRET, 2);
    skr_reach_kick(world->reach);
    await(world, is_served);
    assert_string_equal(bundle_in(world->hook, 0), data_of(world, "ca.crt"));
    fake_api_unlock(world->api);
}

TEST_WITH(world, a_secret_of_nonsense_is_made_anew)
{
    json_object_set_new(world->secret, "data",
                        json_pack("{s:s, s:s, s:s, s:s}", "ca.crt", "bm9uc2Vuc2U=", "ca.key", "!",
                                  "tls.crt", "bm9uc2Vuc2U=", "tls.key", "bm9uc2Vuc2U="));
    start(world);
    await(world, is_served);
    assert_non_null(strstr(world->served, "BEGIN CERTIFICATE"));
    assert_string_equal(bundle_in(world->hook, 0), data_of(world, "ca.crt"));
    fake_api_unlock(world->api);
}

TEST_WITH(world, a_bundle_that_somebody_removed_is_published_again)
{
    start(world);
    await(world, is_served);
    json_decref(world->hook);
    world->hook = hook_of();
    fake_api_unlock(world->api);
    const size_t puts = fake_api_count(world->api, "PUT " HOOK);
    skr_reach_kick(world->reach);
    fake_api_wait_count(world->api, "PUT " HOOK, puts + 1);
    fake_api_lock(world->api);
    assert_string_equal(bundle_in(world->hook, 0), data_of(world, "ca.crt"));
    assert_int_equal(world->n_served, 1);
    fake_api_unlock(world->api);
}

/* Nobody answers for a while: requests are made again, and nothing is served meanwhile. */
TEST_WITH(world, an_api_server_in_trouble_is_asked_again)
{
    fake_api_expect(world->api, &(struct fake_step){.match = "GET " SECRET, .status = 500});
    fake_api_expect(world->api, &(struct fake_step){.match = "GET " SECRET, .mode = FAKE_RESET});
    start(world);
    fake_api_wait_count(world->api, "GET " SECRET, 1);
    skr_reach_kick(world->reach);
    fake_api_wait_count(world->api, "GET " SECRET, 2);
    skr_reach_kick(world->reach);
    await(world, is_served);
    fake_api_unlock(world->api);
}

/* ---- tokens ---- */

TEST_WITH(world, a_leader_makes_a_token_and_writes_it_into_the_path)
{
    start(world);
    await(world, accepts_what_is_sent);
    assert_int_equal(world->accepted.n, 1);
    assert_non_null(data_of(world, "token"));
    assert_string_equal(path_in(world->hook, 1), "");
    assert_string_equal(path_in(world->hook, 2), "");
    fake_api_unlock(world->api);
}

/* As a release without tokens has left them: certificates, and a path without a token. */
TEST_WITH(world, a_secret_and_a_path_without_a_token_get_one_and_keep_the_certificates)
{
    start(world);
    await(world, is_served);
    fake_api_unlock(world->api);
    skr_reach_destroy(world->reach);
    json_t *data = json_object_get(world->secret, "data");
    assert_int_equal(json_object_del(data, "token"), 0);
    SKR_AUTO_FREE char *certificate = strdup(json_string_value(json_object_get(data, "tls.crt")));
    json_object_set_new(
        json_object_get(json_object_get(json_array_get(json_object_get(world->hook, "webhooks"), 0),
                                        "clientConfig"),
                        "service"),
        "path", json_string("/mix"));
    world->accepted = (struct skr_caller_tokens){0};
    start(world);
    await(world, accepts_what_is_sent);
    assert_string_equal(data_of(world, "tls.crt"), certificate);
    fake_api_unlock(world->api);
}

TEST_WITH(world, a_replica_accepts_every_token_of_the_secret_and_writes_nothing)
{
    static const char current[] = "00112233445566778899aabbccddeeff"
                                  "00112233445566778899aabbccddeeff",
                      next[] = "ffeeddccbbaa99887766554433221100"
                               "ffeeddccbbaa99887766554433221100";
    struct skr_webhook_secret secret = {0};
    memcpy(secret.tokens.at[SKR_TOKEN_CURRENT].text, current, sizeof current);
    memcpy(secret.tokens.at[SKR_TOKEN_NEXT].text, next, sizeof next);
    skr_webhook_secret_write(&secret, world->secret);
    world->leads = false;
    start(world);
    turn(world);
    fake_api_lock(world->api);
    assert_true(skr_caller_tokens_accept(&world->accepted, current));
    assert_true(skr_caller_tokens_accept(&world->accepted, next));
    fake_api_unlock(world->api);
    assert_int_equal(fake_api_count(world->api, "PUT "), 0);
}

/* An apply of a manifest with a path of its own, for example. */
TEST_WITH(world, a_path_that_was_changed_is_written_again)
{
    start(world);
    await(world, accepts_what_is_sent);
    json_decref(world->hook);
    world->hook = hook_of();
    fake_api_unlock(world->api);
    skr_reach_kick(world->reach);
    await(world, accepts_what_is_sent);
    fake_api_unlock(world->api);
}

TEST_WITH(world, a_token_that_is_due_stays_in_the_path_while_replicas_learn_the_next_one)
{
    struct skr_webhook_secret secret = {0};
    assert_int_equal(skr_tokens_take(&secret.tokens, SKR_TOKENS_MAKE, 1, NULL), 0);
    const char *old = secret.tokens.at[SKR_TOKEN_CURRENT].text;
    skr_webhook_secret_write(&secret, world->secret);
    start(world);
    await(world, accepts_what_is_sent);
    assert_string_equal(path_in(world->hook, 0) + 5, old);
    assert_int_equal(world->accepted.n, 2);
    assert_non_null(data_of(world, "token.next"));
    fake_api_unlock(world->api);
}

/* ---- the role ---- */

TEST_WITH(world, the_role_is_taken_from_others_before_it_is_given)
{
    json_object_set_new(world->pods, "other", json_string("leader"));
    start(world);
    SKR_AUTO_FREE char *first = fake_api_request(world->api, "PATCH " PODS, 0);
    SKR_AUTO_FREE char *second = fake_api_request(world->api, "PATCH " PODS, 1);
    assert_non_null(strstr(first, "PATCH " PODS "/other"));
    assert_non_null(strstr(first, "\"uid\":\"other\"")); /* not from a later one of that name */
    assert_non_null(strstr(first, "{\"sakkara.role\":null}"));
    assert_non_null(strstr(second, "PATCH " PODS "/me"));
    assert_non_null(strstr(second, "{\"sakkara.role\":\"leader\"}"));
}

TEST_WITH(world, a_role_that_is_ours_is_left)
{
    json_object_set_new(world->pods, "me", json_string("leader"));
    start(world);
    fake_api_wait_count(world->api, "GET " SECRET, 1);
    turn(world);
    assert_int_equal(fake_api_count(world->api, "PATCH "), 0);
}

TEST_WITH(world, a_daemon_that_is_no_pod_gives_nobody_the_role)
{
    world->options.pod = "laptop";
    start(world);
    fake_api_wait_count(world->api, "GET " SECRET, 1);
    turn(world);
    turn(world);
    assert_int_equal(fake_api_count(world->api, "PATCH "), 0);
    assert_int_equal(fake_api_count(world->api, "GET " LEADERS), 1); /* that is known now */
}

/* ---- files ---- */

TEST_WITH(world, with_files_the_token_is_written_and_no_authority)
{
    char path[] = "/tmp/sakkara-reach-XXXXXX";
    struct skr_x509_pair pair;
    assert_int_equal(skr_reach_first_pair(&world->options, &pair, NULL), 0);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_true(file && fputs(pair.cert, file) >= 0 && fclose(file) == 0);
    world->options.cert_file = path;
    world->options.serve = NULL;
    json_object_set_new(world->secret, "data", json_pack("{s:s}", "ca.crt", "b3RoZXI="));
    start(world);
    await(world, knows_the_end);
    fake_api_unlock(world->api);
    fake_api_wait_count(world->api, "PATCH " PODS "/me", 1); /* the role is no matter of files */
    await(world, accepts_what_is_sent);
    assert_null(bundle_in(world->hook, 0));
    assert_string_equal(data_of(world, "ca.crt"), "b3RoZXI=");
    fake_api_unlock(world->api);
    assert_int_equal(remove(path), 0);
    skr_x509_pair_fini(&pair);
}
