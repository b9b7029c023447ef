/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: what is understood, and what is said when it is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cli.h"
#include "server/exit_code.h"

enum { WORDS_MAX = 8 };

static int parse(const char *line, struct skr_cli *ret, struct skr_strbuf *out, char *storage)
{
    char *words[WORDS_MAX];
    int n = 0;
    memcpy(storage, line, strlen(line) + 1);
    for (char *rest = storage, *word; n < WORDS_MAX && (word = strtok_r(rest, " ", &rest));) {
        words[n++] = word;
    }
    skr_strbuf_init(out);
    return skr_cli_parse(n, words, ret, out);
}

static const struct {
    const char *line;
    enum skr_command command;
    const char *config, *kubeconfig, *topic;
    int verbosity;
    enum skr_log_format format;
} good[] = {
    {"serve", SKR_COMMAND_SERVE, NULL, NULL, NULL, 2, SKR_LOG_TEXT},
    {"serve --config a --kubeconfig=b -v 4 --log-format json", SKR_COMMAND_SERVE, "a", "b", NULL, 4,
     SKR_LOG_JSON},
    {"serve -v4 --kubeconfig b", SKR_COMMAND_SERVE, NULL, "b", NULL, 4, SKR_LOG_TEXT},
    {"serve -v=10", SKR_COMMAND_SERVE, NULL, NULL, NULL, 10, SKR_LOG_TEXT},
    {"serve --v=0", SKR_COMMAND_SERVE, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"demo", SKR_COMMAND_DEMO, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"demo -v --verbose", SKR_COMMAND_DEMO, NULL, NULL, NULL, 2, SKR_LOG_TEXT},
    {"solve a.json", SKR_COMMAND_SOLVE, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"solve -", SKR_COMMAND_SOLVE, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"version", SKR_COMMAND_VERSION, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"--version", SKR_COMMAND_VERSION, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"help", SKR_COMMAND_HELP, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"--help", SKR_COMMAND_HELP, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"-h", SKR_COMMAND_HELP, NULL, NULL, NULL, 0, SKR_LOG_TEXT},
    {"help serve", SKR_COMMAND_HELP, NULL, NULL, "serve", 0, SKR_LOG_TEXT},
    {"help -- config", SKR_COMMAND_HELP, NULL, NULL, "config", 0, SKR_LOG_TEXT},
};

static void same(const char *got, const char *expected)
{
    if (expected) {
        assert_string_equal(got, expected);
    } else {
        assert_null(got);
    }
}

static void flags_are_understood_in_all_their_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct skr_cli cli;
        struct skr_strbuf out;
        char storage[256];
        assert_int_equal(parse(good[i].line, &cli, &out, storage), SKR_EXIT_OK);
        assert_int_equal(cli.command, good[i].command);
        assert_int_equal(cli.verbosity, good[i].verbosity);
        assert_int_equal(cli.log_format, good[i].format);
        same(cli.config, good[i].config);
        same(cli.kubeconfig, good[i].kubeconfig);
        same(cli.topic, good[i].topic);
        skr_strbuf_fini(&out);
    }
}

static void help_of_a_command_is_asked_for_by_flag(void **state)
{
    (void)state;
    struct skr_cli cli;
    struct skr_strbuf out;
    char storage[256];
    assert_int_equal(parse("serve --help", &cli, &out, storage), SKR_EXIT_OK);
    assert_int_equal(cli.command, SKR_COMMAND_HELP);
    assert_string_equal(cli.topic, "serve");
    skr_strbuf_fini(&out);
}

#define SEE_SERVE                                                                              \
    "\nusage: sakkara serve [--config FILE] [--kubeconfig FILE] [--log-format text|json] [-v " \
    "LEVEL]\nsee: sakkara help serve\n"

static const struct {
    const char *line, *message;
} bad[] = {
    {"sevre", "sakkara: unknown command sevre, did you mean serve?\nsee: sakkara help\n"},
    {"banana", "sakkara: unknown command banana\nsee: sakkara help\n"},
    {"serve --confg x", "sakkara serve: unknown flag --confg, did you mean --config" SEE_SERVE},
    {"serve --zzzzzzzzz", "sakkara serve: unknown flag --zzzzzzzzz" SEE_SERVE},
    {"serve --config", "sakkara serve: a value is missing after --config" SEE_SERVE},
    {"serve --config=", "sakkara serve: the value is empty after --config" SEE_SERVE},
    {"serve --log-format xml", "sakkara serve: --log-format is text or json, not xml" SEE_SERVE},
    {"serve -v 11", "sakkara serve: -v is a number from 0 to 10, not 11" SEE_SERVE},
    {"serve -v high", "sakkara serve: -v is a number from 0 to 10, not high" SEE_SERVE},
    {"serve now", "sakkara serve: unexpected argument now" SEE_SERVE},
    {"solve",
     "sakkara solve: a file is missing after solve\nusage: sakkara solve FILE\nsee: sakkara "
     "help solve\n"},
    {"solve a b",
     "sakkara solve: unexpected argument b\nusage: sakkara solve FILE\nsee: sakkara help "
     "solve\n"},
    {"demo --ascii=1", "sakkara demo: no value is taken by --ascii\nusage: sakkara demo [--ascii] "
                       "[-v]\nsee: sakkara help demo\n"},
};

static void mistakes_get_a_message_and_the_usage_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct skr_cli cli;
        struct skr_strbuf out;
        char storage[256];
        assert_int_equal(parse(bad[i].line, &cli, &out, storage), SKR_EXIT_USAGE);
        assert_string_equal(out.s, bad[i].message);
        skr_strbuf_fini(&out);
    }
}

static void no_command_shows_the_overview(void **state)
{
    (void)state;
    struct skr_cli cli;
    struct skr_strbuf out;
    char storage[8];
    assert_int_equal(parse("", &cli, &out, storage), SKR_EXIT_USAGE);
    assert_non_null(strstr(out.s, "Commands:\n"));
    skr_strbuf_fini(&out);
}

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *s = text; (s = strstr(s, word)); s++) {
        n++;
    }
    return n;
}

static void every_help_has_two_examples_every_flag_and_the_next_command(void **state)
{
    (void)state;
    for (int i = 0; i < SKR_COMMAND_COUNT; i++) {
        struct skr_strbuf out;
        skr_strbuf_init(&out);
        assert_int_equal(skr_cli_write_help(skr_cli_command_name((enum skr_command)i), &out), 0);
        const char *usage = strstr(out.s, "Usage: ");
        assert_non_null(usage);
        assert_true(count(out.s, "\n  sakkara ") >= 2);
        for (size_t f = 0; skr_cli_flag_name((enum skr_command)i, f); f++) {
            assert_non_null(strstr(usage, skr_cli_flag_name((enum skr_command)i, f)));
        }
        assert_non_null(strstr(usage, "\nNext: sakkara "));
        skr_strbuf_fini(&out);
    }
}

static void an_unknown_topic_is_refused(void **state)
{
    (void)state;
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    assert_int_equal(skr_cli_write_help("configs", &out), SKR_EXIT_USAGE);
    assert_string_equal(out.s, "sakkara: unknown command configs, did you mean config?\n"
                               "see: sakkara help\n");
    skr_strbuf_fini(&out);
}

static void every_command_and_flag_stands_in_the_reference(void **state)
{
    (void)state;
    FILE *file = fopen("docs/reference.md", "r");
    assert_non_null(file);
    static char text[1 << 19];
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    for (int i = 0; i < SKR_COMMAND_COUNT; i++) {
        char word[64];
        snprintf(word, sizeof word, "`sakkara %s", skr_cli_command_name((enum skr_command)i));
        if (!strstr(text, word)) {
            fail_msg("docs/reference.md lacks %s", word);
        }
        for (size_t f = 0; skr_cli_flag_name((enum skr_command)i, f); f++) {
            if (!strstr(text, skr_cli_flag_name((enum skr_command)i, f))) {
                fail_msg("docs/reference.md lacks %s", skr_cli_flag_name((enum skr_command)i, f));
            }
        }
    }
}

static void the_version_names_commit_date_and_libc(void **state)
{
    (void)state;
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    skr_cli_write_version(&out);
    assert_memory_equal(out.s, "sakkara ", 8);
    assert_non_null(strstr(out.s, "\ncommit "));
    assert_non_null(strstr(out.s, "\ndate "));
    assert_non_null(strstr(out.s, "\nlibc "));
    skr_strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_understood_in_all_their_forms),
        cmocka_unit_test(help_of_a_command_is_asked_for_by_flag),
        cmocka_unit_test(mistakes_get_a_message_and_the_usage_code),
        cmocka_unit_test(no_command_shows_the_overview),
        cmocka_unit_test(every_help_has_two_examples_every_flag_and_the_next_command),
        cmocka_unit_test(an_unknown_topic_is_refused),
        cmocka_unit_test(every_command_and_flag_stands_in_the_reference),
        cmocka_unit_test(the_version_names_commit_date_and_libc),
    };
    return cmocka_run_group_tests_name("cli", tests, NULL, NULL);
}
