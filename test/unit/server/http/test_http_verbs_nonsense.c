/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs and what is no request: malformed, unknown, too large. */
#include <curl/curl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "test/test.h"
#include "test/unit/verbs_world.h"
#include "topology/base/arena.h"

/* ---- nonsense ---- */

TEST(r12_malformed_bodies_are_answered_and_logged)
{
    static const struct {
        const char *path, *body, *answer;
        bool bind;
    } row[] = {
        {"/v1/filter", "{", NULL, false},
        {"/v1/filter", "", NULL, false},
        {"/v1/filter", "{\"Pod\":" POD ",\"NodeNames\":7}", NULL, false},
        {"/v1/prioritize", "[]", "[]", false},
        {"/v1/preempt", "nonsense", "{\"NodeNameToMetaVictims\":{}}", false},
        {"/v1/bind", "{\"PodName\":1}", "{\"Error\":\"sakkara: malformed request\"}", true},
    };
    struct world *world = world_open();

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        const char *want = row[i].answer ? row[i].answer
                                         : "{\"Nodes\":null,\"NodeNames\":[],\"FailedNodes\":{},"
                                           "\"FailedAndUnresolvableNodes\":{},\"Error\":"
                                           "\"sakkara: malformed request\"}";
        world_expect(http_post(row[i].bind ? world_bind_port(world) : world_port(world),
                               row[i].path, row[i].body),
                     200, want);
        assert_int_equal(atomic_load(&world->log_lines), i + 1);
    }
    pthread_mutex_lock(&world->lock);
    assert_null(world->first); /* nobody was asked */
    pthread_mutex_unlock(&world->lock);
    world_close(world);
}

TEST(a_flood_of_nonsense_does_not_flood_the_log)
{
    struct world *world = world_open();
    const int fd = http_connect(world_port(world));

    for (int i = 0; i < 200; i++) {
        http_send_post(fd, "/v1/filter", "{", 1);
        http_expect(http_receive(fd), 200, "");
    }
    close(fd);
    assert_true(atomic_load(&world->log_lines) < 150);
    world_close(world);
}

TEST(unknown_paths_and_methods_are_refused)
{
    struct world *world = world_open();

    static const char *const unknown[] = {"/",          "/v1",        "/v1/",     "/v1/filter/",
                                          "/v1/Filter", "/v2/filter", "/v1/bind", "/metrics"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        world_expect(http_post(world_port(world), unknown[i], FILTER), 404, "not found\n");
    }
    world_expect(http_post(world_bind_port(world), "/v1/filter", FILTER), 404, "not found\n");
    struct http_answer got = http_request(world_port(world), "GET", "/v1/filter");
    assert_int_equal(got.status, 405);
    assert_non_null(strstr(got.headers, "Allow: POST\r\n"));
    http_answer_free(&got);
    world_close(world);
}

TEST(a_body_of_20_mib_is_answered_and_an_absurd_one_is_cut)
{
    struct world *world = world_open();
    const size_t n = 20 * 1024 * 1024;
    SKR_AUTO_FREE char *body = skr_alloc(n);

    memset(body, ' ', n);
    const int fd = http_connect(world_port(world));
    http_send_post(fd, "/v1/filter", body, n);
    http_expect(http_receive(fd), 200, "sakkara: malformed request");
    /* The connection is as good as before. */
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    http_expect(http_receive(fd), 200, "");
    close(fd);

    const int absurd = http_connect(world_port(world));
    http_send_text(absurd,
                   "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n{");
    http_wait_closed(absurd);
    close(absurd);
    world_close(world);
}

TEST(a_body_in_chunks_is_understood_and_limited)
{
    struct world *world = world_open();
    const int fd = http_connect(world_port(world));
    char head[64];

    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    (void)snprintf(head, sizeof head, "%zx\r\n", strlen(FILTER));
    http_send_text(fd, head);
    http_send_text(fd, FILTER "\r\n0\r\n\r\n");
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    http_expect(http_receive(fd), 200, "");

    const size_t n = 1024 * 1024;
    SKR_AUTO_FREE char *chunk = skr_alloc(n);
    memset(chunk, ' ', n);
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 100; i++) {
        http_send_text(fd, "100000\r\n");
        http_send(fd, chunk, n);
        http_send_text(fd, "\r\n");
    }
    http_wait_closed(fd); /* absurd long before the end */
    close(fd);
    world_close(world);
}

BEFORE_ALL
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

AFTER_ALL
{
    curl_global_cleanup();
}
