/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate spotmix`: events through the spot mix's webhook, offline. */
#include "server/cli/cli.h"
#include "server/lab/simulate/spotmix.h"

struct options {
    const char *events;
    int output;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, events, "--events", NULL, "FILE",
             "workload, owners, and what happens to their pods; \"-\" is standard input",
             .required = true),
    SKR_OUTPUT_FLAG(options, output),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_spotmix_simulate_options options = {.path = given->events,
                                                         .json = given->output == SKR_OUTPUT_JSON};
    return skr_spotmix_simulate(&options, out, messages);
}

const struct skr_command skr_command_simulate_spotmix = {
    .name = "simulate spotmix",
    .usage = "sakkara simulate spotmix --events FILE [-o text|json]",
    .summary = "replay pods through the spot mix's webhook",
    .text =
        "Creates, deletes, scales, relabels and rolls out the pods of one workload as the file\n"
        "says, each creation through the webhook's own code as an AdmissionReview, and prints\n"
        "index, class and deletion cost of every pod, and which the reconciler would evict.\n"
        "docs/reference.md describes the file.\n",
    .examples = "  sakkara simulate spotmix --events rollout.json\n"
                "  sakkara simulate spotmix --events - -o json <events.json | jq .counts\n",
    .next = "sakkara demo spotmix",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
