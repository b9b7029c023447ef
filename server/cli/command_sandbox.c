/* SPDX-License-Identifier: Apache-2.0 */
/* `sakkara sandbox`: a cluster on localhost. Talks while it runs. */
#include <stdio.h>

#include "server/cli/cli.h"
#include "server/cli/sandbox_run.h"
#include "server/config/address.h"
#include "server/log.h"

struct options {
    struct skr_text_list files;
    const char *listen, *kubeconfig, *scheduler_config, *config;
    bool no_daemon, no_scheduler;
    int64_t level;
};

static const struct skr_flag flags[] = {
    SKR_FLAG(LIST, options, files, "--filename", "-f", "FILE",
             "file, folder, or - with objects it begins with; may repeat"),
    SKR_FLAG(TEXT, options, listen, "--listen", NULL, "ADDR",
             "address of its API server; default 127.0.0.1:0, a free port"),
    SKR_FLAG(TEXT, options, kubeconfig, "--kubeconfig-out", NULL, "FILE",
             "kubeconfig it writes; default ./" SKR_SANDBOX_KUBECONFIG),
    SKR_FLAG(TEXT, options, scheduler_config, "--scheduler-config", NULL, "FILE",
             "KubeSchedulerConfiguration of its scheduler"),
    SKR_FLAG(TEXT, options, config, "--config", NULL, "FILE",
             "configuration of the daemon; its addresses stay free ports"),
    SKR_FLAG(SWITCH, options, no_daemon, "--no-daemon", NULL, NULL,
             "run without the daemon: start your own"),
    SKR_FLAG(SWITCH, options, no_scheduler, "--no-scheduler", NULL, NULL,
             "run without a scheduler: start it later, or none"),
    SKR_FLAG(NUMBER, options, level, "--v", "-v", "LEVEL",
             "log level 0..10, default warnings alone; 2 decisions, 4 requests",
             .max = SKR_LOG_LEVEL_MAX),
    SKR_HELP_FLAG,
    {0},
};

static int run(const struct skr_call *call, struct skr_strbuf *out, struct skr_strbuf *messages)
{
    (void)out;
    const struct options *given = call->options;
    struct sockaddr_storage address;
    struct skr_error error;
    socklen_t n;
    if (skr_address_parse(given->listen, &address, &n, &error) < 0) {
        return skr_cli_refuse(call->command, "--listen", error.text, messages);
    }
    if (!skr_address_is_loopback(&address)) {
        (void)fprintf(
            stderr,
            "sakkara sandbox: warning: every client that reaches %s may do everything in it\n",
            given->listen);
    }
    const struct skr_sandbox_options options = {.file = given->files.item,
                                                .n_files = given->files.n,
                                                .listen = given->listen,
                                                .kubeconfig = given->kubeconfig,
                                                .scheduler_config = given->scheduler_config,
                                                .config = given->config,
                                                .no_daemon = given->no_daemon,
                                                .no_scheduler = given->no_scheduler,
                                                .level = (int)given->level};
    return skr_sandbox_run(&options);
}

const struct skr_command skr_command_sandbox = {
    .name = "sandbox",
    .usage = "sakkara sandbox [-f FILE|DIR|- ...] [--listen ADDR] [--kubeconfig-out FILE]\n"
             "                       [--scheduler-config FILE] [--config FILE] [--no-daemon]\n"
             "                       [--no-scheduler] [-v LEVEL]",
    .summary = "run a cluster on localhost that kubectl can talk to",
    .text =
        "An API server, controllers, kubelets and a model of kube-scheduler in memory, and the\n"
        "real daemon beside them. Prints the address, writes a kubeconfig, says what to try, and\n"
        "runs until Ctrl-C or SIGTERM. Pods run without containers; nothing is kept. Without -f\n"
        "it begins with the nodes and the topology of the worked example.\n",
    .examples = "  sakkara sandbox\n"
                "  sakkara sandbox -f cluster.yaml -f scenario.yaml\n"
                "  sakkara sandbox --no-daemon --scheduler-config configs/scheduler.yaml\n",
    .next = "sakkara help demo",
    .group = {{flags, 0}},
    .options_size = sizeof(struct options),
    .defaults = &(const struct options){.listen = "127.0.0.1:0", .level = SKR_LOG_LEVEL_QUIET},
    .run = run,
};
