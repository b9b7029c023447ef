/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate placement`: what a Placement of Open Cluster Management selects, offline. */
#include "server/cli/cli.h"
#include "server/simulate/placement.h"

struct options {
    struct skr_text_list files, sets;
    const char *placement, *scheduler, *now;
    int spread_mode;
    int output;
    int verbosity;
};

enum { OUTPUT_TEXT, OUTPUT_JSON };
static const char *const outputs[] = {[OUTPUT_TEXT] = "text", [OUTPUT_JSON] = "json", NULL};
static const char *const modes[] = {"weighted", "lexicographic", NULL};

static const struct skr_flag flags[] = {
    {.name = "--filename",
     .letter = "-f",
     .argument = "FILE",
     .text = "file, folder, or - for standard input; may repeat",
     .kind = SKR_FLAG_LIST,
     .required = true,
     .offset = offsetof(struct options, files)},
    {.name = "--placement",
     .argument = "NS/NAME",
     .text = "this Placement; default: the only one that is ours",
     .offset = offsetof(struct options, placement)},
    {.name = "--set",
     .argument = "PLACEMENT:PATH=VALUE",
     .text = "change it first: web:spec.numberOfClusters=4",
     .kind = SKR_FLAG_LIST,
     .offset = offsetof(struct options, sets)},
    {.name = "--now",
     .argument = "TIME",
     .text = "the time, RFC 3339; default: the clock",
     .offset = offsetof(struct options, now)},
    {.name = "--scheduler-name",
     .argument = "NAME",
     .text = "ocm.schedulerName of the daemon; default: sakkara",
     .offset = offsetof(struct options, scheduler)},
    {.name = "--spread-mode",
     .argument = "MODE",
     .text = "ocm.spreadMode of the daemon: weighted (default) or lexicographic",
     .kind = SKR_FLAG_CHOICE,
     .choice = modes,
     .offset = offsetof(struct options, spread_mode)},
    {.name = "--output",
     .letter = "-o",
     .argument = "FORMAT",
     .text = "text (default) or json",
     .kind = SKR_FLAG_CHOICE,
     .choice = outputs,
     .offset = offsetof(struct options, output)},
    {.name = "--verbose",
     .letter = "-v",
     .text = "all clusters, however many",
     .kind = SKR_FLAG_COUNT,
     .offset = offsetof(struct options, verbosity)},
    SKR_HELP_FLAG,
    {0}};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_simulate_placement_options options = {.file = given->files.item,
                                                           .n_files = given->files.n,
                                                           .set = given->sets.item,
                                                           .n_sets = given->sets.n,
                                                           .placement = given->placement,
                                                           .scheduler = given->scheduler,
                                                           .spread_mode = modes[given->spread_mode],
                                                           .now = given->now,
                                                           .json = given->output == OUTPUT_JSON,
                                                           .verbose = given->verbosity > 0};
    return skr_simulate_placement_run(&options, out, messages);
}

const struct skr_command skr_command_simulate_placement = {
    .name = "simulate placement",
    .usage = "sakkara simulate placement -f FILE|DIR|- [-f ...] [--placement NS/NAME]\n"
             "                                  [--set PLACEMENT:PATH=VALUE] [--now TIME]\n"
             "                                  [-o text|json] [-v]",
    .summary = "what a Placement of OCM selects, no cluster needed",
    .text =
        "Reads what `kubectl get -o yaml` writes of Open Cluster Management: ManagedClusters, "
        "sets,\n"
        "bindings, Placements, PlacementDecisions, AddOnPlacementScores. Runs one scheduling "
        "cycle\n"
        "of one Placement with the code of the daemon: filters, prioritizers, spread, decision\n"
        "groups. Without any ManagedClusterSet every cluster is a candidate; the annotation\n"
        "sakkara.simulate/total-score of a ManagedCluster replaces its score. Exit code 4 when "
        "the\n"
        "Placement is not satisfied.\n",
    .examples =
        "  sakkara simulate placement -f hub.yaml --placement shop/web\n"
        "  sakkara simulate placement -f hub.yaml --set web:spec.numberOfClusters=4 -o json\n"
        "  sakkara simulate placement -f hub/ --spread-mode lexicographic --now "
        "2026-01-01T00:00:00Z\n",
    .next = "sakkara help simulate",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.scheduler = "sakkara"},
    .run = run,
};
