/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sakkara __complete WORD...`: candidates for the last word, for the scripts of `sakkara completion`
 * and for kubectl. The protocol is that of Cobra (https://github.com/spf13/cobra, completions.go): a
 * line "CANDIDATE<TAB>DESCRIPTION" for each, then ":N", a directive for the shell. Candidates come
 * from the tables. Names of groups come from the source that the flags of the line name; if it does
 * not answer within GROUPS_PATIENCE, there are none.
 */
#include <stdlib.h>
#include <string.h>

#include "server/cli/client_flags.h"
#include "server/exit_code.h"
#include "server/render/page.h"
#include "topology/base/arena.h"
#include "topology/base/json_field.h"

#define GROUPS_PATIENCE (3 * SKR_SECOND)

/* Cobra's ShellCompDirective. */
enum { FILES = 0, NO_FILES = 4 };

struct completion {
    const struct skr_command *command;
    const struct skr_call *call;
    const char *begun;  /* the last word */
    const char *prefix; /* "--output=": stands before each candidate */
    size_t n_plain;     /* words before it that are no flags */
    bool flags_ended;
    const struct skr_flag *pending; /* whose value the last word is */
    struct skr_strbuf *out;
};

static void offer(const struct completion *c, const char *candidate, const char *what)
{
    if (strncmp(candidate, c->begun, strlen(c->begun)) != 0) {
        return;
    }
    skr_strbuf_addf(c->out, "%s%s", c->prefix, candidate);
    if (what) {
        skr_strbuf_addf(c->out, "\t%s", what);
    }
    skr_strbuf_addc(c->out, '\n');
}

static int offer_commands(const struct completion *c)
{
    for (size_t i = 0; c->call->table->command[i]; i++) {
        offer(c, c->call->table->command[i]->name, c->call->table->command[i]->summary);
    }
    return NO_FILES;
}

static int offer_flags(const struct completion *c)
{
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(c->command, i, NULL)); i++) {
        offer(c, flag->name, flag->text);
        if (flag->letter && !c->begun[1]) {
            offer(c, flag->letter, flag->text);
        }
    }
    return NO_FILES;
}

static int offer_value(const struct completion *c, const struct skr_flag *flag)
{
    for (size_t i = 0; flag->kind == SKR_FLAG_CHOICE && flag->choice[i]; i++) {
        offer(c, flag->choice[i], NULL);
    }
    bool is_file = strstr(flag->argument, "FILE") || strcmp(flag->argument, "DUMP") == 0;
    return is_file ? FILES : NO_FILES;
}

/* ---- groups ---- */

static void offer_names(const struct completion *c, const json_t *page)
{
    const json_t *item;
    size_t i;
    json_array_foreach(skr_page_list(page, "items"), i, item)
    {
        SKR_STRBUF(name);
        SKR_STRBUF(status);
        skr_page_add_clean(&name, skr_object_text(item, "name"), true);
        skr_page_add_clean(&status, skr_object_text(item, "status"), true);
        if (name.len > 0) {
            offer(c, name.s, status.s);
        }
    }
}

static void fetch_names(const struct completion *c, const struct skr_call *line,
                        struct skr_client_flags *flags)
{
    SKR_STRBUF(ignored);
    struct skr_client *client = NULL;
    json_t *page = NULL;
    if (flags->request_timeout == 0 || flags->request_timeout > GROUPS_PATIENCE) {
        flags->request_timeout = GROUPS_PATIENCE;
    }
    if (skr_client_flags_open(line, flags, &client, &ignored) == SKR_EXIT_OK) {
        SKR_AUTO_FREE char *namespace_ = skr_client_flags_namespace(flags, client);
        const struct skr_view_query query = {.path = "/v1/groups",
                                             .argument = {[SKR_VIEW_NAMESPACE] = namespace_}};
        if (skr_client_fetch(client, &query, "GroupList", &page, NULL) == 0) {
            offer_names(c, page);
        }
        json_decref(page);
    }
    skr_client_destroy(client);
}

/* The line is parsed with a word in the place of the last one, for its flags. A dump on standard input
 * is not read. */
static int offer_groups(const struct completion *c)
{
    char **argv = skr_alloc_array(c->call->n_words + 1, sizeof *argv), any[] = "x";
    struct skr_call line;
    SKR_STRBUF(refusal);
    int argc = (int)c->call->n_words;
    for (int i = 0; i < argc; i++) {
        argv[i] = (char *)(uintptr_t)c->call->word[i];
    }
    argv[argc - 1] = any;
    if (skr_cli_parse(c->call->table, argc, argv, &line, &refusal) == SKR_EXIT_OK) {
        for (size_t g = 0; g < SKR_FLAG_GROUPS_MAX && line.command->group[g].flag; g++) {
            struct skr_client_flags *flags =
                (void *)((char *)line.options + line.command->group[g].base);
            if (line.command->group[g].flag == skr_client_flag_table &&
                !(flags->file && strcmp(flags->file, "-") == 0)) {
                fetch_names(c, &line, flags);
            }
        }
    }
    skr_call_fini(&line);
    free(argv);
    return NO_FILES;
}

/* ---- words ---- */

static void offer_modes(const struct completion *c, const struct skr_command *command)
{
    for (size_t i = 0; command->mode && command->mode[i]; i++) {
        offer(c, skr_command_mode_word(command->mode[i]), command->mode[i]->summary);
    }
}

static int offer_words(const struct completion *c)
{
    const char *kind = c->command->word;
    if (c->call->n_words == 2) {
        offer_modes(c, c->command);
    }
    if (!kind || c->n_plain >= c->command->words_max) {
        return NO_FILES;
    }
    if (strcmp(kind, "file") == 0) {
        return FILES;
    }
    if (strcmp(kind, "command") == 0 && c->n_plain == 1) {
        const struct skr_command *command = skr_command_find(c->call->table, c->call->word[1]);
        if (command) {
            offer_modes(c, command);
        }
    } else if (strcmp(kind, "command") == 0) {
        offer_commands(c);
        offer(c, "config", "options of the configuration file");
    } else if (strcmp(kind, "shell") == 0) {
        offer(c, "bash", NULL);
        offer(c, "zsh", NULL);
        offer(c, "fish", NULL);
    } else if (strcmp(kind, "kind") == 0 && c->n_plain == 0) {
        offer(c, "groups", "all of them, or those named");
    } else if (strcmp(kind, "kind") == 0 || strcmp(kind, "group") == 0) {
        return offer_groups(c);
    }
    return NO_FILES;
}

/* Where the last word stands. */
static void walk(struct completion *c, size_t first)
{
    for (size_t i = first; i + 1 < c->call->n_words; i++) {
        const char *word = c->call->word[i], *value = NULL;
        size_t at, base;
        if (c->pending) {
            c->pending = NULL;
        } else if (!c->flags_ended && strcmp(word, "--") == 0) {
            c->flags_ended = true;
        } else if (!c->flags_ended && word[0] == '-' && word[1]) {
            const struct skr_flag *flag = skr_command_spelled(c->command, word, &at, &base, &value);
            c->pending = flag && flag->argument && !value ? flag : NULL;
        } else {
            c->n_plain++;
        }
    }
}

static int offer_all(struct completion *c)
{
    if (c->call->n_words <= 1) {
        return offer_commands(c);
    }
    c->command = skr_command_find(c->call->table, c->call->word[0]);
    if (!c->command || c->command->raw) {
        return NO_FILES;
    }
    const struct skr_command *mode =
        c->call->n_words > 2 ? skr_command_mode(c->command, c->call->word[1]) : NULL;
    c->command = mode ? mode : c->command;
    walk(c, mode && !skr_command_mode_keeps_word(mode) ? 2 : 1);
    if (c->pending) {
        return offer_value(c, c->pending);
    }
    const char *equals = strchr(c->begun, '=');
    const char *value = NULL;
    size_t at, base;
    if (!c->flags_ended && strncmp(c->begun, "--", 2) == 0 && equals) {
        const struct skr_flag *flag = skr_command_spelled(c->command, c->begun, &at, &base, &value);
        SKR_AUTO_FREE char *prefix = skr_strdup(c->begun);
        prefix[equals - c->begun + 1] = '\0';
        c->prefix = prefix;
        c->begun = equals + 1;
        return flag && flag->argument ? offer_value(c, flag) : NO_FILES;
    }
    return !c->flags_ended && c->begun[0] == '-' ? offer_flags(c) : offer_words(c);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    struct completion c = {.call = call,
                           .begun = call->n_words > 0 ? call->word[call->n_words - 1] : "",
                           .prefix = "",
                           .out = out};
    (void)messages;
    skr_strbuf_addf(out, ":%d\n", offer_all(&c));
    return SKR_EXIT_OK;
}

const struct skr_command skr_command_complete = {
    .name = "__complete",
    .usage = "sakkara __complete WORD...",
    .summary = "what may stand in the place of the last word",
    .text = "",
    .examples = "",
    .next = "sakkara help completion",
    .raw = true,
    .run = run,
};
