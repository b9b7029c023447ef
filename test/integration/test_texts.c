/* SPDX-License-Identifier: Apache-2.0 */
/* What people and scripts read: log lines, help, exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/integration/scene.h"
#include "test/integration/web.h"

/* ---- log lines ---- */

/* Every daemon of every test has its log checked at its end; here is every level, both formats. */
static void every_line_of_the_log_parses(void **state)
{
    static const char *const formats[] = {"text", "json"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;
        scene_begin(&scene);
        scene.options.format = formats[i];
        scene.options.level = 10;
        scene_add_gang(&scene, 4);
        scene_fault(&scene, "/pods?watch", FAKE_RESET, 0, 0);
        scene_start_daemon(&scene);
        struct web_answer answer = web_ask("POST", daemon_port(scene.d), "/v1/filter",
                                           "{\"a\":\"\\u0000\\n\x01\"", NULL, 20000);
        free(answer.body);
        cluster_pods(scene.c, "job", 4, "gang", true);
        scene_expect_bound(&scene, 4);
        daemon_wait_log(scene.d, "Request was malformed");
        scene_end(&scene);
    }
}

static void the_checker_of_lines_finds_what_is_wrong(void **state)
{
    static const struct {
        const char *format, *line;
        bool good;
    } row[] = {
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"a \\\"b\\\"\" c=\"d\" e=-5 f=true",
         true},
        {"text", "X1121 15:58:30.274141   20033 watch.c:163] \"a\"", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c] \"a\"", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] a", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"a\" b=c", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"a\" b=\"c", false},
        {"text", "an accident", false},
        {"json", "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\",\"msg\":\"\"}",
         true},
        {"json", "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\"}", false},
        {"json", "{\"ts\":1.5,", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
        assert_int_equal(log_line_check(row[i].line, row[i].format) == NULL, row[i].good);
}

/* ---- the command line ---- */

static void commands_have_their_exit_codes_and_texts(void **state)
{
    static const struct {
        const char *argv[5];
        int code;
        const char *out, *err; /* parts; NULL: nothing at all */
    } row[] = {
        {{"version"}, 0, "sakkara ", NULL},
        {{"--version"}, 0, "sakkara ", NULL},
        {{"help"}, 0, "Commands:", NULL},
        {{"--help"}, 0, "Commands:", NULL},
        {{"-h"}, 0, "Commands:", NULL},
        {{"help", "serve"}, 0, "--kubeconfig FILE", NULL},
        {{"serve", "--help"}, 0, "--kubeconfig FILE", NULL},
        {{"help", "config"}, 0, "planTimeout", NULL},
        {{NULL}, 2, NULL, "Commands:"},
        {{"sevre"}, 2, NULL, "sakkara: unknown command sevre, did you mean serve?\n"},
        {{"help", "sevre"}, 2, NULL, "sakkara: unknown command sevre, did you mean serve?\n"},
        {{"frobnicate"}, 2, NULL, "sakkara: unknown command frobnicate\nsee: sakkara help\n"},
        {{"serve", "--confg", "x"},
         2,
         NULL,
         "sakkara serve: unknown flag --confg, did you mean --config\n"},
        {{"serve", "--config"}, 2, NULL, "sakkara serve: a value is missing after --config\n"},
        {{"serve", "--config="}, 2, NULL, "sakkara serve: the value is empty after --config\n"},
        {{"serve", "-v", "loud"}, 2, NULL, "-v is a number from 0 to 10, not loud\n"},
        {{"serve", "--log-format", "xml"}, 2, NULL, "--log-format is text or json, not xml\n"},
        {{"serve", "now"}, 2, NULL, "sakkara serve: unexpected argument now\n"},
        {{"serve", "--config", "/nonexistent"}, 1, NULL, "/nonexistent: error: "},
        {{"serve", "--kubeconfig", "/nonexistent"},
         1,
         NULL,
         "/nonexistent: error: No such file or directory\n"},
        {{"serve"}, 1, NULL, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT"},
    };
    (void)state;
    (void)unsetenv("KUBERNETES_SERVICE_HOST");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *out = NULL, *err = NULL;
        int code = daemon_run(row[i].argv, &out, &err);
        bool good = code == row[i].code &&
                    (row[i].out ? strstr(out, row[i].out) != NULL : out[0] == '\0') &&
                    (row[i].err ? strstr(err, row[i].err) != NULL : err[0] == '\0');
        if (!good)
            fail_msg("case %zu, %s %s: exit %d\n%s%s", i, row[i].argv[0],
                     row[i].argv[0] && row[i].argv[1] ? row[i].argv[1] : "", code, out, err);
        free(out);
        free(err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_of_the_log_parses),
        cmocka_unit_test(the_checker_of_lines_finds_what_is_wrong),
        cmocka_unit_test(commands_have_their_exit_codes_and_texts),
    };
    web_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
