/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara group NAME`: one group in full. */
#include <stdlib.h>

#include "server/cli/client_flags.h"
#include "server/cli/did_you_mean.h"
#include "server/client/page.h"
#include "server/client/render.h"
#include "server/clock.h"
#include "server/exit_code.h"

struct options {
    int output;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

enum { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_YAML };
static const char *const outputs[] = {
    [OUTPUT_TEXT] = "text", [OUTPUT_JSON] = "json", [OUTPUT_YAML] = "yaml", NULL};

static const struct skr_flag flags[] = {{.name = "--output",
                                         .letter = "-o",
                                         .argument = "FORMAT",
                                         .text = "text (default), json or yaml",
                                         .kind = SKR_FLAG_CHOICE,
                                         .choice = outputs,
                                         .offset = offsetof(struct options, output)},
                                        SKR_HELP_FLAG,
                                        {0}};

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
    if (o->output == OUTPUT_JSON) {
        skr_page_write_json(page, out);
    } else if (o->output == OUTPUT_YAML) {
        skr_page_write_yaml(page, out);
    } else if (skr_render_group(page, &how, out, &error) < 0) {
        skr_strbuf_reset(out);
        skr_strbuf_addf(messages, "sakkara group: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_client *client = NULL;
    json_t *page = NULL;
    int code = skr_client_flags_open(call, &o->client, &client, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    char *namespace_ = skr_client_flags_namespace(&o->client, client);
    struct skr_strbuf path;
    skr_strbuf_init(&path);
    skr_strbuf_addf(&path, "/v1/groups/%s/%s", namespace_, call->word[0]);
    const struct skr_view_query query = {.path = path.s};
    code = skr_client_flags_fetch(call, client, &query, "Group", &page, messages);
    if (code == SKR_EXIT_OK) {
        code = show(call, page, out, messages);
    } else if (code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_group(client, namespace_, call->word[0], messages);
    }
    skr_strbuf_fini(&path);
    free(namespace_);
    json_decref(page);
    skr_client_destroy(client);
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
    .group = {{flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run,
};
