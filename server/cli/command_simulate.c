/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate`: objects through the whole scheduler, offline. */
#include <stdio.h>

#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/lab/simulate/simulate.h"
#include "server/lab/simulate/trace.h"

struct options {
    struct skr_text_list files, sets;
    skr_time until;
    int64_t seed;
    int output;
    int picture; /* 1: as text, 2: html */
    bool ascii, timings;
    const char *config;
    int verbosity;
    const char *trace, *cluster, *policy, *place;
};

static const char *const pictures[] = {"html", NULL};

static const struct skr_flag flags[] = {
    SKR_FLAG(LIST, options, files, "--filename", "-f", "FILE",
             "file, folder, or - for standard input; may repeat; with --trace: the cluster"),
    SKR_FLAG(TEXT, options, trace, "--trace", NULL, "FILE",
             "play jobs of a CSV file (- is standard input), and report waits"),
    SKR_FLAG(TEXT, options, cluster, "--cluster", NULL, "racks=N,nodes=N,slots=N",
             "its racks, nodes of each, slots of each node"),
    SKR_FLAG(TEXT, options, policy, "--policy", NULL, "POLICY,...",
             "sakkara (default), fifo, besteffort, easy, conservative"),
    SKR_FLAG(TEXT, options, place, "--place", NULL, "PLACE,...",
             "exact (default), bestfit, leastfree, spread"),
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

/* The flag that does not go with what is asked for; NULL: all do. */
static const char *find_stray(const struct options *o)
{
    if (!o->trace) {
        return o->cluster ? "--cluster" : o->policy ? "--policy" : o->place ? "--place" : NULL;
    }
    return o->sets.n > 0                  ? "--set"
           : o->until != SKR_TIME_NEVER   ? "--until"
           : o->picture                   ? "--picture"
           : o->seed                      ? "--seed"
           : o->verbosity || o->timings   ? "--verbose or --timings"
           : o->cluster && o->files.n > 0 ? "--filename with --cluster"
                                          : NULL;
}

static int run_trace(const struct options *given, struct skr_strbuf *out,
                     struct skr_strbuf *messages)
{
    const struct skr_simulate_trace_options options = {.trace = given->trace,
                                                       .cluster = given->cluster,
                                                       .file = given->files.item,
                                                       .n_files = given->files.n,
                                                       .policy = given->policy,
                                                       .place = given->place,
                                                       .config = given->config,
                                                       .json = given->output == SKR_OUTPUT_JSON};
    return skr_simulate_trace_run(&options, out, messages);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const char *stray = find_stray(given);
    if (stray) {
        return skr_cli_refuse(call->command,
                              given->trace ? "does not go with --trace:" : "needs --trace:", stray,
                              messages);
    }
    if (given->files.n == 0 && !given->cluster) {
        return skr_cli_refuse(call->command, "--filename is missing:",
                              given->trace ? "FILE, or --cluster" : "FILE", messages);
    }
    if (given->trace) {
        return run_trace(given, out, messages);
    }
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
        "                        [--picture[=html]] [--ascii] [--config FILE] [--timings] [-v]\n"
        "       sakkara simulate --trace FILE.csv --cluster racks=N,nodes=N,slots=N | -f FILE\n"
        "                        [--policy POLICY,...] [--place PLACE,...] [--config FILE]\n"
        "                        [-o text|json]",
    .summary = "run objects through the whole scheduler, no cluster needed",
    .text =
        "Reads what kubectl reads: nodes, pods, groups, Jobs, dumps of a cluster, and Scenario\n"
        "documents with timed steps. Runs them through the daemon's engine and models of\n"
        "kube-scheduler, kubelets and controllers under a virtual clock, and prints which pod went "
        "where and\n"
        "why the others wait. The same input gives the same output. Exit code 4 when some seat of "
        "some\n"
        "group is not bound.\n"
        "\n"
        "With --trace it plays the arrivals and ends of jobs instead, on an empty cluster, with "
        "the\n"
        "round that gives groups their starts, and reports waits by size for each policy. The "
        "first\n"
        "line of the file is arrival,name,size,slots,run,limit,priority,constraints.\n",
    .examples = "  sakkara simulate -f cluster.yaml -f gang.yaml --picture\n"
                "  kubectl get nodes,pods,configmaps -A -o json |\n"
                "    sakkara simulate -f - -f "
                "gang.yaml\n"
                "  sakkara simulate -f dump.json --set a-3:constraints.rack.hard=false\n"
                "  sakkara simulate -f scenario/ -o json --until 10m\n"
                "  sakkara simulate --trace jobs.csv --cluster racks=16,nodes=8,slots=8 \\\n"
                "    --policy sakkara,besteffort\n",
    .next = "sakkara help demo",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.until = SKR_TIME_NEVER},
    .run = run,
    .mode = modes,
};
