/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program: SIGTERM with bind calls parked, a second signal, nothing leaked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/reason.h"
#include "test/integration/scene.h"
#include "test/integration/web.h"

/* Seven of eight have voted; the last one is kept from its cycle. */
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

static void every_parked_bind_is_answered_at_the_end(void **state)
{
    struct scene scene;
    (void)state;
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

static void nothing_is_leaked_says_valgrind(void **state)
{
    static const char *const valgrind[] = {"valgrind",
                                           "--quiet",
                                           "--leak-check=full",
                                           "--errors-for-leak-kinds=definite,indirect,possible",
                                           "--error-exitcode=99",
                                           "--log-file=/dev/null",
                                           NULL};
    struct scene scene;
    (void)state;
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
static void a_second_signal_ends_it_at_once(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    scene_fault(&scene, "PATCH /api/v1/namespaces/default/configmaps/gang", FAKE_HANG, 200, 0);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", true);
    fake_api_wait_count(scene.c->api, "configmaps/gang", 1);
    scheduler_point(scene.s, 0, 0);
    (void)kill(daemon_pid(scene.d), SIGTERM);
    daemon_wait_log(scene.d, "Daemon was told to stop");
    (void)kill(daemon_pid(scene.d), SIGINT);
    daemon_wait_log(scene.d, "sakkara: second signal, ending at once");
    int status = daemon_join(scene.d);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    scene.d = NULL;
    scene_end(&scene);
}

static void it_ends_while_the_api_server_hangs(void **state)
{
    struct scene scene;
    (void)state;
    scene_begin(&scene);
    scene_fault(&scene, "PATCH /api/v1/namespaces/default/configmaps/gang", FAKE_HANG, 200, 0);
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 4, "gang", false);
    fake_api_wait_count(scene.c->api, "configmaps/gang", 1);
    scene_end(&scene);
}

static void sighup_raises_the_log_level(void **state)
{
    struct scene scene;
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parked_bind_is_answered_at_the_end),
        cmocka_unit_test(nothing_is_leaked_says_valgrind),
        cmocka_unit_test(a_second_signal_ends_it_at_once),
        cmocka_unit_test(it_ends_while_the_api_server_hangs),
        cmocka_unit_test(sighup_raises_the_log_level),
    };
    web_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
