/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: what is understood, and what is said when it is not. */
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/log.h"
#include "test/golden.h"
#include "test/test.h"

enum { WORDS_MAX = 8 };

static int parse(const char *line, struct skr_call *ret, struct skr_strbuf *out, char *storage)
{
    char *words[WORDS_MAX];
    int n = 0;
    memcpy(storage, line, strlen(line) + 1);
    for (char *rest = storage, *word; n < WORDS_MAX && (word = strtok_r(rest, " ", &rest));) {
        words[n++] = word;
    }
    skr_strbuf_init(out);
    return skr_cli_parse(&skr_commands, n, words, ret, out);
}

/* What the flags of a line left in the options; NULL: not looked at. */
#define SEE_TIMELINE                                                           \
    "\nusage: sakkara simulate timeline -f FILE|DIR|- [-f ...] [--now TIME]\n" \
    "           [--config FILE] [--preempt] [--moves] [-o text|json]\n"        \
    "see: sakkara help simulate timeline\n"

static const struct {
    const char *line, *command, *word, *flag, *text;
    int64_t number;
} good[] = {
    {"serve", "serve", NULL, "--config", NULL, 0},
    {"serve", "serve", NULL, "--v", NULL, SKR_LOG_LEVEL_DEFAULT},
    {"serve --config a --kubeconfig=b -v 4", "serve", NULL, "--config", "a", 0},
    {"serve --config a --kubeconfig=b -v 4", "serve", NULL, "--kubeconfig", "b", 0},
    {"serve --config a --kubeconfig=b -v 4", "serve", NULL, "--v", NULL, 4},
    {"serve --log-format json", "serve", NULL, "--log-format", NULL, SKR_LOG_JSON},
    {"serve -v4 --kubeconfig b", "serve", NULL, "--v", NULL, 4},
    {"serve -v=10", "serve", NULL, "--v", NULL, 10},
    {"serve --v=0", "serve", NULL, "--v", NULL, 0},
    {"demo -v --verbose", "demo", NULL, "--verbose", NULL, 2},
    {"demo --ascii", "demo", NULL, "--ascii", NULL, 1},
    {"simulate -f a --seed 7", "simulate", NULL, "--seed", NULL, 7},
    {"simulate -f a --until 90s", "simulate", NULL, "--until", NULL, 90 * INT64_C(1000000000)},
    {"simulate -f a --picture", "simulate", NULL, "--picture", NULL, 1},
    {"simulate -f a --picture=html", "simulate", NULL, "--picture", NULL, 2},
    {"simulate -f a -fb", "simulate", NULL, "--filename", "b", 2},
    {"solve a.json", "solve", "a.json", NULL, NULL, 0},
    {"solve -", "solve", "-", NULL, NULL, 0},
    {"version", "version", NULL, NULL, NULL, 0},
    {"--version", "version", NULL, NULL, NULL, 0},
    {"help", "help", NULL, NULL, NULL, 0},
    {"--help", "help", NULL, NULL, NULL, 0},
    {"-h", "help", NULL, NULL, NULL, 0},
    {"help serve", "help", "serve", NULL, NULL, 0},
    {"help -- config", "help", "config", NULL, NULL, 0},
    {"serve --help --config a", "help", "serve", NULL, NULL, 0},
};

static void same(const char *got, const char *expected)
{
    if (expected) {
        assert_string_equal(got, expected);
    } else {
        assert_null(got);
    }
}

static void look_at(const struct skr_call *call, const char *name, const char *text, int64_t number)
{
    const struct skr_flag *flag;
    size_t base = 0;
    for (size_t i = 0; (flag = skr_command_flag(call->command, i, &base)); i++) {
        if (strcmp(flag->name, name) == 0) {
            break;
        }
    }
    assert_non_null(flag);
    const void *field = (const char *)call->options + base + flag->offset;
    switch (flag->kind) {
    case SKR_FLAG_TEXT:
        same(*(const char *const *)field, text);
        break;
    case SKR_FLAG_SWITCH:
        assert_int_equal(*(const bool *)field, number);
        break;
    case SKR_FLAG_COUNT:
    case SKR_FLAG_VARIANT:
    case SKR_FLAG_CHOICE:
        assert_int_equal(*(const int *)field, number);
        break;
    case SKR_FLAG_NUMBER:
    case SKR_FLAG_DURATION:
        assert_int_equal(*(const int64_t *)field, number);
        break;
    case SKR_FLAG_LIST: {
        const struct skr_text_list *list = field;
        assert_int_equal(list->n, number);
        same(list->item[list->n - 1], text);
        break;
    }
    case SKR_FLAG_HELP:
        fail();
    }
}

TEST(flags_are_understood_in_all_their_forms)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct skr_call call;
        struct skr_strbuf out;
        char storage[256];
        assert_int_equal(parse(good[i].line, &call, &out, storage), SKR_EXIT_OK);
        assert_string_equal(call.command->name, good[i].command);
        same(call.n_words > 0 ? call.word[0] : NULL, good[i].word);
        if (good[i].flag) {
            look_at(&call, good[i].flag, good[i].text, good[i].number);
        }
        skr_call_fini(&call);
        skr_strbuf_fini(&out);
    }
}

#define SEE_SERVE                                                          \
    "\nusage: sakkara serve [--config FILE] [--set KEY=VALUE ...]\n"       \
    "           [--kubeconfig FILE] [--log-format text|json] [-v LEVEL]\n" \
    "see: sakkara help serve\n"

#define SEE_SIMULATE                                                              \
    "\nusage: sakkara simulate -f FILE|DIR|- [-f ...] [--set GROUP:PATH=VALUE]\n" \
    "           [--until DURATION] [--seed N] [-o text|json]\n"                   \
    "           [--picture[=html]] [--ascii] [--config FILE] [--timings] [-v]\n"  \
    "       sakkara simulate --trace FILE.csv --cluster\n"                        \
    "           racks=N,nodes=N,slots=N | -f FILE [--policy POLICY,...]\n"        \
    "           [--place PLACE,...] [--config FILE] [-o text|json]\n"             \
    "see: sakkara help simulate\n"

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
    {"simulate timeline", "sakkara simulate timeline: --filename is missing: FILE" SEE_TIMELINE},
    {"simulate -f a --until soon",
     "sakkara simulate: --until is a duration such as 90s or 10m, not soon" SEE_SIMULATE},
    {"simulate -f a --seed x", "sakkara simulate: --seed is a number, not x" SEE_SIMULATE},
    {"demo --ascii=1", "sakkara demo: no value is taken by --ascii\nusage: sakkara demo [--ascii] "
                       "[-v]\nsee: sakkara help demo\n"},
};

TEST(mistakes_get_a_message_and_the_usage_code)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct skr_call call;
        struct skr_strbuf out;
        char storage[256];
        assert_int_equal(parse(bad[i].line, &call, &out, storage), SKR_EXIT_USAGE);
        assert_string_equal(out.s, bad[i].message);
        skr_call_fini(&call);
        skr_strbuf_fini(&out);
    }
}

static void expect_narrow(const char *what, const char *text, size_t columns)
{
    for (const char *line = text; *line; line += *line == '\n') {
        const size_t n = strcspn(line, "\n");
        if (n > columns) {
            fail_msg("%s has %zu columns: %.*s", what, n, (int)n, line);
        }
        line += n;
    }
}

/* Examples are commands, which are not broken. */
TEST(help_and_refusals_fit_eighty_columns_and_end_with_a_command)
{
    for (size_t i = 0; skr_commands.command[i]; i++) {
        const struct skr_command *command = skr_commands.command[i];
        SKR_STRBUF(help);
        SKR_STRBUF(refusal);
        if (strncmp(command->name, "__", 2) == 0) {
            continue;
        }
        assert_int_equal(skr_cli_write_help(&skr_commands, command->name, &help), SKR_EXIT_OK);
        expect_narrow(command->name, help.s, 80);
        assert_non_null(strstr(help.s, "\nNext: sakkara "));
        skr_cli_refuse(command, "unknown flag", "--nonsense", &refusal);
        expect_narrow(command->name, refusal.s, 80);
        assert_non_null(strstr(refusal.s, "\nsee: sakkara help "));
    }
}

TEST(no_command_shows_the_overview)
{
    struct skr_call call;
    struct skr_strbuf out;
    char storage[8];
    assert_int_equal(parse("", &call, &out, storage), SKR_EXIT_USAGE);
    assert_non_null(strstr(out.s, "Commands:\n"));
    skr_call_fini(&call);
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

TEST(every_help_has_two_examples_every_flag_and_the_next_command)
{
    for (size_t i = 0; skr_commands.command[i]; i++) {
        SKR_STRBUF(out);
        assert_int_equal(skr_cli_write_help(&skr_commands, skr_commands.command[i]->name, &out), 0);
        const char *usage = strstr(out.s, "Usage: ");
        assert_non_null(usage);
        assert_true(count(out.s, "\n  sakkara ") >= 2);
        const struct skr_flag *flag;
        for (size_t f = 0; (flag = skr_command_flag(skr_commands.command[i], f, NULL)); f++) {
            assert_non_null(strstr(usage, flag->name));
            assert_true(f < SKR_FLAGS_MAX);
        }
        assert_non_null(strstr(usage, "\nNext: sakkara "));
    }
}

TEST(an_unknown_topic_is_refused)
{
    SKR_STRBUF(out);
    assert_int_equal(skr_cli_write_help(&skr_commands, "configs", &out), SKR_EXIT_USAGE);
    assert_string_equal(out.s, "sakkara: unknown command configs, did you mean config?\n"
                               "see: sakkara help\n");
}

TEST(every_command_and_flag_stands_in_the_reference)
{
    SKR_AUTO_FREE char *text = golden_read("docs/reference.md");
    for (size_t i = 0; skr_commands.command[i]; i++) {
        char word[64];
        snprintf(word, sizeof word, "`sakkara %s", skr_commands.command[i]->name);
        if (!strstr(text, word)) {
            fail_msg("docs/reference.md lacks %s", word);
        }
        const struct skr_flag *flag;
        for (size_t f = 0; (flag = skr_command_flag(skr_commands.command[i], f, NULL)); f++) {
            if (!strstr(text, flag->name)) {
                fail_msg("docs/reference.md lacks %s", flag->name);
            }
        }
    }
}

TEST(the_version_names_commit_date_and_libc)
{
    SKR_STRBUF(out);
    skr_cli_write_version(&out);
    assert_memory_equal(out.s, "sakkara ", 8);
    assert_non_null(strstr(out.s, "\ncommit "));
    assert_non_null(strstr(out.s, "\ndate "));
    assert_non_null(strstr(out.s, "\nlibc "));
}
