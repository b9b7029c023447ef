/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts from the tables. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/config/config.h"
#include "server/exit_code.h"
#include "topology/base/suggest.h"

enum {
    COLUMNS = 80,
    USAGE_COLUMNS = 72, /* so that "kubectl sakkara" has room */
    FLAG_COLUMN = 25,
    MODE_COLUMN = 33
};

/* Bytes of the word at text: up to a blank that is in no brackets. */
static size_t word_length(const char *text, size_t n)
{
    size_t i = 0;
    for (int depth = 0; i < n && (depth > 0 || !strchr(" \n", text[i])); i++) {
        depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
    }
    return i;
}

/* Appends words; a line that would have more columns ends, and the next one begins at indent. at:
 * columns of the line so far. A word that is longer stays whole. */
static void add_words(struct skr_strbuf *out, const char *text, size_t n, size_t at, size_t indent,
                      size_t columns)
{
    bool first = true;
    for (size_t i = 0; i < n;) {
        const size_t length = word_length(text + i, n - i);
        if (length > 0 && !first && at + 1 + length > columns) {
            skr_strbuf_addf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (length > 0 && !first) {
            skr_strbuf_addc(out, ' ');
            at++;
        }
        skr_strbuf_addn(out, text + i, length);
        at += length;
        first = first && length == 0;
        i += length + 1;
    }
    skr_strbuf_addc(out, '\n');
}

void skr_help_add_usage(struct skr_strbuf *out, const char *label, const char *usage)
{
    static const char again[] = "\n       sakkara ";
    const size_t indent = strlen(label);
    skr_strbuf_add(out, label);
    for (;;) {
        const char *next = strstr(usage, again);
        const size_t n = next ? (size_t)(next - usage) : strlen(usage);
        add_words(out, usage, n, indent, indent + 4, USAGE_COLUMNS);
        if (!next) {
            break;
        }
        usage = next + 1 + strspn(next + 1, " ");
        skr_strbuf_addf(out, "%*s", (int)indent, "");
    }
}

/* A paragraph ends with an empty line, or before one that begins with a blank, which stays as it
 * is. */
static void add_paragraphs(struct skr_strbuf *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        const bool plain = n > 0 && *text != ' ';
        while (plain && text[n] == '\n' && text[n + 1] && !strchr(" \n", text[n + 1])) {
            n += 1 + strcspn(text + n + 1, "\n");
        }
        if (plain) {
            add_words(out, text, n, 0, 0, COLUMNS);
        } else {
            skr_strbuf_addf(out, "%.*s\n", (int)n, text);
        }
        text += text[n] ? n + 1 : n;
    }
}

/* "  --name NAME            what it is", with what it is in lines of its column. */
static void add_row(struct skr_strbuf *out, const char *left, const char *text, size_t column)
{
    const size_t before = out->len;
    skr_strbuf_addf(out, "  %-*s ", (int)column - 3, left);
    add_words(out, text, strlen(text), out->len - before, column, COLUMNS);
}

static void write_command_help(const struct skr_command *command, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "Examples:\n%s\n", command->examples);
    skr_help_add_usage(out, "Usage: ", command->usage);
    skr_strbuf_addc(out, '\n');
    add_paragraphs(out, command->text);
    skr_strbuf_add(out, command->text[0] ? "\nFlags:\n" : "Flags:\n");
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(command, i, NULL)); i++) {
        SKR_STRBUF(left);
        skr_strbuf_addf(&left, "%s%s%s%s%s", flag->letter ? flag->letter : "",
                        flag->letter ? ", " : "", flag->name, flag->argument ? " " : "",
                        flag->argument ? flag->argument : "");
        add_row(out, left.s, flag->text, FLAG_COLUMN);
    }
    for (size_t i = 0; command->mode && command->mode[i]; i++) {
        skr_strbuf_add(out, i == 0 ? "\nModes:\n" : "");
        add_row(out, command->mode[i]->name, command->mode[i]->summary, MODE_COLUMN);
    }
    skr_strbuf_addf(out, "\nNext: %s\n", command->next);
}

static void write_overview(const struct skr_command_table *table, struct skr_strbuf *out)
{
    skr_strbuf_add(out,
                   "Topology-aware gang scheduling beside kube-scheduler.\n\n"
                   "Examples:\n"
                   "  sakkara demo\n"
                   "  sakkara serve --config configs/sakkara.yaml --kubeconfig ~/.kube/config\n"
                   "\nCommands:\n");
    for (size_t i = 0; table->command[i]; i++) {
        skr_strbuf_addf(out, "  %-10s %s\n", table->command[i]->name, table->command[i]->summary);
    }
    skr_strbuf_add(out, "\nExit codes: 0 ok, 1 error, 2 usage, 3 not found, 4 not placed,\n"
                        "            5 findings, 6 server unreachable.\n"
                        "\nNext: sakkara demo\n");
}

int skr_cli_refuse_command(const struct skr_command_table *table, const char *name,
                           struct skr_strbuf *out)
{
    const char *names[SKR_COMMANDS_MAX + 1];
    size_t n = 0;
    for (; table->command[n]; n++) {
        names[n] = table->command[n]->name;
    }
    names[n++] = "config";
    if (strcmp(name, "config") == 0) {
        skr_strbuf_add(out, "sakkara: config is no command but a topic of help\n"
                            "see: sakkara help config\n");
        return SKR_EXIT_USAGE;
    }
    const char *near = skr_suggest(name, names, n);
    skr_strbuf_addf(out, "sakkara: unknown command %.64s", name);
    if (near) {
        skr_strbuf_addf(out, ", did you mean %s?", near);
    }
    skr_strbuf_add(out, "\nsee: sakkara help\n");
    return SKR_EXIT_USAGE;
}

int skr_cli_write_help(const struct skr_command_table *table, const char *topic,
                       struct skr_strbuf *out)
{
    if (!topic) {
        write_overview(table, out);
        return SKR_EXIT_OK;
    }
    if (strcmp(topic, "config") == 0) {
        skr_strbuf_add(out,
                       "Options of the configuration file with their defaults; a dot stands for a\n"
                       "nested key. configs/sakkara.yaml is a complete example.\n\n");
        skr_config_write_help(out);
        skr_strbuf_add(out, "\nNext: sakkara serve --help\n");
        return SKR_EXIT_OK;
    }
    const struct skr_command *command = skr_command_find(table, topic);
    if (!command) {
        return skr_cli_refuse_command(table, topic, out);
    }
    write_command_help(command, out);
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const char *topic = call->n_words > 0 ? call->word[0] : NULL;
    const struct skr_command *command = topic ? skr_command_find(call->table, topic) : NULL;
    bool known = !topic || strcmp(topic, "config") == 0 || command;
    if (call->n_words == 2) {
        const struct skr_command *mode = command ? skr_command_mode(command, call->word[1]) : NULL;
        if (!mode) {
            return skr_cli_refuse(call->command, "unexpected argument", call->word[1], messages);
        }
        topic = mode->name;
    }
    return skr_cli_write_help(call->table, topic, known ? out : messages);
}

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

const struct skr_command skr_command_help = {
    .name = "help",
    .usage = "sakkara help [COMMAND [MODE]|config]",
    .summary = "help on a command or on the configuration file",
    .text = "",
    .examples = "  sakkara help serve\n"
                "  sakkara help config      # options of the configuration file\n",
    .next = "sakkara demo",
    .word = "command",
    .words_max = 2,
    .group = {{flags, 0}},
    .run = run,
};
