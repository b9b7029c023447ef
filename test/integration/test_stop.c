/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program: SIGTERM with bind calls parked, a second signal, nothing leaked. */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/gang/state/reason.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/http_client.h"
#include "test/unit/web.h"
#include "topology/base/strbuf.h"

/* Seven of eight have voted; the bind call of the last one is held. */
static void park_seven(struct scene *scene)
{
    scene_add_gang(scene, 8);
    scene_start_daemon(scene);
    scheduler_hold(scene->s, "job-7");
    cluster_pods(scene->c, "job", 8, "gang", true);
    scheduler_wait_open_calls(scene->s, 7);
    daemon_wait_metric(scene->d, "sakkara_parked_binds 7");
}

static void expect_all_answered(struct scene *scene)
{
    scheduler_wait_idle(scene->s);
    struct scheduler_counts counts = scheduler_counts(scene->s);
    assert_int_equal(counts.answered, counts.binds);
    assert_int_equal(counts.failed, 0);
    assert_int_equal(counts.bound, 0);
    assert_int_equal(cluster_writes(scene->c, SKR_WRITE_BINDING), 0);
    assert_true(scheduler_saw(scene->s, SKR_TEXT_NOT_READY));
}

TEST(every_parked_bind_is_answered_at_the_end)
{
    struct scene scene;
    scene_begin(&scene);
    park_seven(&scene);
    scheduler_point(scene.s, 0, 0);
    daemon_stop(scene.d);
    expect_all_answered(&scene);
    /* The next one takes the plan up again. */
    scheduler_hold(scene.s, NULL);
    scene_start_daemon(&scene);
    scene_expect_bound(&scene, 8);
    scene_end(&scene);
}

TEST(nothing_is_leaked_says_valgrind)
{
    static const char *const valgrind[] = {"valgrind",
                                           "--quiet",
                                           "--leak-check=full",
                                           "--errors-for-leak-kinds=definite,indirect,possible",
                                           "--error-exitcode=99",
                                           "--log-file=/dev/null",
                                           NULL};
    struct scene scene;
    if (SCENE_IS_SLOW || access("/usr/bin/valgrind", X_OK) != 0) {
        printf("SKIP: %s\n", SCENE_IS_SLOW ? "a sanitizer is at work" : "no valgrind");
        skip();
    }
    scene_begin(&scene);
    scene.options.runner = valgrind;
    park_seven(&scene);
    scheduler_point(scene.s, 0, 0);
    daemon_stop(scene.d);
    scene.d = NULL;
    expect_all_answered(&scene);
    scene_end(&scene);
}

/* A write that is not answered keeps the kube client for its grace of a second: time for a second
 * signal. */
static void expect_second_signal(int signal)
{
    struct scene scene;
    struct timespec begin, end;
    scene_begin(&scene);
    scene_fault(&scene, "PATCH /api/v1/namespaces/default/configmaps/gang", FAKE_HANG, 200, 0);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", true);
    fake_api_wait_count(scene.c->api, "configmaps/gang", 1);
    scheduler_point(scene.s, 0, 0);
    (void)kill(daemon_pid(scene.d), SIGTERM);
    daemon_wait_log(scene.d, "Daemon was told to stop");
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    (void)kill(daemon_pid(scene.d), signal);
    daemon_wait_log(scene.d, "sakkara: second signal, ending at once");
    int status = daemon_join(scene.d);
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec <= (SCENE_IS_SLOW ? 5 : 1));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    scene.d = NULL;
    scene_end(&scene);
}

TEST(a_second_signal_ends_it_at_once)
{
    expect_second_signal(SIGTERM);
    expect_second_signal(SIGINT);
}

/* ---- callers at the end ---- */

enum { NAMES = 200000, SMALL_BUFFER = 4096 };

/* Whether the listener has begun to read it: who comes later is answered first. */
static void wait_until_read(uint16_t port)
{
    struct http_answer answer = http_request(port, "GET", "/nothing");
    assert_int_equal(answer.status, 404);
    http_answer_free(&answer);
}

static void send_half_a_request(int fd)
{
    http_send_text(fd,
                   "POST /v1/filter HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"Pod\"");
}

/* The answer is as large as the question: more than the sockets between us hold. */
static void ask_without_reading(int fd)
{
    SKR_STRBUF(body);
    int small = SMALL_BUFFER;
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    skr_strbuf_add(&body,
                   "{\"Pod\":{\"metadata\":{\"namespace\":\"default\",\"name\":\"p\",\"uid\":"
                   "\"p\"},\"spec\":{\"schedulerName\":\"sakkara\",\"containers\":[]}},"
                   "\"NodeNames\":[");
    for (int i = 0; i < NAMES; i++) {
        skr_strbuf_addf(&body, "%s\"a-node-with-a-name-that-is-rather-long-and-has-%06d\"",
                        i ? "," : "", i);
    }
    skr_strbuf_add(&body, "]}");
    http_send_post(fd, "/v1/filter", body.s, body.len);
}

TEST(it_ends_while_callers_are_half_way)
{
    struct scene scene;
    scene_begin(&scene);
    park_seven(&scene);
    int half = http_connect(daemon_port(scene.d)), idle = http_connect(daemon_port(scene.d));
    int half_bind = http_connect(daemon_bind_port(scene.d));
    int half_line = http_connect(daemon_admin_port(scene.d));
    int slow = http_connect(daemon_port(scene.d));
    send_half_a_request(half);
    send_half_a_request(half_bind);
    http_send_text(half_line, "GET /met");
    ask_without_reading(slow);
    daemon_wait_metric(scene.d, "sakkara_extender_requests_total{verb=\"filter\",result=\"ok\"} 9");
    wait_until_read(daemon_port(scene.d));
    scheduler_point(scene.s, 0, 0);
    daemon_stop(scene.d);
    scene.d = NULL;
    expect_all_answered(&scene);
    http_wait_closed(half);
    http_wait_closed(half_bind);
    http_wait_closed(half_line);
    http_wait_closed(idle);
    const int fds[] = {half, half_bind, half_line, idle, slow};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        close(fds[i]);
    }
    scene_end(&scene);
}

/* ---- probes ---- */

static void expect_page(const struct daemon *d, const char *path, int status, const char *part)
{
    SKR_AUTO_FREE char *body = NULL;
    int got = web_get(daemon_admin_port(d), path, &body);
    if (got != status || !strstr(body, part)) {
        fail_msg("%s: %d %s", path, got, body);
    }
}

TEST(readyz_names_every_check)
{
    struct scene scene;
    scene_begin(&scene);
    scene_fault(&scene, "/api/v1/nodes?", FAKE_HANG, 500, 0);
    scene_add_gang(&scene, 4);
    scene.d = daemon_start(scene.c, &scene.options);
    fake_api_wait_count(scene.c->api, "/api/v1/nodes?", 1);
    daemon_wait_log(scene.d, "resource=\"pods\"");
    expect_page(scene.d, "/livez", 200, "ok");
    expect_page(scene.d, "/readyz", 503, "[-]synced failed: first lists are not complete:");
    expect_page(scene.d, "/readyz", 503, " nodes");
    fake_api_release(scene.c->api, "/api/v1/nodes?");
    daemon_wait_ready(scene.d);
    expect_page(scene.d, "/readyz", 200, "ok");
    expect_page(scene.d, "/readyz?verbose", 200,
                "[+]synced ok\n[+]fresh ok\n[+]running ok\n[+]leader ok\nreadyz check passed\n");
    expect_page(scene.d, "/livez?verbose", 200,
                "[+]ping ok\n[+]engine ok\n[+]kube ok\nlivez check passed\n");
    scene_end(&scene);
}

TEST(it_ends_while_the_api_server_hangs)
{
    struct scene scene;
    scene_begin(&scene);
    scene_fault(&scene, "PATCH /api/v1/namespaces/default/configmaps/gang", FAKE_HANG, 200, 0);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", false);
    fake_api_wait_count(scene.c->api, "configmaps/gang", 1);
    scene_end(&scene);
}

TEST(sighup_raises_the_log_level)
{
    struct scene scene;
    scene_begin(&scene);
    scene.options.level = 2;
    scene_start_daemon(&scene);
    (void)kill(daemon_pid(scene.d), SIGHUP);
    daemon_wait_log(scene.d, "\"Log level changed\" v=4");
    (void)kill(daemon_pid(scene.d), SIGHUP);
    daemon_wait_log(scene.d, "\"Log level changed\" v=6");
    (void)kill(daemon_pid(scene.d), SIGHUP);
    daemon_wait_log(scene.d, "\"Log level changed\" v=2");
    scene_end(&scene);
}

BEFORE_ALL
{
    web_init();
}
