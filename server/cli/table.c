/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands: one row each. */
#include "server/cli/cli.h"

static const struct skr_command *const commands[] = {
    &skr_command_serve,
    &skr_command_tree,
    &skr_command_get,
    &skr_command_group,
    &skr_command_explain,
    &skr_command_create,
    &skr_command_ui,
    &skr_command_lint,
    &skr_command_demo,
    &skr_command_simulate,
    &skr_command_sandbox,
    &skr_command_solve,
    &skr_command_spotmix,
    &skr_command_timeline,
    &skr_command_check,
    &skr_command_completion,
    &skr_command_version,
    &skr_command_help,
    NULL,
};
_Static_assert(sizeof commands / sizeof commands[0] <= SKR_COMMANDS_MAX, "room for all");

/* For scripts, not for users. */
static const struct skr_command *const hidden[] = {&skr_command_complete, &skr_command_man, NULL};

const struct skr_command_table skr_commands = {commands, hidden};
