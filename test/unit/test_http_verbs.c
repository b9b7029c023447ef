/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs over real sockets with an engine that the tests play themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <curl/curl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/reason.h"
#include "server/http/verbs.h"
#include "test/unit/http_client.h"
#include "topology/arena.h"
#include "topology/strbuf.h"

#define POD \
    "{\"metadata\":{\"name\":\"a-0\",\"namespace\":\"default\",\"uid\":\"u-0\"},\"spec\":{}}"
#define FILTER "{\"Pod\":" POD ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"]}"
#define BIND   "{\"PodName\":\"a-0\",\"PodNamespace\":\"d\",\"PodUID\":\"u-0\",\"Node\":\"n1\"}"

enum { WAIT_S = 20 };

struct posted {
    struct skr_event event;
    void (*release)(void *keep);
    void *keep;
    struct posted *next;
};

struct world {
    struct skr_verbs *verbs;
    struct skr_metrics *metrics;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct posted *first;
    struct posted **last;
    bool answer_at_once; /* on the listener's thread, before post returns */
    _Atomic int64_t now;
    atomic_int log_lines;
    char log_text[512]; /* the last line; under lock */
};

static void on_post(void *ctx, const struct skr_event *event, void (*release)(void *keep),
                    void *keep)
{
    struct world *world = ctx;
    struct posted *posted = skr_alloc(sizeof(*posted));

    if (world->answer_at_once) {
        const struct skr_answer answer = {
            .request = event->kind == SKR_EVENT_BIND ? event->bind.request : event->filter.request,
            .kind = event->kind == SKR_EVENT_BIND ? SKR_ANSWER_BOUND : SKR_ANSWER_FILTER_ALL,
            .text = ""};
        assert_true(skr_verbs_answer(world->verbs, &answer));
        release(keep);
        free(posted);
        return;
    }
    posted->event = *event;
    posted->release = release;
    posted->keep = keep;
    pthread_mutex_lock(&world->lock);
    *world->last = posted;
    world->last = &posted->next;
    pthread_cond_broadcast(&world->changed);
    pthread_mutex_unlock(&world->lock);
}

static skr_time on_now(void *ctx)
{
    struct world *world = ctx;

    return atomic_load(&world->now);
}

static void on_log(void *ctx, int level, const char *text)
{
    struct world *world = ctx;

    if (level > SKR_HTTP_LOG_WARNING)
        return;
    atomic_fetch_add(&world->log_lines, 1);
    pthread_mutex_lock(&world->lock);
    (void)snprintf(world->log_text, sizeof(world->log_text), "%s", text);
    pthread_mutex_unlock(&world->lock);
}

/* The next event; the caller releases it. */
static struct posted *take(struct world *world)
{
    struct timespec until;
    struct posted *posted;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_S;
    pthread_mutex_lock(&world->lock);
    while (world->first == NULL) {
        if (pthread_cond_timedwait(&world->changed, &world->lock, &until) != 0) {
            pthread_mutex_unlock(&world->lock);
            fail_msg("no event for %d s", WAIT_S);
        }
    }
    posted = world->first;
    world->first = posted->next;
    if (world->first == NULL)
        world->last = &world->first;
    pthread_mutex_unlock(&world->lock);
    return posted;
}

static void drop(struct posted *posted)
{
    if (posted->release != NULL)
        posted->release(posted->keep);
    free(posted);
}

/* Takes an event of this kind and returns its request. */
static uint64_t take_request(struct world *world, enum skr_event_kind kind)
{
    struct posted *posted = take(world);
    uint64_t request = 0;

    assert_int_equal(posted->event.kind, kind);
    if (kind == SKR_EVENT_BIND)
        request = posted->event.bind.request;
    else if (kind == SKR_EVENT_HANGUP)
        request = posted->event.hangup.request;
    else if (kind == SKR_EVENT_PREEMPT)
        request = posted->event.preempt.request;
    else
        request = posted->event.filter.request;
    drop(posted);
    return request;
}

static bool answer(struct world *world, uint64_t request, enum skr_answer_kind kind,
                   const char *text)
{
    const struct skr_answer a = {.request = request, .kind = kind, .text = text};

    return skr_verbs_answer(world->verbs, &a);
}

static struct world *open_world_with(const struct skr_tls_files *tls, int request_timeout_ms,
                                     int idle_timeout_ms)
{
    struct world *world = skr_alloc(sizeof(*world));
    struct skr_error error;

    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->changed, NULL);
    world->last = &world->first;
    world->metrics = skr_metrics_create();
    const struct skr_verbs_options options = {
        .listen = "127.0.0.1:0",
        .bind_listen = "127.0.0.1:0",
        .tls = tls != NULL ? *tls : (struct skr_tls_files){0},
        .post = on_post,
        .post_ctx = world,
        .now = on_now,
        .now_ctx = world,
        .log = {on_log, world},
        .metrics = world->metrics,
        .request_timeout_ms = request_timeout_ms,
        .idle_timeout_ms = idle_timeout_ms,
    };
    if (skr_verbs_create(&options, &world->verbs, &error) != 0)
        fail_msg("%s", error.text);
    return world;
}

static struct world *open_world(void)
{
    return open_world_with(NULL, 0, 0);
}

static void close_world(struct world *world)
{
    skr_verbs_stop(world->verbs);
    while (world->first != NULL)
        drop(take(world));
    skr_verbs_destroy(world->verbs);
    skr_metrics_destroy(world->metrics);
    pthread_mutex_destroy(&world->lock);
    pthread_cond_destroy(&world->changed);
    free(world);
}

static uint16_t port(const struct world *world)
{
    return skr_verbs_port(world->verbs);
}

static uint16_t bind_port(const struct world *world)
{
    return skr_verbs_bind_port(world->verbs);
}

static void expect(struct http_answer got, int status, const char *body)
{
    assert_int_equal(got.status, status);
    assert_string_equal(got.body, body);
    http_answer_free(&got);
}

/* ---- round trips ---- */

static void filter_with_5000_nodes_goes_round_in_both_forms(void **state)
{
    struct world *world = open_world();
    struct skr_strbuf body;

    (void)state;
    skr_strbuf_init(&body);
    const int fd = http_connect(port(world));
    for (int form = 0; form < 2; form++) {
        uint8_t mask[625] = {0};
        skr_strbuf_reset(&body);
        skr_strbuf_add(&body, "{\"Pod\":" POD);
        skr_strbuf_add(&body, form == 0 ? ",\"NodeNames\":[" : ",\"Nodes\":{\"items\":[");
        for (int i = 0; i < 5000; i++)
            skr_strbuf_addf(&body,
                            form == 0 ? "%s\"node-%d\"" : "%s{\"metadata\":{\"name\":\"node-%d\"}}",
                            i > 0 ? "," : "", i);
        skr_strbuf_add(&body, form == 0 ? "]}" : "]}}");
        http_send_post(fd, "/v1/filter", body.s, body.len);
        struct posted *posted = take(world);
        assert_int_equal(posted->event.kind, SKR_EVENT_FILTER);
        assert_int_equal(posted->event.filter.n_nodes, 5000);
        assert_string_equal(posted->event.filter.node[4999], "node-4999");
        assert_string_equal(posted->event.filter.pod->meta.name, "a-0");
        mask[0] = 2;
        const struct skr_answer a = {.request = posted->event.filter.request,
                                     .kind = SKR_ANSWER_FILTER_MASK,
                                     .text = SKR_TEXT_RESERVED,
                                     .n = 5000,
                                     .mask = mask};
        assert_true(skr_verbs_answer(world->verbs, &a));
        mask[0] = 0; /* the answer was copied */
        drop(posted);
        struct http_answer got = http_receive(fd);
        assert_int_equal(got.status, 200);
        json_t *json = json_loads(got.body, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(json);
        assert_int_equal(json_object_size(json_object_get(json, "FailedAndUnresolvableNodes")),
                         4999);
        assert_int_equal(json_array_size(json_object_get(json, "NodeNames")), form == 0 ? 1 : 0);
        if (form == 1)
            assert_int_equal(
                json_array_size(json_object_get(json_object_get(json, "Nodes"), "items")), 1);
        json_decref(json);
        http_answer_free(&got);
    }
    close(fd);
    skr_strbuf_fini(&body);
    close_world(world);
}

static void every_verb_goes_round_on_one_connection(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(port(world));
    const int8_t scores[] = {1, 10};
    const uint8_t mask[] = {1};

    (void)state;
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    expect(http_receive(fd), 200,
           "{\"Nodes\":null,\"NodeNames\":[\"n1\",\"n2\"],\"FailedNodes\":{},"
           "\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");

    http_send_post(fd, "/v1/prioritize", FILTER, strlen(FILTER));
    struct skr_answer a = {.request = take_request(world, SKR_EVENT_PRIORITIZE),
                           .kind = SKR_ANSWER_SCORES,
                           .text = "",
                           .n = 2,
                           .scores = scores};
    assert_true(skr_verbs_answer(world->verbs, &a));
    expect(http_receive(fd), 200, "[{\"Host\":\"n1\",\"Score\":1},{\"Host\":\"n2\",\"Score\":10}]");

    static const char preempt[] =
        "{\"Pod\":" POD ",\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v\"}]}}}";
    http_send_post(fd, "/v1/preempt", preempt, strlen(preempt));
    a = (struct skr_answer){.request = take_request(world, SKR_EVENT_PREEMPT),
                            .kind = SKR_ANSWER_PREEMPT_MASK,
                            .text = "",
                            .n = 1,
                            .mask = mask};
    assert_true(skr_verbs_answer(world->verbs, &a));
    expect(http_receive(fd), 200,
           "{\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[{\"UID\":\"v\"}],"
           "\"NumPDBViolations\":0}}}");
    close(fd);

    const int bind = http_connect(bind_port(world));
    http_send_post(bind, "/v1/bind", BIND, strlen(BIND));
    struct posted *posted = take(world);
    assert_int_equal(posted->event.kind, SKR_EVENT_BIND);
    assert_string_equal(posted->event.namespace_, "d");
    assert_string_equal(posted->event.name, "a-0");
    assert_string_equal(posted->event.uid, "u-0");
    assert_string_equal(posted->event.bind.node, "n1");
    const uint64_t request = posted->event.bind.request;
    drop(posted);
    assert_true(skr_verbs_hold(world->verbs, request, SKR_TIME_NEVER));
    assert_true(answer(world, request, SKR_ANSWER_BOUND, ""));
    expect(http_receive(bind), 200, "{\"Error\":\"\"}");
    close(bind);
    close_world(world);
}

static void an_engine_may_answer_before_the_post_returns(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(port(world));

    (void)state;
    world->answer_at_once = true;
    for (int i = 0; i < 50; i++) {
        http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
        struct http_answer got = http_receive(fd);
        assert_int_equal(got.status, 200);
        http_answer_free(&got);
    }
    close(fd);
    expect(http_post(bind_port(world), "/v1/bind", BIND), 200, "{\"Error\":\"\"}");
    close_world(world);
}

static void duplicate_binds_are_two_requests_and_each_is_answered_once(void **state)
{
    struct world *world = open_world();
    const int one = http_connect(bind_port(world));
    const int two = http_connect(bind_port(world));

    (void)state;
    http_send_post(one, "/v1/bind", BIND, strlen(BIND));
    const uint64_t first = take_request(world, SKR_EVENT_BIND);
    http_send_post(two, "/v1/bind", BIND, strlen(BIND));
    const uint64_t second = take_request(world, SKR_EVENT_BIND);
    assert_true(first != second && first != 0 && second != 0);
    assert_true(answer(world, first, SKR_ANSWER_ERROR, SKR_TEXT_SUPERSEDED));
    assert_false(answer(world, first, SKR_ANSWER_BOUND, ""));
    expect(http_receive(one), 200, "{\"Error\":\"sakkara: superseded\"}");
    assert_int_equal(skr_verbs_in_flight(world->verbs), 1);
    assert_true(answer(world, second, SKR_ANSWER_BOUND, ""));
    expect(http_receive(two), 200, "{\"Error\":\"\"}");
    assert_false(answer(world, second, SKR_ANSWER_BOUND, ""));
    assert_false(answer(world, 12345, SKR_ANSWER_BOUND, ""));
    assert_false(skr_verbs_hold(world->verbs, second, 1));
    close(one);
    close(two);
    close_world(world);
}

static void a_standby_lets_go_of_its_connections(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(port(world));

    (void)state;
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_ERROR,
                       SKR_TEXT_NOT_LEADER));
    struct http_answer got = http_receive(fd);
    assert_non_null(strstr(got.headers, "Connection: close\r\n"));
    assert_non_null(strstr(got.body, "\"Error\":\"sakkara: not leader\""));
    http_answer_free(&got);
    http_wait_closed(fd);
    close(fd);
    close_world(world);
}

static void a_request_sent_behind_a_parked_one_waits_for_its_turn(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(bind_port(world));

    (void)state;
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t first = take_request(world, SKR_EVENT_BIND);
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(answer(world, first, SKR_ANSWER_ERROR, SKR_TEXT_ABORTED));
    expect(http_receive(fd), 200, "{\"Error\":\"sakkara: plan aborted\"}");
    const uint64_t second = take_request(world, SKR_EVENT_BIND);
    assert_true(answer(world, second, SKR_ANSWER_BOUND, ""));
    expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    close(fd);
    close_world(world);
}

/* ---- nonsense ---- */

static void malformed_bodies_are_answered_and_logged(void **state)
{
    static const struct {
        const char *path;
        const char *body;
        const char *answer;
        bool bind;
    } row[] = {
        {"/v1/filter", "{", NULL, false},
        {"/v1/filter", "", NULL, false},
        {"/v1/filter", "{\"Pod\":" POD ",\"NodeNames\":7}", NULL, false},
        {"/v1/prioritize", "[]", "[]", false},
        {"/v1/preempt", "nonsense", "{\"NodeNameToMetaVictims\":{}}", false},
        {"/v1/bind", "{\"PodName\":1}", "{\"Error\":\"sakkara: malformed request\"}", true},
    };
    struct world *world = open_world();

    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const char *want = row[i].answer != NULL
                               ? row[i].answer
                               : "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},"
                                 "\"FailedAndUnresolvableNodes\":{},\"Error\":"
                                 "\"sakkara: malformed request\"}";
        expect(http_post(row[i].bind ? bind_port(world) : port(world), row[i].path, row[i].body),
               200, want);
        assert_int_equal(atomic_load(&world->log_lines), i + 1);
    }
    assert_int_equal(skr_verbs_in_flight(world->verbs), 0);
    close_world(world);
}

static void a_flood_of_nonsense_does_not_flood_the_log(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(port(world));

    (void)state;
    for (int i = 0; i < 200; i++) {
        http_send_post(fd, "/v1/filter", "{", 1);
        struct http_answer got = http_receive(fd);
        assert_int_equal(got.status, 200);
        http_answer_free(&got);
    }
    close(fd);
    assert_true(atomic_load(&world->log_lines) < 150);
    close_world(world);
}

static void unknown_paths_and_methods_are_refused(void **state)
{
    struct world *world = open_world();

    (void)state;
    static const char *const unknown[] = {"/",          "/v1",        "/v1/",     "/v1/filter/",
                                          "/v1/Filter", "/v2/filter", "/v1/bind", "/metrics"};
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        expect(http_post(port(world), unknown[i], FILTER), 404, "not found\n");
    expect(http_post(bind_port(world), "/v1/filter", FILTER), 404, "not found\n");
    struct http_answer got = http_request(port(world), "GET", "/v1/filter");
    assert_int_equal(got.status, 405);
    assert_non_null(strstr(got.headers, "Allow: POST\r\n"));
    http_answer_free(&got);
    close_world(world);
}

static void a_body_of_20_mib_is_answered_and_an_absurd_one_is_cut(void **state)
{
    struct world *world = open_world();
    const size_t n = 20 * 1024 * 1024;
    char *body = skr_alloc(n);

    (void)state;
    memset(body, ' ', n);
    const int fd = http_connect(port(world));
    http_send_post(fd, "/v1/filter", body, n);
    struct http_answer got = http_receive(fd);
    assert_int_equal(got.status, 200);
    assert_non_null(strstr(got.body, "sakkara: malformed request"));
    http_answer_free(&got);
    /* The connection is as good as before. */
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    got = http_receive(fd);
    assert_int_equal(got.status, 200);
    http_answer_free(&got);
    close(fd);

    const int absurd = http_connect(port(world));
    http_send_text(absurd,
                   "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n{");
    http_wait_closed(absurd);
    close(absurd);
    free(body);
    close_world(world);
}

static void a_body_in_chunks_is_understood_and_limited(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(port(world));
    char head[64];

    (void)state;
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    (void)snprintf(head, sizeof(head), "%zx\r\n", strlen(FILTER));
    http_send_text(fd, head);
    http_send_text(fd, FILTER "\r\n0\r\n\r\n");
    assert_true(answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    struct http_answer got = http_receive(fd);
    assert_int_equal(got.status, 200);
    http_answer_free(&got);

    const size_t n = 1024 * 1024;
    char *chunk = skr_alloc(n);
    memset(chunk, ' ', n);
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100; i++) {
        http_send_text(fd, "100000\r\n");
        http_send(fd, chunk, n);
        http_send_text(fd, "\r\n");
    }
    http_wait_closed(fd); /* absurd long before the end */
    free(chunk);
    close(fd);
    close_world(world);
}

/* ---- slow and vanishing clients ---- */

static void slow_clients_are_cut_and_hold_up_nobody(void **state)
{
    static const char *const part[] = {
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\n",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"Pod\":",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    };
    struct world *world = open_world_with(NULL, 400, 0);
    int slow[3 * 20];

    (void)state;
    for (size_t i = 0; i < 60; i++) {
        slow[i] = http_connect(port(world));
        http_send_text(slow[i], part[i % 3]);
    }
    const int fd = http_connect(port(world));
    for (int i = 0; i < 20; i++) {
        http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
        assert_true(
            answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_FILTER_ALL, ""));
        struct http_answer got = http_receive(fd);
        assert_int_equal(got.status, 200);
        http_answer_free(&got);
        for (size_t k = 0; k < 60; k++)
            http_send(slow[k], " ", 1); /* never silent, never finished */
    }
    for (size_t i = 0; i < 60; i++) {
        http_wait_closed(slow[i]);
        close(slow[i]);
    }
    close(fd);
    close_world(world);
}

static void idle_connections_are_closed_in_the_end(void **state)
{
    struct world *world = open_world_with(NULL, 0, 300);
    const int silent = http_connect(port(world));
    const int half_a_line = http_connect(port(world));
    const int used = http_connect(port(world));

    (void)state;
    http_send_text(half_a_line, "POST /v1/fil");
    http_send_post(used, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(answer(world, take_request(world, SKR_EVENT_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    struct http_answer got = http_receive(used);
    assert_int_equal(got.status, 200);
    http_answer_free(&got);
    http_wait_closed(silent);
    http_wait_closed(half_a_line);
    http_wait_closed(used);
    close(silent);
    close(half_a_line);
    close(used);
    close_world(world);
}

static void a_parked_bind_outlives_the_idle_time(void **state)
{
    struct world *world = open_world_with(NULL, 100, 100);
    const int fd = http_connect(bind_port(world));
    const int idle = http_connect(bind_port(world));

    (void)state;
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t request = take_request(world, SKR_EVENT_BIND);
    http_wait_closed(idle); /* the idle time has passed */
    assert_true(answer(world, request, SKR_ANSWER_BOUND, ""));
    expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    close(fd);
    close(idle);
    close_world(world);
}

static void a_half_closed_client_takes_nobody_down(void **state)
{
    struct world *world = open_world_with(NULL, 500, 0);

    (void)state;
    /* Before the request is complete: nothing comes of it. */
    int fd = http_connect(port(world));
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    shutdown(fd, SHUT_WR);
    http_wait_closed(fd);
    close(fd);
    /* Complete: filter is posted; whether the answer arrives is up to the race, the server lives.
     */
    fd = http_connect(port(world));
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    const uint64_t request = take_request(world, SKR_EVENT_FILTER);
    shutdown(fd, SHUT_WR);
    http_wait_closed(fd);
    close(fd);
    assert_false(answer(world, request, SKR_ANSWER_FILTER_ALL, ""));
    /* A bind whose client has closed its side is a hang-up. */
    fd = http_connect(bind_port(world));
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t bind = take_request(world, SKR_EVENT_BIND);
    shutdown(fd, SHUT_WR);
    assert_int_equal(take_request(world, SKR_EVENT_HANGUP), bind);
    http_wait_closed(fd);
    close(fd);
    /* What is answered without the engine reaches a half-closed client. */
    fd = http_connect(port(world));
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{");
    shutdown(fd, SHUT_WR);
    struct http_answer got = http_receive(fd);
    assert_int_equal(got.status, 200);
    http_answer_free(&got);
    close(fd);
    close_world(world);
}

/* How many parked requests this machine can hold with both ends in one process. */
static int parked_max(int wanted)
{
    struct rlimit limit;

    (void)skr_http_raise_open_files();
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int room = limit.rlim_cur > 200000 ? 100000 : ((int)limit.rlim_cur - 2048) / 2;
    return room < wanted ? room : wanted;
}

/* Opens n connections with a bind each; ret[i] is the request of fd[i]. */
static void park(struct world *world, int n, int *fd, uint64_t *ret)
{
    char body[256];

    for (int i = 0; i < n; i++) {
        fd[i] = http_connect(bind_port(world));
        (void)snprintf(
            body, sizeof(body),
            "{\"PodName\":\"%d\",\"PodNamespace\":\"d\",\"PodUID\":\"u\",\"Node\":\"n\"}", i);
        http_send_post(fd[i], "/v1/bind", body, strlen(body));
    }
    for (int i = 0; i < n; i++) {
        struct posted *posted = take(world);
        assert_int_equal(posted->event.kind, SKR_EVENT_BIND);
        const long index = strtol(posted->event.name, NULL, 10);
        ret[index] = posted->event.bind.request;
        drop(posted);
        assert_true(skr_verbs_hold(world->verbs, ret[index], SKR_TIME_NEVER));
    }
}

static void five_thousand_parked_binds_are_all_answered(void **state)
{
    struct world *world = open_world();
    const int n = parked_max(5000);
    int *fd = skr_alloc_array((size_t)n, sizeof(*fd));
    uint64_t *request = skr_alloc_array((size_t)n, sizeof(*request));

    (void)state;
    park(world, n, fd, request);
    assert_int_equal(skr_verbs_in_flight(world->verbs), n);
    for (int i = 0; i < n; i++)
        assert_true(answer(world, request[i], i % 2 ? SKR_ANSWER_BOUND : SKR_ANSWER_ERROR,
                           i % 2 ? "" : SKR_TEXT_ABORTED));
    for (int i = 0; i < n; i++) {
        expect(http_receive(fd[i]), 200,
               i % 2 ? "{\"Error\":\"\"}" : "{\"Error\":\"sakkara: plan aborted\"}");
        close(fd[i]);
    }
    assert_int_equal(skr_verbs_in_flight(world->verbs), 0);
    free(fd);
    free(request);
    close_world(world);
}

static void hang_ups_of_parked_binds_are_noticed(void **state)
{
    enum { N = 200 };
    struct world *world = open_world();
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    bool gone[N] = {false};
    int fd[N];
    uint64_t request[N];

    (void)state;
    park(world, N, fd, request);
    for (int i = 0; i < N; i += 2) {
        if (i % 8 == 0)
            assert_int_equal(setsockopt(fd[i], SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
        if (i % 8 == 2)
            http_send_text(fd[i], "POST /v1/bind HTTP/1.1\r\nHost: x\r\n"); /* bytes nobody reads */
        if (i % 8 == 4)
            shutdown(fd[i], SHUT_WR);
        else
            close(fd[i]);
    }
    for (int i = 0; i < N / 2; i++) {
        const uint64_t id = take_request(world, SKR_EVENT_HANGUP);
        bool found = false;
        for (int k = 0; k < N; k += 2) {
            if (request[k] != id)
                continue;
            assert_false(gone[k]);
            gone[k] = found = true;
        }
        assert_true(found);
        assert_false(answer(world, id, SKR_ANSWER_BOUND, ""));
    }
    assert_int_equal(skr_verbs_in_flight(world->verbs), N / 2);
    for (int i = 1; i < N; i += 2) {
        assert_true(answer(world, request[i], SKR_ANSWER_BOUND, ""));
        expect(http_receive(fd[i]), 200, "{\"Error\":\"\"}");
        close(fd[i]);
    }
    for (int i = 4; i < N; i += 8) {
        http_wait_closed(fd[i]);
        close(fd[i]);
    }
    close_world(world);
}

struct race {
    struct world *world;
    const uint64_t *request;
    int n;
    int answered;
};

static void *answer_all(void *ctx)
{
    struct race *race = ctx;

    for (int i = 0; i < race->n; i++)
        race->answered += answer(race->world, race->request[i], SKR_ANSWER_BOUND, "");
    return NULL;
}

static void an_answer_and_a_hang_up_have_one_winner(void **state)
{
    enum { N = 300 };
    struct world *world = open_world();
    int fd[N];
    uint64_t request[N];
    pthread_t thread;

    (void)state;
    park(world, N, fd, request);
    struct race race = {.world = world, .request = request, .n = N};
    assert_int_equal(pthread_create(&thread, NULL, answer_all, &race), 0);
    for (int i = N - 1; i >= 0; i--)
        close(fd[i]);
    pthread_join(thread, NULL);
    for (int i = race.answered; i < N; i++)
        (void)take_request(world, SKR_EVENT_HANGUP);
    assert_int_equal(skr_verbs_in_flight(world->verbs), 0);
    close_world(world);
}

static void a_hold_beyond_its_deadline_is_given_up(void **state)
{
    struct world *world = open_world();
    const int fd = http_connect(bind_port(world));

    (void)state;
    atomic_store(&world->now, 100 * SKR_SECOND);
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t request = take_request(world, SKR_EVENT_BIND);
    assert_true(skr_verbs_hold(world->verbs, request, 320 * SKR_SECOND));
    assert_int_equal(skr_verbs_in_flight(world->verbs), 1);
    atomic_store(&world->now, 320 * SKR_SECOND + SKR_VERBS_GRACE);
    expect(http_receive(fd), 200, "{\"Error\":\"sakkara: hold expired\"}");
    assert_int_equal(take_request(world, SKR_EVENT_HANGUP), request);
    close(fd);
    close_world(world);
}

static void stopping_answers_everything_first(void **state)
{
    enum { N = 100 };
    struct world *world = open_world();
    int fd[N];
    uint64_t request[N];

    (void)state;
    park(world, N, fd, request);
    const int filter = http_connect(port(world));
    http_send_post(filter, "/v1/filter", FILTER, strlen(FILTER));
    (void)take_request(world, SKR_EVENT_FILTER);
    const uint16_t p = port(world);
    skr_verbs_stop(world->verbs);
    for (int i = 0; i < N; i++) {
        struct http_answer got = http_receive(fd[i]);
        assert_non_null(strstr(got.headers, "Connection: close\r\n"));
        expect(got, 200, "{\"Error\":\"sakkara: not ready\"}");
        close(fd[i]);
    }
    struct http_answer got = http_receive(filter);
    assert_non_null(strstr(got.body, "\"Error\":\"sakkara: not ready\""));
    http_answer_free(&got);
    close(filter);
    assert_false(http_can_connect(p));
    close_world(world);
}

/* ---- TLS ---- */

static size_t append(char *data, size_t size, size_t n, void *ctx)
{
    skr_strbuf_addn(ctx, data, size * n);
    return size * n;
}

/* Posts a body; name is the client's certificate, NULL for none. Empty answer: refused. */
static char *post_tls(const struct http_certificates *certificates, uint16_t to, const char *path,
                      const char *body, const char *name, long timeout_ms)
{
    char url[64];
    char file[32];
    struct skr_strbuf out;
    CURL *curl = curl_easy_init();

    skr_strbuf_init(&out);
    (void)snprintf(url, sizeof(url), "https://127.0.0.1:%u%s", (unsigned)to, path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(curl, CURLOPT_CAINFO, http_certificates_path(certificates, "ca.pem"));
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, append);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &out);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    if (name != NULL) {
        (void)snprintf(file, sizeof(file), "%s.pem", name);
        curl_easy_setopt(curl, CURLOPT_SSLCERT, http_certificates_path(certificates, file));
        (void)snprintf(file, sizeof(file), "%s.key", name);
        curl_easy_setopt(curl, CURLOPT_SSLKEY, http_certificates_path(certificates, file));
    }
    if (curl_easy_perform(curl) != CURLE_OK)
        skr_strbuf_reset(&out);
    curl_easy_cleanup(curl);
    return skr_strbuf_take(&out, NULL);
}

static void with_a_client_ca_only_its_clients_get_in(void **state)
{
    static const struct {
        const char *client;
        bool welcome;
    } row[] = {
        {"client", true}, {NULL, false}, {"other", false}, {"serverauth", false}, {"client", true}};
    struct http_certificates certificates = {0};

    (void)state;
    http_certificates_make(&certificates);
    const struct skr_tls_files tls = {.cert = http_certificates_path(&certificates, "server.pem"),
                                      .key = http_certificates_path(&certificates, "server.key"),
                                      .client_ca = http_certificates_path(&certificates, "ca.pem")};
    struct world *world = open_world_with(&tls, 0, 0);
    world->answer_at_once = true;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char *got = post_tls(&certificates, port(world), "/v1/filter", FILTER, row[i].client,
                             WAIT_S * 1000L);
        if ((got[0] != 0) != row[i].welcome)
            fail_msg("row %zu: \"%s\"", i, got);
        free(got);
    }
    /* A client that does not speak TLS gets nothing, and nothing breaks. */
    const int plain = http_connect(port(world));
    http_send_post(plain, "/v1/filter", FILTER, strlen(FILTER));
    http_wait_closed(plain);
    close(plain);
    close_world(world);

    const struct skr_tls_files open = {.cert = tls.cert, .key = tls.key};
    world = open_world_with(&open, 0, 0);
    world->answer_at_once = true;
    char *got = post_tls(&certificates, port(world), "/v1/filter", FILTER, NULL, WAIT_S * 1000L);
    assert_non_null(strstr(got, "\"NodeNames\":[\"n1\",\"n2\"]"));
    free(got);
    close_world(world);
    http_certificates_remove(&certificates);
}

struct tls_bind {
    const struct http_certificates *certificates;
    uint16_t port;
    long timeout_ms;
    char *answer;
};

static void *bind_over_tls(void *ctx)
{
    struct tls_bind *bind = ctx;

    bind->answer =
        post_tls(bind->certificates, bind->port, "/v1/bind", BIND, "client", bind->timeout_ms);
    return NULL;
}

static void binds_are_parked_over_tls_too(void **state)
{
    struct http_certificates certificates = {0};
    pthread_t thread;

    (void)state;
    http_certificates_make(&certificates);
    const struct skr_tls_files tls = {.cert = http_certificates_path(&certificates, "server.pem"),
                                      .key = http_certificates_path(&certificates, "server.key"),
                                      .client_ca = http_certificates_path(&certificates, "ca.pem")};
    struct world *world = open_world_with(&tls, 0, 0);
    struct tls_bind bind = {&certificates, bind_port(world), WAIT_S * 1000L, NULL};
    assert_int_equal(pthread_create(&thread, NULL, bind_over_tls, &bind), 0);
    assert_true(answer(world, take_request(world, SKR_EVENT_BIND), SKR_ANSWER_BOUND, ""));
    pthread_join(thread, NULL);
    assert_string_equal(bind.answer, "{\"Error\":\"\"}");
    free(bind.answer);

    bind.timeout_ms = 300; /* the client gives up */
    assert_int_equal(pthread_create(&thread, NULL, bind_over_tls, &bind), 0);
    const uint64_t request = take_request(world, SKR_EVENT_BIND);
    assert_int_equal(take_request(world, SKR_EVENT_HANGUP), request);
    pthread_join(thread, NULL);
    assert_string_equal(bind.answer, "");
    free(bind.answer);
    close_world(world);
    http_certificates_remove(&certificates);
}

static void wrong_certificates_and_addresses_are_named(void **state)
{
    struct http_certificates certificates = {0};
    struct skr_verbs *verbs = NULL;
    struct skr_error error;
    struct world *taken = open_world();
    char in_use[32];

    (void)state;
    http_certificates_make(&certificates);
    (void)snprintf(in_use, sizeof(in_use), "127.0.0.1:%u", (unsigned)port(taken));
    const char *server = http_certificates_path(&certificates, "server.pem");
    const char *other = http_certificates_path(&certificates, "other.key");
    const struct {
        const char *listen;
        struct skr_tls_files tls;
        enum skr_error_code code;
        const char *text;
    } row[] = {
        {"127.0.0.1", {0}, SKR_INVALID, "address \"127.0.0.1\": no port"},
        {"127.0.0.1:70000", {0}, SKR_INVALID, "port \"70000\" is not a number from 0 to 65535"},
        {"example.com:80", {0}, SKR_INVALID, "\"example.com\" is not an IP address"},
        {in_use, {0}, SKR_CONFLICT, "cannot listen: Address already in use"},
        {"127.0.0.1:0", {.cert = server}, SKR_INVALID, "TLS needs both certFile and keyFile"},
        {"127.0.0.1:0",
         {.cert = server, .key = "/nowhere"},
         SKR_NOT_FOUND,
         "/nowhere: No such file"},
        {"127.0.0.1:0", {.cert = server, .key = other}, SKR_INVALID, "other.key: "},
        {"127.0.0.1:0", {.cert = "/dev/null", .key = other}, SKR_INVALID, "/dev/null and "},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct skr_verbs_options options = {.listen = "127.0.0.1:0",
                                                  .bind_listen = row[i].listen,
                                                  .tls = row[i].tls,
                                                  .post = on_post,
                                                  .now = on_now};
        assert_int_equal(skr_verbs_create(&options, &verbs, &error), -(int)row[i].code);
        if (strstr(error.text, row[i].text) == NULL)
            fail_msg("row %zu: %s", i, error.text);
    }
    close_world(taken);
    http_certificates_remove(&certificates);
}

/* ---- metrics ---- */

static void requests_are_counted_by_verb_and_result(void **state)
{
    struct world *world = open_world();
    struct skr_strbuf text;

    (void)state;
    expect(http_post(bind_port(world), "/v1/bind", "{}"), 200,
           "{\"Error\":\"sakkara: malformed request\"}");
    const int fd = http_connect(bind_port(world));
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(answer(world, take_request(world, SKR_EVENT_BIND), SKR_ANSWER_BOUND, ""));
    expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    assert_true(answer(world, take_request(world, SKR_EVENT_BIND), SKR_ANSWER_ERROR, "x"));
    expect(http_receive(fd), 200, "{\"Error\":\"x\"}");
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    (void)take_request(world, SKR_EVENT_BIND);
    close(fd);
    (void)take_request(world, SKR_EVENT_HANGUP);
    skr_verbs_stop(world->verbs);
    skr_strbuf_init(&text);
    skr_metrics_write(world->metrics, &text);
    static const char *const line[] = {
        "sakkara_extender_requests_total{verb=\"bind\",result=\"malformed\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"ok\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"error\"} 1\n",
        "sakkara_extender_requests_total{verb=\"bind\",result=\"hangup\"} 1\n",
        "sakkara_extender_request_duration_seconds_count{verb=\"bind\"} 3\n",
        "sakkara_extender_request_duration_seconds_bucket{verb=\"bind\",le=\"3.2768\"} 3\n",
        "sakkara_http_requests_total{code=\"200\",handler=\"bind\"} 3\n",
    };
    for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++) {
        if (strstr(text.s, line[i]) == NULL)
            fail_msg("missing: %sin %s", line[i], text.s);
    }
    skr_strbuf_fini(&text);
    close_world(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_with_5000_nodes_goes_round_in_both_forms),
        cmocka_unit_test(every_verb_goes_round_on_one_connection),
        cmocka_unit_test(an_engine_may_answer_before_the_post_returns),
        cmocka_unit_test(duplicate_binds_are_two_requests_and_each_is_answered_once),
        cmocka_unit_test(a_standby_lets_go_of_its_connections),
        cmocka_unit_test(a_request_sent_behind_a_parked_one_waits_for_its_turn),
        cmocka_unit_test(malformed_bodies_are_answered_and_logged),
        cmocka_unit_test(a_flood_of_nonsense_does_not_flood_the_log),
        cmocka_unit_test(unknown_paths_and_methods_are_refused),
        cmocka_unit_test(a_body_of_20_mib_is_answered_and_an_absurd_one_is_cut),
        cmocka_unit_test(a_body_in_chunks_is_understood_and_limited),
        cmocka_unit_test(slow_clients_are_cut_and_hold_up_nobody),
        cmocka_unit_test(idle_connections_are_closed_in_the_end),
        cmocka_unit_test(a_parked_bind_outlives_the_idle_time),
        cmocka_unit_test(a_half_closed_client_takes_nobody_down),
        cmocka_unit_test(five_thousand_parked_binds_are_all_answered),
        cmocka_unit_test(hang_ups_of_parked_binds_are_noticed),
        cmocka_unit_test(an_answer_and_a_hang_up_have_one_winner),
        cmocka_unit_test(a_hold_beyond_its_deadline_is_given_up),
        cmocka_unit_test(stopping_answers_everything_first),
        cmocka_unit_test(with_a_client_ca_only_its_clients_get_in),
        cmocka_unit_test(binds_are_parked_over_tls_too),
        cmocka_unit_test(wrong_certificates_and_addresses_are_named),
        cmocka_unit_test(requests_are_counted_by_verb_and_result),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    curl_global_cleanup();
    return failed;
}
