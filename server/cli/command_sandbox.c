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
    {.name = "--filename",
     .letter = "-f",
     .argument = "FILE",
     .text = "file, folder, or - with objects it begins with; may repeat",
     .kind = SKR_FLAG_LIST,
     .offset = offsetof(struct options, files)},
    {.name = "--listen",
     .argument = "ADDR",
     .text = "address of its API server; default 127.0.0.1:0, a free port",
     .offset = offsetof(struct options, listen)},
    {.name = "--kubeconfig-out",
     .argument = "FILE",
     .text = "kubeconfig it writes; default ./" SKR_SANDBOX_KUBECONFIG,
     .offset = offsetof(struct options, kubeconfig)},
    {.name = "--scheduler-config",
     .argument = "FILE",
     .text = "KubeSchedulerConfiguration of its scheduler",
     .offset = offsetof(struct options, scheduler_config)},
    {.name = "--config",
     .argument = "FILE",
     .text = "configuration of the daemon; its addresses stay free ports",
     .offset = offsetof(struct options, config)},
    {.name = "--no-daemon",
     .text = "run without the daemon: start your own",
     .kind = SKR_FLAG_SWITCH,
     .offset = offsetof(struct options, no_daemon)},
    {.name = "--no-scheduler",
     .text = "run without a scheduler: start it later, or none",
     .kind = SKR_FLAG_SWITCH,
     .offset = offsetof(struct options, no_scheduler)},
    {.name = "--v",
     .letter = "-v",
     .argument = "LEVEL",
     .text = "log level 0..10, default warnings alone; 2 decisions, 4 requests",
     .kind = SKR_FLAG_NUMBER,
     .max = SKR_LOG_LEVEL_MAX,
     .offset = offsetof(struct options, level)},
    SKR_HELP_FLAG,
    {0}};

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
        (void)fprintf(stderr,
                      "sakkara sandbox: warning: whoever reaches %s may do everything in it\n",
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
