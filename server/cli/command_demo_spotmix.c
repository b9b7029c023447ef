/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara demo spotmix`: the mix of on-demand and spot pods, no cluster. */
#include "server/cli/cli.h"
#include "server/lab/simulate/spotmix_demo.h"

struct options {
    bool ascii;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(SWITCH, options, ascii, "--ascii", NULL, NULL, "draw with ASCII characters only"),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;

    (void)messages;
    return skr_spotmix_demo(given->ascii, out);
}

const struct skr_command skr_command_demo_spotmix = {
    .name = "demo spotmix",
    .usage = "sakkara demo spotmix [--ascii]",
    .summary = "on-demand and spot by strict count, no cluster needed",
    .text = "Creates the pods of a Deployment through the webhook's own code, takes some away,\n"
            "scales down and up, and draws which index is on-demand and which is spot.\n",
    .examples = "  sakkara demo spotmix\n"
                "  sakkara demo spotmix --ascii\n",
    .next = "sakkara help simulate spotmix",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
