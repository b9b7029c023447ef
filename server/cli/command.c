/* SPDX-License-Identifier: Apache-2.0 */
/* Finding commands, modes and flags in their tables, and refusing words. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/config/config.h"
#include "server/exit_code.h"

const char *const skr_output_names[] = {
    [SKR_OUTPUT_TEXT] = "text", [SKR_OUTPUT_JSON] = "json", NULL};

const char *skr_command_mode_word(const struct skr_command *mode)
{
    const char *blank = strrchr(mode->name, ' ');
    return blank ? blank + 1 : mode->name;
}

bool skr_command_mode_keeps_word(const struct skr_command *mode)
{
    return mode->name[strlen(mode->name) - 1] == '/';
}

const struct skr_command *skr_command_mode(const struct skr_command *command, const char *word)
{
    for (size_t i = 0; command->mode && command->mode[i]; i++) {
        const char *enters = skr_command_mode_word(command->mode[i]);
        if (skr_command_mode_keeps_word(command->mode[i])
                ? strncmp(word, enters, strlen(enters)) == 0
                : strcmp(word, enters) == 0) {
            return command->mode[i];
        }
    }
    return NULL;
}

const struct skr_command *skr_command_at(const struct skr_command_table *table, size_t i)
{
    for (size_t c = 0; table->command[c]; c++) {
        if (i-- == 0) {
            return table->command[c];
        }
        for (size_t m = 0; table->command[c]->mode && table->command[c]->mode[m]; m++) {
            if (i-- == 0) {
                return table->command[c]->mode[m];
            }
        }
    }
    return NULL;
}

const struct skr_command *skr_command_find(const struct skr_command_table *table, const char *name)
{
    const struct skr_command *command;
    for (size_t i = 0; table->hidden[i]; i++) {
        if (strcmp(table->hidden[i]->name, name) == 0) {
            return table->hidden[i];
        }
    }
    for (size_t i = 0; (command = skr_command_at(table, i)); i++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

const struct skr_flag *skr_command_flag(const struct skr_command *command, size_t i,
                                        size_t *ret_base)
{
    for (size_t g = 0; g < SKR_FLAG_GROUPS_MAX && command->group[g].flag; g++) {
        for (const struct skr_flag *flag = command->group[g].flag; flag->name; flag++) {
            if (i-- == 0) {
                if (ret_base) {
                    *ret_base = command->group[g].base;
                }
                return flag;
            }
        }
    }
    return NULL;
}

const struct skr_flag *skr_command_spelled(const struct skr_command *command, const char *word,
                                           size_t *ret_i, size_t *ret_base, const char **ret_value)
{
    const struct skr_flag *flag;
    for (size_t i = 0; (flag = skr_command_flag(command, i, ret_base)); i++) {
        size_t n = strlen(flag->name);
        *ret_i = i;
        if (strncmp(word, flag->name, n) == 0 && (word[n] == '\0' || word[n] == '=')) {
            *ret_value = word[n] == '=' ? word + n + 1 : NULL;
            return flag;
        }
        bool has_letter = flag->letter && strncmp(word, flag->letter, 2) == 0;
        if (has_letter && (word[2] == '\0' || flag->argument)) {
            const char *value = word[2] == '=' ? word + 3 : word + 2;
            *ret_value = word[2] == '\0' ? NULL : value;
            return flag;
        }
    }
    return NULL;
}

int skr_cli_refuse(const struct skr_command *command, const char *what, const char *word,
                   struct skr_strbuf *out)
{
    skr_strbuf_addf(out, "sakkara %s: %s %.64s\n", command->name, what, word);
    skr_help_add_usage(out, "usage: ", command->usage);
    skr_strbuf_addf(out, "see: sakkara help %s\n", command->name);
    return SKR_EXIT_USAGE;
}

int skr_cli_load_config(const char *path, const struct skr_text_list *sets, struct skr_config **ret,
                        struct skr_strbuf *messages)
{
    struct skr_findings findings;
    int rc = 0;
    skr_findings_init(&findings);
    rc = skr_config_load_set(path, sets ? sets->item : NULL, sets ? sets->n : 0, ret, &findings);
    skr_findings_write(&findings, path ? path : "command line", messages);
    return skr_exit_code_of(rc);
}
