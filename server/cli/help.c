/* SPDX-License-Identifier: Apache-2.0 */
/* Help texts from the tables. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/config/config.h"
#include "server/exit_code.h"
#include "topology/base/suggest.h"

static void write_command_help(const struct skr_command *command, struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "Examples:\n%s\nUsage: %s\n\n%s", command->examples, command->usage,
                    command->text);
    skr_strbuf_add(out, command->text[0] ? "\nFlags:\n" : "Flags:\n");
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(command, i, NULL)); i++) {
        SKR_STRBUF(left);
        skr_strbuf_addf(&left, "%s%s%s%s%s", flag->letter ? flag->letter : "",
                        flag->letter ? ", " : "", flag->name, flag->argument ? " " : "",
                        flag->argument ? flag->argument : "");
        skr_strbuf_addf(out, "  %-22s %s\n", left.s, flag->text);
    }
    for (size_t i = 0; command->mode && command->mode[i]; i++) {
        skr_strbuf_addf(out, "%s  %-30s %s\n", i == 0 ? "\nModes:\n" : "", command->mode[i]->name,
                        command->mode[i]->summary);
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
