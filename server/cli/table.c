/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands there are. One row each; all the rest follows from the rows. */
#include <string.h>

#include "server/cli/cli.h"

const struct skr_command *const skr_commands[] = {
    &skr_command_serve,      &skr_command_tree,
    &skr_command_get,        &skr_command_group,
    &skr_command_explain,    &skr_command_lint,
    &skr_command_demo,       &skr_command_simulate,
    &skr_command_sandbox,    &skr_command_solve,
    &skr_command_completion, &skr_command_version,
    &skr_command_help,       NULL,
};
_Static_assert(sizeof skr_commands / sizeof skr_commands[0] <= SKR_COMMANDS_MAX, "room for all");

/* Run by scripts of ours, not by people. */
static const struct skr_command *const hidden[] = {&skr_command_complete, &skr_command_man};

const struct skr_command *skr_command_find(const char *name)
{
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (strcmp(hidden[i]->name, name) == 0) {
            return hidden[i];
        }
    }
    for (size_t i = 0; skr_commands[i]; i++) {
        if (strcmp(skr_commands[i]->name, name) == 0) {
            return skr_commands[i];
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
