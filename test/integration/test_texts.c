/* SPDX-License-Identifier: Apache-2.0 */
/* What people and scripts read: log lines, help, exit codes. */
#include <sys/wait.h>
#include <unistd.h>

#include "test/golden.h"
#include "test/integration/scene.h"
#include "test/test.h"
#include "test/unit/web.h"

/* ---- log lines ---- */

/* Every daemon of every test has its log checked at its end; here is every level, both formats. */
TEST(every_line_of_the_log_parses)
{
    static const char *const formats[] = {"text", "json"};
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
        daemon_wait_log(scene.d, "Request was answered");
        scene_end(&scene);
    }
}

TEST(the_checker_of_lines_finds_what_is_wrong)
{
    static const struct {
        const char *format, *line;
        bool good;
    } row[] = {
        {"text",
         "I1121 15:58:30.274141   20033 watch.c:163] \"A \\\"b\\\"\" pod=\"d\" v=-5 id=true", true},
        {"text", "X1121 15:58:30.274141   20033 watch.c:163] \"A\"", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c] \"A\"", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] a", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"A\" pod=c", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"A\" pod=\"c", false},
        {"text", "an accident", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"Done\" unheardOf=5", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"Done.\"", false},
        {"text", "I1121 15:58:30.274141   20033 watch.c:163] \"done\"", false},
        {"json", "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\",\"msg\":\"Done\"}",
         true},
        {"json",
         "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\",\"msg\":\"Done\",\"x\":1}",
         false},
        {"json",
         "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\",\"msg\":\"Done.\"}",
         false},
        {"json", "{\"ts\":1.5,\"severity\":\"info\",\"v\":0,\"caller\":\"a.c:1\"}", false},
        {"json", "{\"ts\":1.5,", false},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        assert_int_equal(!log_line_check(row[i].line, row[i].format), row[i].good);
    }
}

TEST(keys_of_lines_are_in_the_reference)
{
    SKR_AUTO_FREE char *reference = golden_read("docs/reference.md");
    char *text = strstr(reference, "\n## Logs\n");
    assert_non_null(text);
    text[strstr(text + 4, "\n## ") - text] = '\0';
    for (size_t i = 0; log_line_key(i); i++) {
        char key[64];
        snprintf(key, sizeof key, "`%s`", log_line_key(i));
        if (!strstr(text, key)) {
            fail_msg("docs/reference.md, Logs, lacks %s", key);
        }
    }
}

static bool is_listed(const char *key)
{
    for (size_t i = 0; log_line_key(i); i++) {
        if (strcmp(log_line_key(i), key) == 0) {
            return true;
        }
    }
    return false;
}

/* Also those of lines that no test sees. */
TEST(keys_in_the_sources_are_listed)
{
    char key[64];
    size_t n = 0;
    FILE *found = popen("grep -rhoE --include=*.c 'SKR_LOG_[SIB]\\(\"[^\"]*' server | "
                        "cut -d '\"' -f 2 | sort -u",
                        "r");
    assert_non_null(found);
    for (; fgets(key, sizeof key, found); n++) {
        key[strcspn(key, "\n")] = '\0';
        if (!is_listed(key)) {
            fail_msg("a log line has the key %s, which is not listed", key);
        }
    }
    assert_int_equal(pclose(found), 0);
    assert_true(n > 10);
}

TEST(a_kubeconfig_that_is_refused_tells_no_password)
{
    static const char *const servers[] = {"htps://me:hushhush@127.0.0.1", "me:hushhush@host",
                                          "https://127.0.0.1?token=hushhush",
                                          "https://me:hushhush@127.0.0.1:port"};
    char *folder = make_folder();
    for (size_t i = 0; i < sizeof servers / sizeof servers[0]; i++) {
        char text[512], path[256], *out = NULL, *err = NULL;
        snprintf(text, sizeof text,
                 "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                 "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                 "clusters: [{name: c, cluster: {server: \"%s\"}}]\n"
                 "users: [{name: u, user: {token: hushhush}}]\n",
                 servers[i]);
        write_text_file(folder, "kubeconfig", text);
        snprintf(path, sizeof path, "%s/kubeconfig", folder);
        const char *argv[] = {"serve", "-v", "10", "--kubeconfig", path, NULL};
        assert_int_equal(daemon_run(argv, &out, &err), 1);
        assert_null(strstr(out, "hushhush"));
        if (strstr(err, "hushhush") || !strstr(err, "cluster.server: ")) {
            fail_msg("%s", err);
        }
        free(out);
        free(err);
    }
    remove_folder(folder);
}

/* ---- the level ---- */

static int put_level(const struct scene *scene, const char *text, const char *answer)
{
    struct web_answer got =
        web_ask("PUT", daemon_admin_port(scene->d), "/v1/loglevel", text, NULL, 20000);
    int status = got.status;
    if (answer) {
        assert_string_equal(got.body, answer);
    }
    free(got.body);
    return status;
}

TEST(the_log_level_is_changed_while_it_runs)
{
    struct scene scene;
    scene_begin(&scene);
    scene.options.level = 2;
    scene_add_gang(&scene, 4);
    scene_start_daemon(&scene);
    assert_false(daemon_has_log(scene.d, "Write was asked for"));
    assert_int_equal(put_level(&scene, "11", NULL), 400);
    assert_int_equal(put_level(&scene, "4", "4\n"), 200);
    daemon_wait_log(scene.d, "\"Log level changed\" v=4");
    cluster_pods(scene.c, "job", 4, "gang", true);
    daemon_wait_log(scene.d, "Write was asked for");
    scene_expect_bound(&scene, 4);
    assert_int_equal(put_level(&scene, "0\n", "0\n"), 200);
    char *body = NULL;
    assert_int_equal(web_get(daemon_admin_port(scene.d), "/v1/loglevel", &body), 200);
    assert_string_equal(body, "0\n");
    free(body);
    scene_end(&scene);
}

/* ---- the command line ---- */

TEST(commands_have_their_exit_codes_and_texts)
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
        {{"serve", "--config", "/nonexistent"}, 3, NULL, "/nonexistent: error: "},
        {{"serve", "--kubeconfig", "/nonexistent"},
         1,
         NULL,
         "/nonexistent: error: cannot be read: No such file or directory\n"},
        {{"solve", "/nonexistent"}, 3, NULL, "/nonexistent: No such file or directory\n"},
        {{"group", "nobody", "--file", "test/views/group.yaml"}, 3, NULL, "nobody"},
        {{"solve", "test/solve/infeasible.json"}, 4, "\"infeasible\"", NULL},
        {{"lint", "test/lint/beyond-size.yaml"}, 5, "beyond-size.yaml:", NULL},
        {{"group", "g", "--server", "http://127.0.0.1:1"}, 6, NULL, "cannot be reached"},
        {{"completion", "zsh"}, 0, "#compdef sakkara", NULL},
        {{"completion", "csh"}, 2, NULL, "the shell is bash, zsh or fish, not csh\n"},
        {{"serve"}, 1, NULL, "not in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT"},
    };
    (void)unsetenv("KUBERNETES_SERVICE_HOST");
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char *out = NULL, *err = NULL;
        int code = daemon_run(row[i].argv, &out, &err);
        bool good = code == row[i].code && (row[i].out ? !!strstr(out, row[i].out) : !*out) &&
                    (row[i].err ? !!strstr(err, row[i].err) : !*err);
        if (!good) {
            fail_msg("case %zu, %s %s: exit %d\n%s%s", i, row[i].argv[0],
                     row[i].argv[0] && row[i].argv[1] ? row[i].argv[1] : "", code, out, err);
        }
        free(out);
        free(err);
    }
}

BEFORE_ALL
{
    web_init();
}
