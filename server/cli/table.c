/* SPDX-License-Identifier: Apache-2.0 */
/* Which commands there are. One row each; all the rest follows from the rows. */
#include <string.h>

#include "server/cli/cli.h"

const struct skr_command *const skr_commands[] = {
    &skr_command_serve,   &skr_command_tree,    &skr_command_get,      &skr_command_group,
    &skr_command_explain, &skr_command_demo,    &skr_command_simulate, &skr_command_sandbox,
    &skr_command_solve,   &skr_command_version, &skr_command_help,     NULL,
};
_Static_assert(sizeof skr_commands / sizeof skr_commands[0] <= SKR_COMMANDS_MAX, "room for all");

const struct skr_command *skr_command_find(const char *name)
{
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
