/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara explain placement/NAME`: why these clusters and not those, on objects as they are. */
#include "server/cli/fleet_objects.h"
#include "server/lab/simulate/placement.h"

struct options {
    struct skr_client_flags client;
    const char *scheduler;
    int output;
    bool verbose;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, scheduler, "--scheduler-name", NULL, "NAME",
             "ocm.schedulerName; default: that of the daemon, else sakkara"),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(SWITCH, options, verbose, "--verbose", "-v", NULL, "all clusters, however many"),
    SKR_HELP_FLAG,
    {0},
};

static int explain(const void *options, const json_t *settings, const char *name,
                   struct skr_fleet_input *input, struct skr_strbuf *out,
                   struct skr_strbuf *messages)
{
    const struct options *given = options;
    const char *namespace_ = given->client.namespace_ ? given->client.namespace_ : "";
    const char *of_daemon = json_string_value(json_object_get(settings, "schedulerName"));
    const char *scheduler = given->scheduler ? given->scheduler : of_daemon;
    SKR_AUTO_FREE char *key = skr_object_key(namespace_, name);
    const struct skr_simulate_placement_options how = {
        .placement = key,
        .scheduler = scheduler ? scheduler : "sakkara",
        .spread_mode = json_string_value(json_object_get(settings, "spreadMode")),
        .json = given->output == SKR_OUTPUT_JSON,
        .verbose = given->verbose};
    return skr_simulate_placement_show(input, &how, out, messages);
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_fleet_explanation what = {.client = &given->client,
                                               .rules = &skr_placement_rules,
                                               .module = "ocm",
                                               .json = given->output == SKR_OUTPUT_JSON,
                                               .explain = explain};
    return skr_fleet_explain(call, &what, out, messages);
}

const struct skr_command skr_command_explain_placement = {
    .name = "explain placement/",
    .usage = "sakkara explain placement/NAME [-n NAMESPACE] [-v] [-o text|json]\n"
             "                               [--server URL | --file DUMP]",
    .summary = "why a Placement of OCM selects these clusters and not others",
    .text =
        "Runs one cycle of the Placement as the daemon would on the objects as they are: what was\n"
        "selected with its scores, which filter or hard level keeps the others out, and which\n"
        "single changes select more, each of them tried. Objects come from kubectl or the dump.\n"
        "The daemon, which --server or kubectl finds, is asked whether its module ocm is on, and\n"
        "for its spreadMode and schedulerName. Exit code 0 when the Placement is satisfied, 4 "
        "when\n"
        "not or when the module is off, 3 when there is none.\n",
    .examples = "  sakkara explain placement/web -n shop\n"
                "  sakkara explain placement/web --file dump.json -o json\n",
    .next = "sakkara help simulate placement",
    .word = "placement",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}, {skr_client_flag_table, offsetof(struct options, client)}},
    .options_size = sizeof(struct options),
    .run = run,
};
