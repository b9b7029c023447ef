/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara check`: whether the daemon will be able to work. */
#include <stdlib.h>
#include <unistd.h>

#include "server/cli/cli.h"
#include "server/config/config.h"
#include "server/daemon/preflight.h"
#include "server/exit_code.h"
#include "server/kube/kubeconfig.h"
#include "topology/base/arena.h"

struct options {
    const char *config; /* NULL: every option at its default */
    struct skr_text_list sets;
    const char *kubeconfig; /* NULL: the configuration decides */
};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration file; without it every option has its default"),
    SKR_FLAG(LIST, options, sets, "--set", NULL, "KEY=VALUE",
             "one option, over that of the file: spotmix.enabled=true; may repeat"),
    SKR_FLAG(TEXT, options, kubeconfig, "--kubeconfig", NULL, "FILE",
             "kubeconfig of the API server; wins over the configuration, which wins over the files "
             "of\n"
             "KUBECONFIG, merged as by kubectl"),
    SKR_HELP_FLAG,
    {0},
};

/* The flag, else the configured file, else what kubectl reads. None: the account of the pod. */
static void find_kubeconfig(const char *configured, const char *flag,
                            struct skr_kubeconfig_paths *ret)
{
    const char *variable = getenv("KUBECONFIG");
    const char *home = getenv("HOME");
    *ret = (struct skr_kubeconfig_paths){.n = 0};
    if (flag || configured[0]) {
        ret->text = skr_strdup(flag ? flag : configured);
        ret->item[ret->n++] = ret->text;
    } else if (variable && variable[0]) {
        skr_kubeconfig_paths_split(ret, variable);
    } else if (home && !getenv("KUBERNETES_SERVICE_HOST")) {
        SKR_STRBUF(path);
        skr_strbuf_addf(&path, "%s/.kube/config", home);
        if (access(path.s, F_OK) == 0) {
            ret->text = skr_strdup(path.s);
            ret->item[ret->n++] = ret->text;
        }
    }
}

int skr_cli_load_access(const char *command, const char *configured, const char *flag,
                        struct skr_kube_access *ret, struct skr_strbuf *messages)
{
    struct skr_kubeconfig_paths paths;
    struct skr_findings findings;
    struct skr_error error = {.code = SKR_OK};
    find_kubeconfig(configured, flag, &paths);
    skr_findings_init(&findings);
    skr_kube_access_init(ret);
    const int rc = skr_kube_access_load(paths.item, paths.n, ret, &findings, &error);
    if (rc < 0) {
        skr_findings_write(&findings, "KUBECONFIG", messages);
        skr_strbuf_addf(messages, "sakkara %s: %s\n", command, error.text);
    }
    free(paths.text);
    return rc;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *options = call->options;
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    const int code = skr_cli_load_config(options->config, &options->sets, &config, messages);
    struct skr_kube_access access;
    if (code != SKR_EXIT_OK) {
        return code;
    }
    if (skr_cli_load_access("check", config->kubeconfig, options->kubeconfig, &access, messages) <
        0) {
        return SKR_EXIT_ERROR;
    }
    const int rc = skr_preflight_print(config, &access, out);
    skr_kube_access_fini(&access);
    return rc;
}

static const struct skr_command *const modes[] = {&skr_command_check_upgrade, NULL};

const struct skr_command skr_command_check = {
    .name = "check",
    .usage = "sakkara check [--config FILE] [--set KEY=VALUE ...] [--kubeconfig FILE]\n"
             "       sakkara check upgrade [-n NAMESPACE] [--kubeconfig FILE]",
    .summary = "whether the daemon will be able to work",
    .text =
        "Asks the API server whether it can be reached and for each permission of the account, "
        "and\n"
        "looks at the certificates, at the Leases of daemons that decide, and at the webhook of "
        "the spot\n"
        "mix. One line each; exit code 5 when something is missing, 6 when the API server "
        "cannot be\n"
        "reached.\n",
    .examples = "  sakkara check --kubeconfig ~/.kube/config\n"
                "  sakkara check --config configs/sakkara.yaml\n",
    .next = "sakkara serve --help",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .run = run,
    .mode = modes,
};
