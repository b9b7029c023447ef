/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara solve FILE`: the bare solver. */
#include "server/cli/cli.h"
#include "server/solve/command.h"

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    return skr_solve_command(call->word[0], out, messages);
}

const struct skr_command skr_command_solve = {
    .name = "solve",
    .usage = "sakkara solve FILE",
    .summary = "place one group written down in a file",
    .text = "Runs the solver on a topology, loads, claims and a group, and prints placement, key,\n"
            "explanation and statistics as JSON. FILE is \"-\" for standard input. Exit code 4 "
            "when the\n"
            "group cannot be placed. docs/reference.md describes the file.\n",
    .examples = "  sakkara solve problem.json\n"
                "  sakkara solve - <problem.json | jq .explanation.relaxations\n",
    .next = "sakkara demo",
    .word = "file",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}},
    .run = run,
};
