/* SPDX-License-Identifier: Apache-2.0 */
/* What people and scripts read: metrics, log lines, help, exit codes. */
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

#include "test/integration/prometheus.h"
#include "test/integration/scene.h"
#include "test/integration/web.h"

/* ---- metrics ---- */

static void expect_promtool_is_content(const char *folder)
{
    char command[512];
    if (system("command -v promtool >/dev/null 2>&1") != 0) {
        print_message("no promtool: checked by our own parser alone\n");
        return;
    }
    snprintf(command, sizeof command, "promtool check metrics <%s/metrics", folder);
    assert_int_equal(system(command), 0);
}

static void metrics_are_well_formed_and_count_what_happened(void **state)
{
    static const char *const lines[] = {
        "\nsakkara_synced 1\n",
        "\nsakkara_nodes 6\n",
        "\nsakkara_groups{status=\"Bound\"} 1\n",
        "\nsakkara_parked_binds 0\n",
        "\nsakkara_bindings_total{result=\"bound\"} 8\n",
        "\nsakkara_extender_requests_total{verb=\"bind\",result=\"ok\"} 8\n",
    };
    struct scene scene;
    char why[512] = "", *body = NULL;
    (void)state;
    scene_begin(&scene);
    scene_add_gang(&scene, 8);
    scene_start_daemon(&scene);
    cluster_pods(scene.c, "job", 8, "gang", true);
    scene_expect_bound(&scene, 8);
    daemon_wait_metric(scene.d, "sakkara_groups{status=\"Bound\"} 1");
    assert_int_equal(web_get(daemon_admin_port(scene.d), "/metrics", &body), 200);
    if (!prometheus_check(body, why, sizeof why))
        fail_msg("%s", why);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(body, lines[i]))
            fail_msg("/metrics lacks %s", lines[i]);
    assert_null(strstr(body, CLUSTER_TOKEN));
    write_text_file(daemon_folder(scene.d), "metrics", body);
    expect_promtool_is_content(daemon_folder(scene.d));
    free(body);
    scene_end(&scene);
}

static void the_checker_of_metrics_finds_what_is_wrong(void **state)
{
#define FAMILY(type) "# HELP a_total text\n# TYPE a_total " type "\n"
#define HISTOGRAM    "# HELP h text\n# TYPE h histogram\n"
    static const struct {
        const char *text, *why;
    } row[] = {
        {FAMILY("counter") "a_total{x=\"\\\"\"} 1\n", NULL},
        {HISTOGRAM "h_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_sum 3\nh_count 2\n", NULL},
        {FAMILY("counter") "a_total 1\na_total 1\n", "a sample twice: a_total 1"},
        {FAMILY("counter") "a_total x\n", "no number: a_total x"},
        {FAMILY("counter") "a_total{x=1} 1\n", "labels: a_total{x=1} 1"},
        {FAMILY("counter") "b 1\n", "a sample outside its family: b 1"},
        {FAMILY("counter") FAMILY("counter"), "a family twice: # TYPE a_total counter"},
        {"# TYPE a_total counter\n", "a family without HELP: # TYPE a_total counter"},
        {"# HELP a text\n# TYPE a counter\n",
         "a counter that is not named _total: # TYPE a counter"},
        {HISTOGRAM "h_bucket{le=\"1\"} 3\nh_bucket{le=\"2\"} 2\n",
         "buckets that are not cumulative: h_bucket{le=\"2\"} 2"},
        {HISTOGRAM "h_bucket{le=\"+Inf\"} 2\nh_count 3\n",
         "_count differs from the +Inf bucket: h_count 3"},
        {FAMILY("counter") "a_total 1", "the last line has no end: a_total 1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char why[512] = "";
        assert_int_equal(prometheus_check(row[i].text, why, sizeof why), row[i].why == NULL);
        assert_string_equal(why, row[i].why ? row[i].why : "");
    }
}

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
        cmocka_unit_test(metrics_are_well_formed_and_count_what_happened),
        cmocka_unit_test(the_checker_of_metrics_finds_what_is_wrong),
        cmocka_unit_test(every_line_of_the_log_parses),
        cmocka_unit_test(the_checker_of_lines_finds_what_is_wrong),
        cmocka_unit_test(commands_have_their_exit_codes_and_texts),
    };
    web_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
