/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate`: objects through the whole scheduler, offline. */
#include <stdio.h>

#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/lab/simulate/simulate.h"

struct options {
    struct skr_text_list files, sets;
    skr_time until;
    int64_t seed;
    int output;
    int picture; /* 1: as text, 2: html */
    bool ascii, timings;
    const char *config;
    int verbosity;
};

static const char *const pictures[] = {"html", NULL};

static const struct skr_flag flags[] = {
    SKR_FILES_FLAG(options, files),
    SKR_FLAG(LIST, options, sets, "--set", NULL, "GROUP:PATH=VALUE",
             "change a group first: a-3:size=4, a-3:constraints.rack.hard=false"),
    SKR_FLAG(DURATION, options, until, "--until", NULL, "DURATION",
             "end there; default: when nothing more can happen"),
    SKR_FLAG(NUMBER, options, seed, "--seed", NULL, "N",
             "of uids, and of the choice among equal nodes; default 0", .max = INT64_MAX),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(VARIANT, options, picture, "--picture", NULL, NULL,
             "draw every group before and after; --picture=html: the page /ui of the end, as one "
             "file, and the report on stderr",
             .choice = pictures),
    SKR_FLAG(SWITCH, options, ascii, "--ascii", NULL, NULL, "draw with ASCII characters only"),
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration of the daemon, for its settings"),
    SKR_FLAG(SWITCH, options, timings, "--timings", NULL, NULL, "say on stderr how long it took"),
    SKR_FLAG(COUNT, options, verbosity, "--verbose", "-v", NULL,
             "show decisions, verbs, writes; twice: rejections too"),
    SKR_HELP_FLAG,
    {0},
};

#ifdef SKR_DEBUG /* sanitizers look for what was not given back */
#define IS_LAST false
#else
#define IS_LAST true
#endif

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_simulate_options options = {.file = given->files.item,
                                                 .n_files = given->files.n,
                                                 .set = given->sets.item,
                                                 .n_sets = given->sets.n,
                                                 .config = given->config,
                                                 .until = given->until,
                                                 .seed = (uint64_t)given->seed,
                                                 .json = given->output == SKR_OUTPUT_JSON,
                                                 .picture = given->picture == 1,
                                                 .html = given->picture == 2,
                                                 .ascii = given->ascii,
                                                 .last = IS_LAST,
                                                 .timings = given->timings,
                                                 .verbosity = given->verbosity,
                                                 .progress = stderr};
    if (options.html && options.json) {
        skr_strbuf_add(messages, "sakkara simulate: --picture=html and --output json exclude one "
                                 "another\n");
        return SKR_EXIT_USAGE;
    }
    return skr_simulate_run(&options, out, messages);
}

static const struct skr_command *const modes[] = {
    &skr_command_simulate_binding, &skr_command_simulate_placement, &skr_command_simulate_spotmix,
    &skr_command_simulate_timeline, NULL};

const struct skr_command skr_command_simulate = {
    .name = "simulate",
    .usage =
        "sakkara simulate -f FILE|DIR|- [-f ...] [--set GROUP:PATH=VALUE] [--until DURATION]\n"
        "                        [--seed N] [-o text|json]\n"
        "                        [--picture[=html]] [--ascii] [--config FILE] [--timings] [-v]",
    .summary = "run objects through the whole scheduler, no cluster needed",
    .text =
        "Reads what kubectl reads: nodes, pods, groups, Jobs, dumps of a cluster, and Scenario\n"
        "documents with timed steps. Runs them through the daemon's engine and models of\n"
        "kube-scheduler, kubelets and controllers under a virtual clock, and prints which pod went "
        "where and\n"
        "why the others wait. The same input gives the same output. Exit code 4 when some seat of "
        "some\n"
        "group is not bound.\n",
    .examples = "  sakkara simulate -f cluster.yaml -f gang.yaml --picture\n"
                "  kubectl get nodes,pods,configmaps -A -o json |\n"
                "    sakkara simulate -f - -f "
                "gang.yaml\n"
                "  sakkara simulate -f dump.json --set a-3:constraints.rack.hard=false\n"
                "  sakkara simulate -f scenario/ -o json --until 10m\n",
    .next = "sakkara help demo",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.until = SKR_TIME_NEVER},
    .run = run,
    .mode = modes,
};
