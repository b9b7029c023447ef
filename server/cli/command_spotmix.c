/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara spotmix`: workloads with on-demand and spot pods, and why a pod is which. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "server/cli/client_flags.h"
#include "server/cli/mix_flags.h"
#include "server/client/spotmix_dump.h"
#include "server/exit_code.h"
#include "server/render/render.h"
#include "topology/base/arena.h"

#define PAGE "/v1/spotmix"

struct options {
    bool all;
    struct skr_page_flags page;
    struct skr_mix_flags mix;
    struct skr_client_flags client;
    struct skr_look_flags look;
};

static const struct skr_flag list_flags[] = {{.name = "--all-namespaces",
                                              .letter = "-A",
                                              .text = "of all namespaces (default without -n)",
                                              .kind = SKR_FLAG_SWITCH,
                                              .offset = offsetof(struct options, all)},
                                             SKR_HELP_FLAG,
                                             {0}};

static const struct skr_flag explain_flags[] = {SKR_HELP_FLAG, {0}};

/* A workload or pod; name NULL: all. */
struct target {
    char *namespace_, *name;
};

static void target_fini(struct target *target)
{
    free(target->namespace_);
    free(target->name);
}

/* "NAME" or "NAMESPACE/NAME"; names of objects, which stand in a path as they are. */
static bool target_read(const struct skr_call *call, const char *namespace_, struct target *ret)
{
    const char *word = call->n_words > 0 ? call->word[0] : NULL;
    const char *slash = word ? strchr(word, '/') : NULL;
    *ret = (struct target){.namespace_ = skr_strdup(namespace_),
                           .name = skr_strdup(slash ? slash + 1 : word)};
    if (slash) {
        free(ret->namespace_);
        ret->namespace_ = skr_strdup(word);
        ret->namespace_[slash - word] = '\0';
    }
    for (const char *c = word; c && *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (!islower(byte) && !isdigit(byte) && byte != '-' && byte != '.' && c != slash) {
            return false;
        }
    }
    return !word || (*ret->name != '\0' && (!ret->namespace_ || *ret->namespace_ != '\0'));
}

static int fetch_dump(const struct skr_call *call, const struct target *target, json_t **ret,
                      struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_mix_view view;
    struct skr_error error = {0};
    int code = skr_mix_view_init(&view, call, &o->mix, messages);
    if (code == SKR_EXIT_OK) {
        const int rc = skr_spotmix_dump_page(o->client.file, &view.settings,
                                             target->namespace_ ? target->namespace_ : "default",
                                             target->name, ret, messages, &error);
        if (rc < 0) {
            skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
        }
        code = skr_client_exit_code(rc);
    }
    skr_mix_view_fini(&view);
    return code;
}

static int fetch_live(struct skr_client *client, struct target *target, json_t **ret,
                      struct skr_error *error)
{
    SKR_STRBUF(path);

    skr_strbuf_add(&path, PAGE);
    if (target->name) {
        if (!target->namespace_) {
            target->namespace_ = skr_client_default_namespace(client);
        }
        skr_strbuf_addf(&path, "/%s/%s", target->namespace_, target->name);
    }
    return skr_client_fetch_path(client, path.s, ret, error);
}

static int fetch(const struct skr_call *call, struct target *target, json_t **ret,
                 struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    struct skr_error error = {0};
    struct skr_client *client = NULL;
    if (o->client.file && !o->client.server) {
        return fetch_dump(call, target, ret, messages);
    }
    int code = skr_client_flags_open(call, &o->client, &client, messages);
    if (code == SKR_EXIT_OK) {
        const int rc = fetch_live(client, target, ret, &error);
        if (rc < 0) {
            skr_strbuf_addf(messages, "sakkara %s: %s\n", call->command->name, error.text);
        }
        code = skr_client_exit_code(rc);
    }
    skr_client_destroy(client);
    return code;
}

static int show(const struct skr_call *call, bool one, struct skr_strbuf *out,
                struct skr_strbuf *messages)
{
    const struct options *o = call->options;
    const struct skr_render how = {.ascii = o->look.ascii,
                                   .no_headers = o->look.no_headers,
                                   .coloured = skr_look_is_coloured(&o->look, stdout)};
    struct target target;
    json_auto_t *page = NULL;
    int code = SKR_EXIT_USAGE;
    if (!target_read(call, o->client.namespace_, &target)) {
        code =
            skr_cli_refuse(call->command, "no name of a workload or pod:", call->word[0], messages);
    } else {
        code = fetch(call, &target, &page, messages);
    }
    if (code == SKR_EXIT_OK && !skr_page_flags_write(&o->page, page, out)) {
        if (one) {
            skr_render_spotmix_one(page, &how, out);
        } else {
            skr_render_spotmix(page, o->all ? NULL : o->client.namespace_, &how, out);
        }
    }
    target_fini(&target);
    return code;
}

static int run_list(const struct skr_call *call, struct skr_strbuf *out,
                    struct skr_strbuf *messages)
{
    return show(call, call->n_words > 0, out, messages);
}

static int run_explain(const struct skr_call *call, struct skr_strbuf *out,
                       struct skr_strbuf *messages)
{
    return show(call, true, out, messages);
}

#define DUMP "kubectl get nodes,pods,deployments,replicasets,statefulsets -A -o json"

static const struct skr_command explain_command = {
    .name = "spotmix explain",
    .usage = "sakkara spotmix explain [NAMESPACE/]NAME [-n NAMESPACE] [-o text|json|yaml]\n"
             "                               [--server URL | --file DUMP [--preset PRESET | "
             "--config FILE]]",
    .summary = "say why pods are on-demand or spot, and what happens next",
    .text =
        "NAME is a Deployment, a StatefulSet or a pod: index, class, deletion cost and node of\n"
        "its pods, why each has its class, and what happens next: the index that the next pod\n"
        "gets, or the pod that the reconciler evicts.\n",
    .examples = "  sakkara spotmix explain shop/web\n"
                "  sakkara spotmix explain web-7d9c5-x2x4v -n shop\n"
                "  sakkara spotmix explain shop/web -o json | jq .next\n",
    .next = "sakkara demo spotmix",
    .word = "name",
    .words_min = 1,
    .words_max = 1,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {explain_flags, 0},
              {skr_mix_flag_table, offsetof(struct options, mix)},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run_explain,
};

static const struct skr_command *const modes[] = {&explain_command, NULL};

const struct skr_command skr_command_spotmix = {
    .name = "spotmix",
    .usage = "sakkara spotmix [[NAMESPACE/]NAME] [-n NAMESPACE | -A] [-o text|json|yaml]\n"
             "                       [--server URL | --file DUMP [--preset PRESET | --config "
             "FILE]] [--ascii]",
    .summary = "show workloads with on-demand and spot pods",
    .text = "A row for every Deployment and StatefulSet that is mixed: the maximum of on-demand\n"
            "pods, of both classes how many there are and should be, and how many pods are of the\n"
            "wrong class. With a name, that workload with its pods. Without --server and --file\n"
            "kubectl finds the daemon.\n",
    .examples = "  sakkara spotmix\n"
                "  sakkara spotmix shop/web\n"
                "  " DUMP " |\n"
                "    sakkara spotmix --file - --preset karpenter\n",
    .next = "sakkara spotmix explain shop/web",
    .word = "name",
    .words_max = 1,
    .mode = modes,
    .group = {{skr_page_flag_table, offsetof(struct options, page)},
              {list_flags, 0},
              {skr_mix_flag_table, offsetof(struct options, mix)},
              {skr_client_flag_table, offsetof(struct options, client)},
              {skr_look_flag_table, offsetof(struct options, look)}},
    .options_size = sizeof(struct options),
    .run = run_list,
};
