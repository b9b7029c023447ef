/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_H
#define SKR_SERVER_CLI_H
/*
 * The command line: one table of commands and flags feeds the parser, the help texts and
 * docs/reference.md (by a test). Flags are "--flag VALUE", "--flag=VALUE", "-v 4", "-v4"; they may
 * stand before and after other words of their command; "--" ends them.
 */
#include <stdbool.h>
#include <stddef.h>

#include "server/log.h"
#include "topology/object.h"
#include "topology/strbuf.h"

enum skr_command {
    SKR_COMMAND_SERVE,
    SKR_COMMAND_DEMO,
    SKR_COMMAND_SIMULATE,
    SKR_COMMAND_SOLVE,
    SKR_COMMAND_VERSION,
    SKR_COMMAND_HELP,
    SKR_COMMAND_COUNT
};

enum { SKR_CLI_FILES_MAX = 256 }; /* -f of one command line */

/* Strings are borrowed from argv. */
struct skr_cli {
    enum skr_command command;
    const char *config;     /* --config; NULL: none, every option at its default */
    const char *kubeconfig; /* --kubeconfig; NULL: the configuration decides */
    enum skr_log_format log_format;
    int verbosity;                        /* -v; serve: log level; demo: 0 or more */
    bool ascii;                           /* --ascii */
    const char *topic;                    /* of help; NULL: the overview */
    const char *file;                     /* of solve; "-": standard input */
    const char *files[SKR_CLI_FILES_MAX]; /* -f of simulate, at least one */
    size_t n_files;
    skr_time until; /* SKR_TIME_NEVER: not given */
    int64_t seed;
    bool json, picture, timings;
};

/* argv without the program's name. 0, or an exit code with the message for stderr in out. */
int skr_cli_parse(int argc, char *const *argv, struct skr_cli *ret, struct skr_strbuf *out);
/* topic: NULL, a command, or "config". An exit code other than 0 when there is no such topic, with
 * the message in out. */
int skr_cli_write_help(const char *topic, struct skr_strbuf *out);
void skr_cli_write_version(struct skr_strbuf *out);

/* For tests and completion: names of commands; of the flags of one ("--config"), NULL at the end.
 */
const char *skr_cli_command_name(enum skr_command command);
const char *skr_cli_flag_name(enum skr_command command, size_t i);

#endif
