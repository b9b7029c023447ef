/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara timeline`: what holds each rack or node in the next hours, and what is reserved. */
#include <stdio.h>

#include "server/cli/client_flags.h"
#include "server/cli/did_you_mean.h"
#include "server/exit_code.h"
#include "server/lab/simulate/timeline.h"
#include "server/render/render.h"

struct options {
    const char *resource, *now, *config;
    int64_t hours;
    struct skr_page_flags page;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(NUMBER, options, hours, "--hours", NULL, "N", "hours to show, from now on; default 4",
             .max = SKR_VIEW_HOURS_MAX),
    SKR_FLAG(TEXT, options, resource, "--resource", NULL, "NAME",
             "what to look at, \"nvidia.com/gpu\" or \"gpu\"; default: as in `sakkara tree`"),
    SKR_FLAG(TEXT, options, now, "--now", NULL, "TIME",
             "of a dump: the time, RFC 3339; default: the clock"),
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "of a dump: configuration of the daemon, for its settings"),
    SKR_HELP_FLAG,
    {0},
};

/* The dump gets a round on paper. */
static int read_dump(const struct options *o, const struct skr_view_query *query, json_t **ret,
                     struct skr_strbuf *messages)
{
    const struct skr_simulate_timeline_options options = {
        .file = &o->client.file, .n_files = 1, .config = o->config, .now = o->now};
    return skr_simulate_timeline_page(&options, query, ret, messages);
}

static int ask_daemon(const struct skr_call *call, const struct skr_view_query *query, json_t **ret,
                      struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_client *client = NULL;
    int code = skr_client_flags_open(call, &o->client, &client, messages);
    if (code == SKR_EXIT_OK) {
        code = skr_client_flags_fetch(call, client, query, "Timeline", ret, messages);
    }
    if (client && code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_from_tree(client, query, messages);
    }
    skr_client_destroy(client);
    return code;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    char hours[24];
    const struct skr_view_query query = {
        .path = "/v1/timeline",
        .argument = {[SKR_VIEW_DOMAIN] = call->n_words > 0 ? call->word[0] : NULL,
                     [SKR_VIEW_RESOURCE] = o->resource,
                     [SKR_VIEW_HOURS] = hours}};
    json_auto_t *page = NULL;
    if (o->hours == 0) {
        return skr_cli_refuse(call->command, "--hours is at least 1, not", "0", messages);
    }
    if (!o->client.file && (o->now || o->config)) {
        return skr_cli_refuse(call->command, "--file DUMP is needed beside",
                              o->now ? "--now" : "--config", messages);
    }
    snprintf(hours, sizeof hours, "%lld", (long long)o->hours);
    const int code = o->client.file ? read_dump(o, &query, &page, messages)
                                    : ask_daemon(call, &query, &page, messages);
    if (code == SKR_EXIT_OK && !skr_page_flags_write(&o->page, page, out)) {
        skr_render_timeline(page, o->look.ascii, out);
    }
    return code;
}

const struct skr_command skr_command_timeline = {
    .name = "timeline",
    .usage = "sakkara timeline [DOMAIN] [--hours N] [--resource NAME] [-o text|json|yaml]\n"
             "                        [--server URL | --file DUMP [--now TIME] [--config FILE]]\n"
             "                        [--ascii]",
    .summary = "what holds racks and nodes in the next hours",
    .text =
        "Draws the units below a domain, each as 40 cells. A cell shows what holds most of the\n"
        "resource at that time: pods with a limit, pods without one, what is reserved for\n"
        "groups, or nothing. Below are the groups with a reservation. Times are in UTC. A dump\n"
        "is read as by `sakkara simulate timeline`, and groups that start now are below, too.\n"
        "Without --server and --file kubectl finds the daemon.\n",
    .examples = "  sakkara timeline\n"
                "  sakkara timeline rack-0 --hours 24 --resource gpu\n"
                "  sakkara timeline --file dump.json --now 2026-01-01T12:00:00Z\n",
    .next = "sakkara get groups",
    .word = "domain",
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.hours = 4},
    .run = run,
};
