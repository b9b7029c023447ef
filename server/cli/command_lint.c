/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara lint`: what is wrong in files, or in a ConfigMap of a cluster or of a dump. */
#include <string.h>

#include "server/cli/cli.h"
#include "server/client/client.h"
#include "server/client/source.h"
#include "server/exit_code.h"
#include "server/lint/lint.h"
#include "server/manifest/manifest.h"

enum format { TEXT, JSON, SARIF };

struct options {
    int format;
    const char *namespace_, *context, *kubeconfig, *file;
};

static const char *const formats[] = {[TEXT] = "text", [JSON] = "json", [SARIF] = "sarif", NULL};

static const struct skr_flag flags[] = {
    SKR_FLAG(CHOICE, options, format, "--output", "-o", "FORMAT", "text (default), json or sarif",
             .choice = formats),
    SKR_FLAG(TEXT, options, file, "--file", NULL, "DUMP",
             "the dump that has the ConfigMap, instead of a cluster"),
    SKR_FLAG(TEXT, options, namespace_, "--namespace", "-n", "NAME",
             "of the ConfigMap; default: that of kubectl's context, in a dump any"),
    SKR_FLAG(TEXT, options, context, "--context", NULL, "NAME", "kubectl's context"),
    SKR_FLAG(TEXT, options, kubeconfig, "--kubeconfig", NULL, "FILE", "kubectl's kubeconfig"),
    SKR_HELP_FLAG,
    {0},
};

/* "cm/NAME", "configmap/NAME": the name; NULL: a file. */
static const char *map_name(const char *word)
{
    static const char *const prefixes[] = {"cm/", "configmap/", "configmaps/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i]);
        if (strncmp(word, prefixes[i], n) == 0 && word[n] != '\0' && !strchr(word + n, '/')) {
            return word + n;
        }
    }
    return NULL;
}

/* ---- texts ---- */

static void take_file(void *context, const char *name, const char *text, size_t n)
{
    skr_lint_add(context, name, text, n);
}

static int read_files(const struct skr_call *call, struct skr_lint *lint,
                      struct skr_strbuf *messages)
{
    int code = SKR_EXIT_OK;
    for (size_t i = 0; i < call->n_words; i++) {
        const int rc = skr_manifest_files(call->word[i], take_file, lint, messages);
        if (rc < 0 && code != SKR_EXIT_ERROR) {
            code = skr_client_exit_code(rc);
        }
    }
    return code;
}

static int fetch_map(const struct options *options, const char *word, const char *name,
                     struct skr_lint *lint, struct skr_strbuf *messages)
{
    const struct skr_client_options client = {.context = options->context,
                                              .kubeconfig = options->kubeconfig,
                                              .request_timeout = SKR_CLIENT_TIMEOUT_S * SKR_SECOND};
    SKR_STRBUF(text);
    SKR_STRBUF(topology);
    struct skr_error error = {.code = SKR_OK};
    const int rc = skr_source_kubectl_map(&client, options->namespace_, name, &text, &error);
    if (rc == 0) {
        skr_lint_add(lint, word, text.s ? text.s : "", text.len);
        /* Levels are compared with the topology maps, if the user may read them. */
        if (skr_source_kubectl_map(&client, NULL, NULL, &topology, &error) == 0) {
            skr_lint_add_context(lint, "topology", topology.s ? topology.s : "", topology.len);
        }
    } else {
        skr_strbuf_addf(messages, "sakkara lint: %s\n", error.text);
    }
    return skr_client_exit_code(rc);
}

static int read_map(const struct options *options, const char *word, const char *name,
                    struct skr_lint *lint, struct skr_strbuf *messages)
{
    /* A cluster hands out the one that was asked for. */
    skr_lint_select(lint, options->file && options->namespace_ ? options->namespace_ : "", name);
    if (!options->file) {
        return fetch_map(options, word, name, lint, messages);
    }
    return skr_client_exit_code(skr_manifest_files(options->file, take_file, lint, messages));
}

/* ---- the command ---- */

static void write(const struct skr_lint *lint, enum format format, struct skr_strbuf *out)
{
    if (format == SARIF) {
        skr_lint_write_sarif(lint, out);
    } else if (format == JSON) {
        skr_lint_write_json(lint, out);
    } else {
        skr_lint_write_text(lint, out);
    }
}

static int check_words(const struct skr_call *call, const char *name, struct skr_strbuf *messages)
{
    const struct options *options = call->options;
    if (name && call->n_words > 1) {
        return skr_cli_refuse(call->command, "a ConfigMap goes alone, not with", call->word[1],
                              messages);
    }
    for (size_t i = 1; i < call->n_words; i++) {
        if (map_name(call->word[i])) {
            return skr_cli_refuse(
                call->command, "a ConfigMap goes alone, not with files:", call->word[i], messages);
        }
    }
    const char *flag = options->file         ? "--file"
                       : options->namespace_ ? "--namespace"
                       : options->context    ? "--context"
                       : options->kubeconfig ? "--kubeconfig"
                                             : NULL;
    return !name && flag ? skr_cli_refuse(call->command, "only cm/NAME takes", flag, messages)
                         : SKR_EXIT_OK;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *options = call->options;
    const char *name = map_name(call->word[0]);
    int code = check_words(call, name, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    SKR_AUTO(skr_lint_destroy) struct skr_lint *lint = skr_lint_create();
    code = name ? read_map(options, call->word[0], name, lint, messages)
                : read_files(call, lint, messages);
    const size_t n = skr_lint_finish(lint);
    if (name && n == 0 && code == SKR_EXIT_OK) {
        skr_strbuf_addf(messages, "sakkara lint: no ConfigMap \"%.253s\" in %s\n", name,
                        options->file ? options->file : "the cluster");
        code = SKR_EXIT_NOT_FOUND;
    }
    if (code == SKR_EXIT_OK || !name) {
        write(lint, (enum format)options->format, out);
    }
    code = code == SKR_EXIT_OK && skr_lint_count(lint) > 0 ? SKR_EXIT_FINDINGS : code;
    return code;
}

const struct skr_command skr_command_lint = {
    .name = "lint",
    .usage = "sakkara lint FILE|DIR|-... [-o text|json|sarif]\n"
             "       sakkara lint cm/NAME [--file DUMP] [-n NAMESPACE] [-o text|json|sarif]",
    .summary = "what is wrong in topology, group and configuration files",
    .text =
        "Reads topology and group ConfigMaps, PodGroups, pods and their templates, the daemon's\n"
        "configuration and KubeSchedulerConfiguration, YAML or JSON, and says what is wrong as "
        "a\ncompiler does: FILE:LINE:COLUMN, also inside JSON that stands in a string. Files "
        "are held\nagainst one another. A folder stands for its *.yaml, *.yml, *.json, - for "
        "standard input.\nSilent when nothing is wrong. Exit code 5 with findings. "
        "docs/lint.md lists them all.\n",
    .examples = "  sakkara lint configs/*.yaml\n"
                "  sakkara lint topology.yaml group-a.yaml job-a.yaml\n"
                "  sakkara lint -o sarif manifests >lint.sarif\n"
                "  sakkara lint cm/group-a -n default\n",
    .next = "sakkara simulate -f FILE",
    .word = "file",
    .words_min = 1,
    .words_max = SKR_WORDS_MAX,
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
};
