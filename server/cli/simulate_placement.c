/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate placement`: what a Placement of Open Cluster Management selects, offline. */
#include "server/cli/cli.h"
#include "server/lab/simulate/placement.h"

struct options {
    struct skr_text_list files, sets;
    const char *placement, *scheduler, *now;
    int spread_mode;
    int output;
    int verbosity;
};

static const char *const modes[] = {"weighted", "lexicographic", NULL};

static const struct skr_flag flags[] = {
    SKR_FILES_FLAG(options, files),
    SKR_FLAG(TEXT, options, placement, "--placement", NULL, "NS/NAME",
             "this Placement; default: the only one that is ours"),
    SKR_FLAG(LIST, options, sets, "--set", NULL, "PLACEMENT:PATH=VALUE",
             "change it first: web:spec.numberOfClusters=4"),
    SKR_FLAG(TEXT, options, now, "--now", NULL, "TIME", "the time, RFC 3339; default: the clock"),
    SKR_FLAG(TEXT, options, scheduler, "--scheduler-name", NULL, "NAME",
             "ocm.schedulerName of the daemon; default: sakkara"),
    SKR_FLAG(CHOICE, options, spread_mode, "--spread-mode", NULL, "MODE",
             "ocm.spreadMode of the daemon: weighted (default) or lexicographic", .choice = modes),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(COUNT, options, verbosity, "--verbose", "-v", NULL, "all clusters, however many"),
    SKR_HELP_FLAG,
    {0},
};

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
                                                           .json = given->output == SKR_OUTPUT_JSON,
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
        "groups. Without ManagedClusterSets and bindings every cluster is a candidate; the\n"
        "annotation sakkara.simulate/total-score of a ManagedCluster replaces its score. Exit\n"
        "code 4 when the Placement is not satisfied.\n",
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
