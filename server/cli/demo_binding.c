/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara demo binding`: provider, region and zone constraints of Karmada, without a cluster. */
#include "server/cli/cli.h"
#include "server/lab/simulate/binding_demo.h"

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
    (void)messages;
    const struct options *options = call->options;
    return skr_binding_demo_play(options->ascii, out);
}

const struct skr_command skr_command_demo_binding = {
    .name = "demo binding",
    .usage = "sakkara demo binding [--ascii]",
    .summary = "provider and zone constraints of Karmada, no cluster needed",
    .text =
        "Decides one Deployment under four policies in five clusters of two providers: where its\n"
        "replicas go, and why the last policy cannot be met.\n",
    .examples = "  sakkara demo binding\n"
                "  sakkara demo binding --ascii | less\n",
    .next = "sakkara help simulate binding",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
