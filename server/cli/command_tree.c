/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara tree`: the tree with what is used and what is left. */
#include "server/cli/client_flags.h"
#include "server/cli/did_you_mean.h"
#include "server/exit_code.h"
#include "server/render/render.h"

struct options {
    const char *resource, *slot;
    struct skr_page_flags page;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

static const struct skr_flag flags[] = {
    {.name = "--resource",
     .argument = "NAME",
     .text =
         "what to look at, \"nvidia.com/gpu\" or \"gpu\"; default: the tree's first special one",
     .offset = offsetof(struct options, resource)},
    {.name = "--slot",
     .argument = "SIZE",
     .text = "what one slot takes, \"gpu=2,memory=8Gi\"; default: one unit of the resource",
     .offset = offsetof(struct options, slot)},
    SKR_HELP_FLAG,
    {0}};

static int show(const struct skr_call *call, const json_t *page, struct skr_strbuf *out,
                struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_render how = {.ascii = o->look.ascii,
                                   .no_headers = o->look.no_headers,
                                   .coloured = skr_look_is_coloured(&o->look, stdout)};
    struct skr_error error = {0};
    if (!skr_page_flags_write(&o->page, page, out) &&
        skr_render_tree(page, &how, out, messages, &error) < 0) {
        skr_strbuf_addf(messages, "sakkara tree: %s\n", error.text);
        return SKR_EXIT_ERROR;
    }
    return SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_view_query query = {
        .path = "/v1/tree",
        .argument = {[SKR_VIEW_DOMAIN] = call->n_words ? call->word[0] : NULL,
                     [SKR_VIEW_RESOURCE] = o->resource,
                     [SKR_VIEW_SLOT] = o->slot}};
    struct skr_client *client = NULL;
    json_t *page = NULL;
    int code = skr_client_flags_open(call, &o->client, &client, messages);
    if (code == SKR_EXIT_OK) {
        code = skr_client_flags_fetch(call, client, &query, "Tree", &page, messages);
    }
    if (code == SKR_EXIT_OK) {
        code = show(call, page, out, messages);
    } else if (code == SKR_EXIT_NOT_FOUND) {
        skr_suggest_from_tree(client, &query, messages);
    }
    json_decref(page);
    skr_client_destroy(client);
    return code;
}

const struct skr_command skr_command_tree = {
    .name = "tree",
    .usage = "sakkara tree [DOMAIN] [--resource NAME] [--slot SIZE] [-o text|json|yaml]\n"
             "                    [--server URL | --file DUMP] [--ascii] [--no-headers]",
    .summary = "show racks and nodes, what is used and what still fits",
    .text =
        "A row for every domain and node of the tree in force: nodes that are Ready, the\n"
        "resource used and allocatable, how many more pods of a size fit (SLOTS), and which\n"
        "groups are there, on nodes with the number of their pods. DOMAIN is a name, or a path\n"
        "below the root. A slot is one device, GiB or core unless --slot says so, and 100m of\n"
        "cpu where no node has a core. Without --server and --file kubectl finds the daemon.\n",
    .examples = "  sakkara tree\n"
                "  sakkara tree rack-1 --slot gpu=2,memory=64Gi\n"
                "  kubectl get nodes,pods,configmaps -A -o json | sakkara tree --file - --resource "
                "cpu\n",
    .next = "sakkara get groups",
    .word = "domain",
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run,
};
