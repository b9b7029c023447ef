/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara simulate binding`: where bindings of Karmada would go, offline. */
#include "server/cli/fleet_objects.h"
#include "server/lab/simulate/binding.h"

struct options {
    struct skr_text_list files, settings;
    const char *binding;
    int profile;
    int output;
    int verbosity;
};

static const struct skr_flag flags[] = {
    SKR_FILES_FLAG(options, files),
    SKR_FLAG(TEXT, options, binding, "--binding", NULL, "NS/NAME",
             "this binding alone; NAME for one without a namespace"),
    SKR_BINDING_FLAGS(options, profile, settings),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(COUNT, options, verbosity, "--verbose", "-v", NULL,
             "all groups and clusters, however many"),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_simulate_binding_options options = {
        .file = given->files.item,
        .n_files = given->files.n,
        .binding = given->binding,
        .profile = (enum skr_propagation_profile)given->profile,
        .option = given->settings.item,
        .n_options = given->settings.n,
        .json = given->output == SKR_OUTPUT_JSON,
        .verbose = given->verbosity > 0};
    return skr_simulate_binding_run(&options, out, messages);
}

const struct skr_command skr_command_simulate_binding = {
    .name = "simulate binding",
    .usage = "sakkara simulate binding -f FILE|DIR|- [-f ...] [--binding NS/NAME]\n"
             "                                [--profile default|upstream|design]\n"
             "                                [--option NAME=VALUE] [-o text|json] [-v]",
    .summary = "where bindings of Karmada would go, no cluster needed",
    .text =
        "Reads Clusters, ResourceBindings and ClusterResourceBindings as kubectl writes them, and\n"
        "decides each binding as the daemon would: filters, groups, selection, replicas. The\n"
        "annotations sakkara.simulate/score and sakkara.simulate/room of a Cluster set its final\n"
        "score and its room for new replicas. Exit code 4 when a binding is not placed.\n",
    .examples =
        "  sakkara simulate binding -f clusters.yaml -f binding.yaml\n"
        "  kubectl get clusters,resourcebindings -A -o json | sakkara simulate binding -f -\n"
        "  sakkara simulate binding -f state/ --binding shop/web-deployment -o json\n"
        "  sakkara simulate binding -f state/ --profile upstream --option omittedMax=unbounded\n",
    .next = "sakkara demo binding",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
