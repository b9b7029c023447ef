/* SPDX-License-Identifier: Apache-2.0 */
/* Estimators that answer, fail in every way, or are not there. */
#include "server/daemon/estimator_client.h"

#include <pthread.h>

#include "core/propagation/estimator_wire.h"
#include "server/clock.h"
#include "server/thread.h"
#include "test/test.h"
#include "test/unit/fake_api.h"
#include "test/unit/fake_grpc.h"

enum { REPLIES_MAX = 300, DEADLINE_S = 60 };

static char big[70000 + 5] = {0, 0, 1, 0x11, 0x70};
static const struct fake_grpc_answer answers[] = {
    {"good", FAKE_GRPC_ANSWER, "\0\0\0\0\x02\x08\x07", 7},
    {"split", FAKE_GRPC_SPLIT, "\0\0\0\0\x02\x08\x07", 7},
    {"unsure", FAKE_GRPC_ANSWER, "\0\0\0\0\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16},
    {"zero", FAKE_GRPC_ANSWER, "\0\0\0\0\0", 5},
    {"empty", FAKE_GRPC_ANSWER, "", 0},
    {"compressed", FAKE_GRPC_ANSWER, "\1\0\0\0\x02\x08\x07", 7},
    {"two", FAKE_GRPC_ANSWER, "\0\0\0\0\0\0\0\0\0\0", 10},
    {"big", FAKE_GRPC_ANSWER, big, sizeof big},
    {"silent", FAKE_GRPC_SILENT, NULL, 0},
    {"closed", FAKE_GRPC_CLOSE, NULL, 0},
    {"denied", FAKE_GRPC_DENY, NULL, 0},
    {"html", FAKE_GRPC_NO_GRPC, NULL, 0},
    {"endless", FAKE_GRPC_NO_STATUS, "\0\0\0\0\x02\x08\x07", 7},
    {0},
};

struct world {
    struct fake_grpc *server;
    struct skr_config_estimators options;
    struct skr_estimator_client *client;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    /* Of the last query that has ended. */
    size_t n_done;
    uint64_t id;
    char key[64];
    size_t n;
    char text[REPLIES_MAX][160]; /* the number, or the failure */
};

static void on_replies(void *context, const struct skr_replies *replies,
                       void (*release)(void *keep), void *keep)
{
    struct world *world = context;
    pthread_mutex_lock(&world->lock);
    world->id = replies->id;
    world->n = replies->n;
    snprintf(world->key, sizeof world->key, "%s", replies->key);
    for (size_t i = 0; i < replies->n; i++) {
        const struct skr_reply *reply = &replies->reply[i];
        int32_t number = 0;
        struct skr_error error;
        if (reply->answered) {
            skr_bug_on(skr_estimator_read_answer(reply->body, reply->body_len, &number, &error) <
                       0);
            snprintf(world->text[i], sizeof world->text[i], "%d", (int)number);
        } else {
            snprintf(world->text[i], sizeof world->text[i], "%s", reply->failure);
        }
    }
    world->n_done++;
    pthread_cond_broadcast(&world->wake);
    pthread_mutex_unlock(&world->lock);
    release(keep);
}

static void world_set_up(struct world *world)
{
    pthread_mutex_init(&world->lock, NULL);
    skr_thread_init_wake(&world->wake);
    world->server = fake_grpc_start(answers);
    world->options = (struct skr_config_estimators){.enabled = true,
                                                    .prefix = "estimator",
                                                    .namespace_ = "karmada",
                                                    .domain = "localhost",
                                                    .port = fake_grpc_port(world->server),
                                                    .ca_file = "",
                                                    .cert_file = "",
                                                    .key_file = ""};
    assert_int_equal(
        skr_estimator_client_create(&world->options, NULL, on_replies, world, &world->client, NULL),
        0);
}

static void world_tear_down(struct world *world)
{
    skr_estimator_client_destroy(world->client);
    fake_grpc_stop(world->server);
    pthread_cond_destroy(&world->wake);
    pthread_mutex_destroy(&world->lock);
}

static void send(struct world *world, const char *const *cluster, size_t n, skr_time timeout)
{
    struct skr_question question[REPLIES_MAX];
    for (size_t i = 0; i < n; i++) {
        question[i] = (struct skr_question){
            .service = cluster[i], .body = cluster[i], .body_len = strlen(cluster[i])};
    }
    skr_estimator_client_ask(world->client, &(struct skr_query){.id = 11,
                                                                .key = "shop/web",
                                                                .method = "MaxAvailableReplicas",
                                                                .timeout = timeout,
                                                                .n = n,
                                                                .question = question});
}

static void wait_for(struct world *world, size_t n_done)
{
    const struct timespec until = skr_clock_in(DEADLINE_S * SKR_SECOND);
    int rc = 0;
    pthread_mutex_lock(&world->lock);
    while (world->n_done < n_done && rc == 0) {
        rc = pthread_cond_timedwait(&world->wake, &world->lock, &until);
    }
    pthread_mutex_unlock(&world->lock);
    assert_int_equal(rc, 0);
}

static const char *ask(struct world *world, const char *cluster)
{
    const size_t before = world->n_done;
    send(world, &cluster, 1, DEADLINE_S * SKR_SECOND);
    wait_for(world, before + 1);
    return world->text[0];
}

TEST_WITH(world, answers_come_in_the_order_of_the_questions)
{
    static const char *const cluster[] = {"good", "unsure", "zero", "split"};
    send(world, cluster, 4, DEADLINE_S * SKR_SECOND);
    wait_for(world, 1);
    assert_int_equal(world->id, 11);
    assert_string_equal(world->key, "shop/web");
    assert_int_equal(world->n, 4);
    assert_string_equal(world->text[0], "7");
    assert_string_equal(world->text[1], "-1");
    assert_string_equal(world->text[2], "0");
    assert_string_equal(world->text[3], "7");
}

TEST_WITH(world, without_tls_each_call_has_a_connection)
{
    for (int i = 0; i < 5; i++) {
        assert_string_equal(ask(world, "good"), "7");
    }
    assert_int_equal(fake_grpc_connections(world->server), 5);
}

TEST_WITH(world, each_wrong_answer_has_its_text)
{
    static const struct {
        const char *cluster, *want;
    } row[] = {
        {"empty", "the answer has 0 bytes, less than a message"},
        {"compressed", "the answer is compressed"},
        {"two", "the answer has 5 bytes behind its head, which says 0"},
        {"big", "the answer has more than 65536 bytes"},
        {"denied", "grpc-status 16: no?way"},
        {"html", "HTTP status 404, and no answer of gRPC"},
        {"endless", "the answer has no grpc-status"},
        {"Upper", "its name cannot be that of a host"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_string_equal(ask(world, row[i].cluster), row[i].want);
    }
    assert_string_equal(ask(world, "good"), "7");
}

TEST_WITH(world, a_connection_that_is_closed_is_a_failure)
{
    assert_true(ask(world, "closed")[0] > '9');
    assert_string_equal(ask(world, "good"), "7");
}

TEST_WITH(world, a_silent_estimator_costs_its_timeout_and_the_others_answer)
{
    static const char *const cluster[] = {"good", "silent"};
    static const char *const other = "good";
    send(world, cluster, 2, 2 * SKR_SECOND);
    send(world, &other, 1, DEADLINE_S * SKR_SECOND);
    wait_for(world, 1);
    assert_int_equal(world->n, 1); /* the later query did not wait */
    wait_for(world, 2);
    assert_string_equal(world->text[0], "7");
    assert_string_equal(world->text[1], "no answer in time");
}

TEST_WITH(world, a_port_without_a_server_is_a_failure_at_once)
{
    struct fake_grpc *gone = fake_grpc_start(answers);
    world->options.port = fake_grpc_port(gone);
    fake_grpc_stop(gone);
    assert_string_equal(ask(world, "good"), "Couldn't connect to server");
}

TEST_WITH(world, more_questions_than_calls_are_answered_one_after_the_other)
{
    static char name[REPLIES_MAX][16];
    const char *cluster[REPLIES_MAX];
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        snprintf(name[i], sizeof name[i], "good");
        cluster[i] = name[i];
    }
    send(world, cluster, REPLIES_MAX, DEADLINE_S * SKR_SECOND);
    wait_for(world, 1);
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        assert_string_equal(world->text[i], "7");
    }
}

TEST_WITH(world, where_all_calls_are_taken_questions_end_with_their_timeout)
{
    const char *cluster[REPLIES_MAX];
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        cluster[i] = "silent";
    }
    send(world, cluster, REPLIES_MAX, SKR_SECOND);
    wait_for(world, 1);
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        assert_true(world->text[i][0] != '\0');
    }
}

TEST_WITH(world, a_client_that_is_stopped_leaves_questions_without_replies)
{
    static const char *const cluster[] = {"silent", "silent", "good"};
    send(world, cluster, 3, DEADLINE_S * SKR_SECOND);
    skr_estimator_client_stop(world->client);
    send(world, cluster, 3, DEADLINE_S * SKR_SECOND);
    skr_estimator_client_stop(world->client);
    assert_int_equal(world->n_done, 0);
}

TEST_WITH(world, a_file_that_is_not_there_is_an_error)
{
    struct skr_config_estimators options = world->options;
    struct skr_estimator_client *client = NULL;
    struct skr_error error = {.text = ""};
    options.ca_file = "/nowhere/ca.crt";
    assert_int_equal(
        skr_estimator_client_create(&options, NULL, on_replies, world, &client, &error),
        -SKR_NOT_FOUND);
    assert_non_null(strstr(error.text, "/nowhere/ca.crt"));
}

/* ---- where estimators are ---- */

/* A client that reads Services of api; DNS has names in domain alone. */
static void find_by_services(struct world *world, struct fake_api *api, const char *domain)
{
    struct skr_kube_access access;
    skr_estimator_client_destroy(world->client);
    world->client = NULL;
    world->options.domain = domain;
    skr_kube_access_init(&access);
    assert_int_equal(skr_kube_access_set_server(
                         &access, test_text("http://127.0.0.1:%d", (int)fake_api_port(api)), NULL),
                     0);
    assert_int_equal(skr_estimator_client_create(&world->options, &access, on_replies, world,
                                                 &world->client, NULL),
                     0);
    skr_kube_access_fini(&access);
}

static void answer(struct fake_api *api, int status, const char *body)
{
    fake_api_expect(api, &(struct fake_step){.match = "GET ", .status = status, .body = body});
}

TEST_WITH(world, an_external_name_is_where_the_estimator_is_for_a_minute)
{
    struct fake_api *api = fake_api_start(NULL, false);
    char body[256];
    snprintf(body, sizeof body,
             "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"localhost\",\"ports\":["
             "{\"port\":1,\"targetPort\":1},{\"port\":10352,\"targetPort\":%d}]}}",
             (int)fake_grpc_port(world->server));
    world->options.port = 10352;
    find_by_services(world, api, "invalid");
    answer(api, 200, body);
    assert_string_equal(ask(world, "good"), "7");
    assert_string_equal(ask(world, "good"), "7");
    assert_int_equal(fake_api_count(api, ""), 1);
    char *request = fake_api_request(api, "", 0);
    assert_non_null(strstr(request, "GET /api/v1/namespaces/karmada/services/estimator-good\n"));
    free(request);
    fake_api_stop(api);
}

TEST_WITH(world, without_such_a_service_its_name_is_that_of_the_host)
{
    static const char own[] = "{\"spec\":{\"type\":\"ClusterIP\",\"clusterIP\":\"10.0.0.1\"}}";
    static const int status[] = {404, 403, 200};
    struct fake_api *api = fake_api_start(NULL, false);
    for (size_t i = 0; i < sizeof status / sizeof *status; i++) {
        find_by_services(world, api, "localhost");
        answer(api, status[i], status[i] == 200 ? own : "{}");
        assert_string_equal(ask(world, "good"), "7");
        assert_string_equal(ask(world, "good"), "7");
    }
    assert_int_equal(fake_api_count(api, ""), 3);
    fake_api_stop(api);
}

TEST_WITH(world, a_service_that_names_no_place_is_a_failure_and_read_again)
{
#define EXTERNAL(rest) "{\"spec\":{\"type\":\"ExternalName\"," rest "}}"
    static const struct {
        int status;
        const char *body, *want;
    } row[] = {
        {500, "{}", "its Service: HTTP status 500"},
        {200, "{", "its Service is no JSON"},
        {200, EXTERNAL("\"externalName\":\"a/b\""), "externalName of its Service cannot be a host"},
        {200, EXTERNAL("\"externalName\":\"a\",\"ports\":[{\"port\":2}]"),
         "its Service has no port 10352"},
        {200, EXTERNAL("\"externalName\":\"a\",\"ports\":[{\"port\":10352,\"targetPort\":\"x\"}]"),
         "its Service has no number as targetPort of port 10352"},
    };
    struct fake_api *api = fake_api_start(NULL, false);
    world->options.port = 10352;
    find_by_services(world, api, "invalid");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        answer(api, row[i].status, row[i].body);
        assert_string_equal(ask(world, "good"), row[i].want);
    }
    fake_api_stop(api);
    assert_string_equal(ask(world, "good"), "its Service: Couldn't connect to server");
}
