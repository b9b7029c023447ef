/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara demo`: the worked example without a cluster. */
#include "server/cli/cli.h"
#include "server/lab/simulate/demo.h"

struct options {
    bool ascii;
    int verbosity;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(SWITCH, options, ascii, "--ascii", NULL, NULL, "draw with ASCII characters only"),
    SKR_FLAG(COUNT, options, verbosity, "--verbose", "-v", NULL,
             "show every request and every write"),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)messages;
    const struct options *options = call->options;
    return skr_demo_play(options->ascii, options->verbosity > 0, out);
}

static const struct skr_command *const modes[] = {
    &skr_command_demo_binding, &skr_command_demo_placement, &skr_command_demo_spotmix, NULL};

const struct skr_command skr_command_demo = {
    .name = "demo",
    .usage = "sakkara demo [--ascii] [-v]",
    .summary = "play the worked example, no cluster needed",
    .text = "Places a Job of eight pods in three situations, and a second one that does not fit: "
            "through\n"
            "the daemon's engine under a virtual clock, with a cluster in memory around it. Prints "
            "the\n"
            "groups' way, where pods and ranks went, and why the last one waits.\n",
    .examples = "  sakkara demo\n"
                "  sakkara demo -v          # with every request and every write\n"
                "  sakkara demo --ascii | less\n",
    .next = "sakkara sandbox",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
    .mode = modes,
};
