/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SKR_SERVER_DAEMON_DAEMON_H
#define SKR_SERVER_DAEMON_DAEMON_H
/*
 * `sakkara serve`: puts the parts together and takes them apart again.
 *
 *   kube --events--> engine queue --> engine --answers-----------> verbs (HTTP)
 *   verbs -events--^    ^               |------writes----------> kube
 *   solver --results----'               '------problems--------> solver
 *
 * Start: producers of events first, engine threads last, so everything that an engine calls exists.
 * End: the engines answer held requests, the listeners close, the kube client ends its requests, the
 * engines and workers end. No state is saved: the API server has all of it.
 */
#include <stdbool.h>
#include <stdint.h>

#include "server/config/config.h"
#include "topology/base/error.h"

enum {
    /* Seconds from SIGTERM to the end. After that the process ends at once with code 1. The steps of
     * the end have limits of their own. This limit is for a thread that hangs, so it is long enough
     * for a busy machine. kubelet waits 30 s. */
    SKR_DAEMON_STOP_S = 20,
};

struct skr_daemon;

/* config is borrowed and outlives the daemon. kubeconfig: path, wins over the configuration's; NULL
 * or "" : none. Starts every thread. Problems of the kubeconfig go to findings, everything else to
 * error. Signals of the daemon (SIGTERM, SIGINT, SIGHUP) must be blocked by the caller before. */
int skr_daemon_create(const struct skr_config *config, const char *kubeconfig,
                      struct skr_daemon **ret, struct skr_findings *findings,
                      struct skr_error *error);
/* Ends everything cleanly, within about three seconds. NULL allowed. */
void skr_daemon_destroy(struct skr_daemon *daemon);

/* Where it listens: what port 0 became. */
struct skr_daemon_ports {
    uint16_t extender, bind, admin;
};
void skr_daemon_get_ports(const struct skr_daemon *daemon, struct skr_daemon_ports *ret);
/* Whether the first lists are complete; before, every verb answers "not ready". */
bool skr_daemon_is_synced(struct skr_daemon *daemon);

/* The whole life: signals, create, wait, destroy. Returns the exit code. */
int skr_daemon_run(const struct skr_config *config, const char *kubeconfig);

#endif
