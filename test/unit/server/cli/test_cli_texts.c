/* SPDX-License-Identifier: Apache-2.0 */
/* Help, man pages and completion come from one table: every command and flag is in all of them, and
 * every example is understood by the parser. */
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "test/test.h"

enum { WORDS_MAX = 32 };

/* What a command prints, run as main() does. */
static char *run_words(char *const *words, int n, int code)
{
    struct skr_call call;
    struct skr_strbuf out, messages;
    skr_strbuf_init(&out);
    skr_strbuf_init(&messages);
    int rc = skr_cli_parse(&skr_commands, n, words, &call, &messages);
    rc = rc == SKR_EXIT_OK ? call.command->run(&call, &out, &messages) : rc;
    if (rc != code) {
        fail_msg("%s: exit code %d: %s", words[0], rc, messages.s);
    }
    skr_call_fini(&call);
    skr_strbuf_fini(&messages);
    return skr_strbuf_take(&out, NULL);
}

/* words: blank separated; "''" is an empty one. */
static char *run_line(const char *line)
{
    char storage[512], *words[WORDS_MAX], *rest = storage, *word;
    int n = 0;
    snprintf(storage, sizeof storage, "%s", line);
    while (n < WORDS_MAX && (word = strtok_r(rest, " ", &rest))) {
        words[n++] = strcmp(word, "''") == 0 ? word + 2 : word;
    }
    return run_words(words, n, SKR_EXIT_OK);
}

static void expect_part(const char *text, const char *part, const char *where)
{
    if (!strstr(text, part)) {
        fail_msg("%s lacks \"%s\":\n%s", where, part, text);
    }
}

/* ---- every flag everywhere ---- */

/* As the formatter wants it. */
static void escape(const char *s, char *out, size_t size)
{
    size_t n = 0;
    for (; *s && n + 3 < size; s++) {
        if (*s == '-') {
            out[n++] = '\\';
        }
        out[n++] = *s;
    }
    out[n] = '\0';
}

static bool has_flag(const struct skr_command *command, const char *name)
{
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(command, i, NULL)); i++) {
        if (strcmp(flag->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_flag(const struct skr_command *command, const struct skr_flag *flag,
                       const char *help, const char *section)
{
    char line[512], text[256], escaped[128], completed[512];
    snprintf(text, sizeof text, "  %s%s%s%s%s ", flag->letter ? flag->letter : "",
             flag->letter ? ", " : "", flag->name, flag->argument ? " " : "",
             flag->argument ? flag->argument : "");
    expect_part(help, text, "help");
    escape(flag->name, escaped, sizeof escaped);
    snprintf(text, sizeof text, "\\fB%s\\fR", escaped);
    expect_part(section, text, "man page");
    snprintf(line, sizeof line, "__complete %s %s", command->name, flag->name);
    snprintf(completed, sizeof completed, "%s\t%s\n", flag->name, flag->text);
    SKR_AUTO_FREE char *got = run_line(line);
    expect_part(got, completed, line);
}

/* The part of a page that is about one command. */
static char *section_of(const char *page, const char *name)
{
    char begin[64], *copy;
    snprintf(begin, sizeof begin, ".SS %s\n", name);
    const char *at = strstr(page, begin);
    if (!at) {
        fail_msg("the man page lacks %s", name);
        return NULL;
    }
    const char *end = strstr(at + 3, "\n.S");
    copy = strndup(at, (size_t)((end ? end : at + strlen(at)) - at));
    assert_non_null(copy);
    return copy;
}

TEST(every_flag_is_in_help_man_page_and_completion)
{
    char *page = run_line("__man sakkara"), *client = run_line("__man kubectl-sakkara");
    const struct skr_command *command;
    for (size_t i = 0; (command = skr_command_at(&skr_commands, i)); i++) {
        SKR_STRBUF(help);
        assert_int_equal(skr_cli_write_help(&skr_commands, command->name, &help), SKR_EXIT_OK);
        SKR_AUTO_FREE char *section = section_of(page, command->name);
        char summary[256];
        escape(command->summary, summary, sizeof summary);
        expect_part(section, summary, "man page");
        const struct skr_flag *flag;
        for (size_t f = 0; (flag = skr_command_flag(command, f, NULL)); f++) {
            check_flag(command, flag, help.s, section);
        }
        if (has_flag(command, "--server")) {
            free(section_of(client, command->name));
        }
    }
    expect_part(client, "kubectl sakkara tree", "man page");
    free(page);
    free(client);
}

TEST(every_command_is_in_overview_and_completion)
{
    SKR_STRBUF(overview);
    skr_cli_write_help(&skr_commands, NULL, &overview);
    char *completed = run_line("__complete ''"), *topics = run_line("__complete help ''");
    for (size_t i = 0; skr_commands.command[i]; i++) {
        char text[256];
        snprintf(text, sizeof text, "  %-10s %s\n", skr_commands.command[i]->name,
                 skr_commands.command[i]->summary);
        expect_part(overview.s, text, "overview");
        snprintf(text, sizeof text, "%s\t%s\n", skr_commands.command[i]->name,
                 skr_commands.command[i]->summary);
        expect_part(completed, text, "completion");
        expect_part(topics, text, "completion of help");
        assert_true(skr_commands.command[i]->name[0] != '_');
    }
    assert_null(strstr(completed, "__"));
    free(completed);
    free(topics);
}

TEST(exit_codes_are_in_overview_and_man_pages)
{
    static const char *const codes[] = {"0 ok",
                                        "1 error",
                                        "2 usage",
                                        "3 not found",
                                        "4 not placed",
                                        "5 findings",
                                        "6 server unreachable"};
    SKR_STRBUF(overview);
    skr_cli_write_help(&skr_commands, NULL, &overview);
    char *page = run_line("__man sakkara"), *client = run_line("__man kubectl-sakkara");
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        expect_part(overview.s, codes[i], "overview");
        expect_part(page, codes[i], "man page");
        expect_part(client, codes[i], "man page");
    }
    free(page);
    free(client);
}

TEST(options_of_the_configuration_are_in_the_man_page)
{
    SKR_AUTO_FREE char *page = run_line("__man sakkara");
    expect_part(page, "extender.bindTimeout", "man page");
    expect_part(page, "planTimeout", "man page");
}

/* ---- examples ---- */

/* A line of a shell up to a comment, a pipe or a redirection, into words; quotes hold words
 * together. */
static int split(char *line, char **words)
{
    int n = 0;
    char *p = line;
    for (;;) {
        p += strspn(p, " ");
        if (!*p || *p == '#' || *p == '|' || *p == '<' || *p == '>') {
            return n;
        }
        char *to = p, quote = 0;
        assert_true(n < WORDS_MAX);
        words[n++] = p;
        for (; *p && (quote || *p != ' '); p++) {
            if (*p == '\'' || *p == '"') {
                quote = quote == *p ? 0 : quote ? quote : *p;
            } else {
                *to++ = *p;
            }
        }
        bool ended = !*p;
        *to = '\0';
        p += ended ? 0 : 1;
    }
}

static void check_example(const char *begin, size_t len)
{
    static const char own[] = "sakkara ";
    char line[512], *words[WORDS_MAX];
    struct skr_call call;
    SKR_STRBUF(refusal);
    snprintf(line, sizeof line, "%.*s", (int)len, begin);
    for (char *more = line; (more = strstr(more, "\\\n"));) {
        memcpy(more, "  ", 2);
    }
    char *at = strstr(line, own);
    if (!at) { /* what goes before: kubectl ... > dump.json */
        return;
    }
    assert_true(at == line || at[-1] == ' ');
    int n = split(at, words);
    if (skr_cli_parse(&skr_commands, n - 1, words + 1, &call, &refusal) != SKR_EXIT_OK) {
        fail_msg("%.*s\n%s", (int)len, begin, refusal.s);
    }
    skr_call_fini(&call);
}

TEST(every_example_is_understood)
{
    const struct skr_command *command;
    for (size_t i = 0; (command = skr_command_at(&skr_commands, i)); i++) {
        size_t n = 0;
        const char *line = command->examples;
        for (const char *end; (end = strchr(line, '\n')); line = end + 1, n++) {
            while (end[-1] == '\\') { /* goes on in the next line */
                end = strchr(end + 1, '\n');
                assert_non_null(end);
            }
            check_example(line, (size_t)(end - line));
        }
        assert_true(n >= 2);
        assert_int_equal(*line, '\0');
        check_example(command->next, strlen(command->next));
    }
}

/* ---- completion ---- */

static const struct {
    const char *line, *answer;
} completions[] = {
    {"__complete", NULL},
    {"__complete sol", "solve\tplace one group written down in a file\n:4\n"},
    {"__complete banana ''", ":4\n"},
    {"__complete serve --log-format ''", "text\njson\n:4\n"},
    {"__complete serve --log-format j", "json\n:4\n"},
    {"__complete serve --log-format=j", "--log-format=json\n:4\n"},
    {"__complete serve --config ''", ":0\n"},
    {"__complete serve --config=a", ":0\n"},
    {"__complete serve -v ''", ":4\n"},
    {"__complete serve --config a --kubeconf", "--kubeconfig\tkubeconfig of the API server; wins "
                                               "over the configuration\n:4\n"},
    {"__complete serve ''", ":4\n"},
    {"__complete serve --nothing ''", ":4\n"},
    {"__complete solve ''", ":0\n"},
    {"__complete solve a ''", ":4\n"},
    {"__complete solve -- -", ":0\n"},
    {"__complete simulate -f ''", ":0\n"},
    {"__complete simulate -o ''", "text\njson\n:4\n"},
    {"__complete completion ''", "bash\nzsh\nfish\n:4\n"},
    {"__complete completion z", "zsh\n:4\n"},
    {"__complete get ''", "groups\tall of them, or those named\n:4\n"},
    {"__complete get -o ''", "text\nwide\njson\nyaml\nname\n:4\n"},
    {"__complete help conf", "config\toptions of the configuration file\n:4\n"},
    {"__complete group --file test/unit/nothing-there ''", ":4\n"},
    {"__complete group --file - ''", ":4\n"},
    {"__complete group --server nonsense ''", ":4\n"},
};

TEST(completion_knows_what_may_stand_where)
{
    for (size_t i = 0; i < sizeof completions / sizeof completions[0]; i++) {
        SKR_AUTO_FREE char *got = run_line(completions[i].line);
        if (completions[i].answer && strcmp(got, completions[i].answer) != 0) {
            fail_msg("%s:\n%s", completions[i].line, got);
        }
    }
}

static const char dump[] =
    "apiVersion: v1\nkind: List\nitems:\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a-0, namespace: default, uid: u1, "
    "labels: {sakkara.group: ''}}, data: {name: a-0, size: '2'}}\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b-1, namespace: default, uid: u2, "
    "labels: {sakkara.group: ''}}, data: {name: b-1, size: '2'}}\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c-2, namespace: other, uid: u3, "
    "labels: {sakkara.group: ''}}, data: {name: c-2, size: '2'}}\n";

/* before, path and after are one line. */
static void expect_groups(const char *before, const char *path, const char *after,
                          const char *answer)
{
    char line[512];
    snprintf(line, sizeof line, "__complete %s%s %s", before, path, after);
    SKR_AUTO_FREE char *got = run_line(line);
    if (strcmp(got, answer) != 0) {
        fail_msg("%s:\n%s", line, got);
    }
}

TEST(names_of_groups_are_completed_from_where_the_flags_say)
{
    char path[] = "/tmp/sakkara-complete-XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    fputs(dump, file);
    fclose(file);
    expect_groups("group --file ", path, "''", "a-0\tWaiting\nb-1\tWaiting\n:4\n");
    expect_groups("explain --file ", path, "b", "b-1\tWaiting\n:4\n");
    expect_groups("group -n other --file=", path, "''", "c-2\tWaiting\n:4\n");
    expect_groups("get groups a-0 --file ", path, "b", "b-1\tWaiting\n:4\n");
    expect_groups("group a-0 --file ", path, "''", ":4\n");
    (void)remove(path);
}

TEST(there_is_a_script_for_every_shell)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < 3; i++) {
        SKR_AUTO_FREE char *got = run_line(test_text("completion %s", shells[i]));
        expect_part(got, "__complete", shells[i]);
        expect_part(got, "kubectl-sakkara", shells[i]);
    }
    char tcsh[] = "tcsh", completion[] = "completion";
    free(run_words((char *[]){completion, tcsh}, 2, SKR_EXIT_USAGE));
}
