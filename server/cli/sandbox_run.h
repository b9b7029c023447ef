/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_CLI_SANDBOX_RUN_H
#define SKR_SERVER_CLI_SANDBOX_RUN_H
/*
 * `sakkara sandbox`: the simulated cluster (server/lab) on localhost under the real clock, the
 * model of kube-scheduler in it, and the daemon beside it, as in `sakkara serve`, over real HTTP on
 * both sides:
 *
 *   kubectl --> API server (sandbox/http.h) <-- lists, watches, writes -- daemon
 *                     ^ store                                                ^
 *                     '---- kube-scheduler (sandbox/scheduler_thread.h) -----' filter, bind
 *
 * Order of the start: API server, kubeconfig, daemon, scheduler; of the end: scheduler, daemon, API
 * server. It lives until SIGINT, SIGTERM or SIGHUP; nothing is kept.
 */
#include <stdbool.h>
#include <stddef.h>

enum { SKR_SANDBOX_STOP_S = 5 }; /* from the signal to the end, else it ends at once with code 1 */

#define SKR_SANDBOX_KUBECONFIG "sakkara-sandbox.kubeconfig" /* in the current folder */

struct skr_sandbox_options {
    const char *const *file; /* as of simulate; none: the worked example's nodes and topology */
    size_t n_files;
    const char *listen;           /* of the API server */
    const char *kubeconfig;       /* is written; NULL: SKR_SANDBOX_KUBECONFIG */
    const char *scheduler_config; /* NULL: one for the daemon */
    const char *config;           /* of the daemon; its addresses are not used; NULL: defaults */
    bool no_daemon, no_scheduler;
    int level; /* of the log on stderr; SKR_LOG_LEVEL_QUIET: warnings alone */
};

/* The whole life. Writes to stdout and stderr itself. Returns the exit code. */
int skr_sandbox_run(const struct skr_sandbox_options *options);

#endif
