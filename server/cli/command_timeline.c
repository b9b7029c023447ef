/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara timeline`: what holds each rack or node in the next hours, and what is reserved. */
#include "server/cli/cli.h"
#include "server/exit_code.h"
#include "server/lab/simulate/timeline.h"

enum { HOURS_MAX = 720 };

struct options {
    const char *file, *resource, *now, *config;
    int64_t hours;
    bool ascii;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, file, "--file", NULL, "DUMP",
             "a dump of `kubectl get nodes,pods,configmaps,jobs -A -o json`, or -",
             .required = true),
    SKR_FLAG(NUMBER, options, hours, "--hours", NULL, "N", "hours to show, from now on; default 4",
             .max = HOURS_MAX),
    SKR_FLAG(TEXT, options, resource, "--resource", NULL, "NAME",
             "what to look at, \"nvidia.com/gpu\" or \"gpu\"; default: as in `sakkara tree`"),
    SKR_FLAG(TEXT, options, now, "--now", NULL, "TIME", "the time, RFC 3339; default: the clock"),
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration of the daemon, for its settings"),
    SKR_FLAG(SWITCH, options, ascii, "--ascii", NULL, NULL, "draw with ASCII characters only"),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    const struct skr_simulate_timeline_options options = {
        .file = &given->file,
        .n_files = 1,
        .config = given->config,
        .now = given->now,
        .picture = true,
        .domain = call->n_words > 0 ? call->word[0] : NULL,
        .resource = given->resource,
        .hours = given->hours,
        .ascii = given->ascii};
    if (given->hours == 0) {
        return skr_cli_refuse(call->command, "--hours is at least 1, not", "0", messages);
    }
    return skr_simulate_timeline_run(&options, out, messages);
}

const struct skr_command skr_command_timeline = {
    .name = "timeline",
    .usage = "sakkara timeline [DOMAIN] --file DUMP [--hours N] [--resource NAME]\n"
             "                        [--now TIME] [--config FILE] [--ascii]",
    .summary = "what holds racks and nodes in the next hours",
    .text =
        "Draws the units below a domain, each as 40 cells. A cell shows what holds most of the\n"
        "resource at that time: pods with a limit, pods without one, what is reserved for\n"
        "groups, or nothing. Below are the groups that start now or hold a reservation. Times\n"
        "are in UTC. The dump is read as by `sakkara simulate timeline`; the daemon itself\n"
        "holds no reservations yet.\n",
    .examples = "  sakkara timeline --file dump.json\n"
                "  sakkara timeline rack-0 --file dump.json --hours 24 --resource gpu\n",
    .next = "sakkara help simulate timeline",
    .word = "domain",
    .words_max = 1,
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.hours = 4},
    .run = run,
};
