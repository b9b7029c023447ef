/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands there are. One row each; all the rest follows from the rows. */
#include <string.h>

#include "server/cli/cli.h"

const struct skr_command *const skr_commands[] = {
    &skr_command_serve,   &skr_command_tree,     &skr_command_get,
    &skr_command_group,   &skr_command_explain,  &skr_command_lint,
    &skr_command_demo,    &skr_command_simulate, &skr_command_sandbox,
    &skr_command_solve,   &skr_command_check,    &skr_command_completion,
    &skr_command_version, &skr_command_help,     NULL,
};
_Static_assert(sizeof skr_commands / sizeof skr_commands[0] <= SKR_COMMANDS_MAX, "room for all");

const struct skr_command *const skr_simulate_modes[] = {&skr_command_simulate_binding,
                                                        &skr_command_simulate_placement,
                                                        &skr_command_simulate_spotmix, NULL};
const struct skr_command *const skr_demo_modes[] = {
    &skr_command_demo_binding, &skr_command_demo_placement, &skr_command_demo_spotmix, NULL};
const struct skr_command *const skr_explain_modes[] = {&skr_command_explain_binding,
                                                       &skr_command_explain_placement, NULL};

/* Run by scripts of ours, not by people. */
static const struct skr_command *const hidden[] = {&skr_command_complete, &skr_command_man};

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

const struct skr_command *skr_command_at(size_t i)
{
    for (size_t c = 0; skr_commands[c]; c++) {
        if (i-- == 0) {
            return skr_commands[c];
        }
        for (size_t m = 0; skr_commands[c]->mode && skr_commands[c]->mode[m]; m++) {
            if (i-- == 0) {
                return skr_commands[c]->mode[m];
            }
        }
    }
    return NULL;
}

const struct skr_command *skr_command_find(const char *name)
{
    const struct skr_command *command;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (strcmp(hidden[i]->name, name) == 0) {
            return hidden[i];
        }
    }
    for (size_t i = 0; (command = skr_command_at(i)); i++) {
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
