/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara check`: whether the daemon will be able to work. */
#include <stdlib.h>
#include <string.h>

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
             "kubeconfig of the API server; wins over the configuration, which wins over the first "
             "file\n"
             "of KUBECONFIG"),
    SKR_HELP_FLAG,
    {0},
};

char *skr_cli_kubeconfig(const char *configured, const char *flag)
{
    const char *variable = getenv("KUBECONFIG");
    if (flag || configured[0] || !variable) {
        return skr_strdup(flag ? flag : configured);
    }
    variable += strspn(variable, ":");
    char *first = skr_strdup(variable);
    first[strcspn(first, ":")] = '\0';
    return first;
}

static int check(const struct skr_config *config, const char *kubeconfig, struct skr_strbuf *out,
                 struct skr_strbuf *messages)
{
    struct skr_kube_access access;
    struct skr_findings findings;
    struct skr_error error = {0};
    SKR_AUTO_FREE char *file = skr_cli_kubeconfig(config->kubeconfig, kubeconfig);
    int rc = SKR_EXIT_ERROR;
    skr_findings_init(&findings);
    skr_kube_access_init(&access);
    if (skr_kube_access_load(file, &access, &findings, &error) == 0) {
        rc = skr_preflight_print(config, &access, out);
    } else {
        skr_findings_write(&findings, file, messages);
        skr_strbuf_addf(messages, "sakkara check: %s\n", error.text);
    }
    skr_kube_access_fini(&access);
    return rc;
}

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    const struct options *options = call->options;
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    const int code = skr_cli_load_config(options->config, &options->sets, &config, messages);
    return code != SKR_EXIT_OK ? code : check(config, options->kubeconfig, out, messages);
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
