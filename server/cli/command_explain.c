/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara explain`: why a group is not placed, and what would help. */
#include "server/cli/client_flags.h"
#include "server/exit_code.h"
#include "server/render/explain_text.h"

struct options {
    struct skr_client_flags client;
    struct skr_page_flags page;
    bool verbose;
    bool preempt;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(SWITCH, options, preempt, "--preempt", NULL, NULL,
             "which groups would be evicted for it, or why none; nothing is evicted"),
    SKR_FLAG(SWITCH, options, verbose, "--verbose", "-v", NULL,
             "all domains, and all that would help"),
    SKR_HELP_FLAG,
    {0},
};

static void write_answer(const struct options *given, const json_t *answer, struct skr_strbuf *out)
{
    const struct skr_explain_look look = {.verbose = given->verbose, .dump = given->client.file};
    if (!skr_page_flags_write(&given->page, answer, out)) {
        skr_explain_write_text(answer, &look, out);
    }
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *given = call->options;
    json_auto_t *answer = NULL;
    const struct skr_view_query query = {
        .path = "/v1/explain", .argument = {[SKR_VIEW_PREEMPT] = given->preempt ? "true" : NULL}};
    int code = skr_client_flags_fetch_group(call, &given->client, &query, "Explanation", &answer,
                                            messages);
    if (code == SKR_EXIT_OK) {
        write_answer(given, answer, out);
        code = json_is_true(json_object_get(answer, "placed")) ? SKR_EXIT_OK : SKR_EXIT_NOT_PLACED;
    }
    return code;
}

static const struct skr_command *const modes[] = {&skr_command_explain_binding,
                                                  &skr_command_explain_placement, NULL};

const struct skr_command skr_command_explain = {
    .name = "explain",
    .usage = "sakkara explain GROUP [-n NAMESPACE] [--preempt] [-v] [-o text|json|yaml]\n"
             "                        [--server URL | --file DUMP]",
    .summary = "why a group is not placed, and what would help",
    .text =
        "Prints the reason, what the group needs and what there is, what is in the way, and "
        "what would\n"
        "make it fit: every change named there was tried by the solver. GROUP is the group's "
        "name, or that\n"
        "of its ConfigMap. Exit code 0 when it is placed, 4 when it is not, 3 when there is "
        "none, 6 when\n"
        "no daemon answers. With --preempt it also says which groups of lower priority would be "
        "evicted for it,\n"
        "found by the search that the daemon itself makes, or why none is; nothing is "
        "evicted.\n",
    .examples = "  sakkara explain a-3\n"
                "  sakkara explain a-3 -n team-a -v\n"
                "  sakkara explain a-3 --preempt\n"
                "  kubectl get nodes,pods,configmaps -A -o json > dump.json\n"
                "  sakkara explain a-3 --file dump.json -o json | jq .relaxations\n",
    .next = "sakkara help simulate",
    .word = "group",
    .words_min = 1,
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {flags, 0},
              {skr_client_flag_table, offsetof(struct options, client)}},
    .options_size = sizeof(struct options),
    .run = run,
    .mode = modes,
};
