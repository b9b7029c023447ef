/* SPDX-License-Identifier: Apache-2.0 */
/* Words of the command line into a command, its options and its words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "topology/base/arena.h"
#include "topology/base/decimal.h"
#include "topology/base/suggest.h"
#include "topology/duration.h"

struct parser {
    struct skr_call *call;
    struct skr_strbuf *out;
    int argc;
    char *const *argv;
    int next;
    bool wants_help;
    bool given[SKR_FLAGS_MAX];
};

static int refuse(const struct parser *p, const char *what, const char *word)
{
    return skr_cli_refuse(p->call->command, what, word, p->out);
}

static int refuse_flag(const struct parser *p, const char *word)
{
    const char *names[SKR_FLAGS_MAX];
    size_t n = 0;
    const struct skr_flag *flag;
    for (; n < SKR_FLAGS_MAX && (flag = skr_command_flag(p->call->command, n, NULL)); n++) {
        names[n] = flag->name;
    }
    const char *near = skr_suggest(word, names, n);
    if (!near) {
        return refuse(p, "unknown flag", word);
    }
    char text[256];
    snprintf(text, sizeof text, "unknown flag %.64s, did you mean", word);
    return refuse(p, text, near);
}

/* "--output is text, json or yaml, not xml" */
static int apply_choice(struct parser *p, const struct skr_flag *flag, const char *spelled,
                        int *field, const char *value)
{
    size_t n = 0;
    for (; flag->choice[n]; n++) {
        if (strcmp(flag->choice[n], value) == 0) {
            *field = (int)n;
            return SKR_EXIT_OK;
        }
    }
    SKR_STRBUF(what);
    skr_strbuf_addf(&what, "%s is ", spelled);
    for (size_t i = 0; i < n; i++) {
        skr_strbuf_addf(&what, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", flag->choice[i]);
    }
    skr_strbuf_add(&what, ", not");
    return refuse(p, what.s, value);
}

static int apply_number(struct parser *p, const struct skr_flag *flag, const char *spelled,
                        int64_t *field, const char *value)
{
    int64_t number;
    if (!skr_decimal_parse(value, strlen(value), &number) || value[0] < '0' || number > flag->max) {
        char text[96];
        if (flag->max == INT64_MAX) {
            snprintf(text, sizeof text, "%.32s is a number, not", spelled);
        } else {
            snprintf(text, sizeof text, "%.32s is a number from 0 to %lld, not", spelled,
                     (long long)flag->max);
        }
        return refuse(p, text, value);
    }
    *field = number;
    return SKR_EXIT_OK;
}

static int apply_duration(struct parser *p, const char *spelled, skr_time *field, const char *value)
{
    if (skr_duration_parse(value, field, NULL) < 0) {
        char text[96];
        snprintf(text, sizeof text, "%.32s is a duration such as 90s or 10m, not", spelled);
        return refuse(p, text, value);
    }
    return SKR_EXIT_OK;
}

static int apply_variant(struct parser *p, const struct skr_flag *flag, const char *spelled,
                         int *field, const char *value)
{
    int index = 0;
    const int rc = *value ? apply_choice(p, flag, spelled, &index, value) : SKR_EXIT_OK;
    *field = *value ? index + 2 : 1;
    return rc;
}

static int apply_list(struct parser *p, const char *spelled, struct skr_text_list *field,
                      const char *value)
{
    if (field->n == SKR_TEXT_LIST_MAX) {
        char text[96];
        snprintf(text, sizeof text, "%.32s may be given %d times, the last is", spelled,
                 SKR_TEXT_LIST_MAX);
        return refuse(p, text, value);
    }
    field->item[field->n++] = value;
    return SKR_EXIT_OK;
}

static int apply_flag(struct parser *p, const struct skr_flag *flag, size_t base,
                      const char *spelled, const char *value)
{
    void *field = (char *)p->call->options + base + flag->offset;
    switch (flag->kind) {
    case SKR_FLAG_TEXT:
        *(const char **)field = value;
        break;
    case SKR_FLAG_SWITCH:
        *(bool *)field = true;
        break;
    case SKR_FLAG_COUNT:
        ++*(int *)field;
        break;
    case SKR_FLAG_NUMBER:
        return apply_number(p, flag, spelled, field, value);
    case SKR_FLAG_DURATION:
        return apply_duration(p, spelled, field, value);
    case SKR_FLAG_CHOICE:
        return apply_choice(p, flag, spelled, field, value);
    case SKR_FLAG_VARIANT:
        return apply_variant(p, flag, spelled, field, value);
    case SKR_FLAG_LIST:
        return apply_list(p, spelled, field, value);
    case SKR_FLAG_HELP:
        p->wants_help = true;
        break;
    }
    return SKR_EXIT_OK;
}

static int take_flag(struct parser *p, const char *word)
{
    const char *value;
    size_t i, base;
    const struct skr_flag *flag = skr_command_spelled(p->call->command, word, &i, &base, &value);
    if (!flag) {
        return refuse_flag(p, word);
    }
    if (!flag->argument && value && flag->kind != SKR_FLAG_VARIANT) {
        return refuse(p, "no value is taken by", flag->name);
    }
    const char *spelled = word[1] == '-' ? flag->name : flag->letter;
    if (flag->argument && !value) {
        if (p->next == p->argc) {
            return refuse(p, "a value is missing after", word);
        }
        value = p->argv[p->next++];
    }
    if (flag->argument && value[0] == '\0') {
        return refuse(p, "the value is empty after", spelled);
    }
    p->given[i] = true;
    return apply_flag(p, flag, base, spelled, value ? value : "");
}

static int take_word(struct parser *p, const char *word)
{
    struct skr_call *call = p->call;
    if (call->n_words == call->command->words_max) {
        return refuse(p, "unexpected argument", word);
    }
    if (call->n_words == SKR_WORDS_MAX) {
        return refuse(p, "too many arguments, the last is", word);
    }
    call->word[call->n_words++] = word;
    return SKR_EXIT_OK;
}

static int take_rest(struct parser *p)
{
    bool flags_ended = false;
    while (p->next < p->argc) {
        const char *word = p->argv[p->next++];
        int rc;
        if (!flags_ended && strcmp(word, "--") == 0) {
            flags_ended = true;
            continue;
        }
        if (!flags_ended && word[0] == '-' && word[1]) {
            rc = take_flag(p, word);
        } else {
            rc = take_word(p, word);
        }
        if (rc != SKR_EXIT_OK) {
            return rc;
        }
    }
    return SKR_EXIT_OK;
}

static void take_raw(struct skr_call *call, int argc, char *const *argv)
{
    for (int i = 1; i < argc && call->n_words < SKR_WORDS_MAX; i++) {
        call->word[call->n_words++] = argv[i];
    }
}

static int check_complete(const struct parser *p)
{
    const struct skr_command *command = p->call->command;
    if (p->call->n_words < command->words_min) {
        char text[96];
        snprintf(text, sizeof text, "a %.32s is missing after", command->word);
        return refuse(p, text, command->name);
    }
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(command, i, NULL)); i++) {
        if (flag->required && !p->given[i]) {
            char text[96];
            snprintf(text, sizeof text, "%.32s is missing:", flag->name);
            return refuse(p, text, flag->argument);
        }
    }
    return SKR_EXIT_OK;
}

static void open_call(struct skr_call *call, const struct skr_command_table *table,
                      const struct skr_command *command, int argc)
{
    call->table = table;
    call->command = command;
    call->word = skr_alloc_array((size_t)argc + 1, sizeof *call->word);
    call->options = skr_alloc(command->options_size + 1);
    if (command->defaults) {
        memcpy(call->options, command->defaults, command->options_size);
    }
}

void skr_call_fini(struct skr_call *call)
{
    free(call->options);
    free(call->word);
    *call = (struct skr_call){0};
}

int skr_cli_parse(const struct skr_command_table *table, int argc, char *const *argv,
                  struct skr_call *ret, struct skr_strbuf *out)
{
    *ret = (struct skr_call){0};
    if (argc == 0) {
        skr_cli_write_help(table, NULL, out);
        return SKR_EXIT_USAGE;
    }
    const char *name = argv[0];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        open_call(ret, table, skr_command_find(table, "help"), 0);
        return SKR_EXIT_OK;
    }
    const struct skr_command *command =
        skr_command_find(table, strcmp(name, "--version") == 0 ? "version" : name);
    if (!command) {
        return skr_cli_refuse_command(table, name, out);
    }
    struct parser p = {.call = ret, .out = out, .argc = argc, .argv = argv, .next = 1};
    const struct skr_command *mode = argc > 1 ? skr_command_mode(command, argv[1]) : NULL;
    if (mode) {
        command = mode;
        p.next = skr_command_mode_keeps_word(mode) ? 1 : 2;
    }
    open_call(ret, table, command, argc);
    if (command->raw) {
        take_raw(ret, argc, argv);
        return SKR_EXIT_OK;
    }
    int rc = take_rest(&p);
    if (rc != SKR_EXIT_OK) {
        return rc;
    }
    if (p.wants_help) {
        skr_call_fini(ret);
        open_call(ret, table, skr_command_find(table, "help"), 1);
        ret->word[ret->n_words++] = command->name;
        return SKR_EXIT_OK;
    }
    return check_complete(&p);
}
