/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients that misbehave on every listener while another one asks filter all the time and a gang
 * is on its way: the loop is answered at every turn, the gang is bound, nothing stays behind.
 */
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/gang/state/reason.h"
#include "server/object/path.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/web.h"

enum { SLOW_CLIENTS = 50, MIB = 1024 * 1024 };

#define FILTER                                                                                   \
    "{\"Pod\":{\"metadata\":{\"namespace\":\"default\",\"name\":\"probe\",\"uid\":\"probe-1\"}," \
    "\"spec\":{\"schedulerName\":\"sakkara\",\"containers\":[]}},\"Nodes\":null,\"NodeNames\":"  \
    "[\"node-0\",\"node-1\"]}"

/* ---- the loop ---- */

struct loop {
    uint16_t port;
    pthread_mutex_t lock;
    bool stop;
    size_t n, bad;
    int64_t longest_ns;
    char first_bad[512];
    pthread_t thread;
};

static bool is_good(const struct web_answer *answer)
{
    json_auto_t *json = json_loads(answer->body, 0, NULL);
    return answer->status == 200 && !skr_path_text(json, "Error")[0] &&
           json_array_size(json_object_get(json, "NodeNames")) +
                   json_object_size(json_object_get(json, "FailedAndUnresolvableNodes")) ==
               2;
}

static void *run_loop(void *context)
{
    struct loop *loop = context;
    bool stop = false;
    while (!stop) {
        struct web_answer answer = web_ask("POST", loop->port, "/v1/filter", FILTER, NULL, 20000);
        bool good = is_good(&answer);
        pthread_mutex_lock(&loop->lock);
        loop->n++;
        loop->bad += !good;
        if (!good && !loop->first_bad[0]) {
            snprintf(loop->first_bad, sizeof loop->first_bad, "%d %s %.200s", answer.status,
                     answer.why, answer.body);
        }
        if (answer.took_ns > loop->longest_ns) {
            loop->longest_ns = answer.took_ns;
        }
        stop = loop->stop;
        pthread_mutex_unlock(&loop->lock);
        free(answer.body);
    }
    return NULL;
}

static void loop_begin(struct loop *loop, uint16_t port)
{
    *loop = (struct loop){.port = port};
    assert_int_equal(pthread_mutex_init(&loop->lock, NULL), 0);
    assert_int_equal(pthread_create(&loop->thread, NULL, run_loop, loop), 0);
}

static void loop_end(struct loop *loop)
{
    pthread_mutex_lock(&loop->lock);
    loop->stop = true;
    pthread_mutex_unlock(&loop->lock);
    assert_int_equal(pthread_join(loop->thread, NULL), 0);
    (void)pthread_mutex_destroy(&loop->lock);
    if (loop->bad > 0) {
        fail_msg("%zu of %zu filter calls went wrong: %s", loop->bad, loop->n, loop->first_bad);
    }
    assert_true(loop->n > 10);
    if (loop->longest_ns > (SCENE_IS_SLOW ? 5000 : 1000) * 1000000LL) {
        fail_msg("a filter call took %lld ms", (long long)loop->longest_ns / 1000000);
    }
}

/* ---- ways to misbehave ---- */

/* status 0: closed without an answer; error NULL: not looked at */
static void expect_answer(int fd, int status, const char *error)
{
    struct http_answer answer = http_receive(fd);
    if (answer.status != status) {
        fail_msg("answered %d, not %d: %s", answer.status, status, answer.body);
    }
    if (error) {
        json_auto_t *json = json_loads(answer.body, 0, NULL);
        assert_string_equal(skr_path_text(json, "Error"), error);
    }
    http_answer_free(&answer);
    close(fd);
}

static void send_large(uint16_t port, const char *path, size_t n, int status)
{
    char *body = calloc(1, n + 1);
    assert_non_null(body);
    memset(body, ' ', n);
    int fd = http_connect(port);
    http_send_post(fd, path, body, n);
    free(body);
    if (status == 0) {
        http_wait_closed(fd);
    }
    if (status == 0) {
        close(fd);
    } else {
        expect_answer(fd, status, SKR_TEXT_MALFORMED);
    }
}

static void send_bodies_beyond_the_limit(const struct daemon *d)
{
    send_large(daemon_port(d), "/v1/filter", 20 * MIB, 200);
    send_large(daemon_bind_port(d), "/v1/bind", 20 * MIB, 200);
    send_large(daemon_port(d), "/v1/filter", 80 * MIB, 0);
}

/* They stay until the end: the daemon may keep them for its request timeout, no longer. */
static int half_closed[6];

static void send_half_and_close_that_side(const struct daemon *d)
{
    const char head[] =
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"Pod\"";
    const uint16_t port[] = {daemon_port(d), daemon_bind_port(d), daemon_admin_port(d)};
    for (size_t i = 0; i < 6; i++) {
        half_closed[i] = http_connect(port[i % 3]);
        http_send_text(half_closed[i], i < 3 ? head : "");
        (void)shutdown(half_closed[i], SHUT_WR);
    }
}

static void send_malformed_json(const struct daemon *d)
{
    static const char *const body[] = {"",
                                       "{",
                                       "null",
                                       "[]",
                                       "{\"Pod\":1}",
                                       "\x00",
                                       "{}{}",
                                       "\xff\xfe",
                                       "{\"Pod\":{},\"NodeNames\":[1]}",
                                       "{\"Pod\":{\"spec\":{}},\"NodeNames\":{}}"};
    for (size_t i = 0; i < sizeof body / sizeof body[0]; i++) {
        int fd = http_connect(daemon_port(d));
        http_send_post(fd, "/v1/filter", body[i], strlen(body[i]));
        expect_answer(fd, 200, SKR_TEXT_MALFORMED);
        fd = http_connect(daemon_bind_port(d));
        http_send_post(fd, "/v1/bind", body[i], strlen(body[i]));
        expect_answer(fd, 200, SKR_TEXT_MALFORMED);
    }
    struct web_answer scores = web_ask("POST", daemon_port(d), "/v1/prioritize", "{", NULL, 20000);
    assert_int_equal(scores.status, 200);
    assert_string_equal(scores.body, "[]");
    free(scores.body);
}

static void ask(uint16_t port, const char *method, const char *path, int status)
{
    struct http_answer answer = http_request(port, method, path);
    if (answer.status != status) {
        fail_msg("%s %s is answered %d, not %d", method, path, answer.status, status);
    }
    http_answer_free(&answer);
}

static void ask_for_what_is_not_there(const struct daemon *d)
{
    const uint16_t extender = daemon_port(d), bind = daemon_bind_port(d);
    ask(extender, "GET", "/v1/filter", 405);
    ask(extender, "PUT", "/v1/filter", 405);
    ask(extender, "POST", "/v1/bind", 404);
    ask(extender, "POST", "/v2/filter", 404);
    ask(extender, "GET", "/", 404);
    ask(extender, "GET", "/v1/filter/../../etc/passwd", 404);
    ask(bind, "DELETE", "/v1/bind", 405);
    ask(bind, "POST", "/v1/filter", 404);
    ask(daemon_admin_port(d), "POST", "/metrics", 405);
    ask(daemon_admin_port(d), "GET", "/secrets", 404);
}

static void send_what_is_no_http(const struct daemon *d)
{
    static const char *const row[] = {
        "\x16\x03\x01\x02\x01\x01\x01\xfc\x03\x03", /* how a TLS handshake begins */
        "GET /v1/fil",
        "GET\r\n\r\n",
        "POST /v1/filter HTTP/9.9\r\n\r\n",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int fd = http_connect(daemon_port(d));
        http_send_text(fd, row[i]);
        (void)shutdown(fd, SHUT_WR);
        http_wait_closed(fd); /* long before its idle time is over */
        close(fd);
    }
    SKR_AUTO_FREE char *header = calloc(1, 200 * 1024);
    assert_non_null(header);
    memset(header, 'a', 200 * 1024 - 1);
    int fd = http_connect(daemon_bind_port(d));
    http_send_text(fd, "GET / HTTP/1.1\r\nX: ");
    http_send_text(fd, header);
    http_send_text(fd, "\r\n\r\n");
    (void)shutdown(fd, SHUT_WR);
    http_wait_closed(fd);
    close(fd);
}

/* A chunked body is a body. */
static void send_a_chunked_request(const struct daemon *d)
{
    char head[128];
    int fd = http_connect(daemon_port(d));
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    snprintf(head, sizeof head, "%zx\r\n", strlen(FILTER));
    http_send_text(fd, head);
    http_send_text(fd, FILTER);
    http_send_text(fd, "\r\n0\r\n\r\n");
    expect_answer(fd, 200, "");
}

/* Two lengths, or a length beside chunks: another party on the way may see other requests. */
static void send_requests_without_a_clear_end(const struct daemon *d)
{
    static const char *const fields[] = {
        "Content-Length: 4\r\nContent-Length: 40",
        "Content-Length: 4\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
    };
    const uint16_t port[] = {daemon_port(d), daemon_bind_port(d), daemon_admin_port(d)};
    for (size_t i = 0; i < 9; i++) {
        char text[256];
        const int fd = http_connect(port[i % 3]);
        snprintf(text, sizeof text, "POST /v1/filter HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n0\r\n\r\n",
                 fields[i / 3]);
        http_send_text(fd, text);
        expect_answer(fd, 400, NULL);
    }
}

/* Beginnings of requests on all listeners, one byte more every now and then. */
struct slow {
    int fd[SLOW_CLIENTS];
    size_t sent;
};

static const char slow_text[] =
    "POST /v1/filter HTTP/1.1\r\nHost: slow\r\nContent-Length: 400\r\n\r\n"
    "{\"Pod\":{\"metadata\":{\"name\":\"slow\"}}}";

static void slow_begin(struct slow *slow, const struct daemon *d)
{
    const uint16_t port[] = {daemon_port(d), daemon_bind_port(d), daemon_admin_port(d)};
    slow->sent = 0;
    for (size_t i = 0; i < SLOW_CLIENTS; i++) {
        slow->fd[i] = http_connect(port[i % 3]);
    }
}

static void slow_step(struct slow *slow)
{
    size_t n = sizeof slow_text - 1 - slow->sent;
    n = n > 8 ? 8 : n;
    for (size_t i = 0; i < SLOW_CLIENTS; i++) {
        http_send(slow->fd[i], slow_text + slow->sent, n);
    }
    slow->sent += n;
}

static void slow_end(struct slow *slow)
{
    for (size_t i = 0; i < SLOW_CLIENTS; i++) {
        close(slow->fd[i]);
    }
}

/* ---- the story ---- */

TEST(nobody_is_held_up_by_clients_that_misbehave)
{
    static void (*const ways[])(const struct daemon *d) = {
        send_bodies_beyond_the_limit,      send_half_and_close_that_side, send_malformed_json,
        ask_for_what_is_not_there,         send_what_is_no_http,          send_a_chunked_request,
        send_requests_without_a_clear_end,
    };
    struct scene scene;
    struct loop loop;
    struct slow slow;
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    scene_start_daemon(&scene);
    loop_begin(&loop, daemon_port(scene.d));
    slow_begin(&slow, scene.d);
    scheduler_hold(scene.s, "job-7");
    cluster_pods(scene.c, "job", 8, "gang", true);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        slow_step(&slow);
        ways[i](scene.d);
    }
    daemon_wait_metric(scene.d, "sakkara_parked_binds 7");
    scheduler_hold(scene.s, NULL);
    scene_expect_bound(&scene, 8);
    assert_int_equal(scheduler_counts(scene.s).failed, 0);
    slow_step(&slow);
    slow_end(&slow);
    for (size_t i = 0; i < 6; i++) {
        close(half_closed[i]);
    }
    loop_end(&loop);
    daemon_wait_metric(scene.d, "sakkara_parked_binds 0");
    daemon_wait_log(scene.d, "Request was malformed: filter: ");
    scene_end(&scene);
}

/* A scheduler that dies with its calls open: its votes go, the plan stays, its next ones count. */
TEST(a_caller_that_hangs_up_loses_its_vote)
{
    struct scene scene;
    scene_begin(&scene);
    cluster_racks(scene.c, 2, 3, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", false);
    cluster_wait_refused(scene.c, "job", 4); /* they will be nominated */
    scheduler_hold(scene.s, "job-");
    cluster_group(scene.c, "gang", 4, PACK_SPREAD);
    cluster_wait_writes(scene.c, SKR_WRITE_PATCH_POD_STATUS, 4);
    int fd[4];
    for (int i = 0; i < 4; i++) {
        char name[16], body[512];
        snprintf(name, sizeof name, "job-%d", i);
        SKR_AUTO_FREE char *uid = cluster_text(scene.c, "Pod", name, "metadata.uid");
        SKR_AUTO_FREE char *node = cluster_text(scene.c, "Pod", name, "status.nominatedNodeName");
        snprintf(body, sizeof body,
                 "{\"PodName\":\"%s\",\"PodNamespace\":\"default\",\"PodUID\":\"%s\",\"Node\":"
                 "\"%s\"}",
                 name, uid, node);
        if (i < 3) {
            fd[i] = http_connect(daemon_bind_port(scene.d));
            http_send_post(fd[i], "/v1/bind", body, strlen(body));
        }
    }
    daemon_wait_metric(scene.d, "sakkara_parked_binds 3");
    for (int i = 0; i < 3; i++) {
        close(fd[i]);
    }
    daemon_wait_metric(scene.d, "sakkara_parked_binds 0");
    assert_int_equal(cluster_bound(scene.c, "job"), 0);
    scheduler_hold(scene.s, NULL);
    scene_expect_bound(&scene, 4);
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
