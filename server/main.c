/* SPDX-License-Identifier: Apache-2.0 */
/* The program: command line to command. */
#include <stdio.h>

#include "server/cli.h"
#include "server/config.h"
#include "server/daemon.h"
#include "server/demo.h"
#include "server/exit_code.h"
#include "server/simulate.h"
#include "server/solve_command.h"

static int serve(const struct skr_cli *cli)
{
    struct skr_findings findings;
    struct skr_strbuf messages;
    struct skr_config *config = NULL;
    skr_log_set_format(cli->log_format);
    skr_log_set_level(cli->verbosity);
    skr_findings_init(&findings);
    skr_strbuf_init(&messages);
    if (cli->config) {
        skr_config_load(cli->config, &config, &findings);
        skr_findings_write(&findings, cli->config, &messages);
        fwrite(messages.s, 1, messages.len, stderr);
    } else {
        config = skr_config_default();
    }
    skr_strbuf_fini(&messages);
    if (!config) {
        return SKR_EXIT_ERROR;
    }
    int code = skr_daemon_run(config, cli->kubeconfig);
    skr_config_destroy(config);
    return code;
}

static int solve(const struct skr_cli *cli, struct skr_strbuf *out)
{
    struct skr_strbuf errors;
    skr_strbuf_init(&errors);
    int code = skr_solve_command(cli->file, out, &errors);
    fwrite(errors.s, 1, errors.len, stderr);
    skr_strbuf_fini(&errors);
    return code;
}

static int simulate(const struct skr_cli *cli, struct skr_strbuf *out)
{
    const struct skr_simulate_options options = {.file = cli->files,
                                                 .n_files = cli->n_files,
                                                 .config = cli->config,
                                                 .until = cli->until,
                                                 .seed = (uint64_t)cli->seed,
                                                 .json = cli->json,
                                                 .picture = cli->picture,
                                                 .ascii = cli->ascii,
                                                 .timings = cli->timings,
                                                 .verbosity = cli->verbosity,
                                                 .progress = stderr};
    struct skr_strbuf messages;
    skr_strbuf_init(&messages);
    int code = skr_simulate_run(&options, out, &messages);
    fwrite(messages.s, 1, messages.len, stderr);
    skr_strbuf_fini(&messages);
    return code;
}

/* Output that could not be written is a failure (a full disk, a closed pipe). */
static int print(struct skr_strbuf *text, FILE *to, int code)
{
    bool written = fwrite(text->s, 1, text->len, to) == text->len && fflush(to) == 0;
    skr_strbuf_fini(text);
    return written ? code : SKR_EXIT_ERROR;
}

int main(int argc, char **argv)
{
    struct skr_cli cli;
    struct skr_strbuf out;
    skr_strbuf_init(&out);
    int code = skr_cli_parse(argc > 0 ? argc - 1 : 0, argc > 0 ? argv + 1 : argv, &cli, &out);
    if (code != SKR_EXIT_OK) {
        return print(&out, stderr, code);
    }
    switch (cli.command) {
    case SKR_COMMAND_SERVE:
        skr_strbuf_fini(&out);
        return serve(&cli);
    case SKR_COMMAND_DEMO:
        code = skr_demo_play(cli.ascii, cli.verbosity > 0, &out);
        break;
    case SKR_COMMAND_SIMULATE:
        code = simulate(&cli, &out);
        break;
    case SKR_COMMAND_SOLVE:
        code = solve(&cli, &out);
        break;
    case SKR_COMMAND_VERSION:
        skr_cli_write_version(&out);
        break;
    case SKR_COMMAND_HELP:
    case SKR_COMMAND_COUNT:
        code = skr_cli_write_help(cli.topic, &out);
        break;
    }
    return print(&out, code == SKR_EXIT_USAGE ? stderr : stdout, code);
}
