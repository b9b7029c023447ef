/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara group NAME`: one group in full. */
#include "server/cli/client_flags.h"
#include "server/clock.h"
#include "server/exit_code.h"
#include "server/render/render.h"

struct options {
    struct skr_page_flags page;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

static const struct skr_flag flags[] = {SKR_HELP_FLAG, {0}};

static int show(const struct skr_call *call, const json_t *page, struct skr_strbuf *out,
                struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_clock clock;
    struct skr_error error = {0};
    skr_clock_init(&clock);
    const struct skr_render how = {.ascii = o->look.ascii,
                                   .coloured = skr_look_is_coloured(&o->look, stdout),
                                   .utc_offset_s = skr_clock_utc_offset_s(&clock)};
    if (!skr_page_flags_write(&o->page, page, out) &&
        skr_render_group(page, &how, out, &error) < 0) {
        skr_strbuf_reset(out);
        skr_strbuf_addf(messages, "sakkara group: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    json_auto_t *page = NULL;
    const struct skr_view_query query = {.path = "/v1/groups"};
    int code = skr_client_flags_fetch_group(call, &o->client, &query, "Group", &page, messages);
    if (code == SKR_EXIT_OK) {
        code = show(call, page, out, messages);
    }
    return code;
}

const struct skr_command skr_command_group = {
    .name = "group",
    .usage = "sakkara group NAME [-n NAMESPACE] [-o text|json|yaml]\n"
             "                     [--server URL | --file DUMP] [--ascii]",
    .summary = "show one group: status, rules, times, where its pods are",
    .text = "Status with its reason, every rule and how it is met, when the group was complete,\n"
            "solved and bound, its pods and ranks by domain and node, and the distance between\n"
            "them. Without --server and --file kubectl finds the daemon.\n",
    .examples = "  sakkara group a-0\n"
                "  sakkara group a-0 -n team-a -o json | jq .members\n",
    .next = "sakkara tree",
    .word = "group",
    .words_min = 1,
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run,
};
