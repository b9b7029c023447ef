/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate timeline`: when the waiting groups of a dump will start. */
#include "server/cli/cli.h"
#include "server/lab/simulate/timeline.h"

struct options {
    struct skr_text_list files;
    const char *now, *config;
    int output;
    bool preempt, moves;
};

static const struct skr_flag flags[] = {
    SKR_FILES_FLAG(options, files),
    SKR_FLAG(TEXT, options, now, "--now", NULL, "TIME", "the time, RFC 3339; default: the clock"),
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration of the daemon, for its settings"),
    SKR_FLAG(SWITCH, options, preempt, "--preempt", NULL, NULL,
             "show which groups and pods each group would evict"),
    SKR_FLAG(SWITCH, options, moves, "--moves", NULL, NULL,
             "show which groups with key movable would go elsewhere for each group"),
    SKR_OUTPUT_FLAG(options, output),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_simulate_timeline_options options = {.file = given->files.item,
                                                          .n_files = given->files.n,
                                                          .config = given->config,
                                                          .now = given->now,
                                                          .preempt = given->preempt,
                                                          .moves = given->moves,
                                                          .json = given->output == SKR_OUTPUT_JSON};
    return skr_simulate_timeline_run(&options, out, messages);
}

const struct skr_command skr_command_simulate_timeline = {
    .name = "simulate timeline",
    .usage = "sakkara simulate timeline -f FILE|DIR|- [-f ...] [--now TIME] [--config FILE]\n"
             "                                 [--preempt] [--moves] [-o text|json]",
    .summary = "when the waiting groups of a dump will start",
    .text =
        "Reads a dump of a cluster: nodes, pods, groups, Jobs. Finds for each waiting group the\n"
        "earliest start at which the whole group fits, from the ends that activeDeadlineSeconds\n"
        "of pods and Jobs enforce. The first group of every pool gets a reservation; others start\n"
        "now only if they end in time for it, or use other room. The rest gets forecasts. Nothing\n"
        "is played: pods that a Job would make must be in the dump.\n",
    .examples = "  kubectl get nodes,pods,configmaps,jobs -A -o json |\n"
                "    sakkara simulate timeline -f -\n"
                "  sakkara simulate timeline -f dump.json --now 2026-01-01T12:00:00Z -o json\n",
    .next = "sakkara help simulate",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
