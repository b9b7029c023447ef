/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara explain placement/NAME`: why these clusters and not those, on objects as they are. */
#include <stdlib.h>
#include <string.h>

#include "server/cli/fleet_objects.h"
#include "server/cli/module_state.h"
#include "server/exit_code.h"
#include "server/lab/simulate/placement.h"

struct options {
    struct skr_client_flags client;
    const char *scheduler;
    int output;
    bool verbose;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, scheduler, "--scheduler-name", NULL, "NAME",
             "ocm.schedulerName of the daemon; default: sakkara"),
    SKR_OUTPUT_FLAG(options, output),
    SKR_FLAG(SWITCH, options, verbose, "--verbose", "-v", NULL, "all clusters, however many"),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const char *name = strchr(call->word[0], '/') + 1;
    struct skr_fleet_input input;
    int code =
        skr_fleet_objects_fetch(call, &given->client, &skr_placement_rules, &input, messages);
    char *key = skr_object_key(given->client.namespace_ ? given->client.namespace_ : "", name);
    const size_t begin = out->len;
    if (code == SKR_EXIT_OK) {
        const struct skr_simulate_placement_options options = {.placement = key,
                                                               .scheduler = given->scheduler,
                                                               .json =
                                                                   given->output == SKR_OUTPUT_JSON,
                                                               .verbose = given->verbose};
        code = skr_simulate_placement_show(&input, &options, out, messages);
    }
    if (out->len > begin) {
        const struct skr_module_state module =
            skr_module_state_ask(call, &given->client, "ocm", messages);
        code = skr_module_state_put(&module, given->output == SKR_OUTPUT_JSON, begin, code, out);
    }
    free(key);
    skr_fleet_input_fini(&input);
    return code;
}

const struct skr_command skr_command_explain_placement = {
    .name = "explain placement/",
    .usage = "sakkara explain placement/NAME [-n NAMESPACE] [-v] [-o text|json]\n"
             "                               [--server URL | --file DUMP]",
    .summary = "why a Placement of OCM selects these clusters and not others",
    .text =
        "Runs one cycle of the Placement as the daemon would on the objects as they are: what was\n"
        "selected with its scores, which filter or hard level keeps the others out, and which "
        "single\n"
        "changes select more, each of them tried. Objects come from kubectl or the dump. The "
        "daemon,\n"
        "which --server or kubectl finds, is asked whether its module ocm is on. Exit code 0 when "
        "the\n"
        "Placement is satisfied, 4 when not or when the module is off, 3 when there is none.\n",
    .examples = "  sakkara explain placement/web -n shop\n"
                "  sakkara explain placement/web --file dump.json -o json\n",
    .next = "sakkara help simulate placement",
    .word = "placement",
    .words_min = 1,
    .words_max = 1,
    .group = {{flags, 0}, {skr_client_flag_table, offsetof(struct options, client)}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.scheduler = "sakkara"},
    .run = run,
};
