/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara serve`: the daemon. Logs while it runs. */
#include <stdio.h>

#include "server/cli/cli.h"
#include "server/config/config.h"
#include "server/daemon/daemon.h"
#include "server/exit_code.h"
#include "server/log.h"

struct options {
    const char *config; /* NULL: every option at its default */
    struct skr_text_list sets;
    const char *kubeconfig; /* NULL: the configuration decides */
    int log_format;         /* enum skr_log_format */
    int64_t level;
};

static const char *const formats[] = {[SKR_LOG_TEXT] = "text", [SKR_LOG_JSON] = "json", NULL};

static const struct skr_flag flags[] = {
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration file; without it every option has its default"),
    SKR_FLAG(LIST, options, sets, "--set", NULL, "KEY=VALUE",
             "one option, over that of the file: spotmix.enabled=true; may repeat"),
    SKR_FLAG(TEXT, options, kubeconfig, "--kubeconfig", NULL, "FILE",
             "kubeconfig of the API server; wins over the configuration"),
    SKR_FLAG(CHOICE, options, log_format, "--log-format", NULL, "FORMAT", "text (default) or json",
             .choice = formats),
    SKR_FLAG(NUMBER, options, level, "--v", "-v", "LEVEL",
             "log level 0..10, default 2; 4 debugging, 6 every request", .max = SKR_LOG_LEVEL_MAX),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)out;
    const struct options *options = call->options;
    SKR_AUTO(skr_config_destroy) struct skr_config *config = NULL;
    skr_log_set_format((enum skr_log_format)options->log_format);
    skr_log_set_level((int)options->level);
    const int code = skr_cli_load_config(options->config, &options->sets, &config, messages);
    if (code != SKR_EXIT_OK) {
        return code;
    }
    fwrite(messages->s ? messages->s : "", 1, messages->len, stderr);
    skr_strbuf_reset(messages);
    return skr_daemon_run(config, options->kubeconfig);
}

const struct skr_command skr_command_serve = {
    .name = "serve",
    .usage = "sakkara serve [--config FILE] [--set KEY=VALUE ...] [--kubeconfig FILE]\n"
             "                     [--log-format text|json] [-v LEVEL]",
    .summary = "run the daemon beside a kube-scheduler",
    .text =
        "Answers filter, prioritize, preempt and bind, watches the cluster and binds groups of "
        "pods\n"
        "as a whole. Runs until SIGTERM, which ends requests in flight within 5 s; a second one "
        "ends\n"
        "it at once. SIGHUP raises the log level by 2, beyond 6 back to where it started.\n",
    .examples = "  sakkara serve --config configs/sakkara.yaml --kubeconfig ~/.kube/config\n"
                "  sakkara serve --log-format json -v 4        # in a pod: the account of the "
                "pod\n",
    .next = "sakkara help config",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.level = SKR_LOG_LEVEL_DEFAULT},
    .run = run,
};
