/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs and clients that are slow or vanish, and binds that are held meanwhile. */
#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/gang/state/reason.h"
#include "test/test.h"
#include "test/unit/verbs_world.h"
#include "topology/base/arena.h"

/* ---- slow and vanishing clients ---- */

TEST(slow_clients_are_cut_and_hold_up_nobody)
{
    static const char *const part[] = {
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\n",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{\"Pod\":",
        "POST /v1/filter HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    };
    struct world *world = world_open_with(NULL, 400, 0);
    int slow[3 * 20];

    for (size_t i = 0; i < 60; i++) {
        slow[i] = http_connect(world_port(world));
        http_send_text(slow[i], part[i % 3]);
    }
    const int fd = http_connect(world_port(world));
    for (int i = 0; i < 20; i++) {
        http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
        assert_true(world_answer(world, world_take_request(world, SKR_GANG_FILTER),
                                 SKR_ANSWER_FILTER_ALL, ""));
        http_expect(http_receive(fd), 200, "");
        for (size_t k = 0; k < 60; k++) {
            http_send(slow[k], " ", 1); /* never silent, never finished */
        }
    }
    for (size_t i = 0; i < 60; i++) {
        http_wait_closed(slow[i]);
        close(slow[i]);
    }
    close(fd);
    world_close(world);
}

TEST(idle_connections_are_closed_in_the_end)
{
    struct world *world = world_open_with(NULL, 0, 300);
    const int silent = http_connect(world_port(world));
    const int half_a_line = http_connect(world_port(world));
    const int used = http_connect(world_port(world));

    http_send_text(half_a_line, "POST /v1/fil");
    http_send_post(used, "/v1/filter", FILTER, strlen(FILTER));
    assert_true(
        world_answer(world, world_take_request(world, SKR_GANG_FILTER), SKR_ANSWER_FILTER_ALL, ""));
    http_expect(http_receive(used), 200, "");
    http_wait_closed(silent);
    http_wait_closed(half_a_line);
    http_wait_closed(used);
    close(silent);
    close(half_a_line);
    close(used);
    world_close(world);
}

TEST(a_parked_bind_outlives_the_idle_time)
{
    struct world *world = world_open_with(NULL, 100, 100);
    const int fd = http_connect(world_bind_port(world));
    const int idle = http_connect(world_bind_port(world));

    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t request = world_take_request(world, SKR_GANG_BIND);
    http_wait_closed(idle); /* the idle time has passed */
    assert_true(world_answer(world, request, SKR_ANSWER_BOUND, ""));
    world_expect(http_receive(fd), 200, "{\"Error\":\"\"}");
    close(fd);
    close(idle);
    world_close(world);
}

TEST(a_half_closed_client_takes_nobody_down)
{
    struct world *world = world_open_with(NULL, 500, 0);

    /* Before the request is complete: nothing comes of it. */
    int fd = http_connect(world_port(world));
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    shutdown(fd, SHUT_WR);
    http_wait_closed(fd);
    close(fd);
    /* Complete: filter is posted; whether the answer arrives is up to the race, the server lives.
     */
    fd = http_connect(world_port(world));
    http_send_post(fd, "/v1/filter", FILTER, strlen(FILTER));
    const uint64_t request = world_take_request(world, SKR_GANG_FILTER);
    shutdown(fd, SHUT_WR);
    http_wait_closed(fd);
    close(fd);
    assert_false(world_answer(world, request, SKR_ANSWER_FILTER_ALL, ""));
    /* A bind whose client has closed its side is a hang-up. */
    fd = http_connect(world_bind_port(world));
    http_send_post(fd, "/v1/bind", BIND, strlen(BIND));
    const uint64_t bind = world_take_request(world, SKR_GANG_BIND);
    shutdown(fd, SHUT_WR);
    assert_int_equal(world_take_hangup(world), bind);
    http_wait_closed(fd);
    close(fd);
    /* What is answered without the engine reaches a half-closed client. */
    fd = http_connect(world_port(world));
    http_send_text(fd, "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{");
    shutdown(fd, SHUT_WR);
    http_expect(http_receive(fd), 200, "");
    close(fd);
    world_close(world);
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
        fd[i] = http_connect(world_bind_port(world));
        (void)snprintf(
            body, sizeof body,
            "{\"PodName\":\"%d\",\"PodNamespace\":\"d\",\"PodUID\":\"u\",\"Node\":\"n\"}", i);
        http_send_post(fd[i], "/v1/bind", body, strlen(body));
    }
    for (int i = 0; i < n; i++) {
        struct posted *posted = world_take(world);
        assert_int_equal(posted->event.request.verb, SKR_GANG_BIND);
        const struct skr_bind_request *bind = posted->event.request.body;
        const long index = strtol(bind->name, NULL, 10);
        ret[index] = posted->event.request.id;
        world_drop(posted);
    }
}

TEST(five_thousand_parked_binds_are_all_answered)
{
    struct world *world = world_open();
    const int n = parked_max(5000);
    SKR_AUTO_FREE int *fd = skr_alloc_array((size_t)n, sizeof *fd);
    SKR_AUTO_FREE uint64_t *request = skr_alloc_array((size_t)n, sizeof *request);

    park(world, n, fd, request);
    for (int i = 0; i < n; i++) {
        assert_true(world_answer(world, request[i], i % 2 ? SKR_ANSWER_BOUND : SKR_ANSWER_ERROR,
                                 i % 2 ? "" : SKR_TEXT_ABORTED));
    }
    for (int i = 0; i < n; i++) {
        world_expect(http_receive(fd[i]), 200,
                     i % 2 ? "{\"Error\":\"\"}" : "{\"Error\":\"sakkara: plan aborted\"}");
        close(fd[i]);
    }
    for (int i = 0; i < n; i++) {
        assert_false(world_answer(world, request[i], SKR_ANSWER_BOUND, ""));
    }
    world_close(world);
}

TEST(hang_ups_of_parked_binds_are_noticed)
{
    enum { N = 200 };
    struct world *world = world_open();
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    bool gone[N] = {false};
    int fd[N];
    uint64_t request[N];

    park(world, N, fd, request);
    for (int i = 0; i < N; i += 2) {
        if (i % 8 == 0) {
            assert_int_equal(setsockopt(fd[i], SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
        }
        if (i % 8 == 2) {
            http_send_text(fd[i], "POST /v1/bind HTTP/1.1\r\nHost: x\r\n"); /* bytes nobody reads */
        }
        if (i % 8 == 4) {
            shutdown(fd[i], SHUT_WR);
        } else {
            close(fd[i]);
        }
    }
    for (int i = 0; i < N / 2; i++) {
        const uint64_t id = world_take_hangup(world);
        bool found = false;
        for (int k = 0; k < N; k += 2) {
            if (request[k] != id) {
                continue;
            }
            assert_false(gone[k]);
            gone[k] = found = true;
        }
        assert_true(found);
        assert_false(world_answer(world, id, SKR_ANSWER_BOUND, ""));
    }
    for (int i = 1; i < N; i += 2) {
        assert_true(world_answer(world, request[i], SKR_ANSWER_BOUND, ""));
        world_expect(http_receive(fd[i]), 200, "{\"Error\":\"\"}");
        close(fd[i]);
    }
    for (int i = 4; i < N; i += 8) {
        http_wait_closed(fd[i]);
        close(fd[i]);
    }
    world_close(world);
}

struct race {
    struct world *world;
    const uint64_t *request;
    int n, answered;
};

static void *answer_all(void *context)
{
    struct race *race = context;

    for (int i = 0; i < race->n; i++) {
        race->answered += world_answer(race->world, race->request[i], SKR_ANSWER_BOUND, "");
    }
    return NULL;
}

TEST(an_answer_and_a_hang_up_have_one_winner)
{
    enum { N = 300 };
    struct world *world = world_open();
    int fd[N];
    uint64_t request[N];
    pthread_t thread;

    park(world, N, fd, request);
    struct race race = {.world = world, .request = request, .n = N};
    assert_int_equal(pthread_create(&thread, NULL, answer_all, &race), 0);
    for (int i = N - 1; i >= 0; i--) {
        close(fd[i]);
    }
    pthread_join(thread, NULL);
    for (int i = race.answered; i < N; i++) {
        (void)world_take_hangup(world);
    }
    for (int i = 0; i < N; i++) {
        assert_false(world_answer(world, request[i], SKR_ANSWER_BOUND, ""));
    }
    world_close(world);
}

TEST(stopping_answers_everything_first)
{
    enum { N = 100 };
    struct world *world = world_open();
    int fd[N];
    uint64_t request[N];

    park(world, N, fd, request);
    const int filter = http_connect(world_port(world));
    http_send_post(filter, "/v1/filter", FILTER, strlen(FILTER));
    (void)world_take_request(world, SKR_GANG_FILTER);
    const uint16_t p = world_port(world);
    skr_verbs_stop(world->verbs);
    for (int i = 0; i < N; i++) {
        struct http_answer got = http_receive(fd[i]);
        assert_non_null(strstr(got.headers, "Connection: close\r\n"));
        world_expect(got, 200, "{\"Error\":\"sakkara: not ready\"}");
        close(fd[i]);
    }
    struct http_answer got = http_receive(filter);
    assert_non_null(strstr(got.body, "\"Error\":\"sakkara: not ready\""));
    http_answer_free(&got);
    close(filter);
    assert_false(http_can_connect(p));
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
